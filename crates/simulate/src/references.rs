//! Names of sets, markers and shapes in a scenario: each must exist in its body.

use carom_contact::{Law, Stiffness};
use carom_continuum::half_space::PlaceSpec;
use carom_fem::{Body, Geometry, SetError};
use carom_format::scenario::model::{
    BodySpec, Compliance, ContactSpec, End, ProbePlaceSpec, ReduceSpec, Scenario, Spot,
};
use carom_reduce::interface::{Interface, InterfaceSpec};
use carom_reduce::options::{DEFAULT_FIXED_MODES, LEAST_FIXED_MODES};
use carom_reduce::{ReduceError, Support};
use thiserror::Error;

use crate::discretised::Bodies;
use crate::error::{At, AtKey, ErrorKind, Kind};
use crate::foresee::is_open;
use crate::parts::Parts;
use crate::reduction::reduction;
use crate::rigid::{Role, ShapeRole, shape_role};

/// Errors from names of sets, markers and shapes in a scenario.
#[derive(Debug, Error)]
pub enum ReferenceError {
    /// A contact of two rigid bodies without a stiffness.
    #[error(
        "contact between {pair}: both bodies are rigid, and the contact has no stiffness; reduce one of \
         them (`reduce = {{ interface = [\"SET\"] }}` instead of `rigid = true`), or give the contact a \
         stiffness in Pa/m, `law = {{ kind = \"penalty\", stiffness = ... }}`"
    )]
    BothRigid {
        /// The surfaces.
        pair: String,
    },
    /// A whole body that is to touch by the compliance of its mesh.
    #[error(
        "contact between {pair}: `compliance = \"body\"` of whole bodies belongs to two rigid ones, which \
         touch by the stiffness of their law, and `{body}` is not rigid: name the sets that may touch, \
         `between = [\"BODY:SET\", \"BODY:SET\"]`, each an interface of its body (`reduce.interface`); or \
         leave out `compliance`"
    )]
    WholeOfMesh {
        /// The surfaces.
        pair: String,
        /// The body.
        body: String,
    },
    /// A shape that cannot stand at its end of a pair.
    #[error(transparent)]
    ShapeRole(#[from] ShapeRole),
    /// An end of a pair that is neither a shape nor a set.
    #[error("body `{body}` has no shape and no set `{part}`; its shapes: {shapes}; its sets: {sets}")]
    NoPart {
        /// Name of the body.
        body: String,
        /// The name in the scenario.
        part: String,
        /// Its shapes.
        shapes: String,
        /// Its sets.
        sets: String,
    },
    /// A set cannot be used.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A contact with a part of a reduced body that is not an interface.
    #[error(
        "contact between {pair}: `{set}` is not an interface of the reduced body `{body}`, and only \
         interfaces can touch; add it to its `reduce.interface`, or name one of its interfaces: {known}"
    )]
    NotAnInterface {
        /// The surfaces.
        pair: String,
        /// Name of the body.
        body: String,
        /// The set.
        set: String,
        /// Its interfaces.
        known: String,
    },
    /// A contact on a half-space grid with a part of a reduced body that has no places.
    #[error(
        "contact between {pair}: `compliance = \"half-space\"` needs places on `{set}` of the reduced body \
         `{body}`; add it to its `reduce.places`, or name one of its places: {known}"
    )]
    NoPlaces {
        /// The surfaces.
        pair: String,
        /// Name of the body.
        body: String,
        /// The set.
        set: String,
        /// Its places.
        known: String,
    },
    /// Contact with a body whose model has no surfaces.
    #[error(
        "contact between {pair}: the model of `{body}` has no surfaces, so that nothing can touch it: it was \
         imported from a SID_FEM file or from matrices, or its interface is single nodes; reduce the mesh \
         with an interface of faces (carom-mesh import, carom-reduce craig-bampton --interface SET)"
    )]
    NoSurfaces {
        /// The surfaces.
        pair: String,
        /// Name of the body.
        body: String,
    },
    /// A load or a probe is at a place that the body does not have.
    #[error(transparent)]
    NoMarker(#[from] NoMarker),
    /// A grounded body has a velocity.
    #[error(transparent)]
    GroundedMoves(#[from] GroundedMoves),
    /// The reduction of a body would fail.
    #[error("{source}")]
    Reduce {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: Box<ReduceError>,
    },
}

impl Kind for ReferenceError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Reduce { source, .. } if source.is_convergence() => ErrorKind::Convergence,
            _ => ErrorKind::Input,
        }
    }
}

/// A load or a probe is at a place that the body does not have.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("body `{body}` has no marker or interface set `{part}`; it has {known}")]
pub struct NoMarker {
    /// Name of the body.
    pub body: String,
    /// The name in the scenario.
    pub part: String,
    /// Its markers and sets.
    pub known: String,
}

/// A grounded body has a velocity.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "body `{body}`: its model holds {sets} to the ground, so that it cannot start with a velocity: remove \
     `velocity` and `angular_velocity`, or reduce the body without holding sets (`reduce.fix`, --fix)"
)]
pub struct GroundedMoves {
    /// Name of the body.
    pub body: String,
    /// The sets, quoted.
    pub sets: String,
}

/// A flexible body without a model.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "body `{body}` is neither rigid nor reduced: give it `reduce = {{ interface = [\"SET\"] }}` with the set \
     that may touch (its sets are {known}), or `rigid = true`"
)]
pub struct NoInterface {
    /// Name of the body.
    pub body: String,
    /// Its sets.
    pub known: String,
}

/// An error for every name of a set or marker that its body does not have, in the order of the scenario.
///
/// * `parts` — the known part of each body of the scenario
/// * `bodies` — their discretisations
pub(crate) fn problems<'a>(
    scenario: &Scenario,
    parts: &[Parts<'a>],
    bodies: &Bodies<'a>,
) -> Vec<At<ReferenceError>> {
    let mut found = Vec::new();
    for (i, (spec, parts)) in scenario.body.iter().zip(parts).enumerate() {
        if let Parts::Geometry(body) = parts {
            found.extend(
                unusable(scenario, spec, body, bodies).map(|error| error.at(format!("body.{i}.reduce"))),
            );
            let absent = sets_of(spec).filter_map(|(key, set)| missing(body, set).map(|error| (key, error)));
            found.extend(absent.map(|(key, error)| ReferenceError::Set(error).at(format!("body.{i}.{key}"))));
        }
        if let Parts::Model(model) = parts {
            let error = grounded_moves(spec, &model.held);
            found.extend(error.map(|error| ReferenceError::from(error).at(format!("body.{i}.velocity"))));
        }
        found.extend(too_few_modes(scenario, spec).map(|error| error.at(format!("body.{i}.reduce.modes"))));
    }
    let row = scenario.simulation.scheme.row();
    let of = |end: &End| scenario.body.iter().zip(parts).find(|(spec, _)| spec.name == end.body);
    for (i, pair) in scenario.contact.iter().enumerate() {
        let at = |error: ReferenceError| error.at(format!("contact.{i}.between"));
        if is_open(scenario, pair, parts) {
            found.extend(
                pair.between.iter().filter_map(|end| of_open_end(scenario, pair, end, of(end)?)).map(at),
            );
            continue;
        }
        let both_rigid = pair.between.iter().all(|end| of(end).is_some_and(|(spec, _)| spec.rigid));
        let points_touch = row.points_touch || row.rigid_pairs_touch && both_rigid;
        for (end, role) in pair.between.iter().zip([Role::Points, Role::Surface]) {
            let shape = of(end).and_then(|(spec, _)| spec.shape.iter().find(|shape| shape.name == end.part));
            // The nodes of a deformable body touch the shape, whichever comes first.
            let role = if points_touch { role } else { Role::Surface };
            if let Some(shape) = shape {
                found.extend(shape_role(end, shape, role).map(|error| at(error.into())));
                continue;
            }
            let problem = of(end).and_then(|(spec, parts)| match (points_touch, parts) {
                (true, Parts::Geometry(body)) => rigid_end(end, role, spec, body),
                _ => surface(scenario, pair, end, (spec, parts), bodies),
            });
            found.extend(problem.map(at));
        }
        // Two rigid bodies deform by the stiffness of their contact; the stiffness of an elastic body follows
        // from its model.
        let has_stiffness = matches!(pair.law, Law::Penalty(Stiffness::PerArea(_)));
        // The material of a rigid body gives way below a grid.
        let gives_way = has_stiffness || points_touch || pair.is_on_grid();
        if !gives_way && both_rigid {
            let pair = format!("{}, {}", pair.between[0], pair.between[1]);
            found.push(at(ReferenceError::BothRigid { pair }));
        }
    }
    let supports = scenario.support.iter().enumerate().map(|(i, s)| (format!("support.{i}.on"), &s.on));
    let pressures = scenario.pressure.iter().enumerate().map(|(i, p)| (format!("pressure.{i}.on"), &p.on));
    for (key, end) in supports.chain(pressures) {
        if let Some((_, Parts::Geometry(body))) = of(end) {
            found.extend(missing(body, &end.part).map(|error| ReferenceError::Set(error).at(key)));
        }
    }
    for (i, end) in probed(scenario) {
        let problem = of(end).and_then(|(spec, parts)| place(scenario, end, spec, parts));
        found.extend(problem.map(|error| error.at(format!("probe.{i}.on"))));
    }
    let forces = scenario.force.iter().enumerate().filter(|(_, force)| !force.on.part.is_empty());
    for (i, end) in forces.map(|(i, force)| (i, &force.on)) {
        let problem = of(end).and_then(|(spec, parts)| place(scenario, end, spec, parts));
        found.extend(problem.map(|error| error.at(format!("force.{i}.on"))));
    }
    found
}

/// Markers and sets of probes, with the numbers of the probes.
fn probed(scenario: &Scenario) -> impl Iterator<Item = (usize, &End)> {
    scenario.probe.iter().enumerate().filter_map(|(i, probe)| match &probe.place {
        ProbePlaceSpec::Point { on, at: None, .. } => Some((i, on)),
        _ => None,
    })
}

/// The error if a body whose model is held to the ground is to move.
///
/// * `held` — the sets that its model holds
pub(crate) fn grounded_moves(spec: &BodySpec, held: &[String]) -> Option<GroundedMoves> {
    let moves = spec.velocity != [0.0; 3] || spec.angular_velocity != [0.0; 3];
    (moves && !held.is_empty()).then(|| GroundedMoves {
        body: spec.name.clone(),
        sets: held.iter().map(|set| format!("`{set}`")).collect::<Vec<_>>().join(", "),
    })
}

/// The error that the reduction would end with, before anything is computed.
fn too_few_modes(scenario: &Scenario, spec: &BodySpec) -> Option<ReferenceError> {
    let reduce = spec.reduce.as_ref().filter(|_| scenario.simulation.scheme.reduces_body(spec))?;
    if reduce.is_bare() {
        return None;
    }
    let count = reduce.modes.filter(|&count| count < LEAST_FIXED_MODES && reduce.fix.is_empty())?;
    let hint = format!("; {DEFAULT_FIXED_MODES} is a good number");
    let source = ReduceError::TooFewModes { body: spec.name.clone(), count, hint };
    Some(ReferenceError::Reduce { body: spec.name.clone(), source: Box::new(source) })
}

/// The error that the reduction would end with for its interface, supports or several parts; sets that are
/// missing are found by name.
fn unusable<'a>(
    scenario: &Scenario,
    spec: &BodySpec,
    body: &'a Body,
    bodies: &Bodies<'a>,
) -> Option<ReferenceError> {
    let reduce = spec.reduce.as_ref().filter(|_| scenario.simulation.scheme.reduces_body(spec))?;
    if sets_of(spec).any(|(_, set)| missing(body, set).is_some()) || reduce.is_bare() {
        return None;
    }
    let source = Box::new(check_interface(body, reduce, bodies).err()?);
    Some(ReferenceError::Reduce { body: spec.name.clone(), source })
}

/// Finds the interface of a body, whose cells are looked at for it; keeps the surfaces of its sets.
fn check_interface<'a>(body: &'a Body, reduce: &ReduceSpec, bodies: &Bodies<'a>) -> Result<(), ReduceError> {
    let options = reduction(reduce, "");
    let known = bodies.of(body)?;
    let spec = InterfaceSpec {
        sets: &options.interface_sets,
        points: &options.interface_points,
        attachments: &options.attachments,
        held: &options.held,
    };
    let interface = Interface::new(body, &known.discretisation, spec)?;
    known.keep_surfaces(interface.surfaces);
    Ok(())
}

/// Sets that the table of a body names.
fn sets_of(spec: &BodySpec) -> impl Iterator<Item = (String, &str)> {
    let reduce = spec.reduce.iter();
    let interfaces = reduce.flat_map(|r| {
        let interfaces = r.interface.iter().map(|set| ("reduce.interface".to_owned(), set.as_str()));
        let held = r.fix.iter().map(|text| ("reduce.fix".to_owned(), Support::name_in(text)));
        // A point with a radius names no set.
        let regions = r.places.iter().filter(|text| matches!(text.parse(), Ok(PlaceSpec::Set(_))));
        let placed = regions.map(|set| ("reduce.places".to_owned(), set.as_str()));
        let attached = r.attach.keys().map(|set| (format!("reduce.attach.{set}"), set.as_str()));
        interfaces.chain(attached).chain(held).chain(placed)
    });
    let markers = spec.marker.iter().enumerate();
    interfaces.chain(markers.filter_map(|(i, marker)| match &marker.at {
        Spot::Set(set) => Some((format!("marker.{i}.at"), set.as_str())),
        Spot::Point(_) => None,
    }))
}

/// The error if a body lacks a set.
fn missing(body: &Body, set: &str) -> Option<SetError> {
    match &body.geometry {
        Geometry::Mesh(mesh) => {
            let found = mesh.set(set).map(|_| ());
            found.map_err(|source| SetError::Mesh { body: body.name.clone(), source }).err()
        }
        Geometry::Nurbs(patches) => {
            let found = patches.region(set).map(|_| ());
            found.map_err(|source| SetError::Region { body: body.name.clone(), source }).err()
        }
    }
}

/// The error if an end of a contact of rigid bodies is neither a shape nor a set that fits its place.
fn rigid_end(end: &End, role: Role, spec: &BodySpec, body: &Body) -> Option<ReferenceError> {
    if missing(body, &end.part).is_some() {
        let listed = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Some(ReferenceError::NoPart {
            body: spec.name.clone(),
            part: end.part.clone(),
            shapes: listed(spec.shape.iter().map(|shape| shape.name.clone()).collect()),
            sets: listed(body.set_names()),
        });
    }
    // Nodes of any set of a mesh are points.
    let has_points = role == Role::Points && matches!(body.geometry, Geometry::Mesh(_));
    (!has_points).then(|| body.faces_of_set(&end.part).err()).flatten().map(ReferenceError::from)
}

/// The error if an end of a contact is not a surface that can touch.
fn surface<'a>(
    scenario: &Scenario,
    pair: &ContactSpec,
    end: &End,
    (spec, parts): (&BodySpec, &Parts<'a>),
    bodies: &Bodies<'a>,
) -> Option<ReferenceError> {
    let not_an_interface = |known: Vec<&str>| {
        (!known.contains(&end.part.as_str())).then(|| ReferenceError::NotAnInterface {
            pair: format!("{}, {}", pair.between[0], pair.between[1]),
            body: spec.name.clone(),
            set: end.part.clone(),
            known: known.join(", "),
        })
    };
    if pair.is_on_grid() && !scenario.simulation.scheme.row().has_time {
        // The loads of bodies in statics are laid where they come nearest.
        return match parts {
            Parts::Geometry(body) if !end.part.is_empty() => {
                body.faces_of_set(&end.part).err().map(ReferenceError::from)
            }
            _ => None,
        };
    }
    if end.part.is_empty()
        && pair.compliance == Some(Compliance::Body)
        && scenario.simulation.scheme.row().has_time
    {
        return (!spec.rigid).then(|| ReferenceError::WholeOfMesh {
            pair: format!("{}, {}", pair.between[0], pair.between[1]),
            body: spec.name.clone(),
        });
    }
    if pair.is_on_grid() && !spec.rigid {
        return no_places(scenario, pair, end, spec, parts);
    }
    if let (true, Ok(region @ PlaceSpec::Ball { .. }), Parts::Geometry(body)) =
        (pair.is_on_grid(), end.part.parse(), parts)
    {
        return region.set().and_then(|set| body.faces_of_set(set).err()).map(ReferenceError::from);
    }
    let body = match parts {
        Parts::Geometry(body) => body,
        Parts::Model(model) if model.surfaces.is_empty() => {
            return Some(ReferenceError::NoSurfaces {
                pair: format!("{}, {}", pair.between[0], pair.between[1]),
                body: spec.name.clone(),
            });
        }
        Parts::Model(model) => {
            return not_an_interface(model.surfaces.iter().map(|s| s.name.as_str()).collect());
        }
        Parts::Unknown => return None,
    };
    let has_beams = || body.beams_of_set(&end.part).is_ok_and(|beams| !beams.is_empty());
    // Schemes without beams refuse the body itself.
    let found = match bodies.of(body) {
        Ok(known) => known.surface_of_set(&end.part).err(),
        Err(_) => body.faces_of_set(&end.part).err(),
    };
    if let Some(error) = found
        && !has_beams()
    {
        return Some(error.into());
    }
    let reduce = spec.reduce.as_ref().filter(|_| scenario.simulation.scheme.reduces_body(spec))?;
    not_an_interface(reduce.interface.iter().map(String::as_str).collect())
}

/// The error if an end of a contact on a half-space grid has no places.
fn no_places(
    scenario: &Scenario,
    pair: &ContactSpec,
    end: &End,
    spec: &BodySpec,
    parts: &Parts<'_>,
) -> Option<ReferenceError> {
    let known: Vec<&str> = match parts {
        Parts::Model(model) => model.places.iter().map(|places| places.name.as_str()).collect(),
        Parts::Geometry(_) => {
            let reduce = spec.reduce.as_ref().filter(|_| scenario.simulation.scheme.reduces_body(spec))?;
            reduce.places.iter().map(|text| text.trim()).collect()
        }
        Parts::Unknown => return None,
    };
    (!known.contains(&end.part.as_str())).then(|| ReferenceError::NoPlaces {
        pair: format!("{}, {}", pair.between[0], pair.between[1]),
        body: spec.name.clone(),
        set: end.part.clone(),
        known: if known.is_empty() { "none".to_owned() } else { known.join(", ") },
    })
}

/// The error if an end of a contact that is completed later names a set or a region which does not exist.
fn of_open_end(
    scenario: &Scenario,
    pair: &ContactSpec,
    end: &End,
    (spec, parts): (&BodySpec, &Parts<'_>),
) -> Option<ReferenceError> {
    let Parts::Geometry(body) = parts else { return None };
    match end.part.parse() {
        Ok(PlaceSpec::Ball { .. }) if !spec.rigid => no_places(scenario, pair, end, spec, parts),
        Ok(region) => region.set().and_then(|set| body.faces_of_set(set).err()).map(ReferenceError::from),
        // The whole body.
        Err(_) => None,
    }
}

/// The error if a force acts at no marker or set; of a reduced body, at no interface.
fn place(scenario: &Scenario, end: &End, spec: &BodySpec, parts: &Parts<'_>) -> Option<ReferenceError> {
    let mut known: Vec<String> = spec.marker.iter().map(|marker| marker.name.clone()).collect();
    match (parts, spec.reduce.as_ref().filter(|_| scenario.simulation.scheme.reduces_body(spec))) {
        (Parts::Geometry(_), Some(reduce)) => {
            known.extend(reduce.attach.keys().chain(&reduce.interface).cloned());
        }
        (parts, _) => match parts {
            Parts::Geometry(body) if missing(body, &end.part).is_none() => return None,
            Parts::Geometry(body) => known.extend(body.set_names()),
            Parts::Model(model) => {
                known.extend(model.markers.iter().map(|marker| marker.name.clone()));
                known.extend(model.surfaces.iter().map(|s| s.name.clone()));
            }
            Parts::Unknown => return None,
        },
    }
    let known_places = || known.join(", ");
    let missing = || NoMarker { body: spec.name.clone(), part: end.part.clone(), known: known_places() };
    (!known.contains(&end.part)).then(|| missing().into())
}
