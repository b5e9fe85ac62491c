//! Steps under error control, for every formula.
//!
//! A step has two halves, so that the caller can inspect it before accepting it:
//!
//! ```text
//! let attempt = integrator.attempt(&mut ode, t, &y, latest)?;    // error control; may end before `latest`
//! integrator.prepare_dense(&mut ode)?;                           // for states within the step
//! …                                                             // an event at t_e: attempt(…, t_e)
//! t = integrator.accept(&mut y);                                 // y becomes the end of the attempt
//! ```

pub use crate::attempt::{Span, Trial, Wanted};

use crate::attempt::{Attempt, Counters, IntegratorState};
use crate::control::{Controller, Tolerances};
use crate::ode::{IntegrateError, Ode};

/// Smallest step that is tried, relative to the time or to the first trial step.
const LEAST_RELATIVE_STEP: f64 = 16.0 * f64::EPSILON;

/// State and workspace that all formulas share.
#[derive(Debug, Clone)]
pub struct Shared {
    /// Accuracy.
    pub tolerances: Tolerances,
    /// Work done so far.
    pub counters: Counters,
    /// State at the start of the step.
    pub y0: Vec<f64>,
    /// State at the end of the last trial.
    pub y1: Vec<f64>,
    /// [`Ode::in_use`] at the last evaluation: components from there on have zeros in all vectors of a
    /// formula that leaves them out.
    pub in_use: usize,
}

impl Shared {
    /// Number of components.
    pub fn dim(&self) -> usize {
        self.y0.len()
    }

    /// Largest of the errors e_i over the components, in units of the tolerance; NaN if y₁ is not finite.
    pub fn largest(&self, error: impl Fn(usize) -> f64) -> Trial {
        let mut trial = Trial { error: 0.0, component: 0 };
        for i in 0..self.in_use {
            if !self.y1[i].is_finite() {
                return Trial { error: f64::NAN, component: i };
            }
            let scale = self.tolerances.scale(i, self.y0[i], self.y1[i]);
            if scale.is_infinite() {
                continue;
            }
            let size = error(i).abs() / scale.max(f64::MIN_POSITIVE);
            if size.is_nan() || size > trial.error {
                trial = Trial { error: size, component: i };
            }
        }
        trial
    }

    /// A step whose explicit Euler step changes the state by a hundred tolerances.
    pub fn euler_step(&self, rate: &[f64], room: f64) -> f64 {
        let pace = |i: usize| rate[i].abs() / self.tolerances.scale(i, self.y0[i], self.y0[i]);
        let fastest = (0..self.dim()).map(pace).filter(|pace| pace.is_finite()).fold(0.0, f64::max);
        if fastest > 0.0 { (100.0 / fastest).min(room) } else { 1e-3 * room }
    }

    /// Evaluates the rate at the start of a step.
    ///
    /// # Errors
    ///
    /// [`IntegrateError::RightHandSide`], [`IntegrateError::NotFinite`].
    pub fn rate_at_start<O: Ode>(
        &mut self,
        ode: &mut O,
        (time, room): (f64, f64),
        rate: &mut [f64],
    ) -> Result<(), IntegrateError<O::Error>> {
        self.counters.evaluations += 1;
        ode.rate(time, &self.y0, rate).map_err(|source| IntegrateError::RightHandSide {
            time,
            step: room,
            source,
        })?;
        match rate.iter().position(|f| !f.is_finite()) {
            Some(component) => Err(IntegrateError::NotFinite { time, step: 0.0, component }),
            None => Ok(()),
        }
    }
}

/// A formula for one step.
pub trait Formula {
    /// Order of the error estimate plus one.
    fn error_power(&self) -> u32;

    /// Prepares a step: quantities at its start, once for all trials from there. Returns the first step to
    /// try if none was made before.
    ///
    /// * `room` — upper bound of that step \[s\]
    /// * `is_first` — true if that step is needed
    ///
    /// # Errors
    ///
    /// [`IntegrateError`] if the rate at the start cannot be computed.
    fn start<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        time: f64,
        room: f64,
        is_first: bool,
    ) -> Result<f64, IntegrateError<O::Error>>;

    /// The length of the next trial \[s\], at most the room; a length near the room is the room.
    ///
    /// # Errors
    ///
    /// The error of the rate, [`Ode::rate`].
    fn length<O: Ode>(
        &mut self,
        _ode: &mut O,
        _shared: &mut Shared,
        _time: f64,
        wanted: Wanted,
    ) -> Result<f64, O::Error> {
        Ok(wanted.step.min(wanted.room))
    }

    /// Computes y₁ and its error.
    ///
    /// # Errors
    ///
    /// The error of the rate, [`Ode::rate`]; a shorter step is tried.
    fn trial<O: Ode>(&mut self, ode: &mut O, shared: &mut Shared, span: Span) -> Result<Trial, O::Error>;

    /// May change the controller's proposal after a step of length h.
    fn settle(&self, _controller: &mut Controller, _h: f64) {}

    /// Makes the dense output of the last trial.
    ///
    /// # Errors
    ///
    /// The error of the rate, [`Ode::rate`].
    fn prepare_dense<O: Ode>(
        &mut self,
        _ode: &mut O,
        _shared: &mut Shared,
        _attempt: Attempt,
    ) -> Result<(), O::Error> {
        Ok(())
    }

    /// Writes the dense output at s = (t − t₀)/h to `out`, one number a component.
    fn interpolate(&self, shared: &Shared, h: f64, s: f64, out: &mut [f64]);

    /// Keeps the quantities of this accepted step that the next one uses.
    fn accepted(&mut self, shared: &Shared, attempt: Attempt);

    /// Called after the caller has moved the state by no more than the error of a step.
    fn nudged(&mut self);

    /// Called after the caller has changed the state or the system.
    fn changed(&mut self);

    /// Called at a kink of the rate at the present state, where earlier steps predict nothing.
    fn kinked(&mut self) {}

    /// The rate at the present state, if known. The caller changes it along with the state.
    fn rate_mut(&mut self) -> Option<&mut [f64]> {
        None
    }

    /// Quantities of earlier steps that the next step needs, as numbers.
    fn memory(&self) -> Vec<f64>;

    /// The inverse of `memory`; false if the numbers belong to another formula or system.
    fn recall(&mut self, memory: &[f64]) -> bool;
}

/// A formula under error control.
#[derive(Debug, Clone)]
pub struct Adaptive<F> {
    pub(crate) formula: F,
    pub(crate) shared: Shared,
    controller: Controller,
    pending: Option<Pending>,
}

/// An attempt, and the state of the controller after its acceptance.
#[derive(Debug, Clone, Copy)]
struct Pending {
    attempt: Attempt,
    controller: Controller,
}

impl<F: Formula> Adaptive<F> {
    pub(crate) fn with(formula: F, tolerances: Tolerances) -> Self {
        let n = tolerances.absolute.len();
        let counters = Counters::default();
        Self {
            formula,
            shared: Shared { tolerances, counters, y0: vec![0.0; n], y1: vec![0.0; n], in_use: n },
            controller: Controller::default(),
            pending: None,
        }
    }

    /// Number of components.
    pub fn dim(&self) -> usize {
        self.shared.dim()
    }

    /// Work done so far.
    pub fn counters(&self) -> Counters {
        self.shared.counters
    }

    /// The length of the next step by error control \[s\]; 0 before the first one.
    pub fn next_step(&self) -> f64 {
        self.controller.next_step
    }

    /// Sets the step to try first \[s\]; otherwise it is estimated from the rate.
    pub fn set_next_step(&mut self, step: f64) {
        self.controller.next_step = step;
    }

    /// The state that a restart needs.
    pub fn state(&self) -> IntegratorState {
        IntegratorState {
            controller: self.controller,
            counters: self.shared.counters,
            memory: self.formula.memory(),
        }
    }

    /// Continues from a saved state; false if its memory belongs to another formula or system, and is
    /// ignored.
    pub fn restore(&mut self, state: &IntegratorState) -> bool {
        self.controller = state.controller;
        self.shared.counters = state.counters;
        self.pending = None;
        self.formula.changed();
        self.formula.recall(&state.memory)
    }

    /// Must be called after a change of the state or the system: earlier steps are not used.
    pub fn forget_rate(&mut self) {
        self.formula.changed();
        self.pending = None;
    }

    /// Must be called after a change of the state by no more than the error of a step, such as a projection
    /// onto constraints.
    pub fn state_moved(&mut self) {
        self.formula.nudged();
        self.pending = None;
    }

    /// Must be called at a kink of the rate at the present state, such as the closing of a stop or a
    /// corner of a load. Formulas that only lose accuracy at a kink continue.
    pub fn rate_kinks(&mut self) {
        self.formula.kinked();
        self.pending = None;
    }

    /// The rate at the present state, known after an accepted step. The caller changes it along with the
    /// state.
    pub fn rate_mut(&mut self) -> Option<&mut [f64]> {
        self.formula.rate_mut()
    }

    /// Attempts a step from `y` at `time` that ends at `latest` or before. An earlier attempt from this
    /// state is dropped.
    ///
    /// The length is that of the controller, reduced until the estimated error is within the tolerance and
    /// every rate could be evaluated. The step ends exactly at `latest` if it reaches that time.
    ///
    /// # Errors
    ///
    /// [`IntegrateError`] if `latest` is not after `time`, or no step down to round-off of the time succeeds.
    pub fn attempt<O: Ode>(
        &mut self,
        ode: &mut O,
        time: f64,
        y: &[f64],
        latest: f64,
    ) -> Result<Attempt, IntegrateError<O::Error>> {
        let room = latest - time;
        // Also refuses NaN.
        if !(room > 0.0 && time + room > time) {
            return Err(IntegrateError::NoRoom { time, max_step: room });
        }
        if self.pending.take().is_some() {
            self.shared.counters.cut += 1;
        }
        self.shared.in_use = ode.in_use();
        let in_use = self.shared.in_use;
        debug_assert!(y[in_use..].iter().all(|y| *y == 0.0), "a component that is not in use has a value");
        self.shared.y0[..in_use].copy_from_slice(&y[..in_use]);
        let proposed = self.proposed(ode, time, room)?;
        let mut step = proposed;
        let mut again = false;
        loop {
            let wanted = Wanted { step, room, again };
            let chosen = self.formula.length(ode, &mut self.shared, time, wanted);
            step = chosen.map_err(|source| IntegrateError::RightHandSide { time, step, source })?;
            let (end, h) = if step >= 0.99 * room { (latest, room) } else { (time + step, step) };
            let span = Span { start: time, end, h, again };
            let outcome = self.formula.trial(ode, &mut self.shared, span);
            self.shared.in_use = ode.in_use();
            if let Ok(Trial { error, .. }) = outcome
                && error <= 1.0
            {
                return Ok(self.keep(Attempt { start: time, end, error }, h, proposed, again));
            }
            again = true;
            self.shared.counters.rejected += 1;
            let error = outcome.as_ref().map_or(f64::NAN, |trial| trial.error);
            step = Controller::after_rejection(h, error, self.formula.error_power());
            if step < LEAST_RELATIVE_STEP * time.abs().max(proposed.min(room)) {
                return Err(failure(time, h, outcome));
            }
        }
    }

    /// The controller's step, or that of the formula at the start of a run.
    fn proposed<O: Ode>(
        &mut self,
        ode: &mut O,
        time: f64,
        room: f64,
    ) -> Result<f64, IntegrateError<O::Error>> {
        let known = self.controller.next_step > 0.0;
        let first = self.formula.start(ode, &mut self.shared, time, room, !known)?;
        Ok(match (known, self.shared.tolerances.controls()) {
            (true, _) => self.controller.next_step,
            (false, true) => first,
            (false, false) => room,
        })
    }

    /// Records an attempt that succeeded.
    fn keep(&mut self, attempt: Attempt, h: f64, proposed: f64, again: bool) -> Attempt {
        let power = self.formula.error_power();
        let mut controller = self.controller.after_acceptance(h, attempt.error, power, again);
        if !again && h < proposed {
            // The caller, not the error, has shortened the step: the longer proposal is kept.
            controller.next_step = controller.next_step.max(proposed);
        } else {
            self.formula.settle(&mut controller, h);
        }
        self.pending = Some(Pending { attempt, controller });
        attempt
    }

    fn pending(&self) -> Pending {
        self.pending.expect("an attempt must come first")
    }

    /// Makes the dense output of the last attempt; DOP853 needs three more evaluations of the rate.
    ///
    /// # Errors
    ///
    /// [`IntegrateError::RightHandSide`] if one of these evaluations fails.
    ///
    /// # Panics
    ///
    /// Without an attempt.
    pub fn prepare_dense<O: Ode>(&mut self, ode: &mut O) -> Result<(), IntegrateError<O::Error>> {
        let attempt = self.pending().attempt;
        self.formula.prepare_dense(ode, &mut self.shared, attempt).map_err(|source| {
            IntegrateError::RightHandSide { time: attempt.start, step: attempt.step(), source }
        })
    }

    /// Writes the dense output at `time` within the last attempt to `out`. Call [`Adaptive::prepare_dense`]
    /// before, except for the end of the step.
    ///
    /// # Panics
    ///
    /// Without an attempt, or if `out` has another length than [`Adaptive::dim`].
    pub fn interpolate(&self, time: f64, out: &mut [f64]) {
        assert_eq!(out.len(), self.dim(), "one number a component");
        let attempt = self.pending().attempt;
        if time == attempt.end {
            out.copy_from_slice(&self.shared.y1);
            return;
        }
        let h = attempt.step();
        self.formula.interpolate(&self.shared, h, (time - attempt.start) / h, out);
    }

    /// State at the end of the last attempt.
    pub fn end_state(&self) -> &[f64] {
        &self.shared.y1
    }

    /// Accepts the last attempt: writes its end state to `y` and returns its end time.
    ///
    /// # Panics
    ///
    /// Without an attempt.
    pub fn accept(&mut self, y: &mut [f64]) -> f64 {
        let pending = self.pending();
        self.pending = None;
        let in_use = self.shared.in_use;
        y[..in_use].copy_from_slice(&self.shared.y1[..in_use]);
        self.formula.accepted(&self.shared, pending.attempt);
        self.controller = pending.controller;
        self.shared.counters.steps += 1;
        pending.attempt.end
    }
}

/// The error of the smallest step.
fn failure<E: std::error::Error>(time: f64, step: f64, outcome: Result<Trial, E>) -> IntegrateError<E> {
    match outcome {
        Err(source) => IntegrateError::RightHandSide { time, step, source },
        Ok(Trial { error, component }) if error.is_finite() => {
            IntegrateError::StepTooSmall { time, step, error, component }
        }
        Ok(Trial { error: f64::INFINITY, component }) => IntegrateError::NotSolved { time, step, component },
        Ok(Trial { component, .. }) => IntegrateError::NotFinite { time, step, component },
    }
}
