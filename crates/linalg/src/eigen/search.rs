//! Block Lanczos until the requested pairs and a gap behind them have converged, and the inertia count that
//! proves them.

use carom_progress::Progress;

use super::inverse::MAX_INVERSE_STEPS;
use super::krylov::{Krylov, Ritz};
use super::operator::{Counting, Inverse};
use super::pairs::{EigenError, EigenPairs, Pencil, Proof, Wanted};
use crate::factor::FactorError;
use crate::lanes::LANES;

/// Columns of a Lanczos block.
pub(super) const BLOCK: usize = LANES;

/// Number of additional Ritz vectors in inverse iteration, behind the requested ones.
pub(super) const GUARD: usize = 12;

/// Pairs for which there is room at first where their number is not known.
pub(super) const FIRST_GUESS: usize = 40;

/// Residual over θ at which a Lanczos pair has converged.
///
/// The true residual after the last step of the operator is about the same.
pub(super) const LANCZOS_RESIDUAL: f64 = 8e-9;

/// Number of times that Lanczos continues to a smaller residual because true residuals were too large; then
/// inverse iteration follows.
const MAX_CHECKS: usize = 4;

/// Factor by which the residual of Lanczos must fall in each of these continuations.
const TIGHTENING: f64 = 0.1;

/// Largest part of a true residual that may remain after a continuation; a larger one comes from rounding of
/// the factor.
const NO_GAIN: f64 = 0.5;

/// A pair is locked when its residual is this part of the largest residual of the smallest requested pair.
const LOCKING: f64 = 0.1;

/// θ of the first pair over the smallest requested one above which converged pairs are locked: rounding of
/// the first would show in the others.
const SPREAD: f64 = 1e4;

/// Residual over θ at which a Lanczos value bounds the gap behind the requested pairs.
pub(super) const GAP_RESIDUAL: f64 = 1e-3;

/// Smallest gap, relative to the eigenvalue behind it, into which the shift of the inertia count may fall.
const SMALLEST_GAP: f64 = 1e-4;

/// Smallest gap relative to the shift s: below it values are rigid modes, equal to rounding.
const SMALLEST_SHIFTED_GAP: f64 = 1e-6;

/// Most Lanczos blocks in which no further pair converges.
const MAX_IDLE_BLOCKS: usize = 400;

/// Part of the space by which it grows before it is looked at again, two blocks at least.
const LOOK_AGAIN: usize = 16;

/// Near the end a check after every block saves one or two blocks. Lanczos checks after every block while the
/// cube of the space's dimension is below this number times the nodes of the body: while a check costs less
/// than a block.
const CHEAP_LOOK: f64 = 3e3;

/// Lanczos blocks that fresh directions get after each inertia count that found a pair missing.
pub(super) const BLOCKS_AFTER_COUNT: usize = 6;

/// Most inertia counts before the search gives up.
pub(super) const MAX_COUNTS: usize = 5;

/// Converged pairs of Lanczos: how many to return, how many to verify, and the shift of the inertia count.
pub(super) struct Candidate {
    pub(super) n_return: usize,
    pub(super) n_verify: usize,
    pub(super) sigma: f64,
}

/// The requested pairs of a Lanczos pass, and its limits.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) wanted: Wanted,
    /// Dimension at which the space is cut back.
    pub(super) max_dim: usize,
    /// Number of blocks before the first candidate is accepted.
    pub(super) least_blocks: usize,
    /// Residual over θ at which a pair has converged.
    pub(super) residual: f64,
}

/// Progress on a scale that ends at the number of requested pairs: half of it is the growth of the space to
/// twice that number, as the first pairs converge late; half is the number of converged pairs. Without a
/// requested number it is the number of converged pairs.
fn bar(wanted: Wanted, n_applied: usize, converged: usize) -> u64 {
    let n = wanted.expected() as usize;
    if n == 0 {
        return converged as u64;
    }
    ((n_applied.min(2 * n) / 2 + converged.min(n)) / 2) as u64
}

impl Pencil<'_> {
    /// Lanczos, inverse iteration and count until the count agrees.
    pub(super) fn search<I: Counting>(
        &self,
        factor: I,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<(EigenPairs, I::Structure), EigenError> {
        let mut factor = factor;
        let max_dim = Self::largest_space(wanted);
        let mut krylov = Krylov::new(self.m, &factor);
        krylov.add_start_block(&factor, BLOCK, progress)?;
        let mut last_count = None;
        let mut least_blocks = 0;
        for _ in 0..MAX_COUNTS {
            let limits = Limits { wanted, max_dim, least_blocks, residual: LANCZOS_RESIDUAL };
            let (candidate, ritz, mut pairs) = self.verified(&mut krylov, &factor, limits, progress)?;
            let found = pairs.lambda.iter().filter(|&&lambda| lambda < candidate.sigma).count();
            let (inertia, symbolic) = self.count(factor, candidate.sigma, progress)?;
            if inertia == found && found >= candidate.n_return {
                pairs.proof = Proof::Counted { shift: candidate.sigma, below: inertia };
                return Ok((pairs.truncated(candidate.n_return), symbolic));
            }
            last_count = Some(EigenError::Count { found, counted: inertia, shift: candidate.sigma });
            factor = I::refactor(symbolic, self, progress)?;
            let keep = (candidate.n_verify + 2 * BLOCK).min(ritz.theta.len());
            krylov.restart(&ritz, keep, self.lockable(&ritz, wanted));
            // What was missed must grow out of the fresh directions before the pairs that are known count
            // again.
            krylov.add_start_block(&factor, BLOCK.max(inertia.saturating_sub(found)), progress)?;
            least_blocks += BLOCKS_AFTER_COUNT;
        }
        Err(last_count.expect("the loop ran at least once"))
    }

    /// Dimension at which the space of Lanczos is cut back.
    pub(super) fn largest_space(wanted: Wanted) -> usize {
        let first_guess = match wanted {
            Wanted::Count(n) => n,
            Wanted::UpTo(_) => FIRST_GUESS,
        };
        3 * first_guess + 12 * BLOCK
    }

    /// Lanczos until the true residuals are small.
    pub(super) fn verified(
        &self,
        krylov: &mut Krylov<'_>,
        factor: &impl Inverse,
        limits: Limits,
        progress: &dyn Progress,
    ) -> Result<(Candidate, Ritz, EigenPairs), EigenError> {
        let mut limits = limits;
        let mut last_excess = f64::INFINITY;
        let mut stagnates = false;
        for check in 0.. {
            let (candidate, ritz) = self.lanczos(krylov, factor, limits, progress)?;
            let is_last = check >= MAX_CHECKS || stagnates;
            // Guards are of use to inverse iteration alone.
            let (max_steps, guards) = if is_last { (MAX_INVERSE_STEPS, GUARD) } else { (0, 0) };
            let vectors = krylov.vectors(&ritz, (candidate.n_verify + guards).min(ritz.theta.len()));
            match self.inverse_iteration(factor, vectors, candidate.n_verify, max_steps, progress) {
                // Norms differ, or the pending block holds a copy of a root that Lanczos does not know yet.
                Err(error @ (EigenError::Residual { .. } | EigenError::NotConverged { .. })) if !is_last => {
                    // Rounding of the factor does not fall with the residual of Lanczos: corrections take it
                    // out.
                    let excess = error.excess();
                    stagnates = excess > NO_GAIN * last_excess;
                    last_excess = excess;
                    limits = Limits { residual: TIGHTENING * limits.residual, least_blocks: 0, ..limits };
                }
                outcome => {
                    let mut pairs = outcome?;
                    pairs.n_solves += krylov.n_solves;
                    return Ok((candidate, ritz, pairs));
                }
            }
        }
        unreachable!("the last check returns")
    }

    /// Counts the eigenvalues below σ; a shift on a pivot is moved a little.
    pub(super) fn count<I: Counting>(
        &self,
        factor: I,
        sigma: f64,
        progress: &dyn Progress,
    ) -> Result<(usize, I::Structure), EigenError> {
        let (outcome, symbolic) = factor.into_inertia(self, sigma, progress);
        let inertia = match outcome {
            Err(FactorError::ShiftTooClose { .. }) => {
                let moved = sigma * (1.0 - 0.01 * SMALLEST_GAP);
                I::count_below(&symbolic, self, moved, progress)?
            }
            outcome => outcome?,
        };
        Ok((inertia.below, symbolic))
    }

    /// Expands the space until the requested pairs and a gap behind them have converged.
    fn lanczos(
        &self,
        krylov: &mut Krylov<'_>,
        factor: &impl Inverse,
        Limits { wanted, max_dim, least_blocks, residual }: Limits,
        progress: &dyn Progress,
    ) -> Result<(Candidate, Ritz), EigenError> {
        let (mut converged, mut most) = (0, 0);
        // A space must be larger than the number of requested pairs to hold all of them.
        let mut next_ritz = match wanted {
            Wanted::Count(n) => n,
            Wanted::UpTo(_) => 0,
        };
        let (mut blocks, mut idle, mut shown) = (0, 0, 0);
        while idle < MAX_IDLE_BLOCKS {
            if progress.interrupted() {
                return Err(EigenError::Interrupted);
            }
            if krylov.is_exhausted() {
                krylov.add_start_block(factor, BLOCK, progress)?;
            }
            krylov.expand(factor, progress)?;
            (blocks, idle) = (blocks + 1, idle + 1);
            shown = shown.max(bar(wanted, krylov.n_applied(), converged));
            progress.set(shown);
            let room = max_dim.max(3 * converged + 12 * BLOCK);
            if krylov.n_applied() < next_ritz && !krylov.exceeds(room) && !krylov.is_exhausted() {
                continue;
            }
            let ritz = krylov.ritz()?;
            converged =
                (0..ritz.theta.len()).take_while(|&i| ritz.residual[i] <= residual * ritz.theta[i]).count();
            // Pairs that a restart has lost and that come back do not count as progress.
            if converged > most {
                (most, idle) = (converged, 0);
            }
            let candidate = self.candidate(&ritz, converged, wanted, krylov.is_exhausted());
            if let Some(candidate) = candidate.filter(|_| blocks > least_blocks || krylov.is_exhausted()) {
                return Ok((candidate, ritz));
            }
            // The space grows with the converged pairs, so that there is always room for new directions.
            let n_ritz = ritz.theta.len();
            let locked = self.lockable(&ritz, wanted);
            if krylov.exceeds(max_dim.max(3 * converged + 12 * BLOCK)) {
                krylov.restart(&ritz, (converged + 3 * BLOCK).min(n_ritz), locked);
            } else if locked >= krylov.n_locked() + 2 * BLOCK {
                krylov.restart(&ritz, n_ritz, locked);
            }
            next_ritz = krylov.n_applied() + self.next_look(krylov.n_applied(), converged, wanted);
        }
        Err(EigenError::NotConverged { converged, solves: krylov.n_solves, shift: self.shift })
    }

    /// Columns by which the space grows before its pairs are computed again.
    fn next_look(&self, n_applied: usize, converged: usize, wanted: Wanted) -> usize {
        let is_near = match wanted {
            Wanted::Count(n) => 5 * converged >= 4 * n,
            Wanted::UpTo(_) => false,
        };
        if is_near && (n_applied as f64).powi(3) < CHEAP_LOOK * self.m.n_nodes() as f64 {
            return BLOCK;
        }
        let step = if 4 * converged > n_applied { BLOCK } else { 2 * BLOCK };
        step.max(n_applied / LOOK_AGAIN)
    }

    /// Number of Ritz pairs whose coupling to the rest is dropped: it must be small against the smallest
    /// wanted θ.
    ///
    /// None where θ spreads little: locked pairs no longer improve.
    pub(super) fn lockable(&self, ritz: &Ritz, wanted: Wanted) -> usize {
        let smallest = match wanted {
            Wanted::Count(n) => ritz.theta[n.min(ritz.theta.len()) - 1],
            Wanted::UpTo(limit) => 1.0 / (limit + self.shift),
        };
        if ritz.theta[0] <= SPREAD * smallest {
            return 0;
        }
        ritz.residual
            .iter()
            .take_while(|&&residual| residual <= LOCKING * LANCZOS_RESIDUAL * smallest)
            .count()
    }

    /// Looks for the first gap behind the wanted pairs.
    fn candidate(&self, ritz: &Ritz, converged: usize, wanted: Wanted, exhausted: bool) -> Option<Candidate> {
        let lambda = |i: usize| 1.0 / ritz.theta[i] - self.shift;
        let known = (0..ritz.theta.len())
            .take_while(|&i| ritz.theta[i] > 0.0 && ritz.residual[i] <= GAP_RESIDUAL * ritz.theta[i])
            .count();
        let n_return = match wanted {
            Wanted::Count(n) => n,
            Wanted::UpTo(limit) => {
                // Something above the limit must be known, else more may lie below it.
                let n = (0..known).take_while(|&i| lambda(i) <= limit).count();
                if n == known && !exhausted {
                    return None;
                }
                n
            }
        };
        for n_verify in n_return..known.min(converged + 1) {
            let (below, above) = (if n_verify == 0 { 0.0 } else { lambda(n_verify - 1) }, lambda(n_verify));
            if let Some(sigma) = gap_behind(below, above, self.shift, wanted) {
                return Some(Candidate { n_return, n_verify, sigma });
            }
        }
        None
    }
}

/// The shift of a count between two successive eigenvalues; none if their gap is too small for it.
///
/// * `shift` — s of K + sM
pub(super) fn gap_behind(below: f64, above: f64, shift: f64, wanted: Wanted) -> Option<f64> {
    let gap = above - below;
    if gap <= (SMALLEST_GAP * above).max(SMALLEST_SHIFTED_GAP * shift) {
        return None;
    }
    let sigma = below + 0.5 * gap.min(0.1 * above);
    Some(match wanted {
        Wanted::Count(_) => sigma,
        Wanted::UpTo(limit) => sigma.max(limit.min(below + 0.5 * gap)),
    })
}
