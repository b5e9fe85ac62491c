//! Contact of two bodies of a pair: forces at t_n, impulses, and the event.
//!
//! A pair of two named surfaces has one meeting all the time. An automatic contact has one for any two bodies
//! that touch, from their first force to the end of the event.

use carom_dynamics::{BodyMotion, ContactEvent, ContactSample, ContactTracker, ObserverError};
use nalgebra::Vector3;

use super::pair::EDGES;
use super::{Contacts, Pair};
use crate::explicit::bodies::Bodies;
use crate::explicit::which::Which;
use crate::time_loop::{self, Clock, Touch};

/// Sums over the rows of two bodies.
#[derive(Debug, Clone, Copy)]
pub(in crate::explicit) struct Meeting {
    /// Force on the first body at t_n, its normal part, and Σ |λ| x \[N\], \[N m\].
    pub(in crate::explicit) force: Vector3<f64>,
    pub(in crate::explicit) normal_force: Vector3<f64>,
    pub(in crate::explicit) pressed: (f64, Vector3<f64>),
    /// Impulse on the first body since the start \[N s\].
    impulse: Vector3<f64>,
    normal_impulse: Vector3<f64>,
    /// Smallest gap of a row with a force at t_n \[m\].
    pub(in crate::explicit) least_gap: f64,
    /// Last place of contact \[m\].
    last_place: Vector3<f64>,
    tracker: ContactTracker,
}

impl Default for Meeting {
    fn default() -> Self {
        Self {
            force: Vector3::zeros(),
            normal_force: Vector3::zeros(),
            pressed: (0.0, Vector3::zeros()),
            impulse: Vector3::zeros(),
            normal_impulse: Vector3::zeros(),
            least_gap: f64::INFINITY,
            last_place: Vector3::zeros(),
            tracker: ContactTracker::default(),
        }
    }
}

impl Meeting {
    /// Length of [`Meeting::to_array`].
    pub(in crate::explicit) const NUMBERS: usize = 9 + ContactTracker::NUMBERS;

    /// Begins a step.
    pub(super) fn begin(&mut self) {
        self.force = Vector3::zeros();
        self.normal_force = Vector3::zeros();
        self.pressed = (0.0, Vector3::zeros());
        self.least_gap = f64::INFINITY;
    }

    /// Adds the force of a row on the first body.
    pub(super) fn note(&mut self, [normal, force]: [Vector3<f64>; 2], pressed: f64, place: &Vector3<f64>) {
        self.force += force;
        self.normal_force += normal;
        self.pressed.0 += pressed;
        self.pressed.1 += pressed * place;
    }

    pub(super) fn note_gap(&mut self, gap: f64) {
        self.least_gap = self.least_gap.min(gap);
    }

    /// Updates the event at t_n; returns it once it is over.
    ///
    /// * `motion` — of both bodies at a place, at t_{n−1/2}
    fn follow(
        &mut self,
        number: usize,
        [now, dt_mean]: [f64; 2],
        motion: impl Fn(&Vector3<f64>) -> [BodyMotion; 2],
    ) -> Option<ContactEvent> {
        let before = *self;
        if self.pressed.0 > 0.0 {
            self.impulse += dt_mean * self.force;
            self.normal_impulse += dt_mean * self.normal_force;
        }
        let Self { force, pressed, least_gap, .. } = *self;
        let touch = Touch { number, force, pressed, least_gap };
        let tracking = (&mut self.tracker, &mut self.last_place);
        let clock = Clock { start: now, of_force: now, length: dt_mean };
        time_loop::track(tracking, &touch, clock, |_, place| before.sample(now, place, &motion))
    }

    /// The event that is open at the end of the run.
    fn finish(
        &mut self,
        now: f64,
        motion: impl Fn(&Vector3<f64>) -> [BodyMotion; 2],
    ) -> Option<ContactEvent> {
        let sample = self.sample(now, self.last_place, motion);
        if self.pressed.0 > 0.0 {
            self.tracker.last_on();
        }
        self.tracker.finish(&sample)
    }

    fn sample(
        &self,
        time: f64,
        place: Vector3<f64>,
        motion: impl Fn(&Vector3<f64>) -> [BodyMotion; 2],
    ) -> ContactSample {
        ContactSample {
            time,
            place,
            bodies: motion(&place),
            impulse: self.impulse,
            normal_impulse: self.normal_impulse,
            ..ContactSample::default()
        }
    }

    /// All numbers but those of the present step, for checkpoints.
    pub(in crate::explicit) fn to_array(self) -> [f64; Self::NUMBERS] {
        let mut array = [0.0; Self::NUMBERS];
        let (vectors, tracker) = array.split_at_mut(9);
        for (to, from) in vectors.chunks_mut(3).zip([&self.impulse, &self.normal_impulse, &self.last_place]) {
            to.copy_from_slice(from.as_slice());
        }
        tracker.copy_from_slice(&self.tracker.to_array());
        array
    }

    /// The inverse of [`Meeting::to_array`].
    pub(in crate::explicit) fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let vector = |i: usize| Vector3::from_column_slice(&array[i..i + 3]);
        let tracker = array[9..].first_chunk().map(ContactTracker::from_array).unwrap_or_default();
        Self {
            impulse: vector(0),
            normal_impulse: vector(3),
            last_place: vector(6),
            tracker,
            ..Self::default()
        }
    }
}

impl Pair {
    /// The meeting of two bodies of an automatic contact, or the only one of a pair, and the sign of a force
    /// on the node in it; none for a body that touches itself.
    ///
    /// * `bodies` — numbers of the bodies of the node and of the face
    /// * `side` — of the node
    pub(super) fn meeting(&mut self, [node, face]: [u32; 2], side: usize) -> Option<(&mut Meeting, f64)> {
        if !self.is_automatic {
            // The scenario's first body has the node of side 0, unless the ends are turned; and the first
            // edge.
            let is_first = if side == EDGES { true } else { (side == 0) != self.is_turned };
            let sign = if is_first { 1.0 } else { -1.0 };
            return Some((self.meetings.entry(self.bodies).or_default(), sign));
        }
        if node == face {
            return None;
        }
        let ends = [node.min(face), node.max(face)].map(|body| body as usize);
        Some((self.meetings.entry(ends).or_default(), if node < face { 1.0 } else { -1.0 }))
    }

    /// The force on the first body of a pair and its normal part; zero for an automatic contact \[N\].
    pub(in crate::explicit) fn forces(&self) -> [Vector3<f64>; 2] {
        let only = self.meetings.get(&self.bodies).filter(|_| !self.is_automatic);
        only.map_or([Vector3::zeros(); 2], |meeting| [meeting.force, meeting.normal_force])
    }
}

impl Contacts {
    /// Updates the contact events at t_n.
    ///
    /// * `take` — receives the events that are over
    pub(in crate::explicit) fn follow(
        &mut self,
        bodies: &Bodies,
        [now, dt_mean]: [f64; 2],
        mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
    ) -> Result<(), ObserverError> {
        for pair in &mut self.pairs {
            let (number, is_automatic) = (pair.number, pair.is_automatic);
            for (ends, meeting) in &mut pair.meetings {
                if !is_automatic {
                    meeting.least_gap = pair.least_gap;
                }
                let motion = |place: &Vector3<f64>| motions(bodies, *ends, place);
                if let Some(event) = meeting.follow(number, [now, dt_mean], motion) {
                    take(ContactEvent { bodies: is_automatic.then_some(*ends), ..event })?;
                }
            }
            if is_automatic {
                pair.meetings.retain(|_, meeting| meeting.tracker.event.is_some());
            }
        }
        Ok(())
    }

    /// Ends the events that are open at the end of the run.
    pub(in crate::explicit) fn finish_events(
        &mut self,
        bodies: &Bodies,
        now: f64,
        mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
    ) -> Result<(), ObserverError> {
        for pair in &mut self.pairs {
            for (ends, meeting) in &mut pair.meetings {
                if let Some(event) = meeting.finish(now, |place| motions(bodies, *ends, place)) {
                    take(ContactEvent { bodies: pair.is_automatic.then_some(*ends), ..event })?;
                }
            }
        }
        Ok(())
    }
}

/// Motions of two bodies at t_{n−1/2}, seen from a place.
fn motions(bodies: &Bodies, ends: [usize; 2], place: &Vector3<f64>) -> [BodyMotion; 2] {
    ends.map(|body| match (bodies.which[body], &bodies.rigid) {
        (Which::Flexible(k), _) => bodies.flexible[k].motion(place),
        (Which::Rigid(k), Some(rigid)) => rigid.motion(k, place),
        (Which::Rigid(_), None) => BodyMotion::default(),
    })
}
