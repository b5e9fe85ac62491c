//! Whether a compliance is positive definite.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{
    LltParams, LltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::{Auto, Mat, MatRef, Par, Spec};

/// The smallest pivot of the Cholesky factorisation after scaling to unit diagonal; 0 or less if the matrix
/// is not positive definite.
///
/// It bounds the smallest eigenvalue of the scaled matrix from above.
pub fn smallest_pivot(matrix: MatRef<'_, f64>) -> f64 {
    let n = matrix.nrows();
    let scale: Vec<f64> = (0..n).map(|i| matrix[(i, i)].max(f64::MIN_POSITIVE).sqrt().recip()).collect();
    let scaled = Mat::from_fn(n, n, |i, k| matrix[(i, k)] * scale[i] * scale[k]);
    let mut factor = scaled.clone();
    let spec: Spec<LltParams, f64> = <LltParams as Auto<f64>>::auto().into();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(n, Par::Seq, spec));
    let (stack, regularization) = (MemStack::new(&mut memory), LltRegularization::default());
    if cholesky_in_place(factor.as_mut(), regularization, Par::Seq, stack, spec).is_ok() {
        let pivots = (0..n).map(|k| factor[(k, k)].powi(2));
        return pivots.map(|pivot| if pivot.is_nan() { 0.0 } else { pivot }).fold(f64::INFINITY, f64::min);
    }
    first_lost_pivot(scaled)
}

/// The pivot at which the factorisation of a matrix that is not positive definite ends, at most 0.
fn first_lost_pivot(mut factor: Mat<f64>) -> f64 {
    let n = factor.nrows();
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
    smallest.min(0.0)
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
