//! The sparse factor against dense algebra, known inertia, and factors from other numbers of threads.

use crate::lattice;
use carom_linalg::{BlockMatrix, Cholesky, DofSet, FactorError, NodeMatrix, count_below};
use carom_progress::Silent;
use faer::{Mat, Side};

const BOX: [usize; 3] = [9, 8, 7];

fn problem(reach: usize) -> (BlockMatrix, NodeMatrix) {
    let graph = lattice::graph(BOX, reach);
    (lattice::springs(BOX, &graph), lattice::mass(&graph))
}

/// Free dofs of a graph with some single dofs and some whole nodes held.
fn partly_held(n_nodes: usize) -> DofSet {
    let flags = (0..n_nodes).map(|node| [node % 7 != 0, node % 11 != 3, node % 7 != 0 || node % 2 == 0]);
    DofSet::from_flags(flags.collect()).without_nodes(&[0, 1, 2, 70])
}

fn right_sides(n: usize, columns: usize) -> Mat<f64> {
    Mat::from_fn(n, columns, |i, j| ((i * 7 + j * 13) as f64 * 0.37).sin())
}

fn dense_mass(m: &NodeMatrix) -> Mat<f64> {
    m.product(Mat::<f64>::identity(3 * m.n_nodes(), 3 * m.n_nodes()).as_ref())
}

#[test]
fn products_agree_with_the_dense_matrix() {
    let (k, m) = problem(2);
    let all: Vec<usize> = (0..k.n_dofs()).collect();
    let dense = k.extract(&all);
    let x = right_sides(k.n_dofs(), 6);
    let difference = k.product(x.as_ref()) - &dense * &x;
    assert!(difference.norm_max() < 1e-12 * dense.norm_max(), "{}", difference.norm_max());
    assert!((k.trace() - dense.diagonal().column_vector().sum()).abs() < 1e-10 * k.trace());
    let dofs = [5, 700, 3, 44];
    let rows = k.rows_product(&dofs, x.as_ref());
    let full = k.product(x.as_ref());
    for (i, &dof) in dofs.iter().enumerate() {
        for j in 0..6 {
            assert!((rows[(i, j)] - full[(dof, j)]).abs() < 1e-12 * dense.norm_max());
        }
    }
    let dense = dense_mass(&m);
    let difference = m.product(x.as_ref()) - &dense * &x;
    assert!(difference.norm_max() < 1e-13, "{}", difference.norm_max());
    assert!((3.0 * m.trace() - dense.diagonal().column_vector().sum()).abs() < 1e-9);
}

#[test]
fn the_solution_satisfies_the_restricted_equations() {
    for reach in [1, 2, 3] {
        let (k, m) = problem(reach);
        for (free, mass) in [
            (DofSet::all(m.n_nodes()).without_nodes(&[0, 5, 300]), None),
            (partly_held(m.n_nodes()), None),
            (DofSet::all(m.n_nodes()), Some((&m, 0.01))),
        ] {
            let factor = Cholesky::new(&k, mass, free.clone(), &Silent).unwrap();
            let b = right_sides(k.n_dofs(), 70);
            let mut x = b.clone();
            factor.solve_in_place(x.as_mut());
            let mut residual = k.product(x.as_ref()) - &b;
            if let Some((m, s)) = mass {
                residual += faer::Scale(s) * m.product(x.as_ref());
            }
            free.clear_fixed(residual.as_mut());
            assert!(residual.norm_max() < 1e-11, "reach {reach}: {}", residual.norm_max());
            for dof in (0..k.n_dofs()).filter(|&dof| !free.contains(dof)) {
                assert_eq!(x[(dof, 3)], 0.0);
            }
            assert_eq!(factor.symbolic().n_free(), free.len());
        }
    }
}

#[test]
fn the_inertia_counts_the_eigenvalues_of_the_dense_pair() {
    let n = [5, 4, 4];
    let graph = lattice::graph(n, 1);
    let (k, m) = (lattice::springs(n, &graph), lattice::mass(&graph));
    let free = partly_held(m.n_nodes());
    let dofs = free.to_vec();
    let dense_k = k.extract(&dofs);
    let dense_m = dense_mass(&m);
    let dense_m = Mat::from_fn(dofs.len(), dofs.len(), |i, j| dense_m[(dofs[i], dofs[j])]);
    let l = dense_m.llt(Side::Lower).unwrap();
    let mut c = dense_k.clone();
    l.L().solve_lower_triangular_in_place(c.as_mut());
    let mut c = c.transpose().to_owned();
    l.L().solve_lower_triangular_in_place(c.as_mut());
    let lambda = c.self_adjoint_eigenvalues(Side::Lower).unwrap();
    let factor = Cholesky::new(&k, None, free, &Silent).unwrap();
    for i in 1..lambda.len() {
        if lambda[i] - lambda[i - 1] > 1e-6 {
            let shift = 0.5 * (lambda[i] + lambda[i - 1]);
            let inertia = count_below(factor.symbolic(), &k, &m, shift, &Silent).unwrap();
            assert_eq!(inertia.below, i, "shift {shift}");
        }
    }
    let (inertia, _) = factor.into_inertia(&k, &m, 0.0, &Silent);
    assert_eq!(inertia.unwrap().below, 0);
}

#[test]
fn a_free_body_is_refused_with_the_node() {
    let (k, m) = problem(1);
    let error = Cholesky::new(&k, None, DofSet::all(m.n_nodes()), &Silent).unwrap_err();
    let FactorError::NotPositiveDefinite { node, component, pivot } = error else { panic!("{error}") };
    assert!(node < m.n_nodes() && component < 3 && pivot.abs() < 1e-13, "{node} {component} {pivot}");
    let mut broken = k.clone();
    broken.values[0] = [f64::NAN; 9];
    assert!(Cholesky::new(&broken, None, DofSet::all(m.n_nodes()).without_nodes(&[3]), &Silent).is_err());
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let n = [17, 14, 13];
    let graph = lattice::graph(n, 2);
    let (k, m) = (lattice::springs(n, &graph), lattice::mass(&graph));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let factor = Cholesky::new(&k, Some((&m, 0.01)), DofSet::all(m.n_nodes()), &Silent).unwrap();
            let mut x = right_sides(k.n_dofs(), 71);
            factor.solve_in_place(x.as_mut());
            (
                x,
                m.product(right_sides(k.n_dofs(), 7).as_ref()),
                k.product(right_sides(k.n_dofs(), 7).as_ref()),
            )
        })
    };
    let one = run(1);
    for threads in [2, 4] {
        let other = run(threads);
        assert!(one.0 == other.0 && one.1 == other.1 && one.2 == other.2, "{threads} threads");
    }
}
