//! Probes of schemes of unreduced bodies: their places on deformable, rigid and reduced bodies.

use carom_continuum::explicit::{BodyKind, BodySpec, Problem};
use carom_dynamics::{Axes, Marker, Probe, ProbeError, ProbePlace};
use carom_fem::{Body, Discretisation, material_point};
use carom_format::scenario::model::{BodySpec as SpecOfBody, ProbePlaceSpec, Scenario, Spot};
use nalgebra::Vector3;
use thiserror::Error;

use super::ExplicitSetUpError;
use crate::error::{At, AtKey, ErrorKind, Kind};
use crate::geometry::{GeometryError, discretisation};
use crate::parts::Parts;
use crate::prepared::{Prepared, PreparedBody};
use crate::rigid::EndError;
use crate::rigid::joined::place;
use crate::system::error::AssembleError;
use crate::system::probes::{key_of, marker_at, probes_at};

/// Distance from a body, over its size, up to which a point counts as lying on its surface.
const NEAR: f64 = 1e-3;

/// Errors from probes of unreduced bodies.
#[derive(Debug, Error)]
pub enum WholeProbeError {
    /// A point outside of a deformable body.
    #[error(
        "body `{body}`: the probe is at a point that lies {distance:.3e} m outside of the body; the nearest \
         point of the body is [{:.6}, {:.6}, {:.6}], in source coordinates",
        nearest[0], nearest[1], nearest[2]
    )]
    Outside {
        /// Name of the body.
        body: String,
        /// Distance from the body \[m\].
        distance: f64,
        /// The nearest point \[m\].
        nearest: [f64; 3],
    },
    /// A set without points.
    #[error("body `{body}`: the set `{set}` has no points: give the probe another place")]
    Empty {
        /// Name of the body.
        body: String,
        /// Name of the set.
        set: String,
    },
    /// The geometry of a deformable body, or a set of it.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A place on a rigid body.
    #[error(transparent)]
    Rigid(#[from] EndError),
    /// A place on a reduced body.
    #[error(transparent)]
    Reduced(Box<AssembleError>),
    /// A probe that does not fit the bodies.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

impl Kind for WholeProbeError {
    fn kind(&self) -> ErrorKind {
        ErrorKind::Input
    }
}

/// A run with the probes of a scenario.
///
/// * `problem` — the bodies of the run
/// * `with` — gives the run its probes
///
/// # Errors
///
/// [`WholeProbeError`] at the key of the probe that does not fit.
pub(crate) fn with_probes<R>(
    scenario: &Scenario,
    prepared: &Prepared,
    problem: &Problem,
    with: impl FnOnce(Vec<Probe>) -> Result<R, ProbeError>,
) -> Result<R, At<ExplicitSetUpError>> {
    let probes = probes_at(scenario, |index, part, at, axes| {
        let (spec, ready) = (&scenario.body[index], &prepared.bodies[index]);
        point(spec, ready, &problem.bodies[index], (index, axes), (part, at))
    });
    with(probes.map_err(At::cast)?).map_err(|error| {
        let key = key_of(&error);
        ExplicitSetUpError::from(WholeProbeError::from(error)).at(key)
    })
}

/// A point of a body.
fn point(
    spec: &SpecOfBody,
    ready: &PreparedBody,
    body: &BodySpec,
    (index, axes): (usize, Axes),
    (part, at): (&str, Option<[f64; 3]>),
) -> Result<ProbePlace, WholeProbeError> {
    let marker = match &body.kind {
        BodyKind::Deformable { .. } => {
            return Ok(ProbePlace::Points { body: index, weights: weights(spec, &body.geometry, part, at)? });
        }
        BodyKind::Rigid(rigid) => {
            let point = match at {
                Some(point) => Vector3::from(point),
                None => place(spec, &body.geometry, part)?,
            };
            Marker { position_b: (point - rigid.com).into(), ..Marker::default() }
        }
        BodyKind::Reduced(reduced) => {
            let found = marker_at(spec, ready, reduced, part, at);
            found.map_err(|error| WholeProbeError::Reduced(Box::new(error)))?
        }
    };
    Ok(ProbePlace::Point { body: index, marker, axes })
}

/// Points of a deformable body whose weighted mean is a place: of a point those of its cell, of a set all of
/// its points alike.
fn weights(
    spec: &SpecOfBody,
    geometry: &Body,
    part: &str,
    at: Option<[f64; 3]>,
) -> Result<Vec<(u32, f64)>, WholeProbeError> {
    let discretisation = discretisation(&spec.name, geometry)?;
    let named = || spec.marker.iter().find(|marker| marker.name == part).map(|marker| marker.at.clone());
    let spot = at.map(Spot::Point).or_else(named);
    let set = match &spot {
        Some(Spot::Point(position)) => return weights_at(spec, (geometry, &discretisation), *position),
        Some(Spot::Set(set)) => set.as_str(),
        None => part,
    };
    let points = geometry.points_of_set(&discretisation, set).map_err(GeometryError::from)?;
    if points.is_empty() {
        return Err(WholeProbeError::Empty { body: spec.name.clone(), set: set.to_owned() });
    }
    let weight = 1.0 / points.len() as f64;
    Ok(points.into_iter().map(|point| (point, weight)).collect())
}

/// Points of a deformable body with the functions of a position in source coordinates.
fn weights_at(
    spec: &SpecOfBody,
    (geometry, discretisation): (&Body, &Discretisation),
    position: [f64; 3],
) -> Result<Vec<(u32, f64)>, WholeProbeError> {
    let found = material_point(geometry, discretisation, position).expect("a discretisation has cells");
    let first = Vector3::from(discretisation.points[0]);
    let distance = |point: &[f64; 3]| (Vector3::from(*point) - first).norm();
    let size = discretisation.points.iter().map(distance).fold(0.0, f64::max);
    if found.distance > NEAR * size {
        // Rounded to micrometres, without a sign of zero.
        let nearest = found.position.map(|x| (1e6 * x).round() / 1e6 + 0.0);
        let body = spec.name.clone();
        return Err(WholeProbeError::Outside { body, distance: found.distance, nearest });
    }
    Ok(found.weights)
}

/// The first error of a probe at a point of a deformable body that is known from the geometries alone.
///
/// * `parts` — the known part of each body
pub(crate) fn problem(scenario: &Scenario, parts: &[Parts<'_>]) -> Option<At<ExplicitSetUpError>> {
    let wrong = |(i, place): (usize, &ProbePlaceSpec)| {
        let ProbePlaceSpec::Point { on, at, .. } = place else { return None };
        let body = scenario.body.iter().position(|spec| spec.name == on.body)?;
        let (spec, Parts::Geometry(geometry)) = (&scenario.body[body], &parts[body]) else { return None };
        if spec.rigid || scenario.simulation.scheme.reduces_body(spec) {
            return None;
        }
        let key = if at.is_some() { "at" } else { "on" };
        let error = weights(spec, geometry, &on.part, *at).err()?;
        Some(ExplicitSetUpError::from(error).at(format!("probe.{i}.{key}")))
    };
    scenario.probe.iter().map(|probe| &probe.place).enumerate().find_map(wrong)
}
