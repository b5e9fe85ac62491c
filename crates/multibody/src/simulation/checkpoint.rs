//! Checkpoints of a run: each part writes and reads its own entries.

use carom_dynamics::{Checkpoint, Observer};

use super::Simulation;
use crate::outcome::RunError;
use crate::restart::{SCHEME, Shared, VERSION};

impl Simulation {
    /// Hands a checkpoint over if it is due.
    pub(super) fn save(&self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if observer.wants_checkpoint(self.stepper.counters().steps) {
            observer.checkpoint(&self.checkpoint())?;
        }
        Ok(())
    }

    /// The present point of the run.
    pub fn checkpoint(&self) -> Checkpoint {
        let shared = Shared {
            counters: self.stepper.counters(),
            outputs: self.outputs.count(),
            quaternion_drift: self.stepper.quaternion_drift(),
            off_interface: self.events.off_interface(),
        };
        let mut checkpoint = shared.checkpoint(self.time());
        self.stepper.save(&mut checkpoint);
        self.system.elements().save(&mut checkpoint);
        self.system.joints().save(&mut checkpoint);
        self.events.save(&mut checkpoint);
        self.probes.save(&mut checkpoint);
        self.linearity.save(&mut checkpoint);
        self.centrifugal.save(&mut checkpoint);
        self.ledger.save(&mut checkpoint);
        self.system.contacts().save(&mut checkpoint);
        checkpoint
    }

    /// Continues from a checkpoint of the same scenario: the next steps are those that the saved run took,
    /// bit for bit.
    ///
    /// # Errors
    ///
    /// [`RunError::Checkpoint`] if it belongs to another scheme, version or scenario. The simulation is then
    /// unusable.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        checkpoint.expect(SCHEME, VERSION)?;
        self.stepper.restore_state(checkpoint)?;
        self.restore_elements(checkpoint)?;
        let shared = Shared::of(checkpoint)?;
        self.stepper.restore_integrator(checkpoint, shared.counters, shared.quaternion_drift)?;
        self.outputs.set_count(shared.outputs);
        self.probes.restore(checkpoint)?;
        self.linearity.restore(checkpoint)?;
        self.centrifugal.restore(checkpoint)?;
        self.events.restore(checkpoint, shared.off_interface)?;
        self.ledger.restore(checkpoint)?;
        self.system.contacts_mut().restore(checkpoint)?;
        Ok(())
    }

    /// Angles, gaps and passed stops of the force elements, at the state of the checkpoint.
    fn restore_elements(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        let (time, y) = (self.stepper.time(), self.stepper.state());
        self.system.elements_mut().restore_angles(checkpoint)?;
        self.system.joints_mut().restore(checkpoint)?;
        self.system.remember(time, y).map_err(|source| RunError::State { time, source })?;
        // The next step looks at the velocities that were set last.
        self.system.set_state(y).map_err(|source| RunError::State { time, source })?;
        self.system.elements_mut().note_stops(None);
        self.system.elements_mut().restore_stops(checkpoint)?;
        Ok(())
    }
}
