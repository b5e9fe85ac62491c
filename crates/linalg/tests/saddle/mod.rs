//! Saddle-point systems: an elastic lattice with multipliers that tie its nodes, for tests and benchmarks.

use carom_linalg::sparse::{Symmetric, TriMat};

use crate::lattice;

/// Pseudo-random numbers between −1 and 1.
pub(crate) fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed + 1) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        2.0 * ((state >> 11) as f64 / (1_u64 << 53) as f64) - 1.0
    };
    (0..n).map(|_| next()).collect()
}

/// Entries of the stiffness of a cube of side³ nodes, lower triangle, times `scale`.
fn stiffness(side: usize, scale: f64, add: &mut TriMat<f64>) {
    let graph = lattice::graph([side; 3], 1);
    let k = lattice::springs([side; 3], &graph);
    for col in 0..graph.n_nodes() {
        let (start, rows) = graph.column(col);
        for (e, &row) in rows.iter().enumerate() {
            for (i, j) in (0..9).map(|k| (k / 3, k % 3)) {
                let (row, col) = (3 * row as usize + i, 3 * col + j);
                if row >= col {
                    add.add_triplet(row, col, scale * k.values[start + e][3 * i + j]);
                }
            }
        }
    }
}

fn finish(entries: &TriMat<f64>) -> Symmetric {
    Symmetric::from_lower(entries.to_csr()).expect("only the lower triangle is filled")
}

/// A free cube of springs: three rigid motions are free.
pub(crate) fn free_body(side: usize) -> Symmetric {
    let n = 3 * side.pow(3);
    let mut entries = TriMat::new((n, n));
    stiffness(side, 1.0, &mut entries);
    finish(&entries)
}

/// Constraint `c`: the difference of two dofs; six constraints have a single dof, so that the body is held.
fn add_constraint(c: usize, row: usize, n: usize, entries: &mut TriMat<f64>) {
    if c < 6 {
        let node = c * (n / 3) / 6;
        entries.add_triplet(row, 3 * node + c % 3, 1.0);
    } else {
        // Distinct pairs of dofs of neighbouring nodes, each dof in one constraint.
        entries.add_triplet(row, 6 * c % n, -1.0);
        entries.add_triplet(row, (6 * c + 3) % n, 1.0);
        entries.add_triplet(row, (6 * c + 1) % n, 0.25);
    }
}

/// K with Cᵀ and C: stiffness of `scale`, constraints of 1, zeros on the diagonal of the multipliers.
pub(crate) fn matrix(side: usize, n_multipliers: usize, scale: f64) -> Symmetric {
    let n = 3 * side.pow(3);
    let total = n + n_multipliers;
    let mut entries = TriMat::new((total, total));
    stiffness(side, scale, &mut entries);
    (0..n_multipliers).for_each(|c| add_constraint(c, n + c, n, &mut entries));
    finish(&entries)
}

/// The matrix of [`matrix`] with its last constraint repeated.
pub(crate) fn with_repeated_constraint(side: usize, n_multipliers: usize) -> Symmetric {
    let n = 3 * side.pow(3);
    let total = n + n_multipliers + 1;
    let mut entries = TriMat::new((total, total));
    stiffness(side, 1.0, &mut entries);
    (0..n_multipliers).for_each(|c| add_constraint(c, n + c, n, &mut entries));
    add_constraint(n_multipliers - 1, total - 1, n, &mut entries);
    finish(&entries)
}
