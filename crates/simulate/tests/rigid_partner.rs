//! A rigid body that touches one which is not much softer is reported, unless its material says that it is
//! meant to be rigid.

use std::path::Path;

use carom_format::Scenario;
use carom_progress::Silent;
use carom_simulate::{RunOptions, Workshop, prepare, run};

/// A rigid ball falls on a plate.
const IMPACT: &str = r#"
[simulation]
end_time = 3.0e-4

[material.rigid]
density = 7800.0
young = 1e15
poisson = 0.3

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.01, pole_radius = 2.0e-3 }
material = "steel"
rigid = true
rotation = { axis = [1.0, 0.0, 0.0], degrees = 180.0 }
position = [0.0, 0.0, 0.01001]
velocity = [0.0, 0.0, -1.0]

[[body]]
name = "plate"
make = { shape = "plate", size = [0.02,0.02,5e-3], pole_radius = 2e-3, grade = {at = "pole", finest = 1e-3}}
material = "steel"
reduce = { interface = ["pole"], modes = 8, split = 5.0e4 }
position = [0.0, 0.0, -0.0025]

[[contact]]
between = ["plate:pole", "ball:pole"]
"#;

const PRESSED: &str = include_str!("../../../meshes/hertz-static/scenario.toml");

/// Warnings of rigid bodies.
fn warned(text: &str, overrides: &[&str]) -> Vec<String> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let scenario = Scenario::parse(Path::new("rigid.toml"), text, &overrides, &["steel", "pmma"]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop { scenario_folder: folder.path(), bodies: &folder.path().join("bodies") };
    let prepared = prepare(&scenario, workshop, &Silent).unwrap();
    let result = folder.path().join("result.carom");
    let outcome = run(&scenario, folder.path(), &prepared, &result, RunOptions::default(), &Silent).unwrap();
    outcome.warnings.into_iter().filter(|warning| warning.contains("it is rigid")).collect()
}

/// 2^(2/5) − 1 = 32 %; against PMMA, 60 times as soft, it is 0.6 %.
#[test]
fn an_impact_of_a_rigid_body_on_its_own_material_is_reported() {
    let [warning] = &warned(IMPACT, &[])[..] else { panic!("one warning was expected") };
    assert!(warning.contains("body `ball`: it is rigid, and `plate`"), "{warning}");
    assert!(warning.contains("50.0 % of the compliance") && warning.contains("by up to 32 %"), "{warning}");
    assert!(warning.contains("young = 1e15"), "{warning}");
    assert!(warned(IMPACT, &["body.plate.material=pmma"]).is_empty());
}

#[test]
fn a_body_that_is_meant_to_be_rigid_says_so_by_its_material() {
    assert!(warned(IMPACT, &["body.ball.material=rigid"]).is_empty());
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
