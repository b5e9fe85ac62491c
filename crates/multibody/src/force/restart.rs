//! The memory of the elements in checkpoints.

use carom_dynamics::{Checkpoint, CheckpointError};

use super::{ForceElements, ForceLaw};

/// Names of the entries: angles with their whole turns, and stops that are passed.
const ANGLES: &str = "angles";
const PASSED: &str = "stops_passed";

impl ForceElements {
    /// Adds the memory of the elements to a checkpoint.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        if self.count_turns() {
            let angles: Vec<f64> = self.memory.iter().map(|memory| memory.angle).collect();
            checkpoint.put_reals(ANGLES, &angles);
        }
        if self.have_stops() {
            let passed = self.passed.iter().flatten().map(|&passed| u64::from(passed));
            checkpoint.put_integers(PASSED, &passed.collect::<Vec<_>>());
        }
    }

    /// Restores the angles from a checkpoint, before [`ForceElements::remember`].
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if they are not those of these elements.
    pub(crate) fn restore_angles(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if self.count_turns() {
            let angles = checkpoint.reals_of(ANGLES, self.all.len())?;
            self.memory.iter_mut().zip(angles).for_each(|(memory, angle)| memory.angle = *angle);
        }
        Ok(())
    }

    /// Takes the stops that are passed; checkpoints of earlier releases have none.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if they are not those of these elements.
    pub(crate) fn restore_stops(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if !checkpoint.entries.contains_key(PASSED) {
            return Ok(());
        }
        let (found, expected) = (checkpoint.integers(PASSED)?, 2 * self.passed.len());
        if found.len() != expected {
            return Err(CheckpointError::Length { name: PASSED.to_owned(), found: found.len(), expected });
        }
        let flags = found.as_chunks::<2>().0.iter();
        self.passed.iter_mut().zip(flags).for_each(|(known, flags)| *known = flags.map(|flag| flag != 0));
        Ok(())
    }

    /// True if one of them has stops.
    fn have_stops(&self) -> bool {
        self.all.iter().any(|element| matches!(element.law, ForceLaw::Along { stops: Some(_), .. }))
    }

    /// True if one of them counts turns.
    fn count_turns(&self) -> bool {
        self.all
            .iter()
            .any(|element| matches!(element.law, ForceLaw::Along { coordinate, .. } if coordinate.is_angle()))
    }
}
