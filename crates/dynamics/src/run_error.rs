//! The error of a time loop.

use thiserror::Error;

use crate::{CheckpointError, ObserverError};

/// Error of a run through time. Results that the observer received before remain valid.
///
/// * `S` — the error of a step of the scheme
#[derive(Debug, Error)]
pub enum RunError<S: std::error::Error + 'static> {
    /// A step failed.
    #[error(transparent)]
    Step(S),
    /// The result could not be written.
    #[error(transparent)]
    Observer(#[from] ObserverError),
    /// The checkpoint does not belong to this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The user stopped the run.
    #[error("interrupted at t = {time:.9e} s of {end_time:.3e} s")]
    Interrupted {
        /// Time \[s\].
        time: f64,
        /// End time of the run \[s\].
        end_time: f64,
    },
}
