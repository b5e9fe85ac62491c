//! Impacts of bodies that a scenario describes by their shapes alone: the program chooses places, modes and
//! cells (docs/theory/half-space.md).

use std::fs;

use carom_dynamics::ErrorEstimate;
use carom_simulate::RunOutcome;

use crate::{Bench, BenchError, Outcome, Row, Table};

/// A ball on the end of a rod: the main job.
const MAIN: &str = include_str!("../../../meshes/sphere-on-rod/scenario.toml");

/// Largest deviation from a resolved impact.
const CLAIM: f64 = 0.01;

/// The same 3 mm from an edge, which is nearer than the radius of the loads, r₀ = 7.5 mm.
const CLAIM_AT_EDGE: f64 = 0.025;

/// An impact with its reference.
struct Trial {
    name: &'static str,
    text: String,
    /// Peak force \[N\], duration \[s\], and speed of the first body afterwards, if it is known \[m/s\].
    expected: [Option<f64>; 3],
}

/// A scenario of two steel bodies that meet along z.
///
/// * `first`, `second` — the tables of the bodies but for their material
fn of_two(density: f64, end: f64, first: &str, second: &str) -> String {
    format!(
        "[simulation]\nscheme = \"quasistatic\"\nend_time = {end:e}\ngravity = [0.0, 0.0, 0.0]\n\
         output_every = 2.0e-6\n\
         [material.m]\ndensity = {density}\nyoung = 210e9\npoisson = 0.3\n\
         [[body]]\nname = \"first\"\nmaterial = \"m\"\n{first}\n\
         [[body]]\nname = \"second\"\nmaterial = \"m\"\n{second}\n\
         [[contact]]\nbetween = [\"first\", \"second\"]\nlaw = {{ kind = \"lagrange\" }}\n"
    )
}

/// A ball of a radius at a place, with a velocity along z.
fn ball(radius: f64, [x, y, z]: [f64; 3], speed: f64) -> String {
    format!(
        "make = {{ shape = \"ball\", radius = {radius} }}\nposition = [{x:e}, {y:e}, {z:e}]\n\
         velocity = [0.0, 0.0, {speed}]"
    )
}

fn trials() -> Vec<Trial> {
    let known = |force: f64, duration: f64| [Some(force), Some(duration), None];
    let balls = |speed: f64, duration: f64| {
        let at = |z: f64, speed: f64| ball(0.015, [0.0, 0.0, z], speed);
        let end = 4e-6 / speed + 1.4 * duration;
        of_two(7780.0, end, &at(-0.015002, 0.5 * speed), &at(0.015002, -0.5 * speed))
    };
    let rod = "make = { shape = \"rod\", radius = 0.01, length = 0.4 }\nrotation = { axis = [0.0, 1.0, 0.0], \
               degrees = 90.0 }";
    // Along −z from the origin.
    let on_rod = of_two(7800.0, 2e-4, &ball(0.015, [0.0, 0.0, 0.0150001], -0.3), rod);
    let on_plate = |x: f64, y: f64| {
        let plate =
            "make = { shape = \"box\", size = [0.1, 0.08, 0.005] }\nposition = [-0.05, -0.04, -0.005]";
        of_two(7800.0, 9e-5, &ball(0.0075, [x, y, 0.0075005], -0.5), plate)
    };
    let disc = "make = { shape = \"rod\", radius = 0.05, length = 0.005 }\nrotation = { axis = [0.0, 1.0, \
                0.0], degrees = 90.0 }";
    let on_disc = of_two(7800.0, 9e-5, &ball(0.0075, [0.0, 0.0, 0.0075005], -0.5), disc);
    let trial = |name, text, expected| Trial { name, text, expected };
    vec![
        trial("balls at 0.2 m/s", balls(0.2, 123.43e-6), known(328.41, 123.43e-6)),
        trial("balls at 0.5 m/s", balls(0.5, 102.51e-6), known(989.43, 102.51e-6)),
        trial("balls at 1 m/s", balls(1.0, 89.01e-6), known(2281.2, 89.01e-6)),
        trial("ball on a short rod", on_rod, known(770.50, 134.30e-6)),
        trial("ball on a long rod", MAIN.to_owned(), [Some(484.37), Some(188.10e-6), Some(0.13450)]),
        trial("ball on a disc", on_disc, [Some(324.79), Some(63.50e-6), Some(0.29886)]),
        trial("ball on a plate", on_plate(0.021, 0.0123), [Some(325.3), Some(62.85e-6), Some(0.2779)]),
        trial(
            "ball at the edge of a plate",
            on_plate(0.047, 0.0123),
            [Some(238.8), Some(71.2e-6), Some(0.0620)],
        ),
    ]
}

/// Figures of a run: force, duration, speed of the first body.
fn figures(outcome: &RunOutcome) -> Option<[f64; 3]> {
    let [event] = outcome.summary.contacts[..] else { return None };
    let speed = outcome.bodies[0].velocity.iter().map(|v| v * v).sum::<f64>().sqrt();
    Some([event.peak_force, event.end - event.start, speed])
}

/// Impacts of bodies without a reduction, meshes or zones against resolved ones.
pub(crate) fn open_contact(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "impact",
        "dofs",
        "places",
        "modes",
        "models [kB]",
        "force [N]",
        "error [%]",
        "duration [µs]",
        "error [%]",
        "estimate [%]",
        "CPU of the time loop [s]",
        "whole run [s]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    for Trial { name, text, expected } in trials() {
        let file = name.replace([' ', '/'], "-");
        let clock = std::time::Instant::now();
        let run = bench.run(&file, &text, None)?;
        let seconds = clock.elapsed().as_secs_f64();
        let Some(found) = figures(&run) else {
            let count = run.summary.contacts.len();
            return Err(BenchError::Impacts { scenario: name.to_owned(), count });
        };
        let what = ["peak force", "duration", "speed of the ball afterwards"];
        for (((what, unit), found), expected) in
            what.into_iter().zip(["N", "s", "m/s"]).zip(found).zip(expected)
        {
            if let Some(expected) = expected {
                let claim = if name.contains("edge") { CLAIM_AT_EDGE } else { CLAIM };
                outcome.rows.push(Row::new(format!("{name}: {what}"), unit, found, expected, claim));
            }
        }
        let errors = [0, 1].map(|k| expected[k].map_or(f64::NAN, |expected| found[k] / expected - 1.0));
        let estimate = run.error_estimates.first().copied().flatten();
        let estimate = estimate.unwrap_or(ErrorEstimate::UNKNOWN);
        for (what, error, estimate) in
            [("force", errors[0], estimate.force), ("duration", errors[1], estimate.duration)]
        {
            let share = error.abs() / estimate;
            outcome.rows.push(Row::new(
                format!("{name}: error of the {what} over its estimate"),
                "",
                share,
                0.0,
                1.0,
            ));
        }
        let ledger = &run.summary.ledger;
        outcome.rows.push(Row::new(
            format!("{name}: error of the energy"),
            "",
            ledger.energy_error,
            0.0,
            1e-5,
        ));
        let opened = bench.open(&file)?;
        let (mut kilobytes, mut places, mut modes) = (0.0, 0, 0);
        for body in &opened.header().bodies {
            kilobytes += fs::metadata(&body.rom_path).map_or(f64::NAN, |found| found.len() as f64 / 1e3);
            let model = carom_format::read_rom(body.rom_path.as_ref())?;
            places += model.reduced.places.iter().map(|of| of.places_b.len()).sum::<usize>();
            modes += body.modes[1];
        }
        outcome.table.rows.push(vec![
            name.to_owned(),
            Bench::dofs(&opened)?.to_string(),
            places.to_string(),
            modes.to_string(),
            format!("{kilobytes:.0}"),
            format!("{:.1}", found[0]),
            format!("{:+.2}", 100.0 * errors[0]),
            format!("{:.2}", 1e6 * found[1]),
            format!("{:+.2}", 100.0 * errors[1]),
            format!("{:.2}", 100.0 * estimate.force),
            format!("{:.2}", run.cpu_seconds),
            format!("{seconds:.1}"),
        ]);
    }
    Ok(outcome)
}
