//! Forces and torques that joints, springs and bushings transmit at a state, for results.
//!
//! Rows act on the second end with −λ ∂ġ/∂(ẋ_j, ω_j), elements with their own wrench; both are reduced to the
//! first end x_i:
//!
//! ```text
//! f = Σ f_j,   τ = Σ τ_j + (x_j − x_i) × f_j
//! ```
//!
//! The first body gets −f and −τ at the same point, as rows and elements are in equilibrium. A drive along
//! u works with Q u̇, Q = −λ.

use carom_dynamics::{JointAction, JointState};
use nalgebra::Vector3;

use super::row::Row;
use super::{Constraints, Coordinate, Place};
use crate::bodies::BodiesAt;
use crate::force::{ElementAction, ForceElements};

/// Writes the joint states at a state for which the multipliers were found: one for each joint, and behind
/// them one for each spring and bushing that belongs to no joint.
pub(crate) fn write_joint_states(
    joints: &Constraints,
    elements: &ForceElements,
    at: BodiesAt<'_>,
    states: &mut [JointState],
) {
    states.fill(JointState::default());
    joints.add_transmitted(at.time(), states);
    let mut next = joints.all().len();
    elements.for_actions(at, |element, action| {
        let index = element.joint.unwrap_or(next);
        next += usize::from(element.joint.is_none());
        let (force, torque) = action.wrenches[1];
        add_wrench(&mut states[index], &action.places, &force, &torque);
        if let Some(along) = &action.along {
            add_element(&mut states[index], along);
        }
    });
}

impl Constraints {
    /// Calls `visit` with the point and the force of each row on a body.
    pub(crate) fn for_forces_on(&self, body: usize, visit: &mut dyn FnMut(&Vector3<f64>, &Vector3<f64>)) {
        for row in self.rows() {
            for (k, end) in row.joint.ends.iter().enumerate() {
                if end.body == Some(body) {
                    let force = -row.multiplier * row.jacobian[2 * k];
                    visit(&row.places[k].position, &force);
                }
            }
        }
    }

    fn add_transmitted(&self, time: f64, states: &mut [JointState]) {
        for (number, (_, row)) in self.rows.iter().enumerate() {
            let (now, multiplier) = (&self.now[number], self.multipliers[number]);
            for part in &now.parts {
                let [force, torque] = [2, 3].map(|i| -multiplier * part.now.jacobian[i]);
                add_wrench(&mut states[part.joint], &self.places[part.joint], &force, &torque);
            }
            match *row {
                Row::Kept(_) => {}
                Row::Driven(drive, coordinate) => {
                    let action = slot(&mut states[now.parts[0].joint], coordinate);
                    action.value = now.value + self.drives[drive].course.at(time).value;
                    action.rate = now.rate(&self.places) - now.given_rate;
                    action.drive = Some(-multiplier);
                }
                Row::Coupled { coupling, .. } => self.add_coupled(coupling, multiplier, time, states),
            }
        }
    }

    /// The forces of a coupling along its coordinates.
    fn add_coupled(&self, coupling: usize, multiplier: f64, time: f64, states: &mut [JointState]) {
        for (k, term) in self.couplings[coupling].terms.iter().enumerate() {
            let action = slot(&mut states[term.joint], term.coordinate);
            (action.value, action.rate) = self.coupled_at(coupling, k, time);
            action.coupling = Some(action.coupling.unwrap_or(0.0) - multiplier * term.factor);
        }
    }
}

fn add_wrench(state: &mut JointState, places: &[Place; 2], force: &Vector3<f64>, torque: &Vector3<f64>) {
    let lever = places[1].position - places[0].position;
    state.force = (Vector3::from(state.force) + force).into();
    state.torque = (Vector3::from(state.torque) + torque + lever.cross(force)).into();
}

/// The action of a joint along a coordinate: lengths first, then angles.
fn slot(state: &mut JointState, coordinate: Coordinate) -> &mut JointAction {
    state.actions[usize::from(coordinate.is_angle())].get_or_insert_default()
}

fn add_element(state: &mut JointState, along: &ElementAction) {
    let action = slot(state, along.coordinate);
    (action.value, action.rate) = (along.value, along.rate);
    action.spring = along.spring.or(action.spring);
    action.stop = along.stop.or(action.stop);
}
