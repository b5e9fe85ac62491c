//! Static modes: the quasistatic modes of reduced bodies respond to joints, springs, forces and gravity, as
//! they do to contact.

use carom_dynamics::Loads;
use carom_format::scenario::model::Scenario;
use carom_multibody::{Body, ForceElement, Joint, UnitLoad};
use carom_reduce::StaticModes;
use carom_reduce::static_modes::held_compliance;
use faer::Mat;

use super::bodies::body;
use super::error::AssembleError;
use crate::discretised::Bodies;
use crate::prepared::{Prepared, PreparedModel};

/// Part of the static compliance at a load that the modes of a run hold, below which its joints and loads are
/// noticeably too stiff.
const HELD: f64 = 0.99;

/// Damping ratio of static modes that no joint binds: their own vibration has no meaning.
const DAMPING: f64 = 0.3;

/// Gives each reduced body with quasistatic modes the static modes of the loads on it.
///
/// * `units` — unit loads on each body, over all modes of its model
///
/// Returns a warning for each body that stays too stiff.
///
/// # Errors
///
/// [`AssembleError`] if the modes of a body cannot be found.
pub(super) fn give_static_modes(
    scenario: &Scenario,
    prepared: &Prepared,
    units: &[Vec<UnitLoad>],
    bodies: &mut [Body],
) -> Result<Vec<String>, AssembleError> {
    let high_modes = scenario.simulation.scheme.row().high_modes;
    let mut warnings = Vec::new();
    for (i, (spec, ready)) in scenario.body.iter().zip(&prepared.bodies).enumerate() {
        let PreparedModel::Reduced(rom) = &ready.model else { continue };
        let n = rom.omega.len();
        let loads =
            Mat::from_fn(n, units[i].len(), |k, load| units[i][load].modal.get(k).copied().unwrap_or(0.0));
        let mobilities: Vec<f64> = units[i].iter().map(|unit| unit.mobility).collect();
        let modes = StaticModes::new(rom, loads.as_ref(), &mobilities)
            .map_err(|source| AssembleError::StaticModes { body: spec.name.clone(), source })?;
        match modes {
            Some(modes) => bodies[i] = body(high_modes, spec, ready, Some(modes), &Bodies::default())?,
            None => warnings.extend(too_stiff(
                &spec.name,
                &units[i],
                &held_compliance(&rom.omega, rom.n_low, loads.as_ref()),
            )),
        }
    }
    Ok(warnings)
}

/// The bodies with damping of the static modes that no joint binds.
///
/// * `bound` — numbers of the static modes of each body that a joint binds
pub(super) fn damped(bodies: Vec<Body>, bound: &[Vec<usize>]) -> Result<Vec<Body>, AssembleError> {
    let damped = bodies.into_iter().zip(bound);
    Ok(damped.map(|(body, bound)| body.with_damped_static_modes(bound, DAMPING)).collect::<Result<_, _>>()?)
}

/// A warning if the modes that move hold less than 99 % of the static compliance at a load.
fn too_stiff(body: &str, units: &[UnitLoad], held: &[f64]) -> Option<String> {
    let least = units.iter().zip(held).min_by(|a, b| a.1.total_cmp(b.1));
    let (unit, held) = least.filter(|(_, held)| **held < HELD)?;
    Some(format!(
        "body `{body}` at {}: the modes that move hold {:.1} % of its static compliance (at least {:.0} % \
         wanted), and its boundary without mass has no static modes: the body is too stiff there; reduce it \
         with `residual` instead of `massless_boundary`, or raise `split`",
        unit.name,
        100.0 * held,
        100.0 * HELD
    ))
}

/// Markers over all modes of the models become markers over the modes that move.
pub(super) fn refer_markers(
    bodies: &[Body],
    joints: &mut [Joint],
    elements: &mut [ForceElement],
    loads: &mut Loads,
) {
    let ends = joints.iter_mut().map(|joint| &mut joint.ends);
    for end in ends.chain(elements.iter_mut().map(|element| &mut element.ends)).flatten() {
        if let Some(body) = end.body {
            end.marker = bodies[body].own_marker(&end.marker);
        }
    }
    for load in &mut loads.point_loads {
        load.marker = bodies[load.body].own_marker(&load.marker);
    }
}
