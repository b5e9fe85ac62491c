//! Craig-Bampton condensation: constraint modes and fixed-interface normal modes.
//!
//! ```text
//! Ψ = −K_ii⁻¹ K_ib,   K_ii φ = ω² M_ii φ,   T = [E 0; Ψ Φ_i]
//! K̂ = diag(K_bb + K_bi Ψ, ω²)
//! ```
//!
//! # Source
//!
//! Craig & Bampton (1968), AIAA J. 6(7), 1313–1319.

use carom_fem::SystemMatrices;
use carom_linalg::dense::{add_product, symmetrised};
use carom_linalg::{Cholesky, DofSet, EigenError, Wanted, lowest_pairs};
use carom_progress::Progress;
use faer::Mat;
use nalgebra::Matrix6;

use crate::further::InteriorFields;
use crate::rigid::rigid_modes;
use crate::solve::solve_reporting;

/// Static response of the interior to a unit displacement of each interface dof, the others fixed.
#[derive(Debug, Clone)]
pub struct ConstraintModes {
    /// [E; Ψ], 3n × n_b.
    pub modes: Mat<f64>,
    /// Stiffness condensed to the interface, K_bb + K_bi Ψ, n_b × n_b \[N/m\].
    pub condensed: Mat<f64>,
    /// How far the solution missed the six rigid motions before they were restored, relative to the largest
    /// displacement of each: a measure of its rounding.
    pub rigid_error: f64,
}

/// Finds the constraint modes Ψ = −K_ii⁻¹ K_ib.
///
/// A long body held at a small interface is soft: rounding then shows as a turn of the whole body by some 1e-16 of the
/// condition number of K_ii. The six rigid motions R are known, so what Ψ misses of them is put back,
///
/// ```text
/// Ψ ← Ψ + (R_i − Ψ R_b)(R_bᵀ R_b)⁻¹ R_bᵀ,   R about the middle of the interface
/// ```
///
/// and the reduced body is free to rounding, not to rounding times condition.
///
/// * `factor` — Cholesky factor of K restricted to the interior
/// * `interface_dofs` — the interface dofs b
/// * `points` — positions of all points \[m\]
/// * `is_used` — whether a point belongs to a cell
///
/// `None` if the user stopped it.
pub fn constraint_modes(
    system: &SystemMatrices,
    factor: &Cholesky,
    interface_dofs: &[usize],
    points: &[[f64; 3]],
    is_used: &[bool],
    progress: &dyn Progress,
) -> Option<ConstraintModes> {
    let mut modes = system.stiffness.columns(interface_dofs);
    if !solve_reporting(factor, modes.as_mut(), "constraint modes", progress) {
        return None;
    }
    modes *= faer::Scale(-1.0);
    for (k, &dof) in interface_dofs.iter().enumerate() {
        modes[(dof, k)] = 1.0;
    }
    let rigid_error = restore_rigid_motions(&mut modes, interface_dofs, points, is_used);
    let condensed = system.stiffness.rows_product(interface_dofs, modes.as_ref());
    Some(ConstraintModes { condensed: symmetrised(condensed.as_ref()), modes, rigid_error })
}

/// Adds to [E; Ψ] what it misses of the rigid motions; returns the largest part that was missing, NaN if it is broken.
fn restore_rigid_motions(
    modes: &mut Mat<f64>,
    interface_dofs: &[usize],
    points: &[[f64; 3]],
    is_used: &[bool],
) -> f64 {
    let n = interface_dofs.len() as f64;
    let center =
        std::array::from_fn(|a| interface_dofs.iter().map(|dof| points[dof / 3][a]).sum::<f64>() / n);
    let mut rigid = rigid_modes(points, center);
    for dof in (0..rigid.nrows()).filter(|dof| !is_used[dof / 3]) {
        (0..6).for_each(|k| rigid[(dof, k)] = 0.0);
    }
    let at_interface = Mat::from_fn(interface_dofs.len(), 6, |i, k| rigid[(interface_dofs[i], k)]);
    let mut missing = rigid.clone();
    add_product(missing.as_mut(), -1.0, modes.as_ref(), at_interface.as_ref());
    let error = (0..6)
        .map(|k| missing.col(k).norm_max() / rigid.col(k).norm_max())
        .fold(0.0, |worst: f64, error| if error.is_nan() { f64::NAN } else { worst.max(error) });
    // Turns of a small interface are small displacements: unit columns keep the Gram matrix well conditioned.
    let scale: [f64; 6] = std::array::from_fn(|k| 1.0 / at_interface.col(k).norm_l2());
    let gram = Matrix6::from_fn(|i, j| {
        scale[i] * scale[j] * (at_interface.col(i).transpose() * at_interface.col(j))
    });
    let Some(inverse) = gram.try_inverse() else { return f64::NAN };
    let pick = Mat::from_fn(6, interface_dofs.len(), |i, b| {
        (0..6).map(|j| scale[i] * inverse[(i, j)] * scale[j] * at_interface[(b, j)]).sum()
    });
    add_product(modes.as_mut(), 1.0, missing.as_ref(), pick.as_ref());
    error
}

/// The basis T of a condensation with its stiffness.
#[derive(Debug, Clone)]
pub struct Condensation {
    /// T, 3n × (n_b + n_k): constraint modes, then fixed-interface normal modes.
    pub basis: Mat<f64>,
    /// K̂, block diagonal (n_b + n_k) \[N/m, then 1/s²\].
    pub stiffness: Mat<f64>,
    /// ω² of the fixed-interface normal modes, ascending \[1/s²\].
    pub fixed_lambda: Vec<f64>,
    /// Number of interior fields that follow them in T.
    pub n_further: usize,
    /// ω² of the modes of the free body that T spans, ascending \[1/s²\]; none with fixed-interface modes.
    pub free_lambda: Vec<f64>,
    /// Number of interface dofs n_b.
    pub n_interface: usize,
}

impl Condensation {
    /// Joins the constraint modes and the normal modes, which are found here.
    ///
    /// * `factor` — the factor that made the constraint modes; its memory serves for the inertia count
    ///
    /// # Errors
    ///
    /// [`EigenError`] if the fixed-interface modes cannot be found.
    pub fn new(
        system: &SystemMatrices,
        factor: Cholesky,
        constraint: ConstraintModes,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<Self, EigenError> {
        if matches!(wanted, Wanted::Count(0)) {
            return Ok(Self::of_constraint_modes(constraint));
        }
        let (pairs, _) = lowest_pairs(&system.stiffness, &system.mass, factor, 0.0, wanted, progress)?;
        let mut condensation = Self::of_constraint_modes(constraint);
        condensation.append(&pairs.vectors, &pairs.lambda);
        Ok(Self { fixed_lambda: pairs.lambda, ..condensation })
    }

    /// Constraint modes alone.
    pub(crate) fn of_constraint_modes(constraint: ConstraintModes) -> Self {
        let ConstraintModes { modes, condensed, .. } = constraint;
        let n_interface = condensed.nrows();
        Self {
            basis: modes,
            stiffness: condensed,
            fixed_lambda: Vec::new(),
            n_further: 0,
            free_lambda: Vec::new(),
            n_interface,
        }
    }

    /// Appends interior fields: mass-normalised, uncoupled, and without strain energy with what is there.
    fn append(&mut self, fields: &Mat<f64>, lambda: &[f64]) {
        let (n, m) = (self.basis.ncols(), lambda.len());
        self.basis.resize_with(self.basis.nrows(), n + m, |i, j| fields[(i, j - n)]);
        self.stiffness.resize_with(n + m, n + m, |i, j| if i == j { lambda[i - n] } else { 0.0 });
    }

    /// Appends further interior fields.
    pub(crate) fn add(&mut self, further: &InteriorFields) {
        self.append(&further.fields, &further.lambda);
        self.n_further += further.lambda.len();
    }
}

/// The interior: all dofs of used points that are not interface points.
pub fn interior(used: &DofSet, interface_points: &[u32]) -> DofSet {
    used.clone().without_nodes(interface_points)
}
