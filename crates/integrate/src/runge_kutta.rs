//! Explicit embedded Runge-Kutta steps.

use crate::adaptive::{Adaptive, Formula, Shared, Span, Trial};
use crate::attempt::Attempt;
use crate::control::Tolerances;
use crate::dense;
use crate::ode::{IntegrateError, Ode};
use crate::tableau::{Method, Tableau, Weight};

/// An explicit embedded pair under error control.
pub type RungeKutta = Adaptive<Explicit>;

/// An explicit embedded pair with its workspace.
#[derive(Debug, Clone)]
pub struct Explicit {
    method: Method,
    /// Stage rates k_i, one after the other; the first holds the rate at the present state if `has_rate`.
    k: Vec<f64>,
    has_rate: bool,
    y_stage: Vec<f64>,
    /// Coefficients of the dense output.
    dense: Vec<f64>,
}

impl RungeKutta {
    /// A pair for systems of as many components as `tolerances` has.
    pub fn new(method: Method, tolerances: Tolerances) -> Self {
        let n = tolerances.absolute.len();
        Self::with(Explicit::new(method, n), tolerances)
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.formula.method
    }
}

impl Formula for Explicit {
    fn error_power(&self) -> u32 {
        self.method.tableau().error_power
    }

    fn start<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        time: f64,
        room: f64,
        is_first: bool,
    ) -> Result<f64, IntegrateError<O::Error>> {
        if !self.has_rate {
            let n = shared.dim();
            shared.rate_at_start(ode, (time, room), &mut self.k[..n])?;
            self.has_rate = true;
        }
        Ok(if is_first && shared.tolerances.controls() {
            self.first_step(ode, shared, time, room)
        } else {
            room
        })
    }

    /// All stages of one step, its end state and its error.
    fn trial<O: Ode>(&mut self, ode: &mut O, shared: &mut Shared, span: Span) -> Result<Trial, O::Error> {
        let (n, tableau) = (shared.dim(), self.method.tableau());
        let last = tableau.stages - 1;
        for i in 1..last {
            self.stage(ode, shared, i, span.start + tableau.c[i] * span.h, span.h)?;
        }
        self.combine_stage(shared, last, span.h);
        shared.y1[..shared.in_use].copy_from_slice(&self.y_stage[..shared.in_use]);
        let needs_last = tableau.error.iter().any(|&(j, _)| j == last);
        if needs_last {
            self.evaluate(ode, shared, last, span.end)?;
        }
        let trial = self.error(shared, tableau, span.h);
        if !needs_last && trial.error <= 1.0 {
            self.evaluate(ode, shared, last, span.end)?;
        }
        let rate = &self.k[last * n..last * n + shared.in_use];
        if rate.iter().any(|k| !k.is_finite()) && trial.error <= 1.0 {
            return Ok(Trial { error: f64::NAN, ..trial });
        }
        Ok(trial)
    }

    fn prepare_dense<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        attempt: Attempt,
    ) -> Result<(), O::Error> {
        let (n, h, tableau) = (shared.dim(), attempt.step(), self.method.tableau());
        for i in tableau.stages..tableau.c.len() {
            self.stage(ode, shared, i, attempt.start + tableau.c[i] * h, h)?;
        }
        let (m, last) = (shared.in_use, (tableau.stages - 1) * n);
        let ends = [&shared.y0[..m], &self.k[..m], &shared.y1[..m], &self.k[last..last + m]];
        dense::hermite(&mut self.dense, n, h, ends);
        for (j, weights) in tableau.dense.iter().enumerate() {
            let r = &mut self.dense[(4 + j) * n..(4 + j) * n + m];
            combine(r, weights, &self.k, n);
            r.iter_mut().for_each(|r| *r *= h);
        }
        Ok(())
    }

    fn interpolate(&self, shared: &Shared, _h: f64, s: f64, out: &mut [f64]) {
        let (out, rest) = out.split_at_mut(shared.in_use);
        dense::evaluate(&self.dense, shared.dim(), s, out);
        rest.fill(0.0);
    }

    fn accepted(&mut self, shared: &Shared, _attempt: Attempt) {
        let last = (self.method.tableau().stages - 1) * shared.dim();
        self.k.copy_within(last..last + shared.in_use, 0);
        self.has_rate = true;
    }

    fn nudged(&mut self) {
        self.has_rate = false;
    }

    fn changed(&mut self) {
        self.has_rate = false;
    }

    fn rate_mut(&mut self) -> Option<&mut [f64]> {
        let n = self.y_stage.len();
        self.has_rate.then(|| &mut self.k[..n])
    }

    /// The rate at the present state.
    fn memory(&self) -> Vec<f64> {
        if self.has_rate { self.k[..self.y_stage.len()].to_vec() } else { Vec::new() }
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.has_rate = memory.len() == self.y_stage.len();
        if self.has_rate {
            self.k[..memory.len()].copy_from_slice(memory);
        }
        self.has_rate || memory.is_empty()
    }
}

impl Explicit {
    /// For systems of n components.
    pub(crate) fn new(method: Method, n: usize) -> Self {
        let tableau = method.tableau();
        Self {
            method,
            k: vec![0.0; n * tableau.c.len()],
            has_rate: false,
            y_stage: vec![0.0; n],
            dense: vec![0.0; n * (4 + tableau.dense.len())],
        }
    }

    /// The rate at the present state, known after [`Formula::start`].
    pub(crate) fn present_rate(&self) -> &[f64] {
        &self.k[..self.y_stage.len()]
    }

    /// Takes a rate at the present state that is known.
    pub(crate) fn set_rate(&mut self, rate: &[f64]) {
        self.k[..rate.len()].copy_from_slice(rate);
        self.has_rate = true;
    }

    /// The step to try first at the start of a run: one whose explicit Euler step changes the state by a
    /// hundredth and whose change of rate fits the order (Hairer, Nørsett & Wanner, II.4).
    fn first_step<O: Ode>(&mut self, ode: &mut O, shared: &mut Shared, time: f64, room: f64) -> f64 {
        let n = shared.dim();
        let (mut state, mut rate) = (0.0_f64, 0.0_f64);
        for i in 0..n {
            let scale = shared.tolerances.scale(i, shared.y0[i], shared.y0[i]);
            if scale.is_finite() && scale > 0.0 {
                state = state.max((shared.y0[i] / scale).abs());
                rate = rate.max((self.k[i] / scale).abs());
            }
        }
        let guess = if state < 1e-5 || rate < 1e-5 { 1e-6 * room } else { (0.01 * state / rate).min(room) };
        for i in 0..n {
            self.y_stage[i] = shared.y0[i] + guess * self.k[i];
        }
        let (first, later) = self.k.split_at_mut(n);
        shared.counters.evaluations += 1;
        // Also writes zeros to components that are not in use.
        if ode.rate(time + guess, &self.y_stage, &mut later[..n]).is_err() {
            return guess;
        }
        let mut bend = 0.0_f64;
        for i in 0..n {
            let scale = shared.tolerances.scale(i, shared.y0[i], shared.y0[i]);
            if scale.is_finite() && scale > 0.0 {
                bend = bend.max(((later[i] - first[i]) / scale).abs() / guess);
            }
        }
        let most = rate.max(bend);
        let power = 1.0 / f64::from(self.method.order());
        let by_order = if most <= 1e-15 { guess.max(1e-3 * room) } else { (0.01 / most).powf(power) };
        by_order.min(100.0 * guess)
    }

    /// Rate of stage i.
    fn stage<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        i: usize,
        time: f64,
        h: f64,
    ) -> Result<(), O::Error> {
        self.combine_stage(shared, i, h);
        self.evaluate(ode, shared, i, time)
    }

    /// k_i at y_stage.
    fn evaluate<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        i: usize,
        time: f64,
    ) -> Result<(), O::Error> {
        let n = shared.dim();
        shared.counters.evaluations += 1;
        ode.rate_in_use(time, &self.y_stage, &mut self.k[i * n..(i + 1) * n])?;
        shared.in_use = ode.in_use();
        Ok(())
    }

    /// y_stage = y₀ + h Σ_j a_ij k_j.
    fn combine_stage(&mut self, shared: &Shared, i: usize, h: f64) {
        let stage = &mut self.y_stage[..shared.in_use];
        combine(stage, self.method.tableau().a[i], &self.k, shared.dim());
        for (stage, y) in stage.iter_mut().zip(&shared.y0) {
            *stage = y + h * *stage;
        }
    }

    /// Largest error over the components in units of the tolerance. With a second estimate e₃ of lower order
    /// the error is e₅² / √(e₅² + 0.01 e₃²), which falls like h⁸.
    fn error(&self, shared: &Shared, tableau: &Tableau, h: f64) -> Trial {
        let n = shared.dim();
        let sum = |weights: &[Weight], i: usize| {
            h * weights.iter().map(|&(j, w)| w * self.k[j * n + i]).sum::<f64>()
        };
        let mut trial = shared.largest(|i| sum(tableau.error, i));
        if !tableau.error_low.is_empty() && trial.error > 0.0 {
            let low = shared.largest(|i| sum(tableau.error_low, i)).error;
            let ratio = 0.1 * low / trial.error;
            trial.error /= (1.0 + ratio * ratio).sqrt();
        }
        trial
    }
}

/// out = Σ_j w_j k_j, in the order of the weights, of rates of n components.
fn combine(out: &mut [f64], weights: &[Weight], k: &[f64], n: usize) {
    out.fill(0.0);
    for &(j, w) in weights {
        for (o, k) in out.iter_mut().zip(&k[j * n..(j + 1) * n]) {
            *o += w * k;
        }
    }
}
