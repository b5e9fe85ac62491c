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
        let (rows, columns) = (numbers(&json["M"]["rows"]), numbers(&json["M"]["cols"]));
        let entries: Vec<_> = rows
            .iter()
            .zip(&columns)
            .zip(numbers(&json["M"]["vals"]))
            .map(|((r, c), v)| (*r as usize, *c as usize, v))
            .collect();
        let sparse = Sparse::new(q.len(), &entries).unwrap();
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
