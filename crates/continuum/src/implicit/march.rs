//! The run step by step, for the time loop of all schemes.

use carom_dynamics::{Checkpoint, ContactSample, ContactTracker, Observer};
use carom_progress::Progress;
use nalgebra::Vector3;

use super::body::ElasticBody;
use super::contact::Pair;
use super::simulation::{Settings, Simulation};
use super::system::Elastodynamics;
use super::{RunError, StepsError};
use crate::time_loop::{self, Clock, March, Taken, Touch, Touching};

impl March for Simulation {
    type Error = StepsError;

    const REPORT: u64 = 4;

    fn clock(&self) -> (f64, u64) {
        (self.time, self.n_steps)
    }

    fn end_time(&self) -> f64 {
        self.settings.end_time
    }

    fn begin(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if self.record.outputs == 0 {
            self.hand_over(observer)?;
            self.sample(observer)?;
        }
        Ok(())
    }

    fn step(&mut self, observer: &mut dyn Observer, progress: &dyn Progress) -> Result<Taken, RunError> {
        let Settings { end_time, time_step, output_every, .. } = self.settings;
        // The remainder is rounding, or a further step.
        if end_time - self.time <= 1e-9 * time_step {
            return Ok(Taken::End);
        }
        let length = match self.advance(progress) {
            Err(error) if error.is_interrupted() => return Ok(Taken::Interrupted),
            taken => taken?,
        };
        let Elastodynamics { bodies, contacts, .. } = &mut self.system;
        let now = self.time;
        let clock = Clock::of_middle(now, length);
        let sample = |pair: &Pair, is_before: bool, place| {
            sample(pair, bodies, (if is_before { clock.start } else { now }, is_before), place)
        };
        let take = |event| self.record.take(observer, event);
        time_loop::follow(contacts.pairs.iter_mut(), clock, sample, take)?;
        if self.record.is_due(now, time_step, output_every) {
            self.hand_over(observer)?;
        }
        if !self.probes.is_empty() {
            self.sample(observer)?;
        }
        Ok(Taken::Step)
    }

    fn checkpoint(&self) -> Checkpoint {
        Simulation::checkpoint(self)
    }

    fn finish(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Elastodynamics { bodies, contacts, .. } = &mut self.system;
        let now = self.time;
        let sample = |pair: &Pair, is_before, place| sample(pair, bodies, (now, is_before), place);
        let take = |event| self.record.take(observer, event);
        time_loop::finish(contacts.pairs.iter_mut(), sample, take)?;
        if self.record.has_frame_at(self.n_steps) {
            return Ok(());
        }
        self.hand_over(observer)
    }
}

impl Touching for Pair {
    fn touch(&self) -> Touch {
        let Self { number, force, pressed, least_gap, .. } = *self;
        Touch { number, force, pressed, least_gap }
    }

    fn tracking(&mut self) -> (&mut ContactTracker, &mut Vector3<f64>) {
        (&mut self.tracker, &mut self.last_place)
    }
}

/// Motions of both bodies of a pair, at present or before the last step.
fn sample(
    pair: &Pair,
    bodies: &[ElasticBody],
    (time, is_before): (f64, bool),
    place: Vector3<f64>,
) -> ContactSample {
    let [impulse, normal_impulse] =
        if is_before { pair.impulses_before } else { [pair.impulse, pair.normal_impulse] };
    ContactSample {
        time,
        place,
        bodies: pair.bodies.map(|body| bodies[body].motion(&place, is_before)),
        impulse,
        normal_impulse,
        ..ContactSample::default()
    }
}
