//! Messages between the two processes: the job and the report.

use std::path::PathBuf;

use carom_cli::{Category, Failure};
use serde::{Deserialize, Serialize};

use crate::solids::Solid;
use crate::ties::Tie;

/// The job of the worker.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Geometry file.
    pub(crate) input: PathBuf,
    /// MSH file to write.
    pub(crate) mesh: PathBuf,
    /// Where to write the [`Report`].
    pub(crate) report: PathBuf,
    /// Gmsh's log, if it is kept in a file.
    pub(crate) log: Option<PathBuf>,
    /// True to list the solids and their ties instead of meshing.
    pub(crate) list: bool,
    /// The only solid to mesh, in the form of `--solid`.
    pub(crate) solid: Option<String>,
    /// Largest element size [m].
    pub(crate) size: Option<f64>,
    /// Places with small elements, each with its size, in the form of `--near`.
    pub(crate) near: Vec<String>,
    /// Factor on all sizes.
    pub(crate) factor: f64,
    /// Order of the elements.
    pub(crate) order: u8,
    /// True to make hexahedra.
    pub(crate) hex: bool,
    /// True to optimise second-order elements, which is slower and may abort.
    pub(crate) optimise: bool,
}

/// The result of a job.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The mesh is written.
    Done {
        /// Version of Gmsh.
        version: String,
        /// Notes for the user.
        notes: Vec<String>,
        /// Largest size of an element [m]; `None` if a script defines it.
        size: Option<f64>,
        /// Ties of the solid, if one was chosen.
        ties: Vec<Tie>,
    },
    /// The list of the solids.
    Listed {
        /// The solids, in the order of the file.
        solids: Vec<Solid>,
        /// Their ties.
        ties: Vec<Tie>,
        /// Notes for the user.
        notes: Vec<String>,
    },
    /// There is no mesh.
    Failed {
        /// Exit code of the failure.
        kind: FailureKind,
        /// The error message.
        message: String,
        /// How to proceed.
        hint: String,
    },
}

/// Categories of failures of the worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum FailureKind {
    /// The geometry is invalid.
    Input,
    /// A file cannot be read or written.
    Files,
    /// Gmsh failed.
    Other,
}

impl FailureKind {
    /// The failure that is reported to the user.
    pub(crate) fn failure(self, message: String, hint: String) -> Failure {
        let category = match self {
            Self::Input => Category::Input,
            Self::Files => Category::Files,
            Self::Other => Category::Other,
        };
        let failure = Failure::new(category, message);
        if hint.is_empty() { failure } else { failure.hint(hint) }
    }
}
