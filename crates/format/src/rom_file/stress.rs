//! Stress modes as arrays; most models have none.

use std::io::{self, Seek, Write};

use carom_fem::StressAt;
use carom_reduce::StressModes;

use super::invariants::{read_matrix, write_matrix};
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError};

const NODES: &str = "nodes";
const GAUSS: &str = "gauss";

pub(super) fn write<W: Write + Seek>(archive: &mut ArchiveWriter<W>, stress: &StressModes) -> io::Result<()> {
    let n = stress.len();
    archive.text(
        "stress_at",
        match stress.at {
            StressAt::Nodes => NODES,
            StressAt::GaussPoints => GAUSS,
        },
    )?;
    if let Some(nodes) = &stress.nodes {
        archive.u32("stress_nodes", &[n], nodes)?;
    }
    archive.u32("stress_material", &[n], &stress.materials)?;
    archive.f64("stress_positions", &[n, 3], stress.positions_b.as_flattened())?;
    write_matrix(archive, "stress_modes", &stress.values)
}

pub(super) fn read(
    archive: &mut ArchiveReader,
    n_modes: usize,
    n_materials: usize,
) -> Result<Option<StressModes>, ReadArchiveError> {
    if !archive.has("stress_at") {
        return Ok(None);
    }
    let at = match archive.text("stress_at")?.as_str() {
        NODES => StressAt::Nodes,
        GAUSS => StressAt::GaussPoints,
        other => return Err(archive.unexpected("stress_at", "`nodes` or `gauss`", format!("`{other}`"))),
    };
    let materials = archive.u32("stress_material", &[None])?;
    let n = materials.len();
    if let Some(material) = materials.iter().find(|&&m| m as usize >= n_materials) {
        let expected = format!("numbers below {n_materials}");
        return Err(archive.unexpected("stress_material", expected, material.to_string()));
    }
    let nodes =
        if archive.has("stress_nodes") { Some(archive.u32("stress_nodes", &[Some(n)])?) } else { None };
    let positions = archive.f64("stress_positions", &[Some(n), Some(3)])?;
    let values = read_matrix(archive, "stress_modes", 6 * n, n_modes)?;
    let positions_b = positions.as_chunks::<3>().0.to_vec();
    Ok(Some(StressModes { at, positions_b, nodes, materials, values }))
}
