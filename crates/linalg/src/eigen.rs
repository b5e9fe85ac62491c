//! The lowest eigenpairs of K x = λ M x on free dofs, none missing and none invented.
//!
//! 1. Block Lanczos on (K + sM)⁻¹ M in the inner product of M, with full reorthogonalisation and thick restarts, until
//!    the wanted pairs and a gap behind them have converged.
//! 2. Rayleigh-Ritz among the Lanczos vectors, and the true residual |K x − λ M x| of every pair. Where it is too large, Lanczos
//!    goes on; if that does not help, block inverse iteration.
//! 3. The inertia of K − σM, σ in the gap, must count as many eigenvalues as were found. If it counts more (a copy of a
//!    multiple root that the start block did not excite), fresh directions are added and the search goes on.
//!
//! Here are what callers use and the dense solution of small problems; steps 1 and 3 are in `search`, step 2 in `inverse`.
//!
//! # Source
//!
//! Grimes, Lewis & Simon (1994), SIAM J. Matrix Anal. Appl. 15(1), 228–272.

use carom_progress::Progress;
use faer::Mat;

use crate::block::{BlockMatrix, NodeMatrix};
use crate::dense::{DenseEigenError, add_product, generalised_pairs, gram};
use crate::factor::FactorError;

mod inverse;
mod operator;
mod search;

use inverse::MAX_INVERSE_STEPS;
pub use operator::Inverse;

/// Largest true residual |K x − λ M x| over max(λ, s) |M x|.
pub const RESIDUAL: f64 = 1e-8;

/// Largest deviation of Xᵀ M X from the identity.
pub const ORTHOGONALITY: f64 = 1e-10;

/// Free dofs up to which the problem is solved as a dense one.
const DENSE_LIMIT: usize = 150;

/// Which eigenpairs are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wanted {
    /// The lowest n, copies of multiple roots counted.
    Count(usize),
    /// All λ up to this value.
    UpTo(f64),
}

/// Why eigenpairs could not be found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EigenError {
    /// More pairs are wanted than there are dofs.
    #[error("{wanted} eigenpairs are wanted, but only {n_free} dofs are free")]
    TooMany {
        /// Number of pairs wanted.
        wanted: usize,
        /// Number of free dofs.
        n_free: usize,
    },
    /// The factorisation, or an inertia count, failed.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// A projected problem has no solution.
    #[error("the projected eigenproblem failed: {0}")]
    Projected(#[from] DenseEigenError),
    /// Lanczos did not converge.
    #[error(
        "{converged} eigenpairs converged after {solves} solves; the matrices may be too badly conditioned for the shift {shift:e}"
    )]
    NotConverged {
        /// Number of converged pairs.
        converged: usize,
        /// Number of right-hand sides solved.
        solves: usize,
        /// The shift s of K + sM.
        shift: f64,
    },
    /// A residual stays too large.
    #[error(
        "eigenpair {pair} (λ = {lambda:e}) keeps a residual of {residual:.1e} (at most {RESIDUAL:.0e}, or {floor:.1e} by rounding)"
    )]
    Residual {
        /// Zero-based pair.
        pair: usize,
        /// Its eigenvalue.
        lambda: f64,
        /// |K x − λ M x| over max(λ, s) |M x|.
        residual: f64,
        /// What rounding alone explains.
        floor: f64,
    },
    /// The inertia contradicts the pairs that were found.
    #[error("{found} eigenvalues were found below {shift:e}, but the inertia counts {counted}")]
    Count {
        /// Number found.
        found: usize,
        /// Number counted.
        counted: usize,
        /// σ of the count.
        shift: f64,
    },
    /// The user stopped it.
    #[error("stopped during the search for eigenpairs")]
    Interrupted,
}

/// The lowest eigenpairs of K x = λ M x.
#[derive(Debug, Clone)]
pub struct EigenPairs {
    /// Eigenvalues, ascending.
    pub lambda: Vec<f64>,
    /// Vectors, 3 n_nodes × pairs, zero on dofs that are not free; Xᵀ M X = E, entry of largest magnitude positive.
    pub vectors: Mat<f64>,
    /// True residual of each: |K x − λ M x| over max(λ, s) |M x|.
    pub residuals: Vec<f64>,
    /// Largest deviation of Xᵀ M X from the identity.
    pub orthogonality: f64,
    /// The shift σ at which the inertia was counted, and the count; `None` for a problem solved as a dense one, all pairs known.
    pub proof: Option<(f64, usize)>,
    /// Right-hand sides solved.
    pub n_solves: usize,
}

/// K, M and the shift s of the factor.
struct Pencil<'a> {
    k: &'a BlockMatrix,
    m: &'a NodeMatrix,
    shift: f64,
}

/// Finds the lowest eigenpairs of K x = λ M x on the free dofs of the factor.
///
/// * `factor` — Cholesky factor of K + sM, or another [`Inverse`]; given up, because the inertia count works in its memory
/// * `shift` — its s ≥ 0, the scale below which a residual counts as absolute (rigid modes)
///
/// Returns the pairs and the structure of the factor for further use.
///
/// # Errors
///
/// [`EigenError`]; never fewer pairs than wanted.
pub fn lowest_pairs<I: Inverse>(
    k: &BlockMatrix,
    m: &NodeMatrix,
    factor: I,
    shift: f64,
    wanted: Wanted,
    progress: &dyn Progress,
) -> Result<(EigenPairs, I::Structure), EigenError> {
    let n_free = factor.dimension();
    if let Wanted::Count(n) = wanted
        && n > n_free
    {
        return Err(EigenError::TooMany { wanted: n, n_free });
    }
    let pencil = Pencil { k, m, shift };
    let many = matches!(wanted, Wanted::Count(n) if 3 * n > n_free);
    if n_free <= DENSE_LIMIT || many {
        let pairs = pencil.dense(&factor, wanted)?;
        return Ok((pairs, factor.into_structure()));
    }
    progress.begin("eigenpairs", 0);
    let outcome = pencil.search(factor, wanted, progress);
    progress.end();
    outcome
}

impl Pencil<'_> {
    /// All pairs of a small problem.
    fn dense(&self, factor: &impl Inverse, wanted: Wanted) -> Result<EigenPairs, EigenError> {
        let unit = factor.basis();
        let mass = gram(unit.as_ref(), self.m.product(unit.as_ref()).as_ref());
        let mut shifted = gram(unit.as_ref(), self.k.product(unit.as_ref()).as_ref());
        shifted += faer::Scale(self.shift) * &mass;
        let pairs = generalised_pairs(shifted.as_ref(), mass.as_ref())?;
        let n = match wanted {
            Wanted::Count(n) => n,
            Wanted::UpTo(limit) => {
                pairs.lambda.iter().filter(|&&lambda| lambda - self.shift <= limit).count()
            }
        };
        let mut x = Mat::zeros(self.k.n_dofs(), n);
        add_product(x.as_mut(), 1.0, unit.as_ref(), pairs.vectors.subcols(0, n));
        self.inverse_iteration(factor, x, n, MAX_INVERSE_STEPS)
    }
}

impl EigenPairs {
    /// In ascending order: Rayleigh quotients of copies of one root differ by rounding from the order of the projection.
    fn sorted(self) -> Self {
        let mut order: Vec<usize> = (0..self.lambda.len()).collect();
        order.sort_by(|&a, &b| self.lambda[a].total_cmp(&self.lambda[b]));
        Self {
            lambda: order.iter().map(|&i| self.lambda[i]).collect(),
            residuals: order.iter().map(|&i| self.residuals[i]).collect(),
            vectors: Mat::from_fn(self.vectors.nrows(), order.len(), |i, j| self.vectors[(i, order[j])]),
            ..self
        }
    }

    /// The first n pairs.
    fn truncated(self, n: usize) -> Self {
        Self {
            lambda: self.lambda[..n].to_vec(),
            vectors: self.vectors.subcols(0, n).to_owned(),
            residuals: self.residuals[..n].to_vec(),
            ..self
        }
    }
}
