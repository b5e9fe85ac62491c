//! Stops of joints: limits of a coordinate, whose impulses are found together with those of contacts.
//!
//! A stop has a gap like a contact, and a row along the coordinate of its joint in the place of a normal:
//!
//! ```text
//! g = ℓ (u − low)  or  ℓ (high − u) ,     ℓ = 1 for lengths, the radii of gyration of both bodies for angles
//! ```
//!
//! so that gaps, velocities and impulses of all rows have the same units. Hard stops are multipliers with a
//! restitution, stops with a stiffness are springs of dynamic gaps with the damping 1 + β δ̇ (`law`,
//! `spring`). A stop takes part in a step if the motion without contact closes it, as points do. A stop on
//! which a joint rests is left with at most a quarter of the velocity that presses on it in a step.
//!
//! A coordinate with a motion s(t) cannot give way to a hard stop, nor the stop to it: the stop has no row,
//! and the run ends at the time at which s(t) passes it ([`Unsolved::MotionBeyondStop`]).

use carom_dynamics::{JointAction, TimeFunction, rotation};
use nalgebra::Vector3;

use crate::contact::Contact;
use crate::joint::coordinate::{Coordinate, StopLaw, StopSpec};
use crate::joint::solver::{at_end, at_middle, places};
use crate::joint::{Joint, JointError, Joints, Place, Row, RowNow};
use crate::search::{RETURN, RETURN_LIMIT, Step};
use crate::spring::potential;
use crate::stage::Stage;
use crate::step_error::Unsolved;

/// Depth at the start that counts as touching, over the radii of gyration, as figures are rounded.
const PLACED: f64 = 1e-6;

/// Gap over the radii of gyration that may be the rounding of a joint that rests on its stop: whether the
/// stop acts is decided with the other contacts.
const ROUNDED: f64 = 1e-9;

/// The stops of one coordinate with their memory; of the two sides, the lower one comes first.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    joint: usize,
    coordinate: Coordinate,
    spec: StopSpec,
    /// Number of the motion that its coordinate follows.
    motion: Option<usize>,
    /// ℓ: 1 for lengths \[–\], a length for angles \[m\].
    arm: f64,
    /// u at the start of the step, with full turns \[m or rad\].
    value: f64,
    /// Dynamic gaps, infinite while open \[m\].
    gaps: [f64; 2],
    /// Force along the coordinate in the last step \[N or N m\].
    force: f64,
    /// Force on the second body in the last step, and its torque about the first end \[N\], \[N m\].
    wrench: [Vector3<f64>; 2],
    /// The first end in the middle of the step \[m\].
    first: Vector3<f64>,
    /// The point about which the moments of the first body are \[m\].
    center: Vector3<f64>,
}

/// The stops of a system.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stops {
    all: Vec<Stop>,
    /// Energy that dampers of stops have taken \[J\].
    pub(crate) damping: f64,
}

impl Stop {
    fn new(joints: &Joints, (joint, coordinate, spec): (usize, Coordinate, StopSpec)) -> Self {
        let arm = if coordinate.is_angle() { joints.all[joint].gyration } else { 1.0 };
        let motion = joints.all[joint].rows.iter().find_map(|row| match *row {
            Row::Driven(motion, driven) if driven == coordinate => Some(motion),
            _ => None,
        });
        let zero = Vector3::zeros();
        Self {
            joint,
            coordinate,
            spec,
            motion,
            arm,
            value: 0.0,
            gaps: [f64::INFINITY; 2],
            force: 0.0,
            wrench: [zero; 2],
            first: zero,
            center: zero,
        }
    }

    /// Numbers of [`Stop::memory`].
    const NUMBERS: usize = 10;

    fn memory(&self) -> [f64; Self::NUMBERS] {
        let [[x, y, z], [u, v, w]] = self.wrench.map(<[f64; 3]>::from);
        let [low, high] = self.gaps;
        [self.value, low, high, self.force, x, y, z, u, v, w]
    }

    fn remember(&mut self, &[value, low, high, force, x, y, z, u, v, w]: &[f64; Self::NUMBERS]) {
        (self.value, self.gaps, self.force) = (value, [low, high], force);
        self.wrench = [Vector3::new(x, y, z), Vector3::new(u, v, w)];
    }

    /// Gap of a side at a value \[m\].
    fn gap(&self, side: usize, value: f64) -> f64 {
        self.arm * if side == 0 { value - self.spec.low } else { self.spec.high - value }
    }

    /// k/ℓ² \[N/m\] and β/ℓ \[s/m\]; 0 of hard stops.
    fn spring(&self) -> (f64, f64) {
        match self.spec.law {
            StopLaw::Hard { .. } => (0.0, 0.0),
            StopLaw::Spring { stiffness, damping } => (stiffness / (self.arm * self.arm), damping / self.arm),
        }
    }

    /// Value at two places, with the turns of the step before.
    fn value_at(&self, [first, second]: &[Place; 2]) -> f64 {
        self.coordinate.counted(self.coordinate.at(first, second).value, self.value)
    }

    fn energy(&self) -> f64 {
        self.gaps.iter().map(|&gap| potential(self.spring().0, gap)).sum()
    }

    fn is_hard(&self) -> bool {
        matches!(self.spec.law, StopLaw::Hard { .. })
    }

    /// The error if the motion of the coordinate passes the stop in a step.
    ///
    /// The largest and the smallest value of a smooth motion in a step are at its ends, or where its rate
    /// changes its sign.
    fn check_motion(&self, motion: &TimeFunction, step: &Step<'_>) -> Result<(), Unsolved> {
        let joint = &step.joints.all[self.joint];
        let [start, end] = [step.time, step.time + step.dt];
        let sign = motion.at(start).rate.signum();
        let turns = sign * motion.at(end).rate < 0.0;
        let turn = turns.then(|| last_with([start, end], |time| sign * motion.at(time).rate >= 0.0));
        for (side, limit) in [self.spec.low, self.spec.high].into_iter().enumerate() {
            let is_within = |time: f64| self.gap(side, motion.at(time).value) >= -ROUNDED * joint.gyration;
            if let Some(passed) = turn.into_iter().chain([end]).find(|&time| !is_within(time)) {
                let time = last_with([start, passed], is_within);
                return Err(Unsolved::MotionBeyondStop {
                    joint: joint.name.clone(),
                    time,
                    limit,
                    rate: motion.at(time).rate,
                    is_length: !self.coordinate.is_angle(),
                });
            }
        }
        Ok(())
    }

    /// Adds the sides that the motion without contact closes, and those that are closed.
    fn look(&mut self, number: usize, stages: &mut [Stage], step: &Step<'_>, contacts: &mut Vec<Contact>) {
        (self.force, self.wrench) = (0.0, [Vector3::zeros(); 2]);
        let joint = &step.joints.all[self.joint];
        let end = self.value_at(&places(joint, step, |end, body| at_end(end, &stages[body], body, step)));
        let (stiffness, damping) = self.spring();
        let margin = match self.spec.law {
            // Bodies in front of a stop may fall together, as those that touch each other do.
            StopLaw::Hard { .. } => 2.0 * step.gravity.norm() * step.dt * step.dt + ROUNDED * joint.gyration,
            StopLaw::Spring { .. } => 0.0,
        };
        for side in 0..2 {
            let [gap_start, gap_new] = [self.value, end].map(|value| self.gap(side, value));
            // False for NaN, and for a side without a stop.
            if !(gap_new < margin || self.gaps[side] < 0.0) {
                continue;
            }
            let [first, second] = places(joint, step, |end, body| at_middle(end, &stages[body], body, step));
            (self.first, self.center) = (first.position, first.center);
            let sign = if side == 0 { self.arm } else { -self.arm };
            let middle = scaled(self.coordinate.at(&first, &second), sign);
            let point = second.position;
            let mut contact = Contact {
                key: [u32::MAX, number as u32, side as u32],
                slot: 2 * number + side,
                bodies: joint.ends.each_ref().map(|end| end.body),
                arms: [point - first.center, point - second.center],
                gap_new,
                stiffness,
                damping,
                ..Contact::default()
            };
            if self.coordinate.is_angle() {
                contact.directions = [Vector3::zeros(), Vector3::x(), Vector3::y()];
                contact.couple = middle.moments[0];
            } else {
                contact.set_normal(middle.direction);
            }
            match self.spec.law {
                StopLaw::Hard { restitution } => {
                    (contact.restitution, contact.gap_old) = (restitution, gap_start.min(0.0));
                    contact.rests = restitution < 1.0;
                    if contact.rests {
                        let old = |stage: &Stage| (stage.velocity_old, stage.omega_old);
                        let new = |stage: &Stage| (stage.velocity, stage.turn.omega_b);
                        let [before, after] =
                            [rate(joint, &middle, stages, old), rate(joint, &middle, stages, new)];
                        let limit = RETURN_LIMIT * (before - after).max(0.0);
                        let back = (RETURN * gap_start / step.dt).clamp(-limit, limit);
                        let [first, second] = at_start(joint, step);
                        let start = scaled(self.coordinate.at(&first, &second), sign);
                        contact.lasting = back - rate(joint, &start, stages, old);
                        contact.rising = (-back).max(0.0);
                    }
                }
                StopLaw::Spring { .. } => {
                    // A gap that is closed before its spring is active would create energy.
                    contact.gap_old =
                        if self.gaps[side] < 0.0 { self.gaps[side] } else { gap_start.max(0.0) };
                }
            }
            for body in contact.bodies.into_iter().flatten() {
                stages[body].touch(&step.states[body]);
            }
            contacts.push(contact);
        }
    }

    /// Takes the impulse of a side.
    fn book(&mut self, contact: &Contact, dt: f64) {
        let side = contact.slot % 2;
        if !contact.is_multiplier() {
            let is_closed = contact.gap_new < 0.0;
            self.gaps[side] = if is_closed { contact.gap_new } else { f64::INFINITY };
        }
        let sign = if side == 0 { self.arm } else { -self.arm };
        self.force += sign * contact.impulse[0] / dt;
        let impulse = contact.total_impulse();
        let moment = contact.arms[0].cross(&impulse) + contact.impulse[0] * contact.couple;
        self.wrench[0] -= impulse / dt;
        self.wrench[1] -= (moment + (self.center - self.first).cross(&impulse)) / dt;
    }
}

impl Stops {
    /// The stops of the joints at the start.
    ///
    /// # Errors
    ///
    /// [`JointError::Beyond`] if a coordinate starts beyond a hard stop, [`JointError::MotionBeyond`] if its
    /// motion does.
    pub(crate) fn new(joints: &Joints, step: &Step<'_>) -> Result<Self, JointError> {
        let mut stops = Self::default();
        for &spec in &joints.stops {
            let mut stop = Stop::new(joints, spec);
            let joint = &joints.all[stop.joint];
            // A motion counts turns too.
            stop.value = stop.motion.map_or(0.0, |motion| joints.motions[motion].at(step.time).value);
            stop.value = stop.value_at(&at_start(joint, step));
            let is_length = !stop.coordinate.is_angle();
            for (side, limit) in [stop.spec.low, stop.spec.high].into_iter().enumerate() {
                let gap = stop.gap(side, stop.value);
                if stop.is_hard() && gap < -PLACED * joint.gyration {
                    let (joint, value) = (joint.name.clone(), stop.value);
                    return Err(match stop.motion {
                        Some(_) => JointError::MotionBeyond { joint, value, limit, is_length },
                        None => JointError::Beyond { joint, value, limit, is_length },
                    });
                }
                if !stop.is_hard() && gap < 0.0 {
                    stop.gaps[side] = gap;
                }
            }
            stops.all.push(stop);
        }
        Ok(stops)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Finds the stops that act in a step, after the motion without contact.
    ///
    /// # Errors
    ///
    /// [`Unsolved::MotionBeyondStop`] if a motion passes a hard stop.
    pub(crate) fn look(
        &mut self,
        stages: &mut [Stage],
        step: &Step<'_>,
        contacts: &mut Vec<Contact>,
    ) -> Result<(), Unsolved> {
        for (number, stop) in self.all.iter_mut().enumerate() {
            match stop.motion.filter(|_| stop.is_hard()) {
                Some(motion) => stop.check_motion(&step.joints.motions[motion], step)?,
                None => stop.look(number, stages, step, contacts),
            }
        }
        Ok(())
    }

    /// Takes the impulse of a stop, with what its damper loses.
    pub(crate) fn book(&mut self, contact: &Contact, dt: f64) {
        self.all[contact.slot / 2].book(contact, dt);
        if !contact.is_multiplier() {
            let [old, new] = [contact.gap_old, contact.gap_new].map(|gap| potential(contact.stiffness, gap));
            self.damping += old - new - contact.work(0);
        }
    }

    /// Takes the coordinates of the end of a step.
    pub(crate) fn follow(&mut self, step: &Step<'_>) {
        for stop in &mut self.all {
            stop.value = stop.value_at(&at_start(&step.joints.all[stop.joint], step));
        }
    }

    /// Energy in the springs of stops \[J\].
    pub(crate) fn energy(&self) -> f64 {
        self.all.iter().map(Stop::energy).sum()
    }

    /// Joint, coordinate, value, force along it, force on the second body and torque about the first end of
    /// each stop in the last step.
    pub(crate) fn states(&self) -> impl Iterator<Item = (usize, Coordinate, JointAction, [Vector3<f64>; 2])> {
        self.all.iter().map(|stop| {
            let action = JointAction { value: stop.value, stop: Some(stop.force), ..JointAction::default() };
            (stop.joint, stop.coordinate, action, stop.wrench)
        })
    }

    /// All numbers, for checkpoints and snapshots.
    pub(crate) fn memory(&self) -> impl Iterator<Item = f64> + '_ {
        std::iter::once(self.damping).chain(self.all.iter().flat_map(Stop::memory))
    }

    /// Count of the numbers.
    pub(crate) fn n_numbers(&self) -> usize {
        1 + self.all.len() * Stop::NUMBERS
    }

    pub(crate) fn remember(&mut self, numbers: &[f64]) {
        let Some((&damping, numbers)) = numbers.split_first() else { return };
        self.damping = damping;
        let arrays = numbers.as_chunks::<{ Stop::NUMBERS }>().0;
        self.all.iter_mut().zip(arrays).for_each(|(stop, numbers)| stop.remember(numbers));
    }
}

/// The last time between two times at which something holds that holds at the first one and not at the second
/// \[s\].
fn last_with([mut holds, mut fails]: [f64; 2], is_true: impl Fn(f64) -> bool) -> f64 {
    // As many halvings as a number has bits.
    for _ in 0..f64::MANTISSA_DIGITS {
        let middle = 0.5 * (holds + fails);
        if is_true(middle) { holds = middle } else { fails = middle }
    }
    holds
}

/// The places of both ends at the states of a step.
fn at_start(joint: &Joint, step: &Step<'_>) -> [Place; 2] {
    places(joint, step, |end, body| {
        let state = &step.states[body];
        end.place(&state.position, &rotation::matrix(&state.quaternion))
    })
}

fn scaled(row: RowNow, by: f64) -> RowNow {
    RowNow { direction: by * row.direction, moments: row.moments.map(|moment| by * moment), ..row }
}

/// Rate of a row by velocities, and angular velocities in the axes of the bodies at the start of the step.
fn rate(
    joint: &Joint,
    row: &RowNow,
    stages: &[Stage],
    of: impl Fn(&Stage) -> (Vector3<f64>, Vector3<f64>),
) -> f64 {
    let side = |(side, sign): (usize, f64)| {
        let Some(body) = joint.ends[side].body else { return 0.0 };
        let (v, omega_b) = of(&stages[body]);
        sign * row.direction.dot(&v) + row.moments[side].dot(&(stages[body].rot_ib * omega_b))
    };
    [(0, 1.0), (1, -1.0)].into_iter().map(side).sum()
}
