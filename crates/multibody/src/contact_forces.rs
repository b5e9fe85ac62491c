//! Contact of all pairs of a system, at a state and at the end of a step.

use crate::contact::{BodyForces, ContactModel, ContactSums, Motion};
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
            if self.leaves_out_contacts && model.rows().is_some() {
                reactions = rest;
                continue;
            }
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

    /// Hands over the closed rows of all contacts, numbered through all models that tell of them.
    pub(crate) fn for_closed_rows(&self, take: &mut dyn FnMut(usize)) {
        for (model, offset) in self.models_with_rows() {
            model.for_closed(&mut |row| take(offset + row));
        }
    }

    /// (W + d) of two closed rows: those of two models move each other only by what both move.
    pub(crate) fn compliance_of_rows(&self, row: usize, other: usize) -> f64 {
        let [(model, offset), (of_other, _)] = [row, other].map(|row| self.model_of_row(row));
        if std::ptr::addr_eq(model, of_other) {
            model.closed_compliance(row - offset, other - offset)
        } else {
            0.0
        }
    }

    /// Writes the generalised forces of a unit of a closed row on each body to `row_forces`.
    pub(crate) fn set_forces_of_row(&mut self, row: usize) {
        let mut forces = std::mem::take(&mut self.row_forces);
        forces.iter_mut().for_each(BodyForces::clear);
        let (model, offset) = self.model_of_row(row);
        model.add_row(row - offset, &self.poses, &mut forces);
        self.row_forces = forces;
    }

    fn models_with_rows(&self) -> impl Iterator<Item = (&dyn ContactModel, usize)> {
        let mut offset = 0;
        self.contacts.iter().filter_map(move |model| {
            let start = offset;
            let rows = model.rows()?;
            offset += rows;
            Some((&**model, start))
        })
    }

    fn model_of_row(&self, row: usize) -> (&dyn ContactModel, usize) {
        let before = self.models_with_rows().take_while(|(_, offset)| *offset <= row);
        before.last().expect("rows are those of a model")
    }

    /// Takes the state of the last evaluation of contact as the end of a step.
    pub(crate) fn accept_contacts(&mut self) {
        let mut reactions = &mut self.reactions[..];
        for model in &mut self.contacts {
            let (own, rest) = reactions.split_at_mut(model.pairs());
            model.accept(own);
            reactions = rest;
        }
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
