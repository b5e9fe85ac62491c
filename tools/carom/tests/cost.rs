//! Time and memory as `carom check` expects them, next to those of runs of the gallery.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use carom_testing::machine;
use rusqlite::Connection;
use serde_json::Value;

use crate::program::Place;

/// Seconds that make no difference: starts of threads and files, and ten ticks of the clock.
const SLACK: f64 = 0.1;

/// How often a scenario is checked and run before its estimate counts as missed. Another program on the
/// machine takes memory and caches away for a while, which can double a CPU time; a wrong estimate misses
/// each time.
const ATTEMPTS: usize = 3;

/// Memory of `carom run` with its pictures, which is not estimated \[bytes\].
const PROGRAM: f64 = 100e6;

/// Expected and measured figures of a scenario.
struct Compared {
    name: String,
    /// CPU seconds of the models: expected, measured.
    models: [f64; 2],
    /// CPU seconds of the run: least, expected, largest, measured.
    run: [f64; 4],
    /// Peak memory: expected, measured \[bytes\].
    memory: [f64; 2],
    /// Why the time of the run is a range.
    unknown: String,
    /// How often the run was repeated with finer cells; all figures are those of the last repeat.
    repeats: u64,
}

impl Compared {
    /// Checks and runs a scenario of the gallery in a folder of its own, until its estimate holds.
    fn of(name: &str, place: &Place) -> Self {
        let scenario = gallery().join(name);
        let mut last = None;
        for _ in 0..ATTEMPTS {
            let compared = Self::of_file(name, scenario.to_str().unwrap(), place);
            std::fs::remove_dir_all(place.path().join(name)).unwrap();
            if compared.holds() {
                return compared;
            }
            eprintln!("outside of its range: {}", compared.row());
            last = Some(compared);
        }
        last.expect("a scenario is tried")
    }

    fn of_file(name: &str, scenario: &str, place: &Place) -> Self {
        let checked = place.json(&["check", scenario, "-o", name]);
        let costs = &checked["costs"];
        let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{name}: {costs:#}"));
        let bodies = costs["bodies"].as_array().unwrap();
        let once = |body: &Value| number(&body["cpu_seconds"]["expected"]);
        let repeated = |body: &Value| body["cpu_seconds_of_repeat"].as_f64().unwrap_or_else(|| once(body));
        let of_run = &costs["run"]["cpu_seconds"];
        let [low, expected, high] = ["low", "expected", "high"].map(|key| number(&of_run[key]));
        let (peak, result) = run(name, scenario, place);
        // A result has the times of the last repeat.
        let record = std::fs::read_to_string(result.with_file_name("carom-run.json")).unwrap();
        let record: Value = serde_json::from_str(&record).unwrap();
        let repeats = record["repeated"]["times"].as_u64().unwrap();
        let models: f64 = match repeats {
            0 => bodies.iter().map(once).sum(),
            _ => bodies.iter().map(repeated).sum(),
        };
        let seconds = |phases: &[&str]| phases.iter().map(|phase| timing(&result, phase)).sum::<f64>();
        Self {
            name: name.to_owned(),
            // The sum of no numbers is −0.
            models: [0.0 + models, seconds(&["reduction, cpu"])],
            run: [low, expected, high, seconds(&["time loop, cpu", "statics, cpu"])],
            memory: [number(&costs["memory_bytes"]), peak],
            repeats,
            unknown: costs["run"]["unknown"].as_str().unwrap().to_owned(),
        }
    }

    /// Expected over measured time of the models.
    fn of_models(&self) -> f64 {
        let [expected, measured] = self.models.map(|seconds| seconds + SLACK);
        expected / measured
    }

    fn models_hold(&self) -> bool {
        (0.5..=2.0).contains(&self.of_models())
    }

    /// The expected time is right within a factor of two, also where a user is given a wider range.
    fn run_holds(&self) -> bool {
        let [low, expected, high, measured] = self.run;
        let ratio = (expected + SLACK) / (measured + SLACK);
        (low - SLACK..=high + SLACK).contains(&measured) && (0.5..=2.0).contains(&ratio)
    }

    fn memory_holds(&self) -> bool {
        let [expected, measured] = self.memory.map(|bytes| bytes.max(PROGRAM));
        (0.5..=2.0).contains(&(expected / measured))
    }

    fn holds(&self) -> bool {
        self.models_hold() && self.run_holds() && self.memory_holds()
    }

    /// A row of the table in docs/cost-model.md.
    fn row(&self) -> String {
        let [models, of_models] = self.models;
        let [low, expected, high, of_run] = self.run;
        let [memory, peak] = self.memory.map(|bytes| bytes / 1e6);
        let mark = |holds: bool| if holds { "" } else { " **!**" };
        let range = if self.unknown.is_empty() { String::new() } else { format!(" ({low:.2} to {high:.0})") };
        let repeats = if self.repeats > 0 { format!(", repeat {}", self.repeats) } else { String::new() };
        format!(
            "| `{}`{repeats} | {models:.2} | {of_models:.2}{} | {expected:.2}{range} | {of_run:.2}{} | \
             {memory:.0} | {peak:.0}{} |",
            self.name,
            mark(self.models_hold()),
            mark(self.run_holds()),
            mark(self.memory_holds())
        )
    }
}

fn gallery() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../meshes"))
}

/// Runs a scenario on one thread, almost without pictures: peak memory, and its result.
fn run(name: &str, scenario: &str, place: &Place) -> (f64, PathBuf) {
    let words = ["run", scenario, "-o", name, "-j", "1", "--every", "1000000", "--json"];
    let mut command = std::process::Command::new(place.command(&[]).get_program());
    command.args(words).current_dir(place.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let (status, mut peak) = (PathBuf::from(format!("/proc/{}/status", child.id())), 0.0);
    let code = loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        peak = kilobytes.map_or(peak, |kilobytes| 1024.0 * kilobytes);
        if let Some(code) = child.try_wait().unwrap() {
            break code;
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    assert!(code.success(), "{name}: {code}");
    (peak, place.path().join(name).join("result.carom"))
}

/// A row of the timing table; 0 if there is none.
fn timing(result: &Path, phase: &str) -> f64 {
    let connection = Connection::open(result).unwrap();
    let sql = "SELECT seconds FROM timing WHERE phase = ?1";
    connection.query_row(sql, [phase], |row| row.get(0)).unwrap_or(0.0)
}

/// A reduction with places, one with an interface, rigid bodies, mechanisms and unreduced bodies; the long
/// test has all others.
const QUICK: [&str; 9] = [
    "coarse-balls/rod.toml",
    "wendt-bar/turning-reduced.toml",
    "double-pendulum/all-modes.toml",
    "double-pendulum/scenario.toml",
    "two-bars/conserving.toml",
    TRIED[0],
    TRIED[1],
    TRIED[2],
    TRIED[3],
];

/// Scenarios of [`QUICK`] that `carom check` tries for a moment: explicit steps, rigid bodies with contact,
/// mechanisms.
const TRIED: [&str; 4] =
    ["two-bars/scenario.toml", "stack/scenario.toml", "geneva/scenario.toml", "governor/scenario.toml"];

#[test]
fn costs_are_expected_within_a_factor_of_two() {
    let place = Place::new();
    let all: Vec<Compared> = QUICK.iter().map(|name| Compared::of(name, &place)).collect();
    let table: Vec<String> = all.iter().map(Compared::row).collect();
    assert!(all.iter().all(Compared::holds), "\n{}", table.join("\n"));
    let ranges = all.iter().filter(|of| TRIED.contains(&of.name.as_str()) && !of.unknown.is_empty());
    assert_eq!(ranges.map(|of| &of.name).collect::<Vec<_>>(), Vec::<&String>::new(), "known as ranges");
}

/// `CAROM_GALLERY=NAME,...` takes some scenarios alone.
#[test]
#[ignore = "60 min: runs the gallery"]
fn costs_of_the_gallery() {
    let place = Place::new();
    let chosen = std::env::var("CAROM_GALLERY").unwrap_or_default();
    let mut names: Vec<String> = Vec::new();
    for folder in std::fs::read_dir(gallery()).unwrap().map(|entry| entry.unwrap().path()) {
        let files = std::fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path());
        let scenarios = files.filter(|file| file.extension().is_some_and(|ending| ending == "toml"));
        names
            .extend(scenarios.map(|file| file.strip_prefix(gallery()).unwrap().to_str().unwrap().to_owned()));
    }
    names.retain(|name| chosen.is_empty() || chosen.split(',').any(|part| name.contains(part)));
    names.sort();
    println!(
        "| scenario | models: expected | measured | run: expected | measured | MB: expected | measured |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut missed = Vec::new();
    for name in names {
        let needs_gmsh =
            ["parts/", "cam/cad", "wendt-bar/part", "bracket/"].iter().any(|cad| name.starts_with(cad));
        if needs_gmsh {
            machine::skip(&format!("Gmsh: `{name}` is meshed by it, and its cost is known only then"));
            continue;
        }
        let compared = Compared::of(&name, &place);
        println!("{}", compared.row());
        if !compared.holds() {
            missed.push(name);
        }
    }
    assert!(missed.is_empty(), "outside of a factor of two: {}", missed.join(", "));
}

/// Rigid balls side by side, so many and with a row for each contact of neighbours.
fn balls(n: usize, contacts: usize) -> String {
    let body = |k: usize| {
        format!(
            "[[body]]\nname = \"b{k}\"\nmake = {{ shape = \"ball\", radius = 0.05 }}\nmaterial = \
             \"steel\"\nrigid = true\nposition = [0.0, {}, 0.0]\nvelocity = [1.0, 0.0, 0.0]\n\n",
            0.2 * k as f64
        )
    };
    let contact = |k: usize| format!("[[contact]]\nbetween = [\"b{k}\", \"b{}\"]\n\n", k + 1);
    let parts: Vec<String> = (0..n).map(body).chain((0..contacts).map(contact)).collect();
    format!(
        "[simulation]\nscheme = \"dynamic\"\nend_time = 1.0\noutput_every = 1.0\ngravity = [0.0, 0.0, \
         0.0]\n\n{}",
        parts.concat()
    )
}

/// An unreduced cube in flight.
fn whole_cube() -> String {
    "[simulation]\nscheme = \"explicit\"\nend_time = 2.0e-4\noutput_every = 2.0e-4\ngravity = [0.0, 0.0, \
     0.0]\n\n[[body]]\nname = \"cube\"\nmake = { shape = \"box\", size = [0.1, 0.1, 0.1], elements = [8, 8, \
     8], hex = true }\nmaterial = \"steel\"\nvelocity = [1.0, 0.0, 0.0]\n"
        .to_owned()
}

/// CPU seconds of the frames of a run, expected, and of its time loop, measured.
fn of_frames(text: &str, every: f64, place: &Place) -> [f64; 3] {
    let line = text.lines().find(|line| line.starts_with("output_every")).unwrap();
    place.write("frames.toml", &text.replace(line, &format!("output_every = {every:e}")));
    let checked = place.json(&["check", "frames.toml", "-o", "frames"]);
    let work = checked["costs"]["run"]["work"].as_array().unwrap().iter();
    let of_frames = work.filter(|piece| piece["name"].as_str().unwrap().ends_with("frames"));
    let seconds = |piece: &Value| {
        piece["count"]["expected"].as_f64().unwrap() * piece["cpu_seconds_each"].as_f64().unwrap()
    };
    let expected = of_frames.map(seconds).sum();
    let (_, result) = run("frames", "frames.toml", place);
    let connection = Connection::open(&result).unwrap();
    let frames: f64 = connection.query_row("SELECT count(*) FROM frame", [], |row| row.get(0)).unwrap();
    let measured = timing(&result, "time loop, cpu");
    std::fs::remove_dir_all(place.path().join("frames")).unwrap();
    [expected, measured, frames]
}

/// Frames of rigid, reduced and unreduced bodies, by runs with few and with many of them.
#[test]
#[ignore = "3 min: runs seven scenarios twice"]
fn costs_of_frames() {
    let of_gallery = |name: &str| std::fs::read_to_string(gallery().join(name)).unwrap();
    let cases = [
        ("1 rigid body", balls(1, 0), 1.0 / 20_000.0),
        ("10 rigid bodies", balls(10, 0), 1.0 / 20_000.0),
        ("40 rigid bodies", balls(40, 0), 1.0 / 5000.0),
        ("10 rigid bodies, 9 contacts", balls(10, 9), 1.0 / 20_000.0),
        ("5 rigid bodies, 7 joints", of_gallery("mechanisms/four-bar.toml"), 1.0 / 2000.0),
        ("124 modes", of_gallery("valve-spring/scenario.toml"), 2e-5),
        ("2673 points", whole_cube(), 5e-7),
    ];
    println!("| in a frame | µs of CPU time: expected | measured |\n|---|---|---|");
    let place = Place::new();
    let mut missed = Vec::new();
    for (name, text, every) in cases {
        let [few, many] = [100.0, 1.0].map(|factor| of_frames(&text, factor * every, &place));
        let each = |k: usize| 1e6 * (many[k] - few[k]) / (many[2] - few[2]);
        println!("| {name} | {:.0} | {:.0} |", each(0), each(1));
        if !(0.5..=2.0).contains(&(each(0) / each(1))) {
            missed.push(name);
        }
    }
    assert!(missed.is_empty(), "outside of a factor of two: {}", missed.join(", "));
}

/// One body with a model, and no contact. `shape` are keys of `make`, `reduce` is the table of that name.
fn one_body(shape: &str, reduce: &str) -> String {
    format!(
        "[simulation]\nend_time = 1.0e-9\ntime_step = 1.0e-9\noutput_every = 1.0e-9\n\n[[body]]\nname = \
         \"body\"\nmake = {{ {shape} }}\nmaterial = \"steel\"\nreduce = {{ {reduce} }}\n"
    )
}

/// Models over the ranges of dofs, modes, interface and places; `CAROM_LARGE=1` takes a cube of 280 000 dofs.
#[test]
#[ignore = "10 min: reduces twenty bodies"]
fn costs_of_reductions() {
    let cube =
        |n: usize| format!("shape = \"box\", size = [0.1, 0.1, 0.1], elements = [{n}, {n}, {n}], hex = true");
    let means = |modes: usize| format!("attach = {{ west = \"mean\", east = \"mean\" }}, modes = {modes}");
    let places = |radius: f64| format!("places = [\"0.05,0.05,0.1:{radius}\"], modes = 20");
    let mut rows = vec![
        ("cube", cube(8), means(50)),
        ("cube", cube(14), means(50)),
        ("cube", cube(20), means(50)),
        ("cube", cube(14), means(10)),
        ("cube", cube(14), means(100)),
        ("cube", cube(14), means(200)),
        ("cube", cube(6), "interface = [\"west\"], modes = 50".to_owned()),
        ("cube", cube(10), "interface = [\"west\"], modes = 50".to_owned()),
        ("cube", cube(14), places(0.01)),
        ("cube", cube(14), places(0.03)),
        ("cube", cube(14), places(0.05)),
        ("cube", cube(20), places(0.01)),
    ];
    let rod = "shape = \"box\", size = [1.0, 0.05, 0.05], elements = [100, 6, 6], hex = true";
    let plate = "shape = \"box\", size = [1.0, 1.0, 0.02], elements = [50, 50, 2], hex = true";
    let ball = |n: usize| format!("shape = \"ball\", radius = 0.05, pole_radius = 0.01, elements = [{n}]");
    let pole = || "interface = [\"pole\"], modes = 30".to_owned();
    rows.extend([
        ("linear cube", cube(30).replace("hex = true", "hex = true, order = 1"), means(50)),
        ("rod", rod.to_owned(), means(50)),
        ("plate", plate.to_owned(), means(50)),
        ("NURBS ball", ball(2), pole()),
        ("NURBS ball", ball(4), pole()),
        ("NURBS ball", ball(6), pole()),
        ("NURBS ball", ball(4), "places = [\"0,0,0.05:0.01\"], modes = 20".to_owned()),
        ("cube, iterative", cube(8), format!("{}, solver = \"iterative\"", means(24))),
        ("cube, iterative", cube(14), format!("{}, solver = \"iterative\"", means(24))),
    ]);
    if std::env::var_os("CAROM_LARGE").is_some() {
        rows = vec![("cube", cube(28), means(50))];
    }
    println!(
        "| body | dofs | interface | modes | places | CPU s: expected | measured | ratio | MB: expected | \
         measured |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let place = Place::new();
    let mut missed = 0;
    for (number, (name, shape, reduce)) in rows.iter().enumerate() {
        let (file, folder) = (format!("{number}.toml"), format!("of-{number}"));
        place.write(&file, &one_body(shape, reduce));
        let checked = place.json(&["check", &file, "-o", &folder]);
        let of = &checked["costs"]["bodies"][0];
        let count = |key: &str| of[key].as_u64().unwrap();
        let compared = Compared::of_file(&folder, &file, &place);
        let [expected, measured] = compared.models;
        let [memory, peak] = compared.memory.map(|bytes| bytes / 1e6);
        println!(
            "| {name} | {} | {} | {} | {} | {expected:.2} | {measured:.2} | {:.2} | {memory:.0} | \
             {peak:.0} |",
            count("dofs"),
            count("interface_dofs"),
            count("modes"),
            count("places"),
            compared.of_models()
        );
        let holds = compared.models_hold() && compared.memory_holds();
        missed += usize::from(!holds);
        std::fs::remove_dir_all(place.path().join(&folder)).unwrap();
    }
    assert_eq!(missed, 0, "rows outside of a factor of two");
}
