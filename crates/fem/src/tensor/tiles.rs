//! Groups of cells that are computed together, coloured so that groups of one colour share no point.

use std::collections::BTreeMap;
use std::ops::Range;

use super::pairs::{Band, Line};
use crate::SplineCells;

/// Longest run of cells along the first direction.
const RUN: usize = 8;
/// Number of tiles computed one after the other, while their common columns are in the cache.
const PILE: usize = 8;
/// Number of different colours; more piles at one point are computed one after the other.
const MAX_COLOURS: u32 = 64;

/// Cells of some consecutive rows: runs of the same spans in ξ, one above the other in η, in one span of ζ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tile {
    /// Spans in ξ: number in [`Plan::bands`].
    pub(super) x: usize,
    /// Spans in η: number in [`Plan::bands`].
    pub(super) y: usize,
    /// Span in ζ.
    pub(super) z: usize,
    /// Index in [`Plan::first_cells`] of the first cells of its rows.
    pub(super) rows: usize,
}

/// All tiles of a patch, and their order.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Spans in ξ and η that tiles have.
    pub(super) bands: Vec<Band>,
    /// The tiles, pile by pile.
    pub(super) tiles: Vec<Tile>,
    /// Tiles with the same spans in ξ and η, one above the other in ζ.
    pub(super) piles: Vec<Range<usize>>,
    /// For each row of each tile its first cell; the others have the following numbers.
    pub(super) first_cells: Vec<usize>,
    /// Piles that share no point: one group is added after the other.
    pub(super) colours: Vec<Vec<usize>>,
}

/// A run of cells: spans (ζ, first in ξ, number in ξ, η) and its first cell.
type Run = ([usize; 4], usize);

impl Plan {
    /// Groups the cells of a patch, for any selection of spans.
    ///
    /// * `max_rows` — rows of a tile
    pub(super) fn new(cells: &SplineCells, lines: &[Line; 3], max_rows: usize, n_points: usize) -> Self {
        let mut runs = runs(cells);
        runs.sort_unstable();
        let mut plan = Self {
            bands: Vec::new(),
            tiles: Vec::new(),
            piles: Vec::new(),
            first_cells: Vec::new(),
            colours: Vec::new(),
        };
        let mut number_of_band = BTreeMap::new();
        let is_next = |a: &Run, b: &Run| a.0[..3] == b.0[..3] && a.0[3] + 1 == b.0[3];
        for stack in runs.chunk_by(is_next) {
            for piece in pieces(stack.len(), max_rows) {
                let ([z, x, n_x, y], _) = stack[piece.start];
                let mut band = |d: usize, spans: Range<usize>| {
                    *number_of_band.entry((d, spans.start, spans.end)).or_insert_with(|| {
                        plan.bands.push(Band::new(&lines[d], spans));
                        plan.bands.len() - 1
                    })
                };
                let (x, y) = (band(0, x..x + n_x), band(1, y..y + piece.len()));
                plan.tiles.push(Tile { x, y, z, rows: plan.first_cells.len() });
                plan.first_cells.extend(stack[piece].iter().map(|run| run.1));
            }
        }
        plan.tiles.sort_by_key(|tile| (tile.y, tile.x, tile.z));
        let mut start = 0;
        for same in plan.tiles.chunk_by(|a, b| (a.x, a.y) == (b.x, b.y)) {
            plan.piles.extend(pieces(same.len(), PILE).map(|piece| start + piece.start..start + piece.end));
            start += same.len();
        }
        plan.colours = plan.coloured(cells, lines, n_points);
        plan
    }

    /// The tiles of a pile.
    pub(super) fn tiles_of(&self, pile: usize) -> &[Tile] {
        &self.tiles[self.piles[pile].clone()]
    }

    /// Calls `visit` with the control points of a tile, the first direction fastest.
    pub(super) fn for_each_point(
        &self,
        tile: &Tile,
        cells: &SplineCells,
        lines: &[Line; 3],
        mut visit: impl FnMut(usize),
    ) {
        let (x, y) = (&self.bands[tile.x], &self.bands[tile.y]);
        let first_z = lines[2].first(tile.z);
        for k in first_z..first_z + lines[2].n_functions {
            for j in y.first..y.first + y.n_functions {
                let start = x.first + cells.n_functions[0] * (j + cells.n_functions[1] * k);
                (start..start + x.n_functions).for_each(&mut visit);
            }
        }
    }

    /// Assigns to each pile the lowest colour that no earlier pile with a common point has.
    fn coloured(&self, cells: &SplineCells, lines: &[Line; 3], n_points: usize) -> Vec<Vec<usize>> {
        let mut taken = vec![0_u64; n_points];
        let (mut colours, mut alone): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
        for (i_pile, pile) in self.piles.iter().enumerate() {
            let tiles = &self.tiles[pile.clone()];
            let for_each = |visit: &mut dyn FnMut(usize)| {
                for tile in tiles {
                    self.for_each_point(tile, cells, lines, |k| visit(cells.point_ids[k] as usize));
                }
            };
            let mut mask = 0;
            for_each(&mut |id| mask |= taken[id]);
            let colour = mask.trailing_ones();
            if colour == MAX_COLOURS {
                alone.push(vec![i_pile]);
                continue;
            }
            for_each(&mut |id| taken[id] |= 1 << colour);
            if colour as usize == colours.len() {
                colours.push(Vec::new());
            }
            colours[colour as usize].push(i_pile);
        }
        colours.append(&mut alone);
        colours
    }
}

/// 0..n in as few ranges of at most `most` as possible, equal up to one.
fn pieces(n: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    let n_pieces = n.div_ceil(most.max(1));
    (0..n_pieces).map(move |k| k * n / n_pieces..(k + 1) * n / n_pieces)
}

/// Runs of cells that follow each other in ξ and in their numbers.
fn runs(cells: &SplineCells) -> Vec<Run> {
    let n_cells = cells.n_cells();
    let mut runs = Vec::new();
    let mut start = 0;
    while start < n_cells {
        let [x, y, z] = cells.span_of_cell(start);
        let mut end = start + 1;
        while end < n_cells && cells.span_of_cell(end) == [x + end - start, y, z] {
            end += 1;
        }
        runs.extend(
            pieces(end - start, RUN).map(|piece| ([z, x + piece.start, piece.len(), y], start + piece.start)),
        );
        start = end;
    }
    runs
}
