//! Impulses of the contacts of a step: one problem for each group of bodies that touch each other.

use crate::contact::{Contact, Rows};
use crate::contradiction::{Squeezed, held, squeezed};
use crate::friction::Friction;
use crate::groups::Groups;
use crate::limit::Limit;
use crate::normal::Normal;
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;

/// Solver for all contacts of a step, with its memory.
#[derive(Default)]
pub(crate) struct Impulses {
    groups: Groups,
    pub(crate) laws: Laws,
    limit: Limit,
    group: Vec<Contact>,
    solved: Vec<Contact>,
    /// Smallest factor of a restitution in this step, 1 without reduction.
    pub(crate) factor: f64,
}

/// Contacts of one group from which on they are solved by blocks of bodies and contacts; up to them a dense
/// problem costs less.
const MANY: usize = 24;

/// Contacts with friction up to which a dense problem is tried at once where blocks have no solution. Beyond,
/// it takes a second and more, and the step is divided first.
const DENSE: usize = 48;

/// The laws of one group of contacts.
pub(crate) struct Laws {
    pub(crate) rows: Rows,
    pub(crate) normal: Normal,
    pub(crate) friction: Friction,
    /// [`MANY`], which tests change.
    many: usize,
    /// Groups of many contacts that blocks did not solve, for tests.
    unsolved: u64,
    /// True where a dense problem of any size is the last resort; and that one was left out without it.
    pub(crate) is_last_resort: bool,
    pub(crate) has_left_out: bool,
    /// The contacts, and the impulses of joints, before a solution by blocks.
    contacts: Vec<Contact>,
    lambda: Vec<f64>,
}

impl Default for Laws {
    fn default() -> Self {
        Self {
            rows: Rows::default(),
            normal: Normal::default(),
            friction: Friction::default(),
            many: MANY,
            unsolved: 0,
            is_last_resort: false,
            has_left_out: false,
            contacts: Vec::new(),
            lambda: Vec::new(),
        }
    }
}

impl Impulses {
    /// Reserves memory for n contacts of this number of bodies.
    pub(crate) fn reserve(&mut self, n: usize, bodies: usize) {
        self.groups.reserve(bodies);
        self.laws.rows.reserve(n);
        self.laws.normal.reserve(n);
        self.limit.reserve(n);
        self.group.reserve(n);
        self.solved.reserve(n);
    }

    /// Keeps the impulses of a step that is accepted, where those of the next one begin.
    pub(crate) fn keep(&mut self, contacts: &[Contact]) {
        self.laws.friction.path.memory.keep(contacts, MANY);
    }

    /// Computes impulses of contacts with known arms, and the resulting velocities; contacts that do not
    /// touch are removed. After an error `contacts` are those of the group without a solution.
    pub(crate) fn solve(
        &mut self,
        contacts: &mut Vec<Contact>,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        self.groups.sort(contacts, step.bodies, step.joints);
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
    /// Both phases of one group; returns the factor of its restitution. Many contacts are solved by blocks,
    /// and as one dense problem where these have no solution.
    fn solve_group(
        &mut self,
        contacts: &mut Vec<Contact>,
        limit: &mut Limit,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<f64, Unsolved> {
        self.rows.by_blocks = contacts.len() >= self.many;
        self.friction.path.is_last_resort = self.is_last_resort;
        if self.rows.by_blocks {
            self.contacts.clone_from(contacts);
            self.lambda.clone_from(&self.rows.joints.lambda);
            let before = self.friction.path.missed;
            let missed = match self.both_phases(contacts, limit, stages, step) {
                Ok(factor) => return Ok(factor),
                Err(missed) => missed,
            };
            self.unsolved += 1;
            self.friction.path.missed = before;
            let has_friction = self.contacts.iter().any(|contact| contact.friction > 0.0);
            if has_friction && self.contacts.len() > DENSE && !self.is_last_resort {
                self.has_left_out = true;
                return Err(missed);
            }
            std::mem::swap(contacts, &mut self.contacts);
            self.rows.joints.lambda.clone_from(&self.lambda);
            self.rows.by_blocks = false;
        }
        self.both_phases(contacts, limit, stages, step)
    }

    fn both_phases(
        &mut self,
        contacts: &mut Vec<Contact>,
        limit: &mut Limit,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<f64, Unsolved> {
        self.rows.set(contacts, 1, stages, step);
        self.rows.evaluate(stages, step)?;
        let has_multipliers = contacts.iter().any(Contact::is_multiplier);
        if has_multipliers && self.rows.by_blocks {
            if !self.normal.inelastic_by_blocks(contacts, &mut self.rows, stages, step) {
                return Err(Unsolved::Impulses { contacts: contacts.len(), missed: f64::INFINITY });
            }
        } else if has_multipliers {
            self.rows.set_mobility(stages, step);
            if let Some(contradiction) = held(contacts, &self.rows, stages, step) {
                return Err(contradiction);
            }
            self.normal.inelastic_phase(contacts, &self.rows, step);
        }
        let mut factor = 1.0;
        if !contacts.is_empty() {
            // Without contacts the motion without contact is the result.
            let has_friction = contacts.iter().any(|contact| contact.friction > 0.0);
            let mut solved = self.solve(contacts, has_friction, stages, step);
            let may_give_up = contacts.iter().any(Contact::has_lasting) && !self.rows.by_blocks;
            if solved.is_err() && may_give_up {
                // Contacts that face each other may not all be able to return from below the surface.
                let per_contact = self.rows.per_contact;
                for (i, contact) in contacts.iter_mut().enumerate() {
                    contact.lasting = -self.rows.before[i * per_contact];
                    contact.rising = 0.0;
                }
                solved = self.solve(contacts, has_friction, stages, step);
            }
            if let Err(why) = solved {
                if self.rows.by_blocks {
                    return Err(why);
                }
                return Err(self.contradiction(contacts, stages, step)?.unwrap_or(why));
            }
            factor = limit.apply(contacts, self, stages, step)?;
        }
        self.rows.give(contacts, step.dt);
        Ok(factor)
    }

    /// Why no impulses solve the contacts of a group, if motions press them together.
    #[cold]
    fn contradiction(
        &mut self,
        contacts: &[Contact],
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<Option<Unsolved>, Unsolved> {
        Ok(self.squeezed(contacts, stages, step)?.map(Unsolved::from))
    }

    /// Contacts that motions close together.
    pub(crate) fn squeezed(
        &mut self,
        contacts: &[Contact],
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<Option<Squeezed>, Unsolved> {
        self.rows.set(contacts, 1, stages, step);
        self.rows.evaluate(stages, step)?;
        self.rows.set_mobility(stages, step);
        Ok(squeezed(contacts, &self.rows, stages))
    }

    /// Impulses by the laws of the contacts.
    pub(crate) fn solve(
        &mut self,
        contacts: &mut [Contact],
        has_friction: bool,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        self.rows.set(contacts, if has_friction { 3 } else { 1 }, stages, step);
        self.rows.evaluate(stages, step)?;
        if !has_friction {
            return self.normal.elastic_phase(contacts, &mut self.rows, stages, step);
        }
        self.friction.solve(contacts, &mut self.rows, stages, step)?;
        self.normal.polish(contacts, &mut self.rows, stages, step)
    }
}

#[cfg(test)]
mod tests;
