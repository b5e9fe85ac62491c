//! The start of a run in an equilibrium: what it needs, and sentences about it.

use carom_format::result::StoredMode;
use carom_format::scenario::model::Scenario;
use carom_multibody::Equilibrium;

use crate::error::{At, AtKey};
use crate::scheme::SchemeError;

/// Refuses what an equilibrium does not have: initial velocities and friction.
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
    for (i, pair) in scenario.contact.iter().enumerate() {
        if pair.friction > 0.0 {
            let pair = format!("{}, {}", pair.between[0], pair.between[1]);
            return Err(SchemeError::SticksInEquilibrium { pair }.at(format!("contact.{i}.friction")));
        }
    }
    Ok(())
}

/// The note of a result about its equilibrium: iterations, residual, freedoms, range of the modes.
pub(crate) fn remark(found: &Equilibrium) -> String {
    let Equilibrium { iterations, residual, freedoms, modes, moved, .. } = found;
    let motions = match (modes.first(), modes.last()) {
        (Some(lowest), Some(highest)) => format!(
            "{freedoms} motions that the joints allow oscillate with {:.4e} to {:.4e} Hz about it",
            lowest.frequency, highest.frequency
        ),
        _ => "joints leave no motion free".to_owned(),
    };
    format!(
        "the run starts in an equilibrium, found in {iterations} iterations: {residual:.1e} of the forces is \
         left over, bodies were moved by up to {moved:.3e} m; {motions}"
    )
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

/// A doubt about it.
pub(crate) fn warning(found: &Equilibrium) -> Option<String> {
    found.unstable.as_ref().map(|motion| {
        format!(
            "the equilibrium in which the run starts is unstable: it is left where {motion}; place the \
             bodies a little off it to find a stable one"
        )
    })
}
