//! Contact that a scenario leaves open: where the bodies will meet and how hard, by a run of them as rigid
//! bodies, and then the compliance of each pair, the places of loads and the modes of the models.
//!
//! `meshes` chooses cells of bodies that are described by a shape alone, `rigid_run` moves the rigid bodies,
//! `choice` decides, `region` lays places where bodies met, `shared` lays them over whole surfaces where
//! bodies that are made alike then share a model. `course` counts the evaluations of such a run for the cost
//! of the run.

use std::sync::Arc;

use carom_continuum::half_space::PlacedModelError;
use carom_fem::Body;
use carom_fem::plausible::bounds;
use carom_format::scenario::model::{
    BodySource, BodySpec, Compliance, ContactSpec, End, Scenario, Simulation,
};
use carom_progress::Progress;
use nalgebra::Vector3;
use thiserror::Error;

use crate::error::{At, AtKey, ErrorKind, Kind};
use crate::given_stiffness::touch_by_stiffness;
use crate::parts::Parts;

mod choice;
mod choice_sentences;
mod chosen;
mod course;
mod meshes;
mod region;
mod rigid_run;
mod shared;

pub use choice_sentences::choice_sentences;
pub use chosen::Choice;
pub(crate) use course::{Course, course};
pub(crate) use meshes::meshed;

use choice::decide;
use region::regions;
use rigid_run::{Outlook, Until, outlook};
use shared::Sharing;

/// Periods of the highest mode that is kept within the shortest impact, for an accuracy of 2 %: with 2.5 of
/// them a force errs by some tenths of a per cent, with 1.5 by 1 to 4 %.
const PERIODS: f64 = 5.0;

/// The same for a coarse accuracy.
const FEWEST: f64 = 2.5;

/// The run ends so many durations of an impact after its end, if the scenario does not say when.
const AFTER: f64 = 2.0;

/// A scenario with all that its contacts leave open.
#[derive(Debug, Clone)]
pub(crate) struct Completed {
    pub(crate) scenario: Scenario,
    /// The choices with their reasons.
    pub(crate) choices: Vec<Choice>,
    /// Doubts about them.
    pub(crate) warnings: Vec<String>,
}

/// The way out where the place of a contact of a body is not known.
fn way_out(body: &str, is_rigid: bool) -> String {
    match is_rigid {
        true => "Two rigid bodies may have a stiffness of their own instead: `compliance = \"body\"` with \
                 `law = { kind = \"penalty\", stiffness = ... }`"
            .to_owned(),
        false => format!(
            "Lay loads where they meet, `reduce.places = [\"X,Y,Z:R\"]`, and name them, \
             `between = [\"{body}:X,Y,Z:R\", ...]`; or reduce with an interface of faces"
        ),
    }
}

/// Errors from contact that a scenario leaves open.
#[derive(Debug, Error)]
pub enum ForesightError {
    /// The place of a contact is not known.
    #[error(
        "contact between {pair}: it names no interface and no places of `{body}`, and where the bodies \
         meet could not be foreseen: {why}. {}",
        way_out(body, *.is_rigid)
    )]
    Unknown {
        /// The surfaces.
        pair: String,
        /// The body without places.
        body: String,
        /// True if both bodies are rigid, so that none has places.
        is_rigid: bool,
        /// The reason.
        why: String,
    },
    /// A mesh that does not resolve a contact which is to use its compliance.
    #[error(
        "contact between {pair}: `compliance = \"body\"` needs a mesh that resolves the contact, and the \
         expected contact radius of {radius:.3e} m is {ratio:.2} edges of `{surface}` (edges of {edge:.3e} \
         m; at least {least}): use smaller cells there (`refine`, `grade`), or \
         `compliance = \"half-space\"`, which does not need them"
    )]
    Coarse {
        /// The surfaces.
        pair: String,
        /// The surface.
        surface: String,
        /// Expected contact radius \[m\].
        radius: f64,
        /// Mean edge of its faces \[m\].
        edge: f64,
        /// Radius over edge.
        ratio: f64,
        /// Least ratio.
        least: f64,
    },
    /// A scenario without an end whose bodies do not meet.
    #[error(
        "the run has no `simulation.end_time`, and as rigid bodies {} within {horizon:.3e} s: give \
         the bodies velocities towards each other, or the run an end",
        if *.touch { "those that meet do not part" } else { "none meet" }
    )]
    Endless {
        /// How far the run of the rigid bodies went \[s\].
        horizon: f64,
        /// True if some touched.
        touch: bool,
    },
    /// A scenario without an end, which could not be found.
    #[error(
        "the run has no `simulation.end_time`, and the run of the rigid bodies that would choose it failed: \
         {trouble}"
    )]
    Unforeseen {
        /// Why it failed.
        trouble: String,
    },
    /// Contacts with both kinds of compliance.
    #[error(
        "contact between {pair}: it has the compliance of the bodies' meshes, and other contacts of the \
         scenario that of half-spaces; all of a scenario have one kind, as they share their bodies: give \
         this one `compliance = \"auto\"` or `\"half-space\"`, or name interfaces in the others; two rigid \
         bodies may have a stiffness of their own instead, `law = {{ kind = \"penalty\", stiffness = ... }}`"
    )]
    Mixed {
        /// The surfaces.
        pair: String,
    },
    /// The surface of a body cannot be evaluated.
    #[error(transparent)]
    Surface(#[from] PlacedModelError),
    /// The user stopped it.
    #[error("interrupted; finished bodies are kept")]
    Interrupted,
}

impl Kind for ForesightError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Interrupted => ErrorKind::Interrupted,
            _ => ErrorKind::Input,
        }
    }

    fn is_of_scenario(&self) -> bool {
        !matches!(self, Self::Interrupted)
    }
}

/// The body of an end of a contact, with its number.
pub(crate) fn body_of<'a>(scenario: &'a Scenario, end: &End) -> Option<(usize, &'a BodySpec)> {
    scenario.body.iter().enumerate().find(|(_, spec)| spec.name == end.body)
}

/// True if a contact does not say all that its scheme needs: its compliance, or the faces of a reduced body.
pub(crate) fn is_open(scenario: &Scenario, pair: &ContactSpec, parts: &[Parts<'_>]) -> bool {
    if scenario.simulation.scheme.row().high_modes.is_none() {
        return false;
    }
    let has = |end: &End, compliance: Compliance| match body_of(scenario, end) {
        Some((i, spec)) => end_has(spec, &parts[i], end, compliance),
        None => true,
    };
    let is_prepared = |compliance| pair.between.iter().all(|end| has(end, compliance));
    match pair.compliance {
        Some(Compliance::Auto) => true,
        // The ends of such a contact are checked as before.
        Some(Compliance::Body) => false,
        Some(Compliance::HalfSpace) => !is_prepared(Compliance::HalfSpace),
        None => !is_prepared(Compliance::Body),
    }
}

/// True if all reduced bodies of a pair have places at its ends.
fn has_places(scenario: &Scenario, pair: &ContactSpec, parts: &[Parts<'_>]) -> bool {
    pair.between.iter().all(|end| {
        body_of(scenario, end).is_none_or(|(i, spec)| end_has(spec, &parts[i], end, Compliance::HalfSpace))
    })
}

/// True if a body can touch with an end as it is: a rigid body with any set, a reduced one with an interface
/// for its own compliance, with places for that of a half-space.
pub(crate) fn end_has(spec: &BodySpec, parts: &Parts<'_>, end: &End, compliance: Compliance) -> bool {
    if spec.rigid {
        return !end.part.is_empty();
    }
    let is_part = |name: &str| name.trim() == end.part;
    match (parts, compliance) {
        // A model that could not be read.
        (Parts::Unknown, _) if matches!(spec.source, BodySource::Rom { .. }) => !end.part.is_empty(),
        (Parts::Model(model), Compliance::HalfSpace) => model.places.iter().any(|p| is_part(&p.name)),
        (Parts::Model(model), _) => model.surfaces.iter().any(|surface| is_part(&surface.name)),
        (_, Compliance::HalfSpace) => spec.reduce.iter().any(|r| r.places.iter().any(|p| is_part(p))),
        _ => spec.reduce.iter().any(|r| r.interface.iter().any(|set| is_part(set))),
    }
}

/// Completes a scenario whose contacts leave something open; none if nothing is.
///
/// * `geometries` — of the bodies, where they are known
/// * `parts` — the same with models
///
/// # Errors
///
/// [`ForesightError`] at the contact.
pub(crate) fn completed(
    scenario: &Scenario,
    geometries: &[Option<Arc<Body>>],
    parts: &[Parts<'_>],
    progress: &dyn Progress,
) -> Result<Option<Completed>, At<ForesightError>> {
    let row = scenario.simulation.scheme.row();
    let is_open: Vec<bool> = scenario.contact.iter().map(|pair| is_open(scenario, pair, parts)).collect();
    // A mesh that is to resolve a contact is held against it.
    let is_claimed = |pair: &ContactSpec| pair.compliance == Some(Compliance::Body);
    let is_of_interest = |(pair, open): (&ContactSpec, &bool)| *open || is_claimed(pair);
    let ends_open = scenario.simulation.has_open_end;
    if row.high_modes.is_none() || !(ends_open || scenario.contact.iter().zip(&is_open).any(is_of_interest)) {
        return Ok(None);
    }
    let is_unknown = |(pair, open): (&ContactSpec, &bool)| {
        is_claimed(pair) || *open && !(pair.compliance.is_none() && has_places(scenario, pair, parts))
    };
    let horizon = if ends_open { horizon(scenario, geometries) } else { scenario.simulation.end_time };
    let until = if ends_open { Until::AllMet(horizon) } else { Until::Time(horizon) };
    let mut outlooks = match ends_open || scenario.contact.iter().zip(&is_open).any(is_unknown) {
        true => outlook(scenario, until, geometries, progress),
        false => vec![Outlook::default(); scenario.contact.len()],
    };
    if progress.interrupted() {
        return Err(ForesightError::Interrupted.into());
    }
    let mut completed = Completed { scenario: scenario.clone(), choices: Vec::new(), warnings: Vec::new() };
    if ends_open {
        let choice = end_run(&mut completed.scenario, horizon, &outlooks)?;
        completed.choices.push(choice);
        // Impacts after the end of the run have no say in where bodies need places.
        if outlooks.iter().any(|outlook| outlook.first.is_none()) {
            let until = Until::Time(completed.scenario.simulation.end_time);
            let before = std::mem::replace(&mut outlooks, outlook(scenario, until, geometries, progress));
            for (outlook, before) in outlooks.iter_mut().zip(before) {
                // Bodies that only come near each other, after the end.
                outlook.touched = outlook.touched.or(before.touched.filter(|touched| touched.radius == 0.0));
            }
            if progress.interrupted() {
                return Err(ForesightError::Interrupted.into());
            }
        }
    }
    let mut decisions = Vec::new();
    for i in 0..scenario.contact.len() {
        let decision = decide(scenario, i, is_open[i], &outlooks[i], geometries, parts)
            .map_err(|error| error.at(format!("contact.{i}.between")))?;
        decisions.push(decision);
    }
    // All pairs have one kind of compliance, but for rigid bodies with a given stiffness.
    let any_on_grid = decisions.iter().any(|decision| decision.compliance == Compliance::HalfSpace);
    let mut sharing = Sharing::new(scenario, geometries);
    for (i, decision) in decisions.iter_mut().enumerate() {
        let pair = &scenario.contact[i];
        let is_on_mesh = decision.compliance == Compliance::Body && !touch_by_stiffness(scenario, pair);
        if any_on_grid && is_on_mesh {
            if !decision.is_free {
                let [first, second] = pair.between.each_ref().map(ToString::to_string);
                let error = ForesightError::Mixed { pair: format!("{first}, {second}") };
                return Err(error.at(format!("contact.{i}.between")));
            }
            decision.join_grids();
        }
        completed.choices.extend(decision.reason(pair));
        completed.warnings.extend(decision.warning(pair));
        completed.warnings.extend(shortened(pair, &outlooks[i], is_open[i]));
        if is_open[i] {
            completed.scenario.contact[i].compliance = Some(decision.compliance);
        }
        if decision.compliance == Compliance::HalfSpace {
            regions((&mut completed.scenario, &mut sharing), i, &outlooks[i], geometries, parts)
                .map_err(|error| error.at(format!("contact.{i}.between")))?;
        }
    }
    sharing.apply(&mut completed.scenario);
    keep_modes(&mut completed.scenario, scenario, (&outlooks, &sharing));
    completed.choices.extend(chosen::of_bodies(scenario, &completed.scenario, (&outlooks, &sharing)));
    Ok(Some(completed))
}

/// The warning of a run of the rigid bodies that ended early.
fn shortened(pair: &ContactSpec, outlook: &Outlook, is_open: bool) -> Option<String> {
    let trouble = outlook.trouble.as_ref().filter(|_| is_open)?;
    let [first, second] = &pair.between;
    Some(format!(
        "contact {first} / {second}: the run of the rigid bodies that foresees it ended early ({trouble}); \
         contact at other places later would be an error of the run"
    ))
}

/// A time within which bodies that approach each other meet \[s\]: twice the way from the farthest point of
/// one to that of another at the speed of the slowest pair that has one, or under gravity.
fn horizon(scenario: &Scenario, geometries: &[Option<Arc<Body>>]) -> f64 {
    let mut low = Vector3::repeat(f64::INFINITY);
    let mut high = -low;
    for (spec, body) in scenario.body.iter().zip(geometries).filter_map(|(s, b)| Some((s, b.as_ref()?))) {
        let corners = bounds(body).map(Vector3::from);
        let reach = corners[0].abs().sup(&corners[1].abs()).norm();
        let at = Vector3::from(spec.position);
        low = low.inf(&at.add_scalar(-reach));
        high = high.sup(&at.add_scalar(reach));
    }
    let size = (high - low).norm();
    let velocity = |end: &End| body_of(scenario, end).map(|(_, spec)| Vector3::from(spec.velocity));
    let relative = scenario.contact.iter().filter_map(|pair| {
        let [a, b] = pair.between.each_ref().map(velocity);
        Some((a? - b?).norm()).filter(|speed| *speed > 0.0)
    });
    let speed = relative.reduce(f64::min).unwrap_or(0.0);
    let gravity = Vector3::from(scenario.simulation.gravity).norm();
    let by_speed = if speed > 0.0 { size / speed } else { f64::INFINITY };
    let by_fall = if gravity > 0.0 { (2.0 * size / gravity).sqrt() } else { f64::INFINITY };
    let time = 2.0 * by_speed.min(by_fall);
    if time.is_finite() { time } else { 1.0 }
}

/// Ends the run some durations after the first impact of each pair.
///
/// * `horizon` — how far the run of the rigid bodies went \[s\]
fn end_run(scenario: &mut Scenario, horizon: f64, outlooks: &[Outlook]) -> Result<Choice, ForesightError> {
    let firsts = outlooks.iter().filter_map(|outlook| outlook.first);
    let Some(([start, end], end_time)) = last_and_end(firsts) else {
        if let Some(trouble) = outlooks.iter().find_map(|outlook| outlook.trouble.clone()) {
            return Err(ForesightError::Unforeseen { trouble });
        }
        let touch = outlooks.iter().any(|outlook| outlook.radius().is_some());
        return Err(ForesightError::Endless { horizon, touch });
    };
    scenario.simulation.end_at(end_time);
    Ok(Choice {
        of: "simulation".to_owned(),
        key: "end_time",
        value: format!("{end_time:.1e}"),
        reason: format!(
            "the last of the pairs to meet is expected to touch from {start:.3e} to {end:.3e} s, and \
             {AFTER} durations remain for the rebound"
        ),
    })
}

/// The impact that ends last, and the end of a run that goes on some durations after it \[s\].
///
/// * `firsts` — start and end of the first impact of each pair
fn last_and_end(firsts: impl Iterator<Item = [f64; 2]>) -> Option<([f64; 2], f64)> {
    let last = firsts.max_by(|a, b| a[1].total_cmp(&b[1]))?;
    let [start, end] = last;
    Some((last, rounded_up(end + AFTER * (end - start))))
}

/// Periods of the highest mode for an accuracy: the part of modes above it falls with their square.
fn periods(accuracy: f64) -> f64 {
    (PERIODS * (Simulation::ACCURACY / accuracy).sqrt()).max(FEWEST)
}

/// Modes of bodies without a table `reduce`, or with places alone and no number of modes: up to five periods
/// within the shortest impact of all bodies that share the model.
fn keep_modes(completed: &mut Scenario, given: &Scenario, (outlooks, sharing): (&[Outlook], &Sharing)) {
    for (i, spec) in completed.body.iter_mut().enumerate() {
        let Some(reduce) = &mut spec.reduce else { continue };
        if !reduce.is_bare() || reduce.modes.is_some() || reduce.up_to.is_some() {
            continue;
        }
        let shortest = touching(given, outlooks, &sharing.model_of(i))
            .filter_map(|outlook| outlook.duration())
            .reduce(f64::min);
        // Two digits, so that the model states a readable number.
        reduce.up_to = shortest.map(|duration| rounded_up(periods(given.simulation.wanted()) / duration));
    }
}

/// The outlooks of the pairs of some bodies.
fn touching<'a>(
    scenario: &'a Scenario,
    outlooks: &'a [Outlook],
    bodies: &'a [usize],
) -> impl Iterator<Item = &'a Outlook> {
    let is_of = |end: &End| bodies.iter().any(|&i| scenario.body[i].name == end.body);
    let pairs = scenario.contact.iter().zip(outlooks);
    pairs.filter(move |(pair, _)| pair.between.iter().any(is_of)).map(|(_, outlook)| outlook)
}

/// A positive number with two digits, rounded up.
fn rounded_up(x: f64) -> f64 {
    let digit = 10f64.powi(x.log10().floor() as i32 - 1);
    // A product with a power of ten below one is not exact; the number that two digits are read as is.
    format!("{:.1e}", (x / digit).ceil() * digit).parse().unwrap_or(x)
}

#[cfg(test)]
mod tests {
    use super::rounded_up;

    #[test]
    fn numbers_are_rounded_up_to_two_digits() {
        for (x, expected) in [(26_581.0, 27_000.0), (0.001_01, 0.0011), (99.1, 100.0), (48_000.0, 48_000.0)] {
            assert_eq!(rounded_up(x), expected);
        }
    }
}
