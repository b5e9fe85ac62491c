//! Why there is no result.

use std::path::PathBuf;

use carom_continuum::statics;
use carom_fem::{DiscretisationError, ImpossibleBody, MaterialError, SetError, SurfaceError};
use carom_files::WriteFileError;
use carom_format::{ReadArchiveError, ResultError};
use carom_make::{ImportError, ImportErrorKind, MakeError, RefineError, ZoneError};
use carom_multibody::{BodyError, ContactSetupError, RunError, SystemError};
use carom_reduce::ReduceError;
use thiserror::Error;

use crate::{RepeatedContact, SchemeError};

/// What kind of failure it is: decides the exit code of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Something the user gave is wrong.
    Input,
    /// A file cannot be read or written.
    Files,
    /// A computation did not converge.
    Convergence,
    /// The user stopped it.
    Interrupted,
    /// A program that is needed failed or is missing.
    Other,
}

/// Why there is no result.
#[derive(Debug, Error)]
pub enum SimulateError {
    /// Something at a place of the scenario: programs that know the file say the line.
    #[error("{source}")]
    At {
        /// Keys joined by dots, elements of lists by their numbers from 0: `body.1.reduce.interface`.
        key: String,
        /// What is wrong.
        source: Box<SimulateError>,
    },
    /// A contact of two bodies that do not give way.
    #[error(
        "contact between {pair}: both bodies are rigid, and nothing says how they give way; reduce one of \
         them (`reduce = {{ interface = [\"SET\"] }}` instead of `rigid = true`), or give the contact a \
         stiffness in Pa/m, `law = {{ kind = \"penalty\", stiffness = ... }}`"
    )]
    BothRigid {
        /// The surfaces.
        pair: String,
    },
    /// A surface has a face that cannot be evaluated.
    #[error("the surface `{set}`: {source}")]
    Face {
        /// Name of its set.
        set: String,
        /// What is wrong.
        source: SurfaceError,
    },
    /// A result of another scenario is to be continued.
    #[error("`{path}` cannot be resumed: {why}; `--force` runs the scenario from its start")]
    Resume {
        /// The result.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The scenario has something that its scheme does not take.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A spectral radius that is none.
    #[error(transparent)]
    SpectralRadius(#[from] carom_integrate::SpectralRadiusError),
    /// A shape that cannot stand at its end of a pair.
    #[error(
        "`{end}` has no {has} to touch with: in `between` the first body touches with points or balls, the \
         second with a surface; name it {place}"
    )]
    ShapeRole {
        /// The end.
        end: String,
        /// What it lacks.
        has: &'static str,
        /// Where it could stand.
        place: &'static str,
    },
    /// Two contacts of the same surfaces.
    #[error(transparent)]
    Repeated(#[from] RepeatedContact),
    /// An end of a pair that is neither a shape nor a set.
    #[error("body `{body}` has no shape and no set `{part}`; its shapes: {shapes}; its sets: {sets}")]
    NoPart {
        /// Name of the body.
        body: String,
        /// What was asked for.
        part: String,
        /// Its shapes.
        shapes: String,
        /// Its sets.
        sets: String,
    },
    /// Mass and inertia of no rigid body.
    #[error(transparent)]
    RigidBody(#[from] carom_rigid::BodyError),
    /// Rigid bodies and pairs that do not fit together.
    #[error(transparent)]
    RigidSystem(#[from] carom_rigid::SystemError),
    /// A run of rigid bodies ended early; what was computed is in the result.
    #[error(transparent)]
    RigidRun(#[from] carom_rigid::RunError),
    /// A body cannot be made.
    #[error("body `{body}`: {source}")]
    Make {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: MakeError,
    },
    /// A value of `make` that makes no sense.
    #[error("body `{body}`: `{key}` = `{value}` is not possible; it must be {valid}")]
    Value {
        /// Name of the body.
        body: String,
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// What is possible.
        valid: &'static str,
    },
    /// A file in units gives no material, and the scenario none.
    #[error(
        "body `{body}`: `{path}` gives no material to all of its cells, and the scenario names none: add \
         `material = \"steel\"` to the body"
    )]
    NoMaterial {
        /// Name of the body.
        body: String,
        /// The file.
        path: PathBuf,
    },
    /// A source file cannot be read.
    #[error(
        "body `{body}`: cannot read `{path}`: {source}; check the path, which is relative to the folder of \
         the scenario"
    )]
    SourceFile {
        /// Name of the body.
        body: String,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A file gives no body.
    #[error("body `{body}`: {source}")]
    Import {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: ImportError,
    },
    /// A body cannot be refined.
    #[error("body `{body}`: {source}")]
    Refine {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: RefineError,
    },
    /// A zone cannot be added.
    #[error("body `{body}`: {source}")]
    Zone {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: ZoneError,
    },
    /// The material is unknown or impossible.
    #[error("body `{body}`: {source}")]
    Material {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: MaterialError,
    },
    /// A flexible body without a model.
    #[error(
        "body `{body}` is neither rigid nor reduced: give it `reduce = {{ interface = [\"SET\"] }}` with the \
         set that may touch (its sets are {known}), or `rigid = true`"
    )]
    NoInterface {
        /// Name of the body.
        body: String,
        /// Its sets.
        known: String,
    },
    /// Bodies lie inside each other at the start.
    #[error(
        "contact {pair}: the bodies lie up to {depth:.3e} m inside each other at the start, too deep to \
         touch; move one of them (`position`) so that they are apart"
    )]
    Overlap {
        /// The two ends.
        pair: String,
        /// How deep \[m\].
        depth: f64,
    },
    /// A rigid body from a reduced model.
    #[error("body `{body}` is rigid: give it a shape, a file or a body, not a reduced model")]
    RigidRom {
        /// Name of the body.
        body: String,
    },
    /// A grounded body with a velocity.
    #[error(
        "body `{body}`: its model holds {sets} to the ground, so that it cannot start with a velocity: \
         remove `velocity` and `angular_velocity`, or reduce the body without holding sets (`reduce.fix`, \
         --fix)"
    )]
    GroundedMoves {
        /// Name of the body.
        body: String,
        /// The sets, quoted.
        sets: String,
    },
    /// Reduction failed.
    #[error("{source}")]
    Reduce {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: Box<ReduceError>,
    },
    /// The static modes of the loads on a body cannot be found.
    #[error(
        "body `{body}`: the static modes of its joints and loads cannot be found: {source}; reduce it again"
    )]
    StaticModes {
        /// Name of the body.
        body: String,
        /// Why.
        source: carom_linalg::DenseEigenError,
    },
    /// A body is no discretisation.
    #[error("body `{body}`: {source}")]
    Discretisation {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: DiscretisationError,
    },
    /// A body whose mass or volume is no number.
    #[error("body `{body}`: {source}")]
    Impossible {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: ImpossibleBody,
    },
    /// A set cannot be used.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A contact with a part of a reduced body that is no interface.
    #[error(
        "contact between {pair}: `{set}` is no interface of the reduced body `{body}`, and only interfaces \
         can touch; add it to its `reduce.interface`, or name one of its interfaces: {known}"
    )]
    NotAnInterface {
        /// The surfaces.
        pair: String,
        /// Name of the body.
        body: String,
        /// The set.
        set: String,
        /// Its interfaces.
        known: String,
    },
    /// Contact with a body that has no shape.
    #[error(
        "contact between {pair}: the model of `{body}` has no surfaces, so that nothing can touch it: it was \
         imported from a SID_FEM file or from matrices, or its interface is single nodes; reduce the mesh \
         with an interface of faces (carom-mesh import, carom-reduce craig-bampton --interface SET)"
    )]
    NoSurfaces {
        /// The surfaces.
        pair: String,
        /// Name of the body.
        body: String,
    },
    /// A load acts at a place that the body does not have.
    #[error("body `{body}` has no marker or interface set `{part}` for a load to act at; it has {known}")]
    NoMarker {
        /// Name of the body.
        body: String,
        /// What was asked for.
        part: String,
        /// What there is.
        known: String,
    },
    /// A marker at a point of a reduced body whose motion its model does not know.
    #[error(
        "body `{body}`: the marker `{part}` is a point of a reduced body, and {why}; attach a set there \
         (`reduce.attach`) or make it an interface, and name that set"
    )]
    PointOfReduced {
        /// Name of the body.
        body: String,
        /// Name of the marker.
        part: String,
        /// What is lacking.
        why: String,
    },
    /// Stops without a stiffness where it does not follow from what falls on them.
    #[error(
        "the stops of joint `{joint}` need a `stiffness`: nothing says how fast they are met; m (v/d)² lets \
         a mass m (or an inertia) of speed v go d beyond"
    )]
    StopStiffness {
        /// Name of the joint.
        joint: String,
    },
    /// A joint that does not fit the bodies.
    #[error(transparent)]
    Joint(#[from] carom_multibody::SpecError),
    /// A drive is of no joint.
    #[error(transparent)]
    Drive(#[from] carom_multibody::DriveError),
    /// A function of time cannot be read.
    #[error(transparent)]
    Function(#[from] carom_format::scenario::model::FunctionError),
    /// A body file or model cannot be read.
    #[error(transparent)]
    Read(#[from] ReadArchiveError),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteFileError),
    /// A file or folder cannot be used.
    #[error("cannot use `{path}`: {source}")]
    Io {
        /// Where.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Constants describe no body.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A contact cannot be set up.
    #[error(transparent)]
    Contact(#[from] ContactSetupError),
    /// Bodies and loads do not fit together.
    #[error(transparent)]
    System(#[from] SystemError),
    /// The result cannot be kept.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// The run ended early; what was computed is in the result.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A static problem cannot be set up.
    #[error(transparent)]
    StaticSetup(statics::SetupError),
    /// A static run ended early; what was computed is in the result.
    #[error(transparent)]
    StaticRun(statics::RunError),
    /// A result that was to be continued has reached its end: nothing is left to do.
    #[error("`{path}` is complete; a later end time prolongs it, `--force` begins it again")]
    Complete {
        /// The result.
        path: PathBuf,
    },
    /// The user stopped it.
    #[error("interrupted; finished bodies and models are kept")]
    Interrupted,
}

impl SimulateError {
    /// The same error at a place of the scenario; an error that has a place keeps it.
    pub(crate) fn at(self, key: impl Into<String>) -> Self {
        match self {
            // Where the user stopped it, or what a file is like, has nothing to do with the scenario.
            Self::At { .. } | Self::Interrupted | Self::Write(_) | Self::Io { .. } => self,
            error => Self::At { key: key.into(), source: Box::new(error) },
        }
    }

    /// The place in the scenario that it is about, if there is one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::At { key, .. } => Some(key),
            _ => None,
        }
    }

    /// Its kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::At { source, .. } => source.kind(),
            Self::Import { source, .. } => match source.kind() {
                ImportErrorKind::Input => ErrorKind::Input,
                ImportErrorKind::Files => ErrorKind::Files,
                ImportErrorKind::Program => ErrorKind::Other,
                ImportErrorKind::Interrupted => ErrorKind::Interrupted,
            },
            Self::Read(ReadArchiveError::Io { .. })
            | Self::Write(_)
            | Self::Io { .. }
            | Self::SourceFile { .. } => ErrorKind::Files,
            Self::Result(error) if error.is_io() => ErrorKind::Files,
            Self::RigidRun(carom_rigid::RunError::Interrupted { .. }) => ErrorKind::Interrupted,
            Self::RigidRun(carom_rigid::RunError::Observer(_)) => ErrorKind::Files,
            Self::RigidRun(carom_rigid::RunError::Step(_)) => ErrorKind::Convergence,
            Self::Run(RunError::Interrupted { .. }) | Self::Interrupted => ErrorKind::Interrupted,
            Self::StaticSetup(error) if error.is_convergence() => ErrorKind::Convergence,
            Self::StaticRun(statics::RunError::Observer(_)) => ErrorKind::Files,
            Self::StaticRun(statics::RunError::Equilibrium(error)) if error.is_convergence() => {
                ErrorKind::Convergence
            }
            Self::Reduce { source, .. } if source.is_convergence() => ErrorKind::Convergence,
            Self::Run(RunError::Observer(_)) => ErrorKind::Files,
            Self::Run(
                RunError::Step { .. }
                | RunError::State { .. }
                | RunError::Joint { .. }
                | RunError::Stalled { .. },
            ) => ErrorKind::Convergence,
            _ => ErrorKind::Input,
        }
    }
}

impl From<statics::SetupError> for SimulateError {
    fn from(error: statics::SetupError) -> Self {
        match error {
            statics::SetupError::Interrupted => Self::Interrupted,
            error => Self::StaticSetup(error),
        }
    }
}

impl From<statics::RunError> for SimulateError {
    fn from(error: statics::RunError) -> Self {
        match error {
            statics::RunError::Interrupted => Self::Interrupted,
            error => Self::StaticRun(error),
        }
    }
}
