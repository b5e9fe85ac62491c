//! A symmetric sparse matrix, its lower triangle stored.

use sprs::{CsMat, CsMatView, TriMat};

/// Why a matrix is not a symmetric one.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotSymmetric {
    /// The matrix is not square.
    #[error("the matrix has {rows} rows and {columns} columns; a symmetric matrix is square")]
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// An entry lies above the diagonal of a lower triangle.
    #[error("row {row} has an entry in column {column}, above the diagonal; give the lower triangle alone")]
    Above {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// Two mirrored entries differ.
    #[error(
        "the entries of row {row}, column {column} and of row {column}, column {row} are {lower:e} and \
        {upper:e}; they must be the same"
    )]
    Different {
        /// Row of the lower entry.
        row: usize,
        /// Column of the lower entry.
        column: usize,
        /// Value below the diagonal.
        lower: f64,
        /// Value above the diagonal.
        upper: f64,
    },
}

/// A symmetric matrix: the entries on and below its diagonal, in compressed rows with ascending columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Symmetric {
    lower: CsMat<f64>,
}

impl Symmetric {
    /// The symmetric matrix with this lower triangle.
    ///
    /// # Errors
    ///
    /// [`NotSymmetric`] if it is not square or has an entry above the diagonal.
    pub fn from_lower(lower: CsMat<f64>) -> Result<Self, NotSymmetric> {
        square(&lower)?;
        let above = lower.iter().find(|&(_, (row, column))| column > row);
        match above {
            Some((_, (row, column))) => Err(NotSymmetric::Above { row, column }),
            None => Ok(Self { lower: lower.into_csr() }),
        }
    }

    /// The lower triangle of a matrix that stores both.
    ///
    /// * `tolerance` — largest difference of mirrored entries relative to the larger diagonal entry of both
    ///   rows (to the entries themselves where there is none)
    ///
    /// # Errors
    ///
    /// [`NotSymmetric`] if it is not square or mirrored entries differ by more.
    pub fn from_both(matrix: &CsMat<f64>, tolerance: f64) -> Result<Self, NotSymmetric> {
        square(matrix)?;
        let at = |row, column| matrix.get(row, column).copied().unwrap_or(0.0);
        for (&value, (row, column)) in matrix {
            let mirrored = at(column, row);
            let diagonal = at(row, row).abs().max(at(column, column).abs());
            let scale = if diagonal > 0.0 { diagonal } else { value.abs().max(mirrored.abs()) };
            // NaN differs from everything.
            let is_same = (value - mirrored).abs() <= tolerance * scale || value == mirrored;
            if !is_same {
                let (lower, upper) = if row >= column { (value, mirrored) } else { (mirrored, value) };
                let (row, column) = (row.max(column), row.min(column));
                return Err(NotSymmetric::Different { row, column, lower, upper });
            }
        }
        let mut lower = TriMat::new(matrix.shape());
        for (&value, (row, column)) in matrix {
            if row >= column {
                lower.add_triplet(row, column, value);
            }
        }
        Ok(Self { lower: lower.to_csr() })
    }

    /// Number of rows.
    pub fn n(&self) -> usize {
        self.lower.rows()
    }

    /// The lower triangle with the diagonal, in compressed rows.
    pub fn lower(&self) -> CsMatView<'_, f64> {
        self.lower.view()
    }

    /// The values of [`Symmetric::lower`], to be set anew.
    pub fn values_mut(&mut self) -> &mut [f64] {
        self.lower.data_mut()
    }

    /// Both triangles.
    pub fn both(&self) -> CsMat<f64> {
        let n = self.n();
        let mut both = TriMat::with_capacity((n, n), 2 * self.lower.nnz());
        for (&value, (row, column)) in &self.lower {
            both.add_triplet(row, column, value);
            if row != column {
                both.add_triplet(column, row, value);
            }
        }
        both.to_csr()
    }
}

fn square(matrix: &CsMat<f64>) -> Result<(), NotSymmetric> {
    let (rows, columns) = matrix.shape();
    if rows == columns { Ok(()) } else { Err(NotSymmetric::NotSquare { rows, columns }) }
}
