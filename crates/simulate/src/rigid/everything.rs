//! Contact of all rigid bodies with each other, `between = ["*"]`.

use std::collections::BTreeSet;

use carom_contact::edge_to_edge::EdgesOf;
use carom_contact::{Edge, Law, Shape};
use carom_fem::{Body, Discretisation};
use carom_format::scenario::model::{BodySpec, ContactSpec, Scenario, ShapeKind, ShapeSpec};
use carom_mesh::FaceRef;
use carom_rigid::{CrowdSpec, MemberSpec};
use nalgebra::Vector3;

use super::block::{block, corners, is_corner};
use super::error::RigidSetUpError;
use super::setup::named;
use super::shapes::{shape_points, shape_surface, surface_points, touching};
use crate::geometry::{GeometryError, discretisation, radius_of_ball, shape};

/// Pairs of bodies that a remark names.
const MOST_NAMED: usize = 10;

/// The bodies of a contact of all bodies: their shapes, the ball that one is made as, or their whole
/// surfaces.
///
/// # Errors
///
/// [`RigidSetUpError`] if the surface of a body cannot be evaluated.
pub(super) fn crowd(
    scenario: &Scenario,
    geometries: &[&Body],
    contact: &ContactSpec,
) -> Result<CrowdSpec, RigidSetUpError> {
    let mut members = Vec::new();
    for (body, (spec, geometry)) in scenario.body.iter().zip(geometries).enumerate() {
        match shapes_of(spec) {
            shapes if !shapes.is_empty() => {
                members.extend(shapes.iter().map(|shape| member_of_shape(body, shape)));
            }
            _ => members.push(whole(body, geometry, contact.law)?),
        }
    }
    let number = |name: &str| scenario.body.iter().position(|spec| spec.name == name).unwrap_or_default();
    let mut apart = joined(scenario, number);
    // Two bodies whose contact is named touch by that one alone.
    apart.extend(named(scenario).map(|(_, pair)| pair.between.each_ref().map(|end| number(&end.body))));
    Ok(CrowdSpec {
        members,
        law: contact.law,
        restitution: contact.restitution.unwrap_or(1.0),
        friction: contact.friction,
        apart,
    })
}

/// The shapes of a body; a body that is made as a ball has that one.
pub(super) fn shapes_of(spec: &BodySpec) -> Vec<ShapeSpec> {
    match radius_of_ball(spec) {
        Some(radius) if spec.shape.is_empty() => {
            let kind = ShapeKind::Ball { center: [0.0; 3], radius };
            vec![ShapeSpec { name: String::new(), kind }]
        }
        _ => spec.shape.clone(),
    }
}

fn member_of_shape(body: usize, shape: &ShapeSpec) -> MemberSpec {
    let edges = match &shape.kind {
        ShapeKind::Block { center, size } => Edge::of_block((*center).into(), (*size).into()).to_vec(),
        _ => Vec::new(),
    };
    let points = shape_points(shape).unwrap_or_default();
    MemberSpec { body, points, moving: None, edges, shape: shape_surface(shape) }
}

/// The nodes, edges and faces of the whole surface of a body. By multipliers a block touches other blocks
/// with its corners and edges alone, along one direction.
///
/// * `number` — of the body
///
/// # Errors
///
/// [`GeometryError`] if the surface cannot be evaluated.
pub(crate) fn whole(number: usize, body: &Body, law: Law) -> Result<MemberSpec, GeometryError> {
    let discretisation = discretisation(&body.name, body)?;
    let surface = discretisation.surface(&body.boundary_faces());
    let places: Vec<Vector3<f64>> =
        surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect();
    if let Some(block) = block(&surface, &places).filter(|_| law == Law::Hard) {
        let mut points = surface_points(body, &surface, &places);
        // Nodes within faces and edges touch bodies of other forms.
        points.retain(|node| !is_corner(&block, &node.center));
        points.splice(..0, corners(&block));
        let edges = block.edges().to_vec();
        return Ok(MemberSpec {
            body: number,
            points,
            moving: None,
            edges,
            shape: Some(Shape::Block(block)),
        });
    }
    let faces: Shape = shape(&body.name, "*", surface, &places)?;
    let (points, moving) = touching(body, &faces, law);
    Ok(MemberSpec { body: number, points, moving, edges: edges_of(body, None), shape: Some(faces) })
}

/// The sharp edges of a rigid body at the faces of a set, or at all faces; none if its surface is not known.
pub(crate) fn edges_of(body: &Body, set: Option<&str>) -> Vec<Edge> {
    let Ok(discretisation) = Discretisation::new(body) else { return Vec::new() };
    let faces = body.boundary_faces();
    let surface = discretisation.surface(&faces);
    let places: Vec<Vector3<f64>> =
        surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize])).collect();
    let wanted: Option<BTreeSet<FaceRef>> =
        set.map(|set| body.faces_of_set(set).unwrap_or_default().into_iter().collect());
    let of = EdgesOf { surface: &surface, reference: &places, halves: &[], rims: &[], body: 0 };
    of.find_straight(|face| wanted.as_ref().is_none_or(|wanted| wanted.contains(&faces[face])))
}

/// The bodies that do not touch each other in a contact of all bodies, as a joint connects them directly.
///
/// * `number` — of a body by its name
pub(crate) fn joined(scenario: &Scenario, number: impl Fn(&str) -> usize) -> Vec<[usize; 2]> {
    let joints = scenario.joints().map(|(_, joint)| joint).filter(|joint| joint.excludes_contact());
    let ends = joints.map(|joint| joint.between.each_ref().map(|end| end.body.as_str()));
    let between_bodies = ends.filter(|ends| !ends.contains(&"ground"));
    between_bodies.map(|ends| ends.map(&number)).collect()
}

/// A sentence about the bodies that a contact of all bodies leaves out; none if there are none.
pub(crate) fn left_out(scenario: &Scenario) -> Option<String> {
    if !scenario.contact.iter().any(ContactSpec::is_automatic) {
        return None;
    }
    let number = |name: &str| scenario.body.iter().position(|spec| spec.name == name).unwrap_or_default();
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for [a, b] in joined(scenario, number) {
        let pair = [a.min(b), a.max(b)];
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let named = |&[a, b]: &[usize; 2]| format!("`{}` and `{}`", scenario.body[a].name, scenario.body[b].name);
    let list: Vec<String> = pairs.iter().take(MOST_NAMED).map(named).collect();
    let others = match pairs.len() - list.len() {
        0 => String::new(),
        n => format!(", and {n} further pairs"),
    };
    (!pairs.is_empty()).then(|| {
        format!(
            "`between = [\"*\"]` leaves out contact of bodies that a joint connects: {}{others}",
            list.join(", ")
        )
    })
}
