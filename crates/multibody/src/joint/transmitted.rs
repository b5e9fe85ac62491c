//! What joints, springs and bushings transmit at a state, for results.
//!
//! Rows act on the second end with −λ ∂ġ/∂(ẋ_j, ω_j), elements with their own wrench; both are reduced to the
//! first end x_i:
//!
//! ```text
//! f = Σ f_j,   τ = Σ τ_j + (x_j − x_i) × f_j
//! ```
//!
//! The first body gets −f and −τ at the same point, as rows and elements leave no moment over. A drive along
//! u works with Q u̇, Q = −λ.

use carom_dynamics::{JointAction, JointState};
use nalgebra::Vector3;

use super::row::Row;
use super::{Constraints, Coordinate, Place};
use crate::force::ElementAction;
use crate::system::System;
use crate::system_error::RateError;

impl System {
    /// Number of joints, and behind them of the springs and bushings that belong to none: what a frame has
    /// joint states of.
    pub fn n_transmitting(&self) -> usize {
        self.constraints.joints.len() + self.elements.all.iter().filter(|e| e.joint.is_none()).count()
    }

    /// Forces of loads, elements, contact and joints at y, for which [`System::set_state`] and
    /// [`System::evaluate_contacts`] were called.
    ///
    /// # Errors
    ///
    /// [`RateError`] where joints lock.
    pub(crate) fn evaluate_reactions(&mut self, time: f64, y: &[f64]) -> Result<(), RateError> {
        if self.n_transmitting() == 0 {
            return Ok(());
        }
        self.apply_all(time, y)
    }

    /// What is transmitted at y, for which `evaluate_reactions` was called; one entry for each of
    /// [`System::n_transmitting`].
    pub(crate) fn joint_states(&self, time: f64, y: &[f64], states: &mut [JointState]) {
        states.fill(JointState::default());
        self.constraints.add_reactions(time, states);
        let mut next = self.constraints.joints.len();
        for (number, element) in self.elements.all.iter().enumerate() {
            let action = self.elements.action(number, &self.bodies_at(y));
            let at = element.joint.unwrap_or(next);
            next += usize::from(element.joint.is_none());
            let (force, torque) = action.wrenches[1];
            add_wrench(&mut states[at], &action.places, &force, &torque);
            if let Some(along) = action.along {
                take_in(&mut states[at], &along);
            }
        }
    }
}

impl Constraints {
    fn add_reactions(&self, time: f64, states: &mut [JointState]) {
        for (number, &(joint, row)) in self.rows.iter().enumerate() {
            let (now, multiplier) = (&self.now[number], self.multipliers[number]);
            let [force, torque] = [2, 3].map(|i| -multiplier * now.jacobian[i]);
            let places = &self.places[joint];
            add_wrench(&mut states[joint], places, &force, &torque);
            if let Row::Driven(drive, coordinate) = row {
                let [first, second] = places;
                let action = slot(&mut states[joint], coordinate);
                action.value = now.value + self.drives[drive].course.at(time).value;
                action.rate = now.rate(first, second) - now.given_rate;
                action.drive = Some(-multiplier);
            }
        }
    }
}

fn add_wrench(state: &mut JointState, places: &[Place; 2], force: &Vector3<f64>, torque: &Vector3<f64>) {
    let lever = places[1].position - places[0].position;
    state.force = (Vector3::from(state.force) + force).into();
    state.torque = (Vector3::from(state.torque) + torque + lever.cross(force)).into();
}

/// The action of a joint along a coordinate: angles stand behind lengths.
fn slot(state: &mut JointState, coordinate: Coordinate) -> &mut JointAction {
    state.actions[usize::from(coordinate.is_angle())].get_or_insert_default()
}

fn take_in(state: &mut JointState, along: &ElementAction) {
    let action = slot(state, along.coordinate);
    (action.value, action.rate) = (along.value, along.rate);
    action.spring = along.spring.or(action.spring);
    action.stop = along.stop.or(action.stop);
}
