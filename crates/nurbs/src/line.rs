//! Linear maps between the coefficients of one parametric direction: knot insertion, degree elevation.
//!
//! A [`LineOperator`] is built once for each direction, and applied along that direction to any values at
//! control points: homogeneous coordinates, displacement fields times weights.

use crate::basis::MAX_DEGREE;
use crate::{KnotError, KnotVector};

/// A sparse matrix T that maps the coefficients of one direction to those of a finer basis: c_new = T c_old.
///
/// The nonzeros of each row are contiguous. Insertion and elevation give convex combinations.
#[derive(Debug, Clone, PartialEq)]
pub struct LineOperator {
    n_in: usize,
    rows: Vec<Row>,
}

/// Nonzeros of one row: column of the first of them and the values.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    first: usize,
    values: Vec<f64>,
}

impl Row {
    /// (1−α) a + α b.
    fn blend(a: &Self, b: &Self, alpha: f64) -> Self {
        let first = a.first.min(b.first);
        let end = (a.first + a.values.len()).max(b.first + b.values.len());
        let mut values = vec![0.0; end - first];
        for (row, factor) in [(a, 1.0 - alpha), (b, alpha)] {
            for (i, value) in row.values.iter().enumerate() {
                values[row.first - first + i] += factor * value;
            }
        }
        Self { first, values }
    }

    /// Without the zeros at both ends.
    fn trimmed(mut self) -> Self {
        while self.values.len() > 1 && self.values[self.values.len() - 1] == 0.0 {
            self.values.pop();
        }
        let zeros = self.values.iter().take_while(|&&v| v == 0.0).count().min(self.values.len() - 1);
        self.values.drain(..zeros);
        self.first += zeros;
        self
    }
}

impl LineOperator {
    /// The identity on n coefficients.
    pub fn identity(n: usize) -> Self {
        Self { n_in: n, rows: (0..n).map(|i| Row { first: i, values: vec![1.0] }).collect() }
    }

    /// An operator on n coefficients from the first column and the values of each row.
    pub(crate) fn from_rows(n: usize, rows: Vec<(usize, Vec<f64>)>) -> Self {
        Self { n_in: n, rows: rows.into_iter().map(|(first, values)| Row { first, values }).collect() }
    }

    /// Number of coefficients of its argument.
    pub fn n_in(&self) -> usize {
        self.n_in
    }

    /// Number of coefficients of its result.
    pub fn n_out(&self) -> usize {
        self.rows.len()
    }

    /// The nonzeros of row i: (column, value).
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let row = &self.rows[i];
        row.values.iter().enumerate().map(move |(j, &value)| (row.first + j, value))
    }

    /// Applies the operator along one direction of a block of values, with `D` numbers for each control
    /// point, u fastest.
    ///
    /// * `counts` — control points of the three directions before; `values` — their product in number
    ///
    /// Returns the new values; `counts[direction]` becomes [`LineOperator::n_out`].
    pub fn apply<const D: usize>(
        &self,
        values: &[[f64; D]],
        counts: [usize; 3],
        direction: usize,
    ) -> Vec<[f64; D]> {
        let stride: usize = counts[..direction].iter().product();
        let outer: usize = counts[direction + 1..].iter().product();
        let (n_old, n_new) = (counts[direction], self.n_out());
        let mut out = vec![[0.0; D]; stride * n_new * outer];
        for o in 0..outer {
            for (i, row) in self.rows.iter().enumerate() {
                for (j, &factor) in row.values.iter().enumerate() {
                    let from = (o * n_old + row.first + j) * stride;
                    let to = (o * n_new + i) * stride;
                    for s in 0..stride {
                        for d in 0..D {
                            out[to + s][d] += factor * values[from + s][d];
                        }
                    }
                }
            }
        }
        out
    }

    /// The operator that applies `self` first and `next` afterwards.
    fn then(&self, next: &Self) -> Self {
        let rows = next.rows.iter().map(|row| {
            let mut dense = vec![0.0; self.n_in];
            for (j, &factor) in row.values.iter().enumerate() {
                for (column, value) in self.row(row.first + j) {
                    dense[column] += factor * value;
                }
            }
            Row { first: 0, values: dense }.trimmed()
        });
        Self { n_in: self.n_in, rows: rows.collect() }
    }
}

impl KnotVector {
    /// Inserts knots; the functions of the old basis are unchanged.
    ///
    /// * `new_knots` — in any order, with repetitions, inside the domain
    ///
    /// # Errors
    ///
    /// [`KnotError`] if a knot lies outside the open domain or would get a multiplicity above p.
    ///
    /// # Source
    ///
    /// Boehm (1980), Computer-Aided Design 12(4), 199–201. One knot at a time, each step a convex
    /// combination: blossoming over many short spans at once extrapolates and loses digits on graded knots.
    pub fn insert(&self, new_knots: &[f64]) -> Result<(Self, LineOperator), KnotError> {
        let p = self.degree();
        let [start, end] = self.domain();
        if let Some(&knot) = new_knots.iter().find(|&&u| !(u > start && u < end)) {
            return Err(KnotError::Outside { knot, start, end });
        }
        let mut knots = self.knots().to_vec();
        let mut rows = LineOperator::identity(self.n_functions()).rows;
        for &u in new_knots {
            let k = knots.partition_point(|&knot| knot <= u) - 1; // u_k ≤ u < u_{k+1}
            let multiplicity = knots[..=k].iter().rev().take_while(|&&knot| knot == u).count();
            if multiplicity >= p {
                return Err(KnotError::TooMultiple { value: u, found: multiplicity + 1, allowed: p });
            }
            let blended: Vec<Row> = (k - p + 1..=k - multiplicity)
                .map(|i| {
                    let alpha = (u - knots[i]) / (knots[i + p] - knots[i]);
                    Row::blend(&rows[i - 1], &rows[i], alpha)
                })
                .collect();
            rows.splice(k - p + 1..k - multiplicity, blended);
            knots.insert(k + 1, u);
        }
        let rows = rows.into_iter().map(Row::trimmed).collect();
        Ok((Self::new(p, knots)?, LineOperator { n_in: self.n_functions(), rows }))
    }

    /// The operator to the Bezier coefficients of all spans: inner knots raised to multiplicity p.
    ///
    /// Span e (counted over nonempty spans) has the rows e p … e p + p.
    pub fn to_bezier(&self) -> LineOperator {
        let p = self.degree();
        let inner = &self.knots()[p + 1..self.n_functions()];
        let missing: Vec<f64> = inner
            .chunk_by(|a, b| a == b)
            .flat_map(|run| std::iter::repeat_n(run[0], p - run.len()))
            .collect();
        self.insert(&missing).expect("inner knots raised to multiplicity p at most").1
    }

    /// Raises the degree by k; the multiplicity of every knot rises by k, so that the continuity is
    /// unchanged.
    ///
    /// One degree at a time: with f the blossom of the spline of degree p and t its knots with multiplicities
    /// raised by one, the new coefficients are
    ///
    /// ```text
    /// F(t_{i+1}, …, t_{i+p+1}) = 1/(p+1) Σ_j f(t_{i+1}, …, t_{i+j−1}, t_{i+j+1}, …, t_{i+p+1})
    /// ```
    ///
    /// and each f is a coefficient of the spline after knot insertion: convex combinations again.
    ///
    /// # Errors
    ///
    /// [`KnotError::Degree`] above [`MAX_DEGREE`].
    ///
    /// # Source
    ///
    /// Prautzsch (1984), Computer Aided Geometric Design 1, 193–198.
    pub fn elevate(&self, k: usize) -> Result<(Self, LineOperator), KnotError> {
        if self.degree() + k > MAX_DEGREE {
            return Err(KnotError::Degree { degree: self.degree() + k });
        }
        let mut raised = self.clone();
        let mut operator = LineOperator::identity(self.n_functions());
        for _ in 0..k {
            let (next, step) = raised.elevate_once()?;
            operator = operator.then(&step);
            raised = next;
        }
        Ok((raised, operator))
    }

    fn elevate_once(&self) -> Result<(Self, LineOperator), KnotError> {
        let p = self.degree();
        let knots: Vec<f64> = self
            .knots()
            .chunk_by(|a, b| a == b)
            .flat_map(|run| std::iter::repeat_n(run[0], run.len() + 1))
            .collect();
        let raised = Self::new(p + 1, knots)?;
        let mut rows = Vec::with_capacity(raised.n_functions());
        for i in 0..raised.n_functions() {
            let arguments = &raised.knots()[i + 1..=i + p + 1];
            let mut dense = vec![0.0; self.n_functions()];
            let mut known: Option<(Vec<f64>, Row)> = None;
            for left_out in 0..=p {
                let mut tuple = arguments.to_vec();
                tuple.remove(left_out);
                if known.as_ref().is_none_or(|(last, _)| *last != tuple) {
                    let row = self.blossom(&tuple)?;
                    known = Some((tuple, row));
                }
                let (_, row) = known.as_ref().expect("set just above");
                for (j, value) in row.values.iter().enumerate() {
                    dense[row.first + j] += value / (p + 1) as f64;
                }
            }
            rows.push(Row { first: 0, values: dense }.trimmed());
        }
        Ok((raised, LineOperator { n_in: self.n_functions(), rows }))
    }

    /// The row that gives the blossom at p ascending arguments which pass over no knot of theirs.
    fn blossom(&self, arguments: &[f64]) -> Result<Row, KnotError> {
        let p = self.degree();
        let [start, end] = self.domain();
        if arguments[0] == arguments[p - 1] && (arguments[0] == start || arguments[0] == end) {
            let first = if arguments[0] == start { 0 } else { self.n_functions() - 1 };
            return Ok(Row { first, values: vec![1.0] });
        }
        let mut missing = Vec::new();
        for run in arguments.chunk_by(|a, b| a == b) {
            let there = self.knots().iter().filter(|&&u| u == run[0]).count();
            missing.extend(std::iter::repeat_n(run[0], run.len().saturating_sub(there)));
        }
        let (finer, operator) = self.insert(&missing)?;
        let last = arguments[p - 1];
        let n_last = arguments.iter().filter(|&&u| u == last).count();
        // The arguments are the finer knots j+1 … j+p, and the last of them is the n_last-th knot of its
        // value.
        let j = finer.knots().partition_point(|&u| u < last) + n_last - 1 - p;
        Ok(operator.rows[j].clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::KnotVector;
    use crate::testing::{knot_vectors, value};
    use proptest::prelude::*;

    /// Pseudo-random coefficients.
    fn coefficients(n: usize) -> Vec<[f64; 1]> {
        (0..n).map(|i| [(1.7 * i as f64).sin() + 0.3 * (i as f64 * 0.91).cos()]).collect()
    }

    fn scalar(kv: &KnotVector, c: &[[f64; 1]], u: f64) -> f64 {
        value(kv, c, u)[0]
    }

    proptest! {
        #[test]
        fn knot_insertion_keeps_the_function(
            kv in knot_vectors(),
            at in prop::collection::vec(0.001f64..0.999, 0..12),
        ) {
            let [a, b] = kv.domain();
            let new: Vec<f64> = at.iter().map(|t| a + t * (b - a)).collect();
            let (finer, operator) = kv.insert(&new).unwrap();
            prop_assert_eq!(finer.n_functions(), kv.n_functions() + new.len());
            let c = coefficients(kv.n_functions());
            let fine = operator.apply(&c, [kv.n_functions(), 1, 1], 0);
            for t in 0..=40 {
                let u = a + (b - a) * t as f64 / 40.0;
                prop_assert!((scalar(&kv, &c, u) - scalar(&finer, &fine, u)).abs() < 1e-13);
            }
        }

        #[test]
        fn elevation_keeps_the_function_and_its_continuity(kv in knot_vectors(), k in 0usize..4) {
            let (raised, operator) = kv.elevate(k).unwrap();
            let distinct = |v: &KnotVector| v.knots().chunk_by(|a, b| a == b).count();
            prop_assert_eq!(raised.degree(), kv.degree() + k);
            prop_assert_eq!(raised.knots().len(), kv.knots().len() + k * distinct(&kv));
            let c = coefficients(kv.n_functions());
            let fine = operator.apply(&c, [kv.n_functions(), 1, 1], 0);
            let [a, b] = kv.domain();
            for t in 0..=40 {
                let u = a + (b - a) * t as f64 / 40.0;
                prop_assert!((scalar(&kv, &c, u) - scalar(&raised, &fine, u)).abs() < 1e-13);
            }
            for i in 0..operator.n_out() {
                prop_assert!((operator.row(i).map(|(_, v)| v).sum::<f64>() - 1.0).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn knots_outside_the_range_or_of_too_high_multiplicity_are_refused() {
        let kv = KnotVector::new(2, vec![0.0, 0.0, 0.0, 1.0, 1.0, 1.0]).unwrap();
        assert!(kv.insert(&[1.0]).unwrap_err().to_string().contains("outside"));
        assert!(kv.insert(&[f64::NAN]).is_err());
        assert!(kv.insert(&[0.5, 0.5]).is_ok());
        assert!(kv.insert(&[0.5, 0.5, 0.5]).unwrap_err().to_string().contains("3 times"));
    }
}
