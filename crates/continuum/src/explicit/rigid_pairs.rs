//! Contact events and forces of pairs of rigid bodies.

use std::collections::BTreeMap;

use carom_contact::Law;
use carom_dynamics::{
    Checkpoint, CheckpointError, ContactEvent, ContactState, ContactTracker, ObserverError,
};
use carom_rigid::{PairReport, PairSpec, System};
use nalgebra::Vector3;

use super::problem::RigidContactSpec;
use super::restart::length;
use super::rigid::RigidBodies;

/// A contact of two rigid bodies. The points of each may touch the surface of the other: both ways are one
/// contact, with one event and one force.
#[derive(Debug, Clone)]
pub(super) struct RigidContact {
    /// Number among all contacts.
    number: usize,
    /// Numbers of its pairs in the rigid system; true for a pair that has the points on the second body.
    passes: Vec<(usize, bool)>,
    tracker: ContactTracker,
}

impl RigidContact {
    /// The contact of a scenario.
    ///
    /// * `first` — number of its first pair in the rigid system
    pub(super) fn new(spec: &RigidContactSpec, first: usize) -> Self {
        let is_turned = |pair: &PairSpec| pair.bodies[0] != spec.bodies[0];
        let passes = spec.pairs.iter().enumerate().map(|(k, pair)| (first + k, is_turned(pair)));
        Self { number: spec.number, passes: passes.collect(), tracker: ContactTracker::default() }
    }

    /// Its number among all contacts.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    /// The report of all its pairs, with the bodies in the order of the scenario.
    fn report(&self, system: &System) -> PairReport {
        let of = |&(pair, is_turned): &(usize, bool)| {
            let report = system.reports[pair];
            if is_turned { report.turned() } else { report }
        };
        self.passes.iter().map(of).reduce(merged).unwrap_or_default()
    }

    /// The law, which is that of all its pairs.
    fn law(&self, system: &System) -> Law {
        self.passes.first().map_or(Law::Hard, |&(pair, _)| system.law(pair))
    }
}

/// The rigid bodies of automatic contacts that touch.
#[derive(Debug, Clone, Default)]
pub(super) struct RigidCrowds {
    /// Number of each crowd among all contacts.
    pub(super) numbers: Vec<usize>,
    /// Open events: of a crowd and two of its bodies, the smaller number first.
    open: BTreeMap<[usize; 3], ContactTracker>,
}

impl RigidBodies {
    /// Updates the events with the impulses at t_n; their step goes from t_{n−1/2} to t_{n+1/2}.
    ///
    /// * `time` — t_n \[s\]
    /// * `take` — receives the events that are over
    pub(super) fn follow(
        &mut self,
        time: f64,
        mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
    ) -> Result<(), ObserverError> {
        let system = &self.system;
        self.following.extend(system.touching_pairs().filter_map(|pair| self.contact_of.get(pair).copied()));
        for (crowd, [a, b]) in system.touching_pairs().filter_map(|pair| system.crowd(pair)) {
            self.crowds.open.entry([crowd, a.min(b), a.max(b)]).or_default();
        }
        self.following.sort_unstable();
        self.following.dedup();
        for &contact in &self.following {
            let contact = &mut self.contacts[contact];
            let (report, law) = (contact.report(system), contact.law(system));
            if let Some(event) = follow(system, &mut contact.tracker, (contact.number, law), &report, time) {
                take(event)?;
            }
        }
        let contacts = &self.contacts;
        self.following.retain(|&contact| contacts[contact].tracker.event.is_some());
        for (&[crowd, a, b], tracker) in &mut self.crowds.open {
            let (number, report) = (self.crowds.numbers[crowd], both_ways(system, crowd, [a, b]));
            if let Some(event) = follow(system, tracker, (number, Law::Hard), &report, time) {
                take(ContactEvent { bodies: Some([a, b].map(|body| self.numbers[body])), ..event })?;
            }
        }
        self.crowds.open.retain(|_, tracker| tracker.event.is_some());
        Ok(())
    }

    /// Ends the events that are open at the end of the run.
    pub(super) fn finish_events(
        &mut self,
        time: f64,
        mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
    ) -> Result<(), ObserverError> {
        for &contact in &self.following {
            let contact = &mut self.contacts[contact];
            let sample = contact.report(&self.system).sample_after(time);
            if let Some(event) = contact.tracker.finish(&sample) {
                take(event)?;
            }
        }
        for (&[crowd, a, b], tracker) in &mut self.crowds.open {
            let sample = both_ways(&self.system, crowd, [a, b]).sample_after(time);
            if let Some(event) = tracker.finish(&sample) {
                take(ContactEvent { bodies: Some([a, b].map(|body| self.numbers[body])), ..event })?;
            }
        }
        Ok(())
    }

    /// Adds the forces at t_n to the states of the contacts: a pair of an automatic contact adds to the sum
    /// of all forces alone.
    pub(super) fn add_contact_states(&self, states: &mut [ContactState]) {
        let (dt, system) = (self.system.time_step(), &self.system);
        let mut add = |number: usize, report: &PairReport, is_automatic: bool| {
            if report.last != system.steps() || report.last == 0 {
                return;
            }
            let state: &mut ContactState = &mut states[number];
            let force = report.last_impulse / dt;
            state.normal_force += force.norm();
            state.free_gap = state.free_gap.min(-report.last_depth);
            if !is_automatic {
                state.force = (Vector3::from(state.force) + force).into();
            }
        };
        for contact in &self.contacts {
            add(contact.number, &contact.report(system), false);
        }
        for pair in system.crowd_pairs() {
            if let Some((crowd, _)) = system.crowd(pair) {
                add(self.crowds.numbers[crowd], &system.reports[pair], true);
            }
        }
    }

    /// The open events, for checkpoints.
    pub(super) fn save_events(&self, checkpoint: &mut Checkpoint) {
        let following = self.following.iter().map(|&contact| contact as u64).collect::<Vec<_>>();
        checkpoint.put_integers("rigid_following", &following);
        let trackers = self.following.iter().flat_map(|&contact| self.contacts[contact].tracker.to_array());
        checkpoint.put_reals("rigid_trackers", &trackers.collect::<Vec<_>>());
        let open = &self.crowds.open;
        let keys = open.keys().flat_map(|key| key.map(|number| number as u64)).collect::<Vec<_>>();
        checkpoint.put_integers("crowd_following", &keys);
        let trackers = open.values().flat_map(ContactTracker::to_array).collect::<Vec<_>>();
        checkpoint.put_reals("crowd_trackers", &trackers);
    }

    /// Sets the open events from a checkpoint.
    pub(super) fn read_events(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let following = checkpoint.integers("rigid_following")?;
        let numbers = checkpoint.reals_of("rigid_trackers", following.len() * ContactTracker::NUMBERS)?;
        self.following.clear();
        for (&contact, tracker) in following.iter().zip(numbers.as_chunks().0) {
            let contact = contact as usize;
            let known =
                self.contacts.get_mut(contact).ok_or_else(|| length("rigid_following", contact, 0))?;
            known.tracker = ContactTracker::from_array(tracker);
            self.following.push(contact);
        }
        let keys = checkpoint.integers("crowd_following")?.as_chunks::<3>().0;
        let numbers = checkpoint.reals_of("crowd_trackers", keys.len() * ContactTracker::NUMBERS)?;
        let trackers = numbers.as_chunks().0.iter().map(ContactTracker::from_array);
        self.crowds.open = keys.iter().map(|key| key.map(|number| number as usize)).zip(trackers).collect();
        let (n_crowds, n_bodies) = (self.crowds.numbers.len(), self.numbers.len());
        let is_known = |[crowd, a, b]: &[usize; 3]| *crowd < n_crowds && *a.max(b) < n_bodies;
        match self.crowds.open.keys().all(is_known) {
            true => Ok(()),
            false => Err(length("crowd_following", keys.len(), 0)),
        }
    }
}

/// Updates the event of a pair; returns it once it is over.
fn follow(
    system: &System,
    tracker: &mut ContactTracker,
    (number, law): (usize, Law),
    report: &PairReport,
    time: f64,
) -> Option<ContactEvent> {
    let dt = system.time_step();
    let end = time + 0.5 * dt;
    if report.last == system.steps() {
        if !tracker.touching {
            tracker.touch(number, &report.sample_before(end - dt));
        }
        match law {
            Law::Hard => tracker.observe_impulse(report.last_depth),
            Law::Penalty(_) => tracker.observe(time, report.last_impulse.norm() / dt, report.last_depth),
        }
        tracker.press(time, report.last_impulse.norm(), &report.place);
    } else if tracker.touching {
        tracker.part(&report.sample_after(end - dt));
    }
    tracker.settle(end)
}

/// The report of two bodies of a crowd, of which each has points on the surface of the other.
fn both_ways(system: &System, crowd: usize, [a, b]: [usize; 2]) -> PairReport {
    let of = |ends| system.pair_of_crowd(crowd, ends).map(|pair| system.reports[pair]).unwrap_or_default();
    merged(of([a, b]), of([b, a]).turned())
}

/// The report of two pairs of the same two bodies, in the same order of both.
fn merged(first: PairReport, second: PairReport) -> PairReport {
    let last = first.last.max(second.last);
    let in_last = |report: &PairReport| if report.last == last { 1.0 } else { 0.0 };
    let (one, other) = (in_last(&first), in_last(&second));
    let [larger, smaller] = match one * first.last_impulse.norm() >= other * second.last_impulse.norm() {
        true => [first, second],
        false => [second, first],
    };
    PairReport {
        impulse: first.impulse + second.impulse,
        normal_impulse: first.normal_impulse + second.normal_impulse,
        last,
        last_impulse: one * first.last_impulse + other * second.last_impulse,
        last_normal_impulse: one * first.last_normal_impulse + other * second.last_normal_impulse,
        depth: first.depth.max(second.depth),
        last_depth: (one * first.last_depth).max(other * second.last_depth),
        contacts: larger.contacts + if smaller.last == last { smaller.contacts } else { 0 },
        ..larger
    }
}
