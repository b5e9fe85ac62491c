//! Checkpoints: all that the loop carries from step to step, so that a run continues bit for bit. Each part
//! of a run writes and reads its own entries; two entries hold numbers of several parts.

use crate::outcome::RunError;
use carom_dynamics::{Checkpoint, CheckpointError};
use carom_integrate::Counters;

/// Name of the scheme in checkpoints.
pub const SCHEME: &str = "floating-frame";

/// Version of the entries.
pub const VERSION: u64 = 10;

/// Counters of the integrator and of the frames.
const COUNTERS: &str = "counters";

/// Largest drift of a quaternion, largest part of a force outside the interface.
const LARGEST: &str = "largest";

/// The numbers that belong to several parts of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shared {
    pub(crate) counters: Counters,
    pub(crate) outputs: u64,
    pub(crate) quaternion_drift: f64,
    pub(crate) off_interface: f64,
}

impl Shared {
    /// A checkpoint at a time with these numbers and no others.
    pub(crate) fn checkpoint(&self, time: f64) -> Checkpoint {
        let Counters { steps, rejected, cut, evaluations, jacobians, factorisations, iterations } =
            self.counters;
        let mut checkpoint =
            Checkpoint { scheme: SCHEME.to_owned(), version: VERSION, time, steps, ..Checkpoint::default() };
        let counters =
            [steps, rejected, cut, evaluations, jacobians, factorisations, iterations, self.outputs];
        checkpoint.put_integers(COUNTERS, &counters);
        checkpoint.put_reals(LARGEST, &[self.quaternion_drift, self.off_interface]);
        checkpoint
    }

    /// The numbers of a checkpoint.
    ///
    /// # Errors
    ///
    /// [`RunError::Checkpoint`] if it has no such numbers.
    pub(crate) fn of(checkpoint: &Checkpoint) -> Result<Self, RunError> {
        let found = checkpoint.integers(COUNTERS)?;
        let &[steps, rejected, cut, evaluations, jacobians, factorisations, iterations, outputs] = found
        else {
            return Err(length(COUNTERS, found.len(), 8));
        };
        let counters = Counters { steps, rejected, cut, evaluations, jacobians, factorisations, iterations };
        let largest = checkpoint.reals_of(LARGEST, 2)?;
        Ok(Self { counters, outputs, quaternion_drift: largest[0], off_interface: largest[1] })
    }
}

/// Consecutive arrays of N numbers.
pub(crate) fn arrays<const N: usize>(values: &[f64]) -> impl Iterator<Item = &[f64; N]> {
    values.as_chunks::<N>().0.iter()
}

/// The error of an entry of another length.
pub(crate) fn length(name: &str, found: usize, expected: usize) -> RunError {
    RunError::Checkpoint(CheckpointError::Length { name: name.to_owned(), found, expected })
}
