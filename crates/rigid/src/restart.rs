//! Checkpoints: the whole state of a run, so that it continues with the same bits.

use carom_dynamics::{Checkpoint, CheckpointError, ContactEvent, ContactTracker, Observer};
use nalgebra::Vector3;

use crate::held::Held;
use crate::limit::Limited;
use crate::simulation::{RunError, Simulation};
use crate::stage::Stage;
use crate::state::State;
use crate::system::{Books, PairReport};

/// Name of the scheme in checkpoints.
pub const SCHEME: &str = "rigid";

/// Version of the entries.
pub const VERSION: u64 = 4;

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
        let flat = |arrays: Vec<Vec<f64>>| arrays.concat();
        let (shown, impulses) = &self.shown;
        checkpoint.put_integers(
            "counters",
            &[system.steps, system.n_impulses, self.outputs, *shown, system.n_divided, system.limited.steps],
        );
        checkpoint.put_reals("shown", &flat(impulses.iter().map(|i| i.as_slice().to_vec()).collect()));
        checkpoint.put_reals("missed", &flat(system.pairs.iter().map(|p| p.missed.to_vec()).collect()));
        checkpoint.put_reals("states", &flat(system.states.iter().map(|s| s.to_array().to_vec()).collect()));
        checkpoint.put_reals("gaps", &flat(system.pairs.iter().map(|pair| pair.gaps.clone()).collect()));
        let held =
            system.pairs.iter().flat_map(|pair| pair.held.iter().flat_map(|held| Held::to_array(*held)));
        checkpoint.put_reals("held", &held.collect::<Vec<_>>());
        checkpoint
            .put_reals("reports", &flat(system.reports.iter().map(|r| r.to_array().to_vec()).collect()));
        let books = &system.books;
        let mut sums =
            vec![books.d_imp, books.d_fric, system.energies[0], system.energies[1], system.spring_energy];
        sums.extend(books.external_impulse.iter().chain(books.external_ang_impulse.iter()));
        sums.push(system.limited.least_factor);
        checkpoint.put_reals("books", &sums);
        checkpoint.put_reals("events", &flat(self.events.iter().map(|e| e.to_array().to_vec()).collect()));
        checkpoint
            .put_reals("trackers", &flat(self.trackers.iter().map(|t| t.to_array().to_vec()).collect()));
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
        let system = &mut self.system;
        let counters = checkpoint.integers("counters")?;
        let &[steps, n_impulses, outputs, shown, n_divided, limited] = counters else {
            return Err(length("counters", counters.len(), 6));
        };
        let impulses = checkpoint.reals_of("shown", 3 * system.reports.len())?;
        self.shown = (shown, arrays::<3>(impulses).map(|&i| i.into()).collect());
        let missed = checkpoint.reals_of("missed", 2 * system.pairs.len())?;
        for (pair, missed) in system.pairs.iter_mut().zip(arrays::<2>(missed)) {
            pair.missed = *missed;
        }
        (system.steps, system.n_impulses, self.outputs) = (steps, n_impulses, outputs);
        system.n_divided = n_divided;
        let states = checkpoint.reals_of("states", system.states.len() * State::NUMBERS)?;
        system.states = arrays(states).map(State::from_array).collect();
        system.stages = system.states.iter().map(Stage::new).collect();
        let mut gaps = checkpoint.reals_of("gaps", system.pairs.iter().map(|pair| pair.gaps.len()).sum())?;
        for pair in &mut system.pairs {
            let (own, rest) = gaps.split_at(pair.gaps.len());
            pair.gaps.copy_from_slice(own);
            // An early look at a pair does not change the result.
            (gaps, pair.due) = (rest, 0);
        }
        system.nearby.restart(&system.pairs);
        let n_points = system.pairs.iter().map(|pair| pair.held.len()).sum::<usize>();
        let held = checkpoint.reals_of("held", Held::NUMBERS * n_points)?;
        let points = system.pairs.iter_mut().flat_map(|pair| &mut pair.held);
        points.zip(arrays(held)).for_each(|(point, held)| *point = Held::from_array(held));
        let reports = checkpoint.reals_of("reports", system.reports.len() * PairReport::NUMBERS)?;
        system.reports = arrays(reports).map(PairReport::from_array).collect();
        system.deepest = system.reports.iter().fold(0.0, |most, report| report.depth.max(most));
        let books = checkpoint.reals_of("books", 12)?;
        system.energies = [books[2], books[3]];
        system.spring_energy = books[4];
        system.limited = Limited { steps: limited, least_factor: books[11] };
        system.books = Books {
            d_imp: books[0],
            d_fric: books[1],
            external_impulse: Vector3::from_column_slice(&books[5..8]),
            external_ang_impulse: Vector3::from_column_slice(&books[8..11]),
        };
        self.events = arrays(checkpoint.reals("events")?).map(ContactEvent::from_array).collect();
        let trackers = checkpoint.reals_of("trackers", self.trackers.len() * ContactTracker::NUMBERS)?;
        self.trackers = arrays(trackers).map(ContactTracker::from_array).collect();
        let followed = |number: &usize| self.trackers[*number].event.is_some();
        self.following = (0..self.trackers.len()).filter(followed).collect();
        self.ledger.restore(checkpoint)?;
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
