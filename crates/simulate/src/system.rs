//! Bodies, loads and contacts of a scenario as a system that moves.

use std::collections::BTreeMap;

use carom_contact::Shape;
use carom_contact::half_space::HalfSpace;
use carom_continuum::half_space::{PlaceSpec, Touching, touching_faces};
use carom_dynamics::{Axes, Loads, Placement, PointLoad, TimeFunction};
use carom_fem::Body as FemBody;
use carom_format::result::{ResultBody, ResultPair};
use carom_format::scenario::model::{
    BodySource, BodySpec, ContactSpec as PairSpec, End, ForceSpec, HighModes, Rim, Scenario,
};
use carom_multibody::{
    Body, ContactModel, ContactSpec, ContactSurface, Coupling, HalfSpaceContacts, HalfSpaceSpec,
    HalfSpaceSurface, Joint, QuasistaticContacts, RimPolicy, System, bound_loads, unit_loads,
};
use carom_rigid::Sphere;
use nalgebra::Vector3;

use crate::discretised::Bodies;
use crate::error::At;
use crate::geometry::{GeometryError, discretisation, placement, radius_of_ball, shape, surface_of_set};
use crate::given_stiffness::touch_by_stiffness;
use crate::outcome;
use crate::prepared::{Prepared, PreparedBody, PreparedModel};
use crate::references::NoMarker;

mod bodies;
mod body_of_model;
mod couplings;
pub(crate) mod error;
mod forces;
pub(crate) mod joints;
mod markers;
mod material_point;
pub(crate) mod probes;
pub(crate) mod response;
mod static_modes;
mod stops;
pub(crate) mod stresses;
mod unstiffened;

pub use body_of_model::BodyOfModelError;
pub use error::AssembleError;
pub use stresses::NoStress;

use bodies::body;
use couplings::couplings;
use forces::{Acting, acting};
use joints::{Start, joints};
use markers::{known_places, marker};

/// A system at its start, with its description for the result.
#[derive(Debug)]
pub struct Assembled {
    /// Bodies, loads, contacts.
    pub system: System,
    /// Places and velocities of the bodies at the start.
    pub placements: Vec<Placement>,
    /// The bodies, for the result.
    pub bodies: Vec<ResultBody>,
    /// The contact pairs, for the result.
    pub pairs: Vec<ResultPair>,
    /// Choices that the scenario leaves open.
    pub notes: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Puts a scenario together.
///
/// # Errors
///
/// [`AssembleError`] names the body, set or load that does not fit.
pub fn system(scenario: &Scenario, prepared: &Prepared) -> Result<Assembled, At<AssembleError>> {
    let high_modes = scenario.simulation.scheme.row().high_modes;
    let (known, mut bodies) = (Bodies::default(), Vec::new());
    for (spec, ready) in scenario.body.iter().zip(&prepared.bodies) {
        bodies.push(body(high_modes, spec, ready, None, &known)?);
    }
    let number: BTreeMap<&str, usize> =
        scenario.body.iter().enumerate().map(|(i, spec)| (spec.name.as_str(), i)).collect();
    let mut loads = loads(scenario, prepared, &bodies, &number)?;
    let start = Start::new(scenario, prepared, &bodies, &number);
    let mut joints = joints(scenario, &start)?;
    let couplings = couplings(scenario, &start)?;
    let mut acting = acting(scenario, &start, &joints)?;
    let mut warnings = Vec::new();
    if high_modes == Some(HighModes::Quasistatic) {
        let placements: Vec<Placement> = scenario.body.iter().map(placement).collect();
        let units =
            unit_loads(&bodies, &placements, &joints, &couplings, &acting.drives, &acting.elements, &loads);
        warnings = static_modes::give_static_modes(scenario, prepared, &units, &mut bodies)?;
        let bound = bound_loads(&units, &bodies);
        bodies = static_modes::damped(bodies, &bound)?;
    }
    static_modes::refer_markers(&bodies, &mut joints, &mut acting.elements, &mut loads);
    let contacts = contact_models(scenario, prepared, &bodies, &number)?;
    let result_bodies = scenario.body.iter().zip(&prepared.bodies).zip(&bodies).map(described).collect();
    let pairs = scenario.contact.iter().enumerate();
    let pairs = pairs
        .map(|(n, pair)| {
            // A model gives the pressure to the surface with the finer cells.
            let carrier = carrier(&contacts, n).min(1);
            let surfaces = [carrier, 1 - carrier].map(|side| pair.between[side].to_string());
            outcome::described_pair(pair, surfaces)
        })
        .collect();
    let mut notes = std::mem::take(&mut acting.notes);
    notes.extend(unstiffened::notes(&bodies, &joints, &acting.elements, &loads));
    Ok(Assembled {
        system: joined(
            System::new(bodies, loads, contacts).map_err(AssembleError::from)?,
            joints,
            couplings,
            acting,
        )?,
        placements: scenario.body.iter().map(placement).collect(),
        bodies: result_bodies,
        pairs,
        notes,
        warnings,
    })
}

/// A system with its joints, couplings, drives and force elements.
fn joined(
    system: System,
    joints: Vec<Joint>,
    couplings: Vec<Coupling>,
    acting: Acting,
) -> Result<System, AssembleError> {
    let system = system.with_joints(joints)?.with_couplings(couplings)?;
    Ok(system.with_drives(acting.drives)?.with_forces(acting.elements)?)
}

fn described(((spec, ready), body): ((&BodySpec, &PreparedBody), &Body)) -> ResultBody {
    let modes = match &ready.model {
        PreparedModel::Reduced(rom) => [rom.omega.len(), body.frame.n],
        PreparedModel::Rigid(_) | PreparedModel::Deformable(_) => [0, 0],
    };
    ResultBody {
        fixed: body.fixed,
        mass: body.frame.mass,
        frame_origin: body.frame_origin.into(),
        modes,
        ..outcome::described(spec, ready)
    }
}

/// The models of all pairs, in the order of the scenario: one condensed problem, as they share the compliance
/// of their bodies, or grids on half-spaces with rigid bodies of a given stiffness between them.
fn contact_models(
    scenario: &Scenario,
    prepared: &Prepared,
    bodies: &[Body],
    number: &BTreeMap<&str, usize>,
) -> Result<Vec<Box<dyn ContactModel>>, AssembleError> {
    let is_other = |pair: &&PairSpec| !(pair.is_on_grid() || touch_by_stiffness(scenario, pair));
    if let Some(other) = scenario.contact.iter().find(is_other)
        && scenario.contact.iter().any(PairSpec::is_on_grid)
    {
        return Err(AssembleError::MixedCompliance { between: other.between.each_ref().map(End::to_string) });
    }
    let of_one_kind = scenario.contact.chunk_by(|a, b| a.is_on_grid() == b.is_on_grid());
    of_one_kind
        .map(|pairs| -> Result<Box<dyn ContactModel>, AssembleError> {
            if pairs[0].is_on_grid() {
                let specs = pairs.iter().map(|pair| on_grid(pair, (scenario, prepared), number));
                Ok(Box::new(HalfSpaceContacts::new(bodies, &specs.collect::<Result<Vec<_>, _>>()?)?))
            } else {
                let specs = pairs.iter().map(|pair| contact_spec(pair, prepared, number));
                Ok(Box::new(QuasistaticContacts::new(bodies, &specs.collect::<Result<Vec<_>, _>>()?)?))
            }
        })
        .collect()
}

/// [`ContactModel::carrier`] of a pair, numbered through all models.
fn carrier(models: &[Box<dyn ContactModel>], mut pair: usize) -> usize {
    for model in models {
        if pair < model.pairs() {
            return model.carrier(pair);
        }
        pair -= model.pairs();
    }
    0
}

fn contact_spec(
    pair: &PairSpec,
    prepared: &Prepared,
    number: &BTreeMap<&str, usize>,
) -> Result<ContactSpec, AssembleError> {
    let index = |end: &End| number[end.body.as_str()];
    let surface = |end: &End| surface(end, &prepared.bodies[index(end)]);
    Ok(ContactSpec {
        bodies: [index(&pair.between[0]), index(&pair.between[1])],
        surfaces: [surface(&pair.between[0])?, surface(&pair.between[1])?],
        law: pair.law,
        friction: pair.friction,
        modulus: None,
        radius: None,
        rim: match pair.rim {
            Rim::Error => RimPolicy::Error,
            Rim::Warning => RimPolicy::Warning,
        },
        max_depth: None,
    })
}

fn on_grid(
    pair: &PairSpec,
    (scenario, prepared): (&Scenario, &Prepared),
    number: &BTreeMap<&str, usize>,
) -> Result<HalfSpaceSpec, AssembleError> {
    let index = |end: &End| number[end.body.as_str()];
    let surface = |end: &End| -> Result<HalfSpaceSurface, AssembleError> {
        let PreparedModel::Rigid(geometry) = &prepared.bodies[index(end)].model else {
            return Ok(HalfSpaceSurface::Places(end.part.clone()));
        };
        match whole_ball(end, &scenario.body[index(end)]) {
            Some(ball) => Ok(ball_on_grid(end, ball, geometry)),
            None => rigid_on_grid(end, geometry),
        }
    };
    Ok(HalfSpaceSpec {
        bodies: [index(&pair.between[0]), index(&pair.between[1])],
        surfaces: [surface(&pair.between[0])?, surface(&pair.between[1])?],
        law: pair.law,
        friction: pair.friction,
    })
}

/// The ball of an end that is the whole surface of an exact one: the nearest point of a ball is known, while
/// faces are searched for it.
fn whole_ball(end: &End, spec: &BodySpec) -> Option<Sphere> {
    let is_exact = matches!(&spec.source, BodySource::Make { make } if !make.hex);
    let touching_all = || matches!(end.part.parse(), Ok(PlaceSpec::Ball { touching: Touching::Whole, .. }));
    let is_whole = end.part.is_empty() || end.part == "surface" || touching_all();
    let radius = radius_of_ball(spec).filter(|_| is_exact && is_whole)?;
    Some(Sphere { center: Vector3::zeros(), radius })
}

fn ball_on_grid(end: &End, ball: Sphere, geometry: &FemBody) -> HalfSpaceSurface {
    let material = &geometry.materials[0];
    HalfSpaceSurface::Of {
        name: end.part.clone(),
        shape: Shape::Sphere(ball),
        half_space: Some(HalfSpace::new(material.young, material.poisson)),
        has_edges: true,
    }
}

/// The surface of a rigid body below a grid: a set, a region, or the whole body while contact is foreseen.
fn rigid_on_grid(end: &End, geometry: &FemBody) -> Result<HalfSpaceSurface, AssembleError> {
    let whole = end.part.is_empty();
    let region = end.part.parse().ok().filter(|region| matches!(region, PlaceSpec::Ball { .. }));
    let is_region = region.is_some();
    let discretisation = discretisation(&end.body, geometry)?;
    let (surface, positions, face) = if let Some(region) = region {
        let touching = touching_faces(geometry, &region).map_err(AssembleError::from)?;
        (touching.surface, touching.points, touching.loaded)
    } else {
        let faces = match whole {
            true => geometry.boundary_faces(),
            false => geometry.faces_of_set(&end.part).map_err(GeometryError::from)?,
        };
        let surface = discretisation.surface(&faces);
        let position = |&point: &u32| Vector3::from(discretisation.points[point as usize]);
        let positions = surface.points.iter().map(position).collect();
        (surface, positions, faces.first().copied())
    };
    // A refined body has more blocks than patches, and materials belong to patches.
    let of_block = |block: u32| &discretisation.materials[discretisation.blocks[block as usize].material];
    let below = face.map(|face| of_block(face.block));
    Ok(HalfSpaceSurface::Of {
        name: end.part.clone(),
        shape: shape(&end.body, &end.part, surface, &positions)?,
        half_space: below.map(|material| HalfSpace::new(material.young, material.poisson)),
        has_edges: whole || is_region,
    })
}

/// The surface of an end: an interface by its name, a set of a rigid body, or all of its faces.
fn surface(end: &End, ready: &PreparedBody) -> Result<ContactSurface, AssembleError> {
    let PreparedModel::Rigid(geometry) = &ready.model else {
        return Ok(ContactSurface::Named(end.part.clone()));
    };
    let (discretisation, surface, positions) = if end.part.is_empty() {
        let discretisation = discretisation(&end.body, geometry)?;
        let surface = discretisation.surface(&geometry.boundary_faces());
        let position = |&point: &u32| Vector3::from(discretisation.points[point as usize]);
        let positions = surface.points.iter().map(position).collect::<Vec<_>>();
        (discretisation, surface, positions)
    } else {
        surface_of_set(&end.body, geometry, &end.part)?
    };
    let whole = discretisation.surface(&geometry.boundary_faces());
    let sharp_edges = surface.sharp_edges(&whole, &discretisation.points);
    let shape = shape(&end.body, &end.part, surface, &positions)?.with_sharp_edges(&sharp_edges);
    Ok(ContactSurface::Of { name: end.part.clone(), shape })
}

fn loads(
    scenario: &Scenario,
    prepared: &Prepared,
    bodies: &[Body],
    number: &BTreeMap<&str, usize>,
) -> Result<Loads, AssembleError> {
    let point_loads = scenario
        .force
        .iter()
        .map(|force| point_load(force, scenario, prepared, bodies, number))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Loads { gravity: scenario.simulation.gravity, point_loads })
}

fn point_load(
    force: &ForceSpec,
    scenario: &Scenario,
    prepared: &Prepared,
    bodies: &[Body],
    number: &BTreeMap<&str, usize>,
) -> Result<PointLoad, AssembleError> {
    let index = number[force.on.body.as_str()];
    let (spec, body) = (&scenario.body[index], &bodies[index]);
    let marker = if force.on.part.is_empty() {
        Some(body.frame_marker(body.frame.com_b()))
    } else {
        marker(&force.on.part, spec, &prepared.bodies[index], body)?
    };
    let marker = marker.ok_or_else(|| NoMarker {
        body: spec.name.clone(),
        part: force.on.part.clone(),
        known: known_places(spec, &prepared.bodies[index]),
    })?;
    let axes = if force.axes == "body" { Axes::Body } else { Axes::Inertial };
    let scale = match &force.scale {
        Some(scale) => scale.function()?,
        None => TimeFunction::Constant(1.0),
    };
    Ok(PointLoad { body: index, marker, force: force.force, torque: force.torque, axes, scale })
}
