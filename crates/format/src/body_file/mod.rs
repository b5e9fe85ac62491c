//! Body files: the geometry of the source, sets, materials.

mod geometry;
mod nurbs;
mod sections;

use std::path::Path;

use carom_fem::{Body, Geometry, Material};
use carom_files::{WriteFileError, write_atomically};

use crate::PROGRAM;
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError, Version};

/// The entry `format` of a body file.
pub const KIND: &str = "carom-body";
/// Version of the format that is written. Version 1.1 added local refinement, version 1.2 regions within
/// several balls, version 1.3 wedges and pyramids, version 1.4 shells and beams.
pub const VERSION: Version = Version { major: 1, minor: 4 };

/// A body with checksum and version of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredBody {
    /// The body.
    pub body: Body,
    /// SHA-256 of the content, hexadecimal; reduced-order models refer to it.
    pub checksum: String,
    /// Version of the file.
    pub version: Version,
}

/// Writes a body file, atomically, and returns its checksum.
///
/// # Errors
///
/// [`WriteFileError`]
pub fn write_body(path: &Path, body: &Body) -> Result<String, WriteFileError> {
    let mut checksum = String::new();
    write_atomically(path, |out| {
        let mut archive = ArchiveWriter::new(out, KIND, VERSION)?;
        archive.text("program", PROGRAM)?;
        archive.text("name", &body.name)?;
        write_materials(&mut archive, &body.materials)?;
        let blocks: Vec<u32> = body.material_of_block.iter().map(|&m| m as u32).collect();
        archive.u32("material_of_block", &[blocks.len()], &blocks)?;
        sections::write(&mut archive, &body.sections)?;
        match &body.geometry {
            Geometry::Mesh(mesh) => geometry::write_mesh(&mut archive, mesh)?,
            Geometry::Nurbs(patches) => nurbs::write_multipatch(&mut archive, patches)?,
        }
        checksum = archive.finish()?;
        Ok(())
    })?;
    Ok(checksum)
}

/// Reads a body file and checks that its arrays are consistent.
///
/// # Errors
///
/// [`ReadArchiveError`]
pub fn read_body(path: &Path) -> Result<StoredBody, ReadArchiveError> {
    let mut archive = ArchiveReader::open(path, KIND, "body", VERSION.major)?;
    let checksum = archive.verified_checksum(false)?;
    let name = archive.text("name")?;
    let materials = read_materials(&mut archive)?;
    let geometry = match archive.text("geometry")?.as_str() {
        "mesh" => Geometry::Mesh(geometry::read_mesh(&mut archive)?),
        "nurbs" => Geometry::Nurbs(nurbs::read_multipatch(&mut archive)?),
        other => return Err(archive.unexpected("geometry", "`mesh` or `nurbs`", format!("`{other}`"))),
    };
    let n_blocks = match &geometry {
        Geometry::Mesh(mesh) => mesh.blocks.len(),
        Geometry::Nurbs(patches) => patches.patches.len(),
    };
    let material_of_block =
        read_indices(&mut archive, "material_of_block", &[Some(n_blocks)], materials.len())?;
    let material_of_block = material_of_block.into_iter().map(|m| m as usize).collect();
    let sections = sections::read(&mut archive, n_blocks)?;
    let body = Body { name, geometry, materials, material_of_block, sections };
    Ok(StoredBody { body, checksum, version: archive.version() })
}

/// The checksum entry of a body file; none if there is no such entry, or if the file is not a body file. The
/// content is not read.
pub fn stated_checksum(path: &Path) -> Option<String> {
    ArchiveReader::open(path, KIND, "body", VERSION.major).ok()?.text("checksum").ok()
}

/// Materials as parallel arrays.
pub(crate) fn write_materials<W: std::io::Write + std::io::Seek>(
    archive: &mut ArchiveWriter<W>,
    materials: &[Material],
) -> std::io::Result<()> {
    let column = |value: fn(&Material) -> f64| materials.iter().map(value).collect::<Vec<f64>>();
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    archive.texts("material_name", &names)?;
    archive.f64("material_density", &[materials.len()], &column(|m| m.density))?;
    archive.f64("material_young", &[materials.len()], &column(|m| m.young))?;
    archive.f64("material_poisson", &[materials.len()], &column(|m| m.poisson))
}

pub(crate) fn read_materials(archive: &mut ArchiveReader) -> Result<Vec<Material>, ReadArchiveError> {
    let names = archive.texts("material_name")?;
    let n = [Some(names.len())];
    let density = archive.f64("material_density", &n)?;
    let young = archive.f64("material_young", &n)?;
    let poisson = archive.f64("material_poisson", &n)?;
    if let Some(bad) = density.iter().chain(&young).find(|&&v| v <= 0.0) {
        return Err(archive.unexpected(
            "material_density, material_young",
            "positive numbers",
            bad.to_string(),
        ));
    }
    if let Some(bad) = poisson.iter().find(|&&v| v <= -1.0 || v >= 0.5) {
        return Err(archive.unexpected("material_poisson", "numbers between -1 and 0.5", bad.to_string()));
    }
    let one = |(i, name): (usize, String)| Material {
        name,
        density: density[i],
        young: young[i],
        poisson: poisson[i],
    };
    Ok(names.into_iter().enumerate().map(one).collect())
}

/// Integers below a bound, so that later indexing is safe.
pub(crate) fn read_indices(
    archive: &mut ArchiveReader,
    name: &str,
    shape: &[Option<usize>],
    bound: usize,
) -> Result<Vec<u32>, ReadArchiveError> {
    let values = archive.u32(name, shape)?;
    match values.iter().position(|&v| v as usize >= bound) {
        Some(at) => {
            Err(archive.unexpected(name, format!("numbers below {bound}"), format!("{} at {at}", values[at])))
        }
        None => Ok(values),
    }
}
