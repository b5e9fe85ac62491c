//! Parameters of the formula and the constants of its error.

/// Spectral radius at infinite frequency: the fraction of the amplitude that remains after a step, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpectralRadius(f64);

/// An invalid spectral radius.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error(
    "the spectral radius is {value}; it must lie between 0 (fast modes are damped within a step) and 1 \
     (no damping)"
)]
pub struct SpectralRadiusError {
    /// The given value.
    pub value: f64,
}

impl SpectralRadius {
    /// 0.8: a tenth of an infinitely fast oscillation remains after ten steps.
    pub const DEFAULT: Self = Self(0.8);

    /// A radius from 0 to 1.
    ///
    /// # Errors
    ///
    /// [`SpectralRadiusError`] for any other number.
    pub fn new(value: f64) -> Result<Self, SpectralRadiusError> {
        if (0.0..=1.0).contains(&value) { Ok(Self(value)) } else { Err(SpectralRadiusError { value }) }
    }

    /// Its value.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Form of the constraints in the equations of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintForm {
    /// Positions satisfy them (index 3); velocities do so to second order of the step.
    Index3,
    /// Positions and velocities satisfy them, by a second multiplier (stabilised index 2).
    Stabilised,
}

/// α_m, α_f, γ, β for a spectral radius ρ, and quantities that follow from them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters {
    pub(super) alpha_m: f64,
    pub(super) alpha_f: f64,
    pub(super) gamma: f64,
    pub(super) beta: f64,
}

impl Parameters {
    /// Chung & Hulbert (1993), J. Appl. Mech. 60, 371–375, eqs. (17), (20) and (25):
    /// α_m = (2ρ − 1)/(ρ + 1), α_f = ρ/(ρ + 1), γ = ½ + α_f − α_m, β = ¼ (½ + γ)².
    pub(super) fn new(radius: SpectralRadius) -> Self {
        let rho = radius.0;
        let (alpha_m, alpha_f) = ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0));
        let gamma = 0.5 + alpha_f - alpha_m;
        Self { alpha_m, alpha_f, gamma, beta: 0.25 * (0.5 + gamma).powi(2) }
    }

    /// Δ = α_m − α_f: algorithmic accelerations belong to the time t_n + Δ h, to second order.
    pub(super) fn lag(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }

    /// κ = γ (1 − α_f)/(1 − α_m): share of the new force in the step's impulse.
    pub(super) fn share(&self) -> f64 {
        self.gamma * (1.0 - self.alpha_f) / (1.0 - self.alpha_m)
    }

    /// γ/β: d(h z₁)/dξ.
    pub(super) fn speed(&self) -> f64 {
        self.gamma / self.beta
    }

    /// φ̂₁ from the rates at both ends and φ̂₀.
    pub(super) fn filtered(&self, start: f64, end: f64, filtered: f64) -> f64 {
        ((1.0 - self.alpha_f) * end + self.alpha_f * start - self.alpha_m * filtered) / (1.0 - self.alpha_m)
    }

    /// h z₁ of the increment ξ.
    pub(super) fn end_velocity(&self, h: f64, increment: f64, velocity: f64, acceleration: f64) -> f64 {
        let speed = self.speed();
        speed * increment / h + (1.0 - speed) * velocity + (1.0 - 0.5 * speed) * h * acceleration
    }

    /// c_q: the increment of a step exceeds the true one by c_q h³ z'' (of smooth motion), β + Δ/2 − 1/6.
    pub(super) fn increment_error(&self) -> f64 {
        self.beta + 0.5 * self.lag() - 1.0 / 6.0
    }

    /// c_π: the momentum after a step exceeds the true one by c_π h³ π''', by Taylor's series of the
    /// recursion of φ̂.
    ///
    /// φ̂_n = π' + Δ h π'' + κ₂ h² π''' with κ₂ = (1 − α_f)/2 − (1 − α_m)(½ + Δ) gives κ₂ + γ (½ + Δ) − 1/6.
    pub(super) fn momentum_error(&self) -> f64 {
        let second = 0.5 * (1.0 - self.alpha_f) - (1.0 - self.alpha_m) * (0.5 + self.lag());
        second + self.gamma * (0.5 + self.lag()) - 1.0 / 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn radii_outside_of_the_unit_interval_are_refused() {
        for value in [-0.1, 1.01, f64::NAN] {
            let error = SpectralRadius::new(value).unwrap_err();
            assert!(error.to_string().contains(&format!("is {value}")), "{error}");
        }
        assert!(SpectralRadius::new(0.0).is_ok() && SpectralRadius::new(1.0).is_ok());
    }

    /// For π = t³ and a stationary recursion, the error of a step of h = 1 is 6 c_π.
    #[test]
    fn the_constant_of_the_momentum_error_agrees_with_a_cubic() {
        for rho in [0.0, 0.3, 0.8] {
            let p = Parameters::new(SpectralRadius(rho));
            let rate = |t: f64| 3.0 * t * t;
            let (mut filtered, mut momentum) = (0.0, 0.0);
            let mut error = 0.0;
            for n in 0..200 {
                let t = f64::from(n);
                let next = p.filtered(rate(t), rate(t + 1.0), filtered);
                let gain = (1.0 - p.gamma) * filtered + p.gamma * next;
                momentum += gain;
                error = gain - ((t + 1.0).powi(3) - t.powi(3));
                filtered = next;
            }
            assert!(momentum.is_finite() && (error - 6.0 * p.momentum_error()).abs() < 1e-8, "{rho} {error}");
        }
    }
}
