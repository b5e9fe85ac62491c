//! The lowest eigenpairs of K x = λ M x on free dofs, none missing and none invented.
//!
//! 1. Block Lanczos on (K + sM)⁻¹ M in the inner product of M, with full reorthogonalisation and thick
//!    restarts, until the requested pairs and a gap behind them have converged.
//! 2. Rayleigh-Ritz among the Lanczos vectors, and the true residual |K x − λ M x| of every pair. Where it is
//!    too large, Lanczos continues; if that does not help, block inverse iteration follows.
//! 3. The inertia of K − σM, σ in the gap, must count as many eigenvalues as were found. If it counts more (a
//!    copy of a multiple root that the start block did not excite), fresh directions are added and the search
//!    continues.
//!
//! Here are the interface of callers and the dense solution of small problems; steps 1 and 3 are in `search`,
//! step 2 in `inverse`; `again` is the search without a factor, which cannot count. [`GivenPairs`] checks
//! pairs of another program.
//!
//! # Source
//!
//! Grimes, Lewis & Simon (1994), SIAM J. Matrix Anal. Appl. 15(1), 228–272.

use carom_progress::Progress;
use faer::Mat;

use crate::block::{BlockMatrix, NodeMatrix};
use crate::dense::generalised_pairs;
use crate::factor::FactorError;
use crate::tall::{add_product, gram};

mod again;
mod given;
mod inverse;
mod krylov;
mod operator;
mod pairs;
mod search;

pub use given::{GIVEN_ORTHOGONALITY, GivenPairs};
use inverse::MAX_INVERSE_STEPS;
pub use operator::{Admissible, Counting, Inverse};
pub use pairs::{EigenError, EigenPairs, ORTHOGONALITY, Pencil, Proof, RESIDUAL, Wanted};

/// Free dofs up to which the problem is solved as a dense one.
const DENSE_LIMIT: usize = 150;

/// Free dofs up to which pairs below a limit are counted before they are searched for.
const COUNT_FIRST: usize = 20_000;

/// Finds the lowest eigenpairs of K x = λ M x on the free dofs of the factor.
///
/// * `factor` — Cholesky factor of K + sM, or another [`Counting`] inverse; given up, because the inertia
///   count works in its memory
/// * `shift` — its s ≥ 0, the scale below which a residual counts as absolute (rigid modes)
///
/// Returns the pairs and the structure of the factor for further use.
///
/// # Errors
///
/// [`EigenError`]; never fewer pairs than wanted.
pub fn lowest_pairs<I: Counting>(
    k: &BlockMatrix,
    m: &NodeMatrix,
    factor: I,
    shift: f64,
    wanted: Wanted,
    progress: &dyn Progress,
) -> Result<(EigenPairs, I::Structure), EigenError> {
    let pencil = Pencil { k, m, shift };
    let (factor, wanted) = pencil.numbered(factor, wanted, progress)?;
    if pencil.is_small(factor.dimension(), wanted)? {
        let pairs = pencil.dense(&factor, wanted, progress)?;
        return Ok((pairs, factor.into_structure()));
    }
    progress.begin("eigenpairs", wanted.expected());
    let outcome = pencil.search(factor, wanted, progress);
    progress.end();
    outcome
}

/// As [`lowest_pairs`] with an inverse that has no factor: in place of the inertia count stands a second
/// search from fresh directions, [`Proof::SearchedAgain`].
///
/// # Errors
///
/// [`EigenError`]; never fewer pairs than wanted.
pub fn lowest_pairs_by_iteration(
    k: &BlockMatrix,
    m: &NodeMatrix,
    inverse: &impl Inverse,
    shift: f64,
    wanted: Wanted,
    progress: &dyn Progress,
) -> Result<EigenPairs, EigenError> {
    let n_free = inverse.dimension();
    let pencil = Pencil { k, m, shift };
    if pencil.is_small(n_free, wanted)? {
        return pencil.dense(inverse, wanted, progress);
    }
    progress.begin("eigenpairs", wanted.expected());
    let outcome = pencil.search_twice(inverse, wanted, progress);
    progress.end();
    outcome
}

/// Bytes of a search for eigenpairs in addition to the inverse: the space of Lanczos, and the vectors that
/// verify the pairs.
pub fn search_bytes(n_dofs: usize, wanted: Wanted) -> u64 {
    let n_pairs = match wanted {
        Wanted::Count(n) => n,
        Wanted::UpTo(_) => search::FIRST_GUESS,
    };
    let columns = Pencil::largest_space(wanted) + 6 * (n_pairs + search::GUARD);
    8 * (n_dofs as u64) * columns as u64
}

impl Pencil<'_> {
    /// M and s of the matrix that is inverted; `None` if that is K itself.
    pub(crate) fn shifted_mass(&self) -> Option<(&NodeMatrix, f64)> {
        (self.shift != 0.0).then_some((self.m, self.shift))
    }

    /// Whether the problem is solved whole.
    fn is_small(&self, n_free: usize, wanted: Wanted) -> Result<bool, EigenError> {
        match wanted {
            Wanted::Count(wanted) if wanted > n_free => Err(EigenError::TooMany { wanted, n_free }),
            Wanted::Count(n) => Ok(n_free <= DENSE_LIMIT || 3 * n > n_free),
            Wanted::UpTo(_) => Ok(n_free <= DENSE_LIMIT),
        }
    }

    /// How many pairs lie below a limit, where counting them costs little: when they are many, Lanczos is not
    /// the way to find them.
    fn numbered<I: Counting>(
        &self,
        factor: I,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<(I, Wanted), EigenError> {
        match wanted {
            Wanted::UpTo(limit) if (DENSE_LIMIT..COUNT_FIRST).contains(&factor.dimension()) => {
                let (below, structure) = match self.count(factor, limit, progress) {
                    Err(EigenError::Factor(FactorError::ShiftTooClose { .. })) => {
                        return Err(EigenError::Limit { limit });
                    }
                    outcome => outcome?,
                };
                let factor = I::refactor(structure, self, progress)?;
                Ok((factor, if below > 0 { Wanted::Count(below) } else { wanted }))
            }
            _ => Ok((factor, wanted)),
        }
    }

    /// All pairs of a small problem.
    fn dense(
        &self,
        factor: &impl Inverse,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<EigenPairs, EigenError> {
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
        self.inverse_iteration(factor, x, n, MAX_INVERSE_STEPS, progress)
    }
}

impl EigenPairs {
    /// In ascending order: Rayleigh quotients of copies of one root differ by rounding from the order of the
    /// projection.
    fn sorted(self) -> Self {
        if self.lambda.is_sorted() {
            return self;
        }
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
    fn truncated(mut self, n: usize) -> Self {
        self.lambda.truncate(n);
        self.vectors.truncate(self.vectors.nrows(), n);
        self.residuals.truncate(n);
        self
    }
}
