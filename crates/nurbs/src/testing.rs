//! Random inputs and plain evaluations that the unit tests share.

use crate::{KnotVector, Patch};
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

/// A warped rational patch without symmetry, degrees 2, 3, 1 with inner knots.
pub(crate) fn warped() -> Patch {
    let basis = [
        KnotVector::new(2, vec![0.0, 0.0, 0.0, 0.4, 1.0, 1.0, 1.0]).unwrap(),
        KnotVector::new(3, vec![-1.0, -1.0, -1.0, -1.0, 0.5, 0.5, 2.0, 2.0, 2.0, 2.0]).unwrap(),
        KnotVector::new(1, vec![0.0, 0.0, 0.5, 3.0, 3.0]).unwrap(),
    ];
    let counts = [4, 6, 3];
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for k in 0..counts[2] {
        for j in 0..counts[1] {
            for i in 0..counts[0] {
                let (x, y, z) = (i as f64, j as f64, k as f64);
                points.push([x + 0.2 * (y * 1.3).sin(), y + 0.1 * (x * z).cos(), z + 0.15 * (x - y).sin()]);
                weights.push(1.0 + 0.4 * (x + 2.0 * y + 3.0 * z).sin());
            }
        }
    }
    Patch::new(basis, points, weights).unwrap()
}
