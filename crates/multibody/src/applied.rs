//! Generalised forces on the bodies, and the rates of the integrals of the state vector by them.

use nalgebra::Vector3;

use crate::contact::BodyForces;
use crate::layout::{Layout, put};

/// Forces on all bodies. Loads set them; elements, contacts and joints add to them.
#[derive(Debug)]
pub(crate) struct AppliedForces {
    /// Forces on P, L and p of each body.
    pub(crate) on_bodies: Vec<BodyForces>,
    /// Rates of J, H, W_ext, D_mat.
    pub(crate) flows: Flows,
}

/// Rates of the integrals.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flows {
    pub(crate) impulse: Vector3<f64>,
    pub(crate) ang_impulse: Vector3<f64>,
    pub(crate) work: f64,
    pub(crate) damping: f64,
}

impl Flows {
    /// Counts a force that the ground exerts, and its moment about the inertial origin. Forces on a held body
    /// are counted here, too, and given back with its own momentum.
    pub(crate) fn add_from_ground(&mut self, force: &Vector3<f64>, moment: &Vector3<f64>) {
        self.impulse += force;
        self.ang_impulse += moment;
    }
}

impl AppliedForces {
    /// No forces, for bodies with these numbers of dynamic modes.
    pub(crate) fn none(modes: impl Iterator<Item = usize>) -> Self {
        Self { on_bodies: modes.map(BodyForces::none).collect(), flows: Flows::default() }
    }

    /// Adds other forces on all bodies.
    pub(crate) fn add(&mut self, others: &[BodyForces]) {
        for (forces, other) in self.on_bodies.iter_mut().zip(others) {
            forces.force += other.force;
            forces.moment += other.moment;
            for (force, other) in forces.modal.iter_mut().zip(&other.modal) {
                *force += other;
            }
        }
    }

    /// Writes the rates of the integrals to ẏ.
    pub(crate) fn write_rates(&self, layout: &Layout, rate: &mut [f64]) {
        put(rate, layout.external_impulse(), &self.flows.impulse);
        put(rate, layout.external_ang_impulse(), &self.flows.ang_impulse);
        rate[layout.work()] = self.flows.work;
        rate[layout.damping()] = self.flows.damping;
    }
}
