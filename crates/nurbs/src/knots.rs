//! Open knot vectors.

use thiserror::Error;

/// Why a list of numbers is no knot vector of a degree.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum KnotError {
    /// Fewer than 2(p+1) knots.
    #[error("degree {degree} needs at least {needed} knots, {found} given")]
    TooFew {
        /// Polynomial degree p.
        degree: usize,
        /// 2(p+1).
        needed: usize,
        /// Number of knots given.
        found: usize,
    },
    /// A knot is smaller than the one before it, or not finite.
    #[error("knot {index} ({value}) is not a finite number at least as large as the knot before it")]
    NotAscending {
        /// Zero-based position of the knot.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// The first or last p+1 knots are not equal.
    #[error("the knot vector is not open: its {end} knot must occur {needed} times")]
    NotOpen {
        /// "first" or "last".
        end: &'static str,
        /// p+1.
        needed: usize,
    },
    /// A knot occurs more often than the degree allows (p inside).
    #[error("knot {value} occurs {found} times inside, at most {allowed} are possible for a connected body")]
    TooMultiple {
        /// The repeated value.
        value: f64,
        /// How often it occurs.
        found: usize,
        /// p.
        allowed: usize,
    },
}

/// An open knot vector with its degree: one parametric direction of a patch.
///
/// ```text
/// u_0 = … = u_p < u_{p+1} ≤ … ≤ u_{n-1} < u_n = … = u_{n+p},   n basis functions
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct KnotVector {
    degree: usize,
    knots: Vec<f64>,
}

impl KnotVector {
    /// Checks and takes a knot vector.
    ///
    /// # Errors
    ///
    /// [`KnotError`] if the list is too short, not ascending, not open, or has an inner knot of multiplicity above p.
    pub fn new(degree: usize, knots: Vec<f64>) -> Result<Self, KnotError> {
        let needed = 2 * (degree + 1);
        if knots.len() < needed {
            return Err(KnotError::TooFew { degree, needed, found: knots.len() });
        }
        for (index, &value) in knots.iter().enumerate() {
            if !value.is_finite() || (index > 0 && value < knots[index - 1]) {
                return Err(KnotError::NotAscending { index, value });
            }
        }
        let (first, last) = (knots[0], knots[knots.len() - 1]);
        for (end, value, multiplicity) in [
            ("first", first, knots.iter().take_while(|&&u| u == first).count()),
            ("last", last, knots.iter().rev().take_while(|&&u| u == last).count()),
        ] {
            if multiplicity != degree + 1 || value.is_nan() {
                return Err(KnotError::NotOpen { end, needed: degree + 1 });
            }
        }
        let inner = &knots[degree + 1..knots.len() - degree - 1];
        for run in inner.chunk_by(|a, b| a == b) {
            if run.len() > degree.max(1) {
                return Err(KnotError::TooMultiple {
                    value: run[0],
                    found: run.len(),
                    allowed: degree.max(1),
                });
            }
        }
        Ok(Self { degree, knots })
    }

    /// Polynomial degree p.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// All knots, ascending, with repetitions.
    pub fn knots(&self) -> &[f64] {
        &self.knots
    }

    /// Number of basis functions n = (number of knots) − p − 1.
    pub fn n_functions(&self) -> usize {
        self.knots.len() - self.degree - 1
    }

    /// The nonempty knot spans in order: index k of the knot at their left end (u_k < u_{k+1}).
    pub fn spans(&self) -> Vec<usize> {
        (self.degree..self.n_functions()).filter(|&k| self.knots[k] < self.knots[k + 1]).collect()
    }
}
