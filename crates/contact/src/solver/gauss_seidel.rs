//! Projected Gauss-Seidel: row by row the solution of one inequality.

use super::operator::{Operator, product_plus};
use super::outcome::{Stop, Trial, natural};

/// Sweeps after which the method gives up.
const MAX_SWEEPS: usize = 2000;
/// Sweeps between two checks of the residual.
const LOOK: usize = 10;

/// Relaxes z until the natural residual, for which z counts times the size of M, is at most `aim`.
///
/// ```text
/// z_i ← max(0, z_i − (q_i + Σ_j M_ij z_j) / M_ii),   i = 1 … n
/// ```
///
/// Converges for symmetric positive definite M and for diagonally dominant M with positive diagonal. Gives up
/// early if a hundred sweeps bring less than a tenth.
///
/// # Source
///
/// Cottle, Pang & Stone, *The Linear Complementarity Problem*, section 5.2 (splitting by the lower triangle).
pub(super) fn gauss_seidel(
    m: &dyn Operator,
    q: &[f64],
    z: &mut [f64],
    w: &mut [f64],
    diagonal: &mut [f64],
    (size, aim): (f64, f64),
) -> Trial {
    m.diagonal_into(diagonal);
    let entries = m.entries();
    if !diagonal.iter().all(|d| *d > 0.0) {
        return Trial { iterations: 0, stop: Stop::Unfit };
    }
    z.iter_mut().for_each(|z| *z = z.max(0.0));
    let mut earlier = f64::INFINITY;
    for sweep in 0..=MAX_SWEEPS {
        if sweep % LOOK == 0 {
            product_plus(m, q, z, w);
            let residual = natural(size, z, w);
            if residual <= aim {
                return Trial { iterations: sweep, stop: Stop::Done };
            }
            if !residual.is_finite() {
                return Trial { iterations: sweep, stop: Stop::Unbounded };
            }
            if sweep % (10 * LOOK) == 0 {
                if residual > 0.9 * earlier {
                    return Trial { iterations: sweep, stop: Stop::Limit };
                }
                earlier = residual;
            }
        }
        for i in 0..q.len() {
            let Some(product) = entries.row_times(i, z) else {
                return Trial { iterations: 0, stop: Stop::Unfit };
            };
            z[i] = (z[i] - (q[i] + product) / diagonal[i]).max(0.0);
        }
    }
    product_plus(m, q, z, w);
    Trial { iterations: MAX_SWEEPS, stop: Stop::Limit }
}
