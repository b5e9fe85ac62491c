//! Zywicz & Puso (1999), fourth example; Puso & Zywicz (1998), second: a rod in a cube by multipliers.

use crate::problems::{ROD_VELOCITY, rod_in_cube, run};
use carom_rigid::Law;
use carom_testing::clock::thread_seconds;

/// First impacts in the limit dt → 0, computed independently of this project: time \[s\] and impulse \[N s\].
const FIRST: [[f64; 2]; 6] = [
    [0.0109427537, 3.86687783e-4],
    [0.209218141, 3.76912837e-4],
    [0.236465870, 9.97430e-5],
    [0.240887505, 3.65120e-4],
    [0.242883983, 2.30107e-4],
    [0.275995074, 2.53877e-4],
];

/// Times (middle of the step) and sizes of the impulses up to an end time.
fn impacts(dt: f64, end: f64) -> Vec<[f64; 2]> {
    let mut system = rod_in_cube(ROD_VELOCITY, Law::Hard, dt);
    let mut found = Vec::new();
    while system.time() < end {
        system.step().unwrap();
        let report = &system.reports[0];
        if report.last == system.steps() {
            found.push([system.time() - 0.5 * dt, report.last_impulse.norm()]);
        }
    }
    found
}

#[test]
fn first_impacts_agree_with_the_exact_motion() {
    let found = impacts(1e-7, 0.28);
    assert_eq!(found.len(), 6, "{found:?}");
    for ([t, impulse], [t_exact, exact]) in found.iter().zip(FIRST) {
        println!("{t:.9} {:+.1e}   {impulse:.8e} {:+.1e}", t - t_exact, impulse / exact - 1.0);
        // The time of an impact has an error of up to dt/2, 5e-8 s, which grows some tenfold with each
        // impact.
        assert!((t - t_exact).abs() < 3e-5 && (impulse / exact - 1.0).abs() < 3e-3, "{t} {impulse}");
    }
    // The first impact is compared before its error has grown.
    assert!((found[0][0] - FIRST[0][0]).abs() < 5.1e-8 && (found[0][1] / FIRST[0][1] - 1.0).abs() < 4e-6);
}

/// An impact happens at a step, so that its time has an error of up to half a step: errors averaged over
/// several steps are of first order.
#[test]
fn impacts_converge_with_the_first_order_of_the_step() {
    let error = |dt: f64| {
        let of = |k: u32| {
            let found = impacts(dt * (1.0 + 0.01 * f64::from(k)), 0.23);
            (found[1][1] / FIRST[1][1] - 1.0).abs()
        };
        (0..12).map(of).sum::<f64>() / 12.0
    };
    let errors = [4e-5, 1e-5, 2.5e-6].map(error);
    let order = (errors[0] / errors[2]).log2() / 4.0;
    assert!((0.7..1.3).contains(&order), "{errors:?} {order}");
}

#[test]
fn a_thousand_impacts_conserve_energy_and_momenta() {
    let mut system = rod_in_cube(ROD_VELOCITY, Law::Hard, 1e-4);
    let drift = run(&mut system, 300_000);
    assert!(system.n_impulses() > 1000, "{}", system.n_impulses());
    assert!(drift.energy < 1e-11 && drift.momentum < 1e-11 && drift.ang_momentum < 1e-9, "{drift:?}");
}

/// The run of the paper. It counts 447 impacts; the motion is chaotic, and 350 to 620 are expected.
#[test]
#[ignore = "10 s: 1e7 steps; in release mode they must take less than 1/1.5e6 s each"]
fn the_run_of_the_paper() {
    let mut system = rod_in_cube(ROD_VELOCITY, Law::Hard, 1e-6);
    let (energy, ang_momentum) = (system.kinetic(), system.ang_momentum());
    let started = thread_seconds();
    for _ in 0..10_000_000 {
        system.step().unwrap();
    }
    let speed = 1e7 / (thread_seconds() - started);
    let [least, largest] = system.energy_range().map(|e| e / energy - 1.0);
    let turned = (system.ang_momentum() - ang_momentum).norm() / ang_momentum.norm();
    println!(
        "{} impacts, energy {least:+.2e} to {largest:+.2e}, L {turned:.2e}, {speed:.3e} steps per CPU second",
        system.n_impulses()
    );
    assert!(least > -1e-11 && largest < 1e-11);
    assert!(turned < 1e-9);
    assert!((350..=620).contains(&system.n_impulses()));
    if !cfg!(debug_assertions) {
        assert!(speed > 1.5e6, "{speed:.3e} steps per CPU second");
    }
}

/// Number of impacts in 10 s of motions whose initial velocities differ by 1e-9.
#[test]
#[ignore = "20 s: 40 runs of 1e6 steps"]
fn the_mean_number_of_impacts_of_an_ensemble_agrees_with_the_paper() {
    let mut counts = Vec::new();
    for k in 0..40 {
        let velocity = [50.0 * (1.0 + 1e-9 * f64::from(k)), 2.0, 0.0];
        let mut system = rod_in_cube(velocity, Law::Hard, 1e-5);
        let energy = system.energy();
        (0..1_000_000).for_each(|_| system.step().unwrap());
        let [least, largest] = system.energy_range().map(|e| e / energy - 1.0);
        assert!(least > -1e-11 && largest < 1e-11);
        counts.push(system.n_impulses());
    }
    counts.sort_unstable();
    let mean = counts.iter().sum::<u64>() as f64 / 40.0;
    let spread = (counts.iter().map(|&n| (n as f64 - mean).powi(2)).sum::<f64>() / 39.0).sqrt();
    println!("{mean:.0} ± {spread:.0} impacts, {} to {}", counts[0], counts[39]);
    assert!(counts[0] >= 350 && counts[39] <= 620, "{counts:?}");
    assert!((mean - 447.0).abs() < 2.0 * spread, "the paper counts 447: {mean} {spread}");
}
