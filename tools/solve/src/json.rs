//! The JSON object of `carom-solve`.

use std::collections::BTreeMap;

use carom_simulate::RunOutcome;
use serde::Serialize;

#[derive(Serialize)]
pub(crate) struct Solved<'a> {
    end_time: f64,
    steps: u64,
    rejected_steps: u64,
    right_hand_sides: u64,
    seconds: f64,
    cpu_seconds: f64,
    energy: Energy,
    linear_momentum: Error,
    angular_momentum: Error,
    contacts: Vec<Contact<'a>>,
    bodies: BTreeMap<&'a str, Body>,
    warnings: &'a [String],
}

#[derive(Serialize)]
struct Energy {
    initial: f64,
    #[serde(rename = "final")]
    last: f64,
    max_relative_error: f64,
}

#[derive(Serialize)]
struct Error {
    max_relative_error: f64,
}

#[derive(Serialize)]
struct Contact<'a> {
    pair: &'a str,
    start: f64,
    end: f64,
    duration: f64,
    peak_force: f64,
    peak_time: f64,
    impulse: f64,
    max_approach: f64,
    /// Absent while the surfaces still touch.
    restitution: Option<f64>,
    vibration_energy: f64,
    sub_impacts: u32,
}

#[derive(Serialize)]
struct Body {
    position: [f64; 3],
    quaternion: [f64; 4],
    velocity: [f64; 3],
    angular_velocity: [f64; 3],
}

impl<'a> Solved<'a> {
    pub(crate) fn of(outcome: &'a RunOutcome) -> Self {
        let (s, ledger) = (&outcome.summary, &outcome.summary.ledger);
        let bodies = outcome.names.iter().zip(&outcome.bodies).map(|(name, body)| {
            let state = Body {
                position: body.position,
                quaternion: body.quaternion,
                velocity: body.velocity,
                angular_velocity: body.angular_velocity,
            };
            (name.as_str(), state)
        });
        let contacts = s.contacts.iter().map(|event| Contact {
            pair: &outcome.pairs[event.pair],
            start: event.start,
            end: event.end,
            duration: event.duration(),
            peak_force: event.peak_force,
            peak_time: event.peak_time,
            impulse: event.impulse_size(),
            max_approach: event.max_approach,
            restitution: event.restitution(),
            vibration_energy: event.vibration_energy,
            sub_impacts: event.sub_impacts,
        });
        Self {
            end_time: s.time,
            steps: s.counters.steps,
            rejected_steps: s.counters.rejected,
            right_hand_sides: s.counters.evaluations,
            seconds: outcome.seconds,
            cpu_seconds: outcome.cpu_seconds,
            energy: Energy {
                initial: ledger.energy_initial,
                last: ledger.energy_final,
                max_relative_error: ledger.energy_error,
            },
            linear_momentum: Error { max_relative_error: ledger.momentum_error },
            angular_momentum: Error { max_relative_error: ledger.ang_momentum_error },
            contacts: contacts.collect(),
            bodies: bodies.collect(),
            warnings: &outcome.warnings,
        }
    }
}
