//! Whether a compliance is positive definite.

use faer::{Mat, MatRef};

/// The smallest pivot of the Cholesky factorisation after scaling to unit diagonal; 0 or less if the matrix
/// is not positive definite.
///
/// It bounds the smallest eigenvalue of the scaled matrix from above.
pub fn smallest_pivot(matrix: MatRef<'_, f64>) -> f64 {
    let n = matrix.nrows();
    let scale: Vec<f64> = (0..n).map(|i| matrix[(i, i)].max(f64::MIN_POSITIVE).sqrt().recip()).collect();
    let mut factor = Mat::from_fn(n, n, |i, k| matrix[(i, k)] * scale[i] * scale[k]);
    let mut smallest = f64::INFINITY;
    for k in 0..n {
        let pivot = factor[(k, k)];
        smallest = smallest.min(pivot);
        if pivot.is_nan() || pivot <= 0.0 {
            return smallest.min(0.0);
        }
        let inverse = pivot.sqrt().recip();
        (k..n).for_each(|i| factor[(i, k)] *= inverse);
        for j in k + 1..n {
            let share = factor[(j, k)];
            (j..n).for_each(|i| factor[(i, j)] -= factor[(i, k)] * share);
        }
    }
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pivots_are_those_of_the_scaled_matrix() {
        let matrix = Mat::from_fn(2, 2, |i, k| [[4.0, 1.0], [1.0, 1.0]][i][k]);
        assert!((smallest_pivot(matrix.as_ref()) - 0.75).abs() < 1e-15);
        let indefinite = Mat::from_fn(2, 2, |i, k| [[1.0, 2.0], [2.0, 1.0]][i][k]);
        assert!(smallest_pivot(indefinite.as_ref()) <= 0.0);
    }
}
