//! One panel: filled with the entries of the matrix, reduced by the panels before it, divided by its diagonal
//! block.

use faer::MatMut;
use pulp::Arch;
use rayon::prelude::*;

use super::division::Division;
use super::panel_size::{height, width};
use super::pivots::{Pivots, factorise_diagonal};
use super::updates::{PieceWorkspace, Updates, piece_tiles};
use super::workspace::Workspace;
use super::{FactorError, Matrix, PanelValues};
use crate::lanes::Row;
use crate::number::Number;
use crate::symbolic::Panel;
use crate::tiles::{clear, place};

/// Computes one panel from the panels before it.
///
/// `earlier[0]` is panel number `first`.
pub(super) fn factorise_panel<T: Number>(
    matrix: &Matrix<'_>,
    i_panel: usize,
    first: usize,
    earlier: &[PanelValues],
    target: &mut PanelValues,
    workspace: &mut Workspace<T>,
    parallel: bool,
) -> Result<Pivots, FactorError> {
    let symbolic = matrix.symbolic;
    let panel = &symbolic.panels[i_panel];
    let (height, width) = (height(symbolic, panel), width(symbolic, panel));
    let PanelValues { values, signs } = target;
    signs.clear();
    let values = clear::<T>(values, height, width);
    fill(matrix, panel, values, width, workspace);

    let arch = Arch::new();
    let updates = Updates { symbolic, i_panel, first, earlier, row_at: &workspace.row_at, arch };
    let rows_of =
        |first: usize, piece: &[Row<T>]| first..height.min(first + T::LANES * (piece.len() / width));
    if parallel {
        let tiles = piece_tiles::<T>(height.div_ceil(T::LANES));
        values
            .par_chunks_mut(tiles * width)
            .enumerate()
            .for_each_init(PieceWorkspace::<T>::new, |memory, (k, piece)| {
                updates.subtract(rows_of(k * tiles * T::LANES, piece), piece, memory)
            });
    } else {
        updates.subtract(0..height, values, &mut workspace.piece);
    }

    let mut block = std::mem::take(&mut workspace.block);
    take_block(values, width, &mut block);
    let top = MatMut::from_column_major_slice_mut(&mut block, width, width);
    let found = factorise_diagonal(matrix, panel, top, signs, workspace)?;
    workspace.triangle.assign(faer::MatRef::from_column_major_slice(&block, width, width));
    // The tile in which the diagonal block ends is divided as a whole, before the block is put back.
    let below = &mut values[width / T::LANES * width..];
    let division = |tiles: &mut [Row<T>]| {
        arch.dispatch(Division { triangle: &workspace.triangle, signs: &signs[..], tiles });
    };
    if parallel {
        below.par_chunks_mut(piece_tiles::<T>(below.len() / width).max(1) * width).for_each(division);
    } else {
        division(below);
    }
    put_block(&block, width, values);
    workspace.block = block;
    Ok(found)
}

/// Copies the lower triangle of the diagonal block out of its tiles.
fn take_block<T: Number>(values: &[Row<T>], width: usize, block: &mut Vec<T>) {
    block.clear();
    block.resize(width * width, T::ZERO);
    let values = T::flat(values);
    for (j, column) in block.chunks_exact_mut(width).enumerate() {
        for (i, value) in column.iter_mut().enumerate().skip(j) {
            *value = values[place::<T>(i, width) + T::LANES * j];
        }
    }
}

/// Copies the lower triangle of the diagonal block back to its tiles; above it become zeros.
fn put_block<T: Number>(block: &[T], width: usize, values: &mut [Row<T>]) {
    let values = T::flat_mut(values);
    for (j, column) in block.chunks_exact(width).enumerate() {
        for (i, value) in column.iter().enumerate() {
            values[place::<T>(i, width) + T::LANES * j] = if i >= j { *value } else { T::ZERO };
        }
    }
}

/// Writes the entries of the matrix into a panel and notes the row of each position and the diagonal.
fn fill<T: Number>(
    matrix: &Matrix<'_>,
    panel: &Panel,
    values: &mut [Row<T>],
    width: usize,
    workspace: &mut Workspace<T>,
) {
    let symbolic = matrix.symbolic;
    let values = T::flat_mut(values);
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
                for (at_row, i) in (row..).zip((0..3).filter(|&i| row_free[i])) {
                    let value =
                        block[stride_row * i + stride_col * j] + if i == j { on_diagonal } else { 0.0 };
                    values[place::<T>(at_row, width) + T::LANES * at_col] = T::of(matrix.scale * value);
                }
            }
        }
    }
    workspace.diagonal.extend((0..width).map(|j| values[place::<T>(j, width) + T::LANES * j].double()));
}
