//! Modes at all points, whose values may stay in the file: since version 1.11 with a summary.

use std::fmt;
use std::io::{self, Seek, Write};
use std::sync::{Arc, Mutex, PoisonError};

use carom_reduce::field_modes::{FieldModes, FieldSource, FieldSummary, FieldsError, sample_size};
use faer::Mat;

use super::invariants::{read_matrix, write_matrix};
use super::surfaces::{read_points, write_modes};
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

const PREFIX: &str = "fields";
const VALUES: &str = "fields_modes";
const LARGEST: &str = "fields_largest";
const SAMPLE: &str = "fields_sample";

pub(super) fn write<W: Write + Seek>(archive: &mut ArchiveWriter<W>, fields: &FieldModes) -> io::Result<()> {
    let modes = fields.modes().map_err(io::Error::other)?;
    let summary = FieldSummary::of(modes);
    if summary.is_worthwhile(modes) {
        archive.f64(LARGEST, &[summary.largest.len()], &summary.largest)?;
        write_matrix(archive, SAMPLE, &summary.sample)?;
    }
    write_modes(archive, PREFIX, modes)
}

/// True if an archive has the summary, and the list of digests with which the values are compared when they
/// are read.
pub(super) fn can_be_left(archive: &ArchiveReader) -> bool {
    archive.listed_checksum().is_some() && archive.has(LARGEST) && archive.has(SAMPLE) && archive.has(VALUES)
}

/// The modes of an archive, which stays open for their values.
pub(super) fn leave(mut archive: ArchiveReader, n_modes: usize) -> Result<FieldModes, ReadArchiveError> {
    let (points, positions_b) = read_points(&mut archive, PREFIX)?;
    let largest = archive.f64(LARGEST, &[Some(n_modes)])?;
    let [n_rows, n_columns] = sample_size(points.len(), n_modes);
    let sample = read_matrix(&mut archive, SAMPLE, n_rows, n_columns)?;
    let size = [3 * points.len(), n_modes];
    let source = Arc::new(LeftValues { archive: Mutex::new(archive), size });
    Ok(FieldModes::filed(points, positions_b, FieldSummary { largest, sample }, source))
}

/// Mode values in an open file.
struct LeftValues {
    archive: Mutex<ArchiveReader>,
    /// Their rows and columns.
    size: [usize; 2],
}

impl FieldSource for LeftValues {
    fn values(&self) -> Result<Mat<f64>, FieldsError> {
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let [n_rows, n_columns] = self.size;
        read_matrix(&mut archive, VALUES, n_rows, n_columns).map_err(FieldsError::new)
    }
}

impl fmt::Debug for LeftValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("LeftValues").field("path", &archive.path()).field("size", &self.size).finish()
    }
}
