//! Contacts on the way of a step towards an equilibrium: a long step without contact at its ends would carry
//! a body through another one.

use super::EquilibriumError;
use crate::system::System;

/// Distance of the places on the way, relative to the smallest radius of gyration of the bodies.
const SPACING: f64 = 0.05;

/// Largest number of places on the way.
const MOST: f64 = 200.0;

impl System {
    /// Part of an increment after which the forces push the bodies back, before its end; none without an
    /// obstacle, and for systems without contact.
    ///
    /// * `y` — where the increment begins
    /// * `length` — the longest way of a body \[m\]
    /// * `work` — of the forces at y along the increment \[J\]
    pub(super) fn obstacle(
        &mut self,
        y: &[f64],
        increment: &[f64],
        length: f64,
        work: f64,
    ) -> Result<Option<f64>, EquilibriumError> {
        if self.contacts().pairs() == 0 {
            return Ok(None);
        }
        let radii = (0..self.bodies().len()).map(|body| self.states().gyration_radius(body));
        let smallest = radii.filter(|radius| *radius > 0.0).fold(f64::INFINITY, f64::min);
        let parts = (length / (SPACING * smallest)).ceil().min(MOST);
        let (mut at, mut way) = (y.to_vec(), increment.to_vec());
        for k in 1..parts as usize {
            let part = k as f64 / parts;
            at.copy_from_slice(y);
            way.iter_mut().zip(increment).for_each(|(way, whole)| *way = part * whole);
            let found = self.moved_by(&mut at, &way)?;
            let along: f64 = increment.iter().zip(&found.left).map(|(x, f)| x * f).sum();
            if along < -super::AGAINST * work {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }
}
