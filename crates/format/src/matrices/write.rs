//! Writing of matrices and nodes as text.

use std::io::Write;
use std::path::Path;

use carom_files::{WriteFileError, write_atomically};
use carom_progress::Progress;
use carom_reduce::Entries;
use faer::Mat;

use crate::watched::Watched;

/// Writes a symmetric matrix as a Matrix Market file, atomically; seventeen digits preserve all bits.
///
/// # Errors
///
/// [`WriteFileError`]
pub fn write_matrix(path: &Path, matrix: &Entries, progress: &dyn Progress) -> Result<(), WriteFileError> {
    /// Estimated bytes of a line: two numbers of up to seven digits and a value.
    const LINE: u64 = 39;
    write_atomically(path, |out| {
        let mut out = Watched::begin(out, "writing", LINE * matrix.entries.len() as u64, progress);
        writeln!(out, "%%MatrixMarket matrix coordinate real symmetric")?;
        writeln!(out, "{0} {0} {1}", matrix.size, matrix.entries.len())?;
        matrix
            .entries
            .iter()
            .try_for_each(|(row, column, value)| writeln!(out, "{} {} {value:.16e}", row + 1, column + 1))?;
        out.end();
        Ok(())
    })
}

/// Writes a dense matrix as a Matrix Market file (`matrix array real general`), column by column, whole or
/// not at all; seventeen digits preserve all bits.
///
/// # Errors
///
/// [`WriteFileError`], also if the user stopped it
pub fn write_dense(path: &Path, matrix: &Mat<f64>, progress: &dyn Progress) -> Result<(), WriteFileError> {
    /// Estimated bytes of a line: a value, mostly positive.
    const LINE: u64 = 24;
    write_atomically(path, |out| {
        let bytes = LINE * (matrix.nrows() * matrix.ncols()) as u64;
        let mut out = Watched::begin(out, "writing", bytes, progress);
        writeln!(out, "%%MatrixMarket matrix array real general")?;
        writeln!(out, "{} {}", matrix.nrows(), matrix.ncols())?;
        for j in 0..matrix.ncols() {
            (0..matrix.nrows()).try_for_each(|i| writeln!(out, "{:.17e}", matrix[(i, j)]))?;
        }
        out.end();
        Ok(())
    })
}

/// Writes a list of nodes: a line `number x y z` for each \[m\].
///
/// # Errors
///
/// [`WriteFileError`]
pub fn write_nodes(path: &Path, nodes: &[(u64, [f64; 3])]) -> Result<(), WriteFileError> {
    write_atomically(path, |out| {
        writeln!(out, "# node x y z; dofs are x, y, z of each in this order")?;
        nodes.iter().try_for_each(|(id, [x, y, z])| writeln!(out, "{id} {x:.16e} {y:.16e} {z:.16e}"))
    })
}
