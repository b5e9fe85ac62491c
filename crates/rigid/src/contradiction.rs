//! Contacts and stops that no impulse can stop, as joints and motions decide the motion of their bodies: a
//! crank that a motor turns drives a slider against its hard stop.

use nalgebra::Vector3;

use crate::contact::{Contact, Rows};
use crate::search::Step;
use crate::stage::Stage;
use crate::step_error::Unsolved;

/// Mobility of a contact in its joints, relative to that of its free bodies, that is round-off.
const HELD: f64 = 1e-12;

/// Speed at which a contact closes, relative to that of its bodies, that may be an error of places in joints.
const CLOSING: f64 = 1e-6;

/// The first hard contact or stop that closes and that impulses do not move.
///
/// * `rows` — normals of the contacts with their mobility, evaluated without impulses
pub(crate) fn held(contacts: &[Contact], rows: &Rows, stages: &[Stage], step: &Step<'_>) -> Option<Unsolved> {
    if !rows.joints.is_active() {
        return None;
    }
    let is_held = |(i, contact): &(usize, &Contact)| {
        let passed = contact.gap_old.min(0.0) - contact.gap_new;
        contact.is_multiplier()
            && passed > CLOSING * step.dt * contact.speed(stages)
            && rows.normal_mobility(*i, *i).abs() <= HELD * free_mobility(contact, stages, step)
    };
    let (i, contact) = contacts.iter().enumerate().find(is_held)?;
    let speed = -rows.after[i];
    if contact.pair.is_some() {
        return Some(Unsolved::HeldContact { bodies: contact.bodies, speed });
    }
    let (joint, coordinate, stops) = step.joints.stops[contact.slot / 2];
    let joint = &step.joints.all[joint];
    let arm = if coordinate.is_angle() { joint.gyration } else { 1.0 };
    Some(Unsolved::HeldStop {
        joint: joint.name.clone(),
        limit: if contact.slot.is_multiple_of(2) { stops.low } else { stops.high },
        rate: speed / arm,
        is_length: !coordinate.is_angle(),
    })
}

/// ∂u₊/∂r of the normal of a contact whose bodies have no joints \[1/kg\].
fn free_mobility(contact: &Contact, stages: &[Stage], step: &Step<'_>) -> f64 {
    let normal: Vector3<f64> = contact.directions[0];
    let of = |side: usize| {
        let Some(body) = contact.bodies[side].filter(|&body| !step.bodies[body].fixed) else { return 0.0 };
        let moment = contact.arms[side].cross(&normal) + contact.couple;
        let moment_b = stages[body].rot_ib.tr_mul(&moment);
        normal.norm_squared() / step.bodies[body].mass + moment_b.dot(&(stages[body].d_omega * moment_b))
    };
    of(0) + of(1)
}
