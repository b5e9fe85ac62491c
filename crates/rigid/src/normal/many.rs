//! Normals of many contacts: the same two phases by blocks of bodies, joints and contacts.
//!
//! Active sets are Newton's method for the linear complementarity problem. Each set costs one factorisation
//! by blocks, which also gives the velocities of all other contacts:
//!
//! ```text
//! A = {i : r_i > 0 or w_i < 0}:   (M + C) Δr + w₀ = 0 in A,   r = 0 elsewhere,   w = w₀ + (M + C) Δr
//! ```

use super::{Normal, ROUND_OFF, Scale};
use crate::contact::{Contact, Rows};
use crate::law::{LinearLaw, NormalLaw};
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;
use nalgebra::{Matrix3, Vector3};

/// Sets that are tried in one linear problem.
const SETS: usize = 40;

/// Linear problems that may pass without an error of half the size.
const PATIENCE: usize = 4;

/// w that counts as zero, relative to the largest.
const NOISE: f64 = 1e-14;

impl Normal {
    /// Removes the multipliers that do not touch, as [`Normal::inelastic_phase`] does; false if the problem
    /// is not solved.
    pub(crate) fn inelastic_by_blocks(
        &mut self,
        contacts: &mut Vec<Contact>,
        rows: &mut Rows,
        stages: &[Stage],
        step: &Step<'_>,
    ) -> bool {
        self.set_laws(contacts, rows, step);
        for (w, contact) in self.q.iter_mut().zip(&*contacts).filter(|(_, contact)| contact.is_multiplier()) {
            *w = 2.0 / step.dt * (contact.gap_new - contact.gap_old);
        }
        let multipliers = self.q.iter().zip(&*contacts).filter(|(_, contact)| contact.is_multiplier());
        let largest = multipliers.fold(0.0, |m: f64, (w, _)| m.max(w.abs()));
        if !rows.set_blocks(stages, step) || !self.find_active(rows, stages, step) {
            return false;
        }
        let mut number = 0;
        contacts.retain(|contact| {
            let i = number;
            number += 1;
            let opens = self.q[i] + self.changes[i][1];
            !contact.is_multiplier() || self.z[i] > 0.0 || opens <= super::STAYS * largest
        });
        true
    }

    /// Impulses of all contacts by their laws, without friction, as [`Normal::elastic_phase`] finds them.
    pub(super) fn elastic_by_blocks(
        &mut self,
        contacts: &[Contact],
        rows: &mut Rows,
        stages: &mut [Stage],
        step: &Step<'_>,
    ) -> Result<(), Unsolved> {
        let scale = Scale::new(contacts, rows, stages);
        let (mut last, mut patience) = (f64::INFINITY, PATIENCE);
        while patience > 0 {
            self.set_laws(contacts, rows, step);
            if !rows.set_blocks(stages, step) || !self.find_active(rows, stages, step) {
                break;
            }
            self.apply(rows, stages, step)?;
            let missed = scale.missed(contacts, rows, step, |_| true);
            if missed.relative() <= ROUND_OFF || (missed.relative() >= 0.5 * last && missed.is_small()) {
                return Ok(());
            }
            let has_halved = missed.relative() < 0.5 * last;
            patience -= usize::from(!has_halved);
            last = missed.relative();
        }
        Err(Unsolved::Impulses { contacts: contacts.len(), missed: last })
    }

    /// One refinement of the normal impulses for fixed tangential ones, where they are not zero; false if it
    /// is not finite.
    pub(super) fn refine_by_blocks(
        &mut self,
        contacts: &[Contact],
        rows: &mut Rows,
        stages: &[Stage],
        step: &Step<'_>,
    ) -> bool {
        self.set_laws(contacts, rows, step);
        self.active.clear();
        self.active.extend((0..contacts.len()).filter(|&i| self.z[i] > 0.0));
        if !rows.set_blocks(stages, step) || !self.change_active(rows, stages, step) {
            return false;
        }
        let per = rows.per_contact;
        for &i in &self.active {
            let refined = self.z[i] + self.changes[i * per][0];
            if refined > 0.0 {
                self.z[i] = refined;
            }
        }
        true
    }

    /// C of each contact, and w = u₊ + C r + b at the present impulses.
    fn set_laws(&mut self, contacts: &[Contact], rows: &Rows, step: &Step<'_>) {
        self.compliance.clear();
        self.q.clear();
        let per = rows.per_contact;
        for (i, contact) in contacts.iter().enumerate() {
            let (before, after) = (rows.before[i * per], rows.after[i * per]);
            let law = NormalLaw::at(contact, before, after, step.dt);
            self.compliance.push(law.compliance);
            self.q.push(after + law.offset + law.compliance * rows.impulse[i * per]);
        }
    }

    /// Impulses z of the linear problem at w = q, whose solution has the right signs; false if no set has.
    fn find_active(&mut self, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        let (n, per) = (self.q.len(), rows.per_contact);
        let noise = NOISE * self.q.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
        self.active.clear();
        let closes = |i: &usize| rows.impulse[i * per] > self.q[*i] / rows.free_mobility(*i);
        self.active.extend((0..n).filter(closes));
        for _ in 0..SETS {
            if !self.change_active(rows, stages, step) {
                return false;
            }
            self.next.clear();
            let mut active = self.active.iter().peekable();
            for i in 0..n {
                let [by, velocity] = self.changes[i * per];
                let impulse = rows.impulse[i * per] + by;
                let was_active = active.next_if(|&&a| a == i).is_some();
                let w = self.q[i] + velocity + self.compliance[i] * by;
                if if was_active { impulse > 0.0 } else { w < -noise } {
                    self.next.push(i);
                }
            }
            if self.next == self.active {
                self.z.clear();
                self.z.resize(n, 0.0);
                for &i in &self.active {
                    self.z[i] = rows.impulse[i * per] + self.changes[i * per][0];
                }
                return true;
            }
            std::mem::swap(&mut self.active, &mut self.next);
        }
        false
    }

    /// Changes with which the active contacts have w = 0 and all others no impulse along the normal;
    /// tangential impulses stay.
    fn change_active(&mut self, rows: &mut Rows, stages: &[Stage], step: &Step<'_>) -> bool {
        let per = rows.per_contact;
        self.laws.clear();
        let mut active = self.active.iter().peekable();
        for (i, &w) in self.q.iter().enumerate() {
            let mobility = rows.free_mobility(i);
            let mut law = LinearLaw {
                by_impulse: mobility * Matrix3::identity(),
                by_velocity: Matrix3::zeros(),
                value: Vector3::zeros(),
            };
            if active.next_if(|&&a| a == i).is_some() {
                law.by_impulse[(0, 0)] = self.compliance[i];
                law.by_velocity[(0, 0)] = 1.0;
                law.value[0] = -w;
            } else {
                law.value[0] = -mobility * rows.impulse[i * per];
            }
            self.laws.push(law);
        }
        rows.change_by_laws(&self.laws, stages, step, &mut self.changes)
    }
}
