//! Mechanisms of the gallery (meshes/mechanisms) whose motion is known, by each integrator.

use carom_simulate::RunOutcome;
use nalgebra::Vector3;

use crate::fixtures::{Chain, parse, runge_kutta};

const FOUR_BAR: &str = include_str!("../../../meshes/mechanisms/four-bar.toml");
const ANDREWS: &str = include_str!("../../../meshes/mechanisms/andrews.toml");
const BRICARD: &str = include_str!("../../../meshes/mechanisms/bricard.toml");

fn run(scenario: &str, integrator: &str, tolerance: f64) -> RunOutcome {
    let integrator = format!("simulation.integrator=\"{integrator}\"");
    let tolerance = format!("simulation.relative_tolerance={tolerance:?}");
    Chain::new().solve(&parse(scenario, &[&integrator, &tolerance])).unwrap()
}

fn position(outcome: &RunOutcome, body: usize) -> Vector3<f64> {
    Vector3::from(outcome.bodies[body].position)
}

/// Angle of the cranks of n four-bar linkages at a time, from upright with 1 rad/s: all bars of 1 m and 1 kg
/// (R 0.05 m), 3 cranks and 2 couplers that stay level. Classical Runge-Kutta steps of 0.1 ms.
fn crank_angle(n: f64, end: f64) -> f64 {
    let about_end = 1.0 / 12.0 + 0.05_f64.powi(2) / 4.0 + 0.25;
    let (inertia, moment) = ((n + 1.0) * about_end + n, 9.81 * ((n + 1.0) * 0.5 + n));
    let rate = |[angle, omega]: [f64; 2]| [omega, -moment * angle.cos() / inertia];
    let (steps, mut at) = ((end / 1e-4).round() as usize, [std::f64::consts::FRAC_PI_2, 1.0]);
    for _ in 0..steps {
        at = runge_kutta(rate, at, end / steps as f64);
    }
    at[0]
}

/// The bars lie on one line ten times in these 10 s: there the equations of the joints depend on each other,
/// and the cranks could turn against each other.
#[test]
fn four_bar_linkages_pass_their_singular_positions() {
    let angle = crank_angle(2.0, 10.0);
    let expected = Vector3::new(0.5 * angle.cos(), 0.5 * angle.sin(), 0.0);
    for integrator in ["dop853", "dormand-prince5", "exponential", "radau5"] {
        for tolerance in [1e-3, 1e-4, 1e-6] {
            let outcome = run(FOUR_BAR, integrator, tolerance);
            let offset = (position(&outcome, 0) - expected).norm();
            let energy = outcome.summary.ledger.energy_error;
            println!("{integrator} {tolerance:e}: {offset:.2e} m, energy {energy:.1e}");
            // The bound of the benchmark library is 1e-3 m.
            assert!(offset < 1e-4 && energy < 1e-6, "{integrator} {tolerance}: {offset} {energy}");
            let others = position(&outcome, 2) - position(&outcome, 0) - Vector3::new(2.0, 0.0, 0.0);
            assert!(others.norm() < 1e-6, "{integrator} {tolerance}: {others}");
        }
    }
}

/// Steps of these implicit rules become short at the first of these positions.
#[test]
fn integrators_that_do_not_pass_a_singular_position_name_it_and_one_that_does() {
    for integrator in ["bdf2", "midpoint"] {
        let integrator_is = format!("simulation.integrator=\"{integrator}\"");
        let scenario = parse(FOUR_BAR, &[&integrator_is, "simulation.relative_tolerance=1e-4"]);
        let failed = Chain::new().solve(&scenario).unwrap_err();
        let text = format!("{failed} {:?}", failed.kind());
        for words in ["coupler0:end crank1:end", "singular position", "dop853"] {
            assert!(text.contains(words), "{integrator}: {text}");
        }
    }
}

/// Runs a scenario to its end, where bodies are at known places and the energy is kept within the tolerance.
///
/// * `expected` — numbers of bodies and their places \[m\]
/// * `cases` — integrator, tolerance, largest offset of a body \[m\]
fn ends_at(scenario: &str, expected: &[(usize, Vector3<f64>)], cases: &[(&str, f64, f64)]) {
    for &(integrator, tolerance, bound) in cases {
        let outcome = run(scenario, integrator, tolerance);
        for &(body, place) in expected {
            let offset = (position(&outcome, body) - place).norm();
            println!("{integrator}: body {body}, {offset:.2e} m");
            assert!(offset < bound, "{integrator}: body {body} is off by {offset:.2e} m");
        }
        let ledger = &outcome.summary.ledger;
        assert!(ledger.energy_error < tolerance, "{integrator}: {ledger:?}");
    }
}

/// Angles at the end from the test set of initial value problems of Bari (problem Andrews), which gives 16
/// digits.
#[test]
fn andrews_mechanism_ends_where_it_is_known_to() {
    // Centres of mass at these angles: of the crank, of the triangle at B, of the two links at A.
    let at = |angle: f64, [x, y]: [f64; 2], [ox, oy]: [f64; 2]| -> Vector3<f64> {
        let (sin, cos): (f64, f64) = angle.sin_cos();
        Vector3::new(ox + cos * x - sin * y, oy + sin * x + cos * y, 0.0)
    };
    let of_a = [-0.06934, -0.00227];
    let expected = [
        (0, at(15.81077119629904, [0.00092, 0.0], [0.0; 2])),
        (2, at(0.04082224013073101, [0.01043, -0.01874], [-0.03635, 0.03273])),
        (4, at(0.5244099658805304, [0.02308, 0.00916], of_a)),
        (6, at(1.048080741042263, [-0.01228, -0.00449], of_a)),
    ];
    ends_at(
        ANDREWS,
        &expected,
        &[
            ("dop853", 1e-6, 1e-10),
            ("dormand-prince5", 1e-6, 1e-10),
            ("exponential", 1e-4, 1e-8),
            ("radau5", 1e-4, 1e-9),
            ("generalised-alpha", 1e-4, 1e-6),
            ("bdf2", 1e-4, 1e-6),
            ("midpoint", 1e-4, 1e-6),
        ],
    );
}

/// The one coordinate of Bricard's mechanism by its closure and the energy of its rods, from 2000 positions
/// solved apart from this project: it swings over its folded position and is back after 4.98695727 s, and
/// the middle of the third rod is at this place after 10 s.
#[test]
fn bricards_mechanism_swings_as_its_one_coordinate_does() {
    let expected = Vector3::new(0.99966628, -1.0003335, 0.49933278);
    ends_at(
        BRICARD,
        &[(2, expected)],
        &[
            ("dop853", 1e-6, 1e-7),
            ("exponential", 1e-6, 1e-7),
            ("radau5", 1e-6, 1e-7),
            ("generalised-alpha", 1e-6, 1e-4),
            ("bdf2", 1e-4, 1e-4),
            ("midpoint", 1e-4, 1e-4),
        ],
    );
}
