//! Multigrid by smoothed aggregation: an approximate inverse of K + sM that needs no factor of it.
//!
//! Nodes that couple strongly are put together to *aggregates*, each of which becomes one node with six dofs
//! on the next level: the rigid motions of the aggregate. One step of Jacobi smooths these columns of the
//! prolongation P, and Pᵀ A P is the matrix of the next level. Levels follow until the matrix is small enough
//! for a factor. A cycle smooths by Chebyshev's iteration, corrects by the next level and smooths again: a
//! symmetric positive definite operator, the preconditioner of the conjugate gradients in `conjugate`.
//!
//! Read: `system` (nodes and matrix), `blocks` (sparse matrices of blocks), `aggregates`, `coarsen` (P and Pᵀ
//! A P), `level` (smoother).
//!
//! # Source
//!
//! Vaněk, Mandel & Brezina (1996), Computing 56, 179–196; Adams, Brezina, Hu & Tuminaro (2003), J. Comput.
//! Phys. 188, 593–610 (smoother).

use std::sync::Arc;

use carom_progress::{Progress, Silent};

use crate::block::BlockMatrix;
use crate::dofs::DofSet;
use crate::factor::{Cholesky, FactorError};
use crate::graph::NodeGraph;
use crate::iteration::IterationError;
use crate::lanes::Row;

mod aggregates;
mod blocks;
mod coarsen;
mod level;
mod system;

pub(crate) use blocks::{Block, Blocks};
use coarsen::MOTIONS;
use level::{Level, Work};
pub(crate) use system::System;

/// Dofs of a level that is small enough for a factor.
const COARSEST: usize = 3000;

/// A level that keeps more than this part of the nodes of the one before is not made: aggregation has
/// stalled.
const STALLED: f64 = 0.7;

/// An approximate inverse of a matrix of 3 × 3 blocks.
#[derive(Debug)]
pub(crate) struct Multigrid {
    fine: Level<3>,
    coarse: Vec<Level<MOTIONS>>,
    coarsest: Cholesky,
}

/// Vectors of all levels for one group.
#[derive(Debug)]
pub(crate) struct Cycle {
    fine: Work,
    coarse: Vec<Work>,
    coarsest: Vec<Row>,
}

impl Multigrid {
    /// Makes the levels.
    ///
    /// * `motions` — the six rigid motions at each node, zero where a dof is not free
    ///
    /// # Errors
    ///
    /// [`FactorError`] if the smallest matrix cannot be factorised, [`FactorError::Interrupted`].
    pub(crate) fn new(
        a: Blocks<3, 3>,
        motions: &[Block<3, MOTIONS>],
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let (fine, mut matrix, mut motions) = Level::new(a, motions);
        let mut coarse = Vec::new();
        while MOTIONS * matrix.n_rows() > COARSEST {
            if progress.interrupted() {
                return Err(FactorError::Interrupted);
            }
            let n = matrix.n_rows();
            let (level, next, next_motions) = Level::new(matrix, &motions);
            (matrix, motions) = (next, next_motions);
            coarse.push(level);
            if matrix.n_rows() as f64 > STALLED * n as f64 {
                break;
            }
        }
        let coarsest = factor(&matrix)?;
        Ok(Self { fine, coarse, coarsest })
    }

    /// The matrix that it is made for.
    pub(crate) fn matrix(&self) -> &Blocks<3, 3> {
        &self.fine.a
    }

    /// Dofs of each level.
    pub(crate) fn level_dofs(&self) -> Vec<usize> {
        let of_coarse = self.coarse.iter().map(|level| MOTIONS * level.a.n_rows());
        let mut dofs = vec![3 * self.fine.a.n_rows()];
        dofs.extend(of_coarse);
        dofs.push(3 * self.coarsest.symbolic().free().n_nodes());
        dofs
    }

    /// Memory of a cycle.
    pub(crate) fn cycle(&self) -> Cycle {
        let dofs = self.level_dofs();
        let last = dofs.len() - 1;
        Cycle {
            fine: Work::new(dofs[0]),
            coarse: dofs[1..last].iter().map(|&n| Work::new(n)).collect(),
            coarsest: vec![crate::lanes::ZERO; dofs[last]],
        }
    }

    /// One cycle: an approximate solution of A x = b for one group, which it returns.
    pub(crate) fn apply<'a>(&self, b: &[Row], cycle: &'a mut Cycle) -> &'a [Row] {
        let Cycle { fine, coarse, coarsest } = cycle;
        fine.b.copy_from_slice(b);
        let right_hand_side =
            coarse.first_mut().map_or(coarsest.as_mut_slice(), |work| work.b.as_mut_slice());
        self.fine.descend(fine, right_hand_side);
        let correction = self.correct(0, coarse, coarsest);
        self.fine.ascend(fine, correction);
        &fine.x
    }

    /// The correction of a level, whose right-hand side is in its work.
    fn correct<'a>(&self, i: usize, work: &'a mut [Work], coarsest: &'a mut Vec<Row>) -> &'a [Row] {
        let Some((own, rest)) = work.split_first_mut() else {
            self.coarsest.solve_group(coarsest);
            return coarsest;
        };
        let level = &self.coarse[i];
        let right_hand_side = rest.first_mut().map_or(coarsest.as_mut_slice(), |work| work.b.as_mut_slice());
        level.descend(own, right_hand_side);
        let correction = self.correct(i + 1, rest, coarsest);
        level.ascend(own, correction);
        &own.x
    }
}

/// The factor of the smallest matrix: two nodes of three dofs for each of its nodes.
fn factor(matrix: &Blocks<MOTIONS, MOTIONS>) -> Result<Cholesky, FactorError> {
    let n = 2 * matrix.n_rows();
    let graph = NodeGraph::from_neighbours(n, |node, neighbours| {
        neighbours
            .extend(matrix.row(node / 2).flat_map(|(other, _)| [2 * other as u32, 2 * other as u32 + 1]));
    })
    .expect("there are fewer aggregates than nodes");
    let mut k = BlockMatrix::zeros(Arc::new(graph));
    for col in 0..n {
        let (first, rows) = k.graph.column(col);
        let mut entries: Vec<(usize, [f64; 9])> = Vec::with_capacity(rows.len());
        // The matrix is symmetric: its row is its column.
        let of_col: Vec<(usize, &Block<MOTIONS, MOTIONS>)> = matrix.row(col / 2).collect();
        for (entry, &row) in (first..).zip(rows) {
            let row = row as usize;
            let place = of_col.binary_search_by_key(&(row / 2), |(other, _)| *other);
            let block = of_col[place.expect("the graph is that of the matrix")].1;
            let value = |i: usize, j: usize| block[3 * (col % 2) + j][3 * (row % 2) + i];
            entries.push((entry, std::array::from_fn(|k| value(k / 3, k % 3))));
        }
        for (entry, block) in entries {
            k.values[entry] = block;
        }
    }
    Cholesky::new(&k, None, DofSet::all(n), &Silent).map_err(|error| match error {
        // Its nodes are aggregates, which the caller does not know.
        FactorError::NotPositiveDefinite { pivot, .. } => {
            FactorError::Iteration(IterationError::NotPositiveDefinite { energy: pivot })
        }
        other => other,
    })
}
