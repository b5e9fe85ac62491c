//! Stops that are reached or left within a step. Their forces have a kink there, which a long step could
//! miss: a step is cut to end at that moment.
//!
//! Such a step ends with a gap of either sign, zero except for rounding. The passed stops are therefore kept
//! from event to event: a stop that has been reached is not reached again, and left only
//! where the coordinate comes out of it.

use super::ForceElements;
use crate::bodies::BodiesAt;

/// A stop of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stop {
    /// Number of the element.
    element: usize,
    /// 0 for the lower and 1 for the upper stop.
    side: usize,
}

impl ForceElements {
    /// All stops, those of elements without limits included.
    pub(crate) fn stops(&self) -> impl Iterator<Item = Stop> + use<> {
        (0..2 * self.all.len()).map(|number| Stop { element: number / 2, side: number % 2 })
    }

    /// Distance from a stop at the last accepted state \[m or rad\]; infinite without a limit.
    pub(crate) fn gap_at_start(&self, stop: Stop) -> f64 {
        self.memory[stop.element].gaps[stop.side]
    }

    /// Distance from a stop at the last evaluation of the rate \[m or rad\].
    pub(crate) fn gap_at_rate(&self, stop: Stop) -> f64 {
        self.gaps[stop.element][stop.side]
    }

    /// Distance from a stop at a state \[m or rad\].
    pub(crate) fn gap_at(&self, stop: Stop, at: BodiesAt<'_>) -> f64 {
        self.memory_at(stop.element, at).gaps[stop.side]
    }

    /// True if a stop is passed.
    pub(crate) fn is_passed(&self, stop: Stop) -> bool {
        self.passed[stop.element][stop.side]
    }

    /// Notes which stops are passed at the end of an accepted step: the stop of the event that the step was
    /// cut to by the event, all others by their gaps.
    pub(crate) fn note_stops(&mut self, event: Option<Stop>) {
        for (element, (memory, passed)) in self.memory.iter().zip(&mut self.passed).enumerate() {
            for side in 0..2 {
                let is_event = event == Some(Stop { element, side });
                passed[side] = if is_event { !passed[side] } else { memory.gaps[side] < 0.0 };
            }
        }
    }
}
