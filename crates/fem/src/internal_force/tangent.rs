//! The assembled tangent over a fixed sparsity pattern.
//!
//! Groups of cells are computed in rounds of bounded memory. Where each block of an element tangent goes is
//! found once; each entry of the matrix is the sum of its blocks in the order of the cells, whatever the
//! threads.

use std::ops::Range;
use std::sync::Arc;

use carom_linalg::{BlockMatrix, NodeGraph, NodeMatrix};
use carom_progress::Silent;
use rayon::prelude::*;

use super::chunk::{Chunk, Fields, Shape};
use super::elements::{ElementTangents, n_pairs};
use super::history::{ChunkHistory, History};
use super::point_map::{OfLaw, PointTangent};
use super::{InternalForce, Part, SweepError};
use crate::Discretisation;
use crate::assembly::{AssemblyError, SystemMatrices, without_hanging};
use crate::constitutive::Law;
use crate::coupling::node_graph;

/// Bytes of element tangents in memory at once, if a single group does not need more.
const BYTES_OF_ROUND: usize = 32 << 20;
/// Blocks that one task adds.
const BLOCKS_PER_TASK: usize = 8192;

/// The assembly of tangents of one body: sparsity pattern and memory.
#[derive(Debug, Clone)]
pub struct TangentAssembly {
    /// Pattern of the points and hanging points.
    graph: Arc<NodeGraph>,
    rounds: Vec<Round>,
    elements: Vec<ElementTangents>,
    /// Of a body with hanging points: the body, the pattern of its points, and the matrix with hanging
    /// points.
    hanging: Option<Box<(Discretisation, Arc<NodeGraph>, SystemMatrices)>>,
}

/// Groups of a block that are computed together, and where their blocks go.
#[derive(Debug, Clone)]
struct Round {
    block: usize,
    chunks: Range<usize>,
    /// In the order of the entries.
    targets: Vec<Target>,
}

/// Where a block goes.
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

/// How a block K_ij goes to the entry of (larger point, smaller point).
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    AsIs,
    Transposed,
    /// Two functions of a collapsed cell share a point: the pair (j, i) falls on the diagonal too.
    Both,
}

impl TangentAssembly {
    /// Finds the sparsity pattern of a body, and where each element tangent goes.
    ///
    /// # Errors
    ///
    /// [`AssemblyError::Graph`] if the points cannot be numbered.
    pub fn new(discretisation: &Discretisation, internal: &InternalForce) -> Result<Self, AssemblyError> {
        let (graph, hanging) = if discretisation.hanging.is_empty() {
            (Arc::new(node_graph(discretisation)?), None)
        } else {
            let graph = Arc::new(node_graph(&discretisation.with_free_hanging_points())?);
            let zeros = SystemMatrices {
                stiffness: BlockMatrix::zeros(Arc::clone(&graph)),
                mass: NodeMatrix::zeros(Arc::clone(&graph)),
            };
            let own = Arc::new(node_graph(discretisation)?);
            (graph, Some(Box::new((discretisation.clone(), own, zeros))))
        };
        let mut rounds = Vec::new();
        let mut elements: Vec<ElementTangents> = Vec::new();
        for (block, part) in internal.blocks.iter().enumerate() {
            let found = match part {
                Part::Lagrange(shape, chunks) => rounds_of(block, shape, chunks, &graph, &mut elements),
                Part::Spline(shape, chunks) => rounds_of(block, &**shape, chunks, &graph, &mut elements),
            };
            rounds.extend(found);
        }
        Ok(Self { graph, rounds, elements, hanging })
    }

    /// The zero matrix over the pattern, for [`TangentAssembly::assemble`].
    pub fn matrix(&self) -> BlockMatrix {
        let graph = self.hanging.as_ref().map_or(&self.graph, |hanging| &hanging.1);
        BlockMatrix::zeros(Arc::clone(graph))
    }

    /// Assembles the tangent ∂f/∂u of symmetric laws \[N/m\].
    ///
    /// Nothing is allocated, but for bodies with hanging points.
    ///
    /// * `internal` — that of [`TangentAssembly::new`]
    /// * `u` — displacement of all points \[m\]
    /// * `matrix` — made by [`TangentAssembly::matrix`]; overwritten
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`]; the matrix is not to be used then.
    ///
    /// # Panics
    ///
    /// If a law is not symmetric, or an argument belongs to another body.
    pub fn assemble<L: Law>(
        &mut self,
        internal: &mut InternalForce,
        laws: &[L],
        u: &[f64],
        history: &History,
        matrix: &mut BlockMatrix,
    ) -> Result<(), SweepError> {
        assert!(laws.iter().all(Law::is_symmetric), "a symmetric matrix holds tangents of symmetric laws");
        self.assemble_map(internal, laws, |law| OfLaw(law), [u], history, matrix)
    }

    /// Assembles a tangent that the scheme defines: Σ ∫ ∂R_i/∂X · A · ∂R_j/∂X dV with A from a map of the
    /// gradients of N fields.
    ///
    /// # Errors
    ///
    /// As [`TangentAssembly::assemble`].
    ///
    /// # Panics
    ///
    /// If an argument belongs to another body.
    pub fn assemble_map<'l, const N: usize, L: Sync, M: PointTangent<N> + 'l>(
        &mut self,
        internal: &mut InternalForce,
        laws: &'l [L],
        map: impl Fn(&'l L) -> M + Sync,
        fields: [&[f64]; N],
        history: &History,
        matrix: &mut BlockMatrix,
    ) -> Result<(), SweepError> {
        internal.check_count(laws.len());
        fields.iter().for_each(|field| assert_eq!(field.len(), internal.n_dofs(), "one number a dof"));
        internal.hanging.expand(&fields);
        let Self { graph, rounds, elements, hanging } = self;
        let values = match hanging {
            Some(hanging) => &mut hanging.2.stiffness.values,
            None => &mut matrix.values,
        };
        assert_eq!(values.len(), graph.n_entries(), "the matrix was made by the assembly");
        values.par_chunks_mut(BLOCKS_PER_TASK).for_each(|values| values.fill([0.0; 9]));
        for round in rounds.iter() {
            let map = map(&laws[round.block]);
            let history = &history.blocks[round.block][round.chunks.clone()];
            let fields = Fields { at_points: fields.map(|f| f.as_chunks().0), hanging: &internal.hanging };
            match &mut internal.blocks[round.block] {
                Part::Lagrange(shape, chunks) => {
                    compute(&mut chunks[round.chunks.clone()], shape, &map, fields, history, elements);
                }
                Part::Spline(shape, chunks) => {
                    compute(&mut chunks[round.chunks.clone()], &**shape, &map, fields, history, elements);
                }
            }
            add(&round.targets, 0, values, elements);
        }
        internal.check_dets()?;
        if let Some(hanging) = hanging {
            let (discretisation, graph, free) = &**hanging;
            let folded = without_hanging(discretisation, NodeGraph::clone(graph), free, &Silent)
                .expect("nobody interrupts");
            matrix.values.copy_from_slice(&folded.stiffness.values);
        }
        Ok(())
    }
}

/// Element tangents of the groups of a round.
fn compute<const A: usize, const N: usize, S: Shape<A>, M: PointTangent<N>>(
    chunks: &mut [Chunk<A>],
    shape: &S,
    map: &M,
    fields: Fields<'_, N>,
    history: &[ChunkHistory],
    elements: &mut [ElementTangents],
) {
    let tasks = chunks.par_iter_mut().zip(history).zip(elements);
    tasks.for_each(|((chunk, history), elements)| {
        chunk.load(fields);
        elements.compute(chunk, shape, map, history);
    });
}

/// The rounds of a block; `elements` gets memory for the largest.
fn rounds_of<const A: usize, S: Shape<A>>(
    block: usize,
    shape: &S,
    chunks: &[Chunk<A>],
    graph: &NodeGraph,
    elements: &mut Vec<ElementTangents>,
) -> Vec<Round> {
    let n = shape.n_nodes();
    let most_cells = chunks.iter().map(Chunk::n_cells).max().unwrap_or(0);
    let bytes = size_of::<[f64; 9]>() * n_pairs(n) * most_cells.max(1);
    let per_round = (BYTES_OF_ROUND / bytes).clamp(1, usize::from(u16::MAX));
    for slot in 0..per_round.min(chunks.len()) {
        let new = ElementTangents::new(n, most_cells);
        match elements.get_mut(slot) {
            Some(old) => old.grow(new),
            None => elements.push(new),
        }
    }
    let ranges =
        (0..chunks.len()).step_by(per_round).map(|start| start..(start + per_round).min(chunks.len()));
    ranges
        .map(|range| {
            let targets = targets(&chunks[range.clone()], n, graph);
            Round { block, chunks: range, targets }
        })
        .collect()
}

/// Where the blocks of some groups go, by entries.
fn targets<const A: usize>(chunks: &[Chunk<A>], n: usize, graph: &NodeGraph) -> Vec<Target> {
    let mut targets = Vec::new();
    for (i_chunk, chunk) in (0..).zip(chunks) {
        let mut block = 0;
        for (i_batch, batch) in chunk.batches.iter().enumerate() {
            let places = &chunk.places[n * i_batch..n * (i_batch + 1)];
            for lane in 0..batch.n_cells {
                let id = |k: usize| chunk.points[places[k][lane] as usize] as usize;
                for j in 0..n {
                    for i in j..n {
                        let (row, column) = (id(i), id(j));
                        let entry = graph.find(row, column).expect("points of a cell couple") as u32;
                        let form = match row.cmp(&column) {
                            std::cmp::Ordering::Less => Form::Transposed,
                            std::cmp::Ordering::Equal if i != j => Form::Both,
                            _ => Form::AsIs,
                        };
                        targets.push(Target { entry, block, chunk: i_chunk, form });
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
