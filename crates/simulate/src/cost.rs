//! Time and memory that the preparation and the run of a scenario take, as far as they are known before.
//!
//! `reductions` counts the work of the models, `runs` that of the run by its scheme. The formulas and their
//! constants are those of `carom-cost` (docs/cost-model.md). Where the number of steps or contacts is not
//! known, `trial` runs the scenario for a moment if it has no models to make.

use std::sync::Arc;

use carom_cost::{FACTOR, Machine, Run, Span};
use carom_fem::Body;
use carom_format::scenario::model::Scenario;
use carom_reduce::ReducedBody;

use crate::prepared::Prepared;

mod reductions;
mod runs;
mod trial;

pub(crate) use reductions::of_body;
pub(crate) use runs::of_run;

/// The cost of a reduced model that has to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct CostOfBody {
    /// Name of the body.
    pub name: String,
    /// Dofs of the body.
    pub dofs: usize,
    /// Entries of the factor, and operations of the factorisation.
    pub factor: [f64; 2],
    /// Interface dofs, modes, places.
    pub columns: [usize; 3],
    /// CPU seconds of each phase.
    pub phases: Vec<(&'static str, f64)>,
    /// CPU seconds of the reduction \[s\].
    pub seconds: Span,
    /// Peak memory of the program \[bytes\].
    pub bytes: u64,
    /// Size of the model's file \[bytes\].
    pub file_bytes: u64,
}

/// The cost of the run after its bodies and models.
#[derive(Debug, Clone, PartialEq)]
pub struct CostOfRun {
    /// Name of each piece of work, how often it is done, and the CPU seconds of doing it once.
    pub pieces: Vec<(&'static str, Span, f64)>,
    /// CPU seconds of the time loop or the load steps \[s\].
    pub seconds: Span,
    /// Memory \[bytes\].
    pub bytes: u64,
    /// Why the number of steps is known as a range only; empty where it is known.
    pub unknown: String,
    /// True if the run was tried for a moment.
    pub is_tried: bool,
}

/// The cost of a scenario on this machine with one thread.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    /// The speed of the machine.
    pub machine: Machine,
    /// Models that have to be made.
    pub bodies: Vec<CostOfBody>,
    /// The run; none if bodies are not known yet.
    pub run: Option<CostOfRun>,
}

impl Costs {
    /// CPU seconds of models and run \[s\]; none if the run is not known.
    pub fn seconds(&self) -> Option<Span> {
        let run = self.run.as_ref()?.seconds;
        Some(self.bodies.iter().map(|body| body.seconds).fold(run, Span::plus))
    }

    /// Peak memory of `carom run` \[bytes\].
    pub fn bytes(&self) -> u64 {
        let of_bodies = self.bodies.iter().map(|body| body.bytes).max().unwrap_or(0);
        of_bodies.max(self.run.as_ref().map_or(0, |run| run.bytes)).max(PICTURES)
    }

    /// Sentences.
    pub fn text(&self) -> String {
        let mut lines = vec![format!(
            "expected CPU time on one thread of this machine, right within a factor of {FACTOR} where no \
             range is given:"
        )];
        for body in &self.bodies {
            let [interface, modes, places] = body.columns;
            let places = if places > 0 { format!(", {places} places") } else { String::new() };
            lines.push(format!(
                "- model of {}: {}, {} of memory, a file of {} ({} dofs, {interface} interface dofs, {modes} \
                 modes{places})",
                body.name,
                duration(body.seconds.expected),
                size(body.bytes),
                size(body.file_bytes),
                body.dofs
            ));
        }
        match &self.run {
            Some(run) if run.unknown.is_empty() => lines.push(format!(
                "- run: {}, {} of memory{}",
                duration(run.seconds.expected),
                size(run.bytes),
                if run.is_tried { ", by a trial of a moment" } else { "" }
            )),
            Some(run) => lines.push(format!(
                "- run: {} to {}, {} of memory: {}",
                duration(run.seconds.low),
                duration(run.seconds.high),
                size(run.bytes),
                run.unknown
            )),
            None => lines.push("- run: known once all bodies are meshed".to_owned()),
        }
        lines.join("\n")
    }
}

/// Name of the work for frames.
const FRAMES: &str = "frames";

/// Memory of `carom run` for pictures, plots and the report, with that of the program \[bytes\].
const PICTURES: u64 = 90_000_000;

/// Places of a body whose model is there.
const PLACES: f64 = 40.0;

/// A body of a scenario as far as it is known.
pub(crate) struct Known {
    /// Its geometry.
    pub(crate) geometry: Option<Arc<Body>>,
    /// Its model, if the scenario names it.
    pub(crate) model: Option<Arc<ReducedBody>>,
    /// True if its model has to be made, and no other body has the same.
    pub(crate) is_to_make: bool,
}

/// The cost of a scenario with all values.
///
/// * `prepared` — its bodies, if no model has to be made
pub(crate) fn of(scenario: &Scenario, known: &[Known], prepared: Option<&Prepared>) -> Costs {
    let machine = Machine::measure();
    let bodies = scenario.body.iter().zip(known).filter(|(_, known)| known.is_to_make);
    let bodies = bodies.filter_map(|(spec, known)| of_body(spec, known.geometry.as_deref()?, &machine));
    let bodies: Vec<CostOfBody> = bodies.collect();
    let places = scenario.body.iter().map(|spec| {
        // Other bodies have the model of one of these, or their model is there.
        let is_like =
            |of: &&CostOfBody| scenario.body.iter().any(|b| b.name == of.name && b.reduce == spec.reduce);
        let own = bodies.iter().find(|of| of.name == spec.name).or_else(|| bodies.iter().find(is_like));
        own.map_or(PLACES, |of| of.columns[2] as f64)
    });
    let run = of_run(scenario, known, &places.collect::<Vec<_>>());
    let run = run.map(|run| priced(&run, &machine)).map(|run| match prepared {
        Some(prepared) if !run.unknown.is_empty() => tried(run, scenario, prepared),
        _ => run,
    });
    Costs { machine, bodies, run }
}

fn priced(run: &Run, machine: &Machine) -> CostOfRun {
    let piece = |piece: &carom_cost::run::Piece| (piece.name, piece.count, machine.seconds(piece.each));
    let seconds = run.seconds(machine);
    CostOfRun {
        pieces: run.pieces.iter().map(piece).collect(),
        seconds: Span { low: seconds.low / FACTOR, high: seconds.high * FACTOR, ..seconds },
        bytes: run.bytes,
        unknown: run.unknown.clone(),
        is_tried: false,
    }
}

/// The cost by a trial, where one can be made; frames cost what they did.
fn tried(run: CostOfRun, scenario: &Scenario, prepared: &Prepared) -> CostOfRun {
    let Some(seconds) = trial::seconds(scenario, prepared) else { return run };
    let mut pieces = run.pieces;
    pieces.retain(|(name, ..)| *name == FRAMES);
    pieces.push(("time loop", Span::exact(1.0), seconds));
    let one = |(_, count, each): &(&str, Span, f64)| count.times(*each);
    let seconds = pieces.iter().map(one).fold(Span::exact(0.0), Span::plus);
    let seconds = Span { low: seconds.low / FACTOR, high: seconds.high * FACTOR, ..seconds };
    CostOfRun { pieces, seconds, unknown: String::new(), is_tried: true, ..run }
}

/// `0.4 s`, `12 s`, `7 minutes`, `3 hours`.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.095 => format!("{s:.2} s"),
        s if s < 9.5 => format!("{s:.1} s"),
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} minutes", s / 60.0),
        s if s < 2e5 => format!("{:.0} hours", s / 3600.0),
        s => format!("{:.0} days", s / 86400.0),
    }
}

/// `40 kB`, `120 MB`, `2.3 GB`.
fn size(bytes: u64) -> String {
    match bytes as f64 {
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e9 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}
