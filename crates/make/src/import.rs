//! Files of meshers, spline libraries and CAD programs.

use std::path::{Path, PathBuf};

use carom_fem::{Body, Geometry, Material};
use carom_files::coordinates::{self, ImpossiblePoint};
use carom_mesh::inp::{self, InpMaterial, ReadInpError};
use carom_mesh::msh::{self, ReadMshError};
use carom_mesh::vtu::{self, ReadVtuError};
use carom_mesh::{CellRef, Mesh, quality};
use carom_nurbs::read::{self, ReadError as ReadNurbsError};
use carom_progress::{Progress, Silent};
use thiserror::Error;

use crate::cad::{self, CadError, CadOptions};

/// Endings of NURBS files; their content tells the format.
const NURBS_ENDINGS: [&str; 7] = ["xml", "mesh", "txt", "json", "npz", "dat", "itd"];
/// The same for messages.
const NURBS_KNOWN: &str = ".xml (G+Smo), .mesh (MFEM NURBS), .txt (GeoPDEs), .json (geomdl, splinepy), .npz (splinepy), \
    .dat (PetIGA), .itd (IRIT)";

/// How to read a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImportOptions {
    /// How a CAD file is meshed.
    pub cad: CadOptions,
    /// Factor on all coordinates, such as 1e-3 for a file in millimetres; 1 by default.
    pub scale: Option<f64>,
    /// Materials of the file (.inp) instead of the one given, where it has one for each cell and no scale is given: with it
    /// the file is in other units than SI.
    pub materials_of_file: bool,
}

/// A body, and what the user should know about its file.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The body.
    pub body: Body,
    /// Remarks, a sentence each.
    pub notes: Vec<String>,
}

/// Why a file gives no body.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A file that no reader knows.
    #[error(
        "`{path}`: the ending `{ending}` is none that can be read; known are .msh (Gmsh 4.1 and 2.2), .inp (Abaqus, CalculiX), .vtu (VTK, meshio), {NURBS_KNOWN}, \
         .step .stp .iges .igs .brep .geo (meshed by Gmsh)"
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its ending.
        ending: String,
    },
    /// A factor that is none.
    #[error("the scale is {scale:?}: it must be a positive number, from 1e-60 to 1e60")]
    Scale {
        /// What was given.
        scale: f64,
    },
    /// A factor that blows the body up beyond all bounds.
    #[error("the scale is {scale:?}, and with it {source}")]
    Scaled {
        /// What was given.
        scale: f64,
        /// The first node or control point that is too far away.
        source: ImpossiblePoint,
    },
    /// Flags of CAD files with a file that is meshed already.
    #[error(
        "`{path}` is no CAD file: --size, --order and --hex are for files that Gmsh meshes; use carom-mesh refine"
    )]
    NotCad {
        /// The file.
        path: PathBuf,
    },
    /// Cells in the same place.
    #[error(
        "`{path}`: cells fill the same space, as they lie on the same side of a face that they share; pairs of them: {count}, the \
         first one near ({}, {}, {}) m; remove one cell of each", at[0], at[1], at[2]
    )]
    Overlaid {
        /// The file.
        path: PathBuf,
        /// How many pairs.
        count: usize,
        /// Middle of the first one \[m\].
        at: [f64; 3],
    },
    /// Cells that are inside out.
    #[error(
        "`{path}`: {count} of {cells} cells are inverted, the first one near ({}, {}, {}) m with the scaled Jacobian {:.3}: \
         no computation is possible; mesh the part again, finer there, or renumber the nodes if all cells are inverted",
        at[0], at[1], at[2], quality::without_negative_zero(*least)
    )]
    Inverted {
        /// The file.
        path: PathBuf,
        /// How many.
        count: usize,
        /// Of how many.
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
    /// The NURBS file cannot be read.
    #[error(transparent)]
    Nurbs(#[from] ReadNurbsError),
    /// The CAD file cannot be meshed.
    #[error(transparent)]
    Cad(#[from] CadError),
}

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportErrorKind {
    /// What the file holds or the user gave is wrong.
    Input,
    /// A file cannot be opened, read or written.
    Files,
    /// A program that is needed failed or is missing.
    Program,
    /// The user stopped it.
    Interrupted,
}

/// True if [`import`] reads a file of this ending as it is, and bodies are never called so.
pub fn is_geometry(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    ending != "npz" && (["msh", "inp", "vtu"].contains(&&*ending) || NURBS_ENDINGS.contains(&&*ending))
}

/// Reads a body of one material; the ending of the file says how.
///
/// # Errors
///
/// [`ImportError`] with the file, and where in it.
pub fn import(path: &Path, options: &ImportOptions, material: Material) -> Result<Imported, ImportError> {
    import_with(path, options, material, &Silent)
}

/// Does what [`import`] does; the user may stop the meshing of a CAD file.
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
    let scale = options.scale.unwrap_or(1.0);
    if !coordinates::is_length(scale) {
        return Err(ImportError::Scale { scale });
    }
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    let is_cad = cad::is_cad(path);
    if !is_cad && options.cad != CadOptions::default() {
        return Err(ImportError::NotCad { path: path.to_owned() });
    }
    let mut materials = None;
    let (mut geometry, mut notes) = match ending.as_str() {
        "msh" => read_mesh(path)?,
        "inp" => {
            let file = inp::read(path)?;
            refuse_unusable(path, &file.mesh)?;
            materials = Some((file.materials, file.material_of_block));
            (Geometry::Mesh(file.mesh), file.notes.iter().map(ToString::to_string).collect())
        }
        "vtu" => {
            let (mesh, notes) = vtu::read(path)?;
            refuse_unusable(path, &mesh)?;
            (Geometry::Mesh(mesh), notes.iter().map(ToString::to_string).collect())
        }
        nurbs if NURBS_ENDINGS.contains(&nurbs) => {
            let (patches, notes) = read::file_with_notes(path)?;
            (Geometry::Nurbs(patches), notes.iter().map(ToString::to_string).collect())
        }
        _ if is_cad => {
            let meshed = cad::mesh(path, &options.cad, progress)?;
            let (geometry, notes) = read_mesh(meshed.path())?;
            // What the reader notes, carom-gmsh has told as well.
            let new = notes.into_iter().filter(|note| !meshed.notes.contains(note));
            (geometry, meshed.notes.iter().cloned().chain(new).collect())
        }
        _ => return Err(ImportError::UnknownFormat { path: path.to_owned(), ending }),
    };
    rescale(&mut geometry, scale).map_err(|source| ImportError::Scaled { scale, source })?;
    let n_blocks = match &geometry {
        Geometry::Mesh(mesh) => mesh.blocks.len(),
        Geometry::Nurbs(patches) => patches.patches.len(),
    };
    if let Geometry::Nurbs(multipatch) = &geometry {
        notes.extend(multipatch.near_sides().iter().map(ToString::to_string));
    }
    let name = path.file_stem().and_then(|s| s.to_str()).unwrap_or("body").to_owned();
    let mut body = Body { name, geometry, materials: vec![material], material_of_block: vec![0; n_blocks] };
    if let Some((materials, of_block)) = materials.filter(|(materials, _)| !materials.is_empty()) {
        let wanted = options.materials_of_file && options.scale.is_none();
        notes.push(take_materials(&mut body, &materials, &of_block, wanted));
    }
    Ok(Imported { body, notes })
}

/// Gives the body the materials of its file, if it is wanted and every block has one; says what was done.
fn take_materials(
    body: &mut Body,
    materials: &[InpMaterial],
    of_block: &[Option<usize>],
    wanted: bool,
) -> String {
    let of = |m: &InpMaterial| {
        let [young, poisson] = m.elastic?;
        Material::new(m.name.clone(), m.density?, young, poisson).ok()
    };
    let taken: Option<Vec<Material>> = materials.iter().map(of).collect();
    let all: Option<Vec<usize>> = of_block.iter().copied().collect();
    match (taken, all) {
        (Some(taken), Some(of_block)) if wanted => {
            let names: Vec<String> = taken
                .iter()
                .map(|m| format!("{} ({} kg/m³, {:e} Pa, {})", m.name, m.density, m.young, m.poisson))
                .collect();
            (body.materials, body.material_of_block) = (taken, of_block);
            format!("materials of the file, as in SI units: {}; --material overrides them", names.join(", "))
        }
        _ => {
            let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
            format!(
                "the materials of the file ({}) are not used: the body is of {}",
                names.join(", "),
                body.materials[0].name
            )
        }
    }
}

fn read_mesh(path: &Path) -> Result<(Geometry, Vec<String>), ImportError> {
    let (mesh, notes) = msh::read(path)?;
    refuse_unusable(path, &mesh)?;
    Ok((Geometry::Mesh(mesh), notes.iter().map(ToString::to_string).collect()))
}

/// A folded corner is a finding of `carom-mesh info`; a cell that is inside out gives no stiffness at all, and one that is there
/// twice gives its stiffness twice.
fn refuse_unusable(path: &Path, mesh: &Mesh) -> Result<(), ImportError> {
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
    let Some(&first) = quality.inverted.first() else { return Ok(()) };
    Err(ImportError::Inverted {
        path: path.to_owned(),
        count: quality.inverted.len(),
        cells: mesh.cell_counts().values().sum(),
        at: middle(first),
        least: quality.min_scaled_jacobian,
    })
}

/// Multiplies all coordinates; numbers of nodes count from one, those of control points from zero, patch after patch.
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
    /// What kind of failure it is. `carom-gmsh` says so by its exit code, which means the same in all programs.
    pub fn kind(&self) -> ImportErrorKind {
        match self {
            Self::Msh(ReadMshError::Open { .. })
            | Self::Inp(ReadInpError::Open { .. })
            | Self::Vtu(ReadVtuError::File(carom_vtk::ReadError::Open { .. }))
            | Self::Nurbs(ReadNurbsError::Io { .. }) => ImportErrorKind::Files,
            Self::Cad(CadError::Run { .. } | CadError::Failed { code: 5, .. }) => ImportErrorKind::Files,
            Self::Cad(CadError::Failed { code: 2 | 3, .. }) => ImportErrorKind::Input,
            Self::Cad(CadError::Interrupted { .. }) => ImportErrorKind::Interrupted,
            Self::Cad(_) => ImportErrorKind::Program,
            _ => ImportErrorKind::Input,
        }
    }
}
