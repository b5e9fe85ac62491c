//! The trait of a run.

use carom_dynamics::Checkpoint;
use carom_progress::Progress;

use crate::SimulateError;
use crate::outcome::{Described, Phases, RunEnd};
use crate::recorder::Recorder;

/// A scenario that its scheme has set up.
pub(crate) trait Run {
    /// Bodies, pairs and joints for the header of the result; called once.
    fn described(&mut self) -> Described;

    /// Continues from a checkpoint instead of the start.
    ///
    /// # Errors
    ///
    /// [`SimulateError`] if the checkpoint is of another run.
    fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), SimulateError>;

    /// Runs to the end.
    ///
    /// # Errors
    ///
    /// [`SimulateError`]; what was handed to the recorder before stays valid.
    fn run(&mut self, recorder: &mut Recorder, progress: &dyn Progress) -> Result<(), SimulateError>;

    /// The end of the run, however it ended.
    ///
    /// * `is_complete` — true if it reached its end
    /// * `overlaps` — warnings of bodies that lay inside each other
    ///
    /// # Errors
    ///
    /// [`SimulateError`] if the last state cannot be evaluated.
    fn end(&mut self, is_complete: bool, overlaps: Vec<String>) -> Result<RunEnd, SimulateError>;

    /// Names of its phases among the timings of the result.
    fn phases(&self) -> Phases {
        Phases { set_up: None, run: "time loop", cpu: Some("time loop, cpu") }
    }
}
