//! The parts of a system, for those who read results of an evaluation.

use super::System;
use crate::bodies::Bodies;
use crate::contacts::Contacts;
use crate::force::ForceElements;
use crate::joint::Constraints;

impl System {
    /// Poses, mass matrices and velocities of the bodies.
    pub(crate) fn states(&self) -> &Bodies {
        &self.bodies
    }

    /// Springs, stops and bushings.
    pub(crate) fn elements(&self) -> &ForceElements {
        &self.elements
    }

    /// Springs, stops and bushings.
    pub(crate) fn elements_mut(&mut self) -> &mut ForceElements {
        &mut self.elements
    }

    /// Contacts.
    pub(crate) fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// Contacts.
    pub(crate) fn contacts_mut(&mut self) -> &mut Contacts {
        &mut self.contacts
    }

    /// The time in which pairs that are far apart may touch, at the last evaluation, by the rigid motion of
    /// all bodies \[s\].
    pub(crate) fn time_apart(&mut self) -> f64 {
        let Self { bodies, contacts, .. } = self;
        contacts.time_apart(&|i| {
            let (velocity, omega) = bodies.mean_motion(i);
            (bodies.pose(i).rotation * velocity, omega.norm())
        })
    }

    /// The same of pairs that are near each other, but were left out \[s\].
    pub(crate) fn time_settled(&self) -> f64 {
        self.contacts.time_settled(&|i| {
            let (velocity, omega) = self.bodies.mean_motion(i);
            (velocity, omega.norm())
        })
    }

    /// Joints.
    pub(crate) fn joints(&self) -> &Constraints {
        &self.joints
    }

    /// Joints.
    pub(crate) fn joints_mut(&mut self) -> &mut Constraints {
        &mut self.joints
    }
}
