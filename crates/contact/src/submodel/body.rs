//! Bodies in contact: surface points and their compliance.

use faer::linalg::matmul::matmul;
use faer::reborrow::ReborrowMut;
use faer::{Accum, ColMut, ColRef, Mat, MatRef, Par};

use super::SetupError;

/// A body in contact: surface points, and their compliance.
#[derive(Debug, Clone)]
pub struct ContactBody {
    /// Name, for messages.
    pub name: String,
    /// Number n of its surface points.
    pub n_points: usize,
    /// U, 3n × 3n, symmetric, positive semi-definite \[m/N\], in the body frame; `None` for a rigid body.
    ///
    /// The displacement of the points by the high modes under unit forces on the points, see [`compliance`].
    pub compliance: Option<Mat<f64>>,
}

/// U = Φ_hf Ω_hf⁻² Φ_hfᵀ of mass-normalised modes.
///
/// * `modes` — high modes at the points, 3n × n_hf \[1/√kg\]
/// * `omega` — their circular frequencies \[rad/s\], positive
///
/// Returns U, 3n × 3n \[m/N\], exactly symmetric.
pub fn compliance(modes: MatRef<'_, f64>, omega: &[f64]) -> Mat<f64> {
    let scaled = Mat::from_fn(modes.nrows(), modes.ncols(), |i, k| modes[(i, k)] / omega[k]);
    let u = &scaled * scaled.transpose();
    Mat::from_fn(u.nrows(), u.ncols(), |i, j| u[(i.max(j), i.min(j))])
}

impl ContactBody {
    /// Checks that U has 3n rows and columns and is symmetric.
    pub(super) fn check(&self) -> Result<(), SetupError> {
        let Some(u) = &self.compliance else { return Ok(()) };
        let n = 3 * self.n_points;
        let fits = u.nrows() == n && u.ncols() == n;
        let largest = if fits { (0..n).map(|i| u[(i, i)].abs()).fold(0.0, f64::max) } else { 0.0 };
        // The comparison is false for entries that are not numbers.
        let close = |i: usize, j: usize| (u[(i, j)] - u[(j, i)]).abs() <= 1e-10 * largest;
        if fits && (0..n).all(|j| (0..=j).all(|i| close(i, j))) {
            return Ok(());
        }
        let (rows, columns) = (u.nrows(), u.ncols());
        Err(SetupError::Compliance { body: self.name.clone(), rows, columns, points: self.n_points })
    }

    /// True if the body is elastic: it has a compliance.
    pub(super) fn is_elastic(&self) -> bool {
        self.compliance.is_some()
    }

    /// u += U f for forces on a few points; nothing for a rigid body.
    pub(super) fn add_response(&self, forces: &[(u32, [f64; 3])], u: &mut [f64]) {
        let Some(compliance) = &self.compliance else { return };
        for (point, f) in forces {
            let k = 3 * *point as usize;
            let [a, b, c] = [k, k + 1, k + 2].map(|column| compliance.col_as_slice(column));
            for (((u, a), b), c) in u.iter_mut().zip(a).zip(b).zip(c) {
                *u += f[0] * a + f[1] * b + f[2] * c;
            }
        }
    }

    /// u = U f for forces on all points.
    ///
    /// Few points have forces, and most of them follow each other: U is multiplied by runs of columns.
    pub(super) fn respond(&self, force: &[f64], u: &mut [f64]) {
        u.fill(0.0);
        let Some(compliance) = &self.compliance else { return };
        let n = force.len();
        let is_loaded = |k: usize| force[3 * k..3 * k + 3] != [0.0; 3];
        let mut u = ColMut::from_slice_mut(u);
        let mut start = 0;
        while start < n / 3 {
            if !is_loaded(start) {
                start += 1;
                continue;
            }
            let end = (start + 1..n / 3).find(|&k| !is_loaded(k)).unwrap_or(n / 3);
            let columns = compliance.as_ref().subcols(3 * start, 3 * (end - start));
            let f = ColRef::from_slice(&force[3 * start..3 * end]);
            matmul(u.rb_mut(), Accum::Add, columns, f, 1.0, Par::Seq);
            start = end;
        }
    }
}
