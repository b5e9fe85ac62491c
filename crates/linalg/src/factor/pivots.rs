//! The diagonal block of a panel: its factor, the signs of its pivots, and how small they became.

use faer::dyn_stack::MemStack;
use faer::linalg::cholesky::{ldlt, llt};
use faer::{MatMut, MatRef, Par};

use super::workspace::Workspace;
use super::{FactorError, Matrix};
use crate::number::Number;
use crate::symbolic::{Panel, Symbolic};

/// Smallest pivot, relative to its diagonal entry, that a positive definite matrix may have.
///
/// Rounding makes pivots of a singular matrix some 1e-16 to 1e-14 of the diagonal, of either sign.
pub(crate) const SMALLEST_PIVOT: f64 = 1e-13;

/// Outcome of some panels.
#[derive(Clone, Copy)]
pub(crate) struct Pivots {
    /// Smallest |pivot| over diagonal entry.
    pub(crate) smallest_pivot: f64,
}

impl Pivots {
    pub(super) const NONE: Self = Self { smallest_pivot: f64::INFINITY };

    pub(super) fn and(self, other: Self) -> Self {
        Self { smallest_pivot: self.smallest_pivot.min(other.smallest_pivot) }
    }
}

/// Factorises the diagonal block of a panel in place: A = W Wᵀ, or W S Wᵀ if the matrix may be indefinite.
/// Only lower triangles count.
pub(super) fn factorise_diagonal<T: Number>(
    matrix: &Matrix<'_>,
    panel: &Panel,
    mut top: MatMut<'_, T>,
    signs: &mut Vec<f64>,
    workspace: &mut Workspace<T>,
) -> Result<Pivots, FactorError> {
    let n = top.ncols();
    if matrix.indefinite {
        workspace.backup.clear();
        workspace.backup.extend((0..n).flat_map(|j| (0..n).map(move |i| (i, j))).map(|(i, j)| top[(i, j)]));
    }
    let stack = MemStack::new(&mut workspace.pivots);
    let outcome =
        llt::factor::cholesky_in_place(top.as_mut(), Default::default(), Par::Seq, stack, Default::default());
    let mut pivots = Pivots::NONE;
    let diagonal = &workspace.diagonal;
    match outcome {
        Ok(_) => {
            for j in 0..n {
                let pivot = top[(j, j)].double().powi(2) / diagonal[j].abs();
                if !matrix.indefinite && (pivot.is_nan() || pivot < SMALLEST_PIVOT) {
                    return Err(not_positive_definite(matrix.symbolic, panel, j, pivot));
                }
                pivots = pivots.and(Pivots { smallest_pivot: if pivot.is_nan() { 0.0 } else { pivot } });
            }
        }
        Err(llt::factor::LltError::NonPositivePivot { index }) if !matrix.indefinite => {
            // faer leaves the failed pivot where it was found.
            return Err(not_positive_definite(
                matrix.symbolic,
                panel,
                index,
                top[(index, index)].double() / diagonal[index],
            ));
        }
        Err(_) => {
            top.copy_from(MatRef::from_column_major_slice(&workspace.backup, n, n));
            let stack = MemStack::new(&mut workspace.pivots);
            let params = Default::default();
            if ldlt::factor::cholesky_in_place(top.as_mut(), Default::default(), Par::Seq, stack, params)
                .is_err()
            {
                return Ok(Pivots { smallest_pivot: 0.0 });
            }
            signs.extend((0..n).map(|j| top[(j, j)].double().signum()));
            for j in 0..n {
                let pivot = top[(j, j)].double();
                let relative = (pivot / diagonal[j]).abs();
                pivots =
                    pivots.and(Pivots { smallest_pivot: if relative.is_nan() { 0.0 } else { relative } });
                let root = T::of(pivot.abs().sqrt());
                top[(j, j)] = root;
                for i in j + 1..n {
                    top[(i, j)] *= root;
                }
            }
        }
    }
    Ok(pivots)
}

/// The error of a failed pivot in column j of a panel.
fn not_positive_definite(symbolic: &Symbolic, panel: &Panel, j: usize, pivot: f64) -> FactorError {
    let supernode = &symbolic.supernodes[panel.supernode];
    let row = supernode.row_of[panel.nodes.start] as usize + j;
    let k = supernode.row_of.partition_point(|&start| start as usize <= row) - 1;
    let node = symbolic.order[supernode.list[k] as usize] as usize;
    let mut components = (0..3).filter(|&i| symbolic.free.of_node(node)[i]);
    let component = components.nth(row - supernode.row_of[k] as usize).unwrap_or(0);
    FactorError::NotPositiveDefinite { node, component, pivot }
}
