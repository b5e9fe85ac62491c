//! Solutions with many right-hand sides, solved in groups so that progress is reported between them.

use carom_linalg::IterationError;
use carom_progress::Progress;
use faer::{Mat, MatMut, MatRef};

use crate::solver::Interior;

/// Number of right-hand sides between two reports: a multiple of the number that passes through the factor
/// together.
pub(crate) const CHUNK: usize = 128;

/// The same for iteration, which needs more time: the number of columns that are solved together.
pub(crate) const GROUP: usize = 8;

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
/// * `name` — name of the phase
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
