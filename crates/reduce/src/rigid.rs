//! Rigid motions of a body as fields over its points, and what holds them.

use carom_linalg::tall::add_product;
use faer::Mat;
use nalgebra::{Matrix6, SymmetricEigen, Vector3};

use crate::boundary::Boundary;

/// The six rigid motions about a centre, 3n × 6: translations along x, y, z, then turns e_k × (X − c).
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

/// How well points hold a body: the smallest eigenvalue of the rigid motions' Gram matrix over them, of its
/// largest.
///
/// Turns are scaled by the extent of the points. Zero for fewer than three points, or for points on a line.
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

/// The rigid motions of a body over its points, and in its boundary dofs.
pub(crate) struct RigidPart {
    /// R, 3n × 6, zero at points without cells.
    pub(crate) motions: Mat<f64>,
    /// z.
    pub(crate) at_boundary: Mat<f64>,
    /// D.
    lengths: Vec<f64>,
}

impl RigidPart {
    /// About the middle of the interface; `None` for a body that is held.
    pub(crate) fn new(boundary: &Boundary, points: &[[f64; 3]], is_used: &[bool]) -> Option<Self> {
        let center = boundary.middle(points);
        let at_boundary = boundary.rigid_motions(points, center);
        if at_boundary.ncols() == 0 {
            return None;
        }
        let mut motions = rigid_modes(points, center);
        for dof in (0..motions.nrows()).filter(|dof| !is_used[dof / 3]) {
            (0..6).for_each(|k| motions[(dof, k)] = 0.0);
        }
        Some(Self { motions, at_boundary, lengths: boundary.lengths() })
    }

    /// R − C z.
    pub(crate) fn missing(&self, modes: &Mat<f64>) -> Mat<f64> {
        let mut missing = self.motions.clone();
        add_product(missing.as_mut(), -1.0, modes.as_ref(), self.at_boundary.as_ref());
        missing
    }

    /// The largest part of a rigid motion that is missing.
    pub(crate) fn error(&self, missing: &Mat<f64>) -> f64 {
        (0..6)
            .map(|k| missing.col(k).norm_max() / self.motions.col(k).norm_max())
            .fold(0.0, |worst: f64, error| if error.is_nan() { f64::NAN } else { worst.max(error) })
    }

    /// Adds to C what it misses of the rigid motions; `None` if boundary dofs do not tell these apart.
    pub(crate) fn restore(&self, modes: &mut Mat<f64>, missing: &Mat<f64>) -> Option<()> {
        let Self { at_boundary, lengths, .. } = self;
        let weighted = Mat::from_fn(lengths.len(), 6, |i, k| lengths[i] * at_boundary[(i, k)]);
        // Turns of a small interface are small displacements: unit columns keep the Gram matrix well
        // conditioned.
        let scale: [f64; 6] = std::array::from_fn(|k| 1.0 / weighted.col(k).norm_l2());
        let gram =
            Matrix6::from_fn(|i, j| scale[i] * scale[j] * (weighted.col(i).transpose() * weighted.col(j)));
        let inverse = gram.try_inverse()?;
        let pick = Mat::from_fn(6, lengths.len(), |i, b| {
            (0..6).map(|j| scale[i] * inverse[(i, j)] * scale[j] * weighted[(b, j)] * lengths[b]).sum()
        });
        add_product(modes.as_mut(), 1.0, missing.as_ref(), pick.as_ref());
        Some(())
    }
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
    fn turns_are_cross_products() {
        let fields = rigid_modes(&[[1.0, 2.0, 4.0]], [0.0, 0.0, 1.0]);
        // e_z × (1, 2, 3) = (−2, 1, 0)
        assert_eq!([fields[(0, 5)], fields[(1, 5)], fields[(2, 5)]], [-2.0, 1.0, 0.0]);
        assert_eq!([fields[(0, 1)], fields[(1, 1)], fields[(2, 1)]], [0.0, 1.0, 0.0]);
    }
}
