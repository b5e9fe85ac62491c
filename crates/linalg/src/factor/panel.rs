//! One panel: filled with the entries of the matrix, reduced by the panels before it, divided by its diagonal block.

use faer::dyn_stack::MemBuffer;
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{MatMut, MatRef, Par};
use rayon::prelude::*;

use super::pivots::{Pivots, factorise_diagonal, pivot_memory};
use super::updates::{CHUNK_ROWS, ChunkWorkspace, Chunks};
use super::{FactorError, Matrix, PanelValues};
use crate::symbolic::{Panel, Symbolic};

/// Memory of one worker.
pub(super) struct Workspace {
    /// Row of each position in the panel at work.
    row_at: Vec<u32>,
    chunk: ChunkWorkspace,
    /// Diagonal of the matrix in the columns of the panel.
    pub(super) diagonal: Vec<f64>,
    /// The diagonal block before it was factorised, if that may fail.
    pub(super) backup: Vec<f64>,
    pub(super) pivots: MemBuffer,
}

impl Workspace {
    pub(super) fn new(symbolic: &Symbolic) -> Self {
        let widest = symbolic.panels.iter().map(|panel| width(symbolic, panel)).max().unwrap_or(0);
        Self {
            row_at: vec![0; symbolic.order.len()],
            chunk: ChunkWorkspace::default(),
            diagonal: Vec::new(),
            backup: Vec::new(),
            pivots: pivot_memory(widest),
        }
    }
}

/// Dofs of a panel.
fn width(symbolic: &Symbolic, panel: &Panel) -> usize {
    let row_of = &symbolic.supernodes[panel.supernode].row_of;
    (row_of[panel.nodes.end] - row_of[panel.nodes.start]) as usize
}

/// Rows of a panel.
fn height(symbolic: &Symbolic, panel: &Panel) -> usize {
    let supernode = &symbolic.supernodes[panel.supernode];
    supernode.height() - supernode.row_of[panel.nodes.start] as usize
}

/// The factor of a panel as a matrix, rows × width.
pub(crate) fn panel_matrix<'a>(
    symbolic: &Symbolic,
    i_panel: usize,
    values: &'a PanelValues,
) -> MatRef<'a, f64> {
    let panel = &symbolic.panels[i_panel];
    MatRef::from_column_major_slice(&values.values, height(symbolic, panel), width(symbolic, panel))
}

/// Computes one panel from the panels before it.
///
/// `earlier[0]` is panel number `first`.
pub(super) fn factorise_panel(
    matrix: &Matrix<'_>,
    i_panel: usize,
    first: usize,
    earlier: &[PanelValues],
    target: &mut PanelValues,
    workspace: &mut Workspace,
    parallel: bool,
) -> Result<Pivots, FactorError> {
    let symbolic = matrix.symbolic;
    let panel = &symbolic.panels[i_panel];
    let (n_rows, n_cols) = (height(symbolic, panel), width(symbolic, panel));
    target.signs.clear();
    target.values.clear();
    target.values.resize(n_rows * n_cols, 0.0);
    fill(matrix, panel, &mut target.values, n_rows, workspace);

    let chunks = Chunks { symbolic, i_panel, first, earlier, row_at: &workspace.row_at };
    let values = MatMut::from_column_major_slice_mut(&mut target.values, n_rows, n_cols);
    let mut pieces = chunks.cut(values);
    if parallel {
        pieces.into_par_iter().for_each_init(ChunkWorkspace::default, |memory, (nodes, mut piece)| {
            chunks.subtract_updates(nodes, piece.as_mut(), memory);
        });
    } else {
        for (nodes, piece) in &mut pieces {
            chunks.subtract_updates(nodes.clone(), piece.as_mut(), &mut workspace.chunk);
        }
    }

    let values = MatMut::from_column_major_slice_mut(&mut target.values, n_rows, n_cols);
    let (mut top, below) = values.split_at_row_mut(n_cols);
    let found = factorise_diagonal(matrix, panel, top.as_mut(), &mut target.signs, workspace)?;
    let (top, signs) = (top.as_ref(), &target.signs);
    // Rows below: X Wᵀ S = A, that is X = A W⁻ᵀ S.
    let divide = |mut rows: MatMut<'_, f64>| {
        solve_lower_triangular_in_place(top, rows.as_mut().transpose_mut(), Par::Seq);
        for (j, &sign) in signs.iter().enumerate().filter(|(_, sign)| **sign < 0.0) {
            rows.as_mut().col_mut(j).iter_mut().for_each(|x| *x *= sign);
        }
    };
    if below.nrows() > 0 {
        if parallel {
            below.par_row_chunks_mut(CHUNK_ROWS).for_each(divide);
        } else {
            divide(below);
        }
    }
    Ok(found)
}

/// Writes the entries of the matrix into a panel and notes the row of each position and the diagonal.
fn fill(matrix: &Matrix<'_>, panel: &Panel, values: &mut [f64], n_rows: usize, workspace: &mut Workspace) {
    let symbolic = matrix.symbolic;
    let supernode = &symbolic.supernodes[panel.supernode];
    let first_row = supernode.row_of[panel.nodes.start];
    for k in panel.nodes.start..supernode.list.len() {
        workspace.row_at[supernode.list[k] as usize] = supernode.row_of[k] - first_row;
    }
    workspace.diagonal.clear();
    for &position in &supernode.list[panel.nodes.clone()] {
        let col = workspace.row_at[position as usize] as usize;
        let col_node = symbolic.order[position as usize] as usize;
        let col_free = symbolic.free.of_node(col_node);
        for entry in symbolic.entries_of(position as usize) {
            let row = workspace.row_at[entry.row as usize] as usize;
            let row_node = symbolic.order[entry.row as usize] as usize;
            let row_free = symbolic.free.of_node(row_node);
            let block = &matrix.k.values[entry.index as usize];
            let on_diagonal =
                matrix.shifted_mass.map_or(0.0, |(mass, shift)| shift * mass.values[entry.index as usize]);
            // The stored block has the larger node in its rows.
            let (stride_row, stride_col) = if row_node >= col_node { (3, 1) } else { (1, 3) };
            for (at_col, j) in (col..).zip((0..3).filter(|&j| col_free[j])) {
                for (at, i) in (at_col * n_rows + row..).zip((0..3).filter(|&i| row_free[i])) {
                    values[at] =
                        block[stride_row * i + stride_col * j] + if i == j { on_diagonal } else { 0.0 };
                }
            }
        }
    }
    let n_cols = values.len() / n_rows.max(1);
    workspace.diagonal.extend((0..n_cols).map(|j| values[j * n_rows + j]));
}
