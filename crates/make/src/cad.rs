//! CAD files: meshed by Gmsh in a separate process, `carom-gmsh`.
//!
//! Gmsh has the licence GPL, needs time to start and may abort its process; therefore it is not linked.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use carom_files::temporary;
use carom_mesh::SizeNear;
use carom_progress::{Progress, child};
use tempfile::NamedTempFile;
use thiserror::Error;

/// Endings of the files that `carom-gmsh` meshes.
pub const ENDINGS: &[&str] = &["step", "stp", "iges", "igs", "brep", "geo"];

/// True if the ending of a file is one of [`ENDINGS`].
pub fn is_cad(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    ENDINGS.contains(&ending.as_str())
}

/// True if files with this ending contain their unit of length, so that Gmsh converts them to metres.
pub fn says_its_unit(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    ["step", "stp", "iges", "igs"].contains(&ending.as_str())
}

/// Options for meshing a CAD file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CadOptions {
    /// Size of the cells \[m\]; Gmsh chooses if it is not given.
    pub size: Option<f64>,
    /// Places with small cells \[m\].
    pub near: Vec<SizeNear>,
    /// Longest time for meshing \[s\]; `carom-gmsh` has a default.
    pub time_limit: Option<f64>,
    /// Order of the cells, 1 or 2.
    pub order: Option<u8>,
    /// Hexahedra where Gmsh can make them.
    pub hex: bool,
}

/// Errors of meshing a CAD file.
#[derive(Debug, Error)]
pub enum CadError {
    /// The program `carom-gmsh` is missing.
    #[error(
        "meshing `{path}` needs the program carom-gmsh, which is neither in the folder of this program nor \
         in the PATH: install Gmsh's library (Debian, Ubuntu: apt install libgmsh-dev) and build it with \
         `cargo \
         install --path tools/gmsh`, or mesh the file with Gmsh yourself and import the .msh"
    )]
    Missing {
        /// The CAD file.
        path: PathBuf,
    },
    /// It could not be started, or the temporary mesh file could not be created.
    #[error("cannot run carom-gmsh on `{path}`: {source}")]
    Run {
        /// The CAD file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The user stopped the operation.
    #[error("interrupted while carom-gmsh meshed `{path}`")]
    Interrupted {
        /// The CAD file.
        path: PathBuf,
    },
    /// It failed.
    #[error("carom-gmsh could not mesh \
        `{path}`{}:\n{message}", if *code < 0 { " (it was killed)" } else { "" })]
    Failed {
        /// The CAD file.
        path: PathBuf,
        /// Its exit code; -1 if it was killed.
        code: i32,
        /// Its message.
        message: String,
    },
}

/// Path of `carom-gmsh`: in the folder of this program, or in the PATH.
pub fn program() -> Option<PathBuf> {
    let name = OsString::from(format!("carom-gmsh{}", std::env::consts::EXE_SUFFIX));
    let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(|dir| dir.join(&name)));
    let in_path = std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).map(|dir| dir.join(&name)).collect::<Vec<_>>())
        .unwrap_or_default();
    beside.into_iter().chain(in_path).find(|candidate| candidate.is_file())
}

/// Meshes a CAD file; the mesh is removed when the returned path is dropped.
///
/// # Errors
///
/// [`CadError`] if `carom-gmsh` is missing, cannot be run, is stopped, or fails.
pub fn mesh(path: &Path, options: &CadOptions, progress: &dyn Progress) -> Result<Meshed, CadError> {
    let program = program().ok_or_else(|| CadError::Missing { path: path.to_owned() })?;
    let run_error = |source| CadError::Run { path: path.to_owned(), source };
    let target = temporary::file_in(&std::env::temp_dir(), ".msh").map_err(run_error)?;
    let mut command = Command::new(program);
    command.arg(path).arg("-o").arg(target.path()).arg("--json");
    if let Some(size) = options.size {
        command.arg("--size").arg(size.to_string());
    }
    for near in &options.near {
        command.arg("--near").arg(near.to_string());
    }
    if let Some(seconds) = options.time_limit {
        command.arg("--time-limit").arg(seconds.to_string());
    }
    if let Some(order) = options.order {
        command.arg("--order").arg(order.to_string());
    }
    if options.hex {
        command.arg("--hex");
    }
    let Some(ended) = child::output(&mut command, progress).map_err(run_error)? else {
        return Err(CadError::Interrupted { path: path.to_owned() });
    };
    if ended.status.success() {
        let printed = String::from_utf8_lossy(&ended.stderr);
        let notes = printed.lines().filter_map(|line| line.strip_prefix("warning: ")).map(str::to_owned);
        let summary: Option<serde_json::Value> = serde_json::from_slice(&ended.stdout).ok();
        let size = summary.and_then(|summary| summary["size"].as_f64());
        return Ok(Meshed { file: target, notes: notes.collect(), size });
    }
    Err(CadError::Failed {
        path: path.to_owned(),
        code: ended.status.code().unwrap_or(-1),
        message: String::from_utf8_lossy(&ended.stderr).trim().to_owned(),
    })
}

/// The mesh of a CAD file, removed when dropped.
#[derive(Debug)]
pub struct Meshed {
    file: NamedTempFile,
    /// Warnings of `carom-gmsh`, a sentence each.
    pub notes: Vec<String>,
    /// Largest requested size of a cell, in the unit of length of the mesh; `None` if a script defines the
    /// size.
    pub size: Option<f64>,
}

impl Meshed {
    /// Its path.
    pub fn path(&self) -> &Path {
        self.file.path()
    }
}
