//! Eigenpairs with the proof that none is missing, and errors of the search for them.

use faer::Mat;

use super::given::GIVEN_ORTHOGONALITY;
use crate::block::{BlockMatrix, NodeMatrix};
use crate::dense::DenseEigenError;
use crate::factor::FactorError;
use crate::iteration::IterationError;

/// Largest true residual |K x − λ M x| over max(λ, s) |M x|.
pub const RESIDUAL: f64 = 1e-8;

/// Largest deviation of Xᵀ M X from the identity.
pub const ORTHOGONALITY: f64 = 1e-10;

/// The requested eigenpairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Wanted {
    /// The lowest n, copies of multiple roots counted.
    Count(usize),
    /// All λ up to this value.
    UpTo(f64),
}

impl Wanted {
    /// Number of pairs that a report of progress runs to; 0 where it is not known.
    pub(super) fn expected(self) -> u64 {
        match self {
            Self::Count(n) => n as u64,
            Self::UpTo(_) => 0,
        }
    }
}

/// Why eigenpairs could not be found.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum EigenError {
    /// The request exceeds the number of free dofs.
    #[error("{wanted} eigenpairs are requested, but only {n_free} dofs are free")]
    TooMany {
        /// Number of requested pairs.
        wanted: usize,
        /// Number of free dofs.
        n_free: usize,
    },
    /// The factorisation, or an inertia count, failed.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// An iterative solution failed.
    #[error(transparent)]
    Iteration(#[from] IterationError),
    /// A projected problem has no solution.
    #[error("the projected eigenproblem failed: {0}")]
    Projected(#[from] DenseEigenError),
    /// Lanczos did not converge.
    #[error(
        "{converged} eigenpairs converged after {solves} solves, and no further one in the last of them: ask \
         for fewer modes or a lower frequency; or the matrices are too badly conditioned for the shift \
         {shift:e}"
    )]
    NotConverged {
        /// Number of converged pairs.
        converged: usize,
        /// Number of right-hand sides solved.
        solves: usize,
        /// The shift s of K + sM.
        shift: f64,
    },
    /// The pairs below a limit cannot be counted.
    #[error(
        "no count of the eigenvalues below {limit:e} can be trusted: the limit is far beyond the matrices' \
         rounding; take a lower one, or a number of modes"
    )]
    Limit {
        /// The limit.
        limit: f64,
    },
    /// A residual stays too large.
    #[error(
        "eigenpair {pair} (λ = {lambda:e}) keeps a residual of {residual:.1e} (at most {:.1e}: \
         {RESIDUAL:.0e}, or the rounding error of its own forces): corrections do not make it smaller, as \
         the stiffness is singular to rounding; hold the body at a larger part of it (interface, attachment, \
         support), or take cells of less unequal edges",
        RESIDUAL.max(*floor)
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
    /// Given vectors are not orthonormal in M.
    #[error(
        "the given vectors are not orthonormal in the mass: Xᵀ M X deviates from the identity by \
         {deviation:.1e} (at most {GIVEN_ORTHOGONALITY:.0e})"
    )]
    NotOrthonormal {
        /// Largest deviation.
        deviation: f64,
    },
    /// The given pairs do not go beyond the requested ones to a gap between frequencies.
    #[error(
        "{given} eigenpairs are given, {wanted} are requested, and at least one more is needed behind them, \
         with a gap between both"
    )]
    NoGap {
        /// Number of given pairs.
        given: usize,
        /// Number of requested pairs.
        wanted: usize,
    },
    /// The user stopped it.
    #[error("stopped during the search for eigenpairs")]
    Interrupted,
}

impl EigenError {
    /// Whether the numerical method failed and not the request: the search failed though the problem has a
    /// solution.
    pub fn is_convergence(&self) -> bool {
        match self {
            Self::NotConverged { .. } | Self::Residual { .. } | Self::Count { .. } | Self::Projected(_) => {
                true
            }
            Self::Iteration(source) => source.is_convergence(),
            Self::Factor(source) => source.is_convergence(),
            _ => false,
        }
    }

    /// How many times larger the largest residual is than it may be; infinite where none is known.
    pub(super) fn excess(&self) -> f64 {
        match *self {
            Self::Residual { residual, floor, .. } if residual.is_finite() => residual / floor.max(RESIDUAL),
            _ => f64::INFINITY,
        }
    }

    /// Whether the user stopped it, in whatever part.
    pub fn is_interruption(&self) -> bool {
        matches!(
            self,
            Self::Interrupted
                | Self::Factor(FactorError::Interrupted)
                | Self::Iteration(IterationError::Interrupted)
        )
    }
}

/// How it is known that none of the lowest pairs is missing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Proof {
    /// The problem was solved whole, as a dense one.
    Whole,
    /// The inertia of K − σM counts as many eigenvalues as were found.
    Counted {
        /// σ.
        shift: f64,
        /// Eigenvalues below it.
        below: usize,
    },
    /// A second search from new directions, orthogonal to the pairs that were found, ended above the gap
    /// behind them. That is not a proof, but a missed pair would have to have no component in any of these
    /// directions.
    SearchedAgain {
        /// A value in the gap.
        shift: f64,
        /// Eigenvalues found below it.
        below: usize,
        /// The lowest value that the second search found.
        next: f64,
    },
}

/// The lowest eigenpairs of K x = λ M x.
#[derive(Debug, Clone)]
pub struct EigenPairs {
    /// Eigenvalues, ascending.
    pub lambda: Vec<f64>,
    /// Vectors, 3 n_nodes × pairs, zero on dofs that are not free; Xᵀ M X = E, entry of largest magnitude
    /// positive.
    pub vectors: Mat<f64>,
    /// True residual of each: |K x − λ M x| over max(λ, s) |M x|.
    pub residuals: Vec<f64>,
    /// Largest deviation of Xᵀ M X from the identity.
    pub orthogonality: f64,
    /// How it is known that none is missing.
    pub proof: Proof,
    /// Right-hand sides solved.
    pub n_solves: usize,
}

/// K, M and the shift s of the K + sM that is inverted.
#[derive(Debug, Clone, Copy)]
pub struct Pencil<'a> {
    /// Stiffness.
    pub k: &'a BlockMatrix,
    /// Mass.
    pub m: &'a NodeMatrix,
    /// s ≥ 0.
    pub shift: f64,
}
