//! Tolerances and the size of the next step.

/// Least tolerance of implicit equations, relative to the state.
pub(crate) const ROUNDING: f64 = 1e3 * f64::EPSILON;

/// Admissible error of a step: `absolute[i] + relative * |y_i|` for component i of y.
///
/// The largest component decides (not the mean), so that additional bodies at rest do not change the steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Tolerances {
    /// Relative part, ≥ 0.
    pub relative: f64,
    /// Absolute part of each component, in its unit, ≥ 0; infinite for components without error control, such
    /// as integrals that are only reported.
    pub absolute: Vec<f64>,
    /// Tolerances of the equations of implicit methods for each component, if they differ from those of the
    /// steps; infinite for integrals.
    pub newton: Option<Vec<f64>>,
}

impl Tolerances {
    /// The same absolute tolerance for all n components.
    pub fn uniform(relative: f64, absolute: f64, n: usize) -> Self {
        Self { relative, absolute: vec![absolute; n], newton: None }
    }

    /// No error control: every step is as long as the caller allows.
    pub fn none(n: usize) -> Self {
        Self::uniform(0.0, f64::INFINITY, n)
    }

    /// Tolerance of component i at a step from `y0` to `y1`.
    pub(crate) fn scale(&self, i: usize, y0: f64, y1: f64) -> f64 {
        self.absolute[i] + self.relative * y0.abs().max(y1.abs())
    }

    /// Scale of component i in Newton's method: its tolerance, also for components without error control.
    pub(crate) fn newton_scale(&self, i: usize, y: f64) -> f64 {
        let scale =
            self.newton.as_ref().map_or(self.absolute[i], |newton| newton[i]) + self.relative * y.abs();
        // Newton's method must reach a hundredth of it, which rounding must allow.
        scale.max(ROUNDING * y.abs()).max(f64::MIN_POSITIVE)
    }

    /// Tolerance of component i in Newton's method, if it has its own.
    pub(crate) fn resolution(&self, i: usize) -> Option<f64> {
        let scale = self.newton.as_ref().map_or(self.absolute[i], |newton| newton[i]);
        scale.is_finite().then_some(scale)
    }

    /// True if at least one component has error control.
    pub(crate) fn controls(&self) -> bool {
        self.absolute.iter().any(|a| a.is_finite())
    }
}

/// Proportional-integral control of the step size, docs/theory/time.md, eq. (62): h_new = h min(5, max(0.2,
/// 0.9 err^(−0.7/k) err_old^(0.4/k))). Plain data: a run continues from a copy with the same bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Controller {
    /// Step to try next \[s\]; 0 before the first step.
    pub next_step: f64,
    /// Error of the last accepted step in units of the tolerance, at least 1e-4.
    pub last_error: f64,
}

impl Default for Controller {
    fn default() -> Self {
        Self { next_step: 0.0, last_error: 1.0 }
    }
}

impl Controller {
    const SAFETY: f64 = 0.9;
    const SHRINK: f64 = 0.2;
    const GROW: f64 = 5.0;
    const LEAST_ERROR: f64 = 1e-4;

    /// Step after one of size `step` with `error` ≤ 1; `power` is the order of the error estimate.
    pub(crate) fn after_acceptance(&self, step: f64, error: f64, power: u32, was_rejected: bool) -> Self {
        let k = f64::from(power);
        let error = error.max(Self::LEAST_ERROR);
        let factor = Self::SAFETY * error.powf(-0.7 / k) * self.last_error.powf(0.4 / k);
        let most = if was_rejected { 1.0 } else { Self::GROW };
        Self { next_step: step * factor.clamp(Self::SHRINK, most), last_error: error }
    }

    /// Step to try after one of size `step` with `error` > 1 (or NaN).
    pub(crate) fn after_rejection(step: f64, error: f64, power: u32) -> f64 {
        let factor = Self::SAFETY * error.powf(-1.0 / f64::from(power));
        // NaN compares false, which gives the strongest reduction.
        if factor > Self::SHRINK { step * factor.min(Self::SAFETY) } else { step * Self::SHRINK }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_error_settles_at_the_set_point() {
        // With error = (h/h₀)^8 the loop has its fixed point where 0.9 err^(−0.3/8) = 1.
        let mut controller = Controller::default();
        let mut step: f64 = 0.1;
        for _ in 0..100 {
            controller = controller.after_acceptance(step, step.powi(8), 8, false);
            step = controller.next_step;
        }
        let error = step.powi(8);
        assert!((0.9 * error.powf(-0.3 / 8.0) - 1.0).abs() < 1e-6, "{error}");
    }

    #[test]
    fn an_undefined_error_gives_the_largest_reduction() {
        assert_eq!(Controller::after_rejection(1.0, f64::NAN, 8), 0.2);
        assert_eq!(Controller::after_rejection(1.0, f64::INFINITY, 8), 0.2);
    }
}
