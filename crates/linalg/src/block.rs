//! Matrices over a graph of nodes: 3×3 blocks for stiffness, scalars for mass.
//!
//! The mass matrix of displacement elements is M_f = M_s ⊗ E₃, so M_s alone is stored; stiffness and mass
//! share one [`NodeGraph`], which is also what METIS orders.
//!
//! Products with a stiffness are sums over differences,
//!
//! ```text
//! (K u)_i = Σ_j K_ij (u_j − u_i) + S_i u_i,   S_i = Σ_j K_ij
//! ```
//!
//! S_i, the force that holds a shift of the whole body, is zero for a free body; the sum of its rounded
//! blocks is not. Taken as zero where it is rounding, shifts have no forces at all, and turns those of
//! rounding over the arms between neighbours instead of over the whole body: a strip of 8 m x 2 mm has
//! frequencies exact to 1e-4 instead of 1e-2.
//!
//! Products run over groups of columns that lie side by side, one task each, so that one pass through the
//! matrix serves them all; each column is summed in the same order whatever the threads.

use std::sync::Arc;

use faer::{ColRef, Mat, MatMut, MatRef};
use pulp::Arch;
use rayon::prelude::*;

use crate::graph::NodeGraph;
use crate::lanes::{LANES, Row, ZERO, read_group};

mod product;

use product::{BlockProduct, NodeProduct, for_groups};

/// Part of the blocks of a row up to which their sum is rounding: cells around a node are some ten, each with
/// rounding of its own.
const GROUND: f64 = 1000.0 * f64::EPSILON;

/// A symmetric matrix of 3×3 blocks (stiffness), 3n × 3n with dof 3·node + component.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    /// Sparsity over nodes.
    pub graph: Arc<NodeGraph>,
    /// Block of each entry of the graph, row-major: `[3 * i + j]` couples component i of the row node with j
    /// of the column node.
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
        let ground = &self.ground();
        for_groups(x, y.as_mut(), |x, y| Arch::new().dispatch(BlockProduct { matrix: self, ground, x, y }));
        y
    }

    /// Y ← K X for one group.
    pub(crate) fn group_product(&self, x: &[Row], y: &mut [Row]) {
        y.fill(ZERO);
        Arch::new().dispatch(BlockProduct { matrix: self, ground: &self.ground(), x, y });
    }

    /// The nodes whose blocks do not add up to zero, each with their sum S_i, row-major; none of a free body.
    fn ground(&self) -> Vec<(u32, [f64; 9])> {
        let n_nodes = self.graph.n_nodes();
        let mut sums = vec![([0.0; 9], 0.0_f64); n_nodes];
        for col in 0..n_nodes {
            let (start, rows) = self.graph.column(col);
            for (&row, block) in rows.iter().zip(&self.values[start..]) {
                let row = row as usize;
                let size = block.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
                let (of_row, of_sizes) = &mut sums[row];
                of_row.iter_mut().zip(block).for_each(|(sum, x)| *sum += x);
                *of_sizes += size;
                if row != col {
                    let (of_col, of_sizes) = &mut sums[col];
                    (0..9).for_each(|k| of_col[k] += block[3 * (k % 3) + k / 3]);
                    *of_sizes += size;
                }
            }
        }
        let held = (0..).zip(sums).map(|(node, (sum, size))| {
            // A NaN is kept.
            let is_rounding = |x: f64| x.abs() <= GROUND * size;
            (node, sum.map(|x| if is_rounding(x) { 0.0 } else { x }))
        });
        held.filter(|(_, sum)| sum.iter().any(|&x| x != 0.0)).collect()
    }

    /// The product |K| X of the magnitudes of all entries: a bound of the rounding error in K X.
    pub fn magnitude_product(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        let values = self.values.iter().map(|block| block.map(f64::abs)).collect();
        Self { graph: Arc::clone(&self.graph), values }.product(x)
    }

    /// Bound of the rounding error of K x: 8 ε ‖|K| |x|‖.
    pub fn rounding(&self, x: ColRef<'_, f64>) -> f64 {
        let magnitudes = Mat::from_fn(x.nrows(), 1, |i, _| x[i].abs());
        8.0 * f64::EPSILON * self.magnitude_product(magnitudes.as_ref()).norm_l2()
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
        // Couplings as (listed dof, other dof, same dof of the own node, value), gathered once; then each
        // column of X is one pass over them.
        let mut couplings = Vec::new();
        for col in 0..self.graph.n_nodes() {
            let (start, rows) = self.graph.column(col);
            let col_is_listed = position.node(col);
            for (&row, block) in rows.iter().zip(&self.values[start..]).skip(1) {
                let row = row as usize;
                if !(col_is_listed || position.node(row)) {
                    continue;
                }
                for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                    let value = block[3 * i + j];
                    if let Some(k) = position.dof(3 * row + i) {
                        couplings.push((k as u32, 3 * col + j, 3 * row + j, value));
                    }
                    if let Some(k) = position.dof(3 * col + j) {
                        couplings.push((k as u32, 3 * row + i, 3 * col + i, value));
                    }
                }
            }
        }
        let ground: Vec<(u32, usize, f64)> = self
            .ground()
            .iter()
            .flat_map(|&(node, sum)| {
                (0..9).map(move |k| (3 * node as usize + k / 3, 3 * node as usize + k % 3, sum[k]))
            })
            .filter_map(|(row, dof, value)| Some((position.dof(row)? as u32, dof, value)))
            .collect();
        let mut out = Mat::zeros(dofs.len(), x.ncols());
        out.as_mut().par_col_chunks_mut(1).enumerate().for_each(|(k, out)| {
            let x = x.col(k);
            let mut out = out.col_mut(0);
            for &(row, dof, own, value) in &couplings {
                out[row as usize] += value * (x[dof] - x[own]);
            }
            for &(row, dof, value) in &ground {
                out[row as usize] += value * x[dof];
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

    /// The product (M_s ⊗ E₃) X of dof vectors as groups of columns.
    ///
    /// * `x` — 3n × any number of columns
    pub(crate) fn product_in_groups(&self, x: MatRef<'_, f64>) -> Vec<Vec<Row>> {
        assert_eq!(x.nrows(), 3 * self.n_nodes(), "rows of x must be the dofs of the matrix");
        let groups = (0..x.ncols().div_ceil(LANES)).into_par_iter();
        let product = |group: &mut Vec<Row>, k: usize| {
            read_group(x.subcols(k * LANES, LANES.min(x.ncols() - k * LANES)), group);
            let mut y = vec![ZERO; x.nrows()];
            Arch::new().dispatch(NodeProduct::<3> { matrix: self, x: group, y: &mut y });
            y
        };
        groups.map_init(Vec::new, product).collect()
    }

    /// M_s of some nodes, its rows and columns in their order.
    pub(crate) fn reordered(&self, nodes: &[u32]) -> Self {
        const ELSEWHERE: u32 = u32::MAX;
        let mut place = vec![ELSEWHERE; self.n_nodes()];
        for (k, &node) in nodes.iter().enumerate() {
            place[node as usize] = k as u32;
        }
        // The places of each pair, the smaller one first, and its value.
        let entries = || {
            let columns = (0..self.n_nodes()).map(|col| (place[col], self.graph.column(col)));
            let pairs = columns.flat_map(|(col, (start, rows))| {
                let values = &self.values[start..start + rows.len()];
                rows.iter().zip(values).map(move |(&row, &value)| (col, row, value))
            });
            let pairs = pairs.map(|(col, row, value)| (col, place[row as usize], value));
            let pairs = pairs.filter(|(col, row, _)| *col != ELSEWHERE && *row != ELSEWHERE);
            pairs.map(|(col, row, value)| (col.min(row) as usize, col.max(row), value))
        };
        let mut col_ptr = vec![0; nodes.len() + 1];
        entries().for_each(|(col, ..)| col_ptr[col + 1] += 1);
        for col in 0..nodes.len() {
            col_ptr[col + 1] += col_ptr[col];
        }
        let mut next = col_ptr.clone();
        let mut sorted = vec![(0, 0.0); col_ptr[nodes.len()]];
        for (col, row, value) in entries() {
            sorted[next[col]] = (row, value);
            next[col] += 1;
        }
        for column in col_ptr.windows(2) {
            sorted[column[0]..column[1]].sort_unstable_by_key(|(row, _)| *row);
        }
        let (rows, values) = sorted.into_iter().unzip();
        Self { graph: Arc::new(NodeGraph { col_ptr, rows }), values }
    }

    /// Y ← (M_s ⊗ E₃) X for one group.
    pub(crate) fn group_product(&self, x: &[Row], y: &mut [Row]) {
        y.fill(ZERO);
        Arch::new().dispatch(NodeProduct::<3> { matrix: self, x, y });
    }
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
