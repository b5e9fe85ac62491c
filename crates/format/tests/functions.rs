//! Functions of time, springs, bushings and forces on joints: reading them and the messages of errors.

use std::path::Path;

use carom_format::scenario::model::{FunctionSpec, InterpolationSpec, OutsideSpec};
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
    let (_, joint) = scenario.joints().next().unwrap();
    assert_eq!(joint.action.spring.unwrap().stiffness, 100.0);
    assert_eq!(joint.action.stops.unwrap().low, Some(-0.1));
    let motion = joint.turn.as_ref().unwrap().motion.as_ref().unwrap();
    assert!((motion.function().unwrap().at(0.25).value - 5.1).abs() < 1e-12);
    let Some(FunctionSpec::Table { table, interpolation, .. }) = &scenario.force[0].scale else { panic!() };
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
    let (_, joint) = scenario.joints().next().unwrap();
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

/// The good scenario with another `scale` and a file `load.csv` in its folder, or the message of its refusal.
fn with_file(content: &str, scale: &str) -> Result<Scenario, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("load.csv"), content).unwrap();
    let text = GOOD.replace("{ table = [[0.0, 0.0], [0.5, 1], [1.0, 0]] }", scale);
    assert_ne!(text, GOOD);
    let scenario = Scenario::parse(&folder.path().join("a.toml"), &text, &[], &["steel"]);
    let scenario = scenario.map_err(|error| error.to_string())?;
    // The text that a result keeps has the checksum of the file, and reads as the same scenario.
    let written = scenario.to_toml();
    let again = Scenario::parse(&folder.path().join("b.toml"), &written, &[], &["steel"]);
    assert_eq!(again.unwrap_or_else(|e| panic!("{e}\n{written}")), scenario);
    std::fs::write(folder.path().join("load.csv"), format!("{content}\n# changed")).unwrap();
    let changed = Scenario::parse(&folder.path().join("b.toml"), &written, &[], &["steel"]).unwrap_err();
    assert!(changed.to_string().contains("has another content"), "{changed}");
    Ok(scenario)
}

const FILE: &str = "# measured\n\ntime [s],other,\"force [N]\"\n0, 7, 0\n0.5, 7, 1.0\n\n1.0e0,7,0\n";

/// A file has the values of the same pairs in the scenario, whatever separates its columns.
#[test]
fn a_table_from_a_file_is_that_of_its_pairs() {
    let pairs = read(GOOD).unwrap().force[0].scale.clone().unwrap().function().unwrap();
    for (content, columns) in [
        (FILE.to_owned(), "columns = [\"time\", \"force\"]"),
        (FILE.to_owned(), "columns = [\"time [s]\", \"force [N]\"]"),
        (FILE.replace(',', ";"), "columns = [\"time\", \"force\"]"),
        (FILE.replace(',', "\t"), "columns = [\"time\", \"force\"]"),
        ("\u{feff}t,f\r\n0,0\r\n0.5,1\r\n1,0\r\n".to_owned(), "interpolation = \"linear\""),
    ] {
        let scale = format!("{{ table = \"load.csv\", {columns} }}");
        let scenario = with_file(&content, &scale).unwrap_or_else(|e| panic!("{e}"));
        let scale = scenario.force[0].scale.as_ref().unwrap();
        let FunctionSpec::File { columns, checksum, .. } = scale else { panic!("{scale:?}") };
        assert!(checksum.len() == 64 && !columns[1].contains('['), "{scale:?}");
        let function = scale.function().unwrap();
        for time in [-1.0, 0.0, 0.2, 0.5, 0.9, 1.0, 7.0] {
            assert_eq!(function.at(time), pairs.at(time), "{content}");
        }
    }
}

#[test]
fn a_malformed_file_is_reported_with_its_line_and_a_way_out() {
    let whole = "{ table = \"load.csv\" }";
    let named = "{ table = \"load.csv\", columns = [\"time\", \"force\"] }";
    for (content, scale, says) in [
        (FILE, "{ table = \"lod.csv\" }", "relative to the folder of the scenario"),
        (FILE, whole, "load.csv`:3: the columns are `time [s]`, `other`, `force [N]`: name those of time"),
        (FILE, "{ table = \"load.csv\", columns = [\"t\", \"force\"] }", ":3: there is no column `t`; the"),
        (FILE, "{ table = \"load.csv\", columns = [\"time\"] }", "and has 1 names"),
        ("0,1\n1,2\n", whole, ":1: the first line has numbers; it must have the names of the columns"),
        ("# nothing\n", whole, "it has no line with the names of its columns"),
        ("t,x\n0,1\n", whole, "at least two lines of numbers, and there are 1"),
        ("t,x\n0,1\n1,2,3\n", whole, ":3: the line has 3 fields, and the line of names has 2"),
        ("t,x\n0,1\n1,two\n", whole, ":3: `two` in column `x` is not a finite number"),
        ("t,x\n0,1\n1,inf\n", whole, ":3: `inf` in column `x` is not a finite number"),
        ("t;x\n0;1,5\n1;2\n", whole, "write decimal points instead of commas"),
        ("t,x\n0,1\n2,1\n2,3\n", whole, ":4: times must increase: 2 s comes after 2 s"),
        ("t [ms],x\n0,1\n1,2\n", whole, ":1: column `t` is in ms; numbers are in SI units"),
        ("t,x [mm]\n0,1\n1,2\n", whole, ":1: column `x` is in mm; numbers are in SI units"),
        (FILE, &named.replace(" }", ", outside = \"periodc\" }"), "did you mean `periodic`?"),
        (
            FILE,
            &named.replace(" }", ", outside = \"error\" }"),
            "goes from 0 s to 1 s; with `outside = \"error\"` it must be known from 0 to `end_time`, 2 s",
        ),
        (FILE, &named.replace(" }", ", checksum = \"ab\" }"), "restore the file, or remove `checksum`"),
        (FILE, "{ formula = \"t\", columns = [\"t\", \"x\"] }", "`columns` belongs to a `table` from a file"),
        (FILE, "{ formula = \"t\", outside = \"hold\" }", "`outside` belongs to `table`"),
    ] {
        let found = with_file(content, scale).expect_err(says);
        assert!(found.contains("a.toml:32: force 1: ") && found.contains(says), "{scale}: {found}");
    }
}

#[test]
fn a_table_says_what_happens_outside_of_it() {
    let scale = |keys: &str| format!("{{ table = [[0.0, 0.0], [0.5, 1], [1.0, 0]]{keys} }}");
    let read_with = |keys: &str| read(&GOOD.replace(&scale(""), &scale(keys)));
    let at = |keys: &str, time: f64| {
        let scenario = read_with(keys).unwrap();
        assert_eq!(read(&scenario.to_toml()).unwrap(), scenario);
        scenario.force[0].scale.as_ref().unwrap().function().unwrap().at(time).value
    };
    assert_eq!((at("", 1.25), at(", outside = \"hold\"", 1.25)), (0.0, 0.0));
    assert_eq!(at(", outside = \"periodic\"", 1.25), 0.5);
    let refused = |keys: &str| read_with(keys).unwrap_err().to_string();
    assert!(refused(", outside = \"error\"").contains("it must be known from 0 to `end_time`"));
    let motion = |keys: &str| {
        let motion = format!("{{ table = [[0, 0], [0.3, 1], [1, {keys} }}");
        read(&GOOD.replace("\"20*t + 0.1*sin(2*pi*t)\"", &motion))
    };
    let periodic = motion("0]], outside = \"periodic\"").unwrap();
    let (_, joint) = periodic.joints().next().unwrap();
    let function = joint.turn.as_ref().unwrap().motion.as_ref().unwrap();
    assert_eq!(function.table().unwrap().outside, Some(OutsideSpec::Periodic));
    let function = function.function().unwrap();
    assert!((function.at(0.3).rate - function.at(1.3).rate).abs() < 1e-12);
    for (keys, says) in [
        ("1]], outside = \"periodic\"", "it begins with 0 and ends with 1"),
        ("0]], outside = \"hold\"", "a motion that is held would stop at once"),
        ("0]], outside = \"error\"", "a motion must be known from 0 to `end_time`, 2 s"),
    ] {
        let found = motion(keys).unwrap_err().to_string();
        assert!(found.contains(says), "{keys}: {found}");
    }
}
