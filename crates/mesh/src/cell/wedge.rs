//! Wedges (prisms over a triangle): the unit triangle times the unit interval.

use carom_vtk::CellType;

use super::{
    AbaqusElement, CellFace, CellShape, CellTable, FaceShape, GmshElement, IN_ORDER, Part, StressSamples,
    VtkAlias, VtkCell,
};
use crate::lagrange;
use crate::quadrature::{Quadrature, QuadratureRule, gauss_legendre};

/// The linear wedge.
pub(super) static WEDGE6: CellTable = CellTable {
    name: "wedge6",
    dimension: 3,
    order: 1,
    linear: CellShape::Wedge6,
    n_corners: 6,
    nodes: NODES.split_at(6).0,
    edges: &EDGES,
    faces: &[
        CellFace { shape: FaceShape::Tri3, nodes: TRIANGLES[0].split_at(3).0 },
        CellFace { shape: FaceShape::Tri3, nodes: TRIANGLES[1].split_at(3).0 },
        CellFace { shape: FaceShape::Quad4, nodes: SIDES[0].split_at(4).0 },
        CellFace { shape: FaceShape::Quad4, nodes: SIDES[1].split_at(4).0 },
        CellFace { shape: FaceShape::Quad4, nodes: SIDES[2].split_at(4).0 },
    ],
    center: [1.0 / 3.0, 1.0 / 3.0, 0.5],
    volume: 0.5,
    collapse: |[u, v, w]| ([u, v * (1.0 - u), w], 1.0 - u),
    values: linear_values,
    gradients: linear_gradients,
    scaled_jacobian,
    // Exact for prisms; the patch test holds in every wedge: no term has a degree above 1 in the triangle and
    // 2 along the axis.
    rule: |_, rule| match rule {
        QuadratureRule::Default => Quadrature::triangle_3().times_line(2),
        QuadratureRule::High => Quadrature::triangle(4).times_line(4),
    },
    stress: StressSamples {
        points: || Quadrature::triangle_3().times_line(2).points,
        factors: stress_factors,
    },
    // A cube is cut into two wedges.
    nodes_per_cell: 0.5,
    parts: Some(parts),
    vtk: VtkCell {
        kind: CellType::Wedge,
        others: &[VtkAlias { kind: CellType::LagrangeWedge, n_nodes: 6, places: None }],
        mirrored: Some(MIRRORED.split_at(6).0),
    },
    gmsh: GmshElement { number: 6, places: IN_ORDER.split_at(6).0 },
    abaqus: AbaqusElement { name: "C3D6", faces: &ABAQUS_FACES, last: None, cut_below: 0 },
};

/// The serendipity wedge.
pub(super) static WEDGE15: CellTable = CellTable {
    name: "wedge15",
    order: 2,
    nodes: &NODES,
    faces: &[
        CellFace { shape: FaceShape::Tri6, nodes: &TRIANGLES[0] },
        CellFace { shape: FaceShape::Tri6, nodes: &TRIANGLES[1] },
        CellFace { shape: FaceShape::Quad8, nodes: &SIDES[0] },
        CellFace { shape: FaceShape::Quad8, nodes: &SIDES[1] },
        CellFace { shape: FaceShape::Quad8, nodes: &SIDES[2] },
    ],
    values: quadratic_values,
    gradients: quadratic_gradients,
    // Exact for prisms; the patch test holds in curved wedges: no term has a degree above 4 in the triangle
    // and 5 along the axis.
    rule: |_, rule| match rule {
        QuadratureRule::Default => Quadrature::triangle_6().times_line(3),
        QuadratureRule::High => Quadrature::triangle(5).times_line(5),
    },
    // A large mesh of wedges has four edges for each corner.
    nodes_per_cell: 2.5,
    vtk: VtkCell { kind: CellType::QuadraticWedge, others: &[], mirrored: Some(&MIRRORED) },
    // Gmsh's edges run 01 02 03 12 14 25 34 35 45.
    gmsh: GmshElement { number: 18, places: &[0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11] },
    abaqus: AbaqusElement { name: "C3D15", faces: &ABAQUS_FACES, last: None, cut_below: 0 },
    ..WEDGE6
};

/// Edges by their corners; the mid-edge node of edge k is node 6 + k.
const EDGES: [[u8; 2]; 9] = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [0, 3], [1, 4], [2, 5]];

/// Faces ζ = 0 and ζ = 1.
const TRIANGLES: [[u8; 6]; 2] = [[0, 2, 1, 8, 7, 6], [3, 4, 5, 9, 10, 11]];

/// Faces η = 0, the slanted one, ξ = 0.
const SIDES: [[u8; 8]; 3] =
    [[0, 1, 4, 3, 6, 13, 9, 12], [1, 2, 5, 4, 7, 14, 10, 13], [2, 0, 3, 5, 8, 12, 11, 14]];

/// Abaqus numbers the faces by their corners 1-2-3, 4-6-5, 1-4-5-2, 2-5-6-3, 3-6-4-1.
const ABAQUS_FACES: [u8; 5] = [0, 1, 2, 3, 4];

/// Node order of the mirror image: both triangles turn the other way. In the figure of VTK's wedge the normal
/// of triangle 012 points away from 345; in VTK's shape functions it points towards 345; programs write both.
const MIRRORED: [u8; 15] = [0, 2, 1, 3, 5, 4, 8, 7, 6, 11, 10, 9, 12, 14, 13];

const NODES: [[f64; 3]; 15] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [0.0, 1.0, 1.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.0],
    [0.5, 0.0, 1.0],
    [0.5, 0.5, 1.0],
    [0.0, 0.5, 1.0],
    [0.0, 0.0, 0.5],
    [1.0, 0.0, 0.5],
    [0.0, 1.0, 0.5],
];

/// Gradients of the area coordinates.
const GRAD_AREA: [[f64; 2]; 3] = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];

/// Corners of each edge of the triangle.
const TRIANGLE_EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];

fn area_coordinates(xi: [f64; 3]) -> [f64; 3] {
    [1.0 - xi[0] - xi[1], xi[0], xi[1]]
}

/// Linear shape functions L_i (1−ζ) and L_i ζ.
fn linear_values(xi: [f64; 3], values: &mut [f64]) {
    let (l, z) = (area_coordinates(xi), xi[2]);
    for i in 0..3 {
        values[i] = l[i] * (1.0 - z);
        values[3 + i] = l[i] * z;
    }
}

fn linear_gradients(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let (l, z) = (area_coordinates(xi), xi[2]);
    for i in 0..3 {
        let [dx, dy] = GRAD_AREA[i];
        gradients[i] = [dx * (1.0 - z), dy * (1.0 - z), -l[i]];
        gradients[3 + i] = [dx * z, dy * z, l[i]];
    }
}

/// The serendipity functions of the wedge:
///
/// ```text
/// corners:             L_i (1−ζ)(2 L_i − 1 − 2ζ),   L_i ζ (2 L_i + 2ζ − 3)
/// edges of triangles:  4 L_i L_j (1−ζ),             4 L_i L_j ζ
/// upright edges:       4 L_i ζ (1−ζ)
/// ```
fn quadratic_values(xi: [f64; 3], values: &mut [f64]) {
    let (l, z) = (area_coordinates(xi), xi[2]);
    for i in 0..3 {
        values[i] = l[i] * (1.0 - z) * (2.0 * l[i] - 1.0 - 2.0 * z);
        values[3 + i] = l[i] * z * (2.0 * l[i] + 2.0 * z - 3.0);
        let [a, b] = TRIANGLE_EDGES[i];
        values[6 + i] = 4.0 * l[a] * l[b] * (1.0 - z);
        values[9 + i] = 4.0 * l[a] * l[b] * z;
        values[12 + i] = 4.0 * l[i] * z * (1.0 - z);
    }
}

fn quadratic_gradients(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let (l, z) = (area_coordinates(xi), xi[2]);
    for i in 0..3 {
        // Derivatives by L_i and by ζ.
        let [dx, dy] = GRAD_AREA[i];
        let lower = (1.0 - z) * (4.0 * l[i] - 1.0 - 2.0 * z);
        gradients[i] = [lower * dx, lower * dy, l[i] * (4.0 * z - 2.0 * l[i] - 1.0)];
        let upper = z * (4.0 * l[i] + 2.0 * z - 3.0);
        gradients[3 + i] = [upper * dx, upper * dy, l[i] * (2.0 * l[i] + 4.0 * z - 3.0)];
        let [a, b] = TRIANGLE_EDGES[i];
        let edge = [0, 1].map(|d| 4.0 * (l[a] * GRAD_AREA[b][d] + l[b] * GRAD_AREA[a][d]));
        let product = 4.0 * l[a] * l[b];
        gradients[6 + i] = [edge[0] * (1.0 - z), edge[1] * (1.0 - z), -product];
        gradients[9 + i] = [edge[0] * z, edge[1] * z, product];
        let upright = 4.0 * z * (1.0 - z);
        gradients[12 + i] = [upright * dx, upright * dy, 4.0 * l[i] * (1.0 - 2.0 * z)];
    }
}

/// Factors of the six samples: linear in the triangle, linear along the axis.
fn stress_factors(xi: [f64; 3]) -> Vec<f64> {
    let (x, _) = gauss_legendre(2);
    let line = [(x[1] - xi[2]) / (x[1] - x[0]), (xi[2] - x[0]) / (x[1] - x[0])];
    // At sample k of the triangle the area coordinate k is ⅔, the others are ⅙.
    let l = area_coordinates(xi).map(|l| 2.0 * l - 1.0 / 3.0);
    line.iter().flat_map(|t| l.map(|l| t * l)).collect()
}

/// 2/√3 det / (|c₃| · max over corners of the triangle of the product of the two edge lengths there): 1 for
/// an upright prism over a regular triangle, as in Verdict.
fn scaled_jacobian(columns: &[[f64; 3]; 3]) -> f64 {
    let [a, b, c] = *columns;
    let (la, lb, lc) = (super::length(a), super::length(b), super::length(c));
    let third = super::length([a[0] - b[0], a[1] - b[1], a[2] - b[2]]);
    let largest = lc * [la * lb, la * third, lb * third].into_iter().fold(0.0, f64::max);
    if largest > 0.0 { 2.0 / 3.0_f64.sqrt() * lagrange::determinant(columns) / largest } else { 0.0 }
}

/// Corners of the n³ parts of a divided wedge: n layers of n² triangles, cut along lines parallel to the
/// edges.
fn parts(n: usize) -> Vec<Part> {
    let n = n as u32;
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n - j {
            triangles.push([[i, j], [i + 1, j], [i, j + 1]]);
            if i + j + 2 <= n {
                triangles.push([[i + 1, j], [i + 1, j + 1], [i, j + 1]]);
            }
        }
    }
    let part = |k: u32, corners: &[[u32; 2]; 3]| -> Vec<[u32; 3]> {
        [k, k + 1].into_iter().flat_map(|k| corners.map(|[i, j]| [i, j, k])).collect()
    };
    (0..n).flat_map(|k| triangles.iter().map(move |corners| part(k, corners)).collect::<Vec<_>>()).collect()
}
