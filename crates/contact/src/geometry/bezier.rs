//! Faces in Bezier form: one evaluation for Lagrange faces and rational spline faces.
//!
//! Every face is a rational Bezier rectangle or triangle. Its control points are constant linear combinations
//! of the face's points. They enclose the face, which gives its boxes and its subdivision.

use carom_fem::surface::MAX_DEGREE;
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
            FaceBasis::Spline { degrees, .. } | FaceBasis::Combined { degrees, .. } => {
                Self::Rectangle(*degrees)
            }
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

/// Lagrange to Bernstein for three nodes 0, ½, 1: row i holds the Bernstein coefficients of the i-th
/// function.
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
        FaceBasis::Combined { .. } => unreachable!("a face without a tensor product has rows of its own"),
    }
}

/// Homogeneous Bezier points of a face, Q = (C₁ ⊗ C₂)ᵀ (w x, w).
pub fn from_points(surface: &Surface, face: &Face, positions: &[Vector3<f64>], out: &mut [Homogeneous]) {
    let point = |k: usize| {
        let i = face.points[k] as usize;
        let (x, w) = (positions[i], surface.weights[i]);
        [w * x.x, w * x.y, w * x.z, w]
    };
    if let Some(rows) = combined_rows(surface, &face.basis) {
        out[..rows.1].fill([0.0; 4]);
        for (k, row) in rows.0.chunks_exact(rows.1).enumerate() {
            let x = point(k);
            out.iter_mut().zip(row).for_each(|(sum, &c)| add_scaled(sum, c, &x));
        }
        return;
    }
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
            let at_place = |k: usize| match grid.get(k) {
                Some(&node) if node >= face.points.len() => serendipity_center(&point),
                Some(&node) => point(node),
                None => point(k),
            };
            let mut places = [[0.0; 4]; MAX_POINTS];
            (0..(p + 1) * (q + 1)).for_each(|k| places[k] = at_place(k));
            for a in 0..=p {
                // One column of (C₁ᵀ ⊗ E) P, then all its contributions.
                let mut column = [[0.0; 4]; MAX_DEGREE + 1];
                for (sum, row) in column[..=q].iter_mut().zip(places.chunks_exact(p + 1)) {
                    row.iter().enumerate().for_each(|(i, x)| add_scaled(sum, c[0][i * (p + 1) + a], x));
                }
                for b in 0..=q {
                    let mut sum = [0.0; 4];
                    (0..=q).for_each(|j| add_scaled(&mut sum, c[1][j * (q + 1) + b], &column[j]));
                    out[b * (p + 1) + a] = sum;
                }
            }
        }
    }
}

/// Rows of C and their length, for a face whose functions are not tensor products.
fn combined_rows<'a>(surface: &'a Surface, basis: &FaceBasis) -> Option<(&'a [f64], usize)> {
    match basis {
        FaceBasis::Combined { degrees: [p, q], operator, .. } => {
            Some((&surface.operators[*operator as usize], (p + 1) * (q + 1)))
        }
        _ => None,
    }
}

#[inline(always)]
fn add_scaled(sum: &mut Homogeneous, factor: f64, x: &Homogeneous) {
    (0..4).for_each(|d| sum[d] += factor * x[d]);
}

fn serendipity_center(point: &dyn Fn(usize) -> Homogeneous) -> Homogeneous {
    let mut center = [0.0; 4];
    for (k, c) in QUAD8_CENTER.iter().enumerate() {
        let x = point(k);
        (0..4).for_each(|d| center[d] += c * x[d]);
    }
    center
}

/// Adds vectors that act on the Bezier basis to the points of a face: the transpose of
/// [`from_points`].
///
/// With `on_bezier[j]` = Σ b_j(ξ)/W(ξ) v over some foot points, `add(k, ·)` receives Σ R_k(ξ) v.
pub fn to_points(
    surface: &Surface,
    face: &Face,
    on_bezier: &[Vector3<f64>],
    mut add: impl FnMut(u32, Vector3<f64>),
) {
    if let Some(rows) = combined_rows(surface, &face.basis) {
        for (&point, row) in face.points.iter().zip(rows.0.chunks_exact(rows.1)) {
            let v: Vector3<f64> = row.iter().zip(on_bezier).map(|(c, v)| v * *c).sum();
            add(point, surface.weights[point as usize] * v);
        }
        return;
    }
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
            for i in 0..=p {
                let c_i = &c[0][i * (p + 1)..(i + 1) * (p + 1)];
                // One column of (C₁ ⊗ E) v, then all its contributions.
                let mut column = [Vector3::zeros(); MAX_DEGREE + 1];
                for (sum, row) in column.iter_mut().zip(on_bezier.chunks_exact(p + 1)) {
                    c_i.iter().zip(row).for_each(|(c, v)| *sum += v * *c);
                }
                for j in 0..=q {
                    let c_j = &c[1][j * (q + 1)..(j + 1) * (q + 1)];
                    let mut v = Vector3::zeros();
                    c_j.iter().zip(&column).for_each(|(c, column)| v += column * *c);
                    add_share(surface, face, grid, j * (p + 1) + i, v, &mut add);
                }
            }
        }
    }
}

/// Adds the vector at place k of the tensor grid to the point there, or to the points that the place
/// combines.
fn add_share(
    surface: &Surface,
    face: &Face,
    grid: &[usize],
    k: usize,
    v: Vector3<f64>,
    add: &mut impl FnMut(u32, Vector3<f64>),
) {
    match grid.get(k) {
        Some(&node) if node >= face.points.len() => {
            QUAD8_CENTER.iter().enumerate().for_each(|(m, s)| add(face.points[m], *s * v));
        }
        Some(&node) => add(face.points[node], v),
        None => add(face.points[k], surface.weights[face.points[k] as usize] * v),
    }
}
