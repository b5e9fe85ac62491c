//! The start of a run in an equilibrium: what it needs, and sentences about it.

use carom_format::result::StoredMode;
use carom_format::scenario::model::Scenario;
use carom_multibody::{ContactFriction, Equilibrium};

use crate::error::{At, AtKey};
use crate::scheme::SchemeError;

/// Refuses initial velocities, which an equilibrium does not have.
///
/// # Errors
///
/// [`SchemeError`] at the key of the body or contact.
pub(crate) fn check(scenario: &Scenario) -> Result<(), At<SchemeError>> {
    if !scenario.simulation.in_equilibrium {
        return Ok(());
    }
    for (i, body) in scenario.body.iter().enumerate() {
        for (key, speed) in [("velocity", body.velocity), ("angular_velocity", body.angular_velocity)] {
            if speed != [0.0; 3] {
                let body = body.name.clone();
                return Err(SchemeError::MovesInEquilibrium { body, key }.at(format!("body.{i}.{key}")));
            }
        }
    }
    Ok(())
}

/// The note of a result about its equilibrium: iterations, residual, freedoms, range of the modes.
pub(crate) fn remark(found: &Equilibrium) -> String {
    let Equilibrium { iterations, residual, freedoms, modes, moved, friction, .. } = found;
    let motions = match (modes.first(), modes.last()) {
        (Some(lowest), Some(highest)) => format!(
            "{freedoms} motions that the joints allow oscillate with {:.4e} to {:.4e} Hz about it",
            lowest.frequency, highest.frequency
        ),
        _ => "joints leave no motion free".to_owned(),
    };
    format!(
        "the run starts in an equilibrium, found in {iterations} iterations: {residual:.1e} of the forces is \
         left over, bodies were moved by up to {moved:.3e} m; {motions}{}",
        held(friction)
    )
}

/// Most contacts that are named.
const NAMED: usize = 10;

/// The friction of the contacts that press, those that use most of it first.
fn held(friction: &[ContactFriction]) -> String {
    let mut pressed: Vec<_> = friction.iter().filter(|contact| contact.bound > 0.0).collect();
    pressed.sort_by(|a, b| b.share.total_cmp(&a.share));
    if pressed.is_empty() {
        return String::new();
    }
    let named =
        pressed.iter().take(NAMED).map(|ContactFriction { between: [first, second], share, .. }| {
            format!("`{first}` on `{second}` {share:.3}")
        });
    let named = named.collect::<Vec<_>>().join(", ");
    let more = pressed.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", and {more} contacts with less") } else { String::new() };
    format!("; friction over its bound μ N: {named}{more}")
}

/// Its modes for the result.
pub(crate) fn modes(found: &Equilibrium) -> impl Iterator<Item = StoredMode> + '_ {
    found.modes.iter().map(|mode| StoredMode {
        frequency: mode.frequency,
        damping_ratio: mode.damping_ratio,
        motion: mode.motion.clone(),
        effective_mass: mode.effective_mass,
        shares: mode.shares.clone(),
    })
}

/// Doubts about it.
pub(crate) fn warnings(found: &Equilibrium) -> Vec<String> {
    let unstable = found.unstable.iter().map(|motion| {
        format!(
            "the equilibrium in which the run starts is unstable: it is left where {motion}; place the \
             bodies a little off it to find a stable one"
        )
    });
    let sliding = found.friction.iter().filter(|contact| contact.slides).map(|contact| {
        let ContactFriction { between: [first, second], wanted, bound, .. } = contact;
        format!(
            "`{first}` slides on `{second}` into the equilibrium in which the run starts: to stick where the \
             bodies are placed it needs {wanted:.3} times its friction μ N; it ends with {bound:.3e} N, and \
             is without tangential stiffness in the oscillations about the equilibrium; place the bodies \
             nearer to where they are to rest, or raise `friction`, if it is to stick"
        )
    });
    unstable.chain(sliding).collect()
}
