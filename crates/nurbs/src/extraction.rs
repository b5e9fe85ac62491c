//! Bezier extraction: the B-splines of one span as combinations of Bernstein polynomials.

use crate::KnotVector;

/// The extraction operator C of one nonempty span.
///
/// ```text
/// N_{k−p+i}(u) = Σ_j C_ij b_j(x),   x = (u − u_k) / (u_{k+1} − u_k) in [0,1]
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Operator {
    /// p+1.
    pub size: usize,
    /// C, row-major, (p+1)² numbers.
    pub coefficients: Vec<f64>,
}

impl Operator {
    /// C_ij.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        self.coefficients[i * self.size + j]
    }

    /// N_i = Σ_j C_ij b_j for given Bernstein values (or derivatives with respect to x).
    ///
    /// * `bernstein` — p+1 numbers; `values` — p+1 numbers, overwritten
    pub fn apply_into(&self, bernstein: &[f64], values: &mut [f64]) {
        for (row, value) in self.coefficients.chunks_exact(self.size).zip(values) {
            *value = row.iter().zip(bernstein).map(|(c, b)| c * b).sum();
        }
    }
}

impl KnotVector {
    /// The extraction operators of all nonempty spans, in the order of [`KnotVector::spans`].
    ///
    /// Each inner knot is raised to multiplicity p, and C is the transpose of the rows of that refinement
    /// that belong to the span. Every insertion is a convex combination, so C ≥ 0 to rounding, columns sum to
    /// one.
    ///
    /// # Source
    ///
    /// Borden, Scott, Evans, Hughes (2011), Int. J. Numer. Meth. Eng. 87, 15–47, section 4.
    pub fn extraction(&self) -> Vec<Operator> {
        let p = self.degree();
        let size = p + 1;
        let to_bezier = self.to_bezier();
        let operator = |(e, span): (usize, usize)| {
            let mut coefficients = vec![0.0; size * size];
            for j in 0..size {
                for (i, value) in to_bezier.row(e * p + j) {
                    coefficients[(i - self.first_function(span)) * size + j] = value;
                }
            }
            Operator { size, coefficients }
        };
        self.spans().into_iter().enumerate().map(operator).collect()
    }

    /// The extraction operator of one nonempty span, from the 2p knots that it depends on.
    ///
    /// * `span` — knot index k of the span
    pub fn extraction_of(&self, span: usize) -> Operator {
        let p = self.degree();
        let local = &self.knots()[span + 1 - p..=span + p];
        let (first, last) = (local[0], local[2 * p - 1]);
        let inner = local.iter().copied().filter(|&u| u > first && u < last);
        let mut knots = vec![first; p + 1];
        knots.extend(inner);
        knots.resize(knots.len() + p + 1, last);
        let local = Self::new(p, knots).expect("a part of a knot vector, its ends repeated, is one");
        let here = local.span_of(0.5 * (self.knots()[span] + self.knots()[span + 1]));
        let place =
            local.spans().binary_search(&here).expect("a point between two knots lies in a nonempty span");
        local.extraction().swap_remove(place)
    }
}

#[cfg(test)]
mod tests {
    use crate::basis::bernstein_into;
    use crate::testing::knot_vectors;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn extraction_reproduces_the_basis(kv in knot_vectors(), x in 0.0f64..=1.0) {
            let p = kv.degree();
            for (span, c) in kv.spans().into_iter().zip(kv.extraction()) {
                let (a, b) = (kv.knots()[span], kv.knots()[span + 1]);
                let (mut direct, mut bernstein, mut extracted) = ([0.0; 6], [0.0; 6], [0.0; 6]);
                kv.basis_into(span, a + x * (b - a), &mut direct);
                bernstein_into(p, x, &mut bernstein);
                prop_assert!(
                    c.coefficients
                        .iter()
                        .zip(kv.extraction_of(span).coefficients)
                        .all(|(a, b)| (a - b).abs() < 1e-14)
                );
                c.apply_into(&bernstein[..=p], &mut extracted[..=p]);
                for r in 0..=p {
                    prop_assert!((direct[r] - extracted[r]).abs() < 1e-13, "{kv:?} span {span} N_{r}");
                }
            }
        }
    }
}
