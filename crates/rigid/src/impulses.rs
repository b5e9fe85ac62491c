//! Impulses of the contacts of a step: one problem for each group of bodies that touch each other.

use crate::contact::{Contact, Rows};
use crate::friction::Friction;
use crate::groups::Groups;
use crate::limit::Limit;
use crate::normal::Normal;
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;

/// Solver of all contacts of a step, with its memory.
#[derive(Default)]
pub(crate) struct Impulses {
    groups: Groups,
    laws: Laws,
    limit: Limit,
    group: Vec<Contact>,
    solved: Vec<Contact>,
    /// Least factor of a restitution in this step, 1 where none was reduced.
    pub(crate) factor: f64,
}

/// The laws of one group of contacts.
#[derive(Default)]
pub(crate) struct Laws {
    pub(crate) rows: Rows,
    pub(crate) normal: Normal,
    friction: Friction,
}

impl Impulses {
    /// Makes room for n contacts of so many bodies.
    pub(crate) fn reserve(&mut self, n: usize, bodies: usize) {
        self.groups.reserve(bodies);
        self.laws.rows.reserve(n);
        self.laws.normal.reserve(n);
        self.limit.reserve(n);
        self.group.reserve(n);
        self.solved.reserve(n);
    }

    /// Impulses of contacts whose arms are set, and the velocities that answer; contacts that do not touch
    /// leave. After an error the contacts are those of the group that has no solution.
    pub(crate) fn solve(
        &mut self,
        contacts: &mut Vec<Contact>,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        self.groups.sort(contacts, step.bodies);
        self.solved.clear();
        self.factor = 1.0;
        let groups = &self.groups;
        for group in
            contacts.chunk_by(|a, b| groups.of_moving(a, step.bodies) == groups.of_moving(b, step.bodies))
        {
            self.group.clear();
            self.group.extend_from_slice(group);
            match self.laws.solve_group(&mut self.group, &mut self.limit, stages, step) {
                Ok(factor) => self.factor = self.factor.min(factor),
                Err(error) => {
                    std::mem::swap(contacts, &mut self.group);
                    return Err(error);
                }
            }
            self.solved.extend_from_slice(&self.group);
        }
        std::mem::swap(contacts, &mut self.solved);
        Ok(())
    }
}

impl Laws {
    /// Both phases of one group; returns by what its restitution was multiplied.
    fn solve_group(
        &mut self,
        contacts: &mut Vec<Contact>,
        limit: &mut Limit,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<f64, Unsolved> {
        self.rows.set(contacts, 1, stages);
        self.rows.evaluate(stages, step)?;
        if contacts.iter().any(Contact::is_multiplier) {
            self.normal.inelastic_phase(contacts, &self.rows, step);
        }
        let mut factor = 1.0;
        if !contacts.is_empty() {
            // Without contacts the motion without contact is the motion.
            let has_friction = contacts.iter().any(|contact| contact.friction > 0.0);
            let solved = self.solve(contacts, has_friction, stages, step);
            if solved.is_err() && contacts.iter().any(Contact::has_lasting) {
                // Contacts may face each other and cannot all come back from where they have sunk.
                let per_contact = self.rows.per_contact;
                for (i, contact) in contacts.iter_mut().enumerate() {
                    contact.lasting = -self.rows.before[i * per_contact];
                    contact.rising = 0.0;
                }
                self.solve(contacts, has_friction, stages, step)?;
            } else {
                solved?;
            }
            factor = limit.apply(contacts, self, stages, step)?;
        }
        self.rows.give(contacts, step.dt);
        Ok(factor)
    }

    /// Impulses by the laws that the contacts have.
    pub(crate) fn solve(
        &mut self,
        contacts: &[Contact],
        has_friction: bool,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        self.rows.set(contacts, if has_friction { 3 } else { 1 }, stages);
        self.rows.evaluate(stages, step)?;
        if !has_friction {
            return self.normal.elastic_phase(contacts, &mut self.rows, stages, step);
        }
        self.friction.solve(contacts, &mut self.rows, stages, step)?;
        self.normal.polish(contacts, &mut self.rows, stages, step)
    }
}
