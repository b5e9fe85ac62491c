//! Complementarity problems: find z ≥ 0 with w = M z + q ≥ 0 and z·w = 0.
//!
//! [`LcpSolver`] has all methods behind one interface, alone or as a chain that falls back and says so; its
//! matrix is an [`Operator`]: [`Dense`], [`Sparse`], or anything that multiplies a vector. [`ActiveSet`] is
//! the direct way for symmetric positive definite M that stays the same for many q, the case of condensed
//! contact; [`lemke`] pivots and takes any M.

mod active_set;
mod conjugate_gradients;
mod friction;
mod gauss_seidel;
mod lcp;
mod lemke;
mod newton;
mod operator;

pub use active_set::{ActiveSet, Method, Report};
pub use friction::{
    FRICTION_ACCEPTED, FrictionAttempt, FrictionError, FrictionMethod, FrictionProblem, FrictionSolution,
    FrictionSolver, friction_residual,
};
pub use lcp::{ACCEPTED, Attempt, LcpMethod, LcpSolution, LcpSolver, Stop};
pub use lemke::{Lemke, lemke};
pub use operator::{Dense, Entries, Operator, Sparse};

use thiserror::Error;

/// Why a complementarity problem was not solved.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum LcpError {
    /// M, q and z do not fit together.
    #[error("the complementarity problem has a matrix of {rows} × {columns} and a vector of length {length}")]
    Size {
        /// Rows of M.
        rows: usize,
        /// Columns of M.
        columns: usize,
        /// Length of q or z.
        length: usize,
    },
    /// An entry of M or q is not finite.
    #[error(
        "entry ({row}, {column}) of the complementarity problem is not finite (column {column} is q if it \
         equals the size)"
    )]
    NotFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry; n means q.
        column: usize,
    },
    /// Lemke's algorithm ended on a ray: there is no solution, or M is of a kind for which it need not find
    /// one.
    #[error(
        "Lemke's algorithm ended on a ray after {pivots} pivots: no solution exists, or the matrix is not of \
         a kind for which it is found"
    )]
    Ray {
        /// Pivots made.
        pivots: usize,
    },
    /// Too many pivots.
    #[error("Lemke's algorithm made {pivots} pivots without an end; its last residual is {residual:.3e}")]
    PivotLimit {
        /// Pivots made.
        pivots: usize,
        /// Residual of the last point.
        residual: f64,
    },
    /// The method ended but its result does not solve the problem.
    #[error(
        "the complementarity problem is too badly conditioned: residual {residual:.3e}, at most \
         {allowed:.3e} allowed"
    )]
    Inaccurate {
        /// max |min(a z, w)| of the result, with the size a of M.
        residual: f64,
        /// What would be accepted.
        allowed: f64,
    },
    /// No method solved the problem.
    #[error(
        "the complementarity problem is not solved: residual {residual:.3e} after {attempts} methods, at \
         most {allowed:.3e} allowed; perhaps it has no solution"
    )]
    Unsolved {
        /// Methods tried.
        attempts: usize,
        /// Least max |min(a z, w)| of all, with the size a of M.
        residual: f64,
        /// What would be accepted.
        allowed: f64,
    },
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

#[cfg(test)]
mod lcp_tests;
#[cfg(test)]
mod tests;
