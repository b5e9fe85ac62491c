//! Files of reduced-order models: all data of a flexible body that the solver uses.

mod composition;
mod fields;
mod invariants;
mod left;
mod places;
mod stiffening;
mod stress;
mod surfaces;

use std::path::Path;

use carom_files::{WriteFileError, write_atomically};
use carom_progress::Progress;
use carom_reduce::ReducedBody;

use crate::PROGRAM;
use crate::body_file::{read_materials, write_materials};
use crate::npz::{ArchiveReader, ArchiveWriter, ReadArchiveError, Version};
use crate::watched::Watched;

use left::OpenArchive;

/// The entry `format` of a ROM file.
pub const KIND: &str = "carom-rom";
/// Version of the format that is written. Version 1.2 added columns and markers; from version 1.3 on a
/// checksum is required; version 1.4 added places, version 1.5 their errors by the mesh, version 1.6 those of
/// the modes of all models, version 1.7 the geometric stiffness, version 1.8 that by the weight of a held
/// body, version 1.9 errors of the lowest frequencies by the mesh, version 1.10 displacements of second order
/// of surfaces that may touch, version 1.11 the list of digests and the summary of the modes at all points,
/// version 1.12 the integrals over pairs of dynamic modes as arrays of their own.
pub const VERSION: Version = Version { major: 1, minor: 12 };
/// Files from this version on must have a checksum.
const WITH_CHECKSUM: Version = Version { major: 1, minor: 3 };

/// The options of a reduction as given by the user.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CraigBamptonOptions {
    /// Interface sets.
    pub interfaces: Vec<String>,
    /// Sets that are tied to a marker, each as `SET=rigid` or `SET=mean`, followed by `@X,Y,Z` if the
    /// position of the marker was given.
    pub attachments: Vec<String>,
    /// Requested number of fixed-interface normal modes.
    pub modes: Option<usize>,
    /// Requested frequency limit of these modes \[Hz\].
    pub up_to_hz: Option<f64>,
    /// Frequency at which modes are split into dynamic and quasistatic ones \[Hz\].
    pub split_hz: Option<f64>,
    /// Quadrature rule, `default` or `high`.
    pub quadrature: String,
    /// Surfaces with loads at places, each a set or `X,Y,Z:R`.
    pub places: Vec<String>,
    /// Words of the variant: `inertia_relief`, `frame nodes=1,2,3`, ….
    pub variant: Vec<String>,
}

/// A reduced-order model with checksum and version of its file.
#[derive(Debug, Clone)]
pub struct StoredRom {
    /// The model.
    pub reduced: ReducedBody,
    /// The options of the reduction.
    pub options: CraigBamptonOptions,
    /// SHA-256 of the content, hexadecimal; results refer to it.
    pub checksum: String,
    /// Version of the file.
    pub version: Version,
}

/// Writes a ROM file, atomically, and returns its checksum.
///
/// # Errors
///
/// [`WriteFileError`], also if the user stopped it
pub fn write_rom(
    path: &Path,
    rom: &ReducedBody,
    options: &CraigBamptonOptions,
    progress: &dyn Progress,
) -> Result<String, WriteFileError> {
    let mut checksum = String::new();
    write_atomically(path, |out| {
        let mut out = Watched::begin(out, "writing", size(rom), progress);
        let mut archive = ArchiveWriter::new(&mut out, KIND, VERSION)?;
        archive.text("program", PROGRAM)?;
        archive.text("name", &rom.name)?;
        archive.text("body_checksum", &rom.body_checksum)?;
        write_materials(&mut archive, &rom.materials)?;
        write_options(&mut archive, options)?;
        archive.f64("com", &[3], &rom.com)?;
        archive.f64("omega", &[rom.omega.len()], &rom.omega)?;
        archive.count("n_low", rom.n_low)?;
        if !rom.mode_errors.is_empty() {
            archive.f64("mode_errors", &[rom.mode_errors.len()], &rom.mode_errors)?;
        }
        if !rom.frequency_errors.is_empty() {
            archive.f64("frequency_errors", &[rom.frequency_errors.len()], &rom.frequency_errors)?;
        }
        archive.f64("fixed_interface_hz", &[rom.fixed_interface_hz.len()], &rom.fixed_interface_hz)?;
        archive.count("n_interface_dofs", rom.n_interface_dofs)?;
        archive.count("n_dofs", rom.n_dofs)?;
        composition::write(&mut archive, &rom.composition)?;
        composition::write_markers(&mut archive, &rom.markers, rom.omega.len())?;
        archive.texts("held_set", &rom.held)?;
        invariants::write(&mut archive, &rom.invariants, rom.n_low)?;
        surfaces::write_surfaces(&mut archive, &rom.surfaces)?;
        places::write(&mut archive, &rom.places)?;
        surfaces::write_modes(&mut archive, "boundary", &rom.boundary)?;
        if let Some(fields) = &rom.fields {
            fields::write(&mut archive, fields)?;
        }
        if let Some(stress) = &rom.stress {
            stress::write(&mut archive, stress)?;
        }
        if let Some(stiffening) = &rom.stiffening {
            stiffening::write(&mut archive, stiffening)?;
        }
        checksum = archive.finish_listed()?;
        out.end();
        Ok(())
    })?;
    Ok(checksum)
}

/// Bytes of the large arrays of a model.
fn size(rom: &ReducedBody) -> u64 {
    let n = rom.omega.len();
    let points = rom.boundary.points.len() + rom.fields.as_ref().map_or(0, |fields| fields.points().len());
    let stress = rom.stress.as_ref().map_or(0, |stress| stress.len() * (6 * n + 4));
    let numbers = stress + 9 * n * n + 3 * points * (n + 1) + 5 * n * n;
    (size_of::<f64>() * numbers) as u64
}

/// Reads a ROM file and checks that its arrays are consistent.
///
/// # Errors
///
/// [`ReadArchiveError`]
pub fn read_rom(path: &Path) -> Result<StoredRom, ReadArchiveError> {
    read(path, false)
}

/// Reads a ROM file as [`read_rom`], but leaves in it the values of the modes at all points and the mass
/// integrals over pairs of modes until they are needed, if it has the summary of the former and the block of
/// the dynamic modes of the latter. The file stays open: it may be replaced meanwhile, and values that were
/// changed in place are an error when they are read.
///
/// # Errors
///
/// [`ReadArchiveError`]
pub fn open_rom(path: &Path) -> Result<StoredRom, ReadArchiveError> {
    read(path, true)
}

/// * `leaves` — true if arrays may stay in the file
fn read(path: &Path, leaves: bool) -> Result<StoredRom, ReadArchiveError> {
    let archive = ArchiveReader::open(path, KIND, "reduced-order model", VERSION.major)?;
    // Without a list of digests an array cannot be verified by itself.
    let leaves = leaves && archive.listed_checksum().is_some();
    let open = OpenArchive::new(archive);
    let mut archive = open.lock();
    let read = read_arrays(&mut archive, leaves.then_some(&open));
    let checksum = match (&read, archive.listed_checksum()) {
        // Each array that was read was compared with the list.
        (Ok(_), Some(checksum)) if leaves => checksum,
        // The checksums are those of the arrays as they were read. A wrong one is reported before the errors
        // that follow from it.
        _ => {
            let is_due = archive.version() >= WITH_CHECKSUM;
            archive.verified_checksum(is_due)?
        }
    };
    let (reduced, options) = read?;
    Ok(StoredRom { reduced, options, checksum, version: archive.version() })
}

/// The model and the options of its reduction.
///
/// * `open` — the archive, if arrays may stay in it
fn read_arrays(
    archive: &mut ArchiveReader,
    open: Option<&OpenArchive>,
) -> Result<(ReducedBody, CraigBamptonOptions), ReadArchiveError> {
    let omega = archive.f64("omega", &[None])?;
    let n_modes = omega.len();
    if !omega.is_sorted() || omega.first().is_some_and(|&w| w <= 0.0) {
        return Err(archive.unexpected("omega", "positive numbers in ascending order", "others"));
    }
    let n_low = archive.count("n_low")?;
    if n_low > n_modes {
        return Err(archive.unexpected("n_low", format!("at most {n_modes}"), n_low.to_string()));
    }
    let fixed_interface_hz = archive.f64("fixed_interface_hz", &[None])?;
    let com = archive.f64("com", &[Some(3)])?;
    let boundary = surfaces::read_modes(archive, "boundary", n_modes)?;
    let materials = read_materials(archive)?;
    let stress = stress::read(archive, n_modes, materials.len())?;
    let markers = composition::read_markers(archive, n_modes)?;
    let held = if archive.has("held_set") { archive.texts("held_set")? } else { Vec::new() };
    let counts = (markers.len(), boundary.points.len());
    let stiffening = stiffening::read(archive, n_modes, counts, !held.is_empty())?;
    let n_motions = stiffening.as_ref().map(|stiffening| stiffening.basis.ncols());
    let reduced = ReducedBody {
        name: archive.text("name")?,
        body_checksum: archive.text("body_checksum")?,
        materials,
        com: [com[0], com[1], com[2]],
        invariants: invariants::read(archive, [n_modes, n_low], open)?,
        omega,
        n_low,
        mode_errors: places::read_mode_errors(archive, n_modes)?,
        frequency_errors: places::read_frequency_errors(archive, n_modes)?,
        composition: composition::read(archive, n_modes, &fixed_interface_hz)?,
        markers,
        held,
        fixed_interface_hz,
        n_interface_dofs: archive.count("n_interface_dofs")?,
        n_dofs: archive.count("n_dofs")?,
        surfaces: surfaces::read_surfaces(archive, &boundary.points)?,
        places: places::read(archive, n_modes, n_motions)?,
        boundary,
        fields: fields::read(archive, n_modes, open)?,
        stress,
        stiffening,
    };
    Ok((reduced, read_options(archive)?))
}

fn write_options<W: std::io::Write + std::io::Seek>(
    archive: &mut ArchiveWriter<W>,
    options: &CraigBamptonOptions,
) -> std::io::Result<()> {
    archive.texts("option_interface", &options.interfaces)?;
    archive.texts("option_attach", &options.attachments)?;
    archive.texts("option_places", &options.places)?;
    archive.text("option_quadrature", &options.quadrature)?;
    archive.texts("option_variant", &options.variant)?;
    // An option that was not given is an empty array.
    let given = |value: Option<f64>| value.into_iter().collect::<Vec<f64>>();
    for (name, value) in [
        ("option_modes", given(options.modes.map(|n| n as f64))),
        ("option_up_to_hz", given(options.up_to_hz)),
        ("option_split_hz", given(options.split_hz)),
    ] {
        archive.f64(name, &[value.len()], &value)?;
    }
    Ok(())
}

fn read_options(archive: &mut ArchiveReader) -> Result<CraigBamptonOptions, ReadArchiveError> {
    Ok(CraigBamptonOptions {
        interfaces: archive.texts("option_interface")?,
        attachments: archive.texts("option_attach")?,
        modes: archive.f64("option_modes", &[None])?.first().map(|&n| n as usize),
        up_to_hz: archive.f64("option_up_to_hz", &[None])?.first().copied(),
        split_hz: archive.f64("option_split_hz", &[None])?.first().copied(),
        places: if archive.has("option_places") { archive.texts("option_places")? } else { Vec::new() },
        quadrature: archive.text("option_quadrature")?,
        variant: if archive.has("option_variant") { archive.texts("option_variant")? } else { Vec::new() },
    })
}
