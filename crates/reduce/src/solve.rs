//! Solutions with many right-hand sides that say how far they are, and the refinement of static answers.

use carom_linalg::IterationError;
use carom_progress::Progress;
use faer::{Mat, MatMut, MatRef};

use crate::solver::Interior;

/// Right-hand sides between two reports: a multiple of those that pass through the factor together.
pub(crate) const CHUNK: usize = 128;

/// The same for a solution by iteration, which takes longer: columns that are solved for side by side.
pub(crate) const GROUP: usize = 8;

/// Correction up to which nothing is refined: of an answer in the norm of the strain energy, of constraint
/// modes in rigid motions.
pub(crate) const REFINED: f64 = 1e-7;

/// Correction of an answer in that norm with which it is refused.
const UNSOLVED: f64 = 1e-3;

/// Most turns of refinement.
pub(crate) const MAX_REFINEMENTS: usize = 8;

/// The residual forces of an answer, and the correction that follows from them.
pub(crate) struct Correction {
    /// f − K u.
    pub(crate) residual: Mat<f64>,
    /// K⁻¹ (f − K u).
    pub(crate) change: Mat<f64>,
}

impl Correction {
    /// The largest of all columns, relative to the answer, in the norm of the strain energy |u|² = uᵀ K u.
    ///
    /// In displacements a stiff answer (a twist, a stretch) would be measured by the rounding of the soft
    /// motions beside it, which no force is needed for.
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

/// Iterative refinement: corrections are added until they are small or fall no more.
///
/// * `x` — the answer to `forces`
/// * `correction` — of an answer
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
        // A NaN gains nothing either.
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

/// Solves K X = B in place on free dofs, without averaged sets.
///
/// # Errors
///
/// [`IterationError`]; never with a factor.
pub(crate) fn solve_free(
    inverse: &Interior,
    x: MatMut<'_, f64>,
    progress: &dyn Progress,
) -> Result<(), IterationError> {
    let no_sums = Mat::zeros(0, x.ncols());
    inverse.solve_in_place(x, no_sums.as_ref(), progress)
}

/// Solves K_ii X = B in place as [`Interior::solve_in_place`] does.
///
/// * `sums` — values of the sums of averaged sets, constraints × columns
/// * `name` — of the phase
///
/// # Errors
///
/// [`IterationError`], also if the user stopped it.
pub(crate) fn solve_reporting(
    interior: &Interior,
    mut x: MatMut<'_, f64>,
    sums: MatRef<'_, f64>,
    name: &str,
    progress: &dyn Progress,
) -> Result<(), IterationError> {
    let n = x.ncols();
    progress.begin(name, n as u64);
    let chunk = if interior.is_iterative() { GROUP } else { CHUNK };
    for first in (0..n).step_by(chunk) {
        if progress.interrupted() {
            return Err(IterationError::Interrupted);
        }
        let width = chunk.min(n - first);
        interior.solve_in_place(
            x.as_mut().subcols_mut(first, width),
            sums.subcols(first, width),
            progress,
        )?;
        progress.set((first + width) as u64);
    }
    progress.end();
    if progress.interrupted() { Err(IterationError::Interrupted) } else { Ok(()) }
}
