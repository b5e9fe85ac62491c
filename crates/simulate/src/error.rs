//! Kinds and places of errors, for all operations of this crate.
//!
//! Each operation has its own enum beside its code: [`crate::PrepareError`] of [`crate::prepare()`],
//! [`crate::AssembleError`] of [`crate::system()`], [`crate::RunError`] of [`crate::run()`]. [`At`] adds the
//! key of the scenario, [`Kind`] the exit code of a program.

use carom_multibody::EquilibriumError;
use std::error::Error;
use std::fmt;

use carom_continuum::statics;
use carom_format::{ReadArchiveError, ResultError};
use carom_make::{ImportError, ImportErrorKind};

/// The kind of a failure, which decides the exit code of a program.
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

/// Errors that have a kind.
pub trait Kind: Error + 'static {
    /// The kind of this error.
    fn kind(&self) -> ErrorKind;

    /// False for errors that have nothing to do with the scenario: interruptions, files that cannot be
    /// written.
    fn is_of_scenario(&self) -> bool {
        true
    }
}

/// An error with its place in the scenario. Programs that know the file add the line.
#[derive(Debug)]
pub struct At<E> {
    key: Option<String>,
    error: Box<E>,
}

impl<E: Kind> At<E> {
    /// The key that the error is about, if there is one: joined by dots, elements of lists by their numbers
    /// from 0, as in `body.1.reduce.interface`.
    pub fn key(&self) -> Option<&str> {
        self.key.as_deref()
    }

    /// The error without its place.
    pub fn error(&self) -> &E {
        &self.error
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.error.kind()
    }

    /// The same error at a key; an error that has a key keeps it.
    pub(crate) fn at(self, key: impl Into<String>) -> Self {
        if self.key.is_some() || !self.error.is_of_scenario() {
            return self;
        }
        Self { key: Some(key.into()), ..self }
    }

    /// The same place with the error of the operation that called.
    pub(crate) fn cast<F: From<E>>(self) -> At<F> {
        At { key: self.key, error: Box::new(F::from(*self.error)) }
    }
}

impl<E> From<E> for At<E> {
    fn from(error: E) -> Self {
        Self { key: None, error: Box::new(error) }
    }
}

impl<E: Error> fmt::Display for At<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<E: Error> Error for At<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}

/// Adds a place to errors.
pub(crate) trait AtKey: Kind + Sized {
    /// This error at a key of the scenario.
    fn at(self, key: impl Into<String>) -> At<Self> {
        At::from(self).at(key)
    }
}

impl<E: Kind> AtKey for E {}

impl Kind for ImportError {
    fn kind(&self) -> ErrorKind {
        match ImportError::kind(self) {
            ImportErrorKind::Input => ErrorKind::Input,
            ImportErrorKind::Files => ErrorKind::Files,
            ImportErrorKind::Program => ErrorKind::Other,
            ImportErrorKind::Interrupted => ErrorKind::Interrupted,
        }
    }
}

impl Kind for ReadArchiveError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Io { .. } => ErrorKind::Files,
            _ => ErrorKind::Input,
        }
    }
}

impl Kind for ResultError {
    fn kind(&self) -> ErrorKind {
        if self.is_io() { ErrorKind::Files } else { ErrorKind::Input }
    }
}

impl Kind for carom_multibody::RunError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Interrupted { .. } | Self::Equilibrium(EquilibriumError::Interrupted(_)) => {
                ErrorKind::Interrupted
            }
            Self::Observer(_) => ErrorKind::Files,
            Self::Step { .. } | Self::State { .. } | Self::Joint { .. } | Self::Stalled { .. } => {
                ErrorKind::Convergence
            }
            Self::Equilibrium(error) if !matches!(error, EquilibriumError::Free { .. }) => {
                ErrorKind::Convergence
            }
            _ => ErrorKind::Input,
        }
    }
}

impl<S: std::error::Error + 'static> Kind for carom_dynamics::RunError<S> {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Step(_) => ErrorKind::Convergence,
            Self::Observer(_) => ErrorKind::Files,
            Self::Checkpoint(_) => ErrorKind::Input,
            Self::Interrupted { .. } => ErrorKind::Interrupted,
        }
    }
}

impl Kind for carom_rigid::RunError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Interrupted { .. } => ErrorKind::Interrupted,
            Self::Observer(_) => ErrorKind::Files,
            Self::Step(error) if error.is_contradiction() => ErrorKind::Input,
            Self::Step(_) => ErrorKind::Convergence,
            _ => ErrorKind::Input,
        }
    }
}

impl Kind for statics::SetupError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Interrupted => ErrorKind::Interrupted,
            error if error.is_convergence() => ErrorKind::Convergence,
            _ => ErrorKind::Input,
        }
    }
}

impl Kind for statics::RunError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Interrupted => ErrorKind::Interrupted,
            Self::Observer(_) => ErrorKind::Files,
            Self::Equilibrium(error) if error.is_convergence() => ErrorKind::Convergence,
            _ => ErrorKind::Input,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("wrong")]
    struct Wrong {
        is_of_scenario: bool,
    }

    impl Kind for Wrong {
        fn kind(&self) -> ErrorKind {
            ErrorKind::Input
        }

        fn is_of_scenario(&self) -> bool {
            self.is_of_scenario
        }
    }

    #[test]
    fn an_error_keeps_the_innermost_key() {
        let of_scenario = Wrong { is_of_scenario: true }.at("body.1.make").at("body.1");
        assert_eq!((of_scenario.key(), of_scenario.to_string().as_str()), (Some("body.1.make"), "wrong"));
        assert_eq!(Wrong { is_of_scenario: false }.at("body.1").key(), None);
    }
}
