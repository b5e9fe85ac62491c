//! Motions and loads by tables from files, against the same functions as formulas.

use std::f64::consts::PI;
use std::fs;
use std::path::Path;

use carom_format::Scenario;
use carom_testing::scenarios::PENDULUM;

use crate::fixtures::{Chain, RESUME};
use carom_simulate::RunOptions;

/// A scenario in the folder of a chain.
fn parse(chain: &Chain, text: &str) -> Scenario {
    let path = chain.folder().join("test.toml");
    Scenario::parse(&path, text, &[], &["steel"]).unwrap_or_else(|error| panic!("{error}"))
}

/// Writes times i/n up to 1 s and the values of a function there.
fn write(folder: &Path, n: usize, function: impl Fn(f64) -> f64) {
    let row = |i: usize| format!("{},0,{}\n", i as f64 / n as f64, function(i as f64 / n as f64));
    let rows: String = (0..=n).map(row).collect();
    fs::write(folder.join("course.csv"), format!("t [s],unused,x [rad]\n{rows}")).unwrap();
}

/// The samples of the end of a driven rod: displacement, velocity, acceleration; force and torque of its
/// hinge.
fn samples(motion: &str, n: usize, function: impl Fn(f64) -> f64) -> Vec<Vec<[f64; 3]>> {
    let chain = Chain::new();
    write(chain.folder(), n, function);
    let text = format!(
        "{PENDULUM}motion = {motion}\n[[probe]]\non = \"rod:end\"\nevery = 0.013\n[[probe]]\njoint = \"1\"\n\
         every = 0.013\n"
    );
    chain.solve(&parse(&chain, &text)).unwrap();
    let courses = chain.reader().probe_courses().unwrap();
    courses[0].values.iter().zip(&courses[1].values).map(|(a, b)| [&a[..], &b[..]].concat()).collect()
}

/// The largest differences of each quantity.
fn differences(a: &[Vec<[f64; 3]>], b: &[Vec<[f64; 3]>]) -> Vec<f64> {
    let worst = |k: usize| {
        let pairs = a.iter().zip(b).flat_map(|(a, b)| a[k].into_iter().zip(b[k]));
        pairs.fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
    };
    (0..a[0].len()).map(worst).collect()
}

/// A rod that turns as a sine says: positions of the table converge with order 4, velocities with 3,
/// accelerations and the torque of the drive with 2. A sine has no curvature at the ends of its period, as
/// the natural spline; the periodic one does not need this.
#[test]
fn a_motion_from_a_file_converges_to_its_formula() {
    let wave = |t: f64| 0.5 * (2.0 * PI * t).sin();
    let exact = samples("\"0.5 * sin(2*pi*t)\"", 10, wave);
    let columns = "columns = [\"t\", \"x\"]";
    for outside in ["", ", outside = \"periodic\""] {
        let motion = format!("{{ table = \"course.csv\", {columns}{outside} }}");
        let [coarse, fine] = [20, 40].map(|n| differences(&samples(&motion, n, wave), &exact));
        let orders: Vec<f64> = coarse.iter().zip(&fine).map(|(a, b)| (a / b).log2()).collect();
        let expected = [4.0, 3.0, 2.0, 2.0, 2.0];
        let is_near = |(order, expected): (&f64, f64)| (order - expected).abs() < 0.35;
        assert!(orders.iter().zip(expected).all(is_near), "{outside}: {orders:?} {coarse:?} {fine:?}");
    }
}

/// The pulse of a linear table is that of the same pairs in the scenario, and of `max` and `abs` in a
/// formula.
#[test]
fn a_load_from_a_file_is_that_of_its_formula() {
    let speed = |scale: &str| {
        let chain = Chain::new();
        fs::write(chain.folder().join("pulse.csv"), "t;scale\n0.1;0\n0.2;1\n0.3;0\n").unwrap();
        let text = format!(
            "[simulation]\nend_time = 0.5\nmaximum_step = 0.002\n[[body]]\nname = \"rod\"\nrigid = true\n\
             make = {{ shape = \"rod\", radius = 0.01, length = 0.4 }}\nmaterial = \"steel\"\n\
             [[force]]\non = \"rod:end\"\nforce = [3.0, 0.0, 0.0]\nscale = {scale}\n"
        );
        let outcome = chain.solve(&parse(&chain, &text)).unwrap();
        outcome.bodies[0].velocity[0]
    };
    let from_file = speed("{ table = \"pulse.csv\" }");
    let mass = 7800.0 * PI * 1e-4 * 0.4;
    assert!((from_file * mass / 0.3 - 1.0).abs() < 1e-9, "the impulse is 3 N × 0.1 s: {from_file}");
    assert_eq!(from_file, speed("{ table = [[0.1, 0.0], [0.2, 1.0], [0.3, 0.0]] }"));
    let by_formula = speed("\"max(0, 1 - abs(t - 0.2)/0.1)\"");
    assert!((from_file / by_formula - 1.0).abs() < 1e-6, "{from_file} {by_formula}");
    // A period of 0.2 s from 0.1 to 0.3 s has its peaks at 0, 0.2 and 0.4 s.
    let periodic = speed("{ table = \"pulse.csv\", outside = \"periodic\" }");
    assert!((periodic / from_file - 2.5).abs() < 1e-9, "{periodic}");
}

/// A run belongs to the content of its files.
#[test]
fn a_run_is_not_continued_with_another_table() {
    let chain = Chain::new();
    let text = |end: f64| {
        let motion = "motion = { table = \"course.csv\", columns = [\"t\", \"x\"] }\n";
        format!("{}{motion}", PENDULUM.replace("end_time = 1.0", &format!("end_time = {end}")))
    };
    write(chain.folder(), 20, |t| t * t);
    let bodies = chain.prepare(&parse(&chain, &text(0.3))).unwrap();
    chain.run(&parse(&chain, &text(0.3)), &bodies, RunOptions::default()).unwrap();
    write(chain.folder(), 20, |t| t * t * t);
    let error = chain.run(&parse(&chain, &text(0.6)), &bodies, RESUME).unwrap_err().to_string();
    assert!(error.contains("it was begun with `checksum = "), "{error}");
    write(chain.folder(), 20, |t| t * t);
    chain.run(&parse(&chain, &text(0.6)), &bodies, RESUME).unwrap();
}
