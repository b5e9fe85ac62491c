//! Columns of tall matrices side by side, eight in a row: a *group*.
//!
//! A group is 3n rows of `LANES` numbers. Sparse products, triangular solutions and orthogonalisations of few
//! columns pass once over their matrix or basis and meet whole cache lines; with columns one behind the other
//! they would gather.

use faer::{MatMut, MatRef};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

pub(crate) use crate::number::Row;

use crate::number::Number;

/// Columns that lie side by side.
pub(crate) const LANES: usize = 8;

/// The row of zeros.
pub(crate) const ZERO: Row = [0.0; LANES];

/// Coefficients between two groups: row i belongs to lane i of the first.
pub(crate) type Square = [Row; LANES];

/// The coefficients zero.
pub(crate) const NOTHING: Square = [ZERO; LANES];

/// Rows of one piece of a group: the unit of parallel work, small enough that a piece of the group at work
/// stays in the cache while the basis passes.
const PIECE_ROWS: usize = 1024;

/// Rows that stay in the first-level cache.
const CACHED_ROWS: usize = 128;

/// Lanes of the first group that are used together: their sums fit the registers.
const HALF: usize = 4;

/// The columns of a matrix as a group; missing ones are zero.
pub(crate) fn group_of(columns: MatRef<'_, f64>) -> Vec<Row> {
    let mut rows = Vec::new();
    read_group(columns, &mut rows);
    rows
}

/// As [`group_of`], in memory that was used before.
pub(crate) fn read_group(columns: MatRef<'_, f64>, rows: &mut Vec<Row>) {
    rows.resize(columns.nrows(), ZERO);
    if columns.ncols() < LANES {
        rows.fill(ZERO);
    }
    for lane in 0..columns.ncols() {
        for (row, value) in rows.iter_mut().zip(columns.col(lane).iter()) {
            row[lane] = *value;
        }
    }
}

/// Writes the first lanes of a group to the columns of a matrix.
pub(crate) fn write_columns(rows: &[Row], mut columns: MatMut<'_, f64>) {
    for lane in 0..columns.ncols() {
        for (value, row) in columns.as_mut().col_mut(lane).iter_mut().zip(rows) {
            *value = row[lane];
        }
    }
}

/// to += row.
pub(crate) fn add<T: Number>(to: &mut Row<T>, row: &Row<T>) {
    for (to, &value) in to.as_mut().iter_mut().zip(row.as_ref()) {
        *to += value;
    }
}

/// Aᵀ B for each group A of a basis; the same bits for any number of threads.
pub(crate) fn gram<G: AsRef<[Row]> + Sync>(basis: &[G], b: &[Row]) -> Vec<Square> {
    let arch = Arch::new();
    let parts: Vec<Vec<Square>> = b
        .par_chunks(PIECE_ROWS)
        .enumerate()
        .map(|(piece, b)| {
            let rows = piece * PIECE_ROWS..piece * PIECE_ROWS + b.len();
            let mut sums = vec![NOTHING; basis.len()];
            for (a, sum) in basis.iter().zip(&mut sums) {
                arch.dispatch(AddGram { a: &a.as_ref()[rows.clone()], b, sum });
            }
            sums
        })
        .collect();
    let mut sums = vec![NOTHING; basis.len()];
    for part in &parts {
        for (sum, part) in sums.iter_mut().zip(part) {
            for (sum, part) in sum.iter_mut().zip(part) {
                add::<f64>(sum, part);
            }
        }
    }
    sums
}

/// Y += α Σ A C over the groups A of a basis.
pub(crate) fn add_product<G: AsRef<[Row]> + Sync>(y: &mut [Row], alpha: f64, basis: &[G], c: &[Square]) {
    let arch = Arch::new();
    let scaled: Vec<Square> =
        c.iter().map(|square| square.map(|row| row.map(|value| alpha * value))).collect();
    y.par_chunks_mut(PIECE_ROWS).enumerate().for_each(|(piece, y)| {
        let rows = piece * PIECE_ROWS..piece * PIECE_ROWS + y.len();
        for (a, c) in basis.iter().zip(&scaled) {
            arch.dispatch(AddProduct { a: &a.as_ref()[rows.clone()], c, y });
        }
    });
}

/// Σ A C over the groups A of a basis.
pub(crate) fn product<G: AsRef<[Row]> + Sync>(basis: &[G], c: &[Square], n_rows: usize) -> Vec<Row> {
    let mut y = vec![ZERO; n_rows];
    add_product(&mut y, 1.0, basis, c);
    y
}

/// Y ← Y C.
pub(crate) fn transform(y: &mut [Row], c: &Square) {
    let arch = Arch::new();
    y.par_chunks_mut(PIECE_ROWS).for_each(|y| arch.dispatch(Transform { y, c }));
}

/// Most numbers of a row.
pub(crate) const MOST_LANES: usize = 16;

/// A row in the vectors of an instruction set; only the first `T::LANES / T::lanes()` are used.
#[derive(Clone, Copy)]
pub(crate) struct Vectors<S: Simd, T: Number = f64>([T::Vector<S>; MOST_LANES]);

impl<S: Simd, T: Number> Vectors<S, T> {
    #[inline(always)]
    pub(crate) fn zero(simd: S) -> Self {
        Self([T::splat(simd, T::ZERO); MOST_LANES])
    }

    #[inline(always)]
    pub(crate) fn load(simd: S, row: &Row<T>) -> Self {
        let mut vectors = Self::zero(simd);
        for (to, from) in vectors.0.iter_mut().zip(T::vectors::<S>(row)) {
            *to = *from;
        }
        vectors
    }

    #[inline(always)]
    pub(crate) fn store(self, row: &mut Row<T>) {
        for (to, from) in T::vectors_mut::<S>(row).iter_mut().zip(self.0) {
            *to = from;
        }
    }

    /// self + a x.
    #[inline(always)]
    pub(crate) fn plus(mut self, simd: S, a: T, x: Self) -> Self {
        let a = T::splat(simd, a);
        for v in 0..T::LANES / T::lanes::<S>() {
            self.0[v] = T::mul_add(simd, a, x.0[v], self.0[v]);
        }
        self
    }

    /// a self.
    #[inline(always)]
    pub(crate) fn times(mut self, simd: S, a: T) -> Self {
        let a = T::splat(simd, a);
        for v in 0..T::LANES / T::lanes::<S>() {
            self.0[v] = T::times(simd, a, self.0[v]);
        }
        self
    }
}

/// sum += Aᵀ B.
struct AddGram<'a> {
    a: &'a [Row],
    b: &'a [Row],
    sum: &'a mut Square,
}

impl WithSimd for AddGram<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { a, b, sum } = self;
        for (a, b) in a.chunks(CACHED_ROWS).zip(b.chunks(CACHED_ROWS)) {
            for (half, sum) in sum.chunks_exact_mut(HALF).enumerate() {
                let mut sums = [Vectors::zero(simd); HALF];
                for (a, b) in a.iter().zip(b) {
                    let b = Vectors::load(simd, b);
                    for (i, sum) in sums.iter_mut().enumerate() {
                        *sum = sum.plus(simd, a[HALF * half + i], b);
                    }
                }
                for (to, sum) in sum.iter_mut().zip(sums) {
                    Vectors::load(simd, to).plus(simd, 1.0, sum).store(to);
                }
            }
        }
    }
}

/// Y += A C.
struct AddProduct<'a> {
    a: &'a [Row],
    c: &'a Square,
    y: &'a mut [Row],
}

impl WithSimd for AddProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { a, c, y } = self;
        for (a, y) in a.chunks(CACHED_ROWS).zip(y.chunks_mut(CACHED_ROWS)) {
            for (half, c) in c.chunks_exact(HALF).enumerate() {
                let mut rows = [Vectors::zero(simd); HALF];
                for (row, c) in rows.iter_mut().zip(c) {
                    *row = Vectors::load(simd, c);
                }
                for (a, y) in a.iter().zip(y.iter_mut()) {
                    let mut sum = Vectors::load(simd, y);
                    for (i, row) in rows.iter().enumerate() {
                        sum = sum.plus(simd, a[HALF * half + i], *row);
                    }
                    sum.store(y);
                }
            }
        }
    }
}

/// Y ← Y C.
struct Transform<'a> {
    y: &'a mut [Row],
    c: &'a Square,
}

impl WithSimd for Transform<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let mut rows = [Vectors::zero(simd); LANES];
        for (row, c) in rows.iter_mut().zip(self.c) {
            *row = Vectors::load(simd, c);
        }
        for y in self.y {
            let old = *y;
            let mut sum = Vectors::zero(simd);
            for (value, row) in old.into_iter().zip(&rows) {
                sum = sum.plus(simd, value, *row);
            }
            sum.store(y);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A group of numbers of both signs without symmetry.
    fn group(n: usize, seed: usize) -> Vec<Row> {
        (0..n).map(|i| std::array::from_fn(|lane| ((7 * i + 13 * lane + seed) as f64).sin())).collect()
    }

    #[test]
    fn products_equal_those_of_single_columns() {
        let n = 2 * PIECE_ROWS + 77;
        let (basis, b) = ([group(n, 1), group(n, 2)], group(n, 5));
        let sums = gram(&basis, &b);
        let mut y = b.clone();
        add_product(&mut y, -2.0, &basis, &sums);
        for (i, j) in [(0, 0), (3, 7), (6, 2)] {
            for (a, sum) in basis.iter().zip(&sums) {
                let expected: f64 = a.iter().zip(&b).map(|(a, b)| a[i] * b[j]).sum();
                assert!((sum[i][j] - expected).abs() < 1e-11, "{} {expected}", sum[i][j]);
            }
        }
        for row in [0, n / 2, n - 1] {
            let terms =
                basis.iter().zip(&sums).flat_map(|(a, sum)| (0..LANES).map(move |i| a[row][i] * sum[i][4]));
            let expected = b[row][4] - 2.0 * terms.sum::<f64>();
            assert!(
                (y[row][4] - expected).abs() < 1e-9 * expected.abs().max(1.0),
                "{} {expected}",
                y[row][4]
            );
        }
        let mut transformed = b.clone();
        transform(&mut transformed, &sums[0]);
        assert_eq!(product(&[&b], &sums[..1], n).len(), n);
        for (row, expected) in transformed.iter().zip(product(&[&b], &sums[..1], n)) {
            for lane in 0..LANES {
                assert!((row[lane] - expected[lane]).abs() < 1e-10 * expected[lane].abs().max(1.0));
            }
        }
    }
}
