//! Free vibration of an exact elastic ball against Lamb's solution.
//!
//! H. Lamb (1882), Proc. London Math. Soc. 13, 189–212. Steel ball, R = 1 m: T2, S2, S1, T3, S3, S0 with 5,
//! 5, 3, 7, 7, 1 copies.

use crate::bodies;
use carom_fem::QuadratureRule;
use carom_nurbs::solids;
use carom_progress::Silent;
use carom_reduce::{ModalOptions, ModesWanted, SolverChoice, modes};

/// Exact frequencies \[Hz\] and copies, E = 210e9, ν = 0.3, ρ = 7800.
const LAMB: [(f64, usize); 6] =
    [(1280.951, 5), (1355.256, 5), (1807.877, 3), (1979.300, 7), (2016.534, 7), (2558.445, 1)];

/// η of T2 and S2, with c_s/(2πR) = 512.14… Hz times η as frequency: more digits than the table.
const ETA: [f64; 2] = [2.501132620409397, 2.646217034871664];

/// Largest relative errors of the modes in groups of copies, and the number of dofs.
fn errors(degree: usize, divisions: usize, n_groups: usize) -> (usize, Vec<f64>) {
    let ball = solids::ball(1.0, None).unwrap().with_degree(degree).unwrap().subdivide(divisions).unwrap();
    let count: usize = LAMB[..n_groups].iter().map(|group| group.1).sum();
    let options = ModalOptions {
        fix: vec![],
        wanted: ModesWanted::Count(6 + count),
        rule: QuadratureRule::Default,
        solver: SolverChoice::default(),
    };
    let analysis = modes(&bodies::nurbs("ball", ball), &options, &Silent).unwrap();
    assert!(analysis.hz[5] < 1e-3, "rigid modes {:?}", &analysis.hz[..6]);
    let shear = (bodies::steel().young / 2.6 / 7800.0_f64).sqrt() / (2.0 * std::f64::consts::PI);
    let mut first = 6;
    let mut worst = Vec::new();
    for (i, &(hz, copies)) in LAMB[..n_groups].iter().enumerate() {
        let exact = ETA.get(i).map_or(hz, |eta| eta * shear);
        let group = &analysis.hz[first..first + copies];
        worst.push(group.iter().map(|hz| (hz / exact - 1.0).abs()).fold(0.0, f64::max));
        first += copies;
    }
    (analysis.n_dofs, worst)
}

#[test]
fn coarse_balls_reach_the_known_accuracy() {
    let (n_dofs, coarse) = errors(4, 1, 3);
    println!("{n_dofs} dofs: {coarse:?}");
    assert!(n_dofs <= 1551 && coarse.iter().all(|&e| e < 5e-4), "{n_dofs} dofs: {coarse:?}");
    let (n_dofs, fine) = errors(4, 2, 6);
    println!("{n_dofs} dofs: {fine:?}");
    assert!(fine[1] < 2.5e-5, "{n_dofs} dofs: {fine:?}");
}

#[test]
fn eigenvalues_converge_with_order_2p() {
    let divisions = [3, 4, 6];
    let levels: Vec<(usize, Vec<f64>)> = divisions.iter().map(|&n| errors(4, n, 2)).collect();
    println!("{levels:?}");
    for group in 0..2 {
        let order = (levels[1].1[group] / levels[2].1[group]).ln() / 1.5_f64.ln();
        println!("group {group}: order {order:.2}");
        assert!(order > 7.0, "group {group}: order {order:.2} of {levels:?}");
    }
}

#[test]
fn degree_five_gives_six_digits() {
    let (n_dofs, worst) = errors(5, 2, 2);
    println!("{n_dofs} dofs: {worst:?}");
    // The known value is 5.1e-7, to two digits.
    assert!(worst[0] < 5.15e-7, "{n_dofs} dofs: {worst:?}");
}
