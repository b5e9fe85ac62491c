//! Schemes that keep energy and momenta: the rigid ball in a shell, and the hollow ball on a plate.

use carom_post::curves::draw_all;
use carom_post::plot::Quantity;
use carom_report::number::significant;

use crate::{Bench, BenchError, Outcome, Row, Table};

const SHELL: &str = include_str!("../../../meshes/ball-in-shell/scenario.toml");
const HOLLOW: &str = include_str!("../../../meshes/hollow-ball/scenario.toml");

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
    Ok(outcome)
}

/// Franke, Hesch and Betsch (2013): both schemes.
pub(crate) fn hollow_ball(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "scheme",
        "steps",
        "energy at the end [J]",
        "of landings [J]",
        "of the integration [J]",
        "most multipliers",
        "CPU [s]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    let mut runs = Vec::new();
    for (name, scheme) in [("hollow-ball", "energy-momentum"), ("hollow-ball-midpoint", "midpoint")] {
        let found = bench.run_with(name, HOLLOW, None, &[format!("simulation.scheme=\"{scheme}\"")])?;
        let run = bench.open(name)?;
        let columns = run.ledger_columns(["E_kin", "E_el", "D_imp", "D_num"])?;
        let [kinetic, elastic, landed, missed] = columns;
        let last = |column: &[f64]| column.last().copied().unwrap_or(f64::NAN);
        let energy = last(&kinetic) + last(&elastic);
        let [balance, momentum, ang_momentum] = found.summary.ledger.errors().map(|e| e.unwrap_or(0.0));
        if scheme == "energy-momentum" {
            outcome.rows.push(Row::new("kinetic energy at the start", "J", kinetic[0], 1983.755, 1e-6));
            let missed = missed.iter().map(|d| d.abs()).fold(0.0, f64::max) / kinetic[0];
            outcome.rows.push(Row::new("energy that the integration changes", "", missed, 0.0, 1e-9));
        }
        outcome.rows.push(Row::new(format!("{scheme}: balance of the energy"), "", balance, 0.0, 1e-9));
        outcome.rows.push(Row::new(format!("{scheme}: momentum"), "", momentum, 0.0, 1e-11));
        outcome.rows.push(Row::new(format!("{scheme}: angular momentum"), "", ang_momentum, 0.0, 1e-11));
        let counters = run.reader().counters().map_err(carom_post::RunError::from)?;
        let most = counters.iter().find(|(own, _)| own == "most_multipliers").map_or(0, |(_, count)| *count);
        outcome.table.rows.push(vec![
            scheme.to_owned(),
            found.summary.steps.to_string(),
            significant(energy, 6),
            significant(last(&landed), 3),
            significant(last(&missed), 3),
            most.to_string(),
            significant(found.cpu_seconds, 3),
        ]);
        runs.push(run);
    }
    for (name, run, quantity, caption) in [
        ("hollow-ball-energy", 0, Quantity::Energy, "Energies of the scheme `energy-momentum`."),
        ("hollow-ball-momentum", 0, Quantity::Momentum, "Momenta of the scheme `energy-momentum`."),
        ("hollow-ball-midpoint-energy", 1, Quantity::Energy, "Energies of the midpoint rule."),
        ("hollow-ball-midpoint-momentum", 1, Quantity::Momentum, "Momenta of the midpoint rule."),
    ] {
        let drawing = draw_all(std::slice::from_ref(&runs[run]), &[quantity])?;
        outcome.pictures.push((name.to_owned(), drawing, caption.to_owned()));
    }
    Ok(outcome)
}
