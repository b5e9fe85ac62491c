//! Probes of schemes of unreduced bodies: their places on deformable, rigid and reduced bodies.

use carom_continuum::StressOfProbes;
use carom_continuum::explicit::{BodyKind, BodySpec, Problem};
use carom_dynamics::{Axes, Marker, Probe, ProbeError, ProbePlace, rotation};
use carom_fem::constitutive::SolidLaw;
use carom_fem::internal_force::PointRule;
use carom_fem::{Body, Discretisation, MaterialPoint, PlaceRecovery, material_point};
use carom_format::scenario::model::{
    BodySpec as SpecOfBody, MaterialLaw, ProbePlaceSpec, ProbeSpec, Scenario, Spot,
};
use nalgebra::Vector3;
use thiserror::Error;

use super::{ExplicitSetUpError, law_of};
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
    /// A stress of a body without one.
    #[error("probe `{probe}`: body `{body}`: {why}")]
    Stress {
        /// Name of the probe.
        probe: String,
        /// Name of the body.
        body: String,
        /// Why it has none, with a way out.
        why: &'static str,
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
    with: impl FnOnce(Vec<Probe>, StressOfProbes) -> Result<R, ProbeError>,
) -> Result<R, At<ExplicitSetUpError>> {
    let probes = probes_at(scenario, |index, part, at, axes| {
        let (spec, ready) = (&scenario.body[index], &prepared.bodies[index]);
        point(spec, ready, &problem.bodies[index], (index, axes), (part, at))
    });
    let probes = probes.map_err(At::cast)?;
    let mut stresses = StressOfProbes::new();
    for probed in probed(scenario) {
        let body = &problem.bodies[probed.index];
        probed.check(scenario, &body.geometry).map_err(At::cast)?;
        if let BodyKind::Deformable { laws, rule, .. } = &body.kind {
            let stress = probed.stress(&body.geometry, *rule, laws).map_err(At::cast)?;
            stresses.insert(probed.number, stress.turned(&rotation::matrix(&body.placement.quaternion)));
        }
    }
    with(probes, stresses).map_err(|error| {
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

/// A probe of the stress of a body.
struct Probed<'a> {
    number: usize,
    probe: &'a ProbeSpec,
    part: &'a str,
    at: Option<[f64; 3]>,
    /// Number and table of the body.
    index: usize,
    spec: &'a SpecOfBody,
}

/// The probes of the stress of a scenario.
fn probed(scenario: &Scenario) -> impl Iterator<Item = Probed<'_>> {
    let with_stress = scenario.probe.iter().enumerate().filter(|(_, probe)| probe.has_stress());
    with_stress.filter_map(|(number, probe)| {
        let ProbePlaceSpec::Point { on, at, .. } = &probe.place else { return None };
        let index = scenario.body.iter().position(|spec| spec.name == on.body)?;
        Some(Probed { number, probe, part: &on.part, at: *at, index, spec: &scenario.body[index] })
    })
}

impl Probed<'_> {
    /// The error at a key of the probe.
    fn refused(&self, key: &str, error: impl Into<WholeProbeError>) -> At<WholeProbeError> {
        error.into().at(format!("probe.{}.{key}", self.number))
    }

    /// Refuses bodies without a stress at a point.
    fn check(&self, scenario: &Scenario, geometry: &Body) -> Result<(), At<WholeProbeError>> {
        let why = if scenario.simulation.scheme.reduces_body(self.spec) {
            "it is reduced, and the stress of reduced bodies is known in the schemes `quasistatic`, `dynamic` \
             and `damped` alone: leave out `stress`, or remove `reduce` from the body"
        } else if law_of(scenario, self.spec) == MaterialLaw::ScalarWave {
            "the law `scalar-wave` has no stress: leave out `stress`, or choose the law `linear`"
        } else if geometry.is_structural() {
            "it is of shells or beams, and the stress at a probe is that of a solid: leave out `stress`; \
             `carom-post export` writes the stress of shells at each frame"
        } else {
            return Ok(());
        };
        let (probe, body) = (self.probe.title(), self.spec.name.clone());
        Err(self.refused("what", WholeProbeError::Stress { probe, body, why }))
    }

    /// The stress at its place on a deformable body, source axes.
    fn stress(
        &self,
        geometry: &Body,
        rule: PointRule,
        laws: &[SolidLaw],
    ) -> Result<PlaceRecovery, At<WholeProbeError>> {
        let key = if self.at.is_some() { "at" } else { "on" };
        let made = || {
            let discretisation = discretisation(&self.spec.name, geometry)?;
            let of = (geometry, &discretisation);
            match spot(self.spec, self.part, self.at) {
                Spot::Point(position) => {
                    let found = found_at(self.spec, of, position)?;
                    Ok(PlaceRecovery::at(of, (rule, laws), (found.cell, found.xi)))
                }
                Spot::Set(set) => {
                    let made = PlaceRecovery::of_set(of, (rule, laws), &set).map_err(GeometryError::from)?;
                    made.ok_or_else(|| WholeProbeError::Empty { body: self.spec.name.clone(), set })
                }
            }
        };
        made().map_err(|error| self.refused(key, error))
    }
}

/// The point or the set that a place on a body names.
fn spot(spec: &SpecOfBody, part: &str, at: Option<[f64; 3]>) -> Spot {
    let named = || spec.marker.iter().find(|marker| marker.name == part).map(|marker| marker.at.clone());
    at.map(Spot::Point).or_else(named).unwrap_or_else(|| Spot::Set(part.to_owned()))
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
    let set = match spot(spec, part, at) {
        Spot::Point(position) => {
            return Ok(found_at(spec, (geometry, &discretisation), position)?.weights);
        }
        Spot::Set(set) => set,
    };
    let points = geometry.points_of_set(&discretisation, &set).map_err(GeometryError::from)?;
    if points.is_empty() {
        return Err(WholeProbeError::Empty { body: spec.name.clone(), set });
    }
    let weight = 1.0 / points.len() as f64;
    Ok(points.into_iter().map(|point| (point, weight)).collect())
}

/// The material point of a deformable body at a position in source coordinates.
fn found_at(
    spec: &SpecOfBody,
    (geometry, discretisation): (&Body, &Discretisation),
    position: [f64; 3],
) -> Result<MaterialPoint, WholeProbeError> {
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
    Ok(found)
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
    let without_stress = |probed: Probed<'_>| {
        let Parts::Geometry(geometry) = &parts[probed.index] else { return None };
        probed.check(scenario, geometry).err().map(At::cast)
    };
    let of_place = scenario.probe.iter().map(|probe| &probe.place).enumerate().find_map(wrong);
    of_place.or_else(|| probed(scenario).find_map(without_stress))
}
