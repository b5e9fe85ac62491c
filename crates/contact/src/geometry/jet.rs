//! Evaluation of faces in Bezier form: the innermost loop of contact.

use carom_fem::surface::{MAX_DEGREE, bernstein};
use nalgebra::Vector3;
use pulp::{Arch, Simd, WithSimd};

use super::bezier::{BezierKind, Homogeneous};

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

/// Bernstein polynomials of degree N − 1 with two derivatives, all loops of known length.
#[inline(always)]
fn bernstein_of<const N: usize>(t: f64) -> [[f64; N]; 3] {
    let s = 1.0 - t;
    let (mut low, mut mid, mut b) = ([0.0; N], [0.0; N], [0.0; N]);
    b[0] = 1.0;
    for degree in 1..N {
        low = mid;
        mid = b;
        b[0] = s * mid[0];
        for i in 1..=degree {
            b[i] = s * mid[i] + t * mid[i - 1];
        }
    }
    let (p1, p2) = ((N - 1) as f64, ((N - 1) * (N - 2)) as f64);
    let (mut d, mut dd) = ([0.0; N], [0.0; N]);
    for i in 0..N {
        let (m1, l1) = if i > 0 { (mid[i - 1], low[i - 1]) } else { (0.0, 0.0) };
        let l2 = if i > 1 { low[i - 2] } else { 0.0 };
        d[i] = p1 * (m1 - mid[i]);
        dd[i] = p2 * (l2 - 2.0 * l1 + low[i]);
    }
    [b, d, dd]
}

/// Homogeneous value and derivatives 1, ∂₁, ∂₂, ∂₁₁, ∂₁₂, ∂₂₂ of a rectangle from the one-dimensional
/// functions.
#[inline(always)]
fn tensor_jet<const N: usize>(
    n: [usize; 2],
    q: &[Homogeneous],
    b: &[[f64; N]; 3],
    c: &[[f64; N]; 3],
) -> [Homogeneous; 6] {
    let mut s = [[0.0; 4]; 6];
    for (j, row) in q.chunks_exact(n[0]).enumerate().take(n[1]) {
        let (mut v, mut v_1, mut v_11) = ([0.0; 4], [0.0; 4], [0.0; 4]);
        for (i, point) in row.iter().enumerate() {
            for d in 0..4 {
                v[d] += b[0][i] * point[d];
                v_1[d] += b[1][i] * point[d];
                v_11[d] += b[2][i] * point[d];
            }
        }
        for d in 0..4 {
            s[0][d] += c[0][j] * v[d];
            s[1][d] += c[0][j] * v_1[d];
            s[2][d] += c[1][j] * v[d];
            s[3][d] += c[0][j] * v_11[d];
            s[4][d] += c[1][j] * v_1[d];
            s[5][d] += c[2][j] * v[d];
        }
    }
    s
}

#[inline(always)]
fn square_jet<const N: usize, const NN: usize>(q: &[Homogeneous], xi: [f64; 2]) -> [Homogeneous; 6] {
    let q: &[Homogeneous; NN] =
        q.try_into().expect("the degrees of a face give the number of its control points");
    tensor_jet::<N>([N, N], q, &bernstein_of::<N>(xi[0]), &bernstein_of::<N>(xi[1]))
}

/// Homogeneous value and derivatives: 1, ∂₁, ∂₂, ∂₁₁, ∂₁₂, ∂₂₂.
#[inline(always)]
fn homogeneous_jet(kind: BezierKind, q: &[Homogeneous], xi: [f64; 2]) -> [Homogeneous; 6] {
    match kind {
        // The usual degrees, for which the compiler unrolls the loops.
        BezierKind::Rectangle([1, 1]) => square_jet::<2, 4>(q, xi),
        BezierKind::Rectangle([2, 2]) => square_jet::<3, 9>(q, xi),
        BezierKind::Rectangle([3, 3]) => square_jet::<4, 16>(q, xi),
        BezierKind::Rectangle([4, 4]) => square_jet::<5, 25>(q, xi),
        BezierKind::Rectangle([p1, p2]) => tensor_jet::<{ MAX_DEGREE + 1 }>(
            [p1 + 1, p2 + 1],
            q,
            &bernstein(p1, xi[0]),
            &bernstein(p2, xi[1]),
        ),
        BezierKind::Triangle1 => {
            let l = [1.0 - xi[0] - xi[1], xi[0], xi[1]];
            let at = |w: [f64; 3]| [0, 1, 2, 3].map(|d| w[0] * q[0][d] + w[1] * q[1][d] + w[2] * q[2][d]);
            [at(l), at([-1.0, 1.0, 0.0]), at([-1.0, 0.0, 1.0]), [0.0; 4], [0.0; 4], [0.0; 4]]
        }
        BezierKind::Triangle2 => {
            let mut s = [[0.0; 4]; 6];
            for (point, w) in q.iter().zip(triangle2(xi)) {
                for (s, w) in s.iter_mut().zip(w) {
                    (0..4).for_each(|d| s[d] += w * point[d]);
                }
            }
            s
        }
    }
}

/// L_i² and 2 L_i L_j with their derivatives 1, ∂₁, ∂₂, ∂₁₁, ∂₁₂, ∂₂₂.
#[inline(always)]
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
///
/// `polynomial` is true if all weights are 1; it saves the quotient. Compiled for vectors of four numbers,
/// the homogeneous coordinates, on processors that have them; the bits are the same on all.
pub fn jet(kind: BezierKind, polynomial: bool, q: &[Homogeneous], xi: [f64; 2]) -> Jet {
    Arch::new().dispatch(At { kind, polynomial, q, xi })
}

/// The arguments of [`jet`].
struct At<'a> {
    kind: BezierKind,
    polynomial: bool,
    q: &'a [Homogeneous],
    xi: [f64; 2],
}

impl WithSimd for At<'_> {
    type Output = Jet;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) -> Jet {
        let Self { kind, polynomial, q, xi } = self;
        jet_of(kind, polynomial, q, xi)
    }
}

#[inline(always)]
fn jet_of(kind: BezierKind, polynomial: bool, q: &[Homogeneous], xi: [f64; 2]) -> Jet {
    let s = homogeneous_jet(kind, q, xi);
    let v = |k: usize| Vector3::new(s[k][0], s[k][1], s[k][2]);
    if polynomial {
        return Jet { y: v(0), d: [v(1), v(2)], dd: [v(3), v(4), v(5)] };
    }
    // y = v/W,  y_a = (v_a − y W_a)/W,  y_ab = (v_ab − y_a W_b − y_b W_a − y W_ab)/W
    let r = 1.0 / s[0][3];
    let y = v(0) * r;
    let d = [(v(1) - y * s[1][3]) * r, (v(2) - y * s[2][3]) * r];
    let dd = [
        (v(3) - d[0] * (2.0 * s[1][3]) - y * s[3][3]) * r,
        (v(4) - d[0] * s[2][3] - d[1] * s[1][3] - y * s[4][3]) * r,
        (v(5) - d[1] * (2.0 * s[2][3]) - y * s[5][3]) * r,
    ];
    Jet { y, d, dd }
}

/// Position of a face at ξ, without derivatives.
pub fn position(kind: BezierKind, q: &[Homogeneous], xi: [f64; 2]) -> Vector3<f64> {
    let mut s = [0.0; 4];
    for_basis(kind, xi, |k, b| (0..4).for_each(|d| s[d] += b * q[k][d]));
    Vector3::new(s[0], s[1], s[2]) / s[3]
}

/// Bernstein polynomials of degree N − 1.
#[inline(always)]
fn bernstein_values<const N: usize>(t: f64) -> [f64; N] {
    let s = 1.0 - t;
    let mut b = [0.0; N];
    b[0] = 1.0;
    for degree in 1..N {
        for i in (1..=degree).rev() {
            b[i] = s * b[i] + t * b[i - 1];
        }
        b[0] *= s;
    }
    b
}

#[inline(always)]
fn square_basis<const N: usize>(xi: [f64; 2], mut f: impl FnMut(usize, f64)) {
    let (b, c) = (bernstein_values::<N>(xi[0]), bernstein_values::<N>(xi[1]));
    for j in 0..N {
        for i in 0..N {
            f(j * N + i, b[i] * c[j]);
        }
    }
}

/// Calls `f` with number and Bernstein value, without weights, of each control point at ξ, in their order.
#[inline(always)]
pub fn for_basis(kind: BezierKind, xi: [f64; 2], mut f: impl FnMut(usize, f64)) {
    match kind {
        BezierKind::Rectangle([1, 1]) => square_basis::<2>(xi, f),
        BezierKind::Rectangle([2, 2]) => square_basis::<3>(xi, f),
        BezierKind::Rectangle([3, 3]) => square_basis::<4>(xi, f),
        BezierKind::Rectangle([4, 4]) => square_basis::<5>(xi, f),
        BezierKind::Rectangle([p, q]) => {
            let (b, c) = (bernstein(p, xi[0]), bernstein(q, xi[1]));
            for j in 0..=q {
                (0..=p).for_each(|i| f(j * (p + 1) + i, b[0][i] * c[0][j]));
            }
        }
        BezierKind::Triangle1 => {
            [1.0 - xi[0] - xi[1], xi[0], xi[1]].into_iter().enumerate().for_each(|(k, b)| f(k, b));
        }
        BezierKind::Triangle2 => triangle2(xi).iter().enumerate().for_each(|(k, w)| f(k, w[0])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::bezier::{from_points, to_points};
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
                let jet = jet(kind, q.iter().all(|q| q[3] == 1.0), &q, xi);
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
            for_basis(kind, xi, |k, value| b[k] = value);
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
