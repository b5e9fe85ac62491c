//! Impacts with contact that does not see the mesh beside the same with meshes that resolve the contact.

use std::fs;
use std::path::Path;

use carom_contact::closed_form::{HertzPair, RowImpact};
use carom_post::{Run, patch};
use carom_simulate::cpu_seconds;

use crate::bench::{simulation, steel};
use crate::impacts::{RADIUS, TwoBalls};
use crate::{Bench, BenchError, Outcome, Row, Table, chains};

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

/// Largest deviation from converged finite elements.
const CLAIM_OF_CONVERGED: f64 = 0.01;

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
    /// Pair whose hardest impact is compared.
    pair: usize,
    /// Body whose speed afterwards is compared.
    body: usize,
    /// True for bodies that touch from the start.
    touching: bool,
    /// The bodies as Hertz' theory sees them, for the pressure of a force.
    hertz: HertzPair,
    /// Largest force \[N\], duration \[s\] and speed \[m/s\] of converged finite elements.
    converged: &'static [f64],
    /// Most CPU time \[s\] and most bytes of the files of the run on a grid.
    most: [Option<f64>; 2],
}

fn impacts() -> [Beside; 4] {
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
    let ball = |name: &str, place: f64, speed: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\n\
             make = {{ shape = \"ball\", radius = {RADIUS} }}\n\
             position = [0.0, 0.0, {place:e}]\nvelocity = [0.0, 0.0, {speed}]\n"
        )
    };
    let away = RADIUS + 2e-6;
    let contact = "[[contact]]\nbetween = [\"lower\", \"upper\"]\nlaw = { kind = \"lagrange\" }\n".to_owned();
    let (lower, upper) = (ball("lower", -away, 0.25), ball("upper", away, -0.25));
    let two_balls = [simulation(1.6e-4), steel(7780.0), lower, upper, contact].join("\n");
    let steel = HertzPair::new([RADIUS; 2], [210e9; 2], [0.3; 2]);
    let beside = |name, resolved, shapes| Beside {
        name,
        resolved,
        shapes,
        pair: 0,
        body: 0,
        touching: false,
        hertz: steel,
        converged: &[],
        most: [None; 2],
    };
    [
        Beside {
            hertz: HertzPair::new([RADIUS, f64::INFINITY], [210e9, 72e9], [0.3, 0.33]),
            converged: &[484.37, 188.10e-6, 0.13450],
            most: [Some(15.0), Some(60e6)],
            ..beside("ball on a rod", main, shapes)
        },
        Beside {
            converged: &[989.43, 102.51e-6, 0.25],
            most: [Some(10.0), None],
            ..beside("two balls", TwoBalls::at(0.5).scenario(), two_balls)
        },
        Beside { body: 1, ..beside("double pendulums", pendulums, hanging) },
        Beside {
            pair: 1,
            body: 4,
            touching: true,
            hertz: HertzPair::new([0.02; 2], [100e6; 2], [0.45; 2]),
            ..beside("cradle", CRADLE.to_owned(), in_a_row)
        },
    ]
}

/// Figures of a run.
struct Found {
    dofs: usize,
    /// Interface dofs or places.
    interface: usize,
    modes: usize,
    /// Bytes of bodies, models and result.
    bytes: f64,
    cpu_seconds: f64,
    force: f64,
    /// First and last time of the contact \[s\].
    times: [f64; 2],
    /// \[N s\].
    impulse: f64,
    speed: f64,
    pressure: Pressure,
}

impl Found {
    fn duration(&self) -> f64 {
        self.times[1] - self.times[0]
    }
}

/// The pressure of the frame with the largest force.
struct Pressure {
    /// Largest pressure \[Pa\] and contact radius \[m\]: of faces by a fit, of a grid by its cells.
    figures: [f64; 2],
    /// The same by Hertz' theory for the force of the frame.
    hertz: [f64; 2],
}

impl Pressure {
    fn of(run: &Run, impact: &Beside) -> Result<Self, BenchError> {
        let forces = run.reader().normal_forces(impact.pair).map_err(carom_post::RunError::from)?;
        let hardest = (0..forces.len()).max_by(|&a, &b| forces[a].total_cmp(&forces[b])).unwrap_or(0);
        let frame = run.reader().frame(hardest).map_err(carom_post::RunError::from)?;
        let grid = &frame.contacts[impact.pair].grid;
        let figures = match grid.cells.is_empty() {
            false => [grid.peak(), grid.contact_radius()],
            true => {
                let fit = patch::fit(run, impact.pair)?;
                [fit.peak_pressure, fit.radius]
            }
        };
        let hertz = impact.hertz.at_force(forces[hardest]);
        Ok(Self { figures, hertz: [hertz.peak_pressure, hertz.contact_radius] })
    }

    /// Deviations from Hertz' theory.
    fn deviations(&self) -> [f64; 2] {
        [0, 1].map(|k| self.figures[k] / self.hertz[k] - 1.0)
    }
}

/// Bytes of the files in a folder.
fn bytes_of(folder: &Path) -> f64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|file| file.len() as f64).sum()
}

fn run(bench: &Bench<'_>, name: &str, text: &str, impact: &Beside) -> Result<Found, BenchError> {
    bench.clear(name)?;
    let started = cpu_seconds();
    let outcome = bench.run(name, text, None)?;
    let cpu_seconds = cpu_seconds() - started;
    let own = |event: &&carom_dynamics::ContactEvent| event.pair == impact.pair && !event.open;
    let events = outcome.summary.contacts.iter().filter(own);
    let hardest = events.max_by(|a, b| a.peak_force.total_cmp(&b.peak_force));
    let Some(event) = hardest else {
        return Err(BenchError::Impacts { scenario: name.to_owned(), count: 0 });
    };
    let opened = bench.open(name)?;
    let (mut interface, mut modes, mut seen) = (0, 0, Vec::new());
    for body in &opened.header().bodies {
        let path = &body.rom_path;
        if path.is_empty() || seen.contains(&path) {
            continue;
        }
        seen.push(path);
        let model = carom_format::read_rom(path.as_ref())?.reduced;
        interface += model.n_interface_dofs;
        interface += model.places.iter().map(|of| of.places_b.len()).sum::<usize>();
        modes += model.omega.len();
    }
    let result =
        fs::metadata(bench.folder.join(format!("{name}.carom"))).map_or(0.0, |file| file.len() as f64);
    let speed = outcome.bodies[impact.body].velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
    Ok(Found {
        dofs: Bench::dofs(&opened)?,
        interface,
        modes,
        bytes: bytes_of(&bench.folder.join(name)) + result,
        cpu_seconds,
        force: event.peak_force,
        times: [event.start, event.end],
        impulse: event.impulse.iter().map(|p| p * p).sum::<f64>().sqrt(),
        speed,
        pressure: Pressure::of(&opened, impact)?,
    })
}

/// Figures of the run on a grid with their claims.
fn rows(impact: &Beside, resolved: &Found, shapes: &Found) -> Vec<Row> {
    let name = impact.name;
    let claimed =
        |what: &str, unit, found, expected| Row::new(format!("{name}: {what}"), unit, found, expected, CLAIM);
    let mut rows = vec![claimed("peak force", "N", shapes.force, resolved.force)];
    if impact.touching {
        rows.extend(of_a_row(impact, resolved, shapes));
    } else {
        rows.push(claimed("duration", "s", shapes.duration(), resolved.duration()));
        rows.push(claimed("speed afterwards", "m/s", shapes.speed, resolved.speed));
    }
    let Pressure { figures, hertz } = &shapes.pressure;
    for (k, (what, unit)) in [("peak pressure", "Pa"), ("contact radius", "m")].into_iter().enumerate() {
        let what = format!("{name}: {what}, against Hertz' for the force");
        rows.push(Row::new(what, unit, figures[k], hertz[k], CLAIM));
    }
    let found = [
        (shapes.force, "peak force", "N"),
        (shapes.duration(), "duration", "s"),
        (shapes.speed, "speed", "m/s"),
    ];
    for ((found, what, unit), &expected) in found.into_iter().zip(impact.converged) {
        let what = format!("{name}: {what}, against converged finite elements");
        rows.push(Row::new(what, unit, found, expected, CLAIM_OF_CONVERGED));
    }
    let costs =
        [(shapes.cpu_seconds, "CPU time of the whole run", "s"), (shapes.bytes, "bytes of its files", "")];
    for ((found, what, unit), most) in costs.into_iter().zip(impact.most) {
        rows.extend(most.map(|most| Row::new(format!("{name}: {what}"), unit, found, 0.0, most)));
    }
    let what = format!("{name}: CPU time of the resolved run over this one");
    rows.push(Row::at_least(what, "", resolved.cpu_seconds / shapes.cpu_seconds, 1.0));
    rows
}

/// Figures of a contact in a row of balls that touch, with the claims.
///
/// Such a contact starts with forces that are a millionth of the largest, and its duration follows the
/// first of them: the chain of springs shows by how much a micrometre between the balls changes it. Its end
/// is compared with that of the chain, as cells close late and open early; its impulse with that of cells,
/// as balls of the chain do not vibrate.
fn of_a_row(impact: &Beside, resolved: &Found, shapes: &Found) -> Vec<Row> {
    let Beside { name, pair, .. } = impact;
    let [chain, apart] = [0.0, 1e-6].map(|gap| chains::row(true, gap));
    let duration = |chain: &RowImpact| chain.touches[*pair][1] - chain.touches[*pair][0];
    let shown = |what: &str, value| Row::shown(format!("{name}: duration, {what}"), "s", value);
    let row =
        |what: &str, unit, found, expected| Row::new(format!("{name}: {what}"), unit, found, expected, CLAIM);
    vec![
        row("impulse", "N s", shapes.impulse, resolved.impulse),
        Row::shown(format!("{name}: impulse, chain of springs"), "N s", chain.impulses[*pair]),
        row("end of the contact, against a chain of springs", "s", shapes.times[1], chain.touches[*pair][1]),
        Row::shown(format!("{name}: end of the contact, resolved by cells"), "s", resolved.times[1]),
        row("speed afterwards, difference over the first speed", "", shapes.speed - resolved.speed, 0.0),
        shown("resolved by cells", resolved.duration()),
        shown("half-spaces", shapes.duration()),
        shown("chain of springs", duration(&chain)),
        shown("chain of springs, the balls 1 um apart", duration(&apart)),
    ]
}

/// Each impact in both ways.
pub(crate) fn beside(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "impact",
        "contact",
        "dofs",
        "interface dofs or places",
        "modes",
        "files [MB]",
        "CPU of the whole run [s]",
        "force [N]",
        "duration [µs]",
        "speed afterwards [m/s]",
        "peak pressure [MPa]",
        "over Hertz' [%]",
        "contact radius [mm]",
        "over Hertz' [%]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    for impact in impacts() {
        let name = impact.name;
        let files = ["resolved", "shapes"].map(|way| format!("beside-{}-{way}", name.replace(' ', "-")));
        let resolved = run(bench, &files[0], &impact.resolved, &impact)?;
        let shapes = run(bench, &files[1], &impact.shapes, &impact)?;
        outcome.rows.extend(rows(&impact, &resolved, &shapes));
        for (way, found) in [("resolved by cells", &resolved), ("half-spaces", &shapes)] {
            outcome.table.rows.push(vec![
                name.to_owned(),
                way.to_owned(),
                found.dofs.to_string(),
                found.interface.to_string(),
                found.modes.to_string(),
                format!("{:.2}", found.bytes / 1e6),
                format!("{:.1}", found.cpu_seconds),
                format!("{:.2}", found.force),
                format!("{:.2}", 1e6 * found.duration()),
                format!("{:.5}", found.speed),
                format!("{:.2}", found.pressure.figures[0] / 1e6),
                format!("{:+.1}", 100.0 * found.pressure.deviations()[0]),
                format!("{:.4}", 1e3 * found.pressure.figures[1]),
                format!("{:+.1}", 100.0 * found.pressure.deviations()[1]),
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
