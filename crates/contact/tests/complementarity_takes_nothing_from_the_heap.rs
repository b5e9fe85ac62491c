//! Solves of one size after another, as in a time loop, allocate nothing.

use carom_contact::solver::{Dense, FrictionProblem, FrictionSolver, LcpMethod, LcpSolver};
use carom_testing::heap;

const N: usize = 24;

/// A compliance matrix with the entries 1/(1 + |i − j|), plus 1 on the diagonal.
fn matrix(skew: f64) -> Dense {
    let entry = |i: usize, j: usize| {
        let distance = i.abs_diff(j) as f64;
        1.0 / (1.0 + distance) + if i == j { 1.0 } else { skew * (i as f64 - j as f64) / N as f64 }
    };
    Dense::new(N, (0..N * N).map(|k| entry(k / N, k % N)).collect()).unwrap()
}

fn load(step: usize) -> Vec<f64> {
    (0..N).map(|i| (0.7 * i as f64 + 0.1 * step as f64).sin() - 0.3).collect()
}

#[test]
fn a_chain_over_time_steps_allocates_nothing() {
    for skew in [0.0, 0.1] {
        let (m, mut solver, mut z) = (matrix(skew), LcpSolver::default(), vec![0.0; N]);
        let loads: Vec<_> = (0..10).map(load).collect();
        solver.solve(&m, &loads[0], &mut z, None).unwrap();
        for q in &loads {
            let (result, allocations) = heap::allocations_during(|| solver.solve(&m, q, &mut z, None));
            assert_eq!((result.unwrap().method, allocations), (LcpMethod::ActiveSet, 0), "skew {skew}");
        }
    }
}

#[test]
fn each_method_alone_allocates_nothing() {
    let (m, mut solver) = (matrix(0.0), LcpSolver::default());
    for method in [LcpMethod::ConjugateGradients, LcpMethod::GaussSeidel, LcpMethod::Lemke] {
        let mut z = vec![0.0; N];
        let loads: Vec<_> = (0..10).map(load).collect();
        solver.solve(&m, &loads[0], &mut z, Some(method)).unwrap();
        for q in &loads {
            let (result, allocations) =
                heap::allocations_during(|| solver.solve(&m, q, &mut z, Some(method)));
            result.unwrap();
            assert_eq!(allocations, 0, "{method}");
        }
    }
}

#[test]
fn contact_with_friction_over_time_steps_allocates_nothing() {
    let (w, mut solver, mut r) = (matrix(0.0), FrictionSolver::default(), vec![0.0; N]);
    let friction = [0.3; N / 3];
    let loads: Vec<_> = (0..10).map(load).collect();
    let mut solve = |q: &[f64]| {
        solver.solve(FrictionProblem { operator: &w, q, friction: &friction, dim: 3 }, &mut r, None)
    };
    solve(&loads[0]).unwrap();
    for q in &loads {
        let (result, allocations) = heap::allocations_during(|| solve(q));
        result.unwrap();
        assert_eq!(allocations, 0);
    }
}
