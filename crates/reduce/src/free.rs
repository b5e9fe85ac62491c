//! The free vibrations of a reduced body, whatever its frame.
//!
//! In the Buckens frame these are the modes themselves. In another frame motions of the modes carry momentum; what vibrates is
//! what is left once the frame follows,
//!
//! ```text
//! M_eff = M̄_e − [C_t C_r0] M_R⁻¹ [C_t C_r0]ᵀ,   K̄_e u = ω² M_eff u,   Uᵀ M_eff U = E
//! ```
//!
//! with M_R the 6 × 6 mass matrix of the rigid body.

use carom_linalg::DenseEigenError;
use carom_linalg::dense::{fix_signs, generalised_pairs, symmetrised};
use faer::Mat;
use nalgebra::{Matrix3, Matrix6, SMatrix, Vector3};

use crate::reduced::Invariants;

/// Departure from the Buckens frame with diagonal stiffness that counts as rounding.
const ROUNDING: f64 = 1e-10;

/// Free vibrations of the first modes of a reduced body.
#[derive(Debug, Clone)]
pub struct FreeVibrations {
    /// Circular frequencies, ascending \[rad/s\].
    pub omega: Vec<f64>,
    /// M_eff U, n × n: coordinates of the free modes are (M_eff U)ᵀ q. None if they are the modes themselves.
    pub dual: Option<Mat<f64>>,
}

/// Mass of the modes when no net momentum comes with them, M_eff over the first n.
///
/// None if the rigid body has no positive definite mass matrix.
pub fn effective_mass(invariants: &Invariants, n: usize) -> Option<Mat<f64>> {
    let mut rigid = Matrix6::zeros();
    let moment = Vector3::from(invariants.first_moment).cross_matrix();
    rigid.fixed_view_mut::<3, 3>(0, 0).copy_from(&(invariants.mass * Matrix3::identity()));
    rigid.fixed_view_mut::<3, 3>(3, 0).copy_from(&moment);
    rigid.fixed_view_mut::<3, 3>(0, 3).copy_from(&moment.transpose());
    let inertia = Matrix3::from_fn(|a, b| 0.5 * (invariants.inertia[a][b] + invariants.inertia[b][a]));
    rigid.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
    let factor = rigid.cholesky()?;
    let columns: Vec<SMatrix<f64, 6, 1>> = (0..n)
        .map(|k| {
            let mut column = SMatrix::<f64, 6, 1>::from_fn(|i, _| match i {
                0..3 => invariants.coupling_t[(i, k)],
                _ => invariants.coupling_r0[(i - 3, k)],
            });
            factor.l().solve_lower_triangular_mut(&mut column);
            column
        })
        .collect();
    let mass = Mat::from_fn(n, n, |i, j| invariants.mass_modal[(i, j)] - columns[i].dot(&columns[j]));
    Some(symmetrised(mass.as_ref()))
}

/// Free vibrations of the first n modes.
///
/// # Errors
///
/// [`DenseEigenError`] if stiffness or effective mass are not positive definite: the modes hold rigid motion.
pub fn free_vibrations(invariants: &Invariants, n: usize) -> Result<FreeVibrations, DenseEigenError> {
    let mass = effective_mass(invariants, n).ok_or(DenseEigenError::NotPositiveDefinite { row: 0, n: 6 })?;
    let stiffness = symmetrised(invariants.stiffness_modal.submatrix(0, 0, n, n));
    let is_plain = (0..n).all(|i| {
        (0..n).all(|j| {
            let unit = if i == j { 1.0 } else { 0.0 };
            let scale = (stiffness[(i, i)] * stiffness[(j, j)]).abs().sqrt();
            (mass[(i, j)] - unit).abs() <= ROUNDING && (i == j || stiffness[(i, j)].abs() <= ROUNDING * scale)
        })
    });
    if is_plain {
        let omega = (0..n).map(|k| stiffness[(k, k)].max(0.0).sqrt()).collect();
        return Ok(FreeVibrations { omega, dual: None });
    }
    let mut pairs = generalised_pairs(stiffness.as_ref(), mass.as_ref())?;
    fix_signs(pairs.vectors.as_mut());
    let omega = pairs.lambda.iter().map(|lambda| lambda.sqrt()).collect();
    Ok(FreeVibrations { omega, dual: Some(&mass * &pairs.vectors) })
}
