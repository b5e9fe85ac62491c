//! Files of parameters: one run of a CSV file, or TOML.

use std::fs;
use std::path::PathBuf;

use carom_format::scenario::{Override, read_parameters};
use carom_format::{Scenario, ScenarioError};

const SCENARIO: &str = r#"
[simulation]
scheme = "rigid"
end_time = 1.0
time_step = 1.0e-3

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.01 }
material = "steel"
velocity = [0.0, 0.0, -1.0]
"#;

const SPEEDS: &str = "\
# speeds
body.ball.velocity.2,simulation.end_time,body.ball.material
-2,0.5,

-3,,aluminium
-4,0.25,\"steel\"
";

fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    (folder, path)
}

/// The changes of a file as texts.
fn changes(name: &str, text: &str, row: Option<usize>) -> Result<Vec<String>, String> {
    let (_folder, path) = file(name, text);
    let found = read_parameters(&path, row).map_err(|error| error.to_string())?;
    Ok(found.into_iter().map(|change| change.text).collect())
}

fn scenario(changes: &[Override]) -> Result<Scenario, ScenarioError> {
    Scenario::parse("fall.toml".as_ref(), SCENARIO, changes, &["steel", "aluminium"])
}

/// The refusal of the changes in a file, without its folder.
fn refusal(name: &str, text: &str, row: Option<usize>) -> String {
    let (folder, path) = file(name, text);
    let error = match read_parameters(&path, row) {
        Ok(changes) => scenario(&changes).expect_err("it is wrong").to_string(),
        Err(error) => error.to_string(),
    };
    error.replace(&format!("{}/", folder.path().display()), "")
}

#[test]
fn a_row_changes_the_keys_of_its_fields() {
    let (_folder, path) = file("speeds.csv", SPEEDS);
    let of_row = |row| scenario(&read_parameters(&path, Some(row)).unwrap()).unwrap();
    let [first, second, third] = [1, 2, 3].map(of_row);
    let velocities = [&first, &second, &third].map(|scenario| scenario.body[0].velocity);
    assert_eq!(velocities, [[0.0, 0.0, -2.0], [0.0, 0.0, -3.0], [0.0, 0.0, -4.0]]);
    // An empty field leaves the value of the scenario.
    assert_eq!([&first, &second, &third].map(|scenario| scenario.simulation.end_time), [0.5, 1.0, 0.25]);
    let materials = [&first, &second, &third].map(|scenario| scenario.body[0].material.clone().unwrap());
    assert_eq!(materials, ["steel", "aluminium", "steel"]);
}

#[test]
fn a_change_of_the_command_line_comes_after_the_file() {
    let (_folder, path) = file("speeds.csv", SPEEDS);
    let mut changes = read_parameters(&path, Some(1)).unwrap();
    changes.push("simulation.end_time=2".into());
    let scenario = scenario(&changes).unwrap();
    assert_eq!((scenario.simulation.end_time, scenario.body[0].velocity[2]), (2.0, -2.0));
}

#[test]
fn a_file_of_one_row_needs_no_number() {
    let only = "simulation.end_time;body.ball.velocity\n1e-3;\"[0, 0, -1]\"\n";
    let expected = ["simulation.end_time=1e-3", "body.ball.velocity=[0, 0, -1]"];
    assert_eq!(changes("p.csv", only, None).unwrap(), expected);
    assert_eq!(changes("p.csv", only, Some(1)).unwrap(), expected);
    for row in [None, Some(0), Some(4)] {
        let text = changes("speeds.csv", SPEEDS, row).unwrap_err();
        assert!(text.contains("has 3 rows: choose one with --row, 1 to 3"), "{text}");
    }
}

#[test]
fn toml_has_keys_or_tables() {
    let text = "simulation.end_time = 0.5 # s\n[body.ball]\nvelocity = [\n  0.0, 0.0, # down\n  -2.0\n]\n";
    let (_folder, path) = file("p.toml", text);
    let scenario = scenario(&read_parameters(&path, None).unwrap()).unwrap();
    assert_eq!((scenario.simulation.end_time, scenario.body[0].velocity[2]), (0.5, -2.0));
    assert!(refusal("p.toml", text, Some(1)).contains("--row belongs to CSV files"));
}

#[test]
fn problems_are_named_with_their_line_of_the_file() {
    let text = refusal("p.csv", "simulation.end_tme\n1.0\n2.0\n", Some(2));
    assert!(text.starts_with("p.csv:3: simulation: unknown key `end_tme`"), "{text}");
    assert!(text.contains("did you mean `end_time`?"), "{text}");
    let text = refusal("p.toml", "\n[simulation]\nend_time = \"long\"\n", None);
    assert!(text.starts_with("p.toml:3: simulation: `end_time` must be"), "{text}");
    let text = refusal("p.csv", "body.cube.velocity.2\n1\n", None);
    assert!(text.starts_with("p.csv:2: the path `body.cube.velocity.2=1` leads nowhere"), "{text}");
}

#[test]
fn damaged_files_are_refused_with_a_way_out() {
    for (name, text, expected) in [
        ("p.csv", "", "p.csv: it is empty; the first line has keys"),
        ("p.csv", "simulation.end_time\n", "p.csv: it has keys alone"),
        ("p.csv", "simulation.end_time,\n1,2\n", "p.csv:1: column 2 has no key in the line of keys"),
        ("p.csv", "a,b,a\n1,2,3\n", "p.csv:1: `a` is there twice"),
        (
            "p.csv",
            "body.ball.velocity\n[0, 0, 1]\n",
            "p.csv:2: the line has 3 fields, and the line of keys has 1",
        ),
        ("p.toml", "a = \n", "p.toml:1: "),
        ("p.toml", "# nothing\n", "p.toml: it has no values"),
        ("p.toml", "[[contact]]\nfriction = 0.1\n", "p.toml:1: `[[contact]]` is a list of tables"),
    ] {
        let found = refusal(name, text, None);
        assert!(found.starts_with(expected), "{text:?}: {found}");
    }
    let missing = read_parameters("/nowhere/p.csv".as_ref(), None).unwrap_err();
    assert!(missing.is_io() && missing.to_string().contains("cannot read the parameters"), "{missing}");
}
