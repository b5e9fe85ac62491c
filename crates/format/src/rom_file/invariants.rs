//! The constants of the floating frame as arrays.

use std::io::{self, Seek, Write};

use carom_reduce::Invariants;
use faer::Mat;

use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

pub(super) fn write<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    invariants: &Invariants,
) -> io::Result<()> {
    archive.f64("mass", &[], &[invariants.mass])?;
    archive.f64("first_moment", &[3], &invariants.first_moment)?;
    archive.f64("inertia", &[3, 3], invariants.inertia.as_flattened())?;
    for (name, matrix) in [
        ("coupling_t", &invariants.coupling_t),
        ("coupling_r0", &invariants.coupling_r0),
        ("coupling_r1", &invariants.coupling_r1),
        ("inertia_1", &invariants.inertia_1),
        ("inertia_2", &invariants.inertia_2),
        ("mass_modal", &invariants.mass_modal),
        ("stiffness_modal", &invariants.stiffness_modal),
    ] {
        write_matrix(archive, name, matrix)?;
    }
    if let Some(damping) = &invariants.damping_modal {
        write_matrix(archive, "damping_modal", damping)?;
    }
    Ok(())
}

pub(super) fn read(archive: &mut ArchiveReader, n_modes: usize) -> Result<Invariants, ReadArchiveError> {
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
        coupling_r1: read_matrix(archive, "coupling_r1", 3 * n_modes, n_modes)?,
        inertia_1: read_matrix(archive, "inertia_1", 3 * n_modes, 3)?,
        inertia_2: read_matrix(archive, "inertia_2", 3 * n_modes, 3 * n_modes)?,
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

pub(super) fn write_matrix<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    name: &str,
    matrix: &Mat<f64>,
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
