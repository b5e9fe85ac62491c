//! Impulses of joints and springs, whose means are the forces of frames.
//!
//! The force of a single step is not that of a frame: an impact acts within one step, which frames would
//! rarely meet, and after it forces of single steps alternate about their mean. The mean over the steps
//! between two frames times their time is the impulse on the body, exactly.

use carom_dynamics::{JointAction, JointState};
use nalgebra::Vector3;

/// The impulse of a joint or spring on its second body, its moment about the first end, and the impulses of
/// spring, stop and drive along both coordinates, over a step or between frames.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointImpulse {
    /// Impulse on the second body, and its moment about the first end, inertial axes \[N s\], \[N m s\].
    pub wrench: [Vector3<f64>; 2],
    /// Impulses of spring, stop and drive along the length \[N s\] and about the angle \[N m s\].
    pub actions: [[f64; 3]; 2],
}

impl JointImpulse {
    /// Numbers in [`JointImpulse::to_array`].
    pub const NUMBERS: usize = 12;

    /// Adds forces that act for a time.
    pub(crate) fn add_wrench(&mut self, [force, torque]: [Vector3<f64>; 2], dt: f64) {
        self.wrench[0] += dt * force;
        self.wrench[1] += dt * torque;
    }

    /// Adds the forces along a coordinate that act for a time.
    ///
    /// * `is_angle` — the number of the coordinate
    pub(crate) fn add_action(&mut self, is_angle: usize, action: &JointAction, dt: f64) {
        let forces = [action.spring, action.stop, action.drive];
        let sums = self.actions[is_angle].iter_mut().zip(forces);
        sums.for_each(|(sum, force)| *sum += dt * force.unwrap_or_default());
    }

    /// Adds a part of the impulses of a step, of all 1.
    pub fn add(&mut self, step: &Self, part: f64) {
        (0..2).for_each(|i| self.wrench[i] += part * step.wrench[i]);
        let sums = self.actions.as_flattened_mut().iter_mut().zip(step.actions.as_flattened());
        sums.for_each(|(sum, of_step)| *sum += part * of_step);
    }

    /// Gives a state the mean forces over a time.
    ///
    /// * `since` — the time \[s\]
    pub fn mean_into(&self, state: &mut JointState, since: f64) {
        [state.force, state.torque] = self.wrench.map(|impulse| (impulse / since).into());
        for (action, sums) in state.actions.iter_mut().zip(self.actions) {
            let Some(action) = action else { continue };
            let forces = [&mut action.spring, &mut action.stop, &mut action.drive];
            for (force, sum) in forces.into_iter().zip(sums) {
                *force = force.map(|_| sum / since);
            }
        }
    }

    /// Force and moment, then the actions, for checkpoints.
    pub fn to_array(self) -> [f64; Self::NUMBERS] {
        let mut numbers = [0.0; Self::NUMBERS];
        let all = self.wrench.iter().flatten().chain(self.actions.as_flattened());
        numbers.iter_mut().zip(all).for_each(|(number, value)| *number = *value);
        numbers
    }

    /// The inverse of [`JointImpulse::to_array`].
    pub fn from_array(numbers: &[f64; Self::NUMBERS]) -> Self {
        let vector = |i: usize| Vector3::from_column_slice(&numbers[i..i + 3]);
        let actions = [6, 9].map(|i: usize| [numbers[i], numbers[i + 1], numbers[i + 2]]);
        Self { wrench: [vector(0), vector(3)], actions }
    }
}
