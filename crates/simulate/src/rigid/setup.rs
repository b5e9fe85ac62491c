//! Bodies and pairs of a scenario as `carom-rigid` takes them.

use std::collections::HashMap;

use carom_dynamics::{Marker, Placement, ProbePlace};
use carom_fem::Body;
use carom_format::scenario::model::{BodySpec, ContactSpec, End, Scenario, ShapeKind};
use carom_rigid::{
    Edge, JointError, PairError, PairSpec, RigidBody, Settings, Simulation, System, SystemError,
};
use nalgebra::Vector3;

use super::error::RigidSetUpError;
use super::everything;
use super::joined::{EndError, Standing, place};
use super::repeated::{self, OfBodies};
use super::shapes::{Role, set_surface, shape_points, shape_surface, touching_points, wrong_role};
use crate::discretised::Bodies;
use crate::error::{At, AtKey};
use crate::geometry::{placement, rigid_mass};
use crate::overlap::Overlap;
use crate::parts::Parts;
use crate::system::probes::{key_of, probes_at};

/// The system of a scenario at its start.
///
/// * `geometries` — of each body
/// * `time_step` — length of all steps \[s\]
///
/// # Errors
///
/// [`RigidSetUpError`] names the body or pair that does not fit.
fn system(scenario: &Scenario, geometries: &[&Body], time_step: f64) -> Result<System, At<RigidSetUpError>> {
    let known = Bodies::default();
    let bodies = scenario.body.iter().zip(geometries).enumerate();
    let bodies = bodies
        .map(|(i, (spec, geometry))| {
            body(spec, geometry, &known).map_err(|error| {
                let key = if spec.mass_properties.is_some() { ".mass_properties" } else { "" };
                error.at(format!("body.{i}{key}"))
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let placements: Vec<Placement> = scenario.body.iter().map(placement).collect();
    if let Some((i, error)) = repeated::problem(scenario, geometries) {
        return Err(RigidSetUpError::from(error).at(format!("contact.{i}.between")));
    }
    let (mut pairs, mut crowds) = (Vec::with_capacity(scenario.contact.len()), Vec::new());
    let numbers: HashMap<&str, usize> =
        scenario.body.iter().enumerate().map(|(i, spec)| (spec.name.as_str(), i)).collect();
    let mut of_bodies = OfBodies::default();
    for (i, contact) in scenario.contact.iter().enumerate() {
        if contact.is_automatic() {
            let crowd = everything::crowd(scenario, geometries, contact);
            crowds.push(crowd.map_err(|error| error.at(format!("contact.{i}.between")))?);
            continue;
        }
        let index = [0, 1].map(|side: usize| numbers[contact.between[side].body.as_str()]);
        let earlier: Vec<_> = of_bodies.before(contact).iter().map(|&k| &scenario.contact[k]).collect();
        let spec = pair(scenario, geometries, contact, index, &earlier);
        pairs.push(spec.map_err(|error| error.at(format!("contact.{i}.between")))?);
    }
    let gravity = Vector3::from(scenario.simulation.gravity);
    let mut system = System::with_crowds(bodies, &placements, (&pairs, &crowds), gravity, time_step)
        .map_err(|error| of_system(scenario, error))?;
    let standing = Standing { scenario, geometries, placements: &placements };
    join(&mut system, &standing)?;
    Ok(system)
}

/// The run of a scenario at its start, with its probes.
///
/// # Errors
///
/// As [`system`], and for impossible settings and probes.
pub(super) fn simulation(
    scenario: &Scenario,
    geometries: &[&Body],
    time_step: f64,
) -> Result<Simulation, At<RigidSetUpError>> {
    let system = system(scenario, geometries, time_step)?;
    let probes = probes_at(scenario, |body, part, at, axes| {
        let point = match at {
            Some(point) => Vector3::from(point),
            None => place(&scenario.body[body], geometries[body], part)?,
        };
        let position_b = (point - system.bodies[body].com).into();
        let marker = Marker { position_b, ..Marker::default() };
        Ok::<_, EndError>(ProbePlace::Point { body, marker, axes })
    });
    let probes = probes.map_err(At::cast)?;
    let settings = &scenario.simulation;
    let settings = Settings { end_time: settings.end_time, output_every: settings.output_every };
    let simulation = Simulation::new(system, settings).map_err(RigidSetUpError::from)?;
    let automatic = scenario.contact.iter().enumerate().filter(|(_, contact)| contact.is_automatic());
    let crowds: Vec<usize> = automatic.map(|(number, _)| number).collect();
    simulation.with_crowds_at(&crowds).with_probes(probes).map_err(|error| {
        let key = key_of(&error);
        RigidSetUpError::from(error).at(key)
    })
}

/// Joints, springs and forces.
fn join(system: &mut System, standing: &Standing<'_>) -> Result<(), At<RigidSetUpError>> {
    let scenario = standing.scenario;
    let joints = standing.joints().map_err(At::cast)?;
    if !joints.is_empty() {
        system.join(&joints).map_err(|error| {
            let key = scenario.joint_of_title(error.joint());
            let of_motion = matches!(error, JointError::Held { .. } | JointError::MotionBeyond { .. });
            let part = if of_motion { ".motion" } else { "" };
            RigidSetUpError::from(error).at(format!("joint.{}{part}", key.unwrap_or_default()))
        })?;
        // Motions of joints may have moved bodies.
        system.check_overlaps().map_err(|error| of_system(scenario, error))?;
    }
    let springs = standing.springs().map_err(At::cast)?;
    let forces = standing.forces().map_err(At::cast)?;
    system.act(&forces, &springs).map_err(|error| {
        let key = scenario.spring.iter().position(|spec| spec.title() == error.spring());
        RigidSetUpError::from(error).at(format!("spring.{}", key.unwrap_or_default()))
    })
}

/// The first error of a scenario of rigid bodies that is known without a run.
///
/// * `parts` — the known part of each body; no error is reported unless all geometries are known
pub(crate) fn problem(
    scenario: &Scenario,
    parts: &[Parts<'_>],
    time_step: f64,
) -> Option<At<RigidSetUpError>> {
    let mut geometries = Vec::with_capacity(parts.len());
    for part in parts {
        let Parts::Geometry(body) = part else { return None };
        geometries.push(*body);
    }
    simulation(scenario, &geometries, time_step).err()
}

/// Contacts of two bodies with their numbers, in the order of the pairs of the system.
pub(super) fn named(scenario: &Scenario) -> impl Iterator<Item = (usize, &ContactSpec)> {
    scenario.contact.iter().enumerate().filter(|(_, contact)| !contact.is_automatic())
}

/// The error of a pair at its place in the scenario.
fn of_system(scenario: &Scenario, error: SystemError) -> At<RigidSetUpError> {
    let SystemError::Pair(pair) = &error else { return RigidSetUpError::from(error).into() };
    let known = named(scenario).nth(pair.pair());
    let Some((number, contact)) = known else { return RigidSetUpError::from(error).into() };
    let between = format!("{}, {}", contact.between[0], contact.between[1]);
    match *pair {
        PairError::Overlap { depth, .. } => {
            RigidSetUpError::from(Overlap { pair: between, depth }).at(format!("contact.{number}.between"))
        }
        _ => {
            let error = SystemError::Pair(pair.clone().renumbered(number));
            RigidSetUpError::from(error).at(format!("contact.{number}"))
        }
    }
}

fn body<'a>(spec: &BodySpec, geometry: &'a Body, known: &Bodies<'a>) -> Result<RigidBody, RigidSetUpError> {
    let (mass, inertia, com) = rigid_mass(spec, geometry, known)?;
    let body = RigidBody::new(&spec.name, mass, inertia, com)?;
    Ok(if spec.fixed { body.fixed() } else { body })
}

/// A pair of rigid bodies as the scenario names it: points of the first touch the surface of the second.
///
/// * `bodies` — numbers of its two bodies, which the format checks that there are
/// * `earlier` — contacts of these before this one
///
/// # Errors
///
/// [`RigidSetUpError`] if an end has no points, or no surface.
pub(crate) fn pair(
    scenario: &Scenario,
    geometries: &[&Body],
    contact: &ContactSpec,
    bodies: [usize; 2],
    earlier: &[&ContactSpec],
) -> Result<PairSpec, RigidSetUpError> {
    let [first, second] = &contact.between;
    let shape_of = |end: &End, i: usize| scenario.body[i].shape.iter().find(|shape| shape.name == end.part);
    let [a, b] = bodies;
    let turned = |other: &&ContactSpec| {
        let [c, d] = &other.between;
        let is_same = |x: &End, y: &End, body: usize| {
            x.body == y.body && shape_of(x, body).map(|s| &s.kind) == shape_of(y, body).map(|s| &s.kind)
        };
        is_same(c, second, b) && is_same(d, first, a)
    };
    let block = |end: &End, i: usize| match shape_of(end, i).map(|shape| &shape.kind) {
        Some(ShapeKind::Block { center, size }) => Edge::of_block((*center).into(), (*size).into()).to_vec(),
        _ => Vec::new(),
    };
    // Edges on edges are the same both ways round.
    let edges = match earlier.iter().any(turned) {
        true => Default::default(),
        false => [block(first, a), block(second, b)],
    };
    let law = contact.law;
    let (points, moving) = match shape_of(first, a) {
        Some(shape) => (shape_points(shape).ok_or_else(|| wrong_role(first, Role::Points))?, None),
        None => touching_points(&scenario.body[a], geometries[a], &first.part, law)?,
    };
    let shape = match shape_of(second, b) {
        Some(shape) => shape_surface(shape).ok_or_else(|| wrong_role(second, Role::Surface))?,
        None => set_surface(&scenario.body[b], geometries[b], &second.part)?,
    };
    let restitution = contact.restitution.unwrap_or(1.0);
    Ok(PairSpec { bodies, points, moving, edges, shape, law, restitution, friction: contact.friction })
}
