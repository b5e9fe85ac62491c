//! Explicit embedded Runge-Kutta steps with error control.
//!
//! A step has two halves, so that the caller can look at it before it counts:
//!
//! ```text
//! let attempt = pair.attempt(&mut ode, t, &y, latest)?;    // error control; may end before `latest`
//! pair.prepare_dense(&mut ode)?;                           // if something within the step is of interest
//! …                                                       // an event at t_e? then attempt(…, t_e) again
//! t = pair.accept(&mut y);                                 // y becomes the end of the attempt
//! ```

use crate::attempt::{Attempt, Counters, RungeKuttaState};
use crate::control::{Controller, Tolerances};
use crate::dense;
use crate::ode::{IntegrateError, Ode};
use crate::tableau::{Method, Tableau, Weight};

/// An explicit embedded pair with its workspace.
#[derive(Debug, Clone)]
pub struct RungeKutta {
    method: Method,
    tolerances: Tolerances,
    controller: Controller,
    counters: Counters,
    /// Stage rates k_i, one after the other; the first holds the rate at the present state if `has_rate`.
    k: Vec<f64>,
    has_rate: bool,
    y0: Vec<f64>,
    y1: Vec<f64>,
    y_stage: Vec<f64>,
    /// Coefficients of the dense output.
    dense: Vec<f64>,
    pending: Option<Pending>,
}

/// An attempt with what follows from it once it is accepted.
#[derive(Debug, Clone, Copy)]
struct Pending {
    attempt: Attempt,
    controller: Controller,
}

impl RungeKutta {
    /// No step is tried below this times the time or the step first tried.
    pub(crate) const LEAST_RELATIVE_STEP: f64 = 16.0 * f64::EPSILON;

    /// A pair for systems of as many components as `tolerances` has.
    pub fn new(method: Method, tolerances: Tolerances) -> Self {
        let n = tolerances.absolute.len();
        let tableau = method.tableau();
        Self {
            method,
            tolerances,
            controller: Controller::default(),
            counters: Counters::default(),
            k: vec![0.0; n * tableau.c.len()],
            has_rate: false,
            y0: vec![0.0; n],
            y1: vec![0.0; n],
            y_stage: vec![0.0; n],
            dense: vec![0.0; n * (4 + tableau.dense.len())],
            pending: None,
        }
    }

    /// Number of components.
    pub fn dim(&self) -> usize {
        self.y0.len()
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.method
    }

    /// Work done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Sets the step to try first \[s\]; otherwise it is estimated from the rate.
    pub fn set_next_step(&mut self, step: f64) {
        self.controller.next_step = step;
    }

    /// What a restart needs.
    pub fn state(&self) -> RungeKuttaState {
        let n = self.dim();
        RungeKuttaState {
            controller: self.controller,
            counters: self.counters,
            rate: self.has_rate.then(|| self.k[..n].to_vec()),
        }
    }

    /// Continues from a saved state. A rate of another length than [`RungeKutta::dim`] is ignored and evaluated anew.
    pub fn restore(&mut self, state: &RungeKuttaState) {
        self.controller = state.controller;
        self.counters = state.counters;
        self.pending = None;
        self.has_rate = false;
        if let Some(rate) = state.rate.as_ref().filter(|rate| rate.len() == self.dim()) {
            self.k[..rate.len()].copy_from_slice(rate);
            self.has_rate = true;
        }
    }

    /// Says that the caller changed the state or the system: the rate is evaluated anew.
    pub fn forget_rate(&mut self) {
        self.has_rate = false;
        self.pending = None;
    }

    /// The rate at the present state, once a step was accepted, to be changed along with the state.
    pub fn rate_mut(&mut self) -> Option<&mut [f64]> {
        let n = self.dim();
        self.has_rate.then(|| &mut self.k[..n])
    }

    /// Attempts a step from `y` at `time`, ending at `latest` or before. An earlier attempt from here is dropped.
    ///
    /// The step is the controller's, cut until the estimated error is within the tolerance and every rate could be
    /// evaluated; it ends at `latest` exactly if it reaches that far.
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
        // Also refuses what is not a number.
        if !(room > 0.0 && time + room > time) {
            return Err(IntegrateError::NoRoom { time, max_step: room });
        }
        if self.pending.take().is_some() {
            self.counters.cut += 1;
        }
        self.y0.copy_from_slice(y);
        self.first_rate(ode, time, room)?;
        let proposed = self.first_step(ode, time, room);
        let mut step = proposed;
        let mut rejected = false;
        loop {
            let (end, h) = if step >= 0.99 * room { (latest, room) } else { (time + step, step) };
            let outcome = self.trial(ode, time, end, h);
            if let Ok(Trial { error, .. }) = outcome
                && error <= 1.0
            {
                let attempt = Attempt { start: time, end, error };
                let mut controller =
                    self.controller.after_acceptance(h, error, self.method.tableau().error_power, rejected);
                if !rejected && h < proposed {
                    // Cut by the caller, not by the error: the longer proposal still stands.
                    controller.next_step = controller.next_step.max(proposed);
                }
                self.pending = Some(Pending { attempt, controller });
                return Ok(attempt);
            }
            rejected = true;
            self.counters.rejected += 1;
            let error = outcome.as_ref().map_or(f64::NAN, |trial| trial.error);
            step = Controller::after_rejection(h, error, self.method.tableau().error_power);
            if step < Self::LEAST_RELATIVE_STEP * time.abs().max(proposed.min(room)) {
                return Err(self.failure(time, h, outcome));
            }
        }
    }

    /// Makes the dense output of the last attempt; DOP853 evaluates the rate three times more.
    ///
    /// # Errors
    ///
    /// [`IntegrateError::RightHandSide`] if one of these evaluations fails.
    ///
    /// # Panics
    ///
    /// Without an attempt.
    pub fn prepare_dense<O: Ode>(&mut self, ode: &mut O) -> Result<(), IntegrateError<O::Error>> {
        let Pending { attempt, .. } = self.pending.expect("the dense output belongs to an attempt");
        let (n, h, tableau) = (self.dim(), attempt.step(), self.method.tableau());
        for i in tableau.stages..tableau.c.len() {
            self.stage(ode, i, attempt.start + tableau.c[i] * h, h)
                .map_err(|source| IntegrateError::RightHandSide { time: attempt.start, step: h, source })?;
        }
        let last = (tableau.stages - 1) * n;
        dense::hermite(&mut self.dense, h, &self.y0, &self.k[..n], &self.y1, &self.k[last..last + n]);
        for (j, weights) in tableau.dense.iter().enumerate() {
            let r = &mut self.dense[(4 + j) * n..(5 + j) * n];
            combine(r, weights, &self.k);
            r.iter_mut().for_each(|r| *r *= h);
        }
        Ok(())
    }

    /// Writes the dense output at `time` within the last attempt to `out`, after [`RungeKutta::prepare_dense`].
    ///
    /// # Panics
    ///
    /// Without an attempt, or if `out` has another length than [`RungeKutta::dim`].
    pub fn interpolate(&self, time: f64, out: &mut [f64]) {
        assert_eq!(out.len(), self.dim(), "one number a component");
        let Pending { attempt, .. } = self.pending.expect("the dense output belongs to an attempt");
        dense::evaluate(&self.dense, (time - attempt.start) / attempt.step(), out);
    }

    /// State at the end of the last attempt.
    pub fn end_state(&self) -> &[f64] {
        &self.y1
    }

    /// Accepts the last attempt: writes its end state to `y` and returns its end time.
    ///
    /// # Panics
    ///
    /// Without an attempt.
    pub fn accept(&mut self, y: &mut [f64]) -> f64 {
        let pending = self.pending.take().expect("only an attempt can be accepted");
        let n = self.dim();
        let last = (self.method.tableau().stages - 1) * n;
        y.copy_from_slice(&self.y1);
        self.k.copy_within(last..last + n, 0);
        self.has_rate = true;
        self.controller = pending.controller;
        self.counters.steps += 1;
        pending.attempt.end
    }

    /// The rate at the start of the step, unless it is known.
    fn first_rate<O: Ode>(
        &mut self,
        ode: &mut O,
        time: f64,
        room: f64,
    ) -> Result<(), IntegrateError<O::Error>> {
        if self.has_rate {
            return Ok(());
        }
        let n = self.dim();
        self.counters.evaluations += 1;
        ode.rate(time, &self.y0, &mut self.k[..n]).map_err(|source| IntegrateError::RightHandSide {
            time,
            step: room,
            source,
        })?;
        if let Some(component) = self.k[..n].iter().position(|k| !k.is_finite()) {
            return Err(IntegrateError::NotFinite { time, step: 0.0, component });
        }
        self.has_rate = true;
        Ok(())
    }

    /// The step to try first: the controller's, or at the start of a run one whose explicit Euler step changes the
    /// state by a hundredth and whose change of rate fits the order (Hairer, Nørsett & Wanner, II.4).
    fn first_step<O: Ode>(&mut self, ode: &mut O, time: f64, room: f64) -> f64 {
        if self.controller.next_step > 0.0 {
            return self.controller.next_step;
        }
        if !self.tolerances.controls() {
            return room;
        }
        let n = self.dim();
        let (mut state, mut rate) = (0.0_f64, 0.0_f64);
        for i in 0..n {
            let scale = self.tolerances.scale(i, self.y0[i], self.y0[i]);
            if scale.is_finite() && scale > 0.0 {
                state = state.max((self.y0[i] / scale).abs());
                rate = rate.max((self.k[i] / scale).abs());
            }
        }
        let guess = if state < 1e-5 || rate < 1e-5 { 1e-6 * room } else { (0.01 * state / rate).min(room) };
        for i in 0..n {
            self.y_stage[i] = self.y0[i] + guess * self.k[i];
        }
        let (first, later) = self.k.split_at_mut(n);
        self.counters.evaluations += 1;
        if ode.rate(time + guess, &self.y_stage, &mut later[..n]).is_err() {
            return guess;
        }
        let mut bend = 0.0_f64;
        for i in 0..n {
            let scale = self.tolerances.scale(i, self.y0[i], self.y0[i]);
            if scale.is_finite() && scale > 0.0 {
                bend = bend.max(((later[i] - first[i]) / scale).abs() / guess);
            }
        }
        let most = rate.max(bend);
        let power = 1.0 / f64::from(self.method.order());
        let by_order = if most <= 1e-15 { guess.max(1e-3 * room) } else { (0.01 / most).powf(power) };
        by_order.min(100.0 * guess)
    }

    /// All stages of one step, its end state and its error.
    fn trial<O: Ode>(&mut self, ode: &mut O, start: f64, end: f64, h: f64) -> Result<Trial, O::Error> {
        let (n, tableau) = (self.dim(), self.method.tableau());
        let last = tableau.stages - 1;
        for i in 1..last {
            self.stage(ode, i, start + tableau.c[i] * h, h)?;
        }
        self.combine_stage(tableau, last, h);
        self.y1.copy_from_slice(&self.y_stage);
        let needs_last = tableau.error.iter().any(|&(j, _)| j == last);
        if needs_last {
            self.counters.evaluations += 1;
            ode.rate(end, &self.y1, &mut self.k[last * n..(last + 1) * n])?;
        }
        let trial = self.error(tableau, h);
        if !needs_last && trial.error <= 1.0 {
            self.counters.evaluations += 1;
            ode.rate(end, &self.y1, &mut self.k[last * n..(last + 1) * n])?;
        }
        if self.k[last * n..(last + 1) * n].iter().any(|k| !k.is_finite()) && trial.error <= 1.0 {
            return Ok(Trial { error: f64::NAN, ..trial });
        }
        Ok(trial)
    }

    /// Rate of stage i.
    fn stage<O: Ode>(&mut self, ode: &mut O, i: usize, time: f64, h: f64) -> Result<(), O::Error> {
        let n = self.dim();
        self.combine_stage(self.method.tableau(), i, h);
        self.counters.evaluations += 1;
        ode.rate(time, &self.y_stage, &mut self.k[i * n..(i + 1) * n])
    }

    /// y_stage = y₀ + h Σ_j a_ij k_j.
    fn combine_stage(&mut self, tableau: &Tableau, i: usize, h: f64) {
        combine(&mut self.y_stage, tableau.a[i], &self.k);
        for (stage, y) in self.y_stage.iter_mut().zip(&self.y0) {
            *stage = y + h * *stage;
        }
    }

    /// Largest error over the components in units of the tolerance. With a second estimate e₃ of lower order the error
    /// is e₅² / √(e₅² + 0.01 e₃²), which falls like h⁸.
    fn error(&mut self, tableau: &Tableau, h: f64) -> Trial {
        let n = self.dim();
        let mut trial = Trial { error: 0.0, component: 0 };
        let mut low = 0.0_f64;
        for i in 0..n {
            let scale = self.tolerances.scale(i, self.y0[i], self.y1[i]);
            let sum = |weights: &[Weight]| weights.iter().map(|&(j, w)| w * self.k[j * n + i]).sum::<f64>();
            if !self.y1[i].is_finite() {
                return Trial { error: f64::NAN, component: i };
            }
            if scale.is_infinite() {
                continue;
            }
            let scale = scale.max(f64::MIN_POSITIVE);
            let error = (h * sum(tableau.error)).abs() / scale;
            if error.is_nan() || error > trial.error {
                trial = Trial { error, component: i };
            }
            low = low.max((h * sum(tableau.error_low)).abs() / scale);
        }
        if !tableau.error_low.is_empty() && trial.error > 0.0 {
            let ratio = 0.1 * low / trial.error;
            trial.error /= (1.0 + ratio * ratio).sqrt();
        }
        trial
    }

    /// Why the smallest step failed.
    fn failure<E: std::error::Error>(
        &self,
        time: f64,
        step: f64,
        outcome: Result<Trial, E>,
    ) -> IntegrateError<E> {
        match outcome {
            Err(source) => IntegrateError::RightHandSide { time, step, source },
            Ok(Trial { error, component }) if error.is_finite() => {
                IntegrateError::StepTooSmall { time, step, error, component }
            }
            Ok(Trial { component, .. }) => IntegrateError::NotFinite { time, step, component },
        }
    }
}

/// Error of a trial step in units of the tolerance, and the component that has it.
#[derive(Debug, Clone, Copy)]
struct Trial {
    error: f64,
    component: usize,
}

/// out = Σ_j w_j k_j, in the order of the weights.
fn combine(out: &mut [f64], weights: &[Weight], k: &[f64]) {
    let n = out.len();
    out.fill(0.0);
    for &(j, w) in weights {
        for (o, k) in out.iter_mut().zip(&k[j * n..(j + 1) * n]) {
            *o += w * k;
        }
    }
}
