//! Friction on a fixed grid: cells stick and slip by Coulomb's law, one implicit step from the end of the
//! last step (docs/theory/half-space.md, section 11.10).
//!
//! The point of the second body that lay at the middle x_i of a cell then has moved along the surface of the
//! first body by
//!
//! ```text
//! w_ia = t_ia·[(R Rₙᵀ − 1)(x_i − oₙ) + o − oₙ]
//! ```
//!
//! with the tangents t_i of the cell, and R and o for the rotation and the origin of the second body, moved
//! by the modes of both bodies at the cell. With the tangential displacements u = C_tt τ + C_tn p by the
//! forces p and τ on the first body the first surface has slipped over the second by
//!
//! ```text
//! σ = u − uₙ − w ,     |τ| ≤ μ p ,     σ = 0   or   τ = −μ p σ/|σ|
//! ```
//!
//! The force −τ acts on the second body at that point of it, and τ on the first body at the same place.

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::super::shear::{Shear, ShearError};
use super::modes::ModesOnGrid;
use super::{GridAnchor, GridPlan, GridSums, PairError, Position, PressureGrid};
use crate::solver::LcpError;

/// Rounds between pressures and friction of unlike materials: each reduces the error by the product of μ and
/// the coupling, which is below 0.2.
const MOST_ROUNDS: usize = 60;

/// Accepted change of a pressure in a round, over the largest.
const ACCEPTED: f64 = 1e-11;

/// Part of the largest compliance below which normal and tangential displacements count as uncoupled.
const UNCOUPLED: f64 = 1e-13;

/// Friction on the cells of a grid.
pub(super) struct GridFriction {
    coefficient: f64,
    /// C + d, three rows for each cell: normal, tangents.
    compliance: Mat<f64>,
    law: f64,
    is_coupled: bool,
    /// Tangents of each cell.
    tangents: Vec<[Vector3<f64>; 2]>,
    /// Middles of the cells on the first surface.
    points: Vec<Vector3<f64>>,
    shear: Shear,
    /// τ of each cell \[N\].
    forces: Vec<[f64; 2]>,
    /// p and τ of each cell at the anchor.
    before: Vec<[f64; 3]>,
    /// Cells with forces at the anchor.
    loaded_before: Vec<u32>,
    /// Cells with forces now.
    active: Vec<u32>,
    /// Cells with forces now or at the anchor, ascending.
    involved: Vec<u32>,
    /// Of each involved cell: uₙ and w.
    displaced: Vec<[[f64; 2]; 2]>,
    with_friction: Vec<f64>,
    pressures: Vec<f64>,
    /// R Rₙᵀ − 1.
    turn: Matrix3<f64>,
    /// oₙ and o − oₙ of each cell.
    origins: Vec<[Vector3<f64>; 2]>,
    is_set: bool,
}

impl GridFriction {
    /// * `compliance` — C of all directions, without the law
    /// * `law` — d \[m/N\]
    pub(super) fn new(
        (coefficient, law): (f64, f64),
        mut compliance: Mat<f64>,
        tangents: Vec<[Vector3<f64>; 2]>,
    ) -> Self {
        let n = compliance.nrows() / 3;
        let largest = (0..3 * n).map(|i| compliance[(i, i)]).fold(0.0, f64::max);
        let mut coupling = 0.0f64;
        for k in 0..3 * n {
            for (i, value) in compliance.col_as_slice(k).iter().enumerate() {
                if i.is_multiple_of(3) != k.is_multiple_of(3) {
                    coupling = coupling.max(value.abs());
                }
            }
            compliance[(k, k)] += law;
        }
        Self {
            coefficient,
            compliance,
            law,
            is_coupled: coupling > UNCOUPLED * largest,
            tangents,
            points: Vec::new(),
            shear: Shear::default(),
            forces: vec![[0.0; 2]; n],
            before: vec![[0.0; 3]; n],
            loaded_before: Vec::with_capacity(n),
            active: Vec::with_capacity(n),
            involved: Vec::with_capacity(n),
            displaced: Vec::with_capacity(n),
            with_friction: vec![0.0; n],
            pressures: vec![0.0; n],
            turn: Matrix3::zeros(),
            origins: vec![[Vector3::zeros(); 2]; n],
            is_set: false,
        }
    }

    /// Memory of the compliance and of the problem of tangential forces \[bytes\].
    pub(super) fn bytes(&self) -> usize {
        size_of::<f64>() * self.compliance.nrows() * self.compliance.ncols() + self.shear.bytes()
    }

    /// Replaces μ.
    pub(super) fn set_coefficient(&mut self, coefficient: f64) {
        self.coefficient = coefficient;
    }

    /// Sets the middles of the cells on the first surface.
    pub(super) fn set_points(&mut self, points: Vec<Vector3<f64>>) {
        self.points = points;
    }

    /// Takes the motion since the anchor.
    ///
    /// * `modes` — displacements of the cells now and at the anchor
    pub(super) fn begin(
        &mut self,
        (plan, grid): (&GridPlan, &PressureGrid),
        (at, anchor): (&Position<'_>, &GridAnchor),
        modes: &[Option<ModesOnGrid>; 2],
    ) {
        self.is_set = anchor.is_set;
        self.loaded_before.drain(..).for_each(|cell| self.before[cell as usize] = [0.0; 3]);
        self.turn = at.rotation * anchor.rotation.transpose() - Matrix3::identity();
        for (cell, [then, shift]) in self.origins.iter_mut().enumerate() {
            (*then, *shift) = (anchor.origin, at.origin - anchor.origin);
            if let Some(modes) = &modes[0] {
                *then -= modes.before[cell];
                *shift -= modes.displaced[cell] - modes.before[cell];
            }
            if let Some(modes) = &modes[1] {
                let before = anchor.rotation * modes.before[cell];
                *then += before;
                *shift += at.rotation * modes.displaced[cell] - before;
            }
        }
        let place = |cell: [i32; 2]| {
            let [i, j] = plan.local(cell);
            grid.cells.binary_search_by_key(&[j, i], |[i, j]| [*j, *i])
        };
        for force in &anchor.forces {
            if let Ok(cell) = place(force.cell) {
                let [f, g] = force.tangential;
                self.before[cell] = [force.normal, f, g];
                self.loaded_before.push(cell as u32);
            }
        }
    }

    /// Friction under the pressures, which change with it where materials are unlike.
    ///
    /// * `normal` — solves for the pressures under gaps
    pub(super) fn solve(
        &mut self,
        (pressures, gaps): (&mut [f64], &[f64]),
        mut normal: impl FnMut(&[f64], &mut [f64]) -> Result<(), LcpError>,
    ) -> Result<(), PairError> {
        self.forces.fill([0.0; 2]);
        self.involve(pressures);
        let mut change = 0.0;
        for round in 0..MOST_ROUNDS {
            self.shear(pressures, round == 0)?;
            if !self.is_coupled || self.active.is_empty() {
                return Ok(());
            }
            self.with_friction.copy_from_slice(gaps);
            for &k in &self.active {
                let k = k as usize;
                for (a, force) in self.forces[k].iter().enumerate() {
                    let column = self.compliance.col_as_slice(3 * k + 1 + a);
                    for (gap, c) in self.with_friction.iter_mut().zip(column.iter().step_by(3)) {
                        *gap += c * force;
                    }
                }
            }
            self.pressures.copy_from_slice(pressures);
            normal(&self.with_friction, pressures)?;
            let largest = pressures.iter().fold(0.0, |a: f64, b| a.max(*b));
            let changes = pressures.iter().zip(&self.pressures).map(|(a, b)| (a - b).abs());
            change = changes.fold(0.0, f64::max) / largest;
            // Not a number without pressures, of which the next round takes the friction.
            if change <= ACCEPTED {
                return Ok(());
            }
            self.involve(pressures);
        }
        Err(ShearError { cells: self.active.len(), residual: change }.into())
    }

    /// Finds the cells with forces, their displacement at the anchor and their motion since.
    fn involve(&mut self, pressures: &[f64]) {
        self.active.clear();
        self.involved.clear();
        self.displaced.clear();
        for (i, pressure) in pressures.iter().enumerate() {
            if *pressure > 0.0 {
                self.active.push(i as u32);
            }
            if *pressure > 0.0 || self.before[i] != [0.0; 3] {
                self.involved.push(i as u32);
                self.displaced.push([[0.0; 2], self.motion(i)]);
            }
        }
        for &k in &self.loaded_before {
            let k = k as usize;
            for (part, force) in self.before[k].iter().enumerate().filter(|(_, f)| **f != 0.0) {
                if part == 0 && !self.is_coupled {
                    continue;
                }
                let column = self.compliance.col_as_slice(3 * k + part);
                for (&i, [before, _]) in self.involved.iter().zip(&mut self.displaced) {
                    (0..2).for_each(|a| before[a] += column[3 * i as usize + 1 + a] * force);
                }
            }
        }
    }

    /// w of a cell.
    fn motion(&self, cell: usize) -> [f64; 2] {
        let moved = self.moved(cell);
        self.tangents[cell].map(|tangent| tangent.dot(&moved))
    }

    /// Motion of the point of the second body that lay at the middle of a cell.
    fn moved(&self, cell: usize) -> Vector3<f64> {
        let [then, shift] = self.origins[cell];
        self.turn * (self.points[cell] - then) + shift
    }

    /// τ under known pressures.
    fn shear(&mut self, pressures: &[f64], is_first: bool) -> Result<(), PairError> {
        let (m, coefficient) = (self.active.len(), if self.is_set { self.coefficient } else { 0.0 });
        if m == 0 || coefficient == 0.0 {
            self.forces.fill([0.0; 2]);
            self.shear.start(0);
            return Ok(());
        }
        let Self { shear, active, involved, displaced, compliance, before, forces, .. } = self;
        shear.start(m);
        for (b, &k) in active.iter().enumerate() {
            let k = k as usize;
            for part in 0..2 {
                let from = compliance.col_as_slice(3 * k + 1 + part);
                let to = shear.matrix.col_as_slice_mut(2 * b + part);
                for (to, &i) in to.as_chunks_mut::<2>().0.iter_mut().zip(active.iter()) {
                    let i = 3 * i as usize + 1;
                    *to = [from[i], from[i + 1]];
                }
            }
            shear.bounds[b] = coefficient * pressures[k];
            shear.forces[b] = if is_first { [before[k][1], before[k][2]] } else { forces[k] };
            if self.is_coupled {
                let from = compliance.col_as_slice(3 * k);
                for (q, &i) in shear.q.iter_mut().zip(active.iter()) {
                    (0..2).for_each(|a| q[a] += from[3 * i as usize + 1 + a] * pressures[k]);
                }
            }
        }
        let mut rest = involved.iter().zip(displaced.iter());
        for (q, active) in shear.q.iter_mut().zip(active.iter()) {
            let (_, [then, motion]) =
                rest.find(|(cell, _)| *cell == active).expect("active cells are involved");
            (0..2).for_each(|a| q[a] -= then[a] + motion[a]);
        }
        shear.solve()?;
        forces.fill([0.0; 2]);
        for (&cell, force) in active.iter().zip(&shear.forces) {
            forces[cell as usize] = *force;
        }
        Ok(())
    }

    /// Energies and forces of friction.
    ///
    /// * `on_cells` — force on the second body at each cell
    pub(super) fn add_up(&self, pressures: &[f64], sums: &mut GridSums, on_cells: &mut [Vector3<f64>]) {
        let mut slips = self.active.iter().zip(self.shear.slips()).peekable();
        for (&i, [then, motion]) in self.involved.iter().zip(&self.displaced) {
            let is_active = slips.peek().is_some_and(|(cell, _)| **cell == i);
            let known = if is_active { slips.next().map(|(_, slip)| *slip) } else { None };
            let i = i as usize;
            let (force, [_, before @ ..]) = (self.forces[i], self.before[i]);
            let slip = known.unwrap_or_else(|| {
                let now = self.displacement(i, pressures);
                [0, 1].map(|a| now[a] - then[a] - motion[a])
            });
            for a in 0..2 {
                let now = slip[a] + then[a] + motion[a];
                sums.friction_loss -= 0.5 * (before[a] + force[a]) * slip[a];
                sums.elastic_energy += 0.5 * force[a] * (now - self.law * force[a]);
                sums.contact_energy += 0.5 * self.law * force[a] * force[a];
            }
        }
        for cell in self.active.iter().map(|&cell| cell as usize) {
            let force = self.on_second(cell);
            sums.tangential_force += force.norm();
            sums.friction += force;
            on_cells[cell] += force;
        }
        sums.on_second += sums.friction;
    }

    /// u of a cell without forces.
    fn displacement(&self, cell: usize, pressures: &[f64]) -> [f64; 2] {
        let mut u = [0.0; 2];
        for k in self.active.iter().map(|&k| k as usize) {
            let [f, g] = self.forces[k];
            let parts = [pressures[k], f, g].into_iter().enumerate().skip(usize::from(!self.is_coupled));
            for (part, force) in parts {
                let column = self.compliance.col_as_slice(3 * k + part);
                (0..2).for_each(|a| u[a] += column[3 * cell + 1 + a] * force);
            }
        }
        u
    }

    /// Calls `visit` with each cell, its point and the force on the second body there.
    pub(super) fn for_forces(&self, visit: &mut impl FnMut(usize, Vector3<f64>, Vector3<f64>)) {
        for cell in self.active.iter().map(|&cell| cell as usize) {
            if self.forces[cell] != [0.0; 2] {
                visit(cell, self.points[cell] + self.moved(cell), self.on_second(cell));
            }
        }
    }

    /// τ of a cell \[N\].
    pub(super) fn of_cell(&self, cell: usize) -> [f64; 2] {
        self.forces[cell]
    }

    fn on_second(&self, cell: usize) -> Vector3<f64> {
        let [f, g] = self.forces[cell];
        -(f * self.tangents[cell][0] + g * self.tangents[cell][1])
    }
}
