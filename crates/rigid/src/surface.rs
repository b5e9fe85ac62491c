//! What points and balls of one body touch on another: planes, spheres, boxes, faces of meshes and NURBS.

use carom_contact::geometry::{Faces, FacesNow};
use carom_fem::{Surface as FaceSurface, SurfaceError};
use nalgebra::{Matrix3, Vector3};

use crate::body::RigidBody;

/// A surface in source coordinates, as a user gives it.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Planes without an end, each by a point of it and a normal into the free side: the walls of a room, the ground. A point
    /// may touch several at once.
    Planes(Vec<[Vector3<f64>; 2]>),
    /// The outside of a ball.
    Sphere {
        /// Centre \[m\].
        center: Vector3<f64>,
        /// Radius \[m\].
        radius: f64,
    },
    /// The inside of a hollow ball.
    Cavity {
        /// Centre \[m\].
        center: Vector3<f64>,
        /// Radius \[m\].
        radius: f64,
    },
    /// The outside of a box along the source axes.
    Block {
        /// Centre \[m\].
        center: Vector3<f64>,
        /// Half lengths \[m\].
        half: Vector3<f64>,
    },
    /// Faces of a mesh or of NURBS sides, with the positions of their points.
    Faces {
        /// The faces.
        surface: FaceSurface,
        /// Positions of its points \[m\].
        positions: Vec<Vector3<f64>>,
    },
}

/// A surface in the frame of its body.
#[derive(Debug, Clone)]
pub(crate) enum Surface {
    /// Points and unit normals.
    Planes(Vec<[Vector3<f64>; 2]>),
    /// Centre, radius, +1 outside and −1 inside.
    Sphere(Vector3<f64>, f64, f64),
    /// Centre, half lengths, axes of the box → frame of the body.
    Block(Vector3<f64>, Vector3<f64>, Matrix3<f64>),
    /// Faces that rest in the frame of the body.
    Faces(Box<Faces>, Box<FacesNow>),
}

impl Shape {
    /// The surface in the frame of a body.
    ///
    /// # Errors
    ///
    /// [`SurfaceError`] if a face cannot be evaluated.
    pub(crate) fn on(&self, body: &RigidBody) -> Result<Surface, SurfaceError> {
        Ok(match self {
            Self::Planes(planes) => {
                let plane =
                    |[p, n]: &[Vector3<f64>; 2]| [body.point_b(p), body.vector_b(&n.normalize()).normalize()];
                Surface::Planes(planes.iter().map(plane).collect())
            }
            Self::Sphere { center, radius } => Surface::Sphere(body.point_b(center), *radius, 1.0),
            Self::Cavity { center, radius } => Surface::Sphere(body.point_b(center), *radius, -1.0),
            Self::Block { center, half } => {
                let columns = [0, 1, 2].map(|i| body.vector_b(&Vector3::ith(i, 1.0)));
                Surface::Block(body.point_b(center), *half, Matrix3::from_columns(&columns))
            }
            Self::Faces { surface, positions } => {
                let positions: Vec<_> = positions.iter().map(|x| body.point_b(x)).collect();
                let faces = Faces::new(surface.clone(), &positions)?;
                let now = faces.state_at(&positions);
                Surface::Faces(Box::new(faces), Box::new(now))
            }
        })
    }
}

impl Surface {
    /// How many contacts a point may have with it at once.
    pub(crate) fn sheets(&self) -> usize {
        match self {
            Self::Planes(planes) => planes.len(),
            _ => 1,
        }
    }

    /// Distance of a point from one of its sheets, negative behind it, and the normal towards the free side; body frame.
    #[inline]
    pub(crate) fn distance(&mut self, sheet: usize, x: &Vector3<f64>) -> (f64, Vector3<f64>) {
        match self {
            Self::Planes(planes) => {
                let [point, normal] = &planes[sheet];
                ((x - point).dot(normal), *normal)
            }
            Self::Sphere(center, radius, side) => {
                let d = x - *center;
                let length = d.norm();
                let normal = if length > 0.0 { d * (*side / length) } else { Vector3::z() };
                (*side * (length - *radius), normal)
            }
            Self::Block(center, half, axes) => {
                let (distance, normal) = from_block(&axes.tr_mul(&(x - *center)), half);
                (distance, *axes * normal)
            }
            Self::Faces(faces, now) => {
                faces.closest(now, x).map_or((f64::INFINITY, Vector3::z()), |foot| (foot.gap, foot.normal))
            }
        }
    }
}

/// Signed distance from a box around the origin, and its gradient.
fn from_block(x: &Vector3<f64>, half: &Vector3<f64>) -> (f64, Vector3<f64>) {
    let beyond = x.abs() - half;
    let sign = x.map(|x| if x < 0.0 { -1.0 } else { 1.0 });
    let outside = beyond.map(|b| b.max(0.0));
    let distance = outside.norm();
    if distance > 0.0 {
        return (distance, outside.component_mul(&sign) / distance);
    }
    let face = beyond.imax();
    (beyond[face], Vector3::ith(face, sign[face]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body() -> RigidBody {
        let inertia = Matrix3::new(3.0, 0.2, -0.1, 0.2, 2.5, 0.3, -0.1, 0.3, 2.0);
        RigidBody::new("b", 1.0, inertia, Vector3::new(0.3, -0.2, 0.1)).unwrap()
    }

    /// The distances in source coordinates, whatever the principal axes are.
    #[test]
    fn distances_are_those_of_the_source_geometry() {
        let body = body();
        let shapes = [
            Shape::Planes(vec![[Vector3::new(0.0, 0.0, 1.0), Vector3::new(0.0, 0.0, -2.0)]]),
            Shape::Sphere { center: Vector3::new(1.0, 0.0, 0.0), radius: 0.5 },
            Shape::Cavity { center: Vector3::new(1.0, 0.0, 0.0), radius: 5.0 },
            Shape::Block { center: Vector3::new(1.0, 0.0, 0.0), half: Vector3::new(0.5, 0.25, 0.125) },
        ];
        let x = Vector3::new(1.2, 0.75, 0.1);
        let ball = Vector3::new(0.2, 0.75, 0.1).norm();
        let expected = [0.9, ball - 0.5, 5.0 - ball, 0.5];
        for (shape, expected) in shapes.iter().zip(expected) {
            let mut surface = shape.on(&body).unwrap();
            let (distance, normal) = surface.distance(0, &body.point_b(&x));
            assert!((distance - expected).abs() < 1e-14, "{shape:?}: {distance}");
            // The normal is the gradient of the distance.
            let moved = surface.distance(0, &(body.point_b(&x) + 1e-3 * normal)).0;
            assert!((moved - distance - 1e-3).abs() < 1e-14);
        }
    }

    #[test]
    fn inside_of_a_box_the_nearest_face_counts() {
        let half = Vector3::new(1.0, 2.0, 3.0);
        let (distance, normal) = from_block(&Vector3::new(-0.75, 0.5, 2.5), &half);
        assert_eq!((distance, normal), (-0.25, -Vector3::x()));
        let (distance, normal) = from_block(&Vector3::new(4.0, 6.0, 0.0), &half);
        assert_eq!((distance, normal), (5.0, Vector3::new(0.6, 0.8, 0.0)));
    }
}
