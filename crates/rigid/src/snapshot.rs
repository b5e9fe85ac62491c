//! The state of a system before a step, to which it can go back.

use crate::action::ActionBooks;
use crate::crowd::Key;
use crate::friction::memory::Memory;
use crate::held::Held;
use crate::limit::{Limited, Loose};
use crate::state::State;
use crate::system::{Books, PairReport, System};

/// All that a step changes. Its memory is kept from one use to the next.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    steps: u64,
    states: Vec<State>,
    reports: Vec<PairReport>,
    books: Books,
    actions: ActionBooks,
    /// Memory of springs, and of stops.
    springs: Vec<f64>,
    stops: Vec<f64>,
    /// The pairs, as far as they have changed: gaps of springs alone.
    keys: Vec<Key>,
    gaps: Vec<Vec<f64>>,
    held: Vec<Vec<Option<Held>>>,
    directions: Vec<Option<u8>>,
    spring_energy: f64,
    energies: [f64; 2],
    n_impulses: u64,
    limited: Limited,
    loose: Loose,
    deepest: f64,
    friction: Memory,
}

impl System {
    /// Stores the present state.
    pub fn snapshot_into(&self, to: &mut Snapshot) {
        to.steps = self.steps;
        to.states.clone_from(&self.states);
        to.reports.clone_from(&self.reports);
        (to.books, to.actions) = (self.books, self.actions.books);
        to.springs.clear();
        to.springs.extend(self.actions.memory());
        to.stops.clear();
        to.stops.extend(self.stops.memory());
        to.gaps.resize(self.pairs.len(), Vec::new());
        to.held.resize(self.pairs.len(), Vec::new());
        to.keys.clear();
        to.directions.clear();
        for ((pair, gaps), held) in self.pairs.iter().zip(&mut to.gaps).zip(&mut to.held) {
            to.keys.push(pair.key);
            to.directions.push(pair.direction());
            if pair.stiffness() != 0.0 {
                gaps.clone_from(&pair.gaps);
            }
            held.clone_from(&pair.held);
        }
        (to.spring_energy, to.energies, to.n_impulses) = (self.spring_energy, self.energies, self.n_impulses);
        (to.limited, to.loose, to.deepest) = (self.limited, self.loose, self.deepest);
        to.friction.clone_from(&self.impulses.laws.friction.path.memory);
    }

    /// Goes back to a stored state of this system. The loads of the bodies stay.
    ///
    /// The bounds of pairs stay too: they hold for the motion from the stored state with these loads, without
    /// the impulses of the step that is taken back. Those of bodies that get other loads are dropped by the
    /// next step.
    pub fn go_back(&mut self, from: &Snapshot) {
        self.steps = from.steps;
        self.states.clone_from(&from.states);
        (self.books, self.actions.books) = (from.books, from.actions);
        self.actions.remember(&from.springs);
        self.stops.remember(&from.stops);
        for (number, (pair, report)) in self.pairs.iter_mut().zip(&mut self.reports).enumerate() {
            if from.keys.get(number) != Some(&pair.key) {
                // A pair of a crowd that has come near since then; the one in its place had not touched.
                pair.held.fill(None);
                pair.set_direction(None);
                pair.gaps.fill(f64::INFINITY);
                *report = PairReport::default();
                continue;
            }
            if pair.stiffness() != 0.0 {
                pair.gaps.clone_from(&from.gaps[number]);
            }
            if pair.held != from.held[number] && pair.held.len() == from.held[number].len() {
                pair.held.clone_from(&from.held[number]);
                pair.due = 0;
            }
            if pair.direction() != from.directions[number] {
                pair.set_direction(from.directions[number]);
                pair.due = 0;
            }
            if report.last > from.steps {
                *report = from.reports[number];
            }
        }
        (self.spring_energy, self.energies, self.n_impulses) =
            (from.spring_energy, from.energies, from.n_impulses);
        (self.limited, self.loose, self.deepest) = (from.limited, from.loose, from.deepest);
        self.impulses.laws.friction.path.memory.clone_from(&from.friction);
        self.stages.iter_mut().for_each(|stage| stage.touched = false);
        self.nearby.have_moved();
        self.undisturb();
    }

    /// True if there are joints, or pairs of bodies that may touch at some time.
    pub fn has_pairs(&self) -> bool {
        !self.pairs.is_empty() || self.nearby.crowds.most_pairs() > 0 || self.has_joints()
    }
}
