//! First touches and partings of pairs within a step, and peaks of their forces.

use carom_integrate::{Attempt, locate_crossing};

use super::{ContactEvents, PairRecord};
use crate::outcome::RunError;
use crate::scales::gap_rounding;
use crate::stepper::{Stepper, at};
use crate::system::System;

impl ContactEvents {
    /// The first pair but `known` whose free gap changes its sign within the attempt, and when.
    pub(crate) fn first_change(
        &mut self,
        system: &mut System,
        stepper: &mut Stepper,
        attempt: &Attempt,
        known: Option<usize>,
    ) -> Result<Option<(usize, f64)>, RunError> {
        let mut first: Option<(usize, f64)> = None;
        stepper.return_to_end(system, attempt)?;
        self.list_pairs(system);
        let mut is_at_end = true;
        for &pair in &self.list {
            let record = &self.pairs[pair];
            // An earlier pair may have been followed through the step.
            if !is_at_end {
                stepper.return_to_end(system, attempt)?;
                is_at_end = true;
            }
            let (mut start, end) = (record.memory.gap, system.contacts().reaction(pair).free_gap);
            if start == f64::INFINITY && end < 0.0 {
                // The bodies were far apart, where the gap is not looked at.
                let there = stepper.evaluate_within(system, attempt.start);
                there.map_err(|source| at(attempt, source))?;
                is_at_end = false;
                start = system.contacts().free_gap(pair);
            }
            // After a cut step the sign at the start is that of round-off: an opposite sign at the end is
            // then no event, or the whole step lies on one side.
            let turns = (start < 0.0) != (end < 0.0) && record.tracker.touching != (end < 0.0);
            let is_noise = || start.abs().max(end.abs()) <= gap_rounding(system, pair);
            if known == Some(pair) || !turns || !start.is_finite() || is_noise() {
                continue;
            }
            stepper.leave_end(system)?;
            is_at_end = false;
            let width = 1e-10 * attempt.step();
            let crossing = locate_crossing((attempt.start, start), (attempt.end, end), width, |time| {
                stepper.evaluate_pair_within(system, pair, time)?;
                Ok(system.contacts().reaction(pair).free_gap)
            })
            .map_err(|source| at(attempt, source))?;
            if first.is_none_or(|(_, time)| crossing.after < time) {
                first = Some((pair, crossing.after));
            }
        }
        Ok(first)
    }

    /// Finds the peak of the force where it may lie within the step, to second order of a sixteenth of it.
    pub(crate) fn observe_peaks(
        &mut self,
        system: &mut System,
        stepper: &mut Stepper,
        attempt: &Attempt,
    ) -> Result<(), RunError> {
        for &pair in &self.active {
            let record = &mut self.pairs[pair];
            if !record.tracker.touching {
                continue;
            }
            stepper.return_to_end(system, attempt)?;
            let end = system.contacts().reaction(pair).normal_force;
            if record.memory.may_peak(attempt.end, end) {
                stepper.leave_end(system)?;
                Forces { system, stepper, attempt, pair, record }.search_peak(end)?;
            }
        }
        Ok(())
    }
}

/// The force of a pair within an attempt.
struct Forces<'a> {
    system: &'a mut System,
    stepper: &'a mut Stepper,
    attempt: &'a Attempt,
    pair: usize,
    record: &'a mut PairRecord,
}

impl Forces<'_> {
    /// Observes the force at a few times about its peak; `end` is the force at the end of the attempt.
    fn search_peak(&mut self, end: f64) -> Result<(), RunError> {
        let Attempt { start, end: last, .. } = *self.attempt;
        let mut best = (last, end);
        let mut spacing = 0.25 * self.attempt.step();
        for i in 0..4 {
            best = larger(best, self.observe(start + f64::from(i) * spacing)?);
        }
        for _ in 0..2 {
            spacing *= 0.5;
            // A parabola through three points around the best, all within the step.
            let centre = best.0.clamp(start + spacing, last - spacing);
            let points = [centre - spacing, centre, centre + spacing];
            let mut forces = [0.0; 3];
            for (force, time) in forces.iter_mut().zip(points) {
                let found = self.observe(time)?;
                *force = found.1;
                best = larger(best, found);
            }
            let bend = forces[0] - 2.0 * forces[1] + forces[2];
            if bend < 0.0 {
                let vertex = centre + 0.5 * spacing * (forces[0] - forces[2]) / bend;
                best = larger(best, self.observe(vertex.clamp(start, last))?);
            }
        }
        Ok(())
    }

    /// Time and force within the attempt, which the tracker observes.
    fn observe(&mut self, time: f64) -> Result<(f64, f64), RunError> {
        let time = time.min(self.attempt.end);
        let evaluated = self.stepper.evaluate_pair_within(self.system, self.pair, time);
        evaluated.map_err(|source| at(self.attempt, source))?;
        let reaction = self.system.contacts().reaction(self.pair);
        let force = reaction.normal_force;
        self.record.tracker.observe(time, force, -reaction.free_gap);
        Ok((time, force))
    }
}

/// The one with the larger force.
fn larger(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    if b.1 > a.1 { b } else { a }
}
