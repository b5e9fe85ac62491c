//! Upper bounds of eigenvalues that a factorisation proves.

use faer::{Mat, Side};

/// First distance of a raised bound from the estimate, relative to it, and the factor of further ones.
const FIRST: f64 = 1e-3;
const FACTOR: f64 = 4.0;

/// Number of bounds before the norm of the matrix is taken.
const TRIALS: i32 = 6;

/// A number σ above all eigenvalues of a symmetric matrix B, from an estimate of the largest one.
///
/// σ E − B has a Cholesky factor if and only if it is positive definite (to rounding), whichever eigenvectors
/// the estimate has missed. σ is the estimate raised by 1e-3, 4e-3, … until there is a factor, at last the
/// Frobenius norm of B.
///
/// * `shifted` — memory of the same size
pub(super) fn upper_bound(matrix: &Mat<f64>, shifted: &mut Mat<f64>, estimate: f64) -> f64 {
    // A NaN is returned.
    if !(estimate > 0.0 && estimate.is_finite()) {
        return if estimate <= 0.0 { matrix.norm_l2() } else { estimate };
    }
    for trial in 0..TRIALS {
        let bound = estimate * (1.0 + FIRST * FACTOR.powi(trial));
        for j in 0..matrix.ncols() {
            let column = shifted.col_as_slice_mut(j);
            column.iter_mut().zip(matrix.col_as_slice(j)).for_each(|(s, b)| *s = -b);
            column[j] += bound;
        }
        if shifted.llt(Side::Lower).is_ok() {
            return bound;
        }
    }
    matrix.norm_l2()
}

#[cfg(test)]
mod tests {
    use super::super::lanczos::{Lanczos, start};
    use super::*;

    /// E + 3 w wᵀ with w at right angles to the first vector of Lanczos' method, which finds 1 instead of 4.
    #[test]
    fn an_eigenvalue_that_lanczos_misses_is_bounded() {
        let n = 81;
        let first: Vec<f64> = start(n).collect();
        let mut w = vec![0.0; n];
        (w[0], w[1]) = (first[1], -first[0]);
        let norm = w.iter().map(|x| x * x).sum::<f64>().sqrt();
        w.iter_mut().for_each(|x| *x /= norm);
        let matrix = Mat::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) + 3.0 * w[i] * w[j]);
        let missed = Lanczos::default().largest(&matrix);
        assert!(missed < 1.1, "{missed}");
        let bound = upper_bound(&matrix, &mut Mat::zeros(n, n), missed);
        assert!((4.0..=matrix.norm_l2()).contains(&bound), "{bound}");
    }

    /// A good estimate is raised by a thousandth.
    #[test]
    fn a_good_estimate_stays() {
        let n = 192;
        let matrix = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let exact = 2.0 + 2.0 * (std::f64::consts::PI / (n + 1) as f64).cos();
        let mut memory = Mat::zeros(n, n);
        let bound = upper_bound(&matrix, &mut memory, exact);
        assert!(bound > exact && bound < 1.0011 * exact, "{bound} {exact}");
        assert_eq!(upper_bound(&Mat::zeros(n, n), &mut memory, 0.0), 0.0);
        assert!(upper_bound(&matrix, &mut memory, f64::NAN).is_nan());
    }
}
