//! Rows of gaps over points of deformable bodies and over rigid bodies, and the products of their matrix.

use std::cell::RefCell;

use carom_contact::solver::Operator;
use nalgebra::{DMatrix, DVector, Matrix2, Matrix3, Vector2, Vector3};

use crate::explicit::bodies::Bodies;
use crate::explicit::deformable::Deformable;

/// The part of a row on one rigid body.
#[derive(Debug, Clone, Copy)]
pub(super) struct RigidEnd {
    /// Slot of the body.
    pub(super) slot: u32,
    /// +1 if the node is on the body, −1 if the face is.
    pub(super) sign: f64,
    /// Vector from the centre of mass at t_n to the point of action of the force \[m\].
    pub(super) arm: Vector3<f64>,
}

/// One gap, and its change by impulses along its normal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Number of the pair in its list.
    pub(super) pair: u32,
    /// Side and number of the node.
    pub(super) side: usize,
    pub(super) node: u32,
    /// Normal out of the face, inertial axes.
    pub(super) normal: Vector3<f64>,
    /// Point of action of the force at t_n \[m\].
    pub(super) place: Vector3<f64>,
    /// Gap at t_n, gap at t_{n+1} without multipliers, and the smallest gap that the step allows \[m\].
    pub(super) gap_now: f64,
    pub(super) gap: f64,
    pub(super) least: f64,
    /// Predicted slip of the node along the face in the step \[m\].
    pub(super) slip: Vector3<f64>,
    /// First entry of this row in the list.
    first: u32,
    n_entries: u32,
    /// Number of entries of the node; they come first.
    n_node: u32,
    pub(super) rigid: [Option<RigidEnd>; 2],
}

/// A point of a deformable body that a row moves.
#[derive(Debug, Clone, Copy)]
struct Slot {
    body: u32,
    point: u32,
    response: Response,
}

/// The response of a point to an impulse on it.
#[derive(Debug, Clone, Copy)]
enum Response {
    /// By the inverse mass of the point.
    Point([f64; 3]),
    /// By the frame and the modes of a reduced body: its slot, the arm of the point from the frame origin,
    /// and the start of its modes in the list.
    Reduced { slot: u32, arm: Vector3<f64>, modes: u32 },
}

/// A reduced body that a row moves: M⁻¹ over (v, ω, q̇), inertial axes.
#[derive(Debug, Clone)]
struct ReducedSlot {
    body: u32,
    inverse: DMatrix<f64>,
}

/// A rigid body that a row moves.
#[derive(Debug, Clone, Copy)]
struct RigidSlot {
    body: u32,
    inverse_mass: f64,
    inverse_inertia: Matrix3<f64>,
}

/// Rows of one step with the points and bodies that they move.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// Slot of a point and its weight: positive on the side of the node.
    entries: Vec<(u32, f64)>,
    slots: Vec<Slot>,
    rigid_slots: Vec<RigidSlot>,
    reduced_slots: Vec<ReducedSlot>,
    /// Modes at the points of reduced bodies, 3 numbers a mode, inertial axes.
    modes: Vec<f64>,
    /// Slot of each point of each body, if it has one in this step.
    slot_of: Vec<Vec<u32>>,
    rigid_slot_of: Vec<u32>,
    work: RefCell<Work>,
}

#[derive(Default)]
struct Work {
    points: Vec<Vector3<f64>>,
    bodies: Vec<[Vector3<f64>; 2]>,
    /// Generalised impulses on reduced bodies, and their velocities.
    reduced: Vec<[DVector<f64>; 2]>,
}

const NONE: u32 = u32::MAX;

impl Rows {
    /// Rows with memory for all points.
    pub(super) fn new(bodies: &Bodies) -> Self {
        let n_rigid = bodies.rigid.as_ref().map_or(0, |rigid| rigid.system.bodies.len());
        Self {
            slot_of: bodies.flexible.iter().map(|body| vec![NONE; body.n_points()]).collect(),
            rigid_slot_of: vec![NONE; n_rigid],
            ..Self::default()
        }
    }

    /// Removes all rows.
    pub(super) fn clear(&mut self) {
        for slot in self.slots.drain(..) {
            self.slot_of[slot.body as usize][slot.point as usize] = NONE;
        }
        for slot in self.rigid_slots.drain(..) {
            self.rigid_slot_of[slot.body as usize] = NONE;
        }
        self.reduced_slots.clear();
        self.work.borrow_mut().reduced.clear();
        self.modes.clear();
        self.rows.clear();
        self.entries.clear();
    }

    /// Adds a row without entries.
    pub(super) fn begin(&mut self, row: RowStart) {
        let RowStart { pair, side, node, normal, place, gap_now, gap, least, slip } = row;
        let first = self.entries.len() as u32;
        self.rows.push(Row {
            pair,
            side,
            node,
            normal,
            place,
            gap_now,
            gap,
            least,
            slip,
            first,
            n_entries: 0,
            n_node: 0,
            rigid: [None; 2],
        });
    }

    /// Adds a point of a deformable body to the last row; points of the node come first.
    ///
    /// * `end` — 0 for the side of the node, 1 for that of the face
    pub(super) fn add_point(
        &mut self,
        bodies: &Bodies,
        (body, end): (usize, usize),
        point: u32,
        weight: f64,
    ) {
        if self.slot_of[body][point as usize] == NONE {
            self.slot_of[body][point as usize] = self.slots.len() as u32;
            let response = self.response(bodies, body, point);
            self.slots.push(Slot { body: body as u32, point, response });
        }
        self.entries.push((self.slot_of[body][point as usize], weight));
        if let Some(row) = self.rows.last_mut() {
            row.n_entries += 1;
            row.n_node += u32::from(end == 0);
        }
    }

    fn response(&mut self, bodies: &Bodies, body: usize, point: u32) -> Response {
        match &bodies.flexible[body] {
            Deformable::Whole(whole) => {
                let k = 3 * point as usize;
                Response::Point(std::array::from_fn(|d| whole.inverse_mass[k + d]))
            }
            Deformable::Reduced(reduced) => {
                let known = self.reduced_slots.iter().position(|slot| slot.body as usize == body);
                let slot = known.unwrap_or_else(|| {
                    let inverse = reduced.mobility();
                    let zero = || DVector::zeros(inverse.nrows());
                    self.work.borrow_mut().reduced.push([zero(), zero()]);
                    self.reduced_slots.push(ReducedSlot { body: body as u32, inverse });
                    self.reduced_slots.len() - 1
                });
                let modes = self.modes.len() as u32;
                let arm = reduced.lever(point, &mut self.modes);
                Response::Reduced { slot: slot as u32, arm, modes }
            }
        }
    }

    /// Modes of a point of a reduced body.
    fn modes(&self, slot: u32, start: u32) -> &[[f64; 3]] {
        let n = 3 * (self.reduced_slots[slot as usize].inverse.nrows() - 6);
        self.modes[start as usize..start as usize + n].as_chunks().0
    }

    /// Adds an impulse at a point to the generalised impulse on its reduced body.
    fn gather(
        &self,
        (slot, arm, modes): (u32, &Vector3<f64>, u32),
        impulse: &Vector3<f64>,
        sum: &mut DVector<f64>,
    ) {
        let moment = arm.cross(impulse);
        for d in 0..3 {
            sum[d] += impulse[d];
            sum[3 + d] += moment[d];
        }
        for (k, mode) in self.modes(slot, modes).iter().enumerate() {
            sum[6 + k] += impulse.dot(&Vector3::from(*mode));
        }
    }

    /// Velocity of a point of a reduced body by (v, ω, q̇).
    fn spread(&self, (slot, arm, modes): (u32, &Vector3<f64>, u32), z: &DVector<f64>) -> Vector3<f64> {
        let (v, omega) = (Vector3::new(z[0], z[1], z[2]), Vector3::new(z[3], z[4], z[5]));
        let by_modes = self.modes(slot, modes).iter().zip(z.iter().skip(6));
        by_modes.fold(v + omega.cross(arm), |sum, (mode, rate)| sum + *rate * Vector3::from(*mode))
    }

    /// Velocities of the points due to impulses on them, in place.
    fn respond_at_points(&self, points: &mut [Vector3<f64>], reduced: &mut [[DVector<f64>; 2]]) {
        reduced.iter_mut().for_each(|[impulse, _]| impulse.fill(0.0));
        for (sum, slot) in points.iter_mut().zip(&self.slots) {
            match &slot.response {
                Response::Point(inverse) => (0..3).for_each(|d| sum[d] *= inverse[d]),
                Response::Reduced { slot, arm, modes } => {
                    self.gather((*slot, arm, *modes), sum, &mut reduced[*slot as usize][0]);
                }
            }
        }
        for ([impulse, velocity], slot) in reduced.iter_mut().zip(&self.reduced_slots) {
            velocity.gemv(1.0, &slot.inverse, impulse, 0.0);
        }
        for (sum, slot) in points.iter_mut().zip(&self.slots) {
            if let Response::Reduced { slot, arm, modes } = &slot.response {
                *sum = self.spread((*slot, arm, *modes), &reduced[*slot as usize][1]);
            }
        }
    }

    /// Adds a rigid body to the last row.
    ///
    /// * `end` — 0 for the side of the node, 1 for that of the face
    pub(super) fn add_rigid(&mut self, bodies: &Bodies, body: usize, end: usize, arm: Vector3<f64>) {
        let Some(rigid) = &bodies.rigid else { return };
        let slot = &mut self.rigid_slot_of[body];
        if *slot == NONE {
            *slot = self.rigid_slots.len() as u32;
            let (inverse_mass, inverse_inertia) = rigid.mobility(body);
            self.rigid_slots.push(RigidSlot { body: body as u32, inverse_mass, inverse_inertia });
        }
        let sign = if end == 0 { 1.0 } else { -1.0 };
        if let Some(row) = self.rows.last_mut() {
            row.rigid[end] = Some(RigidEnd { slot: *slot, sign, arm });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    fn entries(&self, row: &Row) -> &[(u32, f64)] {
        &self.entries[row.first as usize..(row.first + row.n_entries) as usize]
    }

    /// Calls a function with each deformable body, point and weight of a row.
    pub(super) fn for_points(&self, row: &Row, mut each: impl FnMut(usize, u32, f64)) {
        for &(slot, weight) in self.entries(row) {
            let slot = &self.slots[slot as usize];
            each(slot.body as usize, slot.point, weight);
        }
    }

    /// Calls a function with each deformable body, point and weight of a row, and true for those of the node.
    pub(super) fn for_sides(&self, row: &Row, mut each: impl FnMut(usize, u32, f64, bool)) {
        for (k, &(slot, weight)) in (0..).zip(self.entries(row)) {
            let slot = &self.slots[slot as usize];
            each(slot.body as usize, slot.point, weight, k < row.n_node);
        }
    }

    /// Calls a function with each deformable body and point of a row and its part of a force along the
    /// surface.
    ///
    /// Node and face are apart by the gap at t_n, which is a lever of a force along the surface. A couple on
    /// the points of the face, `a × (x_K − x̄)`, compensates that moment.
    pub(super) fn for_friction(
        &self,
        row: &Row,
        force: &Vector3<f64>,
        place: impl Fn(usize, u32) -> Vector3<f64>,
        mut each: impl FnMut(usize, u32, Vector3<f64>),
    ) {
        if *force == Vector3::zeros() {
            return;
        }
        let mut lever = Vector3::zeros();
        self.for_points(row, |body, point, weight| {
            lever += weight * place(body, point);
            each(body, point, weight * force);
        });
        if row.rigid.iter().any(Option::is_some) {
            return;
        }
        let faced = || {
            let slots = self.entries(row)[row.n_node as usize..].iter().map(|&(slot, _)| slot);
            slots.map(|slot| &self.slots[slot as usize]).map(|slot| (slot.body as usize, slot.point))
        };
        let n = f64::from(row.n_entries - row.n_node);
        let center = faced().map(|(body, point)| place(body, point)).sum::<Vector3<f64>>() / n;
        let mut inertia = Matrix3::zeros();
        for (body, point) in faced() {
            let r = place(body, point) - center;
            inertia += Matrix3::identity() * r.norm_squared() - r * r.transpose();
        }
        let Some(inverse) = inertia.try_inverse() else { return };
        let turn = -(inverse * lever.cross(force));
        for (body, point) in faced() {
            let arm = place(body, point) - center;
            each(body, point, turn.cross(&arm));
        }
    }

    /// Number of the rigid body of an end.
    pub(super) fn rigid_body(&self, end: &RigidEnd) -> usize {
        self.rigid_slots[end.slot as usize].body as usize
    }

    /// True if a rigid body has a row.
    pub(super) fn has_rigid(&self) -> bool {
        !self.rigid_slots.is_empty()
    }

    /// Numbers of the rigid bodies with rows.
    pub(super) fn rigid_bodies(&self) -> impl Iterator<Item = usize> + '_ {
        self.rigid_slots.iter().map(|slot| slot.body as usize)
    }

    /// Relative velocities at the rows due to impulses in any directions.
    ///
    /// * `impulse` — of each row \[N s\]
    /// * `each` — receives the row and its relative velocity \[m/s\]
    pub(super) fn respond(
        &self,
        impulse: impl Fn(usize) -> Vector3<f64>,
        mut each: impl FnMut(usize, Vector3<f64>),
    ) {
        let work = &mut *self.work.borrow_mut();
        work.points.clear();
        work.points.resize(self.slots.len(), Vector3::zeros());
        work.bodies.clear();
        work.bodies.resize(self.rigid_slots.len(), [Vector3::zeros(); 2]);
        for (k, row) in self.rows.iter().enumerate() {
            let impulse = impulse(k);
            if impulse == Vector3::zeros() {
                continue;
            }
            for &(slot, weight) in self.entries(row) {
                work.points[slot as usize] += weight * impulse;
            }
            for end in row.rigid.iter().flatten() {
                let sum = &mut work.bodies[end.slot as usize];
                sum[0] += end.sign * impulse;
                sum[1] += end.sign * end.arm.cross(&impulse);
            }
        }
        self.respond_at_points(&mut work.points, &mut work.reduced);
        for (sum, slot) in work.bodies.iter_mut().zip(&self.rigid_slots) {
            *sum = [slot.inverse_mass * sum[0], slot.inverse_inertia * sum[1]];
        }
        for (k, row) in self.rows.iter().enumerate() {
            let mut velocity = Vector3::zeros();
            for &(slot, weight) in self.entries(row) {
                velocity += weight * work.points[slot as usize];
            }
            for end in row.rigid.iter().flatten() {
                let [linear, angular] = &work.bodies[end.slot as usize];
                velocity += end.sign * (linear + angular.cross(&end.arm));
            }
            each(k, velocity);
        }
    }

    /// n·W n of a row: the inverse of the effective mass of its gap \[1/kg\].
    pub(super) fn inverse_mass(&self, row: &Row) -> f64 {
        let mut sum = 0.0;
        let reduced = &mut self.work.borrow_mut().reduced;
        reduced.iter_mut().for_each(|[impulse, _]| impulse.fill(0.0));
        for &(slot, weight) in self.entries(row) {
            match &self.slots[slot as usize].response {
                Response::Point(inverse) => {
                    let along = (0..3).map(|d| inverse[d] * row.normal[d] * row.normal[d]).sum::<f64>();
                    sum += weight * weight * along;
                }
                Response::Reduced { slot, arm, modes } => {
                    let impulse = weight * row.normal;
                    self.gather((*slot, arm, *modes), &impulse, &mut reduced[*slot as usize][0]);
                }
            }
        }
        for ([impulse, velocity], slot) in reduced.iter_mut().zip(&self.reduced_slots) {
            velocity.gemv(1.0, &slot.inverse, impulse, 0.0);
            sum += impulse.dot(velocity);
        }
        for end in row.rigid.iter().flatten() {
            let slot = &self.rigid_slots[end.slot as usize];
            let lever = end.arm.cross(&row.normal);
            sum += slot.inverse_mass + lever.dot(&(slot.inverse_inertia * lever));
        }
        sum
    }
}

/// Data of a row before its entries.
pub(super) struct RowStart {
    pub(super) pair: u32,
    pub(super) side: usize,
    pub(super) node: u32,
    pub(super) normal: Vector3<f64>,
    pub(super) place: Vector3<f64>,
    pub(super) gap_now: f64,
    pub(super) gap: f64,
    pub(super) least: f64,
    pub(super) slip: Vector3<f64>,
}

/// Gᵀ W G: relative velocities of gaps due to impulses along their normals \[1/kg\].
impl Operator for Rows {
    fn n(&self) -> usize {
        self.rows.len()
    }

    fn apply_into(&self, x: &[f64], y: &mut [f64]) {
        self.respond(|k| x[k] * self.rows[k].normal, |k, velocity| y[k] = velocity.dot(&self.rows[k].normal));
    }

    fn diagonal_into(&self, diagonal: &mut [f64]) {
        self.rows.iter().zip(diagonal).for_each(|(row, d)| *d = self.inverse_mass(row));
    }
}

/// Weights of the points of a face with Σ = 1 such that a force along n acts on the line through a place,
/// with the smallest change of the given weights.
///
/// Forces act at t_n, but a node and its foot point are at the same place only at t_{n+1}. With these weights
/// the forces on node and face have no moment, whatever the motion between.
///
/// * `points` — positions of the points at t_n \[m\]
/// * `weights` — shape values at the foot point; replaced
pub(super) fn balance(
    normal: &Vector3<f64>,
    place: &Vector3<f64>,
    points: &[Vector3<f64>],
    weights: &mut [f64],
) {
    let axis = normal.iamin();
    let first = normal.cross(&Vector3::ith(axis, 1.0)).normalize();
    let second = normal.cross(&first);
    let across = |x: &Vector3<f64>| Vector2::new(first.dot(x), second.dot(x));
    let center = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let (mut missing, mut gram) = (across(place), Matrix2::zeros());
    for (x, weight) in points.iter().zip(weights.iter()) {
        let lever = across(&(x - center));
        missing -= *weight * across(x);
        gram += lever * lever.transpose();
    }
    // Levers from the middle of the points have the sum zero, so that the sum of the weights stays.
    let factors = solve_gram(&gram, &missing);
    for (x, weight) in points.iter().zip(weights) {
        *weight += across(&(x - center)).dot(&factors);
    }
}

/// G⁺ b of a symmetric G ≥ 0. A face that is seen from its edge has no lever in one direction.
fn solve_gram(gram: &Matrix2<f64>, b: &Vector2<f64>) -> Vector2<f64> {
    const LEAST: f64 = 1e-9;
    let (trace, det) = (gram.trace(), gram.determinant());
    // The smaller eigenvalue is det/λ_max, and λ_max lies between tr/2 and tr.
    if det > LEAST * trace * trace {
        return Vector2::new(gram.m22 * b.x - gram.m12 * b.y, gram.m11 * b.y - gram.m21 * b.x) / det;
    }
    if trace == 0.0 {
        return Vector2::zeros();
    }
    let eigen = gram.symmetric_eigen();
    let axis = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    axis * (axis.dot(b) / eigen.eigenvalues.max())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_weights_have_no_moment_and_the_sum_one() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [1.1, 1.0, 0.2], [0.0, 0.9, -0.1]].map(Vector3::from);
        let normal = Vector3::new(0.1, -0.2, 1.0).normalize();
        let place = Vector3::new(0.4, 0.35, 0.03);
        let mut weights = [0.3, 0.3, 0.2, 0.2];
        balance(&normal, &place, &points, &mut weights);
        let sum: f64 = weights.iter().sum();
        let center: Vector3<f64> = points.iter().zip(weights).map(|(x, w)| w * x).sum();
        assert!((sum - 1.0).abs() < 1e-15, "{sum}");
        assert!((center - place).cross(&normal).norm() < 1e-15, "{center}");
        // Balanced weights are not changed.
        let before = weights;
        balance(&normal, &place, &points, &mut weights);
        assert!(before.iter().zip(weights).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn a_face_seen_from_its_edge_keeps_its_sum() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Vector3::from);
        let mut weights = [0.5, 0.5, 0.0, 0.0];
        balance(&Vector3::y(), &Vector3::new(0.7, -0.1, 0.4), &points, &mut weights);
        let sum: f64 = weights.iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "{weights:?}");
        let center: Vector3<f64> = points.iter().zip(weights).map(|(x, w)| w * x).sum();
        assert!((center.x - 0.7).abs() < 1e-12, "the direction with a lever is balanced: {center}");
    }
}
