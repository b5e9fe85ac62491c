//! Element tangents of a group of cells.

use pulp::{Arch, Simd, WithSimd};

use super::chunk::{Chunk, Shape, lower};
use super::history::ChunkHistory;
use super::point_map::PointTangent;
use crate::constitutive::{LANES, Lanes, Tangent, Tensor, ZERO, lanes, volume_change};

/// Element tangents of the cells of a group, and memory for them.
#[derive(Debug, Clone, Default)]
pub(super) struct ElementTangents {
    /// Cell after cell the blocks K_ij, j = 0.., i = j.., of the pairs of its points.
    pub(super) blocks: Vec<[f64; 9]>,
    slopes: Vec<[Lanes; 3]>,
    pairs: Vec<[Lanes; 9]>,
}

/// Pairs i ≥ j of n points.
pub(super) fn n_pairs(n: usize) -> usize {
    n * (n + 1) / 2
}

impl ElementTangents {
    /// Memory for groups of at most `n_cells` cells of n points.
    pub(super) fn new(n: usize, n_cells: usize) -> Self {
        Self {
            blocks: Vec::with_capacity(n_pairs(n) * n_cells),
            slopes: vec![[ZERO; 3]; n],
            pairs: vec![[ZERO; 9]; n_pairs(n)],
        }
    }

    /// Keeps the larger of two memories, each for cells of one kind.
    pub(super) fn grow(&mut self, other: Self) {
        if other.blocks.capacity() > self.blocks.capacity() {
            self.blocks = other.blocks;
        }
        if other.slopes.len() > self.slopes.len() {
            (self.slopes, self.pairs) = (other.slopes, other.pairs);
        }
    }

    /// Computes the tangents of all cells of a group at the fields that it has loaded.
    pub(super) fn compute<const A: usize, const N: usize, S: Shape<A>, M: PointTangent<N>>(
        &mut self,
        chunk: &mut Chunk<A>,
        shape: &S,
        map: &M,
        history: &ChunkHistory,
    ) {
        Arch::new().dispatch(Compute::<A, N, S, M> { elements: self, chunk, shape, map, history });
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
            for (left, pair) in slopes[j..].iter().zip(pairs.by_ref()) {
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
    fn with_simd<V: Simd>(self, _: V) {
        let Self { elements, chunk, shape, map, history } = self;
        let (n, n_points) = (shape.n_nodes(), shape.n_points());
        let checked = map.checked_field();
        chunk.least_det = (f64::INFINITY, 0);
        elements.blocks.clear();
        for i_batch in 0..chunk.batches.len() {
            shape.enter(&chunk.batches[i_batch].cells, &mut chunk.work.stages);
            for i_field in 0..N {
                chunk.local_gradients(shape, i_batch, i_field);
            }
            let mut least = [f64::INFINITY; LANES];
            elements.pairs.fill([ZERO; 9]);
            for point in 0..n_points {
                let place = n_points * i_batch + point;
                let maps = &chunk.maps[place];
                let local = &chunk.work.local;
                let gradients: [Tensor; N] = std::array::from_fn(|field| maps.gradient(&local[field][point]));
                if let Some(field) = checked {
                    lower(&mut least, &volume_change(&gradients[field]));
                }
                let mut tangent = [[ZERO; 9]; 9];
                map.apply(&gradients, &history.old[history.n * place..history.n * (place + 1)], &mut tangent);
                shape.functions(point, maps, &chunk.work.stages, &mut elements.slopes[..n]);
                if !chunk.weights.is_empty() {
                    let weights = &chunk.weights[n * i_batch..n * (i_batch + 1)];
                    for (slope, weight) in elements.slopes[..n].iter_mut().zip(weights) {
                        *slope = slope.map(|s| lanes(|l| s[l] * weight[l]));
                    }
                }
                elements.add_point(n, &tangent, &maps.volume);
            }
            if checked.is_some() {
                chunk.note_least(i_batch, &least);
            }
            for l in 0..chunk.batches[i_batch].n_cells {
                let blocks =
                    elements.pairs[..n_pairs(n)].iter().map(|pair| std::array::from_fn(|k| pair[k][l]));
                elements.blocks.extend(blocks);
            }
        }
    }
}
