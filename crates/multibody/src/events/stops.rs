//! Stops that are reached or left within a step.

use carom_integrate::{Attempt, locate_crossing};

use crate::force::Stop;
use crate::outcome::RunError;
use crate::stepper::{Stepper, at};
use crate::system::System;
use crate::system_error::RateError;

/// The first stop but `known` that is reached or left within the attempt, and when.
pub(crate) fn first_stop(
    system: &mut System,
    stepper: &mut Stepper,
    attempt: &Attempt,
    known: Option<Stop>,
) -> Result<Option<(Stop, f64)>, RunError> {
    let mut first: Option<(Stop, f64)> = None;
    for stop in system.elements().stops() {
        let start = system.elements().gap_at_start(stop);
        if !start.is_finite() || known == Some(stop) {
            continue;
        }
        let end = if stepper.is_elsewhere() {
            stop_gap(system, stepper, attempt.end, stop).map_err(|source| at(attempt, source))?
        } else {
            system.elements().gap_at_rate(stop)
        };
        // After a cut step the sign at the start is that of rounding: an opposite sign at the end is then no
        // event.
        if (start < 0.0) == (end < 0.0) || system.elements().is_passed(stop) == (end < 0.0) {
            continue;
        }
        stepper.leave_end(system)?;
        let width = 1e-10 * attempt.step();
        let crossing = locate_crossing((attempt.start, start), (attempt.end, end), width, |time| {
            stop_gap(system, stepper, time, stop)
        })
        .map_err(|source| at(attempt, source))?;
        if first.is_none_or(|(_, time)| crossing.after < time) {
            first = Some((stop, crossing.after));
        }
    }
    Ok(first)
}

/// Distance from a stop at a time within the attempt \[m or rad\].
fn stop_gap(system: &mut System, stepper: &mut Stepper, time: f64, stop: Stop) -> Result<f64, RateError> {
    stepper.set_within(system, time)?;
    Ok(system.elements().gap_at(stop, system.states().at(time, stepper.state_within())))
}
