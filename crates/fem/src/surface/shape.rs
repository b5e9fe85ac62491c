//! Values, first and second derivatives of the shape functions of the faces of splines.

use super::MAX_DEGREE;

/// Bernstein polynomials of degree p on \[0,1\] with two derivatives: `b[k][i]` is the k-th derivative of
/// b_i.
///
/// ```text
/// b_i,p = (1−t) b_i,p−1 + t b_i−1,p−1,   b'_i,p = p (b_i−1,p−1 − b_i,p−1)
/// ```
pub fn bernstein(p: usize, t: f64) -> [[f64; MAX_DEGREE + 1]; 3] {
    let mut b = [[0.0; MAX_DEGREE + 1]; 3];
    // Contact evaluates almost only degrees 1 and 2.
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
        for (i, row) in operators[a].chunks_exact(p + 1).take(p + 1).enumerate() {
            for (n, b) in n.iter_mut().zip(&b) {
                n[i] = row.iter().zip(b).map(|(c, b)| c * b).sum();
            }
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

/// Turns N into R = N w / W with its derivatives, docs/theory/bodies.md, eq. (3).
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
