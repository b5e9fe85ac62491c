//! Element tangents of a body, computed in rounds of bounded memory and added to the blocks of a matrix.
//!
//! The entry of each block of an element tangent is found once. Each entry of the matrix is the sum of its
//! blocks in the order of the cells, for any number of threads.

use std::ops::Range;

use rayon::prelude::*;

use super::chunk::{Chunk, Fields};
use super::dilatation::MeanDilatation;
use super::elements::ElementTangents;
use super::history::{ChunkHistory, History};
use super::hourglass::OnePoint;
use super::pairs::Pairs;
use super::point_map::{OfLaw, PointTangent, Product};
use super::shape::Shape;
use super::{InternalForce, Part, SweepError, of_shape};
use crate::constitutive::Law;

/// Bytes of element tangents in memory at once, if a single group does not need more.
const BYTES_OF_ROUND: usize = 32 << 20;
/// Blocks that one task adds.
const BLOCKS_PER_TASK: usize = 8192;

/// The rounds of a body, with memory for their element tangents.
#[derive(Debug, Clone)]
pub(super) struct Rounds {
    rounds: Vec<Round>,
    elements: Vec<ElementTangents>,
}

impl Rounds {
    /// Finds the entry of each block.
    ///
    /// * `find` — the entry of a pair of points: row and column, hanging points after the others
    pub(super) fn new(internal: &InternalForce, pairs: Pairs, find: impl Fn(usize, usize) -> Entry) -> Self {
        let (mut rounds, mut elements) = (Vec::new(), Vec::new());
        for (block, part) in internal.blocks.iter().enumerate() {
            rounds.extend(of_shape!(part, shape, chunks => {
                rounds_of(block, shape, chunks, pairs, &find, &mut elements)
            }));
        }
        Self { rounds, elements }
    }

    /// Replaces the blocks of the matrix by the tangent of the laws.
    pub(super) fn assemble_laws<L: Law>(
        &mut self,
        internal: &mut InternalForce,
        laws: &[L],
        u: &[f64],
        history: &History,
        values: &mut [[f64; 9]],
    ) -> Result<(), SweepError> {
        self.run(internal, laws, [u], history, values, |part, law, range, fields, history, elements| {
            match part {
                Part::Dilated(shape, chunks) => {
                    let product = MeanDilatation(Product(law));
                    compute(&mut chunks[range], fields, history, elements, |elements, chunk, history| {
                        elements.compute_columns(chunk, shape, &product, history);
                    });
                }
                Part::OnePoint(shape, chunks) => {
                    let product = OnePoint(Product(law));
                    compute(&mut chunks[range], fields, history, elements, |elements, chunk, history| {
                        elements.compute_columns(chunk, &**shape, &product, history);
                    });
                }
                part => compute_map(part, range, &OfLaw(law), fields, history, elements),
            }
        })
    }

    /// Replaces the blocks of the matrix by the tangent of a map of points.
    pub(super) fn assemble<'l, const N: usize, L: Sync, M: PointTangent<N> + 'l>(
        &mut self,
        internal: &mut InternalForce,
        laws: &'l [L],
        map: impl Fn(&'l L) -> M + Sync,
        fields: [&[f64]; N],
        history: &History,
        values: &mut [[f64; 9]],
    ) -> Result<(), SweepError> {
        self.run(internal, laws, fields, history, values, |part, law, range, fields, history, elements| {
            compute_map(part, range, &map(law), fields, history, elements);
        })
    }

    /// Element tangents of all rounds by a function for each, and their sums.
    fn run<'l, const N: usize, L: Sync, F>(
        &mut self,
        internal: &mut InternalForce,
        laws: &'l [L],
        fields: [&[f64]; N],
        history: &History,
        values: &mut [[f64; 9]],
        compute: F,
    ) -> Result<(), SweepError>
    where
        F: Fn(&mut Part, &'l L, Range<usize>, Fields<'_, N>, &[ChunkHistory], &mut [ElementTangents]),
    {
        internal.check_count(laws.len());
        fields.iter().for_each(|field| assert_eq!(field.len(), internal.n_dofs(), "one number a dof"));
        internal.hanging.expand(&fields);
        values.par_chunks_mut(BLOCKS_PER_TASK).for_each(|values| values.fill([0.0; 9]));
        let Self { rounds, elements } = self;
        for round in rounds.iter() {
            let history = &history.blocks[round.block][round.chunks.clone()];
            let fields = Fields { at_points: fields.map(|f| f.as_chunks().0), hanging: &internal.hanging };
            let part = &mut internal.blocks[round.block];
            compute(part, &laws[round.block], round.chunks.clone(), fields, history, elements);
            add(&round.targets, 0, values, elements);
        }
        internal.check_dets()
    }
}

/// Groups of a block that are computed together, and the entries of their blocks.
#[derive(Debug, Clone)]
struct Round {
    block: usize,
    chunks: Range<usize>,
    /// In the order of the entries.
    targets: Vec<Target>,
}

/// The entry of a block.
#[derive(Debug, Clone, Copy)]
struct Target {
    /// Entry of the matrix.
    entry: u32,
    /// Number of the block in the group.
    block: u32,
    /// Group in the round.
    chunk: u16,
    form: Form,
}

/// The form in which a block K_ij is added to an entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Form {
    AsIs,
    Transposed,
    /// As it is and transposed.
    Both,
}

/// The entry of a matrix of blocks that belongs to a pair of points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) number: usize,
    pub(super) form: Form,
}

/// Element tangents of the groups of a round.
fn compute<const A: usize, const N: usize>(
    chunks: &mut [Chunk<A>],
    fields: Fields<'_, N>,
    history: &[ChunkHistory],
    elements: &mut [ElementTangents],
    of_chunk: impl Fn(&mut ElementTangents, &mut Chunk<A>, &ChunkHistory) + Sync,
) {
    let tasks = chunks.par_iter_mut().zip(history).zip(elements);
    tasks.for_each(|((chunk, history), elements)| {
        chunk.load(fields);
        of_chunk(elements, chunk, history);
    });
}

/// Element tangents of the groups of a round by a map of points.
fn compute_map<const N: usize, M: PointTangent<N>>(
    part: &mut Part,
    range: Range<usize>,
    map: &M,
    fields: Fields<'_, N>,
    history: &[ChunkHistory],
    elements: &mut [ElementTangents],
) {
    let is_by_points = matches!(part, Part::Lagrange(..) | Part::Spline(..));
    assert!(is_by_points, "a map of points is for cells whose points are independent");
    of_shape!(part, shape, chunks => {
        compute(&mut chunks[range], fields, history, elements, |elements, chunk, history| {
            elements.compute(chunk, shape, map, history);
        });
    });
}

/// The rounds of a block; `elements` gets memory for the largest.
fn rounds_of<const A: usize, S: Shape<A>>(
    block: usize,
    shape: &S,
    chunks: &[Chunk<A>],
    pairs: Pairs,
    find: &impl Fn(usize, usize) -> Entry,
    elements: &mut Vec<ElementTangents>,
) -> Vec<Round> {
    let n = shape.n_nodes();
    let most_cells = chunks.iter().map(Chunk::n_cells).max().unwrap_or(0);
    let bytes = size_of::<[f64; 9]>() * pairs.count(n) * most_cells.max(1);
    let per_round = (BYTES_OF_ROUND / bytes).clamp(1, usize::from(u16::MAX));
    for slot in 0..per_round.min(chunks.len()) {
        let new = ElementTangents::new(pairs, n, most_cells);
        match elements.get_mut(slot) {
            Some(old) => old.grow(new),
            None => elements.push(new),
        }
    }
    let ranges =
        (0..chunks.len()).step_by(per_round).map(|start| start..(start + per_round).min(chunks.len()));
    ranges
        .map(|range| {
            let targets = targets(&chunks[range.clone()], n, pairs, find);
            Round { block, chunks: range, targets }
        })
        .collect()
}

/// The entries of the blocks of some groups, ascending.
fn targets<const A: usize>(
    chunks: &[Chunk<A>],
    n: usize,
    pairs: Pairs,
    find: &impl Fn(usize, usize) -> Entry,
) -> Vec<Target> {
    let mut targets = Vec::new();
    for (i_chunk, chunk) in (0..).zip(chunks) {
        let mut block = 0;
        for (i_batch, batch) in chunk.batches.iter().enumerate() {
            let places = &chunk.places[n * i_batch..n * (i_batch + 1)];
            for lane in 0..batch.n_cells {
                let id = |k: usize| chunk.points[places[k][lane] as usize] as usize;
                for j in 0..n {
                    for i in pairs.first(j)..n {
                        let Entry { number, form } = find(id(i), id(j));
                        // Two functions of a collapsed cell share a point: the pair (j, i) is not computed,
                        // and falls on the diagonal too.
                        let is_both = pairs == Pairs::Lower && i != j && id(i) == id(j);
                        let form = if is_both { Form::Both } else { form };
                        targets.push(Target { entry: number as u32, block, chunk: i_chunk, form });
                        block += 1;
                    }
                }
            }
        }
    }
    // Stable: blocks of one entry stay in the order of the cells.
    targets.par_sort_by_key(|target| target.entry);
    targets
}

/// Adds blocks to the entries from `first` on, halves of the targets in parallel.
fn add(targets: &[Target], first: usize, values: &mut [[f64; 9]], elements: &[ElementTangents]) {
    let mut middle = targets.len() / 2;
    if targets.len() > BLOCKS_PER_TASK {
        // Both halves end where an entry ends.
        while middle < targets.len() && targets[middle].entry == targets[middle - 1].entry {
            middle += 1;
        }
        if middle < targets.len() {
            let (low, high) = targets.split_at(middle);
            let boundary = high[0].entry as usize;
            let (of_low, of_high) = values.split_at_mut(boundary - first);
            rayon::join(|| add(low, first, of_low, elements), || add(high, boundary, of_high, elements));
            return;
        }
    }
    for target in targets {
        let sum = &mut values[target.entry as usize - first];
        let block = &elements[usize::from(target.chunk)].blocks[target.block as usize];
        if target.form != Form::Transposed {
            (0..9).for_each(|k| sum[k] += block[k]);
        }
        if target.form != Form::AsIs {
            (0..9).for_each(|k| sum[k] += block[3 * (k % 3) + k / 3]);
        }
    }
}
