//! Cells on a curved surface: a lattice that is unrolled on it.
//!
//! The middle of cell (0, 0) has a plane that touches the surface. The base row, j = 0, follows from it step
//! by step along the first tangent: the next middle is the foot point of a step of one side in the plane,
//! and both tangents turn with the normal without turning about it. From each cell of the base row a column
//! goes along the second tangent in the same way. Row and columns are geodesics, as steps of a side turn the
//! normal by a small angle.
//!
//! A step from a cell depends on its plane alone, so that the lattice is the same from whichever cell of the
//! base row it is laid. On a sphere the columns come nearer to each other as the cosine of the angle from the
//! base row.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use super::heights::Resting;
use super::pair::PairError;
use crate::Shape;
use crate::geometry::Start;
use crate::patch::PatchPlane;

/// Foot points until one lies on the surface: a kink between faces needs more than one.
const MOST_FEET: usize = 6;

/// Largest sideways distance of a foot point from the end of its step, in sides; beyond an edge it is larger.
const SIDEWAYS: f64 = 0.1;

/// Least cosine between the normals at both ends of a step.
const LEAST_COSINE: f64 = 0.9;

/// A cell of the lattice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Middle, two tangents and outward normal.
    pub(super) plane: PatchPlane,
    /// False where the surface has ended; the plane then is that of the last cell, moved.
    pub(super) is_on_surface: bool,
}

/// A surface and the side of the cells on it.
struct Walk<'a> {
    shape: &'a Shape,
    resting: Resting,
    sides: [f64; 2],
}

impl<'a> Walk<'a> {
    fn new(shape: &'a Shape, sides: [f64; 2]) -> Self {
        Self { shape, resting: Resting::new(shape), sides }
    }

    /// The plane that touches the surface near a point, its tangent `d` turned as little as possible.
    fn touching(
        &mut self,
        x: Vector3<f64>,
        axes: &Matrix3<f64>,
        d: usize,
        start: &mut Option<Start>,
    ) -> Option<PatchPlane> {
        let side = self.sides[d];
        let accepted = (1e-10 * side).max(16.0 * f64::EPSILON * x.amax());
        let mut center = x;
        for _ in 0..MOST_FEET {
            let (gap, normal) = self.resting.distance(self.shape, &center, start)?;
            center -= gap * normal;
            if gap.abs() > accepted {
                continue;
            }
            let before = axes.row(2).transpose();
            let along = axes.row(d).transpose();
            let tangent = (along - along.dot(&normal) * normal).try_normalize(0.5)?;
            // Right-handed: n × t₁ = t₂, t₂ × n = t₁.
            let other = if d == 0 { normal.cross(&tangent) } else { tangent.cross(&normal) };
            let tangents = if d == 0 { [tangent, other] } else { [other, tangent] };
            let moved = center - x;
            let sideways = (moved - moved.dot(&normal) * normal).norm();
            let is_near = sideways <= SIDEWAYS * side && normal.dot(&before) >= LEAST_COSINE;
            let [t, u, n] = [tangents[0], tangents[1], normal].map(|a| a.transpose());
            return is_near.then(|| PatchPlane { center, axes: Matrix3::from_rows(&[t, u, n]) });
        }
        None
    }

    /// The next cell along tangent `d`, in the direction of `sign`.
    fn step(&mut self, from: &Node, d: usize, sign: f64, start: &mut Option<Start>) -> Node {
        let plane = from.plane;
        let end = plane.center + sign * self.sides[d] * plane.axes.row(d).transpose();
        let found = if from.is_on_surface { self.touching(end, &plane.axes, d, start) } else { None };
        match found {
            Some(plane) => Node { plane, is_on_surface: true },
            None => Node { plane: PatchPlane { center: end, ..plane }, is_on_surface: false },
        }
    }

    /// Cells from a first one on, along tangent `d`.
    fn row(&mut self, from: Node, d: usize, [low, high]: [i32; 2]) -> Vec<Node> {
        let mut row = vec![from; (high - low + 1) as usize];
        for (sign, steps) in [(1, high), (-1, -low)] {
            let (mut node, mut start) = (from, None);
            for k in 1..=steps {
                node = self.step(&node, d, f64::from(sign), &mut start);
                if (low..=high).contains(&(sign * k)) {
                    row[(sign * k - low) as usize] = node;
                }
            }
        }
        row
    }
}

/// The plane that touches a surface at the foot point of the centre of a plane near it.
///
/// * `side` — of a cell \[m\]
///
/// # Errors
///
/// [`PairError::OffSurface`] beyond an edge of the surface, and in a crease.
pub fn touching(shape: &Shape, plane: &PatchPlane, side: f64) -> Result<PatchPlane, PairError> {
    let found = Walk::new(shape, [side; 2]).touching(plane.center, &plane.axes, 0, &mut None);
    found.ok_or(PairError::OffSurface { place: plane.center.into() })
}

/// The plane of a cell of the base row; `None` if the row leaves the surface before it.
///
/// * `plane` — of cell (0, 0), which touches the surface
/// * `side` — of a cell along the base row \[m\]
pub fn along_base(shape: &Shape, plane: &PatchPlane, side: f64, column: i32) -> Option<PatchPlane> {
    let from = Node { plane: *plane, is_on_surface: true };
    let row = Walk::new(shape, [side; 2]).row(from, 0, [column, column]);
    row[0].is_on_surface.then_some(row[0].plane)
}

/// The cells of a lattice, in the order in which they are given.
///
/// * `plane` — of cell (0, 0); it touches the surface
/// * `sides` — of a cell along both tangents \[m\]
pub(super) fn lattice(shape: &Shape, plane: &PatchPlane, sides: [f64; 2], cells: &[[i32; 2]]) -> Vec<Node> {
    let mut walk = Walk::new(shape, sides);
    let from = Node { plane: *plane, is_on_surface: true };
    // Rows of each column.
    let mut columns = BTreeMap::<i32, [i32; 2]>::new();
    for [i, j] in cells {
        let rows = columns.entry(*i).or_insert([*j, *j]);
        *rows = [rows[0].min(*j), rows[1].max(*j)];
    }
    let (Some((&low, _)), Some((&high, _))) = (columns.first_key_value(), columns.last_key_value()) else {
        return Vec::new();
    };
    let base = walk.row(from, 0, [low, high]);
    let of_column =
        |(&i, &rows): (&i32, &[i32; 2])| (i, (rows[0], walk.row(base[(i - low) as usize], 1, rows)));
    let nodes: BTreeMap<i32, (i32, Vec<Node>)> = columns.iter().map(of_column).collect();
    let found = |[i, j]: &[i32; 2]| nodes[i].1[(j - nodes[i].0) as usize];
    cells.iter().map(found).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Faces, Sphere};
    use crate::test_surfaces::ball;

    const RADIUS: f64 = 0.015;
    const SIDE: f64 = 2e-4;

    fn start() -> PatchPlane {
        PatchPlane { center: RADIUS * Vector3::z(), axes: Matrix3::identity() }
    }

    fn surfaces() -> [Shape; 2] {
        let (surface, points) = ball(RADIUS, 2);
        let faces = Shape::Faces(Box::new(Faces::new(surface, &points).unwrap()));
        [Shape::Sphere(Sphere { center: Vector3::zeros(), radius: RADIUS }), faces]
    }

    #[test]
    fn cells_on_a_ball_lie_on_great_circles() {
        let cells: Vec<_> = (-8..=8).flat_map(|j| (-8..=8).map(move |i| [i, j])).collect();
        let angle = (SIDE / RADIUS).atan();
        for shape in surfaces() {
            let nodes = lattice(&shape, &start(), [SIDE; 2], &cells);
            for (node, [i, j]) in nodes.iter().zip(&cells) {
                let (u, v) = (f64::from(*i) * angle, f64::from(*j) * angle);
                let exact = Vector3::new(u.sin() * v.cos(), v.sin(), u.cos() * v.cos());
                assert!(node.is_on_surface);
                assert!((node.plane.center - RADIUS * exact).norm() < 1e-11 * RADIUS, "{i} {j}");
                assert!((node.plane.axes.row(2).transpose() - exact).norm() < 1e-10);
                assert!((node.plane.axes * node.plane.axes.transpose() - Matrix3::identity()).norm() < 1e-14);
            }
        }
    }

    #[test]
    fn a_lattice_is_the_same_from_any_cell_of_its_base_row() {
        for shape in surfaces() {
            let far = along_base(&shape, &start(), SIDE, 40).unwrap();
            let here = lattice(&shape, &start(), [SIDE; 2], &[[43, -2], [37, 5], [40, 0]]);
            let there = lattice(&shape, &far, [SIDE; 2], &[[3, -2], [-3, 5], [0, 0]]);
            for (a, b) in here.iter().zip(&there) {
                assert!((a.plane.center - b.plane.center).norm() < 1e-13 * RADIUS);
                assert!((a.plane.axes - b.plane.axes).norm() < 1e-12);
            }
        }
    }

    #[test]
    fn cells_end_at_an_edge() {
        let (surface, points) =
            crate::test_surfaces::plate(carom_mesh::FaceShape::Quad4, 3, 3, |x, y| [x, y, 0.0]);
        let shape = Shape::Faces(Box::new(Faces::new(surface, &points).unwrap()));
        let plane = PatchPlane { center: Vector3::new(0.93, 0.5, 0.0), axes: Matrix3::identity() };
        let cells: Vec<_> = (-2..=4).map(|i| [i, 1]).collect();
        let nodes = lattice(&shape, &plane, [0.02; 2], &cells);
        let inside: Vec<bool> = nodes.iter().map(|node| node.is_on_surface).collect();
        assert_eq!(inside, [true, true, true, true, true, true, false]);
        assert!((nodes[6].plane.center - Vector3::new(1.01, 0.52, 0.0)).norm() < 1e-12);
        let row = [3, 4].map(|column| along_base(&shape, &plane, 0.02, column));
        assert!(row[0].is_some() && row[1].is_none(), "{row:?}");
        let beyond = PatchPlane { center: nodes[6].plane.center, ..plane };
        let error = touching(&shape, &beyond, 0.02).unwrap_err().to_string();
        assert!(error.contains("no smooth place near (1.0100e0, 5.2000e-1, 0.0000e0) m"), "{error}");
    }
}
