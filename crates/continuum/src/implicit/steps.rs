//! Steps whose length adapts to Newton's method.

use thiserror::Error;

use super::{Elastodynamics, StepError};

/// Halvings of the wanted step before a run gives up.
const HALVINGS: u32 = 12;

/// Steps of one length in a row before the next one is twice as long.
const PATIENCE: u32 = 4;

/// The length of steps: halved where a step has no solution, and doubled again later.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Steps {
    /// The wanted length \[s\].
    wanted: f64,
    /// The present length is the wanted one divided by 2 to this power.
    halvings: u32,
    /// Steps since the last change.
    since: u32,
    /// Steps taken, and steps that had no solution.
    taken: u64,
    failed: u64,
}

/// No step of any length has a solution.
#[derive(Debug, Error)]
#[error(
    "no step down to {least:e} s has a solution: {source}; use a finer mesh, or a law for larger strains"
)]
pub struct StepsError {
    /// The smallest length \[s\].
    pub least: f64,
    /// The last error.
    pub source: StepError,
}

impl StepsError {
    /// True if the caller has stopped the step.
    pub(super) fn is_interrupted(&self) -> bool {
        matches!(self.source, StepError::Interrupted)
    }
}

impl Steps {
    /// Steps of this length where possible \[s\].
    pub fn new(wanted: f64) -> Self {
        Self { wanted, halvings: 0, since: 0, taken: 0, failed: 0 }
    }

    /// Steps taken, and steps that had no solution.
    pub fn counts(&self) -> [u64; 2] {
        [self.taken, self.failed]
    }

    /// Moves bodies on by a time, in as many steps as needed.
    ///
    /// # Errors
    ///
    /// [`StepsError`].
    pub fn advance(&mut self, bodies: &mut Elastodynamics, time: f64) -> Result<(), StepsError> {
        let mut left = time;
        // The remainder is rounding, or a further step.
        while left > 1e-9 * self.wanted {
            left -= self.take(left, |length| bodies.step(length))?.0;
        }
        Ok(())
    }

    /// Takes one step, shorter where it has no solution; returns its length and its result.
    ///
    /// * `left` — the longest step \[s\]
    /// * `step` — tries a step of a length
    ///
    /// # Errors
    ///
    /// [`StepsError`].
    pub fn take<T>(
        &mut self,
        left: f64,
        mut step: impl FnMut(f64) -> Result<T, StepError>,
    ) -> Result<(f64, T), StepsError> {
        loop {
            let length = self.wanted / f64::from(1_u32 << self.halvings);
            let length = if left < 1.000_001 * length { left } else { length };
            match step(length) {
                Ok(taken) => {
                    self.taken += 1;
                    self.since += 1;
                    if self.halvings > 0 && self.since >= PATIENCE {
                        self.halvings -= 1;
                        self.since = 0;
                    }
                    return Ok((length, taken));
                }
                Err(source) if self.halvings == HALVINGS || matches!(source, StepError::Interrupted) => {
                    return Err(StepsError { least: length, source });
                }
                Err(_) => {
                    self.failed += 1;
                    self.halvings += 1;
                    self.since = 0;
                }
            }
        }
    }

    /// Numbers of [`Steps::to_numbers`].
    pub(super) const NUMBERS: usize = 4;

    /// All but the wanted length, for checkpoints.
    pub(super) fn to_numbers(self) -> [u64; Self::NUMBERS] {
        [u64::from(self.halvings), u64::from(self.since), self.taken, self.failed]
    }

    /// The inverse of [`Steps::to_numbers`].
    pub(super) fn read_numbers(&mut self, &[halvings, since, taken, failed]: &[u64; Self::NUMBERS]) {
        self.halvings = (halvings as u32).min(HALVINGS);
        self.since = since as u32;
        (self.taken, self.failed) = (taken, failed);
    }
}
