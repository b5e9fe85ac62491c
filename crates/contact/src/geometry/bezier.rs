//! Faces in Bezier form: one evaluation for Lagrange faces and rational spline spans.
//!
//! Every face is a rational Bezier rectangle or triangle whose control points are constant linear combinations of
//! the face's points. Its control points enclose it, so boxes and subdivision need no further thought.

use carom_fem::surface::{MAX_DEGREE, bernstein};
use carom_fem::{Face, FaceBasis, Surface};
use carom_mesh::FaceShape;
use nalgebra::Vector3;

use super::Domain;

/// Largest number of control points of a face.
pub const MAX_POINTS: usize = (MAX_DEGREE + 1) * (MAX_DEGREE + 1);

/// A homogeneous control point (w x, w).
pub type Homogeneous = [f64; 4];

/// Degree and layout of the control points of a face in Bezier form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BezierKind {
    /// Tensor product of the two degrees, the first index fastest.
    Rectangle([usize; 2]),
    /// Linear triangle: corners.
    Triangle1,
    /// Quadratic triangle: corners, then the control points of the edges 01 12 20.
    Triangle2,
}

impl BezierKind {
    /// Kind of the Bezier form of a basis.
    pub fn of(basis: &FaceBasis) -> Self {
        match basis {
            FaceBasis::Spline { degrees, .. } => Self::Rectangle(*degrees),
            FaceBasis::Lagrange(FaceShape::Tri3) => Self::Triangle1,
            FaceBasis::Lagrange(FaceShape::Tri6) => Self::Triangle2,
            FaceBasis::Lagrange(FaceShape::Quad4) => Self::Rectangle([1, 1]),
            FaceBasis::Lagrange(FaceShape::Quad8 | FaceShape::Quad9) => Self::Rectangle([2, 2]),
        }
    }

    /// Number of control points.
    pub fn n_points(self) -> usize {
        match self {
            Self::Rectangle([p, q]) => (p + 1) * (q + 1),
            Self::Triangle1 => 3,
            Self::Triangle2 => 6,
        }
    }

    /// Domain of the parameters.
    pub fn domain(self) -> Domain {
        match self {
            Self::Rectangle(_) => Domain::Square,
            _ => Domain::Triangle,
        }
    }
}

/// Lagrange to Bernstein for three nodes 0, ½, 1: row i holds the Bernstein coefficients of the i-th function.
const QUADRATIC: [f64; 9] = [1.0, -0.5, 0.0, 0.0, 2.0, 0.0, 0.0, -0.5, 1.0];
const LINEAR: [f64; 4] = [1.0, 0.0, 0.0, 1.0];
/// VTK's node at each place of the tensor grid.
const QUAD4_GRID: [usize; 4] = [0, 1, 3, 2];
const QUAD9_GRID: [usize; 9] = [0, 4, 1, 7, 8, 5, 3, 6, 2];
/// The centre of a serendipity face in terms of its nodes.
const QUAD8_CENTER: [f64; 8] = [-0.25, -0.25, -0.25, -0.25, 0.5, 0.5, 0.5, 0.5];

/// The two extraction operators and the node at each place of the tensor grid.
fn tensor_form<'a>(surface: &'a Surface, basis: &FaceBasis) -> ([&'a [f64]; 2], &'static [usize]) {
    match basis {
        FaceBasis::Spline { operators, .. } => {
            (operators.map(|k| surface.operators[k as usize].as_slice()), &[])
        }
        FaceBasis::Lagrange(FaceShape::Quad4) => ([&LINEAR, &LINEAR], &QUAD4_GRID),
        FaceBasis::Lagrange(_) => ([&QUADRATIC, &QUADRATIC], &QUAD9_GRID),
    }
}

/// Homogeneous Bezier points of a face, Q = (C₁ ⊗ C₂)ᵀ (w x, w).
pub fn from_points(surface: &Surface, face: &Face, positions: &[Vector3<f64>], out: &mut [Homogeneous]) {
    let point = |k: usize| {
        let i = face.points[k] as usize;
        let (x, w) = (positions[i], surface.weights[i]);
        [w * x.x, w * x.y, w * x.z, w]
    };
    match BezierKind::of(&face.basis) {
        BezierKind::Triangle1 => (0..3).for_each(|k| out[k] = point(k)),
        BezierKind::Triangle2 => {
            (0..3).for_each(|k| out[k] = point(k));
            for k in 0..3 {
                let (a, b, m) = (out[k], out[(k + 1) % 3], point(3 + k));
                out[3 + k] = [0, 1, 2, 3].map(|d| 2.0 * m[d] - 0.5 * (a[d] + b[d]));
            }
        }
        BezierKind::Rectangle([p, q]) => {
            let (c, grid) = tensor_form(surface, &face.basis);
            let mut rows = [[0.0; 4]; MAX_POINTS];
            let n = (p + 1) * (q + 1);
            for k in 0..n {
                rows[k] = match grid.get(k) {
                    Some(&node) if node >= face.points.len() => serendipity_center(&point),
                    Some(&node) => point(node),
                    None => point(k),
                };
            }
            let mut half = [[0.0; 4]; MAX_POINTS];
            transpose_apply(c[0], p + 1, q + 1, 1, p + 1, &rows, &mut half);
            transpose_apply(c[1], q + 1, p + 1, p + 1, 1, &half, out);
        }
    }
}

fn serendipity_center(point: &dyn Fn(usize) -> Homogeneous) -> Homogeneous {
    let mut center = [0.0; 4];
    for (k, c) in QUAD8_CENTER.iter().enumerate() {
        let x = point(k);
        (0..4).for_each(|d| center[d] += c * x[d]);
    }
    center
}

/// out_j = Σ_i C_ij in_i along one index of stride `stride`, for each of `others` lines of stride `other_stride`.
fn transpose_apply(
    c: &[f64],
    n: usize,
    others: usize,
    stride: usize,
    other_stride: usize,
    input: &[Homogeneous],
    out: &mut [Homogeneous],
) {
    for line in 0..others {
        for j in 0..n {
            let mut sum = [0.0; 4];
            for i in 0..n {
                let (factor, x) = (c[i * n + j], input[line * other_stride + i * stride]);
                if factor != 0.0 {
                    (0..4).for_each(|d| sum[d] += factor * x[d]);
                }
            }
            out[line * other_stride + j * stride] = sum;
        }
    }
}

/// Adds to each point of a face its share of vectors that act on the Bezier basis: the transpose of [`from_points`].
///
/// With `on_bezier[j]` = Σ b_j(ξ)/W(ξ) v over some foot points, `add(k, ·)` receives Σ R_k(ξ) v.
pub fn to_points(
    surface: &Surface,
    face: &Face,
    on_bezier: &[Vector3<f64>],
    mut add: impl FnMut(u32, Vector3<f64>),
) {
    match BezierKind::of(&face.basis) {
        BezierKind::Triangle1 => (0..3).for_each(|k| add(face.points[k], on_bezier[k])),
        BezierKind::Triangle2 => {
            for k in 0..3 {
                let around = on_bezier[3 + k] + on_bezier[3 + (k + 2) % 3];
                add(face.points[k], on_bezier[k] - 0.5 * around);
                add(face.points[3 + k], 2.0 * on_bezier[3 + k]);
            }
        }
        BezierKind::Rectangle([p, q]) => {
            let (c, grid) = tensor_form(surface, &face.basis);
            let mut half = [Vector3::zeros(); MAX_POINTS];
            for (j, i) in (0..=q).flat_map(|j| (0..=p).map(move |i| (j, i))) {
                half[j * (p + 1) + i] =
                    (0..=p).map(|a| c[0][i * (p + 1) + a] * on_bezier[j * (p + 1) + a]).sum();
            }
            for (j, i) in (0..=q).flat_map(|j| (0..=p).map(move |i| (j, i))) {
                let v: Vector3<f64> = (0..=q).map(|b| c[1][j * (q + 1) + b] * half[b * (p + 1) + i]).sum();
                let k = j * (p + 1) + i;
                match grid.get(k) {
                    Some(&node) if node >= face.points.len() => {
                        QUAD8_CENTER.iter().enumerate().for_each(|(m, s)| add(face.points[m], *s * v));
                    }
                    Some(&node) => add(face.points[node], v),
                    None => {
                        let weight = surface.weights[face.points[k] as usize];
                        add(face.points[k], weight * v);
                    }
                }
            }
        }
    }
}

/// Position, tangents and second derivatives of a face at ξ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet {
    /// y.
    pub y: Vector3<f64>,
    /// y,₁ and y,₂.
    pub d: [Vector3<f64>; 2],
    /// y,₁₁, y,₁₂ and y,₂₂.
    pub dd: [Vector3<f64>; 3],
}

/// Homogeneous value and derivatives: 1, ∂₁, ∂₂, ∂₁₁, ∂₁₂, ∂₂₂.
fn homogeneous_jet(kind: BezierKind, q: &[Homogeneous], xi: [f64; 2]) -> [Homogeneous; 6] {
    match kind {
        BezierKind::Rectangle([p1, p2]) => {
            let (b, c) = (bernstein(p1, xi[0]), bernstein(p2, xi[1]));
            let mut s = [[0.0; 4]; 6];
            for j in 0..=p2 {
                let mut line = [[0.0; 4]; 3];
                for (i, point) in q[j * (p1 + 1)..(j + 1) * (p1 + 1)].iter().enumerate() {
                    for (k, sum) in line.iter_mut().enumerate() {
                        (0..4).for_each(|d| sum[d] += b[k][i] * point[d]);
                    }
                }
                let parts = [(0, 0, 0), (1, 1, 0), (2, 0, 1), (3, 2, 0), (4, 1, 1), (5, 0, 2)];
                for (k, along, across) in parts {
                    (0..4).for_each(|d| s[k][d] += c[across][j] * line[along][d]);
                }
            }
            s
        }
        BezierKind::Triangle1 => {
            let l = [1.0 - xi[0] - xi[1], xi[0], xi[1]];
            let at = |w: [f64; 3]| [0, 1, 2, 3].map(|d| w[0] * q[0][d] + w[1] * q[1][d] + w[2] * q[2][d]);
            [at(l), at([-1.0, 1.0, 0.0]), at([-1.0, 0.0, 1.0]), [0.0; 4], [0.0; 4], [0.0; 4]]
        }
        BezierKind::Triangle2 => {
            let mut s = [[0.0; 4]; 6];
            for (point, w) in q.iter().zip(triangle2(xi)) {
                (0..6).for_each(|k| (0..4).for_each(|d| s[k][d] += w[k] * point[d]));
            }
            s
        }
    }
}

/// L_i² and 2 L_i L_j with their derivatives 1, ∂₁, ∂₂, ∂₁₁, ∂₁₂, ∂₂₂.
fn triangle2(xi: [f64; 2]) -> [[f64; 6]; 6] {
    const D: [[f64; 2]; 3] = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
    let l = [1.0 - xi[0] - xi[1], xi[0], xi[1]];
    let product = |i: usize, j: usize, f: f64| {
        let dd = |a: usize, b: usize| f * (D[i][a] * D[j][b] + D[i][b] * D[j][a]);
        let d = |a: usize| f * (D[i][a] * l[j] + l[i] * D[j][a]);
        [f * l[i] * l[j], d(0), d(1), dd(0, 0), dd(0, 1), dd(1, 1)]
    };
    [
        product(0, 0, 1.0),
        product(1, 1, 1.0),
        product(2, 2, 1.0),
        product(0, 1, 2.0),
        product(1, 2, 2.0),
        product(2, 0, 2.0),
    ]
}

/// Position and derivatives at ξ of the face with homogeneous control points `q`.
pub fn jet(kind: BezierKind, q: &[Homogeneous], xi: [f64; 2]) -> Jet {
    let s = homogeneous_jet(kind, q, xi);
    let v = |k: usize| Vector3::new(s[k][0], s[k][1], s[k][2]);
    let w = [0, 1, 2, 3, 4, 5].map(|k: usize| s[k][3]);
    // y = v/W,  y_a = (v_a − y W_a)/W,  y_ab = (v_ab − y_a W_b − y_b W_a − y W_ab)/W
    let r = 1.0 / w[0];
    let y = v(0) * r;
    let d = [(v(1) - y * w[1]) * r, (v(2) - y * w[2]) * r];
    let dd = [
        (v(3) - d[0] * (2.0 * w[1]) - y * w[3]) * r,
        (v(4) - d[0] * w[2] - d[1] * w[1] - y * w[4]) * r,
        (v(5) - d[1] * (2.0 * w[2]) - y * w[5]) * r,
    ];
    Jet { y, d, dd }
}

/// Position alone.
pub fn position(kind: BezierKind, q: &[Homogeneous], xi: [f64; 2]) -> Vector3<f64> {
    let mut b = [0.0; MAX_POINTS];
    basis_into(kind, xi, &mut b);
    let mut s = [0.0; 4];
    for (point, b) in q.iter().zip(&b) {
        (0..4).for_each(|d| s[d] += b * point[d]);
    }
    Vector3::new(s[0], s[1], s[2]) / s[3]
}

/// Bernstein basis at ξ, in the order of the control points, without weights.
pub fn basis_into(kind: BezierKind, xi: [f64; 2], out: &mut [f64]) {
    match kind {
        BezierKind::Rectangle([p, q]) => {
            let (b, c) = (bernstein(p, xi[0]), bernstein(q, xi[1]));
            for j in 0..=q {
                (0..=p).for_each(|i| out[j * (p + 1) + i] = b[0][i] * c[0][j]);
            }
        }
        BezierKind::Triangle1 => out[..3].copy_from_slice(&[1.0 - xi[0] - xi[1], xi[0], xi[1]]),
        BezierKind::Triangle2 => triangle2(xi).iter().zip(out).for_each(|(w, o)| *o = w[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_surfaces::one_of_each;

    #[test]
    fn bezier_form_and_shape_functions_give_the_same_point_and_derivatives() {
        for (surface, positions) in one_of_each() {
            let face = &surface.faces[0];
            let kind = BezierKind::of(&face.basis);
            let mut q = vec![[0.0; 4]; kind.n_points()];
            from_points(&surface, face, &positions, &mut q);
            let n = face.points.len();
            let (mut r, mut r_a, mut r_ab) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
            for xi in [[0.2, 0.3], [0.0, 0.0], [0.0, 1.0], [0.55, 0.41]] {
                surface.shape_into(0, xi, &mut r, &mut r_a, &mut r_ab);
                let jet = jet(kind, &q, xi);
                let sum = |w: &dyn Fn(usize) -> f64| -> Vector3<f64> {
                    (0..n).map(|k| positions[face.points[k] as usize] * w(k)).sum()
                };
                assert!((jet.y - sum(&|k| r[k])).norm() < 1e-14);
                assert!((position(kind, &q, xi) - jet.y).norm() < 1e-14);
                (0..2).for_each(|a| assert!((jet.d[a] - sum(&|k| r_a[k][a])).norm() < 2e-13));
                (0..3).for_each(|a| assert!((jet.dd[a] - sum(&|k| r_ab[k][a])).norm() < 5e-12));
            }
        }
    }

    #[test]
    fn forces_on_the_bezier_basis_reach_the_points_through_the_shape_functions() {
        for (surface, positions) in one_of_each() {
            let face = &surface.faces[0];
            let kind = BezierKind::of(&face.basis);
            let mut q = vec![[0.0; 4]; kind.n_points()];
            from_points(&surface, face, &positions, &mut q);
            let (xi, force) = ([0.35, 0.2], Vector3::new(1.0, -2.0, 0.5));
            let mut b = vec![0.0; kind.n_points()];
            basis_into(kind, xi, &mut b);
            let w: f64 = b.iter().zip(&q).map(|(b, q)| b * q[3]).sum();
            let on_bezier: Vec<_> = b.iter().map(|b| force * (b / w)).collect();
            let mut on_points = vec![Vector3::zeros(); positions.len()];
            to_points(&surface, face, &on_bezier, |k, v| on_points[k as usize] += v);
            let n = face.points.len();
            let (mut r, mut r_a, mut r_ab) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
            surface.shape_into(0, xi, &mut r, &mut r_a, &mut r_ab);
            for k in 0..n {
                assert!((on_points[face.points[k] as usize] - force * r[k]).norm() < 1e-13);
            }
        }
    }
}
