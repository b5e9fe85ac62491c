//! Runs of a study: parameters from a file, and bodies and models that runs share.

use std::path::Path;
use std::process::Stdio;

use carom_testing::program;

use crate::program::{Place, SMALL, did};

const SPEEDS: &str = "body.ball.velocity.2,simulation.end_time\n-1.0,1e-4\n-0.5,1.6e-4\n";

/// A figure of `tables/summary.csv`.
fn figure(folder: &Path, name: &str) -> f64 {
    let table = std::fs::read_to_string(folder.join("tables/summary.csv")).unwrap();
    let row = table.lines().find_map(|line| line.strip_prefix(&format!("{name},")));
    let row = row.unwrap_or_else(|| panic!("no {name}: {table}"));
    row.split(',').next().unwrap().parse().unwrap_or_else(|_| panic!("{name}: {row}"))
}

#[test]
fn a_row_of_a_file_changes_the_run_and_its_summary() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.write("speeds.csv", SPEEDS);
    let out = |row: &str| place.path().join(format!("out/{row}"));
    for row in ["1", "2"] {
        place.ok(&["run", "small.toml", "--params", "speeds.csv", "--row", row, "-o", &format!("out/{row}")]);
        assert_eq!(figure(&out(row), "complete"), 1.0);
    }
    assert_eq!([figure(&out("1"), "end_time"), figure(&out("2"), "end_time")], [1e-4, 1.6e-4]);
    // The rigid ball and the plate approach each other with the speed of the row.
    for (row, speed) in [("1", 1.0), ("2", 0.5)] {
        let before = figure(&out(row), "velocity_before.plate/ball");
        assert!((before + speed).abs() < 1e-9, "{before} m/s in row {row}");
    }
    // The same row with the value of the first one on the command line is the first run.
    let changed = ["--set", "body.ball.velocity.2=-1.0", "--set", "simulation.end_time=1e-4"];
    let words = ["run", "small.toml", "--params", "speeds.csv", "--row", "2", "-o", "out/1"];
    assert_eq!(did(&place.json(&[&words[..], &changed].concat()), "solution"), "up-to-date");
}

#[test]
fn parameters_that_cannot_be_used_have_the_exit_code_of_their_kind() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.write("speeds.csv", SPEEDS);
    place.write("typo.csv", "body.ball.velocty\n1.0\n");
    place.write("ragged.csv", "simulation.end_time\n1.0,2.0\n");
    let run = |file: &str, code| place.fails(&["run", "small.toml", "--params", file, "-o", "out"], code);
    assert!(run("speeds.csv", 2).contains("`speeds.csv` has 2 rows: choose one with --row, 1 to 2"));
    let typo = run("typo.csv", 3);
    assert!(
        typo.contains("typo.csv:2: body `ball`: unknown key `velocty`; did you mean `velocity`?"),
        "{typo}"
    );
    assert!(run("ragged.csv", 3).contains("ragged.csv:2: the line has 2 fields"));
    assert!(run("missing.csv", 5).contains("cannot read the parameters `missing.csv`"));
    place.fails(&["run", "small.toml", "--row", "1"], 2);
    assert!(!place.path().join("out").exists());
}

#[test]
fn runs_at_the_same_time_make_a_shared_model_once() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.write("speeds.csv", SPEEDS);
    let shared = place.path().join("shared");
    std::fs::create_dir(&shared).unwrap();
    // Row 1 twice: the runs have folders of their own and nothing else in common but the bodies.
    let runs = [("a", "1"), ("b", "2"), ("c", "1")].map(|(name, row)| {
        // A workflow engine makes the folders of the outputs that it expects.
        std::fs::create_dir_all(place.path().join(name).join("tables")).unwrap();
        let words = ["run", "small.toml", "--params", "speeds.csv", "--row", row, "-o", name];
        let words = [&words[..], &["--bodies", "shared", "-j", "1", "--json"]].concat();
        let mut command = std::process::Command::new(place.command(&[]).get_program());
        command.args(words).current_dir(place.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    });
    let ended = runs.map(|run| program::json(&run.wait_with_output().unwrap()));
    // Two runs may make one body each.
    for file in ["body `ball`", "body `plate`", "model `plate`"] {
        let made = format!("{file} made: ");
        let notes = ended.iter().flat_map(|summary| summary["phases"].as_array().unwrap());
        let notes = notes.flat_map(|phase| phase["notes"].as_array().unwrap());
        let makers = notes.filter(|note| note.as_str().unwrap().starts_with(&made)).count();
        assert_eq!(makers, 1, "{file}: {ended:#?}");
    }
    let mut names: Vec<String> = std::fs::read_dir(&shared)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let of =
        |start: &str, end: &str| names.iter().filter(|n| n.starts_with(start) && n.ends_with(end)).count();
    assert_eq!((of("ball-", ".npz"), of("plate-", ".npz"), of("plate-", ".rom")), (1, 1, 1), "{names:?}");
    // A recipe for each of them, and no lock.
    assert_eq!((names.len(), of("", ".recipe")), (6, 3), "{names:?}");
    let force = |name: &str| figure(&place.path().join(name), "peak_force.plate/ball");
    assert_eq!(force("a").to_bits(), force("c").to_bits());
    assert!(force("b") < force("a"));
    // Another description of a body is another file, and the first one stays.
    let more = "body.plate.reduce.modes=9";
    let words = ["run", "small.toml", "--set", more, "-o", "d", "--bodies", "shared"];
    let other = place.json(&words);
    assert_eq!((did(&other, "meshing"), did(&other, "reduction")), ("up-to-date", "made"));
    let words =
        ["run", "small.toml", "--params", "speeds.csv", "--row", "1", "-o", "a", "--bodies", "shared"];
    let again = place.json(&words);
    assert_eq!((did(&again, "reduction"), did(&again, "solution")), ("up-to-date", "up-to-date"));
}

/// The lock of a killed run is not held by anyone; its half-made file has another name.
#[test]
fn a_lock_that_a_killed_run_left_does_not_stop_others() {
    let place = Place::new();
    place.write("small.toml", SMALL);
    place.ok(&["run", "small.toml", "-o", "a", "--bodies", "shared"]);
    let files = || std::fs::read_dir(place.path().join("shared")).unwrap().map(|entry| entry.unwrap().path());
    let model = files().find(|path| path.extension().is_some_and(|ending| ending == "rom")).unwrap();
    std::fs::remove_file(&model).unwrap();
    std::fs::write(model.with_extension("rom.lock"), "").unwrap();
    let summary = place.json(&["run", "small.toml", "-o", "b", "--bodies", "shared"]);
    assert_eq!((did(&summary, "meshing"), did(&summary, "reduction")), ("up-to-date", "made"));
    assert!(model.is_file() && !model.with_extension("rom.lock").exists());
}
