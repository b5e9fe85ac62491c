//! Contact events and forces of pairs of rigid bodies.

use carom_contact::Law;
use carom_dynamics::{ContactEvent, ContactState, ContactTracker, ObserverError};
use nalgebra::Vector3;

use super::rigid::RigidBodies;

/// A pair of rigid bodies in the order of the rigid system.
#[derive(Debug, Clone, Copy)]
pub(super) struct RigidPair {
    /// Number among all contacts.
    pub(super) number: usize,
    /// True if the pair is part of an automatic contact, which has no events.
    is_automatic: bool,
    pub(super) tracker: ContactTracker,
}

impl RigidPair {
    pub(super) fn new(number: usize, is_automatic: bool) -> Self {
        Self { number, is_automatic, tracker: ContactTracker::default() }
    }
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
        let (dt, steps) = (system.time_step(), system.steps());
        let end = time + 0.5 * dt;
        self.following.extend(system.touching_pairs().filter(|&pair| !self.pairs[pair].is_automatic));
        if self.following.is_empty() {
            return Ok(());
        }
        self.following.sort_unstable();
        self.following.dedup();
        for &pair in &self.following {
            let (number, tracker) = (self.pairs[pair].number, &mut self.pairs[pair].tracker);
            let report = &system.reports[pair];
            if report.last == steps {
                if !tracker.touching {
                    tracker.touch(number, &report.sample_before(end - dt));
                }
                match system.law(pair) {
                    Law::Hard => tracker.observe_impulse(report.last_depth),
                    Law::Penalty(_) => {
                        tracker.observe(time, report.last_impulse.norm() / dt, report.last_depth);
                    }
                }
                tracker.press(time, report.last_impulse.norm(), &report.place);
            } else if tracker.touching {
                tracker.part(&report.sample_after(end - dt));
            }
            if let Some(event) = tracker.settle(end) {
                take(event)?;
            }
        }
        let pairs = &self.pairs;
        self.following.retain(|&pair| pairs[pair].tracker.event.is_some());
        Ok(())
    }

    /// Ends the events that are open at the end of the run.
    pub(super) fn finish_events(
        &mut self,
        time: f64,
        mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
    ) -> Result<(), ObserverError> {
        for &pair in &self.following {
            let (tracker, report) = (&mut self.pairs[pair].tracker, &self.system.reports[pair]);
            let sample = report.sample_after(time);
            if let Some(event) = tracker.finish(&sample) {
                take(event)?;
            }
        }
        Ok(())
    }

    /// Adds the forces at t_n to the states of the contacts: a pair of an automatic contact adds to the sum
    /// of all forces alone.
    pub(super) fn add_contact_states(&self, states: &mut [ContactState]) {
        let (dt, steps) = (self.system.time_step(), self.system.steps());
        for (pair, report) in self.pairs.iter().zip(&self.system.reports) {
            if report.last != steps || report.last == 0 {
                continue;
            }
            let state = &mut states[pair.number];
            let force = report.last_impulse / dt;
            state.normal_force += force.norm();
            state.free_gap = state.free_gap.min(-report.last_depth);
            if !pair.is_automatic {
                state.force = (Vector3::from(state.force) + force).into();
            }
        }
    }
}
