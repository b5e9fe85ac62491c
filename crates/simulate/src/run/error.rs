//! Errors from running a scenario.

use carom_continuum::{complementarity, explicit, implicit, statics};
use carom_format::ResultError;
use thiserror::Error;

use crate::error::{ErrorKind, Kind};
use crate::resume::ResumeError;
use crate::scheme::check::SchemeError;
use crate::scheme::error::SetUpError;

/// Errors from running a scenario. Everything computed before stays in the result.
#[derive(Debug, Error)]
pub enum RunError {
    /// The scenario has something that its scheme does not take.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The scenario cannot be set up.
    #[error(transparent)]
    SetUp(#[from] SetUpError),
    /// The result cannot be continued.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// The result cannot be kept.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// A run of reduced and rigid bodies ended early.
    #[error(transparent)]
    Reduced(#[from] carom_multibody::RunError),
    /// A run of the scheme `rigid` ended early.
    #[error(transparent)]
    Rigid(#[from] carom_rigid::RunError),
    /// A run of the scheme `static` ended early.
    #[error(transparent)]
    Static(#[from] statics::RunError),
    /// A run of the scheme `explicit` ended early.
    #[error(transparent)]
    Explicit(#[from] explicit::RunError),
    /// A run of implicit steps of unreduced bodies ended early.
    #[error(transparent)]
    Implicit(#[from] implicit::RunError),
    /// A run of linear bodies with complementarity ended early.
    #[error(transparent)]
    Complementarity(#[from] complementarity::RunError),
}

impl Kind for RunError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Scheme(error) => error.kind(),
            Self::SetUp(error) => error.kind(),
            Self::Resume(error) => error.kind(),
            Self::Result(error) => error.kind(),
            Self::Reduced(error) => error.kind(),
            Self::Rigid(error) => error.kind(),
            Self::Static(error) => error.kind(),
            Self::Explicit(error) => error.kind(),
            Self::Implicit(error) => error.kind(),
            Self::Complementarity(error) => error.kind(),
        }
    }
}
