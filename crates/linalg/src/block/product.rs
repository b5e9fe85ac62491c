//! The kernels of products for groups of columns: stiffness by differences, mass as it is.

use faer::{MatMut, MatRef};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

use super::{BlockMatrix, NodeMatrix};
use crate::lanes::{LANES, Row, Vectors, ZERO, read_group, write_columns};

/// y += K x for one group.
pub(super) struct BlockProduct<'a> {
    pub(super) matrix: &'a BlockMatrix,
    pub(super) ground: &'a [(u32, [f64; 9])],
    pub(super) x: &'a [Row],
    pub(super) y: &'a mut [Row],
}

impl WithSimd for BlockProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { matrix, ground, x, y } = self;
        let (x, _) = x.as_chunks::<3>();
        let (y, _) = y.as_chunks_mut::<3>();
        let load = |rows: &[Row; 3]| std::array::from_fn(|i| Vectors::load(simd, &rows[i]));
        for col in 0..matrix.graph.n_nodes() {
            let (start, rows) = matrix.graph.column(col);
            let x_col: [Vectors<S>; 3] = load(&x[col]);
            let mut y_col = [Vectors::zero(simd); 3];
            // The diagonal block is S less the other blocks.
            for (&row, block) in rows.iter().zip(&matrix.values[start..]).skip(1) {
                let (x_row, y_row): (&[Row; 3], &mut [Row; 3]) = (&x[row as usize], &mut y[row as usize]);
                let mut d = x_col;
                for (d, x) in d.iter_mut().zip(x_row) {
                    *d = d.plus(simd, -1.0, Vectors::load(simd, x));
                }
                for (i, y) in y_row.iter_mut().enumerate() {
                    let sum = Vectors::load(simd, y).plus(simd, block[3 * i], d[0]);
                    sum.plus(simd, block[3 * i + 1], d[1]).plus(simd, block[3 * i + 2], d[2]).store(y);
                }
                for (i, d) in d.into_iter().enumerate() {
                    for (j, y) in y_col.iter_mut().enumerate() {
                        *y = y.plus(simd, -block[3 * i + j], d);
                    }
                }
            }
            for (y, sum) in y[col].iter_mut().zip(y_col) {
                Vectors::load(simd, y).plus(simd, 1.0, sum).store(y);
            }
        }
        for (node, block) in ground {
            let x: [Vectors<S>; 3] = load(&x[*node as usize]);
            for (i, y) in y[*node as usize].iter_mut().enumerate() {
                let sum = Vectors::load(simd, y).plus(simd, block[3 * i], x[0]);
                sum.plus(simd, block[3 * i + 1], x[1]).plus(simd, block[3 * i + 2], x[2]).store(y);
            }
        }
    }
}

/// y += (M_s ⊗ E_D) x for one group.
pub(super) struct NodeProduct<'a, const D: usize> {
    pub(super) matrix: &'a NodeMatrix,
    pub(super) x: &'a [Row],
    pub(super) y: &'a mut [Row],
}

impl<const D: usize> WithSimd for NodeProduct<'_, D> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { matrix, x, y } = self;
        let (x, _) = x.as_chunks::<D>();
        let (y, _) = y.as_chunks_mut::<D>();
        for col in 0..matrix.n_nodes() {
            let (start, rows) = matrix.graph.column(col);
            let mut x_col = [Vectors::zero(simd); D];
            let mut y_col = [Vectors::zero(simd); D];
            for ((x_col, y_col), x) in x_col.iter_mut().zip(&mut y_col).zip(&x[col]) {
                *x_col = Vectors::load(simd, x);
                *y_col = x_col.times(simd, matrix.values[start]);
            }
            for (&row, &value) in rows.iter().zip(&matrix.values[start..]).skip(1) {
                let (x_row, y_row) = (&x[row as usize], &mut y[row as usize]);
                for i in 0..D {
                    Vectors::load(simd, &y_row[i]).plus(simd, value, x_col[i]).store(&mut y_row[i]);
                    y_col[i] = y_col[i].plus(simd, value, Vectors::load(simd, &x_row[i]));
                }
            }
            for (y, sum) in y[col].iter_mut().zip(y_col) {
                Vectors::load(simd, y).plus(simd, 1.0, sum).store(y);
            }
        }
    }
}

/// Applies a kernel to groups of columns, in parallel over the groups.
pub(super) fn for_groups(x: MatRef<'_, f64>, y: MatMut<'_, f64>, kernel: impl Fn(&[Row], &mut [Row]) + Sync) {
    // Groups of long columns are new pages of the system each time, unless their memory stays.
    let memory = || (Vec::new(), Vec::new());
    y.par_col_chunks_mut(LANES).enumerate().for_each_init(memory, |(group, sums), (i_group, y)| {
        read_group(x.subcols(i_group * LANES, y.ncols()), group);
        sums.clear();
        sums.resize(y.nrows(), ZERO);
        kernel(group, sums);
        write_columns(sums, y);
    });
}
