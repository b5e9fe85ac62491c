//! Interior fields in addition to fixed-interface modes: inertia relief, and free modes of the body (residual
//! attachment modes).
//!
//! A load f on the interface accelerates a free body rigidly, and the inertia forces −M R a of that
//! acceleration act on the interior too. With u = T_b u_b + u_i, u_i zero on the interface,
//!
//! ```text
//! K_ii u_i = −(M R)_i a,    X = K_ii⁻¹ (M R)_i
//! ```
//!
//! so that the static response of constraint modes and inertia-relief modes X is exact for every load on the
//! interface, balanced or not. With modes φ of the free body instead of fixed-interface modes, T = [T_b X φ −
//! T_b φ_b] spans rigid motions, φ and the residual flexibility of the interface, u − φ ω⁻² φᵀ f. This is the
//! basis of Rubin; the second eigenproblem reproduces φ from it.
//!
//! # Source
//!
//! Craig & Kurdila, Fundamentals of Structural Dynamics, ch. 17 (inertia-relief and residual attachment
//! modes); Rubin (1975), AIAA J. 13(8), 995–1006; MacNeal (1971), Comput. Struct. 1, 581–601.

use carom_fem::SystemMatrices;
use carom_linalg::dense::generalised_pairs;
use carom_linalg::tall::{add_product, gram, product};
use carom_linalg::{DenseEigenError, DofSet, EigenError, FactorError, IterationError, Proof, Wanted};
use carom_progress::Progress;
use faer::{Mat, MatRef};

use crate::solver::{Interior, Operator, SolverChoice, Space, bytes_beside};

/// A field counts as dependent if its remainder, orthogonal to the fields before it, has at most this
/// fraction of its strain amplitude.
///
/// The relative loss of compliance is the square of this number; eigenpairs are accurate to about 1e-8.
pub const DEPENDENT: f64 = 1e-6;

/// Interior fields, mass-normalised and uncoupled.
#[derive(Debug, Clone)]
pub(crate) struct InteriorFields {
    /// 3n × fields, zero on the interface.
    pub(crate) fields: Mat<f64>,
    /// λ of each with the interface held \[1/s²\].
    pub(crate) lambda: Vec<f64>,
    /// Number of fields that were left out as dependent.
    pub(crate) n_dropped: usize,
}

/// Errors of the free modes.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum FreeModesError {
    #[error(transparent)]
    Factor(#[from] FactorError),
    #[error(transparent)]
    Eigen(#[from] EigenError),
}

/// X = K_ii⁻¹ (M R)_i.
///
/// * `interior` — factor of the interior stiffness
/// * `rigid` — the rigid motions R at all points, 3n × r
///
/// # Errors
///
/// [`IterationError`].
pub(crate) fn inertia_relief(
    system: &SystemMatrices,
    interior: &Interior,
    sums: MatRef<'_, f64>,
    rigid: MatRef<'_, f64>,
    progress: &dyn Progress,
) -> Result<Mat<f64>, IterationError> {
    let mut fields = system.mass.product(rigid);
    interior.solve_refined(&system.stiffness, fields.as_mut(), sums, progress)?;
    Ok(fields)
}

/// The lowest elastic modes of the body without supports, 3n × modes.
///
/// * `used` — dofs of the body
/// * `n_rigid` — number of rigid modes, which are left out
/// * `shift` — of the order of the lowest elastic eigenvalue \[1/s²\]
/// * `points` — positions of all points \[m\]
pub(crate) fn free_modes(
    system: &SystemMatrices,
    used: DofSet,
    n_rigid: usize,
    shift: f64,
    wanted: Wanted,
    points: &[[f64; 3]],
    choice: &SolverChoice,
    progress: &dyn Progress,
) -> Result<(Vec<f64>, Mat<f64>, Proof), FreeModesError> {
    let shifted = (n_rigid > 0).then_some((&system.mass, shift));
    let shift = if n_rigid > 0 { shift } else { 0.0 };
    let wanted = match wanted {
        Wanted::Count(n) => Wanted::Count(n + n_rigid),
        up_to @ Wanted::UpTo(_) => up_to,
    };
    let operator = Operator { k: &system.stiffness, shifted_mass: shifted, points };
    let beside = bytes_beside(system.stiffness.n_dofs(), 0, wanted);
    let inverse = Interior::new(operator, Space::Free(used), choice, beside, progress)?;
    let pairs = inverse.lowest_pairs(system, shift, wanted, progress)?;
    let elastic = pairs.lambda.get(n_rigid..).unwrap_or_default().to_vec();
    let vectors = pairs.vectors.subcols(n_rigid.min(pairs.vectors.ncols()), elastic.len()).to_owned();
    Ok((elastic, vectors, pairs.proof))
}

/// φ − T_b φ_b: the part of fields that the constraint modes do not contain.
pub(crate) fn beyond_constraint_modes(
    fields: MatRef<'_, f64>,
    constraint_modes: MatRef<'_, f64>,
    at_interface: MatRef<'_, f64>,
    interface_dofs: &[usize],
) -> Mat<f64> {
    let mut rest = fields.to_owned();
    add_product(rest.as_mut(), -1.0, constraint_modes, at_interface);
    for &dof in interface_dofs {
        (0..rest.ncols()).for_each(|k| rest[(dof, k)] = 0.0);
    }
    rest
}

/// Makes interior fields independent of the fixed-interface modes and of each other, and uncouples them.
///
/// Gram-Schmidt orthogonalisation in the inner product of the strain energy, twice for each field; fields
/// that are dependent by [`DEPENDENT`] are left out. A small eigenproblem uncouples the others.
///
/// * `fields` — zero on the interface
/// * `fixed` — fixed-interface modes, with their λ
pub(crate) fn independent(
    system: &SystemMatrices,
    mut fields: Mat<f64>,
    fixed: MatRef<'_, f64>,
    fixed_lambda: &[f64],
) -> Result<InteriorFields, DenseEigenError> {
    let mut forces = system.stiffness.product(fields.as_ref());
    let before: Vec<f64> = (0..fields.ncols()).map(|k| norm(&forces, &fields, k)).collect();
    if fixed.ncols() > 0 {
        let scaled =
            Mat::from_fn(fixed.nrows(), fixed.ncols(), |i, k| fixed[(i, k)] / fixed_lambda[k].sqrt());
        let scaled_forces = system.stiffness.product(scaled.as_ref());
        for _ in 0..2 {
            let parts = gram(scaled_forces.as_ref(), fields.as_ref());
            add_product(fields.as_mut(), -1.0, scaled.as_ref(), parts.as_ref());
            add_product(forces.as_mut(), -1.0, scaled_forces.as_ref(), parts.as_ref());
        }
    }
    let n = fields.nrows();
    let mut kept: Vec<usize> = Vec::new();
    for k in 0..fields.ncols() {
        for _ in 0..2 {
            for &j in &kept {
                let part: f64 = forces.col(j).transpose() * fields.col(k);
                for i in 0..n {
                    let (x, f) = (part * fields[(i, j)], part * forces[(i, j)]);
                    fields[(i, k)] -= x;
                    forces[(i, k)] -= f;
                }
            }
        }
        let after = norm(&forces, &fields, k);
        if after > DEPENDENT * before[k] {
            for i in 0..n {
                fields[(i, k)] /= after;
                forces[(i, k)] /= after;
            }
            kept.push(k);
        }
    }
    let n_dropped = fields.ncols() - kept.len();
    let fields = Mat::from_fn(n, kept.len(), |i, k| fields[(i, kept[k])]);
    if kept.is_empty() {
        return Ok(InteriorFields { fields, lambda: Vec::new(), n_dropped });
    }
    let mass = gram(fields.as_ref(), system.mass.product(fields.as_ref()).as_ref());
    let pairs = generalised_pairs(Mat::identity(kept.len(), kept.len()).as_ref(), mass.as_ref())?;
    Ok(InteriorFields {
        fields: product(fields.as_ref(), pairs.vectors.as_ref()),
        lambda: pairs.lambda,
        n_dropped,
    })
}

/// The columns of two sets of fields side by side.
pub(crate) fn joined(fields: [Option<&Mat<f64>>; 2]) -> Mat<f64> {
    let n = fields.iter().flatten().map(|fields| fields.nrows()).max().unwrap_or(0);
    let columns: Vec<(&Mat<f64>, usize)> =
        fields.iter().flatten().flat_map(|fields| (0..fields.ncols()).map(move |k| (*fields, k))).collect();
    Mat::from_fn(n, columns.len(), |i, k| columns[k].0[(i, columns[k].1)])
}

/// Mean of the points of the body \[m\].
pub(crate) fn middle(points: &[[f64; 3]], is_used: &[bool]) -> [f64; 3] {
    let used = || points.iter().zip(is_used).filter(|(_, used)| **used).map(|(point, _)| point);
    let n = used().count().max(1) as f64;
    [0, 1, 2].map(|a| used().map(|point| point[a]).sum::<f64>() / n)
}

/// A shift far above rounding and not far above the lowest elastic eigenvalue \[1/s²\].
///
/// Rayleigh's quotient of a stretch along an axis is 12 E/(ρ L²) for a bar of length L; the shift of
/// [`crate::modes()`] is a tenth of E/(ρ L²).
pub(crate) fn shift(system: &SystemMatrices, points: &[[f64; 3]], is_used: &[bool]) -> f64 {
    let center = middle(points, is_used);
    let stretch = Mat::from_fn(3 * points.len(), 3, |dof, axis| {
        if dof % 3 == axis && is_used[dof / 3] { points[dof / 3][axis] - center[axis] } else { 0.0 }
    });
    let energy = gram(stretch.as_ref(), system.stiffness.product(stretch.as_ref()).as_ref());
    let inertia = gram(stretch.as_ref(), system.mass.product(stretch.as_ref()).as_ref());
    let lowest =
        (0..3).map(|k| energy[(k, k)] / inertia[(k, k)]).filter(|q| *q > 0.0).fold(f64::INFINITY, f64::min);
    lowest * 0.1 / 12.0
}

/// √(u K u) of a field.
fn norm(forces: &Mat<f64>, fields: &Mat<f64>, k: usize) -> f64 {
    let energy: f64 = forces.col(k).transpose() * fields.col(k);
    energy.max(0.0).sqrt()
}
