//! Rigid motions in the boundary dofs of a reduction, and their reproduction by constraint modes.

use carom_linalg::tall::add_product;
use faer::Mat;
use nalgebra::Matrix6;

use crate::boundary::Boundary;
use crate::rigid::rigid_modes;

/// Largest error with which constraint modes may reproduce rigid motions before these are restored.
pub(crate) const RIGID_ERROR: f64 = 1e-3;

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

    /// The largest relative error in a rigid motion.
    pub(crate) fn error(&self, missing: &Mat<f64>) -> f64 {
        (0..6)
            .map(|k| missing.col(k).norm_max() / self.motions.col(k).norm_max())
            .fold(0.0, |worst: f64, error| if error.is_nan() { f64::NAN } else { worst.max(error) })
    }

    /// Removes the error of C in the rigid motions; `None` if these are dependent in the boundary dofs.
    pub(crate) fn restore(&self, modes: &mut Mat<f64>, missing: &Mat<f64>) -> Option<()> {
        let Self { at_boundary, lengths, .. } = self;
        let weighted = Mat::from_fn(lengths.len(), 6, |i, k| lengths[i] * at_boundary[(i, k)]);
        // Rotations of a small interface are small displacements: columns of unit length keep the Gram matrix
        // well conditioned.
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
