//! Pairs and events in checkpoints.

use carom_dynamics::{Checkpoint, CheckpointError, ContactEvent, ContactTracker};

use super::{ContactEvents, PairRecord};
use crate::expected_error::ModalResponse;
use crate::force_swing::ForceSwing;
use crate::pair_memory::PairMemory;
use crate::resolution::Resolution;
use crate::restart::arrays;

/// Names of the entries.
const PAIRS: &str = "pairs";
const EVENTS: &str = "events";
const TRACKERS: &str = "trackers";
const PATCHES: &str = "patches";
const SWINGS: &str = "swings";
const RESPONSES: &str = "modal_responses";
const APART: &str = "pairs_apart";

impl ContactEvents {
    /// Adds all pairs and events to a checkpoint.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        let mut put = |name: &str, numbers: Vec<f64>| checkpoint.put_reals(name, &numbers);
        put(APART, vec![self.apart]);
        put(PATCHES, self.pairs.iter().flat_map(|pair| pair.resolution.to_array()).collect());
        put(SWINGS, self.pairs.iter().flat_map(|pair| pair.swing.to_array()).collect());
        put(RESPONSES, self.pairs.iter().flat_map(|pair| pair.response.to_array()).collect());
        put(PAIRS, self.pairs.iter().flat_map(|pair| pair.memory.to_array()).collect());
        put(EVENTS, self.over.iter().flat_map(|event| event.to_array()).collect());
        put(TRACKERS, self.pairs.iter().flat_map(|pair| pair.tracker.to_array()).collect());
    }

    /// Takes all pairs and events of a checkpoint.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if they are those of other pairs.
    pub(crate) fn restore(
        &mut self,
        checkpoint: &Checkpoint,
        off_interface: f64,
    ) -> Result<(), CheckpointError> {
        let n = self.pairs.len();
        // Checkpoints of earlier releases have neither patches nor swings, nor responses of modes.
        if checkpoint.entries.contains_key(PATCHES) {
            let patches = arrays(checkpoint.reals_of(PATCHES, n * Resolution::NUMBERS)?);
            let swings = arrays(checkpoint.reals_of(SWINGS, n * ForceSwing::NUMBERS)?);
            for ((pair, patch), swing) in self.pairs.iter_mut().zip(patches).zip(swings) {
                pair.resolution = Resolution::from_array(patch);
                pair.swing = ForceSwing::from_array(swing);
            }
        }
        if checkpoint.entries.contains_key(RESPONSES) {
            let responses = arrays(checkpoint.reals_of(RESPONSES, n * ModalResponse::NUMBERS)?);
            for (pair, response) in self.pairs.iter_mut().zip(responses) {
                pair.response = ModalResponse::from_array(*response);
            }
        }
        self.off_interface = off_interface;
        let memories = arrays(checkpoint.reals_of(PAIRS, n * PairMemory::NUMBERS)?);
        self.over = arrays(checkpoint.reals(EVENTS)?).map(ContactEvent::from_array).collect();
        let trackers = arrays(checkpoint.reals_of(TRACKERS, n * ContactTracker::NUMBERS)?);
        for ((pair, memory), tracker) in self.pairs.iter_mut().zip(memories).zip(trackers) {
            let PairRecord { memory: known, tracker: known_tracker, .. } = pair;
            (*known, *known_tracker) = (PairMemory::from_array(memory), ContactTracker::from_array(tracker));
        }
        self.active.clear();
        let active = |(_, record): &(usize, &PairRecord)| record.is_active();
        self.active.extend(self.pairs.iter().enumerate().filter(active).map(|(pair, _)| pair));
        // Earlier releases looked at all pairs.
        self.apart = if checkpoint.entries.contains_key(APART) {
            checkpoint.reals_of(APART, 1)?[0]
        } else {
            f64::INFINITY
        };
        Ok(())
    }
}
