//! `carom-solve`: scenarios to results.

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [m] is a unit")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use carom_cli::{Category, Failure, OutputArgs, RunArgs, Session, keep_input, main_with};
use carom_simulate::{RunOptions, Workshop};
use carom_solve::{Solved, failed, read_scenario};
use clap::Parser;

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
    let scenario = read_scenario(&arguments.scenario, &overrides)?;
    let failed = |error| failed(&arguments.scenario, &overrides, error);
    let folder = arguments.scenario.parent().unwrap_or(Path::new("")).to_owned();
    let result = &arguments.output.output;
    let mut bodies = result.as_os_str().to_owned();
    bodies.push(".bodies");
    let workshop = Workshop { scenario_folder: &folder, bodies: Path::new(&bodies) };
    let progress = session.progress();
    keep_input(&arguments.scenario, result)?;
    if result.exists() && !arguments.output.force && !arguments.resume {
        return Err(exists(result));
    }
    if let Some(parent) = result.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir())
    {
        let (result, parent) = (result.display(), parent.display());
        let what = format!("cannot write `{result}`: there is no folder `{parent}`; make it first");
        return Err(Failure::new(Category::Files, what));
    }
    let prepared = carom_simulate::prepare(&scenario, workshop, progress).map_err(failed)?;
    for note in &prepared.notes {
        session.detail(1, note);
    }
    let options = RunOptions { replace: arguments.output.force, resume: arguments.resume };
    let outcome =
        carom_simulate::run(&scenario, &folder, &prepared, result, options, progress).map_err(failed)?;
    let solved = Solved::of(&outcome);
    for warning in solved.warnings() {
        session.warn(warning);
    }
    session.print_summary(&solved.text())?;
    session.print_json("carom-solve 1", &solved)
}

/// A result that is there already.
fn exists(path: &Path) -> Failure {
    Failure::new(Category::Usage, format!("`{}` exists", path.display()))
        .hint("--force replaces it, --resume continues it")
}
