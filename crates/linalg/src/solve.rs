//! Solution of A X = B with a Cholesky factor, for many right-hand sides.
//!
//! Right-hand sides go through the factor in groups of `LANES`, which lie side by side row by row; every
//! panel serves all groups of a chunk while it is in the cache. Subtrees are independent of each other: each
//! works on its own rows, collects what it hands to the rows above in a buffer of its own, and these are
//! summed in order.

use faer::{MatMut, MatRef};
use rayon::prelude::*;

use crate::factor::Cholesky;
use crate::lanes::{LANES, Row, ZERO};

mod kernel;
mod passes;
mod pieces;

pub(crate) use passes::Passes;

/// Groups of right-hand sides that pass through the factor together.
const CHUNK_GROUPS: usize = 8;

impl Cholesky {
    /// Solves A X = B in place on the free dofs; the other rows become zero.
    ///
    /// * `x` — B on entry, X on return, 3 n_nodes × any number of columns; rows of dofs that are not free are
    ///   ignored
    ///
    /// # Panics
    ///
    /// If `x` has another number of rows.
    pub fn solve_in_place(&self, x: MatMut<'_, f64>) {
        let symbolic = &self.symbolic;
        assert_eq!(x.nrows(), 3 * symbolic.free.n_nodes(), "rows of x must be the dofs of the body");
        let dofs = self.symbolic.dof_at_row();
        let mut x = x;
        for first in (0..x.ncols()).step_by(CHUNK_GROUPS * LANES) {
            let n = (CHUNK_GROUPS * LANES).min(x.ncols() - first);
            let mut x = x.as_mut().subcols_mut(first, n);
            let mut groups: Vec<Vec<Row>> = (0..n.div_ceil(LANES))
                .into_par_iter()
                .map(|group| {
                    let first = group * LANES;
                    gather(x.as_ref().subcols(first, LANES.min(n - first)), &dofs)
                })
                .collect();
            let mut rows: Vec<&mut [Row]> = groups.iter_mut().map(Vec::as_mut_slice).collect();
            self.passes().solve_groups(&mut rows);
            x.as_mut()
                .par_col_chunks_mut(LANES)
                .zip(&groups)
                .for_each(|(columns, rows)| scatter(rows, &dofs, columns));
        }
    }

    /// Solves A X = B in place for one group, as [`Cholesky::solve_in_place`] does for columns.
    pub(crate) fn solve_group(&self, x: &mut [Row]) {
        self.solve_listed(x, &self.symbolic.dof_at_row());
    }

    /// As [`Cholesky::solve_group`] with three rows for each node that has free dofs, in the order of
    /// elimination.
    pub(crate) fn solve_ordered_group(&self, x: &mut [Row]) {
        let symbolic = &self.symbolic;
        assert_eq!(x.len(), 3 * symbolic.order.len(), "rows of x must be those of the ordered nodes");
        if symbolic.n_free() == x.len() {
            // Every row is free: rows of x are rows of the factor.
            self.passes().solve_groups(&mut [x]);
            return;
        }
        let is_free = |row: u32| {
            let node = symbolic.order[row as usize / 3];
            symbolic.free.of_node(node as usize)[row as usize % 3]
        };
        let listed: Vec<u32> = (0..x.len() as u32).filter(|&row| is_free(row)).collect();
        self.solve_listed(x, &listed);
    }

    /// Solves for the listed rows of a group, one for each row of the factor; all others become zero.
    fn solve_listed(&self, x: &mut [Row], listed: &[u32]) {
        let mut rows: Vec<Row> = listed.iter().map(|&row| x[row as usize]).collect();
        self.passes().solve_groups(&mut [&mut rows]);
        x.fill(ZERO);
        for (value, &row) in rows.iter().zip(listed) {
            x[row as usize] = *value;
        }
    }

    /// The passes through the factor.
    fn passes(&self) -> Passes<'_, f64> {
        Passes::new(&self.symbolic, &self.panels)
    }
}

/// The listed rows of a group of columns; missing columns are zero.
pub(crate) fn gather(columns: MatRef<'_, f64>, dofs: &[u32]) -> Vec<Row> {
    let mut rows = Vec::with_capacity(dofs.len());
    rows.extend(dofs.iter().map(|&dof| {
        let mut row = ZERO;
        for (lane, value) in row.iter_mut().enumerate().take(columns.ncols()) {
            *value = columns[(dof as usize, lane)];
        }
        row
    }));
    rows
}

/// Writes rows back to a group of columns; all other rows become zero.
pub(crate) fn scatter(rows: &[Row], dofs: &[u32], mut columns: MatMut<'_, f64>) {
    columns.fill(0.0);
    for (row, &dof) in rows.iter().zip(dofs) {
        for (lane, &value) in row.iter().enumerate().take(columns.ncols()) {
            columns[(dof as usize, lane)] = value;
        }
    }
}
