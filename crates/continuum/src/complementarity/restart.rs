//! Checkpoints: the complete state of a run between steps, so that a resumed run has the same bits.

use carom_dynamics::{Checkpoint, CheckpointError, ContactTracker};
use nalgebra::Vector3;

use super::contact::Pair;
use super::simulation::{Simulation, Totals};
use super::system::Counts;
use crate::explicit::length;

/// Name of the scheme in checkpoints.
const SCHEME: &str = "complementarity";

/// Version of the entries.
const VERSION: u64 = 2;

/// Numbers of the history of a pair without its tracker.
const HISTORY: usize = 27;

impl Simulation {
    /// The present point of the run.
    pub fn checkpoint(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint {
            scheme: SCHEME.to_owned(),
            version: VERSION,
            time: self.time,
            steps: self.n_steps,
            ..Checkpoint::default()
        };
        let Counts { problems, rows, most_touching } = self.system.counts;
        checkpoint.put_integers("counters", &[self.record.outputs, problems, rows, most_touching]);
        let Totals { external, contact, arrival, friction, damped, impulse, ang_impulse, pressed } =
            self.totals;
        let mut totals = vec![external, contact, damped, self.most_energy, arrival, friction, self.most_spin];
        totals.extend([impulse, ang_impulse, pressed].iter().flatten());
        checkpoint.put_reals("totals", &totals);
        checkpoint.put_reals("turns", &self.turns);
        for (number, body) in self.system.bodies.iter().enumerate() {
            checkpoint.put_reals(&format!("u{number}"), &body.state.u);
            checkpoint.put_reals(&format!("v{number}"), &body.state.v);
            checkpoint.put_reals(&format!("pressed{number}"), &body.state.pressed);
        }
        self.system.contacts.save_forces(&mut checkpoint);
        for (number, pair) in self.system.contacts.pairs.iter().enumerate() {
            checkpoint.put_reals(&format!("pair{number}"), &pair.to_numbers());
            let wall: Vec<f64> = pair.wall_forces[1].iter().flatten().copied().collect();
            checkpoint.put_reals(&format!("wall{number}"), &wall);
        }
        self.probes.save(&mut checkpoint);
        self.record.save(&mut checkpoint);
        checkpoint
    }

    /// Continues from a checkpoint of the same problem: the next steps have the same bits as those of the
    /// saved run.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if it is of another scheme, version or problem. The simulation is then unusable.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        checkpoint.expect(SCHEME, VERSION)?;
        let counters = checkpoint.integers("counters")?;
        let &[outputs, problems, rows, most_touching] =
            <&[u64; 4]>::try_from(counters).map_err(|_| length("counters", counters.len(), 4))?;
        (self.time, self.n_steps, self.record.outputs) = (checkpoint.time, checkpoint.steps, outputs);
        self.system.counts = Counts { problems, rows, most_touching };
        let totals = checkpoint.reals_of("totals", 16)?;
        self.totals = Totals {
            external: totals[0],
            contact: totals[1],
            damped: totals[2],
            arrival: totals[4],
            friction: totals[5],
            impulse: Vector3::from_column_slice(&totals[7..10]),
            ang_impulse: Vector3::from_column_slice(&totals[10..13]),
            pressed: Vector3::from_column_slice(&totals[13..]),
        };
        (self.most_energy, self.most_spin) = (totals[3], totals[6]);
        let n = self.turns.len();
        self.turns.copy_from_slice(checkpoint.reals_of("turns", n)?);
        for (number, body) in self.system.bodies.iter_mut().enumerate() {
            let state = &mut body.state;
            for (name, values) in [("u", &mut state.u), ("v", &mut state.v), ("pressed", &mut state.pressed)]
            {
                let n = values.len();
                values.copy_from_slice(checkpoint.reals_of(&format!("{name}{number}"), n)?);
            }
            body.restored();
        }
        for (number, pair) in self.system.contacts.pairs.iter_mut().enumerate() {
            let n = HISTORY + ContactTracker::NUMBERS;
            pair.read_numbers(checkpoint.reals_of(&format!("pair{number}"), n)?);
            let [_, wall] = &mut pair.wall_forces;
            let numbers = checkpoint.reals_of(&format!("wall{number}"), 3 * wall.len())?;
            for (force, numbers) in wall.iter_mut().zip(numbers.as_chunks::<3>().0) {
                *force = Vector3::from(*numbers);
            }
        }
        self.system.contacts.read_forces(checkpoint)?;
        self.load_at(self.time);
        self.probes.restore(checkpoint)?;
        self.record.restore(checkpoint)
    }
}

impl Pair {
    fn to_numbers(&self) -> Vec<f64> {
        let history = &self.history;
        let mut numbers = vec![history.pressed.0, history.least_gap, history.deepest];
        let vectors = [&history.force, &history.normal_force, &history.pressed.1];
        let impulses = history.impulses.iter().chain(&history.impulses_before);
        numbers.extend(vectors.into_iter().chain(impulses).flatten());
        numbers.extend(history.last_place.iter());
        numbers.extend(history.tracker.to_array());
        numbers
    }

    /// * `numbers` — as many as [`Pair::to_numbers`] gives
    fn read_numbers(&mut self, numbers: &[f64]) {
        let vector = |first: usize| Vector3::from_column_slice(&numbers[first..first + 3]);
        let history = &mut self.history;
        (history.least_gap, history.deepest) = (numbers[1], numbers[2]);
        (history.force, history.normal_force) = (vector(3), vector(6));
        history.pressed = (numbers[0], vector(9));
        history.impulses = [vector(12), vector(15)];
        history.impulses_before = [vector(18), vector(21)];
        history.last_place = vector(24);
        let tracker = numbers[HISTORY..].first_chunk().expect("the length was checked");
        history.tracker = ContactTracker::from_array(tracker);
    }
}
