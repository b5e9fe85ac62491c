//! Tangential forces of cells under known pressures: Coulomb's law as a convex problem.
//!
//! ```text
//! min ½ τᵀ D τ + qᵀ τ ,   |τ_i| ≤ b_i :      u = D τ + q ,
//! stick  u_i = 0      or      slip  τ_i = −b_i u_i/|u_i|
//! ```
//!
//! D is symmetric and positive definite, so that there is one solution. Newton's method runs over the forces
//! of cells that stick and the directions of those that slip: on the circles |τ_i| = b_i the Hessian is
//! t_iᵀ D_ik t_k + δ_ik |u_i|/b_i with the tangents t_i of the circles, symmetric and positive definite.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::triangular_solve;
use faer::{Auto, Mat, Par, Spec};
use thiserror::Error;

/// Steps of Newton's method; warm starts need two to four.
const MOST_STEPS: usize = 60;

/// Halvings of a step until the energy falls.
const HALVINGS: usize = 8;

/// Sweeps over all cells in the place of a step that failed.
const SWEEPS_BETWEEN: usize = 4;

/// Sweeps at the end, which converge for any D.
const MOST_SWEEPS: usize = 20_000;

/// Part of its bound from which on a force lies on the circle.
const ON_CIRCLE: f64 = 1.0 - 1e-12;

/// Accepted residual of u over the largest |q|.
const ACCEPTED: f64 = 1e-12;

/// The same after sweeps.
const ACCEPTED_OF_SWEEPS: f64 = 1e-10;

/// The tangential forces were not found.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "friction on {cells} cells is not solved: residual {residual:.1e} of the largest slip or pressure, at \
     most {ACCEPTED_OF_SWEEPS:.0e} allowed; let the bodies' meshes resolve the contact"
)]
pub struct ShearError {
    /// Number of cells.
    pub(super) cells: usize,
    /// Residual over the largest |q|, or the last change of a pressure over the largest pressure.
    pub(super) residual: f64,
}

/// Solver with its memory; nothing is allocated for a problem of a size met before.
pub(super) struct Shear {
    /// Room for cells.
    room: usize,
    /// Steps of the last solve.
    steps: usize,
    /// D, 2 rows for each cell.
    pub(super) matrix: Mat<f64>,
    pub(super) q: Vec<[f64; 2]>,
    pub(super) bounds: Vec<f64>,
    /// At entry the start.
    pub(super) forces: Vec<[f64; 2]>,
    /// Forces before a step.
    start: Vec<[f64; 2]>,
    slides: Vec<bool>,
    u: Vec<[f64; 2]>,
    /// Unknowns: cell and direction in which its force moves.
    unknowns: Vec<(u32, [f64; 2])>,
    hessian: Mat<f64>,
    step: Mat<f64>,
    memory: MemBuffer,
}

impl Default for Shear {
    fn default() -> Self {
        Self {
            room: 0,
            steps: 0,
            matrix: Mat::new(),
            q: Vec::new(),
            bounds: Vec::new(),
            forces: Vec::new(),
            start: Vec::new(),
            slides: Vec::new(),
            u: Vec::new(),
            unknowns: Vec::new(),
            hessian: Mat::new(),
            step: Mat::new(),
            memory: MemBuffer::new(cholesky_in_place_scratch::<f64>(0, Par::Seq, spec())),
        }
    }
}

impl Shear {
    /// Memory of both matrices \[bytes\].
    pub(super) fn bytes(&self) -> usize {
        2 * size_of::<f64>() * self.matrix.nrows() * self.matrix.ncols()
    }

    /// Makes room for n cells, and clears all of them.
    pub(super) fn start(&mut self, n: usize) {
        if self.room < n {
            let room = n + n / 2;
            self.matrix = Mat::zeros(2 * room, 2 * room);
            self.hessian = Mat::zeros(2 * room, 2 * room);
            self.step = Mat::zeros(2 * room, 1);
            self.memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(2 * room, Par::Seq, spec()));
            self.unknowns.reserve(2 * room);
            self.room = room;
        }
        for values in [&mut self.q, &mut self.forces, &mut self.start, &mut self.u] {
            values.clear();
            values.reserve(self.room);
            values.resize(n, [0.0; 2]);
        }
        self.bounds.clear();
        self.bounds.reserve(self.room);
        self.bounds.resize(n, 0.0);
        self.slides.clear();
        self.slides.reserve(self.room);
        self.slides.resize(n, false);
    }

    /// Solves for the forces, from those at entry.
    ///
    /// # Errors
    ///
    /// [`ShearError`].
    pub(super) fn solve(&mut self) -> Result<(), ShearError> {
        let n = self.bounds.len();
        let scale = self.q.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs()));
        for (force, bound) in self.forces.iter_mut().zip(&self.bounds) {
            clip(force, *bound);
        }
        if n == 0 || scale == 0.0 {
            self.forces.fill([0.0; 2]);
            self.u.fill([0.0; 2]);
            return Ok(());
        }
        self.displace();
        for step in 0..MOST_STEPS {
            self.steps = step;
            self.classify();
            if self.residual() <= ACCEPTED * scale {
                return Ok(());
            }
            if !self.newton_step() {
                (0..SWEEPS_BETWEEN).for_each(|_| self.sweep());
                self.displace();
            }
        }
        self.steps = MOST_STEPS;
        let mut residual = f64::INFINITY;
        for sweep in 0..MOST_SWEEPS {
            if sweep % 20 == 0 {
                self.displace();
                self.classify();
                residual = self.residual() / scale;
                if residual <= ACCEPTED_OF_SWEEPS {
                    return Ok(());
                }
            }
            self.sweep();
        }
        Err(ShearError { cells: n, residual })
    }

    /// u = D τ + q of the last solve.
    pub(super) fn slips(&self) -> &[[f64; 2]] {
        &self.u
    }

    /// u = D τ + q.
    fn displace(&mut self) {
        let Self { matrix, q, forces, u, .. } = self;
        u.copy_from_slice(q);
        for (k, force) in forces.iter().enumerate() {
            for (a, force) in force.iter().enumerate() {
                let column = matrix.col_as_slice(2 * k + a);
                for (u, d) in u.iter_mut().zip(column.as_chunks::<2>().0) {
                    u[0] += d[0] * force;
                    u[1] += d[1] * force;
                }
            }
        }
    }

    /// ½ τᵀ D τ + qᵀ τ, with u = D τ + q.
    fn energy(&self) -> f64 {
        let of_cell = |((f, u), q): ((&[f64; 2], &[f64; 2]), &[f64; 2])| {
            0.5 * (f[0] * (u[0] + q[0]) + f[1] * (u[1] + q[1]))
        };
        self.forces.iter().zip(&self.u).zip(&self.q).map(of_cell).sum()
    }

    /// Cells on their circle that are pulled outwards slip, all others stick.
    fn classify(&mut self) {
        for (i, slides) in self.slides.iter_mut().enumerate() {
            let [f, u] = [self.forces[i], self.u[i]];
            *slides = f[0].hypot(f[1]) >= ON_CIRCLE * self.bounds[i] && f[0] * u[0] + f[1] * u[1] <= 0.0;
        }
    }

    /// Largest component of u that is not zero as it should be.
    fn residual(&self) -> f64 {
        let of_cell = |i: usize| {
            let u = self.u[i];
            if !self.slides[i] {
                return u[0].abs().max(u[1].abs());
            }
            let d = self.forces[i].map(|f| f / self.bounds[i]);
            (d[0] * u[1] - d[1] * u[0]).abs()
        };
        (0..self.bounds.len()).map(of_cell).fold(0.0, f64::max)
    }

    /// A step over the forces of sticking cells and the directions of sliding ones, cut until the energy
    /// falls; false if it does not, or if the Hessian is not positive definite.
    fn newton_step(&mut self) -> bool {
        self.unknowns.clear();
        for (i, slides) in self.slides.iter().enumerate() {
            if *slides {
                let d = self.forces[i].map(|f| f / self.bounds[i]);
                self.unknowns.push((i as u32, [-d[1], d[0]]));
            } else {
                self.unknowns.extend([(i as u32, [1.0, 0.0]), (i as u32, [0.0, 1.0])]);
            }
        }
        let m = self.unknowns.len();
        for (b, &(k, to)) in self.unknowns.iter().enumerate() {
            let k = k as usize;
            let [x, y] = [2 * k, 2 * k + 1].map(|column| self.matrix.col_as_slice(column));
            let target = self.hessian.col_as_slice_mut(b);
            for (a, &(i, along)) in self.unknowns.iter().enumerate().skip(b) {
                let i = 2 * i as usize;
                target[a] = along[0] * (x[i] * to[0] + y[i] * to[1])
                    + along[1] * (x[i + 1] * to[0] + y[i + 1] * to[1]);
            }
            let (u, force) = (self.u[k], self.forces[k]);
            if self.slides[k] {
                // |u|/b along −τ.
                target[b] -= (u[0] * force[0] + u[1] * force[1]) / self.bounds[k].powi(2);
            }
            self.step[(b, 0)] = -(to[0] * u[0] + to[1] * u[1]);
        }
        let block = self.hessian.as_mut().submatrix_mut(0, 0, m, m);
        let stack = MemStack::new(&mut self.memory);
        if cholesky_in_place(block, LltRegularization::default(), Par::Seq, stack, spec()).is_err() {
            return false;
        }
        let factor = self.hessian.as_ref().submatrix(0, 0, m, m);
        let mut x = self.step.as_mut().submatrix_mut(0, 0, m, 1);
        triangular_solve::solve_lower_triangular_in_place(factor, x.as_mut(), Par::Seq);
        triangular_solve::solve_upper_triangular_in_place(factor.transpose(), x.as_mut(), Par::Seq);
        let energy = self.energy();
        self.start.copy_from_slice(&self.forces);
        let mut part = 1.0;
        for _ in 0..HALVINGS {
            self.move_by(part);
            self.displace();
            // Near the solution the energy is the same to rounding.
            if self.energy() <= energy + 1e-14 * energy.abs() {
                return true;
            }
            part *= 0.5;
        }
        self.forces.copy_from_slice(&self.start);
        self.displace();
        false
    }

    /// Forces at a part of the step: those of sticking cells are cut to their circles, those of sliding cells
    /// stay on them.
    fn move_by(&mut self, part: f64) {
        self.forces.copy_from_slice(&self.start);
        for (b, &(i, along)) in self.unknowns.iter().enumerate() {
            let (force, step) = (&mut self.forces[i as usize], part * self.step[(b, 0)]);
            (0..2).for_each(|a| force[a] += step * along[a]);
        }
        for ((force, bound), slides) in self.forces.iter_mut().zip(&self.bounds).zip(&self.slides) {
            if *slides {
                let factor = bound / force[0].hypot(force[1]);
                force.iter_mut().for_each(|f| *f *= factor);
            } else {
                clip(force, *bound);
            }
        }
    }

    /// Each cell in turn with the others held: the energy falls in each of them.
    fn sweep(&mut self) {
        let n = self.bounds.len();
        for i in 0..n {
            let mut rest = self.q[i];
            for k in (0..n).filter(|&k| k != i) {
                for (a, rest) in rest.iter_mut().enumerate() {
                    // By columns, D being symmetric.
                    let column = self.matrix.col_as_slice(2 * i + a);
                    *rest += column[2 * k] * self.forces[k][0] + column[2 * k + 1] * self.forces[k][1];
                }
            }
            let own = |a: usize, b: usize| self.matrix[(2 * i + a, 2 * i + b)];
            self.forces[i] = alone([own(0, 0), own(0, 1), own(1, 1)], rest, self.bounds[i]);
        }
    }
}

/// Cuts a force to its bound.
fn clip(force: &mut [f64; 2], bound: f64) {
    let length = force[0].hypot(force[1]);
    if length > bound {
        force.iter_mut().for_each(|f| *f *= bound / length);
    }
}

/// The force of one cell: τ = −(D + λ)⁻¹ q with λ = 0 or |τ| = b, by Newton's method for λ ≥ 0, whose
/// iterates rise for 1/|τ|.
fn alone([xx, xy, yy]: [f64; 3], q: [f64; 2], bound: f64) -> [f64; 2] {
    let mut lambda = 0.0;
    let mut force = [0.0; 2];
    for _ in 0..60 {
        let (a, b) = (xx + lambda, yy + lambda);
        let det = a * b - xy * xy;
        force = [(xy * q[1] - b * q[0]) / det, (xy * q[0] - a * q[1]) / det];
        let length = force[0].hypot(force[1]);
        if length <= bound * (1.0 + 1e-15) {
            break;
        }
        // d|τ|/dλ = −τᵀ (D + λ)⁻¹ τ/|τ|.
        let solved = [(b * force[0] - xy * force[1]) / det, (a * force[1] - xy * force[0]) / det];
        let slope = (force[0] * solved[0] + force[1] * solved[1]) / length;
        lambda += (length / bound - 1.0) * length / slope;
    }
    clip(&mut force, bound);
    force
}

fn spec() -> Spec<LltParams, f64> {
    <LltParams as Auto<f64>>::auto().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_surfaces::Random;

    /// Random problems with D = B Bᵀ + 0.1: Coulomb's law by its three cases, and the same solution by
    /// sweeps.
    #[test]
    fn forces_obey_coulombs_law_under_known_pressures() {
        let mut random = Random(11);
        let (mut sticking, mut sliding, mut most) = (0, 0, 0);
        for case in 0..60 {
            let n = 2 + case % 14;
            let factor = Mat::from_fn(2 * n, 2 * n, |_, _| random.symmetric());
            let product = &factor * factor.transpose();
            let size = 10f64.powf(1.5 * random.symmetric());
            let q: Vec<[f64; 2]> = (0..n).map(|_| [random.symmetric(), random.symmetric()]).collect();
            let bounds: Vec<f64> = (0..n).map(|_| size * (1.0 + random.symmetric()) / n as f64).collect();
            let mut shear = Shear::default();
            let fill = |shear: &mut Shear| {
                shear.start(n);
                for k in 0..2 * n {
                    for i in 0..2 * n {
                        shear.matrix[(i, k)] = product[(i, k)] + if i == k { 0.1 } else { 0.0 };
                    }
                }
                shear.q.copy_from_slice(&q);
                shear.bounds.copy_from_slice(&bounds);
            };
            fill(&mut shear);
            shear.solve().unwrap();
            most = most.max(shear.steps);
            shear.displace();
            for i in 0..n {
                let (force, u) = (shear.forces[i], shear.u[i]);
                let (length, slip) = (force[0].hypot(force[1]), u[0].hypot(u[1]));
                assert!(length <= bounds[i] * (1.0 + 1e-12), "{case} {i}");
                if length < bounds[i] * (1.0 - 1e-9) {
                    assert!(slip < 1e-10, "{case} {i}: {slip}");
                    sticking += 1;
                } else {
                    let opposite = force[0] * u[0] + force[1] * u[1] + length * slip;
                    assert!(opposite.abs() < 1e-10 * length, "{case} {i}: {opposite}");
                    sliding += 1;
                }
            }
            let newton = shear.forces.clone();
            fill(&mut shear);
            (0..3000).for_each(|_| shear.sweep());
            for (a, b) in newton.iter().flatten().zip(shear.forces.iter().flatten()) {
                assert!((a - b).abs() < 1e-6 * size, "{case}: {a} {b}");
            }
        }
        println!("{sticking} cells stick, {sliding} slide, at most {most} steps");
        assert!(sticking > 50 && sliding > 50 && most < MOST_STEPS, "{sticking} {sliding} {most}");
    }
}
