//! The run step by step, for the time loop of all schemes.

use carom_dynamics::{Checkpoint, ContactTracker, Observer};
use carom_progress::Progress;
use nalgebra::Vector3;

use super::contact::{History, Pair};
use super::simulation::{Settings, Simulation};
use super::system::System;
use super::{RunError, StepError};
use crate::time_loop::{self, Clock, March, Taken, Touch, Touching};

impl March for Simulation {
    type Error = StepError;

    const REPORT: u64 = 16;

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

    fn step(&mut self, observer: &mut dyn Observer, _: &dyn Progress) -> Result<Taken, RunError> {
        let Settings { end_time, time_step, output_every, .. } = self.settings;
        // The remainder is rounding, or a further step.
        if end_time - self.time <= 1e-6 * time_step {
            return Ok(Taken::End);
        }
        let length = self.advance()?;
        let System { bodies, contacts, .. } = &mut self.system;
        let now = self.time;
        let clock = Clock::of_middle(now, length);
        let sample = |pair: &Pair, is_before: bool, place| {
            pair.sample(bodies, (if is_before { clock.start } else { now }, is_before), place)
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
        let System { bodies, contacts, .. } = &mut self.system;
        let now = self.time;
        let sample = |pair: &Pair, is_before, place| pair.sample(bodies, (now, is_before), place);
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
        let History { force, pressed, least_gap, .. } = self.history;
        Touch { number: self.number, force, pressed, least_gap }
    }

    fn tracking(&mut self) -> (&mut ContactTracker, &mut Vector3<f64>) {
        (&mut self.history.tracker, &mut self.history.last_place)
    }
}
