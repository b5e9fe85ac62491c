//! Division of a panel by its diagonal block: X Wᵀ = A, tile by tile, six columns at a time.

use faer::MatRef;
use pulp::{Simd, WithSimd};

use crate::lanes::{Row, Vectors};
use crate::multiply::{Packed, WIDE, multiply};
use crate::number::Number;

/// The lower triangle W of a diagonal block, transposed in blocks of six rows, each from the first column to
/// its own last.
pub(super) struct Triangle<T> {
    blocks: Vec<Packed<T>>,
    /// Start of each block.
    starts: Vec<usize>,
    /// 1 / w_jj.
    reciprocals: Vec<T>,
}

impl<T: Number> Triangle<T> {
    pub(super) fn new() -> Self {
        Self { blocks: Vec::new(), starts: Vec::new(), reciprocals: Vec::new() }
    }

    /// Takes the lower triangle of a square matrix.
    pub(super) fn assign(&mut self, w: MatRef<'_, T>) {
        let n = w.ncols();
        self.blocks.clear();
        self.starts.clear();
        self.reciprocals.clear();
        self.reciprocals.extend((0..n).map(|j| T::of(1.0) / w[(j, j)]));
        for first in (0..n).step_by(WIDE) {
            let end = n.min(first + WIDE);
            self.starts.push(self.blocks.len());
            self.blocks.extend((0..end).map(|k| {
                let mut packed = [T::ZERO; WIDE];
                for row in first.max(k)..end {
                    packed[row - first] = w[(row, k)];
                }
                packed
            }));
        }
    }
}

/// A ← A W⁻ᵀ S for some tiles.
pub(super) struct Division<'a, T: Number> {
    pub(super) triangle: &'a Triangle<T>,
    /// Signs of the pivots, none if all are positive.
    pub(super) signs: &'a [f64],
    pub(super) tiles: &'a mut [Row<T>],
}

impl<T: Number> WithSimd for Division<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { triangle: Triangle { blocks, starts, reciprocals }, signs, tiles } = self;
        for tile in tiles.chunks_exact_mut(reciprocals.len()) {
            for (block, &start) in starts.iter().enumerate() {
                let (solved, rest) = tile.split_at_mut(WIDE * block);
                let (columns, _) = rest.split_at_mut(WIDE.min(rest.len()));
                let (above, corner) = blocks[start..][..solved.len() + columns.len()].split_at(solved.len());
                let mut sums = [T::ZEROS; WIDE];
                multiply::<S, T, WIDE>(simd, solved, above, &mut sums);
                for (column, sum) in columns.iter_mut().zip(&sums) {
                    Vectors::load(simd, column)
                        .plus(simd, T::of(-1.0), Vectors::load(simd, sum))
                        .store(column);
                }
                for j in 0..columns.len() {
                    let (first, behind) = columns.split_at_mut(j + 1);
                    let value = Vectors::load(simd, &first[j]).times(simd, reciprocals[WIDE * block + j]);
                    value.store(&mut first[j]);
                    for (column, &w) in behind.iter_mut().zip(&corner[j][j + 1..]) {
                        Vectors::load(simd, column).plus(simd, -w, value).store(column);
                    }
                }
            }
            for (column, _) in tile.iter_mut().zip(signs).filter(|(_, sign)| **sign < 0.0) {
                for value in column.as_mut() {
                    *value = -*value;
                }
            }
        }
    }
}
