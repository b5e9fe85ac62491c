//! Sparse matrices of dense blocks, row by row, and their products with groups of eight columns.
//!
//! Both triangles are stored: every row of a product is the work of one task, so that one group is enough for
//! all threads and nothing is scattered.

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use sprs::CsMatI;

use crate::lanes::{Row, Vectors};

/// Block rows that one task computes; fixed, so that the result cannot depend on the threads.
pub(super) const ROWS_PER_TASK: usize = 256;

/// A dense block of R × C entries.
pub(crate) type Block<const R: usize, const C: usize> = [[f64; C]; R];

/// A sparse matrix of blocks.
#[derive(Debug, Clone)]
pub(crate) struct Blocks<const R: usize, const C: usize> {
    rows: CsMatI<Block<R, C>, u32, usize>,
}

impl<const R: usize, const C: usize> Blocks<R, C> {
    /// Joins rows, each with its columns ascending.
    pub(super) fn from_rows(rows: Vec<Vec<(u32, Block<R, C>)>>, n_cols: usize) -> Self {
        let mut row_ptr = Vec::with_capacity(rows.len() + 1);
        row_ptr.push(0);
        let n_entries = rows.iter().map(Vec::len).sum();
        let (mut cols, mut values) = (Vec::with_capacity(n_entries), Vec::with_capacity(n_entries));
        for row in rows {
            for (col, value) in row {
                cols.push(col);
                values.push(value);
            }
            row_ptr.push(cols.len());
        }
        Self { rows: CsMatI::new((row_ptr.len() - 1, n_cols), row_ptr, cols, values) }
    }

    /// Number of block rows.
    pub(crate) fn n_rows(&self) -> usize {
        self.rows.rows()
    }

    /// Number of block columns.
    pub(crate) fn n_cols(&self) -> usize {
        self.rows.cols()
    }

    /// Places of the entries of a row among all entries.
    #[inline(always)]
    pub(crate) fn places(&self, row: usize) -> Range<usize> {
        self.rows.indptr().outer_inds_sz(row)
    }

    /// Block column of each entry, ascending in its row.
    pub(crate) fn cols(&self) -> &[u32] {
        self.rows.indices()
    }

    /// Entries.
    pub(crate) fn values(&self) -> &[Block<R, C>] {
        self.rows.data()
    }

    /// Entries.
    pub(crate) fn values_mut(&mut self) -> &mut [Block<R, C>] {
        self.rows.data_mut()
    }

    /// The entries of a row.
    pub(crate) fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (usize, &Block<R, C>)> {
        let range = self.places(row);
        self.cols()[range.clone()].iter().map(|&col| col as usize).zip(&self.values()[range])
    }

    /// The diagonal block of a row, of a square matrix that has one.
    pub(crate) fn diagonal(&self, row: usize) -> &Block<R, C> {
        let range = self.places(row);
        let place = self.cols()[range.clone()].binary_search(&(row as u32));
        &self.values()[range.start + place.expect("every row has its diagonal entry")]
    }

    /// The transposed matrix.
    pub(super) fn transposed(&self) -> Blocks<C, R> {
        let mut row_ptr = vec![0_usize; self.n_cols() + 1];
        for &col in self.cols() {
            row_ptr[col as usize + 1] += 1;
        }
        for col in 0..self.n_cols() {
            row_ptr[col + 1] += row_ptr[col];
        }
        let mut next = row_ptr.clone();
        let mut cols = vec![0_u32; self.rows.nnz()];
        let mut values = vec![[[0.0; R]; C]; self.rows.nnz()];
        for row in 0..self.n_rows() {
            for (col, block) in self.row(row) {
                cols[next[col]] = row as u32;
                values[next[col]] = std::array::from_fn(|i| std::array::from_fn(|j| block[j][i]));
                next[col] += 1;
            }
        }
        Blocks { rows: CsMatI::new((self.n_cols(), self.n_rows()), row_ptr, cols, values) }
    }

    /// y = A x.
    pub(crate) fn product(&self, x: &[Row], y: &mut [Row]) {
        self.for_rows(y, |first, y| Arch::new().dispatch(Product { a: self, first, x, y, add: false }));
    }

    /// y += A x.
    pub(super) fn add_product(&self, x: &[Row], y: &mut [Row]) {
        self.for_rows(y, |first, y| Arch::new().dispatch(Product { a: self, first, x, y, add: true }));
    }

    /// y = b − A x.
    pub(crate) fn residual(&self, b: &[Row], x: &[Row], y: &mut [Row]) {
        self.for_rows(y, |first, y| Arch::new().dispatch(Residual { a: self, first, b, x, y }));
    }

    /// Calls back with pieces of a group over the rows, in parallel, with the first block row of each.
    fn for_rows(&self, y: &mut [Row], kernel: impl Fn(usize, &mut [Row]) + Sync) {
        y.par_chunks_mut(R * ROWS_PER_TASK)
            .enumerate()
            .for_each(|(piece, y)| kernel(piece * ROWS_PER_TASK, y));
    }

    /// Row `row` of A x in the vectors of an instruction set.
    #[inline(always)]
    pub(super) fn row_product<S: Simd>(
        &self,
        simd: S,
        row: usize,
        x: &[[Row; C]],
        start: [Vectors<S>; R],
    ) -> [Vectors<S>; R] {
        let mut sums = start;
        let range = self.places(row);
        for (&col, block) in self.cols()[range.clone()].iter().zip(&self.values()[range]) {
            let x = &x[col as usize];
            for j in 0..C {
                let x = Vectors::load(simd, &x[j]);
                for i in 0..R {
                    sums[i] = sums[i].plus(simd, block[i][j], x);
                }
            }
        }
        sums
    }
}

/// y = A x or y += A x over some rows.
struct Product<'a, const R: usize, const C: usize> {
    a: &'a Blocks<R, C>,
    first: usize,
    x: &'a [Row],
    y: &'a mut [Row],
    add: bool,
}

impl<const R: usize, const C: usize> WithSimd for Product<'_, R, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { a, first, x, y, add } = self;
        let (x, _) = x.as_chunks::<C>();
        let (y, _) = y.as_chunks_mut::<R>();
        for (row, y) in (first..).zip(y) {
            let mut start = [Vectors::zero(simd); R];
            if add {
                for (start, y) in start.iter_mut().zip(&*y) {
                    *start = Vectors::load(simd, y);
                }
            }
            let sums = a.row_product(simd, row, x, start);
            for (y, sum) in y.iter_mut().zip(sums) {
                sum.store(y);
            }
        }
    }
}

/// y = b − A x over some rows.
struct Residual<'a, const R: usize, const C: usize> {
    a: &'a Blocks<R, C>,
    first: usize,
    b: &'a [Row],
    x: &'a [Row],
    y: &'a mut [Row],
}

impl<const R: usize, const C: usize> WithSimd for Residual<'_, R, C> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { a, first, b, x, y } = self;
        let (x, _) = x.as_chunks::<C>();
        let (b, _) = b.as_chunks::<R>();
        let (y, _) = y.as_chunks_mut::<R>();
        for (row, y) in (first..).zip(y) {
            let sums = a.row_product(simd, row, x, [Vectors::zero(simd); R]);
            for ((y, b), sum) in y.iter_mut().zip(&b[row]).zip(sums) {
                Vectors::load(simd, b).plus(simd, -1.0, sum).store(y);
            }
        }
    }
}

/// A⁻¹ of a symmetric positive definite block by Gauss and Jordan; directions without stiffness (to rounding)
/// get none.
pub(super) fn inverse<const B: usize>(a: &Block<B, B>) -> Block<B, B> {
    // Cholesky of the scaled block, L Lᵀ = D A D with D_ii = 1/√A_ii.
    let scale: [f64; B] = std::array::from_fn(|i| if a[i][i] > 0.0 { 1.0 / a[i][i].sqrt() } else { 0.0 });
    let mut l = [[0.0; B]; B];
    for j in 0..B {
        let mut pivot = a[j][j] * scale[j] * scale[j];
        for k in 0..j {
            pivot -= l[j][k] * l[j][k];
        }
        if pivot <= SMALLEST_PIVOT {
            continue;
        }
        l[j][j] = pivot.sqrt();
        for i in j + 1..B {
            let mut sum = a[i][j] * scale[i] * scale[j];
            for k in 0..j {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = sum / l[j][j];
        }
    }
    let mut out = [[0.0; B]; B];
    for unit in 0..B {
        let mut x = [0.0; B];
        for i in unit..B {
            if l[i][i] == 0.0 {
                continue;
            }
            let mut sum = if i == unit { scale[i] } else { 0.0 };
            for k in unit..i {
                sum -= l[i][k] * x[k];
            }
            x[i] = sum / l[i][i];
        }
        for i in (0..B).rev() {
            if l[i][i] == 0.0 {
                continue;
            }
            let mut sum = x[i];
            for k in i + 1..B {
                sum -= l[k][i] * x[k];
            }
            x[i] = sum / l[i][i];
        }
        for i in 0..B {
            out[i][unit] = scale[i] * x[i];
        }
    }
    out
}

/// Pivot of a scaled diagonal block below which a direction counts as without stiffness.
const SMALLEST_PIVOT: f64 = 1e-13;
