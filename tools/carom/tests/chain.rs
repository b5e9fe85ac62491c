//! `carom new` and `carom run`: the starter scenario to its end, and the steps that a change repeats.

use crate::program;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant, SystemTime};

use crate::program::{Place, did, seconds_of};

/// Files below a folder with the time of their last change.
fn files(folder: &Path) -> BTreeMap<String, SystemTime> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.display().to_string(), entry.metadata().unwrap().modified().unwrap());
            }
        }
    }
    found
}

#[test]
fn a_second_run_of_the_starter_repeats_nothing() {
    let place = Place::new();
    place.ok(&["new", "drop"]);
    let untouched = files(place.path());
    let check = place.json(&["check", "drop.toml"]);
    assert_eq!(check["valid"], true);
    assert_eq!(check["bodies"][1]["model"], "to be made");
    assert_eq!(files(place.path()), untouched, "check has written something");

    let summary = place.json(&["run", "drop.toml"]);
    for phase in ["meshing", "reduction", "solution", "export", "plots", "report"] {
        assert_eq!(did(&summary, phase), "made", "{summary:#}");
    }
    let [event] = &summary["solution"]["contacts"].as_array().unwrap()[..] else {
        panic!("one impact was expected: {summary:#}")
    };
    // Hertz, a rigid ball against an elastic half-space with the masses of ball and plate: 240 N and 184 µs.
    // The plate is half as thick as the half-space would have to be, and it bends: softer, so a lower force.
    let peak = event["peak_force"].as_f64().unwrap();
    assert!((peak / 240.0 - 1.0).abs() < 0.1, "peak force {peak} N");
    let error = summary["solution"]["energy"]["max_relative_error"].as_f64().unwrap();
    assert!(error < 1e-6, "energy is off by {error:.1e}");
    assert_eq!(summary["solution"]["warnings"].as_array().unwrap().len(), 0, "{summary:#}");

    let made = files(place.path());
    for file in [
        "bodies/ball.npz",
        "bodies/plate.npz",
        "bodies/plate.rom",
        "result.carom",
        "paraview/result.pvd",
        "paraview/result/ball_0000.vtu",
        "paraview/result/plate_0060.vtu",
        "plots/energy.svg",
        "plots/energy.png",
        "plots/momentum.png",
        "plots/contact-force.svg",
        "plots/pressure-plate-ball.png",
        "plots/velocity-ball.svg",
        "tables/contacts.csv",
        "tables/energy.csv",
        "report.html",
    ] {
        assert!(place.path().join("drop").join(file).is_file(), "{file} is missing: {made:#?}");
    }
    let report = std::fs::read_to_string(place.path().join("drop/report.html")).unwrap();
    let links = report.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let links: Vec<&str> =
        links.filter(|link| !link.starts_with('#') && !link.starts_with("data:")).collect();
    for file in ["result.carom", "paraview/result.pvd", "plots/", "tables/contacts.csv"] {
        assert!(
            links.iter().any(|link| link.trim_start_matches("./") == file),
            "no link to {file}: {links:?}"
        );
    }
    for link in links {
        assert!(place.path().join("drop").join(link).exists(), "{link} leads nowhere");
    }
    let own = std::fs::read_to_string(place.path().join("drop.toml")).unwrap();
    let comment = own.lines().find(|line| line.starts_with('#')).unwrap().trim_start_matches(['#', ' ']);
    assert!(
        report.contains("run drop.toml") && report.contains(comment),
        "the command and the scenario as it was written"
    );
    let sizes =
        files(&place.path().join("drop")).into_keys().map(|path| std::fs::metadata(path).unwrap().len());
    let bytes = &summary["bytes"];
    assert_eq!(bytes["total"].as_u64(), Some(sizes.sum()), "{bytes}");
    let parts = ["bodies", "models", "result", "paraview", "plots"].map(|part| bytes[part].as_u64().unwrap());
    let total = bytes["total"].as_u64().unwrap();
    // The remaining file is `carom-run.json`.
    let rest = total - parts.iter().sum::<u64>();
    assert!(parts.iter().all(|part| *part > 1000) && rest < 100_000, "{bytes}");
    assert!(summary["cpu_seconds"].as_f64().unwrap() > 0.0);
    let report = std::fs::read_to_string(place.path().join("drop/report.html")).unwrap();
    for phase in ["meshing", "reduction", "solution", "export", "plots"] {
        assert!(report.contains(&format!("<td>{phase}</td>")), "the report lacks the phase {phase}");
    }

    let again = place.json(&["run", "drop.toml"]);
    for phase in ["meshing", "reduction", "solution", "export", "plots", "report"] {
        assert_eq!(did(&again, phase), "up-to-date", "{again:#}");
    }
    assert_eq!(files(place.path()), made, "something was redone");
    assert_eq!(again["solution"], summary["solution"]);
    // The time of a phase is that of the run in which it was done.
    let [first, second] = [&summary, &again].map(|summary| seconds_of(summary, "reduction"));
    assert!((first / second - 1.0).abs() < 0.1 || first - second < 0.2, "{first} s, then {second} s");
    let check = place.json(&["check", "drop.toml"]);
    assert!(
        check["stages"].as_array().unwrap().iter().all(|stage| stage["would"] == "up to date"),
        "{check:#}"
    );
}

#[test]
fn a_change_repeats_only_the_steps_that_depend_on_it() {
    let place = Place::new();
    place.write("small.toml", program::SMALL);
    place.json(&["run", "small.toml", "-o", "out"]);

    // Another end time: the solution and the files made from it are repeated, the bodies are not. With
    // fewer frames no old ones remain.
    let shorter = ["run", "small.toml", "-o", "out", "--set", "simulation.end_time=2.0e-5"];
    let summary = place.json(&shorter);
    assert_eq!([did(&summary, "meshing"), did(&summary, "reduction")], ["up-to-date"; 2]);
    for phase in ["solution", "export", "plots", "report"] {
        assert_eq!(did(&summary, phase), "made", "{summary:#}");
    }
    let frames = std::fs::read_dir(place.path().join("out/paraview/result")).unwrap().count();
    assert_eq!(frames, 2 * 3, "frames of the longer run are left");

    // Another reduction: the bodies are not repeated.
    let mut fewer = shorter.to_vec();
    fewer.extend(["--set", "body.plate.reduce.modes=7"]);
    let summary = place.json(&fewer);
    assert_eq!(did(&summary, "meshing"), "up-to-date");
    assert_eq!([did(&summary, "reduction"), did(&summary, "solution")], ["made"; 2]);

    // A missing plot: only the plots are repeated. Files of other programs stay.
    std::fs::remove_file(place.path().join("out/plots/energy.svg")).unwrap();
    place.write("out/plots/notes.txt", "mine");
    let summary = place.json(&fewer);
    for phase in ["meshing", "reduction", "solution", "export", "report"] {
        assert_eq!(did(&summary, phase), "up-to-date", "{summary:#}");
    }
    assert_eq!(did(&summary, "plots"), "made");
    assert!(place.path().join("out/plots/energy.svg").is_file());
    assert_eq!(std::fs::read_to_string(place.path().join("out/plots/notes.txt")).unwrap(), "mine");

    // Fewer pictures: only the export is repeated.
    let mut sparse = fewer.clone();
    sparse.extend(["--every", "2"]);
    let summary = place.json(&sparse);
    assert_eq!([did(&summary, "export"), did(&summary, "plots")], ["made", "up-to-date"]);
    assert_eq!(std::fs::read_dir(place.path().join("out/paraview/result")).unwrap().count(), 2 * 2);
}

#[test]
fn a_result_of_another_program_is_replaced_only_on_request() {
    let place = Place::new();
    place.write("small.toml", program::SMALL);
    std::fs::create_dir(place.path().join("out")).unwrap();
    place.write("out/result.carom", "somebody's");
    let message = place.fails(&["run", "small.toml", "-o", "out"], 2);
    assert!(message.contains("result.carom") && message.contains("--force"), "{message}");
    assert_eq!(std::fs::read_to_string(place.path().join("out/result.carom")).unwrap(), "somebody's");
    assert!(!place.path().join("out/bodies").exists(), "it was reported only after the bodies were made");
    place.json(&["run", "small.toml", "-o", "out", "--force"]);
    place.json(&["run", "small.toml", "-o", "out"]);
}

#[test]
fn the_result_names_the_surface_that_carries_the_pressure_first() {
    let place = Place::new();
    // The plate has the finer knot spans and gets the pressure cells, in either order of the scenario.
    for between in ["[\"plate:pole\", \"ball:pole\"]", "[\"ball:pole\", \"plate:pole\"]"] {
        place.write("small.toml", program::SMALL);
        let order = format!("contact.0.between={between}");
        place.json(&["run", "small.toml", "-o", "out", "--set", &order]);
        let result = carom_format::ResultReader::open(&place.path().join("out/result.carom")).unwrap();
        let pair = &result.header().unwrap().pairs[0];
        assert_eq!([pair.first.as_str(), pair.second.as_str()], ["plate:pole", "ball:pole"], "{between}");
    }
}

#[cfg(unix)]
#[test]
fn a_stopped_run_is_continued() {
    let place = Place::new();
    place.write("small.toml", program::SMALL);
    let long = [
        "--set",
        "simulation.end_time=4.0e-4",
        "--set",
        "simulation.relative_tolerance=1e-11",
        "--set",
        "simulation.checkpoint_every=10",
    ];
    let command = |folder: &'static str| [&["run", "small.toml", "-o", folder][..], &long[..]].concat();
    let whole = place.json(&command("whole"));

    let mut child =
        place.command(&command("cut")).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let started = Instant::now();
    // The result grows as soon as the first steps are taken.
    let log = place.path().join("cut/result.carom-wal");
    while log.metadata().map_or(0, |meta| meta.len()) < 200_000 {
        assert!(started.elapsed() < Duration::from_secs(120), "the run has not begun to solve");
        assert!(child.try_wait().unwrap().is_none(), "the run was over before it could be stopped");
        std::thread::sleep(Duration::from_millis(2));
    }
    let stopped =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let ended = child.wait_with_output().unwrap();
    let message = carom_testing::program::printed(&ended);
    assert_eq!(ended.status.code(), Some(130), "{message}");
    assert!(message.contains("interrupted") && message.contains("continues from there"), "{message}");
    assert!(!place.path().join("cut/report.html").exists());

    let check = place.json(&[&["check", "small.toml", "-o", "cut"][..], &long[..]].concat());
    let would = check["stages"][0]["would"].as_str().unwrap();
    assert!(would.starts_with("to be continued"), "{would}");
    let resumed = place.json(&command("cut"));
    assert_eq!(did(&resumed, "solution"), "resumed");
    assert_eq!(did(&resumed, "reduction"), "up-to-date");
    for what in ["contacts", "bodies"] {
        assert_eq!(
            resumed["solution"][what], whole["solution"][what],
            "{what} differ from an undisturbed run"
        );
    }
}

#[test]
fn pressure_at_the_rim_of_a_zone_ends_the_chain_with_code_3_and_keeps_the_results() {
    let place = Place::new();
    // The zone of the plate is a tenth of the contact area of the ball.
    place.write(
        "small.toml",
        &program::SMALL.replacen("pole_radius = 2e-3, grade", "pole_radius = 2e-4, grade", 1),
    );
    let message = place.fails(&["run", "small.toml", "-o", "out"], 3);
    for word in ["rim", "plate:pole", "t = ", "pole_radius"] {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
    assert!(place.path().join("out/result.carom").exists());
    // The user can continue in spite of it, with a warning.
    let output = place.ok(&["run", "small.toml", "-o", "out", "--set", "contact.0.rim=warning"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("warning") && errors.contains("rim"), "{errors}");
}

/// A rigid ball on an elastic block; only the contact holds it from below.
const PRESSED: &str = r#"
[simulation]
scheme = "static"

[[body]]
name = "block"
make = { shape = "plate", size = [0.01, 0.01, 0.005], elements = [2, 2, 1] }
material = "steel"

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015 }
material = "steel"
rigid = true
position = [0.0, 0.0, 0.0175]

[[body.marker]]
name = "middle"
at = [0.0, 0.0, 0.0]

[[support]]
on = "block:bottom"

[[support]]
on = "ball:surface"
directions = ["x", "y"]

[[force]]
on = "ball:middle"
force = [0.0, 0.0, -1.0e8]

[[contact]]
between = ["block:top", "ball:surface"]
"#;

#[test]
fn a_load_without_equilibrium_ends_the_chain_with_code_4() {
    let place = Place::new();
    place.write("pressed.toml", PRESSED);
    let message = place.fails(&["run", "pressed.toml", "-o", "out"], 4);
    for word in ["load step 1", "iterations", "ball", "steps"] {
        assert!(message.contains(word), "no `{word}` in: {message}");
    }
    assert!(!place.path().join("out/report.html").exists());
}
