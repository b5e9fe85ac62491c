//! Hexahedra on the unit cube.

use carom_vtk::CellType;

use super::{
    AbaqusElement, AbaqusLast, CellFace, CellShape, CellTable, FaceShape, GmshElement, IN_ORDER, Part,
    StressSamples, VtkAlias, VtkCell,
};
use crate::lagrange;
use crate::quadrature::{Integrand, Quadrature, QuadratureRule, gauss_legendre};

/// The trilinear hexahedron.
pub(super) static HEX8: CellTable = CellTable {
    name: "hex8",
    dimension: 3,
    order: 1,
    linear: CellShape::Hex8,
    n_corners: 8,
    nodes: NODES.split_at(8).0,
    edges: &EDGES,
    faces: &[
        CellFace { shape: FaceShape::Quad4, nodes: FACES[0].split_at(4).0 },
        CellFace { shape: FaceShape::Quad4, nodes: FACES[1].split_at(4).0 },
        CellFace { shape: FaceShape::Quad4, nodes: FACES[2].split_at(4).0 },
        CellFace { shape: FaceShape::Quad4, nodes: FACES[3].split_at(4).0 },
        CellFace { shape: FaceShape::Quad4, nodes: FACES[4].split_at(4).0 },
        CellFace { shape: FaceShape::Quad4, nodes: FACES[5].split_at(4).0 },
    ],
    center: [0.5; 3],
    volume: 1.0,
    collapse: |xi| (xi, 1.0),
    values: |xi, values| tensor_values(1, &NODES[..8], xi, values),
    gradients: |xi, gradients| tensor_gradients(1, &NODES[..8], xi, gradients),
    scaled_jacobian,
    rule: |_, rule| match rule {
        QuadratureRule::Default => Quadrature::cube([2; 3]),
        QuadratureRule::High => Quadrature::cube([4; 3]),
    },
    stress: StressSamples { points: || Quadrature::cube([2; 3]).points, factors: stress_factors },
    nodes_per_cell: 1.0,
    parts: Some(parts),
    vtk: VtkCell {
        kind: CellType::Hexahedron,
        others: &[
            VtkAlias { kind: CellType::LagrangeHexahedron, n_nodes: 8, places: None },
            // The points of a voxel run along x, then y, then z.
            VtkAlias { kind: CellType::Voxel, n_nodes: 8, places: Some(&[0, 1, 3, 2, 4, 5, 7, 6]) },
        ],
        mirrored: None,
    },
    gmsh: GmshElement { number: 5, places: IN_ORDER.split_at(8).0 },
    // A line with as many nodes as a hexahedron of second order has a wrong type.
    abaqus: AbaqusElement { name: "C3D8", faces: &ABAQUS_FACES, last: None, cut_below: 20 },
};

/// The serendipity hexahedron.
pub(super) static HEX20: CellTable = CellTable {
    name: "hex20",
    order: 2,
    nodes: NODES.split_at(20).0,
    faces: &[
        CellFace { shape: FaceShape::Quad8, nodes: FACES[0].split_at(8).0 },
        CellFace { shape: FaceShape::Quad8, nodes: FACES[1].split_at(8).0 },
        CellFace { shape: FaceShape::Quad8, nodes: FACES[2].split_at(8).0 },
        CellFace { shape: FaceShape::Quad8, nodes: FACES[3].split_at(8).0 },
        CellFace { shape: FaceShape::Quad8, nodes: FACES[4].split_at(8).0 },
        CellFace { shape: FaceShape::Quad8, nodes: FACES[5].split_at(8).0 },
    ],
    values: |xi, values| {
        for (k, node) in NODES[..20].iter().enumerate() {
            values[k] = serendipity(node, xi).0;
        }
    },
    gradients: |xi, gradients| {
        for (k, node) in NODES[..20].iter().enumerate() {
            gradients[k] = serendipity(node, xi).1;
        }
    },
    rule: quadratic_rule,
    // A large mesh has three edges for each corner.
    nodes_per_cell: 4.0,
    vtk: VtkCell { kind: CellType::QuadraticHexahedron, others: &[], mirrored: None },
    gmsh: GmshElement { number: 17, places: GMSH_PLACES.split_at(20).0 },
    abaqus: AbaqusElement { name: "C3D20", faces: &ABAQUS_FACES, last: None, cut_below: 0 },
    ..HEX8
};

/// The triquadratic hexahedron.
pub(super) static HEX27: CellTable = CellTable {
    name: "hex27",
    order: 2,
    nodes: &NODES,
    faces: &[
        CellFace { shape: FaceShape::Quad9, nodes: &FACES[0] },
        CellFace { shape: FaceShape::Quad9, nodes: &FACES[1] },
        CellFace { shape: FaceShape::Quad9, nodes: &FACES[2] },
        CellFace { shape: FaceShape::Quad9, nodes: &FACES[3] },
        CellFace { shape: FaceShape::Quad9, nodes: &FACES[4] },
        CellFace { shape: FaceShape::Quad9, nodes: &FACES[5] },
    ],
    values: |xi, values| tensor_values(2, &NODES, xi, values),
    gradients: |xi, gradients| tensor_gradients(2, &NODES, xi, gradients),
    rule: quadratic_rule,
    // A large mesh has three edges and three faces for each corner.
    nodes_per_cell: 8.0,
    vtk: VtkCell { kind: CellType::TriquadraticHexahedron, others: &[], mirrored: None },
    gmsh: GmshElement { number: 12, places: &GMSH_PLACES },
    abaqus: AbaqusElement {
        name: "C3D27",
        faces: &ABAQUS_FACES,
        // Nodes 21 to 27: the middle of all, then those of the faces S1 to S6.
        last: Some(AbaqusLast { order: &[26, 24, 25, 22, 21, 23, 20], without: CellShape::Hex20 }),
        cut_below: 0,
    },
    ..HEX8
};

/// Edges by their corners; the mid-edge node of edge k is node 8 + k.
const EDGES: [[u8; 2]; 12] =
    [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

/// Faces x−, x+, y−, y+, z−, z+. Linear cells use the first four nodes of each, serendipity cells eight.
const FACES: [[u8; 9]; 6] = [
    [0, 4, 7, 3, 16, 15, 19, 11, 20],
    [1, 2, 6, 5, 9, 18, 13, 17, 21],
    [0, 1, 5, 4, 8, 17, 12, 16, 22],
    [2, 3, 7, 6, 10, 19, 14, 18, 23],
    [0, 3, 2, 1, 11, 10, 9, 8, 24],
    [4, 5, 6, 7, 12, 13, 14, 15, 25],
];

/// Abaqus numbers the faces by their corners 1-2-3-4, 5-8-7-6, 1-5-6-2, 2-6-7-3, 3-7-8-4, 4-8-5-1.
const ABAQUS_FACES: [u8; 6] = [4, 5, 2, 1, 3, 0];

/// Gmsh's edges run 01 03 04 12 15 23 26 37 45 47 56 67, its faces z− y− x− x+ y+ z+, then the centre.
const GMSH_PLACES: [u8; 27] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15, 22, 23, 21, 24, 20, 25, 26];

const NODES: [[f64; 3]; 27] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
    [0.5, 0.0, 0.0],
    [1.0, 0.5, 0.0],
    [0.5, 1.0, 0.0],
    [0.0, 0.5, 0.0],
    [0.5, 0.0, 1.0],
    [1.0, 0.5, 1.0],
    [0.5, 1.0, 1.0],
    [0.0, 0.5, 1.0],
    [0.0, 0.0, 0.5],
    [1.0, 0.0, 0.5],
    [1.0, 1.0, 0.5],
    [0.0, 1.0, 0.5],
    [0.0, 0.5, 0.5],
    [1.0, 0.5, 0.5],
    [0.5, 0.0, 0.5],
    [0.5, 1.0, 0.5],
    [0.5, 0.5, 0.0],
    [0.5, 0.5, 1.0],
    [0.5, 0.5, 0.5],
];

impl CellShape {
    /// The hexahedron for solids of this order: trilinear for 1, serendipity for 2.
    pub fn hexahedron(order: u8) -> Option<Self> {
        match order {
            1 => Some(Self::Hex8),
            2 => Some(Self::Hex20),
            _ => None,
        }
    }

    /// Whether it is a hexahedron, which lattices of a block are made of.
    pub fn is_hexahedron(self) -> bool {
        self.table().linear == Self::Hex8
    }
}

fn quadratic_rule(_: Integrand, rule: QuadratureRule) -> Quadrature {
    match rule {
        QuadratureRule::Default => Quadrature::cube([3; 3]),
        QuadratureRule::High => Quadrature::cube([5; 3]),
    }
}

fn tensor_values(order: usize, nodes: &[[f64; 3]], xi: [f64; 3], values: &mut [f64]) {
    let basis = xi.map(|t| line_values(order, t));
    for (k, node) in nodes.iter().enumerate() {
        let [i, j, l] = line_indices(node);
        values[k] = basis[0][i] * basis[1][j] * basis[2][l];
    }
}

fn tensor_gradients(order: usize, nodes: &[[f64; 3]], xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let basis = xi.map(|t| line_values(order, t));
    let slope = xi.map(|t| line_slopes(order, t));
    for (k, node) in nodes.iter().enumerate() {
        let [i, j, l] = line_indices(node);
        gradients[k] = [
            slope[0][i] * basis[1][j] * basis[2][l],
            basis[0][i] * slope[1][j] * basis[2][l],
            basis[0][i] * basis[1][j] * slope[2][l],
        ];
    }
}

/// Lagrange polynomials on \[0,1\] with nodes 0, 1 (and ½, numbered last).
fn line_values(order: usize, t: f64) -> [f64; 3] {
    if order == 1 {
        [1.0 - t, t, 0.0]
    } else {
        [(1.0 - t) * (1.0 - 2.0 * t), t * (2.0 * t - 1.0), 4.0 * t * (1.0 - t)]
    }
}

/// Derivatives of [`line_values`].
fn line_slopes(order: usize, t: f64) -> [f64; 3] {
    if order == 1 { [-1.0, 1.0, 0.0] } else { [4.0 * t - 3.0, 4.0 * t - 1.0, 4.0 - 8.0 * t] }
}

/// Numbers of the one-dimensional polynomials whose product belongs to a node: 0 → 0, 1 → 1, ½ → 2.
fn line_indices(node: &[f64; 3]) -> [usize; 3] {
    node.map(|t| if t == 0.5 { 2 } else { t as usize })
}

/// Value and gradient of the serendipity function of `node`, in r = 2ξ − 1 ∈ \[−1,1\]³ with node signs s = 2
/// node − 1:
///
/// ```text
/// corner:          N = ⅛ Π(1 + s_i r_i) (Σ s_i r_i − 2)
/// edge along r_m:  N = ¼ (1 − r_m²) Π_{i≠m}(1 + s_i r_i)
/// ```
fn serendipity(node: &[f64; 3], xi: [f64; 3]) -> (f64, [f64; 3]) {
    let r = xi.map(|t| 2.0 * t - 1.0);
    let s = node.map(|t| 2.0 * t - 1.0);
    let f = [1.0 + s[0] * r[0], 1.0 + s[1] * r[1], 1.0 + s[2] * r[2]];
    let mut gradient = [0.0; 3];
    let others = [[1, 2], [0, 2], [0, 1]];
    if let Some(m) = (0..3).find(|&i| node[i] == 0.5) {
        let [a, b] = others[m];
        let bubble = 1.0 - r[m] * r[m];
        gradient[m] = -0.25 * 2.0 * r[m] * f[a] * f[b];
        gradient[a] = 0.25 * bubble * s[a] * f[b];
        gradient[b] = 0.25 * bubble * f[a] * s[b];
        // ∂r/∂ξ = 2
        return (0.25 * bubble * f[a] * f[b], gradient.map(|g| 2.0 * g));
    }
    let sum = s[0] * r[0] + s[1] * r[1] + s[2] * r[2] - 2.0;
    for i in 0..3 {
        let [a, b] = others[i];
        gradient[i] = 2.0 * 0.125 * s[i] * f[a] * f[b] * (sum + f[i]);
    }
    (0.125 * f[0] * f[1] * f[2] * sum, gradient)
}

/// Factors of trilinear interpolation between the eight samples.
fn stress_factors(xi: [f64; 3]) -> Vec<f64> {
    let (x, _) = gauss_legendre(2);
    let [u, v, w] = xi.map(|t| [(x[1] - t) / (x[1] - x[0]), (t - x[0]) / (x[1] - x[0])]);
    (0..8).map(|k| u[k & 1] * v[k >> 1 & 1] * w[k >> 2]).collect()
}

/// Scaled Jacobian det / (|c₁||c₂||c₃|), as in Verdict.
fn scaled_jacobian(columns: &[[f64; 3]; 3]) -> f64 {
    let product = columns.iter().map(|c| super::length(*c)).product::<f64>();
    if product > 0.0 { lagrange::determinant(columns) / product } else { 0.0 }
}

/// Corners of the n³ parts of a divided hexahedron.
fn parts(n: usize) -> Vec<Part> {
    let n = n as u32;
    let part = |m: u32| {
        let first = [m % n, m / n % n, m / (n * n)];
        let corner = |xi: &[f64; 3]| [0, 1, 2].map(|d| first[d] + xi[d] as u32);
        NODES[..8].iter().map(corner).collect()
    };
    (0..n * n * n).map(part).collect()
}
