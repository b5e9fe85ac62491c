//! Geometric stiffness as arrays; models before version 1.7, and those made without it, have none; those
//! before version 1.8 have none by the weight of a held body.

use std::io::{self, Seek, Write};

use carom_reduce::Stiffening;
use faer::Mat;

use super::invariants::{read_matrix, write_matrix};
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

/// Names of the arrays: the motions, and the matrices one below the other.
const BASIS: &str = "stiffening_motions";
const PRODUCTS: &str = "stiffening_centrifugal";
const WEIGHT: &str = "stiffening_weight";
const MARKERS: &str = "stiffening_markers";

pub(super) fn write<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    stiffening: &Stiffening,
) -> io::Result<()> {
    let Stiffening { basis, products, weight, markers } = stiffening;
    archive.count("stiffening_count", basis.ncols())?;
    write_matrix(archive, BASIS, basis)?;
    write_matrix(archive, PRODUCTS, &stacked(products, basis.ncols()))?;
    if !weight.is_empty() {
        write_matrix(archive, WEIGHT, &stacked(weight, basis.ncols()))?;
    }
    write_matrix(archive, MARKERS, &stacked(markers, basis.ncols()))
}

pub(super) fn read(
    archive: &mut ArchiveReader,
    n_modes: usize,
    n_markers: usize,
    is_held: bool,
) -> Result<Option<Stiffening>, ReadArchiveError> {
    if !archive.has(BASIS) {
        return Ok(None);
    }
    let n = archive.count("stiffening_count")?;
    let n_products = if is_held { 0 } else { Stiffening::PAIRS.len() };
    Ok(Some(Stiffening {
        basis: read_matrix(archive, BASIS, n_modes, n)?,
        weight: match archive.has(WEIGHT) {
            true => parts(&read_matrix(archive, WEIGHT, 3 * n, n)?),
            false => Vec::new(),
        },
        products: parts(&read_matrix(archive, PRODUCTS, n_products * n, n)?),
        markers: parts(&read_matrix(archive, MARKERS, 6 * n_markers * n, n)?),
    }))
}

/// Square matrices, one below the other.
fn stacked(all: &[Mat<f64>], n: usize) -> Mat<f64> {
    Mat::from_fn(n * all.len(), n, |i, j| all[i / n][(i % n, j)])
}

/// The inverse of [`stacked`].
fn parts(matrix: &Mat<f64>) -> Vec<Mat<f64>> {
    let n = matrix.ncols();
    let count = matrix.nrows().checked_div(n).unwrap_or(0);
    (0..count).map(|k| matrix.as_ref().subrows(k * n, n).to_owned()).collect()
}
