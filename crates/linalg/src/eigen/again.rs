//! The search without a factor: no inertia can be counted, so a second search looks for pairs that the first
//! one missed.
//!
//! Directions drawn afresh, in the M-orthogonal complement of the pairs that were found, span a Krylov space
//! of their own. A copy of a multiple root that the first start block did not excite has the largest θ there:
//! it appears as a Ritz value below the gap within a few blocks. Then the first search gets fresh directions
//! and continues.

use carom_progress::Progress;

use super::krylov::Krylov;
use super::operator::Inverse;
use super::pairs::{EigenError, EigenPairs, Pencil, Proof, Wanted};
use super::search::{BLOCK, BLOCKS_AFTER_COUNT, GAP_RESIDUAL, LANCZOS_RESIDUAL, Limits, MAX_COUNTS};

/// Fewest blocks of the second search.
const LEAST_BLOCKS: usize = 4;

/// Most blocks of the second search: its lowest value must be known by then.
const MOST_BLOCKS: usize = 60;

/// What a second search found.
pub(super) enum Beside {
    /// Its lowest value, above the gap.
    Above(f64),
    /// Something below the gap: how many values.
    Below(usize),
}

impl Pencil<'_> {
    /// Lanczos, and a second search until that finds nothing more below the gap.
    pub(super) fn search_twice(
        &self,
        inverse: &impl Inverse,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<EigenPairs, EigenError> {
        let max_dim = Self::largest_space(wanted);
        let mut krylov = Krylov::new(self.m, inverse);
        krylov.add_start_block(inverse, BLOCK, progress)?;
        let mut least_blocks = 0;
        let mut n_solves = 0;
        for _ in 0..MAX_COUNTS {
            let limits = Limits { wanted, max_dim, least_blocks, residual: LANCZOS_RESIDUAL };
            let (candidate, ritz, mut pairs) = self.verified(&mut krylov, inverse, limits, progress)?;
            let shift = candidate.sigma;
            let below = pairs.lambda.iter().filter(|&&lambda| lambda < shift).count();
            let (beside, solves) = self.beside(&pairs, shift, inverse, progress)?;
            n_solves += solves;
            let n_missed = match beside {
                Beside::Above(next) if below >= candidate.n_return => {
                    pairs.proof = Proof::SearchedAgain { shift, below, next };
                    pairs.n_solves += n_solves;
                    return Ok(pairs.truncated(candidate.n_return));
                }
                Beside::Above(_) => candidate.n_return - below,
                Beside::Below(n) => n,
            };
            let keep = (candidate.n_verify + 2 * BLOCK).min(ritz.theta.len());
            krylov.restart(&ritz, keep, self.lockable(&ritz, wanted));
            krylov.add_start_block(inverse, BLOCK.max(n_missed), progress)?;
            least_blocks += BLOCKS_AFTER_COUNT;
        }
        Err(EigenError::NotConverged { converged: 0, solves: krylov.n_solves + n_solves, shift: self.shift })
    }

    /// Searches the complement of the pairs until its lowest value is known to lie above σ, or a value below
    /// σ appears. Returns the outcome and the number of solves.
    pub(super) fn beside(
        &self,
        pairs: &EigenPairs,
        sigma: f64,
        inverse: &impl Inverse,
        progress: &dyn Progress,
    ) -> Result<(Beside, usize), EigenError> {
        let theta: Vec<f64> = pairs.lambda.iter().map(|lambda| 1.0 / (lambda + self.shift)).collect();
        let limit = 1.0 / (sigma + self.shift);
        let mut krylov = Krylov::beside(self.m, inverse, pairs.vectors.as_ref(), &theta);
        krylov.add_start_block(inverse, BLOCK, progress)?;
        for block in 1..=MOST_BLOCKS {
            if progress.interrupted() {
                return Err(EigenError::Interrupted);
            }
            if krylov.is_exhausted() {
                // No direction is left that is orthogonal to the pairs.
                return Ok((Beside::Above(f64::INFINITY), krylov.n_solves));
            }
            krylov.expand(inverse, progress)?;
            if block < LEAST_BLOCKS && !krylov.is_exhausted() {
                continue;
            }
            let ritz = krylov.ritz()?;
            // Ritz values of the complement never exceed its largest θ: one above the limit is a pair that
            // was missed.
            let n_above = ritz.theta.iter().filter(|&&theta| theta > limit).count();
            if n_above > pairs.lambda.len() {
                return Ok((Beside::Below(n_above - pairs.lambda.len()), krylov.n_solves));
            }
            let Some((&theta, &residual)) =
                ritz.theta.get(pairs.lambda.len()).zip(ritz.residual.get(pairs.lambda.len()))
            else {
                return Ok((Beside::Above(f64::INFINITY), krylov.n_solves));
            };
            if residual <= (GAP_RESIDUAL * theta).min(0.5 * (limit - theta)) {
                return Ok((Beside::Above(1.0 / theta - self.shift), krylov.n_solves));
            }
        }
        Err(EigenError::NotConverged {
            converged: pairs.lambda.len(),
            solves: krylov.n_solves,
            shift: self.shift,
        })
    }
}
