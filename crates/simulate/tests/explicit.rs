//! The scheme `explicit` from scenario to result: the two bars of Zywicz and Puso (1999), and its refusals.

use carom_simulate::ErrorKind;

use crate::fixtures::{solve, solve_with};

const TWO_BARS: &str = include_str!("../../../meshes/two-bars/scenario.toml");

/// The figures agree with docs/theory/whole-bodies.md, section 8.2.
#[test]
fn two_bars_exchange_their_velocities() {
    let outcome = solve(TWO_BARS).unwrap_or_else(|error| panic!("{error}"));
    let [left, right] = [0, 1].map(|body| outcome.bodies[body].velocity[0]);
    assert!((left - 0.00704).abs() < 2e-4 && (right - 0.99296).abs() < 2e-4, "{left} {right}");
    let contact = &outcome.summary.contacts[0];
    assert!((contact.start - 0.01).abs() < 0.01 && (contact.end - 1.01).abs() < 0.02, "{contact:?}");
    let errors = outcome.summary.ledger.errors();
    assert!(errors[0].unwrap() < 1e-13 && errors[1].unwrap() < 1e-13, "{errors:?}");
    // The density is that of the paper.
    let [warning] = &outcome.warnings[..] else { panic!("{:?}", outcome.warnings) };
    assert!(warning.contains("density"), "{warning}");
}

/// A run with a rigid bar and a law of large deformation; the step follows from the critical step.
#[test]
fn a_rigid_bar_hits_a_deformable_one() {
    let text = TWO_BARS.replacen("material = \"soft\"", "material = \"soft\"\nrigid = true", 1);
    let text =
        text.replace("time_step = 0.009              # the waves pass a cell in 0.01 s\n", "courant = 0.8\n");
    let text = text.replace("poisson = 0.0 ", "law = \"neo-hookean\"\npoisson = 0.0 ");
    let outcome = solve(&text).unwrap_or_else(|error| panic!("{error}"));
    // A rigid bar hits a deformable one of the same mass: v = exp(−2 t/T) until the reflected wave returns
    // after T = 1 s; then the bars separate with exp(−2).
    let left = outcome.bodies[0].velocity[0];
    assert!((left - (-2.0_f64).exp()).abs() < 0.02, "{left}");
    let errors = outcome.summary.ledger.errors();
    assert!(errors[0].unwrap() < 1e-12 && errors[1].unwrap() < 1e-12, "{errors:?}");
}

#[test]
fn warnings_and_refusals_name_a_remedy() {
    let long = solve_with(TWO_BARS, &["simulation.time_step=0.02"]).expect_err("unstable steps");
    assert_eq!(long.kind(), ErrorKind::Convergence);
    assert!(long.to_string().contains("unstable") && long.to_string().contains("time_step"), "{long}");
    let both = TWO_BARS.replace("material = \"soft\"\n", "material = \"soft\"\nrigid = true\n");
    let error = solve(&both).expect_err("two rigid bodies");
    assert_eq!(error.kind(), ErrorKind::Input);
    assert!(error.to_string().contains("rigid"), "{error}");
}
