//! The state of a system in the types of an observer.

use crate::layout::{quaternion, vector};
use crate::system::System;
use carom_dynamics::{BodyState, ContactState, Frame, JointState, LedgerRow, rotation};

/// Buffers that are filled anew for each frame.
#[derive(Debug, Clone)]
pub(crate) struct Snapshot {
    bodies: Vec<BodyState>,
    contacts: Vec<ContactState>,
    joints: Vec<JointState>,
    /// Modal coordinates of one body over its static modes.
    own: Vec<f64>,
}

impl Snapshot {
    pub(crate) fn new(system: &System) -> Self {
        let bodies: Vec<BodyState> = system
            .bodies()
            .iter()
            .map(|body| {
                let n = body.reduced.as_ref().map_or(0, |reduced| reduced.omega.len().max(body.frame.n));
                // Static modes move with all modes of the file of the body.
                let n_rates = if body.static_modes().is_some() { n } else { body.frame.n };
                let (modal, modal_rate) = (vec![0.0; n], vec![0.0; n_rates]);
                BodyState { modal, modal_rate, ..BodyState::default() }
            })
            .collect();
        let own = vec![0.0; bodies.iter().map(|state| state.modal.len()).max().unwrap_or(0)];
        let joints = vec![JointState::default(); system.n_transmitting()];
        Self { bodies, contacts: vec![ContactState::default(); system.pairs()], joints, own }
    }

    /// Takes the state y, at which the system was evaluated. Quasistatic coordinates are recovered from the
    /// reactions.
    pub(crate) fn take(&mut self, system: &System, y: &[f64]) {
        let (layout, states) = (system.layout(), system.states());
        for (i, (state, body)) in self.bodies.iter_mut().zip(system.bodies()).enumerate() {
            let (pose, velocities) = (states.pose(i), states.velocities(i));
            state.position = pose.position.into();
            state.quaternion = quaternion(y, layout.quaternion(i));
            rotation::normalise(&mut state.quaternion);
            let held = if body.fixed { 0.0 } else { 1.0 };
            state.velocity = (vector(y, layout.momentum(i)) * (held / body.frame.mass)).into();
            state.angular_velocity = (pose.rotation * body.frame.mean_motion(velocities).1).into();
            state.balance = Some(states.balance(i, y, &system.loads().gravity()));
            let own = &mut self.own[..state.modal.len()];
            write_modal(system, i, y, own, &mut state.modal);
            match body.static_modes() {
                Some(modes) => modes.coordinates_into(&velocities.modal, &mut state.modal_rate),
                None => state.modal_rate.copy_from_slice(&velocities.modal),
            }
        }
        // Of many pairs a bound on the gap of each that is far apart would be most of the result.
        let contacts = system.contacts();
        let is_far = |pair: &usize| {
            contacts.pairs() > ContactState::FEW && contacts.near().binary_search(pair).is_err()
        };
        let gap = |pair: usize| if is_far(&pair) { f64::INFINITY } else { contacts.free_gap(pair) };
        for (pair, state) in self.contacts.iter_mut().enumerate() {
            let reaction = system.contacts().reaction(pair);
            state.force = reaction.force.into();
            state.normal_force = reaction.normal_force;
            state.free_gap = gap(pair);
            state.pressure_faces.clear();
            state.pressures.clear();
            state.grid.cells.clear();
            system.contacts().report(pair, state);
        }
    }

    /// Stores the forces of joints at y, at which all forces were evaluated.
    pub(crate) fn take_joints(&mut self, system: &System, time: f64, y: &[f64]) {
        system.joint_states(time, y, &mut self.joints);
    }

    pub(crate) fn joints(&self) -> &[JointState] {
        &self.joints
    }

    pub(crate) fn frame<'a>(&'a self, time: f64, steps: u64, ledger: &'a LedgerRow) -> Frame<'a> {
        Frame { time, steps, bodies: &self.bodies, contacts: &self.contacts, joints: &self.joints, ledger }
    }

    pub(crate) fn bodies(&self) -> &[BodyState] {
        &self.bodies
    }
}

/// Writes the coordinates of all modes of the file of a body at y, at which the system was evaluated: of the
/// dynamic modes, then of the quasistatic ones.
///
/// * `own` — buffer, as long as `modal`
pub(crate) fn write_modal(system: &System, body: usize, y: &[f64], own: &mut [f64], modal: &mut [f64]) {
    let n = system.bodies()[body].frame.n;
    modal[..n].copy_from_slice(system.states().modal_in(body, y));
    modal[n..].fill(0.0);
    for model in system.contact_models() {
        model.add_quasistatic(body, &mut modal[n..]);
    }
    if let Some(modes) = system.bodies()[body].static_modes() {
        own.copy_from_slice(modal);
        modes.coordinates_into(own, modal);
    }
}
