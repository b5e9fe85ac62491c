//! A lattice with known eigenvalues.

use std::f64::consts::PI;
use std::sync::Arc;

use carom_linalg::{BlockMatrix, NodeGraph, NodeMatrix};

/// Separable lattice: unit springs between neighbours act on each component alike, unit masses, free at all
/// sides.
///
/// λ = Σ_d (2 sin(π k_d / 2 n_d))², k_d = 0 … n_d − 1, each three times, by components: the sum of three free
/// chains, Rayleigh (1877), § 120.
pub(crate) fn membrane(n: [usize; 3]) -> (BlockMatrix, NodeMatrix, Vec<f64>) {
    let number = |x: usize, y: usize, z: usize| ((z * n[1] + y) * n[0] + x) as u32;
    let mut cells = Vec::new();
    for z in 0..n[2] {
        for y in 0..n[1] {
            for x in 0..n[0] {
                for (dx, dy, dz) in [(1, 0, 0), (0, 1, 0), (0, 0, 1)] {
                    if x + dx < n[0] && y + dy < n[1] && z + dz < n[2] {
                        cells.push([number(x, y, z), number(x + dx, y + dy, z + dz)]);
                    }
                }
            }
        }
    }
    let graph = Arc::new(NodeGraph::from_cells(n.iter().product(), &cells).unwrap());
    let mut k = BlockMatrix::zeros(Arc::clone(&graph));
    let mut m = NodeMatrix::zeros(Arc::clone(&graph));
    for [a, b] in cells {
        for (row, col, value) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0)] {
            let entry = graph.find(row as usize, col as usize).unwrap();
            for i in 0..3 {
                k.values[entry][4 * i] += value;
            }
        }
    }
    for node in 0..graph.n_nodes() {
        m.values[graph.col_ptr[node]] = 1.0;
    }
    let chain = |n: usize| (0..n).map(move |k| (2.0 * (PI * k as f64 / (2 * n) as f64).sin()).powi(2));
    let mut exact = Vec::new();
    for a in chain(n[0]) {
        for b in chain(n[1]) {
            for c in chain(n[2]) {
                exact.extend([a + b + c; 3]);
            }
        }
    }
    exact.sort_by(f64::total_cmp);
    (k, m, exact)
}
