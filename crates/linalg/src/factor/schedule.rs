//! The order of work: subtrees in parallel with each other, then the panels above them, parallel inside.
//!
//! Which is which is up to [`Symbolic`](crate::Symbolic), and thus to the matrix alone: results are the same
//! bits for any number of threads.

use std::sync::atomic::{AtomicU64, Ordering};

use carom_progress::Progress;
use rayon::prelude::*;

use super::panel::factorise_panel;
use super::pivots::Pivots;
use super::workspace::Workspace;
use super::{FactorError, Matrix, PanelValues};
use crate::number::Number;
use crate::symbolic::Supernode;

/// Factorises all panels.
pub(crate) fn factorise<T: Number>(
    matrix: &Matrix<'_>,
    panels: &mut [PanelValues],
    progress: &dyn Progress,
) -> Result<Pivots, FactorError> {
    let symbolic = matrix.symbolic;
    let done = Done { flops: AtomicU64::new(0), total: symbolic.flops(), progress };
    progress.begin(if matrix.indefinite { "inertia count" } else { "factorisation" }, 100);
    let outcome = factorise_tasks::<T>(matrix, panels, &done).and_then(|below| {
        let mut pivots = below;
        let mut workspace = Workspace::<T>::new(symbolic);
        for &s in &symbolic.top {
            for i_panel in symbolic.supernodes[s].panels.clone() {
                let (earlier, rest) = panels.split_at_mut(i_panel);
                let found = factorise_panel(matrix, i_panel, 0, earlier, &mut rest[0], &mut workspace, true)?;
                pivots = pivots.and(found);
            }
            done.add(&symbolic.supernodes[s])?;
        }
        Ok(pivots)
    });
    progress.end();
    outcome
}

/// Progress by operations.
struct Done<'a> {
    flops: AtomicU64,
    total: f64,
    progress: &'a dyn Progress,
}

impl Done<'_> {
    fn add(&self, supernode: &Supernode) -> Result<(), FactorError> {
        let height = supernode.height() as f64;
        let rest = height - supernode.width() as f64;
        let flops = ((height.powi(3) - rest.powi(3)) / 3.0) as u64;
        let all = flops + self.flops.fetch_add(flops, Ordering::Relaxed);
        self.progress.set((100.0 * all as f64 / self.total.max(1.0)).min(100.0) as u64);
        if self.progress.interrupted() { Err(FactorError::Interrupted) } else { Ok(()) }
    }
}

/// Factorises the subtrees, in parallel.
fn factorise_tasks<T: Number>(
    matrix: &Matrix<'_>,
    panels: &mut [PanelValues],
    done: &Done<'_>,
) -> Result<Pivots, FactorError> {
    let symbolic = matrix.symbolic;
    let mut parts = Vec::with_capacity(symbolic.tasks.len());
    let (mut rest, mut offset) = (panels, 0);
    for task in &symbolic.tasks {
        let first = symbolic.supernodes[task.start].panels.start;
        let end = symbolic.supernodes[task.end - 1].panels.end;
        let (_, from_first) = rest.split_at_mut(first - offset);
        let (part, after) = from_first.split_at_mut(end - first);
        parts.push((task.clone(), first, part));
        (rest, offset) = (after, end);
    }
    let outcomes: Vec<Result<Pivots, FactorError>> = parts
        .into_par_iter()
        .map_init(
            || Workspace::<T>::new(symbolic),
            |workspace, (task, first, part)| {
                let mut pivots = Pivots::NONE;
                for s in task {
                    for i_panel in symbolic.supernodes[s].panels.clone() {
                        let (earlier, rest) = part.split_at_mut(i_panel - first);
                        let found =
                            factorise_panel(matrix, i_panel, first, earlier, &mut rest[0], workspace, false)?;
                        pivots = pivots.and(found);
                    }
                    done.add(&symbolic.supernodes[s])?;
                }
                Ok(pivots)
            },
        )
        .collect();
    // The first task that failed, in elimination order, whichever was found first.
    outcomes.into_iter().try_fold(Pivots::NONE, |all, outcome| Ok(all.and(outcome?)))
}
