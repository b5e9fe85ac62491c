//! Products of tall matrices, the same bits for any number of threads.

mod components;

pub use components::ComponentProducts;

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::lanes::{LANES, Row, Vectors, ZERO, add};
use crate::multiply::{Packed, WIDE, multiply};

/// Rows of one piece of a tall matrix.
const PIECE_ROWS: usize = 4096;

/// Most pieces of a tall matrix, so that partial sums stay small in memory.
const MAX_PIECES: usize = 16;

/// Rows of both operands that meet in the cache.
const DEPTH: usize = 192;

/// Columns of a product that are summed together.
const BLOCK_COLUMNS: usize = 128 * WIDE;

/// Rows that are transformed together: they stay in the cache.
const TRANSFORMED_ROWS: usize = 512;

/// Rows of one piece of a matrix with `n_rows` rows.
fn piece_rows(n_rows: usize) -> usize {
    PIECE_ROWS.max(n_rows.div_ceil(MAX_PIECES))
}

/// Aᵀ B of tall matrices.
pub fn gram(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let sums = sums(a, b, false);
    let width = padded(b.ncols());
    Mat::from_fn(a.ncols(), b.ncols(), |i, j| sums[i / LANES * width + j][i % LANES])
}

/// Aᵀ B of tall matrices, where it is symmetric in exact arithmetic: its lower triangle, and that once more
/// above.
pub fn symmetric_gram(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    assert_eq!(a.ncols(), b.ncols(), "a symmetric product is square");
    let sums = sums(a, b, true);
    let width = padded(b.ncols());
    Mat::from_fn(a.ncols(), b.ncols(), |i, j| {
        let (i, j) = (i.max(j), i.min(j));
        sums[i / LANES * width + j][i % LANES]
    })
}

/// Columns of a product, filled up to whole blocks.
fn padded(n: usize) -> usize {
    n.next_multiple_of(WIDE)
}

/// Aᵀ B in tiles of eight rows, each from the first column to the last.
///
/// Pieces of the rows are summed apart, for some columns of B at a time: their sums would else take the
/// memory of the product once a piece.
fn sums(a: MatRef<'_, f64>, b: MatRef<'_, f64>, is_lower: bool) -> Vec<Row> {
    let width = padded(b.ncols());
    let n_tiles = a.ncols().div_ceil(LANES);
    let mut sums = vec![ZERO; n_tiles * width];
    if sums.is_empty() {
        return sums;
    }
    for first in (0..width).step_by(BLOCK_COLUMNS) {
        let n_columns = BLOCK_COLUMNS.min(width - first);
        let b = b.subcols(first, n_columns.min(b.ncols() - first));
        for part in parts(a, b, first, is_lower) {
            for (sums, part) in sums.chunks_exact_mut(width).zip(part.chunks_exact(n_columns)) {
                for (sum, part) in sums[first..][..n_columns].iter_mut().zip(part) {
                    add::<f64>(sum, part);
                }
            }
        }
    }
    sums
}

/// The sums of each piece of the rows, as [`sums`] has them.
///
/// * `first` — column of the product with which those of B begin
fn parts(a: MatRef<'_, f64>, b: MatRef<'_, f64>, first: usize, is_lower: bool) -> Vec<Vec<Row>> {
    let rows = piece_rows(a.nrows());
    let n_columns = padded(b.ncols());
    (0..a.nrows().div_ceil(rows))
        .into_par_iter()
        .map(|piece| {
            let end = a.nrows().min((piece + 1) * rows);
            let mut sums = vec![ZERO; a.ncols().div_ceil(LANES) * n_columns];
            let (mut left, mut right) = (Vec::new(), Vec::new());
            for start in (piece * rows..end).step_by(DEPTH) {
                let depth = DEPTH.min(end - start);
                pack(a.subrows(start, depth), 1, &mut left);
                pack(b.subrows(start, depth), 1, &mut right);
                let sums = &mut sums;
                Arch::new().dispatch(AddGram {
                    left: &left,
                    right: &right,
                    depth,
                    first,
                    n_columns,
                    is_lower,
                    sums,
                });
            }
            sums
        })
        .collect()
}

/// Copies rows of a matrix at equal distances from the first one on, N columns side by side, block after
/// block; missing columns are zero.
fn pack<const N: usize>(columns: MatRef<'_, f64>, distance: usize, packed: &mut Vec<[f64; N]>) {
    let n_rows = columns.nrows().div_ceil(distance);
    packed.clear();
    packed.resize(n_rows * columns.ncols().div_ceil(N), [0.0; N]);
    for (j, column) in columns.col_iter().enumerate() {
        let block = &mut packed[j / N * n_rows..][..n_rows];
        for (to, value) in block.iter_mut().zip(column.iter().step_by(distance)) {
            to[j % N] = *value;
        }
    }
}

/// sums += Aᵀ B.
struct AddGram<'a> {
    /// A in blocks of eight columns.
    left: &'a [Row],
    /// B in blocks of six columns.
    right: &'a [Packed],
    /// Rows of both.
    depth: usize,
    /// Column of the product with which the sums begin.
    first: usize,
    /// Columns of the sums.
    n_columns: usize,
    /// Whether entries above the diagonal are left out.
    is_lower: bool,
    sums: &'a mut [Row],
}

impl WithSimd for AddGram<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { left, right, depth, first, n_columns, is_lower, sums } = self;
        let tiles = left.chunks_exact(depth).zip(sums.chunks_exact_mut(n_columns));
        for (tile, (left, sums)) in tiles.enumerate() {
            let end = if is_lower { padded(LANES * (tile + 1)).saturating_sub(first) } else { n_columns };
            let sums = &mut sums[..end.min(n_columns)];
            for (right, sums) in right.chunks_exact(depth).zip(sums.chunks_exact_mut(WIDE)) {
                let mut products = [ZERO; WIDE];
                multiply::<S, f64, WIDE>(simd, left, right, &mut products);
                for (sum, product) in sums.iter_mut().zip(&products) {
                    Vectors::load(simd, sum).plus(simd, 1.0, Vectors::load(simd, product)).store(sum);
                }
            }
        }
    }
}

/// Y += α A C for tall Y and A.
pub fn add_product(y: MatMut<'_, f64>, alpha: f64, a: MatRef<'_, f64>, c: MatRef<'_, f64>) {
    if y.nrows() == 0 || y.ncols() == 0 {
        return;
    }
    let rows = piece_rows(y.nrows());
    y.par_row_chunks_mut(rows).enumerate().for_each(|(k, y)| {
        let n = y.nrows();
        matmul(y, Accum::Add, a.subrows(k * rows, n), c, alpha, Par::Seq);
    });
}

/// A C for a tall A.
pub fn product(a: MatRef<'_, f64>, c: MatRef<'_, f64>) -> Mat<f64> {
    let mut y = Mat::zeros(a.nrows(), c.ncols());
    add_product(y.as_mut(), 1.0, a, c);
    y
}

/// Y ← Y C in the memory of a tall Y, C square.
pub fn transform(y: MatMut<'_, f64>, c: MatRef<'_, f64>) {
    if y.nrows() == 0 || y.ncols() == 0 {
        return;
    }
    y.par_row_chunks_mut(TRANSFORMED_ROWS).for_each_init(Mat::new, |old: &mut Mat<f64>, mut y| {
        old.resize_with(y.nrows(), y.ncols(), |_, _| 0.0);
        old.copy_from(y.as_ref());
        matmul(y.as_mut(), Accum::Replace, old.as_ref(), c, 1.0, Par::Seq);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tall_products_agree_with_plain_ones() {
        let a = Mat::from_fn(9001, 5, |i, j| ((i * 3 + j) as f64).sin());
        let b = Mat::from_fn(9001, 4, |i, j| ((i + 7 * j) as f64).cos());
        assert!((gram(a.as_ref(), b.as_ref()) - a.transpose() * &b).norm_max() < 1e-9);
        let (a_few, b_few) = (a.subcols(0, 4), b.as_ref());
        let both = Mat::from_fn(9001, 19, |i, j| ((i + 1) as f64 * (j + 2) as f64 * 0.37).sin());
        let plain = both.transpose() * &both;
        assert!((symmetric_gram(both.as_ref(), both.as_ref()) - &plain).norm_max() < 1e-9);
        assert!((gram(a_few, b_few) - a_few.transpose() * b_few).norm_max() < 1e-9);
        assert_eq!(gram(a.subcols(0, 0), b.as_ref()).ncols(), 4);
        assert_eq!(gram(a.as_ref(), b.subcols(0, 0)).nrows(), 5);
        assert_eq!(gram(a.subrows(0, 0), b.subrows(0, 0)).norm_max(), 0.0);
        let c = Mat::from_fn(5, 3, |i, j| (i + j) as f64);
        let mut transformed = both.to_owned();
        transform(transformed.as_mut(), plain.as_ref());
        assert!((transformed - &both * &plain).norm_max() < 1e-9);
        assert!((product(a.as_ref(), c.as_ref()) - &a * &c).norm_max() < 1e-12);
    }
}
