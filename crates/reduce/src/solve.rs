//! Solutions with many right-hand sides that say how far they are.

use carom_progress::Progress;
use faer::{MatMut, MatRef};

use crate::boundary::Interior;

/// Right-hand sides between two reports: a multiple of those that pass through the factor together.
const CHUNK: usize = 128;

/// Solves K_ii X = B in place as [`Interior::solve_in_place`] does.
///
/// * `sums` — values of the sums of averaged sets, constraints × columns
/// * `name` — of the phase
///
/// Returns false if the user stopped it.
#[must_use]
pub(crate) fn solve_reporting(
    interior: &Interior,
    mut x: MatMut<'_, f64>,
    sums: MatRef<'_, f64>,
    name: &str,
    progress: &dyn Progress,
) -> bool {
    let n = x.ncols();
    progress.begin(name, n as u64);
    for first in (0..n).step_by(CHUNK) {
        if progress.interrupted() {
            return false;
        }
        let width = CHUNK.min(n - first);
        interior.solve_in_place(x.as_mut().subcols_mut(first, width), sums.subcols(first, width));
        progress.set((first + width) as u64);
    }
    progress.end();
    !progress.interrupted()
}
