//! Samples of probes in the time loop.

use std::collections::BTreeMap;

use carom_dynamics::Observer;
use carom_integrate::Attempt;

use super::Simulation;
use crate::outcome::RunError;
use crate::probe::{Need, PlaceStress, Probe, ProbeError, Probes};
use crate::stepper::{Stepper, at};
use crate::system::System;

impl Simulation {
    /// The same run with probes, which do not change it. Displacements are relative to the present state,
    /// that of the start.
    ///
    /// # Errors
    ///
    /// [`ProbeError`] names the probe that does not fit the system.
    pub fn with_probes(self, probes: Vec<Probe>) -> Result<Self, ProbeError> {
        self.with_probes_of_stress(probes, BTreeMap::new())
    }

    /// The same with probes of the stress.
    ///
    /// * `stresses` — the stress at the places of probes, by the number of the probe
    ///
    /// # Errors
    ///
    /// As [`Simulation::with_probes`]; [`ProbeError::NoStress`] for a probe of a stress without an entry.
    pub fn with_probes_of_stress(
        mut self,
        probes: Vec<Probe>,
        stresses: BTreeMap<usize, PlaceStress>,
    ) -> Result<Self, ProbeError> {
        self.probes = Probes::new(probes, stresses, &self.system, self.stepper.state())?;
        Ok(self)
    }

    /// Hands over the samples whose times lie within the step, whose dense output is prepared.
    pub(super) fn hand_over_samples(
        &mut self,
        attempt: &Attempt,
        observer: &mut dyn Observer,
    ) -> Result<(), RunError> {
        let Self { system, stepper, probes, .. } = self;
        let wrap = |source| at(attempt, source);
        while let Some((time, need)) = probes.due(attempt.end) {
            match need {
                Need::Motion => stepper.set_within(system, time),
                Need::Contact | Need::Forces => stepper.evaluate_output(system, time),
            }
            .map_err(wrap)?;
            let y = stepper.state_within();
            if need == Need::Forces {
                system.evaluate_accelerations(time, y).map_err(wrap)?;
            }
            probes.hand_over_due(time, (system, y), observer)?;
        }
        Ok(())
    }

    /// Hands over the samples of the end of an accepted step.
    pub(super) fn hand_over_samples_of_step(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Some(need) = self.probes.need_of_steps() else { return Ok(()) };
        let Self { system, stepper, probes, .. } = self;
        stepper.look_at_state(system, |stepper, system| {
            evaluate_for(need, stepper, system)?;
            probes.hand_over_step(stepper.time(), (system, stepper.state()), observer)
        })
    }

    /// Hands over the first samples, unless the run continues from a checkpoint.
    pub(super) fn hand_over_first_samples(&mut self, observer: &mut dyn Observer) -> Result<(), RunError> {
        let Some(need) = self.probes.need_of_start() else { return Ok(()) };
        let Self { system, stepper, probes, .. } = self;
        stepper.look_at_state(system, |stepper, system| {
            evaluate_for(need, stepper, system)?;
            probes.hand_over_start(stepper.time(), (system, stepper.state()), observer)
        })
    }
}

/// Evaluates what samples need of the accepted state in addition to contact.
fn evaluate_for(need: Need, stepper: &mut Stepper, system: &mut System) -> Result<(), RunError> {
    if need == Need::Forces { stepper.evaluate_accelerations(system) } else { Ok(()) }
}
