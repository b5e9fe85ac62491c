//! Radau IIA of order 5 with error control and dense output: for stiff systems.
//!
//! ```text
//! Z_i = h Σ_j a_ij f(t_n + c_j h, y_n + Z_j),   y_{n+1} = y_n + Z_3,   c = ((4 − √6)/10, (4 + √6)/10, 1)
//! ```
//!
//! The three systems of a step are one real and one complex one in W = T⁻¹ Z, as T⁻¹ A⁻¹ T has the blocks γ and
//! (α β; −β α). Newton's method is simplified: ∂f/∂y stays for many steps, its factors as long as the step does.
//!
//! # Source
//!
//! Hairer & Wanner, Solving Ordinary Differential Equations II, IV.8; THEORY (6.2).

use faer::c64;
use newton::Newton;

use crate::attempt::{Attempt, Counters};
use crate::collocation::{Collocation, STAGES};
use crate::control::{Controller, Tolerances};
use crate::factor::Lu;
use crate::jacobian::Jacobian;
use crate::ode::{IntegrateError, Ode};

mod newton;

/// Order of the error estimate plus one.
const ERROR_POWER: u32 = 4;

/// Contraction of Newton's method up to which the derivative is kept.
const KEEPS: f64 = 1e-3;

/// Growth of the step below which it is not worth new factors.
const SMALL_GROWTH: f64 = 1.2;

/// The method with its workspace.
#[derive(Debug)]
pub struct Radau5 {
    tolerances: Tolerances,
    controller: Controller,
    counters: Counters,
    collocation: Collocation,
    jacobian: Jacobian,
    real: Lu<f64>,
    complex: Lu<c64>,
    /// Step of the factors; 0 without any.
    factored: f64,
    /// True if the derivative is that of the present state.
    is_fresh: bool,
    has_jacobian: bool,
    has_rate: bool,
    /// True if the polynomial of the last step leads on from the present state.
    continues: bool,
    y0: Vec<f64>,
    y1: Vec<f64>,
    f0: Vec<f64>,
    stage: Vec<f64>,
    /// Z_i, W_i, f(y + Z_i), one after the other.
    z: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    error: Vec<f64>,
    /// Z of the last accepted step, and its length.
    last_z: Vec<f64>,
    last_step: f64,
    pending: Option<Pending>,
}

#[derive(Debug, Clone, Copy)]
struct Pending {
    attempt: Attempt,
    controller: Controller,
    contraction: f64,
}

impl Radau5 {
    /// For systems of as many components as `tolerances` has.
    pub fn new(tolerances: Tolerances) -> Self {
        let n = tolerances.absolute.len();
        let vector = |count: usize| vec![0.0; count * n];
        Self {
            tolerances,
            controller: Controller::default(),
            counters: Counters::default(),
            collocation: Collocation::radau(),
            jacobian: Jacobian::new(n),
            real: Lu::new(n),
            complex: Lu::new(n),
            factored: 0.0,
            is_fresh: false,
            has_jacobian: false,
            has_rate: false,
            continues: false,
            y0: vector(1),
            y1: vector(1),
            f0: vector(1),
            stage: vector(1),
            z: vector(STAGES),
            w: vector(STAGES),
            f: vector(STAGES),
            error: vector(1),
            last_z: vector(STAGES),
            last_step: 0.0,
            pending: None,
        }
    }

    /// Number of components.
    pub fn dim(&self) -> usize {
        self.y0.len()
    }

    /// Work done so far.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    /// Says that the caller changed the state or the system: rate and starting values are made anew.
    pub fn forget_rate(&mut self) {
        (self.has_rate, self.continues, self.is_fresh) = (false, false, false);
        self.pending = None;
    }

    /// Attempts a step from `y` at `time`, ending at `latest` or before, as [`crate::RungeKutta::attempt`].
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
        let proposed = self.first_step(room);
        let mut step = proposed;
        let mut rejected = false;
        loop {
            let (end, h) = if step >= 0.99 * room { (latest, room) } else { (time + step, step) };
            let trial = self.trial(ode, time, h, rejected);
            if let Ok(Some((error, contraction))) = trial
                && error <= 1.0
            {
                return Ok(self.keep(Attempt { start: time, end, error }, contraction, rejected, proposed));
            }
            rejected = true;
            self.counters.rejected += 1;
            step = match trial {
                Ok(Some((error, _))) => Controller::after_rejection(h, error, ERROR_POWER),
                // Newton's method or the rate failed.
                Ok(None) | Err(_) => 0.5 * h,
            };
            if step < crate::RungeKutta::LEAST_RELATIVE_STEP * time.abs().max(proposed.min(room)) {
                return Err(match trial {
                    Err(source) => IntegrateError::RightHandSide { time, step: h, source },
                    Ok(Some((error, _))) if error.is_finite() => {
                        IntegrateError::StepTooSmall { time, step: h, error, component: self.worst() }
                    }
                    Ok(_) => IntegrateError::NotFinite { time, step: h, component: self.worst() },
                });
            }
        }
    }

    /// Notes an attempt that succeeded.
    fn keep(&mut self, attempt: Attempt, contraction: f64, rejected: bool, proposed: f64) -> Attempt {
        let h = attempt.step();
        let mut controller = self.controller.after_acceptance(h, attempt.error, ERROR_POWER, rejected);
        if !rejected && h < proposed {
            // Cut by the caller, not by the error: the longer proposal still stands.
            controller.next_step = controller.next_step.max(proposed);
        } else if contraction <= KEEPS && (1.0..SMALL_GROWTH).contains(&(controller.next_step / h)) {
            controller.next_step = h;
        }
        self.pending = Some(Pending { attempt, controller, contraction });
        attempt
    }

    /// One step: factors, Newton's method, error. None if Newton's method fails with a fresh derivative.
    fn trial<O: Ode>(
        &mut self,
        ode: &mut O,
        time: f64,
        h: f64,
        rejected: bool,
    ) -> Result<Option<(f64, f64)>, O::Error> {
        loop {
            self.prepare(ode, time, h)?;
            self.start_values(h);
            match self.newton(ode, time, h)? {
                Newton::Converged { contraction } => {
                    let n = self.dim();
                    for i in 0..n {
                        self.y1[i] = self.y0[i] + self.z[2 * n + i];
                    }
                    let error = self.estimate(ode, time, h, rejected)?;
                    return Ok(Some((error, contraction)));
                }
                Newton::Failed if self.is_fresh => return Ok(None),
                Newton::Failed => (self.has_jacobian, self.factored) = (false, 0.0),
            }
        }
    }

    /// Error of the step in units of the tolerance, THEORY (6.2), once more filtered where it seems too large.
    fn estimate<O: Ode>(&mut self, ode: &mut O, time: f64, h: f64, rejected: bool) -> Result<f64, O::Error> {
        if !self.tolerances.controls() {
            return Ok(0.0);
        }
        let n = self.dim();
        let root = 6.0_f64.sqrt();
        let e = [(-13.0 - 7.0 * root) / 3.0, (-13.0 + 7.0 * root) / 3.0, -1.0 / 3.0];
        self.error.resize(n, 0.0);
        let Self { z, f0, error, real, .. } = self;
        let sum = |i: usize| (0..STAGES).map(|j| e[j] * z[j * n + i]).sum::<f64>() / h;
        real.solve(|i| f0[i] + sum(i), |i, x| error[i] = x);
        let mut size = self.size_of_error();
        if size > 1.0 && (rejected || !self.continues) {
            let Self { error, y0, stage, .. } = self;
            stage.iter_mut().zip(y0.iter().zip(error.iter())).for_each(|(s, (y, e))| *s = y + e);
            let mut rate = std::mem::take(&mut self.f);
            ode.rate(time, &self.stage, &mut rate[..n])?;
            self.counters.evaluations += 1;
            let Self { z, error, real, .. } = self;
            let sum = |i: usize| (0..STAGES).map(|j| e[j] * z[j * n + i]).sum::<f64>() / h;
            real.solve(|i| rate[i] + sum(i), |i, x| error[i] = x);
            self.f = rate;
            size = self.size_of_error();
        }
        Ok(size)
    }

    fn size_of_error(&self) -> f64 {
        let mut largest = 0.0_f64;
        for i in 0..self.dim() {
            let scale = self.tolerances.scale(i, self.y0[i], self.y1[i]);
            if !self.y1[i].is_finite() {
                return f64::NAN;
            }
            if scale.is_finite() {
                let size = self.error[i].abs() / scale.max(f64::MIN_POSITIVE);
                largest = if size.is_nan() { f64::NAN } else { largest.max(size) };
            }
        }
        largest
    }

    /// The component with the largest error.
    fn worst(&self) -> usize {
        let size = |i: usize| {
            self.error.get(i).map_or(0.0, |e| e.abs()) / self.tolerances.newton_scale(i, self.y0[i])
        };
        (0..self.dim()).max_by(|&a, &b| size(a).total_cmp(&size(b))).unwrap_or(0)
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
        self.counters.evaluations += 1;
        ode.rate(time, &self.y0, &mut self.f0).map_err(|source| IntegrateError::RightHandSide {
            time,
            step: room,
            source,
        })?;
        if let Some(component) = self.f0.iter().position(|f| !f.is_finite()) {
            return Err(IntegrateError::NotFinite { time, step: 0.0, component });
        }
        self.has_rate = true;
        Ok(())
    }

    /// The controller's step, or at the start one whose explicit Euler step changes the state by a hundred tolerances.
    fn first_step(&self, room: f64) -> f64 {
        if self.controller.next_step > 0.0 {
            return self.controller.next_step;
        }
        if !self.tolerances.controls() {
            return room;
        }
        let rate = |i: usize| self.f0[i].abs() / self.tolerances.scale(i, self.y0[i], self.y0[i]);
        let fastest = (0..self.dim()).map(rate).filter(|r| r.is_finite()).fold(0.0, f64::max);
        if fastest > 0.0 { (100.0 / fastest).min(room) } else { 1e-3 * room }
    }

    /// Writes the polynomial of the last attempt at `time` to `out`.
    ///
    /// # Panics
    ///
    /// Without an attempt, or if `out` has another length than [`Radau5::dim`].
    pub fn interpolate(&self, time: f64, out: &mut [f64]) {
        let n = self.dim();
        assert_eq!(out.len(), n, "one number a component");
        let Pending { attempt, .. } = self.pending.expect("the dense output belongs to an attempt");
        let weights = self.collocation.weights((time - attempt.start) / attempt.step());
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.y0[i] + (0..STAGES).map(|j| weights[j] * self.z[j * n + i]).sum::<f64>();
        }
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
        let Pending { attempt, controller, contraction } =
            self.pending.take().expect("only an attempt can be accepted");
        y.copy_from_slice(&self.y1);
        std::mem::swap(&mut self.z, &mut self.last_z);
        (self.last_step, self.continues) = (attempt.step(), true);
        (self.has_rate, self.is_fresh) = (false, false);
        if contraction > KEEPS {
            (self.has_jacobian, self.factored) = (false, 0.0);
        }
        self.controller = controller;
        self.counters.steps += 1;
        attempt.end
    }
}
