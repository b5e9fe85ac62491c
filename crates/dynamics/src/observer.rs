//! To whom a time loop hands what it finds. It knows no file.

use crate::checkpoint::Checkpoint;
use crate::contact_event::ContactEvent;
use crate::ledger::LedgerRow;
use crate::state::{BodyState, ContactState, JointState};

/// One instant of a run, borrowed from the loop.
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
    /// What each joint transmits, and behind the joints each spring and bushing of its own; none of schemes
    /// without joints.
    pub joints: &'a [JointState],
    /// The balance at this time.
    pub ledger: &'a LedgerRow,
}

/// An observer could not take what it was given, for example because the disk is full.
#[derive(Debug, thiserror::Error)]
#[error("the result could not be kept")]
pub struct ObserverError(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Receiver of a run. The loop stops at the first error.
pub trait Observer {
    /// An output time, the start or the end of the run.
    ///
    /// # Errors
    ///
    /// [`ObserverError`] if it cannot be kept.
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError>;

    /// An impact is over (or the run is).
    ///
    /// # Errors
    ///
    /// [`ObserverError`] if it cannot be kept.
    fn contact_event(&mut self, event: &ContactEvent) -> Result<(), ObserverError>;

    /// True if a checkpoint is due after so many accepted steps; asked after each of them.
    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        let _ = steps;
        false
    }

    /// A point from which the run could continue: everything handed over before belongs to it. One comes at
    /// the end of the run, before what is handed over there, and one where the run is stopped.
    ///
    /// # Errors
    ///
    /// [`ObserverError`] if it cannot be kept.
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        let _ = checkpoint;
        Ok(())
    }
}

/// Keeps nothing.
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
