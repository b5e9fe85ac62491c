//! A run of a scenario with all bodies rigid, for the places and durations of its contacts.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use carom_contact::Law;
use carom_dynamics::{ContactEvent, Ignore};
use carom_fem::Body;
use carom_format::scenario::model::{
    BodySpec, Compliance, Integrator, MarkerSpec, ReduceSpec, Scenario, Scheme, Spot, TimeIntegration,
};
use carom_multibody::{Settings, Simulation, Start, Touched};
use carom_progress::{Part, Progress};

use super::last_and_end;
use crate::given_stiffness::touch_by_stiffness;
use crate::prepared::{Prepared, PreparedBody, PreparedModel};
use crate::system::{Assembled, system};

/// Accuracy of the run: the error of its energy.
const TOLERANCE: f64 = 1e-3;

/// Steps of the run.
const STEPS: TimeIntegration = TimeIntegration {
    integrator: Integrator::DormandPrince5,
    relative_tolerance: Some(TOLERANCE),
    time_step: None,
    maximum_step: None,
};

/// Most steps of the run: bodies that rest on each other would take any number.
const MOST_STEPS: u64 = 20_000;

/// Progress of a run with a limited number of steps.
struct Limited<'a> {
    whole: &'a dyn Progress,
    /// Steps so far: a time loop asks after each whether it shall go on.
    steps: AtomicU64,
}

impl Limited<'_> {
    fn is_used_up(&self) -> bool {
        self.steps.load(Ordering::Relaxed) > MOST_STEPS
    }
}

impl Progress for Limited<'_> {
    fn begin(&self, name: &str, total: u64) {
        self.whole.begin(name, total);
    }

    fn set(&self, done: u64) {
        self.whole.set(done);
    }

    fn note(&self, text: &str) {
        self.whole.note(text);
    }

    fn end(&self) {
        self.whole.end();
    }

    fn interrupted(&self) -> bool {
        self.steps.fetch_add(1, Ordering::Relaxed);
        self.is_used_up() || self.whole.interrupted()
    }
}

/// Place, size and duration that the run found for the contact of a pair.
#[derive(Debug, Clone, Default)]
pub(super) struct Outlook {
    /// Where the bodies touched, or came near each other, in source coordinates.
    pub(super) touched: Option<Touched>,
    /// Duration of the shortest impact \[s\].
    shortest: Option<f64>,
    /// Start and end of the first impact \[s\].
    pub(super) first: Option<[f64; 2]>,
    /// Why the run did not go to its end, or was not possible.
    pub(super) trouble: Option<String>,
}

impl Outlook {
    /// Largest contact radius, if the bodies touched \[m\].
    pub(super) fn radius(&self) -> Option<f64> {
        self.touched.map(|touched| touched.radius).filter(|radius| *radius > 0.0)
    }

    /// Duration of the shortest impact \[s\]; by the speed of the approach where none came to its end.
    pub(super) fn duration(&self) -> Option<f64> {
        let expected = self.touched.map(|touched| touched.duration).filter(|duration| *duration > 0.0);
        self.shortest.or(expected)
    }
}

/// How far the rigid bodies run.
#[derive(Debug, Clone, Copy)]
pub(super) enum Until {
    /// To a time \[s\].
    Time(f64),
    /// To the end of a scenario that does not say when it ends, and at most to a time \[s\].
    AllMet(f64),
}

/// Runs the bodies as rigid ones: the outlook of each pair.
///
/// * `geometries` — of the bodies, where they are known
pub(super) fn outlook(
    scenario: &Scenario,
    until: Until,
    geometries: &[Option<Arc<Body>>],
    progress: &dyn Progress,
) -> Vec<Outlook> {
    let mut rigid = as_rigid(scenario, STEPS);
    let (Until::Time(end_time) | Until::AllMet(end_time)) = until;
    rigid.simulation.end_at(end_time);
    let part = Part::new(progress, "the bodies as rigid ones");
    let ran = prepared(scenario, geometries).and_then(|prepared| run(&rigid, &prepared, until, &part));
    ran.unwrap_or_else(|trouble| {
        vec![Outlook { trouble: Some(trouble), ..Outlook::default() }; scenario.contact.len()]
    })
}

/// The bodies as rigid ones.
///
/// # Errors
///
/// A text: the body whose geometry is not known.
pub(super) fn prepared(scenario: &Scenario, geometries: &[Option<Arc<Body>>]) -> Result<Prepared, String> {
    let rigid = |(spec, geometry): (&BodySpec, &Option<Arc<Body>>)| match geometry {
        Some(geometry) => Ok(PreparedBody::without_files(PreparedModel::Rigid(Arc::clone(geometry)))),
        None => Err(format!("body `{}` is a model, whose geometry is not at hand", spec.name)),
    };
    let bodies = scenario.body.iter().zip(geometries).map(rigid).collect::<Result<_, _>>()?;
    Ok(Prepared { bodies, ..Prepared::default() })
}

/// The scenario with all bodies rigid, held ones fixed, and contact on grids.
///
/// * `steps` — of its run
pub(super) fn as_rigid(scenario: &Scenario, steps: TimeIntegration) -> Scenario {
    let mut rigid = scenario.clone();
    for body in &mut rigid.body {
        body.rigid = true;
        let Some(reduce) = body.reduce.take() else { continue };
        body.fixed |= !reduce.fix.is_empty();
        // A marker comes before a set of its name.
        let placed = reduce.attach.iter().filter_map(|(set, how)| Some((set, how.at()?)));
        body.marker.extend(placed.map(|(set, at)| MarkerSpec { name: set.clone(), at: Spot::Point(at) }));
    }
    // Zones of interfaces are too small to find the place of a contact on them, and rigid bodies have no
    // places. The whole surface of a ball needs no search.
    for end in rigid.contact.iter_mut().flat_map(|pair| &mut pair.between) {
        let spec = scenario.body.iter().find(|spec| spec.name == end.body);
        let reduce = spec.and_then(|spec| spec.reduce.as_ref());
        let is_zone = |reduce: &ReduceSpec| {
            reduce.interface.contains(&end.part) || reduce.places.iter().any(|place| place.trim() == end.part)
        };
        if reduce.is_some_and(is_zone) {
            end.part.clear();
        }
    }
    for (pair, given) in rigid.contact.iter_mut().zip(&scenario.contact) {
        if !touch_by_stiffness(scenario, given) {
            (pair.compliance, pair.law) = (Some(Compliance::HalfSpace), Law::Hard);
        }
    }
    rigid.simulation.scheme = Scheme::Quasistatic(steps);
    rigid
}

fn run(
    scenario: &Scenario,
    prepared: &Prepared,
    until: Until,
    progress: &dyn Progress,
) -> Result<Vec<Outlook>, String> {
    let mut simulation = started(scenario, prepared, progress)?;
    let origins: Vec<_> = simulation.system.bodies().iter().map(|body| body.frame_origin).collect();
    let limited = Limited { whole: progress, steps: AtomicU64::new(0) };
    let mut is_enough = |simulation: &Simulation| match until {
        Until::Time(_) => false,
        Until::AllMet(_) => {
            let pairs = 0..scenario.contact.len();
            let firsts: Option<Vec<_>> = pairs.map(|pair| first(simulation.impacts(), pair)).collect();
            let end = firsts.and_then(|firsts| last_and_end(firsts.into_iter())).map(|(_, end)| end);
            end.is_some_and(|end| simulation.time() >= end)
        }
    };
    let ended = simulation.advance(&mut Ignore, &limited, &mut is_enough);
    let trouble = ended.err().map(|error| match limited.is_used_up() {
        true => format!("{MOST_STEPS} steps do not reach the end: {error}"),
        false => with_causes(&error),
    });
    let events = simulation.impacts();
    let number = |name: &str| scenario.body.iter().position(|body| body.name == name);
    let pairs = scenario.contact.iter().enumerate().map(|(i, pair)| {
        let mut touched = simulation.touched(i);
        if let Some(touched) = &mut touched {
            // From the body frame to source coordinates.
            for (of_body, end) in touched.boxes.iter_mut().zip(&pair.between) {
                let origin = number(&end.body).map(|body| origins[body]).unwrap_or_default();
                of_body.iter_mut().for_each(|corner| *corner += origin);
            }
        }
        let own = events.iter().filter(|event| event.pair == i && !event.open);
        let shortest = own.map(duration).reduce(f64::min);
        Outlook { touched, shortest, first: first(events, i), trouble: trouble.clone() }
    });
    Ok(pairs.collect())
}

/// The rigid bodies at the start of their run, which is their equilibrium if the run has one; where they have
/// none, as elasticity holds a body or turns it, and there is a time to run, the places of the scenario.
///
/// # Errors
///
/// A text: the reason for which they cannot be put together.
fn started(scenario: &Scenario, prepared: &Prepared, progress: &dyn Progress) -> Result<Simulation, String> {
    let from = |start: Start| {
        let Assembled { system, placements, .. } =
            system(scenario, prepared).map_err(|error| with_causes(&error))?;
        let end_time = scenario.simulation.end_time;
        let settings = Settings { start, relative_tolerance: TOLERANCE, ..Settings::until(end_time) };
        Simulation::started(system, &placements, settings, progress).map_err(|error| with_causes(&error))
    };
    match scenario.simulation.in_equilibrium {
        true if scenario.simulation.end_time > 0.0 => {
            from(Start::Equilibrium).or_else(|_| from(Start::Placed))
        }
        true => from(Start::Equilibrium),
        false => from(Start::Placed),
    }
}

/// Start and end of the first impact of a pair that has ended \[s\].
fn first(events: &[ContactEvent], pair: usize) -> Option<[f64; 2]> {
    let own = events.iter().filter(|event| event.pair == pair && !event.open);
    own.map(|event| [event.start, event.end]).min_by(|a, b| a[0].total_cmp(&b[0]))
}

fn duration(event: &ContactEvent) -> f64 {
    event.end - event.start
}

/// An error with those behind it.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let own = error.to_string();
        // Errors that are passed on have the text of their cause.
        if !text.contains(&own) {
            text = format!("{text}: {own}");
        }
        cause = error.source();
    }
    text
}
