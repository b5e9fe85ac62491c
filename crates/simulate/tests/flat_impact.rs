//! Two equal rods that meet with flat ends: a plateau of ρ c A v/2 for 2 L/c, and what the force does about it.

use std::f64::consts::PI;
use std::path::Path;

use carom_format::Scenario;
use carom_progress::Silent;
use carom_simulate::{RunOptions, Workshop, prepare, run};

fn rod(name: &str, rest: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"rod\", radius = 0.005, length = 0.2, elements = [16, 1, 1] }}\nmaterial = \"steel\"\n\
         reduce = {{ interface = [\"start\", \"end\"], up_to = 1.2e5, split = 1.0e5, fields = \"surface\" }}\n{rest}\n"
    )
}

/// The peak was 1.9 to 2.1 times the plateau at every split, and nothing was said.
#[test]
fn a_flat_impact_has_the_mean_force_of_its_plateau_and_its_swing_is_told() {
    let text = [
        "[simulation]\nend_time = 1.5e-4\nrelative_tolerance = 1.0e-4\n".to_owned(),
        rod("left", "position = [-0.2000001, 0.0, 0.0]\nvelocity = [1.0, 0.0, 0.0]"),
        rod("right", ""),
        "[[contact]]\nbetween = [\"left:end\", \"right:start\"]\nlaw = { kind = \"penalty\" }\n".to_owned(),
    ]
    .concat();
    let scenario = Scenario::parse(Path::new("rods.toml"), &text, &[], &["steel"]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop { scenario_folder: folder.path(), bodies: &folder.path().join("bodies") };
    let prepared = prepare(&scenario, workshop, &Silent).unwrap();
    let result = folder.path().join("result.carom");
    let outcome = run(&scenario, folder.path(), &prepared, &result, RunOptions::default(), &Silent).unwrap();
    let [event] = outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
    let (speed, area) = ((210e9_f64 / 7800.0).sqrt(), PI * 0.005 * 0.005);
    let plateau = 7800.0 * speed * area * 0.5;
    let mean = event.mean_force().unwrap();
    println!("{event:?} {plateau} {mean} {:#?}", outcome.warnings);
    assert!((mean / plateau - 1.0).abs() < 0.05, "{mean} {plateau}");
    assert!((event.duration() / (0.4 / speed) - 1.0).abs() < 0.05, "{event:?}");
    let swing = outcome.warnings.iter().find(|text| text.contains("swings about its mean")).unwrap();
    assert!(swing.contains("`left:end` / `right:start`") && swing.contains("take `mean_force`"), "{swing}");
    assert!(!outcome.warnings.iter().any(|text| text.contains("too coarse")), "{:#?}", outcome.warnings);
}
