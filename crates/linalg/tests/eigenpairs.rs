//! Lowest eigenpairs against closed forms, multiple roots, and faer's own Lanczos.

use crate::lattice;
use std::sync::Arc;

use crate::membrane::membrane;
use carom_linalg::{
    Admissible, BlockMatrix, Cholesky, DofSet, EigenError, EigenPairs, GivenPairs, Inverse, IterationError,
    NodeMatrix, Pencil, Proof, Symbolic, Wanted, lowest_pairs, lowest_pairs_by_iteration,
};
use carom_progress::{Progress, Silent};
use faer::{Mat, MatMut};

fn solve(
    k: &BlockMatrix,
    m: &NodeMatrix,
    free: &DofSet,
    shift: f64,
    wanted: Wanted,
) -> Result<EigenPairs, EigenError> {
    let mass = (shift > 0.0).then_some((m, shift));
    let factor = Cholesky::new(k, mass, free.clone(), &Silent).unwrap();
    lowest_pairs(k, m, factor, shift, wanted, &Silent).map(|(pairs, _)| pairs)
}

fn check(pairs: &EigenPairs) {
    assert!(pairs.residuals.iter().all(|&r| r <= 1e-8), "{:?}", pairs.residuals);
    assert!(pairs.orthogonality <= 1e-10, "{}", pairs.orthogonality);
    assert!(pairs.lambda.is_sorted());
}

#[test]
fn a_free_cube_has_all_copies_of_its_multiple_roots() {
    // Roots of multiplicity 3, 9, 9, 3, 9, 18 …: no copy is missing, also where the requested number ends
    // within a root.
    let (k, m, exact) = membrane([8, 8, 8]);
    let free = DofSet::all(m.n_nodes());
    for n in [1, 3, 5, 12, 16, 40, 61] {
        let pairs = solve(&k, &m, &free, 0.05, Wanted::Count(n)).unwrap();
        check(&pairs);
        assert_eq!(pairs.lambda.len(), n);
        for (i, &lambda) in pairs.lambda.iter().enumerate() {
            assert!((lambda - exact[i]).abs() < 1e-11, "{n} wanted, pair {i}: {lambda} {}", exact[i]);
        }
        let Proof::Counted { shift: sigma, below: count } = pairs.proof else { panic!("{:?}", pairs.proof) };
        assert_eq!(count, exact.iter().filter(|&&lambda| lambda < sigma).count());
    }
}

#[test]
fn all_pairs_up_to_a_value_are_found() {
    let (k, m, exact) = membrane([11, 6, 5]);
    let free = DofSet::all(m.n_nodes());
    for limit in [1e-3, 0.3, 0.9, 1.8] {
        let pairs = solve(&k, &m, &free, 0.05, Wanted::UpTo(limit)).unwrap();
        check(&pairs);
        assert_eq!(
            pairs.lambda.len(),
            exact.iter().filter(|&&lambda| lambda <= limit).count(),
            "up to {limit}"
        );
    }
}

#[test]
fn hundreds_of_pairs_up_to_a_value_are_found() {
    let (k, m, exact) = membrane([13, 11, 9]);
    let free = DofSet::all(m.n_nodes());
    let limit = 2.2;
    let pairs = solve(&k, &m, &free, 0.05, Wanted::UpTo(limit)).unwrap();
    check(&pairs);
    let expected = exact.iter().filter(|&&lambda| lambda <= limit).count();
    assert_eq!(pairs.lambda.len(), expected);
    assert!(expected > 330, "{expected}");
}

/// Most or all of the spectrum lies below the limit: the whole problem is solved in place of a search.
#[test]
fn most_pairs_up_to_a_value_are_found() {
    let (k, m, exact) = membrane([9, 5, 4]);
    let free = DofSet::all(m.n_nodes());
    for part in [0.5, 0.7, 0.95, 1.0] {
        let last = (part * exact.len() as f64) as usize - 1;
        let limit = exact[last] + 1e-6;
        let pairs = solve(&k, &m, &free, 0.05, Wanted::UpTo(limit)).unwrap();
        check(&pairs);
        assert_eq!(pairs.lambda.len(), exact.iter().filter(|&&lambda| lambda <= limit).count());
    }
}

#[test]
fn a_small_chain_is_solved_as_a_whole() {
    let (k, m, exact) = membrane([7, 1, 1]);
    let free = DofSet::all(m.n_nodes());
    let pairs = solve(&k, &m, &free, 0.1, Wanted::Count(21)).unwrap();
    check(&pairs);
    for (lambda, exact) in pairs.lambda.iter().zip(&exact) {
        assert!((lambda - exact).abs() < 1e-12);
    }
    let error = solve(&k, &m, &free, 0.1, Wanted::Count(22)).unwrap_err();
    assert_eq!(error, EigenError::TooMany { wanted: 22, n_free: 21 });
}

#[test]
fn many_pairs_over_eight_decades_are_orthonormal() {
    // Springs that stiffen along a chain, with lumped masses: the spectrum is that of M^-½ K M^-½.
    let n = [160, 1, 1];
    let graph = lattice::graph(n, 1);
    let mut k = lattice::springs(n, &graph);
    let scale = |node: usize| 10.0_f64.powf(4.0 * node as f64 / 160.0);
    for col in 0..160 {
        let (start, rows) = graph.column(col);
        for (e, &row) in rows.iter().enumerate() {
            k.values[start + e].iter_mut().for_each(|value| *value *= scale(row as usize) * scale(col));
        }
    }
    let mut m = NodeMatrix::zeros(Arc::clone(&graph));
    for node in 0..160 {
        m.values[graph.col_ptr[node]] = 1.0 + 0.5 * (node as f64).sin();
    }
    let free = DofSet::all(160).without_nodes(&[0]);
    let root: Vec<f64> = m.diagonal().iter().flat_map(|m| [m.sqrt(); 3]).collect();
    let whole = k.product(Mat::<f64>::identity(480, 480).as_ref());
    let symmetric = Mat::from_fn(477, 477, |i, j| whole[(i + 3, j + 3)] / (root[i + 3] * root[j + 3]));
    let oracle = symmetric.self_adjoint_eigenvalues(faer::Side::Lower).unwrap();
    let largest = oracle.iter().fold(0.0_f64, |a, b| a.max(*b));
    for n in [100, 200, 400] {
        let pairs = solve(&k, &m, &free, 0.0, Wanted::Count(n)).unwrap();
        check(&pairs);
        assert_eq!(pairs.lambda.len(), n);
        for (lambda, oracle) in pairs.lambda.iter().zip(&oracle) {
            assert!((lambda - oracle).abs() < 1e-13 * oracle.max(largest), "{lambda} {oracle}");
        }
    }
}

#[test]
fn held_dofs_stay_at_rest() {
    let n = [9, 8, 7];
    let graph = lattice::graph(n, 2);
    let (k, m) = (lattice::springs(n, &graph), lattice::mass(&graph));
    let free = DofSet::all(m.n_nodes()).without_nodes(&[0, 1, 9, 300]);
    let pairs = solve(&k, &m, &free, 0.0, Wanted::Count(20)).unwrap();
    check(&pairs);
    for dof in (0..k.n_dofs()).filter(|&dof| !free.contains(dof)) {
        assert!((0..20).all(|j| pairs.vectors[(dof, j)] == 0.0));
    }
    for j in 0..20 {
        let column = pairs.vectors.col(j);
        let largest = column.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        assert!(
            column.iter().any(|&x| x > 0.999_998 * largest),
            "the largest entry of vector {j} is negative"
        );
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let n = [12, 11, 10];
    let graph = lattice::graph(n, 1);
    let (k, m) = (lattice::springs(n, &graph), lattice::mass(&graph));
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| solve(&k, &m, &DofSet::all(m.n_nodes()), 0.01, Wanted::Count(15)).unwrap())
    };
    let one = run(1);
    for threads in [2, 4] {
        let other = run(threads);
        assert!(one.lambda == other.lambda && one.vectors == other.vectors, "{threads} threads");
    }
}

/// The operator W⁻¹-free form (K + sM)⁻¹ M is not symmetric, but M^½ (K + sM)⁻¹ M^½ is; with a lumped mass
/// faer can take it.
#[derive(Debug)]
struct Operator<'a> {
    factor: &'a Cholesky,
    root_mass: Vec<f64>,
}

impl faer::matrix_free::LinOp<f64> for Operator<'_> {
    fn apply_scratch(&self, _: usize, _: faer::Par) -> faer::dyn_stack::StackReq {
        faer::dyn_stack::StackReq::EMPTY
    }
    fn nrows(&self) -> usize {
        self.root_mass.len()
    }
    fn ncols(&self) -> usize {
        self.root_mass.len()
    }
    fn apply(
        &self,
        out: faer::MatMut<'_, f64>,
        rhs: faer::MatRef<'_, f64>,
        _: faer::Par,
        _: &mut faer::dyn_stack::MemStack,
    ) {
        let mut x = Mat::from_fn(rhs.nrows(), rhs.ncols(), |i, j| self.root_mass[i] * rhs[(i, j)]);
        self.factor.solve_in_place(x.as_mut());
        let mut out = out;
        out.copy_from(Mat::from_fn(rhs.nrows(), rhs.ncols(), |i, j| self.root_mass[i] * x[(i, j)]));
    }
    fn conj_apply(
        &self,
        out: faer::MatMut<'_, f64>,
        rhs: faer::MatRef<'_, f64>,
        par: faer::Par,
        stack: &mut faer::dyn_stack::MemStack,
    ) {
        self.apply(out, rhs, par, stack);
    }
}

#[test]
fn faers_lanczos_finds_the_same_pairs() {
    use faer::matrix_free::eigen::{
        PartialEigenParams, partial_self_adjoint_eigen, partial_self_adjoint_eigen_scratch,
    };
    let n = [10, 9, 8];
    let graph = lattice::graph(n, 1);
    let k = lattice::springs(n, &graph);
    let mut m = NodeMatrix::zeros(Arc::clone(&graph));
    for node in 0..graph.n_nodes() {
        m.values[graph.col_ptr[node]] = 1.0 + 0.5 * (node as f64).sin();
    }
    let free = DofSet::all(m.n_nodes()).without_nodes(&[0, 9, 719]);
    let factor = Cholesky::new(&k, None, free.clone(), &Silent).unwrap();
    let root_mass = m.diagonal().iter().flat_map(|m| [m.sqrt(); 3]).collect();
    let operator = Operator { factor: &factor, root_mass };
    let n_dofs = k.n_dofs();
    let mut vectors = Mat::zeros(n_dofs, 12);
    let mut theta = vec![0.0; 12];
    let start = Mat::from_fn(n_dofs, 1, |i, _| ((i * i) as f64 * 0.1).sin());
    let start = start.col(0) / faer::Scale(start.norm_l2());
    let params = PartialEigenParams { max_dim: 60, ..Default::default() };
    let scratch = partial_self_adjoint_eigen_scratch(&operator, 12, faer::Par::Seq, params);
    partial_self_adjoint_eigen(
        vectors.as_mut(),
        &mut theta,
        &operator,
        start.as_ref(),
        1e-9,
        faer::Par::Seq,
        faer::dyn_stack::MemStack::new(&mut faer::dyn_stack::MemBuffer::new(scratch)),
        params,
    );
    let pairs = solve(&k, &m, &free, 0.0, Wanted::Count(12)).unwrap();
    check(&pairs);
    let mut oracle: Vec<f64> = theta.iter().map(|theta| 1.0 / theta).collect();
    oracle.sort_by(f64::total_cmp);
    for (lambda, oracle) in pairs.lambda.iter().zip(&oracle) {
        assert!((lambda / oracle - 1.0).abs() < 1e-9, "{lambda} {oracle}");
    }
}

/// An inverse with a relative error of 1e-6, as by rounding for a badly conditioned matrix.
struct Inexact(Cholesky);

impl Admissible for Inexact {
    fn clear_reactions(&self, x: MatMut<'_, f64>) {
        self.0.clear_reactions(x);
    }
}

impl Inverse for Inexact {
    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    fn free(&self) -> &DofSet {
        self.0.free()
    }

    fn solve_in_place(&self, mut x: MatMut<'_, f64>, _progress: &dyn Progress) -> Result<(), IterationError> {
        self.0.solve_in_place(x.as_mut());
        for j in 0..x.ncols() {
            for i in 0..x.nrows() {
                x[(i, j)] *= 1.0 + 1e-6 * (i as f64 * 12.9898).sin();
            }
        }
        Ok(())
    }

    fn basis(&self) -> Mat<f64> {
        self.0.basis()
    }
}

/// Corrections remove the error of the inverse, so that the residual of the pairs is below
/// it.
#[test]
fn eigenpairs_are_accurate_although_the_inverse_is_not() {
    let (k, m, exact) = membrane([11, 6, 5]);
    let free = DofSet::all(m.n_nodes());
    let shift = 0.05;
    let inverse = Inexact(Cholesky::new(&k, Some((&m, shift)), free, &Silent).unwrap());
    let pairs = lowest_pairs_by_iteration(&k, &m, &inverse, shift, Wanted::Count(24), &Silent).unwrap();
    check(&pairs);
    for (i, &lambda) in pairs.lambda.iter().enumerate() {
        assert!((lambda - exact[i]).abs() < 1e-11, "pair {i}: {lambda} {}", exact[i]);
    }
}

/// The pairs of a cube as another program could give them: the lowest n, each multiple root complete.
fn given(n: usize) -> (BlockMatrix, NodeMatrix, DofSet, EigenPairs) {
    let (k, m, _) = membrane([8, 8, 8]);
    let free = DofSet::all(m.n_nodes()).without_nodes(&[0, 500]);
    let pairs = solve(&k, &m, &free, 0.0, Wanted::Count(n)).unwrap();
    (k, m, free, pairs)
}

#[test]
fn given_pairs_are_accepted_whatever_their_rotation_and_order() {
    let (k, m, free, pairs) = given(24);
    let pencil = Pencil { k: &k, m: &m, shift: 0.0 };
    // A rotation of neighbours, in which no given vector is an eigenvector.
    let (c, s) = (0.6, 0.8);
    let turned = Mat::from_fn(k.n_dofs(), 24, |i, j| {
        let (a, b) = (pairs.vectors[(i, j / 2 * 2)], pairs.vectors[(i, j / 2 * 2 + 1)]);
        if j % 2 == 0 { c * a - s * b } else { s * a + c * b }
    });
    let found = GivenPairs::new(&pencil, &free, turned, Wanted::Count(10)).unwrap();
    let symbolic = Symbolic::new(&k.graph, free.clone()).unwrap();
    let proven = found.count::<Cholesky>(&pencil, &symbolic, &Silent).unwrap();
    check(&proven);
    assert!(matches!(proven.proof, Proof::Counted { below, .. } if below >= 10), "{:?}", proven.proof);
    assert_eq!(proven.lambda.len(), 10);
    for (own, lambda) in proven.lambda.iter().zip(&pairs.lambda) {
        assert!((own / lambda - 1.0).abs() < 1e-12, "{own} {lambda}");
    }
}

#[test]
fn a_missing_given_pair_is_counted_and_searched_for() {
    let (k, m, free, pairs) = given(24);
    let pencil = Pencil { k: &k, m: &m, shift: 0.0 };
    let without = Mat::from_fn(k.n_dofs(), 23, |i, j| pairs.vectors[(i, if j < 4 { j } else { j + 1 })]);
    let found = || GivenPairs::new(&pencil, &free, without.clone(), Wanted::Count(10)).unwrap();
    let symbolic = Symbolic::new(&k.graph, free.clone()).unwrap();
    let error = found().count::<Cholesky>(&pencil, &symbolic, &Silent).unwrap_err();
    assert!(matches!(error, EigenError::Count { found, counted, .. } if counted == found + 1), "{error}");
    let inverse = Cholesky::new(&k, None, free.clone(), &Silent).unwrap();
    let error = found().search(&pencil, &inverse, &Silent).unwrap_err();
    assert!(matches!(error, EigenError::Count { found, counted, .. } if counted > found), "{error}");
    let whole = GivenPairs::new(&pencil, &free, pairs.vectors.clone(), Wanted::Count(10)).unwrap();
    let below = whole.below();
    let proof = whole.search(&pencil, &inverse, &Silent).unwrap().proof;
    let Proof::SearchedAgain { shift, below: found, next } = proof else { panic!("{proof:?}") };
    assert!(found == below && next > shift);
}

#[test]
fn given_vectors_with_errors_are_refused_with_the_figure() {
    let (k, m, free, pairs) = given(24);
    let pencil = Pencil { k: &k, m: &m, shift: 0.0 };
    let new = |x: Mat<f64>, n: usize| GivenPairs::new(&pencil, &free, x, Wanted::Count(n)).unwrap_err();
    // A vector twice.
    let twice = Mat::from_fn(k.n_dofs(), 24, |i, j| pairs.vectors[(i, if j == 7 { 6 } else { j })]);
    let error = new(twice, 10);
    assert!(matches!(error, EigenError::NotOrthonormal { deviation } if deviation > 0.9), "{error}");
    // A vector with xᵀ M x = 1 that mixes two eigenvectors.
    let mut rough = pairs.vectors.clone();
    let other = solve(&k, &m, &free, 0.0, Wanted::Count(60)).unwrap().vectors;
    (0..k.n_dofs()).for_each(|i| rough[(i, 3)] = 0.8 * rough[(i, 3)] + 0.6 * other[(i, 58)]);
    let error = new(rough, 10);
    assert!(matches!(error, EigenError::Residual { residual, .. } if residual > 1e-2), "{error}");
    assert!(matches!(new(pairs.vectors.clone(), 24), EigenError::NoGap { given: 24, wanted: 24 }));
}
