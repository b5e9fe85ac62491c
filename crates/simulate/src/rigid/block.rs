//! Bodies whose surface is that of a rectangular block, from their mesh or their splines.

use carom_fem::Surface;
use carom_rigid::{Ball, Block};
use nalgebra::{Matrix3, Vector3};

use crate::silhouette::bounds;

/// Distance of points from the planes of a block, relative to its largest side, and sine of the angle of its
/// planes from right ones: files with few digits are rounded by less.
const ROUNDING: f64 = 1e-6;

/// The block whose surface is a closed surface; none of another form.
///
/// A closed surface whose faces lie in the six planes of a block is that of the block. A face lies in a plane
/// if its nodes or control points do, as it lies within their hull.
///
/// * `places` — of the points of the surface \[m\]
///
/// # Returns
///
/// The block in the same axes, its own as near as possible to them.
pub(super) fn block(surface: &Surface, places: &[Vector3<f64>]) -> Option<Block> {
    let points: Vec<[f64; 3]> = places.iter().map(|&place| place.into()).collect();
    let [low, high] = bounds(places);
    let size = (high - low).max();
    let mut planes = Vec::with_capacity(6);
    for face in 0..surface.faces.len() {
        let plane = plane(surface, face, &points, ROUNDING * size)?;
        if !planes.iter().any(|other| are_one(other, &plane, size)) {
            planes.push(plane);
        }
        if planes.len() > 6 {
            return None;
        }
    }
    of_planes(&planes)
}

/// True if a point of the surface of a block is one of its corners.
pub(super) fn is_corner(block: &Block, point: &Vector3<f64>) -> bool {
    let beyond = block.axes.tr_mul(&(point - block.center)).abs() - block.half;
    beyond.amax() <= 2.0 * ROUNDING * block.half.max()
}

/// The corners of a block, those with the smallest place along its last axis first.
pub(super) fn corners(block: &Block) -> [Ball; 8] {
    let corners = Ball::corners(Vector3::zeros(), 2.0 * block.half);
    corners.map(|ball| Ball {
        center: block.center + block.axes * ball.center,
        edges: ball.edges.map(|edge| block.axes * edge),
        ..ball
    })
}

/// A plane: its outward normal, and its distance from the origin along it \[m\].
type Plane = (Vector3<f64>, f64);

/// The plane of a face; none if the face leaves it, or has no normal in its middle.
///
/// * `rounding` — distance of its points from the plane \[m\]
fn plane(surface: &Surface, face: usize, points: &[[f64; 3]], rounding: f64) -> Option<Plane> {
    let of_face = &surface.faces[face];
    let middle = if of_face.basis.is_triangle() { [1.0 / 3.0; 2] } else { [0.5; 2] };
    let (at, tangents) = surface.tangents(face, middle, points);
    let [along, across] = tangents.map(Vector3::from);
    let normal = (of_face.orientation * along.cross(&across)).try_normalize(0.0)?;
    let offset = normal.dot(&Vector3::from(at));
    let is_on =
        |&point: &u32| (normal.dot(&Vector3::from(points[point as usize])) - offset).abs() <= rounding;
    of_face.points.iter().all(is_on).then_some((normal, offset))
}

fn are_one(a: &Plane, b: &Plane, size: f64) -> bool {
    (a.0 - b.0).amax() <= ROUNDING && (a.1 - b.1).abs() <= ROUNDING * size
}

/// The block between three pairs of planes; none if they are not at right angles.
fn of_planes(planes: &[Plane]) -> Option<Block> {
    if planes.len() != 6 {
        return None;
    }
    let mut axes = Matrix3::zeros();
    let (mut middle, mut half) = (Vector3::zeros(), Vector3::zeros());
    let mut left: Vec<&Plane> = planes.iter().collect();
    for axis in 0..3 {
        // Of each two opposite planes the one whose normal is nearest to this axis of the source.
        let (k, _) = left.iter().enumerate().max_by(|a, b| a.1.0[axis].total_cmp(&b.1.0[axis]))?;
        let (normal, high) = *left.swap_remove(k);
        let opposite = left.iter().position(|(other, _)| (other + normal).amax() <= ROUNDING)?;
        let (_, low) = *left.swap_remove(opposite);
        axes.set_column(axis, &normal);
        (middle[axis], half[axis]) = (0.5 * (high - low), 0.5 * (high + low));
    }
    let is_square = (axes.tr_mul(&axes) - Matrix3::identity()).amax() <= ROUNDING;
    if !is_square || half.min() <= 0.0 {
        return None;
    }
    if axes.determinant() < 0.0 {
        axes.set_column(2, &-axes.column(2));
        middle.z = -middle.z;
    }
    let axes = nearest_rotation(&axes)?;
    Some(Block { center: axes * middle, half, axes })
}

/// The rotation next to a matrix that is one but for rounding: the source axes themselves if it is theirs.
fn nearest_rotation(matrix: &Matrix3<f64>) -> Option<Matrix3<f64>> {
    if (matrix - Matrix3::identity()).amax() <= 1e-12 {
        return Some(Matrix3::identity());
    }
    let parts = matrix.svd(true, true);
    Some(parts.u? * parts.v_t?)
}

#[cfg(test)]
mod tests {
    use carom_fem::{Discretisation, Face, FaceBasis, Material};
    use carom_make::{Shape, ShapeOptions, make};
    use carom_mesh::FaceShape;
    use carom_progress::Silent;
    use nalgebra::{Rotation3, Unit};

    use super::*;

    const SIZE: [f64; 3] = [0.2, 0.1, 0.06];

    fn surface(options: &ShapeOptions) -> (Surface, Vec<Vector3<f64>>) {
        let material = Material::new("steel", 7800.0, 2.0e11, 0.3).unwrap();
        let body = make(options, "body", material, &Silent).unwrap();
        let discretisation = Discretisation::new(&body).unwrap();
        let surface = discretisation.surface(&body.boundary_faces());
        let places = surface.points.iter().map(|&k| Vector3::from(discretisation.points[k as usize]));
        let places = places.collect();
        (surface, places)
    }

    fn boxes() -> [ShapeOptions; 3] {
        let of = ShapeOptions { size: Some(SIZE), elements: vec![3, 2, 1], ..ShapeOptions::of(Shape::Box) };
        let hex = ShapeOptions { hex: true, ..of.clone() };
        [of, ShapeOptions { order: Some(1), ..hex.clone() }, hex]
    }

    /// Splines and hexahedra, as they are and turned: the block has their corners, edges and volume.
    #[test]
    fn a_box_is_a_block_in_any_position() {
        let axis = Unit::new_normalize(Vector3::new(0.3, -0.5, 0.8));
        for options in boxes() {
            let (surface, places) = surface(&options);
            for degrees in [0.0, 20.0, 90.0, 170.0, 250.0] {
                let turn = Rotation3::from_axis_angle(&axis, f64::to_radians(degrees));
                let shift = Vector3::new(1.0, -2.0, 0.5);
                let turned: Vec<Vector3<f64>> = places.iter().map(|x| turn * x + shift).collect();
                let found = block(&surface, &turned).unwrap();
                assert!((8.0 * found.half.product() / SIZE.iter().product::<f64>() - 1.0).abs() < 1e-12);
                assert!((found.axes.tr_mul(&found.axes) - Matrix3::identity()).amax() < 1e-14);
                assert!(found.axes.determinant() > 0.0);
                if degrees == 0.0 {
                    assert_eq!(found.axes, Matrix3::identity());
                }
                let corners = corners(&found);
                for (corner, k) in corners.iter().zip(0..) {
                    let near = |x: &Vector3<f64>| (x - corner.center).norm() < 1e-12;
                    assert!(turned.iter().any(near), "{degrees}: corner {k} at {}", corner.center);
                    assert!(is_corner(&found, &corner.center));
                    // Its edges go into the block.
                    assert!(corner.edges.iter().all(|edge| edge.dot(&(found.center - corner.center)) > 0.0));
                }
                assert_eq!(turned.iter().filter(|x| is_corner(&found, x)).count(), 8);
            }
        }
    }

    /// A node that leaves its face, a shorter edge, and bodies of other forms.
    #[test]
    fn other_bodies_are_no_blocks() {
        for options in boxes() {
            let (surface, places) = surface(&options);
            for k in 0..places.len() {
                let mut moved = places.clone();
                moved[k] += Vector3::new(2e-5, 3e-5, 1e-5);
                assert!(block(&surface, &moved).is_none(), "{k}");
            }
            let sheared: Vec<Vector3<f64>> =
                places.iter().map(|x| x + Vector3::new(1e-4 * x.y, 0.0, 0.0)).collect();
            assert!(block(&surface, &sheared).is_none());
        }
        let rod = ShapeOptions { radius: Some(0.1), length: Some(0.2), ..ShapeOptions::of(Shape::Rod) };
        for options in [ShapeOptions { hex: true, ..rod.clone() }, rod] {
            let (surface, places) = surface(&options);
            assert!(block(&surface, &places).is_none());
        }
    }

    /// A cube of triangles is a block; a room, a tetrahedron and a wedge are none.
    #[test]
    fn triangles_are_a_block_where_they_enclose_one() {
        let of = |triangles: &[[u32; 3]], places: &[[f64; 3]]| {
            let face = |points: &[u32; 3]| Face {
                basis: FaceBasis::Lagrange(FaceShape::Tri3),
                points: points.to_vec(),
                orientation: 1.0,
            };
            let surface = Surface {
                points: (0..places.len() as u32).collect(),
                weights: vec![1.0; places.len()],
                faces: triangles.iter().map(face).collect(),
                operators: Vec::new(),
            };
            block(&surface, &places.iter().map(|&x| x.into()).collect::<Vec<_>>())
        };
        let corner = |k: u32| [f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)];
        let cube: Vec<[f64; 3]> = (0..8).map(corner).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let mut triangles: Vec<[u32; 3]> =
            quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let found = of(&triangles, &cube).unwrap();
        assert_eq!((found.center, found.half), (Vector3::repeat(0.5), Vector3::repeat(0.5)));
        // Turned inside out it is a room.
        triangles.iter_mut().for_each(|points| points.swap(0, 1));
        assert!(of(&triangles, &cube).is_none());
        let tetrahedron = [[0, 2, 1], [0, 1, 4], [0, 4, 2], [1, 2, 4]];
        assert!(of(&tetrahedron, &cube).is_none());
        let wedge = [[0, 2, 1], [4, 5, 6], [0, 1, 5], [0, 5, 4], [0, 4, 6], [0, 6, 2], [1, 2, 6], [1, 6, 5]];
        assert!(of(&wedge, &cube).is_none());
    }
}
