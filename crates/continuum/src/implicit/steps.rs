//! Steps whose length adapts to Newton's method.

use thiserror::Error;

use super::{Elastodynamics, Method, StepError};

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
#[error("at t = {time:.6e} s: no step down to {least:.3e} s has a solution: {source}; {way_out}")]
pub struct StepsError {
    /// Time at the start of the step \[s\].
    pub time: f64,
    /// The smallest length \[s\].
    pub least: f64,
    /// The last error.
    pub source: StepError,
    /// The advice.
    pub way_out: &'static str,
}

/// The advice for a method that keeps the energy.
const WAY_OUT: &str = "use a finer mesh, or a law for larger strains";

impl StepsError {
    /// The last error of a step, with the advice for a method.
    pub(super) fn new(method: Method, (time, least): (f64, f64), source: StepError) -> Self {
        let way_out = match method {
            Method::EnergyMomentum => WAY_OUT,
            _ => {
                "its steps may have gained energy (`D_num` and `D_con` of the ledger): use the scheme \
                 `energy-momentum`, which gains none, or a shorter `time_step`"
            }
        };
        Self { time, least, source, way_out }
    }

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
            let method = bodies.method;
            left -= self.take(method, [time - left, left], |length| bodies.step(length))?.0;
        }
        Ok(())
    }

    /// Takes one step, shorter where it has no solution; returns its length and its result.
    ///
    /// * `time`, `left` — the present time, and the longest step \[s\]
    /// * `step` — tries a step of a length
    ///
    /// # Errors
    ///
    /// [`StepsError`].
    pub fn take<T>(
        &mut self,
        method: Method,
        [time, left]: [f64; 2],
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
                    return Err(StepsError::new(method, (time, length), source));
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
