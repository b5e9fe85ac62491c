//! What happens within a step: first touches and partings, peaks of the force, outputs.

use crate::outcome::RunError;
use crate::scales::gap_rounding;
use crate::simulation::{Simulation, Taken};
use carom_dynamics::Observer;
use carom_integrate::{Attempt, IntegrateError, locate_crossing};

/// Impacts after which frames are those of `output_every` alone: a body that chatters would fill the disk.
const MAX_IMPACTS: usize = 24;

/// Frames are so much denser than the wanted number in an impact by Hertz, as bodies with waves part a little
/// earlier.
const MARGIN: f64 = 1.25;

/// The next place after `after` in the series 1, 2, … n, n + 2, n + 4, … 3 n, 3 n + 4, …, whose steps double
/// every n places: contact that lasts gets few frames. None where the steps reach `widest`.
fn place_in_series(after: f64, n: usize, widest: f64) -> Option<f64> {
    // A place that was reached but for rounding is not the next one.
    const ROUNDING: f64 = 1e-6;
    let (mut base, mut step) = (0.0, 1.0);
    while step < widest {
        let end = base + n as f64 * step;
        let next = base + step * (((after - base) / step + ROUNDING).floor().max(0.0) + 1.0);
        if next <= end {
            return Some(next);
        }
        (base, step) = (end, 2.0 * step);
    }
    None
}

impl Simulation {
    /// Attempts a step up to `latest`. If a pair touches or parts within it, or a stop is reached or left,
    /// the step is taken again to end there: forces have a kink at that moment, and the times of impacts are
    /// results.
    pub(crate) fn attempt_to_event(&mut self, mut latest: f64) -> Result<Taken, RunError> {
        let mut aimed = None;
        loop {
            let attempt = self
                .integrator
                .attempt(&mut self.system, self.time, &self.y, latest)
                .map_err(|source| self.no_step(source))?;
            self.strayed = !self.settings.integrator.ends_at_the_end();
            let reached = aimed.filter(|_| attempt.end == latest);
            let change = self.first_change(&attempt, reached)?;
            let stop = self.first_stop(&attempt, reached)?;
            let events = [change, stop].into_iter().flatten();
            match events.min_by(|a, b| a.1.total_cmp(&b.1)) {
                Some((event, time)) if time > attempt.start && time < attempt.end => {
                    latest = time;
                    aimed = Some(event);
                }
                _ => return Ok(Taken { attempt, aimed: reached }),
            }
        }
    }

    /// The first pair but `known` whose free gap changes its sign within the attempt, and when.
    fn first_change(
        &mut self,
        attempt: &Attempt,
        known: Option<usize>,
    ) -> Result<Option<(usize, f64)>, RunError> {
        let mut first: Option<(usize, f64)> = None;
        for pair in 0..self.memory.len() {
            if self.strayed {
                // An earlier pair was followed through the step: back to its end.
                self.evaluate_within(attempt.end).map_err(|source| at(attempt, source))?;
            }
            let (start, end) = (self.memory[pair].gap, self.system.reactions[pair].free_gap);
            // After a cut step the sign at the start is that of round-off: an opposite sign at the end is
            // then no news, or the whole step lies on one side.
            let turns = (start < 0.0) != (end < 0.0) && self.trackers[pair].touching != (end < 0.0);
            let is_noise = start.abs().max(end.abs()) <= gap_rounding(&self.system, pair);
            if known == Some(pair) || !turns || !start.is_finite() || is_noise {
                continue;
            }
            self.integrator.prepare_dense(&mut self.system)?;
            self.strayed = true;
            let width = 1e-10 * attempt.step();
            let crossing = locate_crossing((attempt.start, start), (attempt.end, end), width, |time| {
                self.evaluate_within(time)?;
                Ok(self.system.reactions[pair].free_gap)
            })
            .map_err(|source| at(attempt, source))?;
            if first.is_none_or(|(_, time)| crossing.after < time) {
                first = Some((pair, crossing.after));
            }
        }
        Ok(first)
    }

    /// Finds the peak of the force where it may lie within the step, to second order of a sixteenth of it.
    pub(crate) fn observe_peaks(&mut self, taken: &Taken) -> Result<(), RunError> {
        let attempt = taken.attempt;
        for pair in 0..self.memory.len() {
            if !self.trackers[pair].touching {
                continue;
            }
            if self.strayed {
                self.evaluate_within(attempt.end).map_err(|source| at(&attempt, source))?;
            }
            let end = self.system.reactions[pair].normal_force;
            if !self.memory[pair].may_peak(attempt.end, end) {
                continue;
            }
            self.integrator.prepare_dense(&mut self.system)?;
            self.strayed = true;
            let mut best = (attempt.end, end);
            let mut spacing = 0.25 * attempt.step();
            for i in 0..4 {
                let force = self.force_at(&attempt, pair, attempt.start + f64::from(i) * spacing)?;
                best = larger(best, force);
            }
            for _ in 0..2 {
                spacing *= 0.5;
                // A parabola through three points around the best, all within the step.
                let centre = best.0.clamp(attempt.start + spacing, attempt.end - spacing);
                let points = [centre - spacing, centre, centre + spacing];
                let mut forces = [0.0; 3];
                for (force, time) in forces.iter_mut().zip(points) {
                    let found = self.force_at(&attempt, pair, time)?;
                    *force = found.1;
                    best = larger(best, found);
                }
                let bend = forces[0] - 2.0 * forces[1] + forces[2];
                if bend < 0.0 {
                    let vertex = centre + 0.5 * spacing * (forces[0] - forces[2]) / bend;
                    let vertex = vertex.clamp(attempt.start, attempt.end);
                    best = larger(best, self.force_at(&attempt, pair, vertex)?);
                }
            }
        }
        Ok(())
    }

    /// Time and force within the attempt, told to the tracker.
    fn force_at(&mut self, attempt: &Attempt, pair: usize, time: f64) -> Result<(f64, f64), RunError> {
        let time = time.min(attempt.end);
        self.evaluate_within(time).map_err(|source| at(attempt, source))?;
        let reaction = &self.system.reactions[pair];
        let force = reaction.normal_force;
        self.trackers[pair].observe(time, force, -reaction.free_gap);
        Ok((time, force))
    }

    /// Hands over the frames whose times lie within the step.
    pub(crate) fn hand_over_outputs(
        &mut self,
        taken: &Taken,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let Some(every) = self.settings.output_every else { return Ok(()) };
        let attempt = taken.attempt;
        let mut prepared = false;
        let mut after = self.time;
        loop {
            let regular = self.outputs as f64 * every;
            let in_contact = self.next_contact_frame(after, every);
            let time = regular.min(in_contact);
            // The last frame is that of the end of the run.
            if time > attempt.end || time >= self.settings.end_time - 1e-6 * every {
                return Ok(());
            }
            if !prepared {
                self.integrator.prepare_dense(&mut self.system)?;
                prepared = true;
            }
            self.evaluate_within(time).map_err(|source| at(&attempt, source))?;
            let row = self.ledger.row(self.system.balance(time, &self.inside));
            let steps = self.integrator.counters().steps;
            self.snapshot.take(&self.system, &self.inside);
            self.linearity.observe_frame(self.snapshot.bodies(), time);
            self.system.evaluate_reactions(time, &self.inside).map_err(|source| at(&attempt, source))?;
            self.snapshot.take_joints(&self.system, time, &self.inside);
            observer.frame(&self.snapshot.frame(time, steps, &row))?;
            if regular <= in_contact {
                self.outputs += 1;
            }
            after = time;
        }
    }

    /// The next frame after a time that bodies have as they touch, by what a checkpoint holds: the touch that
    /// began last and its duration by Hertz. Infinite without contact, where the frames of the run are as
    /// dense, and once there were many impacts.
    fn next_contact_frame(&self, after: f64, every: f64) -> f64 {
        let frames = self.settings.contact_frames;
        if frames == 0 || self.events.len() >= MAX_IMPACTS {
            return f64::INFINITY;
        }
        let touching = self.trackers.iter().zip(&self.memory).filter(|(tracker, _)| tracker.touching);
        let starts = touching.filter_map(|(tracker, memory)| Some((tracker.event?.start, memory.pulse)));
        let Some((start, pulse)) = starts.max_by(|a, b| a.0.total_cmp(&b.0)) else { return f64::INFINITY };
        let unit = pulse / (MARGIN * frames as f64);
        if !(unit > 0.0 && unit.is_finite()) {
            return f64::INFINITY;
        }
        match place_in_series((after - start) / unit, frames, every / unit) {
            Some(place) => start + place * unit,
            None => f64::INFINITY,
        }
    }

    /// Hands over the frame of the start, unless the run continues from a checkpoint.
    pub(crate) fn hand_over_start(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if self.outputs > 0 {
            return Ok(());
        }
        self.hand_over_state(observer)
    }

    /// Hands over the frame of the end.
    pub(crate) fn hand_over_end(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.hand_over_state(observer)
    }

    fn hand_over_state(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let row = self.ledger.row(self.system.balance(self.time, &self.y));
        self.snapshot.take(&self.system, &self.y);
        self.linearity.observe_frame(self.snapshot.bodies(), self.time);
        self.take_joints()?;
        observer.frame(&self.snapshot.frame(self.time, self.integrator.counters().steps, &row))?;
        self.outputs += 1;
        Ok(())
    }
}

impl Simulation {
    /// What joints transmit at the accepted state, at which the system was evaluated.
    pub(crate) fn take_joints(&mut self) -> Result<(), RunError> {
        let time = self.time;
        let evaluated = self.system.evaluate_reactions(time, &self.y);
        evaluated.map_err(|source| RunError::State { time, source })?;
        self.strayed = true;
        self.snapshot.take_joints(&self.system, time, &self.y);
        Ok(())
    }
}

/// The one with the larger force.
fn larger(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    if b.1 > a.1 { b } else { a }
}

pub(crate) fn at(attempt: &Attempt, source: crate::RateError) -> RunError {
    IntegrateError::RightHandSide { time: attempt.start, step: attempt.step(), source }.into()
}

#[cfg(test)]
mod tests {
    use super::place_in_series;

    #[test]
    fn steps_of_the_series_double_and_end() {
        let mut places = vec![place_in_series(0.0, 3, 4.5).unwrap()];
        while let Some(next) = place_in_series(*places.last().unwrap(), 3, 4.5) {
            places.push(next);
        }
        assert_eq!(places, [1.0, 2.0, 3.0, 5.0, 7.0, 9.0, 13.0, 17.0, 21.0]);
        assert_eq!(place_in_series(1.999_999_999_9, 3, 4.5), Some(3.0));
        assert_eq!(place_in_series(0.0, 3, 1.0), None);
    }
}
