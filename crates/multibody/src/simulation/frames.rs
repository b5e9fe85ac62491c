//! Frames in the time loop, and samples within a step.

use carom_dynamics::Observer;
use carom_integrate::Attempt;

use super::Simulation;
use crate::outcome::RunError;
use crate::outputs::Due;
use crate::stepper::at;

impl Simulation {
    /// Hands over the frames and samples whose times lie within the step, which change no bit of the run.
    pub(super) fn hand_over_outputs(
        &mut self,
        attempt: &Attempt,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        if self.next_frame(self.time(), attempt).is_none() && self.probes.due(attempt.end).is_none() {
            return Ok(());
        }
        let kept = self.stepper.put_aside(&mut self.system);
        let done = self.hand_over_inside(attempt, observer);
        let returned = self.stepper.take_back(&mut self.system, attempt, kept);
        done.and(returned)
    }

    /// The next frame after a time, if it lies within the step.
    fn next_frame(&self, after: f64, attempt: &Attempt) -> Option<Due> {
        let every = self.settings.output_every?;
        let in_contact = self.events.next_frame(after, self.settings.contact_frames, every);
        let due = self.outputs.next(every, in_contact);
        // The last frame is that of the end of the run.
        (due.time <= attempt.end && due.time < self.settings.end_time - 1e-6 * every).then_some(due)
    }

    fn hand_over_inside(&mut self, attempt: &Attempt, observer: &mut dyn Observer) -> Result<(), RunError> {
        self.stepper.prepare_dense(&mut self.system)?;
        let mut after = self.time();
        while let Some(due) = self.next_frame(after, attempt) {
            self.hand_over_within(due, attempt, observer)?;
            after = due.time;
        }
        self.hand_over_samples(attempt, observer)
    }

    /// Hands over a frame at a time within the attempt.
    fn hand_over_within(
        &mut self,
        due: Due,
        attempt: &Attempt,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let Self { system, stepper, outputs, ledger, linearity, .. } = self;
        let wrap = |source| at(attempt, source);
        stepper.evaluate_output(system, due.time).map_err(wrap)?;
        let y = stepper.state_within();
        let row = ledger.row(system.balance(due.time, y));
        linearity.observe_frame(outputs.take_bodies(system, y), due.time);
        system.evaluate_reactions(due.time, y).map_err(wrap)?;
        outputs.take_joints(system, due.time, y);
        outputs.hand_over(due, stepper.counters().steps, &row, observer)
    }

    /// Hands over the frame of the start, unless the run continues from a checkpoint.
    pub(super) fn hand_over_start(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if self.outputs.count() > 0 { Ok(()) } else { self.hand_over_state(observer) }
    }

    /// Hands over a frame at the accepted state.
    pub(super) fn hand_over_state(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Self { system, stepper, outputs, ledger, linearity, .. } = self;
        stepper.look_at_state(system, |stepper, system| {
            let time = stepper.time();
            let row = ledger.row(system.balance(time, stepper.state()));
            linearity.observe_frame(outputs.take_bodies(system, stepper.state()), time);
            stepper.evaluate_reactions(system)?;
            outputs.take_joints(system, time, stepper.state());
            outputs.hand_over(Due::regular(time), stepper.counters().steps, &row, observer)
        })
    }
}
