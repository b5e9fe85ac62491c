//! Cauchy stress at the quadrature points of all cells, for pictures and files.

use carom_mesh::CellRef;
use rayon::prelude::*;
use thiserror::Error;

use super::chunk::{Chunk, Fields};
use super::history::ChunkHistory;
use super::shape::Shape;
use super::{InternalForce, Part, PointRule, dilatation, lagrange, of_chunks, of_shape};
use crate::constitutive::{LANES, Lanes, Law, Tensor, ZERO, cauchy_stress, lanes, volume_change};
use crate::internal_force::{History, SweepError};
use crate::quadrature::{Quadrature, QuadratureRule, spline_points};
use crate::stress::Stress;
use crate::{Cells, Discretisation};

/// Cauchy stress at the quadrature points of a body.
///
/// A scheme whose law keeps history computes it by [`InternalForce::cauchy_stress`] at the times of its
/// output; [`StressSites::from_points`](crate::StressSites::from_points) extrapolates it to nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct PointStress {
    /// Quadrature points of the cells.
    pub rule: PointRule,
    /// Block after block, cell after cell, point after point, in the order of
    /// [`quadrature_points`](PointStress::quadrature_points) \[Pa\].
    pub values: Vec<Stress>,
    /// First value of each block, and values of a cell.
    blocks: Vec<[usize; 2]>,
}

/// The number of stresses does not match the quadrature points of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error(
    "{found} stresses for the {expected} quadrature points of the body; they belong to another body or rule"
)]
pub struct PointCount {
    /// Number of stresses.
    pub found: usize,
    /// Number of quadrature points.
    pub expected: usize,
}

impl PointStress {
    /// Stresses that were stored with a result.
    ///
    /// * `values` — in the order of [`PointStress::values`] \[Pa\]
    ///
    /// # Errors
    ///
    /// [`PointCount`] if the body has another number of quadrature points.
    pub fn new(
        discretisation: &Discretisation,
        rule: PointRule,
        values: Vec<Stress>,
    ) -> Result<Self, PointCount> {
        let counts = discretisation
            .blocks
            .iter()
            .map(|block| [block.n_cells(), Self::quadrature_points(&block.cells, rule).len()]);
        let (blocks, expected) = layout(counts);
        if values.len() != expected {
            return Err(PointCount { found: values.len(), expected });
        }
        Ok(Self { rule, values, blocks })
    }

    /// Stresses at the points of a cell.
    ///
    /// # Panics
    ///
    /// If the cell does not exist.
    pub fn of_cell(&self, cell: CellRef) -> &[Stress] {
        let [first, n] = self.blocks[cell.block as usize];
        &self.values[first + n * cell.cell as usize..][..n]
    }

    /// Parameters of the quadrature points of the cells of a block.
    pub fn quadrature_points(cells: &Cells, rule: PointRule) -> Vec<[f64; 3]> {
        match (cells, rule) {
            (Cells::Lagrange { shape, .. }, rule) => lagrange::points(*shape, rule).points,
            (Cells::Spline(cells), PointRule::Cell(rule)) => {
                Quadrature::cube(cells.degrees.map(|p| spline_points(p, rule))).points
            }
            (Cells::Spline(cells), _) => {
                Quadrature::cube(cells.degrees.map(|p| spline_points(p, QuadratureRule::Default))).points
            }
        }
    }
}

/// First value of each block with the number of values of a cell, and the number of all values.
///
/// * `counts` — cells of each block, and quadrature points of a cell
fn layout(counts: impl Iterator<Item = [usize; 2]>) -> (Vec<[usize; 2]>, usize) {
    let mut first = 0;
    let blocks = counts.map(|[n_cells, n_points]| {
        let entry = [first, n_points];
        first += n_cells * n_points;
        entry
    });
    let blocks = blocks.collect();
    (blocks, first)
}

impl InternalForce {
    /// Cauchy stress σ = P Fᵀ/det F at all quadrature points \[Pa\].
    ///
    /// For output: memory for the result is allocated.
    ///
    /// * `laws` — one for each block
    /// * `u` — displacement of all points \[m\]
    /// * `history` — its accepted state is read; the stress is that at `u` reached from there
    ///
    /// # Errors
    ///
    /// [`SweepError::Inverted`].
    ///
    /// # Panics
    ///
    /// As [`InternalForce::force`].
    pub fn cauchy_stress<L: Law>(
        &mut self,
        laws: &[L],
        u: &[f64],
        history: &History,
    ) -> Result<PointStress, SweepError> {
        self.check_count(laws.len());
        assert_eq!(u.len(), self.n_dofs(), "one number a dof");
        self.hanging.expand(&[u]);
        let fields = Fields { at_points: [u.as_chunks().0], hanging: &self.hanging };
        let (blocks, n_values) = layout(self.blocks.iter().map(Part::cells_and_points));
        let mut values = vec![[0.0; 6]; n_values];
        for ((part, history), (law, [first, _])) in
            self.blocks.iter_mut().zip(&history.blocks).zip(laws.iter().zip(&blocks))
        {
            let is_dilated = matches!(part, Part::Dilated(..));
            let found = of_shape!(part, shape, chunks => {
                of_chunks(shape, chunks, law, is_dilated, fields, history)
            });
            found.into_iter().for_each(|(place, stress)| values[first + place] = stress);
        }
        self.check_dets()?;
        Ok(PointStress { rule: self.rule, values, blocks })
    }
}

impl InternalForce {
    /// The equivalent plastic strain at all quadrature points, in the order of [`PointStress::values`].
    ///
    /// For output: memory for the result is allocated.
    ///
    /// * `laws` — one for each block
    /// * `history` — its accepted state is read
    ///
    /// # Panics
    ///
    /// If an argument is of another body.
    pub fn plastic_strain<L: Law>(&self, laws: &[L], history: &History) -> Vec<f64> {
        self.check_count(laws.len());
        let (blocks, n_values) = layout(self.blocks.iter().map(Part::cells_and_points));
        let mut values = vec![0.0; n_values];
        for ((part, history), (law, [first, n_points])) in
            self.blocks.iter().zip(&history.blocks).zip(laws.iter().zip(&blocks))
        {
            if law.n_history() == 0 {
                continue;
            }
            of_chunks!(part, chunks => for (chunk, history) in chunks.iter().zip(history) {
                for (place, variables) in history.old.chunks_exact(history.n).enumerate() {
                    let batch = &chunk.batches[place / n_points];
                    let strains = law.plastic_strain(variables);
                    for (l, cell) in batch.cells[..batch.n_cells].iter().enumerate() {
                        values[first + n_points * *cell as usize + place % n_points] = strains[l];
                    }
                }
            });
        }
        values
    }
}

/// The stresses of the cells of a block with their places.
fn of_chunks<const A: usize, S: Shape<A>, L: Law>(
    shape: &S,
    chunks: &mut [Chunk<A>],
    law: &L,
    is_dilated: bool,
    fields: Fields<'_, 1>,
    history: &[ChunkHistory],
) -> Vec<(usize, Stress)> {
    let of_chunk = |(chunk, history): (&mut Chunk<A>, &ChunkHistory)| {
        chunk.load(fields);
        chunk.cauchy_stress(shape, law, is_dilated, history)
    };
    chunks.par_iter_mut().zip(history).flat_map_iter(of_chunk).collect()
}

impl<const A: usize> Chunk<A> {
    /// θ − 1 of the cells of a batch whose gradients have been computed; the mean of tr H for a linear law.
    fn mean_change(&self, n_points: usize, i_batch: usize, is_large: bool) -> Lanes {
        let (mut sum, mut volume) = (ZERO, ZERO);
        let maps = &self.maps[n_points * i_batch..n_points * (i_batch + 1)];
        for (maps, local) in maps.iter().zip(&self.work.local[0]) {
            let change = dilatation::change_of(&maps.gradient(local), is_large);
            for l in 0..LANES {
                sum[l] += maps.volume[l] * change[l];
                volume[l] += maps.volume[l];
            }
        }
        lanes(|l| if volume[l] > 0.0 { sum[l] / volume[l] } else { 0.0 })
    }

    /// The stresses at the points of the cells of the group, each with its place in the block.
    fn cauchy_stress<S: Shape<A>, L: Law>(
        &mut self,
        shape: &S,
        law: &L,
        is_dilated: bool,
        history: &ChunkHistory,
    ) -> Vec<(usize, Stress)> {
        let n_points = shape.n_points();
        let mut found = Vec::with_capacity(n_points * self.n_cells());
        let mut new = vec![ZERO; history.n];
        self.least_det = (f64::INFINITY, 0);
        for i_batch in 0..self.batches.len() {
            let batch = self.batches[i_batch];
            shape.enter(&batch.cells, &mut self.work.stages);
            self.local_gradients(shape, i_batch, 0);
            let mean = is_dilated.then(|| self.mean_change(n_points, i_batch, law.is_objective()));
            for point in 0..n_points {
                let place = n_points * i_batch + point;
                let own = self.maps[place].gradient(&self.work.local[0][point]);
                let h = match &mean {
                    Some(mean) => dilatation::modified_gradient(&own, mean, law.is_objective()),
                    None => own,
                };
                let mut pk1: Tensor = [ZERO; 9];
                law.stress(&h, &history.old[history.n * place..][..history.n], &mut new, &mut pk1);
                // In a small-strain law P is σ.
                let stress = if law.is_objective() {
                    let change = volume_change(&own);
                    self.note_least(i_batch, &change.map(|x| 1.0 + x));
                    cauchy_stress(&h, &pk1)
                } else {
                    [pk1[0], pk1[4], pk1[8], pk1[1], pk1[5], pk1[2]]
                };
                for l in 0..batch.n_cells {
                    found.push((n_points * batch.cells[l] as usize + point, stress.map(|s| s[l])));
                }
            }
        }
        found
    }
}
