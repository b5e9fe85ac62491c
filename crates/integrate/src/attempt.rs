//! The result of an attempted step, and the state of an integrator between steps.

use crate::control::Controller;

/// Work done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Accepted steps.
    pub steps: u64,
    /// Steps rejected because their error was too large or the rate failed.
    pub rejected: u64,
    /// Steps rejected by the caller, to end at an event.
    pub cut: u64,
    /// Evaluations of the rate.
    pub evaluations: u64,
    /// Derivatives of the rate; their evaluations count above.
    pub jacobians: u64,
    /// Factorisations of implicit methods.
    pub factorisations: u64,
    /// Iterations of Newton's method.
    pub iterations: u64,
}

/// A step that can be accepted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    /// Its start \[s\].
    pub start: f64,
    /// Its end \[s\].
    pub end: f64,
    /// Its error in units of the tolerance, ≤ 1.
    pub error: f64,
}

impl Attempt {
    /// Its length h \[s\].
    pub fn step(&self) -> f64 {
        self.end - self.start
    }
}

/// The whole state of an integrator between steps: plain data, from which a run continues with the same
/// bits.
#[derive(Debug, Clone, PartialEq)]
pub struct IntegratorState {
    /// Step size control.
    pub controller: Controller,
    /// Work done so far.
    pub counters: Counters,
    /// Quantities of earlier steps, in the layout of the formula.
    pub memory: Vec<f64>,
}

/// Error of a trial step in units of the tolerance, and its component. NaN if the end state is not finite,
/// infinite if there is none.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// The error.
    pub error: f64,
    /// The component.
    pub component: usize,
}

impl Trial {
    /// The equations of the step could not be solved.
    pub const UNSOLVED: Self = Self { error: f64::INFINITY, component: 0 };
}

/// A step that error control asks for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted {
    /// Its length h \[s\].
    pub step: f64,
    /// Upper bound of it \[s\].
    pub room: f64,
    /// True if a step from here was rejected.
    pub again: bool,
}

/// A step to be tried.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Its start \[s\].
    pub start: f64,
    /// Its end \[s\].
    pub end: f64,
    /// Its length h \[s\]; the end is rounded.
    pub h: f64,
    /// True if a step from here was rejected.
    pub again: bool,
}
