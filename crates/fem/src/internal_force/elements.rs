//! Element tangents of a group of cells.

use pulp::{Arch, Simd, WithSimd};

use super::cell_map::CellMap;
use super::chunk::{Chunk, Work, lower};
use super::history::ChunkHistory;
use super::line_tangent::LineTangent;
use super::pairs::Pairs;
use super::point_map::PointTangent;
use super::shape::Shape;
use crate::constitutive::{LANES, Lanes, Tangent, Tensor, ZERO, lanes, volume_change};

/// Element tangents of the cells of a group, and memory for them.
#[derive(Debug, Clone)]
pub(super) struct ElementTangents {
    kinds: Pairs,
    /// Cell after cell the blocks K_ij of the pairs of its points.
    pub(super) blocks: Vec<[f64; 9]>,
    slopes: Vec<[Lanes; 3]>,
    pairs: Vec<[Lanes; 9]>,
    lines: LineTangent,
    /// History variables of a batch that are written and not kept.
    unused: Vec<Lanes>,
}

impl ElementTangents {
    /// Memory for groups of at most `n_cells` cells of n points.
    pub(super) fn new(kinds: Pairs, n: usize, n_cells: usize) -> Self {
        Self {
            kinds,
            blocks: Vec::with_capacity(kinds.count(n) * n_cells),
            slopes: vec![[ZERO; 3]; n],
            pairs: vec![[ZERO; 9]; kinds.count(n)],
            lines: LineTangent::default(),
            unused: Vec::new(),
        }
    }

    /// Keeps the larger of two work spaces, each for cells of one kind.
    pub(super) fn grow(&mut self, other: Self) {
        if other.blocks.capacity() > self.blocks.capacity() {
            self.blocks = other.blocks;
        }
        if other.slopes.len() > self.slopes.len() {
            (self.slopes, self.pairs) = (other.slopes, other.pairs);
        }
    }

    /// Computes the tangents of all cells of a group at its loaded fields.
    pub(super) fn compute<const A: usize, const N: usize, S: Shape<A>, M: PointTangent<N>>(
        &mut self,
        chunk: &mut Chunk<A>,
        shape: &S,
        map: &M,
        history: &ChunkHistory,
    ) {
        Arch::new().dispatch(Compute::<A, N, S, M> { elements: self, chunk, shape, map, history });
    }

    /// Computes the tangents of all cells of a group at its loaded field, column by column, from the product
    /// of the tangent of a cell with a direction.
    pub(super) fn compute_columns<const A: usize, S: Shape<A>, M: CellMap<A, 2>>(
        &mut self,
        chunk: &mut Chunk<A>,
        shape: &S,
        product: &M,
        history: &ChunkHistory,
    ) {
        Arch::new().dispatch(Columns::<A, S, M> { elements: self, chunk, shape, product, history });
    }

    /// Appends the blocks of the cells of a batch.
    #[inline(always)]
    fn push_blocks(&mut self, n_pairs: usize, n_cells: usize) {
        for l in 0..n_cells {
            let blocks = self.pairs[..n_pairs].iter().map(|pair| std::array::from_fn(|k| pair[k][l]));
            self.blocks.extend(blocks);
        }
    }

    /// Adds the contribution of a quadrature point, with A dV: K_ij,ac += Σ_bd ∂_b R_i A_abcd ∂_d R_j.
    ///
    /// * `n` — points of a cell
    #[inline(always)]
    fn add_point(&mut self, n: usize, tangent: &Tangent, volume: &Lanes) {
        let slopes = &self.slopes[..n];
        let mut pairs = self.pairs.iter_mut();
        for (j, slope) in slopes.iter().enumerate() {
            let right: [[Lanes; 3]; 9] = std::array::from_fn(|ab| {
                std::array::from_fn(|c| {
                    let row = &tangent[ab];
                    lanes(|l| {
                        let sum = row[3 * c][l] * slope[0][l]
                            + row[3 * c + 1][l] * slope[1][l]
                            + row[3 * c + 2][l] * slope[2][l];
                        volume[l] * sum
                    })
                })
            });
            for (left, pair) in slopes[self.kinds.first(j)..].iter().zip(pairs.by_ref()) {
                for a in 0..3 {
                    for c in 0..3 {
                        for l in 0..LANES {
                            pair[3 * a + c][l] += left[0][l] * right[3 * a][c][l]
                                + left[1][l] * right[3 * a + 1][c][l]
                                + left[2][l] * right[3 * a + 2][c][l];
                        }
                    }
                }
            }
        }
    }
}

/// The computation with the widest vectors that the processor has.
struct Compute<'a, const A: usize, const N: usize, S, M> {
    elements: &'a mut ElementTangents,
    chunk: &'a mut Chunk<A>,
    shape: &'a S,
    map: &'a M,
    history: &'a ChunkHistory,
}

impl<const A: usize, const N: usize, S: Shape<A>, M: PointTangent<N>> WithSimd for Compute<'_, A, N, S, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: Simd>(mut self, _: V) {
        let n = self.shape.n_nodes();
        let n_pairs = self.elements.kinds.count(n);
        self.chunk.least_det = (f64::INFINITY, 0);
        self.elements.blocks.clear();
        for i_batch in 0..self.chunk.batches.len() {
            self.shape.enter(&self.chunk.batches[i_batch].cells, &mut self.chunk.work.stages);
            for i_field in 0..N {
                self.chunk.local_gradients(self.shape, i_batch, i_field);
            }
            let mut least = [f64::INFINITY; LANES];
            if self.shape.sizes().is_some() {
                self.by_lines(i_batch, &mut least);
            } else {
                self.by_points(i_batch, &mut least);
            }
            if self.map.checked_field().is_some() {
                self.chunk.note_least(i_batch, &least);
            }
            self.elements.push_blocks(n_pairs, self.chunk.batches[i_batch].n_cells);
        }
    }
}

impl<const A: usize, const N: usize, S: Shape<A>, M: PointTangent<N>> Compute<'_, A, N, S, M> {
    /// The tangent of the map at a point of a batch.
    #[inline(always)]
    fn tangent(&self, i_batch: usize, point: usize, least: &mut Lanes) -> Tangent {
        let place = self.shape.n_points() * i_batch + point;
        let maps = &self.chunk.maps[place];
        let local = &self.chunk.work.local;
        let gradients: [Tensor; N] = std::array::from_fn(|field| maps.gradient(&local[field][point]));
        if let Some(field) = self.map.checked_field() {
            lower(least, &volume_change(&gradients[field]));
        }
        let mut tangent = [[ZERO; 9]; 9];
        let n = self.history.n;
        self.map.apply(&gradients, &self.history.old[n * place..n * (place + 1)], &mut tangent);
        tangent
    }

    /// The pairs of a batch, point by point.
    #[inline(always)]
    fn by_points(&mut self, i_batch: usize, least: &mut Lanes) {
        let (n, n_points) = (self.shape.n_nodes(), self.shape.n_points());
        self.elements.pairs.fill([ZERO; 9]);
        for point in 0..n_points {
            let tangent = self.tangent(i_batch, point, least);
            let Self { elements, chunk, shape, .. } = self;
            let maps = &chunk.maps[n_points * i_batch + point];
            shape.functions(point, maps, &chunk.work.stages, &mut elements.slopes[..n]);
            if !chunk.weights.is_empty() {
                let weights = &chunk.weights[n * i_batch..n * (i_batch + 1)];
                for (slope, weight) in elements.slopes[..n].iter_mut().zip(weights) {
                    *slope = slope.map(|s| lanes(|l| s[l] * weight[l]));
                }
            }
            elements.add_point(n, &tangent, &maps.volume);
        }
    }

    /// The pairs of a batch, direction by direction.
    #[inline(always)]
    fn by_lines(&mut self, i_batch: usize, least: &mut Lanes) {
        let Some(sizes) = self.shape.sizes() else { return };
        let (points, kinds) = (sizes.q, self.elements.kinds);
        let (n, n_points) = (self.shape.n_nodes(), self.shape.n_points());
        self.elements.lines.resize(sizes, kinds);
        for place in 0..points[0] * points[1] {
            // The index of points runs fastest along ξ.
            let (s, r) = (place / points[1], place % points[1]);
            for t in 0..points[2] {
                let point = s + points[0] * (r + points[1] * t);
                let tangent = self.tangent(i_batch, point, least);
                let maps = &self.chunk.maps[n_points * i_batch + point];
                self.elements.lines.set_point(t, &tangent, maps);
            }
            self.elements.lines.sum_line(sizes, kinds, place, &self.chunk.work.stages);
        }
        let weights = &self.chunk.weights;
        let weights = if weights.is_empty() { weights } else { &weights[n * i_batch..n * (i_batch + 1)] };
        let ElementTangents { lines, pairs, .. } = &mut *self.elements;
        lines.sum_plane(sizes, kinds, &self.chunk.work.stages, weights, pairs);
    }
}

/// Columns of element tangents with the widest vectors that the processor has.
struct Columns<'a, const A: usize, S, M> {
    elements: &'a mut ElementTangents,
    chunk: &'a mut Chunk<A>,
    shape: &'a S,
    product: &'a M,
    history: &'a ChunkHistory,
}

impl<const A: usize, S: Shape<A>, M: CellMap<A, 2>> WithSimd for Columns<'_, A, S, M> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) {
        let Self { elements, chunk, shape, product, history } = self;
        let (n, kinds) = (shape.n_nodes(), elements.kinds);
        chunk.least_det = (f64::INFINITY, 0);
        elements.blocks.clear();
        elements.unused.resize(history.n * shape.n_points(), ZERO);
        for i_batch in 0..chunk.batches.len() {
            shape.enter(&chunk.batches[i_batch].cells, &mut chunk.work.stages);
            let mut least = [f64::INFINITY; LANES];
            for (j, c) in (0..3 * n).map(|k| (k / 3, k % 3)) {
                chunk.local_gradients(shape, i_batch, 0);
                let Work { nodal, local, stages, .. } = &mut chunk.work;
                nodal.fill([ZERO; 3]);
                nodal[j][c] = [1.0; LANES];
                shape.gradients(nodal, &mut local[1], stages);
                let old = &history.old[chunk.history_range(shape, i_batch, history.n)];
                let history = (old, &mut elements.unused[..]);
                product.apply(chunk.cell_points(shape, i_batch, history, &mut least, true));
                let Work { nodal, local, stages, .. } = &mut chunk.work;
                shape.forces(&local[0], nodal, stages);
                for i in kinds.first(j)..n {
                    let pair = &mut elements.pairs[kinds.place(n, i, j)];
                    (0..3).for_each(|a| pair[3 * a + c] = nodal[i][a]);
                }
            }
            if product.checked_field().is_some() {
                chunk.note_least(i_batch, &least);
            }
            elements.push_blocks(kinds.count(n), chunk.batches[i_batch].n_cells);
        }
    }
}
