//! Functions of time, springs, bushings and forces on joints: reading them and the messages of errors.

use std::path::Path;

use carom_format::scenario::model::{FunctionSpec, InterpolationSpec};
use carom_format::{Scenario, ScenarioError};

const GOOD: &str = r#"
[simulation]
end_time = 2.0

[[body]]
name = "crank"
make = { shape = "rod", radius = 0.01, length = 0.4 }
material = "steel"
rigid = true

[[joint]]
kind = "cylindrical"
between = ["ground", "crank:start"]
axis = [0.0, 1.0, 0.0]
spring = { stiffness = 100.0, damping = 0.1 }
stops = { low = -0.1, high = 0.1, stiffness = 1.0e4, damping = 0.2 }
turn = { motion = "20*t + 0.1*sin(2*pi*t)" }

[[spring]]
between = ["crank:end", "ground"]
point = [0.0, 0.0, 1.0]
stiffness = 10.0

[[bushing]]
between = ["crank:end", "ground"]
axes = "body"
stiffness = [1.0, 2.0, 3.0]

[[force]]
on = "crank:end"
force = [0, 0, 1]
scale = { table = [[0.0, 0.0], [0.5, 1], [1.0, 0]] }
"#;

fn read(text: &str) -> Result<Scenario, ScenarioError> {
    Scenario::parse(Path::new("a.toml"), text, &[], &["steel"])
}

fn refusal(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    read(&GOOD.replace(from, to)).expect_err("it is wrong").to_string()
}

#[test]
fn forces_on_joints_are_read_and_written() {
    let scenario = read(GOOD).unwrap();
    let joint = &scenario.joint[0];
    assert_eq!(joint.action.spring.unwrap().stiffness, 100.0);
    assert_eq!(joint.action.stops.unwrap().low, Some(-0.1));
    let motion = joint.turn.as_ref().unwrap().motion.as_ref().unwrap();
    assert!((motion.function().unwrap().at(0.25).value - 5.1).abs() < 1e-12);
    let Some(FunctionSpec::Table { table, interpolation }) = &scenario.force[0].scale else { panic!() };
    assert_eq!((table.len(), *interpolation), (3, InterpolationSpec::Linear));
    assert_eq!((scenario.spring[0].free, scenario.spring[0].point), (None, Some([0.0, 0.0, 1.0])));
    let written = scenario.to_toml();
    assert_eq!(read(&written).unwrap_or_else(|e| panic!("{e}\n{written}")), scenario);
}

/// The stiffness of stops and the names of joints and springs are optional; both are preserved in the text
/// that results store.
#[test]
fn default_stiffnesses_and_names_are_preserved() {
    let text = ["stiffness = 1.0e4, ", "kind = \"cylindrical\""].map(|part| GOOD.contains(part));
    assert_eq!(text, [true, true]);
    let text = GOOD
        .replace("stiffness = 1.0e4, ", "")
        .replace("kind = \"cylindrical\"", "name = \"guide\"\nkind = \"cylindrical\"");
    let scenario = read(&text).unwrap();
    let joint = &scenario.joint[0];
    assert_eq!((joint.title().as_str(), joint.action.stops.unwrap().stiffness), ("guide", None));
    assert!(scenario.spring[0].title().starts_with("spring "), "{}", scenario.spring[0].title());
    assert_eq!(read(&scenario.to_toml()).unwrap(), scenario);
}

#[test]
fn invalid_functions_are_reported_with_their_line() {
    let motion = "\"20*t + 0.1*sin(2*pi*t)\"";
    for (to, printed) in [
        (
            "\"20*t + sinn(t)\"",
            "a.toml:17: joint 1: turn: `motion`: `20*t + sinn(t)` is not a formula: column 8: `sinn` is not \
             known",
        ),
        ("\"20*t + max(t, 1)\"", "joint 1: turn: `max` has a corner or a jump"),
        ("\"sqrt(t)\"", "at t = 0.000000e0 s its first derivative is inf"),
        ("\"1/(t - 1)\"", "at t = 1.000000e0 s its value is inf"),
        (
            "{ table = [[0, 0], [1, 1]] }",
            "the table goes from 0 s to 1 s; a motion must be known from 0 to `end_time`, 2 s",
        ),
        ("{ table = [[0, 0], [2, 1]], interpolation = \"linear\" }", "lines have corners"),
        ("{ table = [[0, 0], [2, 1], [2, 2]] }", "times must increase: pair 3 is at 2 s"),
        ("{ formula = \"t\", table = [[0, 0], [2, 1]] }", "`formula` and `table` exclude each other"),
        ("{ formula = \"t\", interpolation = \"smooth\" }", "`interpolation` belongs to `table`"),
        ("{ formulae = \"t\" }", "unknown key `formulae`; did you mean `formula`?"),
        ("[1, 2]", "a number, a formula in t as a text, or a table"),
    ] {
        let found = refusal(motion, to);
        assert!(found.contains(printed), "{to}: {found}");
    }
    let statics = refusal("end_time = 2.0", "end_time = 2.0\nscheme = \"static\"");
    assert!(statics.contains("loads of the scheme `static` have no course in time"), "{statics}");
}

#[test]
fn invalid_springs_and_stops_are_refused() {
    for (from, to, printed) in [
        ("low = -0.1, high = 0.1, ", "", "`low` is missing: the lowest value, or `high`"),
        ("low = -0.1", "low = 0.2", "`high` must be above `low`"),
        ("{ stiffness = 100.0, damping = 0.1 }", "{ free = 1.0 }", "makes a spring"),
        ("kind = \"cylindrical\"", "kind = \"revolute\"", "`turn` belongs to `kind = \"cylindrical\"`"),
        ("kind = \"cylindrical\"", "kind = \"spherical\"", "`spring` belongs to `revolute`"),
        ("point = [0.0, 0.0, 1.0]\n", "", "`point` is missing: where the ground holds"),
        (
            "axes = \"body\"\nstiffness = [1.0, 2.0, 3.0]",
            "stiffness = [1.0, -2.0, 3.0]",
            "`stiffness` must not be negative",
        ),
        ("axes = \"body\"\nstiffness = [1.0, 2.0, 3.0]", "", "`stiffness` is missing: along x, y, z"),
    ] {
        let found = refusal(from, to);
        assert!(found.contains(printed), "{to}: {found}");
    }
}
