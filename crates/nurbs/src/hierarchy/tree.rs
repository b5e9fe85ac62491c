//! Divided cells of a patch: dyadic levels of the lattice of its knot spans.

use std::collections::BTreeSet;

use crate::Side;

/// A cell of a level: number of its span in each direction, counted over the nonempty spans of that level.
pub type Cell = [u32; 3];

/// The cells of one patch. Those of level 0 are its knot spans; a divided cell has eight children on the next
/// level.
///
/// Ω^l, the part of the patch that level l refines, is the union of the divided cells of level l−1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    spans: [u32; 3],
    /// For each level the divided cells, directions reversed so that the first one runs fastest.
    divided: Vec<BTreeSet<[u32; 3]>>,
}

fn key([i, j, k]: Cell) -> [u32; 3] {
    [k, j, i]
}

impl Tree {
    /// Undivided cells.
    ///
    /// * `spans` — nonempty knot spans of the three directions
    pub fn new(spans: [u32; 3]) -> Self {
        Self { spans, divided: Vec::new() }
    }

    /// Number of levels: 1 if nothing is divided.
    pub fn n_levels(&self) -> usize {
        self.divided.len() + 1
    }

    /// Spans of a level in the three directions.
    pub fn lattice(&self, level: usize) -> [u32; 3] {
        self.spans.map(|n| n << level)
    }

    /// True if the cell belongs to Ω^l of its level: it is on level 0, or its parent is divided.
    pub fn exists(&self, level: usize, cell: Cell) -> bool {
        level == 0 || self.is_divided(level - 1, cell.map(|i| i / 2))
    }

    /// True if the cell has children.
    pub fn is_divided(&self, level: usize, cell: Cell) -> bool {
        self.divided.get(level).is_some_and(|cells| cells.contains(&key(cell)))
    }

    /// Divides a cell and, if necessary, its ancestors. Returns true if that changed anything.
    pub fn divide(&mut self, level: usize, cell: Cell) -> bool {
        while self.divided.len() <= level {
            self.divided.push(BTreeSet::new());
        }
        let mut changed = false;
        for l in 0..=level {
            changed |= self.divided[l].insert(key(cell.map(|i| i >> (level - l))));
        }
        changed
    }

    /// The divided cells of a level, the first direction fastest.
    pub fn divided(&self, level: usize) -> impl Iterator<Item = Cell> + '_ {
        self.divided.get(level).into_iter().flatten().map(|&reversed| key(reversed))
    }

    /// All cells of a level, divided or not, the first direction fastest.
    pub fn cells(&self, level: usize) -> Vec<Cell> {
        if level == 0 {
            let [n, m, o] = self.spans;
            return (0..o).flat_map(|k| (0..m).flat_map(move |j| (0..n).map(move |i| [i, j, k]))).collect();
        }
        let children =
            |cell: Cell| (0..8_u32).map(move |c| [0, 1, 2].map(|d: usize| 2 * cell[d] + (c >> d & 1)));
        let mut cells: Vec<Cell> = self.divided(level - 1).flat_map(children).collect();
        cells.sort_unstable_by_key(|&cell| key(cell));
        cells
    }

    /// The cells of a level that are not divided.
    pub fn leaves(&self, level: usize) -> Vec<Cell> {
        let mut cells = self.cells(level);
        cells.retain(|&cell| !self.is_divided(level, cell));
        cells
    }

    /// The undivided cells on a side, with their levels: coarse to fine, the first direction fastest.
    pub fn faces(&self, side: Side) -> Vec<(usize, Cell)> {
        let across = side.direction();
        let on_side = |level: usize| {
            let end = if side.is_end() { self.lattice(level)[across] - 1 } else { 0 };
            self.leaves(level)
                .into_iter()
                .filter(move |cell| cell[across] == end)
                .map(move |cell| (level, cell))
        };
        (0..self.n_levels()).flat_map(on_side).collect()
    }
}
