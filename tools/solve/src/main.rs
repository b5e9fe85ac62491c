//! `carom-solve`: scenarios to results.

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [m] is a unit")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use carom_cli::{Failure, OutputArgs, RunArgs, Session, main_with};
use carom_simulate::{RunOptions, RunOutcome, Workshop};
use clap::Parser;

mod failure;
mod json;

/// Runs a scenario and keeps the result. Quantities are SI units.
///
/// Bodies and models that the scenario describes rather than names are made in a folder beside the result,
/// RESULT.bodies, and used again as long as they are up to date.
#[derive(Debug, Parser)]
#[command(name = "carom-solve", version)]
struct Arguments {
    /// Scenario file (TOML).
    scenario: PathBuf,

    /// Change a value of the scenario, such as simulation.end_time=1e-3; may be repeated.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,

    /// Go on where the result stopped.
    #[arg(long, conflicts_with = "force")]
    resume: bool,

    /// End of the run instead of that in the scenario [s].
    #[arg(long, value_name = "T")]
    end_time: Option<f64>,

    #[command(flatten)]
    output: OutputArgs,
}

fn main() -> ExitCode {
    main_with(|arguments: &Arguments| -> &RunArgs { &arguments.output.run }, solve)
}

fn solve(arguments: &Arguments, session: &Session) -> Result<(), Failure> {
    let mut overrides = arguments.set.clone();
    overrides.extend(arguments.end_time.map(|t| format!("simulation.end_time={t:e}")));
    let scenario = failure::read_scenario(&arguments.scenario, &overrides)?;
    let folder = arguments.scenario.parent().unwrap_or(Path::new("")).to_owned();
    let result = &arguments.output.output;
    let mut bodies = result.as_os_str().to_owned();
    bodies.push(".bodies");
    let workshop = Workshop { scenario_folder: &folder, bodies: Path::new(&bodies) };
    let progress = session.progress();
    if result.exists() && !arguments.output.force && !arguments.resume {
        return Err(failure::exists(result));
    }
    let prepared = carom_simulate::prepare(&scenario, workshop, progress).map_err(failure::of)?;
    for note in &prepared.notes {
        session.detail(1, note);
    }
    let options = RunOptions { replace: arguments.output.force, resume: arguments.resume };
    let outcome =
        carom_simulate::run(&scenario, &folder, &prepared, result, options, progress).map_err(failure::of)?;
    for warning in &outcome.warnings {
        session.warn(warning);
    }
    session.print(&text(&outcome))?;
    session.print_json("carom-solve 1", &json::Solved::of(&outcome))
}

fn text(outcome: &RunOutcome) -> String {
    let (s, ledger) = (&outcome.summary, &outcome.summary.ledger);
    let mut out = format!(
        "t = {:.6e} s after {} steps ({} rejected, {} right-hand sides), {:.2} s, {:.2} s of CPU\n\
         energy {:.9e} J at the start, {:.9e} J at the end, balance to {:.1e}; momentum to {:.1e}, angular momentum to \
         {:.1e}\n",
        s.time,
        s.counters.steps,
        s.counters.rejected,
        s.counters.evaluations,
        outcome.seconds,
        outcome.cpu_seconds,
        ledger.energy_initial,
        ledger.energy_final,
        ledger.energy_error,
        ledger.momentum_error,
        ledger.ang_momentum_error
    );
    for event in &s.contacts {
        let restitution = event
            .restitution()
            .map_or_else(|| "still touching".to_owned(), |e| format!("restitution {e:.5}"));
        out.push_str(&format!(
            "contact {}: {:.6e} s to {:.6e} s ({:.3} µs), peak {:.3} N at {:.6e} s, impulse {:.6e} N s, approach {:.4} \
             µm, {restitution}\n",
            outcome.pairs[event.pair],
            event.start,
            event.end,
            1e6 * event.duration(),
            event.peak_force,
            event.peak_time,
            event.impulse_size(),
            1e6 * event.max_approach
        ));
    }
    for (name, body) in outcome.names.iter().zip(&outcome.bodies) {
        let [vx, vy, vz] = body.velocity;
        out.push_str(&format!("body {name}: velocity {vx:.6e} {vy:.6e} {vz:.6e} m/s\n"));
    }
    out
}
