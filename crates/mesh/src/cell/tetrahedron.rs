//! Tetrahedra on the unit simplex.

use carom_vtk::CellType;

use super::{
    AbaqusElement, CellFace, CellShape, CellTable, FaceShape, GmshElement, IN_ORDER, Part, StressSamples,
    VtkAlias, VtkCell,
};
use crate::lagrange;
use crate::quadrature::{Integrand, Quadrature, QuadratureRule};

/// The linear tetrahedron.
pub(super) static TET4: CellTable = CellTable {
    name: "tet4",
    dimension: 3,
    order: 1,
    linear: CellShape::Tet4,
    n_corners: 4,
    nodes: NODES.split_at(4).0,
    edges: &EDGES,
    faces: &[
        CellFace { shape: FaceShape::Tri3, nodes: FACES[0].split_at(3).0 },
        CellFace { shape: FaceShape::Tri3, nodes: FACES[1].split_at(3).0 },
        CellFace { shape: FaceShape::Tri3, nodes: FACES[2].split_at(3).0 },
        CellFace { shape: FaceShape::Tri3, nodes: FACES[3].split_at(3).0 },
    ],
    center: [0.25; 3],
    volume: 1.0 / 6.0,
    collapse,
    values: |xi, values| values[..4].copy_from_slice(&barycentric(xi)),
    gradients: |_, gradients| gradients[..4].copy_from_slice(&GRAD_BARYCENTRIC),
    scaled_jacobian,
    rule: |integrand, rule| match (integrand, rule) {
        (Integrand::Stiffness, QuadratureRule::Default) => {
            Quadrature { points: vec![[0.25; 3]], weights: vec![1.0 / 6.0] }
        }
        // Gradients in a straight cell are constant and the product of two values is quadratic: these rules
        // are exact.
        _ => Quadrature::tetrahedron_4(),
    },
    stress: StressSamples { points: || vec![[0.25; 3]], factors: |_| vec![1.0] },
    // A cube is cut into six tetrahedra: seven edges for each corner.
    nodes_per_cell: 1.0 / 6.0,
    parts: Some(parts),
    vtk: VtkCell {
        kind: CellType::Tetra,
        others: &[VtkAlias { kind: CellType::LagrangeTetrahedron, n_nodes: 4, places: None }],
        mirrored: None,
    },
    gmsh: GmshElement { number: 4, places: IN_ORDER.split_at(4).0 },
    abaqus: AbaqusElement { name: "C3D4", faces: &ABAQUS_FACES, last: None, cut_below: 0 },
};

/// The quadratic tetrahedron.
pub(super) static TET10: CellTable = CellTable {
    name: "tet10",
    order: 2,
    nodes: &NODES,
    faces: &[
        CellFace { shape: FaceShape::Tri6, nodes: &FACES[0] },
        CellFace { shape: FaceShape::Tri6, nodes: &FACES[1] },
        CellFace { shape: FaceShape::Tri6, nodes: &FACES[2] },
        CellFace { shape: FaceShape::Tri6, nodes: &FACES[3] },
    ],
    values: quadratic_values,
    gradients: quadratic_gradients,
    rule: |integrand, rule| match (integrand, rule) {
        (Integrand::Stiffness, QuadratureRule::Default) => Quadrature::tetrahedron_4(),
        (Integrand::Mass, QuadratureRule::Default) => Quadrature::tetrahedron_15(),
        (Integrand::Stiffness, QuadratureRule::High) => Quadrature::tetrahedron_14(),
        (Integrand::Mass, QuadratureRule::High) => Quadrature::tetrahedron(4),
    },
    stress: StressSamples { points: || Quadrature::tetrahedron_4().points, factors: stress_factors },
    nodes_per_cell: 8.0 / 6.0,
    vtk: VtkCell {
        kind: CellType::QuadraticTetra,
        others: &[VtkAlias { kind: CellType::LagrangeTetrahedron, n_nodes: 10, places: None }],
        mirrored: None,
    },
    gmsh: GmshElement { number: 11, places: &[0, 1, 2, 3, 4, 5, 6, 7, 9, 8] },
    abaqus: AbaqusElement { name: "C3D10", faces: &ABAQUS_FACES, last: None, cut_below: 0 },
    ..TET4
};

/// Edges by their corners; the mid-edge node of edge k is node 4 + k.
const EDGES: [[u8; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// Faces η = 0, the slanted one, ξ = 0, ζ = 0.
const FACES: [[u8; 6]; 4] = [[0, 1, 3, 4, 8, 7], [1, 2, 3, 5, 9, 8], [2, 0, 3, 6, 7, 9], [0, 2, 1, 6, 5, 4]];

/// Abaqus numbers the faces by their corners 1-2-3, 1-4-2, 2-4-3, 3-4-1.
const ABAQUS_FACES: [u8; 4] = [3, 0, 1, 2];

const NODES: [[f64; 3]; 10] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.0],
    [0.0, 0.0, 0.5],
    [0.5, 0.0, 0.5],
    [0.0, 0.5, 0.5],
];

/// Gradients of the barycentric coordinates.
const GRAD_BARYCENTRIC: [[f64; 3]; 4] =
    [[-1.0, -1.0, -1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn barycentric(xi: [f64; 3]) -> [f64; 4] {
    [1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]]
}

/// The map (u, v, w) → (ξ, η, ζ) = (u, v(1−u), w(1−u)(1−v)), with its determinant (1−u)²(1−v).
fn collapse([u, v, w]: [f64; 3]) -> ([f64; 3], f64) {
    ([u, v * (1.0 - u), w * (1.0 - u) * (1.0 - v)], (1.0 - u).powi(2) * (1.0 - v))
}

fn quadratic_values(xi: [f64; 3], values: &mut [f64]) {
    let l = barycentric(xi);
    for k in 0..4 {
        values[k] = l[k] * (2.0 * l[k] - 1.0);
    }
    for (k, &[a, b]) in EDGES.iter().enumerate() {
        values[4 + k] = 4.0 * l[a as usize] * l[b as usize];
    }
}

fn quadratic_gradients(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let l = barycentric(xi);
    for k in 0..4 {
        gradients[k] = GRAD_BARYCENTRIC[k].map(|g| (4.0 * l[k] - 1.0) * g);
    }
    for (k, &[a, b]) in EDGES.iter().enumerate() {
        let (a, b) = (a as usize, b as usize);
        for d in 0..3 {
            gradients[4 + k][d] = 4.0 * (l[a] * GRAD_BARYCENTRIC[b][d] + l[b] * GRAD_BARYCENTRIC[a][d]);
        }
    }
}

/// Factors of linear interpolation between the four samples: at sample k the barycentric coordinate k is b,
/// the others are a.
fn stress_factors(xi: [f64; 3]) -> Vec<f64> {
    let a = Quadrature::tetrahedron_4().points[0][0];
    let b = 1.0 - 3.0 * a;
    barycentric(xi).map(|l| (l - a) / (b - a)).to_vec()
}

/// Scaled Jacobian √2 det / max over corners of the product of the three edge lengths there (Verdict).
fn scaled_jacobian(columns: &[[f64; 3]; 3]) -> f64 {
    let difference = |a: usize, b: usize| {
        super::length([
            columns[a][0] - columns[b][0],
            columns[a][1] - columns[b][1],
            columns[a][2] - columns[b][2],
        ])
    };
    let [l1, l2, l3] = columns.map(super::length);
    let (l12, l13, l23) = (difference(0, 1), difference(0, 2), difference(1, 2));
    let largest =
        [l1 * l2 * l3, l1 * l12 * l13, l2 * l12 * l23, l3 * l13 * l23].into_iter().fold(0.0, f64::max);
    if largest > 0.0 { std::f64::consts::SQRT_2 * lagrange::determinant(columns) / largest } else { 0.0 }
}

/// Corners of the n³ parts of a divided tetrahedron, all of the same volume.
///
/// In the coordinates (X, Y, Z) = (i+j+k, j+k, k) the cell is n ≥ X ≥ Y ≥ Z ≥ 0. Kuhn's cut divides every
/// unit cube into six tetrahedra, one for each order of the three axes; each of them lies either inside or
/// outside of the cell. On each face the cut draws lines parallel to the edges, so parts of neighbouring
/// cells fit (Freudenthal 1942; Bey 2000, Numer. Math. 85, 1–29).
fn parts(n: usize) -> Vec<Part> {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let n = n as u32;
    let mut parts = Vec::new();
    for m in 0..n * n * n {
        let first = [m % n, m / n % n, m / (n * n)];
        for order in ORDERS {
            let mut at = first;
            let mut path = vec![at];
            for axis in order {
                at[axis] += 1;
                path.push(at);
            }
            if !path.iter().all(|[x, y, z]| n >= *x && x >= y && y >= z) {
                continue;
            }
            let mut corners: Vec<[u32; 3]> = path.iter().map(|[x, y, z]| [x - y, y - z, *z]).collect();
            let edge = |k: usize| [0, 1, 2].map(|d| f64::from(corners[k][d]) - f64::from(corners[0][d]));
            if lagrange::determinant(&[edge(1), edge(2), edge(3)]) < 0.0 {
                corners.swap(2, 3);
            }
            parts.push(corners);
        }
    }
    parts
}
