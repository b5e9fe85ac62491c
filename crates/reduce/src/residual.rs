//! Response of a body to loads that are spread over its points: the residual compliance of these loads, and
//! their modal values (docs/theory/half-space.md, eq. (99)).

use carom_linalg::IterationError;
use carom_progress::Progress;
use faer::{Mat, MatRef};

use crate::flexibility::Flexibility;
use crate::point_modes::Modes;

/// Number of loads that are solved together.
pub(crate) const GROUP: usize = 32;

/// A unit force spread over points: numbers of body points with the share of each.
pub type SpreadLoad = Vec<(u32, f64)>;

/// A_jk = ⟨s_j, u(s_k)⟩, 3 × 3 blocks over x, y, z of the body: the displacement that load j reads under unit
/// forces of load k \[m/N\].
///
/// For a body without supports it is the response under inertia relief; the displacement counts from the
/// mean motion of the body. A is made symmetric.
///
/// # Errors
///
/// [`IterationError`], also if the user stopped it.
pub fn response(
    flexibility: &Flexibility,
    loads: &[SpreadLoad],
    progress: &dyn Progress,
) -> Result<Mat<f64>, IterationError> {
    let (n, n_dofs) = (3 * loads.len(), flexibility.system.stiffness.n_dofs());
    let mut response = Mat::zeros(n, n);
    progress.begin("response to the loads of places", n as u64);
    for start in (0..n).step_by(GROUP) {
        let width = GROUP.min(n - start);
        let mut x = Mat::zeros(n_dofs, width);
        for k in 0..width {
            let (load, a) = (&loads[(start + k) / 3], (start + k) % 3);
            load.iter().for_each(|&(point, share)| x[(3 * point as usize + a, k)] += share);
        }
        flexibility.respond(x.as_mut(), progress)?;
        for k in 0..width {
            (0..n).for_each(|i| response[(i, start + k)] = read(x.as_ref(), &loads[i / 3], i % 3, k));
        }
        progress.set((start + width) as u64);
        if progress.interrupted() {
            return Err(IterationError::Interrupted);
        }
    }
    progress.end();
    Ok(Mat::from_fn(n, n, |i, j| 0.5 * (response[(i, j)] + response[(j, i)])))
}

/// Σ share u of a load, component a of column k.
pub(crate) fn read(u: MatRef<'_, f64>, load: &SpreadLoad, a: usize, k: usize) -> f64 {
    load.iter().map(|&(point, share)| share * u[(3 * point as usize + a, k)]).sum()
}

/// φ_j = ⟨s_j, φ⟩ of modes: rows 3 j + a, one column for each mode.
///
/// `None` if the modes lack a point of a load.
pub fn modal_values(modes: &Modes, loads: &[SpreadLoad]) -> Option<Mat<f64>> {
    let mut values = Mat::zeros(3 * loads.len(), modes.values.ncols());
    for (j, load) in loads.iter().enumerate() {
        for &(point, share) in load {
            let row = modes.points.binary_search(&point).ok()?;
            for k in 0..values.ncols() {
                (0..3).for_each(|a| values[(3 * j + a, k)] += share * modes.values[(3 * row + a, k)]);
            }
        }
    }
    Some(values)
}

/// The part of a response that kept modes do not have: A − Σ φ φᵀ/ω².
///
/// * `values` — of the modes, [`modal_values`], mass-normalised
/// * `omega` — ω of each \[rad/s\]; modes of rigid motion, ω = 0, do not belong to it
///
/// # Panics
///
/// If there are fewer frequencies than modes, or A and the values have different numbers of rows.
pub fn residual(response: &Mat<f64>, values: &Mat<f64>, omega: &[f64]) -> Mat<f64> {
    let n = response.nrows();
    assert_eq!(values.nrows(), n, "one row of the values a row of the response");
    let scaled = Mat::from_fn(n, values.ncols(), |i, k| values[(i, k)] / omega[k]);
    response - &scaled * scaled.transpose()
}
