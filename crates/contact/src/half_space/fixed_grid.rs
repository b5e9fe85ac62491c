//! A contact of two moving bodies on a grid that is fixed to the first of them.
//!
//! The cells stay on the surface of the first body, the weights of both bodies and so the compliance C are
//! those at which the grid was laid. The forces are then the derivatives of one potential,
//!
//! ```text
//! V = −min_{f ≥ 0} [½ fᵀ (C + d) f + fᵀ g(x, q)] ,     −∂V/∂x = fᵀ ∂g/∂x ,     −∂V/∂q = fᵀ ∂g/∂q
//! ```
//!
//! docs/theory/half-space.md, eq. (105), of the relative pose x and of the modal coordinates q, so that a
//! system that moves under them keeps its energy. The gap of a cell is the mean over the cell of the distance
//! of both exact surfaces along the normal n of the plane, with the modal displacement of each body:
//!
//! ```text
//! g_i = Σ_p w_ip [t₂(x_p) − t₁(x_p)] + Σ_bodies (r_i − r_c) q ,     r_i = −cᵢᵀ ⟨s, n·φ⟩
//! ```
//!
//! Surface 2 lies t₂ above the plane at the sample x_p; it is moved with its body and with the modal
//! displacement φ_c q of the middle of the contact. Samples are the middles of the cells, and
//! w = (5/6, 1/24, 1/24, 1/24, 1/24) is the mean over a square of a polynomial of the third degree.
//!
//! A force λ on a sample pushes surface 2 by λ m/(n·m), m being its normal there, and surface 1 by the
//! opposite on the same line.

mod friction;
mod laid;
mod wandering;

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::grid_anchor::CellForce;
use super::grid_plan::MOST_CELLS;
use super::heights::{Resting, height_of};
use super::pair::{Below, Doubts, PairError};
use super::{GridAnchor, GridPlan, PressureGrid};
use crate::geometry::Start;
use crate::solver::ActiveSet;
use crate::{Law, Shape};
use friction::GridFriction;
use laid::{OnGrid, on_grid, sampled};
use wandering::{Acting, Wandering};

/// Weight of the middle of a cell in its mean, and of the middles of its four neighbours.
const MEAN: [f64; 2] = [5.0 / 6.0, 1.0 / 24.0];

/// The neighbours of a cell.
const NEIGHBOURS: [[i32; 2]; 4] = [[-1, 0], [1, 0], [0, -1], [0, 1]];

/// A body of a contact on a fixed grid.
#[derive(Debug, Clone, Copy)]
pub struct GridBody<'a> {
    /// Its surface, in its axes.
    pub shape: &'a Shape,
    /// The elasticity under the surface; of a body with places the part that is not in the modes.
    pub below: Below<'a>,
    /// Modes at the loads of the places, three rows for each place; none for a body without modes.
    pub values: Option<&'a Mat<f64>>,
}

/// Relative position of the two bodies.
#[derive(Debug, Clone, Copy)]
pub struct Position<'a> {
    /// Rotation from the axes of the second body to those of the first one.
    pub rotation: Matrix3<f64>,
    /// Origin of the second body in the axes of the first one \[m\].
    pub origin: Vector3<f64>,
    /// Modal coordinates of both bodies, as many as their values have columns.
    pub modal: [&'a [f64]; 2],
}

/// Modes of a body on the grid.
#[derive(Debug, Clone)]
struct ModesOnGrid {
    /// φ_c: displacement of the middle of the contact, 3 × modes, in the axes of the body.
    middle: Mat<f64>,
    /// r_i − r_c, cells × modes.
    rows: Mat<f64>,
}

/// A place at which gaps are evaluated.
#[derive(Debug, Clone, Copy)]
struct Sample {
    /// In the axes of the first body \[m\].
    place: Vector3<f64>,
    /// Height of the first surface; none where it does not reach.
    first: Option<f64>,
    /// Height of the second surface.
    second: Option<f64>,
    /// Its normal.
    normal: Vector3<f64>,
    /// Foot point on the second surface when the grid was laid: each search starts there, so that an
    /// evaluation does not depend on those before it.
    start: Option<Start>,
    /// Force on it \[N\].
    force: f64,
}

/// The result of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GridSums {
    /// Σ f \[N\].
    pub force: f64,
    /// Force on the second body, axes of the first one \[N\].
    pub on_second: Vector3<f64>,
    /// The part of it that is friction \[N\].
    pub friction: Vector3<f64>,
    /// Smallest gap of a cell without forces \[m\], and its cell; infinite if no cell lies over both
    /// surfaces.
    pub least_gap: (f64, usize),
    /// ½ fᵀ C f, with tangential forces where there is friction \[J\].
    pub elastic_energy: f64,
    /// ½ d fᵀ f \[J\].
    pub contact_energy: f64,
    /// Energy that friction has taken since the anchor \[J\].
    pub friction_loss: f64,
    /// Number of loaded cells.
    pub n_loaded: usize,
    /// True if a loaded cell lies at the rim of the grid, which is then too small.
    pub is_cut: bool,
    /// True if a loaded cell lies at an edge of a surface.
    pub at_edge: bool,
}

/// Two bodies in contact on a grid that is fixed to the first one.
pub struct FixedGrid {
    /// Where it lies.
    pub plan: GridPlan,
    /// Its cells.
    pub grid: PressureGrid,
    /// Forces on the cells at the last evaluation \[N\].
    pub forces: Vec<f64>,
    /// Sums of the last evaluation.
    pub sums: GridSums,
    /// Limits that the compliances of both bodies have met.
    pub doubts: [Doubts; 2],
    samples: Vec<Sample>,
    /// Samples of each cell: its middle and those of its neighbours.
    stencils: Vec<[u32; 5]>,
    /// True for cells with a neighbour outside of the grid.
    at_rim: Vec<bool>,
    resting: Resting,
    modes: [Option<ModesOnGrid>; 2],
    matrix: Mat<f64>,
    law: f64,
    solver: ActiveSet,
    gaps: Vec<f64>,
    friction: Option<GridFriction>,
    wandering: Option<Wandering>,
    /// The force of `wandering`.
    along: Acting,
    /// φ_c q of both bodies, in their axes.
    moved: [Vector3<f64>; 2],
}

impl FixedGrid {
    /// Lays the grid and computes its compliance.
    ///
    /// * `friction` — coefficient μ
    ///
    /// # Errors
    ///
    /// [`PairError`].
    pub fn new(
        plan: GridPlan,
        bodies: [GridBody<'_>; 2],
        law: Law,
        friction: f64,
    ) -> Result<Self, PairError> {
        if !law.is_of_cells() {
            return Err(PairError::Law { law });
        }
        if plan.n_cells() > MOST_CELLS as f64 {
            return Err(PairError::Cells { found: plan.n_cells() as usize });
        }
        let grid = PressureGrid { plane: plan.plane, side: plan.side, cells: plan.cells() };
        let n = grid.len();
        let own = law.compliance(grid.area());
        let OnGrid { matrix, doubts, modes, mut friction, wandering } =
            on_grid(&plan, &grid, bodies, (own, friction))?;
        let mut solver = ActiveSet::new();
        solver.set_matrix(n, |i, k| matrix[(i, k)] + if i == k { own } else { 0.0 });
        let (mut samples, stencils, at_rim) = sampled(&grid, bodies[0].shape);
        let normal = plan.plane.axes.row(2).transpose();
        if let Some(friction) = &mut friction {
            let point = |sample: &Sample| sample.place + sample.first.unwrap_or(0.0) * normal;
            friction.set_points(samples[..n].iter().map(point).collect());
        }
        let mut resting = Resting::new(bodies[1].shape);
        // Each search starts from the foot point of the sample before.
        let mut start = None;
        for sample in &mut samples {
            sample.start = start;
            let place = (&sample.place, &normal);
            height_of((bodies[1].shape, &mut resting), plan.partner, &mut sample.start, place, plan.side);
            start = sample.start;
        }
        Ok(Self {
            plan,
            forces: vec![0.0; n],
            gaps: vec![0.0; n],
            friction,
            wandering,
            along: Acting::default(),
            sums: GridSums::default(),
            doubts,
            samples,
            stencils,
            at_rim,
            resting,
            modes,
            matrix,
            law: own,
            solver,
            moved: [Vector3::zeros(); 2],
            grid,
        })
    }

    /// Gaps and forces at a position of the bodies. [`Self::forces`] at entry are the start of the solver.
    ///
    /// * `second` — the surface of the second body
    /// * `anchor` — the end of the last step, for friction
    ///
    /// # Errors
    ///
    /// [`PairError::Solver`] and [`PairError::Friction`].
    pub fn evaluate(
        &mut self,
        second: &Shape,
        at: &Position<'_>,
        anchor: &GridAnchor,
    ) -> Result<(), PairError> {
        for (k, modes) in self.modes.iter().enumerate() {
            self.moved[k] = modes.as_ref().map_or_else(Vector3::zeros, |modes| modes.of_middle(at.modal[k]));
        }
        self.place_second(second, at);
        self.find_gaps(at.modal);
        self.sums = GridSums { least_gap: (f64::INFINITY, 0), ..GridSums::default() };
        for (cell, &gap) in self.gaps.iter().enumerate() {
            if gap < self.sums.least_gap.0 {
                self.sums.least_gap = (gap, cell);
            }
        }
        self.samples.iter_mut().for_each(|sample| sample.force = 0.0);
        self.slip_from(at, anchor);
        self.solve()?;
        self.add_up();
        Ok(())
    }

    /// Normal forces, and tangential ones where there is friction.
    fn solve(&mut self) -> Result<(), PairError> {
        if self.sums.least_gap.0 < 0.0 {
            self.solver.solve(&self.gaps, &mut self.forces)?;
        } else {
            self.forces.fill(0.0);
        }
        let Self { friction, solver, forces, gaps, .. } = self;
        let Some(friction) = friction else { return Ok(()) };
        friction.solve((forces, gaps), |gaps, forces| solver.solve(gaps, forces).map(|_| ()))
    }

    /// Takes the motion since the end of the last step.
    fn slip_from(&mut self, at: &Position<'_>, anchor: &GridAnchor) {
        let now = self.moved_origin(at);
        let Self { friction: Some(friction), modes, grid, .. } = self else { return };
        let moved = [0, 1].map(|k| match &modes[k] {
            Some(modes) if anchor.is_set => modes.of_middle(&anchor.modal[k]),
            _ => Vector3::zeros(),
        });
        let then = anchor.origin + anchor.rotation * moved[1] - moved[0];
        friction.begin(grid, (at, anchor), [now, then]);
    }

    /// Origin of the second body in axes of the first, with the modal displacement of both at the middle of
    /// the contact at the last evaluation \[m\].
    pub fn moved_origin(&self, at: &Position<'_>) -> Vector3<f64> {
        at.origin + at.rotation * self.moved[1] - self.moved[0]
    }

    /// Heights of the second surface at all samples.
    fn place_second(&mut self, second: &Shape, at: &Position<'_>) {
        let n = self.grid.plane.axes.row(2).transpose();
        let pose = (at.rotation, self.moved_origin(at));
        let Self { samples, resting, grid, .. } = self;
        for sample in samples {
            let mut start = sample.start;
            let found = height_of((second, resting), pose, &mut start, (&sample.place, &n), grid.side);
            // A surface that looks the same way is the far side of the second body.
            let found = found.filter(|(_, normal)| normal.dot(&n) < 0.0);
            sample.second = found.map(|(height, _)| height);
            sample.normal = found.map_or_else(Vector3::zeros, |(_, normal)| normal);
        }
    }

    /// Mean gaps of all cells; cells that one of the surfaces does not reach are open.
    fn find_gaps(&mut self, modal: [&[f64]; 2]) {
        let open = 1e6 * self.grid.side;
        for (cell, stencil) in self.stencils.iter().enumerate() {
            let gap = |k: usize| {
                let sample = &self.samples[stencil[k] as usize];
                sample.second.zip(sample.first).map(|(second, first)| second - first)
            };
            let Some(middle) = gap(0) else {
                self.gaps[cell] = open;
                continue;
            };
            // At an edge the middle stands for the mean.
            let around = (1..5).map(|k| gap(k).unwrap_or(middle)).sum::<f64>();
            self.gaps[cell] = MEAN[0] * middle + MEAN[1] * around;
            for (modes, q) in self.modes.iter().zip(modal) {
                if let Some(modes) = modes {
                    self.gaps[cell] +=
                        q.iter().enumerate().map(|(k, q)| modes.rows[(cell, k)] * q).sum::<f64>();
                }
            }
        }
    }

    /// Energies and sums of the forces.
    fn add_up(&mut self) {
        let n = self.grid.plane.axes.row(2).transpose();
        let (forces, sums) = (&self.forces, &mut self.sums);
        for (cell, &force) in forces.iter().enumerate().filter(|(_, f)| **f > 0.0) {
            sums.force += force;
            sums.n_loaded += 1;
            sums.is_cut |= self.at_rim[cell];
            // fᵀ C f = −fᵀ (g + d f) on loaded cells, without a product with the matrix.
            sums.contact_energy += 0.5 * self.law * force * force;
            sums.elastic_energy -= 0.5 * force * (self.gaps[cell] + self.law * force);
            let stencil = &self.stencils[cell];
            for (k, &sample) in stencil.iter().enumerate() {
                let reached = |s: u32| {
                    let sample = &self.samples[s as usize];
                    sample.second.is_some() && sample.first.is_some()
                };
                let target = if reached(sample) {
                    sample
                } else {
                    sums.at_edge = true;
                    stencil[0]
                };
                self.samples[target as usize].force += MEAN[k.min(1)] * force;
            }
        }
        for sample in self.samples.iter().filter(|sample| sample.force != 0.0) {
            sums.on_second += sample.push(&n);
        }
        if let Some(friction) = &self.friction {
            friction.add_up(forces, sums);
        }
        self.wander();
    }

    /// The force along the surface by which the grid moves over the second body.
    fn wander(&mut self) {
        let Self { wandering: Some(wandering), friction, forces, sums, samples, grid, .. } = self else {
            return;
        };
        self.along = Acting::default();
        if sums.force == 0.0 {
            return;
        }
        let friction = |cell: usize| friction.as_ref().map_or([0.0; 2], |friction| friction.of_cell(cell));
        let parts = wandering.force(forces, friction);
        let axes = &grid.plane.axes;
        self.along.force = parts[0] * axes.row(0).transpose() + parts[1] * axes.row(1).transpose();
        let n = axes.row(2).transpose();
        for (sample, force) in samples.iter().zip(forces.iter()) {
            self.along.point += force / sums.force * (sample.place + sample.second.unwrap_or(0.0) * n);
        }
        sums.on_second += self.along.force;
    }

    /// Forces on the cells that have some.
    pub(super) fn cell_forces(&self) -> impl Iterator<Item = CellForce> {
        let of_cell = |(cell, &normal): (usize, &f64)| {
            let tangential = self.friction.as_ref().map_or([0.0; 2], |friction| friction.of_cell(cell));
            CellForce { cell: self.grid.cells[cell], normal, tangential }
        };
        self.forces.iter().enumerate().filter(|(_, f)| **f > 0.0).map(of_cell)
    }

    /// Calls `visit` with each point and the force on the second body there, both in the axes of the first
    /// body; the first body has the opposite force at the same point.
    pub fn for_forces(&self, mut visit: impl FnMut(Vector3<f64>, Vector3<f64>)) {
        let n = self.grid.plane.axes.row(2).transpose();
        for sample in self.samples.iter().filter(|sample| sample.force != 0.0) {
            let height = sample.second.unwrap_or(0.0);
            visit(sample.place + height * n + self.moved[0], sample.push(&n));
        }
        if let Some(friction) = &self.friction {
            friction.for_forces(&mut |point, force| visit(point + self.moved[0], force));
        }
        if self.along.force != Vector3::zeros() {
            visit(self.along.point + self.moved[0], self.along.force);
        }
    }

    /// Adds the forces on the modes of a body.
    ///
    /// * `on_body` — the force on it, in its own axes \[N\]
    pub fn add_modal(&self, body: usize, on_body: &Vector3<f64>, modal: &mut [f64]) {
        let Some(modes) = &self.modes[body] else { return };
        for (k, target) in modal.iter_mut().enumerate().take(modes.rows.ncols()) {
            *target += (0..3).map(|a| modes.middle[(a, k)] * on_body[a]).sum::<f64>();
            let loaded = self.forces.iter().enumerate().filter(|(_, f)| **f > 0.0);
            *target += loaded.map(|(cell, f)| modes.rows[(cell, k)] * f).sum::<f64>();
        }
        if let Some(friction) = &self.friction {
            friction.add_modal(body, modal);
        }
    }

    /// Rate of the gap of a cell by the modes, beyond the motion of the middle of the contact \[m/s\].
    pub fn modal_rate(&self, cell: usize, rates: [&[f64]; 2]) -> f64 {
        let of = |(modes, rates): (&Option<ModesOnGrid>, &[f64])| {
            modes.as_ref().map_or(0.0, |modes| {
                rates.iter().enumerate().map(|(k, q)| modes.rows[(cell, k)] * q).sum::<f64>()
            })
        };
        self.modes.iter().zip(rates).map(of).sum()
    }

    /// φ_c times modal numbers of a body: displacement or velocity of the middle of the contact, in the axes
    /// of the body.
    pub fn of_middle(&self, body: usize, numbers: &[f64]) -> Vector3<f64> {
        self.modes[body].as_ref().map_or_else(Vector3::zeros, |modes| modes.of_middle(numbers))
    }

    /// Point of the second surface over the middle of a cell, and its normal; axes of the first body.
    pub fn over_cell(&self, cell: usize) -> (Vector3<f64>, Vector3<f64>) {
        let sample = &self.samples[self.stencils[cell][0] as usize];
        let n = self.grid.plane.axes.row(2).transpose();
        (sample.place + sample.second.unwrap_or(0.0) * n + self.moved[0], sample.normal)
    }

    /// C + d of the cells \[m/N\].
    pub fn matrix(&self, i: usize, k: usize) -> f64 {
        self.matrix[(i, k)] + if i == k { self.law } else { 0.0 }
    }

    /// The mean place of the forces in cells, from cell (0, 0) of the plane.
    pub fn middle_of_forces(&self) -> [f64; 2] {
        let total = self.sums.force;
        [0, 1].map(|d| {
            let moment = self.forces.iter().zip(&self.grid.cells).map(|(f, cell)| f * f64::from(cell[d]));
            if total > 0.0 { moment.sum::<f64>() / total } else { f64::from(self.plan.middle[d]) }
        })
    }
}

impl ModesOnGrid {
    fn of_middle(&self, numbers: &[f64]) -> Vector3<f64> {
        Vector3::from_fn(|a, _| numbers.iter().enumerate().map(|(k, q)| self.middle[(a, k)] * q).sum())
    }
}

impl Sample {
    /// Force on the second surface.
    fn push(&self, n: &Vector3<f64>) -> Vector3<f64> {
        self.force / n.dot(&self.normal) * self.normal
    }
}

impl std::fmt::Debug for FixedGrid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FixedGrid")
            .field("plan", &self.plan)
            .field("sums", &self.sums)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
