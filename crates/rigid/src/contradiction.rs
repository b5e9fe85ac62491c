//! Contacts and stops that no impulse can stop, as joints and motions decide the motion of their bodies: a
//! crank that a motor turns drives a slider against its hard stop.

use carom_contact::solver::{Dense, LcpSolver};

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
            && rows.normal_mobility(*i, *i).abs() <= HELD * rows.free_mobility_of_normal(*i, stages, step)
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

/// Compliance, relative to the mobility of each contact, with which impulses without limit are found.
const YIELD: f64 = 1e-6;

/// Velocities by such impulses of size 1, relative to those of one impulse alone, that are none.
const BALANCED: f64 = 1e-4;

/// Residual of the problem that gives them, whose solution is a million times its data.
const ALLOWED: f64 = 1e-6;

/// Part of the largest impulse above which a contact takes part.
const TAKES_PART: f64 = 1e-3;

/// Bodies that motions press together.
pub(crate) struct Squeezed {
    /// Numbers of the bodies.
    pub(crate) bodies: Vec<usize>,
    /// Speed at which the contacts close, by the largest impulse \[m/s\].
    pub(crate) speed: f64,
    /// By how much they overlap together at the end of the motion without contact \[m\].
    pub(crate) depth: f64,
}

impl From<Squeezed> for Unsolved {
    fn from(Squeezed { bodies, speed, .. }: Squeezed) -> Self {
        Self::Squeezed { bodies, speed }
    }
}

/// Hard contacts that motions close together, through bodies between them: a ball between a driven hammer and
/// an anvil. Their impulses w balance each other, and any multiple of them leaves the velocities as they are:
///
/// ```text
/// w ≥ 0 ,     M w = 0 ,     w·u < 0
/// ```
///
/// With these no impulses have u + M λ ≥ 0 (a theorem of alternatives of semi-definite M). w is the direction
/// of the solution of (M + ε) z + u ≥ 0 ⟂ z ≥ 0, which grows with 1/ε.
///
/// * `rows` — normals of the contacts with their mobility, evaluated without impulses
pub(crate) fn squeezed(contacts: &[Contact], rows: &Rows, stages: &[Stage]) -> Option<Squeezed> {
    let n = contacts.len();
    if !rows.joints.is_active() || !contacts.iter().all(Contact::is_multiplier) {
        return None;
    }
    let scale: Vec<f64> = (0..n).map(|i| rows.normal_mobility(i, i).sqrt().recip()).collect();
    let mobility = |i: usize, j: usize| {
        0.5 * scale[i] * scale[j] * (rows.normal_mobility(i, j) + rows.normal_mobility(j, i))
    };
    let mut matrix = Dense::default();
    matrix.fill(n, |i, j| mobility(i, j) + if i == j { YIELD } else { 0.0 }).ok()?;
    let u: Vec<f64> = (0..n).map(|i| scale[i] * rows.after[i * rows.per_contact]).collect();
    let mut w = vec![0.0; n];
    let mut solver = LcpSolver::default();
    solver.allowed = ALLOWED;
    solver.solve(&matrix, &u, &mut w, None).ok()?;
    // Velocities that impulses change have no part in w·u, but one in w where bodies between the others are
    // fast: solved again without them.
    let left: Vec<f64> = (0..n).map(|i| u[i] + (0..n).map(|j| mobility(i, j) * w[j]).sum::<f64>()).collect();
    w.fill(0.0);
    solver.solve(&matrix, &left, &mut w, None).ok()?;
    let largest = w.iter().copied().fold(0.0, f64::max);
    w.iter_mut().for_each(|w| *w /= largest);
    let velocity = |i: usize| (0..n).map(|j| mobility(i, j) * w[j]).sum::<f64>();
    let closing: f64 = -w.iter().zip(&u).map(|(w, u)| w * u).sum::<f64>();
    if largest == 0.0 || (0..n).any(|i| velocity(i).abs() > BALANCED) {
        return None;
    }
    let pressed = || (0..n).filter(|&i| w[i] > TAKES_PART);
    let bodies = pressed().flat_map(|i| contacts[i].bodies.into_iter().flatten()).collect();
    // Σ w u: impulses of the scaled problem are those of the contacts over their scales.
    let largest = pressed().map(|i| w[i] * scale[i]).fold(0.0, f64::max);
    let speed = closing / largest;
    let depth = -(0..n).map(|i| w[i] * scale[i] * contacts[i].gap_new).sum::<f64>() / largest;
    let fastest = contacts.iter().map(|contact| contact.speed(stages)).fold(0.0, f64::max);
    (speed > CLOSING * fastest).then_some(Squeezed { bodies, speed, depth })
}
