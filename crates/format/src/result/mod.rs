//! Results: SQLite databases that grow during a run and stay valid if it is killed.
//!
//! [`ResultWriter`] observes a run. Everything between two checkpoints is one transaction, so that the result
//! of a killed run ends at a checkpoint, from which the run continues bit for bit. [`ResultReader`] reads it.

mod balances;
mod blob;
mod grids;
mod joints;
mod lock;
mod modes;
mod origin;
mod probes;
mod read;
mod responses;
mod schema;
mod write;

use std::path::PathBuf;

use carom_dynamics::{CheckpointError, ProbeQuantity};
use thiserror::Error;

pub use balances::StoredBalance;
pub use joints::JointCourse;
pub use lock::ResultLock;
pub use modes::StoredMode;
pub use origin::{RunOrigin, keep_origin};
pub use probes::ProbeCourse;
pub use read::{ResultReader, StoredFrame};
pub use responses::StoredResponse;
pub use write::ResultWriter;

use crate::npz::Version;

/// The entry `format` of the table `meta`.
pub const KIND: &str = "carom-result";
/// Version of the schema that is written.
pub const VERSION: Version = Version { major: 1, minor: 12 };
/// Version of results whose frames are packed ([`FrameContent`]): readers of versions 1.x would misread them.
/// Its minor number grows with that of [`VERSION`]: 2.0 has the tables of 1.4.
pub const PACKED_VERSION: Version = Version { major: 2, minor: VERSION.minor - 4 };

/// A body of a result.
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
    /// Number of modes, and number of dynamic modes; for an unreduced body three per point, and zero.
    pub modes: [usize; 2],
    /// Absolute path of the reduced-order model; empty for a rigid or unreduced body.
    pub rom_path: String,
    /// Its checksum.
    pub rom_checksum: String,
    /// Absolute path of the body file of the model; empty if unknown.
    pub body_path: String,
    /// Its checksum.
    pub body_checksum: String,
    /// Constitutive law of a body in large deformation, by its name in `carom-fem`; empty for linear
    /// elasticity, and in results before version 1.4.
    pub law: String,
    /// Points and strains of its cells, by their name in `carom-fem`; empty where they are those of the
    /// stiffness, and in results before version 1.5.
    pub elements: String,
}

impl ResultBody {
    /// True for a deformable body that is not reduced: its coordinates are the displacements of its points.
    pub fn is_unreduced(&self) -> bool {
        !self.rigid && self.rom_path.is_empty() && self.modes[0] > 0
    }
}

/// Content of the frames of unreduced bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameContent {
    /// True for single precision: the mean of all points in double precision, and the deviation of each.
    pub single: bool,
    /// True if the velocities of the points are kept.
    pub velocities: bool,
}

impl Default for FrameContent {
    fn default() -> Self {
        Self { single: false, velocities: true }
    }
}

impl FrameContent {
    /// Bytes of an unreduced body in a frame.
    ///
    /// * `n_displacements` — three a point
    pub fn bytes(self, n_displacements: usize) -> u64 {
        let n = n_displacements as u64;
        let field = if self.single { blob::MEAN + 4 * n } else { 8 * n };
        field * if self.velocities { 2 } else { 1 }
    }

    /// Entries of the table `meta`; none of frames that versions 1.x have.
    fn entries(self) -> Vec<(&'static str, &'static str)> {
        if self == Self::default() {
            return Vec::new();
        }
        let precision = if self.single { "single" } else { "double" };
        let fields = if self.velocities { "displacement velocity" } else { "displacement" };
        vec![(Self::PRECISION, precision), (Self::FIELDS, fields)]
    }

    fn of_entries<E>(entry: impl Fn(&str) -> Result<Option<String>, E>) -> Result<Self, E> {
        Ok(Self {
            single: entry(Self::PRECISION)?.as_deref() == Some("single"),
            velocities: entry(Self::FIELDS)?.is_none_or(|fields| fields.contains("velocity")),
        })
    }

    const PRECISION: &str = "frame_precision";
    const FIELDS: &str = "frame_fields";

    /// Version of a result with such frames.
    pub fn version(self) -> Version {
        if self == Self::default() { VERSION } else { PACKED_VERSION }
    }
}

/// A contact pair of a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultPair {
    /// Name, `ball/rod` for instance.
    pub name: String,
    /// `BODY:SET` of the surface that carries the pressure points.
    pub first: String,
    /// `BODY:SET` of the other one.
    pub second: String,
}

/// A joint, spring or bushing of a result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResultJoint {
    /// Name.
    pub name: String,
    /// `revolute`, `spring`, …
    pub kind: String,
    /// `BODY:MARKER` or `ground`, the reference point of torques.
    pub first: String,
    /// The other end, on which forces and torques act as given.
    pub second: String,
}

/// A probe of a result.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ResultProbe {
    /// Name.
    pub name: String,
    /// `BODY:MARKER`, `BODY:X,Y,Z` of a point in source coordinates, the name of a joint or of a contact
    /// pair.
    pub place: String,
    /// Axes of the vectors: `inertial` or `body`.
    pub axes: String,
    /// Time between samples \[s\]; 0 for one at the end of each accepted step.
    pub every: f64,
    /// Its quantities, in the order of its samples.
    pub quantities: Vec<ProbeQuantity>,
}

/// The header of a result.
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
    /// The joints, then springs and bushings, in the order of the system; none in results before version 1.2.
    pub joints: Vec<ResultJoint>,
    /// The probes, in the order of the scenario; none in results before version 1.10.
    pub probes: Vec<ResultProbe>,
    /// Content of the frames of unreduced bodies.
    pub frames: FrameContent,
}

impl RunHeader {
    /// Name of the scheme, from the scenario; none if that has none.
    pub fn scheme(&self) -> Option<&str> {
        let line = self.scenario.lines().find_map(|line| line.strip_prefix("scheme = \""))?;
        line.strip_suffix('"')
    }

    /// Numbers of the unreduced bodies.
    pub fn unreduced(&self) -> impl Iterator<Item = usize> {
        (0..).zip(&self.bodies).filter(|(_, body)| body.is_unreduced()).map(|(number, _)| number)
    }
}

/// The cause of a force on a body in equilibrium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForceKind {
    /// The resultant of its loads.
    Load,
    /// A contact pair.
    Contact,
    /// A support, or all supports of a rigid body.
    Support,
}

impl ForceKind {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Load, "load"), (Self::Contact, "contact"), (Self::Support, "support")];

    /// Its word in the file.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).expect("all kinds are listed").1
    }
}

/// A force on a body in static equilibrium: the forces on a body add up to zero.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticForce {
    /// Number of the frame.
    pub frame: usize,
    /// Number of the body.
    pub body: usize,
    /// Its cause.
    pub kind: ForceKind,
    /// The support as `BODY:SET`, the contact pair; empty for loads.
    pub name: String,
    /// The force, inertial axes \[N\].
    pub force: [f64; 3],
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// It is running, or was killed.
    Running,
    /// It reached its end.
    Done,
    /// The user stopped the operation.
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

    /// Its word in the file.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).expect("all states are listed").1
    }
}

/// The level of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteLevel {
    /// Information.
    Note,
    /// The result may be inaccurate.
    Warning,
    /// The reason of a failure.
    Error,
}

impl NoteLevel {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Note, "note"), (Self::Warning, "warning"), (Self::Error, "error")];

    /// Its word in the file.
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(level, _)| *level == self).expect("all levels are listed").1
    }
}

/// A note of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunNote {
    /// Time in the run \[s\].
    pub time: f64,
    /// Its level.
    pub level: NoteLevel,
    /// The text.
    pub text: String,
}

/// Errors of writing or reading a result.
#[derive(Debug, Error)]
pub enum ResultError {
    /// The result exists.
    #[error("`{path}` exists; `--force` replaces it, `--resume` continues it")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Another process writes to it.
    #[error("`{path}` is in use: another carom{} writes to it; wait until it ends or stop it, or give this \
             run \
        another -o", of(.owner))]
    InUse {
        /// The file.
        path: PathBuf,
        /// `process` and its number; empty if it is not known.
        owner: String,
    },
    /// There is no result.
    #[error("there is no result `{path}`")]
    NotThere {
        /// The file.
        path: PathBuf,
    },
    /// An error of the operating system.
    #[error("cannot write `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Its message.
        source: std::io::Error,
    },
    /// The file cannot be created.
    #[error(transparent)]
    Write(#[from] carom_files::WriteFileError),
    /// An error of SQLite: a full disk, missing permissions, a damaged file.
    #[error("`{path}`: {}", explain(.source))]
    Database {
        /// The file.
        path: PathBuf,
        /// Its message.
        source: rusqlite::Error,
    },
    /// The file is not a result of carom.
    #[error("`{path}` is not a result of carom ({found})")]
    NotAResult {
        /// The file.
        path: PathBuf,
        /// The kind of the file.
        found: String,
    },
    /// A newer carom wrote it.
    #[error(
        "`{path}` has version {found} of the format `{KIND}`; this program reads versions up to {}.x; \
         use the release of carom that wrote it ({program}) or a newer one",
        PACKED_VERSION.major
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
    /// The content is inconsistent.
    #[error("`{path}`: table `{table}`: {why}; the file is damaged, run the scenario again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The table.
        table: &'static str,
        /// The error.
        why: String,
    },
    /// The scheme cannot use the checkpoint.
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

/// The process, in parentheses.
fn of(owner: &str) -> String {
    if owner.is_empty() { String::new() } else { format!(" ({owner})") }
}

fn explain(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::DiskFull) => "the disk is full; what was written before is kept".to_owned(),
        Some(rusqlite::ErrorCode::NotADatabase) => "it is not a result file".to_owned(),
        Some(rusqlite::ErrorCode::DatabaseBusy) => "another program is writing to it".to_owned(),
        _ => error.to_string(),
    }
}
