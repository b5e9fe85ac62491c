//! Eigenpairs that another program computed: the checks by which they become pairs with a proof.
//!
//! The vectors must be orthonormal in M as they are. Rayleigh and Ritz then order them and separate close
//! roots, so that pairs of any program and of this one agree in all but rotations of multiple roots; the true
//! residual of each pair is computed, and a count or a second search shows that none is missing below a gap.

use carom_progress::Progress;
use faer::Mat;

use super::again::Beside;
use super::inverse::Verified;
use super::operator::{Admissible, Counting, Inverse};
use super::pairs::{EigenError, EigenPairs, Pencil, Proof, Wanted};
use super::search::gap_behind;
use crate::dense::fix_signs;
use crate::factor::FactorError;
use crate::tall::symmetric_gram;

/// Largest deviation of Xᵀ M X of given vectors from the identity.
pub const GIVEN_ORTHOGONALITY: f64 = 1e-8;

/// Factor on the shift of a count that falls on an eigenvalue.
const MOVED: f64 = 1.0 - 1e-6;

/// Given pairs with small residuals, not known to be complete.
#[derive(Debug, Clone)]
pub struct GivenPairs {
    /// All of them, ascending; their proof is that of a later step.
    pairs: EigenPairs,
    /// Number of requested pairs.
    n_wanted: usize,
    /// Number of pairs below the gap.
    below: usize,
    /// A value in the gap.
    sigma: f64,
}

impl GivenPairs {
    /// Checks vectors of the lowest pairs of K x = λ M x.
    ///
    /// * `space` — the admissible displacements
    /// * `vectors` — 3 n_nodes × pairs, orthonormal in M; at least one more than requested
    ///
    /// # Errors
    ///
    /// [`EigenError::NotOrthonormal`], [`EigenError::Residual`], [`EigenError::NoGap`].
    pub fn new(
        pencil: &Pencil<'_>,
        space: &impl Admissible,
        vectors: Mat<f64>,
        wanted: Wanted,
    ) -> Result<Self, EigenError> {
        let n = vectors.ncols();
        let unit = symmetric_gram(vectors.as_ref(), pencil.m.product(vectors.as_ref()).as_ref());
        let deviation = (unit - Mat::<f64>::identity(n, n)).norm_max();
        if deviation.is_nan() || deviation > GIVEN_ORTHOGONALITY {
            return Err(EigenError::NotOrthonormal { deviation });
        }
        let ritz = pencil.ritz_vectors(space, vectors)?;
        let Verified { lambda, residuals, worst } = pencil.verify(&ritz, n);
        if let Some(error) = worst {
            return Err(error);
        }
        let orthogonality = ritz.orthogonality;
        let mut vectors = ritz.x;
        fix_signs(vectors.as_mut());
        let proof = Proof::Whole;
        let pairs = EigenPairs { lambda, vectors, residuals, orthogonality, proof, n_solves: 0 }.sorted();
        let n_wanted = match wanted {
            Wanted::Count(n) => n,
            Wanted::UpTo(limit) => pairs.lambda.partition_point(|&lambda| lambda <= limit),
        };
        let gap = (n_wanted..n).find_map(|below| {
            let before = below.checked_sub(1).map_or(0.0, |last| pairs.lambda[last]);
            Some((below, gap_behind(before, pairs.lambda[below], pencil.shift, wanted)?))
        });
        match gap {
            Some((below, sigma)) => Ok(Self { pairs, n_wanted, below, sigma }),
            None => Err(EigenError::NoGap { given: n, wanted: n_wanted }),
        }
    }

    /// A value in the gap behind the requested pairs.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Number of pairs below that value.
    pub fn below(&self) -> usize {
        self.below
    }

    /// The largest residual.
    pub fn residual(&self) -> f64 {
        self.pairs.residuals.iter().copied().fold(0.0, f64::max)
    }

    /// The requested pairs, proven by a count of eigenvalues.
    ///
    /// * `counted` — eigenvalues below `shift`
    ///
    /// # Errors
    ///
    /// [`EigenError::Count`] if the count differs from the number of given pairs below `shift`.
    pub fn counted(mut self, counted: usize, shift: f64) -> Result<EigenPairs, EigenError> {
        let found = self.pairs.lambda.partition_point(|&lambda| lambda < shift);
        let is_behind = found >= self.n_wanted && found < self.pairs.lambda.len();
        if counted != found || !is_behind {
            return Err(EigenError::Count { found, counted, shift });
        }
        self.pairs.proof = Proof::Counted { shift, below: counted };
        Ok(self.pairs.truncated(self.n_wanted))
    }

    /// The requested pairs, proven by an inertia count in the gap.
    ///
    /// * `structure` — order and structure of the factor of K − σM
    ///
    /// # Errors
    ///
    /// [`EigenError::Count`], [`EigenError::Factor`].
    pub fn count<I: Counting>(
        self,
        pencil: &Pencil<'_>,
        structure: &I::Structure,
        progress: &dyn Progress,
    ) -> Result<EigenPairs, EigenError> {
        let mut shift = self.sigma;
        let mut outcome = I::count_below(structure, pencil, shift, progress);
        if let Err(FactorError::ShiftTooClose { .. }) = outcome {
            shift *= MOVED;
            outcome = I::count_below(structure, pencil, shift, progress);
        }
        self.counted(outcome?.below, shift)
    }

    /// The requested pairs after a search for further pairs below the gap, for an inverse without a factor.
    ///
    /// # Errors
    ///
    /// [`EigenError::Count`] if it finds one, [`EigenError::Iteration`].
    pub fn search(
        mut self,
        pencil: &Pencil<'_>,
        inverse: &impl Inverse,
        progress: &dyn Progress,
    ) -> Result<EigenPairs, EigenError> {
        let (shift, below) = (self.sigma, self.below);
        progress.begin("search for missing modes", 0);
        // The search compares the number of values below the gap with that of all known pairs.
        self.pairs = self.pairs.truncated(below);
        let (beside, n_solves) = pencil.beside(&self.pairs, shift, inverse, progress)?;
        progress.end();
        match beside {
            Beside::Above(next) => {
                self.pairs.proof = Proof::SearchedAgain { shift, below, next };
                self.pairs.n_solves = n_solves;
                Ok(self.pairs.truncated(self.n_wanted))
            }
            Beside::Below(n) => Err(EigenError::Count { found: below, counted: below + n, shift }),
        }
    }
}
