//! The response of points and rigid bodies to impulses at the rows.

use carom_contact::solver::Operator;
use nalgebra::{DVector, Vector3};

use super::{Response, Row, Rows, Work};

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

    /// Velocities of the points of a group due to impulses on them, in place.
    fn respond_at_points(
        &self,
        group: usize,
        points: &mut [Vector3<f64>],
        reduced: &mut [[DVector<f64>; 2]],
    ) {
        let (own, bodies) = (self.groups.points.of(group), self.groups.reduced.of(group));
        bodies.iter().for_each(|&body| reduced[body as usize][0].fill(0.0));
        for &point in own {
            let sum = &mut points[point as usize];
            match &self.slots[point as usize].response {
                Response::Point(inverse) => (0..3).for_each(|d| sum[d] *= inverse[d]),
                Response::Reduced { slot, arm, modes } => {
                    self.gather((*slot, arm, *modes), sum, &mut reduced[*slot as usize][0]);
                }
            }
        }
        if bodies.is_empty() {
            return;
        }
        for &body in bodies {
            let [impulse, velocity] = &mut reduced[body as usize];
            velocity.gemv(1.0, &self.reduced_slots[body as usize].inverse, impulse, 0.0);
        }
        for &point in own {
            if let Response::Reduced { slot, arm, modes } = &self.slots[point as usize].response {
                points[point as usize] = self.spread((*slot, arm, *modes), &reduced[*slot as usize][1]);
            }
        }
    }

    /// Relative velocities at the rows of a group due to impulses in any directions.
    ///
    /// * `impulse` — of each row, by its place in the group and its number \[N s\]
    /// * `each` — receives place and number of the row and its relative velocity \[m/s\]
    pub(in crate::explicit::contact) fn respond(
        &self,
        group: usize,
        impulse: impl Fn(usize, usize) -> Vector3<f64>,
        mut each: impl FnMut(usize, usize, Vector3<f64>),
    ) {
        let Work { points, bodies, reduced } = &mut *self.work.borrow_mut();
        points.resize(self.slots.len().max(points.len()), Vector3::zeros());
        bodies.resize(self.rigid_slots.len().max(bodies.len()), [Vector3::zeros(); 2]);
        let of_points = self.groups.points.of(group);
        let of_bodies = self.groups.bodies.of(group);
        of_points.iter().for_each(|&slot| points[slot as usize] = Vector3::zeros());
        of_bodies.iter().for_each(|&slot| bodies[slot as usize] = [Vector3::zeros(); 2]);
        let rows = || self.groups.rows.of(group).iter().map(|&row| row as usize).enumerate();
        for (place, row) in rows() {
            let impulse = impulse(place, row);
            if impulse == Vector3::zeros() {
                continue;
            }
            let row = &self.rows[row];
            for &(slot, weight) in self.entries(row) {
                points[slot as usize] += weight * impulse;
            }
            for end in row.rigid.iter().flatten().filter(|end| end.moves) {
                let sum = &mut bodies[end.slot as usize];
                sum[0] += end.sign * impulse;
                sum[1] += end.sign * end.arm.cross(&impulse);
            }
        }
        self.respond_at_points(group, points, reduced);
        for &body in of_bodies {
            let (sum, slot) = (&mut bodies[body as usize], &self.rigid_slots[body as usize]);
            *sum = [slot.inverse_mass * sum[0], slot.inverse_inertia * sum[1]];
        }
        for (place, number) in rows() {
            let (row, mut velocity) = (&self.rows[number], Vector3::zeros());
            for &(slot, weight) in self.entries(row) {
                velocity += weight * points[slot as usize];
            }
            for end in row.rigid.iter().flatten().filter(|end| end.moves) {
                let [linear, angular] = &bodies[end.slot as usize];
                velocity += end.sign * (linear + angular.cross(&end.arm));
            }
            each(place, number, velocity);
        }
    }

    /// n·W n of a row: the inverse of the effective mass of its gap \[1/kg\].
    fn inverse_mass_of(&self, row: &Row) -> f64 {
        let mut sum = 0.0;
        let reduced = &mut self.work.borrow_mut().reduced;
        let bodies = || {
            let of_point = |&(slot, _): &(u32, f64)| match &self.slots[slot as usize].response {
                Response::Point(_) => None,
                Response::Reduced { slot, .. } => Some(*slot as usize),
            };
            self.entries(row).iter().filter_map(of_point)
        };
        bodies().for_each(|body| reduced[body][0].fill(0.0));
        let entries = self.entries(row);
        for (place, &(slot, weight)) in entries.iter().enumerate() {
            match &self.slots[slot as usize].response {
                Response::Point(inverse) => {
                    // Both ends of a row may share a point, whose weights add up.
                    let is_same = |entry: &&(u32, f64)| entry.0 == slot;
                    if entries[..place].iter().any(|entry| is_same(&entry)) {
                        continue;
                    }
                    let weight: f64 = entries[place..].iter().filter(is_same).map(|(_, weight)| weight).sum();
                    let along = (0..3).map(|d| inverse[d] * row.normal[d] * row.normal[d]).sum::<f64>();
                    sum += weight * weight * along;
                }
                Response::Reduced { slot, arm, modes } => {
                    let impulse = weight * row.normal;
                    self.gather((*slot, arm, *modes), &impulse, &mut reduced[*slot as usize][0]);
                }
            }
        }
        for body in bodies() {
            let [impulse, velocity] = &mut reduced[body];
            velocity.gemv(1.0, &self.reduced_slots[body].inverse, impulse, 0.0);
            sum += impulse.dot(velocity);
            // A body with several points counts once.
            impulse.fill(0.0);
        }
        for end in row.rigid.iter().flatten() {
            let slot = &self.rigid_slots[end.slot as usize];
            let lever = end.arm.cross(&row.normal);
            sum += slot.inverse_mass + lever.dot(&(slot.inverse_inertia * lever));
        }
        sum
    }

    /// Computes the inverse masses of all rows.
    pub(in crate::explicit::contact) fn weigh(&mut self) {
        let mut inverse_masses = std::mem::take(&mut self.inverse_masses);
        inverse_masses.clear();
        inverse_masses.extend(self.rows.iter().map(|row| self.inverse_mass_of(row)));
        self.inverse_masses = inverse_masses;
    }

    /// Factor of the gap of a row in units of equal tolerances.
    pub(in crate::explicit::contact) fn scale(&self, row: usize) -> f64 {
        self.scales.get(row).copied().unwrap_or(1.0)
    }

    /// The inverse of the effective mass of the gap of a row \[1/kg\], after [`Rows::weigh`].
    pub(in crate::explicit::contact) fn inverse_mass(&self, row: usize) -> f64 {
        self.inverse_masses[row]
    }
}

/// Gᵀ W G of a group of rows: relative velocities of gaps due to impulses along their normals \[1/kg\].
///
/// Rows and columns are multiplied by the scales of the rows: multipliers z and gaps w become z/s and s w,
/// which leaves z·w and the preconditioned steps as they are.
pub(in crate::explicit::contact) struct GroupOperator<'a> {
    pub(in crate::explicit::contact) rows: &'a Rows,
    pub(in crate::explicit::contact) group: usize,
}

impl Operator for GroupOperator<'_> {
    fn n(&self) -> usize {
        self.rows.groups.rows.of(self.group).len()
    }

    fn apply_into(&self, x: &[f64], y: &mut [f64]) {
        let rows = &self.rows.rows;
        self.rows.respond(
            self.group,
            |place, row| self.rows.scale(row) * x[place] * rows[row].normal,
            |place, row, velocity| y[place] = self.rows.scale(row) * velocity.dot(&rows[row].normal),
        );
    }

    fn diagonal_into(&self, diagonal: &mut [f64]) {
        let rows = self.rows.groups.rows.of(self.group).iter().map(|&row| row as usize);
        let entry = |row: usize| self.rows.scale(row).powi(2) * self.rows.inverse_mass(row);
        rows.zip(diagonal).for_each(|(row, d)| *d = entry(row));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RowStart, Slot};
    use super::*;

    /// A chord of a spline of degree 2 on another one: the middle control point of each is in both ends.
    #[test]
    fn the_diagonal_of_rows_on_splines_is_that_of_the_matrix() {
        let inverses = [[2.0, 3.0, 4.0], [0.5, 0.7, 0.9], [1.5, 1.0, 0.3], [0.2, 0.4, 0.6]];
        let slot = |(point, inverse)| Slot { body: 0, point, response: Response::Point(inverse) };
        let mut rows = Rows::default();
        rows.slots.extend((0..).zip(inverses).map(slot));
        let normal = Vector3::new(0.36, 0.48, 0.8);
        for weights in [[0.3, 0.25, 0.7, 0.15], [0.9, -0.1, 0.4, 0.2]] {
            let zeros = Vector3::zeros();
            rows.begin(RowStart {
                pair: 0,
                side: 2,
                node: 0,
                other: 0,
                bodies: [0, 1],
                normal,
                place: zeros,
                gap_now: 0.0,
                gap: 0.0,
                least: 0.0,
                slip: zeros,
                length: 1.0,
            });
            // Both ends of a chord: points 0 and 1, points 1 and 2; then the other edge.
            for ((slot, end), weight) in [(0, 0), (1, 0), (1, 0), (2, 0)].into_iter().zip(weights) {
                rows.add_entry(slot, end, weight);
            }
            for (slot, weight) in [(3, -0.4), (2, -0.1), (3, -0.5)] {
                rows.add_entry(slot, 1, weight);
            }
        }
        assert_eq!(rows.entries(&rows.rows[0]).len(), 5);
        rows.divide();
        rows.weigh();
        let operator = GroupOperator { rows: &rows, group: 0 };
        let mut diagonal = [0.0; 2];
        operator.diagonal_into(&mut diagonal);
        for k in 0..2 {
            let (mut unit, mut column) = ([0.0; 2], [0.0; 2]);
            unit[k] = 1.0;
            operator.apply_into(&unit, &mut column);
            assert!((diagonal[k] - column[k]).abs() < 1e-14 * column[k], "{k}: {diagonal:?} {column:?}");
        }
    }
}
