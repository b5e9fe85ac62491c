//! Radau IIA of order 5 with error control and dense output: for stiff systems.
//!
//! ```text
//! Z_i = h Σ_j a_ij f(t_n + c_j h, y_n + Z_j),   y_{n+1} = y_n + Z_3,   c = ((4 − √6)/10, (4 + √6)/10, 1)
//! ```
//!
//! The three systems of a step are one real and one complex one in W = T⁻¹ Z, as T⁻¹ A⁻¹ T has the blocks γ
//! and (α β; −β α). Newton's method is simplified: ∂f/∂y is kept for many steps, its factors for steps of
//! the same length.
//!
//! # Source
//!
//! Hairer & Wanner, Solving Ordinary Differential Equations II, IV.8; docs/theory/time.md, eq. (64).

use faer::c64;
use newton::Newton;

use crate::adaptive::{Adaptive, Formula, Shared, Span, Trial};
use crate::attempt::Attempt;
use crate::collocation::{Collocation, STAGES};
use crate::control::{Controller, Tolerances};
use crate::newton::keeps;
use crate::ode::{IntegrateError, Ode};
use crate::rate_matrix::{Factors, RateMatrix};

mod newton;

/// Order of the error estimate plus one.
const ERROR_POWER: u32 = 4;

/// Growth of the step below which its length and factors are kept.
const SMALL_GROWTH: f64 = 1.1;

/// Radau IIA of order 5 under error control.
pub type Radau5 = Adaptive<RadauIia>;

/// The formula with its workspace.
#[derive(Debug)]
pub struct RadauIia {
    collocation: Collocation,
    matrix: RateMatrix,
    real: Factors<f64>,
    complex: Factors<c64>,
    /// Step of the factors; 0 without any.
    factored: f64,
    /// True if the derivative belongs to the present state.
    is_fresh: bool,
    has_jacobian: bool,
    /// True if `f0` is the rate at the present state.
    has_rate: bool,
    /// True if the polynomial of the last step can be extrapolated from the present state.
    continues: bool,
    /// Contraction of Newton's method in the last trial.
    contraction: f64,
    /// Contraction up to which the derivative is kept.
    keeps: f64,
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
}

impl Radau5 {
    /// For systems with the number of components of `tolerances`.
    pub fn new(tolerances: Tolerances) -> Self {
        let n = tolerances.absolute.len();
        let vector = |count: usize| vec![0.0; count * n];
        let formula = RadauIia {
            collocation: Collocation::radau(),
            matrix: RateMatrix::default(),
            real: Factors::default(),
            complex: Factors::default(),
            factored: 0.0,
            is_fresh: false,
            has_jacobian: false,
            has_rate: false,
            continues: false,
            contraction: 0.0,
            keeps: 0.0,
            f0: vector(1),
            stage: vector(1),
            z: vector(STAGES),
            w: vector(STAGES),
            f: vector(STAGES),
            error: vector(STAGES),
            last_z: vector(STAGES),
            last_step: 0.0,
        };
        Self::with(formula, tolerances)
    }
}

impl Formula for RadauIia {
    fn error_power(&self) -> u32 {
        ERROR_POWER
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
        self.reserve(shared.dim());
        self.keeps = keeps(self.matrix.evaluations(ode), STAGES);
        Ok(if is_first { shared.euler_step(&self.f0, room) } else { room })
    }

    /// One step: factors, Newton's method, error.
    fn trial<O: Ode>(&mut self, ode: &mut O, shared: &mut Shared, span: Span) -> Result<Trial, O::Error> {
        loop {
            self.prepare(ode, shared, span)?;
            self.start_values(span.h);
            match self.newton(ode, shared, span)? {
                Newton::Converged { contraction } => {
                    self.contraction = contraction;
                    let n = shared.dim();
                    for i in 0..n {
                        shared.y1[i] = shared.y0[i] + self.z[2 * n + i];
                    }
                    return self.estimate(ode, shared, span);
                }
                Newton::Failed { component } if self.is_fresh => {
                    return Ok(Trial { component, ..Trial::UNSOLVED });
                }
                Newton::Failed { .. } => (self.has_jacobian, self.factored) = (false, 0.0),
            }
        }
    }

    /// A step that would grow little keeps its length and its factors.
    fn settle(&self, controller: &mut Controller, h: f64) {
        if self.contraction <= self.keeps && (1.0..SMALL_GROWTH).contains(&(controller.next_step / h)) {
            controller.next_step = h;
        }
    }

    fn interpolate(&self, shared: &Shared, _h: f64, s: f64, out: &mut [f64]) {
        let n = shared.dim();
        let weights = self.collocation.weights(s);
        for (i, out) in out.iter_mut().enumerate() {
            *out = shared.y0[i] + (0..STAGES).map(|j| weights[j] * self.z[j * n + i]).sum::<f64>();
        }
    }

    fn accepted(&mut self, _shared: &Shared, attempt: Attempt) {
        std::mem::swap(&mut self.z, &mut self.last_z);
        (self.last_step, self.continues) = (attempt.step(), true);
        (self.has_rate, self.is_fresh) = (false, false);
        if self.contraction > self.keeps {
            (self.has_jacobian, self.factored) = (false, 0.0);
        }
    }

    /// The polynomial of the last step is still valid.
    fn nudged(&mut self) {
        (self.has_rate, self.is_fresh) = (false, false);
    }

    fn changed(&mut self) {
        (self.has_rate, self.continues, self.is_fresh) = (false, false, false);
    }

    /// Flags, step of the factors, last step, Z of the last step, derivative by columns.
    fn memory(&self) -> Vec<f64> {
        let flag = |is: bool| f64::from(u8::from(is));
        let mut memory = vec![flag(self.has_jacobian), flag(self.continues), self.factored, self.last_step];
        memory.extend_from_slice(&self.last_z);
        if self.has_jacobian {
            self.matrix.write(&mut memory);
        }
        memory
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        let n = self.f0.len();
        let Some((&[has_jacobian, continues, factored, last_step], rest)) = memory.split_first_chunk() else {
            return false;
        };
        let has_jacobian = has_jacobian == 1.0;
        let Some((z, derivative)) = rest.split_at_checked(STAGES * n) else { return false };
        self.last_z.copy_from_slice(z);
        (self.has_jacobian, self.continues, self.last_step) = (has_jacobian, continues == 1.0, last_step);
        (self.is_fresh, self.has_rate, self.factored) = (false, false, 0.0);
        if !has_jacobian {
            return derivative.is_empty();
        }
        let Some(matrix) = RateMatrix::read(derivative, n) else { return false };
        self.matrix = matrix;
        self.reserve(n);
        if factored > 0.0 {
            self.factorise(factored);
        }
        true
    }
}

impl RadauIia {
    /// Makes room for the factors of a system of n components.
    fn reserve(&mut self, n: usize) {
        self.real.reserve(&self.matrix, n);
        self.complex.reserve(&self.matrix, n);
    }

    /// Error of the step in units of the tolerance, docs/theory/time.md, eq. (64), filtered again if it
    /// seems too large.
    fn estimate<O: Ode>(&mut self, ode: &mut O, shared: &mut Shared, span: Span) -> Result<Trial, O::Error> {
        if !shared.tolerances.controls() {
            return Ok(shared.largest(|_| 0.0));
        }
        let n = shared.dim();
        let root = 6.0_f64.sqrt();
        let e = [(-13.0 - 7.0 * root) / 3.0, (-13.0 + 7.0 * root) / 3.0, -1.0 / 3.0];
        self.error.resize(n, 0.0);
        let Self { z, f0, error, real, matrix, .. } = self;
        let sum = |z: &[f64], i: usize| (0..STAGES).map(|j| e[j] * z[j * n + i]).sum::<f64>() / span.h;
        real.solve(matrix, |i| f0[i] + sum(z, i), |i, x| error[i] = x);
        let trial = shared.largest(|i| error[i]);
        if trial.error <= 1.0 || trial.error.is_nan() || !span.again && self.continues {
            return Ok(trial);
        }
        let Self { z, f, error, stage, real, matrix, .. } = self;
        stage.iter_mut().zip(shared.y0.iter().zip(error.iter())).for_each(|(s, (y, e))| *s = y + e);
        ode.rate(span.start, stage, &mut f[..n])?;
        shared.counters.evaluations += 1;
        real.solve(matrix, |i| f[i] + sum(z, i), |i, x| error[i] = x);
        Ok(shared.largest(|i| error[i]))
    }
}
