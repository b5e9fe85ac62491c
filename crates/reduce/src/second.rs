//! The second eigenproblem of a Craig-Bampton reduction, without the six rigid modes.
//!
//! ```text
//! K̂ z = ω² M̂ z   on   { z : z_Rᵀ M̂ z = 0 }
//! ```
//!
//! with z_R the rigid motions in reduced coordinates, known exactly: constraint modes reproduce them, T_b R_b
//! = R. On this subspace K̂ is positive definite, so that six tiny eigenvalues need not be recognised, and
//! C_t, C_r0 vanish up to rounding (Buckens frame, docs/theory/reduction.md, section 2.2).

use carom_linalg::DenseEigenError;
use carom_linalg::dense::{Reflections, fix_signs, generalised_pairs};
use carom_linalg::tall::{gram, product};
use faer::{Mat, MatRef};

/// Fraction of the largest K̂_ii/M̂_ii below which a stiffness is round-off.
const ROUNDING: f64 = 1e-12;

/// Elastic modes of the free reduced body.
#[derive(Debug, Clone)]
pub struct SecondModes {
    /// Circular frequencies, ascending \[rad/s\].
    pub omega: Vec<f64>,
    /// Z, reduced dofs × modes, with Zᵀ M̂ Z = E.
    pub combination: Mat<f64>,
}

/// Solves the second eigenproblem.
///
/// * `stiffness`, `mass` — K̂ and M̂
/// * `rigid` — z_R, reduced dofs × 6; no column for a body that is held
///
/// # Errors
///
/// [`DenseEigenError::NotPositiveDefinite`] if K̂ has further motions without strain.
pub fn second_modes(
    stiffness: MatRef<'_, f64>,
    mass: MatRef<'_, f64>,
    rigid: MatRef<'_, f64>,
) -> Result<SecondModes, DenseEigenError> {
    let n = stiffness.nrows();
    if rigid.ncols() == 0 {
        let pairs = generalised_pairs(stiffness, mass)?;
        let mut combination = pairs.vectors;
        fix_signs(combination.as_mut());
        return Ok(SecondModes {
            omega: pairs.lambda.iter().map(|lambda| lambda.sqrt()).collect(),
            combination,
        });
    }
    // Coordinates are scaled first, z = D y, with the subspace orthogonal to D M̂ z_R. The dofs of a single
    // marker that holds a free body have no stiffness except round-off: their scale follows from their mass.
    let fastest = (0..n).map(|i| stiffness[(i, i)] / mass[(i, i)]).fold(0.0, f64::max);
    let of_mass = if fastest > 0.0 { ROUNDING * fastest } else { 1.0 };
    let size = |i: usize| stiffness[(i, i)].abs() + of_mass * mass[(i, i)];
    let scale: Vec<f64> = (0..n).map(|i| 1.0 / size(i).sqrt()).collect();
    let scaled = |a: MatRef<'_, f64>| Mat::from_fn(n, n, |i, j| scale[i] * a[(i, j)] * scale[j]);
    let mass_rigid = product(mass, rigid);
    let normal = Mat::from_fn(n, rigid.ncols(), |i, k| scale[i] * mass_rigid[(i, k)]);
    let normal = Mat::from_fn(n, rigid.ncols(), |i, k| normal[(i, k)] / normal.col(k).norm_l2());
    let complement = Reflections::new(normal.as_ref()).complement();
    let complement = complement.as_ref();
    let projected = |a: MatRef<'_, f64>| gram(complement, product(scaled(a).as_ref(), complement).as_ref());
    let pairs = generalised_pairs(projected(stiffness).as_ref(), projected(mass).as_ref())?;
    let mut combination = product(complement, pairs.vectors.as_ref());
    for k in 0..combination.ncols() {
        for i in 0..n {
            combination[(i, k)] *= scale[i];
        }
    }
    fix_signs(combination.as_mut());
    Ok(SecondModes { omega: pairs.lambda.iter().map(|lambda| lambda.sqrt()).collect(), combination })
}
