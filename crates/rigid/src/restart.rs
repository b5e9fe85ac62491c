//! Checkpoints: the whole state of a run, so that it continues with the same bits.

use carom_dynamics::{Checkpoint, CheckpointError, Observer};
use nalgebra::Vector3;

use crate::action::ActionBooks;
use crate::friction::memory::Memory;
use crate::held::Held;
use crate::joint::impulse::JointImpulse;
use crate::limit::{Limited, Loose};
use crate::simulation::{RunError, Simulation};
use crate::stage::Stage;
use crate::state::State;
use crate::swept::Missed;
use crate::system::{Books, PairReport, System};
use crate::tracking::{restored_events, save_events};

/// Name of the scheme in checkpoints.
pub const SCHEME: &str = "rigid";

/// Version of the entries.
pub const VERSION: u64 = 12;

impl Simulation {
    /// Gives a checkpoint to the observer if it is due.
    pub(crate) fn save(&self, observer: &mut dyn Observer) -> Result<(), RunError> {
        if observer.wants_checkpoint(self.system.steps()) {
            observer.checkpoint(&self.checkpoint())?;
        }
        Ok(())
    }

    /// The checkpoint of the present state.
    pub fn checkpoint(&self) -> Checkpoint {
        let system = &self.system;
        let mut checkpoint = Checkpoint {
            scheme: SCHEME.to_owned(),
            version: VERSION,
            time: system.time(),
            steps: system.steps,
            ..Checkpoint::default()
        };
        let (shown, impulses) = &self.shown;
        let [steps, n_impulses, n_divided, limited] = system.counters();
        checkpoint.put_integers("counters", &[steps, n_impulses, self.outputs, *shown, n_divided, limited]);
        let shown = |pair: usize| impulses.get(pair).copied().unwrap_or_default().as_slice().to_vec();
        checkpoint.put_reals("shown", &flat(system.saved_pairs().into_iter().map(shown).collect()));
        if !self.joint_sums.is_empty() {
            let sums = self.joint_sums.iter().flat_map(|sum| sum.to_array());
            checkpoint.put_reals("joint_sums", &sums.collect::<Vec<_>>());
        }
        system.save(&mut checkpoint);
        if self.missed != [0.0; 2] {
            checkpoint.put_reals("missed_energy", &self.missed);
        }
        save_events(&self.events, &mut checkpoint);
        self.contacts.save(&mut checkpoint);
        self.probes.save(&mut checkpoint);
        self.ledger.save(&mut checkpoint);
        checkpoint
    }

    /// Continues from a checkpoint of the same scenario: the next steps are those of the saved run, with
    /// the same bits.
    ///
    /// # Errors
    ///
    /// [`RunError::Checkpoint`] if it belongs to another scheme, version or scenario. The simulation is then
    /// unusable.
    pub fn resume(&mut self, checkpoint: &Checkpoint) -> Result<(), RunError> {
        checkpoint.expect(SCHEME, VERSION)?;
        let counters = checkpoint.integers("counters")?;
        let &[steps, n_impulses, outputs, shown, n_divided, limited] = counters else {
            return Err(length("counters", counters.len(), 6));
        };
        let system = &mut self.system;
        self.outputs = outputs;
        system.restore(checkpoint, [steps, n_impulses, n_divided, limited])?;
        // The pairs of the checkpoint come first; those of crowds that are near by now follow them.
        let impulses = checkpoint.reals("shown")?;
        if impulses.len() % 3 != 0 || impulses.len() > 3 * system.reports.len() {
            return Err(length("shown", impulses.len(), 3 * system.reports.len()));
        }
        self.shown = (shown, arrays::<3>(impulses).map(|&i| i.into()).collect());
        if !self.joint_sums.is_empty() {
            let n = JointImpulse::NUMBERS * self.joint_sums.len();
            let sums = checkpoint.reals_of("joint_sums", n)?;
            self.joint_sums = arrays(sums).map(JointImpulse::from_array).collect();
        }
        let missed = checkpoint.reals_of("missed_energy", 2).unwrap_or(&[0.0; 2]);
        self.missed = [missed[0], missed[1]];
        self.events = restored_events(checkpoint)?;
        self.contacts.restore(checkpoint, self.system.bodies.len())?;
        self.probes.restore(checkpoint)?;
        self.ledger.restore(checkpoint)?;
        Ok(())
    }
}

impl System {
    /// Steps, impulses, steps in parts, and steps of a reduced restitution.
    pub fn counters(&self) -> [u64; 4] {
        [self.steps, self.n_impulses, self.n_divided, self.limited.steps]
    }

    /// Stores all but [`System::counters`] in a checkpoint.
    pub fn save(&self, checkpoint: &mut Checkpoint) {
        let numbers = self.saved_pairs();
        let pairs = || numbers.iter().map(|&number| &self.pairs[number]);
        let keys: Vec<u64> = pairs().filter(|p| p.key[0] > 0).flat_map(|p| p.key.map(u64::from)).collect();
        if !keys.is_empty() {
            checkpoint.put_integers("crowd_pairs", &keys);
        }
        checkpoint.put_reals("missed", &flat(pairs().map(|p| p.missed.to_array().to_vec()).collect()));
        checkpoint.put_reals("states", &flat(self.states.iter().map(|s| s.to_array().to_vec()).collect()));
        checkpoint.put_reals("gaps", &flat(pairs().map(|pair| pair.gaps.clone()).collect()));
        let held = pairs().flat_map(|pair| pair.held.iter().flat_map(|held| Held::to_array(*held)));
        checkpoint.put_reals("held", &held.collect::<Vec<_>>());
        let directions: Vec<u64> =
            pairs().map(|pair| pair.direction().map_or(0, |d| 1 + u64::from(d))).collect();
        if directions.iter().any(|&direction| direction > 0) {
            checkpoint.put_integers("directions", &directions);
        }
        let reports = numbers.iter().map(|&number| self.reports[number].to_array().to_vec());
        checkpoint.put_reals("reports", &flat(reports.collect()));
        let (places, impulses, pauses) = self.impulses.laws.friction.path.memory.to_lists();
        if !places.is_empty() || !pauses.is_empty() {
            checkpoint.put_integers("friction_contacts", &places);
            checkpoint.put_reals("friction_impulses", &impulses);
            checkpoint.put_integers("friction_pauses", &pauses);
        }
        let books = &self.books;
        let mut sums =
            vec![books.d_imp, books.d_fric, self.energies[0], self.energies[1], self.spring_energy];
        sums.extend(books.external_impulse.iter().chain(books.external_ang_impulse.iter()));
        sums.extend([self.limited.least_factor, self.loose.steps as f64, self.loose.most]);
        checkpoint.put_reals("books", &sums);
        if !self.joints.is_empty() {
            checkpoint.put_reals("joints", &self.impulses.laws.rows.joints.lambda);
            checkpoint.put_reals("joint_work", &[books.joint_work, books.drive_work]);
            let wrenches = self.joint_wrenches.iter().flatten().flatten().copied();
            let repeated = self.impulses.laws.rows.joints.repeated.to_vec();
            checkpoint.put_reals("repeated_rows", &repeated);
            checkpoint.put_reals("joint_forces", &wrenches.collect::<Vec<_>>());
        }
        if !self.stops.is_empty() {
            checkpoint.put_reals("stops", &self.stops.memory().collect::<Vec<_>>());
        }
        if !self.actions.is_empty() {
            let of = &self.actions.books;
            let sums = [of.forces, of.damping, of.numerical, of.potential, of.at_start];
            let numbers = sums.into_iter().chain(self.actions.memory());
            checkpoint.put_reals("actions", &numbers.collect::<Vec<_>>());
        }
        let loads = [books.load_impulse, books.load_ang_impulse];
        if books.load_work != 0.0 || loads != [Vector3::zeros(); 2] {
            let mut sums = vec![books.load_work];
            sums.extend(loads.iter().flatten());
            checkpoint.put_reals("loads", &sums);
        }
    }

    /// Takes what [`System::save`] has stored of the same bodies and pairs.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if something is missing or of another size. The system is then unusable.
    pub fn restore(&mut self, checkpoint: &Checkpoint, counters: [u64; 4]) -> Result<(), CheckpointError> {
        let [steps, n_impulses, n_divided, limited] = counters;
        self.restore_crowd_pairs(checkpoint)?;
        let missed = checkpoint.reals_of("missed", Missed::NUMBERS * self.pairs.len())?;
        for (pair, missed) in self.pairs.iter_mut().zip(arrays(missed)) {
            pair.missed = Missed::from_array(missed);
        }
        (self.steps, self.n_impulses, self.n_divided) = (steps, n_impulses, n_divided);
        let states = checkpoint.reals_of("states", self.states.len() * State::NUMBERS)?;
        self.states = arrays(states).map(State::from_array).collect();
        self.stages = self.states.iter().map(Stage::new).collect();
        let mut gaps = checkpoint.reals_of("gaps", self.pairs.iter().map(|pair| pair.gaps.len()).sum())?;
        for pair in &mut self.pairs {
            let (own, rest) = gaps.split_at(pair.gaps.len());
            pair.gaps.copy_from_slice(own);
            // An early look at a pair does not change the result.
            (gaps, pair.due) = (rest, 0);
        }
        let n_points = self.pairs.iter().map(|pair| pair.held.len()).sum::<usize>();
        let held = checkpoint.reals_of("held", Held::NUMBERS * n_points)?;
        let points = self.pairs.iter_mut().flat_map(|pair| &mut pair.held);
        points.zip(arrays(held)).for_each(|(point, held)| *point = Held::from_array(held));
        let directions = checkpoint.integers("directions").unwrap_or_default();
        for (pair, &direction) in self.pairs.iter_mut().zip(directions) {
            pair.set_direction(direction.checked_sub(1).and_then(|d| u8::try_from(d).ok()));
        }
        let reports = checkpoint.reals_of("reports", self.reports.len() * PairReport::NUMBERS)?;
        self.reports = arrays(reports).map(PairReport::from_array).collect();
        let places = checkpoint.integers("friction_contacts").unwrap_or_default();
        let n = 3 * (places.len() / 4);
        let impulses = if n > 0 { checkpoint.reals_of("friction_impulses", n)? } else { &[] };
        let pauses = checkpoint.integers("friction_pauses").unwrap_or_default();
        self.impulses.laws.friction.path.memory = Memory::from_lists(places, impulses, pauses);
        self.nearby.restart(&self.bodies, (&mut self.pairs, &mut self.reports));
        self.deepest = self.reports.iter().fold(0.0, |most, report| report.depth.max(most));
        let [mut joint_work, mut drive_work] = [0.0; 2];
        if !self.joints.is_empty() {
            let lambda = checkpoint.reals_of("joints", self.joints.n_rows)?;
            self.impulses.laws.rows.joints.lambda.copy_from_slice(lambda);
            let works = checkpoint.reals_of("joint_work", 2)?;
            (joint_work, drive_work) = (works[0], works[1]);
            let forces = checkpoint.reals_of("joint_forces", 6 * self.joints.all.len())?;
            let wrench =
                |numbers: &[f64; 6]| [0, 3].map(|i: usize| Vector3::from_column_slice(&numbers[i..i + 3]));
            self.joint_wrenches = arrays::<6>(forces).map(wrench).collect();
            let rows = checkpoint.reals("repeated_rows")?;
            if !self.impulses.laws.rows.joints.repeated.restore(rows) {
                let (name, found, expected) = ("repeated_rows".to_owned(), rows.len(), self.joints.n_rows);
                return Err(CheckpointError::Length { name, found, expected });
            }
            self.impulses.laws.rows.joints.prepare(&self.joints);
        }
        if !self.stops.is_empty() {
            let numbers = checkpoint.reals_of("stops", self.stops.n_numbers())?;
            self.stops.remember(numbers);
        }
        if !self.actions.is_empty() {
            let n = self.actions.memory().count();
            let (sums, memory) = checkpoint.reals_of("actions", 5 + n)?.split_at(5);
            self.actions.books = ActionBooks {
                forces: sums[0],
                damping: sums[1],
                numerical: sums[2],
                potential: sums[3],
                at_start: sums[4],
            };
            self.actions.remember(memory);
        }
        let books = checkpoint.reals_of("books", 14)?;
        self.energies = [books[2], books[3]];
        self.spring_energy = books[4];
        self.limited = Limited { steps: limited, least_factor: books[11] };
        self.loose = Loose { steps: books[12] as u64, most: books[13] };
        let loads = checkpoint.reals_of("loads", 7).unwrap_or(&[0.0; 7]);
        self.books = Books {
            d_imp: books[0],
            d_fric: books[1],
            joint_work,
            drive_work,
            external_impulse: Vector3::from_column_slice(&books[5..8]),
            external_ang_impulse: Vector3::from_column_slice(&books[8..11]),
            load_work: loads[0],
            load_impulse: Vector3::from_column_slice(&loads[1..4]),
            load_ang_impulse: Vector3::from_column_slice(&loads[4..7]),
        };
        Ok(())
    }
}

impl System {
    /// Numbers of the pairs that a checkpoint has: those that were given one by one, and those of crowds with
    /// more than their place.
    fn saved_pairs(&self) -> Vec<usize> {
        let has_state = |number: &usize| self.pairs[*number].has_state(&self.reports[*number]);
        let of_crowds = self.crowd_pairs().filter(has_state);
        (0..self.nearby.crowds.first_place(&self.pairs)).chain(of_crowds).collect()
    }

    /// Makes the pairs of crowds of a checkpoint, in the order in which it has them.
    fn restore_crowd_pairs(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        self.nearby.crowds.clear(&mut self.pairs, &mut self.reports);
        let keys = checkpoint.integers("crowd_pairs").unwrap_or_default();
        for key in keys.as_chunks::<3>().0 {
            let lists = (&mut self.pairs, &mut self.reports);
            let made = self.nearby.crowds.pair(key.map(|i| i as u32), &self.bodies, lists);
            made.ok_or_else(|| CheckpointError::Length {
                name: "crowd_pairs".to_owned(),
                found: keys.len(),
                expected: 0,
            })?;
        }
        Ok(())
    }
}

fn flat(arrays: Vec<Vec<f64>>) -> Vec<f64> {
    arrays.concat()
}

/// Consecutive arrays of N numbers.
fn arrays<const N: usize>(values: &[f64]) -> impl Iterator<Item = &[f64; N]> {
    values.as_chunks::<N>().0.iter()
}

fn length(name: &str, found: usize, expected: usize) -> RunError {
    RunError::Checkpoint(CheckpointError::Length { name: name.to_owned(), found, expected })
}
