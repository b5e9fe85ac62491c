//! Removal of knots from one direction, and lowering of its degree by one.
//!
//! Insertion and elevation give each new coefficient as a combination of two adjacent old ones, P_i = (1 −
//! α_i) Q_{i−1} + α_i Q_i with falling α_i: one equation more than there are Q. The operators here solve
//! these equations. If the equations contradict each other, they are solved for the nearest consistent P
//! (least squares).

use crate::basis::MAX_DEGREE;
use crate::{KnotError, KnotVector, LineOperator};

impl KnotVector {
    /// The distinct inner knots with their multiplicities, ascending.
    pub fn inner_knots(&self) -> Vec<(f64, usize)> {
        let inner = &self.knots()[self.degree() + 1..self.n_functions()];
        inner.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
    }

    /// Removes one occurrence of an inner knot.
    ///
    /// Returns the coarser knot vector and the operator to its coefficients. Functions that need the knot
    /// are changed; the others are reproduced by [`KnotVector::insert`].
    ///
    /// # Errors
    ///
    /// [`KnotError::NotThere`] if it is not an inner knot.
    ///
    /// # Source
    ///
    /// Tiller (1992), Computer-Aided Design 24(8), 445–453; Piegl & Tiller, *The NURBS Book*, algorithm
    /// A5.8, which solves the equations from both ends and leaves out the middle one. Here all equations
    /// are met as well as possible, so that the result does not depend on the sense of the direction.
    pub fn remove(&self, knot: f64) -> Result<(Self, LineOperator), KnotError> {
        let (p, n) = (self.degree(), self.n_functions());
        let inner = &self.knots()[p + 1..n];
        let place = inner.iter().rposition(|&u| u == knot).ok_or(KnotError::NotThere { knot })?;
        let mut knots = self.knots().to_vec();
        knots.remove(p + 1 + place);
        let k = knots.partition_point(|&u| u <= knot) - 1; // u_k ≤ knot < u_{k+1}
        let left = knots[..=k].iter().rev().take_while(|&&u| u == knot).count();
        let alphas: Vec<f64> =
            (k - p + 1..=k - left).map(|i| (knot - knots[i]) / (knots[i + p] - knots[i])).collect();
        let mut rows: Vec<(usize, Vec<f64>)> = (0..=k - p).map(|i| (i, vec![1.0])).collect();
        rows.extend(unblended(&alphas).into_iter().map(|row| (k - p, row)));
        rows.extend((k - left + 1..n).map(|i| (i, vec![1.0])));
        Ok((Self::new(p, knots)?, LineOperator::from_rows(n, rows)))
    }

    /// Lowers the degree by one where all inner knots have multiplicity p; they have p − 1 afterwards.
    ///
    /// # Errors
    ///
    /// [`KnotError::Degree`] if the degree is 1.
    ///
    /// # Panics
    ///
    /// If an inner knot has another multiplicity.
    pub(crate) fn lower_bezier(&self) -> Result<(Self, LineOperator), KnotError> {
        let p = self.degree();
        if p == 1 {
            return Err(KnotError::Degree { degree: 0 });
        }
        assert!(
            self.inner_knots().iter().all(|&(_, multiplicity)| multiplicity == p),
            "one span after another"
        );
        let alphas: Vec<f64> = (1..p).map(|i| 1.0 - i as f64 / p as f64).collect();
        let inner = unblended(&alphas);
        let n_spans = self.spans().len();
        let mut rows = vec![(0, vec![1.0])];
        for span in 0..n_spans {
            rows.extend(inner.iter().map(|row| (span * p, row.clone())));
            rows.push((span * p + p, vec![1.0]));
        }
        let knots: Vec<f64> = self
            .knots()
            .chunk_by(|a, b| a == b)
            .flat_map(|run| std::iter::repeat_n(run[0], run.len() - 1))
            .collect();
        Ok((Self::new(p - 1, knots)?, LineOperator::from_rows(self.n_functions(), rows)))
    }
}

/// Solves P_i = (1 − α_i) Q_{i−1} + α_i Q_i, i = 1 … m, for Q_1 … Q_{m−1}, where Q_0 and Q_m are known.
///
/// The equations are consistent if ν · P = 0 with α_i ν_i + (1 − α_{i+1}) ν_{i+1} = 0; the component of P
/// along ν is removed first. Then they are solved from both ends to the place where α falls below ½, which
/// never divides by less than ½.
///
/// Returns a row for each of the unknowns, in terms of Q_0, P_1 … P_m, Q_m.
fn unblended(alphas: &[f64]) -> Vec<Vec<f64>> {
    let m = alphas.len();
    let from_left = alphas.iter().take_while(|&&alpha| alpha >= 0.5).count();
    let nu = contradiction(alphas, from_left);
    // ν · (P − the contributions of Q_0 and Q_m).
    let mut residual = [&[0.0], &nu[..m], &[0.0]].concat();
    residual[0] = -nu[0] * (1.0 - alphas[0]);
    residual[m + 1] = -nu[m - 1] * alphas[m - 1];
    let square: f64 = nu[..m].iter().map(|x| x * x).sum();
    let consistent = |i: usize| -> Vec<f64> {
        let mut row: Vec<f64> = residual.iter().map(|r| -nu[i] * r / square).collect();
        row[i + 1] += 1.0;
        row
    };
    let unit = |i: usize| (0..m + 2).map(|j| if i == j { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let solved = |i: usize, known: &[f64], share: f64| -> Vec<f64> {
        consistent(i).iter().zip(known).map(|(p, q)| (p - (1.0 - share) * q) / share).collect()
    };
    let mut rows = vec![Vec::new(); m + 1];
    rows[0] = unit(0);
    rows[m] = unit(m + 1);
    for i in 0..from_left.min(m - 1) {
        rows[i + 1] = solved(i, &rows[i], alphas[i]);
    }
    for i in (from_left + 1..m).rev() {
        rows[i] = solved(i, &rows[i + 1], 1.0 - alphas[i]);
    }
    rows.pop();
    rows.remove(0);
    rows
}

/// The combination ν of the equations of [`unblended`] without unknowns, its largest entry about 1.
fn contradiction(alphas: &[f64], from_left: usize) -> [f64; MAX_DEGREE + 1] {
    let mut nu = [0.0; MAX_DEGREE + 1];
    let top = from_left.max(1) - 1;
    nu[top] = 1.0;
    for i in (0..top).rev() {
        nu[i] = -nu[i + 1] * (1.0 - alphas[i + 1]) / alphas[i];
    }
    for i in top + 1..alphas.len() {
        nu[i] = -nu[i - 1] * alphas[i - 1] / (1.0 - alphas[i]);
    }
    nu
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{knot_vectors, value};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn removal_undoes_insertion(kv in knot_vectors(), at in 0.001f64..0.999, times in 1usize..4) {
            let [a, b] = kv.domain();
            let u = a + at * (b - a);
            let times = times.min(kv.degree());
            let (mut finer, operator) = kv.insert(&vec![u; times]).unwrap();
            let c: Vec<[f64; 1]> = (0..kv.n_functions()).map(|i| [(1.7 * i as f64).sin()]).collect();
            let mut values = operator.apply(&c, [kv.n_functions(), 1, 1], 0);
            for _ in 0..times {
                let (coarser, back) = finer.remove(u).unwrap();
                values = back.apply(&values, [finer.n_functions(), 1, 1], 0);
                finer = coarser;
            }
            prop_assert_eq!(&finer, &kv);
            for (x, y) in values.iter().zip(&c) {
                prop_assert!((x[0] - y[0]).abs() < 1e-12, "{x:?} {y:?}");
            }
        }

        #[test]
        fn knot_removal_is_independent_of_the_orientation(kv in knot_vectors(), which in 0usize..8) {
            let inner = kv.inner_knots();
            prop_assume!(!inner.is_empty());
            let (u, _) = inner[which % inner.len()];
            let mirrored = kv.reversed();
            let n = kv.n_functions();
            let c: Vec<[f64; 1]> = (0..n).map(|i| [(1.7 * i as f64).sin()]).collect();
            let backwards: Vec<_> = c.iter().rev().copied().collect();
            let (_, there) = kv.remove(u).unwrap();
            let place = inner.len() - 1 - which % inner.len();
            let (_, back) = mirrored.remove(mirrored.inner_knots()[place].0).unwrap();
            let mut reversed = back.apply(&backwards, [n, 1, 1], 0);
            reversed.reverse();
            for (x, y) in there.apply(&c, [n, 1, 1], 0).iter().zip(&reversed) {
                prop_assert!((x[0] - y[0]).abs() < 1e-9, "{x:?} {y:?}");
            }
        }

        #[test]
        fn lowering_undoes_elevation_span_by_span(kv in knot_vectors()) {
            let bezier: Vec<f64> = kv.knots().chunk_by(|a, b| a == b).enumerate().flat_map(|(i, run)| {
                let ends = i == 0 || run[0] == kv.domain()[1];
                std::iter::repeat_n(run[0], kv.degree() + usize::from(ends))
            }).collect();
            let kv = KnotVector::new(kv.degree(), bezier).unwrap();
            let c: Vec<[f64; 1]> = (0..kv.n_functions()).map(|i| [(1.7 * i as f64).sin()]).collect();
            let (raised, up) = kv.elevate(1).unwrap();
            let high = up.apply(&c, [kv.n_functions(), 1, 1], 0);
            let (lowered, down) = raised.lower_bezier().unwrap();
            let low = down.apply(&high, [raised.n_functions(), 1, 1], 0);
            prop_assert_eq!(&lowered, &kv);
            for (x, y) in low.iter().zip(&c) {
                prop_assert!((x[0] - y[0]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn removing_a_needed_knot_changes_the_function_as_little_as_possible() {
        // A broken line over [0, 1]: without the knot it becomes a straight line, half the height away in the
        // middle.
        let kv = KnotVector::new(1, vec![0.0, 0.0, 0.5, 1.0, 1.0]).unwrap();
        let (straight, operator) = kv.remove(0.5).unwrap();
        let c = operator.apply(&[[0.0], [1.0], [0.0]], [3, 1, 1], 0);
        assert_eq!(c, [[0.0], [0.0]]);
        assert_eq!(value(&straight, &c, 0.3), [0.0]);
        assert!(kv.remove(0.4).unwrap_err().to_string().contains("0.4"));
        assert!(kv.remove(0.0).is_err());
        assert!(straight.lower_bezier().is_err());
    }
}
