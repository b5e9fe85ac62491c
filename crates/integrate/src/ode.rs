//! The system to integrate, and the errors of integration.

use crate::second_order::SecondOrder;

/// An ordinary differential equation y' = f(t, y).
pub trait Ode {
    /// Error of the rate, for example an inner iteration that did not converge.
    type Error: std::error::Error + 'static;

    /// Number n of components of y.
    fn dim(&self) -> usize;

    /// Components from here on influence no rate: integrals along the way. Implicit methods leave them out of
    /// their equations.
    fn coupled(&self) -> usize {
        self.dim()
    }

    /// Writes f(t, y) to `rate` (length n, overwritten). Allocates nothing.
    ///
    /// `&mut self` is for workspaces and starting values of inner iterations: earlier evaluations may
    /// change the result only below the tolerance of that iteration.
    ///
    /// # Errors
    ///
    /// The caller tries again with a smaller step, down to its limit.
    fn rate(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Self::Error>;

    /// Components from here on are zero in all states so far, and so are their rates: integrals that have not
    /// begun. Explicit formulas leave them out. The number never falls.
    fn in_use(&self) -> usize {
        self.dim()
    }

    /// As [`Ode::rate`], to a buffer that has zeros from [`Ode::in_use`] on: these need not be written. An
    /// evaluation may bring further components into use.
    ///
    /// # Errors
    ///
    /// As there.
    fn rate_in_use(&mut self, time: f64, y: &[f64], rate: &mut [f64]) -> Result<(), Self::Error> {
        self.rate(time, y, rate)
    }

    /// True if steps may be longer than the periods of the rate's oscillations, where a formula carries
    /// these: the rate has some, and no kinks that a long step would miss.
    fn oscillates(&self) -> bool {
        true
    }

    /// The same system as one of second order, if it is one.
    fn second_order(&mut self) -> Option<&mut dyn SecondOrder<Error = Self::Error>> {
        None
    }
}

/// Errors of a step.
#[derive(Debug, thiserror::Error)]
pub enum IntegrateError<E: std::error::Error + 'static> {
    /// The rate fails for every step down to the smallest.
    #[error(
        "the right-hand side at t = {time:.9e} s could not be computed, not even with a step of {step:.3e} s \
         (the least that is tried)"
    )]
    RightHandSide {
        /// Start of the step \[s\].
        time: f64,
        /// Last step tried \[s\].
        step: f64,
        /// Error of the rate.
        #[source]
        source: E,
    },
    /// The error estimate exceeds the tolerance for every step down to the smallest.
    #[error(
        "the step at t = {time:.9e} s fell to {step:.3e} s with an error still {error:.2e} times the \
         tolerance, largest in component {component}: the right-hand side jumps there, or the tolerance is \
         below round-off; loosen the tolerance or look at that component"
    )]
    StepTooSmall {
        /// Start of the step \[s\].
        time: f64,
        /// Last step tried \[s\].
        step: f64,
        /// Its error in units of the tolerance.
        error: f64,
        /// The component of y with the largest error.
        component: usize,
    },
    /// Newton's method does not converge for any step down to the smallest.
    #[error(
        "the equations of a step from t = {time:.9e} s could not be solved, not even with a step of \
         {step:.3e} s; the iterations fail in component {component} of the state: the right-hand side may \
         jump there, or constraints depend on each other"
    )]
    NotSolved {
        /// Start of the step \[s\].
        time: f64,
        /// Last step tried \[s\].
        step: f64,
        /// The component that changes most.
        component: usize,
    },
    /// The formula needs a system of second order.
    #[error("generalised-α takes systems with positions and momenta; this one has a rate alone")]
    FirstOrder,
    /// Numbers are infinite or undefined for every step down to the smallest.
    #[error(
        "component {component} of the state at t = {time:.9e} s is not finite, not even after a step of \
         {step:.3e} s"
    )]
    NotFinite {
        /// Start of the step \[s\].
        time: f64,
        /// Last step tried \[s\].
        step: f64,
        /// First component that is not finite.
        component: usize,
    },
    /// The caller allows no step.
    #[error(
        "the longest step allowed at t = {time:.9e} s is {max_step:.3e} s; it must be positive and change \
         the time"
    )]
    NoRoom {
        /// Start of the step \[s\].
        time: f64,
        /// Longest step that the caller allows \[s\].
        max_step: f64,
    },
}

impl<E: std::error::Error + 'static> IntegrateError<E> {
    /// The component of the state that causes the error, if there is one.
    pub fn component(&self) -> Option<usize> {
        match *self {
            Self::StepTooSmall { component, .. }
            | Self::NotSolved { component, .. }
            | Self::NotFinite { component, .. } => Some(component),
            Self::RightHandSide { .. } | Self::FirstOrder | Self::NoRoom { .. } => None,
        }
    }
}
