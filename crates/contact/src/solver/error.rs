//! Why a complementarity problem was not solved.

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
    #[error("Lemke's algorithm did not end within {pivots} pivots; its last residual is {residual:.3e}")]
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
        /// Largest residual that is accepted.
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
        /// Largest residual that is accepted.
        allowed: f64,
    },
}
