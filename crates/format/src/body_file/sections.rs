//! Sections of shells and beams, since version 1.4: a kind and nine numbers for each block. Bodies of solids
//! have no such arrays.

use std::io::{self, Seek, Write};

use carom_mesh::{BeamSection, Section, ShellSection};

use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

/// Numbers of a block: thickness and layers of a shell; area, shear areas, second moments, torsion constant
/// and axis of a beam.
const NUMBERS: usize = 9;

pub(super) fn write<W: Write + Seek>(
    archive: &mut ArchiveWriter<W>,
    sections: &[Option<Section>],
) -> io::Result<()> {
    if sections.is_empty() {
        return Ok(());
    }
    let kind = |section: &Option<Section>| match section {
        None => "solid",
        Some(Section::Shell(_)) => "shell",
        Some(Section::Beam(_)) => "beam",
    };
    archive.texts("section_kind", &sections.iter().map(kind).collect::<Vec<_>>())?;
    let numbers: Vec<[f64; NUMBERS]> = sections.iter().map(to_numbers).collect();
    archive.f64("section_numbers", &[sections.len(), NUMBERS], numbers.as_flattened())
}

fn to_numbers(section: &Option<Section>) -> [f64; NUMBERS] {
    let mut numbers = [0.0; NUMBERS];
    match section {
        None => {}
        Some(Section::Shell(ShellSection { thickness, n_layers })) => {
            numbers[..2].copy_from_slice(&[*thickness, *n_layers as f64]);
        }
        Some(Section::Beam(BeamSection { area, shear_area: [k2, k3], inertia: [i2, i3], torsion, axis })) => {
            numbers[..6].copy_from_slice(&[*area, *k2, *k3, *i2, *i3, *torsion]);
            numbers[6..].copy_from_slice(axis);
        }
    }
    numbers
}

pub(super) fn read(
    archive: &mut ArchiveReader,
    n_blocks: usize,
) -> Result<Vec<Option<Section>>, ReadArchiveError> {
    if !archive.has("section_kind") {
        return Ok(Vec::new());
    }
    let kinds = archive.texts("section_kind")?;
    if kinds.len() != n_blocks {
        return Err(archive.unexpected("section_kind", format!("{n_blocks} texts"), kinds.len().to_string()));
    }
    let numbers = archive.f64("section_numbers", &[Some(n_blocks), Some(NUMBERS)])?;
    let mut sections = Vec::with_capacity(n_blocks);
    for (kind, n) in kinds.into_iter().zip(numbers.as_chunks::<NUMBERS>().0) {
        let section = match kind.as_str() {
            "solid" => None,
            "shell" => Some(Section::Shell(ShellSection { thickness: n[0], n_layers: n[1] as usize })),
            "beam" => Some(Section::Beam(BeamSection {
                area: n[0],
                shear_area: [n[1], n[2]],
                inertia: [n[3], n[4]],
                torsion: n[5],
                axis: [n[6], n[7], n[8]],
            })),
            other => return Err(archive.unexpected("section_kind", "solid, shell or beam", other)),
        };
        if let Some(Err(error)) = section.as_ref().map(Section::check) {
            return Err(archive.unexpected("section_numbers", "a possible section", error.to_string()));
        }
        sections.push(section);
    }
    Ok(sections)
}
