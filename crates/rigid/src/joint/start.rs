//! Joints at given states: checks of the start, and the smallest change that closes them.

use carom_dynamics::rotation;
use nalgebra::{Matrix3, Vector3};

use super::coordinate::Coordinate;
use super::repeated::Repeated;
use super::{Given, Joint, JointError, Joints, Place, Row, RowNow};
use crate::body::RigidBody;
use crate::elimination;
use crate::state::State;

/// Error of an equation at the start, relative to the size of the joint, up to which bodies are moved without
/// an error: figures of a scenario have some six digits.
const PLACED: f64 = 1e-6;

/// Error of an equation that counts as round-off, relative to the size of the joint.
const CLOSED: f64 = 1e-14;

const MAX_ITERATIONS: usize = 20;

/// Bodies at their states.
pub(crate) struct AtRest<'a> {
    pub(crate) joints: &'a Joints,
    pub(crate) bodies: &'a [RigidBody],
    /// For the values of motions \[s\].
    pub(crate) time: f64,
    /// Rows that are left out.
    pub(crate) repeated: &'a Repeated,
}

/// A row at the present places.
struct Placed<'a> {
    joint: &'a Joint,
    /// Its number among all rows.
    number: usize,
    row: Row,
    now: RowNow,
    /// ṡ of a motion; 0 for other rows.
    given_rate: f64,
}

/// Changes of the start by motions of joints.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Displaced {
    /// Names of the joints whose motions begin elsewhere than the placed bodies, and by how much \[m or
    /// rad\]; true for a length.
    pub joints: Vec<(String, f64, bool)>,
    /// Largest displacement of a centre of mass by closing all joints \[m\].
    pub moved: f64,
}

impl AtRest<'_> {
    /// Checks that places and velocities fit the joints, and removes what rounded figures miss. Motions of
    /// joints move the bodies to their first values, and give them their first velocities.
    pub(crate) fn begin(&self, states: &mut [State]) -> Result<Displaced, JointError> {
        let mut displaced = Displaced::default();
        for joint in &self.joints.all {
            let [first, second] = self.places(joint, states);
            let size = size(joint, &first, &second);
            let (speed, turning) = self.speeds(joint, states);
            for row in &joint.rows {
                let placed = self.placed(joint, (0, row), [&first, &second]);
                let (name, is_length) = (|| joint.name.clone(), row.is_length());
                let scale = if is_length { size } else { 1.0 };
                // False for NaN.
                let meets = placed.now.value.abs() <= PLACED * scale;
                if row.is_driven() {
                    if !meets {
                        displaced.joints.push((name(), placed.now.value, is_length));
                    }
                    continue;
                }
                if !meets {
                    return Err(JointError::Open { joint: name(), gap: placed.now.value, is_length });
                }
                let rate = self.rate(&placed, states);
                let limit = PLACED * if is_length { speed } else { turning };
                let follows = rate.abs() <= limit;
                if !follows {
                    return Err(JointError::Moving { joint: name(), rate: rate.abs(), is_length });
                }
            }
        }
        let before = states.to_vec();
        self.close(states)?;
        let moved = before.iter().zip(&*states).map(|(old, new)| (new.position - old.position).norm());
        displaced.moved = moved.fold(0.0, f64::max);
        Ok(displaced)
    }

    /// The rows to leave out where the bodies are placed, with their values.
    ///
    /// # Errors
    ///
    /// [`JointError::Held`] if the row of a motion is one of them.
    pub(crate) fn choose(&self, states: &[State]) -> Result<Vec<usize>, JointError> {
        let dependent = self.dependent(states);
        match dependent.iter().find(|&&row| self.row(row).1.is_driven()) {
            Some(&row) => Err(JointError::Held { joint: self.row(row).0.name.clone() }),
            None => Ok(dependent),
        }
    }

    /// Value of a row, and the size to which it is relative.
    pub(crate) fn value(&self, number: usize, states: &[State]) -> (f64, f64) {
        let (joint, row) = self.row(number);
        let [first, second] = self.places(joint, states);
        let scale = if row.is_length() { size(joint, &first, &second) } else { 1.0 };
        (self.placed(joint, (number, row), [&first, &second]).now.value, scale)
    }

    /// Closes the joints by the smallest motion in the metric of the masses, then changes the momenta by the
    /// least amount that the joints allow.
    pub(crate) fn close(&self, states: &mut [State]) -> Result<(), JointError> {
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let rows = self.rows(states);
            let missed = self.missed(&rows, states);
            if missed.0 <= CLOSED && missed.0 >= 0.5 * last || missed.0 == 0.0 {
                break;
            }
            last = missed.0;
            let lambda = self.solve(&rows, states, |row| -row.now.value);
            self.apply(&rows, &lambda, |body, impulse, moment| {
                let (spec, state) = (&self.bodies[body], &mut states[body]);
                state.position += impulse / spec.mass;
                let turn = rotation::from_vector(&(inverse_inertia(spec, state) * moment));
                state.quaternion = rotation::product(&turn, &state.quaternion);
                rotation::normalise(&mut state.quaternion);
            });
        }
        let rows = self.rows(states);
        let (missed, joint) = self.missed(&rows, states);
        let contradiction = |joint: &Joint| Err(JointError::Contradiction { joint: joint.name.clone() });
        let is_closed = missed <= 1e3 * CLOSED;
        if !is_closed {
            return contradiction(&self.joints.all[joint]);
        }
        let opens = |&row: &usize| {
            let (value, size) = self.value(row, states);
            // False for NaN.
            let is_closed = value.abs() <= PLACED * size;
            !is_closed
        };
        if let Some(row) = self.repeated.rows().find(opens) {
            return contradiction(self.row(row).0);
        }
        // Twice: the second time removes the round-off of the first.
        for _ in 0..2 {
            let lambda = {
                let states = &*states;
                self.solve(&rows, states, |row| -self.rate(row, states))
            };
            self.apply(&rows, &lambda, |body, impulse, moment| {
                states[body].momentum += impulse;
                states[body].spin += moment;
            });
        }
        Ok(())
    }

    /// A row of a joint whose ends are at these places.
    fn placed<'b>(
        &self,
        joint: &'b Joint,
        (number, row): (usize, &Row),
        [first, second]: [&Place; 2],
    ) -> Placed<'b> {
        let (given, given_rate) = match *row {
            Row::Kept(_) => (Given::default(), 0.0),
            Row::Driven(motion, _) => {
                let at = self.joints.motions[motion].at(self.time);
                (Given { value: at.value, change: 0.0 }, at.rate)
            }
        };
        Placed { joint, number, row: *row, now: row.at(first, second, given), given_rate }
    }

    /// All rows.
    fn all_rows(&self, states: &[State]) -> Vec<Placed<'_>> {
        let of = |joint| {
            let [first, second] = self.places(joint, states);
            let joint: &Joint = joint;
            let rows = joint.rows.iter().enumerate();
            rows.map(move |(k, row)| self.placed(joint, (joint.first + k, row), [&first, &second]))
        };
        self.joints.all.iter().flat_map(of).collect()
    }

    /// The rows that are not left out.
    fn rows(&self, states: &[State]) -> Vec<Placed<'_>> {
        let mut rows = self.all_rows(states);
        rows.retain(|row| !self.repeated.has(row.number));
        rows
    }

    /// Value of a coordinate, an angle with the turns that bring it nearest to `near`, and its rate.
    pub(crate) fn along(
        &self,
        joint: &Joint,
        coordinate: Coordinate,
        near: f64,
        states: &[State],
    ) -> (f64, f64) {
        let [first, second] = self.places(joint, states);
        let now = coordinate.at(&first, &second);
        let row = Row::Driven(0, coordinate);
        let rate = self.rate(&Placed { joint, number: 0, row, now, given_rate: 0.0 }, states);
        (coordinate.counted(now.value, near), rate)
    }

    /// Joint and row of this number.
    fn row(&self, number: usize) -> (&Joint, &Row) {
        let joint = &self.joints.all[self.joint_of(number)];
        (joint, &joint.rows[number - joint.first])
    }

    /// The largest error of a row.
    pub(crate) fn largest(&self, states: &[State]) -> f64 {
        self.all_rows(states).iter().fold(0.0, |largest: f64, row| largest.max(row.now.value.abs()))
    }

    /// The largest relative error, and its joint.
    fn missed(&self, rows: &[Placed<'_>], states: &[State]) -> (f64, usize) {
        let mut worst = (0.0_f64, 0);
        for own in rows.chunk_by(|a, b| std::ptr::eq(a.joint, b.joint)) {
            let [first, second] = self.places(own[0].joint, states);
            let scale = size(own[0].joint, &first, &second);
            for Placed { number, row, now, .. } in own {
                let error = now.value.abs() / if row.is_length() { scale } else { 1.0 };
                if error > worst.0 || error.is_nan() {
                    worst = (error, self.joint_of(*number));
                }
            }
        }
        worst
    }

    /// Number of the joint of a row.
    fn joint_of(&self, row: usize) -> usize {
        self.joints.all.partition_point(|joint| joint.first <= row) - 1
    }

    /// The joint of each row that is left out, ascending.
    pub(crate) fn left_out(&self) -> Vec<usize> {
        self.repeated.rows().map(|row| self.joint_of(row)).collect()
    }

    /// Rows that those before them determine; those of motions come last.
    pub(super) fn dependent(&self, states: &[State]) -> Vec<usize> {
        let rows = self.all_rows(states);
        let n = rows.len();
        let (kept, driven): (Vec<usize>, Vec<usize>) = (0..n).partition(|&k| !rows[k].row.is_driven());
        let order = [kept, driven].concat();
        let (matrix, _) = self.matrix(&rows, states);
        let mut sorted: Vec<f64> = (0..n * n).map(|k| matrix[order[k / n] * n + order[k % n]]).collect();
        elimination::dependent(&mut sorted, n).into_iter().map(|k| order[k]).collect()
    }

    /// Rate of the sum of unit loads along itself by a unit of impulse, with the joints held: w = bᵀ M⁻¹ b −
    /// bᵀ M⁻¹ Gᵀ (G M⁻¹ Gᵀ)⁻¹ G M⁻¹ b.
    ///
    /// * `loads` — b: bodies with force and torque about the centre of mass, inertial axes
    pub(crate) fn mobility(&self, loads: &[(usize, [Vector3<f64>; 2])], states: &[State]) -> f64 {
        let moving = || loads.iter().filter(|(body, _)| !self.bodies[*body].fixed);
        let response = |body: usize, [force, torque]: &[Vector3<f64>; 2]| {
            [force / self.bodies[body].mass, inverse_inertia(&self.bodies[body], &states[body]) * torque]
        };
        let mut free = 0.0;
        for (body, load) in moving() {
            let [v, omega] = response(*body, load);
            free += moving()
                .filter(|(other, _)| other == body)
                .map(|(_, [force, torque])| v.dot(force) + omega.dot(torque))
                .sum::<f64>();
        }
        let rows = self.rows(states);
        let rate = |placed: &Placed<'_>| -> f64 {
            let of = |(side, sign): (usize, f64)| {
                let Some(own) = self.moving(placed.joint, side) else { return 0.0 };
                let loads = moving().filter(|(body, _)| *body == own);
                loads
                    .map(|(body, load)| {
                        let [v, omega] = response(*body, load);
                        sign * placed.now.direction.dot(&v) + placed.now.moments[side].dot(&omega)
                    })
                    .sum::<f64>()
            };
            [(0, 1.0), (1, -1.0)].into_iter().map(of).sum()
        };
        let lambda = self.solve(&rows, states, rate);
        let held: f64 = rows.iter().zip(lambda).map(|(row, lambda)| rate(row) * lambda).sum();
        (free - held).max(0.0)
    }

    /// G M⁻¹ Gᵀ with a diagonal of ones, and the factor of each row.
    fn matrix(&self, rows: &[Placed<'_>], states: &[State]) -> (Vec<f64>, Vec<f64>) {
        let n = rows.len();
        let mut matrix = Vec::with_capacity(n * n);
        for Placed { joint: a, now: row, .. } in rows {
            for Placed { joint: b, now: column, .. } in rows {
                let mut sum = 0.0;
                for (i, sign_i) in [(0, 1.0), (1, -1.0)] {
                    for (j, sign_j) in [(0, 1.0), (1, -1.0)] {
                        let Some(body) = self.moving(a, i).filter(|&body| b.ends[j].body == Some(body))
                        else {
                            continue;
                        };
                        let inverse = inverse_inertia(&self.bodies[body], &states[body]);
                        sum += sign_i * sign_j * row.direction.dot(&column.direction)
                            / self.bodies[body].mass
                            + row.moments[i].dot(&(inverse * column.moments[j]));
                    }
                }
                matrix.push(sum);
            }
        }
        let scale: Vec<f64> = (0..n).map(|i| 1.0 / matrix[i * n + i].sqrt().max(f64::MIN_POSITIVE)).collect();
        (0..n * n).for_each(|k| matrix[k] *= scale[k / n] * scale[k % n]);
        (matrix, scale)
    }

    /// G M⁻¹ Gᵀ λ = values.
    fn solve(&self, rows: &[Placed<'_>], states: &[State], value: impl Fn(&Placed<'_>) -> f64) -> Vec<f64> {
        let (mut matrix, scale) = self.matrix(rows, states);
        let mut values: Vec<f64> = rows.iter().zip(&scale).map(|(row, s)| value(row) * s).collect();
        elimination::solve(&mut matrix, &mut values, &mut Vec::new());
        values.iter().zip(scale).map(|(value, s)| value * s).collect()
    }

    /// Calls `change` with impulse and moment of each row on each moving body.
    fn apply(
        &self,
        rows: &[Placed<'_>],
        lambda: &[f64],
        mut change: impl FnMut(usize, Vector3<f64>, Vector3<f64>),
    ) {
        for (Placed { joint, now, .. }, lambda) in rows.iter().zip(lambda) {
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                if let Some(body) = self.moving(joint, side) {
                    change(body, (sign * lambda) * now.direction, *lambda * now.moments[side]);
                }
            }
        }
    }

    fn rate(&self, Placed { joint, now: row, given_rate, .. }: &Placed<'_>, states: &[State]) -> f64 {
        let of = |(side, sign): (usize, f64)| {
            let Some(body) = self.moving(joint, side) else { return 0.0 };
            let (spec, state) = (&self.bodies[body], &states[body]);
            sign * row.direction.dot(&state.momentum) / spec.mass
                + row.moments[side].dot(&spec.angular_velocity(state))
        };
        [(0, 1.0), (1, -1.0)].into_iter().map(of).sum::<f64>() - given_rate
    }

    /// Speeds and rates of rotation of the bodies of a joint, to which the rates of its rows are relative.
    fn speeds(&self, joint: &Joint, states: &[State]) -> (f64, f64) {
        let mut sums = (0.0, 0.0);
        for side in 0..2 {
            if let Some(body) = self.moving(joint, side) {
                let (spec, state) = (&self.bodies[body], &states[body]);
                let turning = spec.angular_velocity(state).norm();
                let arm = joint.ends[side].point.norm() + spec.gyration_radius();
                sums.0 += state.momentum.norm() / spec.mass + turning * arm;
                sums.1 += turning;
            }
        }
        sums
    }

    fn moving(&self, joint: &Joint, side: usize) -> Option<usize> {
        joint.ends[side].body.filter(|&body| !self.bodies[body].fixed)
    }

    fn places(&self, joint: &Joint, states: &[State]) -> [Place; 2] {
        joint.ends.each_ref().map(|end| match end.body {
            Some(body) => end.place(&states[body].position, &rotation::matrix(&states[body].quaternion)),
            None => end.on_ground(),
        })
    }
}

/// Length to which the errors of a joint are relative: the distances of its ends from the centres of mass and
/// from the origin, of whose coordinates they are the difference, and the radii of gyration of its bodies, as
/// the ends may be in the centre of mass and in the origin \[m\].
pub(super) fn size(joint: &Joint, first: &Place, second: &Place) -> f64 {
    let arms = joint.ends.iter().filter(|end| end.body.is_some()).map(|end| end.point.norm()).sum::<f64>();
    arms + first.position.amax().max(second.position.amax()) + joint.gyration.max(f64::MIN_POSITIVE)
}

/// A J⁻¹ Aᵀ \[1/(kg m²)\].
fn inverse_inertia(body: &RigidBody, state: &State) -> Matrix3<f64> {
    let turn = rotation::matrix(&state.quaternion);
    turn * Matrix3::from_diagonal(&body.inertia.map(|j| 1.0 / j)) * turn.transpose()
}
