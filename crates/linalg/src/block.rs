//! Matrices over a graph of nodes: 3×3 blocks for stiffness, scalars for mass.
//!
//! The mass matrix of displacement elements is M_f = M_s ⊗ E₃, so M_s alone is stored; stiffness and mass share one
//! [`NodeGraph`], which is also what METIS orders.
//!
//! Products run over groups of columns that lie side by side, one task each, so that one pass through the matrix serves them
//! all; each column is summed in the same order whatever the threads.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::graph::NodeGraph;
use crate::lanes::{LANES, Row, Vectors, ZERO, group_of, write_columns};

/// A symmetric matrix of 3×3 blocks (stiffness), 3n × 3n with dof 3·node + component.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    /// Sparsity over nodes.
    pub graph: Arc<NodeGraph>,
    /// Block of each entry of the graph, row-major: `[3 * i + j]` couples component i of the row node with j of the column node.
    pub values: Vec<[f64; 9]>,
}

/// A symmetric scalar matrix over nodes (mass: M_f = M_s ⊗ E₃).
#[derive(Debug, Clone)]
pub struct NodeMatrix {
    /// Sparsity over nodes.
    pub graph: Arc<NodeGraph>,
    /// Value of each entry of the graph.
    pub values: Vec<f64>,
}

impl BlockMatrix {
    /// The zero matrix over a graph.
    pub fn zeros(graph: Arc<NodeGraph>) -> Self {
        let values = vec![[0.0; 9]; graph.n_entries()];
        Self { graph, values }
    }

    /// Number of dofs, 3 n.
    pub fn n_dofs(&self) -> usize {
        3 * self.graph.n_nodes()
    }

    /// Sum of the diagonal.
    pub fn trace(&self) -> f64 {
        self.diagonal().iter().sum()
    }

    /// The diagonal, 3 n.
    pub fn diagonal(&self) -> Vec<f64> {
        let n_nodes = self.graph.n_nodes();
        let mut diagonal = Vec::with_capacity(3 * n_nodes);
        for node in 0..n_nodes {
            let block = &self.values[self.graph.col_ptr[node]];
            diagonal.extend([block[0], block[4], block[8]]);
        }
        diagonal
    }

    /// The product K X.
    ///
    /// * `x` — 3n × any number of columns
    ///
    /// # Panics
    ///
    /// If `x` has another number of rows than K.
    pub fn product(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        assert_eq!(x.nrows(), self.n_dofs(), "rows of x must be the dofs of the matrix");
        let mut y = Mat::zeros(x.nrows(), x.ncols());
        for_groups(x, y.as_mut(), |x, y| Arch::new().dispatch(BlockProduct { matrix: self, x, y }));
        y
    }

    /// Y ← K X for one group.
    pub(crate) fn group_product(&self, x: &[Row], y: &mut [Row]) {
        y.fill(ZERO);
        Arch::new().dispatch(BlockProduct { matrix: self, x, y });
    }

    /// The product |K| X of the magnitudes of all entries: a bound of what rounding can do in K X.
    pub fn magnitude_product(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        let values = self.values.iter().map(|block| block.map(f64::abs)).collect();
        Self { graph: Arc::clone(&self.graph), values }.product(x)
    }

    /// The columns of K of the given dofs, 3n × n_dofs, dense.
    ///
    /// Restricted to interior rows this is the coupling K_ib of a Craig-Bampton partition.
    pub fn columns(&self, dofs: &[usize]) -> Mat<f64> {
        let mut out = Mat::zeros(self.n_dofs(), dofs.len());
        self.write_columns(dofs, out.as_mut());
        out
    }

    /// As [`BlockMatrix::columns`], into a matrix of zeros.
    pub fn write_columns(&self, dofs: &[usize], mut out: MatMut<'_, f64>) {
        let position = DofPositions::new(self.n_dofs(), dofs);
        for col in 0..self.graph.n_nodes() {
            let (start, rows) = self.graph.column(col);
            let col_is_listed = position.node(col);
            for (&row, block) in rows.iter().zip(&self.values[start..]) {
                let row = row as usize;
                if col_is_listed {
                    for j in 0..3 {
                        if let Some(k) = position.dof(3 * col + j) {
                            for i in 0..3 {
                                out[(3 * row + i, k)] = block[3 * i + j];
                            }
                        }
                    }
                }
                if row != col && position.node(row) {
                    for i in 0..3 {
                        if let Some(k) = position.dof(3 * row + i) {
                            for j in 0..3 {
                                out[(3 * col + j, k)] = block[3 * i + j];
                            }
                        }
                    }
                }
            }
        }
    }

    /// The rows of the product K X of the given dofs, n_dofs × columns of X.
    pub fn rows_product(&self, dofs: &[usize], x: MatRef<'_, f64>) -> Mat<f64> {
        assert_eq!(x.nrows(), self.n_dofs(), "rows of x must be the dofs of the matrix");
        let position = DofPositions::new(self.n_dofs(), dofs);
        // Couplings as (listed dof, dof, value), gathered once; then each column of X is one pass over them.
        let mut couplings = Vec::new();
        for col in 0..self.graph.n_nodes() {
            let (start, rows) = self.graph.column(col);
            let col_is_listed = position.node(col);
            for (&row, block) in rows.iter().zip(&self.values[start..]) {
                let row = row as usize;
                if !(col_is_listed || position.node(row)) {
                    continue;
                }
                for i in 0..3 {
                    for j in 0..3 {
                        if let Some(k) = position.dof(3 * row + i) {
                            couplings.push((k as u32, (3 * col + j) as u32, block[3 * i + j]));
                        }
                        if row != col
                            && let Some(k) = position.dof(3 * col + j)
                        {
                            couplings.push((k as u32, (3 * row + i) as u32, block[3 * i + j]));
                        }
                    }
                }
            }
        }
        let mut out = Mat::zeros(dofs.len(), x.ncols());
        out.as_mut().par_col_chunks_mut(1).enumerate().for_each(|(k, out)| {
            let x = x.col(k);
            let mut out = out.col_mut(0);
            for &(row, dof, value) in &couplings {
                out[row as usize] += value * x[dof as usize];
            }
        });
        out
    }

    /// The submatrix of the given dofs as a dense matrix, for tests and small bodies.
    pub fn extract(&self, dofs: &[usize]) -> Mat<f64> {
        let columns = self.columns(dofs);
        Mat::from_fn(dofs.len(), dofs.len(), |i, j| columns[(dofs[i], j)])
    }
}

impl NodeMatrix {
    /// The zero matrix over a graph.
    pub fn zeros(graph: Arc<NodeGraph>) -> Self {
        let values = vec![0.0; graph.n_entries()];
        Self { graph, values }
    }

    /// Number of nodes, n.
    pub fn n_nodes(&self) -> usize {
        self.graph.n_nodes()
    }

    /// Sum of the diagonal of M_s; the trace of M_f is three times that.
    pub fn trace(&self) -> f64 {
        (0..self.n_nodes()).map(|node| self.values[self.graph.col_ptr[node]]).sum()
    }

    /// The diagonal of M_s, n.
    pub fn diagonal(&self) -> Vec<f64> {
        (0..self.n_nodes()).map(|node| self.values[self.graph.col_ptr[node]]).collect()
    }

    /// The product M_s X of nodal values.
    ///
    /// * `x` — n × any number of columns
    ///
    /// # Panics
    ///
    /// If `x` has another number of rows than M_s.
    pub fn node_product(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        assert_eq!(x.nrows(), self.n_nodes(), "rows of x must be the nodes of the matrix");
        let mut y = Mat::zeros(x.nrows(), x.ncols());
        for_groups(x, y.as_mut(), |x, y| Arch::new().dispatch(NodeProduct::<1> { matrix: self, x, y }));
        y
    }

    /// The product (M_s ⊗ E₃) X of dof vectors.
    ///
    /// * `x` — 3n × any number of columns
    ///
    /// # Panics
    ///
    /// If `x` has another number of rows than M_f.
    pub fn product(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        assert_eq!(x.nrows(), 3 * self.n_nodes(), "rows of x must be the dofs of the matrix");
        let mut y = Mat::zeros(x.nrows(), x.ncols());
        for_groups(x, y.as_mut(), |x, y| Arch::new().dispatch(NodeProduct::<3> { matrix: self, x, y }));
        y
    }

    /// Y ← (M_s ⊗ E₃) X for one group.
    pub(crate) fn group_product(&self, x: &[Row], y: &mut [Row]) {
        y.fill(ZERO);
        Arch::new().dispatch(NodeProduct::<3> { matrix: self, x, y });
    }
}

/// y += K x for one group.
struct BlockProduct<'a> {
    matrix: &'a BlockMatrix,
    x: &'a [Row],
    y: &'a mut [Row],
}

impl WithSimd for BlockProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { matrix, x, y } = self;
        let (x, _) = x.as_chunks::<3>();
        let (y, _) = y.as_chunks_mut::<3>();
        for col in 0..matrix.graph.n_nodes() {
            let (start, rows) = matrix.graph.column(col);
            let mut x_col = [Vectors::zero(simd); 3];
            let mut y_col = [Vectors::zero(simd); 3];
            for (to, from) in x_col.iter_mut().zip(&x[col]) {
                *to = Vectors::load(simd, from);
            }
            for (&row, block) in rows.iter().zip(&matrix.values[start..]) {
                let row = row as usize;
                for (i, y) in y[row].iter_mut().enumerate() {
                    let sum = Vectors::load(simd, y).plus(simd, block[3 * i], x_col[0]);
                    sum.plus(simd, block[3 * i + 1], x_col[1])
                        .plus(simd, block[3 * i + 2], x_col[2])
                        .store(y);
                }
                // The diagonal block is complete and has been used once; the others stand for two.
                if row != col {
                    for (i, x) in x[row].iter().enumerate() {
                        let x = Vectors::load(simd, x);
                        for (j, y) in y_col.iter_mut().enumerate() {
                            *y = y.plus(simd, block[3 * i + j], x);
                        }
                    }
                }
            }
            for (y, sum) in y[col].iter_mut().zip(y_col) {
                Vectors::load(simd, y).plus(simd, 1.0, sum).store(y);
            }
        }
    }
}

/// y += (M_s ⊗ E_D) x for one group.
struct NodeProduct<'a, const D: usize> {
    matrix: &'a NodeMatrix,
    x: &'a [Row],
    y: &'a mut [Row],
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
fn for_groups(x: MatRef<'_, f64>, y: MatMut<'_, f64>, kernel: impl Fn(&[Row], &mut [Row]) + Sync) {
    y.par_col_chunks_mut(LANES).enumerate().for_each(|(i_group, y)| {
        let mut sums = vec![ZERO; y.nrows()];
        kernel(&group_of(x.subcols(i_group * LANES, y.ncols())), &mut sums);
        write_columns(&sums, y);
    });
}

/// Where each dof stands in a list of dofs.
struct DofPositions {
    position: Vec<u32>,
}

impl DofPositions {
    fn new(n_dofs: usize, dofs: &[usize]) -> Self {
        let mut position = vec![u32::MAX; n_dofs];
        for (k, &dof) in dofs.iter().enumerate() {
            position[dof] = k as u32;
        }
        Self { position }
    }

    fn dof(&self, dof: usize) -> Option<usize> {
        let k = self.position[dof];
        (k != u32::MAX).then_some(k as usize)
    }

    fn node(&self, node: usize) -> bool {
        (0..3).any(|i| self.position[3 * node + i] != u32::MAX)
    }
}
