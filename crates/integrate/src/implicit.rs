//! Implicit formulas of order 2 with one stage: the midpoint rule and backward differences.
//!
//! Both are Z = a + c h f(t₀ + θ h, y₀ + Z):
//!
//! | | a | c | θ | y₁ |
//! |---|---|---|---|---|
//! | midpoint | 0 | 1/2 | 1/2 | y₀ + 2 Z |
//! | BDF2 | ω² (y₀ − y₋₁)/(1 + 2ω) | (1 + ω)/(1 + 2ω) | 1 | y₀ + Z |
//!
//! with ω = h/h₋₁, which is 0 at the start: backward Euler. The parabola p through y₋₁ and y₀ with the slope
//! f₀ starts the iterations, and measures the error: y − p = (1 + ω)/(6ω) h³y''' against −(1 + ω)²/(6ω(1 +
//! 2ω)) h³y''' of BDF2 and −h³y'''/12 of the midpoint rule (of a linear system) gives
//!
//! ```text
//! e = (y₁ − p) (1 + ω)/(2 + 3ω)   BDF2,      e = (y₁ − p) ω/(2 + 3ω)   midpoint.
//! ```
//!
//! # Source
//!
//! Hairer, Nørsett & Wanner, III.5 (variable steps); the error constants by Taylor's series.

use crate::adaptive::{Adaptive, Formula, Shared, Span, Trial};
use crate::attempt::Attempt;
use crate::control::{Controller, Tolerances};
use crate::dense;
use crate::newton::{Iterations, Verdict, keeps};
use crate::ode::{IntegrateError, Ode};
use crate::rate_matrix::{Factors, RateMatrix};

/// Change of the step up to which factors are kept.
const SAME_STEP: f64 = 0.2;

/// Growth of the step below which its length and factors are kept.
const SMALL_GROWTH: f64 = 1.2;

/// Choice of the formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImplicitMethod {
    /// Midpoint rule: conserves quadratic invariants, without damping.
    Midpoint,
    /// Backward differences of order 2: damps fast components.
    Bdf2,
}

/// An implicit formula of order 2 under error control.
pub type Implicit = Adaptive<OneStage>;

/// A formula with its workspace.
#[derive(Debug)]
pub struct OneStage {
    method: ImplicitMethod,
    matrix: RateMatrix,
    factors: Factors<f64>,
    /// c h of the factors; 0 without any.
    factored: f64,
    is_fresh: bool,
    has_jacobian: bool,
    has_rate: bool,
    contraction: f64,
    /// Contraction up to which the derivative is kept.
    keeps: f64,
    /// Rates at the start and at the end of the step.
    f0: Vec<f64>,
    f1: Vec<f64>,
    z: Vec<f64>,
    stage: Vec<f64>,
    rate: Vec<f64>,
    /// State before the last step, and the length of that step; 0 without one.
    earlier: Vec<f64>,
    last_step: f64,
    dense: Vec<f64>,
}

/// a = `back` (y₀ − y₋₁), c, θ.
struct Coefficients {
    back: f64,
    c: f64,
    theta: f64,
}

impl Implicit {
    /// For systems with the number of components of `tolerances`.
    pub fn new(method: ImplicitMethod, tolerances: Tolerances) -> Self {
        let n = tolerances.absolute.len();
        let vector = || vec![0.0; n];
        let formula = OneStage {
            method,
            matrix: RateMatrix::default(),
            factors: Factors::default(),
            factored: 0.0,
            is_fresh: false,
            has_jacobian: false,
            has_rate: false,
            contraction: 0.0,
            keeps: 0.0,
            f0: vector(),
            f1: vector(),
            z: vector(),
            stage: vector(),
            rate: vector(),
            earlier: vector(),
            last_step: 0.0,
            dense: vec![0.0; 4 * n],
        };
        Self::with(formula, tolerances)
    }
}

impl Formula for OneStage {
    fn error_power(&self) -> u32 {
        3
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
            shared.rate_at_start(ode, (time, room), &mut self.f0)?;
            self.has_rate = true;
        }
        self.matrix.choose(ode);
        self.factors.reserve(&self.matrix, shared.dim());
        self.keeps = keeps(self.matrix.evaluations(ode), 1);
        Ok(if is_first { shared.euler_step(&self.f0, room) } else { room })
    }

    fn trial<O: Ode>(&mut self, ode: &mut O, shared: &mut Shared, span: Span) -> Result<Trial, O::Error> {
        let of = self.coefficients(span.h);
        loop {
            self.prepare(ode, shared, span, of.c * span.h)?;
            for i in 0..shared.dim() {
                self.z[i] = self.parabola(shared, i, of.theta * span.h);
            }
            if let Some(component) = self.iterate(ode, shared, span, &of)? {
                if self.is_fresh {
                    return Ok(Trial { component, ..Trial::UNSOLVED });
                }
                (self.has_jacobian, self.factored) = (false, 0.0);
                continue;
            }
            let whole = 1.0 / of.theta;
            for i in 0..shared.dim() {
                shared.y1[i] = shared.y0[i] + whole * self.z[i];
                let past = of.back * (shared.y0[i] - self.earlier[i]);
                self.f1[i] = (self.z[i] - past) / (of.c * span.h);
            }
            let share = self.share_of_error(span.h);
            return Ok(shared.largest(|i| share * (whole * self.z[i] - self.parabola(shared, i, span.h))));
        }
    }

    fn settle(&self, controller: &mut Controller, h: f64) {
        if (1.0..SMALL_GROWTH).contains(&(controller.next_step / h)) {
            controller.next_step = h;
        }
    }

    fn prepare_dense<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        attempt: Attempt,
    ) -> Result<(), O::Error> {
        if self.method == ImplicitMethod::Midpoint {
            // The formula computes the rate of the middle, not of the end.
            ode.rate(attempt.end, &shared.y1, &mut self.f1)?;
            shared.counters.evaluations += 1;
        }
        let ends = [&shared.y0[..], &self.f0, &shared.y1, &self.f1];
        dense::hermite(&mut self.dense, shared.dim(), attempt.step(), ends);
        Ok(())
    }

    fn interpolate(&self, _shared: &Shared, _h: f64, s: f64, out: &mut [f64]) {
        dense::evaluate(&self.dense, out.len(), s, out);
    }

    fn accepted(&mut self, shared: &Shared, attempt: Attempt) {
        self.earlier.copy_from_slice(&shared.y0);
        self.last_step = attempt.step();
        self.is_fresh = false;
        self.has_rate = self.method == ImplicitMethod::Bdf2;
        std::mem::swap(&mut self.f0, &mut self.f1);
        if self.contraction > self.keeps {
            (self.has_jacobian, self.factored) = (false, 0.0);
        }
    }

    fn nudged(&mut self) {
        (self.has_rate, self.is_fresh) = (false, false);
    }

    fn changed(&mut self) {
        (self.has_rate, self.is_fresh, self.last_step) = (false, false, 0.0);
    }

    /// Flags, c h of the factors, last step, state before it, rate, derivative by columns.
    fn memory(&self) -> Vec<f64> {
        let flag = |is: bool| f64::from(u8::from(is));
        let mut memory = vec![flag(self.has_jacobian), flag(self.has_rate), self.factored, self.last_step];
        memory.extend_from_slice(&self.earlier);
        memory.extend_from_slice(&self.f0);
        if self.has_jacobian {
            self.matrix.write(&mut memory);
        }
        memory
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        let n = self.f0.len();
        let Some((&[has_jacobian, has_rate, factored, last_step], rest)) = memory.split_first_chunk() else {
            return false;
        };
        let has_jacobian = has_jacobian == 1.0;
        let Some((earlier, rest)) = rest.split_at_checked(n) else { return false };
        let Some((rate, derivative)) = rest.split_at_checked(n) else { return false };
        self.earlier.copy_from_slice(earlier);
        self.f0.copy_from_slice(rate);
        (self.has_jacobian, self.has_rate, self.last_step) = (has_jacobian, has_rate == 1.0, last_step);
        (self.is_fresh, self.factored) = (false, 0.0);
        if !has_jacobian {
            return derivative.is_empty();
        }
        let Some(matrix) = RateMatrix::read(derivative, n) else { return false };
        self.matrix = matrix;
        self.factors.reserve(&self.matrix, n);
        if factored > 0.0 {
            self.factorise(factored);
        }
        true
    }
}

impl OneStage {
    /// ω = h/h₋₁, 0 without an earlier step.
    fn ratio(&self, h: f64) -> f64 {
        if self.last_step > 0.0 { h / self.last_step } else { 0.0 }
    }

    fn coefficients(&self, h: f64) -> Coefficients {
        let ratio = self.ratio(h);
        let whole = 1.0 + 2.0 * ratio;
        match self.method {
            ImplicitMethod::Midpoint => Coefficients { back: 0.0, c: 0.5, theta: 0.5 },
            ImplicitMethod::Bdf2 => {
                Coefficients { back: ratio * ratio / whole, c: (1.0 + ratio) / whole, theta: 1.0 }
            }
        }
    }

    /// e over y₁ − p. Without an earlier step p is the tangent: its distance from backward Euler is twice
    /// the error, and that from the midpoint rule much larger.
    fn share_of_error(&self, h: f64) -> f64 {
        let ratio = self.ratio(h);
        match (self.method, ratio > 0.0) {
            (_, false) => 0.5,
            (ImplicitMethod::Midpoint, true) => ratio / (2.0 + 3.0 * ratio),
            (ImplicitMethod::Bdf2, true) => (1.0 + ratio) / (2.0 + 3.0 * ratio),
        }
    }

    /// p − y₀ at a time t after the start.
    fn parabola(&self, shared: &Shared, i: usize, t: f64) -> f64 {
        let slope = self.f0[i];
        if self.last_step == 0.0 {
            return t * slope;
        }
        let back = self.last_step;
        t * slope + t * t * (self.earlier[i] - shared.y0[i] + slope * back) / (back * back)
    }

    /// Derivative, and factors for a c h.
    fn prepare<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        span: Span,
        scaled: f64,
    ) -> Result<(), O::Error> {
        if !self.has_jacobian {
            let at = (&shared.y0[..], &self.f0[..]);
            shared.counters.evaluations += self.matrix.evaluate(ode, span.start, at, &shared.tolerances)?;
            shared.counters.jacobians += 1;
            (self.has_jacobian, self.is_fresh, self.factored) = (true, true, 0.0);
        }
        if (self.factored / scaled - 1.0).abs() > SAME_STEP || self.is_fresh && self.factored != scaled {
            self.factorise(scaled);
            shared.counters.factorisations += 1;
        }
        Ok(())
    }

    /// Factors of E/(c h) − ∂f/∂y.
    fn factorise(&mut self, scaled: f64) {
        self.factors.factorise(&self.matrix, 1.0 / scaled);
        self.factored = scaled;
    }

    /// Simplified Newton iterations for Z: `None` if they converged, otherwise the component that changed
    /// most.
    ///
    /// Factors of another c h are corrected by 2/(1 + ratio), which halves the remaining error of stiff
    /// components.
    fn iterate<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        span: Span,
        of: &Coefficients,
    ) -> Result<Option<usize>, O::Error> {
        let scaled = of.c * span.h;
        let relaxed = 2.0 / (1.0 + scaled / self.factored);
        let mut iterations = Iterations::START;
        loop {
            let Self { stage, rate, z, matrix, factors, earlier, factored, .. } = self;
            stage.iter_mut().zip(shared.y0.iter().zip(&*z)).for_each(|(stage, (y, z))| *stage = y + z);
            ode.rate(span.start + of.theta * span.h, stage, rate)?;
            shared.counters.evaluations += 1;
            shared.counters.iterations += 1;
            let (mut largest, mut component) = (0.0_f64, 0);
            let residual = |i: usize| {
                let past = of.back * (shared.y0[i] - earlier[i]);
                (past + scaled * rate[i] - (stage[i] - shared.y0[i])) / *factored
            };
            factors.solve(matrix, residual, |i, change| {
                let change = relaxed * change;
                z[i] += change;
                let size = change.abs() / shared.tolerances.newton_scale(i, shared.y0[i]);
                if size.is_nan() || size > largest {
                    (largest, component) = (size, i);
                }
            });
            match iterations.judge(largest) {
                Verdict::GoOn => {}
                Verdict::Converged => {
                    self.contraction = iterations.contraction;
                    return Ok(None);
                }
                Verdict::Failed => return Ok(Some(component)),
            }
        }
    }
}
