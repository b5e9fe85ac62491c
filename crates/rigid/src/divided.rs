//! Steps whose contacts have no solution are divided.

use crate::snapshot::Snapshot;
use crate::step_error::Unsolved;
use crate::system::System;

/// Numbers of parts that are tried, one after the other.
const PARTS: [u32; 3] = [2, 4, 8];

impl System {
    /// Repeats a failed step in equal parts; energy and momenta are as exact as in one step. If this fails
    /// too, the system is unchanged.
    ///
    /// A step can fail where bodies overlap deeply, as bodies whose edges have crossed: their contacts then
    /// face each other.
    #[cold]
    pub(crate) fn advance_in_parts(&mut self, why: Unsolved) -> Result<(), Unsolved> {
        let (dt, steps, limited) = (self.dt, self.steps, self.limited);
        let mut before = Snapshot::default();
        self.snapshot_into(&mut before);
        for parts in PARTS {
            self.dt = dt / f64::from(parts);
            let done = (0..parts).try_for_each(|part| {
                self.start_of_step = f64::from(part).mul_add(self.dt, steps as f64 * dt);
                // Each part belongs to the same step and considers all pairs.
                self.steps = steps;
                self.pairs.iter_mut().for_each(|pair| pair.due = 0);
                self.stages.iter_mut().for_each(|stage| stage.touched = false);
                self.advance()
            });
            self.dt = dt;
            self.pairs.iter_mut().for_each(|pair| pair.due = 0);
            if done.is_ok() {
                self.n_divided += 1;
                // All parts count as one step.
                self.limited.steps = self.limited.steps.min(limited.steps + 1);
                return Ok(());
            }
            self.go_back(&before);
        }
        self.stages.iter_mut().for_each(|stage| stage.touched = false);
        Err(why)
    }
}
