//! Bodies and pairs of a scenario as `carom-rigid` takes them.

use std::collections::{BTreeSet, HashMap};

use carom_dynamics::Placement;
use carom_fem::{Body, Discretisation, Geometry};
use carom_format::scenario::model::{BodySpec, ContactSpec, End, Scenario, ShapeKind, ShapeSpec};
use carom_rigid::{
    Ball, Block, Edge, PairError, PairSpec, Plane, RigidBody, Shape, Sphere, System, SystemError,
};
use nalgebra::{Unit, Vector3};

use super::repeated::{self, OfBodies};
use crate::SimulateError;
use crate::overlap::samples;
use crate::references::Parts;
use crate::system::{placement, rigid_mass};

/// Which end of a pair it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The first, whose points touch.
    Points,
    /// The second, whose surface is touched.
    Surface,
}

/// The system of a scenario at its start.
///
/// * `geometries` — of each body
/// * `time_step` — length of all steps \[s\]
///
/// # Errors
///
/// [`SimulateError`] names the body or pair that does not fit.
pub(super) fn system(
    scenario: &Scenario,
    geometries: &[&Body],
    time_step: f64,
) -> Result<System, SimulateError> {
    let bodies = scenario.body.iter().zip(geometries).enumerate();
    let bodies = bodies
        .map(|(i, (spec, geometry))| {
            body(spec, geometry).map_err(|error| {
                let key = if spec.mass_properties.is_some() { ".mass_properties" } else { "" };
                error.at(format!("body.{i}{key}"))
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let placements: Vec<Placement> = scenario.body.iter().map(placement).collect();
    if let Some(error) = repeated::problem(scenario, geometries) {
        return Err(error);
    }
    let mut pairs = Vec::with_capacity(scenario.contact.len());
    let numbers: HashMap<&str, usize> =
        scenario.body.iter().enumerate().map(|(i, spec)| (spec.name.as_str(), i)).collect();
    let mut of_bodies = OfBodies::default();
    for (i, contact) in scenario.contact.iter().enumerate() {
        let index = [0, 1].map(|side: usize| numbers[contact.between[side].body.as_str()]);
        let earlier: Vec<_> = of_bodies.before(contact).iter().map(|&k| &scenario.contact[k]).collect();
        let spec = pair(scenario, geometries, contact, index, &earlier);
        pairs.push(spec.map_err(|error| error.at(format!("contact.{i}.between")))?);
    }
    let gravity = Vector3::from(scenario.simulation.gravity);
    System::new(bodies, &placements, &pairs, gravity, time_step).map_err(|error| of_system(scenario, error))
}

/// What is wrong with a scenario of rigid bodies, as far as it is known without a run.
///
/// * `parts` — what is known of each body; nothing is told unless all geometries are there
pub(crate) fn problem(scenario: &Scenario, parts: &[Parts<'_>], time_step: f64) -> Option<SimulateError> {
    let mut geometries = Vec::with_capacity(parts.len());
    for part in parts {
        let Parts::Geometry(body) = part else { return None };
        geometries.push(*body);
    }
    system(scenario, &geometries, time_step).err()
}

/// The error of a pair at its place in the scenario.
fn of_system(scenario: &Scenario, error: SystemError) -> SimulateError {
    let SystemError::Pair(pair) = &error else { return error.into() };
    let number = pair.pair();
    let Some(contact) = scenario.contact.get(number) else { return error.into() };
    let between = format!("{}, {}", contact.between[0], contact.between[1]);
    match *pair {
        PairError::Overlap { depth, .. } => {
            SimulateError::Overlap { pair: between, depth }.at(format!("contact.{number}.between"))
        }
        _ => SimulateError::from(error).at(format!("contact.{number}")),
    }
}

fn body(spec: &BodySpec, geometry: &Body) -> Result<RigidBody, SimulateError> {
    let (mass, inertia, com) = rigid_mass(spec, geometry)?;
    let body = RigidBody::new(&spec.name, mass, inertia, com)?;
    Ok(if spec.fixed { body.fixed() } else { body })
}

fn discretisation(spec: &BodySpec, geometry: &Body) -> Result<Discretisation, SimulateError> {
    Discretisation::new(geometry)
        .map_err(|source| SimulateError::Discretisation { body: spec.name.clone(), source })
}

/// * `bodies` — numbers of its two bodies, which the format checks that there are
/// * `earlier` — contacts of these before this one
fn pair(
    scenario: &Scenario,
    geometries: &[&Body],
    contact: &ContactSpec,
    bodies: [usize; 2],
    earlier: &[&ContactSpec],
) -> Result<PairSpec, SimulateError> {
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
    // Edges on edges are the same both ways round.
    let edges = match shape_of(first, a).map(|shape| &shape.kind) {
        Some(ShapeKind::Block { center, size }) if !earlier.iter().any(turned) => {
            Edge::of_block((*center).into(), (*size).into()).to_vec()
        }
        _ => Vec::new(),
    };
    let points = match shape_of(first, a) {
        Some(shape) => shape_points(shape).ok_or_else(|| wrong_role(first, Role::Points))?,
        None => set_points(&scenario.body[a], geometries[a], &first.part)?,
    };
    let shape = match shape_of(second, b) {
        Some(shape) => shape_surface(shape).ok_or_else(|| wrong_role(second, Role::Surface))?,
        None => set_surface(&scenario.body[b], geometries[b], &second.part)?,
    };
    let law = contact.law;
    let restitution = contact.restitution.unwrap_or(1.0);
    Ok(PairSpec { bodies, points, edges, shape, law, restitution, friction: contact.friction })
}

fn wrong_role(end: &End, role: Role) -> SimulateError {
    let (has, place) = match role {
        Role::Points => ("points", "second"),
        Role::Surface => ("surface", "first"),
    };
    SimulateError::ShapeRole { end: end.to_string(), has, place }
}

/// The error if a shape cannot stand at an end of a pair.
pub(crate) fn shape_role(end: &End, shape: &ShapeSpec, role: Role) -> Option<SimulateError> {
    let fits = match role {
        Role::Points => shape_points(shape).is_some(),
        Role::Surface => shape_surface(shape).is_some(),
    };
    (!fits).then(|| wrong_role(end, role))
}

fn shape_points(shape: &ShapeSpec) -> Option<Vec<Ball>> {
    match &shape.kind {
        ShapeKind::Points { points, radius } => {
            Some(points.iter().map(|&x| Ball::new(x.into(), *radius)).collect())
        }
        ShapeKind::Ball { center, radius } => Some(vec![Ball::new(Vector3::from(*center), *radius)]),
        ShapeKind::Block { center, size } => Some(Ball::corners((*center).into(), (*size).into()).to_vec()),
        ShapeKind::Cavity { .. } | ShapeKind::Room { .. } | ShapeKind::Plane { .. } => None,
    }
}

fn shape_surface(shape: &ShapeSpec) -> Option<Shape> {
    match &shape.kind {
        ShapeKind::Points { .. } => None,
        ShapeKind::Ball { center, radius } => {
            Some(Shape::Sphere(Sphere { center: (*center).into(), radius: *radius }))
        }
        ShapeKind::Cavity { center, radius } => {
            Some(Shape::Cavity(Sphere { center: (*center).into(), radius: *radius }))
        }
        ShapeKind::Block { center, size } => {
            Some(Shape::Block(Block::new((*center).into(), 0.5 * Vector3::from(*size))))
        }
        ShapeKind::Room { center, size } => {
            let wall = |axis: usize, side: f64| {
                let origin = Vector3::from(*center) + Vector3::ith(axis, 0.5 * side * size[axis]);
                Plane { origin, normal: Unit::new_normalize(Vector3::ith(axis, -side)) }
            };
            Some(Shape::Planes((0..3).flat_map(|axis| [wall(axis, 1.0), wall(axis, -1.0)]).collect()))
        }
        ShapeKind::Plane { point, normal } => {
            // The format refuses a normal without a direction.
            let normal = Unit::new_normalize(Vector3::from(*normal));
            Some(Shape::Planes(vec![Plane { origin: (*point).into(), normal }]))
        }
    }
}

/// Nodes of a set of a mesh; corners and middles of the spans of NURBS sides, whose control points lie
/// elsewhere.
pub(super) fn set_points(spec: &BodySpec, geometry: &Body, set: &str) -> Result<Vec<Ball>, SimulateError> {
    let discretisation = discretisation(spec, geometry)?;
    let points: Vec<Vector3<f64>> = match &geometry.geometry {
        Geometry::Mesh(_) => {
            let points = geometry.points_of_set(&discretisation, set)?;
            points.iter().map(|&i| Vector3::from(discretisation.points[i as usize])).collect()
        }
        Geometry::Nurbs(_) => {
            let surface = geometry.surface_of_set(&discretisation, set)?;
            let positions: Vec<[f64; 3]> =
                surface.points.iter().map(|&i| discretisation.points[i as usize]).collect();
            distinct(samples(&surface, &positions))
        }
    };
    Ok(points.into_iter().map(Ball::point).collect())
}

/// Points that differ by more than 1e-9 of their largest coordinate, in their order.
fn distinct(points: Vec<Vector3<f64>>) -> Vec<Vector3<f64>> {
    let size = points.iter().fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.amax()));
    let mut seen = BTreeSet::new();
    let key = |x: &Vector3<f64>| x.map(|x| (x / size * 1e9).round() as i64);
    points.into_iter().filter(|x| seen.insert(<[i64; 3]>::from(key(x)))).collect()
}

fn set_surface(spec: &BodySpec, geometry: &Body, set: &str) -> Result<Shape, SimulateError> {
    let discretisation = discretisation(spec, geometry)?;
    let surface = geometry.surface_of_set(&discretisation, set)?;
    let positions = surface.points.iter().map(|&i| Vector3::from(discretisation.points[i as usize]));
    let positions: Vec<_> = positions.collect();
    Shape::faces(surface, &positions)
        .map_err(|source| SimulateError::Face { set: format!("{}:{set}", spec.name), source })
}
