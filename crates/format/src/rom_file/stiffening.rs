//! Geometric stiffness as arrays; models before version 1.7, and those made without it, have none; those
//! before version 1.8 have none by the weight of a held body, those before version 1.10 none by contact and,
//! of held bodies, none by the motion of the frame.

use std::io::{self, Seek, Write};

use carom_reduce::Stiffening;
use faer::Mat;

use super::invariants::{read_matrix, write_matrix};
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

/// Names of the arrays: the motions, and the matrices one below the other.
const BASIS: &str = "stiffening_motions";
const PRODUCTS: &str = "stiffening_centrifugal";
const WEIGHT: &str = "stiffening_weight";
const TURNING: &str = "stiffening_turning";
const MARKERS: &str = "stiffening_markers";
const BOUNDARY: &str = "stiffening_boundary";

pub(super) fn write<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    stiffening: &Stiffening,
) -> io::Result<()> {
    let Stiffening { basis, products, weight, turning, markers, boundary } = stiffening;
    archive.count("stiffening_count", basis.ncols())?;
    write_matrix(archive, BASIS, basis)?;
    write_matrix(archive, PRODUCTS, &stacked(products, basis.ncols()))?;
    if !weight.is_empty() {
        write_matrix(archive, WEIGHT, &stacked(weight, basis.ncols()))?;
    }
    if !turning.is_empty() {
        write_matrix(archive, TURNING, &stacked(turning, basis.ncols()))?;
    }
    if let Some(boundary) = boundary {
        write_matrix(archive, BOUNDARY, boundary)?;
    }
    write_matrix(archive, MARKERS, &stacked(markers, basis.ncols()))
}

pub(super) fn read(
    archive: &mut ArchiveReader,
    n_modes: usize,
    (n_markers, n_boundary): (usize, usize),
    is_held: bool,
) -> Result<Option<Stiffening>, ReadArchiveError> {
    if !archive.has(BASIS) {
        return Ok(None);
    }
    let n = archive.count("stiffening_count")?;
    let are_left_out = is_held && !archive.has(TURNING);
    let n_products = if are_left_out { 0 } else { Stiffening::PAIRS.len() };
    Ok(Some(Stiffening {
        basis: read_matrix(archive, BASIS, n_modes, n)?,
        weight: three(archive, WEIGHT, n)?,
        turning: three(archive, TURNING, n)?,
        products: parts(&read_matrix(archive, PRODUCTS, n_products * n, n)?),
        boundary: match archive.has(BOUNDARY) {
            true => Some(read_matrix(archive, BOUNDARY, 3 * n_boundary, n_pairs(n))?),
            false => None,
        },
        markers: parts(&read_matrix(archive, MARKERS, 6 * n_markers * n, n)?),
    }))
}

/// Three n × n matrices, or none.
fn three(archive: &mut ArchiveReader, name: &str, n: usize) -> Result<Vec<Mat<f64>>, ReadArchiveError> {
    Ok(if archive.has(name) { parts(&read_matrix(archive, name, 3 * n, n)?) } else { Vec::new() })
}

/// Number of pairs k ≤ l of motions.
pub(super) fn n_pairs(motions: usize) -> usize {
    Stiffening::pairs(motions).count()
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
