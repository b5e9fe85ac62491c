//! Runs that start in a static equilibrium with Coulomb friction, from scenario to result.

use std::f64::consts::TAU;

use carom_simulate::ErrorKind;
use nalgebra::Vector3;

use crate::fixtures::{Chain, parse, solve};

const GRAVITY: f64 = 9.81;
/// The block: side, height \[m\] and mass \[kg\].
const SIDE: f64 = 0.1;
const HEIGHT: f64 = 0.04;
const MASS: f64 = 7800.0 * SIDE * SIDE * HEIGHT;
/// Stiffness of the contact \[Pa/m\].
const STIFFNESS: f64 = 2e9;

/// A steel block on a rigid plate, with gravity at an angle to its normal.
fn block(slope: f64, friction: f64, rest: &str) -> String {
    let gravity = [-GRAVITY * slope.sin(), 0.0, -GRAVITY * slope.cos()];
    format!(
        "[simulation]\nend_time = 0.0\nstart = \"equilibrium\"\ngravity = {gravity:?}\n[[body]]\nname = \
         \"block\"\nmaterial = \"steel\"\nrigid = true\nmake = {{ shape = \"box\", size = [{SIDE}, {SIDE}, \
         {HEIGHT}], elements = [8, 8, 2] }}\nposition = [0.1, 0.1, 0.0]\n[[body]]\nname = \"plate\"\n\
         material = \"steel\"\nrigid = true\nfixed = true\nmake = {{ shape = \"box\", size = [0.3, 0.3, \
         0.05] }}\nposition = [0.0, 0.0, -0.05]\n[[contact]]\nbetween = [\"block:bottom\", \"plate:top\"]\n\
         friction = {friction}\nlaw = {{ kind = \"penalty\", stiffness = {STIFFNESS:?} }}\n\
         rim = \"warning\"\n{rest}"
    )
}

/// The friction that the block needs is named; the contact has it at the start, and the block stays.
#[test]
fn a_block_on_a_slope_starts_at_rest_with_its_friction() {
    let (slope, friction): (f64, f64) = (0.25, 0.4);
    let share = slope.tan() / friction;
    let text = block(slope, friction, "");
    let chain = Chain::new();
    let outcome = chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    let remarks = outcome.remarks.join("\n");
    let named = format!("friction over its bound μ N: `block:bottom` on `plate:top` {share:.3}");
    assert!(remarks.contains(&named), "{remarks}");
    let start = Vector3::from(outcome.bodies[0].position);
    let moved = solve(&text.replace("end_time = 0.0", "end_time = 0.02")).unwrap();
    let end = Vector3::from(moved.bodies[0].position);
    let shift = MASS * GRAVITY * slope.sin() / (STIFFNESS * SIDE * SIDE);
    assert!((end - start).norm() < 1e-3 * shift, "{start} {end} {shift:e}");
}

/// On tangential springs k = ε A below its centre, and springs ε that resist its tilt, the block has the
/// frequencies of the two freedoms x and θ:
///
/// ```text
/// ⎡ k − m ω²    −k h/2                  ⎤
/// ⎣ −k h/2       k h²/4 + ε I − J ω²    ⎦
/// ```
#[test]
fn a_block_that_sticks_has_the_frequencies_and_the_response_of_its_contact() {
    let from = 40.0;
    let response = format!(
        "[[probe]]\nname = \"end\"\non = \"block:top\"\n[response]\non = \"block:top\"\nforce = [0.0, \
         0.0, 1.0]\nfrom = {from:?}\nto = 400.0\ncount = 3\n"
    );
    let chain = Chain::new();
    let scenario = parse(&block(0.0, 0.4, &response), &[]);
    chain.solve(&scenario).unwrap_or_else(|failed| panic!("{failed}"));
    let modes = chain.reader().modes().unwrap();
    let k = STIFFNESS * SIDE * SIDE;
    // The pressure is constant over the eight knot spans along a side.
    let cell = SIDE / 8.0;
    let squares = (0..8).map(|i| ((f64::from(i) - 3.5) * cell).powi(2)).sum::<f64>();
    let tilt = STIFFNESS * SIDE * cell * squares;
    let inertia = MASS * (SIDE * SIDE + HEIGHT * HEIGHT) / 12.0;
    let theta = k * HEIGHT * HEIGHT / 4.0 + tilt - MASS * GRAVITY * HEIGHT / 2.0;
    let (sum, product) =
        (k / MASS + theta / inertia, (k * theta - (k * HEIGHT / 2.0).powi(2)) / (MASS * inertia));
    let root = |sign: f64| (0.5 * sum + sign * (0.25 * sum * sum - product).sqrt()).sqrt() / TAU;
    let found: Vec<f64> = modes.iter().map(|mode| mode.frequency).collect();
    for expected in [root(-1.0), root(1.0), (k / MASS).sqrt() / TAU] {
        let error = found.iter().map(|hz| (hz / expected - 1.0).abs()).fold(1.0, f64::min);
        assert!(error < 1e-5, "{found:?} {expected}");
    }
    for response in chain.reader().responses().unwrap() {
        let omega = TAU * response.frequency;
        let expected = 1.0 / (k - MASS * omega * omega);
        assert!((response.real[2] / expected - 1.0).abs() < 1e-4, "{response:?} {expected}");
    }
}

/// An elastic block slips at the edges of its foot and sticks in the middle; its friction is that of its
/// weight, and the run goes on from there at rest.
#[test]
fn an_elastic_block_in_partial_slip_has_the_friction_of_its_weight() {
    let (slope, friction): (f64, f64) = (0.3, 0.4);
    let text = block(slope, friction, "")
        .replacen("rigid = true\n", "reduce = { interface = [\"bottom\"], modes = 6 }\n", 1)
        .replace("elements = [8, 8, 2]", "elements = [5, 5, 2]");
    let chain = Chain::new();
    let outcome = chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    let remarks = outcome.remarks.join("\n");
    println!("{remarks}\n{:?}", outcome.warnings);
    let named = format!("`block:bottom` on `plate:top` {:.3}", slope.tan() / friction);
    assert!(remarks.contains(&named), "{remarks}");
    let start = Vector3::from(outcome.bodies[0].position);
    let moved = solve(&text.replace("end_time = 0.0", "end_time = 0.002")).unwrap();
    let end = Vector3::from(moved.bodies[0].position);
    let shift = MASS * GRAVITY * slope.sin() / (STIFFNESS * SIDE * SIDE);
    assert!((end - start).norm() < 1e-3 * shift, "{start} {end} {shift:e}");
}

#[test]
fn a_block_that_friction_does_not_hold_is_refused_with_the_figure() {
    let (slope, friction): (f64, f64) = (0.5, 0.4);
    let error = solve(&block(slope, friction, "")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Convergence, "{error}");
    let text = error.to_string();
    let wanted =
        format!("`block:bottom` on `plate:top` needs {:.3} times the friction", slope.tan() / friction);
    assert!(text.contains(&wanted) && text.contains("raise its `friction`"), "{text}");
}

/// A spring that is softer than the contact holds what friction does not.
#[test]
fn a_block_that_slides_into_its_equilibrium_is_reported() {
    let (slope, friction, stiffness): (f64, f64, f64) = (0.5, 0.3, 2e3);
    let rest = format!(
        "[[spring]]\nbetween = [\"ground\", \"block:top\"]\npoint = [1.0, 0.15, {HEIGHT:?}]\n\
         stiffness = {stiffness:?}\n"
    );
    let outcome = solve(&block(slope, friction, &rest)).unwrap_or_else(|failed| panic!("{failed}"));
    let warnings = outcome.warnings.join("\n");
    assert!(warnings.contains("`block:bottom` slides on `plate:top` into the equilibrium"), "{warnings}");
}
