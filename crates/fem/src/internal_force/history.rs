//! History variables of all quadrature points.

use crate::constitutive::{LANES, Lanes, Law};

/// History variables of all quadrature points of a body: of the last accepted state, and of the present one.
///
/// A scheme may compute forces several times, always from the accepted state, and commits the last one.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    pub(super) blocks: Vec<Vec<ChunkHistory>>,
}

/// History variables of a group of cells: batch after batch, point after point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ChunkHistory {
    /// Variables of a point.
    pub(super) n: usize,
    pub(super) old: Vec<Lanes>,
    pub(super) new: Vec<Lanes>,
}

/// Where the variables of a cell are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HistoryPlace {
    pub(crate) block: usize,
    pub(crate) chunk: usize,
    /// Its first quadrature point in the group.
    pub(crate) first: usize,
    pub(crate) lane: usize,
}

impl History {
    /// The accepted variables of a quadrature point of a cell, those of its neighbours in the other lanes.
    ///
    /// * `point` — its number in the cell
    pub(crate) fn accepted_at(&self, place: HistoryPlace, point: usize) -> &[Lanes] {
        let ChunkHistory { n, old, .. } = &self.blocks[place.block][place.chunk];
        &old[n * (place.first + point)..][..*n]
    }

    /// The undeformed state.
    ///
    /// * `batch_points` — for each block batches times points of each of its groups, and the variables that a
    ///   point of a law with history has in addition to those of the law: zero at first
    pub(super) fn new<L: Law>(batch_points: impl Iterator<Item = (Vec<usize>, usize)>, laws: &[L]) -> Self {
        let of_block = |((counts, more), law): ((Vec<usize>, usize), &L)| {
            let n_law = law.n_history();
            let mut initial = vec![0.0; n_law + if n_law > 0 { more } else { 0 }];
            law.initial_history(&mut initial[..n_law]);
            let lanes: Vec<Lanes> = initial.iter().map(|&x| [x; LANES]).collect();
            let of_chunk = |count: usize| {
                let old = lanes.repeat(count);
                ChunkHistory { n: lanes.len(), new: old.clone(), old }
            };
            counts.into_iter().map(of_chunk).collect()
        };
        Self { blocks: batch_points.zip(laws).map(of_block).collect() }
    }

    /// One group in each block, with the same variables at all of its points.
    ///
    /// * `groups` — number of points of each block, and the variables of one
    pub(crate) fn of_groups(groups: impl Iterator<Item = (usize, Vec<f64>)>) -> Self {
        let of_block = |(count, initial): (usize, Vec<f64>)| {
            let lanes: Vec<Lanes> = initial.iter().map(|&x| [x; LANES]).collect();
            let old = lanes.repeat(count);
            vec![ChunkHistory { n: lanes.len(), new: old.clone(), old }]
        };
        Self { blocks: groups.map(of_block).collect() }
    }

    /// Accepted and present variables of a block of [`History::of_groups`].
    pub(crate) fn group(&mut self, block: usize) -> (&[Lanes], &mut [Lanes]) {
        let ChunkHistory { old, new, .. } = &mut self.blocks[block][0];
        (old, new)
    }

    /// Accepted variables of a block of [`History::of_groups`].
    pub(crate) fn accepted_group(&self, block: usize) -> &[Lanes] {
        &self.blocks[block][0].old
    }

    /// Accepts the present state.
    pub fn commit(&mut self) {
        for chunk in self.blocks.iter_mut().flatten() {
            chunk.old.copy_from_slice(&chunk.new);
        }
    }

    /// Returns to the accepted state.
    pub fn reject(&mut self) {
        for chunk in self.blocks.iter_mut().flatten() {
            chunk.new.copy_from_slice(&chunk.old);
        }
    }

    /// The accepted values, for checkpoints; [`History::restore`] reads them back.
    pub fn accepted(&self) -> impl Iterator<Item = f64> + '_ {
        self.blocks.iter().flatten().flat_map(|chunk| chunk.old.as_flattened()).copied()
    }

    /// Number of accepted values.
    pub fn len(&self) -> usize {
        self.blocks.iter().flatten().map(|chunk| LANES * chunk.old.len()).sum()
    }

    /// True if no law has history variables.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sets the accepted values of the same body and laws.
    ///
    /// # Panics
    ///
    /// If their number is not [`History::len`].
    pub fn restore(&mut self, values: &[f64]) {
        assert_eq!(values.len(), self.len(), "values of the same body and laws");
        let mut values = values.iter();
        for chunk in self.blocks.iter_mut().flatten() {
            for (to, &from) in chunk.old.as_flattened_mut().iter_mut().zip(values.by_ref()) {
                *to = from;
            }
        }
        self.reject();
    }
}
