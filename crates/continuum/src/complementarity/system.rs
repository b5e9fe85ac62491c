//! Linear bodies in contact, and their step.

use carom_contact::solver::LcpMethod;

use super::StepError;
use super::body::{Exchange, LinearBody};
use super::contact::{Contacts, Losses, Pair};

/// Rounds of contact in a step: each one adds the rows that the forces of the others have closed.
const ROUNDS: usize = 50;

/// Bodies and contacts.
pub(super) struct System {
    pub(super) bodies: Vec<LinearBody>,
    pub(super) contacts: Contacts,
    /// Complementarity problems solved, their rows, and the most rows with a force.
    pub(super) counts: Counts,
}

/// Counts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Complementarity problems.
    pub problems: u64,
    /// Rows of all of them.
    pub rows: u64,
    /// Most rows with a force at a time.
    pub most_touching: u64,
}

impl System {
    pub(super) fn new(mut bodies: Vec<LinearBody>, pairs: Vec<Pair>, method: Option<LcpMethod>) -> Self {
        pairs.iter().for_each(|pair| pair.register(&mut bodies));
        Self { bodies, contacts: Contacts::new(pairs, method), counts: Counts::default() }
    }

    /// Moves the bodies by a step of the length h, with the loads that they have \[s\].
    ///
    /// * `time` — at the start of the step, for messages
    pub(super) fn step(&mut self, time: f64, h: f64) -> Result<(), StepError> {
        for body in &mut self.bodies {
            if let Err(source) = body.prepare(h) {
                return Err(StepError::Factor { body: body.name.clone(), time, source });
            }
            body.predict(h);
            body.pressing.fill(0.0);
        }
        self.contacts.begin(&self.bodies);
        self.find_contact(time)?;
        self.check_motion(time)?;
        self.bodies.iter_mut().for_each(|body| body.close(h));
        let Self { bodies, contacts, .. } = self;
        contacts.close(bodies, h);
        self.counts.most_touching = self.counts.most_touching.max(contacts.n_touching());
        Ok(())
    }

    fn find_contact(&mut self, time: f64) -> Result<(), StepError> {
        let Self { bodies, contacts, counts } = self;
        for _ in 0..ROUNDS {
            if !contacts.add_closing(bodies) {
                return Ok(());
            }
            let rows = contacts.n_candidates();
            contacts.solve(bodies).map_err(|source| StepError::Complementarity { time, rows, source })?;
            counts.problems += 1;
            counts.rows += rows as u64;
            contacts.press(bodies);
            bodies.iter_mut().for_each(LinearBody::respond);
        }
        Err(StepError::NotSettled { time, rounds: ROUNDS })
    }

    /// The error of surfaces that may have passed each other unseen.
    fn check_motion(&self, time: f64) -> Result<(), StepError> {
        for pair in &self.contacts.pairs {
            let moved = pair.moved(&self.bodies);
            // A motion that is not a number is an error, too.
            let is_seen = moved <= pair.reach;
            if !is_seen {
                let (between, reach) = (pair.name.clone(), pair.reach);
                return Err(StepError::TooFast { time, between, moved, reach });
            }
        }
        Ok(())
    }

    /// Works, forces and moments on all bodies in the step that was just taken, with the forces of walls, and
    /// the losses of contact.
    pub(super) fn exchange(&mut self, h: f64) -> (Exchange, Losses) {
        let mut sum = Exchange::default();
        for body in &mut self.bodies {
            let own = body.exchange(h);
            sum.external += own.external;
            sum.contact += own.contact;
            sum.damped += own.damped;
            sum.force += own.force;
            sum.moment += own.moment;
            sum.pressed += own.pressed;
        }
        self.contacts.add_walls(&self.bodies, &mut sum);
        (sum, self.contacts.losses(&self.bodies))
    }
}
