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
use carom_linalg::dense::symmetrised;
use carom_linalg::{Cholesky, DofSet, EigenError, Wanted, lowest_pairs};
use carom_progress::Progress;
use faer::Mat;

/// Static response of the interior to a unit displacement of each interface dof, the others fixed.
///
/// * `factor` — Cholesky factor of K restricted to the interior
/// * `interface_dofs` — the interface dofs b
///
/// Returns [E; Ψ], 3n × n_b, and the stiffness condensed to the interface K_bb + K_bi Ψ, n_b × n_b.
pub fn constraint_modes(
    system: &SystemMatrices,
    factor: &Cholesky,
    interface_dofs: &[usize],
) -> (Mat<f64>, Mat<f64>) {
    let mut modes = system.stiffness.columns(interface_dofs);
    factor.solve_in_place(modes.as_mut());
    modes *= faer::Scale(-1.0);
    for (k, &dof) in interface_dofs.iter().enumerate() {
        modes[(dof, k)] = 1.0;
    }
    let condensed = system.stiffness.rows_product(interface_dofs, modes.as_ref());
    (modes, symmetrised(condensed.as_ref()))
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
        constraint: (Mat<f64>, Mat<f64>),
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<Self, EigenError> {
        let (modes, condensed) = constraint;
        let (pairs, _) = lowest_pairs(&system.stiffness, &system.mass, factor, 0.0, wanted, progress)?;
        let (n_interface, n_fixed) = (condensed.nrows(), pairs.lambda.len());
        let mut basis = modes;
        basis.resize_with(basis.nrows(), n_interface + n_fixed, |i, j| pairs.vectors[(i, j - n_interface)]);
        let mut stiffness = Mat::zeros(n_interface + n_fixed, n_interface + n_fixed);
        stiffness.submatrix_mut(0, 0, n_interface, n_interface).copy_from(condensed);
        for (k, &lambda) in pairs.lambda.iter().enumerate() {
            stiffness[(n_interface + k, n_interface + k)] = lambda;
        }
        Ok(Self { basis, stiffness, fixed_lambda: pairs.lambda, n_interface })
    }
}

/// The interior: all dofs of used points that are not interface points.
pub fn interior(used: &DofSet, interface_points: &[u32]) -> DofSet {
    used.clone().without_nodes(interface_points)
}
