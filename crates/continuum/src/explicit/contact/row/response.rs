//! The response of points and rigid bodies to impulses at the rows.

use carom_contact::solver::Operator;
use nalgebra::{DVector, Vector3};

use super::{Response, Row, Rows};

impl Rows {
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
        let moved = reduced.iter_mut().zip(&self.reduced_slots).filter(|(_, slot)| slot.is_moved);
        for ([impulse, velocity], slot) in moved {
            velocity.gemv(1.0, &slot.inverse, impulse, 0.0);
        }
        for (sum, slot) in points.iter_mut().zip(&self.slots) {
            if let Response::Reduced { slot, arm, modes } = &slot.response {
                *sum = self.spread((*slot, arm, *modes), &reduced[*slot as usize][1]);
            }
        }
    }

    /// Relative velocities at the rows due to impulses in any directions.
    ///
    /// * `impulse` — of each row \[N s\]
    /// * `each` — receives the row and its relative velocity \[m/s\]
    pub(in crate::explicit::contact) fn respond(
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
    pub(in crate::explicit::contact) fn inverse_mass(&self, row: &Row) -> f64 {
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
        let moved = reduced.iter_mut().zip(&self.reduced_slots).filter(|(_, slot)| slot.is_moved);
        for ([impulse, velocity], slot) in moved {
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
