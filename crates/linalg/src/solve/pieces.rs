//! Products of a panel with all groups of right-hand sides, piece after piece of its rows, large ones in parallel.

use rayon::prelude::*;

use super::kernel::Panel;
use crate::lanes::{Row, ZERO, add};

/// Rows of one piece of a panel: the unit of parallel work, and what stays in the second-level cache for all groups.
const PIECE_ROWS: usize = 256;

/// y −= L x for all groups, piece after piece of the panel.
pub(super) fn subtract(panel: Panel<'_>, mut parts: Vec<(&[Row], &mut [Row])>, parallel: bool) {
    let n_rows = parts.first().map_or(0, |(_, y)| y.len());
    if parallel && n_rows > PIECE_ROWS {
        let mut pieces = Vec::new();
        for (x, y) in parts {
            pieces.extend(
                (0..).step_by(PIECE_ROWS).zip(y.chunks_mut(PIECE_ROWS)).map(|(first, y)| (first, x, y)),
            );
        }
        pieces.into_par_iter().for_each(|(first, x, y)| panel.below(first).subtract(x, y));
        return;
    }
    for first in (0..n_rows).step_by(PIECE_ROWS) {
        let piece = first..n_rows.min(first + PIECE_ROWS);
        for (x, y) in &mut parts {
            panel.below(first).subtract(x, &mut y[piece.clone()]);
        }
    }
}

/// x −= Lᵀ y for all groups; in parallel, pieces are summed apart and then in order.
pub(super) fn subtract_transposed(panel: Panel<'_>, parts: &mut [(&mut [Row], &[Row])], parallel: bool) {
    let n_pieces = parts.first().map_or(0, |(_, y)| y.len().div_ceil(PIECE_ROWS));
    let of_piece = |y: &[Row], piece: usize| piece * PIECE_ROWS..y.len().min((piece + 1) * PIECE_ROWS);
    if !parallel || n_pieces <= 1 {
        for piece in 0..n_pieces {
            for (x, y) in parts.iter_mut() {
                panel.below(piece * PIECE_ROWS).subtract_transposed(x, &y[of_piece(y, piece)]);
            }
        }
        return;
    }
    let n_parts = parts.len();
    let sums: Vec<Vec<Row>> = (0..n_pieces * n_parts)
        .into_par_iter()
        .map(|job| {
            let (piece, (x, y)) = (job / n_parts, &parts[job % n_parts]);
            let mut sum = vec![ZERO; x.len()];
            panel.below(piece * PIECE_ROWS).subtract_transposed(&mut sum, &y[of_piece(y, piece)]);
            sum
        })
        .collect();
    for (job, sum) in sums.iter().enumerate() {
        let (x, _) = &mut parts[job % n_parts];
        for (x, sum) in x.iter_mut().zip(sum) {
            add(x, sum);
        }
    }
}
