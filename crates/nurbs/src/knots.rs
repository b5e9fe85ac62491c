//! Open knot vectors.

use thiserror::Error;

use crate::basis::MAX_DEGREE;

/// Errors of a knot vector.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum KnotError {
    /// Degree 0 or a degree beyond what evaluation supports.
    #[error("degree {degree} is not supported: it must lie between 1 and {MAX_DEGREE}")]
    Degree {
        /// Polynomial degree p.
        degree: usize,
    },
    /// A knot to be inserted lies outside the domain or on its ends.
    #[error("knot {knot} cannot be inserted: it lies outside the open interval from {start} to {end}")]
    Outside {
        /// The knot.
        knot: f64,
        /// First parameter of the domain.
        start: f64,
        /// Last parameter of the domain.
        end: f64,
    },
    /// A knot to be removed is not an inner knot.
    #[error("knot {knot} cannot be removed: it is not an inner knot")]
    NotThere {
        /// The knot.
        knot: f64,
    },
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
        /// Its multiplicity.
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
    /// Checks a knot vector.
    ///
    /// # Errors
    ///
    /// [`KnotError`] if the degree is 0 or above [`MAX_DEGREE`], the list is too short, not ascending, not
    /// open, or has an inner knot of multiplicity above p.
    pub fn new(degree: usize, knots: Vec<f64>) -> Result<Self, KnotError> {
        if degree == 0 || degree > MAX_DEGREE {
            return Err(KnotError::Degree { degree });
        }
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
        for (end, multiplicity) in [
            ("first", knots.iter().take_while(|&&u| u == first).count()),
            ("last", knots.iter().rev().take_while(|&&u| u == last).count()),
        ] {
            if multiplicity != degree + 1 {
                return Err(KnotError::NotOpen { end, needed: degree + 1 });
            }
        }
        let inner = &knots[degree + 1..knots.len() - degree - 1];
        for run in inner.chunk_by(|a, b| a == b) {
            if run.len() > degree {
                return Err(KnotError::TooMultiple { value: run[0], found: run.len(), allowed: degree });
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

    /// The distinct knots in order: the ends of the nonempty spans.
    pub fn breakpoints(&self) -> Vec<f64> {
        self.knots.chunk_by(|a, b| a == b).map(|run| run[0]).collect()
    }

    /// The same direction reversed on the same domain: u becomes u_first + u_last − u.
    pub fn reversed(&self) -> Self {
        let sum = self.knots[0] + self.knots[self.knots.len() - 1];
        let (first, last) = (self.knots[0], self.knots[self.knots.len() - 1]);
        let mirror = |&u: &f64| {
            if u == first {
                last
            } else if u == last {
                first
            } else {
                sum - u
            }
        };
        Self { degree: self.degree, knots: self.knots.iter().rev().map(mirror).collect() }
    }

    /// True if both have the same degree and, mapped to \[0,1\], the same knots to within `tolerance`.
    pub fn matches(&self, other: &Self, tolerance: f64) -> bool {
        let unit = |kv: &Self, i: usize| {
            let (a, b) = (kv.knots[0], kv.knots[kv.knots.len() - 1]);
            (kv.knots[i] - a) / (b - a)
        };
        self.degree == other.degree
            && self.knots.len() == other.knots.len()
            && (0..self.knots.len()).all(|i| (unit(self, i) - unit(other, i)).abs() <= tolerance)
    }

    /// One span on \[0,1\]: the Bernstein polynomials of degree p.
    ///
    /// # Errors
    ///
    /// [`KnotError::Degree`] if p is 0 or above [`MAX_DEGREE`].
    pub fn bernstein(degree: usize) -> Result<Self, KnotError> {
        // The check comes before the knots are made: a degree from a file may be any number.
        if degree > MAX_DEGREE {
            return Err(KnotError::Degree { degree });
        }
        Self::new(degree, [vec![0.0; degree + 1], vec![1.0; degree + 1]].concat())
    }
}
