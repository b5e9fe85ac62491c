//! Watches the deformation by centrifugal forces that quasistatic modes leave out: a run reports the largest
//! energy E_c of `centrifugal.rs` next to the largest elastic energy of the body.

use crate::restart::arrays;
use crate::system::System;
use carom_dynamics::{Checkpoint, CheckpointError};

/// Part of the deformation in the energy norm, √(E_c/(E + E_c)), above which the run reports it.
const LIMIT: f64 = 0.01;

/// Name of the entry in checkpoints.
const ENTRY: &str = "centrifugal";

/// The largest energies of a body so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct CentrifugalWatch {
    /// Of the response that is left out \[J\], when \[s\], and the rate then \[rad/s\].
    left_out: [f64; 3],
    /// Elastic energy \[J\].
    elastic: f64,
}

impl CentrifugalWatch {
    /// Numbers in [`CentrifugalWatch::to_array`].
    const NUMBERS: usize = 4;

    /// All numbers in one array, for checkpoints.
    fn to_array(self) -> [f64; Self::NUMBERS] {
        let [energy, time, rate] = self.left_out;
        [energy, time, rate, self.elastic]
    }

    /// The inverse of [`CentrifugalWatch::to_array`].
    fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        let [energy, time, rate, elastic] = *array;
        Self { left_out: [energy, time, rate], elastic }
    }

    /// √(E_c/(E + E_c)).
    fn part(&self) -> f64 {
        let [left_out, ..] = self.left_out;
        if left_out > 0.0 { (left_out / (left_out + self.elastic)).sqrt() } else { 0.0 }
    }
}

/// The watches of all bodies.
#[derive(Debug)]
pub(crate) struct CentrifugalWatches(Vec<CentrifugalWatch>);

impl CentrifugalWatches {
    /// Before the first step.
    pub(crate) fn new(bodies: usize) -> Self {
        Self(vec![CentrifugalWatch::default(); bodies])
    }

    /// Records the end of a step at y, at which velocities and contact were evaluated.
    pub(crate) fn observe(&mut self, system: &System, time: f64, y: &[f64]) {
        let (states, contact_energy) = (system.states(), system.contacts().sums().elastic_energy);
        for (i, (body, watch)) in system.bodies().iter().zip(&mut self.0).enumerate() {
            let Some(compliance) = &body.centrifugal else { continue };
            let (_, omega) = states.mean_motion(i);
            let energy = compliance.energy(&omega);
            if energy > watch.left_out[0] {
                watch.left_out = [energy, time, omega.norm()];
            }
            let q = states.modal_in(i, y);
            let stored = (0..q.len()).map(|k| q[k] * body.frame.stiffness_modal.row_times(k, q)).sum::<f64>();
            watch.elastic = watch.elastic.max(0.5 * stored + contact_energy);
        }
    }

    /// A sentence for each body whose quasistatic modes leave out too much of the centrifugal deformation.
    pub(crate) fn warnings(&self, system: &System) -> impl Iterator<Item = String> {
        let bodies = system.bodies().iter().zip(&self.0);
        bodies.filter(|(_, watch)| watch.part() > LIMIT).map(|(body, watch)| {
            let [_, time, rate] = watch.left_out;
            format!(
                "body `{}`: its quasistatic modes do not respond to centrifugal forces: at t = {time:.4e} s \
                 it turns at {rate:.3e} rad/s, and {:.1} % of its deformation (at most {:.0} %, in the \
                 energy norm) is left out: raise `split`, or make all modes dynamic",
                body.name,
                100.0 * watch.part(),
                100.0 * LIMIT
            )
        })
    }

    /// Adds the largest energies so far to a checkpoint.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        checkpoint.put_reals(ENTRY, &self.0.iter().flat_map(|watch| watch.to_array()).collect::<Vec<_>>());
    }

    /// Restores the largest energies from a checkpoint.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if they are those of other bodies.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let numbers = checkpoint.reals_of(ENTRY, self.0.len() * CentrifugalWatch::NUMBERS)?;
        self.0 = arrays(numbers).map(CentrifugalWatch::from_array).collect();
        Ok(())
    }
}
