//! Matrices over a graph of nodes: 3×3 blocks for stiffness, scalars for mass.
//!
//! The mass matrix of displacement elements is M_f = M_s ⊗ E₃, so M_s alone is stored; stiffness and mass share one
//! [`NodeGraph`], which is also what METIS orders.

use std::sync::Arc;

/// Which pairs of nodes couple: the lower triangle with its diagonal, column by column, rows ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeGraph {
    /// Start of each column in `rows`, length n_nodes + 1.
    pub col_ptr: Vec<usize>,
    /// Row (node) of each entry, row ≥ column.
    pub rows: Vec<u32>,
}

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
