//! The friction spring of a node.

use nalgebra::Vector3;

/// The spring of a node: its forces in the last two steps with contact, each with the number of the step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Spring {
    before: (Vector3<f64>, u64),
    last: (Vector3<f64>, u64),
}

impl Spring {
    /// Steps without contact after which a spring is discarded; contact by multipliers may pause for a step.
    pub(super) const MEMORY: u64 = 3;

    /// Numbers in [`Spring::to_array`].
    pub(super) const NUMBERS: usize = 4;

    /// The force at the start of a step \[N\]; steps are counted from 1.
    pub(super) fn at_start(&self, step: u64) -> Vector3<f64> {
        let (force, when) = if self.last.1 == step { self.before } else { self.last };
        if when + Self::MEMORY >= step && when > 0 { force } else { Vector3::zeros() }
    }

    /// Stores the force of a step; replaces an earlier force of the same step.
    pub(super) fn set(&mut self, force: Vector3<f64>, step: u64) {
        if self.last.1 != step {
            self.before = self.last;
        }
        self.last = (force, step);
    }

    pub(super) fn to_array(self) -> [f64; Self::NUMBERS] {
        let ([a, b, c], step) = (self.last.0.into(), self.last.1);
        [a, b, c, step as f64]
    }

    pub(super) fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let last = (Vector3::from_column_slice(&array[..3]), array[3] as u64);
        Self { before: (Vector3::zeros(), 0), last }
    }
}
