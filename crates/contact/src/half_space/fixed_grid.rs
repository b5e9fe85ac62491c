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
//! system that moves under them keeps its energy. Cells lie on the first surface, unrolled on it
//! ([`surface_lattice`](super::surface_lattice)): the middle of cell p is x_p, its normal n_p. The gap of a
//! cell is a mean over the cell of the distance t of the second surface along the normal,
//!
//! ```text
//! g_i = Σ_p w_ip t(x_p + φ₁ₚ q, n_p)
//! ```
//!
//! where each surface is moved by the modal displacement φ_p q at the cell, the second one with its body too.
//! Samples are the middles of a cell and of its neighbours, and w = (5/6, 1/24, 1/24, 1/24, 1/24) is the mean
//! over a square of a polynomial of the third degree.
//!
//! A force λ on a sample pushes surface 2 by λ m/(n·m), m being its normal there, and surface 1 by the
//! opposite on the same line.
//!
//! Nothing of this depends on how far the grid reaches, nor on the cell in its middle: a grid that follows a
//! contact that rolls over the first body changes no force and no energy. A second body with places is an
//! exception: the force by which its compliance changes along the surface has the tangents of the middle
//! cell, and acts on the modes there.

mod friction;
mod laid;
mod modes;
mod shared;
mod wandering;

use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use super::grid_anchor::CellForce;
use super::grid_plan::MOST_ON_GRID;
use super::heights::{Resting, height_of};
use super::pair::{Below, Doubts, PairError};
use super::surface_lattice::touching;
use super::{GridAnchor, GridPlan, PressureGrid};
use crate::foreshortening::Foreshortening;
use crate::geometry::{Jet, Start};
use crate::patch::PatchPlane;
use crate::solver::ActiveSet;
use crate::{Law, Shape};
use friction::GridFriction;
use laid::{OnGrid, Sampled, on_grid, sampled};
use modes::ModesOnGrid;
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
    /// The displacement of second order of the same loads, of a body with geometric stiffness.
    pub foreshortening: Option<&'a Foreshortening>,
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

/// A place at which gaps are evaluated.
#[derive(Debug, Clone, Copy)]
struct Sample {
    /// On the first surface, in the axes of its body \[m\].
    place: Vector3<f64>,
    /// The normal there.
    outward: Vector3<f64>,
    /// False where the first surface has ended.
    is_on_first: bool,
    /// The cell, or one beside it for samples outside of the grid: it moves by the modes of this cell.
    cell: u32,
    /// Height of the second surface.
    second: Option<f64>,
    /// Its normal.
    normal: Vector3<f64>,
    /// Foot point on the second surface when the grid was laid: each search starts there, so that an
    /// evaluation does not depend on those before it.
    start: Option<Start>,
    /// The derivatives of its face there; none of a surface without faces.
    at_start: Option<Jet>,
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
    /// Sum of the sizes of the tangential forces of all cells \[N\].
    pub tangential_force: f64,
    /// Smallest gap of a cell without forces \[m\], and its cell; infinite if no cell lies over both
    /// surfaces.
    pub least_gap: (f64, usize),
    /// Gap of the surfaces where they are nearest in this cell and next to it \[m\]. A cell closes later, as
    /// its mean gap is the larger one.
    pub surface_gap: f64,
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
    /// True for cells beside which the grid ends though the surfaces go on.
    at_rim: Vec<bool>,
    resting: Resting,
    /// The plane of each cell in the axes of both bodies, the normal out of the body.
    planes: [Vec<PatchPlane>; 2],
    modes: [Option<ModesOnGrid>; 2],
    /// The cell in the middle of the grid.
    middle: usize,
    /// Force on the second body at each cell, axes of the first \[N\].
    on_cells: Vec<Vector3<f64>>,
    law: f64,
    /// Holds C + d.
    solver: ActiveSet,
    gaps: Vec<f64>,
    friction: Option<GridFriction>,
    wandering: Option<Wandering>,
    /// The force of `wandering`.
    along: Acting,
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
        if plan.n_cells() > MOST_ON_GRID as f64 {
            return Err(PairError::Cells { found: plan.n_cells() as usize, most: MOST_ON_GRID });
        }
        let plane = touching(bodies[0].shape, &plan.plane, plan.side)?;
        let GridPlan { side, stretch, .. } = plan;
        let wanted = PressureGrid { plane, side, stretch, cells: plan.cells() };
        let Sampled { cells, samples, stencils, at_rim, planes, resting } = sampled(&plan, &wanted, bodies);
        let grid = PressureGrid { cells, ..wanted };
        let n = grid.len();
        let own = law.compliance(grid.area());
        let OnGrid { matrix, doubts, modes, mut friction, wandering } =
            on_grid(&grid, &planes, bodies, (own, friction))?;
        let mut solver = ActiveSet::new();
        solver.set_matrix(n, |i, k| matrix[(i, k)] + if i == k { own } else { 0.0 });
        if let Some(friction) = &mut friction {
            friction.set_points(samples[..n].iter().map(|sample| sample.place).collect());
        }
        Ok(Self {
            middle: grid.cells.iter().position(|cell| *cell == [0, plan.middle[1]]).unwrap_or(0),
            plan,
            forces: vec![0.0; n],
            gaps: vec![0.0; n],
            on_cells: vec![Vector3::zeros(); n],
            friction,
            wandering,
            along: Acting::default(),
            sums: GridSums::default(),
            doubts,
            samples,
            stencils,
            at_rim,
            resting,
            planes,
            modes,
            law: own,
            solver,
            grid,
        })
    }

    /// Replaces μ of a grid with friction in the next evaluations.
    pub fn set_friction(&mut self, coefficient: f64) {
        if let Some(friction) = &mut self.friction {
            friction.set_coefficient(coefficient);
        }
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
        self.free_gaps(second, at);
        self.slip_from(at, anchor);
        self.solve()?;
        self.add_up();
        self.wander();
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
        let Self { friction: Some(friction), modes, plan, grid, .. } = self else { return };
        if anchor.is_set {
            for (modes, modal) in modes.iter_mut().zip(&anchor.modal) {
                if let Some(modes) = modes {
                    modes.displace_before(modal);
                }
            }
        }
        friction.begin((plan, grid), (at, anchor), modes);
    }

    /// Modal displacement of a body at a cell at the last evaluation, in its axes \[m\].
    fn displaced(&self, body: usize, cell: usize) -> Vector3<f64> {
        self.modes[body].as_ref().map_or_else(Vector3::zeros, |modes| modes.displaced[cell])
    }

    /// Origin of the second body in axes of the first, with the modal displacement of both at the middle of
    /// the grid \[m\]. Needs no evaluation there.
    pub fn moved_origin(&self, at: &Position<'_>) -> Vector3<f64> {
        let moved = |k: usize| {
            let modes = self.modes[k].as_ref();
            modes.map_or_else(Vector3::zeros, |modes| modes.displacement_of(self.middle, at.modal[k]))
        };
        let [first, second] = [0, 1].map(moved);
        at.origin + at.rotation * second - first
    }

    /// Heights of the second surface at all samples.
    fn place_second(&mut self, second: &Shape, at: &Position<'_>) {
        let Self { samples, resting, grid, modes, .. } = self;
        let [of_first, of_second] = modes.each_ref().map(Option::as_ref);
        for sample in samples {
            let cell = sample.cell as usize;
            let mut origin = at.origin;
            if let Some(modes) = of_first {
                origin -= modes.displaced[cell];
            }
            if let Some(modes) = of_second {
                origin += at.rotation * modes.displaced[cell];
            }
            let (mut start, line) = (sample.start, (&sample.place, &sample.outward));
            let start = (&mut start, sample.at_start.as_ref());
            let found = height_of((second, resting), (at.rotation, origin), start, line, grid.side);
            // A surface that looks the same way is the far side of the second body.
            let found = found.filter(|(_, normal)| normal.dot(&sample.outward) < 0.0);
            sample.second = found.map(|(height, _)| height);
            sample.normal = found.map_or_else(Vector3::zeros, |(_, normal)| normal);
        }
    }

    /// Mean gaps of all cells; cells that one of the surfaces does not reach are open.
    fn find_gaps(&mut self) {
        let open = 1e6 * self.grid.side;
        for (cell, stencil) in self.stencils.iter().enumerate() {
            let gap = |k: usize| {
                let sample = &self.samples[stencil[k] as usize];
                sample.second.filter(|_| sample.is_on_first)
            };
            let Some(middle) = gap(0) else {
                self.gaps[cell] = open;
                continue;
            };
            // At an edge the middle stands for the mean.
            let around = (1..5).map(|k| gap(k).unwrap_or(middle)).sum::<f64>();
            self.gaps[cell] = MEAN[0] * middle + MEAN[1] * around;
        }
    }

    /// The least value of the parabola through the gaps in the middle of a cell and of its neighbours, up to
    /// a cell away; the mean gap of a cell at an edge.
    fn surface_gap(&self, cell: usize) -> f64 {
        let gap = |k: usize| {
            let sample = &self.samples[self.stencils[cell][k] as usize];
            sample.second.filter(|_| sample.is_on_first)
        };
        let [Some(middle), Some(west), Some(east), Some(south), Some(north)] = [0, 1, 2, 3, 4].map(gap)
        else {
            return self.gaps[cell];
        };
        let below = |before: f64, after: f64| {
            let (slope, curvature) = (0.5 * (after - before), before - 2.0 * middle + after);
            let away = if slope.abs() < curvature { slope.abs() / curvature } else { 1.0 };
            away * (slope.abs() - 0.5 * curvature * away)
        };
        middle - below(west, east) - below(south, north)
    }

    /// Energies and sums of the forces.
    fn add_up(&mut self) {
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
                    sample.second.is_some() && sample.is_on_first
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
        self.on_cells.fill(Vector3::zeros());
        for sample in self.samples.iter().filter(|sample| sample.force != 0.0) {
            let push = sample.push();
            sums.on_second += push;
            self.on_cells[sample.cell as usize] += push;
        }
        if let Some(friction) = &self.friction {
            friction.add_up(forces, sums, &mut self.on_cells);
        }
    }

    /// The force along the surface by which the grid moves over the second body.
    fn wander(&mut self) {
        self.along = Acting::default();
        let Self { wandering: Some(wandering), friction, forces, sums, samples, planes, .. } = self else {
            return;
        };
        let Self { along, on_cells, middle, .. } = self;
        if sums.force == 0.0 {
            return;
        }
        let friction = |cell: usize| friction.as_ref().map_or([0.0; 2], |friction| friction.of_cell(cell));
        let parts = wandering.force(forces, friction);
        let axes = &planes[0][*middle].axes;
        along.force = parts[0] * axes.row(0).transpose() + parts[1] * axes.row(1).transpose();
        for (sample, force) in samples.iter().zip(forces.iter()) {
            along.point +=
                force / sums.force * (sample.place + sample.second.unwrap_or(0.0) * sample.outward);
        }
        sums.on_second += along.force;
        on_cells[*middle] += along.force;
    }

    /// Forces on the cells that have some.
    pub(super) fn cell_forces(&self) -> impl Iterator<Item = CellForce> {
        let of_cell = |(cell, &normal): (usize, &f64)| {
            let tangential = self.friction.as_ref().map_or([0.0; 2], |friction| friction.of_cell(cell));
            CellForce { cell: self.plan.on_lattice(self.grid.cells[cell]), normal, tangential }
        };
        self.forces.iter().enumerate().filter(|(_, f)| **f > 0.0).map(of_cell)
    }

    /// The plane that touches the first surface in the middle of the grid, in its axes, with the modal
    /// displacement there at the last evaluation.
    pub fn moved_plane(&self) -> PatchPlane {
        let plane = self.planes[0][self.middle];
        PatchPlane { center: plane.center + self.displaced(0, self.middle), ..plane }
    }

    /// Forces on the cells that have some, by column and row from the middle of the grid, with the height of
    /// the first surface over [`Self::moved_plane`] \[m\].
    pub fn loaded_cells(&self) -> impl Iterator<Item = (CellForce, f64)> {
        let [own, row] = self.grid.cells[self.middle];
        let plane = self.planes[0][self.middle];
        let of_cell = move |(cell, force): (usize, CellForce)| {
            let [i, j] = self.grid.cells[cell];
            let [_, _, height] = plane.coordinates(&self.planes[0][cell].center);
            (CellForce { cell: [i - own, j - row], ..force }, height)
        };
        let loaded = self.forces.iter().enumerate().filter(|(_, f)| **f > 0.0).map(|(cell, _)| cell);
        loaded.zip(self.cell_forces()).map(of_cell)
    }

    /// Calls `visit` with each point and the force on the second body there, both in the axes of the first
    /// body; the first body has the opposite force at the same point.
    pub fn for_forces(&self, mut visit: impl FnMut(Vector3<f64>, Vector3<f64>)) {
        for sample in self.samples.iter().filter(|sample| sample.force != 0.0) {
            visit(self.over_first(sample), sample.push());
        }
        if let Some(friction) = &self.friction {
            friction.for_forces(&mut |cell, point, force| visit(point + self.displaced(0, cell), force));
        }
        if self.along.force != Vector3::zeros() {
            visit(self.along.point + self.displaced(0, self.middle), self.along.force);
        }
    }

    /// Point of the second surface over a sample.
    fn over_first(&self, sample: &Sample) -> Vector3<f64> {
        let height = sample.second.unwrap_or(0.0);
        sample.place + height * sample.outward + self.displaced(0, sample.cell as usize)
    }

    /// Adds the forces on the modes of a body.
    ///
    /// * `rotation` — from the axes of the body to those of the first one
    pub fn add_modal(&self, body: usize, rotation: &Matrix3<f64>, modal: &mut [f64]) {
        let Some(modes) = &self.modes[body] else { return };
        let sign = if body == 0 { -1.0 } else { 1.0 };
        let back = sign * rotation.transpose();
        let forces = || {
            let loaded = self.on_cells.iter().enumerate().filter(|(_, force)| **force != Vector3::zeros());
            loaded.map(|(cell, force)| (cell, back * force))
        };
        modes.add_forces(forces, modal);
    }

    /// Velocity of a cell by the modes of a body at the last evaluation, in the axes of the body \[m/s\].
    ///
    /// * `rates` — velocities of the modes
    pub fn modal_velocity(&self, body: usize, cell: usize, rates: &[f64]) -> Vector3<f64> {
        self.modes[body].as_ref().map_or_else(Vector3::zeros, |modes| modes.velocity_of(cell, rates))
    }

    /// Point of the second surface over the middle of a cell, its normal, and that of the cell; axes of the
    /// first body.
    pub fn over_cell(&self, cell: usize) -> [Vector3<f64>; 3] {
        let sample = &self.samples[self.stencils[cell][0] as usize];
        [self.over_first(sample), sample.normal, sample.outward]
    }

    /// Curvature of a surface under the forces: the largest turn of its normal between the cell with the
    /// largest force and a loaded one, over their distance \[1/m\]; 0 with one loaded cell.
    pub fn curvature_under_forces(&self, body: usize) -> f64 {
        let planes = &self.planes[body];
        let loaded = || (0..planes.len()).filter(|&cell| self.forces[cell] > 0.0);
        let Some(middle) = loaded().max_by(|&a, &b| self.forces[a].total_cmp(&self.forces[b])) else {
            return 0.0;
        };
        let normal = |cell: usize| planes[cell].axes.row(2).transpose();
        let distance = |cell: usize| (planes[cell].center - planes[middle].center).norm();
        let reach = loaded().map(distance).fold(0.0, f64::max);
        // Near the middle a kink between faces would count as a curvature without bound.
        let far = loaded().filter(|&cell| reach > 0.0 && distance(cell) > 0.5 * reach);
        far.map(|cell| (normal(cell) - normal(middle)).norm() / distance(cell)).fold(0.0, f64::max)
    }

    /// The plane of each cell in the axes of a body, the normal out of it.
    pub fn planes(&self, body: usize) -> &[PatchPlane] {
        &self.planes[body]
    }

    /// True if the middle of a cell lies on the first surface.
    pub fn is_on_first(&self, cell: usize) -> bool {
        self.samples[cell].is_on_first
    }

    /// True if all cells, and those beside them, lie on the first surface.
    pub fn is_whole(&self) -> bool {
        self.samples.iter().all(|sample| sample.is_on_first)
    }

    /// The plane of the cell in the middle of the grid, in axes of the first body.
    pub fn middle_plane(&self) -> &PatchPlane {
        &self.planes[0][self.middle]
    }

    /// C + d of the cells \[m/N\].
    pub fn matrix(&self, i: usize, k: usize) -> f64 {
        self.solver.entry(i, k)
    }

    /// Memory of the compliances of normal and tangential forces and of their factors \[bytes\].
    pub fn bytes(&self) -> usize {
        self.solver.bytes() + self.friction.as_ref().map_or(0, GridFriction::bytes)
    }

    /// The mean place of the forces in cells, from the cell in the plane of the grid.
    pub fn middle_of_forces(&self) -> [f64; 2] {
        let total = self.sums.force;
        [0, 1].map(|d| {
            let moment = self.forces.iter().zip(&self.grid.cells).map(|(f, cell)| f * f64::from(cell[d]));
            if total > 0.0 { moment.sum::<f64>() / total } else { f64::from([0, self.plan.middle[1]][d]) }
        })
    }

    /// The point of the first surface in the middle of the forces, in axes of the first body \[m\].
    pub fn point_of_forces(&self) -> Vector3<f64> {
        let [x, y] = self.middle_of_forces();
        let cell = [x, y].map(|x| x.round() as i32);
        let found = self.grid.cells.iter().position(|own| *own == cell).unwrap_or(self.middle);
        let (plane, [i, j]) = (&self.planes[0][found], self.grid.cells[found].map(f64::from));
        let [along, across] = self.grid.sides();
        let offset = along * (x - i) * plane.axes.row(0) + across * (y - j) * plane.axes.row(1);
        plane.center + offset.transpose()
    }
}

impl Sample {
    /// Force on the second surface.
    fn push(&self) -> Vector3<f64> {
        self.force / self.outward.dot(&self.normal) * self.normal
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
