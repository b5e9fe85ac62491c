//! Mass integrals over pairs of modes, whose values may be left in the file of the model.
//!
//! Their number grows with the square of the number of modes. The equations of motion take those of the
//! dynamic modes alone; static modes of loads are combinations of all modes and take all of them.

use std::sync::{Arc, OnceLock};

use faer::{Mat, MatRef};

use crate::unread::{MatrixSource, UnreadArrayError};

/// Integrals over pairs of modes as a matrix whose leading block belongs to the first modes: in memory, or
/// but for that block in the file of the model until they are needed.
#[derive(Debug, Clone)]
pub struct PairIntegrals {
    all: OnceLock<Mat<f64>>,
    /// None if all were in memory from the start.
    filed: Option<Filed>,
}

/// A matrix in a file.
#[derive(Debug, Clone)]
struct Filed {
    leading: Mat<f64>,
    source: Arc<dyn MatrixSource>,
}

impl From<Mat<f64>> for PairIntegrals {
    fn from(all: Mat<f64>) -> Self {
        Self { all: OnceLock::from(all), filed: None }
    }
}

impl PairIntegrals {
    /// A matrix that is read when more than its leading block is needed.
    ///
    /// * `leading` — the block, equal to that of the matrix
    /// * `source` — the matrix
    pub fn filed(leading: Mat<f64>, source: Arc<dyn MatrixSource>) -> Self {
        Self { all: OnceLock::new(), filed: Some(Filed { leading, source }) }
    }

    /// True once all values are in memory.
    pub fn are_read(&self) -> bool {
        self.all.get().is_some()
    }

    /// The matrix, read from the file if it was not read before.
    ///
    /// # Errors
    ///
    /// [`UnreadArrayError`] if the file cannot be read or was changed.
    pub fn all(&self) -> Result<&Mat<f64>, UnreadArrayError> {
        match self.in_memory() {
            Ok(all) => Ok(all),
            Err(filed) => {
                let all = filed.source.matrix()?;
                Ok(self.all.get_or_init(|| all))
            }
        }
    }

    /// The first rows and columns of the matrix, fewer if it has no more. The file is read only for more than
    /// the leading block.
    ///
    /// # Errors
    ///
    /// As [`PairIntegrals::all`].
    pub fn leading(&self, n_rows: usize, n_columns: usize) -> Result<MatRef<'_, f64>, UnreadArrayError> {
        let contains = |matrix: &Mat<f64>| matrix.nrows() >= n_rows && matrix.ncols() >= n_columns;
        let matrix = match self.in_memory() {
            Err(filed) if contains(&filed.leading) => &filed.leading,
            _ => self.all()?,
        };
        Ok(matrix.submatrix(0, 0, n_rows.min(matrix.nrows()), n_columns.min(matrix.ncols())))
    }

    /// The matrix in memory, or the file.
    fn in_memory(&self) -> Result<&Mat<f64>, &Filed> {
        self.all.get().ok_or_else(|| self.filed.as_ref().expect("integrals are in memory or in a file"))
    }

    /// The matrix of a model that was just made.
    pub(crate) fn made_mut(&mut self) -> &mut Mat<f64> {
        self.all.get_mut().expect("a reduction keeps its integrals in memory")
    }
}
