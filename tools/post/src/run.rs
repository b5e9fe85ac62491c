//! An open result.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use carom_dynamics::LedgerRow;
use carom_files::WriteFileError;
use carom_format::result::{ResultBody, RunHeader, StoredFrame};
use carom_format::{ReadArchiveError, ResultError, ResultReader};
use carom_progress::Progress;
use carom_reduce::unread::UnreadArrayError;
use carom_report::Prefix;
use carom_vtk::{GridError, WriteError};
use thiserror::Error;

use crate::stress_over_run::{self, StressOverRun};

/// Errors of tables, pictures and files made from a result.
#[derive(Debug, Error)]
pub enum RunError {
    /// The result cannot be read.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// A body or model file of the result is missing.
    #[error("body `{body}`: its {kind} file `{path}` is missing (also in the folder of the result); {hint}")]
    Missing {
        /// Name of the body.
        body: String,
        /// "body" or "model".
        kind: &'static str,
        /// The path in the result.
        path: PathBuf,
        /// What to do.
        hint: &'static str,
    },
    /// A body or model file cannot be read.
    #[error("body `{body}`: {source}")]
    Archive {
        /// Name of the body.
        body: String,
        /// Why.
        #[source]
        source: Box<ReadArchiveError>,
    },
    /// The modes of a model cannot be read.
    #[error("body `{body}`: {source}")]
    Fields {
        /// Name of the body.
        body: String,
        /// The cause.
        source: UnreadArrayError,
    },
    /// A body or model file is not the one that the run used.
    #[error(
        "body `{body}`: `{path}` is not the {kind} that the run used (its content has changed); run the \
         scenario again"
    )]
    Changed {
        /// Name of the body.
        body: String,
        /// "body" or "model".
        kind: &'static str,
        /// The file.
        path: PathBuf,
    },
    /// Body, model and result are inconsistent.
    #[error("body `{body}`: {why}; run the scenario again")]
    Inconsistent {
        /// Name of the body.
        body: String,
        /// The inconsistency.
        why: String,
    },
    /// There is no body of that name.
    #[error("the result has no body `{name}`; it has {known}")]
    UnknownBody {
        /// The name that was given.
        name: String,
        /// All valid names.
        known: String,
    },
    /// There is no contact pair of that name.
    #[error("the result has no contact pair `{name}`; it has {known}")]
    UnknownPair {
        /// The name that was given.
        name: String,
        /// All valid names.
        known: String,
    },
    /// There is no probe of that name.
    #[error("the result has no probe `{name}`; it has {known}; a number from 1 is valid too")]
    UnknownProbe {
        /// The name.
        name: String,
        /// The names of the probes.
        known: String,
    },
    /// There is no joint of that name.
    #[error("the result has no joint `{name}`; it has {known}; a number from 1 is valid too")]
    UnknownJoint {
        /// The name that was given.
        name: String,
        /// All valid names.
        known: String,
    },
    /// There is nothing to show.
    #[error("the result has {what}; {hint}")]
    Empty {
        /// What is missing.
        what: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// Quantities that cannot be drawn in one plot.
    #[error("{0}")]
    NoCurves(String),
    /// Two surfaces were never in contact.
    #[error("{0}")]
    NoContact(String),
    /// A grid is inconsistent.
    #[error("body `{body}`: {source}")]
    Grid {
        /// Name of the body.
        body: String,
        /// The inconsistency.
        source: GridError,
    },
    /// A grid file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] WriteFileError),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

impl RunError {
    /// True if a file cannot be read or written, false if its content is wrong.
    pub fn is_io(&self) -> bool {
        match self {
            Self::Result(error) => error.is_io(),
            Self::Archive { source, .. } => source.is_io(),
            Self::Missing { .. } | Self::File(_) | Self::Write(WriteError::File(_)) => true,
            _ => false,
        }
    }
}

/// An open result file with its header.
pub struct Run {
    reader: ResultReader,
    header: RunHeader,
    times: Vec<f64>,
    /// Computed at its first use.
    unit_of_time: OnceCell<Prefix>,
    /// Normal forces of all pairs in all frames.
    forces: OnceCell<Vec<Vec<f64>>>,
    /// Computed at its first use.
    stress: OnceCell<StressOverRun>,
}

impl Run {
    /// Opens a result file, complete or still growing.
    ///
    /// # Errors
    ///
    /// [`RunError::Result`].
    pub fn open(path: &Path) -> Result<Self, RunError> {
        let reader = ResultReader::open(path)?;
        let (header, times) = (reader.header()?, reader.times()?);
        let (unit_of_time, forces, stress) = (OnceCell::new(), OnceCell::new(), OnceCell::new());
        Ok(Self { reader, header, times, unit_of_time, forces, stress })
    }

    /// The reader of the open file.
    pub fn reader(&self) -> &ResultReader {
        &self.reader
    }

    /// Scenario, bodies, contact pairs.
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// True for the scheme `rigid`: contact is in points and by impulses.
    ///
    /// The scenario of the result decides; without one, a run whose bodies are all rigid counts as such.
    pub fn is_rigid(&self) -> bool {
        self.header
            .scheme()
            .map_or_else(|| self.header.bodies.iter().all(|body| body.rigid), |s| s == "rigid")
    }

    /// True if forces of joints in frames are means since the frame before, as in schemes whose steps have
    /// impulses.
    pub fn has_mean_joint_forces(&self) -> bool {
        self.is_rigid() || self.header.scheme() == Some("explicit")
    }

    /// Times of the frames \[s\].
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The unit of time of all tables and plots and of the report: that of the run, or the next smaller one
    /// if its impacts are much shorter.
    ///
    /// # Errors
    ///
    /// [`RunError::Result`].
    pub fn unit_of_time(&self) -> Result<Prefix, RunError> {
        if let Some(unit) = self.unit_of_time.get() {
            return Ok(*unit);
        }
        let events = self.reader.contact_events()?;
        let mut durations: Vec<f64> = events.iter().map(|e| e.duration()).filter(|d| *d > 0.0).collect();
        durations.sort_by(f64::total_cmp);
        let end = self.times.last().copied().unwrap_or_default();
        let unit = Prefix::of_times(end, durations.get(durations.len() / 2).copied());
        Ok(*self.unit_of_time.get_or_init(|| unit))
    }

    /// Normal forces of all pairs in all frames, pair by pair \[N\].
    ///
    /// # Errors
    ///
    /// [`RunError::Result`].
    pub fn normal_forces(&self) -> Result<&[Vec<f64>], RunError> {
        if let Some(forces) = self.forces.get() {
            return Ok(forces);
        }
        let forces = self.reader.all_normal_forces(self.header.pairs.len())?;
        Ok(self.forces.get_or_init(|| forces))
    }

    /// The largest stress of each body over the run; no row for bodies whose modes have no stress, or whose
    /// files are missing.
    ///
    /// # Errors
    ///
    /// [`RunError`]: a file that cannot be read, an interruption.
    pub fn largest_stress(&self, progress: &dyn Progress) -> Result<&StressOverRun, RunError> {
        if let Some(found) = self.stress.get() {
            return Ok(found);
        }
        let found = stress_over_run::largest(self, progress)?;
        Ok(self.stress.get_or_init(|| found))
    }

    /// Name of the result: its file without folder and ending.
    pub fn name(&self) -> String {
        self.reader
            .path()
            .file_stem()
            .map_or_else(|| "result".to_owned(), |stem| stem.to_string_lossy().into_owned())
    }

    /// All frames, without the fields at points of unreduced bodies: those of a whole run do not fit into the
    /// memory, and curves need none of them.
    ///
    /// # Errors
    ///
    /// [`RunError::Result`]; [`RunError::Empty`] if there is none.
    pub fn frames(&self) -> Result<Vec<StoredFrame>, RunError> {
        self.check_frames()?;
        let bodies = &self.header.bodies;
        let of_frame = |n: usize| -> Result<StoredFrame, RunError> {
            let mut frame = self.reader.frame(n)?;
            for (state, _) in frame.bodies.iter_mut().zip(bodies).filter(|(_, body)| body.is_unreduced()) {
                state.modal = Vec::new();
                state.modal_rate = Vec::new();
                state.point_stress = Vec::new();
                state.plastic_strain = Vec::new();
                state.point_rotations = Vec::new();
            }
            Ok(frame)
        };
        (0..self.times.len()).map(of_frame).collect()
    }

    /// Fails if the result has no frame.
    ///
    /// # Errors
    ///
    /// [`RunError::Empty`].
    pub fn check_frames(&self) -> Result<(), RunError> {
        if self.times.is_empty() {
            return Err(RunError::Empty {
                what: "no frame yet",
                hint: "let the run reach its first output time",
            });
        }
        Ok(())
    }

    /// Columns of the ledger by their names, with one number per frame.
    ///
    /// # Errors
    ///
    /// [`RunError::Result`].
    pub fn ledger_columns<const N: usize>(&self, names: [&str; N]) -> Result<[Vec<f64>; N], RunError> {
        let rows = self.reader.ledger()?;
        let place = |name: &str| {
            LedgerRow::COLUMNS.iter().position(|c| *c == name).expect("the names are columns of the ledger")
        };
        Ok(names.map(|name| rows.iter().map(|row| row[place(name)]).collect()))
    }

    /// Number of a body.
    ///
    /// # Errors
    ///
    /// [`RunError::UnknownBody`], which lists all names.
    pub fn body_index(&self, name: &str) -> Result<usize, RunError> {
        self.header.bodies.iter().position(|body| body.name == name).ok_or_else(|| RunError::UnknownBody {
            name: name.to_owned(),
            known: listed(self.header.bodies.iter().map(|b: &ResultBody| b.name.as_str())),
        })
    }

    /// Number of a contact pair.
    ///
    /// # Errors
    ///
    /// [`RunError::UnknownPair`], which lists all names.
    pub fn pair_index(&self, name: &str) -> Result<usize, RunError> {
        self.header.pairs.iter().position(|pair| pair.name == name).ok_or_else(|| RunError::UnknownPair {
            name: name.to_owned(),
            known: listed(self.header.pairs.iter().map(|p| p.name.as_str())),
        })
    }

    /// Number of a joint, spring or bushing, by its name or its number from 1.
    ///
    /// # Errors
    ///
    /// [`RunError::UnknownJoint`], which lists all names.
    pub fn joint_index(&self, name: &str) -> Result<usize, RunError> {
        let joints = &self.header.joints;
        let number = || name.parse::<usize>().ok().filter(|n| (1..=joints.len()).contains(n)).map(|n| n - 1);
        let found = joints.iter().position(|joint| joint.name == name).or_else(number);
        found.ok_or_else(|| RunError::UnknownJoint {
            name: name.to_owned(),
            known: listed(joints.iter().map(|joint| joint.name.as_str())),
        })
    }

    /// Number of a probe, by its name or its number from 1.
    ///
    /// # Errors
    ///
    /// [`RunError::UnknownProbe`], which lists all names.
    pub fn probe_index(&self, name: &str) -> Result<usize, RunError> {
        let probes = &self.header.probes;
        let number = || name.parse::<usize>().ok().filter(|n| (1..=probes.len()).contains(n)).map(|n| n - 1);
        let found = probes.iter().position(|probe| probe.name == name).or_else(number);
        found.ok_or_else(|| RunError::UnknownProbe {
            name: name.to_owned(),
            known: listed(probes.iter().map(|probe| probe.name.as_str())),
        })
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
