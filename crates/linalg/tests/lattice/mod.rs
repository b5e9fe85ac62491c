//! Boxes of springs and of spline-like couplings, for tests and benchmarks.

use std::sync::Arc;

use carom_linalg::{BlockMatrix, NodeGraph, NodeMatrix};

/// The graph of an nx × ny × nz lattice in which nodes less than `reach` + 1 steps apart in every direction
/// couple.
pub(crate) fn graph(n: [usize; 3], reach: usize) -> Arc<NodeGraph> {
    let number = |x: usize, y: usize, z: usize| ((z * n[1] + y) * n[0] + x) as u32;
    let mut cells = Vec::new();
    for z in 0..n[2].saturating_sub(reach).max(1) {
        for y in 0..n[1].saturating_sub(reach).max(1) {
            for x in 0..n[0].saturating_sub(reach).max(1) {
                let mut cell = Vec::new();
                for dz in 0..=reach.min(n[2] - 1) {
                    for dy in 0..=reach.min(n[1] - 1) {
                        for dx in 0..=reach.min(n[0] - 1) {
                            cell.push(number(x + dx, y + dy, z + dz));
                        }
                    }
                }
                cells.push(cell);
            }
        }
    }
    Arc::new(NodeGraph::from_cells(n.iter().product(), &cells).expect("the lattice numbers its own nodes"))
}

/// Springs along and across the lattice between all nodes that couple: translations cause no force.
///
/// The springs of stiffness 1/d² act along the line between the nodes, with a tenth of that across it, so
/// that the stiffness is positive semidefinite with exactly three zero eigenvalues.
pub(crate) fn springs(n: [usize; 3], graph: &Arc<NodeGraph>) -> BlockMatrix {
    let place = |node: usize| [node % n[0], node / n[0] % n[1], node / n[0] / n[1]].map(|c| c as f64);
    let mut k = BlockMatrix::zeros(Arc::clone(graph));
    for col in 0..graph.n_nodes() {
        let (start, rows) = graph.column(col);
        for (e, &row) in rows.iter().enumerate().skip(1) {
            let (a, b) = (place(row as usize), place(col));
            let d: Vec<f64> = (0..3).map(|i| a[i] - b[i]).collect();
            let squared: f64 = d.iter().map(|x| x * x).sum();
            for i in 0..3 {
                for j in 0..3 {
                    let along = d[i] * d[j] / squared;
                    let value = (along + 0.1 * if i == j { 1.0 } else { 0.0 }) / squared;
                    k.values[start + e][3 * i + j] -= value;
                    k.values[graph.col_ptr[col]][3 * i + j] += value;
                    k.values[graph.col_ptr[row as usize]][3 * i + j] += value;
                }
            }
        }
    }
    k
}

/// A consistent-looking mass: diagonally dominant, different from node to node.
pub(crate) fn mass(graph: &Arc<NodeGraph>) -> NodeMatrix {
    let mut m = NodeMatrix::zeros(Arc::clone(graph));
    for col in 0..graph.n_nodes() {
        let (start, rows) = graph.column(col);
        m.values[start] = 1.0 + 0.2 * (col as f64).sin();
        for e in 1..rows.len() {
            m.values[start + e] = 0.3 / rows.len() as f64;
        }
    }
    m
}
