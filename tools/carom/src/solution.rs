//! The solution: solved, continued, or up to date.

use std::path::Path;
use std::time::{Instant, SystemTime};

use carom_cli::{Category, Failure, Session};
use carom_format::result::RunState;
use carom_format::scenario::Override;
use carom_format::{PROGRAM, ResultError, ResultReader, ResultWriter, Scenario};
use carom_simulate::{At, ExpectedSize, Prepared, RunError, RunOptions};
use carom_solve::{failed, keeps_result};

use crate::args::ChainArgs;
use crate::folder::{Layout, scenario_folder};
use crate::phases::{Did, Done};
use crate::stamp::Stamp;

/// Relation of the result in a folder to a scenario.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Standing {
    /// There is no result.
    Missing,
    /// The result is of the same scenario and bodies, and complete.
    UpToDate,
    /// The result is of the same scenario and bodies, and stopped at this time \[s\].
    Stopped(f64),
    /// The result cannot be used, for this reason.
    Other(&'static str),
}

/// Compares a result with a scenario.
///
/// * `checksums` — of body and model of each body, empty where there is none; `None` if they are not known
///   yet: then they are assumed to be unchanged
pub(crate) fn standing(
    result: &Path,
    scenario: &Scenario,
    checksums: Option<&[[String; 2]]>,
) -> Result<Standing, ResultError> {
    let reader = match ResultReader::open(result) {
        Ok(reader) => reader,
        Err(ResultError::NotThere { .. }) if !result.exists() => return Ok(Standing::Missing),
        Err(error @ ResultError::Newer { .. }) => return Err(error),
        Err(error) if error.is_io() => return Err(error),
        Err(_) => return Ok(Standing::Other("the file is damaged or not a result of carom")),
    };
    let header = reader.header()?;
    if header.scenario != scenario.without_pictures().to_toml() {
        return Ok(Standing::Other("the scenario has changed"));
    }
    if reader.meta("program")?.as_deref() != Some(PROGRAM) {
        return Ok(Standing::Other("another release of carom made it"));
    }
    let found = header.bodies.iter().map(|body| [body.body_checksum.clone(), body.rom_checksum.clone()]);
    if checksums.is_some_and(|expected| !found.eq(expected.iter().cloned())) {
        return Ok(Standing::Other("bodies or models have changed"));
    }
    if reader.state()? == RunState::Done {
        return Ok(Standing::UpToDate);
    }
    match reader.checkpoint()? {
        Some(checkpoint) => Ok(Standing::Stopped(checkpoint.time)),
        None => Ok(Standing::Other("it stopped before its first step")),
    }
}

/// Refuses to replace a result that another program made.
pub(crate) fn refuse_foreign(
    standing: &Standing,
    layout: &Layout,
    stamp: &Stamp,
    force: bool,
) -> Result<(), Failure> {
    if !matches!(standing, Standing::Other(_)) || stamp.owns_result || force {
        return Ok(());
    }
    let what = format!("`{}` exists and was not made by carom run", layout.result.display());
    Err(Failure::new(Category::Usage, what).hint("--force replaces it; -o chooses another folder"))
}

/// The relation as far as it is known before the bodies are ready; refuses a result that carom has not made.
pub(crate) fn check_place(
    args: &ChainArgs,
    scenario: &Scenario,
    layout: &Layout,
    stamp: &Stamp,
) -> Result<(), Failure> {
    if args.force {
        return Ok(());
    }
    let standing = standing(&layout.result, scenario, None).map_err(unreadable)?;
    refuse_foreign(&standing, layout, stamp, false)
}

/// Checksums of bodies that are ready.
fn checksums(prepared: &Prepared) -> Vec<[String; 2]> {
    prepared.bodies.iter().map(|body| [body.body_checksum.clone(), body.rom_checksum.clone()]).collect()
}

/// Solves the scenario if the result is not up to date.
pub(crate) fn solve(
    (args, overrides): (&ChainArgs, &[Override]),
    scenario: &Scenario,
    prepared: &Prepared,
    layout: &Layout,
    stamp: &mut Stamp,
    session: &Session,
) -> Result<Done, Failure> {
    let mut standing = match standing(&layout.result, scenario, Some(&checksums(prepared))) {
        Ok(standing) => standing,
        Err(_) if args.force => Standing::Other("--force replaces it"),
        Err(error) => return Err(unreadable(error)),
    };
    if args.force && standing != Standing::Missing {
        standing = Standing::Other("--force replaces it");
    }
    refuse_foreign(&standing, layout, stamp, args.force)?;
    let mut done =
        Done { name: "solution", did: Did::Made, seconds: 0.0, from_earlier_run: false, notes: Vec::new() };
    match standing {
        Standing::UpToDate => {
            // Another process may have read the result when its run ended, so that its write-ahead log is
            // still separate. The result is complete even if merging the log fails.
            let _ = ResultWriter::fold_log(&layout.result);
            done.did = Did::UpToDate;
            done.seconds = recorded_seconds(stamp, &layout.result);
            done.from_earlier_run = true;
            done.notes.push("solution is up to date".to_owned());
            return Ok(done);
        }
        Standing::Stopped(time) => {
            done.did = Did::Resumed;
            done.from_earlier_run = true;
            done.notes.push(format!("solution continued from t = {time:.6e} s"));
        }
        Standing::Other(why) => done.notes.push(format!("solution made again: {why}")),
        Standing::Missing => done.notes.push("solution made".to_owned()),
    }
    let earlier = if done.did == Did::Resumed { stamp.solution_seconds } else { 0.0 };
    stamp.owns_result = true;
    stamp.write(&layout.stamp)?;
    if let Some(size) = ExpectedSize::of_prepared(scenario, prepared) {
        carom_solve::announce(&size, session);
    }
    let options = RunOptions { replace: done.did == Did::Made, resume: done.did == Did::Resumed };
    let (started, begun) = (Instant::now(), SystemTime::now());
    let folder = scenario_folder(&args.scenario);
    let mut costs = prepared.clone();
    costs.seconds = costs_of_bodies(prepared, done.did);
    let ended = carom_simulate::run(scenario, folder, &costs, &layout.result, options, session.progress());
    if keeps_result(&ended, &layout.result, begun) {
        carom_solve::keep(&layout.result, &args.scenario, session);
    }
    done.seconds = earlier + started.elapsed().as_secs_f64();
    stamp.solution_seconds = done.seconds;
    let stamped = stamp.write(&layout.stamp);
    // A full disk stops both; the error that stopped the run is reported.
    ended.map_err(|error| stopped(args, overrides, error, layout))?;
    stamped?;
    Ok(done)
}

/// The cost of the bodies for the result of the run that made them; a continued result contains it already.
fn costs_of_bodies(prepared: &Prepared, did: Did) -> std::collections::BTreeMap<String, f64> {
    let mut seconds = prepared.seconds.clone();
    for (phase, earlier) in &prepared.earlier_seconds {
        *seconds.entry(phase.clone()).or_insert(0.0) += earlier;
    }
    if did == Did::Resumed { std::collections::BTreeMap::new() } else { seconds }
}

/// Wall time of the solution from the record, or from the result if another program made it.
fn recorded_seconds(stamp: &Stamp, result: &Path) -> f64 {
    if stamp.solution_seconds > 0.0 {
        return stamp.solution_seconds;
    }
    let timings = ResultReader::open(result).and_then(|reader| reader.timings()).unwrap_or_default();
    timings.iter().find(|(phase, _)| phase == "time loop").map_or(0.0, |(_, seconds)| *seconds)
}

/// The failure of an unreadable result.
pub(crate) fn unreadable(error: ResultError) -> Failure {
    let category = if error.is_io() { Category::Files } else { Category::Input };
    Failure::from_error(category, error).hint("--force replaces the result; -o chooses another folder")
}

/// The failure of an incomplete run.
fn stopped(args: &ChainArgs, overrides: &[Override], error: At<RunError>, layout: &Layout) -> Failure {
    let failure = failed(&args.scenario, overrides, error);
    if failure.category() == Category::Convergence {
        let result = layout.result.display();
        return failure.hint(format!(
            "the results so far are kept: `carom-post report {result} -o report.html` shows them"
        ));
    }
    failure
}
