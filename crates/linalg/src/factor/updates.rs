//! What earlier panels subtract from a panel, by dense products, chunk by chunk.
//!
//! A panel works in chunks of about `CHUNK_ROWS` rows, which may run in parallel. A chunk sums in an order of its own that
//! depends on the matrix alone.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

use super::PanelValues;
use super::panel::panel_matrix;
use crate::symbolic::{MAX_PANEL_DOFS, Symbolic};

/// Rows that one chunk of a panel has, about.
pub(super) const CHUNK_ROWS: usize = 384;

const _: () = assert!(MAX_PANEL_DOFS <= CHUNK_ROWS, "the first chunk should hold the diagonal block");

/// Memory for the contributions to one chunk.
#[derive(Default)]
pub(super) struct ChunkWorkspace {
    product: Vec<f64>,
    signed: Vec<f64>,
    rows: Vec<u32>,
    columns: Vec<u32>,
}

/// One panel at work, with what it needs from the panels before it.
pub(super) struct Chunks<'a> {
    pub(super) symbolic: &'a Symbolic,
    pub(super) i_panel: usize,
    /// Number of the panel at `earlier[0]`.
    pub(super) first: usize,
    pub(super) earlier: &'a [PanelValues],
    /// Row of each position in the panel.
    pub(super) row_at: &'a [u32],
}

impl Chunks<'_> {
    /// Cuts a panel into chunks of whole nodes: ranges of the supernode's list with their rows.
    pub(super) fn cut<'m>(&self, values: MatMut<'m, f64>) -> Vec<(Range<usize>, MatMut<'m, f64>)> {
        let panel = &self.symbolic.panels[self.i_panel];
        let supernode = &self.symbolic.supernodes[panel.supernode];
        let mut pieces = Vec::new();
        let mut rest = values;
        let mut start = panel.nodes.start;
        while start < supernode.list.len() {
            let limit = supernode.row_of[start] + CHUNK_ROWS as u32;
            let end = (supernode.row_of.partition_point(|&row| row <= limit) - 1)
                .clamp(start + 1, supernode.list.len());
            let n_rows = supernode.row_of[end] - supernode.row_of[start];
            let (piece, after) = rest.split_at_row_mut(n_rows as usize);
            pieces.push((start..end, piece));
            (rest, start) = (after, end);
        }
        pieces
    }

    /// Subtracts from the rows of one chunk what all earlier panels contribute.
    pub(super) fn subtract_updates(
        &self,
        nodes: Range<usize>,
        mut piece: MatMut<'_, f64>,
        memory: &mut ChunkWorkspace,
    ) {
        let panel = &self.symbolic.panels[self.i_panel];
        let supernode = &self.symbolic.supernodes[panel.supernode];
        // Panels of the same supernode have the same rows: the product goes straight into its place.
        for i_source in supernode.panels.start..self.i_panel {
            let source = self.source(i_source);
            let source_row = supernode.row_of[self.symbolic.panels[i_source].nodes.start];
            let row = (supernode.row_of[nodes.start] - source_row) as usize;
            let middle = (supernode.row_of[panel.nodes.start] - source_row) as usize;
            let left = source.subrows(row, piece.nrows());
            let right =
                signed(self.signs(i_source), source.subrows(middle, piece.ncols()), &mut memory.signed);
            matmul(piece.as_mut(), Accum::Add, left, right.transpose(), -1.0, Par::Seq);
        }
        for update in self.symbolic.updates_of(self.i_panel) {
            self.subtract_supernode(
                update.source as usize,
                update.first as usize,
                &nodes,
                piece.as_mut(),
                memory,
            );
        }
    }

    /// Subtracts the contribution of one supernode of the subtrees below.
    fn subtract_supernode(
        &self,
        i_source: usize,
        middle: usize,
        nodes: &Range<usize>,
        mut piece: MatMut<'_, f64>,
        memory: &mut ChunkWorkspace,
    ) {
        let panel = &self.symbolic.panels[self.i_panel];
        let target = &self.symbolic.supernodes[panel.supernode];
        let source = &self.symbolic.supernodes[i_source];
        let last_column = target.list[panel.nodes.end - 1];
        let (first_row, last_row) = (target.list[nodes.start], target.list[nodes.end - 1]);
        let begin = middle + source.list[middle..].partition_point(|&position| position < first_row);
        let end = begin + source.list[begin..].partition_point(|&position| position <= last_row);
        if begin == end {
            return;
        }
        // In the chunk with the diagonal, columns past its last row belong to the upper triangle.
        let last_needed = last_column.min(last_row);
        let middle_end = middle + source.list[middle..].partition_point(|&position| position <= last_needed);
        let chunk_row = target.row_of[nodes.start] - target.row_of[panel.nodes.start];
        let dof_rows = |range: Range<usize>, shift: u32, out: &mut Vec<u32>| {
            out.clear();
            for k in range {
                let start = self.row_at[source.list[k] as usize] - shift;
                out.extend(start..start + (source.row_of[k + 1] - source.row_of[k]));
            }
        };
        dof_rows(begin..end, chunk_row, &mut memory.rows);
        dof_rows(middle..middle_end, 0, &mut memory.columns);
        let (n_rows, n_cols) = (memory.rows.len(), memory.columns.len());
        let contiguous = |list: &[u32]| (list[list.len() - 1] - list[0]) as usize == list.len() - 1;
        let in_place = contiguous(&memory.rows) && contiguous(&memory.columns);
        if !in_place && memory.product.len() < n_rows * n_cols {
            memory.product.resize(n_rows * n_cols, 0.0);
        }
        for (k, i_panel) in source.panels.clone().enumerate() {
            let values = self.source(i_panel);
            let offset = source.row_of[self.symbolic.panels[i_panel].nodes.start];
            let left = values.subrows((source.row_of[begin] - offset) as usize, n_rows);
            let right = values.subrows((source.row_of[middle] - offset) as usize, n_cols);
            let right = signed(self.signs(i_panel), right, &mut memory.signed).transpose();
            if in_place {
                let (row, col) = (memory.rows[0] as usize, memory.columns[0] as usize);
                let place = piece.as_mut().submatrix_mut(row, col, n_rows, n_cols);
                matmul(place, Accum::Add, left, right, -1.0, Par::Seq);
            } else {
                let product = MatMut::from_column_major_slice_mut(
                    &mut memory.product[..n_rows * n_cols],
                    n_rows,
                    n_cols,
                );
                let accum = if k == 0 { Accum::Replace } else { Accum::Add };
                matmul(product, accum, left, right, 1.0, Par::Seq);
            }
        }
        if !in_place {
            scatter(piece, &memory.product, &memory.rows, &memory.columns);
        }
    }

    fn source(&self, i_panel: usize) -> MatRef<'_, f64> {
        panel_matrix(self.symbolic, i_panel, &self.earlier[i_panel - self.first])
    }

    fn signs(&self, i_panel: usize) -> &[f64] {
        &self.earlier[i_panel - self.first].signs
    }
}

/// Subtracts a dense product from listed rows and columns.
fn scatter(mut piece: MatMut<'_, f64>, product: &[f64], rows: &[u32], columns: &[u32]) {
    for (j, &column) in columns.iter().enumerate() {
        let product = &product[j * rows.len()..(j + 1) * rows.len()];
        let target = piece.as_mut().col_mut(column as usize).try_as_col_major_mut();
        let target = target.expect("panels are stored by columns").as_slice_mut();
        for (&row, &value) in rows.iter().zip(product) {
            target[row as usize] -= value;
        }
    }
}

/// The matrix with its columns times the signs: itself if all are positive, else a copy.
fn signed<'a>(signs: &[f64], matrix: MatRef<'a, f64>, memory: &'a mut Vec<f64>) -> MatRef<'a, f64> {
    if signs.is_empty() {
        return matrix;
    }
    memory.clear();
    for (j, &sign) in signs.iter().enumerate() {
        memory.extend(matrix.col(j).iter().map(|x| sign * x));
    }
    MatRef::from_column_major_slice(memory, matrix.nrows(), matrix.ncols())
}
