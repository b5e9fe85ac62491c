//! The harmonic response of a scenario about the equilibrium in which it starts.

use carom_dynamics::Marker;
use carom_format::result::StoredResponse;
use carom_format::scenario::model::{ExcitationSpec, Scenario};
use carom_multibody::{Excitation, Probe, ProbePlace, Simulation};
use carom_progress::Progress;

use super::error::AssembleError;
use super::markers::{known_places, marker};
use crate::error::{At, AtKey};
use crate::prepared::Prepared;
use crate::references::NoMarker;

/// The response at the points of all probes on points; none without `[response]`.
///
/// * `probes` — those of the scenario
///
/// # Errors
///
/// [`AssembleError`] at the key of the excitation whose point does not exist, and if the system cannot be
/// evaluated; also if the user stopped it.
pub(crate) fn responses(
    scenario: &Scenario,
    prepared: &Prepared,
    simulation: &mut Simulation,
    probes: &[Probe],
    progress: &dyn Progress,
) -> Result<Vec<StoredResponse>, At<AssembleError>> {
    let Some(spec) = &scenario.response else { return Ok(Vec::new()) };
    let bodies = simulation.system.bodies();
    let excitation = match &spec.excitation {
        ExcitationSpec::Ground { ground } => Excitation::Ground(*ground),
        ExcitationSpec::Load { on, force, torque } => {
            let body = scenario.body.iter().position(|body| body.name == on.body);
            let body = body.expect("names of bodies were checked when the scenario was read");
            let (of, ready) = (&scenario.body[body], &prepared.bodies[body]);
            let found = marker(&on.part, of, ready, &bodies[body]).map_err(|e| e.at("response.on"))?;
            let found = found.ok_or_else(|| {
                let known = known_places(of, ready);
                AssembleError::from(NoMarker { body: on.body.clone(), part: on.part.clone(), known })
                    .at("response.on")
            })?;
            let marker = bodies[body].own_marker(&found);
            Excitation::Load { body, marker, force: *force, torque: *torque }
        }
    };
    let (numbers, points): (Vec<usize>, Vec<(usize, Marker)>) = probes
        .iter()
        .enumerate()
        .filter_map(|(number, probe)| match &probe.place {
            ProbePlace::Point { body, marker, .. } => {
                Some((number, (*body, bodies[*body].own_marker(marker))))
            }
            _ => None,
        })
        .unzip();
    if points.is_empty() {
        return Err(AssembleError::NoResponsePoint.at("response"));
    }
    let found = simulation
        .response(&excitation, &points, &spec.frequencies(), progress)
        .map_err(AssembleError::from)?;
    let of_point = |k: usize, probe: usize| {
        found.iter().map(move |response| StoredResponse {
            probe,
            frequency: response.frequency,
            real: response.displacement[k].map(|x| x.re),
            imaginary: response.displacement[k].map(|x| x.im),
        })
    };
    Ok(numbers.into_iter().enumerate().flat_map(|(k, probe)| of_point(k, probe)).collect())
}
