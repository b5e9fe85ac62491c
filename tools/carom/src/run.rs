//! `carom run`: the chain.

use std::path::Path;
use std::time::Instant;

use carom_cli::{Category, Failure, Session};
use carom_format::result::RunState;
use carom_format::scenario::Override;
use carom_format::{ResultReader, Scenario};
use carom_post::{Run, RunError};
use carom_simulate::refinement::{FAR, MeshNow};
use carom_simulate::{Prepared, PreparedModel, Refinement, cpu_seconds, prepare, refinement};
use carom_solve::{Solved, failed, read_scenario};
use serde::Serialize;

use crate::args::ChainArgs;
use crate::disk::Disk;
use crate::folder::{Layout, scenario_name};
use crate::phases::{self, Did, Done};
use crate::pictures::{Pictures, series};
use crate::solution;
use crate::stamp::{self, Repeated, Stamp};

/// Most repetitions of a run whose errors are too large.
const MOST_REPEATS: usize = 2;

/// The numbers that may change where errors are too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// The numbers that the scenario leaves open.
    Chosen,
    /// All numbers, given ones among them.
    Given,
}

/// Meshes, reduces, solves, exports, reports; steps that are up to date are skipped. A run whose estimated
/// errors are too large is repeated.
pub(crate) fn run(args: &ChainArgs, repeat: Repeat, session: &Session) -> Result<(), Failure> {
    let ended = chain(args, repeat, session);
    if ended.is_err() && session.check_interrupted().is_err() {
        session.note("finished steps are kept: the same command continues from there");
    }
    ended?;
    if args.strict { session.refuse_warnings() } else { Ok(()) }
}

fn chain(args: &ChainArgs, repeat: Repeat, session: &Session) -> Result<(), Failure> {
    let started = Instant::now();
    let changes = args.overrides()?;
    let given = read_scenario(&args.scenario, &changes)?;
    let layout = Layout::of(args);
    let _claim = layout.claim(args.force)?;
    let mut stamp = Stamp::read(&layout.stamp)?;
    solution::check_place(args, &given, &layout, &stamp)?;
    // The record marks the folder as made by carom, even if this run is stopped.
    if !layout.stamp.exists() {
        stamp.write(&layout.stamp)?;
    }
    if args.force {
        stamp.repeated = Repeated::default();
    }
    let origin = stamp::origin(&given, &args.scenario);
    stamp.repeated = stamp.repeated_of(&origin);
    if !stamp.repeated.overrides.is_empty() {
        session
            .note(&format!("with the changes of earlier repeats: {}", stamp.repeated.overrides.join(", ")));
    }
    let (mut repeats, mut printed, mut before) = (0, Vec::new(), stamp.repeated.clone());
    let Ended { scenario, phases: mut done } = loop {
        // The record counts the repeats of all calls of `carom run`.
        let is_last = match repeat {
            Repeat::Chosen => stamp.repeated.times >= MOST_REPEATS,
            Repeat::Given => repeats == MOST_REPEATS,
        };
        let was = stamp.repeated.clone();
        let scenario = (&given, &*changes);
        match attempt(args, (scenario, repeat, is_last), (&layout, &mut stamp, &mut printed), session) {
            Ok(Some(ended)) => break ended,
            Ok(None) => before = was,
            // Other values than the user's must not stand in the way of a result. Without them a failure is
            // final.
            Err(failure)
                if stamp.repeated.overrides != before.overrides
                    && failure.category() != Category::Interrupted =>
            {
                session.warn(&format!("the repeated run failed, and is left out: {failure}"));
                stamp.repeated = Repeated { times: MOST_REPEATS, ..before.clone() };
                stamp.write(&layout.stamp)?;
                repeats = MOST_REPEATS;
                continue;
            }
            Err(failure) => return Err(failure),
        }
        repeats += 1;
    };

    let run = Run::open(&layout.result).map_err(RunError::into_failure)?;
    let solved = Solved::read(run.reader()).map_err(solution::unreadable)?;
    let tell = |phase: Done, done: &mut Vec<Done>| {
        phase.notes.iter().for_each(|note| session.note(note));
        done.push(phase);
    };
    let mut pictures = Pictures { layout: &layout, stamp: &mut stamp, run: &run, session };
    tell(pictures.export(&scenario.output.pictures())?, &mut done);
    tell(pictures.plots()?, &mut done);
    let title = scenario_name(&args.scenario);
    tell(pictures.report(&title, &scenario.output.pictures(), &done)?, &mut done);

    let series = layout.root.join(series(&scenario.output.pictures()));
    // Warnings about the scenario were printed before the run.
    let warnings = solved.iter().flat_map(Solved::warnings).filter(|warning| !printed.contains(warning));
    warnings.for_each(|warning| session.warn(warning));
    conclude(args, (&layout, &series), &done, solved.as_ref(), started.elapsed().as_secs_f64(), session)
}

/// The last attempt.
struct Ended {
    scenario: Scenario,
    phases: Vec<Done>,
}

/// Bodies and solution once, with the changes of the record; the end, or none if the record has other changes
/// now, with which they are to be repeated.
///
/// * `given`, `user` — the scenario without the changes of the record, and the changes that it has
/// * `is_last` — true if they are not to be repeated
/// * `printed` — warnings about the scenario so far
fn attempt(
    args: &ChainArgs,
    ((given, user), repeat, is_last): ((&Scenario, &[Override]), Repeat, bool),
    (layout, stamp, printed): (&Layout, &mut Stamp, &mut Vec<String>),
    session: &Session,
) -> Result<Option<Ended>, Failure> {
    let overrides = [user, &stamp.repeated.changes()].concat();
    let scenario = read_scenario(&args.scenario, &overrides)?;
    let prepared = prepare(&scenario, layout.workshop(&args.scenario), session.progress())
        .map_err(|error| failed(&args.scenario, &overrides, error))?;
    for warning in &prepared.warnings {
        if !printed.contains(warning) {
            session.warn(warning);
            printed.push(warning.clone());
        }
    }
    let mut phases: Vec<Done> = bodies(&prepared).into();
    let completed = prepared.scenario(&scenario);
    phases.iter().flat_map(|phase| &phase.notes).for_each(|note| session.note(note));
    let solution = solution::solve((args, &overrides), completed, &prepared, layout, stamp, session)?;
    solution.notes.iter().for_each(|note| session.note(note));
    phases.push(solution);
    if !is_last && let Some(changes) = changes(given, completed, &prepared, layout, repeat)? {
        session.note(&format!("{}: repeated with {}", changes.reason, changes.overrides.join(", ")));
        stamp.repeated.take(changes.overrides);
        stamp.write(&layout.stamp)?;
        return Ok(None);
    }
    // Models can be large; the pictures read them again from their files.
    Ok(Some(Ended { scenario, phases }))
}

/// The changes with which a run is to be repeated.
fn changes(
    given: &Scenario,
    completed: &Scenario,
    prepared: &Prepared,
    layout: &Layout,
    repeat: Repeat,
) -> Result<Option<Refinement>, Failure> {
    let result = ResultReader::open(&layout.result).map_err(solution::unreadable)?;
    if result.state().map_err(solution::unreadable)? != RunState::Done {
        return Ok(None);
    }
    let estimates = result.error_estimates().map_err(solution::unreadable)?;
    let mesh = |body: usize| match &prepared.bodies[body].model {
        PreparedModel::Reduced(model) => {
            let edge = model.places.iter().map(|places| places.edge).reduce(f64::min)?;
            Some(MeshNow { edge, dofs: model.n_dofs })
        }
        _ => None,
    };
    let found = refinement(given, completed, &estimates, mesh, repeat == Repeat::Given);
    let is_worth = |found: &Refinement| repeat == Repeat::Given || found.excess > FAR;
    Ok(found.filter(|found| !found.overrides.is_empty() && is_worth(found)))
}

/// Meshing and reduction, as phases.
fn bodies(prepared: &Prepared) -> [Done; 2] {
    let phase = |name: &'static str, n_made: usize, word: &str| {
        let now = prepared.seconds.get(name).copied().unwrap_or(0.0);
        let earlier = prepared.earlier_seconds.get(name).copied();
        // The time for checking whether everything is up to date is not a cost of the phase.
        let seconds = earlier.unwrap_or(0.0) + if n_made > 0 || earlier.is_none() { now } else { 0.0 };
        let notes = prepared.notes.iter().filter(|note| note.starts_with(word)).cloned().collect();
        Done {
            name,
            did: if n_made > 0 { Did::Made } else { Did::UpToDate },
            seconds,
            from_earlier_run: earlier.is_some(),
            notes,
        }
    };
    [phase("meshing", prepared.n_meshed, "body"), phase("reduction", prepared.n_reduced, "model")]
}

/// The JSON object of `carom run`.
#[derive(Serialize)]
struct Summary<'a> {
    scenario: &'a Path,
    folder: &'a Path,
    phases: &'a [Done],
    seconds: f64,
    /// CPU time of this run, all threads, without earlier runs \[s\].
    cpu_seconds: f64,
    /// Sizes of the files in the folder.
    bytes: Disk,
    result: &'a Path,
    series: &'a Path,
    plots: &'a Path,
    report: &'a Path,
    solution: Option<&'a Solved>,
}

fn conclude(
    args: &ChainArgs,
    (layout, series): (&Layout, &Path),
    done: &[Done],
    solved: Option<&Solved>,
    seconds: f64,
    session: &Session,
) -> Result<(), Failure> {
    let (cpu_seconds, bytes) = (cpu_seconds(), Disk::of(layout));
    session.print_summary(&format!(
        "{}\n{}\nthis run: {cpu_seconds:.1} s of CPU time; {}\nParaView: {}\nplots: {}\nreport: {}",
        solved.map(Solved::text).unwrap_or_default(),
        phases::table(done, seconds).trim_end(),
        bytes.text(),
        series.display(),
        layout.plots.display(),
        layout.report.display()
    ))?;
    let summary = Summary {
        scenario: &args.scenario,
        folder: &layout.root,
        phases: done,
        seconds,
        cpu_seconds,
        bytes,
        result: &layout.result,
        series,
        plots: &layout.plots,
        report: &layout.report,
        solution: solved,
    };
    session.print_json("carom run 1", &summary)
}
