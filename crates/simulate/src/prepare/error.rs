//! Errors from preparing the bodies of a scenario.

use std::path::PathBuf;

use carom_continuum::half_space::{PlaceTextError, PlacedModelError};
use carom_fem::MaterialError;
use carom_files::WriteFileError;
use carom_format::ReadArchiveError;
use carom_make::{ImportError, MakeError, RefineError, ZoneError};
use carom_reduce::ReduceError;
use thiserror::Error;

use crate::error::{ErrorKind, Kind};
use crate::foresee::ForesightError;
use crate::overlap::Overlap;
use crate::plausible::Impossible;
use crate::references::{NoInterface, ReferenceError};
use crate::scheme::check::SchemeError;

/// Errors from preparing the bodies of a scenario.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// The scenario has something that its scheme does not take.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The name of a set, marker or shape leads nowhere.
    #[error(transparent)]
    Reference(#[from] ReferenceError),
    /// Contact that the scenario leaves open.
    #[error(transparent)]
    Foresight(#[from] ForesightError),
    /// Bodies lie inside each other at the start.
    #[error(transparent)]
    Overlap(#[from] Overlap),
    /// A body whose mass or volume is not a positive number.
    #[error(transparent)]
    Impossible(#[from] Impossible),
    /// A rigid body from a reduced model.
    #[error("body `{body}` is rigid: give it a shape, a file or a body, not a reduced model")]
    RigidRom {
        /// Name of the body.
        body: String,
    },
    /// A flexible body without a model.
    #[error(transparent)]
    NoInterface(#[from] NoInterface),
    /// A body cannot be made.
    #[error("body `{body}`: {source}")]
    Make {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: MakeError,
    },
    /// An impossible value of `make`.
    #[error("body `{body}`: `{key}` = `{value}` is not possible; it must be {valid}")]
    Value {
        /// Name of the body.
        body: String,
        /// The key.
        key: &'static str,
        /// Its value.
        value: String,
        /// The possible values.
        valid: &'static str,
    },
    /// Neither an imported file nor the scenario gives a material.
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
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// An imported file gives no body.
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
    /// A body of shells or beams in a scheme that reduces it.
    #[error(
        "body `{body}` is of shells or beams, and the reduction is for solids: use the scheme `explicit`, \
         which takes such bodies as they are, or mesh the body with solid cells"
    )]
    NotSolid {
        /// Name of the body.
        body: String,
    },
    /// The reduction of a body failed.
    #[error("{source}")]
    Reduce {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: Box<ReduceError>,
    },
    /// Loads cannot be laid at places of a body.
    #[error(transparent)]
    Places(Box<PlacedModelError>),
    /// A region for places cannot be read.
    #[error(transparent)]
    PlaceText(#[from] PlaceTextError),
    /// A body file or model cannot be read.
    #[error(transparent)]
    Read(#[from] ReadArchiveError),
    /// A body file or model cannot be written.
    #[error(transparent)]
    Write(#[from] WriteFileError),
    /// The user stopped it.
    #[error("interrupted; finished bodies and models are kept")]
    Interrupted,
}

impl Kind for PrepareError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Import { source, .. } => Kind::kind(source),
            Self::Read(error) => error.kind(),
            Self::Write(_) | Self::SourceFile { .. } => ErrorKind::Files,
            Self::Reference(error) => error.kind(),
            Self::Foresight(error) => error.kind(),
            Self::Reduce { source, .. } if source.is_convergence() => ErrorKind::Convergence,
            Self::Interrupted => ErrorKind::Interrupted,
            _ => ErrorKind::Input,
        }
    }

    fn is_of_scenario(&self) -> bool {
        match self {
            Self::Foresight(error) => error.is_of_scenario(),
            other => !matches!(other, Self::Interrupted | Self::Write(_)),
        }
    }
}
