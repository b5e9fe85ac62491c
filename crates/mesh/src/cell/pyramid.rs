//! Pyramids over the unit square with the apex (0, 0, 1).
//!
//! The shape functions are rational. In the collapsed coordinates r = ξ/(1−ζ), s = η/(1−ζ), t = ζ they are
//! polynomials, and so are their gradients by ξ, η, ζ. At the apex r and s are undetermined: the functions
//! have one value, but their gradients depend on the direction. The code uses the axis there, r = s = ½.

use carom_vtk::CellType;

use super::{
    AbaqusElement, CellFace, CellShape, CellTable, FaceShape, GmshElement, IN_ORDER, StressSamples, VtkAlias,
    VtkCell,
};
use crate::lagrange;
use crate::quadrature::{Quadrature, QuadratureRule};

/// The linear pyramid.
pub(super) static PYRAMID5: CellTable = CellTable {
    name: "pyramid5",
    dimension: 3,
    order: 1,
    linear: CellShape::Pyramid5,
    n_corners: 5,
    nodes: NODES.split_at(5).0,
    edges: &EDGES,
    faces: &[
        CellFace { shape: FaceShape::Quad4, nodes: BASE.split_at(4).0 },
        CellFace { shape: FaceShape::Tri3, nodes: SIDES[0].split_at(3).0 },
        CellFace { shape: FaceShape::Tri3, nodes: SIDES[1].split_at(3).0 },
        CellFace { shape: FaceShape::Tri3, nodes: SIDES[2].split_at(3).0 },
        CellFace { shape: FaceShape::Tri3, nodes: SIDES[3].split_at(3).0 },
    ],
    center: [0.375, 0.375, 0.25],
    volume: 1.0 / 3.0,
    collapse: |[r, s, t]| ([r * (1.0 - t), s * (1.0 - t), t], (1.0 - t).powi(2)),
    values: linear_values,
    gradients: linear_gradients,
    scaled_jacobian,
    // The gradients by ξ, η, ζ do not depend on t, and neither does the Jacobian: the stiffness of a pyramid
    // over a parallelogram is exact, and so is its mass. The patch test holds in every pyramid.
    rule: |_, rule| match rule {
        QuadratureRule::Default => Quadrature::pyramid(2),
        QuadratureRule::High => Quadrature::pyramid(4),
    },
    stress: StressSamples { points: || Quadrature::pyramid(2).points, factors: stress_factors },
    // A cube is cut into six pyramids around its centre.
    nodes_per_cell: 1.0 / 3.0,
    parts: None,
    vtk: VtkCell {
        kind: CellType::Pyramid,
        others: &[VtkAlias { kind: CellType::LagrangePyramid, n_nodes: 5, places: None }],
        mirrored: None,
    },
    gmsh: GmshElement { number: 7, places: IN_ORDER.split_at(5).0 },
    abaqus: AbaqusElement { name: "C3D5", faces: &ABAQUS_FACES, last: None, cut_below: 0 },
};

/// The quadratic pyramid.
pub(super) static PYRAMID13: CellTable = CellTable {
    name: "pyramid13",
    order: 2,
    nodes: &NODES,
    faces: &[
        CellFace { shape: FaceShape::Quad8, nodes: &BASE },
        CellFace { shape: FaceShape::Tri6, nodes: &SIDES[0] },
        CellFace { shape: FaceShape::Tri6, nodes: &SIDES[1] },
        CellFace { shape: FaceShape::Tri6, nodes: &SIDES[2] },
        CellFace { shape: FaceShape::Tri6, nodes: &SIDES[3] },
    ],
    values: quadratic_values,
    gradients: quadratic_gradients,
    // Exact for pyramids over a parallelogram; the patch test holds in curved pyramids: no term has a degree
    // above 5 in r and s and above 3 in t, besides the factor (1−t)² of the rule.
    rule: |_, rule| match rule {
        QuadratureRule::Default => Quadrature::pyramid(3),
        QuadratureRule::High => Quadrature::pyramid(5),
    },
    // A cube of six pyramids has eleven edges.
    nodes_per_cell: 13.0 / 6.0,
    vtk: VtkCell { kind: CellType::QuadraticPyramid, others: &[], mirrored: None },
    // Gmsh's edges run 01 03 04 12 14 23 24 34.
    gmsh: GmshElement { number: 19, places: &[0, 1, 2, 3, 4, 5, 8, 10, 6, 7, 9, 11, 12] },
    // Gmsh's name for the quadratic pyramid; Abaqus has only the linear one.
    abaqus: AbaqusElement { name: "C3D13", faces: &ABAQUS_FACES, last: None, cut_below: 0 },
    ..PYRAMID5
};

/// Edges by their corners; the mid-edge node of edge k is node 5 + k.
const EDGES: [[u8; 2]; 8] = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 4], [1, 4], [2, 4], [3, 4]];

/// The face ζ = 0.
const BASE: [u8; 8] = [0, 3, 2, 1, 8, 7, 6, 5];

/// The faces over the edges 01, 12, 23, 30 of the base.
const SIDES: [[u8; 6]; 4] =
    [[0, 1, 4, 5, 10, 9], [1, 2, 4, 6, 11, 10], [2, 3, 4, 7, 12, 11], [3, 0, 4, 8, 9, 12]];

/// Abaqus numbers the faces by their corners 1-2-3-4, 1-5-2, 2-5-3, 3-5-4, 4-5-1.
const ABAQUS_FACES: [u8; 5] = [0, 1, 2, 3, 4];

const NODES: [[f64; 3]; 13] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.0, 0.0],
    [1.0, 0.5, 0.0],
    [0.5, 1.0, 0.0],
    [0.0, 0.5, 0.0],
    [0.0, 0.0, 0.5],
    [0.5, 0.0, 0.5],
    [0.5, 0.5, 0.5],
    [0.0, 0.5, 0.5],
];

/// Signs of the corners of the base in 2r − 1 and 2s − 1.
const SIGNS: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];

/// The collapsed coordinates r, s and t of a point.
fn collapsed(xi: [f64; 3]) -> [f64; 3] {
    let d = 1.0 - xi[2];
    if d == 0.0 { [0.5, 0.5, 1.0] } else { [xi[0] / d, xi[1] / d, xi[2]] }
}

/// Bilinear functions of the base with their derivatives by r and s.
fn bilinear(r: f64, s: f64) -> [[f64; 3]; 4] {
    SIGNS.map(|[a, b]| {
        let (f, g) = (if a > 0.0 { r } else { 1.0 - r }, if b > 0.0 { s } else { 1.0 - s });
        [f * g, a * g, b * f]
    })
}

/// Gradient ∂/∂ξ, ∂/∂η, ∂/∂ζ of N(r, s, t) from N_r/(1−t), N_s/(1−t), N_t.
fn gradient(r: f64, s: f64, by_r: f64, by_s: f64, by_t: f64) -> [f64; 3] {
    [by_r, by_s, by_t + r * by_r + s * by_s]
}

/// Linear shape functions: (1−t) p_k(r, s) with the bilinear functions p_k at the base, t at the apex.
fn linear_values(xi: [f64; 3], values: &mut [f64]) {
    let [r, s, t] = collapsed(xi);
    for (value, [p, ..]) in values.iter_mut().zip(bilinear(r, s)) {
        *value = (1.0 - t) * p;
    }
    values[4] = t;
}

fn linear_gradients(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let [r, s, _] = collapsed(xi);
    for (out, [p, p_r, p_s]) in gradients.iter_mut().zip(bilinear(r, s)) {
        *out = gradient(r, s, p_r, p_s, -p);
    }
    gradients[4] = [0.0, 0.0, 1.0];
}

/// The 13 functions of Bedrosian in collapsed coordinates, with d = 1 − t, a = 2r − 1, b = 2s − 1 and the
/// signs (σ, τ) of a corner:
///
/// ```text
/// corners of the base:  d p (d (σ a + τ b) − 1)
/// apex:                 t (2t − 1)
/// edges of the base:    4 d² r (1−r) (1−s) and so on
/// upright edges:        4 t d p
/// ```
///
/// On its faces they are the functions of the quadratic triangle and of the serendipity quadrilateral, so
/// that pyramids join tetrahedra, wedges and hexahedra; they reproduce all quadratic polynomials.
///
/// # Source
///
/// Bedrosian (1992), *Shape functions and integration formulas for three-dimensional finite element
/// analysis*, Int. J. Numer. Meth. Engng 35, 95–108.
fn quadratic_values(xi: [f64; 3], values: &mut [f64]) {
    let [r, s, t] = collapsed(xi);
    let (d, a, b) = (1.0 - t, 2.0 * r - 1.0, 2.0 * s - 1.0);
    for (k, ([p, ..], [sign_a, sign_b])) in bilinear(r, s).into_iter().zip(SIGNS).enumerate() {
        values[k] = d * p * (d * (sign_a * a + sign_b * b) - 1.0);
        values[9 + k] = 4.0 * t * d * p;
    }
    values[4] = t * (2.0 * t - 1.0);
    let (bubble_r, bubble_s) = (4.0 * d * d * r * (1.0 - r), 4.0 * d * d * s * (1.0 - s));
    values[5] = bubble_r * (1.0 - s);
    values[6] = bubble_s * r;
    values[7] = bubble_r * s;
    values[8] = bubble_s * (1.0 - r);
}

fn quadratic_gradients(xi: [f64; 3], gradients: &mut [[f64; 3]]) {
    let [r, s, t] = collapsed(xi);
    let (d, a, b) = (1.0 - t, 2.0 * r - 1.0, 2.0 * s - 1.0);
    for (k, ([p, p_r, p_s], [sign_a, sign_b])) in bilinear(r, s).into_iter().zip(SIGNS).enumerate() {
        let slope = sign_a * a + sign_b * b;
        let q = d * slope - 1.0;
        let (by_r, by_s) = (p_r * q + 2.0 * p * d * sign_a, p_s * q + 2.0 * p * d * sign_b);
        gradients[k] = gradient(r, s, by_r, by_s, -p * (q + d * slope));
        gradients[9 + k] = gradient(r, s, 4.0 * t * p_r, 4.0 * t * p_s, 4.0 * (1.0 - 2.0 * t) * p);
    }
    gradients[4] = [0.0, 0.0, 4.0 * t - 1.0];
    let (bubble_r, bubble_s) = (4.0 * r * (1.0 - r), 4.0 * s * (1.0 - s));
    let (slope_r, slope_s) = (4.0 * d * (1.0 - 2.0 * r), 4.0 * d * (1.0 - 2.0 * s));
    gradients[5] = gradient(r, s, slope_r * (1.0 - s), -d * bubble_r, -2.0 * d * bubble_r * (1.0 - s));
    gradients[6] = gradient(r, s, d * bubble_s, slope_s * r, -2.0 * d * bubble_s * r);
    gradients[7] = gradient(r, s, slope_r * s, d * bubble_r, -2.0 * d * bubble_r * s);
    gradients[8] = gradient(r, s, -d * bubble_s, slope_s * (1.0 - r), -2.0 * d * bubble_s * (1.0 - r));
}

/// Factors of the eight samples, trilinear in the collapsed coordinates: linear functions of ξ are
/// reproduced.
fn stress_factors(xi: [f64; 3]) -> Vec<f64> {
    let points = Quadrature::pyramid(2).points;
    let at = |k: usize| collapsed(points[k]);
    let line = |t: f64, low: f64, high: f64| [(high - t) / (high - low), (t - low) / (high - low)];
    let [r, s, t] = collapsed(xi);
    let (first, last) = (at(0), at(7));
    let (u, v) = (line(r, first[0], last[0]), line(s, first[1], last[1]));
    let w = line(t, first[2], last[2]);
    (0..8).map(|k| u[k & 1] * v[k >> 1 & 1] * w[k >> 2]).collect()
}

/// √2 det / max over the corners of the base of the product of the three edge lengths there: 1 for the
/// pyramid with edges of equal length.
fn scaled_jacobian(columns: &[[f64; 3]; 3]) -> f64 {
    let [a, b, c] = *columns;
    let upright = |x: f64, y: f64| super::length([0, 1, 2].map(|d| c[d] - x * a[d] - y * b[d]));
    let longest = [upright(0.0, 0.0), upright(1.0, 0.0), upright(1.0, 1.0), upright(0.0, 1.0)];
    let largest = super::length(a) * super::length(b) * longest.into_iter().fold(0.0, f64::max);
    if largest > 0.0 { std::f64::consts::SQRT_2 * lagrange::determinant(columns) / largest } else { 0.0 }
}
