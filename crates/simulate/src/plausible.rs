//! Figures of a scenario that are implausible: most of them come from wrong units.
//!
//! `carom check` and the start of a run report them; no scenario is refused for them.

use carom_fem::plausible::{self, Implausible, plain};
use carom_fem::{Body, ImpossibleBody, MassProperties};
use carom_format::scenario::model::{BodySource, BodySpec, Scenario};
use carom_reduce::ReducedBody;
use thiserror::Error;

use crate::discretised::Bodies;
use crate::error::{At, AtKey, ErrorKind, Kind};
use crate::parts::Parts;

/// Number of fixed steps, or of frames, of a run.
const STEPS: [f64; 2] = [1.0, 1e8];
const FRAMES: [f64; 2] = [0.0, 1e6];
/// End of a run \[s\].
const END_TIME: [f64; 2] = [1e-9, 1e6];
/// Acceleration of gravity \[m/s²\].
const GRAVITY: [f64; 2] = [0.0, 1e3];
/// Speed of a body, and of its rim by its rotation \[m/s\].
const SPEED: [f64; 2] = [0.0, 2e3];
/// Rotation rate of a body of unknown size \[rad/s\].
const RATE: [f64; 2] = [0.0, 1e6];
/// Computing time of a cheap step \[s\], for an estimate of the least that a run takes.
const SECONDS_A_STEP: f64 = 1e-6;

/// A body whose mass or volume is not a positive number.
#[derive(Debug, Error)]
#[error("body `{body}`: {source}")]
pub struct Impossible {
    /// Name of the body.
    pub body: String,
    /// What is wrong.
    pub source: ImpossibleBody,
}

impl Kind for Impossible {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}

/// Implausible figures of a scenario.
///
/// * `parts` — the known part of each body; of a geometry, its materials, size and mass are checked
/// * `bodies` — their discretisations
///
/// # Errors
///
/// [`Impossible`] for a body whose mass or volume is not a finite positive number.
pub(crate) fn warnings<'a>(
    scenario: &Scenario,
    parts: &[Parts<'a>],
    bodies: &Bodies<'a>,
) -> Result<Vec<String>, At<Impossible>> {
    let mut found = Vec::new();
    if scenario.simulation.scheme.row().has_time {
        found.extend(of_times(scenario));
    }
    let gravity = norm(&scenario.simulation.gravity);
    found.extend(Implausible::check("simulation", ("gravity", "m/s²"), gravity, GRAVITY, || {
        "give it in m/s²: [0.0, 0.0, -9.81]".to_owned()
    }));
    for (i, (spec, parts)) in scenario.body.iter().zip(parts).enumerate() {
        let size = match parts {
            Parts::Geometry(body) => {
                let of_body = of_geometry(spec, body, bodies);
                found.extend(of_body.map_err(|error| error.at(format!("body.{i}")))?);
                Some(plausible::extent(body))
            }
            Parts::Model(model) => {
                found.extend(of_model(spec, model).map_err(|error| error.at(format!("body.{i}")))?);
                None
            }
            Parts::Unknown => None,
        };
        found.extend(of_motion(spec, size));
    }
    let mut printed: Vec<String> = Vec::new();
    for text in found.iter().map(ToString::to_string) {
        // Bodies share materials.
        if !printed.contains(&text) {
            printed.push(text);
        }
    }
    Ok(printed)
}

fn norm(v: &[f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// End, steps and frames of a run.
fn of_times(scenario: &Scenario) -> Vec<Implausible> {
    let simulation = &scenario.simulation;
    // An equilibrium alone takes no time.
    if simulation.has_open_end || simulation.end_time == 0.0 {
        return Vec::new();
    }
    let end = simulation.end_time;
    let seconds = || "times are in seconds".to_owned();
    let mut found = Vec::new();
    found.extend(Implausible::check("simulation", ("end_time", "s"), end, END_TIME, seconds));
    let maximum_step = simulation.scheme.integration().and_then(|settings| settings.maximum_step);
    let steps = [("time_step", simulation.scheme.time_step()), ("maximum_step", maximum_step)];
    for (key, step) in steps.into_iter().filter_map(|(key, step)| Some((key, step?))) {
        let n = end / step;
        // An upper bound of the step may be larger than the run.
        let range = if key == "time_step" { STEPS } else { [0.0, STEPS[1]] };
        let remedy = || {
            format!(
                "that is end_time over {key}, {} s over {} s; the run would take {} at a microsecond of \
                 computing a step: change simulation.{key}",
                plain(end),
                plain(step),
                duration(n * SECONDS_A_STEP)
            )
        };
        found.extend(Implausible::check("simulation", ("number of steps", ""), n, range, remedy));
    }
    let frames = end / simulation.output_every;
    found.extend(Implausible::check("simulation", ("number of frames", ""), frames, FRAMES, || {
        "that is end_time over output_every: lengthen simulation.output_every".to_owned()
    }));
    found
}

/// Seconds in the unit that people would use.
fn duration(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(365.25 * 86400.0, "years"), (86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let (unit, word) = UNITS.into_iter().find(|(unit, _)| seconds >= 2.0 * unit).unwrap_or((1.0, "seconds"));
    format!("{} {word}", plain(seconds / unit))
}

/// Materials, size and mass of a body of finite elements.
fn of_geometry<'a>(
    spec: &BodySpec,
    body: &'a Body,
    bodies: &Bodies<'a>,
) -> Result<Vec<Implausible>, Impossible> {
    let impossible = |source| Impossible { body: spec.name.clone(), source };
    let known = bodies.of(body).map_err(|source| impossible(source.into()))?;
    let given = spec.mass_properties.is_some();
    let mut found: Vec<Implausible> =
        body.materials.iter().flat_map(|material| plausible::of_material(material, !spec.rigid)).collect();
    found.extend(plausible::of_size(&spec.name, plausible::extent(body)));
    // Usual masses are within many powers of ten, so that a coarse one decides but near their limits.
    let [low, high] = plausible::MASS;
    if known.coarse_mass().is_some_and(|mass| (10.0 * low..0.1 * high).contains(&mass)) {
        return Ok(found);
    }
    let [volume, mass] = known.rough_volume_and_mass();
    found.extend(of_mass(spec, volume, mass)?.filter(|_| !given));
    Ok(found)
}

/// Mass of a body of a volume.
fn of_mass(spec: &BodySpec, volume: f64, mass: f64) -> Result<Option<Implausible>, Impossible> {
    let center_of_mass = [0.0; 3];
    let properties = MassProperties { volume, mass, center_of_mass, inertia: [[0.0; 3]; 3] };
    plausible::of_mass(&spec.name, &properties)
        .map_err(|source| Impossible { body: spec.name.clone(), source })
}

/// Materials and mass of a reduced model that the scenario names.
pub(crate) fn of_model(spec: &BodySpec, model: &ReducedBody) -> Result<Vec<Implausible>, Impossible> {
    let mut found: Vec<Implausible> =
        model.materials.iter().flat_map(|material| plausible::of_material(material, true)).collect();
    // The volume of a model is unknown.
    found.extend(of_mass(spec, 1.0, model.invariants.mass)?.map(|figure| Implausible {
        remedy:
            "check the units of the file that the model comes from (carom-reduce import --units)".to_owned(),
        ..figure
    }));
    Ok(found)
}

/// A warning about a mesh that makes a body too stiff.
///
/// * `wanted` — accepted error of the lowest frequencies
pub(crate) fn of_mesh(spec: &BodySpec, model: &ReducedBody, wanted: f64) -> Option<String> {
    let remedy = match &spec.source {
        BodySource::Make { make } if make.hex => "give it more `elements`",
        BodySource::Make { .. } => "give it more `elements` or a higher `degree`",
        BodySource::Rom { .. } => "refine the body (carom-mesh refine) and reduce it again",
        _ => "refine it (`refine = { subdivide = 2 }`)",
    };
    model.doubt_of_mesh(wanted).map(|doubt| format!("body `{}`: {doubt}; {remedy}", spec.name))
}

/// Velocity and rotation rate of a body.
fn of_motion(spec: &BodySpec, size: Option<f64>) -> Vec<Implausible> {
    let subject = || format!("body `{}`", spec.name);
    let speed = norm(&spec.velocity);
    let mut found = Vec::new();
    found.extend(Implausible::check(subject(), ("velocity", "m/s"), speed, SPEED, || {
        "give it in m/s".to_owned()
    }));
    let rate = norm(&spec.angular_velocity);
    let remedy = || {
        format!(
            "the rotation rate {} rad/s is too high; give it in rad/s: 3000 revolutions a minute are 314",
            plain(rate)
        )
    };
    found.extend(match size {
        Some(size) => {
            let rim = 0.5 * size * rate;
            Implausible::check(subject(), ("speed of its rim by angular_velocity", "m/s"), rim, SPEED, remedy)
        }
        None => Implausible::check(subject(), ("angular_velocity", "rad/s"), rate, RATE, remedy),
    });
    found
}
