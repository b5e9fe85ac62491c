//! Dense kernels of the triangular solutions, on rows of `LANES` right-hand sides that lie side by side.
//!
//! The factor streams through once, four columns at a time, and meets right-hand sides that stay in the cache: for few of them
//! a solution costs little more than reading the factor.

use faer::traits::pulp::{Arch, Simd, WithSimd};

use crate::lanes::{Row, Vectors};

/// Columns of the factor that are used together.
const QUAD: usize = 4;

/// Rows that stay in the first-level cache while all columns of a panel pass.
const CACHED_ROWS: usize = 128;

/// Part of a panel: its columns from one row on.
#[derive(Clone, Copy)]
pub(super) struct Panel<'a> {
    /// Values, column-major.
    values: &'a [f64],
    height: usize,
    first_row: usize,
}

impl<'a> Panel<'a> {
    /// All rows of a panel.
    pub(super) fn new(values: &'a [f64], height: usize) -> Self {
        Self { values, height, first_row: 0 }
    }

    /// The panel from `first_row` on.
    #[inline(always)]
    pub(super) fn below(self, first_row: usize) -> Self {
        Self { first_row: self.first_row + first_row, ..self }
    }

    /// The panel from column `first_column` on.
    #[inline(always)]
    fn right(self, first_column: usize) -> Self {
        Self { values: &self.values[first_column * self.height..], ..self }
    }

    /// The first `n` rows of one column.
    #[inline(always)]
    fn column(&self, k: usize, n: usize) -> &'a [f64] {
        &self.values[k * self.height + self.first_row..][..n]
    }

    /// The first `n` rows of the four columns of a quad.
    #[inline(always)]
    fn quad(&self, quad: usize, n: usize) -> [&'a [f64]; QUAD] {
        let k = QUAD * quad;
        [self.column(k, n), self.column(k + 1, n), self.column(k + 2, n), self.column(k + 3, n)]
    }

    /// X ← L⁻¹ X with the triangle of the panel's first rows.
    pub(super) fn solve_lower(self, x: &mut [Row]) {
        Arch::new().dispatch(SolveLower { panel: self, x });
    }

    /// X ← L⁻ᵀ X with the triangle of the panel's first rows.
    pub(super) fn solve_upper(self, x: &mut [Row]) {
        Arch::new().dispatch(SolveUpper { panel: self, x });
    }

    /// Y −= L X with the first rows of the panel, one for each of Y.
    pub(super) fn subtract(self, x: &[Row], y: &mut [Row]) {
        Arch::new().dispatch(Subtract { panel: self, x, y });
    }

    /// X −= Lᵀ Y with the first rows of the panel, one for each of Y.
    pub(super) fn subtract_transposed(self, x: &mut [Row], y: &[Row]) {
        Arch::new().dispatch(SubtractTransposed { panel: self, x, y });
    }
}

struct SolveLower<'a> {
    panel: Panel<'a>,
    x: &'a mut [Row],
}

struct SolveUpper<'a> {
    panel: Panel<'a>,
    x: &'a mut [Row],
}

struct Subtract<'a> {
    panel: Panel<'a>,
    x: &'a [Row],
    y: &'a mut [Row],
}

struct SubtractTransposed<'a> {
    panel: Panel<'a>,
    x: &'a mut [Row],
    y: &'a [Row],
}

impl WithSimd for SolveLower<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, x } = self;
        for first in (0..x.len()).step_by(QUAD) {
            let end = x.len().min(first + QUAD);
            let (done, rest) = x.split_at_mut(end);
            let rows = &mut done[first..];
            for k in 0..rows.len() {
                let column = &panel.column(first + k, end)[first..];
                let solved = Vectors::load(simd, &rows[k]).times(simd, 1.0 / column[k]);
                solved.store(&mut rows[k]);
                for i in k + 1..rows.len() {
                    Vectors::load(simd, &rows[i]).plus(simd, -column[i], solved).store(&mut rows[i]);
                }
            }
            Subtract { panel: panel.right(first).below(end), x: rows, y: rest }.with_simd(simd);
        }
    }
}

impl WithSimd for SolveUpper<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, x } = self;
        for first in (0..x.len()).step_by(QUAD).rev() {
            let end = x.len().min(first + QUAD);
            let (done, rest) = x.split_at_mut(end);
            let rows = &mut done[first..];
            SubtractTransposed { panel: panel.right(first).below(end), x: rows, y: rest }.with_simd(simd);
            for k in (0..rows.len()).rev() {
                let column = &panel.column(first + k, end)[first..];
                let mut row = Vectors::load(simd, &rows[k]);
                for i in k + 1..rows.len() {
                    row = row.plus(simd, -column[i], Vectors::load(simd, &rows[i]));
                }
                row.times(simd, 1.0 / column[k]).store(&mut rows[k]);
            }
        }
    }
}

impl WithSimd for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, x, y } = self;
        let (quads, singles) = x.as_chunks::<QUAD>();
        for (chunk, y) in y.chunks_mut(CACHED_ROWS).enumerate() {
            let panel = panel.below(chunk * CACHED_ROWS);
            for (quad, x) in quads.iter().enumerate() {
                let [l0, l1, l2, l3] = panel.quad(quad, y.len());
                let mut minus = [Vectors::zero(simd); QUAD];
                for (minus, x) in minus.iter_mut().zip(x) {
                    *minus = Vectors::load(simd, x).times(simd, -1.0);
                }
                for ((((row, &l0), &l1), &l2), &l3) in y.iter_mut().zip(l0).zip(l1).zip(l2).zip(l3) {
                    let sum = Vectors::load(simd, row).plus(simd, l0, minus[0]).plus(simd, l1, minus[1]);
                    sum.plus(simd, l2, minus[2]).plus(simd, l3, minus[3]).store(row);
                }
            }
            for (j, x) in singles.iter().enumerate() {
                let x = Vectors::load(simd, x);
                let column = panel.column(QUAD * quads.len() + j, y.len());
                for (row, &l) in y.iter_mut().zip(column) {
                    Vectors::load(simd, row).plus(simd, -l, x).store(row);
                }
            }
        }
    }
}

impl WithSimd for SubtractTransposed<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { panel, x, y } = self;
        let (quads, singles) = x.as_chunks_mut::<QUAD>();
        let n_quads = quads.len();
        for (chunk, y) in y.chunks(CACHED_ROWS).enumerate() {
            let panel = panel.below(chunk * CACHED_ROWS);
            for (quad, x) in quads.iter_mut().enumerate() {
                let [l0, l1, l2, l3] = panel.quad(quad, y.len());
                let mut sums = [Vectors::zero(simd); QUAD];
                for ((((row, &l0), &l1), &l2), &l3) in y.iter().zip(l0).zip(l1).zip(l2).zip(l3) {
                    let row = Vectors::load(simd, row);
                    sums[0] = sums[0].plus(simd, l0, row);
                    sums[1] = sums[1].plus(simd, l1, row);
                    sums[2] = sums[2].plus(simd, l2, row);
                    sums[3] = sums[3].plus(simd, l3, row);
                }
                for (x, sum) in x.iter_mut().zip(sums) {
                    Vectors::load(simd, x).plus(simd, -1.0, sum).store(x);
                }
            }
            for (j, x) in singles.iter_mut().enumerate() {
                let mut sum = Vectors::load(simd, x);
                for (row, &l) in y.iter().zip(panel.column(QUAD * n_quads + j, y.len())) {
                    sum = sum.plus(simd, -l, Vectors::load(simd, row));
                }
                sum.store(x);
            }
        }
    }
}
