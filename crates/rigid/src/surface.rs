//! A surface at rest in the frame of a rigid body, and its gaps from points and balls of other bodies.

use std::sync::Arc;

use carom_contact::Shape;
use carom_contact::geometry::{Faces, FacesNow};
use carom_contact::shape::FLUSH;
use nalgebra::Vector3;

use crate::body::RigidBody;
use crate::held::Held;
use crate::pair::Ball;

/// A surface in the frame of its body.
#[derive(Debug, Clone)]
pub(crate) struct Surface {
    pub(crate) shape: Arc<Shape>,
    /// The state of faces; none for other shapes.
    mesh: Option<Box<Mesh>>,
}

/// State of faces at rest in the frame of the body, and their extent.
#[derive(Debug, Clone)]
struct Mesh {
    now: FacesNow,
    /// Middle of the box around the points \[m\].
    middle: Vector3<f64>,
    /// Longest side of that box \[m\].
    size: f64,
}

impl Surface {
    /// A shape in source coordinates as a surface of a body.
    pub(crate) fn new(shape: &Shape, body: &RigidBody) -> Self {
        let shape = shape.moved(|x| body.point_b(x), |v| body.vector_b(v));
        let mesh = shape.as_faces().map(|faces| Box::new(Mesh::at_rest(faces)));
        Self { shape: Arc::new(shape), mesh }
    }

    /// Gap between a point or ball and one of its sheets, negative behind it, and the normal towards the free
    /// side; body frame.
    #[inline]
    pub(crate) fn gap(&mut self, sheet: usize, ball: &Ball) -> (f64, Vector3<f64>) {
        let (distance, normal) = match self.shape.distance(sheet, &ball.center, &ball.edges) {
            Some(found) => found,
            None => self.distance_of_faces(&ball.center),
        };
        (distance - ball.radius, normal)
    }

    fn distance_of_faces(&mut self, x: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let foot = self.with_mesh(|faces, mesh| faces.closest(&mut mesh.now, x)).flatten();
        foot.map_or((f64::INFINITY, Vector3::z()), |foot| (foot.gap, foot.normal))
    }

    /// Applies a function to the faces and their state; `None` without faces.
    fn with_mesh<T>(&mut self, apply: impl FnOnce(&Faces, &mut Mesh) -> T) -> Option<T> {
        Some(apply(self.shape.as_faces()?, self.mesh.as_mut()?))
    }

    /// Distance within which a point lies on a face, or flush with its rim, as positions are rounded
    /// numbers \[m\].
    pub(crate) fn flush(&self) -> f64 {
        match (&*self.shape, &self.mesh) {
            (Shape::Block(block), _) => FLUSH * block.half.min(),
            (_, Some(mesh)) => FLUSH * mesh.size,
            _ => 0.0,
        }
    }

    /// Normals of the faces on whose edges a point may lie: of a block those on its side of the middle, of
    /// faces the direction `up`.
    pub(crate) fn faces_at(&self, ball: &Ball, up: &Vector3<f64>) -> [Vector3<f64>; 3] {
        let Shape::Block(block) = &*self.shape else { return [*up; 3] };
        let x = block.axes.tr_mul(&(ball.center - block.center));
        [0, 1, 2].map(|axis| x[axis].signum() * block.axes.column(axis))
    }

    /// Gap from the face that faces along a plane, and its normal; `None` if the point lies outside of that
    /// face.
    pub(crate) fn facing(&mut self, ball: &Ball, plane: &Held) -> Option<(f64, Vector3<f64>)> {
        let flush = self.flush();
        if let Shape::Block(block) = &*self.shape {
            let x = block.axes.tr_mul(&(ball.center - block.center));
            let direction = block.axes.tr_mul(&plane.normal);
            let face = direction.iamax();
            let sign = direction[face].signum();
            let is_beyond = |axis: usize| axis != face && x[axis].abs() - block.half[axis] > flush;
            let gap = sign * x[face] - block.half[face] - ball.radius;
            return (!(0..3).any(is_beyond)).then(|| (gap, sign * block.axes.column(face)));
        }
        self.with_mesh(|faces, mesh| mesh.facing(faces, ball, plane, flush)).flatten()
    }
}

impl Mesh {
    /// Faces in their reference positions.
    fn at_rest(faces: &Faces) -> Self {
        let [low, high] =
            faces.reference.iter().fold(
                [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)],
                |[low, high], x| [low.inf(x), high.sup(x)],
            );
        Self { now: faces.state_at_rest(), middle: 0.5 * (low + high), size: (high - low).amax() }
    }

    /// Gap and normal of the face that faces along a plane: the foot point of the ball after lifting it out
    /// of the surface along the plane's normal, and moving it inwards from the rim by the same small
    /// distance.
    fn facing(
        &mut self,
        faces: &Faces,
        ball: &Ball,
        plane: &Held,
        flush: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        /// Lift over the size; small, as faces may be curved.
        const LIFT: f64 = 1e-5;
        /// Cosine of the largest angle between the face and the plane.
        const ALONG: f64 = 0.2;
        let (x, lift) = (&ball.center, LIFT * self.size);
        let inwards = self.middle - x;
        let inwards = inwards - inwards.dot(&plane.normal) * plane.normal;
        let inwards = inwards.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        let raise = lift + (-plane.gap(ball)).max(0.0);
        let foot = faces.closest(&mut self.now, &(x + raise * plane.normal + lift * inwards))?;
        let own = foot.tangents[0].cross(&foot.tangents[1]).try_normalize(0.0)?;
        let normal = own * faces.orientation(foot.face);
        let distance = (x - foot.position).dot(&normal);
        let below = x - distance * normal;
        let off = (faces.closest(&mut self.now, &below)?.position - below).norm();
        (normal.dot(&plane.normal) > ALONG && off <= flush).then_some((distance - ball.radius, normal))
    }
}
