//! Errors of an impact that its contact model expects.

/// Relative errors of the largest impact of a pair that are to be expected at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorEstimate {
    /// Of the largest force.
    pub force: f64,
    /// Of the impulse.
    pub impulse: f64,
    /// Of the duration.
    pub duration: f64,
    /// Where the error of the force comes from; unknown of results before version 1.9.
    pub parts: Option<ErrorParts>,
}

/// Parts of the relative error of a force, which add up to it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ErrorParts {
    /// The dent: cells of the contact, curvature of the surfaces, loads between places and at edges.
    pub contact: f64,
    /// Modes that are left out.
    pub modes: f64,
    /// Meshes of the bodies, which make them too stiff.
    pub mesh: f64,
    /// Integration in time, by the balance of energy.
    pub time: f64,
}

impl ErrorParts {
    /// Names of the parts, in the order of [`ErrorParts::to_array`].
    pub const NAMES: [&'static str; 4] = ["contact", "modes", "mesh", "time"];

    /// The parts.
    pub fn to_array(self) -> [f64; 4] {
        [self.contact, self.modes, self.mesh, self.time]
    }

    /// The inverse of [`ErrorParts::to_array`].
    pub fn from_array([contact, modes, mesh, time]: [f64; 4]) -> Self {
        Self { contact, modes, mesh, time }
    }

    /// Their sum.
    pub fn sum(self) -> f64 {
        self.to_array().iter().sum()
    }

    /// The largest part with its name.
    pub fn largest(self) -> (&'static str, f64) {
        let parts = Self::NAMES.into_iter().zip(self.to_array());
        parts.reduce(|a, b| if b.1 > a.1 { b } else { a }).unwrap_or(("contact", 0.0))
    }
}

impl ErrorEstimate {
    /// Names of its numbers in results: force, impulse, duration, and the parts.
    pub const NAMES: [&'static str; 7] = [
        "force_error",
        "impulse_error",
        "duration_error",
        "force_error_contact",
        "force_error_modes",
        "force_error_mesh",
        "force_error_time",
    ];

    /// No estimate: all numbers are NaN, and nothing lies within them.
    pub const UNKNOWN: Self = Self { force: f64::NAN, impulse: f64::NAN, duration: f64::NAN, parts: None };

    /// Its numbers with their names.
    pub fn numbers(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let parts = self.parts.into_iter().flat_map(ErrorParts::to_array);
        Self::NAMES.into_iter().zip([self.force, self.impulse, self.duration].into_iter().chain(parts))
    }

    /// The estimate of numbers by their names; none without the first three.
    pub fn of_numbers(value: impl Fn(&str) -> Option<f64>) -> Option<Self> {
        let [force, impulse, duration, contact, modes, mesh, time] = Self::NAMES.map(value);
        let parts = [contact, modes, mesh, time];
        let is_whole = parts.iter().all(Option::is_some);
        let parts = is_whole.then(|| ErrorParts::from_array(parts.map(Option::unwrap_or_default)));
        Some(Self { force: force?, impulse: impulse?, duration: duration?, parts })
    }

    /// Error of the coefficient of restitution e, absolute: the impulse is m (1 + e) u₋.
    pub fn of_restitution(&self, restitution: f64) -> f64 {
        (1.0 + restitution) * self.impulse
    }

    /// The estimate with the error of the integration in time.
    ///
    /// * `energy_error` — of the balance, relative to the energy that the bodies exchange: F ~ E^(3/5)
    #[must_use]
    pub fn with_energy_error(self, energy_error: f64) -> Self {
        let time = 0.6 * energy_error;
        let Self { force, impulse, duration, parts } = self;
        let parts = parts.map(|parts| ErrorParts { time: parts.time + time, ..parts });
        Self { force: force + time, impulse: impulse + time, duration: duration + time, parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_read_from_its_numbers_and_parts_add_up() {
        let parts = ErrorParts { contact: 0.125, modes: 0.25, mesh: 0.5, time: 0.0625 };
        let estimate = ErrorEstimate { force: parts.sum(), impulse: 1.0, duration: 2.0, parts: Some(parts) };
        for own in [estimate, ErrorEstimate { parts: None, ..estimate }] {
            let numbers: Vec<_> = own.numbers().collect();
            let value = |name: &str| numbers.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
            assert_eq!(ErrorEstimate::of_numbers(value), Some(own));
        }
        assert_eq!(ErrorEstimate::of_numbers(|_| None), None);
        let later = estimate.with_energy_error(0.1);
        assert!((later.parts.unwrap().sum() - later.force).abs() < 1e-15);
        assert_eq!(parts.largest(), ("mesh", 0.5));
        assert_eq!(estimate.of_restitution(0.5), 1.5);
    }
}
