//! Time and memory that the preparation and the run of a scenario take, as far as they are known before.
//!
//! `reductions` counts the work of the models, `runs` that of the run by its scheme, and `floating` that of
//! bodies in floating frames. The formulas and their constants are those of `carom-cost`
//! (docs/cost-model.md). Where the number of steps or contacts is not known, `trial` runs the scenario for a
//! moment if its models are there or cost little.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use carom_continuum::half_space::reduced_with_places;
use carom_cost::{FACTOR, Machine, Run, Span, on_one_thread};
use carom_fem::Body;
use carom_format::open_rom;
use carom_format::scenario::model::{BodySpec, ReduceSpec, Scenario, Scheme};
use carom_progress::Silent;
use carom_reduce::ReducedBody;

use crate::foresee::{Course, course};
use crate::prepared::{Prepared, PreparedBody, PreparedModel};
use crate::reduction::{places, reduction};

mod floating;
mod held;
mod reductions;
mod runs;
mod shown;
mod trial;

pub(crate) use reductions::of_body;
pub(crate) use runs::of_run;
pub(crate) use shown::shown;

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
    /// Expected CPU seconds of the reduction with finer cells, with which `carom run` repeats a run if the
    /// error that it estimates is well above the accuracy \[s\]; none if a repeat would not change the cells.
    pub of_repeat: Option<f64>,
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
    /// CPU seconds of models and run \[s\]; none if the run is not known. The largest value has one repeat
    /// with finer cells, where that may be.
    pub fn seconds(&self) -> Option<Span> {
        let run = self.run.as_ref()?.seconds;
        let once = self.bodies.iter().map(|body| body.seconds).fold(run, Span::plus);
        let again = self.of_repeat().map_or(0.0, |models| FACTOR * models + run.high);
        Some(Span { high: once.high + again, ..once })
    }

    /// Expected CPU seconds of the models of a repeat with finer cells \[s\]; none if the cells stay as they
    /// are.
    fn of_repeat(&self) -> Option<f64> {
        self.bodies.iter().filter_map(|body| body.of_repeat).reduce(|a, b| a + b)
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
        if let Some(models) = self.of_repeat() {
            lines.push(format!(
                "- a repeat: `carom run` repeats a run whose estimated error is well above the accuracy, \
                 with finer cells; this takes {} for models, and the time of the run once more",
                duration(models)
            ));
        }
        lines.join("\n")
    }
}

/// Name of the work for frames.
const FRAMES: &str = "frames";

/// Name of the work for the state of the bodies in frames.
const FRAME_STATES: &str = "states of frames";

/// Memory of `carom run` for pictures, plots and the report, with that of the program \[bytes\].
const PICTURES: u64 = 90_000_000;

/// Places of a body whose model is there.
const PLACES: f64 = 40.0;

/// Expected CPU time of models that are made for a trial, at most, if the run takes little \[s\].
const CHEAP: f64 = 1.0;

/// CPU time of the run of the bodies as rigid ones \[s\]: least, and most.
const OF_COURSE: [f64; 2] = [2.0, 10.0];

/// The same as a part of the least time that models and run are expected to take.
const PART_OF_ALL: f64 = 0.1;

/// CPU time for which such a run is worth continuing \[s\].
const LEAST_FURTHER: f64 = 0.1;

/// A body of a scenario as far as it is known.
pub(crate) struct Known {
    /// Its geometry.
    pub(crate) geometry: Option<Arc<Body>>,
    /// The same with the cells of a repeated run; none if they stay as they are.
    pub(crate) finer: Option<Arc<Body>>,
    /// Its model, if the scenario names it.
    pub(crate) model: Option<Arc<ReducedBody>>,
    /// The file of its model, if that was made before and is up to date.
    pub(crate) rom_path: Option<PathBuf>,
    /// True if its model has to be made.
    pub(crate) is_to_make: bool,
    /// Number of the body whose model it has: that of the first body with the same model.
    pub(crate) owner: usize,
}

/// The cost of a scenario with all values.
pub(crate) fn of(scenario: &Scenario, known: &[Known]) -> Costs {
    on_one_thread(|| on_this_thread(scenario, known))
}

fn on_this_thread(scenario: &Scenario, known: &[Known]) -> Costs {
    let machine = Machine::measure();
    let bodies = scenario.body.iter().zip(known).enumerate();
    let to_make = bodies.filter(|(number, (_, known))| known.is_to_make && known.owner == *number);
    let to_make: Vec<_> = to_make.map(|(_, body)| body).collect();
    let cost = |(spec, known): &(&BodySpec, &Known)| {
        let finer = known.finer.as_deref().and_then(|body| of_body(spec, body, &machine));
        let of_repeat = finer.map(|finer| finer.seconds.expected);
        Some(CostOfBody { of_repeat, ..of_body(spec, known.geometry.as_deref()?, &machine)? })
    };
    let bodies: Vec<CostOfBody> = to_make.iter().filter_map(cost).collect();
    let places: Vec<f64> = known
        .iter()
        .map(|known| {
            let owner = &scenario.body[known.owner].name;
            bodies.iter().find(|of| of.name == *owner).map_or(PLACES, |of| of.columns[2] as f64)
        })
        .collect();
    let of_models: f64 = bodies.iter().map(|body| body.seconds.expected).sum();
    let of_run = |course: Option<&Course>| {
        of_run(scenario, known, &places, course, &machine).map(|run| priced(&run, &machine))
    };
    let course = rigid_course(scenario, known, &|course| {
        of_models + of_run(Some(course)).map_or(0.0, |run| run.seconds.expected)
    });
    let run = of_run(course.as_ref());
    let run = run.map(|run| match run.unknown.is_empty() {
        true => run,
        false => {
            let touches = course.is_some_and(|course| course.in_contact > 0.0);
            let worth = PART_OF_ALL * (of_models + run.seconds.expected) / FACTOR;
            let are_cheap = of_models < CHEAP.max(worth) && bodies.len() == to_make.len();
            tried(run, scenario, known, (are_cheap, touches), worth)
        }
    });
    Costs { machine, bodies, run }
}

/// The bodies as a run has them; none if a body is not known, or its model would have to be made.
///
/// * `makes` — true if models that are not there are made in memory
fn ready(scenario: &Scenario, known: &[Known], makes: bool) -> Option<Prepared> {
    let mut models: BTreeMap<usize, Arc<ReducedBody>> = BTreeMap::new();
    let scheme = &scenario.simulation.scheme;
    let mut model = |spec: &BodySpec, known: &Known| -> Option<PreparedModel> {
        Some(match &known.geometry {
            Some(body) if spec.rigid || matches!(scheme, Scheme::Rigid { .. }) => {
                PreparedModel::Rigid(Arc::clone(body))
            }
            Some(body) if !scheme.reduces_body(spec) => PreparedModel::Deformable(Arc::clone(body)),
            geometry => PreparedModel::Reduced(match (&known.model, models.get(&known.owner)) {
                (Some(model), _) | (None, Some(model)) => Arc::clone(model),
                (None, None) => {
                    let made = match (&known.rom_path, geometry, &spec.reduce) {
                        (Some(path), ..) => open_rom(path).ok()?.reduced,
                        (None, Some(body), Some(reduce)) if makes => made(body, reduce)?,
                        _ => return None,
                    };
                    Arc::clone(models.entry(known.owner).or_insert(Arc::new(made)))
                }
            }),
        })
    };
    let bodies = scenario.body.iter().zip(known).map(|(spec, known)| model(spec, known));
    let bodies = bodies.map(|model| model.map(PreparedBody::without_files)).collect::<Option<_>>()?;
    Some(Prepared { bodies, ..Prepared::default() })
}

/// The model of a body; none if it cannot be made.
fn made(body: &Body, reduce: &ReduceSpec) -> Option<ReducedBody> {
    let made = reduced_with_places(body, &reduction(reduce, ""), &places(reduce).ok()?, &Silent);
    made.ok().map(|made| made.reduced)
}

/// How reduced bodies touch, by a run of them as rigid ones; none if they have not touched when its time is
/// over.
///
/// * `of_all` — expected CPU time of models and run by a course \[s\]
fn rigid_course(scenario: &Scenario, known: &[Known], of_all: &dyn Fn(&Course) -> f64) -> Option<Course> {
    let (Scheme::Quasistatic(steps) | Scheme::Dynamic(steps) | Scheme::Damped(steps)) =
        &scenario.simulation.scheme
    else {
        return None;
    };
    if scenario.contact.is_empty() {
        return None;
    }
    let geometries: Vec<_> = known.iter().map(|known| known.geometry.clone()).collect();
    let [least, most] = OF_COURSE;
    let further = |course: &Course| {
        let spent: f64 = course.seconds.iter().sum();
        let worth = if course.part > 0.0 { PART_OF_ALL * of_all(course) / FACTOR } else { least };
        let left = worth.clamp(least, most) - spent;
        (left > LEAST_FURTHER).then(|| Duration::from_secs_f64(left))
    };
    let course = course(scenario, &geometries, steps, &further)?;
    (course.part == 1.0 || course.in_contact > 0.0).then_some(course)
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
///
/// * `makes` — true if models that are not there are made in memory
/// * `touches` — true if bodies of a floating frame touch early
/// * `worth` — CPU time that the trial may take, within limits \[s\]
fn tried(
    run: CostOfRun,
    scenario: &Scenario,
    known: &[Known],
    (makes, touches): (bool, bool),
    worth: f64,
) -> CostOfRun {
    if !trial::is_of_use(scenario) {
        return run;
    }
    let Some(prepared) = ready(scenario, known, makes) else { return run };
    let Some(trial) = trial::of_run(scenario, &prepared, touches, worth) else { return run };
    let mut pieces = run.pieces;
    pieces.retain(|(name, ..)| [FRAMES, FRAME_STATES].contains(name));
    let seconds = trial.seconds;
    // A trial may be shorter than the clock can tell.
    let part = |of: f64| if seconds.expected > 0.0 { of / seconds.expected } else { 1.0 };
    let share = Span { low: part(seconds.low), expected: 1.0, high: part(seconds.high) };
    pieces.push(("time loop", share, seconds.expected));
    let one = |(_, count, each): &(&str, Span, f64)| count.times(*each);
    let seconds = pieces.iter().map(one).fold(Span::exact(0.0), Span::plus);
    let seconds = Span { low: seconds.low / FACTOR, high: seconds.high * FACTOR, ..seconds };
    CostOfRun { pieces, seconds, unknown: trial.unknown, is_tried: true, ..run }
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
