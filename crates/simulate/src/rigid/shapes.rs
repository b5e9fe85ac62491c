//! Points, balls and surfaces of bodies that touch, from shapes and sets of a scenario.

use carom_fem::{Body, Geometry, Surface};
use carom_format::scenario::model::{BodySpec, End, ShapeKind, ShapeSpec};
use carom_rigid::{Ball, Block, Law, MovingPoints, Plane, Shape, Sphere};
use nalgebra::{Unit, Vector3};
use thiserror::Error;

use super::moving_points::moving_points;
use super::spline_points::{distinct, is_curved, spline_points};
use crate::geometry::{GeometryError, discretisation, shape, surface_of_set};

/// The end of a pair at which a shape stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// The first, whose points touch.
    Points,
    /// The second, whose surface is touched.
    Surface,
}

/// A shape that cannot stand at its end of a pair.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "`{end}` has no {has} to touch with: in `between` the first body touches with points or balls, the \
     second with a surface; name it {place}"
)]
pub struct ShapeRole {
    /// The end.
    pub end: String,
    /// The missing part.
    pub has: &'static str,
    /// The end at which it could stand.
    pub place: &'static str,
}

pub(crate) fn wrong_role(end: &End, role: Role) -> ShapeRole {
    let (has, place) = match role {
        Role::Points => ("points", "second"),
        Role::Surface => ("surface", "first"),
    };
    ShapeRole { end: end.to_string(), has, place }
}

/// The error if a shape cannot stand at an end of a pair.
pub(crate) fn shape_role(end: &End, shape: &ShapeSpec, role: Role) -> Option<ShapeRole> {
    let fits = match role {
        Role::Points => shape_points(shape).is_some(),
        Role::Surface => shape_surface(shape).is_some(),
    };
    (!fits).then(|| wrong_role(end, role))
}

/// The points and balls of a shape that can stand first in a pair.
pub(super) fn shape_points(shape: &ShapeSpec) -> Option<Vec<Ball>> {
    match &shape.kind {
        ShapeKind::Points { points, radius } => {
            Some(points.iter().map(|&x| Ball::new(x.into(), *radius)).collect())
        }
        ShapeKind::Ball { center, radius } => Some(vec![Ball::new(Vector3::from(*center), *radius)]),
        ShapeKind::Block { center, size } => Some(Ball::corners((*center).into(), (*size).into()).to_vec()),
        ShapeKind::Cavity { .. } | ShapeKind::Room { .. } | ShapeKind::Plane { .. } => None,
    }
}

/// The surface of a shape that can stand second in a pair.
pub(crate) fn shape_surface(shape: &ShapeSpec) -> Option<Shape> {
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

/// Nodes of a set of a mesh; points on the knot spans of NURBS sides, whose control points do not lie on the
/// surface.
pub(super) fn set_points(spec: &BodySpec, geometry: &Body, set: &str) -> Result<Vec<Ball>, GeometryError> {
    let discretisation = discretisation(&spec.name, geometry)?;
    let points: Vec<Vector3<f64>> = match &geometry.geometry {
        Geometry::Mesh(_) => {
            let points = geometry.points_of_set(&discretisation, set)?;
            points.iter().map(|&i| Vector3::from(discretisation.points[i as usize])).collect()
        }
        Geometry::Nurbs(_) => {
            let surface = geometry.surface_of_set(&discretisation, set)?;
            let positions: Vec<[f64; 3]> =
                surface.points.iter().map(|&i| discretisation.points[i as usize]).collect();
            distinct(spline_points(&surface, &positions))
        }
    };
    Ok(points.into_iter().map(Ball::point).collect())
}

/// Points of a surface that touch, and those that move over its curved faces.
pub(super) type Touching = (Vec<Ball>, Option<MovingPoints>);

/// The same as [`set_points`] by a law of contact, see [`touching`].
pub(super) fn touching_points(
    spec: &BodySpec,
    geometry: &Body,
    set: &str,
    law: Law,
) -> Result<Touching, GeometryError> {
    match &geometry.geometry {
        // Nodes need no faces.
        Geometry::Mesh(_) => Ok((set_points(spec, geometry, set)?, None)),
        Geometry::Nurbs(_) => Ok(touching(geometry, &set_surface(spec, geometry, set)?, law)),
    }
}

/// The points of faces that touch by a law: nodes of a mesh, points on the knot spans of NURBS sides; by
/// multipliers points that move over curved spans take the place of those there.
pub(super) fn touching(body: &Body, shape: &Shape, law: Law) -> Touching {
    let Some(faces) = shape.as_faces() else { return (Vec::new(), None) };
    match &body.geometry {
        Geometry::Nurbs(_) if law == Law::Hard => moving_points(faces),
        _ => (surface_points(body, &faces.surface, &faces.reference), None),
    }
}

/// The points of a surface that do not move: nodes of a mesh; points on the knot spans of NURBS sides.
///
/// * `places` — of its points \[m\]
pub(super) fn surface_points(body: &Body, surface: &Surface, places: &[Vector3<f64>]) -> Vec<Ball> {
    let points = match &body.geometry {
        Geometry::Mesh(_) => places.to_vec(),
        Geometry::Nurbs(_) => {
            let positions: Vec<[f64; 3]> = places.iter().map(|&x| x.into()).collect();
            distinct(spline_points(surface, &positions))
        }
    };
    points.into_iter().map(Ball::point).collect()
}

/// True if a body of splines has curved faces.
pub(super) fn has_curved_splines(body: &Body) -> bool {
    let Geometry::Nurbs(_) = body.geometry else { return false };
    let Ok(discretisation) = discretisation(&body.name, body) else { return false };
    let surface = discretisation.surface(&body.boundary_faces());
    let positions: Vec<[f64; 3]> =
        surface.points.iter().map(|&i| discretisation.points[i as usize]).collect();
    is_curved(&surface, &positions)
}

/// The faces of a set.
pub(super) fn set_surface(spec: &BodySpec, geometry: &Body, set: &str) -> Result<Shape, GeometryError> {
    let (_, surface, positions) = surface_of_set(&spec.name, geometry, set)?;
    shape(&spec.name, set, surface, &positions)
}
