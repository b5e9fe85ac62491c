//! Files of meshers, spline libraries and CAD programs.

use std::path::{Path, PathBuf};

use carom_fem::plausible::plain;
use carom_fem::{Body, Geometry, Material, Units};
use carom_files::Waiting;
use carom_files::coordinates::{self, ImpossiblePoint};
use carom_mesh::inp::{InpMaterial, ReadInpError};
use carom_mesh::legacy_vtk::ReadVtkError;
use carom_mesh::msh::{self, ReadMshError};
use carom_mesh::vtu::ReadVtuError;
use carom_mesh::{CellRef, Mesh, Section, SectionError, ShellSection, quality};
use carom_nurbs::read::ReadError as ReadNurbsError;
use carom_progress::{Progress, Silent};
use thiserror::Error;

use crate::cad::{self, CadError, CadOptions};
use crate::formats::{self, Format, Reader};

/// Options of an import.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImportOptions {
    /// Options for meshing a CAD file.
    pub cad: CadOptions,
    /// Factor on all coordinates, such as 1e-3 for a file in millimetres; 1 by default. Not together with
    /// `units`.
    pub scale: Option<f64>,
    /// Units of the file: of its coordinates and of its materials; SI by default.
    pub units: Option<Units>,
    /// Thickness of shells: of the surfaces of a `.msh` file, which become shells, and of shells of an `.inp`
    /// file without a section \[m\].
    pub thickness: Option<f64>,
    /// Use the materials of the file (.inp) instead of the given one, if it has one for each cell. With only
    /// a scale the units of its materials are unknown, and they are not used.
    pub materials_of_file: bool,
}

/// An imported body with notes for the user.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The body.
    pub body: Body,
    /// Notes, a sentence each.
    pub notes: Vec<String>,
    /// True if the body has the materials of its file instead of the given one.
    pub has_own_materials: bool,
}

/// Errors of an import.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The format is not known.
    #[error(
        "`{path}`: files with the ending `{ending}` cannot be read; valid endings are {}",
        formats::readable()
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its ending.
        ending: String,
    },
    /// The scale is invalid.
    #[error("the scale is {scale:?}: it must be a positive number, from 1e-60 to 1e60")]
    Scale {
        /// The given value.
        scale: f64,
    },
    /// Both scale and units are given.
    #[error(
        "a scale ({scale:?}) and units ({units}) are given, which both define the unit of length: give one \
         of \
         them"
    )]
    ScaleAndUnits {
        /// The scale.
        scale: f64,
        /// The units.
        units: Units,
    },
    /// The scaled coordinates are too large.
    #[error("the scale is {scale:?}, and with it {source}")]
    Scaled {
        /// The given value.
        scale: f64,
        /// The first node or control point that is too far away.
        source: ImpossiblePoint,
    },
    /// Flags for CAD files are given with another file.
    #[error(
        "`{path}` is not a CAD file: --solid, --size, --near, --time-limit, --order and --hex are for files \
         that Gmsh meshes; use carom-mesh refine"
    )]
    NotCad {
        /// The file.
        path: PathBuf,
    },
    /// A thickness for a file without shells.
    #[error(
        "`{path}`: a thickness is for the surfaces of .msh files and the shells of .inp files; leave it out"
    )]
    NoShells {
        /// The file.
        path: PathBuf,
    },
    /// The thickness is invalid.
    #[error("`{path}`: {source}")]
    Thickness {
        /// The file.
        path: PathBuf,
        /// The value and its range.
        source: SectionError,
    },
    /// Cells overlap.
    #[error(
        "`{path}`: cells overlap, because they lie on the same side of a common face; pairs \
         of them: {count}, the first one near ({}, {}, {}) m; remove one cell of each", at[0], at[1], at[2]
    )]
    Overlaid {
        /// The file.
        path: PathBuf,
        /// Number of pairs.
        count: usize,
        /// Middle of the first one \[m\].
        at: [f64; 3],
    },
    /// Cells are inverted.
    #[error(
        "`{path}`: {count} of {cells} cells are inverted, the first one near ({}, {}, {}) m with the scaled \
         Jacobian {:.3}: no computation is possible; mesh the part again, finer there, or renumber the nodes \
         if all cells are inverted",
        at[0], at[1], at[2], quality::without_negative_zero(*least)
    )]
    Inverted {
        /// The file.
        path: PathBuf,
        /// Number of inverted cells.
        count: usize,
        /// Number of all cells.
        cells: usize,
        /// Middle of the first one \[m\].
        at: [f64; 3],
        /// Smallest scaled Jacobian of all cells.
        least: f64,
    },
    /// The MSH file cannot be read.
    #[error(transparent)]
    Msh(#[from] ReadMshError),
    /// The .inp file cannot be read.
    #[error(transparent)]
    Inp(#[from] ReadInpError),
    /// The .vtu file cannot be read.
    #[error(transparent)]
    Vtu(#[from] ReadVtuError),
    /// The legacy .vtk file cannot be read, or a .vtp file is a surface.
    #[error(transparent)]
    Vtk(#[from] ReadVtkError),
    /// The NURBS file cannot be read.
    #[error(transparent)]
    Nurbs(#[from] ReadNurbsError),
    /// The CAD file cannot be meshed.
    #[error(transparent)]
    Cad(#[from] CadError),
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportErrorKind {
    /// The content of the file or an option is invalid.
    Input,
    /// A file cannot be opened, read or written.
    Files,
    /// A required program failed or is missing.
    Program,
    /// The user stopped the operation.
    Interrupted,
}

/// True if [`import`] reads files with this ending directly, and no body file has it.
pub fn is_geometry(path: &Path) -> bool {
    let reader = Format::of(path).and_then(|format| format.reader);
    formats::ending(path) != "npz" && matches!(reader, Some(Reader::Mesh(_) | Reader::Nurbs(_)))
}

/// Reads a body of one material, in the format given by the ending of the file.
///
/// # Errors
///
/// [`ImportError`] with the file, and where in it.
pub fn import(path: &Path, options: &ImportOptions, material: Material) -> Result<Imported, ImportError> {
    import_with(path, options, material, &Silent)
}

/// As [`import`], with progress: the user may stop the meshing of a CAD file.
///
/// # Errors
///
/// As [`import`]; [`CadError::Interrupted`].
pub fn import_with(
    path: &Path,
    options: &ImportOptions,
    material: Material,
    progress: &dyn Progress,
) -> Result<Imported, ImportError> {
    if let (Some(scale), Some(units)) = (options.scale, options.units) {
        return Err(ImportError::ScaleAndUnits { scale, units });
    }
    let mut units_note = None;
    let scale = match options.units {
        Some(_) if cad::says_its_unit(path) => {
            units_note =
                Some("the file states its unit of length: the given units do not scale it".to_owned());
            1.0
        }
        Some(units) => units.length,
        None => options.scale.unwrap_or(1.0),
    };
    if !coordinates::is_length(scale) {
        return Err(ImportError::Scale { scale });
    }
    let unknown = || match formats::ending(path) {
        ending if ending == "vtp" => ReadVtkError::Surface { path: path.to_owned() }.into(),
        ending => ImportError::UnknownFormat { path: path.to_owned(), ending },
    };
    let reader = Format::of(path).and_then(|format| format.reader);
    let is_cad = matches!(reader, Some(Reader::Cad));
    if !is_cad && options.cad != CadOptions::default() {
        return Err(ImportError::NotCad { path: path.to_owned() });
    }
    let (mut materials, mut sections) = (None, Vec::new());
    // Readers of text cannot be interrupted; nothing is written meanwhile.
    let reading = (!is_cad).then(Waiting::begin);
    let (mut geometry, mut notes) = match reader.ok_or_else(unknown)? {
        Reader::Mesh(read) => {
            let is_surface = options.thickness.is_some() && formats::ending(path) == "msh";
            let file = if is_surface { formats::read_msh_shells(path)? } else { read(path)? };
            (materials, sections) = (file.materials, file.sections);
            usable(path, file.mesh, file.notes)?
        }
        Reader::Nurbs(read) => {
            let (patches, notes) = read(path)?;
            (Geometry::Nurbs(patches), notes)
        }
        Reader::Cad => mesh_cad(path, &options.cad, scale, progress)?,
    };
    drop(reading);
    rescale(&mut geometry, scale).map_err(|source| ImportError::Scaled { scale, source })?;
    notes.extend(units_note);
    let mut sections: Vec<Option<Section>> =
        sections.into_iter().map(|section| section.map(|section| section.scaled(scale))).collect();
    if let Some(thickness) = options.thickness {
        give_thickness(path, &geometry, thickness, &mut sections)?;
    }
    let n_blocks = match &geometry {
        Geometry::Mesh(mesh) => mesh.blocks.len(),
        Geometry::Nurbs(patches) => patches.patches.len(),
    };
    if let Geometry::Nurbs(multipatch) = &geometry {
        notes.extend(multipatch.near_sides().iter().map(ToString::to_string));
    }
    let name = path.file_stem().and_then(|s| s.to_str()).unwrap_or("body").to_owned();
    let mut body =
        Body { name, geometry, materials: vec![material], material_of_block: vec![0; n_blocks], sections };
    let mut has_own_materials = false;
    if let Some((materials, of_block)) = materials.filter(|(materials, _)| !materials.is_empty()) {
        let units = options.units.unwrap_or(Units::SI);
        let is_wanted = options.materials_of_file && options.scale.is_none();
        let note = if is_wanted { take_materials(&mut body, &materials, &of_block, units) } else { None };
        has_own_materials = note.is_some();
        notes.push(note.unwrap_or_else(|| materials_left_out(&body, &materials, options)));
    }
    Ok(Imported { body, notes, has_own_materials })
}

/// Gives a thickness to each block of shells without a section.
fn give_thickness(
    path: &Path,
    geometry: &Geometry,
    thickness: f64,
    sections: &mut Vec<Option<Section>>,
) -> Result<(), ImportError> {
    let wall = ShellSection::new(thickness, ShellSection::DEFAULT_LAYERS)
        .map_err(|source| ImportError::Thickness { path: path.to_owned(), source })?;
    let Geometry::Mesh(mesh) = geometry else { return Err(ImportError::NoShells { path: path.to_owned() }) };
    sections.resize(mesh.blocks.len(), None);
    let mut given = false;
    for (block, section) in mesh.blocks.iter().zip(sections) {
        if block.shape.table().dimension == 2 && section.is_none() {
            *section = Some(Section::Shell(wall));
            given = true;
        }
    }
    if given { Ok(()) } else { Err(ImportError::NoShells { path: path.to_owned() }) }
}

/// Gives the body the materials of its file if every block has one, with a note.
fn take_materials(
    body: &mut Body,
    materials: &[InpMaterial],
    of_block: &[Option<usize>],
    units: Units,
) -> Option<String> {
    let of = |m: &InpMaterial| {
        let [young, poisson] = m.elastic?;
        units.material(&m.name, m.density?, young, poisson).ok()
    };
    let taken: Vec<Material> = materials.iter().map(of).collect::<Option<_>>()?;
    let of_block: Vec<usize> = of_block.iter().copied().collect::<Option<_>>()?;
    let names: Vec<String> = taken
        .iter()
        .map(|m| format!("{} ({} kg/m³, {} Pa, {})", m.name, plain(m.density), plain(m.young), m.poisson))
        .collect();
    (body.materials, body.material_of_block) = (taken, of_block);
    let units = if units == Units::SI { "SI units".to_owned() } else { format!("the units {units}") };
    Some(format!("materials of the file, as in {units}: {}; --material overrides them", names.join(", ")))
}

/// The reason why the materials of the file are not used.
fn materials_left_out(body: &Body, materials: &[InpMaterial], options: &ImportOptions) -> String {
    let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
    let why = match options.scale {
        Some(_) if options.materials_of_file => " (--scale does not give their units; use --units)",
        _ => "",
    };
    format!(
        "the materials of the file ({}) are not used{why}: the body is of {}",
        names.join(", "),
        body.materials[0].name
    )
}

/// Meshes a CAD file by Gmsh, in the units of the file.
fn mesh_cad(
    path: &Path,
    options: &CadOptions,
    scale: f64,
    progress: &dyn Progress,
) -> Result<(Geometry, Vec<String>), ImportError> {
    let near = options.near.iter().map(|near| near.scaled(1.0 / scale)).collect();
    let wanted = CadOptions { size: options.size.map(|size| size / scale), near, ..options.clone() };
    progress.begin("meshing with Gmsh", 0);
    let meshed = cad::mesh(path, &wanted, progress);
    progress.end();
    let meshed = meshed?;
    let (mesh, notes) = msh::read(meshed.path())?;
    let notes = notes.iter().map(ToString::to_string).collect();
    let (geometry, notes) = usable(meshed.path(), mesh, notes)?;
    // The notes of the reader that carom-gmsh has given as well are not repeated.
    let new = notes.into_iter().filter(|note| !meshed.notes.contains(note));
    let size = meshed.size.filter(|_| options.size.is_none()).map(|size| size_taken(size * scale));
    Ok((geometry, meshed.notes.iter().cloned().chain(new).chain(size).collect()))
}

/// A mesh that was read, with the notes of its reader and of a check of its cells.
///
/// Folded corners are reported by `carom-mesh info`. Inverted and repeated cells make the stiffness wrong:
/// such meshes are refused.
fn usable(path: &Path, mesh: Mesh, mut notes: Vec<String>) -> Result<(Geometry, Vec<String>), ImportError> {
    notes.extend(refuse_unusable(path, &mesh)?);
    Ok((Geometry::Mesh(mesh), notes))
}

/// Refuses invalid cells; a note reports slivers.
fn refuse_unusable(path: &Path, mesh: &Mesh) -> Result<Option<String>, ImportError> {
    let quality = quality::assess(mesh);
    let middle = |cell: CellRef| {
        let nodes = mesh.blocks[cell.block as usize].cell(cell.cell as usize);
        let mut at = [0.0; 3];
        for &node in nodes {
            for (sum, x) in at.iter_mut().zip(mesh.points[node as usize]) {
                *sum += x / nodes.len() as f64;
            }
        }
        at.map(|x| (x * 1.0e6).round() / 1.0e6)
    };
    if let Some(&(first, _)) = quality.overlaid.first().filter(|_| quality.inverted.is_empty()) {
        let (path, count) = (path.to_owned(), quality.overlaid.len());
        return Err(ImportError::Overlaid { path, count, at: middle(first) });
    }
    let Some(&first) = quality.inverted.first() else {
        return Ok(quality.slivers.first().map(|&(worst, least)| {
            let [x, y, z] = middle(worst);
            format!(
                "{} of {} cells are slivers (scaled Jacobian below {}), the worst {least:.1e} near ({x}, \
                 {y}, {z}) in the units of the file: time steps become small and stresses there are \
                 inaccurate; mesh \
                 the part again, or remove small edges and faces from it",
                quality.slivers.len(),
                mesh.cell_counts().values().sum::<usize>(),
                quality::SLIVER
            )
        }));
    };
    Err(ImportError::Inverted {
        path: path.to_owned(),
        count: quality.inverted.len(),
        cells: mesh.cell_counts().values().sum(),
        at: middle(first),
        least: quality.min_scaled_jacobian,
    })
}

/// The note about the size of cells \[m\] that carom-gmsh has chosen.
fn size_taken(size: f64) -> String {
    format!(
        "no size is given: cells of {} m are used, a twentieth of the diagonal of the part, or less if cells \
         were folded; --size (in a scenario: `size` next to `file`) sets another",
        plain(size)
    )
}

/// Multiplies all coordinates; numbers of nodes count from one, those of control points from zero, patch
/// after patch.
fn rescale(geometry: &mut Geometry, scale: f64) -> Result<(), ImpossiblePoint> {
    if scale == 1.0 {
        return Ok(());
    }
    match geometry {
        Geometry::Mesh(mesh) => {
            mesh.points.iter_mut().for_each(|point| *point = point.map(|x| scale * x));
            (1..).zip(&mesh.points).try_for_each(|(number, &x)| ImpossiblePoint::check("node", number, x))
        }
        Geometry::Nurbs(patches) => {
            patches.scale(scale);
            let points = patches.patches.iter().flat_map(|patch| &patch.points);
            (0..).zip(points).try_for_each(|(number, &x)| ImpossiblePoint::check("control point", number, x))
        }
    }
}

impl ImportError {
    /// The kind of a failure. The exit code of `carom-gmsh` means the same in all programs.
    pub fn kind(&self) -> ImportErrorKind {
        match self {
            Self::Msh(ReadMshError::Open { .. })
            | Self::Inp(ReadInpError::Open { .. })
            | Self::Vtu(ReadVtuError::File(carom_vtk::ReadError::Open { .. }))
            | Self::Vtk(ReadVtkError::File(carom_vtk::ReadLegacyError::Open { .. }))
            | Self::Nurbs(ReadNurbsError::Io { .. }) => ImportErrorKind::Files,
            Self::Cad(CadError::Run { .. } | CadError::Failed { code: 5, .. }) => ImportErrorKind::Files,
            Self::Cad(CadError::Failed { code: 2 | 3, .. }) => ImportErrorKind::Input,
            Self::Cad(CadError::Interrupted { .. }) => ImportErrorKind::Interrupted,
            Self::Cad(_) => ImportErrorKind::Program,
            _ => ImportErrorKind::Input,
        }
    }
}
