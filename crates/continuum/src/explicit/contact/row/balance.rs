//! Weights of the points of a face without a moment.

use nalgebra::{Matrix2, Vector2, Vector3};

/// Weights of the points of a face with Σ = 1 such that a force along n acts on the line through a place,
/// with the smallest change of the given weights.
///
/// Forces act at t_n, but a node and its foot point are at the same place only at t_{n+1}. With these weights
/// the forces on node and face have no moment, whatever the motion between.
///
/// * `points` — positions of the points at t_n \[m\]
/// * `weights` — shape values at the foot point; replaced
pub(in crate::explicit::contact) fn balance(
    normal: &Vector3<f64>,
    place: &Vector3<f64>,
    points: &[Vector3<f64>],
    weights: &mut [f64],
) {
    let axis = normal.iamin();
    let first = normal.cross(&Vector3::ith(axis, 1.0)).normalize();
    let second = normal.cross(&first);
    let across = |x: &Vector3<f64>| Vector2::new(first.dot(x), second.dot(x));
    let center = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let (mut missing, mut gram) = (across(place), Matrix2::zeros());
    for (x, weight) in points.iter().zip(weights.iter()) {
        let lever = across(&(x - center));
        missing -= *weight * across(x);
        gram += lever * lever.transpose();
    }
    // Levers from the middle of the points have the sum zero, so that the sum of the weights stays.
    let factors = solve_gram(&gram, &missing);
    for (x, weight) in points.iter().zip(weights) {
        *weight += across(&(x - center)).dot(&factors);
    }
}

/// G⁺ b of a symmetric G ≥ 0. A face that is seen from its edge has no lever in one direction.
fn solve_gram(gram: &Matrix2<f64>, b: &Vector2<f64>) -> Vector2<f64> {
    const LEAST: f64 = 1e-9;
    let (trace, det) = (gram.trace(), gram.determinant());
    // The smaller eigenvalue is det/λ_max, and λ_max lies between tr/2 and tr.
    if det > LEAST * trace * trace {
        return Vector2::new(gram.m22 * b.x - gram.m12 * b.y, gram.m11 * b.y - gram.m21 * b.x) / det;
    }
    if trace == 0.0 {
        return Vector2::zeros();
    }
    let eigen = gram.symmetric_eigen();
    let axis = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
    axis * (axis.dot(b) / eigen.eigenvalues.max())
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_weights_have_no_moment_and_the_sum_one() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [1.1, 1.0, 0.2], [0.0, 0.9, -0.1]].map(Vector3::from);
        let normal = Vector3::new(0.1, -0.2, 1.0).normalize();
        let place = Vector3::new(0.4, 0.35, 0.03);
        let mut weights = [0.3, 0.3, 0.2, 0.2];
        balance(&normal, &place, &points, &mut weights);
        let sum: f64 = weights.iter().sum();
        let center: Vector3<f64> = points.iter().zip(weights).map(|(x, w)| w * x).sum();
        assert!((sum - 1.0).abs() < 1e-15, "{sum}");
        assert!((center - place).cross(&normal).norm() < 1e-15, "{center}");
        // Balanced weights are not changed.
        let before = weights;
        balance(&normal, &place, &points, &mut weights);
        assert!(before.iter().zip(weights).all(|(a, b)| (a - b).abs() < 1e-15));
    }

    #[test]
    fn a_face_seen_from_its_edge_keeps_its_sum() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Vector3::from);
        let mut weights = [0.5, 0.5, 0.0, 0.0];
        balance(&Vector3::y(), &Vector3::new(0.7, -0.1, 0.4), &points, &mut weights);
        let sum: f64 = weights.iter().sum();
        assert!((sum - 1.0).abs() < 1e-12, "{weights:?}");
        let center: Vector3<f64> = points.iter().zip(weights).map(|(x, w)| w * x).sum();
        assert!((center.x - 0.7).abs() < 1e-12, "the direction with a lever is balanced: {center}");
    }
}
