//! The receiver of the states of a time loop, which does not know about files.

use crate::checkpoint::Checkpoint;
use crate::contact_event::ContactEvent;
use crate::ledger::LedgerRow;
use crate::probe::ProbeSample;
use crate::state::{BodyState, ContactState, JointState};

/// The state of a run at one time, borrowed from the loop.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Time \[s\].
    pub time: f64,
    /// Steps accepted so far.
    pub steps: u64,
    /// State of each body, in the order of the system.
    pub bodies: &'a [BodyState],
    /// State of each contact pair, in the order of the system.
    pub contacts: &'a [ContactState],
    /// Force and torque of each joint, then of each separate spring and bushing; empty for schemes without
    /// joints.
    pub joints: &'a [JointState],
    /// The balance at this time.
    pub ledger: &'a LedgerRow,
}

/// An observer could not check or store its input, for example because the disk is full.
#[derive(Debug, thiserror::Error)]
#[error("the result could not be checked and stored")]
pub struct ObserverError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Receiver of the states of a run. The loop stops at the first error.
pub trait Observer {
    /// Receives a frame: at an output time, the start or the end of the run.
    ///
    /// # Errors
    ///
    /// [`ObserverError`] if it cannot be stored.
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError>;

    /// Receives an impact that has ended, or is open at the end of the run.
    ///
    /// # Errors
    ///
    /// [`ObserverError`] if it cannot be stored.
    fn contact_event(&mut self, event: &ContactEvent) -> Result<(), ObserverError>;

    /// Receives the values of a probe at a time; the times of each probe increase.
    ///
    /// # Errors
    ///
    /// [`ObserverError`] if they cannot be stored.
    fn probe(&mut self, sample: &ProbeSample<'_>) -> Result<(), ObserverError> {
        let _ = sample;
        Ok(())
    }

    /// True if a checkpoint is due after this number of accepted steps; called after each of them.
    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        let _ = steps;
        false
    }

    /// Receives a checkpoint, which includes everything received before. There is one at the end of the run,
    /// before the last frame and events, and one where the run is stopped.
    ///
    /// # Errors
    ///
    /// [`ObserverError`] if it cannot be stored.
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        let _ = checkpoint;
        Ok(())
    }
}

/// An observer that ignores everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ignore;

impl Observer for Ignore {
    fn frame(&mut self, _: &Frame<'_>) -> Result<(), ObserverError> {
        Ok(())
    }
    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }
}
