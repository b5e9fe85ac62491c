//! Dense kernels of the triangular solutions, on rows of right-hand sides that lie side by side, `T::LANES`
//! of them.
//!
//! The factor streams through once, tile by tile, and meets right-hand sides that stay in the cache: for few
//! of them a solution costs little more than reading the factor.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use crate::lanes::{MOST_LANES, Row, Vectors};
use crate::number::Number;
use crate::tiles::Tiles;

/// Rows of a tile whose right-hand sides fit the registers.
const MANY: usize = 8;

/// The same if each takes more than one.
const FEW: usize = 4;

/// Tiles in which the diagonal block of a panel lies; the last of them may have rows below the block.
pub(super) fn n_diagonal_tiles<T: Number>(panel: &Tiles<'_, T>) -> usize {
    panel.width.div_ceil(T::LANES)
}

/// X ← L⁻¹ X with the triangle of a panel, and the update of rows below it by the same tiles.
///
/// * `rows` — X, and at least the rows behind it that the last tile of the triangle has
pub(super) fn solve_lower<T: Number>(panel: Tiles<'_, T>, rows: &mut [Row<T>]) {
    Arch::new().dispatch(SolveLower { panel, rows });
}

/// X ← L⁻ᵀ X with the triangle of a panel, after the update by the rows below it with the same tiles.
///
/// * `rows` — as for [`solve_lower`]
pub(super) fn solve_upper<T: Number>(panel: Tiles<'_, T>, rows: &mut [Row<T>]) {
    Arch::new().dispatch(SolveUpper { panel, rows });
}

/// X of a panel's columns, and the rows Y below them that change.
pub(super) type Below<'p, T> = (&'p [Row<T>], &'p mut [Row<T>]);

/// X of a panel's columns, which changes, and the rows Y below them.
pub(super) type Above<'p, T> = (&'p mut [Row<T>], &'p [Row<T>]);

/// Y −= L X for some tiles and each of the parts: a tile meets all of them while it is in the cache.
///
/// * `parts` — X, and as Y the rows of these tiles
pub(super) fn subtract<T: Number>(panel: Tiles<'_, T>, tiles: Range<usize>, parts: &mut [Below<'_, T>]) {
    Arch::new().dispatch(Subtract { panel, tiles, parts });
}

/// X −= Lᵀ Y for some tiles and each of the parts.
///
/// * `parts` — X, and as Y the rows of these tiles
pub(super) fn subtract_transposed<T: Number>(
    panel: Tiles<'_, T>,
    tiles: Range<usize>,
    parts: &mut [Above<'_, T>],
) {
    Arch::new().dispatch(SubtractTransposed { panel, tiles, parts });
}

struct SolveLower<'a, T: Number> {
    panel: Tiles<'a, T>,
    rows: &'a mut [Row<T>],
}

struct SolveUpper<'a, T: Number> {
    panel: Tiles<'a, T>,
    rows: &'a mut [Row<T>],
}

struct Subtract<'a, 'p, T: Number> {
    panel: Tiles<'a, T>,
    tiles: Range<usize>,
    parts: &'a mut [Below<'p, T>],
}

struct SubtractTransposed<'a, 'p, T: Number> {
    panel: Tiles<'a, T>,
    tiles: Range<usize>,
    parts: &'a mut [Above<'p, T>],
}

impl<T: Number> WithSimd for SolveLower<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, rows } = self;
        for tile in 0..n_diagonal_tiles(&panel) {
            let first = T::LANES * tile;
            let (left, corner) = panel.tile(tile).split_at(first);
            let (done, rest) = rows.split_at_mut(first);
            let n = rest.len().min(T::LANES);
            subtract_tile::<S, T>(simd, left, done, &mut rest[..n]);
            for (k, column) in corner.iter().take(T::LANES).enumerate() {
                let solved = Vectors::load(simd, &rest[k]).times(simd, T::of(1.0) / column[k]);
                solved.store(&mut rest[k]);
                for i in k + 1..n {
                    Vectors::load(simd, &rest[i]).plus(simd, -column[i], solved).store(&mut rest[i]);
                }
            }
        }
    }
}

impl<T: Number> WithSimd for SolveUpper<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, rows } = self;
        for tile in (0..n_diagonal_tiles(&panel)).rev() {
            let first = T::LANES * tile;
            let (left, corner) = panel.tile(tile).split_at(first);
            let (before, rest) = rows.split_at_mut(first);
            let n = rest.len().min(T::LANES);
            for (k, column) in corner.iter().take(T::LANES).enumerate().rev() {
                let mut row = Vectors::load(simd, &rest[k]);
                for i in k + 1..n {
                    row = row.plus(simd, -column[i], Vectors::load(simd, &rest[i]));
                }
                row.times(simd, T::of(1.0) / column[k]).store(&mut rest[k]);
            }
            subtract_tile_transposed::<S, T>(simd, left, before, &rest[..n]);
        }
    }
}

impl<T: Number> WithSimd for Subtract<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, tiles, parts } = self;
        for (i, tile) in tiles.enumerate() {
            let tile = panel.tile(tile);
            for (x, y) in parts.iter_mut() {
                let rows = T::LANES * i..y.len().min(T::LANES * (i + 1));
                subtract_tile::<S, T>(simd, tile, x, &mut y[rows]);
            }
        }
    }
}

impl<T: Number> WithSimd for SubtractTransposed<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, tiles, parts } = self;
        for (i, tile) in tiles.enumerate() {
            let tile = panel.tile(tile);
            for (x, y) in parts.iter_mut() {
                let rows = T::LANES * i..y.len().min(T::LANES * (i + 1));
                subtract_tile_transposed::<S, T>(simd, tile, x, &y[rows]);
            }
        }
    }
}

/// Y −= L X with the first columns of a tile, one for each row of X, and as many of its rows as Y has.
#[inline(always)]
fn subtract_tile<S: Simd, T: Number>(simd: S, tile: &[Row<T>], x: &[Row<T>], y: &mut [Row<T>]) {
    if y.len() == T::LANES {
        subtract_whole::<S, T>(simd, tile, x, y);
    } else {
        let mut padded = [T::ZEROS; MOST_LANES];
        padded[..y.len()].copy_from_slice(y);
        subtract_whole::<S, T>(simd, tile, x, &mut padded[..T::LANES]);
        y.copy_from_slice(&padded[..y.len()]);
    }
}

/// As [`subtract_tile`] for all rows.
#[inline(always)]
fn subtract_whole<S: Simd, T: Number>(simd: S, tile: &[Row<T>], x: &[Row<T>], y: &mut [Row<T>]) {
    if T::lanes::<S>() == T::LANES {
        for (part, y) in y.as_chunks_mut::<MANY>().0.iter_mut().enumerate() {
            subtract_rows::<S, T, MANY>(simd, tile, MANY * part, x, y);
        }
    } else {
        for (part, y) in y.as_chunks_mut::<FEW>().0.iter_mut().enumerate() {
            subtract_rows::<S, T, FEW>(simd, tile, FEW * part, x, y);
        }
    }
}

/// As [`subtract_tile`] for N rows from one on, whose sums stay in the registers.
#[inline(always)]
fn subtract_rows<S: Simd, T: Number, const N: usize>(
    simd: S,
    tile: &[Row<T>],
    first: usize,
    x: &[Row<T>],
    y: &mut [Row<T>; N],
) {
    let mut sums = [Vectors::<S, T>::zero(simd); N];
    for (column, x) in tile.iter().zip(x) {
        let x = Vectors::load(simd, x);
        for (sum, &value) in sums.iter_mut().zip(&column.as_ref()[first..first + N]) {
            *sum = sum.plus(simd, value, x);
        }
    }
    for (y, sum) in y.iter_mut().zip(sums) {
        Vectors::load(simd, y).plus(simd, T::of(-1.0), sum).store(y);
    }
}

/// X −= Lᵀ Y with the first columns of a tile, one for each row of X, and as many of its rows as Y has.
#[inline(always)]
fn subtract_tile_transposed<S: Simd, T: Number>(simd: S, tile: &[Row<T>], x: &mut [Row<T>], y: &[Row<T>]) {
    let mut padded = [T::ZEROS; MOST_LANES];
    let y = if y.len() == T::LANES {
        y
    } else {
        padded[..y.len()].copy_from_slice(y);
        &padded[..T::LANES]
    };
    if T::lanes::<S>() == T::LANES {
        for (part, y) in y.as_chunks::<MANY>().0.iter().enumerate() {
            subtract_rows_transposed::<S, T, MANY>(simd, tile, MANY * part, x, y);
        }
    } else {
        for (part, y) in y.as_chunks::<FEW>().0.iter().enumerate() {
            subtract_rows_transposed::<S, T, FEW>(simd, tile, FEW * part, x, y);
        }
    }
}

/// As [`subtract_tile_transposed`] for N rows from one on, which stay in the registers.
#[inline(always)]
fn subtract_rows_transposed<S: Simd, T: Number, const N: usize>(
    simd: S,
    tile: &[Row<T>],
    first: usize,
    x: &mut [Row<T>],
    y: &[Row<T>; N],
) {
    let mut minus = [Vectors::<S, T>::zero(simd); N];
    for (minus, y) in minus.iter_mut().zip(y) {
        *minus = Vectors::load(simd, y).times(simd, T::of(-1.0));
    }
    for (column, x) in tile.iter().zip(x) {
        let mut sum = Vectors::load(simd, x);
        for (&minus, &value) in minus.iter().zip(&column.as_ref()[first..first + N]) {
            sum = sum.plus(simd, value, minus);
        }
        sum.store(x);
    }
}
