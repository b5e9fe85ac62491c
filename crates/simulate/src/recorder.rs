//! The one recorder of runs: frames, contacts, forces, checkpoints, notes, counters and timings go to the
//! result by it, whichever scheme runs.

use std::path::Path;

use carom_dynamics::{Checkpoint, ContactEvent, Frame, Observer, ObserverError, ProbeSample};
use carom_format::result::{NoteLevel, RunHeader, RunState, StaticForce};
use carom_format::scenario::model::Scenario;
use carom_format::{ResultError, ResultWriter};

use crate::error::{ErrorKind, Kind};
use crate::outcome::RunEnd;
use crate::overlap::OverlapWatch;
use crate::prepared::Prepared;
use crate::resume::{self, ResumeError, RunOptions};
use crate::run::error::RunError;

/// Keeps a run in its result, and watches its bodies for overlaps.
pub(crate) struct Recorder {
    writer: ResultWriter,
    watch: OverlapWatch,
}

impl Recorder {
    /// Begins a result, or opens one to be continued, with the checkpoint to continue from.
    ///
    /// # Errors
    ///
    /// Those of [`resume::begin`].
    pub(crate) fn open(
        path: &Path,
        header: &RunHeader,
        scenario: &Scenario,
        prepared: &Prepared,
        options: RunOptions,
    ) -> Result<(Self, Option<Checkpoint>), ResumeError> {
        let (writer, checkpoint) = resume::begin(path, header, scenario, options)?;
        Ok((Self { writer, watch: OverlapWatch::new(scenario, prepared, &header.bodies) }, checkpoint))
    }

    /// Number of the frame written last.
    pub(crate) fn last_frame(&self) -> usize {
        (self.writer.n_frames() as usize).saturating_sub(1)
    }

    /// Keeps the forces in equilibrium of a frame.
    pub(crate) fn static_forces(&mut self, forces: &[StaticForce]) -> Result<(), ObserverError> {
        self.writer.static_forces(forces).map_err(|error| ObserverError(Box::new(error)))
    }

    /// Warnings of bodies that lay inside each other in a frame.
    pub(crate) fn overlaps(&self) -> Vec<String> {
        self.watch.warnings()
    }

    /// Closes the result of a run, whether or not it reached its end.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if the file cannot be written.
    pub(crate) fn finish(
        mut self,
        ended: &Result<(), RunError>,
        end: &RunEnd,
        timings: &[(&str, f64)],
    ) -> Result<(), ResultError> {
        let time = end.summary.time;
        for note in &end.notes {
            self.writer.note(0.0, NoteLevel::Note, note)?;
        }
        for remark in &end.remarks {
            self.writer.note(time, NoteLevel::Note, remark)?;
        }
        for warning in &end.warnings {
            self.writer.note(time, NoteLevel::Warning, warning)?;
        }
        for (pair, estimate) in end.estimates.iter().enumerate() {
            if let Some(estimate) = estimate {
                self.writer.error_estimate(pair, estimate)?;
            }
        }
        self.writer.modes(&end.modes)?;
        self.writer.responses(&end.responses)?;
        let state = match ended {
            Ok(()) => RunState::Done,
            Err(error) if error.kind() == ErrorKind::Interrupted => RunState::Interrupted,
            Err(error) => {
                self.writer.note(time, NoteLevel::Error, &error.to_string())?;
                RunState::Failed
            }
        };
        self.writer.finish(state, &end.summary.ledger, timings, &end.counters)
    }
}

impl Observer for Recorder {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        self.watch.look(frame).map_err(|error| ObserverError(Box::new(error)))?;
        self.writer.frame(frame)
    }

    fn contact_event(&mut self, event: &ContactEvent) -> Result<(), ObserverError> {
        self.writer.contact_event(event)
    }

    fn probe(&mut self, sample: &ProbeSample<'_>) -> Result<(), ObserverError> {
        self.writer.probe(sample)
    }

    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        self.writer.wants_checkpoint(steps)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        self.writer.checkpoint(checkpoint)
    }
}
