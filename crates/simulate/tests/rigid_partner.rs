//! A rigid body in contact with one that is not much softer is reported, unless its material declares it as
//! rigid.

use carom_testing::scenarios::RIGID_BALL_ON_PLATE;

use crate::fixtures::solve_with;

/// A material of rigid bodies.
const RIGID: &str = "[material.rigid]\ndensity = 7800.0\nyoung = 1e15\npoisson = 0.3\n";

const PRESSED: &str = include_str!("../../../meshes/hertz-static/scenario.toml");

/// Warnings of rigid bodies.
fn warned(text: &str, overrides: &[&str]) -> Vec<String> {
    let outcome = solve_with(text, overrides).unwrap();
    outcome.warnings.into_iter().filter(|warning| warning.contains("it is rigid")).collect()
}

/// Warnings of an impact of a rigid ball on a plate.
fn of_impact(ball: &str, plate: &str) -> Vec<String> {
    let [ball, plate] =
        [("ball", ball), ("plate", plate)].map(|(body, m)| format!("body.{body}.material={m}"));
    let overrides = ["simulation.end_time=3.0e-4", ball.as_str(), plate.as_str()];
    warned(&format!("{RIGID_BALL_ON_PLATE}{RIGID}"), &overrides)
}

/// The error of the force is 2^(2/5) − 1 = 32 %; against PMMA, 60 times as soft, it is 0.6 %.
#[test]
fn an_impact_of_a_rigid_body_on_its_own_material_is_reported() {
    let [warning] = &of_impact("steel", "steel")[..] else { panic!("one warning was expected") };
    assert!(warning.contains("body `ball`: it is rigid, and `plate`"), "{warning}");
    assert!(warning.contains("50.0 % of the compliance") && warning.contains("by up to 32 %"), "{warning}");
    assert!(warning.contains("young = 1e15"), "{warning}");
    assert!(of_impact("steel", "pmma").is_empty());
}

#[test]
fn a_body_of_rigid_material_is_not_reported() {
    assert!(of_impact("rigid", "steel").is_empty());
}

/// The force at a given approach doubles.
#[test]
fn a_static_contact_with_a_rigid_body_is_reported_by_its_stiffness() {
    let coarse =
        ["simulation.steps=1", "body.block.make.grade.finest=2e-4", "force.0.force=[0.0, 0.0, -300.0]"];
    let steel = [&coarse[..], &["body.ball.material=steel"]].concat();
    let [warning] = &warned(PRESSED, &steel)[..] else { panic!("one warning was expected") };
    assert!(warning.contains("at a given approach is too large by up to 100 %"), "{warning}");
    assert!(warned(PRESSED, &coarse).is_empty());
}
