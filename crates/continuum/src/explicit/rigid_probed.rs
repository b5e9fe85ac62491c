//! Rigid bodies at t_n as probes see them.

use carom_dynamics::{BodyBalance, ProbedPoint, rotation};
use carom_rigid::State;
use nalgebra::Vector3;

use super::rigid::RigidBodies;

impl RigidBodies {
    /// A point at t_n, as frames have its body; without its displacement.
    ///
    /// * `point_b` — in principal axes \[m\]
    /// * `share` — θ of [`super::books`]
    pub(super) fn probed(&self, body: usize, point_b: &Vector3<f64>, share: f64) -> ProbedPoint {
        let (spec, behind) = (&self.system.bodies[body], &self.behind[body]);
        let ahead = &self.system.states()[body];
        let now = self.placed(body, share);
        let arm = rotation::matrix(&now.quaternion) * point_b;
        let mean = |of: &dyn Fn(&State) -> Vector3<f64>| (1.0 - share) * of(behind) + share * of(ahead);
        let omega = mean(&|state| spec.angular_velocity(state));
        ProbedPoint {
            position: now.position + arm,
            displacement: Vector3::zeros(),
            velocity: mean(&|state| state.momentum / spec.mass) + omega.cross(&arm),
            angular_velocity: omega,
            rotation: spec.reported(&now).pose().rotation,
        }
    }

    /// Energies and momenta of a body at t_n, whose sums over all bodies are those of the balance.
    ///
    /// * `share` — θ of [`super::books`]
    pub(super) fn balance_of(&self, body: usize, share: f64) -> BodyBalance {
        let (spec, system) = (&self.system.bodies[body], &self.system);
        let (behind, ahead) = (&self.behind[body], &system.states()[body]);
        let mean = |of: &dyn Fn(&State) -> f64| (1.0 - share) * of(behind) + share * of(ahead);
        let vector = |of: &dyn Fn(&State) -> Vector3<f64>| (1.0 - share) * of(behind) + share * of(ahead);
        BodyBalance {
            e_kin: mean(&|state| spec.kinetic(state)),
            e_el: 0.0,
            e_pot: mean(&|state| -spec.mass * system.gravity.dot(&state.position)),
            momentum: vector(&|state| state.momentum).into(),
            ang_momentum: vector(&|state| state.ang_momentum()).into(),
        }
    }
}
