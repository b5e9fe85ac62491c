mod momentum;
mod places;
mod search;

use std::collections::BTreeMap;

use carom_fem::{Face, FaceBasis, Surface};
use carom_mesh::FaceShape;

use super::*;
use crate::geometry::Start;
use crate::test_surfaces::{Random, cap, plate};

pub(super) const LIMITS: Limits = Limits { reach: 0.3, depth: 0.3 };

/// A side without nodes, and the reference positions of its points.
pub(super) fn faced((surface, positions): (Surface, Vec<Vector3<f64>>)) -> (ContactSide, Vec<Vector3<f64>>) {
    let shape = Shape::faces(surface, &positions).unwrap();
    (ContactSide { shape, nodes: Nodes::default() }, positions)
}

/// Free nodes, each of them a separate point.
pub(super) fn cloud(n: usize) -> ContactSide {
    let points: Vec<u32> = (0..n as u32).collect();
    let shape = Shape::plane(Vector3::zeros(), Vector3::z()).unwrap();
    ContactSide { shape, nodes: Nodes::of_points(&points) }
}

/// The rows of nodes at these places.
pub(super) fn rows_at(surface: (Surface, Vec<Vector3<f64>>), nodes: &[Vector3<f64>]) -> Vec<GapRow> {
    let (side, positions) = faced(surface);
    let mut contact = NodeToFace::new([cloud(nodes.len()), side], LIMITS, Passes::Single).unwrap();
    contact.update([nodes, &positions]).to_vec()
}

/// Flat quadrilaterals over shared corners, each with its normal along the product of its first two edges.
pub(super) fn quads(faces: &[[[f64; 3]; 4]]) -> (Surface, Vec<Vector3<f64>>) {
    let mut numbers: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    let mut positions = Vec::new();
    let mut number = |x: &[f64; 3]| {
        *numbers.entry(x.map(|x| (x * 1e6).round() as i64)).or_insert_with(|| {
            positions.push(Vector3::from(*x));
            positions.len() as u32 - 1
        })
    };
    let face = |corners: &[[f64; 3]; 4]| Face {
        basis: FaceBasis::Lagrange(FaceShape::Quad4),
        points: corners.iter().map(&mut number).collect(),
        orientation: 1.0,
    };
    let faces: Vec<Face> = faces.iter().map(face).collect();
    let n = positions.len();
    (
        Surface { points: (0..n as u32).collect(), weights: vec![1.0; n], faces, operators: Vec::new() },
        positions,
    )
}

/// The boundary of a box along the axes.
pub(super) fn boundary(low: [f64; 3], high: [f64; 3]) -> (Surface, Vec<Vector3<f64>>) {
    let at = |corner: [usize; 3]| [0, 1, 2].map(|d| if corner[d] == 0 { low[d] } else { high[d] });
    let faces = [
        [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 0, 0]],
        [[0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]],
        [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]],
        [[0, 1, 0], [0, 1, 1], [1, 1, 1], [1, 1, 0]],
        [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 1, 0]],
        [[1, 0, 0], [1, 1, 0], [1, 1, 1], [1, 0, 1]],
    ];
    quads(&faces.map(|face| face.map(at)))
}

/// A floor z = 0 and a wall x = 0 that share the edge along y: a concave corner; x, z > 0 is free.
pub(super) fn floor_and_wall() -> (Surface, Vec<Vector3<f64>>) {
    let floor = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let wall = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]];
    quads(&[floor, wall])
}

/// A wavy sheet of every kind of face, and a NURBS cap.
pub(super) fn sheets() -> Vec<(Surface, Vec<Vector3<f64>>)> {
    let wave = |x: f64, y: f64| {
        let (u, v) = (2.0 * x - 1.0, 2.0 * y - 1.0);
        [u, v, 0.12 * (2.5 * u).sin() * (2.0 * v).cos()]
    };
    let shapes = [FaceShape::Tri3, FaceShape::Tri6, FaceShape::Quad4, FaceShape::Quad8, FaceShape::Quad9];
    let mut all: Vec<_> = shapes.map(|shape| plate(shape, 5, 4, wave)).into();
    let (surface, mut positions) = cap(1.0, &[0.3, 0.6]);
    positions.iter_mut().for_each(|x| x.z += 1.0);
    all.push((surface, positions));
    all
}
