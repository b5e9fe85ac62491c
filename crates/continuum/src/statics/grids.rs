//! Contacts of a static problem on half-space grids (docs/theory/half-space.md, section 11.13): the dent from
//! a half-space, the rest from the response of the whole body to loads at places.
//!
//! The loads of all places of a body are answered by its factor once, as one matrix A. Gaps, pressures and
//! cross terms of all pairs are one complementarity problem
//!
//! ```text
//! 0 ≤ f ⟂ g(a) + (C + d) f ≥ 0 ,     C_pq = r_p A r_qᵀ  between two pairs of one body,
//! ```
//!
//! with the rows r of the gaps of cells over displacements read by the loads, and the gaps g of the exact
//! surfaces, moved by loads, supports and the rigid motions a.

mod laying;
mod loaded;
mod reports;

use std::cmp::Ordering;

use carom_contact::Shape;
use carom_contact::half_space::mesh_doubts::{MeshBelow, MeshFaces};
use carom_contact::half_space::pair::{PairError, Under};
use carom_contact::half_space::{FixedGrid, GridBody, GridPlan, Position};
use carom_contact::solver::{ActiveSet, LcpError, Method};
use carom_dynamics::rotation;
use carom_progress::Progress;
use faer::linalg::solvers::Solve;
use faer::{Mat, Side as Triangle};
use nalgebra::{DVector, Matrix3, Vector3};

use super::body::StaticBody;
use super::problem::Problem;
use super::{EquilibriumError, SetupError};
use laying::Spot;
use loaded::LoadedBody;

pub use laying::GridError;

/// The contacts of all pairs on grids.
pub(super) struct GridContact {
    pub(super) pairs: Vec<GridPair>,
    /// Loads of each body of the problem.
    loaded: Vec<LoadedBody>,
    solver: ActiveSet,
    /// C + d of all cells \[m/N\].
    matrix: Mat<f64>,
    /// Of all cells, pair after pair: gaps without forces, and forces.
    gaps: Vec<f64>,
    forces: Vec<f64>,
    pub(super) fallbacks: usize,
}

/// A pair with its grid.
pub(super) struct GridPair {
    pub(super) name: String,
    /// `BODY:SET` of both bodies, of which the first has the plane of the grid.
    pub(super) surfaces: [String; 2],
    pub(super) sides: [Side; 2],
    pub(super) spot: Spot,
    pub(super) grid: FixedGrid,
    /// ∂gap/∂u of the displacements that the loads of each body read, cells × 3 loads.
    rows: [Option<Mat<f64>>; 2],
    /// Rotation and origin of the frames of both bodies in space, unmoved.
    frames: [(Matrix3<f64>, Vector3<f64>); 2],
    /// The pose of both bodies at the last evaluation, if rigid.
    poses: [(Matrix3<f64>, Vector3<f64>); 2],
}

/// A body of a pair. Coordinates are inertial ones.
pub(super) struct Side {
    pub(super) body: usize,
    pub(super) shape: Shape,
    pub(super) under: Under,
    /// Its first load among those of the body, and its number of loads.
    loads: [usize; 2],
    /// 1, as modes: the displacements that the loads read.
    values: Option<Mat<f64>>,
    pub(super) mesh: Option<MeshBelow>,
    pub(super) faces: MeshFaces,
}

impl Side {
    fn grid_body(&self) -> GridBody<'_> {
        GridBody {
            shape: &self.shape,
            below: self.under.below(),
            values: self.values.as_ref(),
            foreshortening: None,
        }
    }

    /// Rows of the loads among those of the body.
    fn rows(&self) -> std::ops::Range<usize> {
        3 * self.loads[0]..3 * (self.loads[0] + self.loads[1])
    }
}

impl GridContact {
    /// The contacts of a problem.
    pub(super) fn new(
        problem: &Problem,
        bodies: &[StaticBody],
        progress: &dyn Progress,
    ) -> Result<Self, SetupError> {
        let mut loaded: Vec<LoadedBody> = bodies.iter().map(|_| LoadedBody::none()).collect();
        let mut found = Vec::new();
        let specs = problem.contacts.iter().map(|spec| laying::ordered(spec, bodies));
        let specs = specs.collect::<Result<Vec<_>, SetupError>>()?;
        for spec in &specs {
            found.push(laying::sides(spec, bodies, &mut loaded)?);
        }
        for (body, loaded) in bodies.iter().zip(&mut loaded) {
            loaded.answer(body, progress)?;
        }
        let mut pairs = Vec::with_capacity(found.len());
        for (spec, (sides, spot)) in specs.iter().zip(found) {
            pairs.push(GridPair::new(spec, bodies, sides, spot, &loaded)?);
        }
        for (pair, spec) in pairs.iter_mut().zip(&problem.contacts) {
            pair.name = spec.bodies.map(|body| bodies[body].name.clone()).join("/");
        }
        let mut own = Self {
            pairs,
            loaded,
            solver: ActiveSet::new(),
            matrix: Mat::new(),
            gaps: Vec::new(),
            forces: Vec::new(),
            fallbacks: 0,
        };
        own.assemble();
        Ok(own)
    }

    /// The matrix of all cells. Forces that are kept stay.
    fn assemble(&mut self) {
        let (pairs, loaded) = (&self.pairs, &self.loaded);
        let starts = self.starts();
        let n = starts[pairs.len()];
        let between = |p: usize, q: usize| if p < q { pairs[p].crossed(&pairs[q], loaded) } else { None };
        let of_pair = |p: usize| (0..pairs.len()).map(|q| between(p, q)).collect();
        let crossed: Vec<Vec<Option<Mat<f64>>>> = (0..pairs.len()).map(of_pair).collect();
        let pair_of = |cell: usize| starts.partition_point(|&start| start <= cell) - 1;
        self.matrix = Mat::from_fn(n, n, |i, k| {
            let (p, q) = (pair_of(i), pair_of(k));
            let (i, k) = (i - starts[p], k - starts[q]);
            match p.cmp(&q) {
                Ordering::Equal => pairs[p].grid.matrix(i, k),
                Ordering::Less => crossed[p][q].as_ref().map_or(0.0, |m| m[(i, k)]),
                Ordering::Greater => crossed[q][p].as_ref().map_or(0.0, |m| m[(k, i)]),
            }
        });
        let matrix = &self.matrix;
        self.solver.set_matrix(n, |i, k| matrix[(i, k)]);
        self.forces = self.pairs.iter().flat_map(|pair| pair.grid.forces.iter().copied()).collect();
        self.gaps = vec![0.0; n];
    }

    /// First cell of each pair, and the number of all cells.
    fn starts(&self) -> Vec<usize> {
        let mut starts = vec![0];
        for pair in &self.pairs {
            starts.push(starts[starts.len() - 1] + pair.grid.grid.len());
        }
        starts
    }

    /// Gaps and forces at given motions. After an error the forces are as before.
    pub(super) fn evaluate(
        &mut self,
        bodies: &[StaticBody],
        part: f64,
        motion: &[Vec<f64>],
    ) -> Result<(), LcpError> {
        for (loaded, motion) in self.loaded.iter_mut().zip(motion) {
            loaded.place(part, motion);
        }
        let starts = self.starts();
        for (pair, &start) in self.pairs.iter_mut().zip(&starts) {
            pair.poses = pair.sides.each_ref().map(|side| match side.values {
                Some(_) => (Matrix3::identity(), Vector3::zeros()),
                None => pose(&bodies[side.body], part, &motion[side.body]),
            });
            let gaps = pair.free_gaps(&self.loaded);
            self.gaps[start..start + gaps.len()].copy_from_slice(gaps);
        }
        let mut forces = self.forces.clone();
        if self.gaps.iter().any(|gap| *gap < 0.0) {
            let report = self.solver.solve(&self.gaps, &mut forces)?;
            self.fallbacks = usize::from(report.method == Method::Lemke);
        } else {
            forces.fill(0.0);
        }
        self.forces = forces;
        self.loaded.iter_mut().for_each(|loaded| loaded.forces.fill(0.0));
        for (pair, &start) in self.pairs.iter_mut().zip(&starts) {
            let n = pair.grid.grid.len();
            pair.grid.load(&self.forces[start..start + n]);
            // Bodies with loads are in the axes of space, as is the first body next to them.
            for (k, side) in pair.sides.iter().enumerate() {
                let rotation = pair.poses[0].0.transpose() * pair.poses[k].0;
                pair.grid.add_modal(k, &rotation, &mut self.loaded[side.body].forces[side.rows()]);
            }
        }
        Ok(())
    }

    /// Forces on the cells, from which the next solution starts.
    pub(super) fn warm(&self) -> Vec<f64> {
        self.forces.clone()
    }

    /// Takes back what [`Self::warm`] gave.
    pub(super) fn restore_warm(&mut self, forces: Vec<f64>) {
        if forces.len() == self.forces.len() {
            self.forces = forces;
        }
    }

    /// ½ fᵀ (C + d) f \[J\].
    pub(super) fn energy(&self) -> f64 {
        -0.5 * self.forces.iter().zip(&self.gaps).map(|(f, g)| f * g).sum::<f64>()
    }

    /// Energy of the penalties, ½ d fᵀ f \[J\].
    pub(super) fn penalty_energy(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.grid.sums.contact_energy).sum()
    }

    /// Energy that is not in the strain of the whole bodies: that of the half-spaces, less the part of the
    /// smooth loads \[J\].
    pub(super) fn local_energy(&self) -> f64 {
        let of_body = |loaded: &LoadedBody| {
            let f = &loaded.forces;
            let u = |i: usize| f.iter().enumerate().map(|(k, f)| loaded.response[(i, k)] * f).sum::<f64>();
            0.5 * f.iter().enumerate().map(|(i, f)| f * u(i)).sum::<f64>()
        };
        self.energy() - self.penalty_energy() - self.loaded.iter().map(of_body).sum::<f64>()
    }

    /// Sum of the pressures \[N\].
    pub(super) fn total_force(&self) -> f64 {
        self.forces.iter().sum()
    }

    /// Least gap of a cell without forces \[m\].
    pub(super) fn least_gap(&self) -> f64 {
        self.pairs.iter().map(|pair| pair.grid.sums.least_gap.0).fold(f64::INFINITY, f64::min)
    }

    /// Smallest extent of a grid \[m\].
    pub(super) fn size(&self) -> f64 {
        let extent = |pair: &GridPair| (pair.grid.grid.len() as f64 * pair.grid.grid.area()).sqrt();
        self.pairs.iter().map(extent).fold(f64::INFINITY, f64::min)
    }

    /// Adds the work of the contact forces on a unit of each free motion, Rᵀ f \[N\].
    pub(super) fn add_work(&self, bodies: &[StaticBody], residual: &mut DVector<f64>) {
        let mut first = 0;
        for (number, body) in bodies.iter().enumerate() {
            let m = body.motions.len();
            let loaded = &self.loaded[number];
            for k in 0..m.min(loaded.motions.ncols()) {
                let work = loaded.forces.iter().enumerate().map(|(i, f)| loaded.motions[(i, k)] * f);
                residual[first + k] += work.sum::<f64>();
            }
            if body.elastic.is_none() {
                self.for_forces_on(number, |x, f| {
                    for k in 0..m {
                        residual[first + k] += body.motions.at(k, &(*x).into()).dot(f);
                    }
                });
            }
            first += m;
        }
    }

    /// Calls `visit` with each point of contact of a body and the force on it there.
    fn for_forces_on(&self, number: usize, mut visit: impl FnMut(&Vector3<f64>, &Vector3<f64>)) {
        for pair in &self.pairs {
            let (rotation, origin) = pair.poses[0];
            for (side, sign) in pair.sides.iter().zip([-1.0, 1.0]) {
                if side.body == number {
                    pair.grid.for_forces(|x, f| visit(&(rotation * x + origin), &(sign * (rotation * f))));
                }
            }
        }
    }

    /// H = (B R)ᵀ (C + d)⁻¹ (B R) over the loaded cells, with the change B R of the gaps by the free motions.
    pub(super) fn stiffness(&self, bodies: &[StaticBody], n: usize) -> Mat<f64> {
        let starts = self.starts();
        let loaded: Vec<usize> = (0..self.forces.len()).filter(|&cell| self.forces[cell] > 0.0).collect();
        if loaded.is_empty() {
            return Mat::zeros(n, n);
        }
        let mut change = Mat::zeros(loaded.len(), n);
        for (row, &cell) in loaded.iter().enumerate() {
            let p = starts.partition_point(|&start| start <= cell) - 1;
            let pair = &self.pairs[p];
            let (place, along) = pair.over_cell(cell - starts[p]);
            let mut first = 0;
            for (number, body) in bodies.iter().enumerate() {
                for (side, sign) in pair.sides.iter().zip([-1.0, 1.0]) {
                    for k in (0..body.motions.len()).filter(|_| side.body == number) {
                        change[(row, first + k)] += sign * body.motions.at(k, &place.into()).dot(&along);
                    }
                }
                first += body.motions.len();
            }
        }
        let matrix = Mat::from_fn(loaded.len(), loaded.len(), |i, k| self.matrix[(loaded[i], loaded[k])]);
        // The matrix is positive definite, or the pressures would not have been found.
        let Ok(factor) = matrix.llt(Triangle::Lower) else { return Mat::zeros(n, n) };
        let answer = factor.solve(&change);
        change.transpose() * answer
    }

    /// Forces on the points of a body; those on a rigid body, as one, on its first point.
    pub(super) fn add_forces(&self, number: usize, body: &StaticBody, forces: &mut [[f64; 3]]) {
        if body.elastic.is_none() {
            self.for_forces_on(number, |_, f| (0..3).for_each(|d| forces[0][d] += f[d]));
            return;
        }
        let loaded = &self.loaded[number];
        for (load, force) in loaded.spread.iter().zip(loaded.forces.as_chunks::<3>().0) {
            for &(point, share) in load {
                (0..3).for_each(|d| forces[point as usize][d] += share * force[d]);
            }
        }
    }

    /// Lays grids anew whose cells do not fit the contact; false if all fit.
    pub(super) fn adapt(&mut self, step: usize) -> Result<bool, EquilibriumError> {
        let mut is_new = false;
        for pair in &mut self.pairs {
            let failed = |source: GridError| EquilibriumError::grid(step, &pair.surfaces, source);
            let Some(plan) = pair.better(&self.loaded).map_err(failed)? else { continue };
            pair.lay(plan).map_err(|source| EquilibriumError::grid(step, &pair.surfaces, source.into()))?;
            is_new = true;
        }
        if is_new {
            self.assemble();
        }
        Ok(is_new)
    }

    /// Plans and forces, for a restart.
    pub(super) fn memory(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        for pair in &self.pairs {
            numbers.extend(pair.grid.plan.to_array());
            numbers.push(pair.grid.forces.len() as f64);
            numbers.extend(&pair.grid.forces);
        }
        numbers
    }

    /// Takes back what [`Self::memory`] gave; false if it does not fit.
    pub(super) fn restore(&mut self, memory: &[f64]) -> bool {
        let mut rest = memory;
        for pair in &mut self.pairs {
            let Some((plan, tail)) = rest.split_first_chunk::<{ GridPlan::NUMBERS }>() else { return false };
            let Some((n, tail)) = tail.split_first() else { return false };
            let Some((forces, tail)) = tail.split_at_checked(*n as usize) else { return false };
            if pair.lay(GridPlan::from_array(plan)).is_err() || pair.grid.forces.len() != forces.len() {
                return false;
            }
            pair.grid.forces.copy_from_slice(forces);
            rest = tail;
        }
        self.assemble();
        rest.is_empty()
    }
}

impl GridPair {
    fn position<'a>(&self, loaded: &'a [LoadedBody]) -> Position<'a> {
        let [(first, at_first), (second, at_second)] = self.poses;
        let modal = self.sides.each_ref().map(|side| &loaded[side.body].displacement[side.rows()]);
        Position {
            rotation: first.transpose() * second,
            origin: first.transpose() * (at_second - at_first),
            modal,
        }
    }

    fn free_gaps(&mut self, loaded: &[LoadedBody]) -> &[f64] {
        let at = self.position(loaded);
        self.grid.free_gaps(&self.sides[1].shape, &at)
    }

    /// The point of the second surface over a cell, and the change m/(n·m) of its gap over a motion of this
    /// point, with the normals n of the cell and m of the second surface; both in space.
    fn over_cell(&self, cell: usize) -> (Vector3<f64>, Vector3<f64>) {
        let (rotation, origin) = self.poses[0];
        let [x, normal, n] = self.grid.over_cell(cell);
        let slope = n.dot(&normal);
        // Where the second surface is not known it counts as the plane of the cell.
        let along = if slope == 0.0 { n } else { normal / slope };
        (rotation * x + origin, rotation * along)
    }

    /// The gaps of this pair by forces of another one on the same bodies.
    fn crossed(&self, other: &Self, loaded: &[LoadedBody]) -> Option<Mat<f64>> {
        let mut sum: Option<Mat<f64>> = None;
        for (own, rows) in self.sides.iter().zip(&self.rows) {
            for (their, others) in other.sides.iter().zip(&other.rows) {
                let (Some(rows), Some(others)) = (rows, others) else { continue };
                if own.body != their.body {
                    continue;
                }
                let (i, k) = (own.rows(), their.rows());
                let between = loaded[own.body].response.submatrix(i.start, k.start, i.len(), k.len());
                let found = rows * between * others.transpose();
                sum = Some(match sum {
                    Some(sum) => sum + found,
                    None => found,
                });
            }
        }
        sum
    }

    /// Lays another grid; its forces are zero.
    fn lay(&mut self, plan: GridPlan) -> Result<(), PairError> {
        let bodies = self.sides.each_ref().map(Side::grid_body);
        self.grid = FixedGrid::new(plan, bodies, self.spot.law, 0.0)?;
        self.rows = [0, 1].map(|k| self.grid.gap_rows(k));
        Ok(())
    }
}

/// The pose of a rigid body: x → R x + o.
fn pose(body: &StaticBody, part: f64, motion: &[f64]) -> (Matrix3<f64>, Vector3<f64>) {
    let (shift, theta) = body.rigid_motion(part, motion);
    let turn = rotation::matrix(&rotation::from_vector(&theta));
    (turn, body.origin + shift - turn * body.origin)
}
