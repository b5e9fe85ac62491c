//! Schemes that keep energy and momenta: the rigid ball in a shell, and the hollow ball on a plate.

use carom_post::curves::draw_all;
use carom_post::plot::Quantity;
use carom_report::number::significant;
use carom_report::{Axis, Drawing, Plot, Series};

use crate::{Bench, BenchError, Outcome, Row, Table};

const SHELL: &str = include_str!("../../../meshes/ball-in-shell/scenario.toml");
const HOLLOW: &str = include_str!("../../../meshes/hollow-ball/scenario.toml");
const FRICTION: &str = include_str!("../../../meshes/hollow-ball/friction.toml");
const SPINNING: &str = include_str!("../../../meshes/hollow-ball/spinning.toml");

/// Puso and Zywicz (1998), first example.
pub(crate) fn ball_in_shell(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec!["step [s]", "stiffness [N/m]", "steps", "largest change of T", "CPU [s]"];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    // The ball starts without a gap and swings to twice its static depth N/k, N = m v²/R of the reduced mass:
    // the springs then store 2 N²/k.
    let (ball, shell, radius) = (0.274, 0.743, 8.0);
    let force = ball * shell / (ball + shell) / radius;
    let stored = |stiffness: f64| 2.0 * force * force / stiffness / (0.5 * ball);
    for (step, stiffness) in [(0.001, 1e4), (0.001, 1e5), (0.01, 1e4), (0.1, 1e4), (0.5, 1e4)] {
        let keys = [
            format!("simulation.time_step={step}"),
            format!("simulation.output_every={}", f64::max(0.05, step)),
            format!("contact.0.law={{ kind = \"penalty\", point_stiffness = {stiffness:e} }}"),
        ];
        let name = format!("ball-in-shell-{step}-{stiffness:e}");
        let found = bench.run_with(&name, SHELL, None, &keys)?;
        let run = bench.open(&name)?;
        let [kinetic] = run.ledger_columns(["E_kin"])?;
        let dip = kinetic.iter().map(|e| (e / kinetic[0] - 1.0).abs()).fold(0.0, f64::max);
        let ledger = &found.summary.ledger;
        let title = format!("step of {step} s, {stiffness:e} N/m");
        let [energy, _, ang_momentum] = ledger.errors().map(|error| error.unwrap_or(0.0));
        outcome.rows.push(Row::new(format!("{title}: error of the energy"), "", energy, 0.0, 1e-12));
        outcome.rows.push(Row::new(
            format!("{title}: of the angular momentum"),
            "",
            ang_momentum,
            0.0,
            1e-12,
        ));
        if step < 0.01 {
            let what = format!("{title}: largest change of T");
            outcome.rows.push(Row::new(what, "", dip, stored(stiffness), 5e-3));
        }
        outcome.table.rows.push(vec![
            significant(step, 1),
            format!("{stiffness:e}"),
            found.summary.steps.to_string(),
            significant(dip, 3),
            significant(found.cpu_seconds, 2),
        ]);
    }
    let shown = [
        (Quantity::Energy, "energy", "Energies: the springs take 9e-7 of the kinetic energy"),
        (Quantity::Momentum, "momentum", "Momenta, of which that about x is constant"),
    ];
    for (quantity, name, caption) in shown {
        let drawing = draw_all(&[bench.open("ball-in-shell-0.001-1e4")?], &[quantity])?;
        let caption = format!("{caption}; steps of 1 ms, 1e4 N/m.");
        outcome.pictures.push((format!("ball-in-shell-{name}"), drawing, caption));
    }
    Ok(outcome)
}

/// The run whose landings give their energy back.
const PERSISTENT: &str = "hollow-ball-persistent";

/// A run of the hollow ball.
struct Ball {
    name: &'static str,
    schemes: &'static [&'static str],
    scenario: String,
    cells: &'static str,
    step: f64,
}

/// The case, with friction, with cells half as large, with longer steps, and spinning.
fn balls() -> Vec<Ball> {
    // The flattening: a whole second takes a quarter of an hour of CPU time.
    let fine = HOLLOW
        .replace("end_time = 1.0", "end_time = 0.3")
        .replace("elements = [6, 2]", "elements = [12, 4]")
        .replace("elements = [10, 10, 1]", "elements = [20, 20, 2]");
    let mixed = HOLLOW.replace("time_step", "contact_gradient = \"mixed\"\ntime_step");
    let persistent = HOLLOW.replace("time_step", "persistency = true\ntime_step");
    let both: &[&str] = &["energy-momentum", "midpoint"];
    let of = |name, scenario: &str, cells, step| {
        let is_conserving = matches!(name, "hollow-ball-mixed" | PERSISTENT);
        let schemes = if is_conserving { &both[..1] } else { both };
        Ball { name, schemes, scenario: scenario.to_owned(), cells, step }
    };
    vec![
        of("hollow-ball", HOLLOW, "532", 0.01),
        of("hollow-ball-mixed", &mixed, "532, mixed formulation", 0.01),
        of(PERSISTENT, &persistent, "532, persistency", 0.01),
        of("hollow-ball-friction", FRICTION, "532, friction", 0.01),
        of("hollow-ball-friction-short", FRICTION, "532, friction", 0.005),
        of("hollow-ball-friction-shorter", FRICTION, "532, friction", 0.0025),
        of("hollow-ball-long", HOLLOW, "532", 0.04),
        of("hollow-ball-fine", &fine, "4256, until 0.3 s", 0.01),
        of("hollow-ball-spinning-short", SPINNING, "532, spinning", 0.04),
        of("hollow-ball-spinning", SPINNING, "532, spinning", 0.08),
    ]
}

/// Franke, Hesch and Betsch (2013): both schemes.
pub(crate) fn hollow_ball(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "scheme",
        "cells",
        "step [ms]",
        "steps",
        "energy at the end [J]",
        "of landings [J]",
        "of springs over edges [J]",
        "of friction [J]",
        "of the integration [J]",
        "most rows",
        "CPU [s]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    for ball in balls() {
        for scheme in ball.schemes {
            run_ball(bench, &ball, scheme, &mut outcome)?;
        }
    }
    let landings = [("by default", "hollow-ball"), ("`persistency = true`", PERSISTENT)];
    let caption = "The total energy of the scheme `energy-momentum`, with the energy of landings given back \
                   and without.";
    outcome.pictures.push((
        "hollow-ball-landings".to_owned(),
        total_energies(bench, landings)?,
        caption.to_owned(),
    ));
    let spinning =
        [("energy-momentum", "hollow-ball-spinning"), ("midpoint", "hollow-ball-spinning-midpoint")];
    let caption = "The total energy of the spinning ball in both schemes, steps of 80 ms.";
    outcome.pictures.push((
        "hollow-ball-drift".to_owned(),
        total_energies(bench, spinning)?,
        caption.to_owned(),
    ));
    Ok(outcome)
}

/// Kinetic and elastic energy of runs, by their labels and names, in one plot.
fn total_energies(bench: &Bench<'_>, runs: [(&str, &str); 2]) -> Result<Drawing, BenchError> {
    let mut plot = Plot::new("Total energy", Axis::new("time", "s"), Axis::new("energy", "J"));
    for (label, name) in runs {
        let [time, kinetic, elastic] = bench.open(name)?.ledger_columns(["time", "E_kin", "E_el"])?;
        let total = kinetic.iter().zip(&elastic).map(|(kinetic, elastic)| kinetic + elastic).collect();
        plot = plot.with(Series::line(label, time, total));
    }
    Ok(plot.draw())
}

fn run_ball(bench: &Bench<'_>, ball: &Ball, scheme: &str, outcome: &mut Outcome) -> Result<(), BenchError> {
    let Ball { name, scenario, cells, step, .. } = ball;
    let name = if scheme == "midpoint" { format!("{name}-midpoint") } else { (*name).to_owned() };
    let keys = [format!("simulation.scheme=\"{scheme}\""), format!("simulation.time_step={step}")];
    let found = bench.run_with(&name, scenario, None, &keys)?;
    let run = bench.open(&name)?;
    let columns = ["E_kin", "E_el", "D_imp", "D_con", "D_fric", "D_num"];
    let [kinetic, elastic, landed, springs, friction, missed] = run.ledger_columns(columns)?;
    let last = |column: &[f64]| column.last().copied().unwrap_or(f64::NAN);
    let [balance, momentum, ang_momentum] = found.summary.ledger.errors().map(|e| e.unwrap_or(0.0));
    if scheme == "energy-momentum" {
        if name == "hollow-ball" {
            outcome.rows.push(Row::new("kinetic energy at the start", "J", kinetic[0], 1983.755, 1e-6));
        }
        let missed = missed.iter().map(|d| d.abs()).fold(0.0, f64::max) / kinetic[0];
        outcome.rows.push(Row::new(
            format!("{name}: energy that the integration changes"),
            "",
            missed,
            0.0,
            1e-9,
        ));
    }
    // The midpoint rule visibly gains energy where its steps are long.
    let of_what = match name.as_str() {
        "hollow-ball-spinning-midpoint" => Some(("integration", &missed)),
        "hollow-ball-friction-midpoint" => Some(("springs", &springs)),
        _ => None,
    };
    if let Some((source, losses)) = of_what {
        let gain = -last(losses) / kinetic[0];
        outcome.rows.push(Row::at_least(format!("{name}: gain of energy by the {source}"), "", gain, 0.02));
    }
    if name == PERSISTENT {
        let kept = (last(&kinetic) + last(&elastic)) / kinetic[0] - 1.0;
        outcome.rows.push(Row::new(format!("{name}: change of the energy"), "", kept.abs(), 0.0, 1e-9));
    }
    outcome.rows.push(Row::new(format!("{name}: balance of the energy"), "", balance, 0.0, 1e-9));
    outcome.rows.push(Row::new(format!("{name}: momentum"), "", momentum, 0.0, 1e-11));
    outcome.rows.push(Row::new(format!("{name}: angular momentum"), "", ang_momentum, 0.0, 1e-11));
    let least = [&landed, &friction]
        .map(|loss| loss.windows(2).map(|w| w[1] - w[0]).fold(0.0, f64::min) / kinetic[0]);
    if scheme == "energy-momentum" {
        let gain = least.into_iter().fold(0.0, f64::min).abs();
        outcome.rows.push(Row::new(format!("{name}: gain by landings and friction"), "", gain, 0.0, 1e-9));
    }
    let counters = run.reader().counters().map_err(carom_post::RunError::from)?;
    let most = counters.iter().find(|(own, _)| own == "most_multipliers").map_or(0, |(_, count)| *count);
    outcome.table.rows.push(vec![
        scheme.to_owned(),
        (*cells).to_owned(),
        significant(1e3 * step, 2),
        found.summary.steps.to_string(),
        significant(last(&kinetic) + last(&elastic), 6),
        significant(last(&landed), 3),
        significant(last(&springs), 3),
        significant(last(&friction), 3),
        significant(last(&missed), 3),
        most.to_string(),
        significant(found.cpu_seconds, 3),
    ]);
    let which = match ball.name {
        "hollow-ball" => "",
        "hollow-ball-friction" => ", with friction",
        PERSISTENT => " with `persistency = true`",
        "hollow-ball-spinning" => ", of the spinning ball",
        _ => return Ok(()),
    };
    for (what, quantity) in [("energy", Quantity::Energy), ("momentum", Quantity::Momentum)] {
        let drawing = draw_all(std::slice::from_ref(&run), &[quantity])?;
        let caption = format!("The {what} of the scheme `{scheme}`{which}.");
        outcome.pictures.push((format!("{name}-{what}"), drawing, caption));
    }
    Ok(())
}
