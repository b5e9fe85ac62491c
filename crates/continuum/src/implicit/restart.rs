//! Checkpoints: the complete state of a run between steps, so that a resumed run has the same bits.

use carom_dynamics::{Checkpoint, CheckpointError};
use nalgebra::Vector3;

use super::body::State;
use super::contact::RowKey;
use super::simulation::{Simulation, Totals};
use super::steps::Steps;
use super::{Counts, Method};
use crate::explicit::length;

/// Version of the entries.
const VERSION: u64 = 4;

/// Numbers of the totals.
const TOTALS: usize = 12;

impl Simulation {
    /// The present point of the run.
    pub fn checkpoint(&self) -> Checkpoint {
        let mut checkpoint = Checkpoint {
            scheme: self.scheme().to_owned(),
            version: VERSION,
            time: self.time,
            steps: self.n_steps,
            ..Checkpoint::default()
        };
        let Counts { iterations, analyses, factorisations, products } = self.system.counts;
        let mut counters =
            vec![self.record.outputs, self.most_touching, iterations, analyses, factorisations, products];
        counters.extend(self.steps.to_numbers());
        checkpoint.put_integers("counters", &counters);
        let Totals { external, contact, springs, friction, internal, impulse, ang_impulse, stored } =
            self.totals;
        let mut totals = vec![external, contact, internal, stored, springs, friction];
        totals.extend(impulse.iter().chain(ang_impulse.iter()));
        checkpoint.put_reals("totals", &totals);
        checkpoint.put_reals("missed", &self.missed);
        checkpoint.put_reals("turns", &self.turns);
        for (number, body) in self.system.bodies.iter().enumerate() {
            checkpoint.put_reals(&format!("u{number}"), &body.state.u);
            checkpoint.put_reals(&format!("v{number}"), &body.state.v);
            if self.settings.method.is_alpha() {
                checkpoint.put_reals(&format!("a{number}"), &body.state.a);
            }
        }
        for (number, pair) in self.system.contacts.pairs.iter().enumerate() {
            let [own, rows] = pair.to_numbers();
            checkpoint.put_reals(&format!("pair{number}"), &own);
            checkpoint.put_reals(&format!("rows{number}"), &rows);
        }
        let keys = self.pattern.as_flattened().iter().map(|&k| u64::from(k));
        checkpoint.put_integers("pattern", &keys.collect::<Vec<_>>());
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
        checkpoint.expect(self.scheme(), VERSION)?;
        const COUNTERS: usize = 6 + Steps::NUMBERS;
        let counters = checkpoint.integers("counters")?;
        let counters = <&[u64; COUNTERS]>::try_from(counters)
            .map_err(|_| length("counters", counters.len(), COUNTERS))?;
        let [outputs, most_touching, counts @ .., halvings, since, taken, failed] = *counters;
        (self.time, self.n_steps) = (checkpoint.time, checkpoint.steps);
        (self.record.outputs, self.most_touching) = (outputs, most_touching);
        let [iterations, analyses, factorisations, products] = counts;
        self.system.counts = Counts { iterations, analyses, factorisations, products };
        self.steps.read_numbers(&[halvings, since, taken, failed]);
        let totals = checkpoint.reals_of("totals", TOTALS)?;
        self.totals = Totals {
            external: totals[0],
            contact: totals[1],
            internal: totals[2],
            stored: totals[3],
            springs: totals[4],
            friction: totals[5],
            impulse: Vector3::from_column_slice(&totals[6..9]),
            ang_impulse: Vector3::from_column_slice(&totals[9..]),
        };
        let missed = checkpoint.reals_of("missed", 2)?;
        self.missed = [missed[0], missed[1]];
        let n = self.turns.len();
        self.turns.copy_from_slice(checkpoint.reals_of("turns", n)?);
        for (number, body) in self.system.bodies.iter_mut().enumerate() {
            let State { u, v, a } = &mut body.state;
            let is_alpha = self.settings.method.is_alpha();
            for (name, values) in [("u", u), ("v", v)].into_iter().chain(is_alpha.then_some(("a", a))) {
                let n = values.len();
                values.copy_from_slice(checkpoint.reals_of(&format!("{name}{number}"), n)?);
            }
        }
        for (number, pair) in self.system.contacts.pairs.iter_mut().enumerate() {
            let own = checkpoint.reals(&format!("pair{number}"))?;
            let rows = checkpoint.reals(&format!("rows{number}"))?;
            if !pair.read_numbers(own, rows) {
                return Err(length("pair", own.len(), pair.to_numbers()[0].len()));
            }
        }
        self.restore_pattern(checkpoint)?;
        self.probes.restore(checkpoint)?;
        self.record.restore(checkpoint)
    }

    /// The order of elimination follows from the pattern, and the rounding from the order.
    fn restore_pattern(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        let numbers = checkpoint.integers("pattern")?;
        let (keys, rest) = numbers.as_chunks::<3>();
        let wrong = || length("pattern", numbers.len(), 0);
        let system = &mut self.system;
        let fits = |&[pair, node, face]: &[u64; 3]| {
            let pair = system.contacts.pairs.get(pair as usize);
            pair.is_some_and(|pair| pair.has_row(node, face))
        };
        if !rest.is_empty() || !keys.iter().all(fits) {
            return Err(wrong());
        }
        let keys: Vec<RowKey> = keys.iter().map(|key| key.map(|k| k as u32)).collect();
        self.pattern.clone_from(&keys);
        system.coupled.restore(&system.bodies, &system.contacts, keys).map_err(|_| wrong())
    }

    fn scheme(&self) -> &'static str {
        match self.settings.method {
            Method::EnergyMomentum => "energy-momentum",
            Method::Midpoint => "midpoint",
            Method::GeneralisedAlpha(_) => "generalised-alpha",
        }
    }
}
