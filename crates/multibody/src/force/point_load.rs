//! Forces and torques at markers.

use carom_dynamics::{Axes, PointLoad, Pose};
use nalgebra::Vector3;

use crate::body::Body;
use crate::contact::BodyForces;
use crate::kinetics::Kinetics;
use crate::system::Flows;

/// Adds a force and torque at a marker, `scale` times what is given; on a held body they act on the modes
/// only.
pub(crate) fn apply_point_load(
    load: &PointLoad,
    scale: f64,
    body: &Body,
    pose: &Pose,
    q: &[f64],
    kinetics: &Kinetics,
    forces: &mut BodyForces,
    flows: &mut Flows,
) {
    let (given_force, given_torque) = (scale * Vector3::from(load.force), scale * Vector3::from(load.torque));
    let (force_b, torque_b) = match load.axes {
        Axes::Body => (given_force, given_torque),
        Axes::Inertial => (pose.rotation.tr_mul(&given_force), pose.rotation.tr_mul(&given_torque)),
    };
    let velocities = &kinetics.velocities;
    let mut c = Vector3::from(load.marker.position_b);
    let mut drift = Vector3::zeros();
    let mut spin = velocities.omega;
    for k in 0..body.frame.n {
        let phi = Vector3::from(load.marker.displacement[k]);
        let psi = Vector3::from(load.marker.rotation[k]);
        c += q[k] * phi;
        drift += velocities.modal[k] * phi;
        spin += velocities.modal[k] * psi;
        forces.modal[k] += phi.dot(&force_b) + psi.dot(&torque_b);
    }
    let velocity = velocities.v + velocities.omega.cross(&c) + drift;
    flows.work += force_b.dot(&velocity) + torque_b.dot(&spin);
    if body.fixed {
        return;
    }
    let force = pose.rotation * force_b;
    let moment = pose.point(&c).cross(&force) + pose.rotation * torque_b;
    forces.force += force;
    forces.moment += moment;
    flows.impulse += force;
    flows.ang_impulse += moment;
}
