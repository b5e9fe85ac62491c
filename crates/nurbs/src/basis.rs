//! B-spline and Bernstein functions with their first two derivatives.
//!
//! All functions write into the caller's slices and allocate nothing, as element and contact loops call
//! them.

use crate::KnotVector;

/// The highest polynomial degree of a direction: evaluation keeps its work arrays on the stack.
pub const MAX_DEGREE: usize = 12;

/// Work space of one row of basis functions.
type Row = [f64; MAX_DEGREE + 1];

impl KnotVector {
    /// The nonempty span that contains `u`: index k with u_k ≤ u < u_{k+1}, the last one for u at the end.
    ///
    /// Values outside the domain give the first or the last span.
    pub fn span_of(&self, u: f64) -> usize {
        let (p, n) = (self.degree(), self.n_functions());
        let above = self.knots()[p..n].partition_point(|&knot| knot <= u);
        let mut span = p + above.max(1) - 1;
        while self.knots()[span] == self.knots()[span + 1] {
            span -= 1;
        }
        span
    }

    /// Number of the first of the p+1 functions that are nonzero on a span: k − p.
    pub fn first_function(&self, span: usize) -> usize {
        span - self.degree()
    }

    /// First and last parameter of the domain.
    pub fn domain(&self) -> [f64; 2] {
        [self.knots()[self.degree()], self.knots()[self.n_functions()]]
    }

    /// The values N_{k−p}(u) … N_k(u) of the functions that are nonzero on span k.
    ///
    /// * `values` — p+1 numbers, overwritten
    ///
    /// # Panics
    ///
    /// If `values` holds fewer than p+1 numbers or `span` is not a nonempty span.
    pub fn basis_into(&self, span: usize, u: f64, values: &mut [f64]) {
        cox_de_boor(self.knots(), span, self.degree(), u, values);
    }

    /// Values and the first two derivatives with respect to u of the functions that are nonzero on span k.
    ///
    /// ```text
    /// N'_{i,p} = p N_{i,p−1} / (u_{i+p} − u_i) − p N_{i+1,p−1} / (u_{i+p+1} − u_{i+1})
    /// ```
    ///
    /// * `values`, `first`, `second` — p+1 numbers each, overwritten
    ///
    /// # Panics
    ///
    /// If a slice holds fewer than p+1 numbers or `span` is not a nonempty span.
    pub fn derivatives_into(
        &self,
        span: usize,
        u: f64,
        values: &mut [f64],
        first: &mut [f64],
        second: &mut [f64],
    ) {
        let (knots, p) = (self.knots(), self.degree());
        cox_de_boor(knots, span, p, u, values);
        let mut lower: Row = [0.0; MAX_DEGREE + 1];
        cox_de_boor(knots, span, p - 1, u, &mut lower);
        differentiate(knots, span, p, &lower, first);
        if p == 1 {
            second[..2].fill(0.0);
            return;
        }
        let mut lowest: Row = [0.0; MAX_DEGREE + 1];
        cox_de_boor(knots, span, p - 2, u, &mut lowest);
        differentiate(knots, span, p - 1, &lowest, &mut lower);
        differentiate(knots, span, p, &lower, second);
    }

    /// The averages g_i = (u_{i+1} + … + u_{i+p}) / p: a function Σ g_i N_i is the identity.
    pub fn greville(&self) -> Vec<f64> {
        let p = self.degree();
        (0..self.n_functions()).map(|i| self.knots()[i + 1..=i + p].iter().sum::<f64>() / p as f64).collect()
    }
}

/// The q+1 functions of degree q on a span by the recursion of Cox and de Boor.
fn cox_de_boor(knots: &[f64], span: usize, q: usize, u: f64, values: &mut [f64]) {
    values[0] = 1.0;
    for degree in 1..=q {
        let mut from_left = 0.0;
        for r in 0..degree {
            let (below, above) = (knots[span + 1 + r - degree], knots[span + 1 + r]);
            let share = values[r] / (above - below);
            values[r] = from_left + (above - u) * share;
            from_left = (u - below) * share;
        }
        values[degree] = from_left;
    }
}

/// Derivatives of the p+1 functions of degree p from the p values (or derivatives) of those of degree p−1.
fn differentiate(knots: &[f64], span: usize, p: usize, lower: &[f64], out: &mut [f64]) {
    out[..=p].fill(0.0);
    for s in 0..p {
        // The function of degree p−1 with local number s lives on knots span−p+1+s … span+1+s.
        let slope = p as f64 * lower[s] / (knots[span + 1 + s] - knots[span + 1 + s - p]);
        out[s] -= slope;
        out[s + 1] += slope;
    }
}

/// The Bernstein polynomials b_j(x) = C(p,j) x^j (1−x)^{p−j} of degree p on \[0,1\].
///
/// * `values` — p+1 numbers, overwritten
pub fn bernstein_into(p: usize, x: f64, values: &mut [f64]) {
    values[0] = 1.0;
    for degree in 1..=p {
        let mut from_left = 0.0;
        for r in 0..degree {
            let value = values[r];
            values[r] = from_left + (1.0 - x) * value;
            from_left = x * value;
        }
        values[degree] = from_left;
    }
}

/// Bernstein polynomials of degree p ≥ 1 on \[0,1\] with their first two derivatives.
///
/// ```text
/// b'_{j,p} = p (b_{j−1,p−1} − b_{j,p−1})
/// ```
///
/// * `values`, `first`, `second` — p+1 numbers each, overwritten
pub fn bernstein_derivatives_into(
    p: usize,
    x: f64,
    values: &mut [f64],
    first: &mut [f64],
    second: &mut [f64],
) {
    let raise = |q: usize, lower: &[f64], out: &mut [f64]| {
        out[..=q].fill(0.0);
        for s in 0..q {
            out[s] -= q as f64 * lower[s];
            out[s + 1] += q as f64 * lower[s];
        }
    };
    bernstein_into(p, x, values);
    let mut lower: Row = [0.0; MAX_DEGREE + 1];
    bernstein_into(p - 1, x, &mut lower);
    raise(p, &lower, first);
    if p == 1 {
        second[..2].fill(0.0);
        return;
    }
    let mut lowest: Row = [0.0; MAX_DEGREE + 1];
    bernstein_into(p - 2, x, &mut lowest);
    raise(p - 1, &lowest, &mut lower);
    raise(p, &lower, second);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::knot_vectors;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn functions_sum_to_one_and_their_derivatives_to_zero(kv in knot_vectors(), t in 0.0f64..=1.0) {
            let p = kv.degree();
            let [a, b] = kv.domain();
            let u = a + t * (b - a);
            let span = kv.span_of(u);
            let (mut n, mut d, mut dd) = ([0.0; 6], [0.0; 6], [0.0; 6]);
            kv.derivatives_into(span, u, &mut n, &mut d, &mut dd);
            prop_assert!((n[..=p].iter().sum::<f64>() - 1.0).abs() < 1e-14);
            prop_assert!(n[..=p].iter().all(|&x| x >= -1e-15));
            let scale = d[..=p].iter().map(|x| x.abs()).sum::<f64>();
            prop_assert!(d[..=p].iter().sum::<f64>().abs() <= 1e-13 * (1.0 + scale));
            let scale = dd[..=p].iter().map(|x| x.abs()).sum::<f64>();
            prop_assert!(dd[..=p].iter().sum::<f64>().abs() <= 1e-13 * (1.0 + scale));
        }

        #[test]
        fn derivatives_are_limits_of_differences(
            kv in knot_vectors(),
            which in 0usize..20,
            t in 0.2f64..0.8,
        ) {
            let p = kv.degree();
            let spans = kv.spans();
            let span = spans[which % spans.len()];
            let (a, b) = (kv.knots()[span], kv.knots()[span + 1]);
            let (u, h) = (a + t * (b - a), 1e-4 * (b - a));
            let mut rows = [[0.0; 6]; 9];
            for (i, at) in [u - h, u, u + h].into_iter().enumerate() {
                let [n, d, dd] = rows.get_disjoint_mut([3 * i, 3 * i + 1, 3 * i + 2]).expect("distinct rows");
                kv.derivatives_into(span, at, n, d, dd);
            }
            for r in 0..=p {
                let scale: f64 = rows[4][..=p].iter().map(|x| x.abs()).sum::<f64>() + 1.0 / (b - a);
                prop_assert!(((rows[6][r] - rows[0][r]) / (2.0 * h) - rows[4][r]).abs() < 1e-5 * scale);
                let scale: f64 = rows[5][..=p].iter().map(|x| x.abs()).sum::<f64>() + 1.0 / (b - a).powi(2);
                prop_assert!(((rows[7][r] - rows[1][r]) / (2.0 * h) - rows[5][r]).abs() < 1e-5 * scale);
            }
        }

        #[test]
        fn greville_abscissae_reproduce_the_identity(kv in knot_vectors(), t in 0.0f64..=1.0) {
            let [a, b] = kv.domain();
            let u = a + t * (b - a);
            let span = kv.span_of(u);
            let mut n = [0.0; 6];
            kv.basis_into(span, u, &mut n);
            let g = kv.greville();
            let first = kv.first_function(span);
            let x: f64 = (0..=kv.degree()).map(|r| n[r] * g[first + r]).sum();
            prop_assert!((x - u).abs() < 1e-13);
        }
    }

    #[test]
    fn bernstein_equals_the_basis_of_one_span() {
        for p in 1..=6 {
            let knots = [vec![0.0; p + 1], vec![1.0; p + 1]].concat();
            let kv = KnotVector::new(p, knots).unwrap();
            let mut rows = [[0.0; 7]; 6];
            for x in [0.0, 0.3, 0.77, 1.0] {
                let [n, d, dd, b, e, f] = &mut rows;
                kv.derivatives_into(p, x, n, d, dd);
                bernstein_derivatives_into(p, x, b, e, f);
                for r in 0..=p {
                    assert!((n[r] - b[r]).abs() < 1e-15, "p {p}, x {x}, b_{r}");
                    assert!((d[r] - e[r]).abs() < 1e-14 && (dd[r] - f[r]).abs() < 1e-13);
                }
            }
        }
    }
}
