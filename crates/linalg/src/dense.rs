//! Small symmetric eigenproblems, the same bits for any number of threads.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{ColRef, Mat, MatMut, MatRef, Par};

/// Why a dense eigenproblem has no solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DenseEigenError {
    /// The matrix that must be positive definite is not.
    #[error("row {row} of {n} of the stiffness is not positive definite after scaling (pivot not above 0)")]
    NotPositiveDefinite {
        /// Zero-based row of the failed pivot.
        row: usize,
        /// Number of rows.
        n: usize,
    },
    /// The eigenvalue iteration did not converge, or the matrix has entries that are not finite.
    #[error("the eigenvalues of a symmetric {n} × {n} matrix did not converge; are its entries finite?")]
    NoConvergence {
        /// Number of rows.
        n: usize,
    },
}

/// All eigenpairs of a small problem.
#[derive(Debug, Clone)]
pub struct DensePairs {
    /// Eigenvalues, ascending.
    pub lambda: Vec<f64>,
    /// Eigenvectors, one a column.
    pub vectors: Mat<f64>,
}

/// (A + Aᵀ)/2.
pub fn symmetrised(a: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| 0.5 * (a[(i, j)] + a[(j, i)]))
}

/// All eigenpairs of a symmetric matrix, of which the lower triangle is read; vectors are orthonormal.
///
/// The matrix is scaled to a largest entry near 1: faer's divide and conquer deflates by tolerances that
/// suppose that.
///
/// # Errors
///
/// [`DenseEigenError::NoConvergence`].
pub fn symmetric_pairs(a: MatRef<'_, f64>) -> Result<DensePairs, DenseEigenError> {
    let n = a.nrows();
    if n == 0 {
        return Ok(DensePairs { lambda: Vec::new(), vectors: Mat::zeros(0, 0) });
    }
    let largest = a.norm_max();
    if !largest.is_finite() {
        return Err(DenseEigenError::NoConvergence { n });
    }
    // A power of two: scaling changes no bit of the mantissas.
    let scale = if largest > 0.0 { largest.log2().floor().clamp(-1000.0, 1000.0).exp2() } else { 1.0 };
    let a = Mat::from_fn(n, n, |i, j| a[(i, j)] / scale);
    let mut lambda = Diag::zeros(n);
    let mut vectors = Mat::zeros(n, n);
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    self_adjoint_evd(
        a.as_ref(),
        lambda.as_mut(),
        Some(vectors.as_mut()),
        Par::Seq,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .map_err(|_| DenseEigenError::NoConvergence { n })?;
    let lambda: Vec<f64> = lambda.column_vector().iter().map(|x| scale * x).collect();
    if lambda.iter().any(|x| !x.is_finite()) {
        return Err(DenseEigenError::NoConvergence { n });
    }
    Ok(DensePairs { lambda, vectors })
}

/// All eigenpairs of K x = λ M x with K positive definite and M positive semidefinite.
///
/// ```text
/// D K D = L Lᵀ (D = diag(K)^-½),   L⁻¹ D M D L⁻ᵀ q = μ q,   λ = 1/μ,   x = D L⁻ᵀ q / √μ
/// ```
///
/// Factorising K and not M keeps the compliance Σ x xᵀ/λ = K⁻¹ as exact as K allows, whatever the spread of
/// masses: graded meshes have mass entries that differ by twelve orders, and then a factor of M would spoil
/// the low eigenpairs. The scaling with the diagonal takes grading out of the condition number.
///
/// Returns λ ascending and vectors with Xᵀ M X = E. Where μ is below rounding, n ε of the largest, it is
/// raised to that: such λ are too low and such vectors too small in mass, but x xᵀ/λ, and with it the
/// compliance, stays what it was.
///
/// # Errors
///
/// [`DenseEigenError`] if K is not positive definite or a matrix is not finite.
pub fn generalised_pairs(k: MatRef<'_, f64>, m: MatRef<'_, f64>) -> Result<DensePairs, DenseEigenError> {
    let n = k.nrows();
    if let Some(row) = (0..n).find(|&row| k[(row, row)].is_nan() || k[(row, row)] <= 0.0) {
        return Err(DenseEigenError::NotPositiveDefinite { row, n });
    }
    let scale: Vec<f64> = (0..n).map(|i| 1.0 / k[(i, i)].sqrt()).collect();
    let scaled =
        |a: MatRef<'_, f64>| Mat::from_fn(n, n, |i, j| 0.5 * scale[i] * (a[(i, j)] + a[(j, i)]) * scale[j]);
    let mut factor = scaled(k);
    let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    llt::factor::cholesky_in_place(factor.as_mut(), Default::default(), Par::Seq, stack, Default::default())
        .map_err(|llt::factor::LltError::NonPositivePivot { index }| {
            DenseEigenError::NotPositiveDefinite { row: index, n }
        })?;
    let mut c = scaled(m);
    solve_lower_triangular_in_place(factor.as_ref(), c.as_mut(), Par::Seq);
    let mut c = c.transpose().to_owned();
    solve_lower_triangular_in_place(factor.as_ref(), c.as_mut(), Par::Seq);
    let DensePairs { lambda: mu, mut vectors } = symmetric_pairs(symmetrised(c.as_ref()).as_ref())?;
    solve_upper_triangular_in_place(factor.as_ref().transpose(), vectors.as_mut(), Par::Seq);
    let largest = mu.iter().fold(0.0_f64, |a, b| a.max(*b));
    let smallest = largest * f64::EPSILON * n as f64;
    let mu: Vec<f64> = mu.iter().rev().map(|mu| mu.max(smallest)).collect();
    let lambda = mu.iter().map(|mu| 1.0 / mu).collect();
    let out = Mat::from_fn(n, n, |i, j| scale[i] * vectors[(i, n - 1 - j)] / mu[j].sqrt());
    Ok(DensePairs { lambda, vectors: out })
}

/// L⁻ᵀ of G = Xᵀ M X = L Lᵀ: X L⁻ᵀ is M-orthonormal, and each of its columns a combination of those up to it.
///
/// Returns `None` if G is not positive definite.
pub(crate) fn orthonormalising(g: MatRef<'_, f64>) -> Option<Mat<f64>> {
    let n = g.nrows();
    let mut factor = symmetrised(g);
    let mut memory =
        MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    llt::factor::cholesky_in_place(factor.as_mut(), Default::default(), Par::Seq, stack, Default::default())
        .ok()?;
    let mut inverse = Mat::identity(n, n);
    solve_upper_triangular_in_place(factor.as_ref().transpose(), inverse.as_mut(), Par::Seq);
    Some(inverse)
}

/// Householder reflections H₁ H₂ … that make the columns of a tall matrix upper triangular, in an order of
/// sums that is always the same.
///
/// # Source
///
/// Golub & Van Loan (2013), *Matrix Computations*, section 5.2.
#[derive(Debug, Clone)]
pub struct Reflections {
    /// Unit normals of the mirrors, one a column; zero where a column is nothing.
    normals: Mat<f64>,
}

impl Reflections {
    /// The reflections of a matrix with at least as many rows as columns.
    pub fn new(columns: MatRef<'_, f64>) -> Self {
        let (n, width) = (columns.nrows(), columns.ncols());
        let mut normals: Mat<f64> = Mat::zeros(n, width);
        for j in 0..width {
            let mut column = columns.subcols(j, 1).to_owned();
            for i in 0..j {
                reflect(normals.as_ref().col(i), column.as_mut());
            }
            let below = column.as_ref().submatrix(j, 0, n - j, 1);
            let norm = below.norm_l2();
            normals.as_mut().submatrix_mut(j, j, n - j, 1).copy_from(below);
            // Away from zero, so that nothing cancels.
            normals[(j, j)] += norm.copysign(normals[(j, j)]);
            let length = normals.as_ref().col(j).norm_l2();
            if length > 0.0 {
                normals.as_mut().col_mut(j).iter_mut().for_each(|x| *x /= length);
            }
        }
        Self { normals }
    }

    /// An orthonormal basis of the columns: rows × columns.
    pub fn span(&self) -> Mat<f64> {
        self.columns(0, self.normals.ncols())
    }

    /// An orthonormal basis of the complement of the columns: rows × the remaining dimension.
    pub fn complement(&self) -> Mat<f64> {
        let (n, width) = (self.normals.nrows(), self.normals.ncols());
        self.columns(width, n - width)
    }

    /// Columns of Q = H₁ H₂ ….
    fn columns(&self, first: usize, count: usize) -> Mat<f64> {
        let mut q = Mat::from_fn(self.normals.nrows(), count, |i, j| if i == first + j { 1.0 } else { 0.0 });
        for j in (0..self.normals.ncols()).rev() {
            reflect(self.normals.as_ref().col(j), q.as_mut());
        }
        q
    }
}

/// Y ← (E − 2 v vᵀ) Y.
fn reflect(normal: ColRef<'_, f64>, mut y: MatMut<'_, f64>) {
    for j in 0..y.ncols() {
        let part: f64 = normal.iter().zip(y.as_ref().col(j).iter()).map(|(v, y)| v * y).sum();
        y.as_mut().col_mut(j).iter_mut().zip(normal.iter()).for_each(|(y, v)| *y -= 2.0 * part * v);
    }
}

/// Turns each column so that its entry of largest magnitude is positive.
///
/// Entries within 1e-6 of the largest count as ties, of which the first decides: else rounding would.
pub fn fix_signs(mut x: MatMut<'_, f64>) {
    for k in 0..x.ncols() {
        let column = x.as_ref().col(k);
        let largest = column.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let first = column.iter().find(|b| b.abs() >= (1.0 - 1e-6) * largest);
        if first.is_some_and(|&b| b < 0.0) {
            x.as_mut().col_mut(k).iter_mut().for_each(|b| *b = -*b);
        }
    }
}

/// a · b over the length of the shorter one, in four interleaved sums.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        (0..4).for_each(|i| sums[i] += a[i] * b[i]);
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fixed-free chain of n equal masses and springs: ω_k = 2 sin((2k−1) π / (2 (2n+1))), Rayleigh (1877),
    /// § 120.
    #[test]
    fn a_badly_scaled_chain_has_its_closed_form_spectrum() {
        let n = 40;
        let d = |i: usize| 10.0_f64.powi((i % 13) as i32 - 6);
        let k = Mat::from_fn(n, n, |i, j| {
            let value = match i.abs_diff(j) {
                0 if i == n - 1 => 1.0,
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            };
            d(i) * value * d(j)
        });
        let m = Mat::from_fn(n, n, |i, j| if i == j { d(i) * d(i) } else { 0.0 });
        let pairs = generalised_pairs(k.as_ref(), m.as_ref()).unwrap();
        for (i, &lambda) in pairs.lambda.iter().enumerate() {
            let angle = (2 * i + 1) as f64 * std::f64::consts::PI / (2 * (2 * n + 1)) as f64;
            let exact = (2.0 * angle.sin()).powi(2);
            assert!((lambda / exact - 1.0).abs() < 1e-11, "{i}: {lambda} {exact}");
        }
        let x = &pairs.vectors;
        let unit = x.transpose() * &m * x - Mat::<f64>::identity(n, n);
        assert!(unit.norm_max() < 1e-10, "{}", unit.norm_max());
    }

    #[test]
    fn reflections_span_the_columns_and_their_orthogonal_complement() {
        let mut a = Mat::from_fn(40, 4, |i, j| ((i * (j + 2)) as f64).sin());
        a.as_mut().col_mut(2).fill(0.0);
        let reflections = Reflections::new(a.as_ref());
        let (span, rest) = (reflections.span(), reflections.complement());
        assert_eq!((span.ncols(), rest.ncols()), (4, 36));
        assert!((rest.transpose() * &rest - Mat::<f64>::identity(36, 36)).norm_max() < 1e-14);
        assert!((rest.transpose() * &span).norm_max() < 1e-14);
        let inside = &span * (span.transpose() * &a);
        assert!((inside - &a).norm_max() < 1e-13, "the columns lie in their span");
    }

    #[test]
    fn matrices_of_tiny_entries_keep_their_relative_accuracy() {
        // The size is above faer's threshold for divide and conquer.
        let n = 200;
        let a =
            Mat::from_fn(n, n, |i, j| if i.abs_diff(j) <= 1 { 1e-12 * (1.0 + (i + j) as f64) } else { 0.0 });
        let pairs = symmetric_pairs(a.as_ref()).unwrap();
        let x = &pairs.vectors;
        let mut residual = &a * x;
        for j in 0..n {
            for i in 0..n {
                residual[(i, j)] -= pairs.lambda[j] * x[(i, j)];
            }
        }
        assert!(residual.norm_max() < 1e-13 * a.norm_max(), "{:e}", residual.norm_max() / a.norm_max());
    }

    #[test]
    fn a_stiffness_that_is_not_positive_definite_is_refused() {
        let k = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 2.0 });
        let error = generalised_pairs(k.as_ref(), k.as_ref()).unwrap_err();
        assert_eq!(error, DenseEigenError::NotPositiveDefinite { row: 1, n: 3 });
    }
}
