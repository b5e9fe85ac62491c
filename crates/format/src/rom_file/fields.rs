//! Modes at all points, whose values may stay in the file: since version 1.11 with a summary.

use std::io::{self, Seek, Write};

use carom_reduce::field_modes::{FieldModes, FieldSummary, sample_size};

use super::invariants::{read_matrix, write_matrix};
use super::left::OpenArchive;
use super::surfaces::{read_modes, read_points, write_modes};
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

/// The modes of an archive, if it has them.
///
/// * `open` — the archive, if arrays may stay in it: values with a summary do
pub(super) fn read(
    archive: &mut ArchiveReader,
    n_modes: usize,
    open: Option<&OpenArchive>,
) -> Result<Option<FieldModes>, ReadArchiveError> {
    if !archive.has("fields_points") {
        return Ok(None);
    }
    let has_summary = [LARGEST, SAMPLE, VALUES].iter().all(|name| archive.has(name));
    let Some(open) = open.filter(|_| has_summary) else {
        return Ok(Some(read_modes(archive, PREFIX, n_modes)?.into()));
    };
    let (points, positions_b) = read_points(archive, PREFIX)?;
    let largest = archive.f64(LARGEST, &[Some(n_modes)])?;
    let [n_rows, n_columns] = sample_size(points.len(), n_modes);
    let sample = read_matrix(archive, SAMPLE, n_rows, n_columns)?;
    let source = open.leave(VALUES, [3 * points.len(), n_modes]);
    Ok(Some(FieldModes::filed(points, positions_b, FieldSummary { largest, sample }, source)))
}
