//! Files of meshers, spline libraries and CAD programs.

use std::path::{Path, PathBuf};

use carom_fem::{Body, Geometry, Material};
use carom_mesh::msh::{self, ReadMshError};
use carom_nurbs::Multipatch;
use carom_nurbs::read::{self, ReadError as ReadNurbsError};
use thiserror::Error;

use crate::cad::{self, CadError, CadOptions};

/// How to read a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ImportOptions {
    /// How a CAD file is meshed.
    pub cad: CadOptions,
    /// Factor on all coordinates, such as 1e-3 for a file in millimetres; 1 by default.
    pub scale: Option<f64>,
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
        "`{path}`: the ending `{ending}` is none that can be read; known are .msh (Gmsh 4.1 and 2.2), .xml (G+Smo), .mesh \
         (MFEM NURBS), .step .stp .iges .igs .brep .geo (meshed by Gmsh)"
    )]
    UnknownFormat {
        /// The file.
        path: PathBuf,
        /// Its ending.
        ending: String,
    },
    /// A factor that is none.
    #[error("the scale is {scale}: it must be a positive number")]
    Scale {
        /// What was given.
        scale: f64,
    },
    /// Flags of CAD files with a file that is meshed already.
    #[error(
        "`{path}` is no CAD file: --size, --order and --hex are for files that Gmsh meshes; use carom-mesh refine"
    )]
    NotCad {
        /// The file.
        path: PathBuf,
    },
    /// The MSH file cannot be read.
    #[error(transparent)]
    Msh(#[from] ReadMshError),
    /// The NURBS file cannot be read.
    #[error(transparent)]
    Nurbs(#[from] ReadNurbsError),
    /// The CAD file cannot be meshed.
    #[error(transparent)]
    Cad(#[from] CadError),
}

/// Reads a body of one material; the ending of the file says how.
///
/// # Errors
///
/// [`ImportError`] with the file, and where in it.
pub fn import(path: &Path, options: &ImportOptions, material: Material) -> Result<Imported, ImportError> {
    let scale = options.scale.unwrap_or(1.0);
    if !(scale > 0.0 && scale.is_finite()) {
        return Err(ImportError::Scale { scale });
    }
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    let is_cad = cad::is_cad(path);
    if !is_cad && options.cad != CadOptions::default() {
        return Err(ImportError::NotCad { path: path.to_owned() });
    }
    let (mut geometry, notes) = match ending.as_str() {
        "msh" => read_mesh(path)?,
        "xml" | "mesh" => (Geometry::Nurbs(read::file(path)?), Vec::new()),
        _ if is_cad => {
            let meshed = cad::mesh(path, &options.cad)?;
            read_mesh(meshed.path())?
        }
        _ => return Err(ImportError::UnknownFormat { path: path.to_owned(), ending }),
    };
    rescale(&mut geometry, scale);
    let n_blocks = match &geometry {
        Geometry::Mesh(mesh) => mesh.blocks.len(),
        Geometry::Nurbs(patches) => patches.patches.len(),
    };
    let name = path.file_stem().and_then(|s| s.to_str()).unwrap_or("body").to_owned();
    let body = Body { name, geometry, materials: vec![material], material_of_block: vec![0; n_blocks] };
    Ok(Imported { body, notes })
}

fn read_mesh(path: &Path) -> Result<(Geometry, Vec<String>), ImportError> {
    let (mesh, notes) = msh::read(path)?;
    Ok((Geometry::Mesh(mesh), notes.iter().map(ToString::to_string).collect()))
}

fn rescale(geometry: &mut Geometry, scale: f64) {
    if scale == 1.0 {
        return;
    }
    let points: Vec<&mut Vec<[f64; 3]>> = match geometry {
        Geometry::Mesh(mesh) => vec![&mut mesh.points],
        Geometry::Nurbs(Multipatch { patches, .. }) => patches.iter_mut().map(|p| &mut p.points).collect(),
    };
    for point in points.into_iter().flatten() {
        *point = point.map(|x| scale * x);
    }
}

impl ImportError {
    /// True if a file could not be opened or read, false if what it holds is wrong.
    pub fn is_io(&self) -> bool {
        match self {
            Self::Msh(error) => matches!(error, ReadMshError::Open { .. }),
            Self::Nurbs(error) => matches!(error, ReadNurbsError::Io { .. }),
            Self::Cad(error) => matches!(error, CadError::Run { .. }),
            _ => false,
        }
    }
}
