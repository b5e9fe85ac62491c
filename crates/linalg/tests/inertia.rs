//! Inertia counts of large matrices against eigenvalues in closed form; single precision where the count is
//! certain.

use std::f64::consts::PI;
use std::sync::Arc;

use carom_linalg::{BlockMatrix, Cholesky, DofSet, NodeGraph, NodeMatrix, Symbolic, count_below};
use carom_progress::Silent;

const BOX: [usize; 3] = [19, 18, 16];

/// Springs of stiffness c_i along the axes of a lattice whose outer springs end at walls, for each component
/// i its own; unit masses.
fn string_lattice(c: [f64; 3]) -> (BlockMatrix, NodeMatrix) {
    let number = |[x, y, z]: [usize; 3]| ((z * BOX[1] + y) * BOX[0] + x) as u32;
    let n_nodes: usize = BOX.iter().product();
    let mut springs = Vec::new();
    for node in 0..n_nodes {
        let place = [node % BOX[0], node / BOX[0] % BOX[1], node / BOX[0] / BOX[1]];
        for axis in (0..3).filter(|&axis| place[axis] + 1 < BOX[axis]) {
            let mut next = place;
            next[axis] += 1;
            springs.push([number(place), number(next)]);
        }
    }
    let graph = Arc::new(NodeGraph::from_cells(n_nodes, &springs).unwrap());
    let mut k = BlockMatrix::zeros(Arc::clone(&graph));
    let mut m = NodeMatrix::zeros(Arc::clone(&graph));
    for col in 0..n_nodes {
        let (start, rows) = graph.column(col);
        m.values[start] = 1.0;
        for (e, &row) in rows.iter().enumerate() {
            let coupling = if row as usize == col { 6.0 } else { -1.0 };
            for i in 0..3 {
                k.values[start + e][4 * i] = c[i] * coupling;
            }
        }
    }
    (k, m)
}

/// Eigenvalues of the lattice, ascending: c_i Σ (2 − 2 cos(π l/(n + 1))) over the axes.
fn eigenvalues(c: [f64; 3]) -> Vec<f64> {
    let along = |axis: usize| {
        (1..=BOX[axis])
            .map(move |l| 2.0 - 2.0 * (PI * l as f64 / (BOX[axis] + 1) as f64).cos())
            .collect::<Vec<f64>>()
    };
    let (x, y, z) = (along(0), along(1), along(2));
    let mut lambda = Vec::new();
    for c in c {
        for x in &x {
            for y in &y {
                lambda.extend(z.iter().map(|z| c * (x + y + z)));
            }
        }
    }
    lambda.sort_by(f64::total_cmp);
    lambda
}

/// A shift inside the i-th gap of a relative width of at least `least`, from the i-th eigenvalue on, and the
/// number of eigenvalues below.
fn in_gap(lambda: &[f64], i: usize, least: f64) -> (f64, usize) {
    let n = (i..lambda.len()).find(|&n| lambda[n] - lambda[n - 1] > least * lambda[n]).unwrap();
    (0.5 * (lambda[n] + lambda[n - 1]), n)
}

#[test]
fn counts_in_single_precision_agree_with_the_closed_form() {
    // The cases include stiffnesses in other units, and a soft direction with stiff ones.
    for c in [[1.0, 1.13, 1.31], [2e20, 3e20, 2.2e20], [1e-12, 1.3e-12, 2e-12], [1.0, 1e4, 30.0]] {
        let (k, m) = string_lattice(c);
        let symbolic = Symbolic::new(&k.graph, DofSet::all(m.n_nodes())).unwrap();
        let lambda = eigenvalues(c);
        for i in [1, 20, 200, 3000] {
            let (shift, n) = in_gap(&lambda, i, 1e-3);
            let inertia = count_below(&symbolic, &k, &m, shift, &Silent).unwrap();
            assert_eq!(inertia.below, n, "stiffnesses {c:?}, shift {shift}");
            assert!(inertia.in_single_precision || i > 200, "stiffnesses {c:?}, shift {shift}");
        }
    }
}

#[test]
fn a_shift_next_to_an_eigenvalue_is_left_to_double_precision() {
    let c = [1.0, 1.13, 1.31];
    let (k, m) = string_lattice(c);
    let lambda = eigenvalues(c);
    let mut factor = Cholesky::new(&k, None, DofSet::all(m.n_nodes()), &Silent).unwrap();
    for (i, beside) in [(40, 1e-9), (41, -1e-9), (100, 1e-8)] {
        let (_, n) = in_gap(&lambda, i, 1e-4);
        let shift = lambda[n - 1] * (1.0 + beside);
        let below = lambda.iter().filter(|&&lambda| lambda < shift).count();
        let (inertia, symbolic) = factor.into_inertia(&k, &m, shift, &Silent);
        let inertia = inertia.unwrap();
        assert_eq!(inertia.below, below, "shift {shift}");
        assert!(!inertia.in_single_precision, "a count so near to an eigenvalue cannot be certified");
        factor = Cholesky::with_symbolic(symbolic, &k, None, &Silent).unwrap();
    }
}
