//! Impacts with contact that does not see the mesh beside the same with meshes that resolve the contact.

use std::fs;

use carom_post::patch;
use carom_simulate::cpu_seconds;

use crate::{Bench, BenchError, Outcome, Row, Table};

/// A ball on the end of a rod: the main job.
const MAIN: [&str; 2] = [
    include_str!("../../../meshes/sphere-on-rod/resolved.toml"),
    include_str!("../../../meshes/sphere-on-rod/scenario.toml"),
];

/// Two double pendulums, their balls with a mesh that resolves the contact.
const PENDULUMS: &str = include_str!("../../../meshes/double-pendulums/impact.toml");
const COARSE: &str = "pole_radius = 3.0e-4, focus = 2.5, grade = { at = \"pole\", finest = 1.6e-4 }";
const FINE: &str = "pole_radius = 3.6e-4, focus = 2.5, grade = { at = \"pole\", finest = 6.0e-5 }";

/// Five balls in a row.
const CRADLE: &str = include_str!("../../../meshes/cradle/elastic.toml");

/// Largest difference of force, duration and speed.
const CLAIM: f64 = 0.02;

/// The same of the slow balls of the cradle, over the speed of the first one.
const CLAIM_OF_SPEED: f64 = 0.02;

/// A scenario with a part of its text replaced.
///
/// # Panics
///
/// If it does not have this part: the scenario was changed, and this file was not.
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "the scenario has no `{from}`");
    text.replace(from, to)
}

/// An impact in both ways.
struct Beside {
    name: &'static str,
    resolved: String,
    shapes: String,
    /// Pair whose first impact is compared.
    pair: usize,
    /// Body whose speed afterwards is compared, and the speed that errors refer to; none for its own.
    body: (usize, Option<f64>),
}

fn impacts() -> [Beside; 3] {
    let pendulums = replaced(PENDULUMS, COARSE, FINE);
    let hanging = replaced(PENDULUMS, &format!(", {COARSE}"), "");
    let hanging = replaced(&hanging, "reduce = { interface = [\"pole\"], modes = 12, split = 1.6e4 }\n", "");
    let named = "[\"left-ball:pole\", \"right-ball:pole\"]";
    let hanging = replaced(&hanging, named, "[\"left-ball\", \"right-ball\"]");
    let in_a_row: String = CRADLE
        .lines()
        .filter(|line| !["refine = ", "zone = ", "reduce = "].iter().any(|key| line.starts_with(key)))
        .map(|line| {
            line.replace(", pole_radius = 2.5e-3, elements = 3", "").replace(":pole", "").replace(":back", "")
                + "\n"
        })
        .collect();
    let [main, shapes] = MAIN.map(str::to_owned);
    [
        Beside { name: "ball on a rod", resolved: main, shapes, pair: 0, body: (0, None) },
        Beside { name: "double pendulums", resolved: pendulums, shapes: hanging, pair: 0, body: (1, None) },
        Beside {
            name: "cradle",
            resolved: CRADLE.to_owned(),
            shapes: in_a_row,
            pair: 1,
            body: (4, Some(1.0)),
        },
    ]
}

/// Figures of a run.
struct Found {
    dofs: usize,
    /// Interface dofs or places.
    interface: usize,
    modes: usize,
    megabytes: f64,
    cpu_seconds: f64,
    force: f64,
    duration: f64,
    speed: f64,
}

fn run(bench: &Bench<'_>, name: &str, text: &str, impact: &Beside) -> Result<Found, BenchError> {
    let started = cpu_seconds();
    let outcome = bench.run(name, text, None)?;
    let cpu_seconds = cpu_seconds() - started;
    let own = |event: &&carom_dynamics::ContactEvent| event.pair == impact.pair && !event.open;
    let Some(event) = outcome.summary.contacts.iter().find(own) else {
        return Err(BenchError::Impacts { scenario: name.to_owned(), count: 0 });
    };
    let opened = bench.open(name)?;
    let (mut interface, mut modes, mut bytes, mut seen) = (0, 0, 0, Vec::new());
    for body in &opened.header().bodies {
        let path = &body.rom_path;
        if path.is_empty() || seen.contains(&path) {
            continue;
        }
        seen.push(path);
        bytes += fs::metadata(path).map_or(0, |found| found.len());
        let model = carom_format::read_rom(path.as_ref())?.reduced;
        interface += model.n_interface_dofs;
        interface += model.places.iter().map(|of| of.places_b.len()).sum::<usize>();
        modes += model.omega.len();
    }
    let speed = outcome.bodies[impact.body.0].velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
    Ok(Found {
        dofs: Bench::dofs(&opened)?,
        interface,
        modes,
        megabytes: bytes as f64 / 1e6,
        cpu_seconds,
        force: event.peak_force,
        duration: event.end - event.start,
        speed,
    })
}

/// Each impact in both ways.
pub(crate) fn beside(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "impact",
        "contact",
        "dofs",
        "interface dofs or places",
        "modes",
        "models [MB]",
        "CPU of the whole run [s]",
        "force [N]",
        "duration [µs]",
        "speed afterwards [m/s]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    for impact in impacts() {
        let name = impact.name;
        let files = ["resolved", "shapes"].map(|way| format!("beside-{}-{way}", name.replace(' ', "-")));
        // Models of an earlier run would hide their cost.
        for file in &files {
            let _ = fs::remove_dir_all(bench.folder.join(file));
        }
        let resolved = run(bench, &files[0], &impact.resolved, &impact)?;
        let shapes = run(bench, &files[1], &impact.shapes, &impact)?;
        let rows = &mut outcome.rows;
        rows.push(Row::new(format!("{name}: peak force"), "N", shapes.force, resolved.force, CLAIM));
        rows.push(Row::new(format!("{name}: duration"), "s", shapes.duration, resolved.duration, CLAIM));
        let what = format!("{name}: speed afterwards");
        rows.push(match impact.body.1 {
            None => Row::new(what, "m/s", shapes.speed, resolved.speed, CLAIM),
            Some(of) => {
                let difference = (shapes.speed - resolved.speed) / of;
                Row::new(format!("{what}, difference"), "", difference, 0.0, CLAIM_OF_SPEED)
            }
        });
        let times = resolved.cpu_seconds / shapes.cpu_seconds;
        rows.push(Row::at_least(
            format!("{name}: CPU time of the resolved run over this one"),
            "",
            times,
            1.0,
        ));
        for (way, found) in [("resolved by cells", &resolved), ("half-spaces", &shapes)] {
            outcome.table.rows.push(vec![
                name.to_owned(),
                way.to_owned(),
                found.dofs.to_string(),
                found.interface.to_string(),
                found.modes.to_string(),
                format!("{:.2}", found.megabytes),
                format!("{:.1}", found.cpu_seconds),
                format!("{:.2}", found.force),
                format!("{:.2}", 1e6 * found.duration),
                format!("{:.5}", found.speed),
            ]);
        }
        for (file, way) in files.iter().zip(["resolved by cells", "on a grid of half-spaces"]) {
            let drawing = patch::draw(&bench.open(file)?, impact.pair)?;
            let caption = format!("Pressure under the largest force, {name}, {way}.");
            outcome.pictures.push((file.clone(), drawing, caption));
        }
    }
    Ok(outcome)
}
