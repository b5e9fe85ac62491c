//! Runs that are repeated until the errors that they estimate are small, and scenarios for a part.

use serde_json::Value;

use crate::program::{Place, did};

/// A rigid ball hits a thin plate of linear cells, which are too stiff: neither cells, modes nor the end of
/// the run are given.
const STIFF: &str = r#"
[[body]]
name = "plate"
make = { shape = "plate", size = [0.04, 0.04, 0.004], hex = true, order = 1 }
material = "steel"
[[body]]
name = "ball"
make = { shape = "ball", radius = 0.01 }
material = "steel"
rigid = true
position = [0.0, 0.0, 0.012004]
velocity = [0.0, 0.0, -0.5]
[[contact]]
between = ["plate", "ball"]
law = { kind = "lagrange" }
"#;

fn error_of(summary: &Value) -> f64 {
    summary["solution"]["contacts"][0]["error_estimate"]["peak_force"].as_f64().unwrap()
}

fn overrides(place: &Place) -> Vec<String> {
    let text = std::fs::read_to_string(place.path().join("stiff/carom-run.json")).unwrap();
    let record: Value = serde_json::from_str(&text).unwrap();
    let list = record["repeated"]["overrides"].as_array().unwrap();
    list.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_run_with_too_large_errors_is_repeated_with_finer_cells() {
    let place = Place::new();
    place.write("stiff.toml", STIFF);
    let once = place.json(&["run", "stiff.toml", "-o", "once", "--set", "simulation.accuracy=0.5"]);
    assert!(error_of(&once) > 0.02, "{once:#}");
    let repeated = place.json(&["run", "stiff.toml"]);
    assert!(error_of(&repeated) < 0.7 * error_of(&once), "{} {}", error_of(&repeated), error_of(&once));
    let changes = overrides(&place);
    assert!(changes.iter().any(|change| change.starts_with("body.plate.make.elements=[")), "{changes:?}");
    // Everything is up to date for the same command, and `check` knows.
    let again = place.json(&["run", "stiff.toml"]);
    assert_eq!((did(&again, "solution"), overrides(&place)), ("up-to-date", changes));
    let check = place.json(&["check", "stiff.toml", "--explain"]);
    assert_eq!(check["stages"][0]["would"], "up to date", "{check:#}");
    // Another scenario begins without the changes.
    place.json(&["run", "stiff.toml", "--set", "simulation.accuracy=0.5"]);
    assert!(overrides(&place).is_empty());
}

#[test]
fn what_a_scenario_gives_is_changed_by_refine_alone() {
    let place = Place::new();
    place.write("stiff.toml", &STIFF.replace("order = 1 }", "order = 1, elements = [10, 10, 1] }"));
    let kept = place.json(&["run", "stiff.toml"]);
    let warnings = kept["solution"]["warnings"].to_string();
    assert!(warnings.contains("--set body.plate.make.elements=[15, 15, 2]"), "{warnings}");
    assert!(overrides(&place).iter().all(|change| !change.contains("elements")));
    let refined = place.json(&["refine", "stiff.toml"]);
    assert!(error_of(&refined) < 0.7 * error_of(&kept), "{} {}", error_of(&refined), error_of(&kept));
    assert!(overrides(&place).iter().any(|change| change.contains("body.plate.make.elements=[")));
}

#[test]
fn a_scenario_for_a_part_has_a_ball_over_its_highest_place() {
    let place = Place::new();
    let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes/ball-on-conrod/conrod.msh");
    place.ok(&["new", "hit", "--part", mesh]);
    let text = std::fs::read_to_string(place.path().join("hit.toml")).unwrap();
    assert!(text.contains("carom run hit.toml") && text.contains("conrod.msh"), "{text}");
    let check = place.json(&["check", "hit.toml", "--explain"]);
    assert_eq!(check["valid"], true, "{check:#}");
    let keys: Vec<&str> =
        check["choices"].as_array().unwrap().iter().map(|choice| choice["key"].as_str().unwrap()).collect();
    for key in ["end_time", "compliance", "reduce.places", "reduce.up_to"] {
        assert!(keys.contains(&key), "{keys:?}");
    }
    place.fails(&["new", "other", "--part", "missing.msh"], 5);
}
