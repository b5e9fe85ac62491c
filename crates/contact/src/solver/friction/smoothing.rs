//! Newton's method on the smoothed projection, the smoothing driven to zero.

use super::super::operator::largest;
use super::super::outcome::Stop;
use super::cone::{SmoothedCone, smoothed};
use super::newton::MAX_UNKNOWNS;
use super::problem::{FRICTION_ACCEPTED, FrictionProblem, natural, padded, velocities};
use carom_linalg::DenseLu;

/// Steps of one run.
const MAX_STEPS: usize = 400;
/// Paths with |u_T| held.
const MAX_HELD: usize = 30;
/// Halvings of a step.
const HALVINGS: usize = 25;
/// Smoothing at the start and where it ends, for a problem whose q and diagonal of W are of the order of one.
const FIRST: f64 = 1.0;
const LAST: f64 = 1e-12;
/// τ is multiplied by this once its equation is solved to this part of τ² (x ∘ y = τ² e), or to rounding.
const REDUCED: f64 = 0.3;
const NEAR: f64 = 0.3;
const ROUNDING: f64 = 1e-13;
/// Steps at one τ after which the path returns and reduces τ by the root of its factor, and the factor
/// nearest to one.
const PATIENCE: usize = 12;
const SLOWEST: f64 = 0.95;
/// Term added to the diagonal of W, relative to τ², as redundant contacts make W singular: velocities that
/// contradict each other by δ must make impulses as long as τ² > δ.
const REGULAR: f64 = 0.1;
const LEAST_REGULAR: f64 = 1e-14;

/// In the variables x = (μ r_N, r_T) and y = (u_N/μ + |u_T|, u_T) the cone is that of Lorentz and its own
/// dual, L ∋ x ⟂ y ∈ L:
///
/// ```text
/// F_τ(x) = x − P_τ(x − y),   P_τ(z) = ½ (z + √(z² + 4 τ² e)),   |u_T|_τ = √(u_T² + τ²)
/// ```
///
/// The square and its root are those of the Jordan algebra of the cone: P_τ has the spectral values ½ (λ +
/// √(λ² + 4 τ²)) of λ = z_N ∓ |z_T| along the same vectors. F_τ = 0 is x ∘ y = τ² e inside of both cones; it
/// is smooth, and misses the natural map of the problem by the order of τ whether or not contacts are just
/// about to slip or to part.
///
/// # Source
///
/// Hayashi, Yamashita & Fukushima (2005), SIAM J. Optim. 15(2), 593–615: smoothing and regularisation driven
/// to zero together; the term |u_T| is De Saxcé's.
#[derive(Default)]
pub(super) struct Smoothing {
    lu: DenseLu<f64>,
    /// Whether |u_T| is held at `slips`, one for each contact in units of q.
    held: bool,
    slips: Vec<f64>,
    changes: Vec<f64>,
    jacobian: Vec<f64>,
    /// ∂y/∂x.
    slopes: Vec<f64>,
    /// r_i = scale_i x_i.
    scale: Vec<f64>,
    x: Vec<f64>,
    /// x before a step, and where the last τ was solved.
    before: Vec<f64>,
    level: Vec<f64>,
    value: Vec<f64>,
    r: Vec<f64>,
}

/// Size of q, of W, and the smoothing.
#[derive(Debug, Clone, Copy)]
struct Units {
    q: f64,
    w: f64,
    tau: f64,
}

impl Units {
    fn regular(self) -> f64 {
        REGULAR * self.tau * self.tau + LEAST_REGULAR
    }

    fn is_near(self, norm: f64) -> bool {
        norm <= NEAR * self.tau * self.tau + ROUNDING
    }
}

impl Smoothing {
    pub(super) fn resize(&mut self, n: usize) {
        for v in [
            &mut self.slips,
            &mut self.changes,
            &mut self.scale,
            &mut self.x,
            &mut self.before,
            &mut self.level,
            &mut self.value,
            &mut self.r,
        ] {
            v.resize(n, 0.0);
        }
    }

    /// Follows the path of solutions from a smooth problem to the problem itself, from r = 0. Where it does
    /// not get there, the term
    /// |u_T| is held, which leaves a convex problem, and taken anew from its solution. r is the last point.
    ///
    /// * `enough` — residual at which no further path is begun, behind the size by which r counts in it
    ///
    /// Returns the number of steps.
    pub(super) fn solve(
        &mut self,
        problem: FrictionProblem<'_>,
        r: &mut [f64],
        u: &mut [f64],
        (size, enough): (f64, f64),
    ) -> (usize, Stop) {
        let n = r.len();
        if n > MAX_UNKNOWNS {
            return (0, Stop::Unfit);
        }
        self.jacobian.resize(n * n, 0.0);
        self.slopes.resize(n * n, 0.0);
        let units = Self::units(problem);
        self.set_scale(problem, units);
        self.held = false;
        let aim = (0.1 * FRICTION_ACCEPTED * units.q).max(0.01 * enough);
        let (mut steps, mut stop) = self.follow(problem, r, u, units, (size, aim));
        self.held = true;
        self.changes.fill(0.0);
        for path in 0..MAX_HELD {
            if stop == Stop::Done {
                break;
            }
            self.take_slips(problem, u, units, path);
            let (more, ended) = self.follow(problem, r, u, units, (size, aim));
            (steps, stop) = (steps + more, ended);
            r.copy_from_slice(&self.r);
            velocities(problem, r, u);
            if natural(problem, size, r, u) <= enough {
                return (steps, Stop::Done);
            }
        }
        (steps, stop)
    }

    /// Sets |u_T| to that of the last solution; at every third path to the limit of the last two changes as a
    /// geometric series.
    fn take_slips(&mut self, problem: FrictionProblem<'_>, u: &[f64], units: Units, path: usize) {
        let (mut product, mut square) = (0.0, 0.0);
        for c in 0..problem.friction.len() {
            let u = padded(u, c, problem.dim);
            let change = u[1].hypot(u[2]) / units.q - self.slips[c];
            product += change * self.changes[c];
            square += self.changes[c] * self.changes[c];
            (self.slips[c], self.changes[c]) = (self.slips[c] + change, change);
        }
        let ratio = product / square;
        if path % 3 == 2 && ratio > 0.0 && ratio < 1.0 {
            for (slip, change) in self.slips.iter_mut().zip(&self.changes) {
                *slip = (*slip + change * ratio / (1.0 - ratio)).max(0.0);
            }
        }
    }

    /// One path, from x = 0, to a residual of `aim`.
    fn follow(
        &mut self,
        problem: FrictionProblem<'_>,
        r: &mut [f64],
        u: &mut [f64],
        mut units: Units,
        (size, aim): (f64, f64),
    ) -> (usize, Stop) {
        let n = r.len();
        self.x.fill(0.0);
        let (mut factor, mut here, mut solved) = (REDUCED, 0, None);
        for steps in 0..MAX_STEPS {
            let mut norm = self.evaluate(problem, u, units);
            if self.held && units.is_near(norm) && units.tau <= LAST {
                return (steps, Stop::Limit);
            }
            while units.is_near(norm) && units.tau > LAST {
                self.level.copy_from_slice(&self.x);
                solved = Some(units.tau);
                (factor, here) = if here * 4 <= PATIENCE {
                    (factor.min(REDUCED).max(factor * factor), 0)
                } else {
                    (factor, 0)
                };
                units.tau *= factor;
                norm = self.evaluate(problem, u, units);
            }
            self.differentiate(problem, u, units);
            r.copy_from_slice(&self.r);
            velocities(problem, r, u);
            if natural(problem, size, r, u) <= aim {
                return (steps, Stop::Done);
            }
            let (jacobian, value) = (&self.jacobian, &self.value);
            if !self.lu.solve_system(n, |i, j| jacobian[i * n + j], |i| -value[i]) {
                return (steps, Stop::Singular);
            }
            here += 1;
            let falls = here <= PATIENCE && self.search(problem, u, units, norm);
            match solved {
                _ if falls => {}
                Some(tau) if factor < SLOWEST => {
                    self.x.copy_from_slice(&self.level);
                    (factor, here) = (factor.sqrt(), 0);
                    units.tau = factor * tau;
                }
                // A valley, or rounding: on to the next τ from here.
                _ if units.tau > LAST => {
                    (units.tau, factor, here) = (REDUCED * units.tau, REDUCED, 0);
                }
                _ => return (steps, Stop::Limit),
            }
        }
        (MAX_STEPS, Stop::Limit)
    }

    /// Halves the step until |F| falls; false if it never does.
    fn search(&mut self, problem: FrictionProblem<'_>, u: &mut [f64], units: Units, norm: f64) -> bool {
        let mut length = 1.0;
        self.before.copy_from_slice(&self.x);
        for _ in 0..=HALVINGS {
            self.x.iter_mut().enumerate().for_each(|(i, x)| *x = self.before[i] + length * self.lu.x(i));
            if self.evaluate(problem, u, units) < (1.0 - 1e-4 * length) * norm {
                return true;
            }
            length *= 0.5;
        }
        self.x.copy_from_slice(&self.before);
        false
    }

    fn units(problem: FrictionProblem<'_>) -> Units {
        let (n, entries) = (problem.q.len(), problem.operator.entries());
        let mean = (0..n).map(|i| entries.at(i, i).unwrap_or(0.0).abs()).sum::<f64>() / n.max(1) as f64;
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        Units { q: positive(largest(problem.q.iter().copied())), w: positive(mean), tau: FIRST }
    }

    fn set_scale(&mut self, problem: FrictionProblem<'_>, units: Units) {
        let unit = units.q / units.w;
        for (i, scale) in self.scale.iter_mut().enumerate() {
            let mu = problem.friction[i / problem.dim];
            *scale = if i % problem.dim == 0 && mu > 0.0 { unit / mu } else { unit };
        }
    }

    /// F into `value`, u (with the regular part) and r; returns the norm.
    fn evaluate(&mut self, problem: FrictionProblem<'_>, u: &mut [f64], units: Units) -> f64 {
        let (x, dim) = (&self.x, problem.dim);
        (0..x.len()).for_each(|i| self.r[i] = self.scale[i] * x[i]);
        velocities(problem, &self.r, u);
        for (c, &mu) in problem.friction.iter().enumerate() {
            let (first, mut z, y) = (c * dim, [0.0; 3], self.dual(c, problem, u, units));
            (0..dim).for_each(|k| z[k] = x[first + k] - y[k]);
            if mu > 0.0 {
                let projection = SmoothedCone::new(z, units.tau);
                (0..dim).for_each(|k| self.value[first + k] = x[first + k] - projection.value[k]);
            } else {
                self.value[first] = x[first] - smoothed(z[0], units.tau).0;
                (1..dim).for_each(|k| self.value[first + k] = x[first + k]);
            }
        }
        self.value.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// y of a contact.
    fn dual(&self, c: usize, problem: FrictionProblem<'_>, u: &[f64], units: Units) -> [f64; 3] {
        let (first, mu) = (c * problem.dim, problem.friction[c]);
        let mut y = padded(u, c, problem.dim).map(|u| u / units.q);
        if mu > 0.0 {
            let slip = if self.held { self.slips[c] } else { y[1].hypot(y[2]).hypot(units.tau) - units.tau };
            y[0] = y[0] / mu + slip;
        }
        (0..problem.dim).for_each(|k| y[k] += units.regular() * self.x[first + k]);
        y
    }

    /// dF/dx = E − P' (E − dy/dx), row by row.
    fn differentiate(&mut self, problem: FrictionProblem<'_>, u: &[f64], units: Units) {
        let x = &self.x;
        let FrictionProblem { operator, friction, dim, .. } = problem;
        let (n, entries, regular) = (x.len(), operator.entries(), units.regular());
        let unit = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        for (c, &mu) in friction.iter().enumerate() {
            let first = c * dim;
            let t = |k: usize| u[first + k] / units.q;
            let slip =
                if self.held { f64::INFINITY } else { (1..dim).fold(units.tau, |size, k| size.hypot(t(k))) };
            for j in 0..n {
                let d_u = |k: usize| entries.at(first + k, j).unwrap_or(0.0) * self.scale[j] / units.q;
                let along: f64 = (1..dim).map(|k| t(k) / slip * d_u(k)).sum();
                let normal = if mu > 0.0 { d_u(0) / mu + along } else { d_u(0) };
                self.slopes[first * n + j] = normal + regular * unit(first, j);
                for k in 1..dim {
                    self.slopes[(first + k) * n + j] = d_u(k) + regular * unit(first + k, j);
                }
            }
            let y = self.dual(c, problem, u, units);
            let mut z = [0.0; 3];
            (0..dim).for_each(|k| z[k] = x[first + k] - y[k]);
            let projection = SmoothedCone::new(z, units.tau);
            for i in 0..dim {
                for j in 0..n {
                    let free = |k: usize| unit(first + k, j) - self.slopes[(first + k) * n + j];
                    let moved: f64 = if mu > 0.0 {
                        (0..dim).map(|k| projection.slope(i, k) * free(k)).sum()
                    } else if i == 0 {
                        smoothed(z[0], units.tau).1 * free(0)
                    } else {
                        0.0
                    };
                    self.jacobian[(first + i) * n + j] = unit(first + i, j) - moved;
                }
            }
        }
    }
}
