//! The output, refusals and exit codes of `carom-solve` for static scenarios.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use carom_testing::program::{failure, json};

const STACK: &str = r#"
[simulation]
scheme = "static"

[[body]]
name = "lower"
make = { shape = "box", size = [0.1, 0.1, 0.05], elements = [1, 1, 1] }
material = "steel"

[[body]]
name = "upper"
make = { shape = "box", size = [0.1, 0.1, 0.05], elements = [2, 2, 1] }
material = "steel"
position = [0.0, 0.0, 0.05]

[[support]]
on = "lower:bottom"

[[support]]
on = "upper:west"
directions = ["x"]

[[support]]
on = "upper:south"
directions = ["y"]

[[force]]
on = "upper:top"
force = [0.0, 0.0, -5000.0]

[[contact]]
between = ["lower:top", "upper:bottom"]
"#;

fn solve(folder: &Path, text: &str, more: &[&str]) -> Output {
    let scenario = folder.join("static.toml");
    std::fs::write(&scenario, text).unwrap();
    let mut command = Command::cargo_bin("carom-solve").unwrap();
    command.arg(&scenario).arg("-o").arg(folder.join("out.carom")).args(more).output().unwrap()
}

#[test]
fn the_json_object_contains_forces_in_equilibrium() {
    let folder = tempfile::tempdir().unwrap();
    let object = json(&solve(folder.path(), STACK, &["--json"]));
    let statics = &object["static"];
    // Impacts belong to schemes with time.
    assert_eq!(object["contacts"].as_array().map(Vec::len), Some(0), "{object}");
    assert!(
        (statics["contacts"][0]["normal_force"].as_f64().unwrap() / 5000.0 - 1.0).abs() < 1e-6,
        "{statics}"
    );
    for body in ["lower", "upper"] {
        let forces = statics["forces"].as_array().unwrap().iter().filter(|force| force["on"] == body);
        let sum: f64 = forces.map(|force| force["force"][2].as_f64().unwrap()).sum();
        assert!(sum.abs() < 1e-6, "{body}: {statics}");
    }
    // A complete run is not repeated, and its outcome is reported again.
    let again = json(&solve(folder.path(), STACK, &["--resume", "--json"]));
    assert_eq!(again["static"], *statics);
}

#[test]
fn unsolvable_scenarios_have_their_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let scheme =
        |name: &str| STACK.replace("scheme = \"static\"", &format!("scheme = \"{name}\"\nend_time = 1.0"));
    let without =
        STACK.replace("on = \"upper:top\"", "on = \"upper:east\"").replace("0.0, -5000.0", "0.0, 5000.0");
    for (text, words) in [
        (scheme("complementary"), "did you mean `complementarity`"),
        (STACK.replace("upper:top", "upper:lid"), "lid"),
        (STACK.replace("[[contact]]", "[[contact]]\nfriction = 0.3"), "friction"),
        (without, "body `upper` is not in equilibrium"),
    ] {
        let printed = failure(&solve(folder.path(), &text, &["--force"]), 3);
        assert!(printed.contains(words), "{words}: {printed}");
    }
}

#[test]
fn a_scenario_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("static.toml");
    std::fs::write(&scenario, STACK).unwrap();
    let output = Command::cargo_bin("carom-solve")
        .unwrap()
        .args([&scenario, Path::new("--force"), Path::new("-o"), &scenario])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{printed}");
    assert!(printed.contains("is the input"), "{printed}");
    assert_eq!(std::fs::read_to_string(&scenario).unwrap(), STACK);
}

#[test]
fn a_result_requires_an_existing_folder() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("static.toml");
    std::fs::write(&scenario, STACK).unwrap();
    let missing = folder.path().join("nowhere");
    let output = Command::cargo_bin("carom-solve")
        .unwrap()
        .args([&scenario, Path::new("-o"), &missing.join("out.carom")])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{printed}");
    assert!(printed.contains("no folder"), "{printed}");
    assert!(!missing.exists());
}
