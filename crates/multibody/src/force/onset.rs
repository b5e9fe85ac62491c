//! Steps that end where a stop is reached or left: its force has a kink there, and a long step could pass
//! over it.
//!
//! Such a step ends with a gap that is zero but for rounding, of either sign. Whether a stop is passed is
//! therefore remembered from event to event: a stop that has been reached is not reached again, and left only
//! where the coordinate comes out of it.

use carom_integrate::{Attempt, locate_crossing};

use super::Elements;
use crate::outcome::RunError;
use crate::simulation::Simulation;
use crate::system_error::RateError;
use crate::within_step::at;

/// A stop: the number of its element, and 0 for the lower or 1 for the upper one.
type Stop = (usize, usize);

impl Simulation {
    /// Number of events of stops: one for each side of each element.
    fn stops(&self) -> usize {
        2 * self.system.elements.all.len()
    }

    /// The first stop but `known` whose gap changes its sign within the attempt, and when. Events of stops
    /// are numbered behind the pairs.
    pub(crate) fn first_stop(
        &mut self,
        attempt: &Attempt,
        known: Option<usize>,
    ) -> Result<Option<(usize, f64)>, RunError> {
        let pairs = self.memory.len();
        let mut first: Option<(usize, f64)> = None;
        for event in 0..self.stops() {
            let stop = (event / 2, event % 2);
            let start = self.system.elements.memory[stop.0].gaps[stop.1];
            if !start.is_finite() || known == Some(pairs + event) {
                continue;
            }
            let end = if self.strayed {
                self.stop_gap(attempt.end, stop).map_err(|source| at(attempt, source))?
            } else {
                // The last rate was that of the end.
                self.system.elements.gaps[stop.0][stop.1]
            };
            // After a cut step the sign at the start is that of rounding: an opposite sign at the end is then
            // no news.
            if (start < 0.0) == (end < 0.0) || self.system.elements.passed[stop.0][stop.1] == (end < 0.0) {
                continue;
            }
            self.integrator.prepare_dense(&mut self.system)?;
            self.strayed = true;
            let width = 1e-10 * attempt.step();
            let crossing = locate_crossing((attempt.start, start), (attempt.end, end), width, |time| {
                self.stop_gap(time, stop)
            })
            .map_err(|source| at(attempt, source))?;
            if first.is_none_or(|(_, time)| crossing.after < time) {
                first = Some((pairs + event, crossing.after));
            }
        }
        Ok(first)
    }

    /// Takes down which stops are passed at the end of an accepted step, that of the event it was cut to by
    /// the event.
    pub(crate) fn note_stops(&mut self, aimed: Option<usize>) {
        let pairs = self.memory.len();
        let Elements { memory, passed, .. } = &mut self.system.elements;
        for (number, (memory, passed)) in memory.iter().zip(passed).enumerate() {
            for side in 0..2 {
                let is_event = aimed == Some(pairs + 2 * number + side);
                passed[side] = if is_event { !passed[side] } else { memory.gaps[side] < 0.0 };
            }
        }
    }

    /// What is left to a stop at a time within the attempt.
    fn stop_gap(&mut self, time: f64, (element, side): Stop) -> Result<f64, RateError> {
        self.integrator.interpolate(time, &mut self.inside);
        self.strayed = true;
        self.system.set_state(&self.inside)?;
        Ok(self.system.elements.memory_at(element, &self.system.bodies_at(&self.inside)).gaps[side])
    }
}
