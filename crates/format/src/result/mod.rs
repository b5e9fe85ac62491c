//! Results: SQLite databases that grow while a run may be killed.
//!
//! [`ResultWriter`] observes a run; everything between two checkpoints is one transaction, so that what a
//! killed run leaves ends at a checkpoint and the run continues from there bit for bit. [`ResultReader`]
//! gives it back.

mod blob;
mod joints;
mod lock;
mod origin;
mod read;
mod schema;
mod write;

use std::path::PathBuf;

use carom_dynamics::CheckpointError;
use thiserror::Error;

pub use joints::JointCourse;
pub use lock::ResultLock;
pub use origin::{RunOrigin, keep_origin};
pub use read::{ResultReader, StoredFrame};
pub use write::ResultWriter;

use crate::npz::Version;

/// What the entry `format` of the table `meta` says.
pub const KIND: &str = "carom-result";
/// Version of the schema that is written.
pub const VERSION: Version = Version { major: 1, minor: 3 };

/// A body as the result knows it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResultBody {
    /// Name.
    pub name: String,
    /// True for a rigid body.
    pub rigid: bool,
    /// True for a body held in space.
    pub fixed: bool,
    /// Mass \[kg\].
    pub mass: f64,
    /// Origin of the body frame in source coordinates \[m\].
    pub frame_origin: [f64; 3],
    /// Number of modes, and how many of them are dynamic; of an unreduced body three a point, and none.
    pub modes: [usize; 2],
    /// The reduced-order model file, absolute; empty for a body that is rigid or not reduced.
    pub rom_path: String,
    /// Its checksum.
    pub rom_checksum: String,
    /// The body file that the model was made from, absolute; empty if unknown.
    pub body_path: String,
    /// Its checksum.
    pub body_checksum: String,
}

impl ResultBody {
    /// True for a deformable body that is not reduced: its coordinates are the displacements of its points.
    pub fn is_unreduced(&self) -> bool {
        !self.rigid && self.rom_path.is_empty() && self.modes[0] > 0
    }
}

/// A pair of surfaces as the result knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultPair {
    /// Name, `ball/rod` for instance.
    pub name: String,
    /// `BODY:SET` of the surface that carries the pressure points.
    pub first: String,
    /// `BODY:SET` of the other one.
    pub second: String,
}

/// A joint, spring or bushing as the result knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultJoint {
    /// Name.
    pub name: String,
    /// `revolute`, `spring`, …
    pub kind: String,
    /// `BODY:MARKER` or `ground`, at which torques are taken.
    pub first: String,
    /// The other end, on which forces and torques act as given.
    pub second: String,
}

/// What a result begins with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunHeader {
    /// The scenario with all defaults, as TOML.
    pub scenario: String,
    /// Folder of the scenario file, absolute.
    pub scenario_folder: String,
    /// The bodies, in the order of the system.
    pub bodies: Vec<ResultBody>,
    /// The contact pairs, in the order of the system.
    pub pairs: Vec<ResultPair>,
    /// The joints, and behind them springs and bushings, in the order of the system; none in results before
    /// version 1.2.
    pub joints: Vec<ResultJoint>,
}

/// What brings a force on a body about that is in equilibrium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForceKind {
    /// Its loads together.
    Load,
    /// A contact pair.
    Contact,
    /// A support, or all that hold a rigid body.
    Support,
}

impl ForceKind {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Load, "load"), (Self::Contact, "contact"), (Self::Support, "support")];

    /// The word for it in the file.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).expect("all kinds are listed").1
    }
}

/// A force on a body in static equilibrium: those of a body add up to zero.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticForce {
    /// Number of the frame.
    pub frame: usize,
    /// Number of the body.
    pub body: usize,
    /// What brings it about.
    pub kind: ForceKind,
    /// The support as `BODY:SET`, the contact pair; empty for loads.
    pub name: String,
    /// The force, inertial axes \[N\].
    pub force: [f64; 3],
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It is running, or was killed.
    Running,
    /// It reached its end.
    Done,
    /// The user stopped it.
    Interrupted,
    /// It failed; a note says why.
    Failed,
}

impl RunState {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Running, "running"),
        (Self::Done, "done"),
        (Self::Interrupted, "interrupted"),
        (Self::Failed, "failed"),
    ];

    /// The word for it in the file.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).expect("all states are listed").1
    }
}

/// How loud a note of a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteLevel {
    /// Worth knowing.
    Note,
    /// The result may be worse than it looks.
    Warning,
    /// Why the run failed.
    Error,
}

impl NoteLevel {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Note, "note"), (Self::Warning, "warning"), (Self::Error, "error")];

    /// The word for it in the file.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(level, _)| *level == self).expect("all levels are listed").1
    }
}

/// Something that a run has to say.
#[derive(Debug, Clone, PartialEq)]
pub struct RunNote {
    /// Time in the run \[s\].
    pub time: f64,
    /// How loud it is.
    pub level: NoteLevel,
    /// What.
    pub text: String,
}

/// Why a result cannot be written or read.
#[derive(Debug, Error)]
pub enum ResultError {
    /// There is a result already.
    #[error("`{path}` exists; `--force` replaces it, `--resume` continues it")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process writes to it.
    #[error("`{path}` is in use: another carom{} writes to it; wait for it or stop it, or give this run \
        another -o", of(.owner))]
    InUse {
        /// The file.
        path: PathBuf,
        /// `process` and its number; empty if it has not told yet.
        owner: String,
    },
    /// There is no result.
    #[error("there is no result `{path}`")]
    NotThere {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("cannot write `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// It cannot be begun.
    #[error(transparent)]
    Write(#[from] carom_files::WriteFileError),
    /// SQLite refused: a full disk, missing rights, a damaged file.
    #[error("`{path}`: {}", explain(.source))]
    Database {
        /// The file.
        path: PathBuf,
        /// What it said.
        source: rusqlite::Error,
    },
    /// It is no result of carom.
    #[error("`{path}` is no result of carom ({found})")]
    NotAResult {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: String,
    },
    /// A newer carom wrote it.
    #[error(
        "`{path}` has version {found} of the format `{KIND}`, this program reads up to {}.x; \
         use the release of carom that wrote it ({program}) or a newer one",
        VERSION.major
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The program that wrote it.
        program: String,
    },
    /// The run has no checkpoint.
    #[error("`{path}` cannot be resumed: {why}")]
    NotResumable {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// Its content does not fit together.
    #[error("`{path}`: table `{table}`: {why}; the file is damaged, run the scenario again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// What is wrong.
        why: String,
    },
    /// The scheme does not take the checkpoint.
    #[error("cannot resume: {0}")]
    Checkpoint(#[from] CheckpointError),
}

impl ResultError {
    /// True if the file cannot be read or written, false if its content is wrong.
    pub fn is_io(&self) -> bool {
        match self {
            Self::Io { .. }
            | Self::Write(_)
            | Self::NotThere { .. }
            | Self::Exists { .. }
            | Self::InUse { .. } => true,
            Self::Database { source, .. } => !matches!(
                source.sqlite_error_code(),
                Some(rusqlite::ErrorCode::NotADatabase | rusqlite::ErrorCode::DatabaseCorrupt)
            ),
            _ => false,
        }
    }
}

/// Which process it is, in parentheses.
fn of(owner: &str) -> String {
    if owner.is_empty() { String::new() } else { format!(" ({owner})") }
}

fn explain(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => "the disk is full; what was written before is kept".to_owned(),
        Some(rusqlite::ErrorCode::NotADatabase) => "it is no result file".to_owned(),
        Some(rusqlite::ErrorCode::DatabaseBusy) => "another program is writing to it".to_owned(),
        _ => error.to_string(),
    }
}
