//! The constants of the floating frame as arrays.

use std::io::{self, Seek, Write};

use carom_reduce::{Invariants, PairIntegrals};
use faer::{Mat, MatRef};

use super::left::OpenArchive;
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

const COUPLING: &str = "coupling_r1";
const INERTIA: &str = "inertia_2";
/// Their leading blocks over the dynamic modes.
const COUPLING_LOW: &str = "coupling_r1_low";
const INERTIA_LOW: &str = "inertia_2_low";

/// * `n_low` — number of dynamic modes
pub(super) fn write<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    invariants: &Invariants,
    n_low: usize,
) -> io::Result<()> {
    let coupling = invariants.coupling_r1.all().map_err(io::Error::other)?;
    let inertia = invariants.inertia_2.all().map_err(io::Error::other)?;
    archive.f64("mass", &[], &[invariants.mass])?;
    archive.f64("first_moment", &[3], &invariants.first_moment)?;
    archive.f64("inertia", &[3, 3], invariants.inertia.as_flattened())?;
    for (name, matrix) in [
        ("coupling_t", &invariants.coupling_t),
        ("coupling_r0", &invariants.coupling_r0),
        (COUPLING, coupling),
        ("inertia_1", &invariants.inertia_1),
        (INERTIA, inertia),
        ("mass_modal", &invariants.mass_modal),
        ("stiffness_modal", &invariants.stiffness_modal),
    ] {
        write_matrix(archive, name, matrix)?;
    }
    // Blocks of more than half of the numbers are hardly smaller than the whole.
    if 2 * n_low * n_low < coupling.ncols() * coupling.ncols() {
        write_block(archive, COUPLING_LOW, coupling.as_ref().submatrix(0, 0, 3 * n_low, n_low))?;
        write_block(archive, INERTIA_LOW, inertia.as_ref().submatrix(0, 0, 3 * n_low, 3 * n_low))?;
    }
    if let Some(damping) = &invariants.damping_modal {
        write_matrix(archive, "damping_modal", damping)?;
    }
    Ok(())
}

/// * `open` — the archive, if arrays may stay in it: integrals over pairs of modes with a block do
pub(super) fn read(
    archive: &mut ArchiveReader,
    [n_modes, n_low]: [usize; 2],
    open: Option<&OpenArchive>,
) -> Result<Invariants, ReadArchiveError> {
    let mut pairs = |name, low, size, low_size| read_pairs(archive, [name, low], [size, low_size], open);
    let coupling_r1 = pairs(COUPLING, COUPLING_LOW, [3 * n_modes, n_modes], [3 * n_low, n_low])?;
    let inertia_2 = pairs(INERTIA, INERTIA_LOW, [3 * n_modes; 2], [3 * n_low; 2])?;
    let first_moment = archive.f64("first_moment", &[Some(3)])?;
    let inertia = archive.f64("inertia", &[Some(3), Some(3)])?;
    let mass = archive.f64("mass", &[])?[0];
    if mass <= 0.0 {
        return Err(archive.unexpected("mass", "a positive number", mass.to_string()));
    }
    let invariants = Invariants {
        mass,
        first_moment: [first_moment[0], first_moment[1], first_moment[2]],
        inertia: [0, 3, 6].map(|row| [inertia[row], inertia[row + 1], inertia[row + 2]]),
        coupling_t: read_matrix(archive, "coupling_t", 3, n_modes)?,
        coupling_r0: read_matrix(archive, "coupling_r0", 3, n_modes)?,
        coupling_r1,
        inertia_1: read_matrix(archive, "inertia_1", 3 * n_modes, 3)?,
        inertia_2,
        mass_modal: read_matrix(archive, "mass_modal", n_modes, n_modes)?,
        stiffness_modal: read_matrix(archive, "stiffness_modal", n_modes, n_modes)?,
        damping_modal: if archive.has("damping_modal") {
            Some(read_matrix(archive, "damping_modal", n_modes, n_modes)?)
        } else {
            None
        },
    };
    match invariants.check_definite() {
        Ok(()) => Ok(invariants),
        Err(error) => {
            let arrays = "stiffness_modal, mass_modal, mass";
            Err(archive.unexpected(arrays, "the constants of a body", error.to_string()))
        }
    }
}

/// Integrals over pairs of modes.
///
/// * `names`, `sizes` — of the whole matrix and of its leading block
fn read_pairs(
    archive: &mut ArchiveReader,
    [name, low]: [&'static str; 2],
    [size, low_size]: [[usize; 2]; 2],
    open: Option<&OpenArchive>,
) -> Result<PairIntegrals, ReadArchiveError> {
    match open.filter(|_| archive.has(low) && archive.has(name)) {
        Some(open) => {
            let leading = read_matrix(archive, low, low_size[0], low_size[1])?;
            Ok(PairIntegrals::filed(leading, open.leave(name, size)))
        }
        None => Ok(read_matrix(archive, name, size[0], size[1])?.into()),
    }
}

pub(super) fn write_matrix<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    name: &str,
    matrix: &Mat<f64>,
) -> io::Result<()> {
    write_block(archive, name, matrix.as_ref())
}

/// * `matrix` — with contiguous columns
fn write_block<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    name: &str,
    matrix: MatRef<'_, f64>,
) -> io::Result<()> {
    archive.columns(name, matrix.nrows(), matrix.ncols(), |j| {
        matrix.col(j).try_as_col_major().expect("the columns of a Mat are contiguous").as_slice()
    })
}

pub(super) fn read_matrix(
    archive: &mut ArchiveReader,
    name: &str,
    n_rows: usize,
    n_columns: usize,
) -> Result<Mat<f64>, ReadArchiveError> {
    let mut matrix = Mat::new();
    archive.each_column_of(name, [n_rows, n_columns], |j, column| {
        // With the first column the shape is known to be that of the array.
        if j == 0 {
            matrix = Mat::with_capacity(n_rows, n_columns);
        }
        matrix.resize_with(n_rows, j + 1, |i, _| column[i]);
    })?;
    if n_columns == 0 {
        matrix.resize_with(n_rows, 0, |_, _| 0.0);
    }
    Ok(matrix)
}
