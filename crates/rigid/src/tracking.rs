//! Contacts under the numbers that a scenario gives them, with their events: a contact has one pair or
//! several, or it is a crowd, each two bodies of which have events of their own.

mod of_step;

use std::collections::BTreeMap;

use carom_contact::Law;
use carom_dynamics::{
    BodyMotion, Checkpoint, CheckpointError, ContactEvent, ContactState, ContactTracker, ObserverError,
};
use nalgebra::Vector3;

use crate::system::{PairReport, System};
pub use of_step::ContactPlace;

/// A contact of two bodies. The points of each may touch the surface of the other: both ways are one contact,
/// with one event and one force.
#[derive(Debug, Clone)]
struct OfPairs {
    /// Number among all contacts.
    number: usize,
    /// Numbers of its pairs in the system; true for a pair that has the points on the second body.
    passes: Vec<(usize, bool)>,
    tracker: ContactTracker,
}

/// The contacts of a system.
#[derive(Debug, Clone, Default)]
pub struct Contacts {
    of_pairs: Vec<OfPairs>,
    /// Place in `of_pairs` of each pair that was given one by one.
    place_of: Vec<usize>,
    /// Number of each crowd among all contacts.
    crowds: Vec<usize>,
    /// Open events of crowds: of a crowd and two of its bodies, the smaller number first.
    open: BTreeMap<[usize; 3], ContactTracker>,
    /// Places in `of_pairs` with an open event, ascending.
    following: Vec<usize>,
}

/// Time at which the impulses of the last step act, and its end \[s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepTimes {
    /// For forces and peaks of the events.
    pub acting: f64,
    /// For their beginnings and ends.
    pub end: f64,
}

impl Contacts {
    /// Adds a contact of two bodies; the pairs of all of them are numbered in this order.
    ///
    /// * `number` — among all contacts
    /// * `first` — the body on which forces are given
    /// * `pairs` — bodies of each pair, that with the points first
    pub fn add_pairs(&mut self, number: usize, first: usize, pairs: impl Iterator<Item = [usize; 2]>) {
        let start = self.place_of.len();
        let passes: Vec<(usize, bool)> =
            pairs.enumerate().map(|(k, [points, _])| (start + k, points != first)).collect();
        self.place_of.resize(start + passes.len(), self.of_pairs.len());
        self.of_pairs.push(OfPairs { number, passes, tracker: ContactTracker::default() });
    }

    /// Adds a crowd.
    ///
    /// * `number` — among all contacts
    pub fn add_crowd(&mut self, number: usize) {
        self.crowds.push(number);
    }

    /// Numbers of the contacts.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.of_pairs.iter().map(|contact| contact.number).chain(self.crowds.iter().copied())
    }

    /// True if no event is open.
    pub fn is_idle(&self) -> bool {
        self.following.is_empty() && self.open.is_empty()
    }

    /// Updates the events with the impulses of the last step.
    ///
    /// * `take` — receives the events that are over; those of crowds name the bodies
    ///
    /// # Errors
    ///
    /// The error of a call of `take`.
    pub fn follow(
        &mut self,
        system: &System,
        times: StepTimes,
        mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
    ) -> Result<(), ObserverError> {
        self.following.extend(system.touching_pairs().filter_map(|pair| self.place_of.get(pair).copied()));
        for (crowd, [a, b]) in system.touching_pairs().filter_map(|pair| system.crowd(pair)) {
            self.open.entry([crowd, a.min(b), a.max(b)]).or_default();
        }
        self.following.sort_unstable();
        self.following.dedup();
        for &place in &self.following {
            let contact = &mut self.of_pairs[place];
            let (report, law) = (contact.report(system), contact.law(system));
            let about = (contact.number, law);
            if let Some(event) = follow(system, &mut contact.tracker, about, &report, times) {
                take(event)?;
            }
        }
        let of_pairs = &self.of_pairs;
        self.following.retain(|&place| of_pairs[place].tracker.event.is_some());
        for (&[crowd, a, b], tracker) in &mut self.open {
            let (report, law) = (both_ways(system, crowd, [a, b]), system.nearby.crowds.law(crowd));
            if let Some(event) = follow(system, tracker, (self.crowds[crowd], law), &report, times) {
                take(ContactEvent { bodies: Some([a, b]), ..event })?;
            }
        }
        self.open.retain(|_, tracker| tracker.event.is_some());
        Ok(())
    }

    /// Ends the events that are open at the end of the run.
    ///
    /// * `take` — as for [`Contacts::follow`]
    ///
    /// # Errors
    ///
    /// The error of a call of `take`.
    pub fn finish(
        &mut self,
        system: &System,
        time: f64,
        mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
    ) -> Result<(), ObserverError> {
        for &place in &self.following {
            let contact = &mut self.of_pairs[place];
            let (report, law) = (contact.report(system), contact.law(system));
            let bodies = contact.passes.first().map_or([0; 2], |&(pair, _)| system.pairs[pair].bodies);
            if let Some(event) = finish(system, &mut contact.tracker, (bodies, law), &report, time) {
                take(event)?;
            }
        }
        for (&[crowd, a, b], tracker) in &mut self.open {
            let (report, law) = (both_ways(system, crowd, [a, b]), system.nearby.crowds.law(crowd));
            if let Some(event) = finish(system, tracker, ([a, b], law), &report, time) {
                take(ContactEvent { bodies: Some([a, b]), ..event })?;
            }
        }
        Ok(())
    }

    /// Adds forces to the states of the contacts. A crowd has the sum of the sizes of its forces alone.
    ///
    /// * `of_pair` — force of a pair on its first body \[N\], and overlap if it touches \[m\], by its number
    ///   and report
    pub fn add_states(
        &self,
        system: &System,
        of_pair: impl Fn(usize, &PairReport) -> (Vector3<f64>, Option<f64>),
        states: &mut [ContactState],
    ) {
        let add = |state: &mut ContactState, pair: usize| {
            let (force, depth) = of_pair(pair, &system.reports[pair]);
            state.normal_force += force.norm();
            state.free_gap = state.free_gap.min(-depth.unwrap_or(f64::NEG_INFINITY));
            force
        };
        for contact in &self.of_pairs {
            let state = &mut states[contact.number];
            for &(pair, is_turned) in &contact.passes {
                let force = add(state, pair);
                let on_first = if is_turned { -force } else { force };
                state.force = (Vector3::from(state.force) + on_first).into();
            }
        }
        for pair in system.crowd_pairs() {
            if let Some((crowd, _)) = system.crowd(pair) {
                add(&mut states[self.crowds[crowd]], pair);
            }
        }
    }

    /// Stores the open events in a checkpoint.
    pub fn save(&self, checkpoint: &mut Checkpoint) {
        let following = self.following.iter().map(|&place| place as u64).collect::<Vec<_>>();
        checkpoint.put_integers("rigid_following", &following);
        let trackers = self.following.iter().flat_map(|&place| self.of_pairs[place].tracker.to_array());
        checkpoint.put_reals("rigid_trackers", &trackers.collect::<Vec<_>>());
        let keys = self.open.keys().flat_map(|key| key.map(|number| number as u64)).collect::<Vec<_>>();
        checkpoint.put_integers("crowd_following", &keys);
        let trackers = self.open.values().flat_map(ContactTracker::to_array).collect::<Vec<_>>();
        checkpoint.put_reals("crowd_trackers", &trackers);
    }

    /// Takes the open events of a checkpoint of the same contacts.
    ///
    /// * `bodies` — number of bodies
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if something is missing or of another size.
    pub fn restore(&mut self, checkpoint: &Checkpoint, bodies: usize) -> Result<(), CheckpointError> {
        let unknown =
            |name: &str, found: usize| CheckpointError::Length { name: name.to_owned(), found, expected: 0 };
        let following = checkpoint.integers("rigid_following")?;
        let numbers = checkpoint.reals_of("rigid_trackers", following.len() * ContactTracker::NUMBERS)?;
        self.following.clear();
        for (&place, tracker) in following.iter().zip(numbers.as_chunks().0) {
            let place = place as usize;
            let known = self.of_pairs.get_mut(place).ok_or_else(|| unknown("rigid_following", place))?;
            known.tracker = ContactTracker::from_array(tracker);
            self.following.push(place);
        }
        let keys = checkpoint.integers("crowd_following")?.as_chunks::<3>().0;
        let numbers = checkpoint.reals_of("crowd_trackers", keys.len() * ContactTracker::NUMBERS)?;
        let trackers = numbers.as_chunks().0.iter().map(ContactTracker::from_array);
        self.open = keys.iter().map(|key| key.map(|number| number as usize)).zip(trackers).collect();
        let is_known = |[crowd, a, b]: &[usize; 3]| *crowd < self.crowds.len() && *a.max(b) < bodies;
        match self.open.keys().all(is_known) {
            true => Ok(()),
            false => Err(unknown("crowd_following", keys.len())),
        }
    }
}

impl OfPairs {
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

/// Stores events that are over in a checkpoint, with their bodies.
pub fn save_events(events: &[ContactEvent], checkpoint: &mut Checkpoint) {
    let numbers = events.iter().flat_map(ContactEvent::to_array);
    checkpoint.put_reals("impacts", &numbers.collect::<Vec<_>>());
    // Numbers of the bodies from 1, and zeros for events of pairs that the scenario names.
    let bodies = events.iter().map(|event| event.bodies.map_or([0; 2], |ends| ends.map(|i| i + 1)));
    let bodies: Vec<u64> = bodies.flatten().map(|number| number as u64).collect();
    checkpoint.put_integers("impact_bodies", &bodies);
}

/// The events that [`save_events`] has stored.
///
/// # Errors
///
/// [`CheckpointError`] if there are none.
pub fn restored_events(checkpoint: &Checkpoint) -> Result<Vec<ContactEvent>, CheckpointError> {
    let events = checkpoint.reals("impacts")?.as_chunks().0;
    let bodies = checkpoint.integers("impact_bodies")?.as_chunks::<2>().0;
    let event = |(numbers, ends): (_, &[u64; 2])| ContactEvent {
        bodies: (ends[0] > 0).then(|| ends.map(|number| number as usize - 1)),
        ..ContactEvent::from_array(numbers)
    };
    Ok(events.iter().zip(bodies).map(event).collect())
}

/// Updates the event of a contact; returns it once it is over.
fn follow(
    system: &System,
    tracker: &mut ContactTracker,
    (number, law): (usize, Law),
    report: &PairReport,
    StepTimes { acting, end }: StepTimes,
) -> Option<ContactEvent> {
    let dt = system.time_step();
    if report.last == system.steps() {
        if !tracker.touching {
            tracker.touch(number, &report.sample_before(end - dt));
        }
        match law {
            Law::Hard => tracker.observe_impulse(report.last_depth),
            Law::Penalty(_) => tracker.observe(acting, report.last_impulse.norm() / dt, report.last_depth),
        }
        tracker.press(acting, report.last_impulse.norm(), &report.place);
    } else if tracker.touching {
        tracker.part(&report.sample_after(end - dt));
    }
    tracker.settle(end)
}

/// The event of a contact at the end of the run.
fn finish(
    system: &System,
    tracker: &mut ContactTracker,
    (bodies, law): ([usize; 2], Law),
    report: &PairReport,
    time: f64,
) -> Option<ContactEvent> {
    let sample = report.sample_after(time);
    if lasts(system, (bodies, law), report, tracker, time) {
        tracker.last_on();
    } else if tracker.touching {
        // An impact in the last step has ended.
        tracker.part(&sample);
    }
    tracker.finish(&sample)
}

/// True if a contact lasts at the end of a run.
///
/// A spring that pressed in the last step lasts. Otherwise the bodies separate with a velocity u, which
/// rounding gives to bodies at rest. The mean force J/T over the duration T of the contact so far brings
/// them back within the time 2 m u T/J. If this is less than [`ContactTracker::MERGE`] T it is the same
/// contact, as it would be in the middle of a run.
fn lasts(
    system: &System,
    (bodies, law): ([usize; 2], Law),
    report: &PairReport,
    tracker: &ContactTracker,
    time: f64,
) -> bool {
    /// Fraction of the velocity of arrival that counts as rounding.
    const ROUND_OFF: f64 = 1e-9;
    let Some(event) = tracker.event else { return false };
    if tracker.touching && matches!(law, Law::Penalty(_)) {
        return true;
    }
    let impulse = report.impulse - tracker.impulse_before();
    let size = impulse.norm();
    let relative = |[first, second]: &[BodyMotion; 2]| first.velocity - second.velocity;
    let leaving = if size > 0.0 { relative(&report.after).dot(&impulse) / size } else { 0.0 };
    if leaving <= ROUND_OFF * relative(&report.before).norm() {
        return true;
    }
    let moving = bodies.iter().map(|&i| &system.bodies[i]).filter(|body| !body.fixed);
    let mass = 1.0 / moving.map(|body| 1.0 / body.mass).sum::<f64>();
    // A contact of two steps was an impact.
    let has_lasted = time - event.start > 2.5 * system.time_step();
    has_lasted && 2.0 * mass * leaving < ContactTracker::MERGE * size
}

/// The report of two bodies of a crowd, on the first of them.
fn both_ways(system: &System, crowd: usize, [a, b]: [usize; 2]) -> PairReport {
    let of = |pair: usize| {
        let report = system.reports[pair];
        if system.pairs[pair].bodies[0] == a { report } else { report.turned() }
    };
    system.pairs_of_crowd(crowd, [a, b]).map(of).reduce(merged).unwrap_or_default()
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
