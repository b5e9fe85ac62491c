//! Elastic balls that roll on half-space grids.

use carom_dynamics::LedgerRow;

use crate::fixtures::{Chain, parse};

const RADIUS: f64 = 0.015;

/// A ball of few cells rolls by an angle over a plate of its material, under a load of 1870 N.
fn rolling(friction: f64, angle: f64) -> String {
    let speed = 5.0;
    // At rest on the plate.
    let (z, spin) = (RADIUS - 2.12e-5, speed / RADIUS);
    let time = angle / spin;
    format!(
        r#"
[simulation]
scheme = "quasistatic"
end_time = {time:?}
output_every = {:?}
gravity = [0.0, 0.0, -1.7e4]
relative_tolerance = 1e-7
[material.steel]
density = 7780.0
young = 210e9
poisson = 0.3
[[body]]
name = "ball"
make = {{ shape = "ball", radius = 0.015, elements = [4] }}
material = "steel"
reduce = {{ places = ["surface"], modes = 6 }}
position = [0.0, 0.0, {z:?}]
velocity = [{speed:?}, 0.0, 0.0]
angular_velocity = [0.0, {spin:?}, 0.0]
[[body]]
name = "plate"
make = {{ shape = "box", size = [0.08, 0.04, 0.01] }}
material = "steel"
rigid = true
fixed = true
position = [-0.02, -0.02, -0.01]
[[contact]]
between = ["ball:surface", "plate:top"]
law = {{ kind = "lagrange" }}
compliance = "half-space"
friction = {friction:?}
"#,
        time / 400.0
    )
}

/// Simulates a ball that rolls. Returns the ripple of the force at a given approach, which is the standard
/// deviation of ln F from a straight line over ln d, and the largest error of the energy over the stored
/// energy of the contact.
fn rolled(friction: f64, angle: f64) -> [f64; 2] {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(&rolling(friction, angle), &[])).unwrap_or_else(|e| panic!("{e}"));
    let reader = chain.reader();
    let (times, forces, ledger) =
        (reader.times().unwrap(), reader.normal_forces(0).unwrap(), reader.ledger().unwrap());
    let column = |name: &str| LedgerRow::COLUMNS.iter().position(|c| *c == name).unwrap();
    let depth = |k: usize| RADIUS - reader.frame(k).unwrap().bodies[0].position[2];
    let depths: Vec<f64> = (0..times.len()).map(depth).collect();
    // ln F over ln d.
    let n = times.len() as f64;
    let points: Vec<[f64; 2]> = depths.iter().zip(&forces).map(|(d, f)| [d.ln(), f.ln()]).collect();
    let mean = [0, 1].map(|k| points.iter().map(|p| p[k]).sum::<f64>() / n);
    let [xx, xy] = [0, 1].map(|k| points.iter().map(|p| (p[0] - mean[0]) * (p[k] - mean[k])).sum::<f64>());
    let rest: Vec<f64> = points.iter().map(|p| p[1] - mean[1] - xy / xx * (p[0] - mean[0])).collect();
    let ripple = (rest.iter().map(|r| r * r).sum::<f64>() / n).sqrt();
    let elastic = ledger.iter().map(|row| row[column("E_el")]).fold(0.0, f64::max);
    let error = ledger.iter().map(|row| row[column("R_E")].abs()).fold(0.0, f64::max) / elastic;
    let [low, high] = [f64::min, f64::max].map(|of| forces.iter().copied().reduce(of).unwrap());
    println!(
        "friction {friction}: {low:.1} to {high:.1} N, exponent {:.3}, ripple {ripple:.2e}, energy \
         {error:.2e} of {elastic:.3e} J; {:?} {:?}",
        xy / xx,
        outcome.summary.ledger,
        outcome.summary.integration
    );
    let ledger = &outcome.summary.ledger;
    assert!(ledger.energy_error < 1e-8, "{ledger:?}");
    assert!(ledger.momentum_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
    [ripple, error]
}

#[test]
fn an_elastic_ball_rolls_without_ripple_and_keeps_its_energy() {
    let [ripple, error] = rolled(0.0, 0.15);
    assert!(ripple < 5e-4 && error < 1e-6, "{ripple:e} {error:e}");
}

#[test]
#[ignore = "1 min: 60 degrees"]
fn a_ball_rolls_sixty_degrees_without_ripple_and_keeps_its_energy() {
    let [ripple, error] = rolled(0.0, std::f64::consts::PI / 3.0);
    assert!(ripple < 5e-4 && error < 1e-6, "{ripple:e} {error:e}");
}

#[test]
#[ignore = "5 min: friction on 320 cells"]
fn a_ball_that_rolls_with_friction_has_no_ripple_and_keeps_its_energy() {
    let [ripple, error] = rolled(0.3, 0.15);
    assert!(ripple < 5e-4 && error < 1e-6, "{ripple:e} {error:e}");
}
