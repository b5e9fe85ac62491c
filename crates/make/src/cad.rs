//! CAD files: meshed by Gmsh in a separate process, `carom-gmsh`.
//!
//! Gmsh has the licence GPL, needs time to start and may abort its process; therefore it is not linked.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use carom_files::temporary;
use carom_mesh::{SizeNear, SolidChoice};
use carom_progress::{Progress, child};
use serde::{Deserialize, Serialize};
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

/// True for a script of Gmsh, which makes its solids itself: none of them can be chosen.
pub fn is_script(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("geo"))
}

/// Options for meshing a CAD file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CadOptions {
    /// The only solid to mesh; all solids as one body if it is not given.
    pub solid: Option<SolidChoice>,
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

/// A solid of a CAD file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solid {
    /// Its number, from one, in the order of the file.
    pub number: usize,
    /// Its name in the file.
    pub name: Option<String>,
    /// In the cube of the unit of the model: m³ of STEP and IGES files.
    pub volume: f64,
    /// Centre of the volume \[m\].
    pub centre: [f64; 3],
    /// Corners of the box around it \[m\].
    pub bounds: [[f64; 3]; 2],
    /// Number of its faces.
    pub faces: usize,
}

impl Solid {
    /// Number and name, for messages.
    pub fn title(&self) -> String {
        match &self.name {
            Some(name) => format!("{} `{name}`", self.number),
            None => self.number.to_string(),
        }
    }
}

/// The faces at which two solids touch: a set of this name on the body of either.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tie {
    /// `tie-1-2` for the solids 1 and 2.
    pub name: String,
    /// Numbers of the solids, the lower one first.
    pub solids: [usize; 2],
    /// Numbers of the faces of each solid that contain the tie.
    pub faces: [Vec<usize>; 2],
    /// \[m²\]
    pub area: f64,
    /// Centre of the common area \[m\].
    pub centre: [f64; 3],
    /// Volume that both solids fill \[m³\]; 0 for solids that only touch.
    pub overlap: f64,
}

/// The solids of a CAD file and their ties.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Solids {
    /// In the order of the file.
    pub solids: Vec<Solid>,
    /// Where they touch.
    pub ties: Vec<Tie>,
    /// Warnings of `carom-gmsh`, a sentence each.
    pub notes: Vec<String>,
}

/// The solids of a CAD file other than a `.geo` script, without a mesh.
///
/// # Errors
///
/// As [`mesh`].
pub fn solids(path: &Path, progress: &dyn Progress) -> Result<Solids, CadError> {
    let printed = run(path, |command| command.arg(path).args(["--list", "--json"]), progress)?;
    serde_json::from_slice(&printed.stdout).map_err(|error| CadError::Failed {
        path: path.to_owned(),
        code: 1,
        message: format!("its list of solids cannot be read: {error}"),
    })
}

/// Meshes a CAD file; the mesh is removed when the returned path is dropped.
///
/// # Errors
///
/// [`CadError`] if `carom-gmsh` is missing, cannot be run, is stopped, or fails.
pub fn mesh(path: &Path, options: &CadOptions, progress: &dyn Progress) -> Result<Meshed, CadError> {
    let run_error = |source| CadError::Run { path: path.to_owned(), source };
    let target = temporary::file_in(&std::env::temp_dir(), ".msh").map_err(run_error)?;
    let ended = run(path, |command| set_up(command, path, target.path(), options), progress)?;
    let printed = String::from_utf8_lossy(&ended.stderr);
    let notes = printed.lines().filter_map(|line| line.strip_prefix("warning: ")).map(str::to_owned);
    let summary: Option<serde_json::Value> = serde_json::from_slice(&ended.stdout).ok();
    let size = summary.and_then(|summary| summary["size"].as_f64());
    Ok(Meshed { file: target, notes: notes.collect(), size })
}

fn set_up<'a>(command: &'a mut Command, path: &Path, target: &Path, options: &CadOptions) -> &'a mut Command {
    command.arg(path).arg("-o").arg(target).arg("--json");
    if let Some(solid) = &options.solid {
        // A name may begin with a hyphen.
        command.arg(format!("--solid={solid}"));
    }
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
    command
}

/// Runs `carom-gmsh` on a file to its successful end.
fn run(
    path: &Path,
    set_up: impl FnOnce(&mut Command) -> &mut Command,
    progress: &dyn Progress,
) -> Result<Output, CadError> {
    let program = program().ok_or_else(|| CadError::Missing { path: path.to_owned() })?;
    let mut command = Command::new(program);
    let ended = child::output(set_up(&mut command), progress)
        .map_err(|source| CadError::Run { path: path.to_owned(), source })?
        .ok_or_else(|| CadError::Interrupted { path: path.to_owned() })?;
    if ended.status.success() {
        return Ok(ended);
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
