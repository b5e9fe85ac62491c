//! The nonlinear equations of a step: factors, starting values, simplified Newton iterations.

use faer::c64;

use super::RadauIia;
use crate::adaptive::{Shared, Span};
use crate::collocation::{Collocation, STAGES};
use crate::newton::{Iterations, Verdict};
use crate::ode::Ode;

/// Change of the step up to which factors are kept: it adds to the contraction of Newton's method.
const SAME_STEP: f64 = 1e-3;

/// Result of Newton's method.
pub(super) enum Newton {
    Converged {
        contraction: f64,
    },
    /// The component whose change is not finite, or the first one.
    Failed {
        component: usize,
    },
}

impl RadauIia {
    /// Derivative and factors for a step h.
    pub(super) fn prepare<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        span: Span,
    ) -> Result<(), O::Error> {
        if !self.has_jacobian {
            let at = (&shared.y0[..], &self.f0[..]);
            shared.counters.evaluations += self.matrix.evaluate(ode, span.start, at, &shared.tolerances)?;
            shared.counters.jacobians += 1;
            (self.has_jacobian, self.is_fresh, self.factored) = (true, true, 0.0);
        }
        if (self.factored / span.h - 1.0).abs() > SAME_STEP {
            self.factorise(span.h);
            shared.counters.factorisations += 1;
        }
        Ok(())
    }

    /// Factors of γ/h − ∂f/∂y and (α + iβ)/h − ∂f/∂y.
    pub(super) fn factorise(&mut self, h: f64) {
        let Collocation { gamma, alpha, beta, .. } = self.collocation;
        self.real.factorise(&self.matrix, gamma / h);
        self.complex.factorise(&self.matrix, c64::new(alpha / h, beta / h));
        self.factored = h;
    }

    /// Z from the polynomial of the last step, or zero.
    pub(super) fn start_values(&mut self, h: f64) {
        let n = self.f0.len();
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
    pub(super) fn newton<O: Ode>(
        &mut self,
        ode: &mut O,
        shared: &mut Shared,
        span: Span,
    ) -> Result<Newton, O::Error> {
        let n = shared.dim();
        let mut iterations = Iterations::START;
        loop {
            for stage in 0..STAGES {
                for i in 0..n {
                    self.stage[i] = shared.y0[i] + self.z[stage * n + i];
                }
                let at = span.start + self.collocation.c[stage] * span.h;
                ode.rate(at, &self.stage, &mut self.f[stage * n..(stage + 1) * n])?;
                shared.counters.evaluations += 1;
            }
            let (change, component) = self.newton_step(shared, span.h);
            shared.counters.iterations += 1;
            match iterations.judge(change) {
                Verdict::GoOn => {}
                Verdict::Converged => {
                    return Ok(Newton::Converged { contraction: iterations.contraction });
                }
                Verdict::Failed => return Ok(Newton::Failed { component }),
            }
        }
    }

    /// W ← W + ΔW and Z = T W; returns the size of ΔZ in units of the tolerance, and its component.
    fn newton_step(&mut self, shared: &Shared, h: f64) -> (f64, usize) {
        let n = shared.dim();
        let Self { collocation, w, f, z, real, complex, matrix, .. } = self;
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
        // The changes replace the rates, which are not needed any more.
        let mut changes = std::mem::take(&mut self.error);
        changes.clear();
        changes.resize(STAGES * n, 0.0);
        real.solve(matrix, |i| right(0, i), |i, x| changes[i] = x);
        complex.solve(
            matrix,
            |i| c64::new(right(1, i), -right(2, i)),
            |i, x| (changes[n + i], changes[2 * n + i]) = (x.re, -x.im),
        );
        w.iter_mut().zip(&changes).for_each(|(w, change)| *w += change);
        collocation.to_z(w, z, n);
        let mut largest = (0.0_f64, 0);
        for i in 0..n {
            let scale = shared.tolerances.newton_scale(i, shared.y0[i]);
            for row in collocation.transform {
                let change: f64 = (0..STAGES).map(|j| row[j] * changes[j * n + i]).sum();
                let size = change.abs() / scale;
                if size.is_nan() || size > largest.0 {
                    largest = (size, i);
                }
            }
        }
        self.error = changes;
        largest
    }
}
