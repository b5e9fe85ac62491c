//! Bodies of a scenario that are ready to be set up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use carom_fem::Body;
use carom_format::scenario::model::{BodySpec, Scenario};
use carom_reduce::ReducedBody;

use crate::foresee::Choice;
use crate::silhouette::Silhouette;

/// Folders in which files are looked for and made.
#[derive(Debug, Clone, Copy)]
pub struct Workshop<'a> {
    /// Folder of the scenario: paths in it are relative to it.
    pub scenario_folder: &'a Path,
    /// Folder in which bodies and models are made.
    pub bodies: &'a Path,
    /// The runs that use this folder.
    pub users: Users,
}

/// The runs that use a folder of bodies and models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Users {
    /// One run: a file has the name of its body, and is replaced if its recipe changes.
    #[default]
    One,
    /// Any number of runs at the same time: the name of a file contains the checksum of its recipe, one of
    /// the runs makes it, and no run replaces it.
    Many,
}

/// The model of a body that its scheme takes.
#[derive(Debug, Clone)]
pub enum PreparedModel {
    /// A rigid body: its geometry.
    Rigid(Arc<Body>),
    /// A reduced model.
    Reduced(Arc<ReducedBody>),
    /// A deformable body as it is, for schemes that do not reduce.
    Deformable(Arc<Body>),
}

/// A body that is ready.
#[derive(Debug, Clone)]
pub struct PreparedBody {
    /// Its model.
    pub model: PreparedModel,
    /// The body file, empty if unknown.
    pub body_path: PathBuf,
    /// Its checksum, empty if unknown.
    pub body_checksum: String,
    /// The model file, empty for a body that is not reduced.
    pub rom_path: PathBuf,
    /// Its checksum, empty for a body that is not reduced.
    pub rom_checksum: String,
}

impl PreparedBody {
    /// A body in memory alone.
    pub(crate) fn without_files(model: PreparedModel) -> Self {
        Self {
            model,
            body_path: PathBuf::new(),
            body_checksum: String::new(),
            rom_path: PathBuf::new(),
            rom_checksum: String::new(),
        }
    }
}

/// All bodies of a scenario, in its order, with the cost of their preparation.
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    /// The bodies.
    pub bodies: Vec<PreparedBody>,
    /// Their boundaries; none of a model without a body, nor where there is one body alone.
    pub silhouettes: Vec<Option<Silhouette>>,
    /// Seconds by phase: "meshing", "reduction", their parts, and with ", cpu" their CPU time.
    pub seconds: BTreeMap<String, f64>,
    /// Seconds by phase that files which are up to date cost when they were made.
    pub earlier_seconds: BTreeMap<String, f64>,
    /// Number of body files that were made.
    pub n_meshed: usize,
    /// Number of models that were made.
    pub n_reduced: usize,
    /// Files that were made and files that were up to date, a sentence each.
    pub notes: Vec<String>,
    /// Implausible figures of the scenario, a sentence each.
    pub warnings: Vec<String>,
    /// The scenario with all that its contacts leave open; none if nothing was.
    pub completed: Option<Arc<Scenario>>,
    /// The choices made for it with their reasons.
    pub choices: Vec<Choice>,
}

impl Prepared {
    /// The scenario that these bodies serve: as it was completed, or as it was given.
    pub fn scenario<'a>(&'a self, given: &'a Scenario) -> &'a Scenario {
        self.completed.as_deref().unwrap_or(given)
    }

    /// Notes that a file is there: from an earlier run, or as another body of this one has the same.
    pub(crate) fn found(
        &mut self,
        what: &str,
        spec: &BodySpec,
        owner: &BodySpec,
        seconds: &BTreeMap<String, f64>,
    ) {
        if owner.name == spec.name {
            self.add_earlier(seconds);
            self.notes.push(format!("{what} `{}` is up to date", spec.name));
        } else {
            self.notes.push(format!("{what} `{}` is that of `{}`", spec.name, owner.name));
        }
    }

    fn add_earlier(&mut self, seconds: &BTreeMap<String, f64>) {
        for (phase, value) in seconds {
            *self.earlier_seconds.entry(phase.clone()).or_insert(0.0) += value;
        }
    }
}
