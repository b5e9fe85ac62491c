//! Size of a panel, and its part of the factor.

use super::PanelValues;
use crate::number::Number;
use crate::symbolic::{Panel, Symbolic};
use crate::tiles::Tiles;

/// Dofs of a panel.
pub(super) fn width(symbolic: &Symbolic, panel: &Panel) -> usize {
    let row_of = &symbolic.supernodes[panel.supernode].row_of;
    (row_of[panel.nodes.end] - row_of[panel.nodes.start]) as usize
}

/// Rows of a panel.
pub(super) fn height(symbolic: &Symbolic, panel: &Panel) -> usize {
    let supernode = &symbolic.supernodes[panel.supernode];
    supernode.height() - supernode.row_of[panel.nodes.start] as usize
}

/// The factor of a panel.
pub(crate) fn panel_tiles<'a, T: Number>(
    symbolic: &Symbolic,
    i_panel: usize,
    values: &'a PanelValues,
) -> Tiles<'a, T> {
    let panel = &symbolic.panels[i_panel];
    Tiles::new(&values.values, height(symbolic, panel), width(symbolic, panel))
}
