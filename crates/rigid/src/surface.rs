//! What points and balls of one body touch on another: planes, spheres, boxes, faces of meshes and NURBS.

use carom_contact::geometry::{Faces, FacesNow};
use carom_fem::{Surface as FaceSurface, SurfaceError};
use nalgebra::{Matrix3, Vector3};

use crate::body::RigidBody;
use crate::edge::Edge;
use crate::held::Held;
use crate::pair::Ball;

/// A surface in source coordinates, as a user gives it.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// Planes without an end, each by a point of it and a normal into the free side: the walls of a room, the
    /// ground. A point may touch several at once.
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
    Faces(Box<Mesh>),
}

/// Faces with their state, and what is known of the whole of them.
#[derive(Debug, Clone)]
pub(crate) struct Mesh {
    faces: Faces,
    now: FacesNow,
    /// Middle of the box around the points \[m\].
    middle: Vector3<f64>,
    /// Longest side of that box \[m\].
    size: f64,
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
                let [low, high] = positions.iter().fold(
                    [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)],
                    |[low, high], x| [low.inf(x), high.sup(x)],
                );
                let mesh = Mesh { faces, now, middle: 0.5 * (low + high), size: (high - low).amax() };
                Surface::Faces(Box::new(mesh))
            }
        })
    }

    /// Edges of a block in the frame of a body; other shapes have none.
    pub(crate) fn edges(&self, body: &RigidBody) -> Vec<Edge> {
        let Self::Block { center, half } = self else { return Vec::new() };
        let edges = Edge::of_block(*center, 2.0 * half);
        edges.iter().map(|edge| edge.map(|x| body.point_b(x), |v| body.vector_b(v))).collect()
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

    /// True if a point that has come through is no longer behind it.
    pub(crate) fn can_be_passed(&self) -> bool {
        !matches!(self, Self::Planes(_) | Self::Sphere(_, _, -1.0))
    }

    /// Radius of the ball around the origin that holds all that can be touched; infinite for what has no end
    /// \[m\].
    pub(crate) fn radius(&self) -> f64 {
        match self {
            // Whoever has left a cavity is still held by it.
            Self::Planes(_) | Self::Sphere(_, _, -1.0) => f64::INFINITY,
            Self::Sphere(center, radius, _) => center.norm() + radius,
            Self::Block(center, half, _) => center.norm() + half.norm(),
            Self::Faces(mesh) => mesh.now.positions().iter().map(|x| x.norm()).fold(0.0, f64::max),
        }
    }

    /// True if corners meet its faces with their edges.
    pub(crate) fn has_edges(&self) -> bool {
        matches!(self, Self::Block(..))
    }

    /// Gap between a point or ball and one of its sheets, negative behind it, and the normal towards the free
    /// side; body frame.
    #[inline]
    pub(crate) fn gap(&mut self, sheet: usize, ball: &Ball) -> (f64, Vector3<f64>) {
        let (distance, normal) = self.distance(sheet, ball);
        (distance - ball.radius, normal)
    }

    #[inline]
    fn distance(&mut self, sheet: usize, ball: &Ball) -> (f64, Vector3<f64>) {
        let x = &ball.center;
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
                let edges = ball.edges.map(|edge| axes.tr_mul(&edge));
                let (distance, normal) = from_block(&axes.tr_mul(&(x - *center)), half, &edges);
                (distance, *axes * normal)
            }
            Self::Faces(mesh) => mesh
                .faces
                .closest(&mut mesh.now, x)
                .map_or((f64::INFINITY, Vector3::z()), |foot| (foot.gap, foot.normal)),
        }
    }

    /// True if faces meet at edges, where the nearest one need not be the one that a point touches.
    pub(crate) fn has_rims(&self) -> bool {
        matches!(self, Self::Block(..) | Self::Faces(..))
    }

    /// Distance within which a point lies on a face, or flush with its rim: what rounding makes of places
    /// \[m\].
    pub(crate) fn flush(&self) -> f64 {
        match self {
            Self::Block(_, half, _) => FLUSH * half.min(),
            Self::Faces(mesh) => FLUSH * mesh.size,
            Self::Planes(_) | Self::Sphere(..) => 0.0,
        }
    }

    /// Normals of faces that a point may lie on the edges of: of a block those on its side of the middle, of
    /// a mesh where `up` leads.
    pub(crate) fn faces_at(&self, ball: &Ball, up: &Vector3<f64>) -> [Vector3<f64>; 3] {
        match self {
            Self::Block(center, _, axes) => {
                let x = axes.tr_mul(&(ball.center - center));
                [0, 1, 2].map(|axis| x[axis].signum() * axes.column(axis))
            }
            Self::Planes(_) | Self::Sphere(..) | Self::Faces(_) => [*up; 3],
        }
    }

    /// Gap from the face that faces along a plane, and its normal; none where the point lies beside that
    /// face.
    pub(crate) fn facing(&mut self, ball: &Ball, plane: &Held) -> Option<(f64, Vector3<f64>)> {
        let flush = self.flush();
        match self {
            Self::Block(center, half, axes) => {
                let (x, direction) = (axes.tr_mul(&(ball.center - *center)), axes.tr_mul(&plane.normal));
                let face = direction.iamax();
                let sign = direction[face].signum();
                let is_beside = |axis: usize| axis != face && x[axis].abs() - half[axis] > flush;
                let gap = sign * x[face] - half[face] - ball.radius;
                (!(0..3).any(is_beside)).then(|| (gap, sign * axes.column(face)))
            }
            Self::Faces(mesh) => mesh.facing(ball, plane, flush),
            Self::Planes(_) | Self::Sphere(..) => None,
        }
    }
}

impl Mesh {
    /// The same: what is nearest to a point lifted out of the surface along the plane's normal, and moved
    /// inwards from the rim by as little.
    fn facing(&mut self, ball: &Ball, plane: &Held, flush: f64) -> Option<(f64, Vector3<f64>)> {
        /// Lift over the size: small, as faces may be curved.
        const LIFT: f64 = 1e-5;
        /// Cosine of the largest angle between the face and the plane.
        const ALONG: f64 = 0.2;
        let (x, lift) = (&ball.center, LIFT * self.size);
        let inwards = self.middle - x;
        let inwards = inwards - inwards.dot(&plane.normal) * plane.normal;
        let inwards = inwards.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let raise = lift + (-plane.gap(ball)).max(0.0);
        let foot = self.faces.closest(&mut self.now, &(x + raise * plane.normal + lift * inwards))?;
        let own = foot.tangents[0].cross(&foot.tangents[1]).try_normalize(0.0)?;
        let normal = own * self.faces.orientation(foot.face);
        let distance = (x - foot.position).dot(&normal);
        let below = x - distance * normal;
        let beside = (self.faces.closest(&mut self.now, &below)?.position - below).norm();
        (normal.dot(&plane.normal) > ALONG && beside <= flush).then_some((distance - ball.radius, normal))
    }
}

/// Part of the smallest half length by which a corner may stand over the edge of a face.
const FLUSH: f64 = 1e-6;

/// How far edges may dip into a face that their corner touches, the sine of an angle.
const DIP: f64 = -0.5;

/// Signed distance from a box around the origin, and its gradient; faces which the edges of a corner would
/// pierce count only for a corner that is clearly beyond them.
fn from_block(x: &Vector3<f64>, half: &Vector3<f64>, edges: &[Vector3<f64>; 3]) -> (f64, Vector3<f64>) {
    let sign = x.map(|x| if x < 0.0 { -1.0 } else { 1.0 });
    let mut beyond = x.abs() - half;
    let pierced = |axis: usize| edges.iter().any(|edge| sign[axis] * edge[axis] < DIP);
    let ignored = [0, 1, 2].map(|axis| beyond[axis] <= FLUSH * half.min() && pierced(axis));
    if ignored.contains(&false) {
        (0..3).filter(|&axis| ignored[axis]).for_each(|axis| beyond[axis] = f64::NEG_INFINITY);
    }
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
            let (distance, normal) = surface.gap(0, &Ball::point(body.point_b(&x)));
            assert!((distance - expected).abs() < 1e-14, "{shape:?}: {distance}");
            // The normal is the gradient of the distance.
            let moved = surface.gap(0, &Ball::point(body.point_b(&x) + 1e-3 * normal)).0;
            assert!((moved - distance - 1e-3).abs() < 1e-14);
        }
    }

    #[test]
    fn inside_of_a_box_the_nearest_face_counts() {
        let half = Vector3::new(1.0, 2.0, 3.0);
        let (distance, normal) = from_block(&Vector3::new(-0.75, 0.5, 2.5), &half, &[Vector3::zeros(); 3]);
        assert_eq!((distance, normal), (-0.25, -Vector3::x()));
        let (distance, normal) = from_block(&Vector3::new(4.0, 6.0, 0.0), &half, &[Vector3::zeros(); 3]);
        assert_eq!((distance, normal), (5.0, Vector3::new(0.6, 0.8, 0.0)));
    }

    /// The lower corner of a block that stands flush on an equal one meets its top face, wherever rounding
    /// puts it.
    #[test]
    fn a_flush_corner_meets_the_face_that_its_edges_do_not_pierce() {
        let half = Vector3::new(1.0, 1.0, 1.0);
        let edges = [-Vector3::x(), -Vector3::y(), Vector3::z()];
        for x in [[1.0 + 1e-16, 1.0, 1.0 - 1e-15], [1.0, 1.0 + 1e-12, 1.0 - 1e-9], [0.999, 1.0, 1.0 - 1e-4]] {
            let (distance, normal) = from_block(&x.into(), &half, &edges);
            assert_eq!(normal, Vector3::z(), "{x:?}");
            assert!((distance - (x[2] - 1.0)).abs() < 1e-16, "{x:?}");
        }
        // Clearly beside the box it touches nothing.
        assert!(from_block(&Vector3::new(1.1, 0.5, 0.9), &half, &edges).0 > 0.09);
    }
}
