//! Shells and beams: cells of two and one dimensions, whose thickness is a [`crate::section::Section`].
//!
//! A shell has two faces: face 0 on the side to which its normal points, face 1 on the other side. Its third
//! reference coordinate has no influence. A beam has no faces.

use carom_vtk::CellType;

use super::{
    AbaqusElement, CellFace, CellShape, CellTable, FaceShape, GmshElement, IN_ORDER, StressSamples, VtkCell,
};
use crate::quadrature::Quadrature;

/// The three-node shell.
pub(super) static TRI3: CellTable = CellTable {
    name: "tri3",
    dimension: 2,
    order: 1,
    linear: CellShape::Tri3,
    n_corners: 3,
    nodes: TRIANGLE.split_at(3).0,
    edges: TRIANGLE_EDGES.split_at(3).0,
    faces: &[
        CellFace { shape: FaceShape::Tri3, nodes: &[0, 1, 2] },
        CellFace { shape: FaceShape::Tri3, nodes: &[0, 2, 1] },
    ],
    center: [1.0 / 3.0, 1.0 / 3.0, 0.0],
    volume: 0.5,
    collapse: |[u, v, _]| ([u, v * (1.0 - u), 0.0], 1.0 - u),
    values: |[x, y, _], values| values[..3].copy_from_slice(&[1.0 - x - y, x, y]),
    gradients: |_, gradients| {
        gradients[..3].copy_from_slice(&[[-1.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    },
    // 2/√3 the sine of the smallest angle times the shorter of its edges over the longest one.
    scaled_jacobian: |[a, b, _]| {
        let third = super::length(std::array::from_fn(|d| a[d] - b[d]));
        let (a_length, b_length) = (super::length(*a), super::length(*b));
        let largest = (a_length * b_length).max(a_length * third).max(b_length * third);
        2.0 / 3.0_f64.sqrt() * super::length(cross(a, b)) / largest
    },
    rule: |_, _| Quadrature::triangle_3(),
    stress: StressSamples { points: || vec![[1.0 / 3.0, 1.0 / 3.0, 0.0]], factors: |_| vec![1.0] },
    nodes_per_cell: 0.5,
    parts: None,
    vtk: VtkCell { kind: CellType::Triangle, others: &[], mirrored: None },
    gmsh: GmshElement { number: 2, places: IN_ORDER.split_at(3).0 },
    abaqus: AbaqusElement { name: "S3", faces: &[0, 1], last: None, cut_below: 0 },
};

/// The four-node shell.
pub(super) static QUAD4: CellTable = CellTable {
    name: "quad4",
    linear: CellShape::Quad4,
    n_corners: 4,
    nodes: &SQUARE,
    edges: &[[0, 1], [1, 2], [2, 3], [3, 0]],
    faces: &[
        CellFace { shape: FaceShape::Quad4, nodes: &[0, 1, 2, 3] },
        CellFace { shape: FaceShape::Quad4, nodes: &[0, 3, 2, 1] },
    ],
    center: [0.5, 0.5, 0.0],
    volume: 1.0,
    collapse: |[u, v, _]| ([u, v, 0.0], 1.0),
    values: |[x, y, _], values| {
        values[..4].copy_from_slice(&[(1.0 - x) * (1.0 - y), x * (1.0 - y), x * y, (1.0 - x) * y]);
    },
    gradients: |[x, y, _], gradients| {
        let (u, v) = (1.0 - x, 1.0 - y);
        gradients[..4].copy_from_slice(&[[-v, -u, 0.0], [v, -x, 0.0], [y, x, 0.0], [-y, u, 0.0]]);
    },
    scaled_jacobian: |[a, b, _]| super::length(cross(a, b)) / (super::length(*a) * super::length(*b)),
    rule: |_, _| Quadrature::square(2),
    stress: StressSamples { points: || vec![[0.5, 0.5, 0.0]], factors: |_| vec![1.0] },
    nodes_per_cell: 1.0,
    vtk: VtkCell { kind: CellType::Quad, others: &[], mirrored: None },
    gmsh: GmshElement { number: 3, places: IN_ORDER.split_at(4).0 },
    abaqus: AbaqusElement { name: "S4", faces: &[0, 1], last: None, cut_below: 0 },
    ..TRI3
};

/// The two-node beam.
pub(super) static LINE2: CellTable = CellTable {
    name: "line2",
    dimension: 1,
    linear: CellShape::Line2,
    n_corners: 2,
    nodes: &[[0.0; 3], [1.0, 0.0, 0.0]],
    edges: &[[0, 1]],
    faces: &[],
    center: [0.5, 0.0, 0.0],
    volume: 1.0,
    collapse: |[u, _, _]| ([u, 0.0, 0.0], 1.0),
    values: |[x, _, _], values| values[..2].copy_from_slice(&[1.0 - x, x]),
    gradients: |_, gradients| gradients[..2].copy_from_slice(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]),
    scaled_jacobian: |[a, _, _]| if super::length(*a) > 0.0 { 1.0 } else { 0.0 },
    rule: |_, _| {
        let (points, weights) = crate::quadrature::gauss_legendre(2);
        Quadrature { points: points.iter().map(|&x| [x, 0.0, 0.0]).collect(), weights }
    },
    stress: StressSamples { points: || vec![[0.5, 0.0, 0.0]], factors: |_| vec![1.0] },
    vtk: VtkCell { kind: CellType::Line, others: &[], mirrored: None },
    gmsh: GmshElement { number: 1, places: IN_ORDER.split_at(2).0 },
    abaqus: AbaqusElement { name: "B31", faces: &[], last: None, cut_below: 0 },
    ..TRI3
};

const TRIANGLE: [[f64; 3]; 3] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
const TRIANGLE_EDGES: [[u8; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
const SQUARE: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
