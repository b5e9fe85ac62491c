//! Checkpoints: the complete state of a run between steps, so that a resumed run has the same bits.

use carom_dynamics::{Balance, Checkpoint, CheckpointError};
use nalgebra::Vector3;

use super::books::Totals;
use super::contact::{Edges, Meeting, Pair};
use super::deformable::Deformable;
use super::flexible::Bounded;
use super::rigid::{LoadSums, RigidBodies};
use super::simulation::Simulation;

/// Name of the scheme in checkpoints.
const SCHEME: &str = "explicit";

/// Version of the entries.
const VERSION: u64 = 12;

impl Simulation {
    /// The present point of the run: x_n and v_{n−1/2}.
    pub fn checkpoint(&self) -> Checkpoint {
        let system = &self.system;
        let mut checkpoint = Checkpoint {
            scheme: SCHEME.to_owned(),
            version: VERSION,
            time: system.time,
            steps: system.steps,
            ..Checkpoint::default()
        };
        let (size, counts) = (&system.size, &system.contacts.counts);
        checkpoint.put_integers(
            "counters",
            &[
                self.record.outputs,
                size.due,
                size.interval,
                counts.steps,
                counts.multipliers,
                counts.most_multipliers,
                counts.gaps,
                counts.iterations,
                counts.fallbacks,
                counts.sweeps,
                counts.unsettled,
            ],
        );
        let [before, _] = system.lengths;
        let sizes = [before, size.dt, size.critical, size.least_critical];
        let [hourglass, internal] = self.hourglass;
        let (deepest, iterations) = (system.contacts.deepest, system.contacts.iterations);
        let sums = [deepest, self.missed[0], self.missed[1], hourglass, internal, iterations];
        checkpoint.put_reals("step", &[&sizes[..], &sums[..]].concat());
        checkpoint.put_reals("turns", &self.turns);
        for body in system.bodies.flexible.iter().filter_map(Deformable::reduced) {
            checkpoint.put_reals(&format!("reduced{}", body.number), &body.to_numbers());
        }
        for body in system.bodies.flexible.iter().filter_map(Deformable::whole) {
            let number = body.number;
            checkpoint.put_reals(&format!("u{number}"), &body.u);
            checkpoint.put_reals(&format!("v{number}"), &body.v);
            checkpoint.put_reals(&format!("history{number}"), &body.history.accepted().collect::<Vec<_>>());
            if let Some(bounded) = &body.bounded {
                let numbers = [&[bounded.critical], &bounded.u[..]].concat();
                checkpoint.put_reals(&format!("bounded{number}"), &numbers);
            }
            if let Some(turning) = body.turning() {
                checkpoint.put_reals(&format!("turns{number}"), turning.quaternions.as_flattened());
                checkpoint.put_reals(&format!("omega{number}"), &turning.omega);
            }
        }
        let books = &system.books;
        let totals = [books.before, books.first.unwrap_or_default()].map(Totals::to_array);
        checkpoint.put_reals("totals", &[totals.as_flattened(), &books.start.unwrap_or_default()].concat());
        let pairs = &system.contacts.pairs;
        checkpoint.put_reals("pairs", &pairs.iter().flat_map(Pair::to_numbers).collect::<Vec<_>>());
        checkpoint.put_integers("seen", &pairs.iter().flat_map(Pair::seen).collect::<Vec<_>>());
        checkpoint.put_reals("multipliers", &pairs.iter().flat_map(Pair::last_forces).collect::<Vec<_>>());
        for pair in pairs {
            let keys = pair.meetings.keys().flat_map(|ends| ends.map(|body| body as u64));
            checkpoint.put_integers(&format!("met{}", pair.number), &keys.collect::<Vec<_>>());
            let meetings = pair.meetings.values().flat_map(|meeting| meeting.to_array()).collect::<Vec<_>>();
            checkpoint.put_reals(&format!("meetings{}", pair.number), &meetings);
            if let Some(edges) = &pair.edges {
                checkpoint.put_integers(&format!("edges{}", pair.number), &edges.keys());
                checkpoint.put_reals(&format!("crossings{}", pair.number), &edges.numbers(pair.steps()));
            }
        }
        for pair in pairs.iter().filter(|pair| pair.overlap.is_some()) {
            checkpoint.put_reals(&format!("overlap{}", pair.number), &pair.overlap_numbers());
        }
        if let Some(rigid) = &system.bodies.rigid {
            checkpoint.put_integers("rigid", &rigid.system.counters());
            rigid.system.save(&mut checkpoint);
            checkpoint.put_reals("rigid_sums", &rigid.sums_to_numbers());
            rigid.contacts.save(&mut checkpoint);
            rigid.joint_means.save(&mut checkpoint);
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
        let &[outputs, due, interval, ref rest @ ..] = counters else {
            return Err(length("counters", counters.len(), 11));
        };
        let &[steps, multipliers, most_multipliers, gaps, iterations, fallbacks, sweeps, unsettled] = rest
        else {
            return Err(length("counters", counters.len(), 11));
        };
        let system = &mut self.system;
        self.record.outputs = outputs;
        (system.time, system.steps) = (checkpoint.time, checkpoint.steps);
        let counts = &mut system.contacts.counts;
        (counts.steps, counts.multipliers, counts.most_multipliers) = (steps, multipliers, most_multipliers);
        (counts.gaps, counts.iterations, counts.fallbacks) = (gaps, iterations, fallbacks);
        (counts.sweeps, counts.unsettled) = (sweeps, unsettled);
        let step = checkpoint.reals_of("step", 10)?;
        system.lengths[0] = step[0];
        let size = &mut system.size;
        (size.due, size.interval) = (due, interval);
        (size.dt, size.critical, size.least_critical) = (step[1], step[2], step[3]);
        system.contacts.deepest = step[4];
        self.missed = [step[5], step[6]];
        let turns = checkpoint.reals_of("turns", self.turns.len())?;
        self.turns.copy_from_slice(turns);
        self.hourglass = [step[7], step[8]];
        system.contacts.iterations = step[9];
        for body in system.bodies.flexible.iter_mut().filter_map(Deformable::reduced_mut) {
            let numbers = checkpoint.reals_of(&format!("reduced{}", body.number), body.n_numbers())?;
            body.read_numbers(numbers).map_err(|_| CheckpointError::Length {
                name: format!("reduced{}", body.number),
                found: numbers.len(),
                expected: body.n_numbers(),
            })?;
        }
        for body in system.bodies.flexible.iter_mut().filter_map(Deformable::whole_mut) {
            let (number, n) = (body.number, body.u.len());
            body.u.copy_from_slice(checkpoint.reals_of(&format!("u{number}"), n)?);
            body.v.copy_from_slice(checkpoint.reals_of(&format!("v{number}"), n)?);
            let history = checkpoint.reals_of(&format!("history{number}"), body.history.len())?;
            body.history.restore(history);
            if body.bounded.is_some()
                && let [critical, u @ ..] = checkpoint.reals_of(&format!("bounded{number}"), n + 1)?
            {
                body.bounded = Some(Bounded { critical: *critical, u: u.to_vec() });
            }
            if let Some(turning) = body.turning_mut() {
                let n = turning.quaternions.len();
                let turns = checkpoint.reals_of(&format!("turns{number}"), 4 * n)?.as_chunks().0;
                turning.restore(turns, checkpoint.reals_of(&format!("omega{number}"), 3 * n)?);
            }
        }
        let books = checkpoint.reals_of("totals", 2 * Totals::NUMBERS + 3)?;
        let (totals, start) = books.split_at(2 * Totals::NUMBERS);
        if let ([before, first], [a, b, c]) = (totals.as_chunks().0, start) {
            system.books.before = Totals::from_array(before);
            system.books.first = Some(Totals::from_array(first));
            system.books.start = Some([*a, *b, *c]);
        }
        let n_pairs = system.contacts.pairs.iter().map(Pair::n_numbers).sum();
        let mut numbers = checkpoint.reals_of("pairs", n_pairs)?;
        for pair in &mut system.contacts.pairs {
            let (own, rest) = numbers.split_at(pair.n_numbers());
            pair.read_numbers(own);
            numbers = rest;
        }
        let seen = checkpoint.integers("seen")?;
        let expected = system.contacts.pairs.iter().flat_map(Pair::seen).count();
        if seen.len() != expected {
            return Err(length("seen", seen.len(), expected));
        }
        let mut rest = seen;
        for pair in &mut system.contacts.pairs {
            let (own, others) = rest.split_at(pair.seen().count());
            pair.read_seen(own);
            rest = others;
        }
        let mut forces = checkpoint.reals_of("multipliers", expected)?;
        for pair in &mut system.contacts.pairs {
            let (own, others) = forces.split_at(pair.seen().count());
            pair.read_last_forces(own);
            forces = others;
        }
        for pair in &mut system.contacts.pairs {
            let keys = checkpoint.integers(&format!("met{}", pair.number))?.as_chunks::<2>().0;
            let name = format!("meetings{}", pair.number);
            let numbers = checkpoint.reals_of(&name, keys.len() * Meeting::NUMBERS)?;
            let meetings = numbers.as_chunks().0.iter().map(Meeting::from_array);
            pair.meetings = keys.iter().map(|ends| ends.map(|body| body as usize)).zip(meetings).collect();
            let n = system.bodies.which.len();
            if pair.meetings.keys().flatten().any(|&body| body >= n) {
                return Err(length(&name, numbers.len(), 0));
            }
            let step = pair.steps();
            if let Some(edges) = &mut pair.edges {
                let keys = checkpoint.integers(&format!("edges{}", pair.number))?;
                let name = format!("crossings{}", pair.number);
                let numbers = checkpoint.reals_of(&name, keys.len() / 3 * Edges::NUMBERS)?;
                if !edges.read(keys, numbers, step) {
                    return Err(length(&format!("edges{}", pair.number), keys.len(), 0));
                }
            }
        }
        for pair in &mut system.contacts.pairs {
            let name = format!("overlap{}", pair.number);
            if checkpoint.entries.contains_key(&name) {
                pair.read_overlap(checkpoint.reals_of(&name, pair.n_overlap_numbers())?);
            }
        }
        if let Some(rigid) = &mut system.bodies.rigid {
            let counters = checkpoint.integers("rigid")?;
            let &[a, b, c, d] = counters else { return Err(length("rigid", counters.len(), 4)) };
            rigid.system.restore(checkpoint, [a, b, c, d])?;
            rigid.read_sums(checkpoint.reals_of("rigid_sums", RigidBodies::N_SUMS)?);
            rigid.contacts.restore(checkpoint, rigid.numbers.len())?;
            rigid.joint_means.restore(checkpoint)?;
        }
        self.probes.restore(checkpoint)?;
        self.record.restore(checkpoint)
    }
}

impl RigidBodies {
    /// Numbers of [`RigidBodies::sums_to_numbers`].
    const N_SUMS: usize = 2 * LoadSums::NUMBERS + 2 + Balance::NUMBERS;

    /// Sums up to t_{n−1/2} as numbers.
    fn sums_to_numbers(&self) -> Vec<f64> {
        let sums = [self.outer_sums[1], self.contact_sums[1]].map(LoadSums::to_array);
        [sums.as_flattened(), &self.part_works[1], &self.balances[1].to_array()].concat()
    }

    fn read_sums(&mut self, numbers: &[f64]) {
        let (sums, rest) = numbers.split_at(2 * LoadSums::NUMBERS);
        let (works, balance) = rest.split_at(2);
        if let [penalty, friction] = *works {
            self.part_works = [[penalty, friction]; 2];
        }
        if let ([outer, contact], [balance]) = (sums.as_chunks().0, balance.as_chunks().0) {
            self.outer_sums = [LoadSums::from_array(outer); 2];
            self.contact_sums = [LoadSums::from_array(contact); 2];
            self.balances = [Balance::from_array(balance); 2];
        }
    }
}

impl LoadSums {
    const NUMBERS: usize = 7;

    fn to_array(self) -> [f64; Self::NUMBERS] {
        let ([a, b, c], [d, e, f]) = (self.impulse.into(), self.ang_impulse.into());
        [self.work, a, b, c, d, e, f]
    }

    fn from_array(array: &[f64; Self::NUMBERS]) -> Self {
        Self {
            work: array[0],
            impulse: Vector3::from_column_slice(&array[1..4]),
            ang_impulse: Vector3::from_column_slice(&array[4..]),
        }
    }
}

impl Pair {
    /// Numbers before those of the springs: depth and steps.
    const N_OWN: usize = 2;

    fn n_numbers(&self) -> usize {
        Self::N_OWN + Self::N_SPRING * self.springs().count()
    }

    fn to_numbers(&self) -> Vec<f64> {
        let mut numbers = Vec::with_capacity(self.n_numbers());
        numbers.extend([self.deepest, self.steps() as f64]);
        self.springs().for_each(|spring| numbers.extend(spring));
        numbers
    }

    fn read_numbers(&mut self, numbers: &[f64]) {
        self.deepest = numbers[0];
        self.set_steps(numbers[1] as u64);
        self.read_springs(&numbers[Self::N_OWN..]);
    }
}

/// The error of an entry of another length.
pub(crate) fn length(name: &str, found: usize, expected: usize) -> CheckpointError {
    CheckpointError::Length { name: name.to_owned(), found, expected }
}
