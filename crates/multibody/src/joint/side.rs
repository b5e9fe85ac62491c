//! A row of G on the side of one body.

use nalgebra::Vector3;

use crate::bodies::Accelerations;
use crate::body::Body;
use crate::kinetics::{Kinetics, RigidMassInverse};
use carom_linalg::dense::dot;

/// A row of G over (v, ω, q̇) of one body, and M⁻¹ times it.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub(super) body: Option<usize>,
    pub(super) force: Vector3<f64>,
    pub(super) moment: Vector3<f64>,
    pub(super) modal: Vec<f64>,
    pub(super) velocity: Vector3<f64>,
    pub(super) omega: Vector3<f64>,
    pub(super) rate: Vec<f64>,
}

impl Side {
    /// Product of this row with the column of another, if they are of the same body.
    pub(super) fn times(&self, other: &Self) -> f64 {
        if self.body.is_none() || self.body != other.body {
            return 0.0;
        }
        let modal = dot(&self.modal, &other.rate);
        self.force.dot(&other.velocity) + self.moment.dot(&other.omega) + modal
    }

    /// Product of this row with accelerations of its body.
    pub(super) fn along(&self, x: &Accelerations) -> f64 {
        let modal = dot(&self.modal, &x.modal);
        self.force.dot(&x.translation) + self.moment.dot(&x.rotation) + modal
    }

    /// Sets M⁻¹ times this row.
    pub(super) fn apply_inverse_mass(&mut self, body: &Body, kinetics: &Kinetics) {
        if body.fixed {
            Kinetics::apply_inverse_modal_mass(&body.frame, &self.modal, &mut self.rate);
            return;
        }
        (self.velocity, self.omega) =
            kinetics.apply_inverse_mass(&body.frame, &self.force, &self.moment, &self.modal, &mut self.rate);
    }

    /// As if the body could not be deformed; one without a mass is held.
    pub(super) fn apply_inverse_rigid_mass(&mut self, mass: Option<&RigidMassInverse>) {
        self.rate.fill(0.0);
        if let Some(mass) = mass {
            (self.velocity, self.omega) = mass.apply(&self.force, &self.moment);
        }
    }
}
