use carom_testing::{json_file, numbers, shared_data};

use super::super::lcp_tests::{coordinates, scales};
use super::super::{Dense, Operator, Sparse};
use super::problem::padded;
use super::*;
use crate::test_surfaces::Random;

#[test]
fn the_reference_problems_are_solved_or_refused_with_the_residual() {
    let Some(folder) = shared_data("contact/friction") else { return };
    let mut solver = FrictionSolver::default();
    for file in std::fs::read_dir(folder).unwrap() {
        let json = json_file(&file.unwrap().path());
        let (name, q, friction) = (json["name"].as_str().unwrap(), numbers(&json["q"]), numbers(&json["mu"]));
        let sparse = Sparse::new(q.len(), &coordinates(&json["W"])).unwrap();
        let values = (0..q.len() * q.len()).map(|k| sparse.at(k / q.len(), k % q.len())).collect();
        let dense = Dense::new(q.len(), values).unwrap();
        let dim = json["dim"].as_u64().unwrap() as usize;
        for operator in [&dense as &dyn Operator, &sparse] {
            let problem = FrictionProblem { operator, q: &q, friction: &friction, dim };
            let mut r = vec![0.0; q.len()];
            let now = std::time::Instant::now();
            let result = solver.solve(problem, &mut r, None);
            println!("{name} ({:.1} ms): {result:?}", 1e3 * now.elapsed().as_secs_f64());
            // One problem has no known solution; a returned solution must satisfy the conditions.
            assert!(result.is_ok() || !json["solved"].as_bool().unwrap(), "{name}: {result:?}");
            if result.is_ok() {
                println!("    largest r {:.3e}", largest(r.iter().copied()));
                assert_coulomb(problem, &r, 1e-9);
            }
        }
    }
}

/// Checks Coulomb's law for each contact, without the natural map.
fn assert_coulomb(problem: FrictionProblem<'_>, r: &[f64], tolerance: f64) {
    let mut u = vec![0.0; r.len()];
    velocities(problem, r, &mut u);
    for (c, &mu) in problem.friction.iter().enumerate() {
        let (r, u) = (padded(r, c, problem.dim), padded(&u, c, problem.dim));
        let (force, slip) = (r[1].hypot(r[2]), u[1].hypot(u[2]));
        let scale = tolerance * (1.0 + r[0].abs() + slip);
        assert!(r[0] >= -scale && u[0] >= -scale && r[0].min(u[0]) <= scale, "contact {c}: {r:?} {u:?}");
        assert!(force <= mu * r[0] + scale, "contact {c} is outside its cone: {r:?}");
        // Slip is opposite to the force, which is then at Coulomb's limit.
        let power = r[1] * u[1] + r[2] * u[2];
        assert!((power + mu * r[0] * slip).abs() <= scale * (1.0 + slip), "contact {c}: {r:?} {u:?}");
    }
}

/// W = B Bᵀ/n + 0.05 E, with a skew part.
fn random(n: usize, skew: f64, random: &mut Random) -> Dense {
    let b: Vec<f64> = (0..n * n).map(|_| random.symmetric()).collect();
    let entry = |i: usize, j: usize| {
        let product: f64 = (0..n).map(|k| b[i * n + k] * b[j * n + k]).sum::<f64>() / n as f64;
        product + skew * (b[i * n + j] - b[j * n + i]) + if i == j { 0.05 } else { 0.0 }
    };
    Dense::new(n, (0..n * n).map(|k| entry(k / n, k % n)).collect()).unwrap()
}

#[test]
fn a_block_on_a_plane_sticks_slips_or_lifts_off_by_coulombs_law() {
    // Unit mass: u = r + q. q_T = −4 along (0.6, 0.8).
    let w = Dense::new(3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    let mut solver = FrictionSolver::default();
    let cases = [
        (-1.0, 5.0, [1.0, 2.4, 3.2]),
        (-1.0, 0.5, [1.0, 0.3, 0.4]),
        (-1.0, 0.0, [1.0, 0.0, 0.0]),
        (1.0, 0.5, [0.0, 0.0, 0.0]),
    ];
    for (normal, mu, known) in cases {
        for method in [None, Some(FrictionMethod::GaussSeidel), Some(FrictionMethod::Newton)] {
            let (q, friction, mut r) = ([normal, -2.4, -3.2], [mu], [0.5, 0.1, 0.0]);
            let problem = FrictionProblem { operator: &w, q: &q, friction: &friction, dim: 3 };
            solver.solve(problem, &mut r, method).unwrap();
            let error = largest((0..3).map(|k| r[k] - known[k]));
            assert!(error < 1e-9, "q_N {normal}, μ {mu}, {method:?}: {r:?} instead of {known:?}");
        }
    }
}

#[test]
fn the_reaction_of_an_open_frictionless_contact_is_zero() {
    let w = Dense::new(3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    for method in [None, Some(FrictionMethod::GaussSeidel), Some(FrictionMethod::Newton)] {
        let mut r = [2.0, 0.0, 0.0];
        let problem = FrictionProblem { operator: &w, q: &[1.0, 0.0, 0.0], friction: &[0.0], dim: 3 };
        FrictionSolver::default().solve(problem, &mut r, method).unwrap();
        assert_eq!(r, [0.0; 3], "{method:?}");
    }
}

#[test]
fn random_contacts_obey_coulomb_in_two_and_three_dimensions() {
    let mut numbers = Random(17);
    let mut solver = FrictionSolver::default();
    for round in 0..60 {
        let (dim, contacts) = (2 + round % 2, 1 + round / 4);
        let n = dim * contacts;
        let w = random(n, if round % 3 == 0 { 0.02 } else { 0.0 }, &mut numbers);
        let q: Vec<f64> = (0..n).map(|_| numbers.symmetric()).collect();
        let friction: Vec<f64> = (0..contacts).map(|_| 0.5 * numbers.next()).collect();
        let problem = FrictionProblem { operator: &w, q: &q, friction: &friction, dim };
        let mut r = vec![0.0; n];
        let result = solver.solve(problem, &mut r, None);
        assert!(result.is_ok(), "round {round}: {result:?}");
        assert_coulomb(problem, &r, 1e-8);
        // A start at the solution returns the solution.
        let again = solver.solve(problem, &mut r, None).unwrap();
        assert!(again.sweeps + again.newton_steps <= ROUND_SWEEPS + 1, "{again:?}");
    }
}

#[test]
fn a_scaled_problem_has_the_scaled_reaction() {
    let mut numbers = Random(23);
    let w = random(12, 0.0, &mut numbers);
    let q: Vec<f64> = (0..12).map(|_| numbers.symmetric() - 0.3).collect();
    let friction = [0.3; 4];
    let mut solver = FrictionSolver::default();
    let mut known = vec![0.0; 12];
    let problem = FrictionProblem { operator: &w, q: &q, friction: &friction, dim: 3 };
    solver.solve(problem, &mut known, None).unwrap();
    for (by_w, by_q) in scales() {
        let values = (0..144).map(|k| by_w * w.at(k / 12, k % 12)).collect();
        let w = Dense::new(12, values).unwrap();
        let q: Vec<f64> = q.iter().map(|q| by_q * q).collect();
        let mut r = vec![0.0; 12];
        let problem = FrictionProblem { operator: &w, q: &q, friction: &friction, dim: 3 };
        solver.solve(problem, &mut r, None).unwrap();
        let error = largest(r.iter().zip(&known).map(|(a, b)| a * by_w / by_q - b));
        assert!(error < 1e-6 * largest(known.iter().copied()), "W × {by_w:e}, q × {by_q:e}: {error:.1e}");
    }
}

/// A problem with W = −1 along the normal has no solution: the reaction attracts the body.
#[test]
fn a_problem_without_a_solution_is_refused_in_any_units() {
    for (by_w, by_q) in scales() {
        let w = Dense::new(2, vec![-by_w, 0.0, 0.0, by_w]).unwrap();
        let problem = FrictionProblem { operator: &w, q: &[-5e-11 * by_q, 0.0], friction: &[0.3], dim: 2 };
        let result = FrictionSolver::default().solve(problem, &mut [0.0; 2], None);
        assert!(result.is_err(), "W × {by_w:e}, q × {by_q:e}: {result:?}");
    }
}

#[test]
fn wrong_input_is_named() {
    let w = Dense::new(3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]).unwrap();
    let mut solver = FrictionSolver::default();
    let mut solve = |q: &[f64], friction: &[f64], dim| {
        let problem = FrictionProblem { operator: &w, q, friction, dim };
        solver.solve(problem, &mut [0.0; 3], None).unwrap_err()
    };
    assert_eq!(solve(&[0.0; 3], &[0.1], 4), FrictionError::Dimension { dim: 4 });
    assert!(matches!(solve(&[0.0; 3], &[0.1], 2), FrictionError::Size { .. }));
    assert!(matches!(solve(&[0.0; 2], &[0.1], 3), FrictionError::Size { .. }));
    assert_eq!(solve(&[0.0, f64::NAN, 0.0], &[0.1], 3), FrictionError::NotFinite { index: 1 });
    let negative = FrictionError::Friction { contact: 0, friction: -0.1 };
    assert_eq!(solve(&[0.0; 3], &[-0.1], 3), negative);
}

/// Feet of a block on the ground with slightly inconsistent velocities; their twelve rows have rank six. The
/// path ends where the impulses between the feet have grown until one of them slips or separates.
#[test]
fn redundant_feet_with_inconsistent_velocities_are_solved() {
    let mut numbers = Random(5);
    let mut solver = FrictionSolver::default();
    let mut smoothed = 0;
    for round in 0..400 {
        let contacts = 2 + round % 3;
        let feet = [[-0.5, -0.5], [0.5, -0.5], [-0.5, 0.5], [0.5, 0.5]];
        // Unit mass and moments 0.1 to 0.3; a row d has the arm c.
        let moments: [f64; 3] = std::array::from_fn(|_| 0.1 + 0.2 * numbers.next());
        let height = 0.1 + 0.4 * numbers.next();
        let rows: Vec<[f64; 6]> = (0..3 * contacts)
            .map(|row| {
                let [x, y] = feet[row / 3].map(|a| a + 0.1 * numbers.symmetric());
                match row % 3 {
                    0 => [0.0, 0.0, 1.0, y, -x, 0.0],
                    1 => [1.0, 0.0, 0.0, 0.0, -height, -y],
                    _ => [0.0, 1.0, 0.0, height, 0.0, x],
                }
            })
            .collect();
        let motion: [f64; 6] = std::array::from_fn(|k| if k == 2 { -1.0 } else { 0.3 * numbers.symmetric() });
        let mobility = |a: &[f64; 6], b: &[f64; 6]| -> f64 {
            (0..6).map(|k| a[k] * b[k] / if k < 3 { 1.0 } else { moments[k - 3] }).sum()
        };
        let n = rows.len();
        let w = Dense::new(n, (0..n * n).map(|k| mobility(&rows[k / n], &rows[k % n])).collect()).unwrap();
        let contradiction = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8][round % 7];
        let velocity = |row: &[f64; 6]| (0..6).map(|k| row[k] * motion[k]).sum::<f64>();
        let q: Vec<f64> = rows.iter().map(|r| velocity(r) + contradiction * numbers.symmetric()).collect();
        let friction = vec![[0.1, 0.4, 1.0][round / 7 % 3]; contacts];
        let problem = FrictionProblem { operator: &w, q: &q, friction: &friction, dim: 3 };
        let mut r = vec![0.0; n];
        let result = solver.solve(problem, &mut r, None);
        assert!(result.is_ok(), "round {round}: {result:?} {:?}", solver.attempts());
        smoothed += u32::from(result.unwrap().method == FrictionMethod::Smoothing);
        assert_coulomb(problem, &r, 1e-8);
    }
    println!("{smoothed} of 400 by smoothing");
    assert!(smoothed > 20, "{smoothed}");
}
