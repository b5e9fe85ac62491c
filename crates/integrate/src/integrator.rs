//! An integrator chosen at run time.

use crate::adaptive::Adaptive;
use crate::alpha::{ConstraintForm, GeneralisedAlpha, SpectralRadius};
use crate::attempt::{Attempt, Counters, IntegratorState};
use crate::control::Tolerances;
use crate::exponential::Exponential;
use crate::implicit::{Implicit, ImplicitMethod};
use crate::ode::{IntegrateError, Ode};
use crate::radau::Radau5;
use crate::runge_kutta::RungeKutta;
use crate::tableau::Method;

/// Choice of the integrator.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum IntegratorKind {
    /// Explicit embedded pair.
    RungeKutta(Method),
    /// Radau IIA of order 5.
    Radau5,
    /// Implicit of order 2.
    Implicit(ImplicitMethod),
    /// Exponential of order 4, explicit in short steps.
    Exponential,
    /// Generalised-α, for systems of second order alone.
    GeneralisedAlpha(SpectralRadius, ConstraintForm),
}

impl IntegratorKind {
    /// True if equations are solved in every step, so that fast and damped components do not limit the
    /// step.
    pub fn is_implicit(self) -> bool {
        !matches!(self, Self::RungeKutta(_) | Self::Exponential)
    }

    /// True if the last evaluation of a step is that of its end.
    pub fn ends_at_the_end(self) -> bool {
        matches!(self, Self::RungeKutta(_) | Self::Exponential | Self::GeneralisedAlpha(..))
    }

    /// True if the steps themselves satisfy the constraints of a [`crate::SecondOrder`].
    pub fn keeps_constraints(self) -> bool {
        matches!(self, Self::GeneralisedAlpha(..))
    }
}

/// One of the integrators, with the methods of [`Adaptive`].
#[derive(Debug)]
pub enum Integrator {
    /// Explicit embedded pair.
    RungeKutta(Box<RungeKutta>),
    /// Radau IIA of order 5.
    Radau5(Box<Radau5>),
    /// Implicit of order 2.
    Implicit(Box<Implicit>),
    /// Exponential of order 4.
    Exponential(Box<Exponential>),
    /// Generalised-α.
    GeneralisedAlpha(Box<GeneralisedAlpha>),
}

/// The same call on each variant.
macro_rules! each {
    ($integrator:expr, $it:ident => $call:expr) => {
        match $integrator {
            Integrator::RungeKutta($it) => $call,
            Integrator::Radau5($it) => $call,
            Integrator::Implicit($it) => $call,
            Integrator::Exponential($it) => $call,
            Integrator::GeneralisedAlpha($it) => $call,
        }
    };
}

impl Integrator {
    /// For systems with the number of components of `tolerances`.
    pub fn new(kind: IntegratorKind, tolerances: Tolerances) -> Self {
        match kind {
            IntegratorKind::RungeKutta(method) => {
                Self::RungeKutta(Box::new(RungeKutta::new(method, tolerances)))
            }
            IntegratorKind::Radau5 => Self::Radau5(Box::new(Radau5::new(tolerances))),
            IntegratorKind::Implicit(method) => Self::Implicit(Box::new(Implicit::new(method, tolerances))),
            IntegratorKind::Exponential => Self::Exponential(Box::new(Exponential::new(tolerances))),
            IntegratorKind::GeneralisedAlpha(radius, form) => {
                Self::GeneralisedAlpha(Box::new(GeneralisedAlpha::new(radius, form, tolerances)))
            }
        }
    }

    /// As [`Adaptive::counters`].
    pub fn counters(&self) -> Counters {
        each!(self, it => it.counters())
    }

    /// As [`Adaptive::next_step`].
    pub fn next_step(&self) -> f64 {
        each!(self, it => it.next_step())
    }

    /// As [`Adaptive::state`].
    pub fn state(&self) -> IntegratorState {
        each!(self, it => it.state())
    }

    /// As [`Adaptive::restore`].
    pub fn restore(&mut self, state: &IntegratorState) -> bool {
        each!(self, it => it.restore(state))
    }

    /// As [`Adaptive::forget_rate`].
    pub fn forget_rate(&mut self) {
        each!(self, it => it.forget_rate());
    }

    /// As [`Adaptive::state_moved`].
    pub fn state_moved(&mut self) {
        each!(self, it => it.state_moved());
    }

    /// As [`Adaptive::rate_kinks`].
    pub fn rate_kinks(&mut self) {
        each!(self, it => it.rate_kinks());
    }

    /// As [`Adaptive::rate_mut`].
    pub fn rate_mut(&mut self) -> Option<&mut [f64]> {
        each!(self, it => it.rate_mut())
    }

    /// As [`Adaptive::attempt`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn attempt<O: Ode>(
        &mut self,
        ode: &mut O,
        time: f64,
        y: &[f64],
        latest: f64,
    ) -> Result<Attempt, IntegrateError<O::Error>> {
        each!(self, it => it.attempt(ode, time, y, latest))
    }

    /// As [`Adaptive::prepare_dense`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn prepare_dense<O: Ode>(&mut self, ode: &mut O) -> Result<(), IntegrateError<O::Error>> {
        each!(self, it => it.prepare_dense(ode))
    }

    /// As [`Adaptive::interpolate`].
    pub fn interpolate(&self, time: f64, out: &mut [f64]) {
        each!(self, it => Adaptive::interpolate(it, time, out));
    }

    /// As [`Adaptive::end_state`].
    pub fn end_state(&self) -> &[f64] {
        each!(self, it => it.end_state())
    }

    /// As [`Adaptive::accept`].
    pub fn accept(&mut self, y: &mut [f64]) -> f64 {
        each!(self, it => it.accept(y))
    }
}
