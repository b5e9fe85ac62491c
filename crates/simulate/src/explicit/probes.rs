//! Probes of schemes of unreduced bodies: their places on deformable, rigid and reduced bodies.

use std::collections::BTreeMap;

use carom_continuum::explicit::{BodyKind, BodySpec, Problem};
use carom_continuum::{PlaceStress, StressOfProbes};
use carom_dynamics::{Axes, Marker, Probe, ProbeError, ProbePlace, rotation};
use carom_fem::constitutive::SolidLaw;
use carom_fem::internal_force::PointRule;
use carom_fem::structural::WallRecovery;
use carom_fem::{Body, Discretisation, MaterialPoint, PlaceRecovery, material_point};
use carom_format::scenario::model::{
    BodySpec as SpecOfBody, MaterialLaw, ProbePlaceSpec, ProbeSpec, Scenario, Spot, WALL,
};
use carom_mesh::CellRef;
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
use crate::system::stresses::{spot, stresses as reduced_stresses};

/// Why a set has no section.
const OF_SETS: &str =
    "a set has no single section: give a point of the axis of a beam, `at`, or a marker there";

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

impl From<AssembleError> for WholeProbeError {
    fn from(error: AssembleError) -> Self {
        Self::Reduced(Box::new(error))
    }
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
    let found = probed_stresses(scenario, |index| {
        let body = &problem.bodies[index];
        let BodyKind::Deformable { laws, rule, .. } = &body.kind else { return None };
        Some((&*body.geometry, *rule, laws.clone()))
    });
    let turned = found.map_err(At::cast)?.into_iter().map(|(number, (place, _))| {
        let placement = &problem.bodies[body_of(scenario, number)].placement;
        let turned = match place {
            PlaceStress::Solid(place) => {
                PlaceStress::Solid(place.turned(&rotation::matrix(&placement.quaternion)))
            }
            // Walls and sections follow the points.
            other => other,
        };
        (number, turned)
    });
    let mut stresses: StressOfProbes = turned.collect();
    // Contact is a force on points: no pressure acts on a face.
    let reduced = |index: usize| match &problem.bodies[index].kind {
        BodyKind::Reduced(body) => Some(&**body),
        _ => None,
    };
    let found = reduced_stresses(scenario, prepared, reduced, &[]);
    let found = found.map_err(At::cast::<WholeProbeError>).map_err(At::cast)?.of_probes;
    stresses.extend(found.into_iter().map(|(number, place)| (number, PlaceStress::Modes(place.modes))));
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

/// Number of the body of a probe on a point.
fn body_of(scenario: &Scenario, probe: usize) -> usize {
    let ProbePlaceSpec::Point { on, .. } = &scenario.probe[probe].place else { return 0 };
    scenario.body.iter().position(|spec| spec.name == on.body).unwrap_or(0)
}

/// Stress at the place of a probe, with the laws of the blocks of its body, by the number of the probe.
pub(crate) type ProbedStresses = BTreeMap<usize, (PlaceStress, Vec<SolidLaw>)>;

/// The stress at the places of probes on deformable bodies, in source axes, with the laws of the blocks; by
/// the number of the probe.
///
/// * `body` — geometry, points of the cells and laws of a body by its number; none of one that is not
///   deformable
///
/// # Errors
///
/// [`WholeProbeError`] at the key of the probe whose body has no stress, or whose place does not exist.
pub(crate) fn probed_stresses<'a>(
    scenario: &Scenario,
    body: impl Fn(usize) -> Option<(&'a Body, PointRule, Vec<SolidLaw>)>,
) -> Result<ProbedStresses, At<WholeProbeError>> {
    let mut stresses = BTreeMap::new();
    for probed in probed(scenario) {
        probed.check(scenario, None)?;
        if let Some((geometry, rule, laws)) = body(probed.index) {
            probed.check(scenario, Some(geometry))?;
            stresses.insert(probed.number, (probed.stress(geometry, rule, &laws)?, laws));
        }
    }
    Ok(stresses)
}

/// A probe of the stress of a body.
struct Probed<'a> {
    number: usize,
    probe: &'a ProbeSpec,
    part: &'a str,
    at: Option<[f64; 3]>,
    /// Place in the wall of a shell, one of [`WALL`].
    wall: Option<usize>,
    /// Number and table of the body.
    index: usize,
    spec: &'a SpecOfBody,
}

/// The probes of the stress of a scenario, and of sections.
fn probed(scenario: &Scenario) -> impl Iterator<Item = Probed<'_>> {
    let has_one = |probe: &ProbeSpec| probe.has_stress() || probe.has_section();
    let with_stress = scenario.probe.iter().enumerate().filter(move |(_, probe)| has_one(probe));
    with_stress.filter_map(|(number, probe)| {
        let ProbePlaceSpec::Point { on, at, wall, .. } = &probe.place else { return None };
        let index = scenario.body.iter().position(|spec| spec.name == on.body)?;
        let wall = wall.as_ref().and_then(|wall| WALL.iter().position(|word| word == wall));
        Some(Probed { number, probe, part: &on.part, at: *at, wall, index, spec: &scenario.body[index] })
    })
}

impl Probed<'_> {
    /// The error at a key of the probe.
    fn refused(&self, key: &str, error: impl Into<WholeProbeError>) -> At<WholeProbeError> {
        error.into().at(format!("probe.{}.{key}", self.number))
    }

    /// Refuses bodies without a stress at a point.
    fn check(&self, scenario: &Scenario, geometry: Option<&Body>) -> Result<(), At<WholeProbeError>> {
        let is_reduced = scenario.simulation.scheme.reduces_body(self.spec);
        if is_reduced && !self.probe.has_section() && self.wall.is_none() {
            return Ok(());
        }
        let is_structural = geometry.map(Body::is_structural);
        let why = if self.spec.rigid {
            "it is rigid: leave out `section_force` and `section_moment`, or remove `rigid = true`"
        } else if self.probe.has_section() && self.probe.has_stress() {
            "a probe has the stress of a solid or shell, or the forces of a section of a beam: make two \
             probes"
        } else if self.probe.has_section() && is_structural == Some(false) {
            "it is of solid cells, and sections are those of beams: leave out `section_force` and \
             `section_moment`, and name `stress`"
        } else if self.wall.is_some() && is_structural == Some(false) {
            "it is of solid cells, and `wall` is the place in the wall of a shell: leave out `wall`"
        } else if is_reduced {
            "it is reduced, and walls and sections are those of unreduced shells and beams: leave out \
             `wall`, `section_force` and `section_moment`"
        } else if law_of(scenario, self.spec) == MaterialLaw::ScalarWave {
            "the law `scalar-wave` has no stress: leave out `stress`, or choose the law `linear`"
        } else if self.probe.has_stress() && self.wall.is_none() && is_structural == Some(true) {
            "it is of shells or beams: name the place in the wall of a shell, `wall = \"top\"`, `\"middle\"` \
             or `\"bottom\"`; of beams leave out `stress`, and name `section_force` and `section_moment`"
        } else {
            return Ok(());
        };
        Err(self.refused("what", self.without(why)))
    }

    /// The stress at its place on a deformable body, source axes.
    fn stress(
        &self,
        geometry: &Body,
        rule: PointRule,
        laws: &[SolidLaw],
    ) -> Result<PlaceStress, At<WholeProbeError>> {
        let key = if self.at.is_some() { "at" } else { "on" };
        let made = || {
            let discretisation = discretisation(&self.spec.name, geometry)?;
            let of = (geometry, &discretisation);
            let empty = |set| WholeProbeError::Empty { body: self.spec.name.clone(), set };
            match (spot(self.spec, self.part, self.at), geometry.is_structural()) {
                (Spot::Point(position), true) => {
                    let found = found_at(self.spec, of, position)?;
                    self.structural(&discretisation, found.cell, found.xi)
                }
                (Spot::Set(set), true) => {
                    let place = self.wall.ok_or_else(|| self.without(OF_SETS))?;
                    let nodes = geometry.points_of_set(&discretisation, &set).map_err(GeometryError::from)?;
                    let made = WallRecovery::of_set(&discretisation, &nodes, place);
                    made.map(PlaceStress::Wall).ok_or_else(|| empty(set))
                }
                (Spot::Point(position), false) => {
                    let found = found_at(self.spec, of, position)?;
                    let made = PlaceRecovery::at(of, (rule, laws), (found.cell, found.xi));
                    Ok(PlaceStress::Solid(made))
                }
                (Spot::Set(set), false) => {
                    let made = PlaceRecovery::of_set(of, (rule, laws), &set).map_err(GeometryError::from)?;
                    made.map(PlaceStress::Solid).ok_or_else(|| empty(set))
                }
            }
        };
        made().map_err(|error| self.refused(key, error))
    }

    /// The stress of a shell, or the section of a beam.
    fn structural(
        &self,
        discretisation: &Discretisation,
        cell: CellRef,
        xi: [f64; 3],
    ) -> Result<PlaceStress, WholeProbeError> {
        let is_beam = discretisation.blocks[cell.block as usize].n_cell_points() == 2;
        match (self.wall, is_beam) {
            (None, true) => Ok(PlaceStress::Section(cell, xi[0])),
            (Some(place), false) => {
                Ok(PlaceStress::Wall(WallRecovery::at(discretisation, (cell, xi), place)))
            }
            (Some(_), true) => Err(self.without(
                "its place is on a beam, which has no wall: name `section_force` and `section_moment` there",
            )),
            (None, false) => Err(self.without(
                "its place is on a shell, and sections are those of beams: name `stress` with `wall` there",
            )),
        }
    }

    /// The error of a place without stress.
    fn without(&self, why: &'static str) -> WholeProbeError {
        WholeProbeError::Stress { probe: self.probe.title(), body: self.spec.name.clone(), why }
    }
}

/// Points of a deformable body whose weighted mean is a place: of a point those of its cell, of a set all of
/// its points alike.
///
/// # Errors
///
/// [`WholeProbeError`] if the point lies outside of the body, or the set does not exist.
pub(crate) fn weights(
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
        let checked = probed.check(scenario, Some(geometry));
        let is_whole = !probed.spec.rigid && !scenario.simulation.scheme.reduces_body(probed.spec);
        let placed = || match geometry.is_structural() && is_whole {
            true => probed.stress(geometry, PointRule::default(), &[]).map(drop),
            false => Ok(()),
        };
        checked.and_then(|()| placed()).err().map(At::cast)
    };
    let of_place = scenario.probe.iter().map(|probe| &probe.place).enumerate().find_map(wrong);
    of_place.or_else(|| probed(scenario).find_map(without_stress))
}
