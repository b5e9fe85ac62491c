//! Contact events and forces of rigid bodies with each other.

use carom_dynamics::{ContactEvent, ContactState, ObserverError};
use carom_rigid::{PairReport, StepTimes};
use nalgebra::Vector3;

use super::rigid::RigidBodies;

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
        let Self { system, contacts, numbers, .. } = self;
        let times = StepTimes { acting: time, end: time + 0.5 * system.time_step() };
        contacts.follow(system, times, |event| take(renumbered(event, numbers)))
    }

    /// Ends the events that are open at the end of the run.
    pub(super) fn finish_events(
        &mut self,
        time: f64,
        mut take: impl FnMut(ContactEvent) -> Result<(), ObserverError>,
    ) -> Result<(), ObserverError> {
        let Self { system, contacts, numbers, .. } = self;
        contacts.finish(system, time, |event| take(renumbered(event, numbers)))
    }

    /// Adds the forces at t_n to the states of the contacts: a pair of an automatic contact adds to the sum
    /// of all forces alone.
    pub(super) fn add_contact_states(&self, states: &mut [ContactState]) {
        let (dt, system) = (self.system.time_step(), &self.system);
        let now = |_, report: &PairReport| match report.last == system.steps() && report.last > 0 {
            true => (report.last_impulse / dt, Some(report.last_depth)),
            false => (Vector3::zeros(), None),
        };
        self.contacts.add_states(system, now, states);
    }
}

/// An event with the bodies as the problem numbers them.
fn renumbered(event: ContactEvent, numbers: &[usize]) -> ContactEvent {
    ContactEvent { bodies: event.bodies.map(|bodies| bodies.map(|body| numbers[body])), ..event }
}
