//! Products of a panel with all groups of right-hand sides, piece after piece of its rows, large ones in
//! parallel.

use std::ops::Range;

use rayon::prelude::*;

use super::kernel::{self, Above, Below};
use crate::lanes::{Row, add};
use crate::number::Number;
use crate::tiles::Tiles;

/// Tiles of one piece of a panel: the unit of parallel work.
const PIECE_TILES: usize = 32;

/// y −= L x for all groups with the tiles from one on, at which y begins.
pub(super) fn subtract<T: Number>(
    panel: Tiles<'_, T>,
    first_tile: usize,
    mut parts: Vec<Below<'_, T>>,
    parallel: bool,
) {
    let n_tiles = panel.n_tiles() - first_tile;
    if parallel && n_tiles > PIECE_TILES {
        let mut pieces = Vec::new();
        for (x, y) in parts {
            pieces.extend(y.chunks_mut(T::LANES * PIECE_TILES).enumerate().map(|(piece, y)| (piece, x, y)));
        }
        // Groups of one piece follow each other: the piece is still in the cache.
        pieces.sort_by_key(|(piece, ..)| *piece);
        pieces.into_par_iter().for_each(|(piece, x, y)| {
            kernel::subtract(panel, tiles_of(panel, first_tile, piece), &mut [(x, y)])
        });
        return;
    }
    kernel::subtract(panel, first_tile..panel.n_tiles(), &mut parts);
}

/// x −= Lᵀ y for all groups, as [`subtract`]; in parallel, pieces are summed apart and then in order.
pub(super) fn subtract_transposed<T: Number>(
    panel: Tiles<'_, T>,
    first_tile: usize,
    parts: &mut [Above<'_, T>],
    parallel: bool,
) {
    let n_tiles = panel.n_tiles() - first_tile;
    if !parallel || n_tiles <= PIECE_TILES {
        kernel::subtract_transposed(panel, first_tile..panel.n_tiles(), parts);
        return;
    }
    let n_parts = parts.len();
    let sums: Vec<Vec<Row<T>>> = (0..n_tiles.div_ceil(PIECE_TILES) * n_parts)
        .into_par_iter()
        .map(|job| {
            let (piece, (x, y)) = (job / n_parts, &parts[job % n_parts]);
            let rows = T::LANES * PIECE_TILES * piece..y.len().min(T::LANES * PIECE_TILES * (piece + 1));
            let mut sum = vec![T::ZEROS; x.len()];
            kernel::subtract_transposed(
                panel,
                tiles_of(panel, first_tile, piece),
                &mut [(&mut sum, &y[rows])],
            );
            sum
        })
        .collect();
    for (job, sum) in sums.iter().enumerate() {
        let (x, _) = &mut parts[job % n_parts];
        for (x, sum) in x.iter_mut().zip(sum) {
            add::<T>(x, sum);
        }
    }
}

/// Tiles of a piece.
fn tiles_of<T: Number>(panel: Tiles<'_, T>, first_tile: usize, piece: usize) -> Range<usize> {
    let first = first_tile + PIECE_TILES * piece;
    first..panel.n_tiles().min(first + PIECE_TILES)
}
