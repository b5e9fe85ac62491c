//! Loads: gravity, forces and torques at markers; with them the elastic and damping forces of the bodies.

use carom_dynamics::{Axes, Loads, PointLoad};
use nalgebra::Vector3;

use crate::applied::{AppliedForces, Flows};
use crate::bodies::BodiesAt;
use crate::body::Body;
use crate::contact::BodyForces;
use crate::floating_frame::FloatingFrame;
use crate::layout::vector;
use crate::system_error::SystemError;

/// Checks that the loads fit the bodies.
///
/// # Errors
///
/// [`SystemError`] names the load.
pub(crate) fn check_loads(loads: &Loads, bodies: &[Body]) -> Result<(), SystemError> {
    for (load, PointLoad { body, marker, .. }) in loads.point_loads.iter().enumerate() {
        let count = bodies.len();
        let of = bodies.get(*body).ok_or(SystemError::NoSuchBody { load, body: *body, bodies: count })?;
        for found in [marker.displacement.len(), marker.rotation.len()] {
            if found != of.frame.n {
                let expected = of.frame.n;
                return Err(SystemError::Marker { load, body: of.name.clone(), found, expected });
            }
        }
    }
    Ok(())
}

/// Sets the forces on all bodies to those of loads, elasticity and damping, and the flows to theirs.
pub(crate) fn set_loads(loads: &Loads, at: BodiesAt<'_>, applied: &mut AppliedForces) {
    let AppliedForces { on_bodies, flows } = applied;
    *flows = Flows::default();
    let g = loads.gravity();
    for (i, (body, forces)) in at.all().iter().zip(&mut *on_bodies).enumerate() {
        let (pose, kinetics) = (at.pose(i), at.kinetics(i));
        if body.fixed {
            forces.force = Vector3::zeros();
            forces.moment = Vector3::zeros();
        } else {
            forces.force = body.frame.mass * g;
            let moment_of_mass = body.frame.mass * pose.position + pose.rotation * kinetics.first_moment;
            forces.moment = moment_of_mass.cross(&g);
            flows.impulse += forces.force;
            flows.ang_impulse += forces.moment;
        }
        let g_b = pose.rotation.tr_mul(&g);
        let (q, rates) = (at.modal(i), &kinetics.velocities.modal);
        let FloatingFrame { stiffness_modal, damping_modal, .. } = &body.frame;
        for k in 0..body.frame.n {
            let ct = vector(&kinetics.coupling_t, 3 * k);
            let elastic = stiffness_modal.row_times(k, q);
            let damping = damping_modal.as_ref().map_or(0.0, |damping| damping.row_times(k, rates));
            forces.modal[k] = ct.dot(&g_b) - elastic - damping;
            flows.damping += damping * rates[k];
        }
    }
    for load in &loads.point_loads {
        add_point_load(load, at, &mut on_bodies[load.body], flows);
    }
}

/// Adds a force and torque at a marker, as they are at the time; on a held body they act on the modes only.
fn add_point_load(load: &PointLoad, at: BodiesAt<'_>, forces: &mut BodyForces, flows: &mut Flows) {
    let scale = load.scale.at(at.time()).value;
    let (body, pose, q) = (&at.all()[load.body], at.pose(load.body), at.modal(load.body));
    let (given_force, given_torque) = (scale * Vector3::from(load.force), scale * Vector3::from(load.torque));
    let (force_b, torque_b) = match load.axes {
        Axes::Body => (given_force, given_torque),
        Axes::Inertial => (pose.rotation.tr_mul(&given_force), pose.rotation.tr_mul(&given_torque)),
    };
    let velocities = &at.kinetics(load.body).velocities;
    let mut c = Vector3::from(load.marker.position_b);
    let mut drift = Vector3::zeros();
    let mut spin = velocities.omega;
    for k in 0..body.frame.n {
        let [phi, psi] = load.marker.shape(k, q);
        c += q[k] * Vector3::from(load.marker.displacement[k]);
        drift += velocities.modal[k] * phi;
        spin += velocities.modal[k] * psi;
        forces.modal[k] += phi.dot(&force_b) + psi.dot(&torque_b);
    }
    if let Some(second) = &load.marker.second_order {
        c -= 0.5 * second.square(q)[0];
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

/// Calls `visit` with the point and the force of each point load on a body.
pub(crate) fn for_loads_on(
    loads: &Loads,
    body: usize,
    at: BodiesAt<'_>,
    visit: &mut dyn FnMut(&Vector3<f64>, &Vector3<f64>),
) {
    let pose = at.pose(body);
    for load in loads.point_loads.iter().filter(|load| load.body == body) {
        let force = load.scale.at(at.time()).value * Vector3::from(load.force);
        let force = match load.axes {
            Axes::Body => pose.rotation * force,
            Axes::Inertial => force,
        };
        visit(&pose.point(&Vector3::from(load.marker.position_b)), &force);
    }
}
