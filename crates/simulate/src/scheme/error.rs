//! Errors from setting up a scenario.

use carom_continuum::statics;
use thiserror::Error;

use crate::complementarity::ComplementaritySetUpError;
use crate::error::{ErrorKind, Kind};
use crate::explicit::ExplicitSetUpError;
use crate::implicit::ImplicitSetUpError;
use crate::rigid::error::RigidSetUpError;
use crate::system::error::AssembleError;

/// Errors from setting up a scenario, by the kind of run.
#[derive(Debug, Error)]
pub enum SetUpError {
    /// Of reduced and rigid bodies in floating frames.
    #[error(transparent)]
    Reduced(#[from] AssembleError),
    /// Of the scheme `rigid`.
    #[error(transparent)]
    Rigid(#[from] RigidSetUpError),
    /// Of the scheme `static`.
    #[error(transparent)]
    Static(#[from] statics::SetupError),
    /// Of the scheme `explicit`.
    #[error(transparent)]
    Explicit(#[from] ExplicitSetUpError),
    /// Of the schemes `energy-momentum` and `midpoint`.
    #[error(transparent)]
    Implicit(#[from] ImplicitSetUpError),
    /// Of the scheme `complementarity`.
    #[error(transparent)]
    Complementarity(#[from] ComplementaritySetUpError),
}

impl Kind for SetUpError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Reduced(error) => error.kind(),
            Self::Rigid(error) => error.kind(),
            Self::Static(error) => error.kind(),
            Self::Explicit(error) => error.kind(),
            Self::Implicit(error) => error.kind(),
            Self::Complementarity(error) => error.kind(),
        }
    }
}
