//! The nonlinear equations of a step: factors, starting values, simplified Newton iterations.

use faer::c64;

use super::Radau5;
use crate::collocation::{Collocation, STAGES};
use crate::ode::Ode;

/// Part of the tolerance that Newton's method may leave.
const NEWTON_SHARE: f64 = 0.01;

/// Largest number of iterations.
const NEWTON_STEPS: usize = 8;

/// Change of the step up to which factors are kept: Newton's method contracts by as much more slowly.
const SAME_STEP: f64 = 1e-3;

/// What Newton's method came to.
pub(super) enum Newton {
    Converged { contraction: f64 },
    Failed,
}

impl Radau5 {
    /// Derivative and factors for a step h.
    pub(super) fn prepare<O: Ode>(&mut self, ode: &mut O, time: f64, h: f64) -> Result<(), O::Error> {
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
    pub(super) fn start_values(&mut self, h: f64) {
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
    pub(super) fn newton<O: Ode>(&mut self, ode: &mut O, time: f64, h: f64) -> Result<Newton, O::Error> {
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
}
