//! How a method for complementarity problems ended, and the residual by which it is judged.

use std::fmt;

use super::operator::largest;

/// Residual max |min(a z, w)| that counts as solved, relative to max |q|; a is the size of M, its
/// largest |M_ij|.
pub const ACCEPTED: f64 = 1e-10;

/// Why a method stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It converged by its own criterion.
    Done,
    /// It does not suit this matrix (entries unknown, a diagonal that is not positive, too many unknowns).
    Unfit,
    /// It reached its limit of iterations.
    Limit,
    /// A block of the matrix is singular.
    Singular,
    /// M has a direction without resistance along which q pulls.
    Unbounded,
    /// Lemke's algorithm met a ray.
    Ray,
    /// No basis gives a solution.
    NoBasis,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Done => "ended, but not accurately enough",
            Self::Unfit => "is not made for this matrix",
            Self::Limit => "did not converge",
            Self::Singular => "met a singular block",
            Self::Unbounded => "met a direction along which nothing resists",
            Self::Ray => "ended on a ray",
            Self::NoBasis => "found no basis that solves it",
        })
    }
}

/// One method's run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trial {
    pub(super) iterations: usize,
    pub(super) stop: Stop,
}

/// max |min(a z, w)|.
pub(super) fn natural(size: f64, z: &[f64], w: &[f64]) -> f64 {
    largest(z.iter().zip(w).map(|(z, w)| (size * z).min(*w)))
}

/// Natural residual max |min(z, w)| with w = M z + q; zero exactly at solutions.
///
/// * `m` — entry (row, column) of M
/// * `q`, `z` — vectors of equal length
pub fn residual(m: impl Fn(usize, usize) -> f64, q: &[f64], z: &[f64]) -> f64 {
    let n = q.len();
    (0..n)
        .map(|i| {
            let w: f64 = q[i] + (0..n).filter(|&j| z[j] != 0.0).map(|j| m(i, j) * z[j]).sum::<f64>();
            if w.is_nan() { w } else { z[i].min(w).abs() }
        })
        // `max` would drop what is not a number.
        .fold(0.0, |a, b| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) })
}
