//! A run from set-up to result, the same for all schemes.

use std::path::Path;
use std::time::Instant;

use carom_cost::cpu_seconds;
use carom_dynamics::{BodyState, ErrorEstimate};
use carom_format::result::RunHeader;
use carom_format::scenario::model::Scenario;
use carom_progress::Progress;

use crate::error::{At, ErrorKind, Kind};
use crate::expected_size::frame_content;
use crate::outcome::{Described, RunSummary, StaticOutcome, absolute, named};
use crate::prepared::Prepared;
use crate::recorder::Recorder;
use crate::resume::RunOptions;
use crate::run::RunError;
use crate::scheme::check::check;
use crate::{resume, scheme};

/// Name of a timing in a result: CPU time of the program from its start to the set-up of the run, for bodies,
/// models and earlier runs \[s\].
pub const CPU_BEFORE: &str = "before the run, cpu";

/// Name of a timing in a result: CPU time of the set-up, where that of the run does not contain it \[s\].
pub const CPU_OF_SET_UP: &str = "set-up, cpu";

/// The outcome of a run that reached its end.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// Steps, errors of the balance, impacts.
    pub summary: RunSummary,
    /// Names of the contact pairs.
    pub pairs: Vec<String>,
    /// Names of the bodies.
    pub names: Vec<String>,
    /// Their states at the end.
    pub bodies: Vec<BodyState>,
    /// Wall-clock time of the time loop, or of set-up and load steps of a static run \[s\].
    pub seconds: f64,
    /// The same in CPU time of all threads \[s\].
    pub cpu_seconds: f64,
    /// CPU time of all threads, phase by phase from the start of the program to the closed result \[s\].
    pub cpu_phases: Vec<(&'static str, f64)>,
    /// Warnings about the accuracy of the results.
    pub warnings: Vec<String>,
    /// Remarks on the run: contacts that did not happen, for instance.
    pub remarks: Vec<String>,
    /// Forces and pressures in equilibrium, of the scheme `static`.
    pub statics: Option<StaticOutcome>,
    /// Errors that are to be expected of the largest impact of each pair; empty, or none of a pair, where the
    /// scheme does not estimate them.
    pub error_estimates: Vec<Option<ErrorEstimate>>,
}

/// Runs a scenario whose bodies are ready, and keeps the result at `path`.
///
/// # Errors
///
/// [`RunError`], at its key of the scenario if it has one; everything computed until then is in the result.
pub fn run(
    scenario: &Scenario,
    scenario_folder: &Path,
    prepared: &Prepared,
    path: &Path,
    options: RunOptions,
    progress: &dyn Progress,
) -> Result<RunOutcome, At<RunError>> {
    let scenario = prepared.scenario(scenario);
    check(scenario).map_err(At::cast)?;
    let scenario = &*resume::continued(scenario, path, options).map_err(RunError::from)?;
    let before = cpu_seconds();
    let clock = Clock::start();
    let mut run = scheme::set_up(scenario, prepared, progress).map_err(At::cast)?;
    let set_up = clock.read();
    let Described { bodies, pairs, joints, probes } = run.described();
    let pairs = named(pairs, scenario);
    let header = RunHeader {
        scenario: scenario.without_pictures().to_toml(),
        scenario_folder: absolute(scenario_folder),
        bodies,
        pairs,
        joints,
        probes,
        frames: frame_content(scenario),
    };
    let opened = Recorder::open(path, &header, scenario, prepared, options);
    let (mut recorder, checkpoint) = opened.map_err(RunError::from)?;
    if let Some(checkpoint) = checkpoint {
        run.resume(&checkpoint)?;
    }
    let clock = Clock::start();
    let ended = match run.run(&mut recorder, progress) {
        // A result that could not be kept ends at its last checkpoint.
        Err(error) if error.kind() == ErrorKind::Files => return Err(error.into()),
        ended => ended,
    };
    let of_run = clock.read();
    let end = run.end(ended.is_ok(), recorder.overlaps())?;
    let phases = run.phases();
    // The set-up of some schemes is a part of their work.
    let counted = if phases.set_up.is_some() { set_up } else { [0.0; 2] };
    let [seconds, of_work] = [0, 1].map(|k| counted[k] + of_run[k]);
    let mut timings: Vec<(&str, f64)> =
        prepared.seconds.iter().map(|(phase, seconds)| (phase.as_str(), *seconds)).collect();
    timings.extend(phases.set_up.map(|name| (name, set_up[0])));
    timings.extend([(phases.run, of_run[0]), (phases.cpu, of_work)]);
    timings.extend([(CPU_BEFORE, before), (CPU_OF_SET_UP, set_up[1] - counted[1])]);
    timings.extend(run.parts());
    recorder.finish(&ended, &end, &timings).map_err(RunError::from)?;
    ended?;
    let known = before + set_up[1] + of_run[1];
    let cpu_phases = vec![
        ("before the run", before),
        ("set-up", set_up[1]),
        (phases.run, of_run[1]),
        ("closing", (cpu_seconds() - known).max(0.0)),
    ];
    Ok(RunOutcome {
        summary: end.summary,
        pairs: header.pairs.into_iter().map(|pair| pair.name).collect(),
        names: header.bodies.into_iter().map(|body| body.name).collect(),
        bodies: end.bodies,
        seconds,
        cpu_seconds: of_work,
        cpu_phases,
        warnings: end.warnings,
        remarks: end.remarks,
        statics: end.statics,
        error_estimates: end.estimates,
    })
}

/// Wall clock and CPU clock of a phase.
struct Clock(Instant, f64);

impl Clock {
    fn start() -> Self {
        Self(Instant::now(), cpu_seconds())
    }

    /// Seconds since the start: wall clock, CPU of all threads.
    fn read(&self) -> [f64; 2] {
        [self.0.elapsed().as_secs_f64(), cpu_seconds() - self.1]
    }
}
