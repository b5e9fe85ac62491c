use carom_testing::{json_file, numbers, shared_data};

use super::*;
use crate::test_surfaces::Random;

/// Known by products alone.
struct Products<'a>(&'a Dense);

impl Operator for Products<'_> {
    fn n(&self) -> usize {
        self.0.n()
    }

    fn apply_into(&self, x: &[f64], y: &mut [f64]) {
        self.0.apply_into(x, y);
    }

    fn diagonal_into(&self, diagonal: &mut [f64]) {
        self.0.diagonal_into(diagonal);
    }
}

fn dense(n: usize, m: impl Fn(usize, usize) -> f64) -> Dense {
    Dense::new(n, (0..n * n).map(|k| m(k / n, k % n)).collect()).unwrap()
}

fn triplets(m: &Dense) -> Vec<(usize, usize, f64)> {
    let all = (0..m.n()).flat_map(|i| (0..m.n()).map(move |j| (i, j)));
    all.map(|(i, j)| (i, j, m.at(i, j))).filter(|t| t.2 != 0.0).collect()
}

/// A matrix of the reference problems.
pub(super) fn coordinates(json: &serde_json::Value) -> Vec<(usize, usize, f64)> {
    let (rows, columns) = (numbers(&json["rows"]), numbers(&json["cols"]));
    let places = rows.iter().zip(&columns);
    places.zip(numbers(&json["vals"])).map(|((r, c), v)| (*r as usize, *c as usize, v)).collect()
}

/// A = B Bᵀ/n + skew + 0.1 E, z and w complementary, q = w − A z.
fn planted(n: usize, skew: f64, random: &mut Random) -> (Dense, Vec<f64>, Vec<f64>) {
    let b: Vec<f64> = (0..n * n).map(|_| random.symmetric()).collect();
    let c: Vec<f64> = (0..n * n).map(|_| random.symmetric()).collect();
    let entry = |i: usize, j: usize| {
        let product: f64 = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>() / n as f64;
        product + skew * (c[i * n + j] - c[j * n + i]) + if i == j { 0.1 } else { 0.0 }
    };
    let m = dense(n, entry);
    let z: Vec<f64> = (0..n).map(|_| random.symmetric().max(0.0)).collect();
    let mut q = vec![0.0; n];
    m.apply_into(&z, &mut q);
    q.iter_mut().zip(&z).for_each(|(q, z)| *q = if *z > 0.0 { 0.0 } else { random.next() } - *q);
    (m, q, z)
}

#[test]
fn a_planted_solution_is_found_by_every_method_that_fits() {
    let mut random = Random(5);
    let mut solver = LcpSolver::default();
    for (round, n) in [1, 3, 10, 40, 90].into_iter().cycle().take(20).enumerate() {
        let skew = if round % 2 == 0 { 0.0 } else { 0.3 };
        let (m, q, known) = planted(n, skew, &mut random);
        let mut methods = vec![None, Some(LcpMethod::ActiveSet), Some(LcpMethod::Lemke)];
        if skew == 0.0 {
            methods.extend([Some(LcpMethod::ConjugateGradients), Some(LcpMethod::GaussSeidel)]);
        }
        let sparse = Sparse::new(n, &triplets(&m)).unwrap();
        for method in methods {
            for operator in [&m as &dyn Operator, &sparse] {
                let mut z = vec![0.0; n];
                let result = solver.solve(operator, &q, &mut z, method);
                assert!(result.is_ok(), "n {n}, skew {skew}, {method:?}: {result:?} {:?}", solver.attempts());
                let error = z.iter().zip(&known).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(error < 1e-8, "n {n}, skew {skew}, {method:?}: error {error:.1e}");
            }
        }
        let mut z = vec![0.0; n];
        solver.solve(&Products(&m), &q, &mut z, None).unwrap();
    }
}

#[test]
fn the_chain_solves_every_reference_problem_that_has_a_solution() {
    let Some(folder) = shared_data("contact/lcp") else { return };
    let mut solver = LcpSolver::default();
    for file in std::fs::read_dir(folder).unwrap() {
        let json = json_file(&file.unwrap().path());
        let (name, q) = (json["name"].as_str().unwrap(), numbers(&json["q"]));
        let sparse = Sparse::new(q.len(), &coordinates(&json["M"])).unwrap();
        let m = dense(q.len(), |i, j| sparse.at(i, j));
        for operator in [&m as &dyn Operator, &sparse, &Products(&m)] {
            let mut z = vec![0.0; q.len()];
            let result = solver.solve(operator, &q, &mut z, None);
            println!("{name}: {result:?} after {:?}", solver.attempts());
            assert_eq!(result.is_ok(), json["solved"].as_bool().unwrap(), "{name}: {:?}", solver.attempts());
            if result.is_ok() {
                let allowed = 1e-10 * q.iter().fold(1.0, |a: f64, q| a.max(q.abs()));
                assert!(residual(|i, j| m.at(i, j), &q, &z) <= allowed, "{name}");
            }
        }
    }
}

#[test]
fn of_redundant_constraints_the_tighter_one_carries_the_force() {
    // Two pairs with the same response; the first of each is closed by less.
    let w = [[2.0, 2.0, 0.5, 0.5], [2.0, 2.0, 0.5, 0.5], [0.5, 0.5, 1.0, 1.0], [0.5, 0.5, 1.0, 1.0]];
    let m = dense(4, |i, j| w[i][j]);
    let q = [-0.9, -1.0, -1.0, -1.0];
    let mut solver = LcpSolver::default();
    for method in [None, Some(LcpMethod::ConjugateGradients), Some(LcpMethod::GaussSeidel)] {
        let mut z = [0.0; 4];
        let solution = solver.solve(&Products(&m), &q, &mut z, method);
        if method == Some(LcpMethod::GaussSeidel) {
            assert!(solution.is_err(), "row by row needs entries");
            continue;
        }
        assert!(solution.unwrap().residual < 1e-12);
        // 2 a + b/2 = 1, a/2 + b = 1.
        assert!((z[0] + z[1] - 2.0 / 7.0 * 1.0).abs() < 1e-9 && z[0] < 1e-9, "{z:?}");
        assert!((z[2] + z[3] - 6.0 / 7.0).abs() < 1e-9, "{z:?}");
    }
}

/// Factors of matrix and vector, independent of each other.
pub(super) fn scales() -> impl Iterator<Item = (f64, f64)> {
    let factors = [1e-12, 1e-6, 1.0, 1e6, 1e12];
    factors.into_iter().flat_map(move |m| factors.map(|q| (m, q)))
}

/// Whether a problem has a solution does not depend on its units.
#[test]
fn scaled_reference_problems_are_solved_or_refused_alike() {
    let Some(folder) = shared_data("contact/lcp") else { return };
    let mut solver = LcpSolver::default();
    for file in std::fs::read_dir(folder).unwrap() {
        let json = json_file(&file.unwrap().path());
        let (name, q) = (json["name"].as_str().unwrap(), numbers(&json["q"]));
        let triplets = coordinates(&json["M"]);
        for (by_m, by_q) in scales() {
            let scaled: Vec<_> = triplets.iter().map(|&(i, j, value)| (i, j, by_m * value)).collect();
            let m = Sparse::new(q.len(), &scaled).unwrap();
            let q: Vec<f64> = q.iter().map(|q| by_q * q).collect();
            let mut z = vec![0.0; q.len()];
            let result = solver.solve(&m, &q, &mut z, None);
            let is_solvable = json["solved"].as_bool().unwrap();
            assert_eq!(result.is_ok(), is_solvable, "{name}: M × {by_m:e}, q × {by_q:e}: {result:?}");
        }
    }
}

/// w = −z − 5e-11 is negative for every z ≥ 0.
#[test]
fn a_problem_without_a_solution_is_refused_in_any_units() {
    let mut solver = LcpSolver::default();
    for (by_m, by_q) in scales() {
        let (m, q) = (dense(1, |_, _| -by_m), [-5e-11 * by_q]);
        for method in [None, Some(LcpMethod::Lemke), Some(LcpMethod::ActiveSet), Some(LcpMethod::Enumeration)]
        {
            for start in [0.0, 1.0] {
                let result = solver.solve(&m, &q, &mut [start], method);
                assert!(result.is_err(), "M × {by_m:e}, q × {by_q:e}, {method:?}: {result:?}");
            }
        }
        assert!(lemke(|_, _| -by_m, &q).is_err());
    }
}

#[test]
fn a_scaled_problem_has_the_scaled_solution() {
    let mut random = Random(11);
    let (m, q, known) = planted(30, 0.0, &mut random);
    let mut solver = LcpSolver::default();
    for (by_m, by_q) in scales() {
        let scaled = dense(30, |i, j| by_m * m.at(i, j));
        let q: Vec<f64> = q.iter().map(|q| by_q * q).collect();
        let methods = [LcpMethod::Lemke, LcpMethod::ConjugateGradients, LcpMethod::ActiveSet];
        for method in [None].into_iter().chain(methods.map(Some)) {
            let mut z = vec![0.0; 30];
            solver.solve(&scaled, &q, &mut z, method).unwrap();
            let error = z.iter().zip(&known).map(|(a, b)| (a * by_m / by_q - b).abs()).fold(0.0, f64::max);
            assert!(error < 1e-8, "M × {by_m:e}, q × {by_q:e}, {method:?}: error {error:.1e}");
        }
    }
}

#[test]
fn a_solution_is_its_own_start() {
    let (m, q, known) = planted(40, 0.0, &mut Random(3));
    let mut solver = LcpSolver::default();
    for method in [LcpMethod::ActiveSet, LcpMethod::ConjugateGradients, LcpMethod::GaussSeidel] {
        let mut z = known.clone();
        let solution = solver.solve(&m, &q, &mut z, Some(method)).unwrap();
        assert!(solution.iterations <= 1, "{solution:?}");
    }
}

#[test]
fn a_string_over_an_obstacle_is_solved_in_few_sets_at_every_size() {
    // −z'' = load, z ≥ 0: up to the front a parabola; the load sin(4πx) pulls and pushes in turn.
    let mut solver = LcpSolver::default();
    for n in [50, 400, 2000] {
        let mut entries: Vec<_> = (0..n).map(|i| (i, i, 2.0)).collect();
        (1..n).for_each(|i| entries.extend([(i, i - 1, -1.0), (i - 1, i, -1.0)]));
        let m = Sparse::new(n, &entries).unwrap();
        let load = |i: usize| (4.0 * std::f64::consts::PI * i as f64 / n as f64).sin() * 10.0 / n as f64;
        let q: Vec<f64> = (0..n).map(load).collect();
        let mut z = vec![0.0; n];
        let solution = solver.solve(&m, &q, &mut z, None).unwrap();
        println!("{n}: {solution:?}, {:?}", solver.attempts());
        assert!(solution.method == LcpMethod::ActiveSet && solution.iterations < 20, "{n}: {solution:?}");
        let mut by_gradients = vec![0.0; n];
        if n <= 400 {
            let result = solver.solve(&m, &q, &mut by_gradients, Some(LcpMethod::ConjugateGradients));
            println!("{n}: {result:?}, {:?}", solver.attempts());
            let worst = z.iter().zip(&by_gradients).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(result.is_ok() && worst < 1e-5, "{n}: {worst:.1e}");
        }
    }
}

#[test]
fn the_example_of_fathi_is_solved_where_pivoting_takes_exponentially_many_steps() {
    let mut solver = LcpSolver::default();
    for n in [10, 50, 200] {
        let m = dense(n, |i, j| 4.0 * i.min(j) as f64 + if i == j { 1.0 } else { 2.0 });
        let mut z = vec![0.0; n];
        solver.solve(&m, &vec![-1.0; n], &mut z, None).unwrap();
        assert!((z[0] - 1.0).abs() < 1e-9 && z[1..].iter().all(|z| *z < 1e-9), "{n}");
    }
}

#[test]
fn wrong_input_is_named() {
    let mut solver = LcpSolver::default();
    let m = dense(2, |i, j| if i == j { 1.0 } else { 0.0 });
    let size = solver.solve(&m, &[1.0], &mut [0.0; 2], None);
    assert_eq!(size, Err(LcpError::Size { rows: 2, columns: 2, length: 1 }));
    let size = solver.solve(&m, &[1.0; 2], &mut [0.0; 3], None);
    assert_eq!(size, Err(LcpError::Size { rows: 2, columns: 2, length: 3 }));
    let nan = solver.solve(&m, &[1.0, f64::NAN], &mut [0.0; 2], None);
    assert_eq!(nan, Err(LcpError::NotFinite { row: 1, column: 2 }));
    assert!(matches!(Dense::new(2, vec![0.0; 3]), Err(LcpError::Size { .. })));
    let nan = Dense::new(2, vec![0.0, 0.0, f64::INFINITY, 0.0]);
    assert!(matches!(nan, Err(LcpError::NotFinite { row: 1, column: 0 })));
    assert!(matches!(Sparse::new(2, &[(0, 2, 1.0)]), Err(LcpError::Size { .. })));
    assert!(matches!(Sparse::new(2, &[(0, 1, f64::NAN)]), Err(LcpError::NotFinite { row: 0, column: 1 })));
    // No solution: w_1 = −z_1 − 1 < 0.
    let none = solver.solve(&dense(1, |_, _| -1.0), &[-1.0], &mut [0.0], None);
    assert!(matches!(none, Err(LcpError::Unsolved { .. })), "{none:?}");
    assert_eq!(solver.solve(&Dense::default(), &[], &mut [], None).unwrap().residual, 0.0);
}
