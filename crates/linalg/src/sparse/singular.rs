//! Estimates of the smallest singular value of a factorised matrix.

use super::SparseError;
use super::columns::Columns;
use crate::noise::noise;

/// Estimated smallest singular value relative to the norm, below which a matrix is singular.
const SINGULAR: f64 = 32.0 * f64::EPSILON;

/// Change of the entries of a full set of pivots that makes a singular matrix one with factors.
pub(super) const CHANGE: f64 = 1e-10;

/// Directions in which a matrix is nearly singular.
#[derive(Debug, Clone)]
pub(super) struct Direction {
    /// Unknowns, of unit length.
    right: Vec<f64>,
    /// Rows, of unit length.
    left: Vec<f64>,
    /// Estimated smallest singular value; not a number if the factors are not finite.
    pub(super) smallest: f64,
}

impl Direction {
    /// By two steps of inverse iteration from a fixed vector: y = (A Aᵀ)⁻¹ s up to its length, z = A⁻ᵀ y.
    ///
    /// * `solve` — solves with A, or with Aᵀ if true, in place
    pub(super) fn estimate(n: usize, mut solve: impl FnMut(&mut [f64], bool)) -> Self {
        let mut right: Vec<f64> = (0..n as u64).map(noise).collect();
        solve(&mut right, false);
        normalise(&mut right);
        let mut left = right.clone();
        solve(&mut left, true);
        let length = normalise(&mut left);
        Self { right, left, smallest: 1.0 / length }
    }

    /// The error if the matrix is singular.
    ///
    /// * `norm` — of the matrix
    pub(super) fn check(&self, norm: f64) -> Result<(), SparseError> {
        let pivot = self.smallest / norm;
        if pivot >= SINGULAR { Ok(()) } else { Err(self.error(pivot)) }
    }

    /// The error of a singular matrix; ‖A y‖ for the nearly free combination y of unknowns bounds its
    /// smallest singular value.
    pub(super) fn of_changed(&self, columns: &Columns) -> SparseError {
        let mut product = vec![0.0; columns.n];
        columns.scaled_product(&self.right, &mut product, false);
        self.error(length(&product) / columns.scaled_norm().max(f64::MIN_POSITIVE))
    }

    fn error(&self, pivot: f64) -> SparseError {
        SparseError::Singular { pivot, row: largest(&self.left), column: largest(&self.right) }
    }
}

fn length(x: &[f64]) -> f64 {
    let largest = x.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * x.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt()
}

/// Makes it a vector of unit length and returns the length that it had.
fn normalise(x: &mut [f64]) -> f64 {
    let length = if x.iter().all(|x| x.is_finite()) { length(x) } else { f64::NAN };
    x.iter_mut().for_each(|x| *x /= length);
    length
}

fn largest(x: &[f64]) -> usize {
    (0..x.len()).fold(0, |best, i| if x[i].abs() > x[best].abs() { i } else { best })
}
