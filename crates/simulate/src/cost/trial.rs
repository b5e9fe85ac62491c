//! A run for a moment, which shows what a whole run takes.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use carom_cost::cpu_seconds;
use carom_format::ResultReader;
use carom_format::scenario::model::{MaterialLaw, Scenario, Scheme};
use carom_progress::Progress;

use crate::error::ErrorKind;
use crate::prepared::Prepared;
use crate::resume::RunOptions;
use crate::rigid::MISSED_CONTACTS;
use crate::solve;

/// CPU time after which a trial with the steps of the run ends.
const OF_START: Duration = Duration::from_millis(300);

/// The same with longer steps to the end of the run.
const OF_WHOLE: Duration = Duration::from_secs(2);

/// Steps of a trial over the whole time.
const STEPS: f64 = 200.0;

/// CPU time of a trial that is long enough for the clock \[s\].
const LONG_ENOUGH: f64 = 0.3;

/// Wall time over CPU time at which a trial ends anyway: other programs may slow it down.
const LONGEST: f64 = 8.0;

/// Wall time between two looks at the CPU clock \[ms\]: a look takes as long as a step of a small mechanism.
const LOOK_AGAIN: u64 = 10;

/// Factor between the steps of two trials over the whole time.
const MORE_STEPS: f64 = 5.0;

/// CPU seconds of the time loop of a whole run, without its frames; none if trials fail, or if what costs
/// time may come later than they reach.
///
/// Rigid bodies run to their end in longer steps: what touches in them is about what touches in the run, and
/// a step costs as much. Steps in which points pass through surfaces show too little of it. Where longer
/// steps end with an error, in runs without contact, and in explicit steps of elastic bodies, which search
/// for contact in flight too, the first moment of the run is taken for all of it. Implicit steps take several
/// times as many iterations in contact as before it.
pub(crate) fn seconds(scenario: &Scenario, prepared: &Prepared) -> Option<f64> {
    let Scheme::Rigid { time_step } = scenario.simulation.scheme else {
        let is_plastic = scenario.material.values().any(|material| material.law == MaterialLaw::Plastic);
        let is_even = matches!(scenario.simulation.scheme, Scheme::Explicit { .. }) && !is_plastic;
        let is_shown = scenario.contact.is_empty() || is_even;
        return if is_shown { of_start(scenario, prepared) } else { None };
    };
    let wanted = scenario.simulation.end_time / time_step;
    let mut steps = STEPS.min(wanted);
    let mut found = None;
    loop {
        let mut coarse = scenario.clone();
        coarse.simulation.scheme = Scheme::Rigid { time_step: scenario.simulation.end_time / steps };
        let Some(Moment { seconds, part, missed }) = Moment::of(coarse, prepared, OF_WHOLE) else { break };
        if part < 1.0 {
            // The time was over: a trial before was shorter and reached the end.
            return found;
        }
        found = (missed == 0).then_some(seconds * wanted / steps);
        if found.is_some() && seconds > LONG_ENOUGH || steps == wanted {
            return found;
        }
        steps = (MORE_STEPS * steps).min(wanted);
    }
    found.or_else(|| of_start(scenario, prepared))
}

fn of_start(scenario: &Scenario, prepared: &Prepared) -> Option<f64> {
    Moment::of(scenario.clone(), prepared, OF_START).map(|Moment { seconds, part, .. }| seconds / part)
}

/// A run until the time is over.
struct Moment {
    /// CPU time of its loop \[s\].
    seconds: f64,
    /// Part of the simulated time that it reached.
    part: f64,
    /// Contacts that all steps missed.
    missed: u64,
}

impl Moment {
    /// Runs a scenario without frames and probes; none if it fails before the time is over.
    fn of(mut scenario: Scenario, prepared: &Prepared, budget: Duration) -> Option<Self> {
        let end = scenario.simulation.end_time;
        scenario.simulation.output_every = end;
        scenario.probe.clear();
        let folder = tempfile::tempdir().ok()?;
        let path = folder.path().join("trial.carom");
        let watch = Watch::new(budget);
        let ran = solve::run(&scenario, Path::new(""), prepared, &path, RunOptions::default(), &watch);
        let is_whole = ran.is_ok();
        if ran.is_err_and(|error| error.kind() != ErrorKind::Interrupted) {
            return None;
        }
        let result = ResultReader::open(&path).ok()?;
        let part = if is_whole { 1.0 } else { result.checkpoint().ok()??.time / end };
        let (_, seconds) = result.timings().ok()?.into_iter().find(|(name, _)| name == "time loop, cpu")?;
        let missed = result.counters().ok()?.into_iter().find(|(name, _)| name == MISSED_CONTACTS);
        let missed = missed.map_or(0, |(_, missed)| missed);
        (part > 0.0).then_some(Self { seconds, part, missed })
    }
}

/// Interrupts when the time is over.
struct Watch {
    /// CPU time of the program at which it is over \[s\].
    until: f64,
    begun: Instant,
    /// Wall time at which it is over anyway.
    longest: Duration,
    /// Wall time since the begin at which the CPU clock is read again \[ms\].
    next: AtomicU64,
}

impl Watch {
    fn new(budget: Duration) -> Self {
        Self {
            until: cpu_seconds() + budget.as_secs_f64(),
            begun: Instant::now(),
            longest: budget.mul_f64(LONGEST),
            next: AtomicU64::new(0),
        }
    }
}

impl Progress for Watch {
    fn begin(&self, _name: &str, _total: u64) {}

    fn set(&self, _done: u64) {}

    fn note(&self, _text: &str) {}

    fn end(&self) {}

    fn interrupted(&self) -> bool {
        let elapsed = self.begun.elapsed();
        let now = elapsed.as_millis() as u64;
        if now < self.next.load(Ordering::Relaxed) {
            return false;
        }
        self.next.store(now + LOOK_AGAIN, Ordering::Relaxed);
        elapsed > self.longest || cpu_seconds() > self.until
    }
}
