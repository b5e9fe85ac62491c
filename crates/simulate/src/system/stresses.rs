//! The stress at the places of probes on reduced bodies: that of each mode and of a unit of contact pressure.
//!
//! A run opens the mesh of a body for this alone, once, and only if a probe has the stress of the body. On
//! the surface the stress is that of `carom-post stress` ([`SurfaceStressRecovery::sampled`]): linear in the
//! modal coordinates and in the pressures. Inside it is that of the cells around the point
//! ([`PlaceRecovery`]), which the modes displace, and the pressures act by the modes alone.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use carom_fem::constitutive::{SolidLaw, linear_laws};
use carom_fem::internal_force::PointRule;
use carom_fem::{Body as Geometry, PlaceRecovery};
use carom_format::result::ResultPair;
use carom_format::scenario::model::{BodySpec, End, ProbePlaceSpec, ProbeSpec, Scenario, Spot};
use carom_multibody::{Body, CellPressures, PlaceStress};
use carom_reduce::field_modes::FieldModes;
use carom_reduce::unread::UnreadArrayError;
use carom_reduce::{Modes, ReducedBody};
use carom_scene::{BodyGrid, PlaceStressRecovery, SurfaceStressRecovery, nearest_place};
use nalgebra::Vector3;
use thiserror::Error;

use super::body_of_model::{BodyOfModelError, body_of_model};
use super::error::AssembleError;
use super::material_point::{Off, Row, Within, row_of};
use crate::error::{At, AtKey, ErrorKind, Kind};
use crate::geometry::{GeometryError, discretisation};
use crate::prepared::{Prepared, PreparedBody, PreparedModel};

/// Why the stress at a probe is not known.
#[derive(Debug, Error)]
pub enum NoStress {
    /// The mesh of the body is not known.
    #[error("the stress at a probe needs the mesh of the body, and {0}")]
    Body(#[from] BodyOfModelError),
    /// The model has no modes of the surface.
    #[error(
        "the stress at a probe needs the modes of its surface, which its model does not keep: reduce it with \
         `--fields surface`"
    )]
    Fields,
    /// A body of shells or beams: they have no surface with a stress normal to it.
    #[error(
        "the stress at a probe is that of a solid, and this body is of shells or beams: leave \
         out `stress`, or mesh the body with solid cells; in the scheme `explicit`, which takes shells as \
         they are, `carom-post export` writes their stress at each frame"
    )]
    NotSolid,
    /// Only contact on a half-space grid deforms the body.
    #[error(
        "its model has no dynamic modes, and so no stress but that below its contacts, which `carom-post \
         plot --what contact-stress` draws: give it modes (`reduce.up_to`), or leave out `stress`"
    )]
    NoModes,
    /// The set has no nodes.
    #[error("the set `{0}` has no node: name another set, or a point, `on = \"BODY\"` with `at`")]
    Empty(String),
    /// The set is inside the body, and the model does not know its motion.
    #[error(
        "the set `{0}` has no node on the surface, and the model keeps the motion of the surface alone: name \
         another set, or write `fields = \"full\"` in the table `reduce` of the body"
    )]
    Inside(String),
    /// The point lies outside, or inside where the model knows no motion.
    #[error("the stress at a probe needs the motion of its place, and {0}")]
    Off(String),
    /// The body cannot be evaluated, or has no such set.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// The modes of the surface cannot be read from the file of the model.
    #[error(transparent)]
    Unread(#[from] UnreadArrayError),
}

impl Kind for NoStress {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Body(error) => error.kind(),
            _ => ErrorKind::Input,
        }
    }
}

/// The stress at the places of all probes of a scenario that have one.
#[derive(Debug, Default)]
pub(crate) struct Stresses {
    /// By the number of the probe.
    pub of_probes: BTreeMap<usize, PlaceStress>,
    /// Places where the stress at the surface is not that of the body.
    pub warnings: Vec<String>,
}

/// The stress at the places of probes on reduced bodies.
///
/// * `body` — a reduced body by its number
/// * `pairs` — the contact pairs as results have them; none if contact is no pressure on faces
///
/// # Errors
///
/// [`AssembleError::Stress`] at the probe whose stress is not known.
pub(crate) fn stresses<'b>(
    scenario: &Scenario,
    prepared: &Prepared,
    body: impl Fn(usize) -> Option<&'b Body>,
    pairs: &[ResultPair],
) -> Result<Stresses, At<AssembleError>> {
    let mut found = Stresses::default();
    let mut opened: BTreeMap<usize, Opened> = BTreeMap::new();
    for probed in probed(scenario) {
        let Probed { number, probe, index, spec, .. } = probed;
        let ready = &prepared.bodies[index];
        let (PreparedModel::Reduced(rom), Some(body)) = (&ready.model, body(index)) else { continue };
        let of = match opened.entry(index) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let geometry = body_of_model(ready).map(Arc::new).map_err(NoStress::from);
                let made = geometry.and_then(|geometry| Opened::new(spec, geometry, Some(rom)));
                place.insert(made.map_err(|why| probed.refused("what", why))?)
            }
        };
        let place = probed.place(of)?;
        let Place::Surface(places) = &place else {
            let stress = of.stress_inside(scenario, pairs, (rom, body), &place);
            found.of_probes.insert(number, stress.map_err(|why| probed.refused("what", why))?);
            continue;
        };
        let loaded = of.loaded(scenario, spec, rom, places);
        found.warnings.extend(loaded.map(|set| {
            format!(
                "probe `{}`: its place lies on `{set}`, where a force, joint, spring or support acts, and \
                 the stress at a surface is that of a face without loads but contact pressure: give a place \
                 outside of `{set}`",
                probe.title()
            )
        }));
        let stress = of.stress(scenario, pairs, (rom, body), places);
        found.of_probes.insert(number, stress.map_err(|why| probed.refused("what", why))?);
    }
    Ok(found)
}

/// A reduced body before a run.
pub(crate) enum BeforeRun {
    /// Its model will be made from this mesh.
    ToReduce(Arc<Geometry>),
    /// Its model is there, with or without the file of its mesh.
    Ready(PreparedBody),
}

/// The errors that [`stresses`] would have in a run, and those of points off the surface, as far as they are
/// known before.
///
/// * `bodies` — none where the scheme does not reduce the body, or it is not known yet
pub(crate) fn problems(scenario: &Scenario, bodies: &[Option<BeforeRun>]) -> Vec<At<AssembleError>> {
    let mut opened: BTreeMap<usize, Option<Opened>> = BTreeMap::new();
    let mut found = problems_of_motion(scenario, bodies);
    for probed in probed(scenario) {
        let Some(body) = &bodies[probed.index] else { continue };
        // A body that cannot be opened has one error, that of its first probe.
        let of = opened.entry(probed.index).or_insert_with(|| {
            let made = match body {
                BeforeRun::ToReduce(geometry) => Opened::new(probed.spec, Arc::clone(geometry), None),
                BeforeRun::Ready(ready) => {
                    let PreparedModel::Reduced(rom) = &ready.model else { return None };
                    let geometry = body_of_model(ready).map(Arc::new).map_err(NoStress::from);
                    geometry.and_then(|geometry| Opened::new(probed.spec, geometry, Some(rom)))
                }
            };
            made.map_err(|why| found.push(probed.refused("what", why))).ok()
        });
        if let Some(of) = of {
            found.extend(probed.place(of).err());
        }
    }
    found
}

/// The errors that probes of the motion of a point alone would have in a run: a point that lies outside of a
/// reduced body, or inside where its model knows no motion.
fn problems_of_motion(scenario: &Scenario, bodies: &[Option<BeforeRun>]) -> Vec<At<AssembleError>> {
    let off = |(number, probe): (usize, &ProbeSpec)| {
        let ProbePlaceSpec::Point { on, at, .. } = &probe.place else { return None };
        let index = scenario.body.iter().position(|spec| spec.name == on.body)?;
        let spec = &scenario.body[index];
        let Spot::Point(point) = spot(spec, &on.part, *at) else { return None };
        let (geometry, rom) = match bodies[index].as_ref().filter(|_| !probe.has_stress())? {
            BeforeRun::ToReduce(geometry) => (Arc::clone(geometry), None),
            BeforeRun::Ready(ready) => {
                let PreparedModel::Reduced(rom) = &ready.model else { return None };
                // A run names a missing file.
                (Arc::new(body_of_model(ready).ok()?), Some(rom))
            }
        };
        let discretisation = discretisation(&spec.name, &geometry).ok()?;
        let off = Off::of(&geometry, &discretisation, point)?;
        let knows = |point: u32| match rom {
            Some(rom) => row_of(rom, point).is_some(),
            None => spec.reduce.as_ref().is_some_and(|reduce| reduce.fields == "full"),
        };
        if off.inside.as_ref().is_some_and(|inside| inside.weights.iter().all(|(point, _)| knows(*point))) {
            return None;
        }
        let key = if at.is_some() { "at" } else { "on" };
        let error = AssembleError::ProbeOfReduced { body: spec.name.clone(), why: off.why(Within::Body) };
        Some(error.at(format!("probe.{number}.{key}")))
    };
    scenario.probe.iter().enumerate().filter_map(off).collect()
}

/// The point or the set that a place on a body names.
pub(crate) fn spot(spec: &BodySpec, part: &str, at: Option<[f64; 3]>) -> Spot {
    let named = || spec.marker.iter().find(|marker| marker.name == part).map(|marker| marker.at.clone());
    at.map(Spot::Point).or_else(named).unwrap_or_else(|| Spot::Set(part.to_owned()))
}

/// A probe of the stress of a body.
#[derive(Clone, Copy)]
struct Probed<'a> {
    number: usize,
    probe: &'a ProbeSpec,
    on: &'a End,
    at: Option<[f64; 3]>,
    /// Number and table of the body.
    index: usize,
    spec: &'a BodySpec,
}

/// The probes of the stress of a scenario.
fn probed(scenario: &Scenario) -> impl Iterator<Item = Probed<'_>> {
    let with_stress = scenario.probe.iter().enumerate().filter(|(_, probe)| probe.has_stress());
    with_stress.filter_map(|(number, probe)| {
        let ProbePlaceSpec::Point { on, at, .. } = &probe.place else { return None };
        let index = scenario.body.iter().position(|spec| spec.name == on.body)?;
        Some(Probed { number, probe, on, at: *at, index, spec: &scenario.body[index] })
    })
}

impl Probed<'_> {
    /// The error at a key of the probe.
    fn refused(&self, key: &str, why: NoStress) -> At<AssembleError> {
        let (probe, body) = (self.probe.title(), self.spec.name.clone());
        AssembleError::Stress { probe, body, source: Box::new(why) }
            .at(format!("probe.{}.{key}", self.number))
    }

    /// Its place on a body that is open.
    fn place(&self, of: &Opened) -> Result<Place, At<AssembleError>> {
        let key = if self.at.is_some() { "at" } else { "on" };
        of.place(self.spec, self.on, self.at).map_err(|why| self.refused(key, why))
    }
}

/// The place of a probe on a reduced body.
enum Place {
    /// Places of the recovery of the surface.
    Surface(Vec<usize>),
    /// A point inside, source coordinates \[m\], or a set; with the laws of the body.
    Inside(Vec<[f64; 3]>, Box<(PlaceRecovery, Vec<SolidLaw>)>),
}

/// A reduced body with its mesh.
struct Opened {
    geometry: Arc<Geometry>,
    grid: BodyGrid,
    recovery: SurfaceStressRecovery,
    /// Places of the recovery, source coordinates \[m\].
    places: Vec<[f64; 3]>,
    /// Radius of the loads of its contacts on half-space grids \[m\].
    load_radius: f64,
    /// Points whose motion the model keeps, ascending; none for all points.
    known: Option<Vec<u32>>,
}

impl Opened {
    /// * `rom` — its model, if that is there
    fn new(spec: &BodySpec, geometry: Arc<Geometry>, rom: Option<&ReducedBody>) -> Result<Self, NoStress> {
        if geometry.is_structural() {
            return Err(NoStress::NotSolid);
        }
        if rom.is_some_and(|rom| rom.fields.is_none()) {
            return Err(NoStress::Fields);
        }
        let places = rom.iter().flat_map(|rom| &rom.places);
        let load_radius = places.map(|places| places.radius).fold(0.0, f64::max);
        if load_radius > 0.0 && rom.is_some_and(|rom| rom.last_dynamic_hz().is_none()) {
            return Err(NoStress::NoModes);
        }
        let grid = BodyGrid::surface(&geometry);
        let recovery = SurfaceStressRecovery::new(&grid, &geometry)
            .map_err(|source| GeometryError::Discretisation { body: spec.name.clone(), source })?;
        let places = recovery.sample_places();
        let known = match rom {
            Some(rom) => {
                let fields = rom.fields.iter().flat_map(FieldModes::points);
                let mut known: Vec<u32> = rom.boundary.points.iter().chain(fields).copied().collect();
                known.sort_unstable();
                Some(known)
            }
            None if spec.reduce.as_ref().is_some_and(|reduce| reduce.fields == "full") => None,
            // Points of the surface lie on it.
            None => Some(Vec::new()),
        };
        Ok(Self { geometry, grid, recovery, places, load_radius, known })
    }

    /// The place of a probe: a point inside, the place of the surface nearest to a point, or all of a set.
    fn place(&self, spec: &BodySpec, on: &End, at: Option<[f64; 3]>) -> Result<Place, NoStress> {
        match spot(spec, &on.part, at) {
            Spot::Point(point) => {
                let discretisation = discretisation(&spec.name, &self.geometry)?;
                let Some(off) = Off::of(&self.geometry, &discretisation, point) else {
                    return Ok(Place::Surface(self.places(spec, on, at)?));
                };
                let made = off.inside.as_ref().map(|inside| {
                    let (of, laws) = ((&*self.geometry, &discretisation), linear_laws(&discretisation));
                    let at = (inside.cell, inside.xi);
                    (PlaceRecovery::at(of, (PointRule::default(), &laws), at), laws)
                });
                let made = made.filter(|(recovery, _)| self.knows(recovery));
                let made = made.ok_or_else(|| NoStress::Off(off.why(Within::Body)))?;
                Ok(Place::Inside(vec![point], Box::new(made)))
            }
            Spot::Set(set) => {
                let places = self.places(spec, on, at)?;
                if !places.is_empty() {
                    return Ok(Place::Surface(places));
                }
                let discretisation = discretisation(&spec.name, &self.geometry)?;
                let (of, laws) = ((&*self.geometry, &discretisation), linear_laws(&discretisation));
                let recovery = PlaceRecovery::of_set(of, (PointRule::default(), &laws), &set)
                    .map_err(GeometryError::from)?
                    .ok_or_else(|| NoStress::Empty(set.clone()))?;
                if !self.knows(&recovery) {
                    return Err(NoStress::Inside(set));
                }
                let nodes =
                    self.geometry.points_of_set(&discretisation, &set).map_err(GeometryError::from)?;
                let positions = nodes.iter().map(|&node| discretisation.points[node as usize]);
                Ok(Place::Inside(positions.collect(), Box::new((recovery, laws))))
            }
        }
    }

    /// True if the model keeps the motion of all points that a stress depends on.
    fn knows(&self, recovery: &PlaceRecovery) -> bool {
        let Some(known) = &self.known else { return true };
        recovery.points().iter().all(|point| known.binary_search(point).is_ok())
    }

    /// The places of the surface of a probe: that nearest to a point, or all of a set; none of a set inside.
    fn places(&self, spec: &BodySpec, on: &End, at: Option<[f64; 3]>) -> Result<Vec<usize>, NoStress> {
        Ok(match spot(spec, &on.part, at) {
            Spot::Point(point) => nearest_place(&self.places, &Vector3::from(point)).into_iter().collect(),
            Spot::Set(set) => {
                let places = self.recovery.places_of_set(&self.grid, &self.geometry, &set);
                places.map_err(GeometryError::from)?
            }
        })
    }

    /// The stress at a place inside by unit coordinates of the modes.
    fn stress_inside(
        &self,
        scenario: &Scenario,
        pairs: &[ResultPair],
        (rom, body): (&ReducedBody, &Body),
        place: &Place,
    ) -> Result<PlaceStress, NoStress> {
        let Place::Inside(positions, inside) = place else { return Ok(PlaceStress::default()) };
        let (recovery, laws) = &**inside;
        let fields = rom.fields.as_ref().map(FieldModes::modes).transpose()?;
        let rows: Vec<(u32, Row)> =
            recovery.points().iter().filter_map(|&point| Some((point, row_of(rom, point)?))).collect();
        let mut u = vec![0.0; 3 * self.geometry.n_points()];
        let modes = (0..rom.omega.len()).map(|mode| {
            for &(point, (on_boundary, row)) in &rows {
                let Some(modes) = (if on_boundary { Some(&rom.boundary) } else { fields }) else { continue };
                let to = &mut u[3 * point as usize..3 * point as usize + 3];
                (0..3).for_each(|axis| to[axis] = modes.values[(3 * row + axis, mode)]);
            }
            recovery.stress(laws, &u, None)
        });
        Ok(PlaceStress {
            modes: modes.collect(),
            cells: Vec::new(),
            pressures: Vec::new(),
            grids: grids_of(scenario, pairs, &body.name),
            load_radius: self.load_radius,
            places_b: positions.iter().map(|x| (Vector3::from(*x) - body.frame_origin).into()).collect(),
        })
    }

    /// The first marker or set at one of the places where something other than contact acts.
    fn loaded(
        &self,
        scenario: &Scenario,
        spec: &BodySpec,
        rom: &ReducedBody,
        places: &[usize],
    ) -> Option<String> {
        let forces = scenario.force.iter().map(|force| &force.on);
        let joints = scenario.joints().flat_map(|(_, joint)| &joint.between);
        let springs = scenario.spring.iter().flat_map(|spring| &spring.between);
        let bushings = scenario.bushing.iter().flat_map(|bushing| &bushing.between);
        let ends = forces.chain(joints).chain(springs).chain(bushings);
        let parts = ends.filter(|end| end.body == spec.name && !end.part.is_empty()).map(|end| &end.part);
        let acts = |part: &&String| {
            let end = End { body: spec.name.clone(), part: (*part).clone() };
            let own = self.places(spec, &end, None).unwrap_or_default();
            own.iter().any(|place| places.contains(place))
        };
        rom.held.iter().chain(parts).find(acts).cloned()
    }

    /// The stress at places by unit coordinates of the modes and unit pressures.
    fn stress(
        &self,
        scenario: &Scenario,
        pairs: &[ResultPair],
        (rom, body): (&ReducedBody, &Body),
        places: &[usize],
    ) -> Result<PlaceStress, NoStress> {
        let fields = rom.fields.as_ref().map(FieldModes::modes).transpose()?;
        let recovery = self.recovery.at(places);
        let n_points = self.geometry.n_points();
        let rest = vec![[0.0; 3]; n_points];
        let mut pressure = vec![0.0; recovery.cells().len()];
        let cells = (0..pressure.len()).map(|cell| {
            pressure.fill(0.0);
            pressure[cell] = 1.0;
            recovery.stress(&rest, &pressure)
        });
        let cells = cells.collect();
        Ok(PlaceStress {
            modes: fields.map_or_else(Vec::new, |modes| of_modes(modes, &recovery, rest)),
            cells,
            pressures: self.pressures(scenario, pairs, &body.name, &recovery)?,
            grids: grids_of(scenario, pairs, &body.name),
            load_radius: self.load_radius,
            places_b: places
                .iter()
                .map(|&place| (Vector3::from(self.places[place]) - body.frame_origin).into())
                .collect(),
        })
    }

    /// The contacts whose pressure acts on the cells at the places: their surface with pressure is one of the
    /// body.
    fn pressures(
        &self,
        scenario: &Scenario,
        pairs: &[ResultPair],
        body: &str,
        recovery: &PlaceStressRecovery,
    ) -> Result<Vec<CellPressures>, NoStress> {
        let mut all = Vec::new();
        for (pair, (contact, names)) in scenario.contact.iter().zip(pairs).enumerate() {
            let own = names.first.split_once(':').filter(|(name, _)| *name == body);
            let Some((_, set)) = own.filter(|_| !contact.is_on_grid()) else { continue };
            let carrying = self.geometry.contact_faces(Some(set)).map_err(GeometryError::from)?;
            let cells = recovery.cells().iter().enumerate();
            let faces = cells.filter_map(|(cell, &number)| {
                let face = self.grid.faces.get(number)?;
                Some((carrying.binary_search(face).ok()? as u32, cell))
            });
            let faces: Vec<(u32, usize)> = faces.collect();
            if !faces.is_empty() {
                all.push(CellPressures { pair, faces });
            }
        }
        Ok(all)
    }
}

/// Numbers of the contacts on half-space grids of a body.
fn grids_of(scenario: &Scenario, pairs: &[ResultPair], body: &str) -> Vec<usize> {
    let touches =
        |pair: &ResultPair| [&pair.first, &pair.second].iter().any(|end| end.split(':').next() == Some(body));
    let numbered = scenario.contact.iter().zip(pairs).enumerate();
    let on_grid = numbered.filter(|(_, (contact, pair))| contact.is_on_grid() && touches(pair));
    on_grid.map(|(number, _)| number).collect()
}

/// The stress of each mode.
///
/// * `displacement` — a buffer with a zero vector for each point of the body
fn of_modes(modes: &Modes, recovery: &PlaceStressRecovery, mut displacement: Vec<[f64; 3]>) -> Vec<[f64; 6]> {
    let unloaded = vec![0.0; recovery.cells().len()];
    let of_mode = |mode: usize| {
        let column = modes.values.col(mode);
        for (i, &point) in modes.points.iter().enumerate() {
            displacement[point as usize] = [0, 1, 2].map(|axis| column[3 * i + axis]);
        }
        recovery.stress(&displacement, &unloaded)
    };
    (0..modes.values.ncols()).map(of_mode).collect()
}
