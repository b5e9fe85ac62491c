//! A surface at rest in the frame of a rigid body, and its gaps from points and balls of other bodies.

use std::sync::Arc;

use carom_contact::Shape;
use carom_contact::broad::{Bounds, distance_squared};
use carom_contact::geometry::{Faces, FacesNow};
use carom_contact::shape::FLUSH;
use carom_dynamics::rotation;
use nalgebra::{Matrix3, Vector3};

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
    /// The box around the faces, if no point outside of it is behind them.
    hull: Option<Hull>,
    /// Middle of the box around the points \[m\].
    middle: Vector3<f64>,
    /// Longest side of that box \[m\].
    size: f64,
}

/// A box along the source axes of a body, which are often those of its faces.
#[derive(Debug, Clone)]
struct Hull {
    /// Lower and upper corner, from the centre of mass \[m\].
    bounds: Bounds,
    /// Body axes → source axes.
    to_source: Matrix3<f64>,
}

impl Surface {
    /// A shape in source coordinates as a surface of a body.
    pub(crate) fn new(shape: &Shape, body: &RigidBody) -> Self {
        let hull = shape.as_faces().and_then(|faces| Hull::new(faces, body));
        let shape = shape.moved(|x| body.point_b(x), |v| body.vector_b(v));
        let mesh = shape.as_faces().map(|faces| Box::new(Mesh::at_rest(faces, hull)));
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

    /// True if points may be outside of a box around faces, see [`Surface::least_gap`].
    pub(crate) fn has_hull(&self) -> bool {
        self.mesh.as_ref().is_some_and(|mesh| mesh.hull.is_some())
    }

    /// A bound below the gap of a point or ball from faces, by the box around them \[m\]; −∞ inside of it,
    /// and for other shapes, whose gaps cost as little.
    #[inline]
    pub(crate) fn least_gap(&self, ball: &Ball) -> f64 {
        let hull = self.mesh.as_ref().and_then(|mesh| mesh.hull.as_ref());
        let distance = |hull: &Hull| distance_squared(&hull.bounds, &(hull.to_source * ball.center));
        match hull.map(distance) {
            Some(outside) if outside > 0.0 => outside.sqrt() - ball.radius,
            _ => f64::NEG_INFINITY,
        }
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

impl Hull {
    /// The box around faces in source coordinates; none if they are open, or face inwards.
    fn new(faces: &Faces, body: &RigidBody) -> Option<Self> {
        let n_edges = |face: u32| faces.domain(face).n_corners() as u8;
        let is_open = |face: u32| (0..n_edges(face)).any(|edge| faces.topology.is_rim(face, edge));
        if (0..faces.n_faces() as u32).any(is_open) {
            return None;
        }
        let mut now = faces.state_at_rest();
        let [low, high] = faces.bounds(&mut now);
        let aside = faces.closest(&mut now, &(high + (high - low)))?;
        let bounds = [low - body.com, high - body.com];
        (aside.gap > 0.0).then(|| Self { bounds, to_source: rotation::matrix(&body.axes) })
    }
}

impl Mesh {
    /// Faces in their reference positions.
    fn at_rest(faces: &Faces, hull: Option<Hull>) -> Self {
        let [low, high] =
            faces.reference.iter().fold(
                [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)],
                |[low, high], x| [low.inf(x), high.sup(x)],
            );
        Self { now: faces.state_at_rest(), hull, middle: 0.5 * (low + high), size: (high - low).amax() }
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

#[cfg(test)]
pub(crate) mod tests {
    use carom_fem::{Body, Discretisation, Geometry};
    use carom_mesh::make::{HexOptions, Solid, hexahedra};

    use super::*;

    /// The surface of a box of hexahedra, on a body whose principal axes are not those of the box.
    pub(crate) fn of_box(sets: Option<&str>, orientation: f64) -> Surface {
        let options = HexOptions { elements: vec![2, 3, 1], ..HexOptions::default() };
        let mesh = hexahedra(Solid::Box { size: [1.0, 1.5, 0.4] }, &options).unwrap();
        let geometry = Body {
            name: "box".to_owned(),
            geometry: Geometry::Mesh(mesh),
            materials: vec![carom_fem::Material::named("steel").unwrap()],
            material_of_block: vec![0],
            sections: Vec::new(),
        };
        let discretisation = Discretisation::new(&geometry).unwrap();
        let mut surface = match sets {
            Some(set) => geometry.surface_of_set(&discretisation, set).unwrap(),
            None => discretisation.surface(&geometry.boundary_faces()),
        };
        surface.faces.iter_mut().for_each(|face| face.orientation *= orientation);
        let place = |&k: &u32| Vector3::from(discretisation.points[k as usize]);
        let places: Vec<_> = surface.points.iter().map(place).collect();
        let shape = Shape::faces(surface, &places).unwrap();
        let inertia = Matrix3::new(2.0, 0.3, 0.1, 0.3, 2.5, -0.2, 0.1, -0.2, 3.0);
        let body = RigidBody::new("box", 1.0, inertia, Vector3::new(0.1, 0.2, 0.05)).unwrap();
        Surface::new(&shape, &body)
    }

    #[test]
    fn the_bound_of_a_gap_by_a_box_is_below_the_gap_and_equal_to_it_in_front_of_a_face() {
        let mut surface = of_box(None, 1.0);
        let mut bounded = 0;
        for k in 0..500 {
            let turn = |factor: f64| 1.2 * (factor * f64::from(k)).sin();
            let ball = Ball::new(Vector3::new(turn(1.1), turn(2.3), turn(0.7)), 0.01);
            let (least, (gap, normal)) = (surface.least_gap(&ball), surface.gap(0, &ball));
            assert!(least <= gap + 1e-12, "{least} {gap}");
            if least.is_finite() {
                bounded += 1;
                assert!((least - gap).abs() < 1e-12, "the box is the surface itself: {least} {gap} {normal}");
            }
        }
        assert!(bounded > 300, "{bounded}");
    }

    #[test]
    fn a_surface_that_is_open_or_faces_inwards_has_no_bound() {
        for surface in [of_box(Some("top"), 1.0), of_box(None, -1.0)] {
            let far = Ball::new(Vector3::new(0.3, 0.1, -9.0), 0.0);
            assert_eq!(surface.least_gap(&far), f64::NEG_INFINITY);
        }
    }
}
