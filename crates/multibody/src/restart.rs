//! Checkpoints: all that the loop carries from step to step, so that a run goes on bit for bit.

use crate::centrifugal::CentrifugalWatch;
use crate::force_swing::ForceSwing;
use crate::outcome::RunError;
use crate::pair_memory::PairMemory;
use crate::resolution::Resolution;
use crate::simulation::Simulation;
use carom_dynamics::{Checkpoint, CheckpointError, ContactEvent, ContactTracker, Observer};
use carom_integrate::{Controller, Counters, IntegratorState};

/// Name of the scheme in checkpoints.
pub const SCHEME: &str = "floating-frame";

/// Version of the entries.
pub const VERSION: u64 = 10;

/// Name of the entry with the stops that are passed.
const PASSED: &str = "stops_passed";

/// Names of the entries with the patches of the pairs and the swings of their forces.
const PATCHES: &str = "patches";
const SWINGS: &str = "swings";

/// Name of the entry with what was seen of linear theory.
const LINEARITY: &str = "linearity";

/// Name of the entry with the centrifugal deformation that was left out.
const CENTRIFUGAL: &str = "centrifugal";

impl Simulation {
    /// Hands a checkpoint over if its turn has come.
    pub(crate) fn save(&self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if observer.wants_checkpoint(self.integrator.counters().steps) {
            observer.checkpoint(&self.checkpoint())?;
        }
        Ok(())
    }

    /// The present point of the run.
    pub fn checkpoint(&self) -> Checkpoint {
        let IntegratorState { controller, counters, memory } = self.integrator.state();
        let mut checkpoint = Checkpoint {
            scheme: SCHEME.to_owned(),
            version: VERSION,
            time: self.time,
            steps: counters.steps,
            ..Checkpoint::default()
        };
        checkpoint.put_reals("state", &self.y);
        checkpoint.put_reals("controller", &[controller.next_step, controller.last_error]);
        checkpoint.put_integers(
            "counters",
            &[
                counters.steps,
                counters.rejected,
                counters.cut,
                counters.evaluations,
                counters.jacobians,
                counters.factorisations,
                counters.iterations,
                self.outputs,
            ],
        );
        checkpoint.put_reals("integrator", &memory);
        if self.system.elements.count_turns() {
            checkpoint.put_reals("angles", &self.system.angles());
        }
        if self.system.elements.have_stops() {
            let passed = self.system.elements.passed.iter().flatten().map(|&passed| u64::from(passed));
            checkpoint.put_integers(PASSED, &passed.collect::<Vec<_>>());
        }
        checkpoint.put_reals(
            PATCHES,
            &self.resolution.iter().flat_map(|patch| patch.to_array()).collect::<Vec<_>>(),
        );
        checkpoint
            .put_reals(SWINGS, &self.swings.iter().flat_map(|swing| swing.to_array()).collect::<Vec<_>>());
        checkpoint.put_reals(LINEARITY, &self.linearity.to_numbers());
        checkpoint.put_reals(
            CENTRIFUGAL,
            &self.centrifugal.iter().flat_map(|watch| watch.to_array()).collect::<Vec<_>>(),
        );
        checkpoint.put_reals("largest", &[self.quaternion_drift, self.off_interface]);
        let flat = |arrays: Vec<[f64; PairMemory::NUMBERS]>| arrays.concat();
        checkpoint.put_reals("pairs", &flat(self.memory.iter().map(PairMemory::to_array).collect()));
        let events: Vec<f64> = self.events.iter().flat_map(|event| event.to_array()).collect();
        checkpoint.put_reals("events", &events);
        let trackers: Vec<f64> = self.trackers.iter().flat_map(ContactTracker::to_array).collect();
        checkpoint.put_reals("trackers", &trackers);
        self.ledger.save(&mut checkpoint);
        for (i, model) in self.system.contacts.iter().enumerate() {
            checkpoint.put_reals(&format!("contact_{i}"), &model.memory());
        }
        checkpoint
    }

    /// Continues from a checkpoint of the same scenario: the next steps are those that the saved run took,
    /// bit for bit.
    ///
    /// # Errors
    ///
    /// [`RunError::Checkpoint`] if it belongs to another scheme, version or scenario. The simulation is then
    /// unusable.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        checkpoint.expect(SCHEME, VERSION)?;
        let (n, pairs) = (self.y.len(), self.memory.len());
        self.time = checkpoint.time;
        self.y.copy_from_slice(checkpoint.reals_of("state", n)?);
        if self.system.elements.count_turns() {
            self.system.set_angles(checkpoint.reals_of("angles", self.system.elements.all.len())?);
        }
        let time = self.time;
        let remembered = self.system.remember_elements(&self.y);
        remembered.map_err(|source| RunError::State { time, source })?;
        self.note_stops(None);
        // Earlier checkpoints do not have it.
        if checkpoint.entries.contains_key(PASSED) {
            let passed = checkpoint.integers(PASSED)?;
            let known = &mut self.system.elements.passed;
            if passed.len() != 2 * known.len() {
                return Err(length(PASSED, passed.len(), 2 * known.len()));
            }
            let flags = passed.as_chunks::<2>().0.iter();
            known.iter_mut().zip(flags).for_each(|(known, flags)| *known = flags.map(|flag| flag != 0));
        }
        let counters = checkpoint.integers("counters")?;
        let &[steps, rejected, cut, evaluations, jacobians, factorisations, iterations, outputs] = counters
        else {
            return Err(length("counters", counters.len(), 8));
        };
        let controller = checkpoint.reals_of("controller", 2)?;
        let memory = checkpoint.reals("integrator")?;
        let known = self.integrator.restore(&IntegratorState {
            controller: Controller { next_step: controller[0], last_error: controller[1] },
            counters: Counters { steps, rejected, cut, evaluations, jacobians, factorisations, iterations },
            memory: memory.to_vec(),
        });
        if !known {
            return Err(length("integrator", memory.len(), self.integrator.state().memory.len()));
        }
        self.outputs = outputs;
        self.strayed = true;
        // Earlier checkpoints do not have it.
        if checkpoint.entries.contains_key(LINEARITY) {
            let numbers = checkpoint.reals(LINEARITY)?;
            if !self.linearity.read_numbers(numbers) {
                return Err(length(LINEARITY, numbers.len(), self.linearity.to_numbers().len()));
            }
        }
        if checkpoint.entries.contains_key(PATCHES) {
            let numbers = checkpoint.reals_of(PATCHES, pairs * Resolution::NUMBERS)?;
            self.resolution = arrays(numbers).map(Resolution::from_array).collect();
            let numbers = checkpoint.reals_of(SWINGS, pairs * ForceSwing::NUMBERS)?;
            self.swings = arrays(numbers).map(ForceSwing::from_array).collect();
        }
        let numbers = checkpoint.reals_of(CENTRIFUGAL, self.centrifugal.len() * CentrifugalWatch::NUMBERS)?;
        self.centrifugal = arrays(numbers).map(CentrifugalWatch::from_array).collect();
        let largest = checkpoint.reals_of("largest", 2)?;
        (self.quaternion_drift, self.off_interface) = (largest[0], largest[1]);
        self.memory = arrays(checkpoint.reals_of("pairs", pairs * PairMemory::NUMBERS)?)
            .map(PairMemory::from_array)
            .collect();
        self.events = arrays(checkpoint.reals("events")?).map(ContactEvent::from_array).collect();
        self.trackers = arrays(checkpoint.reals_of("trackers", pairs * ContactTracker::NUMBERS)?)
            .map(ContactTracker::from_array)
            .collect();
        self.ledger.restore(checkpoint)?;
        for (i, model) in self.system.contacts.iter_mut().enumerate() {
            let name = format!("contact_{i}");
            let memory = checkpoint.reals(&name)?;
            if !model.restore(memory) {
                return Err(length(&name, memory.len(), model.memory().len()));
            }
        }
        Ok(())
    }
}

/// Consecutive arrays of N numbers.
fn arrays<const N: usize>(values: &[f64]) -> impl Iterator<Item = &[f64; N]> {
    values.as_chunks::<N>().0.iter()
}

fn length(name: &str, found: usize, expected: usize) -> RunError {
    RunError::Checkpoint(CheckpointError::Length { name: name.to_owned(), found, expected })
}
