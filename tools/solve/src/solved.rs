//! The summary of a run as the JSON object of `carom-solve`; [`crate::text`] writes it for people.

use std::collections::BTreeMap;

use carom_dynamics::{
    BodyState, ContactEvent, ErrorEstimate, ErrorParts, LedgerSummary, NO_PEAK, PairImpacts, condensed,
};
use carom_format::result::{NoteLevel, ResultError, ResultReader};
use carom_simulate::{CPU_BEFORE, CPU_OF_SET_UP, RunOutcome};
use serde::Serialize;

use crate::statics::Statics;

/// The summary of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Solved {
    pub(crate) end_time: f64,
    pub(crate) steps: u64,
    /// None for schemes that reject no steps.
    pub(crate) rejected_steps: Option<u64>,
    /// None for schemes without a choice of integrators.
    pub(crate) right_hand_sides: Option<u64>,
    /// Wall clock of the time loop, or of set-up and load steps of a static run.
    pub(crate) seconds: f64,
    /// CPU time of the whole program, and of its phases.
    pub(crate) cpu_seconds: f64,
    pub(crate) cpu_phases: Vec<Phase>,
    pub(crate) energy: Energy,
    pub(crate) linear_momentum: Error,
    pub(crate) angular_momentum: Error,
    /// Impacts; none in the scheme `static`.
    pub(crate) contacts: Vec<Contact>,
    /// The contacts that are shown as text.
    #[serde(skip)]
    pub(crate) shown: Vec<PairImpacts>,
    pub(crate) bodies: BTreeMap<String, Body>,
    /// Of the scheme `static` alone.
    #[serde(rename = "static", skip_serializing_if = "Option::is_none")]
    pub(crate) statics: Option<Statics>,
    /// Contacts that did not happen, with the nearest gap.
    pub(crate) remarks: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// A phase of the program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Phase {
    pub(crate) name: String,
    pub(crate) cpu_seconds: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Energy {
    pub(crate) initial: f64,
    #[serde(rename = "final")]
    pub(crate) last: f64,
    pub(crate) max_relative_error: Option<f64>,
    /// The largest error that the run claims; null where it claims nothing.
    pub(crate) limit: Option<f64>,
    /// "met" or "not met".
    pub(crate) claim: Option<&'static str>,
}

/// None if the momentum is zero to round-off, so that there is no reference.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Error {
    pub(crate) max_relative_error: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Contact {
    pub(crate) pair: String,
    pub(crate) start: f64,
    /// None while they still touch at the end of the run.
    pub(crate) end: Option<f64>,
    pub(crate) duration: f64,
    /// None of impulses, as `peak_force_reason` says.
    pub(crate) peak_force: Option<f64>,
    pub(crate) peak_time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) peak_force_reason: Option<&'static str>,
    /// Impulse over duration: the force of the plateau of a flat impact; null without a duration, and of
    /// impulses.
    pub(crate) mean_force: Option<f64>,
    pub(crate) impulse: f64,
    pub(crate) max_approach: f64,
    pub(crate) place: [f64; 3],
    pub(crate) normal: [f64; 3],
    pub(crate) velocity_before: f64,
    pub(crate) velocity_after: f64,
    pub(crate) slip_before: [f64; 3],
    pub(crate) slip_after: [f64; 3],
    /// Of the first and of the second body of the pair.
    pub(crate) own_velocities_before: [f64; 2],
    pub(crate) own_velocities_after: [f64; 2],
    /// None where `restitution_reason` says why.
    pub(crate) restitution: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) restitution_reason: Option<String>,
    pub(crate) vibration_before: f64,
    pub(crate) vibration_energy: f64,
    pub(crate) sub_impacts: u32,
    /// Errors that are to be expected of the largest impact of the pair, where they are estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_estimate: Option<Expected>,
}

/// Relative errors.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Expected {
    pub(crate) peak_force: f64,
    pub(crate) impulse: f64,
    pub(crate) duration: f64,
    /// Absolute; none without a coefficient of restitution.
    pub(crate) restitution: Option<f64>,
    pub(crate) parts: Option<Parts>,
}

/// Parts of the relative error of the force.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Parts {
    pub(crate) contact: f64,
    pub(crate) modes: f64,
    pub(crate) mesh: f64,
    pub(crate) time: f64,
}

impl Expected {
    fn of(estimate: &ErrorEstimate, restitution: Option<f64>) -> Self {
        let parts = |ErrorParts { contact, modes, mesh, time }| Parts { contact, modes, mesh, time };
        Self {
            peak_force: estimate.force,
            impulse: estimate.impulse,
            duration: estimate.duration,
            restitution: restitution.map(|e| estimate.of_restitution(e)),
            parts: estimate.parts.map(parts),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Body {
    pub(crate) position: [f64; 3],
    pub(crate) quaternion: [f64; 4],
    pub(crate) velocity: [f64; 3],
    pub(crate) angular_velocity: [f64; 3],
}

/// Cost of a run.
struct Cost {
    /// Time reached \[s\].
    end_time: f64,
    steps: u64,
    /// Rejected steps and right-hand sides, of schemes with a choice of integrators.
    counts: [Option<u64>; 2],
    /// Wall clock.
    seconds: f64,
    phases: Vec<Phase>,
}

/// Largest number of impacts of a pair that are all shown; of more, the first, the largest and the last are.
pub(crate) const IMPACTS: usize = 5;

/// Names of the timings of a static run in results: wall clock.
const STATIC_PHASES: [&str; 2] = ["statics: stiffness and compliance", "statics: load steps"];

/// Names of timings of CPU time in results, and of the phases.
const CPU_PHASES: [(&str, &str); 4] = [
    (CPU_BEFORE, "before the run"),
    (CPU_OF_SET_UP, "set-up"),
    ("time loop, cpu", "time loop"),
    ("statics, cpu", "set-up and load steps"),
];

impl Phase {
    fn of(name: &str, cpu_seconds: f64) -> Self {
        Self { name: name.to_owned(), cpu_seconds }
    }
}

impl Solved {
    /// The summary of a run that has just ended.
    pub fn of(outcome: &RunOutcome) -> Self {
        let s = &outcome.summary;
        let cost = Cost {
            end_time: s.time,
            steps: s.steps,
            counts: [s.integration.map(|c| c.rejected), s.integration.map(|c| c.evaluations)],
            seconds: outcome.seconds,
            phases: outcome.cpu_phases.iter().map(|&(name, seconds)| Phase::of(name, seconds)).collect(),
        };
        // Statics has no impacts; its contact forces are in equilibrium.
        let impacts = if outcome.statics.is_some() { &[][..] } else { &s.contacts };
        let name = |event: &ContactEvent| event.name(&outcome.pairs, &outcome.names);
        let estimates = of_largest(impacts, &outcome.error_estimates);
        let contacts = impacts.iter().zip(estimates);
        let contacts = contacts.map(|(event, estimate)| Contact::of(event, name(event), estimate)).collect();
        let bodies = outcome.names.iter().cloned().zip(outcome.bodies.iter().map(Body::of)).collect();
        let mut solved = Self::with(cost, &s.ledger, contacts, bodies, outcome.warnings.clone());
        solved.shown = condensed(impacts, IMPACTS);
        solved.remarks.clone_from(&outcome.remarks);
        solved.statics = outcome.statics.as_ref().map(|statics| Statics::of(statics, &outcome.names));
        solved
    }

    /// The summary of the run of a result; none while it has no end.
    ///
    /// # Errors
    ///
    /// [`ResultError`] if the result cannot be read.
    pub fn read(result: &ResultReader) -> Result<Option<Self>, ResultError> {
        let (Some(ledger), Some(last)) = (result.summary()?, result.times()?.len().checked_sub(1)) else {
            return Ok(None);
        };
        let (header, last) = (result.header()?, result.frame(last)?);
        let (counters, timings) = (result.counters()?, result.timings()?);
        let count = |name: &str| counters.iter().find(|(n, _)| n == name).map(|(_, count)| *count);
        let seconds = |name: &str| timings.iter().find(|(n, _)| n == name).map_or(0.0, |(_, s)| *s);
        let cost = Cost {
            end_time: last.time,
            steps: count("steps").unwrap_or(0),
            counts: ["rejected_steps", "right_hand_sides"].map(count),
            seconds: seconds("time loop") + STATIC_PHASES.map(seconds).iter().sum::<f64>(),
            phases: CPU_PHASES
                .into_iter()
                .filter(|&(timing, _)| timings.iter().any(|(known, _)| known == timing))
                .map(|(timing, name)| Phase::of(name, seconds(timing)))
                .collect(),
        };
        let pairs: Vec<&str> = header.pairs.iter().map(|pair| &*pair.name).collect();
        let bodies: Vec<&str> = header.bodies.iter().map(|body| &*body.name).collect();
        let statics = Statics::read(&result.static_forces()?, &header, &last);
        let estimates = result.error_estimates()?;
        let events = if statics.is_some() { Vec::new() } else { result.contact_events()? };
        let contacts = events.iter().zip(of_largest(&events, &estimates));
        let named = |event: &ContactEvent| event.name(&pairs, &bodies);
        let contacts = contacts.map(|(event, estimate)| Contact::of(event, named(event), estimate)).collect();
        let names = header.bodies.iter().map(|body| body.name.clone());
        let notes = result.notes()?;
        // Notes of the start belong to the set-up.
        let remarks = notes.iter().filter(|note| note.level == NoteLevel::Note && note.time > 0.0);
        let remarks: Vec<String> = remarks.map(|note| note.text.clone()).collect();
        let warnings = notes.into_iter().filter(|note| note.level == NoteLevel::Warning);
        let mut solved = Self::with(
            cost,
            &ledger,
            contacts,
            names.zip(last.bodies.iter().map(Body::of)).collect(),
            warnings.map(|note| note.text).collect(),
        );
        solved.shown = condensed(&events, IMPACTS);
        solved.remarks = remarks;
        solved.statics = statics;
        Ok(Some(solved))
    }

    fn with(
        cost: Cost,
        ledger: &LedgerSummary,
        contacts: Vec<Contact>,
        bodies: BTreeMap<String, Body>,
        warnings: Vec<String>,
    ) -> Self {
        let [energy, momentum, ang_momentum] = ledger.errors();
        Self {
            end_time: cost.end_time,
            steps: cost.steps,
            rejected_steps: cost.counts[0],
            right_hand_sides: cost.counts[1],
            seconds: cost.seconds,
            cpu_seconds: cost.phases.iter().map(|phase| phase.cpu_seconds).sum(),
            cpu_phases: cost.phases,
            energy: Energy {
                initial: ledger.energy_initial,
                last: ledger.energy_final,
                max_relative_error: energy,
                limit: ledger.energy_limit,
                claim: ledger.energy_verdict(),
            },
            linear_momentum: Error { max_relative_error: momentum },
            angular_momentum: Error { max_relative_error: ang_momentum },
            contacts,
            shown: Vec::new(),
            bodies,
            statics: None,
            remarks: Vec::new(),
            warnings,
        }
    }

    /// Warnings about the accuracy of the results.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

/// The estimates of errors by events: that of a pair belongs to its largest impact alone.
///
/// * `estimates` — one for each pair
fn of_largest(events: &[ContactEvent], estimates: &[Option<ErrorEstimate>]) -> Vec<Option<ErrorEstimate>> {
    let mut found = vec![None; events.len()];
    for (pair, estimate) in estimates.iter().enumerate() {
        let own = events.iter().enumerate().filter(|(_, event)| event.pair == pair);
        if let Some((largest, _)) = own.max_by(|(_, a), (_, b)| a.peak_force.total_cmp(&b.peak_force)) {
            found[largest] = *estimate;
        }
    }
    found
}

impl Contact {
    fn of(event: &ContactEvent, pair: String, estimate: Option<ErrorEstimate>) -> Self {
        Self {
            pair,
            start: event.start,
            end: (!event.open).then_some(event.end),
            duration: event.duration(),
            peak_force: event.peak().map(|(force, _)| force),
            peak_time: event.peak().map(|(_, time)| time),
            peak_force_reason: event.impulsive.then_some(NO_PEAK),
            mean_force: event.mean_force(),
            impulse: event.impulse_size(),
            max_approach: event.max_approach,
            place: event.place,
            normal: event.normal,
            velocity_before: event.velocity_before,
            velocity_after: event.velocity_after,
            slip_before: event.slip_before,
            slip_after: event.slip_after,
            own_velocities_before: event.own_before,
            own_velocities_after: event.own_after,
            restitution: event.restitution(),
            restitution_reason: event.no_restitution().map(|reason| reason.to_string()),
            vibration_before: event.vibration_before,
            vibration_energy: event.vibration_energy,
            sub_impacts: event.sub_impacts,
            error_estimate: estimate.map(|estimate| Expected::of(&estimate, event.restitution())),
        }
    }
}

impl Body {
    fn of(state: &BodyState) -> Self {
        Self {
            position: state.position,
            quaternion: state.quaternion,
            velocity: state.velocity,
            angular_velocity: state.angular_velocity,
        }
    }
}
