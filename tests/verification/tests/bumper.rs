//! The bumper on a pole: the first moments, and all of the 0.1 s of Zywicz and Puso (1999).

use std::path::Path;

use carom_progress::Silent;
use carom_verification::Bench;

const SCENARIO: &str = include_str!("../../../meshes/bumper-on-pole/scenario.toml");
const MESHES: [(&str, &str); 3] = [
    ("pole.inp", include_str!("../../../meshes/bumper-on-pole/pole.inp")),
    ("beam.inp", include_str!("../../../meshes/bumper-on-pole/beam.inp")),
    ("shield.inp", include_str!("../../../meshes/bumper-on-pole/shield.inp")),
];

/// Tolerance of the gaps \[m\]: a thousandth of the smallest diagonal of a face, of which 60 mm is a bound.
const TOLERANCE: f64 = 6e-5;

/// Runs until a time: energies add up, no node is deeper than the tolerance, and contact takes energy, except
/// for the little that brings back nodes within the tolerance.
fn run(name: &str, end: f64) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let bench = Bench { folder: &folder, progress: &Silent };
    for (file, text) in MESHES {
        bench.place(file, text).unwrap();
    }
    let keys = [format!("simulation.end_time={end}"), format!("simulation.output_every={}", end / 20.0)];
    let found = bench.run_with(name, SCENARIO, None, &keys).unwrap();
    let ledger = &found.summary.ledger;
    assert!(ledger.energy_error < 1e-11, "{}", ledger.energy_error);
    let run = bench.open(name).unwrap();
    let [depth, lost, plastic, missed, kinetic] =
        run.ledger_columns(["pen_max", "D_imp", "D_pl", "D_num", "E_kin"]).unwrap();
    let at_start = kinetic[0];
    let last = |column: &[f64]| *column.last().unwrap();
    println!("depth {:e} m, lost {} J, plastic work {} J", last(&depth), last(&lost), last(&plastic));
    assert!(last(&depth) <= TOLERANCE, "{} m", last(&depth));
    assert!(last(&lost) > -0.01 * at_start && last(&plastic) > 0.0, "{lost:?} {plastic:?}");
    assert!(last(&missed).abs() < 0.01 * at_start, "{missed:?}");
    // The shield is 1.6 mm from the pole.
    let forces = run.reader().normal_forces(0).unwrap();
    let touching = run.times().iter().zip(forces).find(|(_, force)| *force > 0.0);
    let (start, every) = (*touching.unwrap().0, end / 20.0);
    let expected = 1.6e-3 / 9.47;
    assert!(start > expected - 2e-5 && start < expected + 2e-5 + every, "{start} s");
}

#[test]
fn the_first_moments_of_the_bumper_on_the_pole() {
    run("bumper-start", 4e-4);
}

#[test]
#[ignore = "20 minutes: 16 000 steps of 1337 cells"]
fn the_bumper_wraps_around_the_pole() {
    run("bumper-whole", 0.1);
}
