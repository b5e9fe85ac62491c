//! Values, first and second derivatives of the shape functions of faces.

use carom_mesh::FaceShape;

use super::MAX_DEGREE;

/// Bernstein polynomials of degree p on \[0,1\] with two derivatives: `b[k][i]` is the k-th derivative of
/// b_i.
///
/// ```text
/// b_i,p = (1−t) b_i,p−1 + t b_i−1,p−1,   b'_i,p = p (b_i−1,p−1 − b_i,p−1)
/// ```
pub fn bernstein(p: usize, t: f64) -> [[f64; MAX_DEGREE + 1]; 3] {
    let mut b = [[0.0; MAX_DEGREE + 1]; 3];
    // Degrees 1 and 2 are nearly all that contact evaluates.
    let s = 1.0 - t;
    match p {
        1 => {
            b[0][..2].copy_from_slice(&[s, t]);
            b[1][..2].copy_from_slice(&[-1.0, 1.0]);
            return b;
        }
        2 => {
            b[0][..3].copy_from_slice(&[s * s, 2.0 * s * t, t * t]);
            b[1][..3].copy_from_slice(&[-2.0 * s, 2.0 * (s - t), 2.0 * t]);
            b[2][..3].copy_from_slice(&[2.0, -4.0, 2.0]);
            return b;
        }
        _ => {}
    }
    // Rows of degree p−2, p−1 and p, the lower ones kept for the derivatives.
    let (mut low, mut mid) = ([0.0; MAX_DEGREE + 1], [0.0; MAX_DEGREE + 1]);
    b[0][0] = 1.0;
    for degree in 1..=p {
        low = mid;
        mid = b[0];
        for i in (0..=degree).rev() {
            let left = if i > 0 { t * mid[i - 1] } else { 0.0 };
            b[0][i] = s * mid[i] + left;
        }
    }
    let at = |row: &[f64; MAX_DEGREE + 1], i: usize, back: usize| if i >= back { row[i - back] } else { 0.0 };
    let (p1, p2) = (p as f64, (p * p.saturating_sub(1)) as f64);
    for i in 0..=p {
        b[1][i] = p1 * (at(&mid, i, 1) - at(&mid, i, 0));
        b[2][i] = p2 * (at(&low, i, 2) - 2.0 * at(&low, i, 1) + at(&low, i, 0));
    }
    b
}

/// Tensor product N = (C₁ b(ξ₁)) ⊗ (C₂ b(ξ₂)), first index fastest.
pub(super) fn spline(
    degrees: [usize; 2],
    operators: [&[f64]; 2],
    xi: [f64; 2],
    values: &mut [f64],
    first: &mut [[f64; 2]],
    second: &mut [[f64; 3]],
) {
    let one = |a: usize| {
        let (p, b) = (degrees[a], bernstein(degrees[a], xi[a]));
        let mut n = [[0.0; MAX_DEGREE + 1]; 3];
        for (k, i) in (0..3).flat_map(|k| (0..=p).map(move |i| (k, i))) {
            let row = &operators[a][i * (p + 1)..(i + 1) * (p + 1)];
            n[k][i] = row.iter().zip(&b[k]).map(|(c, b)| c * b).sum();
        }
        n
    };
    let (n, m) = (one(0), one(1));
    let mut k = 0;
    for j in 0..=degrees[1] {
        for i in 0..=degrees[0] {
            values[k] = n[0][i] * m[0][j];
            first[k] = [n[1][i] * m[0][j], n[0][i] * m[1][j]];
            second[k] = [n[2][i] * m[0][j], n[1][i] * m[1][j], n[0][i] * m[2][j]];
            k += 1;
        }
    }
}

/// N_i = Σ_j C_ij B_j with the products B of Bernstein polynomials, the first index fastest.
pub(super) fn combined(
    degrees: [usize; 2],
    operator: &[f64],
    xi: [f64; 2],
    values: &mut [f64],
    first: &mut [[f64; 2]],
    second: &mut [[f64; 3]],
) {
    let (b, d) = (bernstein(degrees[0], xi[0]), bernstein(degrees[1], xi[1]));
    let [n, m] = degrees.map(|p| p + 1);
    for (i, row) in operator.chunks_exact(n * m).enumerate() {
        let mut sum = [0.0; 6];
        for (j, row) in row.chunks_exact(n).enumerate() {
            // Along the first direction: value and two derivatives.
            let mut line = [0.0; 3];
            for (k, c) in row.iter().enumerate() {
                (0..3).for_each(|o| line[o] += c * b[o][k]);
            }
            let parts = [
                line[0] * d[0][j],
                line[1] * d[0][j],
                line[0] * d[1][j],
                line[2] * d[0][j],
                line[1] * d[1][j],
                line[0] * d[2][j],
            ];
            sum.iter_mut().zip(parts).for_each(|(s, part)| *s += part);
        }
        values[i] = sum[0];
        first[i] = [sum[1], sum[2]];
        second[i] = [sum[3], sum[4], sum[5]];
    }
}

/// Turns N into R = N w / W with its derivatives, THEORY section 5.
///
/// ```text
/// R_,a = (w N_,a − R W_,a)/W,   R_,ab = (w N_,ab − R_,a W_,b − R_,b W_,a − R W_,ab)/W
/// ```
pub(super) fn rational(
    weight: impl Fn(usize) -> f64,
    values: &mut [f64],
    first: &mut [[f64; 2]],
    second: &mut [[f64; 3]],
) {
    let (mut w, mut w_a, mut w_ab) = (0.0, [0.0; 2], [0.0; 3]);
    for i in 0..values.len() {
        let wi = weight(i);
        values[i] *= wi;
        first[i] = first[i].map(|x| x * wi);
        second[i] = second[i].map(|x| x * wi);
        w += values[i];
        (0..2).for_each(|a| w_a[a] += first[i][a]);
        (0..3).for_each(|a| w_ab[a] += second[i][a]);
    }
    for i in 0..values.len() {
        let r = values[i] / w;
        let r_a = [0, 1].map(|a| (first[i][a] - r * w_a[a]) / w);
        second[i] = [
            (second[i][0] - 2.0 * r_a[0] * w_a[0] - r * w_ab[0]) / w,
            (second[i][1] - r_a[0] * w_a[1] - r_a[1] * w_a[0] - r * w_ab[1]) / w,
            (second[i][2] - 2.0 * r_a[1] * w_a[1] - r * w_ab[2]) / w,
        ];
        first[i] = r_a;
        values[i] = r;
    }
}

/// Shape functions of the faces of Lagrange cells, nodes in VTK's order.
pub(super) fn lagrange(
    shape: FaceShape,
    xi: [f64; 2],
    values: &mut [f64],
    first: &mut [[f64; 2]],
    second: &mut [[f64; 3]],
) {
    match shape {
        FaceShape::Tri3 => {
            values[..3].copy_from_slice(&[1.0 - xi[0] - xi[1], xi[0], xi[1]]);
            first[..3].copy_from_slice(&[[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]);
            second[..3].fill([0.0; 3]);
        }
        FaceShape::Tri6 => tri6(xi, values, first, second),
        FaceShape::Quad4 => tensor(linear, &QUAD_NODES[..4], xi, values, first, second),
        FaceShape::Quad8 => quad8(xi, values, first, second),
        FaceShape::Quad9 => tensor(quadratic, &QUAD_NODES, xi, values, first, second),
    }
}

/// L_i (2 L_i − 1) at corners, 4 L_i L_j on edges 01 12 20, with area coordinates L.
fn tri6(xi: [f64; 2], values: &mut [f64], first: &mut [[f64; 2]], second: &mut [[f64; 3]]) {
    const D: [[f64; 2]; 3] = [[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]];
    let l = [1.0 - xi[0] - xi[1], xi[0], xi[1]];
    for i in 0..3 {
        values[i] = l[i] * (2.0 * l[i] - 1.0);
        first[i] = D[i].map(|d| (4.0 * l[i] - 1.0) * d);
        second[i] = [4.0 * D[i][0] * D[i][0], 4.0 * D[i][0] * D[i][1], 4.0 * D[i][1] * D[i][1]];
        let (j, k) = ((i + 1) % 3, 3 + i);
        values[k] = 4.0 * l[i] * l[j];
        first[k] = [0, 1].map(|a| 4.0 * (l[i] * D[j][a] + l[j] * D[i][a]));
        let cross = |a: usize, b: usize| 4.0 * (D[i][a] * D[j][b] + D[i][b] * D[j][a]);
        second[k] = [cross(0, 0), cross(0, 1), cross(1, 1)];
    }
}

/// Node positions of the quadrilaterals in half steps: corners, edges 01 12 23 30, centre.
const QUAD_NODES: [[usize; 2]; 9] = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 0], [2, 1], [1, 2], [0, 1], [1, 1]];

/// Values and two derivatives of the functions of the nodes t = 0, (none), 1.
fn linear(t: f64) -> [[f64; 3]; 3] {
    [[1.0 - t, -1.0, 0.0], [0.0; 3], [t, 1.0, 0.0]]
}

/// Values and two derivatives of the functions of the nodes t = 0, ½, 1.
fn quadratic(t: f64) -> [[f64; 3]; 3] {
    [
        [(1.0 - t) * (1.0 - 2.0 * t), 4.0 * t - 3.0, 4.0],
        [4.0 * t * (1.0 - t), 4.0 - 8.0 * t, -8.0],
        [t * (2.0 * t - 1.0), 4.0 * t - 1.0, 4.0],
    ]
}

fn tensor(
    line: fn(f64) -> [[f64; 3]; 3],
    nodes: &[[usize; 2]],
    xi: [f64; 2],
    values: &mut [f64],
    first: &mut [[f64; 2]],
    second: &mut [[f64; 3]],
) {
    let (n, m) = (line(xi[0]), line(xi[1]));
    for (k, &[i, j]) in nodes.iter().enumerate() {
        values[k] = n[i][0] * m[j][0];
        first[k] = [n[i][1] * m[j][0], n[i][0] * m[j][1]];
        second[k] = [n[i][2] * m[j][0], n[i][1] * m[j][1], n[i][0] * m[j][2]];
    }
}

/// Serendipity functions in s = 2ξ₁ − 1, t = 2ξ₂ − 1: corners ¼(1+a)(1+b)(a+b−1) with a = s s_i, b = t t_i,
/// edges ½(1−s²)(1+b) and ½(1+a)(1−t²).
fn quad8(xi: [f64; 2], values: &mut [f64], first: &mut [[f64; 2]], second: &mut [[f64; 3]]) {
    let st = xi.map(|x| 2.0 * x - 1.0);
    for (k, node) in QUAD_NODES[..8].iter().enumerate() {
        let c = node.map(|i| i as f64 - 1.0);
        let (a, b) = (st[0] * c[0], st[1] * c[1]);
        // Derivatives by s and t; each parametric derivative brings a factor 2.
        let (value, d, dd) = if k < 4 {
            (
                0.25 * (1.0 + a) * (1.0 + b) * (a + b - 1.0),
                [0.25 * (1.0 + b) * (2.0 * a + b) * c[0], 0.25 * (1.0 + a) * (a + 2.0 * b) * c[1]],
                [0.5 * (1.0 + b), 0.25 * (2.0 * a + 2.0 * b + 1.0) * c[0] * c[1], 0.5 * (1.0 + a)],
            )
        } else if c[0] == 0.0 {
            let bump = 1.0 - st[0] * st[0];
            (
                0.5 * bump * (1.0 + b),
                [-st[0] * (1.0 + b), 0.5 * bump * c[1]],
                [-(1.0 + b), -st[0] * c[1], 0.0],
            )
        } else {
            let bump = 1.0 - st[1] * st[1];
            (
                0.5 * bump * (1.0 + a),
                [0.5 * bump * c[0], -st[1] * (1.0 + a)],
                [0.0, -st[1] * c[0], -(1.0 + a)],
            )
        };
        values[k] = value;
        first[k] = d.map(|x| 2.0 * x);
        second[k] = dd.map(|x| 4.0 * x);
    }
}
