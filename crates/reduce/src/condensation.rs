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
use carom_linalg::{EigenError, EigenPairs, IterationError, Proof, Wanted};
use carom_progress::Progress;
use faer::Mat;

use crate::boundary::Boundary;
use crate::correction::{MAX_REFINEMENTS, REFINED};
use crate::further::InteriorFields;
use crate::refinement::Refinement;
use crate::rigid_part::RigidPart;
use crate::solve::solve_reporting;
use crate::solver::Interior;

/// Number of mode columns for which memory is reserved next to the constraint modes; with more, the basis is
/// copied once.
const ROOM: usize = 128;

/// Static response of the interior to a unit of each boundary dof, the other boundary dofs fixed.
#[derive(Debug, Clone)]
pub struct ConstraintModes {
    /// C = [E; Ψ], 3n × n_b.
    pub modes: Mat<f64>,
    /// Stiffness condensed to the boundary, K_bb + K_bi Ψ, n_b × n_b \[N/m\].
    pub condensed: Mat<f64>,
    /// Error in the six rigid motions before they were restored, relative to the largest displacement of
    /// each: a measure of the rounding of the solution.
    pub rigid_error: f64,
}

/// Computes the constraint modes: the static response of the interior to unit boundary dofs.
///
/// ```text
/// Ψ = −K_ii⁻¹ K_ib,                           interface points and rigid sets
/// K_ii u + Wᵀ λ = 0,   W u = E,               means of sets
/// ```
///
/// A long body held at a small interface is soft: rounding then appears as a rotation of the whole body, of
/// about 1e-16 times the condition number of K_ii. If the known rigid motions R have an error above
/// `REFINED`, the solution is refined (`refinement`). The remaining error in R is then removed,
///
/// ```text
/// C ← C + (R − C z)(zᵀ D² z)⁻¹ zᵀ D²,   R about the middle of the interface, z its boundary dofs, D lengths
/// ```
///
/// so that the reduced body is free of strain in rigid motions up to rounding, independent of the condition
/// number.
///
/// * `interior` — factor of the interior
/// * `points` — positions of all points \[m\]
/// * `is_used` — true for points that belong to a cell
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
    let mut modes = boundary.reactions(&system.stiffness, ROOM);
    solve_reporting(interior, modes.as_mut(), boundary.sums().as_ref(), "constraint modes", progress)?;
    boundary.prescribe(modes.as_mut());
    let rigid_error = match RigidPart::new(boundary, points, is_used) {
        Some(rigid) => refined(&mut modes, &rigid, system, interior, boundary, progress)?,
        None => 0.0,
    };
    Ok(ConstraintModes::of(modes, system, boundary, rigid_error))
}

impl ConstraintModes {
    /// Constraint modes that are known: their error in the rigid motions is removed, without refinement.
    ///
    /// * `modes` — C
    pub(crate) fn given(
        mut modes: Mat<f64>,
        system: &SystemMatrices,
        boundary: &Boundary,
        points: &[[f64; 3]],
        is_used: &[bool],
    ) -> Self {
        let mut rigid_error = 0.0;
        if let Some(rigid) = RigidPart::new(boundary, points, is_used) {
            let missing = rigid.missing(&modes);
            rigid_error = rigid.error(&missing);
            if rigid.restore(&mut modes, &missing).is_none() {
                rigid_error = f64::NAN;
            }
        }
        Self::of(modes, system, boundary, rigid_error)
    }

    /// Constraint modes with the stiffness condensed to the boundary.
    fn of(modes: Mat<f64>, system: &SystemMatrices, boundary: &Boundary, rigid_error: f64) -> Self {
        let condensed = boundary.forces(&system.stiffness, modes.as_ref());
        Self { condensed: symmetrised(condensed.as_ref()), modes, rigid_error }
    }
}

/// Refines constraint modes until the error in the rigid motions is small or no longer decreases, and removes
/// the remaining error; returns the largest error before, NaN if the modes are not finite.
fn refined(
    modes: &mut Mat<f64>,
    rigid: &RigidPart,
    system: &SystemMatrices,
    interior: &Interior,
    boundary: &Boundary,
    progress: &dyn Progress,
) -> Result<f64, IterationError> {
    let mut missing = rigid.missing(modes);
    let mut error = rigid.error(&missing);
    if error > REFINED {
        let mut refinement = Refinement::new(system, interior, boundary, rigid, modes);
        let mut last_correction = f64::INFINITY;
        for _ in 0..MAX_REFINEMENTS {
            // Errors of the columns come from one factor and cancel in rigid motions: the size of the
            // corrections shows whether the errors decrease.
            let correction = refinement.refine(modes, progress)?;
            missing = refinement.missing(modes);
            error = rigid.error(&missing);
            if error.is_nan() || error <= REFINED || correction > 0.5 * last_correction {
                break;
            }
            last_correction = correction;
        }
        refinement.join(modes);
    }
    Ok(if rigid.restore(modes, &missing).is_some() { error } else { f64::NAN })
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
    /// The proof that no mode is missing; `None` without modes.
    pub proof: Option<Proof>,
    /// Number of interface dofs n_b.
    pub n_interface: usize,
}

impl Condensation {
    /// Computes the normal modes and appends them to the constraint modes.
    ///
    /// * `interior` — the factor of the interior; its memory is reused for the inertia count
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
        Ok(Self::of_pairs(constraint, interior.lowest_pairs(system, 0.0, wanted, progress)?))
    }

    /// Constraint modes and fixed-interface modes.
    pub(crate) fn of_pairs(constraint: ConstraintModes, pairs: EigenPairs) -> Self {
        let mut condensation = Self::of_constraint_modes(constraint);
        condensation.append(&pairs.vectors, &pairs.lambda);
        Self { fixed_lambda: pairs.lambda, proof: Some(pairs.proof), ..condensation }
    }

    /// Only constraint modes.
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

    /// Appends interior fields: mass-normalised, uncoupled, and orthogonal to the other columns in the strain
    /// energy.
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
