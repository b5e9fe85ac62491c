//! Iterative refinement of static answers.

use carom_linalg::IterationError;
use faer::{Mat, MatMut, MatRef};

/// Relative correction up to which a solution is not refined: measured in the strain energy, or for
/// constraint modes in rigid motions.
pub(crate) const REFINED: f64 = 1e-7;

/// Relative correction in the strain energy above which a solution is refused.
const UNSOLVED: f64 = 1e-3;

/// Largest number of refinement steps.
pub(crate) const MAX_REFINEMENTS: usize = 8;

/// The residual forces of a solution, and the correction that follows from them.
pub(crate) struct Correction {
    /// f − K u.
    pub(crate) residual: Mat<f64>,
    /// K⁻¹ (f − K u).
    pub(crate) change: Mat<f64>,
}

impl Correction {
    /// The largest of all columns, relative to the solution, in the norm of the strain energy |u|² = uᵀ K u.
    ///
    /// A norm of displacements would measure stiff deformations (torsion, stretch) by the rounding of soft
    /// motions, which need almost no force.
    pub(crate) fn size(&self, answer: MatRef<'_, f64>, forces: MatRef<'_, f64>) -> f64 {
        let energy = |f: MatRef<'_, f64>, u: MatRef<'_, f64>, k: usize| {
            let work: f64 = f.col(k).transpose() * u.col(k);
            work.abs().sqrt()
        };
        let of_column = |k: usize| {
            let size = energy(self.residual.as_ref(), self.change.as_ref(), k);
            if size > 0.0 || size.is_nan() { size / energy(forces, answer, k) } else { 0.0 }
        };
        (0..answer.ncols()).map(of_column).fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) })
    }
}

/// Iterative refinement: corrections are added until they are small or do not decrease.
///
/// * `x` — the solution for `forces`
/// * `correction` — computes the correction of a solution
///
/// # Errors
///
/// Those of `correction`; [`IterationError::Refinement`] if the last of them is too large.
///
/// # Source
///
/// Higham (2002), *Accuracy and Stability of Numerical Algorithms*, 2nd ed., chapter 12.
pub(crate) fn refine(
    mut x: MatMut<'_, f64>,
    forces: MatRef<'_, f64>,
    correction: impl Fn(MatRef<'_, f64>) -> Result<Correction, IterationError>,
) -> Result<(), IterationError> {
    let mut last = f64::INFINITY;
    for _ in 0..MAX_REFINEMENTS {
        let found = correction(x.as_ref())?;
        let size = found.size(x.as_ref(), forces);
        // NaN stops the refinement too.
        let gains = size <= 0.5 * last;
        if !gains {
            break;
        }
        x += &found.change;
        last = size;
        if size <= REFINED {
            return Ok(());
        }
    }
    if last <= UNSOLVED { Ok(()) } else { Err(IterationError::Refinement { correction: last }) }
}
