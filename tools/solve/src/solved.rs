//! What a run came to, as text and as the JSON object of `carom-solve`.

use std::collections::BTreeMap;

use carom_dynamics::{BodyState, ContactEvent, LedgerSummary, NO_PEAK};
use carom_format::result::{NoteLevel, ResultError, ResultReader};
use carom_simulate::RunOutcome;
use serde::Serialize;

use crate::statics::Statics;

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Solved {
    end_time: f64,
    steps: u64,
    rejected_steps: u64,
    right_hand_sides: u64,
    seconds: f64,
    cpu_seconds: f64,
    energy: Energy,
    linear_momentum: Error,
    angular_momentum: Error,
    contacts: Vec<Contact>,
    bodies: BTreeMap<String, Body>,
    /// Of the scheme `static` alone.
    #[serde(rename = "static", skip_serializing_if = "Option::is_none")]
    statics: Option<Statics>,
    /// Contacts that did not happen, with the nearest gap.
    remarks: Vec<String>,
    warnings: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Energy {
    initial: f64,
    #[serde(rename = "final")]
    last: f64,
    max_relative_error: Option<f64>,
    /// The largest error that the run claims; null where it claims nothing.
    limit: Option<f64>,
    /// "met" or "not met".
    claim: Option<&'static str>,
}

/// None against a momentum that is none but for round-off.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct Error {
    max_relative_error: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Contact {
    pair: String,
    start: f64,
    /// None while they still touch at the end of the run.
    end: Option<f64>,
    duration: f64,
    /// None of impulses, as `peak_force_reason` says.
    peak_force: Option<f64>,
    peak_time: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_force_reason: Option<&'static str>,
    /// Impulse over duration: the force of the plateau of a flat impact; null without a duration, and of impulses.
    mean_force: Option<f64>,
    impulse: f64,
    max_approach: f64,
    place: [f64; 3],
    normal: [f64; 3],
    velocity_before: f64,
    velocity_after: f64,
    slip_before: [f64; 3],
    slip_after: [f64; 3],
    /// Of the first and of the second body of the pair.
    own_velocities_before: [f64; 2],
    own_velocities_after: [f64; 2],
    /// None where `restitution_reason` says why.
    restitution: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restitution_reason: Option<String>,
    vibration_before: f64,
    vibration_energy: f64,
    sub_impacts: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Body {
    position: [f64; 3],
    quaternion: [f64; 4],
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
}

/// Sizes of a run: time reached \[s\], steps, seconds.
struct Cost {
    end_time: f64,
    /// Steps, rejected steps, right-hand sides.
    counts: [u64; 3],
    /// Wall clock and CPU.
    seconds: [f64; 2],
}

/// What results call the time in the load steps of a static run.
const STATIC_STEPS: &str = "statics: load steps";

impl Solved {
    /// What a run came to that has just ended.
    pub fn of(outcome: &RunOutcome) -> Self {
        let s = &outcome.summary;
        let cost = Cost {
            end_time: s.time,
            counts: [s.counters.steps, s.counters.rejected, s.counters.evaluations],
            seconds: [outcome.seconds, outcome.cpu_seconds],
        };
        let contacts =
            s.contacts.iter().map(|event| Contact::of(event, outcome.pairs[event.pair].clone())).collect();
        let bodies = outcome.names.iter().cloned().zip(outcome.bodies.iter().map(Body::of)).collect();
        let mut solved = Self::with(cost, &s.ledger, contacts, bodies, outcome.warnings.clone());
        solved.remarks.clone_from(&outcome.remarks);
        solved.statics = outcome.statics.as_ref().map(|statics| Statics::of(statics, &outcome.names));
        solved
    }

    /// What the run of a result came to; none while it has no end.
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
        let count = |name: &str| counters.iter().find(|(n, _)| n == name).map_or(0, |(_, count)| *count);
        let seconds = |name: &str| timings.iter().find(|(n, _)| n == name).map_or(0.0, |(_, s)| *s);
        let cost = Cost {
            end_time: last.time,
            counts: ["steps", "rejected_steps", "right_hand_sides"].map(count),
            seconds: [seconds("time loop") + seconds(STATIC_STEPS), seconds("time loop, cpu")],
        };
        let pair = |n: usize| header.pairs.get(n).map_or_else(|| n.to_string(), |pair| pair.name.clone());
        let events = result.contact_events()?;
        let contacts = events.iter().map(|event| Contact::of(event, pair(event.pair))).collect();
        let names = header.bodies.iter().map(|body| body.name.clone());
        let notes = result.notes()?;
        // Notes of the start say how the run was set up.
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
        solved.remarks = remarks;
        solved.statics = Statics::read(&result.static_forces()?, &header, &last);
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
            steps: cost.counts[0],
            rejected_steps: cost.counts[1],
            right_hand_sides: cost.counts[2],
            seconds: cost.seconds[0],
            cpu_seconds: cost.seconds[1],
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
            bodies,
            statics: None,
            remarks: Vec::new(),
            warnings,
        }
    }

    /// What the user should be wary of.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// As lines for people.
    pub fn text(&self) -> String {
        if let Some(statics) = &self.statics {
            return statics.text(self.steps, self.seconds, self.energy.last);
        }
        let mut out = format!(
            "t = {:.6e} s after {} steps ({} rejected, {} right-hand sides), {:.2} s, {:.2} s of CPU\n\
             energy {:.9e} J at the start, {:.9e} J at the end, balance to {}{}; momentum to {}, angular momentum to {}\n",
            self.end_time,
            self.steps,
            self.rejected_steps,
            self.right_hand_sides,
            self.seconds,
            self.cpu_seconds,
            self.energy.initial,
            self.energy.last,
            error(self.energy.max_relative_error),
            self.energy.claim(),
            error(self.linear_momentum.max_relative_error),
            error(self.angular_momentum.max_relative_error)
        );
        for c in &self.contacts {
            out.push_str(&c.text());
        }
        for remark in &self.remarks {
            out.push_str(remark);
            out.push('\n');
        }
        for (name, body) in &self.bodies {
            let [vx, vy, vz] = body.velocity;
            out.push_str(&format!("body {name}: velocity {vx:.6e} {vy:.6e} {vz:.6e} m/s\n"));
        }
        out
    }
}

impl Energy {
    /// The claim behind its error: nothing where there is none.
    fn claim(&self) -> String {
        match (self.claim, self.limit) {
            (Some("met"), _) => " (met)".to_owned(),
            (Some(verdict), Some(limit)) => format!(" ({verdict}: the limit is {limit:.1e})"),
            _ => String::new(),
        }
    }
}

impl Contact {
    fn of(event: &ContactEvent, pair: String) -> Self {
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
        }
    }

    /// One line for people, and one on velocities.
    fn text(&self) -> String {
        let peak = self.peak_force.zip(self.peak_time);
        let peak = peak.map_or_else(
            || "peak - (impulses)".to_owned(),
            |(force, time)| {
                format!("peak {force:.3} N at {time:.6e} s, mean {:.3} N", self.mean_force.unwrap_or(0.0))
            },
        );
        let restitution = match (self.end, self.restitution, &self.restitution_reason) {
            (None, ..) => "lasting".to_owned(),
            (_, Some(e), _) => format!("restitution {e:.5}"),
            (_, None, reason) => format!("restitution - ({})", reason.as_deref().unwrap_or_default()),
        };
        let slip = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let ([a, b], [c, d]) = (self.own_velocities_before, self.own_velocities_after);
        format!(
            "contact {}: {:.6e} s to {:.6e} s ({:.3} µs), {peak}, impulse {:.6e} N s, approach {:.4} µm, {restitution}\n\
             \x20 along the normal {:.6} to {:.6} m/s (the bodies {a:.6}, {b:.6} to {c:.6}, {d:.6}), slip {:.6} to {:.6} m/s\n",
            self.pair,
            self.start,
            self.start + self.duration,
            1e6 * self.duration,
            self.impulse,
            1e6 * self.max_approach,
            self.velocity_before,
            self.velocity_after,
            slip(&self.slip_before),
            slip(&self.slip_after)
        )
    }
}

/// A relative error, or that it has no reference.
fn error(error: Option<f64>) -> String {
    error.map_or_else(|| "- (nothing to compare with)".to_owned(), |error| format!("{error:.1e}"))
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
