//! Random inputs and plain evaluations that the unit tests share.

use crate::KnotVector;
use proptest::prelude::*;

/// Open knot vectors of degree 1 to 5 with uneven spans and repeated inner knots.
pub(crate) fn knot_vectors() -> impl Strategy<Value = KnotVector> {
    (1usize..=5, prop::collection::vec((0.01f64..1.0, 1usize..=5), 1..7)).prop_map(|(p, spans)| {
        let mut knots = vec![-0.5; p + 1];
        let mut u = -0.5;
        let last = spans.len() - 1;
        for (i, (width, multiplicity)) in spans.into_iter().enumerate() {
            u += width;
            knots.extend(std::iter::repeat_n(u, if i == last { p + 1 } else { multiplicity.min(p) }));
        }
        KnotVector::new(p, knots).expect("open and ascending by construction")
    })
}

/// Σ N_i(u) c_i.
pub(crate) fn value<const D: usize>(kv: &KnotVector, c: &[[f64; D]], u: f64) -> [f64; D] {
    let span = kv.span_of(u);
    let mut n = vec![0.0; kv.degree() + 1];
    kv.basis_into(span, u, &mut n);
    let first = kv.first_function(span);
    let mut sum = [0.0; D];
    for (r, value) in n.iter().enumerate() {
        for d in 0..D {
            sum[d] += value * c[first + r][d];
        }
    }
    sum
}
