//! Contact events of a run: when pairs touch and part, their forces in between, and the memory of each pair
//! from step to step.
//!
//! * `search`: first touches and partings within a step, peaks of the force
//! * `schedule`: when the next step may end and when the next frame of a contact is due
//! * `stops`: stops that are reached or left within a step
//! * `restart`: checkpoints

mod restart;
mod schedule;
mod search;
mod stops;

pub(crate) use stops::first_stop;

use carom_dynamics::{ContactEvent, ContactSample, ContactTracker, Observer};

use crate::expected_error::ModalResponse;
use crate::force::Stop;
use crate::force_swing::ForceSwing;
use crate::outcome::RunError;
use crate::pair_memory::PairMemory;
use crate::resolution::Resolution;
use crate::scales::{gap_rounding, pair_impulses, pair_motion};
use crate::stepper::Stepper;
use crate::system::System;
use carom_integrate::Attempt;

/// An event that a step is cut to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// A pair touches or parts.
    Pair(usize),
    /// A stop is reached or left.
    Stop(Stop),
}

impl Event {
    /// The pair that touches or parts.
    pub(crate) fn pair(self) -> Option<usize> {
        if let Self::Pair(pair) = self { Some(pair) } else { None }
    }

    /// The stop that is reached or left.
    pub(crate) fn stop(self) -> Option<Stop> {
        if let Self::Stop(stop) = self { Some(stop) } else { None }
    }
}

/// A step to be accepted, and the event that it was cut to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) attempt: Attempt,
    pub(crate) event: Option<Event>,
}

/// The record of a pair.
#[derive(Debug, Clone, Default)]
pub(crate) struct PairRecord {
    pub(crate) memory: PairMemory,
    pub(crate) tracker: ContactTracker,
    /// The patch under the largest force.
    pub(crate) resolution: Resolution,
    /// How the force swings.
    pub(crate) swing: ForceSwing,
    /// The response of the modes under the largest force.
    pub(crate) response: ModalResponse,
}

impl PairRecord {
    /// True if the pair was near at the end of the last step or has an event that is not over.
    fn is_active(&self) -> bool {
        self.memory.gap.is_finite() || self.tracker.touching || self.tracker.event.is_some()
    }
}

/// All pairs of a run and the events that are over.
#[derive(Debug)]
pub(crate) struct ContactEvents {
    pairs: Vec<PairRecord>,
    /// Pairs that were near at the end of the last step, or have an event that is not over; ascending.
    active: Vec<usize>,
    /// The longest step that pairs which are far apart allow \[s\].
    apart: f64,
    /// Memory for lists of pairs.
    list: Vec<usize>,
    over: Vec<ContactEvent>,
    /// Largest part of the contact force on a body outside its interface points.
    off_interface: f64,
}

impl ContactEvents {
    /// Before the first step.
    pub(crate) fn new(pairs: usize) -> Self {
        Self {
            pairs: vec![PairRecord::default(); pairs],
            active: Vec::with_capacity(pairs),
            apart: f64::INFINITY,
            list: Vec::with_capacity(2 * pairs),
            over: Vec::new(),
            off_interface: 0.0,
        }
    }

    /// The record of each pair.
    pub(crate) fn pairs(&self) -> &[PairRecord] {
        &self.pairs
    }

    /// All events that are over, in the order in which they ended.
    pub(crate) fn over(&self) -> &[ContactEvent] {
        &self.over
    }

    /// Pairs that touched at the end of the last step, ascending.
    pub(crate) fn touching(&self) -> impl Iterator<Item = usize> + '_ {
        self.active.iter().copied().filter(|&pair| self.pairs[pair].tracker.touching)
    }

    /// Largest part of the contact force on a body outside its interface points.
    pub(crate) fn off_interface(&self) -> f64 {
        self.off_interface
    }

    /// Records the initial state, at which the system was evaluated: surfaces that overlap touch from the
    /// start.
    ///
    /// * `duration` — of an impact, if the user gives it \[s\]
    pub(crate) fn record_start(&mut self, system: &mut System, stepper: &Stepper, duration: Option<f64>) {
        self.list_pairs(system);
        for &pair in &self.list {
            let record = &mut self.pairs[pair];
            record.memory.update(system, pair, 0.0, false, duration);
            if record.memory.gap < 0.0 {
                record.tracker.touch(pair, &sample(system, stepper, pair));
            }
        }
        self.note_active(system);
    }

    /// Records pairs that were left out at the end of a step because they were settled, if the next step may
    /// be too long for that.
    fn record_settled(
        &mut self,
        system: &mut System,
        stepper: &Stepper,
        duration: Option<f64>,
    ) -> Result<(), RunError> {
        /// A step that is 1 % shorter than allowed is as long as allowed.
        const ROUNDED: f64 = 1.02;
        let others = self.longest_steps().fold(ROUNDED * stepper.most_by_error(), f64::min);
        let settled = 0.5 * system.time_settled();
        if settled > others || settled == f64::INFINITY {
            return Ok(());
        }
        let time = stepper.time();
        system.evaluate_settled(stepper.state()).map_err(|source| RunError::State { time, source })?;
        self.list_pairs(system);
        let known = |pair: &usize| self.active.binary_search(pair).is_ok();
        let (list, pairs) = (&self.list, &mut self.pairs);
        for &pair in list.iter().filter(|pair| !known(pair)) {
            let PairRecord { memory, tracker, .. } = &mut pairs[pair];
            memory.update(system, pair, time, tracker.touching, duration);
        }
        self.note_active(system);
        Ok(())
    }

    /// Lists the pairs that a step concerns: those that were near at its start or have an event, and those
    /// that were near at the last evaluation.
    fn list_pairs(&mut self, system: &System) {
        self.list.clear();
        self.list.extend(&self.active);
        self.list.extend(system.contacts().near());
        self.list.sort_unstable();
        self.list.dedup();
    }

    /// Keeps the pairs of the list that concern the next step, and finds the longest step of the others: half
    /// of the time in which the first of them may touch.
    fn note_active(&mut self, system: &mut System) {
        let (active, pairs) = (&mut self.active, &self.pairs);
        active.clear();
        active.extend(self.list.iter().filter(|&&pair| pairs[pair].is_active()));
        self.apart = 0.5 * system.time_apart();
    }

    /// Records the end of an accepted step, at which the system was evaluated, and passes the events that are
    /// over to the observer.
    ///
    /// * `duration` — of an impact, if the user gives it \[s\]
    pub(crate) fn record_step(
        &mut self,
        system: &mut System,
        stepper: &Stepper,
        step: &Step,
        duration: Option<f64>,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let time = stepper.time();
        let cut_to = step.event.map(|event| (event, self.was_touching(event)));
        self.list_pairs(system);
        for &pair in &self.list {
            let record = &mut self.pairs[pair];
            let was = record.tracker.touching;
            let touching = touches_now(system, pair, was, cut_to);
            record.memory.update(system, pair, time, was, duration);
            record.resolution.observe(system, pair, time);
            let reaction = system.contacts().reaction(pair);
            let (force, approach, place) = (reaction.normal_force, -record.memory.gap, reaction.point);
            let tracker = &mut record.tracker;
            if touching && !was {
                tracker.touch(pair, &sample(system, stepper, pair));
            }
            tracker.observe(time, force, approach);
            if let Some(event) = &tracker.event {
                record.response.observe(system, pair, time - event.start);
            }
            record.swing.observe(time, force);
            tracker.press(time, force * step.attempt.step(), &place);
            if was && !touching {
                tracker.part(&sample(system, stepper, pair));
            }
            if let Some(event) = tracker.settle(time) {
                record.swing.end(&event);
                if has_force(&event) {
                    observer.contact_event(&event)?;
                    self.over.push(event);
                }
            }
        }
        system.give_slots_back(stepper.state());
        self.note_active(system);
        self.record_settled(system, stepper, duration)?;
        self.off_interface = self.off_interface.max(system.contacts().sums().off_interface);
        Ok(())
    }

    /// Ends the events that are still open at the end of the run and passes them to the observer.
    pub(crate) fn finish(
        &mut self,
        system: &System,
        stepper: &Stepper,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        for (pair, record) in self.pairs.iter_mut().enumerate() {
            record.memory.note_gap(system.contacts().reaction(pair), stepper.time());
            if let Some(event) = record.tracker.finish(&sample(system, stepper, pair)) {
                record.swing.end(&event);
                if has_force(&event) {
                    observer.contact_event(&event)?;
                    self.over.push(event);
                }
            }
        }
        Ok(())
    }

    /// Whether the pair of an event touched before; none for other events.
    fn was_touching(&self, event: Event) -> Option<bool> {
        event.pair().map(|pair| self.pairs[pair].tracker.touching)
    }
}

/// False for an event without a force, which is no impact: the surfaces touched and no cell of the contact
/// closed, as when balls just touch at the start.
fn has_force(event: &ContactEvent) -> bool {
    event.peak_force > 0.0
}

/// Whether a pair touches at the end of a step.
///
/// A step cut to an event ends with a gap of either sign, zero but for round-off; so do pairs that touch or
/// part at the same moment, as the sides of a corner do. A gap that is open by round-off has no rate: such a
/// pair does as the one that the step was cut to.
///
/// * `was` — whether it touched before
/// * `cut_to` — the event that the step was cut to, and whether its pair touched before
fn touches_now(system: &System, pair: usize, was: bool, cut_to: Option<(Event, Option<bool>)>) -> bool {
    let reaction = system.contacts().reaction(pair);
    match cut_to {
        Some((Event::Pair(aimed), _)) if aimed == pair => !was,
        Some((_, turned)) if reaction.free_gap.abs() <= gap_rounding(system, pair) => {
            reaction.gap_rate.map_or(was != (turned == Some(was)), |rate| rate < 0.0)
        }
        _ => reaction.free_gap < 0.0,
    }
}

/// Place, motion and impulses of a pair at the accepted state, for its tracker.
fn sample(system: &System, stepper: &Stepper, pair: usize) -> ContactSample {
    let y = stepper.state();
    let [a, b] = system.pair_bodies(pair);
    let reaction = system.contacts().reaction(pair);
    let [impulse, of_friction] = pair_impulses(system, pair, y);
    ContactSample {
        time: stepper.time(),
        place: reaction.point,
        place_error: reaction.point_error,
        bodies: pair_motion(system, pair, &reaction.point, y),
        impulse,
        normal_impulse: impulse - of_friction,
        vibration_energy: system.states().vibration_energy(a, y) + system.states().vibration_energy(b, y),
    }
}
