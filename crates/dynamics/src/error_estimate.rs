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
}

impl ErrorEstimate {
    /// Names of its numbers in results, in the order of [`ErrorEstimate::to_array`].
    pub const NAMES: [&'static str; 3] = ["force_error", "impulse_error", "duration_error"];

    /// Its numbers.
    pub fn to_array(self) -> [f64; 3] {
        [self.force, self.impulse, self.duration]
    }

    /// The inverse of [`ErrorEstimate::to_array`].
    pub fn from_array([force, impulse, duration]: [f64; 3]) -> Self {
        Self { force, impulse, duration }
    }
}
