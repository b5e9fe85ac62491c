//! Solution of A X = B with a Cholesky factor, for many right-hand sides.
//!
//! Right-hand sides go through the factor in chunks of `CHUNK_COLUMNS`. Subtrees are independent of each other: each
//! works on its own rows, collects what it hands to the rows above in a buffer of its own, and these are summed in order.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::factor::{Cholesky, panel_matrix};
use crate::symbolic::Supernode;

/// Right-hand sides that pass through the factor together.
const CHUNK_COLUMNS: usize = 64;

/// Rows of one piece of a large product that runs in parallel.
const PIECE_ROWS: usize = 512;

impl Cholesky {
    /// Solves A X = B in place on the free dofs; the other rows become zero.
    ///
    /// * `x` — B on entry, X on return, 3 n_nodes × any number of columns; rows of dofs that are not free are ignored
    ///
    /// # Panics
    ///
    /// If `x` has another number of rows.
    pub fn solve_in_place(&self, mut x: MatMut<'_, f64>) {
        let symbolic = &self.symbolic;
        assert_eq!(x.nrows(), 3 * symbolic.free.n_nodes(), "rows of x must be the dofs of the body");
        let dofs = self.dof_at_row();
        let n_cols = x.ncols();
        let mut permuted = Mat::zeros(symbolic.n_free(), CHUNK_COLUMNS.min(n_cols));
        for first in (0..n_cols).step_by(CHUNK_COLUMNS) {
            let n = CHUNK_COLUMNS.min(n_cols - first);
            let mut x = x.as_mut().subcols_mut(first, n);
            let mut work = permuted.as_mut().subcols_mut(0, n);
            gather(x.as_ref(), &dofs, work.as_mut());
            self.solve_permuted(work.as_mut());
            let work = work.as_ref();
            x.as_mut().par_col_chunks_mut(1).enumerate().for_each(|(k, mut column)| {
                column.fill(0.0);
                let mut column = column.col_mut(0);
                for (&dof, &value) in dofs.iter().zip(work.col(k).iter()) {
                    column[dof as usize] = value;
                }
            });
        }
    }

    /// Dof of each row of the factor.
    fn dof_at_row(&self) -> Vec<u32> {
        let symbolic = &self.symbolic;
        let mut dofs = Vec::with_capacity(symbolic.n_free());
        for &node in &symbolic.order {
            let free = symbolic.free.of_node(node as usize);
            dofs.extend((0..3).filter(|&i| free[i]).map(|i| 3 * node + i as u32));
        }
        dofs
    }

    /// Solves with the rows in elimination order.
    fn solve_permuted(&self, mut x: MatMut<'_, f64>) {
        let symbolic = &self.symbolic;
        let n_cols = x.ncols();
        // Forward: W y = b, subtrees first.
        let parts = self.task_rows(x.as_mut());
        let handed_up: Vec<Mat<f64>> = parts
            .into_par_iter()
            .zip(&symbolic.tasks)
            .map(|((first_row, mut own), task)| {
                let root = &symbolic.supernodes[task.end - 1];
                let mut above = Mat::zeros(root.height() - root.width(), n_cols);
                let mut memory = Memory::default();
                for s in task.clone() {
                    let target = Target { first_row, root: Some(root) };
                    self.forward(s, own.as_mut(), above.as_mut(), target, &mut memory, false);
                }
                above
            })
            .collect();
        for (task, above) in symbolic.tasks.iter().zip(&handed_up) {
            let root = &symbolic.supernodes[task.end - 1];
            self.for_rows_below(root, |row, local| {
                for k in 0..n_cols {
                    x[(row, k)] += above[(local, k)];
                }
            });
        }
        drop(handed_up);
        let mut memory = Memory::default();
        let none = || Mat::<f64>::zeros(0, n_cols);
        for &s in &symbolic.top {
            let target = Target { first_row: 0, root: None };
            self.forward(s, x.as_mut(), none().as_mut(), target, &mut memory, true);
        }
        self.apply_signs(x.as_mut());
        // Backward: Wᵀ x = y, top first.
        for &s in symbolic.top.iter().rev() {
            let target = Target { first_row: 0, root: None };
            self.backward(s, x.as_mut(), none().as_ref(), target, &mut memory, true);
        }
        let from_above: Vec<Mat<f64>> = symbolic
            .tasks
            .iter()
            .map(|task| {
                let root = &symbolic.supernodes[task.end - 1];
                let mut above = Mat::zeros(root.height() - root.width(), n_cols);
                self.for_rows_below(root, |row, local| {
                    for k in 0..n_cols {
                        above[(local, k)] = x[(row, k)];
                    }
                });
                above
            })
            .collect();
        self.task_rows(x).into_par_iter().zip(&symbolic.tasks).zip(&from_above).for_each(
            |(((first_row, mut own), task), above)| {
                let root = &symbolic.supernodes[task.end - 1];
                let mut memory = Memory::default();
                for s in task.clone().rev() {
                    let target = Target { first_row, root: Some(root) };
                    self.backward(s, own.as_mut(), above.as_ref(), target, &mut memory, false);
                }
            },
        );
    }

    /// x ← S x with the signs of the pivots; nothing for a definite matrix.
    fn apply_signs(&self, mut x: MatMut<'_, f64>) {
        for (panel, values) in self.symbolic.panels.iter().zip(&self.panels) {
            let supernode = &self.symbolic.supernodes[panel.supernode];
            let first = self.symbolic.dof_start[supernode.columns.start]
                + supernode.row_of[panel.nodes.start] as usize;
            for (j, _) in values.signs.iter().enumerate().filter(|(_, sign)| **sign < 0.0) {
                (0..x.ncols()).for_each(|k| x[(first + j, k)] = -x[(first + j, k)]);
            }
        }
    }

    /// The rows of each task, with the number of the first one.
    fn task_rows<'a>(&self, x: MatMut<'a, f64>) -> Vec<(usize, MatMut<'a, f64>)> {
        let symbolic = &self.symbolic;
        let mut parts = Vec::with_capacity(symbolic.tasks.len());
        let (mut rest, mut offset) = (x, 0);
        for task in &symbolic.tasks {
            let first = symbolic.dof_start[symbolic.supernodes[task.start].columns.start];
            let end = symbolic.dof_start[symbolic.supernodes[task.end - 1].columns.end];
            let (_, from_first) = rest.split_at_row_mut(first - offset);
            let (part, after) = from_first.split_at_row_mut(end - first);
            parts.push((first, part));
            (rest, offset) = (after, end);
        }
        parts
    }

    /// Calls back for every row below a supernode with its number and its place below the supernode's own rows.
    fn for_rows_below(&self, supernode: &Supernode, mut visit: impl FnMut(usize, usize)) {
        let mut local = 0;
        for &position in &supernode.list[supernode.n_columns()..] {
            for row in
                self.symbolic.dof_start[position as usize]..self.symbolic.dof_start[position as usize + 1]
            {
                visit(row, local);
                local += 1;
            }
        }
    }

    /// Where the rows below a supernode lie: first those in `own`, whose number is returned, then those in the buffer `above`.
    fn places_below(&self, supernode: &Supernode, target: Target<'_>, places: &mut Vec<u32>) -> usize {
        let dof_start = &self.symbolic.dof_start;
        places.clear();
        let (mut n_own, mut at_root) = (0, 0);
        for &position in &supernode.list[supernode.n_columns()..] {
            let n = dof_start[position as usize + 1] - dof_start[position as usize];
            let outside = target.root.filter(|root| position as usize >= root.columns.end);
            let first = match outside {
                None => {
                    n_own += n;
                    dof_start[position as usize] - target.first_row
                }
                Some(root) => {
                    let below = &root.list[root.n_columns()..];
                    at_root += below[at_root..].partition_point(|&other| other < position);
                    root.row_of[root.n_columns() + at_root] as usize - root.width()
                }
            };
            places.extend((first..first + n).map(|row| row as u32));
        }
        n_own
    }

    /// Forward substitution with one supernode: solves for its rows, subtracts from the rows below.
    fn forward(
        &self,
        s: usize,
        mut own: MatMut<'_, f64>,
        mut above: MatMut<'_, f64>,
        target: Target<'_>,
        memory: &mut Memory,
        parallel: bool,
    ) {
        let supernode = &self.symbolic.supernodes[s];
        let n_cols = own.ncols();
        let first = self.symbolic.dof_start[supernode.columns.start] - target.first_row;
        let n_below = supernode.height() - supernode.width();
        // Loads on a few nodes, as of constraint modes, reach only what lies above them in the elimination tree.
        let rows = own.as_ref().subrows(first, supernode.width());
        if (0..n_cols).all(|k| rows.col(k).iter().all(|&x| x == 0.0)) {
            return;
        }
        memory.below.clear();
        memory.below.resize(n_below * n_cols, 0.0);
        let mut below = MatMut::from_column_major_slice_mut(&mut memory.below, n_below, n_cols);
        for i_panel in supernode.panels.clone() {
            let values = panel_matrix(&self.symbolic, i_panel, &self.panels[i_panel]);
            let offset = supernode.row_of[self.symbolic.panels[i_panel].nodes.start] as usize;
            let width = values.ncols();
            let rows = own.as_mut().subrows_mut(first + offset, supernode.width() - offset);
            let (mut x, rest) = rows.split_at_row_mut(width);
            solve_lower_triangular_in_place(values.subrows(0, width), x.as_mut(), Par::Seq);
            let x = x.as_ref();
            let n_rest = rest.nrows();
            subtract_product(rest, values.subrows(width, n_rest), x, parallel);
            subtract_product(below.as_mut(), values.subrows(width + n_rest, n_below), x, parallel);
        }
        let n_own = self.places_below(supernode, target, &mut memory.places);
        let (in_own, in_above) = memory.places.split_at(n_own);
        for k in 0..n_cols {
            let column = below.as_ref().col(k);
            let mut to = own.as_mut().col_mut(k);
            for (&row, value) in in_own.iter().zip(column.iter()) {
                to[row as usize] += value;
            }
            let mut to = above.as_mut().col_mut(k);
            for (&row, value) in in_above.iter().zip(column.subrows(n_own, in_above.len()).iter()) {
                to[row as usize] += value;
            }
        }
    }

    /// Backward substitution with one supernode: subtracts the rows below, solves for its rows.
    fn backward(
        &self,
        s: usize,
        mut own: MatMut<'_, f64>,
        above: MatRef<'_, f64>,
        target: Target<'_>,
        memory: &mut Memory,
        parallel: bool,
    ) {
        let supernode = &self.symbolic.supernodes[s];
        let n_cols = own.ncols();
        let first = self.symbolic.dof_start[supernode.columns.start] - target.first_row;
        let n_below = supernode.height() - supernode.width();
        memory.below.clear();
        memory.below.resize(n_below * n_cols, 0.0);
        let mut below = MatMut::from_column_major_slice_mut(&mut memory.below, n_below, n_cols);
        let n_own = self.places_below(supernode, target, &mut memory.places);
        let (in_own, in_above) = memory.places.split_at(n_own);
        for k in 0..n_cols {
            let (own, above) = (own.as_ref().col(k), above.col(k));
            let mut column = below.as_mut().col_mut(k);
            for (i, &row) in in_own.iter().enumerate() {
                column[i] = own[row as usize];
            }
            for (i, &row) in (n_own..).zip(in_above) {
                column[i] = above[row as usize];
            }
        }
        let below = below.as_ref();
        for i_panel in supernode.panels.clone().rev() {
            let values = panel_matrix(&self.symbolic, i_panel, &self.panels[i_panel]);
            let offset = supernode.row_of[self.symbolic.panels[i_panel].nodes.start] as usize;
            let width = values.ncols();
            let rows = own.as_mut().subrows_mut(first + offset, supernode.width() - offset);
            let (mut x, rest) = rows.split_at_row_mut(width);
            let n_rest = rest.nrows();
            subtract_transposed(x.as_mut(), values.subrows(width, n_rest), rest.as_ref(), parallel);
            subtract_transposed(x.as_mut(), values.subrows(width + n_rest, n_below), below, parallel);
            solve_upper_triangular_in_place(values.subrows(0, width).transpose(), x, Par::Seq);
        }
    }
}

/// Memory of one worker.
#[derive(Default)]
struct Memory {
    /// Values of the rows below a supernode, column-major.
    below: Vec<f64>,
    /// Where these rows lie.
    places: Vec<u32>,
}

/// Where the rows of a supernode lie: `own` begins at `first_row`; rows past the columns of `root` are in a buffer.
#[derive(Clone, Copy)]
struct Target<'a> {
    first_row: usize,
    root: Option<&'a Supernode>,
}

/// Copies the listed rows.
fn gather(x: MatRef<'_, f64>, dofs: &[u32], to: MatMut<'_, f64>) {
    to.par_col_chunks_mut(1).enumerate().for_each(|(k, mut column)| {
        let from = x.col(k);
        for (to, &dof) in column.as_mut().col_mut(0).iter_mut().zip(dofs) {
            *to = from[dof as usize];
        }
    });
}

/// y −= L x, in pieces of rows.
fn subtract_product(y: MatMut<'_, f64>, l: MatRef<'_, f64>, x: MatRef<'_, f64>, parallel: bool) {
    if y.nrows() == 0 {
        return;
    }
    if parallel {
        y.par_row_chunks_mut(PIECE_ROWS).enumerate().for_each(|(k, y)| {
            let n = y.nrows();
            matmul(y, Accum::Add, l.subrows(k * PIECE_ROWS, n), x, -1.0, Par::Seq);
        });
    } else {
        matmul(y, Accum::Add, l, x, -1.0, Par::Seq);
    }
}

/// x −= Lᵀ y; in parallel, pieces of rows are summed apart and then in order.
fn subtract_transposed(mut x: MatMut<'_, f64>, l: MatRef<'_, f64>, y: MatRef<'_, f64>, parallel: bool) {
    if y.nrows() == 0 {
        return;
    }
    if !parallel || y.nrows() <= PIECE_ROWS {
        matmul(x, Accum::Add, l.transpose(), y, -1.0, Par::Seq);
        return;
    }
    let parts: Vec<Mat<f64>> = (0..y.nrows().div_ceil(PIECE_ROWS))
        .into_par_iter()
        .map(|k| {
            let n = PIECE_ROWS.min(y.nrows() - k * PIECE_ROWS);
            let mut part = Mat::zeros(x.nrows(), x.ncols());
            let (l, y) = (l.subrows(k * PIECE_ROWS, n), y.subrows(k * PIECE_ROWS, n));
            matmul(part.as_mut(), Accum::Replace, l.transpose(), y, 1.0, Par::Seq);
            part
        })
        .collect();
    for part in &parts {
        x -= part;
    }
}
