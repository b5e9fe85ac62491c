//! Sparse LU and LDLᵀ against dense solutions, on systems with known structure.

use carom_linalg::sparse::{CsMat, Indefinite, Inertia, Method, SparseError, SparseLdlt, SparseLu, TriMat};
use carom_linalg::sparse::{NotSymmetric, Symmetric};
use faer::Mat;
use faer::linalg::solvers::Solve;

use crate::saddle::{self, numbers};

fn matrix(n: usize, entries: impl IntoIterator<Item = (usize, usize, f64)>) -> CsMat<f64> {
    let mut triplets = TriMat::new((n, n));
    entries.into_iter().for_each(|(row, column, value)| triplets.add_triplet(row, column, value));
    triplets.to_csr()
}

fn dense(matrix: &CsMat<f64>) -> Mat<f64> {
    Mat::from_fn(matrix.rows(), matrix.cols(), |i, j| matrix.get(i, j).copied().unwrap_or(0.0))
}

/// Largest difference relative to the largest entry.
fn difference(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    (a - b).norm_max() / b.norm_max()
}

fn right_sides(n: usize, n_cols: usize) -> Mat<f64> {
    let values = numbers(n * n_cols, 7);
    Mat::from_fn(n, n_cols, |i, j| values[j * n + i])
}

/// The Jacobian of upwind convection, diffusion and a reaction on a grid: unsymmetric in values and pattern.
fn newton(side: usize, state: f64) -> CsMat<f64> {
    let mut entries = Vec::new();
    for k in 0..side * side {
        let (x, y) = (k % side, k / side);
        entries.push((k, k, 4.0 + state * (k as f64).sin() + 0.3));
        if x > 0 {
            entries.push((k, k - 1, -1.3 - state));
        }
        if x + 1 < side {
            entries.push((k, k + 1, -0.7));
        }
        if y > 0 {
            entries.push((k, k - side, -1.0 + 0.2 * state));
        }
        // This entry couples in one direction only.
        if y + 2 < side {
            entries.push((k, k + 2 * side, -0.4 * state));
        }
    }
    matrix(side * side, entries)
}

#[test]
fn lu_agrees_with_dense_pivoting() {
    for side in [1, 2, 5, 17] {
        let a = newton(side, 0.5);
        for a in [a.clone(), a.to_csc()] {
            let mut lu = SparseLu::analyse(&a.view()).unwrap();
            lu.factorise(&a.view()).unwrap();
            let b = right_sides(side * side, 3);
            let exact = dense(&a).partial_piv_lu().solve(&b);
            let mut x = b.clone();
            let solved = lu.solve_in_place(x.as_mut()).unwrap();
            assert!(difference(&x, &exact) < 1e-13, "side {side}: {:.1e}", difference(&x, &exact));
            assert!(solved.backward_error < 1e-15, "{solved:?}");
            let exact = dense(&a).transpose().to_owned().partial_piv_lu().solve(&b);
            let mut x = b.clone();
            lu.solve_transposed_in_place(x.as_mut()).unwrap();
            assert!(difference(&x, &exact) < 1e-13, "transposed, side {side}");
        }
    }
}

#[test]
fn new_values_of_one_pattern_are_factorised_without_a_new_analysis() {
    let mut lu = SparseLu::analyse(&newton(9, 0.1).view()).unwrap();
    for state in [0.1, 0.9, -3.0, 0.1] {
        let a = newton(9, state);
        lu.factorise(&a.view()).unwrap();
        let b = right_sides(81, 1);
        let mut x = b.clone();
        lu.solve_in_place(x.as_mut()).unwrap();
        let mut again = SparseLu::analyse(&a.view()).unwrap();
        again.factorise(&a.view()).unwrap();
        let mut y = b.clone();
        again.solve_in_place(y.as_mut()).unwrap();
        assert_eq!(x, y, "state {state}: the same bits as with an analysis of its own");
    }
}

#[test]
fn rows_in_any_order_and_of_any_scale_have_the_same_solution() {
    let a = newton(12, 0.5);
    let n = a.rows();
    let (scales, order) = (numbers(n, 3), |i: usize| (i * 35 + 11) % n);
    let power = |i: usize| 10.0_f64.powf(12.0 * scales[i]);
    let scaled =
        matrix(n, a.iter().map(|(value, (i, j))| (order(i), j, value * power(i) / power((5 * j + 1) % n))));
    let x = right_sides(n, 1);
    // The solution of the scaled system is x times the scale of its column.
    let x_scaled = Mat::from_fn(n, 1, |j, _| x[(j, 0)] * power((5 * j + 1) % n));
    let b = dense(&a) * &x;
    let mut solution = Mat::zeros(n, 1);
    (0..n).for_each(|i| solution[(order(i), 0)] = b[(i, 0)] * power(i));
    let mut lu = SparseLu::analyse(&scaled.view()).unwrap();
    lu.factorise(&scaled.view()).unwrap();
    lu.solve_in_place(solution.as_mut()).unwrap();
    for j in 0..n {
        let error = (solution[(j, 0)] / x_scaled[(j, 0)] - 1.0).abs();
        assert!(error < 1e-10, "unknown {j}: relative error {error:.1e}");
    }
}

#[test]
fn a_matrix_with_zero_diagonal_is_factorised_with_pivots() {
    // A cyclic shift with weights: no diagonal entry at all.
    let n = 30;
    let a = matrix(n, (0..n).map(|i| (i, (i + 1) % n, 1.0 + i as f64)));
    let mut lu = SparseLu::analyse(&a.view()).unwrap();
    lu.factorise(&a.view()).unwrap();
    let mut x = Mat::from_fn(n, 1, |i, _| (1.0 + i as f64) * ((i + 1) % n) as f64);
    lu.solve_in_place(x.as_mut()).unwrap();
    (0..n).for_each(|i| assert!((x[(i, 0)] - i as f64).abs() < 1e-14));
}

/// Stiffness of steel.
const SCALE: f64 = 1e11;

/// The solution by dense pivoting of a system with stiffness 1 and multipliers in its unit.
fn scaled_dense_solution(a: &Symmetric, n_multipliers: usize, b: &Mat<f64>) -> Mat<f64> {
    let (n, n_dofs) = (a.n(), a.n() - n_multipliers);
    let root = |i: usize| if i < n_dofs { SCALE.sqrt().recip() } else { SCALE.sqrt() };
    let a = dense(&a.both());
    let scaled = Mat::from_fn(n, n, |i, j| a[(i, j)] * root(i) * root(j));
    let right = Mat::from_fn(n, b.ncols(), |i, j| b[(i, j)] * root(i));
    let x = scaled.partial_piv_lu().solve(&right);
    Mat::from_fn(n, b.ncols(), |i, j| x[(i, j)] * root(i))
}

#[test]
fn saddle_point_solutions_and_signs_agree_with_dense_pivoting() {
    for (side, n_multipliers) in [(2, 3), (4, 20), (6, 90)] {
        let a = saddle::matrix(side, n_multipliers, SCALE);
        let n = a.n();
        let mut ldlt = SparseLdlt::analyse(&a).unwrap();
        ldlt.factorise(&a).unwrap();
        assert!(ldlt.growth() < 1e4, "growth {:.1e}", ldlt.growth());
        // As many negative eigenvalues as constraints (Gould's theorem for full rank).
        let inertia = Inertia { positive: n - n_multipliers, negative: n_multipliers };
        assert_eq!(ldlt.inertia().unwrap(), inertia);
        // Right-hand sides: forces of 1 and consistent displacements of the constraints.
        let mut b = right_sides(n, 4);
        b.as_mut().subrows_mut(n - n_multipliers, n_multipliers).row_iter_mut().for_each(|row| {
            row.iter_mut().for_each(|value| *value /= SCALE);
        });
        let mut x = b.clone();
        let solved = ldlt.solve_in_place(x.as_mut()).unwrap();
        assert!(solved.backward_error < 1e-15, "{solved:?}");
        let exact = scaled_dense_solution(&a, n_multipliers, &b);
        let mut lu = SparseLu::analyse_symmetric(&a).unwrap();
        lu.factorise_symmetric(&a).unwrap();
        let mut y = b.clone();
        let solved_lu = lu.solve_in_place(y.as_mut()).unwrap();
        assert!(solved_lu.backward_error < 1e-15, "{solved_lu:?}");
        for (from, to) in [(0, n - n_multipliers), (n - n_multipliers, n)] {
            let part = |x: &Mat<f64>| x.subrows(from, to - from).to_owned();
            let differences = [&y, &exact].map(|other| difference(&part(&x), &part(other)));
            assert!(differences.iter().all(|&d| d < 1e-12), "rows {from} to {to}: {differences:?}");
        }
        let both = dense(&a.both());
        let residual = &both * &x - &b;
        let size = Mat::from_fn(n, n, |i, j| both[(i, j)].abs()) * Mat::from_fn(n, 4, |i, j| x[(i, j)].abs());
        for j in 0..4 {
            for i in 0..n {
                let error = residual[(i, j)].abs() / (size[(i, j)] + b[(i, j)].abs());
                assert!(error < 1e-14, "row {i} of {n}: backward error {error:.1e}");
            }
        }
    }
}

#[test]
fn ldlt_factorises_new_values_of_its_pattern() {
    let scales = [SCALE, 3.7, SCALE];
    let mut ldlt = SparseLdlt::analyse(&saddle::matrix(4, 20, SCALE)).unwrap();
    for scale in scales {
        let a = &saddle::matrix(4, 20, scale);
        ldlt.factorise(a).unwrap();
        // Multipliers are forces: in units of the stiffness.
        let mut x = right_sides(a.n(), 1);
        (a.n() - 20..a.n()).for_each(|i| x[(i, 0)] *= scale);
        let mut solution = dense(&a.both()) * &x;
        ldlt.solve_in_place(solution.as_mut()).unwrap();
        assert!(difference(&solution, &x) < 1e-9, "{:.1e}", difference(&solution, &x));
    }
}

#[test]
fn lu_replaces_ldlt_where_pivots_in_fixed_order_are_too_small() {
    // A chain of pairs that the analysis chooses by values; these later nearly vanish.
    let n = 40;
    let chain = |inside: f64, across: f64| {
        let entries = (1..n).map(|i| (i, i - 1, if i % 2 == 1 { inside } else { across }));
        let diagonal = (0..n).map(|i| (i, i, 0.0));
        Symmetric::from_lower(matrix(n, entries.chain(diagonal))).unwrap()
    };
    let ends = |inside: f64, across: f64| {
        let mut triplets = TriMat::new((n, n));
        for (value, (i, j)) in &chain(inside, across).both() {
            if i >= j {
                triplets.add_triplet(i, j, *value);
            }
        }
        triplets.add_triplet(n - 1, 0, across);
        Symmetric::from_lower(triplets.to_csr()).unwrap()
    };
    let mut solver = Indefinite::analyse(&ends(1.0, 1e-3)).unwrap();
    assert_eq!(solver.factorise(&ends(1.0, 1e-3)).unwrap(), Method::Ldlt);
    let mut methods = Vec::new();
    for inside in [1.0, 1e-6, 1e-13, 0.0, 1.0] {
        let a = ends(inside, 1e-3);
        methods.push(solver.factorise(&a).unwrap());
        let x = right_sides(n, 2);
        let mut solution = dense(&a.both()) * &x;
        let solved = solver.solve_in_place(solution.as_mut()).unwrap();
        assert!(solved.backward_error < 1e-15, "{solved:?}");
        assert!(difference(&solution, &x) < 1e-9, "inside {inside}: {:.1e}", difference(&solution, &x));
        assert_eq!(solver.method(), methods.last().copied());
    }
    assert_eq!(methods[3], Method::Lu, "growth {:.1e}", solver.growth());
    assert_eq!(methods[4], Method::Ldlt);
}

#[test]
fn singular_matrices_are_refused_with_a_row_and_an_unknown() {
    // Row 7 is three times row 2.
    let n = 12;
    let value = |i: usize, j: usize| if i == j { 3.0 } else { ((3 * i + 7 * j) % 5) as f64 - 2.0 };
    let entries = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let dependent = entries.map(|(i, j)| (i, j, if i == 7 { 3.0 * value(2, j) } else { value(i, j) }));
    let a = matrix(n, dependent);
    let mut lu = SparseLu::analyse(&a.view()).unwrap();
    let error = lu.factorise(&a.view()).unwrap_err();
    assert!(
        matches!(error, SparseError::Singular { pivot, row: 2 | 7, .. } if pivot < 1e-14),
        "{error:?}: {error}"
    );
    let mut x = Mat::zeros(n, 1);
    assert_eq!(lu.solve_in_place(x.as_mut()), Err(SparseError::NoFactors));
    // An unknown whose coefficients are all zero.
    let a = matrix(3, [(0, 0, 1.0), (1, 1, 0.0), (2, 2, 2.0), (1, 2, 5.0)]);
    let mut lu = SparseLu::analyse(&a.view()).unwrap();
    let error = lu.factorise(&a.view()).unwrap_err();
    assert!(matches!(error, SparseError::Singular { column: 1, .. }), "{error:?}");
    // All zeros.
    let a = matrix(2, [(0, 0, 0.0), (1, 1, 0.0)]);
    let mut lu = SparseLu::analyse(&a.view()).unwrap();
    assert!(matches!(lu.factorise(&a.view()), Err(SparseError::Singular { .. })));
}

#[test]
fn a_free_body_is_singular() {
    let a = saddle::free_body(5);
    let mut lu = SparseLu::analyse_symmetric(&a).unwrap();
    let error = lu.factorise_symmetric(&a).unwrap_err();
    assert!(matches!(error, SparseError::Singular { pivot, .. } if pivot < 1e-14), "{error:?}");
    let error = Indefinite::analyse(&a).unwrap().factorise(&a).unwrap_err();
    assert!(matches!(error, SparseError::Singular { .. }), "{error:?}");
}

#[test]
fn repeated_constraints_are_singular() {
    let a = saddle::with_repeated_constraint(4, 10);
    let error = Indefinite::analyse(&a).unwrap().factorise(&a).unwrap_err();
    let n = a.n();
    assert!(
        matches!(error, SparseError::Singular { row, .. } if row == n - 1 || row == n - 2),
        "{error:?}, {n} rows"
    );
}

#[test]
fn patterns_without_a_full_set_of_pivots_are_refused_with_their_rank() {
    // Rows 0, 1 and 2 have entries in two columns only.
    let a = matrix(4, [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0), (2, 1, 1.0), (3, 2, 1.0), (3, 3, 1.0)]);
    let error = SparseLu::analyse(&a.view()).unwrap_err();
    assert!(
        matches!(error, SparseError::StructurallySingular { rank: 3, n: 4, row: 0..=2 }),
        "{error:?}: {error}"
    );
    let empty = matrix(2, []);
    let error = SparseLu::analyse(&empty.view()).unwrap_err();
    assert!(matches!(error, SparseError::StructurallySingular { rank: 0, .. }), "{error:?}");
}

#[test]
fn matrices_that_cannot_be_factorised_are_errors_with_numbers() {
    let a = newton(4, 0.5);
    let mut lu = SparseLu::analyse(&a.view()).unwrap();
    let mut x = Mat::zeros(16, 1);
    assert_eq!(lu.solve_in_place(x.as_mut()), Err(SparseError::NoFactors));
    let mut damaged = a.clone();
    damaged.set(3, 2, f64::NAN);
    let error = lu.factorise(&damaged.view()).unwrap_err();
    assert!(matches!(error, SparseError::NotFinite { row: 3, column: 2, .. }), "{error:?}");
    let error = lu.factorise(&newton(5, 0.5).view()).unwrap_err();
    assert!(matches!(error, SparseError::Pattern { n: 25, n_analysed: 16, .. }), "{error:?}");
    // The number of entries is the same, but one has another place.
    let entries: Vec<_> = a.iter().map(|(value, place)| (place, *value)).collect();
    let moved =
        entries.iter().map(|&((i, j), value)| if (i, j) == (3, 2) { (3, 0, value) } else { (i, j, value) });
    let error = lu.factorise(&matrix(16, moved).view()).unwrap_err();
    assert!(matches!(error, SparseError::Pattern { .. }), "{error:?}");
    lu.factorise(&a.view()).unwrap();
    let error = lu.solve_in_place(Mat::zeros(15, 1).as_mut()).unwrap_err();
    assert_eq!(error, SparseError::Dimension { expected: 16, found: 15 });
    x[(4, 0)] = f64::INFINITY;
    let error = lu.solve_in_place(x.as_mut()).unwrap_err();
    assert!(matches!(error, SparseError::RightHandSide { row: 4, column: 0, .. }), "{error:?}");
    let wide: CsMat<f64> = CsMat::zero((2, 3));
    assert_eq!(SparseLu::analyse(&wide.view()).unwrap_err(), SparseError::NotSquare { rows: 2, columns: 3 });
}

#[test]
fn empty_systems_and_extreme_numbers_are_solved() {
    let none: CsMat<f64> = CsMat::zero((0, 0));
    let mut lu = SparseLu::analyse(&none.view()).unwrap();
    lu.factorise(&none.view()).unwrap();
    lu.solve_in_place(Mat::zeros(0, 2).as_mut()).unwrap();
    let none = Symmetric::from_lower(none).unwrap();
    let mut solver = Indefinite::analyse(&none).unwrap();
    solver.factorise(&none).unwrap();
    solver.solve_in_place(Mat::zeros(0, 1).as_mut()).unwrap();
    let a = matrix(2, [(0, 0, 1e300), (0, 1, 1e-300), (1, 0, 1e-300), (1, 1, 1e-290)]);
    let mut lu = SparseLu::analyse(&a.view()).unwrap();
    lu.factorise(&a.view()).unwrap();
    let mut x = faer::mat![[1e300], [1e-290]];
    lu.solve_in_place(x.as_mut()).unwrap();
    assert!((x[(0, 0)] - 1.0).abs() < 1e-15 && (x[(1, 0)] - 1.0).abs() < 1e-9, "{x:?}");
}

#[test]
fn symmetric_matrices_are_checked() {
    let error = Symmetric::from_lower(matrix(2, [(0, 1, 1.0)])).unwrap_err();
    assert_eq!(error, NotSymmetric::Above { row: 0, column: 1 });
    let a = matrix(2, [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.5), (1, 1, 1.0)]);
    let error = Symmetric::from_both(&a, 1e-14).unwrap_err();
    assert_eq!(error, NotSymmetric::Different { row: 1, column: 0, lower: 2.5, upper: 2.0 });
    let a = matrix(2, [(0, 0, 1.0), (0, 1, 2.0), (1, 0, 2.0 + 1e-15), (1, 1, 1.0)]);
    let symmetric = Symmetric::from_both(&a, 1e-14).unwrap();
    assert_eq!(symmetric.lower().nnz(), 3);
    assert_eq!(symmetric.both().get(0, 1), Some(&(2.0 + 1e-15)));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let a = saddle::matrix(8, 120, 1e11);
    let solutions = [1, 8].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut ldlt = SparseLdlt::analyse(&a).unwrap();
            ldlt.factorise(&a).unwrap();
            let mut lu = SparseLu::analyse_symmetric(&a).unwrap();
            lu.factorise_symmetric(&a).unwrap();
            let (mut x, mut y) = (right_sides(a.n(), 5), right_sides(a.n(), 5));
            ldlt.solve_in_place(x.as_mut()).unwrap();
            lu.solve_in_place(y.as_mut()).unwrap();
            (x, y)
        })
    });
    assert_eq!(solutions[0], solutions[1]);
}

/// Random patterns and values, a third of them singular, some entries zero: errors or solutions, never a
/// panic, and every solution satisfies its equations.
#[test]
fn random_matrices_are_solved_or_refused() {
    let mut n_solved = 0;
    for seed in 0..300_u64 {
        let values = numbers(400, seed);
        let n = 1 + (seed as usize * 7) % 23;
        let n_entries = n + (seed as usize * 13) % (3 * n);
        let entries = (0..n_entries).map(|k| {
            let place = |x: f64| ((x + 1.0) * 0.5 * n as f64) as usize % n;
            let value = if k % 11 == 3 { 0.0 } else { values[3 * k % 400] * 10.0_f64.powf(6.0 * values[k]) };
            (place(values[(3 * k + 1) % 400]), place(values[(3 * k + 2) % 400]), value)
        });
        let diagonal = (0..n).filter(|i| seed % 3 != 0 || i % 4 != 0).map(|i| (i, i, 1e-3));
        let a = matrix(n, entries.chain(diagonal));
        let b = right_sides(n, 2);
        let Ok(mut lu) = SparseLu::analyse(&a.view()) else { continue };
        if lu.factorise(&a.view()).is_err() {
            continue;
        }
        let mut x = b.clone();
        let solved = lu.solve_in_place(x.as_mut()).unwrap();
        let residual = (dense(&a) * &x - &b).norm_max();
        let size = dense(&a).norm_max() * x.norm_max() * n as f64 + b.norm_max();
        assert!(residual < 1e-14 * size && solved.backward_error < 1e-14, "seed {seed}: {residual:.1e}");
        n_solved += 1;
    }
    assert!(n_solved > 100, "{n_solved} were solved");
}
