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
use carom_linalg::tall::add_product;
use carom_linalg::{EigenError, IterationError, Proof, Wanted};
use carom_progress::Progress;
use faer::Mat;
use nalgebra::Matrix6;

use crate::boundary::Boundary;
use crate::further::InteriorFields;
use crate::rigid::rigid_modes;
use crate::solve::solve_reporting;
use crate::solver::Interior;

/// Static response of the interior to a unit of each boundary dof, the others at rest.
#[derive(Debug, Clone)]
pub struct ConstraintModes {
    /// C = [E; Ψ], 3n × n_b.
    pub modes: Mat<f64>,
    /// Stiffness condensed to the boundary, K_bb + K_bi Ψ, n_b × n_b \[N/m\].
    pub condensed: Mat<f64>,
    /// How far the solution missed the six rigid motions before they were restored, relative to the largest
    /// displacement of each: a measure of its rounding.
    pub rigid_error: f64,
}

/// Finds the constraint modes: the static answer of the interior to unit boundary dofs.
///
/// ```text
/// Ψ = −K_ii⁻¹ K_ib,                           interface points and rigid sets
/// K_ii u + Wᵀ λ = 0,   W u = E,               means of sets
/// ```
///
/// A long body held at a small interface is soft: rounding then shows as a turn of the whole body by some 1e-16 of the
/// condition number of K_ii. The six rigid motions R are known, so what Ψ misses of them is put back,
///
/// ```text
/// C ← C + (R − C z)(zᵀ D² z)⁻¹ zᵀ D²,   R about the middle of the interface, z its boundary dofs, D lengths
/// ```
///
/// and the reduced body is free to rounding, not to rounding times condition.
///
/// * `interior` — factor of the interior
/// * `points` — positions of all points \[m\]
/// * `is_used` — whether a point belongs to a cell
///
/// # Errors
///
/// [`IterationError`], also if the user stopped it.
pub fn constraint_modes(
    system: &SystemMatrices,
    interior: &Interior,
    boundary: &Boundary,
    points: &[[f64; 3]],
    is_used: &[bool],
    progress: &dyn Progress,
) -> Result<ConstraintModes, IterationError> {
    let mut modes = boundary.reactions(&system.stiffness);
    solve_reporting(interior, modes.as_mut(), boundary.sums().as_ref(), "constraint modes", progress)?;
    boundary.prescribe(modes.as_mut());
    let rigid_error = restore_rigid_motions(&mut modes, boundary, points, is_used);
    let condensed = boundary.forces(&system.stiffness, modes.as_ref());
    Ok(ConstraintModes { condensed: symmetrised(condensed.as_ref()), modes, rigid_error })
}

/// Adds to C what it misses of the rigid motions; returns the largest part that was missing, NaN if it is broken.
fn restore_rigid_motions(
    modes: &mut Mat<f64>,
    boundary: &Boundary,
    points: &[[f64; 3]],
    is_used: &[bool],
) -> f64 {
    let center = boundary.middle(points);
    let at_boundary = boundary.rigid_motions(points, center);
    if at_boundary.ncols() == 0 {
        return 0.0;
    }
    let mut rigid = rigid_modes(points, center);
    for dof in (0..rigid.nrows()).filter(|dof| !is_used[dof / 3]) {
        (0..6).for_each(|k| rigid[(dof, k)] = 0.0);
    }
    let mut missing = rigid.clone();
    add_product(missing.as_mut(), -1.0, modes.as_ref(), at_boundary.as_ref());
    let error = (0..6)
        .map(|k| missing.col(k).norm_max() / rigid.col(k).norm_max())
        .fold(0.0, |worst: f64, error| if error.is_nan() { f64::NAN } else { worst.max(error) });
    let lengths = boundary.lengths();
    let weighted = Mat::from_fn(lengths.len(), 6, |i, k| lengths[i] * at_boundary[(i, k)]);
    // Turns of a small interface are small displacements: unit columns keep the Gram matrix well conditioned.
    let scale: [f64; 6] = std::array::from_fn(|k| 1.0 / weighted.col(k).norm_l2());
    let gram = Matrix6::from_fn(|i, j| scale[i] * scale[j] * (weighted.col(i).transpose() * weighted.col(j)));
    let Some(inverse) = gram.try_inverse() else { return f64::NAN };
    let pick = Mat::from_fn(6, lengths.len(), |i, b| {
        (0..6).map(|j| scale[i] * inverse[(i, j)] * scale[j] * weighted[(b, j)] * lengths[b]).sum()
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
    /// How it is known that no mode is missing; `None` if there are none.
    pub proof: Option<Proof>,
    /// Number of interface dofs n_b.
    pub n_interface: usize,
}

impl Condensation {
    /// Joins the constraint modes and the normal modes, which are found here.
    ///
    /// * `interior` — the factor that made the constraint modes; its memory serves for the inertia count
    ///
    /// # Errors
    ///
    /// [`EigenError`] if the fixed-interface modes cannot be found.
    pub fn new(
        system: &SystemMatrices,
        interior: Interior,
        constraint: ConstraintModes,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<Self, EigenError> {
        if matches!(wanted, Wanted::Count(0)) {
            return Ok(Self::of_constraint_modes(constraint));
        }
        let pairs = interior.lowest_pairs(system, 0.0, wanted, progress)?;
        let mut condensation = Self::of_constraint_modes(constraint);
        condensation.append(&pairs.vectors, &pairs.lambda);
        Ok(Self { fixed_lambda: pairs.lambda, proof: Some(pairs.proof), ..condensation })
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
            proof: None,
            n_interface,
        }
    }

    /// Appends interior fields: mass-normalised, uncoupled, and without strain energy with what is there.
    fn append(&mut self, fields: &Mat<f64>, lambda: &[f64]) {
        let (n, m) = (self.basis.ncols(), lambda.len());
        let mut basis = Mat::zeros(self.basis.nrows(), n + m);
        basis.as_mut().subcols_mut(0, n).copy_from(&self.basis);
        basis.as_mut().subcols_mut(n, m).copy_from(fields);
        self.basis = basis;
        self.stiffness.resize_with(n + m, n + m, |i, j| if i == j { lambda[i - n] } else { 0.0 });
    }

    /// Appends further interior fields.
    pub(crate) fn add(&mut self, further: &InteriorFields) {
        self.append(&further.fields, &further.lambda);
        self.n_further += further.lambda.len();
    }
}
