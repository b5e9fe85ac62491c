//! The trait of a run.

use carom_dynamics::Checkpoint;
use carom_progress::Progress;

use crate::outcome::{Described, Phases, RunEnd};
use crate::recorder::Recorder;

pub(crate) mod error;

pub use error::RunError;

/// A scenario that its scheme has set up.
pub(crate) trait Run {
    /// Bodies, pairs and joints for the header of the result; called once.
    fn described(&mut self) -> Described;

    /// Continues from a checkpoint instead of the start.
    ///
    /// # Errors
    ///
    /// [`RunError`] if the checkpoint is of another run.
    fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError>;

    /// Runs to the end.
    ///
    /// # Errors
    ///
    /// [`RunError`]; frames and events that the recorder has received stay valid.
    fn run(&mut self, recorder: &mut Recorder, progress: &dyn Progress) -> Result<(), RunError>;

    /// The end of the run, however it ended.
    ///
    /// * `is_complete` — true if it reached its end
    /// * `overlaps` — warnings of bodies that lay inside each other
    ///
    /// # Errors
    ///
    /// [`RunError`] if the last state cannot be evaluated.
    fn end(&mut self, is_complete: bool, overlaps: Vec<String>) -> Result<RunEnd, RunError>;

    /// Names of its phases among the timings of the result.
    fn phases(&self) -> Phases {
        Phases { set_up: None, run: "time loop", cpu: "time loop, cpu" }
    }

    /// Parts of the time loop, each with its wall time \[s\].
    fn parts(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }
}
