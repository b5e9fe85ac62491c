//! Checkpoints of a static run: the state at the start of the next load step.

use carom_dynamics::{Checkpoint, CheckpointError, ContactEvent};

use super::simulation::Simulation;

/// Name of the scheme in checkpoints.
const SCHEME: &str = "static";

/// Version of the entries.
const VERSION: u64 = 1;

impl Simulation {
    /// The checkpoint after a load step.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        let [steps, evaluations] = self.counts;
        let mut checkpoint = Checkpoint {
            scheme: SCHEME.to_owned(),
            version: VERSION,
            time: self.time,
            steps,
            ..Checkpoint::default()
        };
        checkpoint.put_integers("counters", &[evaluations, self.fallbacks]);
        checkpoint.put_reals("motion", &self.balanced.motion.concat());
        if let Some(contact) = &self.system.contact {
            checkpoint.put_reals("contact", &contact.memory());
        }
        let events = self.events.iter().flatten().flat_map(ContactEvent::to_array);
        checkpoint.put_reals("events", &events.collect::<Vec<_>>());
        self.ledger.save(&mut checkpoint);
        checkpoint
    }

    /// Continues from a checkpoint of the same problem.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it is of another scheme, version or problem.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        checkpoint.expect(SCHEME, VERSION)?;
        let length = |name: &str, found: usize, expected: usize| CheckpointError::Length {
            name: name.to_owned(),
            found,
            expected,
        };
        let counters = checkpoint.integers("counters")?;
        let &[evaluations, fallbacks] = counters else {
            return Err(length("counters", counters.len(), 2));
        };
        (self.time, self.counts, self.fallbacks) =
            (checkpoint.time, [checkpoint.steps, evaluations], fallbacks);
        let mut balanced = self.system.at_rest();
        let coordinates = balanced.motion.iter_mut().flatten();
        let n = self.system.bodies.iter().map(|body| body.motions.len()).sum();
        coordinates.zip(checkpoint.reals_of("motion", n)?).for_each(|(to, from)| *to = *from);
        if let Some(contact) = &mut self.system.contact {
            let numbers = checkpoint.reals("contact")?;
            contact.restore(numbers).map_err(|expected| length("contact", numbers.len(), expected))?;
        }
        for numbers in checkpoint.reals("events")?.as_chunks().0 {
            let event = ContactEvent::from_array(numbers);
            let pairs = self.events.len();
            let slot = self.events.get_mut(event.pair);
            *slot.ok_or_else(|| length("events", event.pair + 1, pairs))? = Some(event);
        }
        self.ledger.restore(checkpoint)?;
        self.balanced = balanced;
        Ok(())
    }
}
