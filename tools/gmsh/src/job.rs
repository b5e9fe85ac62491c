//! What the two processes tell each other.

use std::path::PathBuf;

use carom_cli::{Category, Failure};
use serde::{Deserialize, Serialize};

/// What the worker is to do.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    /// Geometry file.
    pub(crate) input: PathBuf,
    /// MSH file to write.
    pub(crate) mesh: PathBuf,
    /// Where to write the [`Report`].
    pub(crate) report: PathBuf,
    /// Largest element size [m].
    pub(crate) size: Option<f64>,
    /// Order of the elements.
    pub(crate) order: u8,
    /// Whether hexahedra are wanted.
    pub(crate) hex: bool,
    /// Whether second-order elements are to be optimised, which is slower and not safe from aborts.
    pub(crate) optimise: bool,
}

/// How it went.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The mesh is written.
    Done {
        /// Version of Gmsh.
        version: String,
        /// What the user should know.
        notes: Vec<String>,
        /// Largest size of an element [m]; `None` where a script says its own.
        size: Option<f64>,
    },
    /// It is not.
    Failed {
        /// Exit code of the failure.
        kind: FailureKind,
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: String,
    },
}

/// Categories of failures that the worker knows.
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
    /// The failure that the user is told.
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
