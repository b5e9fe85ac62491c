//! The lowest eigenpairs of K x = λ M x on free dofs, none missing and none invented.
//!
//! 1. Block Lanczos on (K + sM)⁻¹ M in the inner product of M, with full reorthogonalisation and thick restarts, until
//!    the wanted pairs and a gap behind them have converged.
//! 2. Block inverse iteration with Rayleigh-Ritz until the true residual |K x − λ M x| of every pair is small.
//! 3. The inertia of K − σM, σ in the gap, must count as many eigenvalues as were found. If it counts more (a copy of a
//!    multiple root that the start block did not excite), fresh directions are added and the search goes on.
//!
//! # Source
//!
//! Grimes, Lewis & Simon (1994), SIAM J. Matrix Anal. Appl. 15(1), 228–272.

use carom_progress::Progress;
use faer::Mat;

use crate::block::{BlockMatrix, NodeMatrix};
use crate::dense::{DenseEigenError, add_product, fix_signs, generalised_pairs, gram, product};
use crate::factor::{Cholesky, FactorError, count_below};
use crate::krylov::{Krylov, Ritz};
use crate::symbolic::Symbolic;

/// Columns of a Lanczos block.
const BLOCK: usize = 6;

/// Ritz vectors that take part in inverse iteration behind those that are wanted.
const GUARD: usize = 12;

/// Largest true residual |K x − λ M x| over max(λ, s) |M x|.
pub const RESIDUAL: f64 = 1e-8;

/// Largest deviation of Xᵀ M X from the identity.
pub const ORTHOGONALITY: f64 = 1e-10;

/// Residual over θ at which a Lanczos pair has converged; inverse iteration does the rest.
const LANCZOS_RESIDUAL: f64 = 1e-9;

/// A pair is locked when its residual is this part of what the smallest wanted pair may have.
const LOCKING: f64 = 0.1;

/// Residual over θ at which a Lanczos value bounds the gap behind the wanted pairs.
const GAP_RESIDUAL: f64 = 1e-3;

/// Smallest gap, relative to the eigenvalue behind it, into which the shift of the inertia count may fall.
const SMALLEST_GAP: f64 = 1e-4;

/// Smallest gap relative to the shift s: below it values are rigid modes, equal to rounding.
const SMALLEST_SHIFTED_GAP: f64 = 1e-6;

/// Most steps of inverse iteration.
const MAX_INVERSE_STEPS: usize = 8;

/// Most Lanczos blocks between two inertia counts.
const MAX_BLOCKS: usize = 400;

/// Lanczos blocks that fresh directions get after each inertia count that found a pair missing.
const BLOCKS_AFTER_COUNT: usize = 6;

/// Most inertia counts before the search gives up.
const MAX_COUNTS: usize = 5;

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
/// * `factor` — Cholesky factor of K + sM; given up, because the inertia count works in its memory
/// * `shift` — its s ≥ 0, the scale below which a residual counts as absolute (rigid modes)
///
/// Returns the pairs and the structure of the factor for further use.
///
/// # Errors
///
/// [`EigenError`]; never fewer pairs than wanted.
pub fn lowest_pairs(
    k: &BlockMatrix,
    m: &NodeMatrix,
    factor: Cholesky,
    shift: f64,
    wanted: Wanted,
    progress: &dyn Progress,
) -> Result<(EigenPairs, Symbolic), EigenError> {
    let n_free = factor.symbolic().n_free();
    if let Wanted::Count(n) = wanted
        && n > n_free
    {
        return Err(EigenError::TooMany { wanted: n, n_free });
    }
    let pencil = Pencil { k, m, shift };
    let many = matches!(wanted, Wanted::Count(n) if 3 * n > n_free);
    if n_free <= DENSE_LIMIT || many {
        let pairs = pencil.dense(&factor, wanted)?;
        return Ok((pairs, factor.into_symbolic()));
    }
    progress.begin("eigenpairs", 0);
    let outcome = pencil.search(factor, wanted, progress);
    progress.end();
    outcome
}

/// Pairs that Lanczos vouches for: how many to return, how many to verify, where to count.
struct Candidate {
    n_return: usize,
    n_verify: usize,
    sigma: f64,
}

/// What a Lanczos pass is for, and how far it goes.
#[derive(Clone, Copy)]
struct Limits {
    wanted: Wanted,
    /// Dimension at which the space is cut back.
    max_dim: usize,
    /// Blocks before a candidate is taken.
    least_blocks: usize,
}

impl Pencil<'_> {
    fn search(
        &self,
        factor: Cholesky,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<(EigenPairs, Symbolic), EigenError> {
        let mut factor = factor;
        let n_free = factor.symbolic().n_free();
        let first_guess = match wanted {
            Wanted::Count(n) => n,
            Wanted::UpTo(_) => 40,
        };
        let max_dim = 2 * first_guess + 10 * BLOCK;
        let mut krylov = Krylov::new(self.m, max_dim.min(n_free));
        krylov.add_start_block(&factor, BLOCK)?;
        let mut last_count = None;
        let mut least_blocks = 0;
        for _ in 0..MAX_COUNTS {
            let limits = Limits { wanted, max_dim, least_blocks };
            let (candidate, ritz) = self.lanczos(&mut krylov, &factor, limits, progress)?;
            let vectors = krylov.vectors(&ritz, (candidate.n_verify + GUARD).min(ritz.theta.len()));
            let mut pairs = self.inverse_iteration(&factor, vectors, candidate.n_verify)?;
            pairs.n_solves += krylov.n_solves;
            let found = pairs.lambda.iter().filter(|&&lambda| lambda < candidate.sigma).count();
            let (inertia, symbolic) = self.count(factor, candidate.sigma, progress)?;
            if inertia == found && found >= candidate.n_return {
                pairs.proof = Some((candidate.sigma, inertia));
                return Ok((pairs.truncated(candidate.n_return), symbolic));
            }
            last_count = Some(EigenError::Count { found, counted: inertia, shift: candidate.sigma });
            factor = Cholesky::with_symbolic(symbolic, self.k, Some((self.m, self.shift)), progress)?;
            let keep = (candidate.n_verify + 2 * BLOCK).min(ritz.theta.len());
            krylov.restart(&ritz, keep, candidate.n_verify);
            // What was missed must grow out of the fresh directions before the pairs that are known count again.
            krylov.add_start_block(&factor, BLOCK.max(inertia.saturating_sub(found)))?;
            least_blocks += BLOCKS_AFTER_COUNT;
        }
        Err(last_count.expect("the loop ran at least once"))
    }

    /// Counts the eigenvalues below σ; a shift on a pivot is moved a little.
    fn count(
        &self,
        factor: Cholesky,
        sigma: f64,
        progress: &dyn Progress,
    ) -> Result<(usize, Symbolic), EigenError> {
        let (outcome, symbolic) = factor.into_inertia(self.k, self.m, sigma, progress);
        let inertia = match outcome {
            Err(FactorError::ShiftTooClose { .. }) => {
                let moved = sigma * (1.0 - 0.01 * SMALLEST_GAP);
                count_below(&symbolic, self.k, self.m, moved, progress)?
            }
            outcome => outcome?,
        };
        Ok((inertia.below, symbolic))
    }

    /// Expands the space until the wanted pairs and a gap behind them have converged.
    fn lanczos(
        &self,
        krylov: &mut Krylov<'_>,
        factor: &Cholesky,
        Limits { wanted, max_dim, least_blocks }: Limits,
        progress: &dyn Progress,
    ) -> Result<(Candidate, Ritz), EigenError> {
        let mut converged = 0;
        for block in 0..MAX_BLOCKS {
            if progress.interrupted() {
                return Err(EigenError::Interrupted);
            }
            if krylov.is_exhausted() {
                krylov.add_start_block(factor, BLOCK)?;
            }
            krylov.expand(factor)?;
            let ritz = krylov.ritz()?;
            converged = (0..ritz.theta.len())
                .take_while(|&i| ritz.residual[i] <= LANCZOS_RESIDUAL * ritz.theta[i])
                .count();
            progress.set(converged as u64);
            let candidate = self.candidate(&ritz, converged, wanted, krylov.is_exhausted());
            if let Some(candidate) = candidate.filter(|_| block >= least_blocks || krylov.is_exhausted()) {
                return Ok((candidate, ritz));
            }
            // The space grows with what has converged in it, so that there is always room for new directions.
            let n_ritz = ritz.theta.len();
            let locked = self.lockable(&ritz, wanted);
            if krylov.exceeds(max_dim.max(2 * converged + 8 * BLOCK)) {
                krylov.restart(&ritz, (converged + 3 * BLOCK).min(n_ritz), locked);
            } else if locked >= krylov.n_locked() + 2 * BLOCK {
                krylov.restart(&ritz, n_ritz, locked);
            }
        }
        Err(EigenError::NotConverged { converged, solves: krylov.n_solves, shift: self.shift })
    }

    /// Number of Ritz pairs whose coupling to the rest may be dropped: it must be small against the smallest wanted θ.
    fn lockable(&self, ritz: &Ritz, wanted: Wanted) -> usize {
        let smallest = match wanted {
            Wanted::Count(n) => ritz.theta[n.min(ritz.theta.len()) - 1],
            Wanted::UpTo(limit) => 1.0 / (limit + self.shift),
        };
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
            let gap = above - below;
            if gap > (SMALLEST_GAP * above).max(SMALLEST_SHIFTED_GAP * self.shift) {
                let mut sigma = below + 0.5 * gap.min(0.1 * above);
                if let Wanted::UpTo(limit) = wanted {
                    sigma = sigma.max(limit.min(below + 0.5 * gap));
                }
                return Some(Candidate { n_return, n_verify, sigma });
            }
        }
        None
    }

    /// Inverse iteration with Rayleigh-Ritz until the residuals of the first `n_verify` pairs are small; returns these.
    ///
    /// The vectors behind them are guards: a step takes (λ + s)/(λ_g + s) off an error, λ_g the first root behind all.
    fn inverse_iteration(
        &self,
        factor: &Cholesky,
        vectors: Mat<f64>,
        n_verify: usize,
    ) -> Result<EigenPairs, EigenError> {
        let free = factor.symbolic().free();
        let mut x = vectors;
        let mut n_solves = 0;
        let mut worst = None;
        if n_verify == 0 {
            let (lambda, residuals) = (Vec::new(), Vec::new());
            return Ok(EigenPairs {
                lambda,
                vectors: Mat::zeros(x.nrows(), 0),
                residuals,
                orthogonality: 0.0,
                proof: None,
                n_solves,
            });
        }
        for _ in 0..MAX_INVERSE_STEPS {
            let mut y = self.m.product(x.as_ref());
            factor.solve_in_place(y.as_mut());
            n_solves += y.ncols();
            let (mut k_y, mut m_y) = (self.k.product(y.as_ref()), self.m.product(y.as_ref()));
            free.clear_fixed(k_y.as_mut());
            free.clear_fixed(m_y.as_mut());
            let mass = gram(y.as_ref(), m_y.as_ref());
            let shifted = gram(y.as_ref(), k_y.as_ref()) + faer::Scale(self.shift) * &mass;
            let pairs = generalised_pairs(shifted.as_ref(), mass.as_ref())?;
            x = product(y.as_ref(), pairs.vectors.as_ref());
            fix_signs(x.as_mut());
            let (mut k_x, mut m_x) = (self.k.product(x.as_ref()), self.m.product(x.as_ref()));
            free.clear_fixed(k_x.as_mut());
            free.clear_fixed(m_x.as_mut());
            let unit = gram(x.as_ref(), m_x.as_ref());
            let n = x.ncols();
            let orthogonality = (unit - Mat::<f64>::identity(n, n)).norm_max();
            let mut lambda = Vec::with_capacity(n);
            let mut residuals = Vec::with_capacity(n);
            worst = None;
            for j in 0..n_verify {
                let value = x.col(j).transpose() * k_x.col(j) / (x.col(j).transpose() * m_x.col(j));
                let scale = value.abs().max(self.shift) * m_x.col(j).norm_l2();
                let residual = (k_x.col(j) - faer::Scale(value) * m_x.col(j)).norm_l2() / scale;
                if residual.is_nan() || residual > RESIDUAL {
                    let floor = self.rounding(x.col(j)) / scale;
                    if residual.is_nan() || residual > floor {
                        worst.get_or_insert(EigenError::Residual { pair: j, lambda: value, residual, floor });
                    }
                }
                lambda.push(value);
                residuals.push(residual);
            }
            if worst.is_none() && orthogonality <= ORTHOGONALITY {
                let vectors = x.subcols(0, n_verify).to_owned();
                let pairs = EigenPairs { lambda, vectors, residuals, orthogonality, proof: None, n_solves };
                return Ok(pairs.sorted());
            }
        }
        Err(worst.unwrap_or(EigenError::NotConverged { converged: 0, solves: n_solves, shift: self.shift }))
    }

    /// What rounding alone can leave in K x: 8 ε | |K| |x| |, the sums of K x cancel to far smaller ones.
    fn rounding(&self, x: faer::ColRef<'_, f64>) -> f64 {
        let magnitudes = Mat::from_fn(x.nrows(), 1, |i, _| x[i].abs());
        8.0 * f64::EPSILON * self.k.magnitude_product(magnitudes.as_ref()).norm_l2()
    }

    /// All pairs of a small problem.
    fn dense(&self, factor: &Cholesky, wanted: Wanted) -> Result<EigenPairs, EigenError> {
        let free = factor.symbolic().free();
        let dofs = free.to_vec();
        let n_dofs = self.k.n_dofs();
        let mut unit = Mat::zeros(n_dofs, dofs.len());
        for (j, &dof) in dofs.iter().enumerate() {
            unit[(dof, j)] = 1.0;
        }
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
        let mut x = Mat::zeros(n_dofs, n);
        add_product(x.as_mut(), 1.0, unit.as_ref(), pairs.vectors.subcols(0, n));
        self.inverse_iteration(factor, x, n)
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
