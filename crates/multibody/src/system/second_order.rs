//! The parts of a system for integrators that solve for its joints themselves: see
//! [`carom_integrate::SecondOrder`].
//!
//! `bodies/increments.rs` says what velocities and increments are.

use super::System;
use crate::system_error::RateError;
use carom_integrate::{Displacement, Ode, Reading, SecondOrder, StateStructure, Structure};

impl SecondOrder for System {
    type Error = RateError;

    fn velocities(&self) -> usize {
        self.bodies.n_velocities()
    }

    fn constraints(&self) -> usize {
        self.joints.n_rows()
    }

    /// Parts are the bodies, groups the joints; bodies are coupled by joints whose directions turn with one
    /// of them, by springs, and by contacts that do not expose their rows.
    fn structure(&self) -> Structure {
        let mut couplings = self.joints.couplings();
        couplings.extend(self.elements.couplings());
        couplings.extend(self.contacts.couplings());
        Structure { parts: self.bodies.parts(), groups: self.joints.groups(), couplings }
    }

    /// Bodies are coupled by all contacts. The impulses of bodies, held ones included, add up to that of the
    /// loads and the ground, and so do the angular impulses.
    fn state_structure(&self) -> Option<StateStructure> {
        let mut structure = self.structure();
        structure.couplings.extend(self.contacts.all_couplings());
        let layout = self.layout();
        let bodies = || 0..layout.bodies();
        let momenta = (0..3)
            .map(|a| (layout.external_impulse() + a, bodies().map(|i| layout.momentum(i) + a).collect()));
        let ang_momenta = (0..3).map(|a| {
            (layout.external_ang_impulse() + a, bodies().map(|i| layout.ang_momentum(i) + a).collect())
        });
        let components = bodies().map(|i| layout.components(i)).collect();
        Some(StateStructure { structure, components, sums: momenta.chain(ang_momenta).collect() })
    }

    fn constraint_accelerations(&mut self, rate: &[f64], out: &mut [f64]) {
        self.bodies.set_accelerations_of_rates(rate);
        self.joints.write_accelerations(self.bodies.accelerations(), out);
    }

    fn components(&self, velocity: usize) -> [usize; 2] {
        self.bodies.components(velocity)
    }

    /// Modes above the split: others are followed.
    fn is_internal(&self, velocity: usize) -> bool {
        self.bodies.is_high_mode(velocity)
    }

    fn is_position(&self, component: usize) -> bool {
        self.layout().is_position(component)
    }

    fn magnitude(&self, y: &[f64], velocity: usize) -> f64 {
        self.bodies.magnitude(y, velocity, self.joints.size())
    }

    fn closure(&self, constraint: usize) -> f64 {
        self.joints.closure(constraint)
    }

    fn terms(&self, constraint: usize) -> f64 {
        self.joints.terms(constraint)
    }

    fn place(
        &mut self,
        time: f64,
        from: &[f64],
        step: Displacement<'_>,
        y: &mut [f64],
    ) -> Result<(), RateError> {
        y.copy_from_slice(from);
        self.bodies.move_by(step.increment, y);
        self.bodies.set_positions(y);
        self.bodies.set_momenta(step.velocity, y);
        if step.impulse.iter().any(|&impulse| impulse != 0.0) {
            self.set_joints(time, y);
            self.joints.set_multipliers(step.impulse.iter().map(|impulse| -impulse));
            self.joints.add_impulses(&self.bodies, y);
        }
        Ok(())
    }

    fn mass_column(&self, velocity: usize, column: &mut [f64]) {
        self.bodies.mass_column(velocity, column);
    }

    fn rate_with(
        &mut self,
        time: f64,
        y: &[f64],
        multipliers: Option<&[f64]>,
        rate: &mut [f64],
    ) -> Result<(), RateError> {
        self.set_state(y)?;
        self.evaluate_contact_forces(y)?;
        self.apply_known(time, y);
        match multipliers {
            None => self.apply_reactions(time, y)?,
            Some(_) if self.joints.is_empty() => {}
            Some(multipliers) => {
                self.set_joints(time, y);
                self.joints.set_multipliers(multipliers.iter().copied());
                self.joints.apply(&mut self.applied);
            }
        }
        self.write_rates(y, rate)?;
        rate[self.in_use()..].fill(0.0);
        Ok(())
    }

    fn read(&mut self, reading: &mut Reading) {
        self.bodies.write_velocities(&mut reading.velocity);
        reading.multipliers.copy_from_slice(self.joints.multipliers());
        self.joints.read(&mut reading.value, &mut reading.value_rate);
    }

    /// The applied forces contain the reactions: these accelerations are those with joints.
    fn accelerations(&mut self, out: &mut [f64]) {
        self.bodies.set_accelerations(&self.applied.on_bodies);
        self.bodies.write_accelerations(out);
    }

    fn pull_back(&self, y: &[f64], change: &[f64], out: &mut [f64]) {
        self.bodies.pull_back(y, change, out);
    }

    /// The low-rank forces are those of contact models that expose their rows.
    fn omit_low_rank(&mut self, omit: bool) {
        self.contacts.omit_rows(omit);
    }

    fn for_low_rank_rows(&self, visit: &mut dyn FnMut(usize)) {
        self.contacts.for_closed_rows(visit);
    }

    fn low_rank_compliance(&self, row: usize, other: usize) -> f64 {
        self.contacts.compliance_of_rows(row, other)
    }

    fn low_rank_row(&mut self, number: usize, row: &mut [f64]) {
        let forces = self.contacts.forces_of_row(number, self.bodies.poses());
        self.bodies.pull_back_forces(forces, row);
    }

    fn constraint(&mut self, constraint: usize, part: usize, row: &mut [f64], column: &mut [f64]) {
        self.joints.write_row(constraint, part, &self.bodies, row, column);
    }

    fn carried_momenta(&mut self, part: usize, out: &mut [f64]) -> bool {
        self.bodies.write_carried_momenta(part, out);
        true
    }

    fn carried_rate(&mut self, constraint: usize, part: usize, row: &mut [f64]) -> bool {
        self.joints.write_carried_rate(constraint, part, &self.bodies, row);
        true
    }
}

#[cfg(test)]
mod tests;
