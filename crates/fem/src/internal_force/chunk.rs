//! A group of neighbouring cells of one kind: its points, its batches, and the kernel of a sweep.

use std::ops::Range;

use carom_mesh::CellRef;
use pulp::{Arch, Simd, WithSimd};

use super::MAX_FIELDS;
use super::cell_map::{CellMap, CellPoints, PointMemory};
use super::gather::Hanging;
use super::groups::groups;
use super::history::ChunkHistory;
use super::maps::{Local, PointMaps};
use super::one_point::CellAxes;
use super::shape::{Mapped, Shape, Stages};
use crate::assembly::AssemblyError;
use crate::constitutive::{LANES, Lanes, ZERO, lanes};
use crate::{CellBasis, CellEvaluator, Discretisation};

/// Largest number of cells of a group; cells with many points have smaller groups.
const MAX_CELLS: usize = 256;
const MAX_CELL_POINTS: usize = 2048;

/// Displacement fields that a sweep reads.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a, const N: usize> {
    pub(super) at_points: [&'a [[f64; 3]]; N],
    pub(super) hanging: &'a Hanging,
}

/// Some cells side by side; lanes beyond the end repeat the last cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Batch {
    pub(super) cells: [u32; LANES],
    pub(super) n_cells: usize,
}

/// A group of cells.
#[derive(Debug, Clone)]
pub(super) struct Chunk<const A: usize> {
    /// Body points, ascending; hanging ones have numbers from n_points on.
    pub(super) points: Vec<u32>,
    pub(super) batches: Vec<Batch>,
    /// Place in `points` of the points of each batch.
    pub(super) places: Vec<[u32; LANES]>,
    /// Weights of the points of each batch; empty if all are 1.
    pub(super) weights: Vec<Lanes>,
    /// The maps at the quadrature points of each batch.
    pub(super) maps: Vec<PointMaps<A>>,
    /// Axes of each batch of cells with one point; empty for others.
    pub(super) axes: Vec<CellAxes>,
    /// Results of the last sweep: force at each of the points, integral, smallest det F with its cell.
    pub(super) force: Vec<[f64; 3]>,
    pub(super) integral: f64,
    pub(super) least_det: (f64, u32),
    pub(super) work: Work<A>,
}

/// Work space for a batch.
#[derive(Debug, Clone)]
pub(super) struct Work<const A: usize> {
    /// The fields at the points of the group.
    fields: [Vec<[f64; 3]>; MAX_FIELDS],
    pub(super) nodal: Vec<[Lanes; 3]>,
    pub(super) local: [Vec<Local<A>>; MAX_FIELDS],
    memory: Vec<PointMemory>,
    pub(super) stages: Stages,
}

/// The groups of a block, with the maps of all cells.
pub(super) fn chunks<const A: usize, S: Shape<A>>(
    discretisation: &Discretisation,
    i_block: usize,
    shape: &S,
) -> Result<Vec<Chunk<A>>, AssemblyError> {
    let most = (MAX_CELL_POINTS / shape.n_nodes()).clamp(LANES, MAX_CELLS) / LANES * LANES;
    let mut chunks = Vec::new();
    for group in groups(discretisation, i_block, most) {
        let mut chunk = Chunk::new(discretisation, i_block, shape, &group);
        chunk.find_maps(discretisation, i_block, shape)?;
        chunks.push(chunk);
    }
    Ok(chunks)
}

impl<const A: usize> Chunk<A> {
    fn new<S: Shape<A>>(d: &Discretisation, i_block: usize, shape: &S, cells: &[u32]) -> Self {
        let (block, n) = (&d.blocks[i_block], shape.n_nodes());
        let mut ids = vec![0; n * cells.len()];
        let mut weights = vec![1.0; n * cells.len()];
        for (k, &cell) in cells.iter().enumerate() {
            let basis = block.basis(cell as usize);
            basis.point_ids_into(&mut ids[n * k..n * (k + 1)]);
            weights_into(basis, &mut weights[n * k..n * (k + 1)]);
        }
        let mut points = ids.clone();
        points.sort_unstable();
        points.dedup();
        let place = |id: u32| points.binary_search(&id).expect("the list has the points of all cells") as u32;
        let (mut batches, mut places, mut lane_weights) = (Vec::new(), Vec::new(), Vec::new());
        for (k, cells) in cells.chunks(LANES).enumerate() {
            let lane = |l: usize| l.min(cells.len() - 1);
            batches.push(Batch { cells: std::array::from_fn(|l| cells[lane(l)]), n_cells: cells.len() });
            for i in 0..n {
                let at = |l: usize| n * (LANES * k + lane(l)) + i;
                places.push(std::array::from_fn(|l| place(ids[at(l)])));
                lane_weights.push(lanes(|l| weights[at(l)]));
            }
        }
        if weights.iter().all(|&w| w == 1.0) {
            lane_weights.clear();
        }
        let (n_points, n_quadrature) = (points.len(), shape.n_points());
        Self {
            points,
            batches,
            places,
            weights: lane_weights,
            maps: Vec::new(),
            axes: Vec::new(),
            force: vec![[0.0; 3]; n_points],
            integral: 0.0,
            least_det: (f64::INFINITY, 0),
            work: Work {
                fields: std::array::from_fn(|_| vec![[0.0; 3]; n_points]),
                nodal: vec![[ZERO; 3]; n],
                local: std::array::from_fn(|_| vec![[[ZERO; 3]; A]; n_quadrature]),
                memory: vec![PointMemory::ZERO; n_quadrature],
                stages: shape.stages(),
            },
        }
    }

    /// Number of the batch of a cell of the block, and its lane; none if it is in another group.
    pub(super) fn place_of(&self, cell: u32) -> Option<[usize; 2]> {
        let lane_in = |batch: &Batch| batch.cells[..batch.n_cells].iter().position(|own| *own == cell);
        self.batches.iter().enumerate().find_map(|(k, batch)| Some([k, lane_in(batch)?]))
    }

    /// Number of cells.
    pub(super) fn n_cells(&self) -> usize {
        self.batches.iter().map(|batch| batch.n_cells).sum()
    }

    /// The maps of all batches, from the coordinates of the points.
    fn find_maps<S: Shape<A>>(
        &mut self,
        discretisation: &Discretisation,
        i_block: usize,
        shape: &S,
    ) -> Result<(), AssemblyError> {
        for (k, &id) in self.points.iter().enumerate() {
            self.work.fields[0][k] = discretisation.value(id, &discretisation.points);
            self.work.fields[1][k] = [1.0, 0.0, 0.0];
        }
        for i_batch in 0..self.batches.len() {
            let batch = self.batches[i_batch];
            shape.enter(&batch.cells, &mut self.work.stages);
            self.local_gradients(shape, i_batch, 0);
            self.local_gradients(shape, i_batch, 1);
            for point in 0..shape.n_points() {
                let [coordinates, ones, ..] = &self.work.local;
                let Mapped { mut maps, det } = shape.map(point, &coordinates[point], &ones[point]);
                // A NaN is rejected too.
                if let Some(lane) = (0..LANES).find(|&l| !(det[l] > 0.0 && det[l].is_finite())) {
                    let cell = CellRef { block: i_block as u32, cell: batch.cells[lane] };
                    return Err(inverted(discretisation, cell, shape.xi(point), det[lane]));
                }
                maps.volume[batch.n_cells..].fill(0.0);
                self.maps.push(maps);
            }
            self.axes.extend(shape.axes(&self.work.local[0][0]));
        }
        Ok(())
    }

    /// Derivatives of a field at the points of a batch.
    #[inline(always)]
    pub(super) fn local_gradients<S: Shape<A>>(&mut self, shape: &S, i_batch: usize, i_field: usize) {
        let n = shape.n_nodes();
        let places = &self.places[n * i_batch..n * (i_batch + 1)];
        let Work { fields, nodal, local, stages, .. } = &mut self.work;
        let field = &fields[i_field];
        for (u, places) in nodal.iter_mut().zip(places) {
            for l in 0..LANES {
                let value = &field[places[l] as usize];
                for a in 0..3 {
                    u[a][l] = value[a];
                }
            }
        }
        if !self.weights.is_empty() {
            scale(nodal, &self.weights[n * i_batch..n * (i_batch + 1)]);
        }
        shape.gradients(nodal, &mut local[i_field], stages);
    }

    /// Adds the forces of the stresses in `local[0]`.
    #[inline(always)]
    fn add_forces<S: Shape<A>>(&mut self, shape: &S, i_batch: usize) {
        let n = shape.n_nodes();
        let Work { nodal, local, stages, .. } = &mut self.work;
        shape.forces(&local[0], nodal, stages);
        if !self.weights.is_empty() {
            scale(nodal, &self.weights[n * i_batch..n * (i_batch + 1)]);
        }
        let n_cells = self.batches[i_batch].n_cells;
        for (places, f) in self.places[n * i_batch..n * (i_batch + 1)].iter().zip(nodal) {
            for l in 0..n_cells {
                let sum = &mut self.force[places[l] as usize];
                for a in 0..3 {
                    sum[a] += f[a][l];
                }
            }
        }
    }

    /// Copies the fields at the points of the group.
    pub(super) fn load<const N: usize>(&mut self, fields: Fields<'_, N>) {
        for (i_field, values) in fields.at_points.iter().enumerate() {
            for (to, &id) in self.work.fields[i_field].iter_mut().zip(&self.points) {
                *to = fields.hanging.value(id, i_field, values);
            }
        }
    }

    /// One sweep over the cells of the group.
    pub(super) fn sweep<const N: usize, S: Shape<A>, M: CellMap<A, N>>(
        &mut self,
        shape: &S,
        map: &M,
        fields: Fields<'_, N>,
        history: &mut ChunkHistory,
        has_force: bool,
    ) {
        self.load(fields);
        self.force.fill([0.0; 3]);
        Arch::new().dispatch(Sweep::<A, N, S, M> { chunk: self, shape, map, history, has_force });
    }
}

/// A sweep with the widest vectors that the processor has.
struct Sweep<'a, const A: usize, const N: usize, S, M> {
    chunk: &'a mut Chunk<A>,
    shape: &'a S,
    map: &'a M,
    history: &'a mut ChunkHistory,
    has_force: bool,
}

impl<const A: usize, const N: usize, S: Shape<A>, M: CellMap<A, N>> WithSimd for Sweep<'_, A, N, S, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) {
        let Self { chunk, shape, map, history, has_force } = self;
        let is_checked = map.checked_field().is_some();
        let mut integral = ZERO;
        chunk.least_det = (f64::INFINITY, 0);
        for i_batch in 0..chunk.batches.len() {
            shape.enter(&chunk.batches[i_batch].cells, &mut chunk.work.stages);
            for i_field in 0..N {
                chunk.local_gradients(shape, i_batch, i_field);
            }
            let mut least = [f64::INFINITY; LANES];
            let range = chunk.history_range(shape, i_batch, history.n);
            let (old, new) = (&history.old[range.clone()], &mut history.new[range]);
            let points = chunk.cell_points(shape, i_batch, (old, new), &mut least, has_force);
            let own = map.apply(points);
            (0..LANES).for_each(|l| integral[l] += own[l]);
            if is_checked {
                chunk.note_least(i_batch, &least);
            }
            if has_force {
                chunk.add_forces(shape, i_batch);
            }
        }
        chunk.integral = integral.iter().sum();
    }
}

impl<const A: usize> Chunk<A> {
    /// The history variables of the points of a batch.
    #[inline(always)]
    pub(super) fn history_range<S: Shape<A>>(&self, shape: &S, i_batch: usize, n: usize) -> Range<usize> {
        n * shape.n_points() * i_batch..n * shape.n_points() * (i_batch + 1)
    }

    /// The points of a batch whose gradients have been computed.
    ///
    /// * `history` — of these points: accepted and present
    #[inline(always)]
    pub(super) fn cell_points<'a, S: Shape<A>>(
        &'a mut self,
        shape: &S,
        i_batch: usize,
        (old, new): (&'a [Lanes], &'a mut [Lanes]),
        least: &'a mut Lanes,
        has_force: bool,
    ) -> CellPoints<'a, A> {
        let n_points = shape.n_points();
        CellPoints {
            maps: &self.maps[n_points * i_batch..n_points * (i_batch + 1)],
            axes: self.axes.get(i_batch),
            local: &mut self.work.local,
            memory: &mut self.work.memory,
            n_history: old.len() / n_points,
            old,
            new,
            least,
            has_force,
        }
    }

    pub(super) fn note_least(&mut self, i_batch: usize, least: &Lanes) {
        let batch = &self.batches[i_batch];
        for l in 0..batch.n_cells {
            // A NaN is kept.
            if (least[l] < self.least_det.0 || least[l].is_nan()) && !self.least_det.0.is_nan() {
                self.least_det = (least[l], batch.cells[l]);
            }
        }
    }
}

/// Lowers the smallest det F to 1 + `change`.
#[inline(always)]
pub(super) fn lower(least: &mut Lanes, change: &Lanes) {
    for l in 0..LANES {
        // A NaN replaces the smallest value.
        least[l] = if 1.0 + change[l] >= least[l] { least[l] } else { 1.0 + change[l] };
    }
}

/// Weights of the functions of a cell; those of mesh cells are 1.
fn weights_into(basis: CellBasis<'_>, weights: &mut [f64]) {
    let CellBasis::Spline { cells, span } = basis else { return };
    let first = [0, 1, 2].map(|d| cells.lines[d][span[d]].first);
    let [n_x, n_y, _] = cells.degrees.map(|p| p + 1);
    for (k, weight) in weights.iter_mut().enumerate() {
        let [i, j, l] = [first[0] + k % n_x, first[1] + k / n_x % n_y, first[2] + k / (n_x * n_y)];
        *weight = cells.weights[i + cells.n_functions[0] * (j + cells.n_functions[1] * l)];
    }
}

#[inline(always)]
fn scale(nodal: &mut [[Lanes; 3]], weights: &[Lanes]) {
    for (u, w) in nodal.iter_mut().zip(weights) {
        for a in 0..3 {
            for l in 0..LANES {
                u[a][l] *= w[l];
            }
        }
    }
}

fn inverted(discretisation: &Discretisation, cell: CellRef, xi: [f64; 3], det: f64) -> AssemblyError {
    let mut evaluator = CellEvaluator::new(discretisation);
    evaluator.enter(cell);
    AssemblyError::InvertedCell { cell, xi, position: evaluator.at(xi).position, det }
}
