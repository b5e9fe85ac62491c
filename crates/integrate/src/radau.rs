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

use crate::attempt::{Attempt, Counters};
use crate::collocation::{Collocation, STAGES};
use crate::control::{Controller, Tolerances};
use crate::factor::Lu;
use crate::jacobian::Jacobian;
use crate::ode::{IntegrateError, Ode};

/// Order of the error estimate plus one.
const ERROR_POWER: u32 = 4;

/// Part of the tolerance that Newton's method may leave.
const NEWTON_SHARE: f64 = 0.01;

/// Largest number of iterations.
const NEWTON_STEPS: usize = 8;

/// Contraction of Newton's method up to which the derivative is kept.
const KEEPS: f64 = 1e-3;

/// Change of the step up to which factors are kept: Newton's method contracts by as much more slowly.
const SAME_STEP: f64 = 1e-3;

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

/// What Newton's method came to.
enum Newton {
    Converged { contraction: f64 },
    Failed,
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

    /// Derivative and factors for a step h.
    fn prepare<O: Ode>(&mut self, ode: &mut O, time: f64, h: f64) -> Result<(), O::Error> {
        if !self.has_jacobian {
            let at = (&self.y0[..], &self.f0[..]);
            self.counters.evaluations += self.jacobian.evaluate(ode, time, at, &self.tolerances)?;
            self.counters.jacobians += 1;
            (self.has_jacobian, self.is_fresh, self.factored) = (true, true, 0.0);
        }
        if (self.factored / h - 1.0).abs() > SAME_STEP {
            let jacobian = &self.jacobian.matrix;
            let Collocation { gamma, alpha, beta, .. } = self.collocation;
            let unit = |i: usize, j: usize| f64::from(u8::from(i == j));
            self.real.factorise(|i, j| gamma / h * unit(i, j) - jacobian[(i, j)]);
            self.complex
                .factorise(|i, j| c64::new(alpha / h * unit(i, j) - jacobian[(i, j)], beta / h * unit(i, j)));
            self.factored = h;
            self.counters.factorisations += 1;
        }
        Ok(())
    }

    /// Z from the polynomial of the last step, or zero.
    fn start_values(&mut self, h: f64) {
        let n = self.dim();
        if !self.continues {
            self.z.fill(0.0);
            self.w.fill(0.0);
            return;
        }
        for stage in 0..STAGES {
            let s = 1.0 + self.collocation.c[stage] * h / self.last_step;
            let weights = self.collocation.weights(s);
            for i in 0..n {
                let there: f64 = (0..STAGES).map(|j| weights[j] * self.last_z[j * n + i]).sum();
                self.z[stage * n + i] = there - self.last_z[2 * n + i];
            }
        }
        self.collocation.to_w(&self.z, &mut self.w, n);
    }

    /// Simplified Newton iterations for W.
    fn newton<O: Ode>(&mut self, ode: &mut O, time: f64, h: f64) -> Result<Newton, O::Error> {
        let n = self.dim();
        let (mut last, mut contraction) = (f64::INFINITY, 0.0_f64);
        for iteration in 0..NEWTON_STEPS {
            for stage in 0..STAGES {
                for i in 0..n {
                    self.stage[i] = self.y0[i] + self.z[stage * n + i];
                }
                let at = time + self.collocation.c[stage] * h;
                ode.rate(at, &self.stage, &mut self.f[stage * n..(stage + 1) * n])?;
                self.counters.evaluations += 1;
            }
            let change = self.newton_step(h);
            self.counters.iterations += 1;
            if iteration > 0 {
                let ratio = change / last;
                contraction = if iteration == 1 { ratio } else { (ratio * contraction).sqrt() };
                let left = (NEWTON_STEPS - 1 - iteration) as i32;
                let expected = contraction.powi(left) / (1.0 - contraction) * change;
                // Also where it is not a number.
                let converges = contraction < 0.99 && expected <= NEWTON_SHARE;
                if !converges && change > 0.0 {
                    return Ok(Newton::Failed);
                }
            } else if !change.is_finite() {
                return Ok(Newton::Failed);
            }
            last = change;
            let remaining = if iteration == 0 { change } else { contraction / (1.0 - contraction) * change };
            if remaining <= NEWTON_SHARE && (iteration > 0 || change <= 1e-3 * NEWTON_SHARE) {
                return Ok(Newton::Converged { contraction });
            }
        }
        Ok(Newton::Failed)
    }

    /// W ← W + ΔW and Z = T W; returns the size of ΔZ in units of the tolerance.
    fn newton_step(&mut self, h: f64) -> f64 {
        let n = self.dim();
        let Self { collocation, w, f, z, tolerances, y0, real, complex, .. } = self;
        let Collocation { gamma, alpha, beta, inverse, .. } = *collocation;
        let transformed =
            |row: usize, i: usize| (0..STAGES).map(|j| inverse[row][j] * f[j * n + i]).sum::<f64>();
        let right = |row: usize, i: usize| {
            let own = match row {
                0 => gamma * w[i],
                1 => alpha * w[n + i] + beta * w[2 * n + i],
                _ => alpha * w[2 * n + i] - beta * w[n + i],
            };
            transformed(row, i) - own / h
        };
        // The changes take the place of the rates, which were used up for them.
        let mut changes = std::mem::take(&mut self.error);
        changes.clear();
        changes.resize(STAGES * n, 0.0);
        real.solve(|i| right(0, i), |i, x| changes[i] = x);
        complex.solve(
            |i| c64::new(right(1, i), -right(2, i)),
            |i, x| (changes[n + i], changes[2 * n + i]) = (x.re, -x.im),
        );
        w.iter_mut().zip(&changes).for_each(|(w, change)| *w += change);
        collocation.to_z(w, z, n);
        let mut largest = 0.0_f64;
        for i in 0..n {
            let scale = tolerances.newton_scale(i, y0[i]);
            for row in collocation.transform {
                let change: f64 = (0..STAGES).map(|j| row[j] * changes[j * n + i]).sum();
                let size = change.abs() / scale;
                largest = if size.is_nan() { f64::NAN } else { largest.max(size) };
            }
        }
        self.error = changes;
        largest
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
