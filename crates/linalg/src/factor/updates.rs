//! What earlier panels subtract from a panel, by dense products.
//!
//! A panel may be worked on in pieces of some of its tiles, in parallel. Every number is summed in the same
//! order however it is cut.

use std::ops::Range;

use pulp::Arch;

use super::PanelValues;
use super::panel_size::panel_tiles;
use super::product::{Subtraction, pack};
use crate::lanes::Row;
use crate::multiply::Packed;
use crate::number::Number;
use crate::symbolic::Symbolic;
use crate::tiles::place;

/// Memory for the contributions to a piece.
pub(super) struct PieceWorkspace<T> {
    packed: Vec<Packed<T>>,
    own_places: Vec<u32>,
    own_columns: Vec<u32>,
    places: Vec<u32>,
    columns: Vec<u32>,
}

impl<T> PieceWorkspace<T> {
    pub(super) fn new() -> Self {
        Self {
            packed: Vec::new(),
            own_places: Vec::new(),
            own_columns: Vec::new(),
            places: Vec::new(),
            columns: Vec::new(),
        }
    }
}

/// One panel in work, with the values that it needs from the panels before it.
pub(super) struct Updates<'a> {
    pub(super) symbolic: &'a Symbolic,
    pub(super) i_panel: usize,
    /// Number of the panel at `earlier[0]`.
    pub(super) first: usize,
    pub(super) earlier: &'a [PanelValues],
    /// Row of each position in the panel.
    pub(super) row_at: &'a [u32],
    pub(super) arch: Arch,
}

impl Updates<'_> {
    /// Subtracts the contributions of all earlier panels from some rows.
    ///
    /// * `rows` — from the first row of a tile on
    /// * `piece` — these tiles
    pub(super) fn subtract<T: Number>(
        &self,
        rows: Range<usize>,
        piece: &mut [Row<T>],
        memory: &mut PieceWorkspace<T>,
    ) {
        self.subtract_own(&rows, piece, memory);
        for update in self.symbolic.updates_of(self.i_panel) {
            self.subtract_supernode(update.source as usize, update.first as usize, &rows, piece, memory);
        }
    }

    /// Subtracts the contributions of earlier panels of the same supernode: they have the same rows.
    fn subtract_own<T: Number>(
        &self,
        rows: &Range<usize>,
        piece: &mut [Row<T>],
        memory: &mut PieceWorkspace<T>,
    ) {
        let panel = &self.symbolic.panels[self.i_panel];
        let supernode = &self.symbolic.supernodes[panel.supernode];
        let first_row = supernode.row_of[panel.nodes.start];
        let width = (supernode.row_of[panel.nodes.end] - first_row) as usize;
        let PieceWorkspace { packed, own_places, own_columns, .. } = memory;
        own_places.clear();
        own_places.extend(rows.clone().map(|row| place::<T>(row - rows.start, width) as u32));
        own_columns.clear();
        own_columns.extend(0..width as u32);
        for i_source in supernode.panels.start..self.i_panel {
            let shift = (first_row - supernode.row_of[self.symbolic.panels[i_source].nodes.start]) as usize;
            let values = &self.earlier[i_source - self.first];
            let source = panel_tiles(self.symbolic, i_source, values);
            let end = width.min(rows.end);
            pack(source, shift..shift + end, &values.signs, packed);
            let product = Subtraction {
                source,
                rows: rows.start + shift..rows.end + shift,
                right: packed,
                first_right: shift,
                places: own_places,
                columns: &own_columns[..end],
                target: &mut *piece,
            };
            self.arch.dispatch(product);
        }
    }

    /// Subtracts the contribution of one supernode of the subtrees below.
    ///
    /// * `middle` — where the nodes of the panel begin in the list of the source
    fn subtract_supernode<T: Number>(
        &self,
        i_source: usize,
        middle: usize,
        rows: &Range<usize>,
        piece: &mut [Row<T>],
        memory: &mut PieceWorkspace<T>,
    ) {
        let panel = &self.symbolic.panels[self.i_panel];
        let target = &self.symbolic.supernodes[panel.supernode];
        let width = (target.row_of[panel.nodes.end] - target.row_of[panel.nodes.start]) as usize;
        let source = &self.symbolic.supernodes[i_source];
        let PieceWorkspace { packed, places, columns, .. } = memory;
        let row_at = |k: usize| self.row_at[source.list[k] as usize] as usize;
        let n_dofs = |k: usize| (source.row_of[k + 1] - source.row_of[k]) as usize;
        // Nodes of the source with rows in the piece.
        let nodes = &source.list[middle..];
        let begin = middle + nodes.partition_point(|&p| self.row_at[p as usize] as usize + 3 <= rows.start);
        places.clear();
        let mut first_row = 0;
        for k in begin..source.list.len() {
            let at = row_at(k);
            if at >= rows.end {
                break;
            }
            for (dof, row) in (at..at + n_dofs(k)).enumerate().filter(|(_, row)| rows.contains(row)) {
                if places.is_empty() {
                    first_row = source.row_of[k] as usize + dof;
                }
                places.push(place::<T>(row - rows.start, width) as u32);
            }
        }
        if places.is_empty() {
            return;
        }
        columns.clear();
        let end = width.min(rows.end);
        for k in middle..source.list.len() {
            let at = row_at(k);
            if at >= end {
                break;
            }
            columns.extend((at..(at + n_dofs(k)).min(end)).map(|column| column as u32));
        }
        let first_right = source.row_of[middle] as usize;
        for i_panel in source.panels.clone() {
            let offset = source.row_of[self.symbolic.panels[i_panel].nodes.start] as usize;
            let values = &self.earlier[i_panel - self.first];
            let tiles = panel_tiles(self.symbolic, i_panel, values);
            let right = first_right - offset;
            pack(tiles, right..right + columns.len(), &values.signs, packed);
            let product = Subtraction {
                source: tiles,
                rows: first_row - offset..first_row - offset + places.len(),
                right: packed,
                first_right: right,
                places,
                columns,
                target: &mut *piece,
            };
            self.arch.dispatch(product);
        }
    }
}

/// Tiles of one piece of a panel: all of them for a single thread, else enough pieces to keep all threads at
/// work.
pub(super) fn piece_tiles<T: Number>(n_tiles: usize) -> usize {
    match rayon::current_num_threads() {
        1 => n_tiles,
        n_threads => n_tiles.div_ceil(PIECES_PER_THREAD * n_threads).max(LEAST_ROWS / T::LANES),
    }
}

/// Pieces of a panel for each thread.
const PIECES_PER_THREAD: usize = 4;

/// Fewest rows of a piece: each piece transposes the right operand for itself.
const LEAST_ROWS: usize = 192;
