//! Blocks and cells of a body by number.

use super::Cells;
use super::tree::Cell;

/// Numbers of the cells of a body, by a common convention of discretisations, faces and pictures.
///
/// A patch is a block, its cells are numbered the first direction fastest. A patch that is refined locally
/// gives a block for each level that has undivided cells, coarse to fine, and these are its cells.
#[derive(Debug, Clone, PartialEq)]
pub struct CellNumbers {
    /// For each patch its levels: number of the block, and the cells, reversed so that they ascend. No cells
    /// for a lattice.
    patches: Vec<(Vec<Option<Block>>, [u32; 3])>,
}

#[derive(Debug, Clone, PartialEq)]
struct Block {
    number: u32,
    /// `None` for all spans of a patch.
    cells: Option<Vec<[u32; 3]>>,
}

impl CellNumbers {
    pub(super) fn new(cells: Cells<'_>) -> Self {
        let mut number = 0;
        let mut next = |leaves| {
            number += 1;
            Some(Block { number: number - 1, cells: leaves })
        };
        let patches = (0..cells.n_patches())
            .map(|patch| {
                let tree = cells.tree(patch);
                let levels = if cells.are_refined() {
                    let block = |level| {
                        let leaves: Vec<[u32; 3]> =
                            tree.leaves(level).into_iter().map(|[i, j, k]| [k, j, i]).collect();
                        if leaves.is_empty() { None } else { next(Some(leaves)) }
                    };
                    (0..tree.n_levels()).map(block).collect()
                } else {
                    vec![next(None)]
                };
                (levels, tree.lattice(0))
            })
            .collect();
        Self { patches }
    }

    /// Block and cell of a cell of a patch.
    ///
    /// # Panics
    ///
    /// If the patch has no such undivided cell.
    pub fn of(&self, patch: u32, level: u32, cell: Cell) -> (u32, u32) {
        let (levels, [n, m, _]) = &self.patches[patch as usize];
        let block = levels[level as usize].as_ref().expect("an undivided cell makes its level a block");
        let [i, j, k] = cell;
        let number = match &block.cells {
            None => i + n * (j + m * k),
            Some(cells) => cells.binary_search(&[k, j, i]).expect("an undivided cell is listed") as u32,
        };
        (block.number, number)
    }
}
