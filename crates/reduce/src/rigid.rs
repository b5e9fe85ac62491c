//! Rigid motions of a body as fields over its points.

use faer::Mat;
use nalgebra::{Matrix6, SymmetricEigen, Vector3};

/// The six rigid motions about a centre, 3n × 6: translations along x, y, z, then rotations e_k × (X − c).
///
/// * `points` — reference positions X \[m\]; control points serve as well, since Σ N_i X_i = X
/// * `center` — c \[m\]
pub fn rigid_modes(points: &[[f64; 3]], center: [f64; 3]) -> Mat<f64> {
    Mat::from_fn(3 * points.len(), 6, |dof, k| {
        let (point, i) = (points[dof / 3], dof % 3);
        if k < 3 {
            return if i == k { 1.0 } else { 0.0 };
        }
        let arm = Vector3::from_fn(|a, _| point[a] - center[a]);
        Vector3::ith(k - 3, 1.0).cross(&arm)[i]
    })
}

/// Least value of [`holding`] at which points hold a body.
pub(crate) const LEAST_HOLDING: f64 = 1e-10;

/// A measure of how well points hold a body: the ratio of the smallest to the largest eigenvalue of the Gram
/// matrix of the rigid motions over these points.
///
/// Rotations are scaled by the extent of the points. Zero for fewer than three points, or for points on a
/// line.
pub fn holding(points: &[[f64; 3]]) -> f64 {
    if points.len() < 3 {
        return 0.0;
    }
    let n = points.len() as f64;
    let mean: [f64; 3] = std::array::from_fn(|a| points.iter().map(|p| p[a]).sum::<f64>() / n);
    let extent = points
        .iter()
        .map(|p| (0..3).map(|a| (p[a] - mean[a]).powi(2)).sum::<f64>().sqrt())
        .fold(0.0, f64::max);
    if extent <= 0.0 {
        return 0.0;
    }
    let scaled: Vec<[f64; 3]> =
        points.iter().map(|p| std::array::from_fn(|a| (p[a] - mean[a]) / extent)).collect();
    let fields = rigid_modes(&scaled, [0.0; 3]);
    let gram = Matrix6::from_fn(|i, j| fields.col(i).transpose() * fields.col(j));
    let values = SymmetricEigen::new(gram).eigenvalues;
    values.min().max(0.0) / values.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_points_hold_a_body_unless_they_lie_on_a_line() {
        assert!(holding(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]) > 1e-2);
        assert!(holding(&[[0.0; 3], [1.0, 1.0, 1.0], [3.0, 3.0, 3.0], [7.0, 7.0, 7.0]]) < 1e-14);
        assert_eq!(holding(&[[0.0; 3], [1.0, 0.0, 0.0]]), 0.0);
        assert_eq!(holding(&[[1.0; 3]; 5]), 0.0);
    }

    #[test]
    fn rotations_are_cross_products() {
        let fields = rigid_modes(&[[1.0, 2.0, 4.0]], [0.0, 0.0, 1.0]);
        // e_z × (1, 2, 3) = (−2, 1, 0)
        assert_eq!([fields[(0, 5)], fields[(1, 5)], fields[(2, 5)]], [-2.0, 1.0, 0.0]);
        assert_eq!([fields[(0, 1)], fields[(1, 1)], fields[(2, 1)]], [0.0, 1.0, 0.0]);
    }
}
