//! Probes of a scenario on the bodies, joints and contacts of its system.

use carom_dynamics::{Axes, Marker, Probe, ProbeError, ProbePlace};
use carom_format::result::ResultProbe;
use carom_format::scenario::model::{BodySpec, End, Found, ProbePlaceSpec, ProbeSpec, Scenario};
use carom_multibody::Body;
use nalgebra::Vector3;

use super::error::AssembleError;
use super::markers::{known_places, marker_within};
use super::material_point::{self, Within};
use crate::error::{At, AtKey};
use crate::prepared::{Prepared, PreparedBody, PreparedModel};
use crate::references::NoMarker;

/// The probes of a scenario of reduced and rigid bodies in floating frames.
///
/// * `bodies` — those of the system
///
/// # Errors
///
/// [`AssembleError`] at the probe whose place does not exist or does not move as a model knows.
pub(crate) fn probes(
    scenario: &Scenario,
    prepared: &Prepared,
    bodies: &[Body],
) -> Result<Vec<Probe>, At<AssembleError>> {
    probes_at(scenario, |index, part, at, axes| {
        let (spec, ready) = (&scenario.body[index], &prepared.bodies[index]);
        Ok(ProbePlace::Point { body: index, marker: marker_at(spec, ready, &bodies[index], part, at)?, axes })
    })
}

/// The marker of a probe on a reduced or rigid body: that of a part by its name, or one in source
/// coordinates.
///
/// # Errors
///
/// [`AssembleError`] if there is none, or the model does not know its motion.
pub(crate) fn marker_at(
    spec: &BodySpec,
    ready: &PreparedBody,
    body: &Body,
    part: &str,
    at: Option<[f64; 3]>,
) -> Result<Marker, AssembleError> {
    match (at, &ready.model) {
        (Some(point), PreparedModel::Reduced(rom)) => {
            material_point::marker((point, Within::Body), "", ready, rom, body).map_err(of_probe)
        }
        (Some(point), _) => Ok(body.frame_marker(Vector3::from(point) - body.frame_origin)),
        (None, _) => {
            let found = marker_within(Within::Body, part, spec, ready, body).map_err(of_probe)?;
            Ok(found.ok_or_else(|| NoMarker {
                body: spec.name.clone(),
                part: part.to_owned(),
                known: known_places(spec, ready),
            })?)
        }
    }
}

/// The key of the error of a probe that does not fit a system.
pub(crate) fn key_of(error: &ProbeError) -> String {
    let key = match error {
        ProbeError::ShorterThanSteps { .. } | ProbeError::Interval { .. } => "every",
        _ => "what",
    };
    format!("probe.{}.{key}", error.probe())
}

/// The probes of a scenario.
///
/// * `point` — the point of a body by its index, that of a part by its name or one in source coordinates,
///   with the axes of its vectors
///
/// # Errors
///
/// The errors of the function `point`; each names the key of its probe.
pub(crate) fn probes_at<E>(
    scenario: &Scenario,
    point: impl Fn(usize, &str, Option<[f64; 3]>, Axes) -> Result<ProbePlace, E>,
) -> Result<Vec<Probe>, At<E>>
where
    E: AtKey,
{
    let all = scenario.probe.iter().enumerate();
    all.map(|(i, spec)| {
        let place = place(scenario, spec, &point);
        let place = place.map_err(|(key, error)| error.at(format!("probe.{i}.{key}")))?;
        let every = (spec.every > 0.0).then_some(spec.every);
        Ok(Probe { place, quantities: spec.what.clone(), every })
    })
    .collect()
}

/// The place of a probe; an error has its key.
fn place<E>(
    scenario: &Scenario,
    spec: &ProbeSpec,
    point: impl Fn(usize, &str, Option<[f64; 3]>, Axes) -> Result<ProbePlace, E>,
) -> Result<ProbePlace, (&'static str, E)> {
    let index = |names: Vec<String>, wanted: &str| match Found::among(&names, wanted) {
        Found::One(index) => index,
        _ => unreachable!("names of joints and contacts were checked when the scenario was read"),
    };
    let body = |name: &str| {
        let index = scenario.body.iter().position(|spec| spec.name == name);
        index.expect("names of bodies were checked when the scenario was read")
    };
    match &spec.place {
        ProbePlaceSpec::Body { on } => Ok(ProbePlace::Body(body(on))),
        ProbePlaceSpec::Joint { joint } => Ok(ProbePlace::Joint(index(scenario.joint_titles(), joint))),
        ProbePlaceSpec::Contact { contact } => {
            let titles = scenario.contact_titles();
            match (Found::among(&titles, contact), scenario.contact_of_all(contact)) {
                (Found::Nothing, Some((contact, bodies))) => Ok(ProbePlace::ContactOfAll { contact, bodies }),
                _ => Ok(ProbePlace::Contact(index(titles, contact))),
            }
        }
        ProbePlaceSpec::Point { on, at, axes, .. } => {
            let axes = if axes == "body" { Axes::Body } else { Axes::Inertial };
            let key = if at.is_some() { "at" } else { "on" };
            let End { body: name, part } = on;
            point(body(name), part, *at, axes).map_err(|error| (key, error))
        }
    }
}

/// The error of a marker at a point as one of a probe.
fn of_probe(error: AssembleError) -> AssembleError {
    match error {
        AssembleError::PointOfReduced { body, why, .. } => AssembleError::ProbeOfReduced { body, why },
        other => other,
    }
}

/// Probes for the header of the result.
pub(crate) fn described(scenario: &Scenario) -> Vec<ResultProbe> {
    let described = |spec: &ProbeSpec| ResultProbe {
        name: spec.title(),
        place: spec.place.to_string(),
        axes: match &spec.place {
            ProbePlaceSpec::Point { axes, .. } => axes.clone(),
            _ => "inertial".to_owned(),
        },
        every: spec.every,
        quantities: spec.what.clone(),
    };
    scenario.probe.iter().map(described).collect()
}
