//! Frames of a run: when they are due, and their buffers.

use carom_dynamics::{BodyState, JointState, LedgerRow, Observer};

use crate::outcome::RunError;
use crate::snapshot::Snapshot;
use crate::system::System;

/// Number of frames so far, and the buffers of the next one.
#[derive(Debug)]
pub(crate) struct Outputs {
    /// Number of frames at the times of `output_every` so far.
    count: u64,
    snapshot: Snapshot,
}

/// A frame that is due.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Due {
    /// When \[s\].
    pub(crate) time: f64,
    /// True for a frame of `output_every`.
    is_regular: bool,
}

impl Outputs {
    /// Before the first frame.
    pub(crate) fn new(system: &System) -> Self {
        Self { count: 0, snapshot: Snapshot::new(system) }
    }

    /// Number of frames at the times of `output_every` so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Continues after this number of frames.
    pub(crate) fn set_count(&mut self, count: u64) {
        self.count = count;
    }

    /// The next frame: of those every `every`, or of a contact.
    pub(crate) fn next(&self, every: f64, in_contact: f64) -> Due {
        let regular = self.count as f64 * every;
        Due { time: regular.min(in_contact), is_regular: regular <= in_contact }
    }

    /// Stores bodies and contacts at y, at which the system was evaluated.
    pub(crate) fn take_bodies(&mut self, system: &System, y: &[f64]) -> &[BodyState] {
        self.snapshot.take(system, y);
        self.snapshot.bodies()
    }

    /// Stores the forces of joints at y, at which all forces were evaluated.
    pub(crate) fn take_joints(&mut self, system: &System, time: f64, y: &[f64]) {
        self.snapshot.take_joints(system, time, y);
    }

    /// The stored states of the bodies.
    pub(crate) fn bodies(&self) -> &[BodyState] {
        self.snapshot.bodies()
    }

    /// The stored states of the joints.
    pub(crate) fn joints(&self) -> &[JointState] {
        self.snapshot.joints()
    }

    /// Passes the stored frame to the observer.
    pub(crate) fn hand_over(
        &mut self,
        due: Due,
        steps: u64,
        row: &LedgerRow,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        observer.frame(&self.snapshot.frame(due.time, steps, row))?;
        self.count += u64::from(due.is_regular);
        Ok(())
    }
}

impl Due {
    /// A frame of the start or the end of the run.
    pub(crate) fn regular(time: f64) -> Self {
        Self { time, is_regular: true }
    }
}
