//! Frequencies of eigenvalues.

use std::f64::consts::PI;

/// Frequency \[Hz\] of an eigenvalue ω², 0 where rounding made it negative.
pub(crate) fn hz(lambda: f64) -> f64 {
    lambda.max(0.0).sqrt() / (2.0 * PI)
}
