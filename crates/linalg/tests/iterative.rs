//! Solutions and eigenpairs without a factor, compared with those by a factor and with closed forms.

use crate::lattice;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::membrane::membrane;
use carom_linalg::{
    BlockMatrix, Border, Bordered, Cholesky, DofSet, EigenError, FactorError, IterationError, Iterative,
    NodeMatrix, Proof, Wanted, lowest_pairs_by_iteration,
};
use carom_progress::{Progress, Silent};
use faer::Mat;

const N: [usize; 3] = [21, 17, 15];

fn problem() -> (BlockMatrix, NodeMatrix) {
    let graph = lattice::graph(N, 1);
    (lattice::springs(N, &graph), lattice::mass(&graph))
}

fn places(n: [usize; 3]) -> Vec<[f64; 3]> {
    let place = |node: usize| [node % n[0], node / n[0] % n[1], node / n[0] / n[1]].map(|c| c as f64);
    (0..n.iter().product()).map(place).collect()
}

/// Free dofs of a graph with some nodes and some single components held.
fn held(n_nodes: usize) -> DofSet {
    let flags = (0..n_nodes).map(|node| match node {
        0 | 20 | 700 => [false; 3],
        33 | 701 => [true, false, true],
        _ => [true; 3],
    });
    DofSet::from_flags(flags.collect())
}

fn loads(n_dofs: usize, n: usize) -> Mat<f64> {
    Mat::from_fn(n_dofs, n, |i, j| ((i * (j + 2)) as f64).sin())
}

#[test]
fn solutions_agree_with_those_of_the_factor() {
    let (k, m) = problem();
    let free = held(m.n_nodes());
    for shift in [0.0, 0.3] {
        let mass = (shift > 0.0).then_some((&m, shift));
        let inverse = Iterative::new(&k, mass, free.clone(), &places(N), &Silent).unwrap();
        let mut exact = loads(k.n_dofs(), 11);
        // A column without a load has the solution zero.
        exact.col_mut(5).fill(0.0);
        let mut x = exact.clone();
        Cholesky::new(&k, mass, free.clone(), &Silent).unwrap().solve_in_place(exact.as_mut());
        inverse.solve_in_place(x.as_mut(), &Silent).unwrap();
        for j in 0..11 {
            let error = (x.col(j) - exact.col(j)).norm_l2() / exact.col(j).norm_l2().max(f64::MIN_POSITIVE);
            assert!(error < 1e-11, "shift {shift}, column {j}: {error:.1e}");
        }
        assert!(inverse.most_iterations() < 30, "{} iterations", inverse.most_iterations());
    }
}

#[test]
fn constrained_means_of_sets_stay_zero() {
    let (k, m) = problem();
    let n_dofs = k.n_dofs();
    let means = Mat::from_fn(n_dofs, 3, |dof, k| {
        let weight = 1.0 + ((dof / 3) as f64).sin();
        if dof / 3 % N[0] == 0 && dof % 3 == k { weight } else { 0.0 }
    });
    let border = || Border::new(DofSet::all(m.n_nodes()), vec![0, 20, 300], means.clone());
    let values = Mat::from_fn(3, 4, |i, j| (i + 2 * j) as f64);
    let mut exact = loads(n_dofs, 4);
    let mut x = exact.clone();
    Bordered::new(&k, None, border(), &Silent)
        .unwrap()
        .solve_with(exact.as_mut(), values.as_ref(), &Silent)
        .unwrap();
    let inverse = Bordered::iterative(&k, None, border(), &places(N), &Silent).unwrap();
    inverse.solve_with(x.as_mut(), values.as_ref(), &Silent).unwrap();
    let error = (&x - &exact).norm_l2() / exact.norm_l2();
    assert!(error < 1e-10, "{error:.1e}");
    let missed = (means.transpose() * &x - &values).norm_max();
    assert!(missed < 1e-9 * values.norm_max(), "{missed:.1e}");
}

#[test]
fn no_copy_of_a_multiple_root_of_a_free_cube_is_missing() {
    // Roots of multiplicity 3, 9, 9, 3, 9, 18 …: more than the eight directions of a block.
    let n = [8, 8, 8];
    let (k, m, exact) = membrane(n);
    let free = DofSet::all(m.n_nodes());
    let inverse = Iterative::new(&k, Some((&m, 0.05)), free, &places(n), &Silent).unwrap();
    for n in [1, 3, 5, 12, 16, 40, 61] {
        let pairs = lowest_pairs_by_iteration(&k, &m, &inverse, 0.05, Wanted::Count(n), &Silent).unwrap();
        assert_eq!(pairs.lambda.len(), n);
        for (i, &lambda) in pairs.lambda.iter().enumerate() {
            assert!((lambda - exact[i]).abs() < 1e-10, "{n} wanted, pair {i}: {lambda} {}", exact[i]);
        }
        assert!(pairs.residuals.iter().all(|&residual| residual <= 1e-8), "{:?}", pairs.residuals);
        assert!(pairs.orthogonality <= 1e-10, "{}", pairs.orthogonality);
        let Proof::SearchedAgain { shift, below, next } = pairs.proof else { panic!("{:?}", pairs.proof) };
        assert_eq!(below, exact.iter().filter(|&&lambda| lambda < shift).count());
        assert!((next / exact[below] - 1.0).abs() < 1e-3, "{next} {}", exact[below]);
    }
}

#[test]
fn all_pairs_up_to_a_value_are_found() {
    let n = [11, 6, 5];
    let (k, m, exact) = membrane(n);
    let free = DofSet::all(m.n_nodes());
    let inverse = Iterative::new(&k, Some((&m, 0.05)), free, &places(n), &Silent).unwrap();
    for limit in [1e-3, 0.3, 0.9] {
        let pairs = lowest_pairs_by_iteration(&k, &m, &inverse, 0.05, Wanted::UpTo(limit), &Silent).unwrap();
        let expected = exact.iter().filter(|&&lambda| lambda <= limit).count();
        assert_eq!(pairs.lambda.len(), expected, "up to {limit}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (k, m) = problem();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let inverse = Iterative::new(&k, None, held(m.n_nodes()), &places(N), &Silent).unwrap();
            let mut x = loads(k.n_dofs(), 9);
            inverse.solve_in_place(x.as_mut(), &Silent).unwrap();
            let pairs = lowest_pairs_by_iteration(&k, &m, &inverse, 0.0, Wanted::Count(9), &Silent).unwrap();
            (x, pairs.lambda, pairs.vectors)
        })
    };
    let one = run(1);
    for threads in [2, 4] {
        assert!(one == run(threads), "{threads} threads");
    }
}

/// Requests a stop after some queries.
struct Impatient(AtomicUsize);

impl Progress for Impatient {
    fn begin(&self, _name: &str, _total: u64) {}
    fn set(&self, _done: u64) {}
    fn note(&self, _text: &str) {}
    fn end(&self) {}
    fn interrupted(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) >= 5
    }
}

#[test]
fn a_solution_stops_on_request() {
    let (k, m) = problem();
    let inverse = Iterative::new(&k, None, held(m.n_nodes()), &places(N), &Silent).unwrap();
    let mut x = loads(k.n_dofs(), 1);
    let impatient = Impatient(AtomicUsize::new(0));
    assert_eq!(inverse.solve_in_place(x.as_mut(), &impatient), Err(IterationError::Interrupted));
    let error = lowest_pairs_by_iteration(&k, &m, &inverse, 0.0, Wanted::Count(9), &impatient).unwrap_err();
    assert!(error.is_interruption(), "{error}");
}

#[test]
fn a_stiffness_that_is_not_finite_is_refused() {
    let (mut k, m) = problem();
    let inverse = Iterative::new(&k, None, held(m.n_nodes()), &places(N), &Silent).unwrap();
    let mut x = loads(k.n_dofs(), 1);
    x[(400, 0)] = f64::NAN;
    let error = inverse.solve_in_place(x.as_mut(), &Silent).unwrap_err();
    assert!(matches!(error, IterationError::NotPositiveDefinite { .. }), "{error}");
    k.values[k.graph.col_ptr[703]][0] = f64::NAN;
    let error = Iterative::new(&k, None, held(m.n_nodes()), &places(N), &Silent).unwrap_err();
    assert!(matches!(error, FactorError::Iteration(IterationError::NotPositiveDefinite { .. })), "{error}");
}

#[test]
fn a_free_body_is_reported_as_free() {
    let (k, m) = problem();
    let error = Iterative::new(&k, None, DofSet::all(m.n_nodes()), &places(N), &Silent).unwrap_err();
    assert!(matches!(error, FactorError::Iteration(IterationError::NotPositiveDefinite { .. })), "{error}");
    assert!(error.to_string().contains("can move freely"), "{error}");
}

#[test]
fn more_pairs_than_dofs_are_refused() {
    let (k, m, _) = membrane([3, 1, 1]);
    let free = DofSet::all(3);
    let inverse = Iterative::new(&k, Some((&m, 0.1)), free, &places([3, 1, 1]), &Silent).unwrap();
    let error = lowest_pairs_by_iteration(&k, &m, &inverse, 0.1, Wanted::Count(10), &Silent).unwrap_err();
    assert_eq!(error, EigenError::TooMany { wanted: 10, n_free: 9 });
    let all = lowest_pairs_by_iteration(&k, &m, &inverse, 0.1, Wanted::Count(9), &Silent).unwrap();
    assert_eq!(all.proof, Proof::Whole);
}
