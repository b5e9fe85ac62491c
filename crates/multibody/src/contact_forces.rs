//! Contact of all pairs of a system, at a state and at the end of a step.

use crate::contact::{BodyForces, ContactSums, Motion};
use crate::system::System;
use crate::system_error::RateError;

impl System {
    /// Contact at y, for which [`System::set_state`] was called.
    ///
    /// # Errors
    ///
    /// [`RateError::Contact`].
    pub fn evaluate_contacts(&mut self, y: &[f64]) -> Result<(), RateError> {
        self.contact_forces.iter_mut().for_each(BodyForces::clear);
        self.contact_sums = ContactSums::default();
        let (layout, poses, kinetics) = (&self.layout, &self.poses[..], &self.kinetics[..]);
        let motion = Motion { layout, poses, kinetics, y };
        let mut reactions = &mut self.reactions[..];
        for model in &mut self.contacts {
            let (own, rest) = reactions.split_at_mut(model.pairs());
            let sums = model
                .evaluate(&motion, &mut self.contact_forces, own)
                .map_err(|source| RateError::Contact { source })?;
            self.contact_sums.elastic_energy += sums.elastic_energy;
            self.contact_sums.contact_energy += sums.contact_energy;
            self.contact_sums.friction_loss += sums.friction_loss;
            self.contact_sums.residual = self.contact_sums.residual.max(sums.residual);
            self.contact_sums.off_interface = self.contact_sums.off_interface.max(sums.off_interface);
            self.contact_sums.fallbacks += sums.fallbacks;
            reactions = rest;
        }
        Ok(())
    }

    /// Takes the state of the last evaluation of contact as the end of a step.
    pub(crate) fn accept_contacts(&mut self) {
        self.contacts.iter_mut().for_each(|model| model.accept());
    }

    /// Adds the forces of contact to those on the bodies.
    pub(crate) fn apply_contacts(&mut self) {
        for (forces, contact) in self.forces.iter_mut().zip(&self.contact_forces) {
            forces.force += contact.force;
            forces.moment += contact.moment;
            for (force, contact) in forces.modal.iter_mut().zip(&contact.modal) {
                *force += contact;
            }
        }
    }
}
