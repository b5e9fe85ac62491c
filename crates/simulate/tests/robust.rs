//! Impacts that are unusual: scaled, begun in overlap, over an edge, beside a surface, between very stiff and very soft.

use std::path::Path;

use carom_format::Scenario;
use carom_multibody::RunSummary;
use carom_progress::Silent;
use carom_simulate::{RunOptions, SimulateError, Workshop, prepare, run};

/// A ball that meets a rigid wall, all lengths times `size`, the stiffness times `stiffness`, speeds as waves.
#[derive(Debug, Clone, Copy)]
struct Scale {
    size: f64,
    stiffness: f64,
}

const ONE: Scale = Scale { size: 1.0, stiffness: 1.0 };

impl Scale {
    fn speed(&self) -> f64 {
        self.stiffness.sqrt()
    }

    fn time(&self) -> f64 {
        self.size / self.speed()
    }
}

fn text(scale: Scale, position: [f64; 3], velocity: [f64; 3]) -> String {
    let Scale { size, stiffness } = scale;
    let at = position.map(|x| x * size);
    let velocity = velocity.map(|v| v * scale.speed());
    format!(
        r#"
[simulation]
end_time = {}
relative_tolerance = 1.0e-6

[material.metal]
density = 7800.0
young = {}
poisson = 0.3

[[body]]
name = "ball"
make = {{ shape = "ball", radius = {}, pole_radius = {}, grade = {{ at = "pole", finest = {} }} }}
material = "metal"
reduce = {{ interface = ["pole"], modes = 8, split = {} }}
position = {at:?}
velocity = {velocity:?}

[[body]]
name = "wall"
make = {{ shape = "box", size = [{}, {}, {}] }}
rigid = true
fixed = true
material = "metal"
position = [{}, {}, 0.0]

[[contact]]
between = ["ball:pole", "wall:bottom"]
law = {{ kind = "complementarity" }}
"#,
        5e-5 * scale.time(),
        210e9 * stiffness,
        0.015 * size,
        3.9e-3 * size,
        1.5e-3 * size,
        1e5 / scale.time(),
        0.02 * size,
        0.02 * size,
        0.01 * size,
        -0.01 * size,
        -0.01 * size,
    )
}

fn solve(text: &str, overrides: &[&str]) -> Result<RunSummary, SimulateError> {
    let overrides: Vec<String> = overrides.iter().map(|text| (*text).to_owned()).collect();
    let scenario = Scenario::parse(Path::new("robust.toml"), text, &overrides, &["steel"]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop { scenario_folder: folder.path(), bodies: folder.path() };
    let bodies = prepare(&scenario, workshop, &Silent)?;
    let result = folder.path().join("result.carom");
    let outcome = run(&scenario, folder.path(), &bodies, &result, RunOptions::default(), &Silent)?;
    println!(
        "{overrides:?}: {:?} {:?} {:?} {:?}",
        outcome.summary.contacts, outcome.summary.counters, outcome.summary.ledger, outcome.warnings
    );
    Ok(outcome.summary)
}

const ABOVE: [f64; 3] = [0.0, 0.0, -0.0150001];
const DOWN: [f64; 3] = [0.0, 0.0, 40.0];

/// F = E L² f(x/L, t c/L, v/c): a thousandth of the length, a million times the stiffness and both give the same impact in their units.
#[test]
fn a_scaled_problem_has_the_scaled_answer() {
    let plain = solve(&text(ONE, ABOVE, DOWN), &[]).unwrap().contacts[0];
    for (size, stiffness) in [(1e-3, 1.0), (1.0, 1e6), (1.0, 1e-6), (1e-3, 1e6), (1e3, 1e-6)] {
        let scale = Scale { size, stiffness };
        let found = solve(&text(scale, ABOVE, DOWN), &[]).unwrap();
        let event = found.contacts[0];
        let force = size * size * stiffness;
        let ratios = [
            event.peak_force / (plain.peak_force * force),
            event.duration() / (plain.duration() * scale.time()),
            event.impulse[2] / (plain.impulse[2] * force * scale.time()),
        ];
        println!("{scale:?} {ratios:?}");
        assert!(ratios.iter().all(|ratio| (ratio - 1.0).abs() < 1e-6), "{scale:?} {ratios:?}");
    }
}

#[test]
fn overlap() {
    for depth in [1e-6, 1e-5, 5e-5] {
        let r = solve(&text(ONE, [0.0, 0.0, -0.015 + depth], [0.0; 3]), &[]);
        println!("overlap {depth} {:?}", r.map(|_| ()));
    }
}

#[test]
fn edge() {
    for x in [0.0098, 0.0099, 0.01, 0.0101, 0.0105, 0.011] {
        let r = solve(&text(ONE, [x, 0.0, -0.0150001], DOWN), &[]);
        println!("edge {x} {:?}", r.map(|_| ()).map_err(|e| chain(&e)));
    }
}

fn chain(e: &dyn std::error::Error) -> String {
    let mut t = e.to_string();
    let mut c = e.source();
    while let Some(e) = c {
        t += &format!(" <- {e}");
        c = e.source();
    }
    t
}

#[test]
fn leaving() {
    for v in [500.0, 2000.0] {
        let r = solve(&text(ONE, [0.005, 0.0, -0.0150001], [v, 0.0, 40.0]), &[]);
        println!("leaving {v} {:?}", r.map(|_| ()).map_err(|e| chain(&e)));
    }
}
