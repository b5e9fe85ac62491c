//! Errors of the sparse factorisations.

/// Why a sparse matrix cannot be factorised or a system cannot be solved. Rows and columns count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SparseError {
    /// The matrix is not square.
    #[error("the matrix has {rows} rows and {columns} columns; a square matrix is needed")]
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// An entry is NaN or infinite.
    #[error("the entry of row {row} and column {column} is {value}; all entries must be finite")]
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// A right-hand side is NaN or infinite.
    #[error("row {row} of right-hand side {column} is {value}; all numbers must be finite")]
    RightHandSide {
        /// Its row.
        row: usize,
        /// Number of the right-hand side.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// A right-hand side has another length than the matrix has rows.
    #[error("the right-hand side has {found} rows, the matrix has {expected}")]
    Dimension {
        /// Rows of the matrix.
        expected: usize,
        /// Rows of the right-hand side.
        found: usize,
    },
    /// The matrix has entries at other places than the analysed one.
    #[error(
        "the matrix ({n} rows, {n_entries} entries) does not have the pattern that was analysed \
         ({n_analysed} rows, {n_entries_analysed} entries); analyse it anew"
    )]
    Pattern {
        /// Rows of the matrix.
        n: usize,
        /// Entries of the matrix.
        n_entries: usize,
        /// Rows of the analysed matrix.
        n_analysed: usize,
        /// Entries of the analysed matrix.
        n_entries_analysed: usize,
    },
    /// The pattern makes every matrix singular.
    #[error(
        "at most {rank} of {n} rows can have a pivot of their own, whatever the values: row {row} depends \
         on others"
    )]
    StructurallySingular {
        /// Largest number of rows and columns with a pivot each.
        rank: usize,
        /// Number of rows.
        n: usize,
        /// A row without a pivot.
        row: usize,
    },
    /// The matrix is singular to working precision.
    #[error(
        "the matrix is singular: its smallest pivot relative to its size is {pivot:.1e}; row {row} depends \
         on other rows, and unknown {column} is not determined"
    )]
    Singular {
        /// Estimated smallest singular value divided by the norm, of the scaled matrix.
        pivot: f64,
        /// The row with the largest part in the dependent combination of rows.
        row: usize,
        /// The unknown with the largest part in the free combination of unknowns.
        column: usize,
    },
    /// The factors are too large for their differences to hold an answer.
    #[error(
        "factors with pivots in a fixed order are {growth:.1e} times as large as the matrix; factorise it \
         by LU, which pivots freely"
    )]
    Unstable {
        /// Norm of \|L\| \|D\| \|Lᵀ\| relative to that of the matrix.
        growth: f64,
    },
    /// The solution does not fulfil the equations.
    #[error(
        "the solution has a backward error of {backward_error:.1e} after {refinements} refinements, more \
         than {limit:.1e}: the matrix is too ill-conditioned"
    )]
    Inaccurate {
        /// The backward error that is left.
        backward_error: f64,
        /// Steps of refinement.
        refinements: usize,
        /// Largest backward error of a solution.
        limit: f64,
    },
    /// The last factorisation failed, or there was none.
    #[error("there are no factors: factorise a matrix before solving")]
    NoFactors,
    /// The pattern cannot be ordered.
    #[error(transparent)]
    Ordering(#[from] crate::ordering::OrderingError),
    /// The factors do not fit into memory, or their number of entries overflows.
    #[error("the factors of the matrix ({n} rows) do not fit into memory")]
    Memory {
        /// Number of rows.
        n: usize,
    },
}
