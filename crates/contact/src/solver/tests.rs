use carom_testing::{json_file, numbers, shared_data};

use super::*;
use crate::test_surfaces::Random;

/// Random SPD matrix B Bᵀ + c E of size n, row-major.
fn spd(n: usize, random: &mut Random) -> Vec<f64> {
    let b: Vec<f64> = (0..n * n).map(|_| random.symmetric()).collect();
    let entry = |i: usize, j: usize| (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>();
    (0..n * n).map(|k| entry(k / n, k % n) + if k / n == k % n { 0.05 } else { 0.0 }).collect()
}

#[test]
fn active_sets_and_lemke_agree_on_random_positive_definite_problems() {
    let mut random = Random(21);
    let mut solver = ActiveSet::new();
    let mut fallbacks = 0;
    for round in 0..300 {
        let n = 1 + (random.next() * 30.0) as usize;
        let m = spd(n, &mut random);
        let q: Vec<f64> = (0..n).map(|_| random.symmetric()).collect();
        solver.set_matrix(n, |i, j| m[i * n + j]);
        let mut z = vec![0.0; n];
        let report = solver.solve(&q, &mut z).unwrap();
        fallbacks += usize::from(report.method == Method::Lemke);
        let (z_lemke, _) = lemke(|i, j| m[i * n + j], &q).unwrap();
        assert!(residual(|i, j| m[i * n + j], &q, &z) < 1e-11, "round {round}");
        let size = z_lemke.iter().fold(1.0f64, |a, b| a.max(b.abs()));
        z.iter()
            .zip(&z_lemke)
            .for_each(|(a, b)| assert!((a - b).abs() < 1e-8 * size, "round {round}: {a} {b}"));
        // A second solve starts from the solution and needs no new factor.
        let again = solver.solve(&q, &mut z).unwrap();
        if report.method == Method::ActiveSet {
            assert_eq!((again.iterations, again.factorisations), (1, 0));
        }
    }
    assert!(fallbacks < 60, "{fallbacks} of 300 random problems cycled");
}

#[test]
fn a_contact_compliance_needs_few_active_sets_cold_and_one_warm() {
    // W_ij ~ 1/(1 + |i − j|) on a grid of 10 × 10, gap of a paraboloid pushed in.
    let n = 100;
    let at = |i: usize| [(i % 10) as f64 - 4.5, (i / 10) as f64 - 4.5];
    let w = |i: usize, j: usize| {
        let (a, b) = (at(i), at(j));
        1.0 / (0.3 + (a[0] - b[0]).hypot(a[1] - b[1]))
    };
    let gap =
        |d: f64| -> Vec<f64> { (0..n).map(|i| 0.05 * (at(i)[0].powi(2) + at(i)[1].powi(2)) - d).collect() };
    let mut solver = ActiveSet::new();
    solver.set_matrix(n, w);
    let mut z = vec![0.0; n];
    let cold = solver.solve(&gap(0.8), &mut z).unwrap();
    assert!(cold.method == Method::ActiveSet && cold.iterations <= 6, "{cold:?}");
    let warm = solver.solve(&gap(0.803), &mut z).unwrap();
    assert!(warm.iterations <= 2, "{warm:?}");
    assert!(residual(w, &gap(0.803), &z) < 1e-13);
}

#[test]
fn a_semidefinite_block_falls_back_and_is_solved() {
    // Two equal unknowns: the active block is singular.
    let m = [1.0, 1.0, 1.0, 1.0];
    let mut solver = ActiveSet::new();
    solver.set_matrix(2, |i, j| m[2 * i + j]);
    let mut z = vec![1.0, 1.0];
    let q = [-1.0, -1.0];
    solver.solve(&q, &mut z).unwrap();
    assert!(residual(|i, j| m[2 * i + j], &q, &z) < 1e-12);
}

#[test]
fn a_problem_without_solution_and_bad_numbers_are_errors() {
    assert!(matches!(lemke(|_, _| -1.0, &[-1.0]), Err(LcpError::Ray { .. })));
    assert!(matches!(lemke(|_, _| 1.0, &[f64::NAN]), Err(LcpError::NotFinite { row: 0, column: 1 })));
    assert!(matches!(lemke(|_, _| f64::NAN, &[1.0]), Err(LcpError::NotFinite { row: 0, column: 0 })));
    let mut solver = ActiveSet::new();
    solver.set_matrix(2, |i, j| if i == j { 1.0 } else { 0.0 });
    assert!(matches!(solver.solve(&[1.0], &mut [0.0]), Err(LcpError::Size { .. })));
    assert!(matches!(solver.solve(&[1.0, f64::NAN], &mut [0.0; 2]), Err(LcpError::NotFinite { .. })));
    assert!(residual(|_, _| 1.0, &[f64::NAN], &[1.0]).is_nan());
}

#[test]
fn the_reference_problems_are_solved_correctly_or_refused() {
    let Some(folder) = shared_data("contact/lcp") else { return };
    let mut solved = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let json = json_file(&file.unwrap().path());
        let n = json["n"].as_u64().unwrap() as usize;
        let mut m = vec![0.0; n * n];
        let (rows, columns) = (numbers(&json["M"]["rows"]), numbers(&json["M"]["cols"]));
        for ((r, c), v) in rows.iter().zip(&columns).zip(numbers(&json["M"]["vals"])) {
            m[*r as usize * n + *c as usize] = v;
        }
        let (q, name) = (numbers(&json["q"]), json["name"].as_str().unwrap());
        let result = lemke(|i, j| m[i * n + j], &q);
        println!("{name}: {result:?}");
        if let Ok((z, _)) = &result {
            assert!(residual(|i, j| m[i * n + j], &q, z) <= 1e-10, "{name}");
            solved += 1;
        }
        let class = json["class"].as_str().unwrap();
        let unique = class.contains("(unique)");
        assert!(result.is_ok() || !unique, "{name} has a solution that must be found");
        let symmetric = (0..n * n).all(|k| m[k] == m[(k % n) * n + k / n]);
        if class.contains("positive definite") && symmetric {
            let mut solver = ActiveSet::new();
            solver.set_matrix(n, |i, j| m[i * n + j]);
            let mut z = vec![0.0; n];
            solver.solve(&q, &mut z).unwrap();
            assert!(residual(|i, j| m[i * n + j], &q, &z) <= 1e-10, "{name}");
            z.iter().zip(numbers(&json["z"])).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{name}"));
        }
    }
    assert!(solved >= 8, "only {solved} of 11 problems solved");
}
