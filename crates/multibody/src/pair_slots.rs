//! Which numbers of the state hold the impulses of which contact pair.
//!
//! Of n bodies that may all touch each other there are n (n − 1)/2 pairs, and each has six integrals. Few of
//! them have a force at a time: a slot of six numbers belongs to a pair from its first force on until the end
//! of a step without force, and then to another one. The numbers of y go on; with y₀ at the time at which the
//! slot was given back last, and the sum s of all times before, the impulse of a pair is
//!
//! ```text
//! s + y − y₀
//! ```
//!
//! As many pairs as there are slots keep theirs.

use carom_dynamics::{Checkpoint, CheckpointError};
use nalgebra::Vector3;

use crate::contact::ContactFailure;
use crate::layout::{Layout, PAIR_INTEGRALS};

/// Slots for each body: no more than 12 equal balls touch one, which are six pairs for each.
const SLOTS_OF_A_BODY: usize = 16;

/// Slots of a system with few bodies.
const LEAST_SLOTS: usize = 64;

/// Entries of a checkpoint.
const PAIRS: &str = "pair_slots";
const FREE: &str = "pair_slots_free";
const STARTS: &str = "pair_slots_starts";
const SUMS: &str = "pair_sums";
const SUMMED: &str = "pair_sums_of";

/// No slot, or no pair.
const NONE: u32 = u32::MAX;

/// The integrals of a pair: impulse and its part from friction.
type Sums = [f64; PAIR_INTEGRALS];

/// The slots of all pairs.
#[derive(Debug)]
pub(crate) struct PairSlots {
    /// Slot of each pair.
    of_pair: Vec<u32>,
    /// Pair in each slot.
    pair_in: Vec<u32>,
    /// Slots without a pair, the next one last.
    free: Vec<u32>,
    /// y₀ of each slot.
    starts: Vec<Sums>,
    /// s of each pair.
    sums: Vec<Sums>,
    /// Slots that had a pair so far; all of them where each pair has its own. They are the first ones, as
    /// one is taken for the first time only if none of them is free.
    in_use: usize,
    /// `in_use` at [`PairSlots::lend`]; none while slots are given for good.
    lent_from: Option<usize>,
    /// Slots that were lent since.
    lent: Vec<u32>,
}

impl PairSlots {
    /// Slots for these numbers of pairs and bodies.
    pub(crate) fn new(pairs: usize, bodies: usize) -> Self {
        let n = pairs.min(SLOTS_OF_A_BODY * bodies + LEAST_SLOTS);
        let keep = n == pairs;
        let own = |k: usize| if keep { k as u32 } else { NONE };
        Self {
            of_pair: (0..pairs).map(own).collect(),
            pair_in: (0..n).map(own).collect(),
            free: if keep { Vec::new() } else { (0..n as u32).rev().collect() },
            starts: vec![[0.0; PAIR_INTEGRALS]; n],
            sums: vec![[0.0; PAIR_INTEGRALS]; if keep { 0 } else { pairs }],
            in_use: if keep { n } else { 0 },
            lent_from: None,
            lent: Vec::with_capacity(if keep { 0 } else { n }),
        }
    }

    /// Number of slots.
    pub(crate) fn len(&self) -> usize {
        self.pair_in.len()
    }

    /// Number of slots, the first ones, that had a pair so far; the numbers of all others are zero.
    pub(crate) fn in_use(&self) -> usize {
        self.in_use
    }

    /// True if each pair has a slot of its own for all times.
    fn keeps(&self) -> bool {
        self.len() == self.of_pair.len()
    }

    /// The slot of a pair with a force.
    ///
    /// # Errors
    ///
    /// More pairs with forces than slots.
    pub(crate) fn slot_for(&mut self, pair: usize) -> Result<usize, ContactFailure> {
        if self.of_pair[pair] == NONE {
            let most = self.len();
            let slot = self.free.pop().ok_or_else(|| {
                format!(
                    "more than {most} pairs of surfaces press on each other at once: name the contacts that \
                     are needed instead of all by `*`"
                )
            })?;
            self.of_pair[pair] = slot;
            self.pair_in[slot as usize] = pair as u32;
            self.in_use = self.in_use.max(slot as usize + 1);
            if self.lent_from.is_some() {
                self.lent.push(slot);
            }
        }
        Ok(self.of_pair[pair] as usize)
    }

    /// Lends slots from here on, for evaluations of output alone, until [`PairSlots::take_back`].
    pub(crate) fn lend(&mut self) {
        self.lent_from = Some(self.in_use);
    }

    /// Takes all slots back that were lent: the next ones are given as if none had been.
    pub(crate) fn take_back(&mut self) {
        let Some(in_use) = self.lent_from.take() else { return };
        self.in_use = in_use;
        while let Some(slot) = self.lent.pop() {
            self.of_pair[self.pair_in[slot as usize] as usize] = NONE;
            self.pair_in[slot as usize] = NONE;
            self.free.push(slot);
        }
    }

    /// Impulse on the first surface of a pair since the start, and its part from friction \[N s\].
    pub(crate) fn impulses(&self, pair: usize, layout: &Layout, y: &[f64]) -> [Vector3<f64>; 2] {
        let sums = self.total(pair, layout, y);
        [0, 3].map(|start| Vector3::from_column_slice(&sums[start..start + 3]))
    }

    fn total(&self, pair: usize, layout: &Layout, y: &[f64]) -> Sums {
        let slot = self.of_pair[pair];
        let before = if self.keeps() { [0.0; PAIR_INTEGRALS] } else { self.sums[pair] };
        if slot == NONE {
            return before;
        }
        let (own, start) = (&y[layout.pair_slot(slot as usize)], &self.starts[slot as usize]);
        std::array::from_fn(|k| before[k] + (own[k] - start[k]))
    }

    /// Gives the slots of pairs without force back, at the end y of a step.
    pub(crate) fn give_back(&mut self, has_force: impl Fn(usize) -> bool, layout: &Layout, y: &[f64]) {
        if self.keeps() {
            return;
        }
        for slot in 0..self.in_use {
            let pair = self.pair_in[slot] as usize;
            if self.pair_in[slot] == NONE || has_force(pair) {
                continue;
            }
            self.sums[pair] = self.total(pair, layout, y);
            self.starts[slot].copy_from_slice(&y[layout.pair_slot(slot)]);
            (self.of_pair[pair], self.pair_in[slot]) = (NONE, NONE);
            self.free.push(slot as u32);
        }
    }

    /// Adds the slots, unless each pair keeps its own.
    pub(crate) fn save(&self, checkpoint: &mut Checkpoint) {
        if self.keeps() {
            return;
        }
        let numbers = |all: &[u32]| all.iter().map(|&k| u64::from(k)).collect::<Vec<u64>>();
        checkpoint.put_integers(PAIRS, &numbers(&self.pair_in));
        checkpoint.put_integers(FREE, &numbers(&self.free));
        checkpoint.put_reals(STARTS, self.starts.as_flattened());
        let summed = (0..self.sums.len()).filter(|&pair| self.sums[pair] != [0.0; PAIR_INTEGRALS]);
        let summed: Vec<u64> = summed.map(|pair| pair as u64).collect();
        let sums: Vec<f64> = summed.iter().flat_map(|&pair| self.sums[pair as usize]).collect();
        checkpoint.put_integers(SUMMED, &summed);
        checkpoint.put_reals(SUMS, &sums);
    }

    /// Takes the slots of a checkpoint of the same system.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if they are not those of these pairs.
    pub(crate) fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), CheckpointError> {
        if self.keeps() {
            return Ok(());
        }
        let (n, pairs) = (self.len(), self.of_pair.len());
        self.of_pair.fill(NONE);
        self.sums.fill([0.0; PAIR_INTEGRALS]);
        let pair_in = checkpoint.integers(PAIRS)?;
        let free = checkpoint.integers(FREE)?;
        let is_known = |k: &u64| *k < pairs as u64 || *k == u64::from(NONE);
        if pair_in.len() != n || !pair_in.iter().all(is_known) {
            return Err(CheckpointError::Length { name: PAIRS.into(), found: pair_in.len(), expected: n });
        }
        let n_free = pair_in.iter().filter(|&&k| k == u64::from(NONE)).count();
        if free.len() != n_free || free.iter().any(|&slot| slot >= n as u64) {
            return Err(CheckpointError::Length { name: FREE.into(), found: free.len(), expected: n_free });
        }
        self.free = free.iter().map(|&slot| slot as u32).collect();
        for (slot, &pair) in pair_in.iter().enumerate() {
            self.pair_in[slot] = pair as u32;
            if let Some(of_pair) = self.of_pair.get_mut(pair as usize) {
                *of_pair = slot as u32;
            }
        }
        let starts = checkpoint.reals_of(STARTS, n * PAIR_INTEGRALS)?;
        self.starts.copy_from_slice(starts.as_chunks().0);
        let had_pair =
            |slot: &usize| self.pair_in[*slot] != NONE || self.starts[*slot] != [0.0; PAIR_INTEGRALS];
        // A run that went on beyond the checkpoint has numbers in its vectors up to there.
        self.in_use = self.in_use.max((0..n).rfind(had_pair).map_or(0, |slot| slot + 1));
        let summed = checkpoint.integers(SUMMED)?;
        let sums = checkpoint.reals_of(SUMS, summed.len() * PAIR_INTEGRALS)?;
        for (&pair, sums) in summed.iter().zip(sums.as_chunks().0) {
            let missing =
                || CheckpointError::Length { name: SUMS.into(), found: pair as usize, expected: pairs };
            *self.sums.get_mut(pair as usize).ok_or_else(missing)? = *sums;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODIES: usize = 30;
    const PAIRS_OF_ALL: usize = BODIES * (BODIES - 1) / 2 + 200;

    /// Forces of a step: of pair 7, and of ten pairs that change.
    fn forces(n: usize) -> Vec<(usize, f64)> {
        let others = (0..10).map(|k| ((97 * n + 31 * k) % PAIRS_OF_ALL, 1.0 + k as f64));
        others.filter(|(pair, _)| *pair != 7).chain([(7, 0.5)]).collect()
    }

    /// Integrates forces over a unit step, with the slots of the step.
    fn step(slots: &mut PairSlots, layout: &Layout, y: &mut [f64], forces: &[(usize, f64)]) {
        for &(pair, force) in forces {
            let slot = slots.slot_for(pair).unwrap();
            y[layout.pair_slot(slot)].iter_mut().for_each(|y| *y += force);
        }
        slots.give_back(|pair| forces.iter().any(|(own, _)| *own == pair), layout, y);
    }

    #[test]
    fn impulses_of_pairs_that_share_slots_are_their_own() {
        let mut slots = PairSlots::new(PAIRS_OF_ALL, BODIES);
        assert!(slots.len() < PAIRS_OF_ALL);
        let layout = Layout::new(vec![0; BODIES], slots.len());
        let mut y = vec![0.0; layout.dim()];
        let mut expected = vec![0.0; PAIRS_OF_ALL];
        let mut saved = None;
        for n in 0..200 {
            let forces = forces(n);
            forces.iter().for_each(|(pair, force)| expected[*pair] += force);
            if n == 120 {
                let mut checkpoint = Checkpoint::default();
                slots.save(&mut checkpoint);
                saved = Some((checkpoint, n, y.clone()));
            }
            step(&mut slots, &layout, &mut y, &forces);
        }
        let found = |slots: &PairSlots, y: &[f64]| -> Vec<f64> {
            (0..PAIRS_OF_ALL).map(|pair| slots.impulses(pair, &layout, y)[1].z).collect()
        };
        assert_eq!(found(&slots, &y), expected);
        // From a checkpoint the same slots follow.
        let (checkpoint, from, mut y_again) = saved.unwrap();
        let mut again = PairSlots::new(PAIRS_OF_ALL, BODIES);
        again.restore(&checkpoint).unwrap();
        (from..200).for_each(|n| step(&mut again, &layout, &mut y_again, &forces(n)));
        assert_eq!(found(&again, &y_again), expected);
        assert_eq!(y_again, y);
    }

    /// Pairs that touch in evaluations for output alone take no slot from the run.
    #[test]
    fn slots_that_were_lent_leave_no_trace() {
        let [mut lent, mut plain] = [(); 2].map(|()| PairSlots::new(PAIRS_OF_ALL, BODIES));
        let layout = Layout::new(vec![0; BODIES], lent.len());
        let [mut y, mut expected] = [(); 2].map(|()| vec![0.0; layout.dim()]);
        for n in 0..50 {
            let forces = forces(n);
            lent.lend();
            for (pair, _) in (0..20).map(|k| (13 * n + 7 * k) % PAIRS_OF_ALL).zip(&forces) {
                lent.slot_for(pair).unwrap();
            }
            lent.take_back();
            assert_eq!(lent.in_use(), plain.in_use());
            step(&mut lent, &layout, &mut y, &forces);
            step(&mut plain, &layout, &mut expected, &forces);
            assert_eq!(y, expected, "step {n}");
        }
    }

    #[test]
    fn more_forces_than_slots_are_an_error() {
        let mut slots = PairSlots::new(PAIRS_OF_ALL, BODIES);
        let n = slots.len();
        assert!((0..n).all(|pair| slots.slot_for(pair).is_ok()));
        assert!(slots.slot_for(0).is_ok());
        let error = slots.slot_for(n).unwrap_err().to_string();
        assert!(error.contains(&format!("more than {n} pairs")), "{error}");
    }

    #[test]
    fn few_pairs_keep_their_slots() {
        let mut slots = PairSlots::new(5, 3);
        assert_eq!((slots.len(), slots.slot_for(3).unwrap()), (5, 3));
        let layout = Layout::new(vec![0; 3], 5);
        let y = vec![1.0; layout.dim()];
        slots.give_back(|_| false, &layout, &y);
        assert_eq!(slots.impulses(4, &layout, &y), [Vector3::repeat(1.0); 2]);
    }
}
