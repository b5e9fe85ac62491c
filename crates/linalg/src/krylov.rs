//! The block Krylov space of (K + sM)⁻¹ M, orthonormal in the inner product of M.

use faer::{Mat, MatMut, MatRef};

use crate::block::NodeMatrix;
use crate::dense::{DenseEigenError, DensePairs, add_product, gram, product, symmetric_pairs, symmetrised};
use crate::eigen::Inverse;

/// Directions of a new block whose M-norm is below this part of the largest are dropped.
const SMALLEST_DIRECTION: f64 = 1e-10;

/// Ritz approximation in the space: θ = 1/(λ + s), descending.
pub(crate) struct Ritz {
    /// Eigenvalues of the projected operator, descending.
    pub(crate) theta: Vec<f64>,
    /// M-norm of the residual (K + sM)⁻¹ M x − θ x of each.
    pub(crate) residual: Vec<f64>,
    /// Coefficients of each in the basis, one a column.
    pub(crate) coefficients: Mat<f64>,
}

/// An M-orthonormal block: Y = Q R.
struct Orthonormal {
    q: Mat<f64>,
    mass_q: Mat<f64>,
    r: Mat<f64>,
}

/// An M-orthonormal basis with the projection of the operator.
///
/// The last `pending` columns are the block to which the operator is applied next. Full reorthogonalisation: the
/// projection is formed by inner products with the whole basis, so a restart needs no special case.
pub(crate) struct Krylov<'a> {
    mass: &'a NodeMatrix,
    /// Basis V and M V; `used` columns are filled.
    basis: Mat<f64>,
    mass_basis: Mat<f64>,
    used: usize,
    pending: usize,
    /// The first columns are converged eigenvectors. What the operator adds in their direction is rounding, magnified by
    /// the condition of K; left out of the projection it cannot hide pairs with smaller θ.
    locked: usize,
    projected: Mat<f64>,
    /// Coupling of the last applied block to the pending one: (pending × block), with the columns of that block.
    coupling: Option<(Mat<f64>, usize)>,
    pub(crate) n_solves: usize,
    draws: u64,
}

impl<'a> Krylov<'a> {
    pub(crate) fn new(mass: &'a NodeMatrix, max_dim: usize) -> Self {
        let n = 3 * mass.n_nodes();
        Self {
            mass,
            basis: Mat::zeros(n, max_dim),
            mass_basis: Mat::zeros(n, max_dim),
            used: 0,
            pending: 0,
            locked: 0,
            projected: Mat::zeros(max_dim, max_dim),
            coupling: None,
            n_solves: 0,
            draws: 0,
        }
    }

    /// Number of basis vectors to which the operator has been applied.
    pub(crate) fn n_applied(&self) -> usize {
        self.used - self.pending
    }

    /// True if the next block does not fit into a space of this dimension.
    pub(crate) fn exceeds(&self, max_dim: usize) -> bool {
        self.used + self.pending > max_dim
    }

    /// Makes room for a space of this dimension.
    fn reserve(&mut self, max_dim: usize) {
        if max_dim > self.basis.ncols() {
            for matrix in [&mut self.basis, &mut self.mass_basis] {
                matrix.resize_with(matrix.nrows(), max_dim, |_, _| 0.0);
            }
            self.projected.resize_with(max_dim, max_dim, |_, _| 0.0);
        }
    }

    /// True if the space is invariant: nothing is left to apply the operator to.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.pending == 0
    }

    /// Adds pseudo-random directions, smoothed once by the operator, to the pending block.
    pub(crate) fn add_start_block(
        &mut self,
        factor: &impl Inverse,
        block: usize,
    ) -> Result<(), DenseEigenError> {
        let free = factor.free();
        self.reserve(self.used + block);
        let mut y = Mat::zeros(self.basis.nrows(), block);
        for k in 0..y.ncols() {
            for i in 0..y.nrows() {
                if free.contains(i) {
                    y[(i, k)] = noise(self.draws);
                    self.draws += 1;
                }
            }
        }
        let mut y = self.mass.product(y.as_ref());
        factor.solve_in_place(y.as_mut());
        self.n_solves += y.ncols();
        self.orthogonalise(y.as_mut());
        let Orthonormal { q: y, mass_q: mass_y, .. } = self.orthonormal(y)?;
        self.push(y.as_ref(), mass_y.as_ref());
        self.pending += y.ncols();
        self.coupling = None;
        Ok(())
    }

    /// Applies the operator to the pending block and makes the result the next one.
    pub(crate) fn expand(&mut self, factor: &impl Inverse) -> Result<(), DenseEigenError> {
        let (first, width) = (self.n_applied(), self.pending);
        self.reserve(self.used + width);
        let mut y = self.mass_basis.subcols(first, width).to_owned();
        factor.solve_in_place(y.as_mut());
        self.n_solves += width;
        let coefficients = self.orthogonalise(y.as_mut());
        for j in 0..width {
            for i in self.locked..self.used {
                self.projected[(i, first + j)] = coefficients[(i, j)];
                if i < first {
                    self.projected[(first + j, i)] = coefficients[(i, j)];
                }
            }
        }
        let Orthonormal { q: y, mass_q: mass_y, r: coupling } = self.orthonormal(y)?;
        self.push(y.as_ref(), mass_y.as_ref());
        self.pending = y.ncols();
        self.coupling = Some((coupling, first));
        Ok(())
    }

    /// Subtracts from Y its part in the basis, twice; returns the coefficients.
    fn orthogonalise(&self, mut y: MatMut<'_, f64>) -> Mat<f64> {
        let first = self.orthogonalise_once(y.as_mut());
        first + self.orthogonalise_once(y)
    }

    /// Subtracts from Y its part in the basis; returns the coefficients.
    fn orthogonalise_once(&self, y: MatMut<'_, f64>) -> Mat<f64> {
        let (basis, mass_basis) = (self.basis.subcols(0, self.used), self.mass_basis.subcols(0, self.used));
        let coefficients = gram(mass_basis, y.as_ref());
        add_product(y, -1.0, basis, coefficients.as_ref());
        coefficients
    }

    /// Orthonormalises a block within itself and against the basis.
    ///
    /// Directions that have lost all figures are dropped, so Q can be narrower than Y.
    fn orthonormal(&self, y: Mat<f64>) -> Result<Orthonormal, DenseEigenError> {
        let mut q = y;
        let mut r = Mat::identity(q.ncols(), q.ncols());
        let mut mass_q = self.mass.product(q.as_ref());
        // The first pass finds the directions, the others remove what rounding left in the basis' span: scaling up the
        // smallest direction magnifies it to some 1e-6, so that one subtraction a pass is enough.
        for pass in 0..3 {
            if q.ncols() == 0 {
                break;
            }
            let DensePairs { lambda, vectors } =
                symmetric_pairs(symmetrised(gram(q.as_ref(), mass_q.as_ref()).as_ref()).as_ref())?;
            let largest = lambda.iter().fold(0.0_f64, |a, b| a.max(*b));
            let kept: Vec<usize> = (0..lambda.len())
                .filter(|&i| lambda[i] > SMALLEST_DIRECTION.powi(2) * largest && lambda[i] > 0.0)
                .collect();
            let to =
                Mat::from_fn(lambda.len(), kept.len(), |i, j| vectors[(i, kept[j])] / lambda[kept[j]].sqrt());
            let from =
                Mat::from_fn(kept.len(), lambda.len(), |i, j| vectors[(j, kept[i])] * lambda[kept[i]].sqrt());
            q = product(q.as_ref(), to.as_ref());
            r = &from * &r;
            if pass < 2 {
                self.orthogonalise_once(q.as_mut());
            }
            mass_q = self.mass.product(q.as_ref());
        }
        Ok(Orthonormal { q, mass_q, r })
    }

    fn push(&mut self, y: MatRef<'_, f64>, mass_y: MatRef<'_, f64>) {
        self.basis.subcols_mut(self.used, y.ncols()).copy_from(y);
        self.mass_basis.subcols_mut(self.used, y.ncols()).copy_from(mass_y);
        self.used += y.ncols();
    }

    /// Eigenpairs of the projected operator.
    pub(crate) fn ritz(&self) -> Result<Ritz, DenseEigenError> {
        let n = self.n_applied();
        let DensePairs { lambda, vectors } =
            symmetric_pairs(symmetrised(self.projected.submatrix(0, 0, n, n)).as_ref())?;
        let theta: Vec<f64> = lambda.iter().rev().copied().collect();
        let coefficients = Mat::from_fn(n, n, |i, j| vectors[(i, n - 1 - j)]);
        let residual = match &self.coupling {
            Some((coupling, first)) if self.pending > 0 => {
                let tail = coupling * coefficients.subrows(*first, coupling.ncols());
                (0..n).map(|j| tail.col(j).norm_l2()).collect()
            }
            // A start block has been added: what it will change is unknown. Without a pending block nothing is left.
            _ => vec![if self.pending > 0 { f64::INFINITY } else { 0.0 }; n],
        };
        Ok(Ritz { theta, residual, coefficients })
    }

    /// The first Ritz vectors.
    pub(crate) fn vectors(&self, ritz: &Ritz, count: usize) -> Mat<f64> {
        product(self.basis.subcols(0, self.n_applied()), ritz.coefficients.subcols(0, count))
    }

    /// Number of columns that are converged eigenvectors.
    pub(crate) fn n_locked(&self) -> usize {
        self.locked
    }

    /// Keeps the first `keep` Ritz vectors and the pending block only, and locks the first `lock` of them.
    pub(crate) fn restart(&mut self, ritz: &Ritz, keep: usize, lock: usize) {
        let n = self.n_applied();
        let kept = ritz.coefficients.subcols(0, keep);
        for matrix in [&mut self.basis, &mut self.mass_basis] {
            let vectors = product(matrix.subcols(0, n), kept);
            let pending = matrix.subcols(n, self.pending).to_owned();
            matrix.subcols_mut(0, keep).copy_from(vectors);
            matrix.subcols_mut(keep, self.pending).copy_from(pending);
        }
        if let Some((coupling, first)) = self.coupling.take() {
            let tail = &coupling * kept.subrows(first, coupling.ncols());
            self.coupling = Some((tail, 0));
        }
        self.projected.fill(0.0);
        for i in 0..keep {
            self.projected[(i, i)] = ritz.theta[i];
        }
        self.locked = lock.min(keep);
        self.used = keep + self.pending;
    }
}

/// The k-th of a fixed sequence of numbers in (−1, 1): SplitMix64, Steele, Lea & Flood (2014), OOPSLA.
fn noise(k: u64) -> f64 {
    let mut z = (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
