//! Block inverse iteration with Rayleigh-Ritz: from nearly converged vectors to pairs with small true
//! residuals.
//!
//! A step is computed as a correction,
//!
//! ```text
//! y = x − A⁻¹ (K x − λ M x) = (λ + s) A⁻¹ M x,    A = K + sM
//! ```
//!
//! equal in exact arithmetic. The rounding of A⁻¹ is then relative to the correction and not to x, so that
//! the residual falls to the rounding of K x itself, however badly A is conditioned: iterative refinement of
//! eigenpairs.
//!
//! # Source
//!
//! Dongarra, Moler & Wilkinson (1983), SIAM J. Numer. Anal. 20(1), 23–45; Tisseur (2001), SIAM J. Matrix
//! Anal. Appl. 22(4), 1038–1057.

use carom_progress::Progress;
use faer::{Mat, MatRef};

use super::operator::{Admissible, Inverse};
use super::pairs::{EigenError, EigenPairs, ORTHOGONALITY, Pencil, Proof, RESIDUAL};
use crate::dense::{fix_signs, generalised_pairs, orthonormalising};
use crate::tall::{symmetric_gram, transform};

/// Most steps of inverse iteration.
pub(super) const MAX_INVERSE_STEPS: usize = 8;

/// Ritz vectors x with K x and M x, without reactions.
pub(super) struct RitzVectors {
    pub(super) x: Mat<f64>,
    k_x: Mat<f64>,
    m_x: Mat<f64>,
    /// Largest deviation of Xᵀ M X from the identity.
    pub(super) orthogonality: f64,
}

impl RitzVectors {
    /// Rayleigh's quotient of a vector.
    fn quotient(&self, j: usize) -> f64 {
        let x = self.x.col(j).transpose();
        x * self.k_x.col(j) / (x * self.m_x.col(j))
    }
}

/// Rayleigh quotients with their residuals.
pub(super) struct Verified {
    pub(super) lambda: Vec<f64>,
    pub(super) residuals: Vec<f64>,
    /// The pair whose residual exceeds its limit by the largest factor.
    pub(super) worst: Option<EigenError>,
}

impl Pencil<'_> {
    /// Inverse iteration with Rayleigh-Ritz until the residuals of the first `n_verify` pairs are small;
    /// returns these.
    ///
    /// With no steps the vectors are only combined by Rayleigh-Ritz and verified. The vectors behind them are
    /// guards: a step takes (λ + s)/(λ_g + s) off an error, λ_g the first root behind all.
    pub(super) fn inverse_iteration(
        &self,
        factor: &impl Inverse,
        vectors: Mat<f64>,
        n_verify: usize,
        max_steps: usize,
        progress: &dyn Progress,
    ) -> Result<EigenPairs, EigenError> {
        let mut n_solves = 0;
        if n_verify == 0 {
            let (lambda, residuals) = (Vec::new(), Vec::new());
            return Ok(EigenPairs {
                lambda,
                vectors: Mat::zeros(vectors.nrows(), 0),
                residuals,
                orthogonality: 0.0,
                proof: Proof::Whole,
                n_solves,
            });
        }
        // Ritz vectors of Lanczos are often good enough as they come.
        let mut ritz = self.ritz_vectors(factor, vectors)?;
        for step in 0.. {
            let Verified { lambda, residuals, worst } = self.verify(&ritz, n_verify);
            let RitzVectors { orthogonality, .. } = ritz;
            if worst.is_none() && orthogonality <= ORTHOGONALITY {
                let mut vectors = ritz.x;
                vectors.truncate(vectors.nrows(), n_verify);
                fix_signs(vectors.as_mut());
                let proof = Proof::Whole;
                let pairs = EigenPairs { lambda, vectors, residuals, orthogonality, proof, n_solves };
                return Ok(pairs.sorted());
            }
            if step == max_steps {
                let no_pair = EigenError::NotConverged { converged: 0, solves: n_solves, shift: self.shift };
                return Err(worst.unwrap_or(no_pair));
            }
            n_solves += ritz.x.ncols();
            let corrected = self.corrected(factor, ritz, progress)?;
            ritz = self.ritz_vectors(factor, corrected)?;
        }
        unreachable!("the last step returns")
    }

    /// The vectors of a space that Rayleigh and Ritz choose, lowest first.
    pub(super) fn ritz_vectors(
        &self,
        space: &impl Admissible,
        mut y: Mat<f64>,
    ) -> Result<RitzVectors, EigenError> {
        let (mut k_y, mut m_y) = (self.k.product(y.as_ref()), self.m.product(y.as_ref()));
        space.clear_reactions(k_y.as_mut());
        space.clear_reactions(m_y.as_mut());
        let mass = symmetric_gram(y.as_ref(), m_y.as_ref());
        let shifted = symmetric_gram(y.as_ref(), k_y.as_ref()) + faer::Scale(self.shift) * &mass;
        let pairs = generalised_pairs(shifted.as_ref(), mass.as_ref())?;
        // K and M are linear: K X and M X need no further pass through them.
        let mut combine = |c: MatRef<'_, f64>| {
            for y in [&mut y, &mut k_y, &mut m_y] {
                transform(y.as_mut(), c);
            }
            deviation(y.as_ref(), m_y.as_ref())
        };
        let (unit, mut orthogonality) = combine(pairs.vectors.as_ref());
        if orthogonality > ORTHOGONALITY
            && let Some(c) = orthonormalising(unit.as_ref())
        {
            orthogonality = combine(c.as_ref()).1;
        }
        Ok(RitzVectors { x: y, k_x: k_y, m_x: m_y, orthogonality })
    }

    /// X − A⁻¹ (K X − M X Λ).
    fn corrected(
        &self,
        factor: &impl Inverse,
        ritz: RitzVectors,
        progress: &dyn Progress,
    ) -> Result<Mat<f64>, EigenError> {
        let lambda: Vec<f64> = (0..ritz.x.ncols()).map(|j| ritz.quotient(j)).collect();
        let RitzVectors { mut x, k_x: mut residual, m_x, .. } = ritz;
        for (j, lambda) in lambda.iter().enumerate() {
            let column = residual.as_mut().col_mut(j);
            column.iter_mut().zip(m_x.col(j).iter()).for_each(|(r, m)| *r -= lambda * m);
        }
        drop(m_x);
        factor.solve_correction(residual.as_mut(), x.as_ref(), progress)?;
        x -= residual;
        Ok(x)
    }

    /// The true residual of each of the first pairs.
    ///
    /// The rounding floor of a pair costs a pass through |K|: the pairs with the largest residuals come
    /// first, and the others have floors only if their residuals could exceed the limit by a larger factor.
    pub(super) fn verify(&self, ritz: &RitzVectors, n_verify: usize) -> Verified {
        let mut verified = Verified { lambda: Vec::new(), residuals: Vec::new(), worst: None };
        let mut scales = Vec::new();
        for j in 0..n_verify {
            let (m_x, value) = (ritz.m_x.col(j), ritz.quotient(j));
            let scale = value.abs().max(self.shift) * m_x.norm_l2();
            verified.lambda.push(value);
            verified.residuals.push((ritz.k_x.col(j) - faer::Scale(value) * m_x).norm_l2() / scale);
            scales.push(scale);
        }
        // A floor above the limit makes it smaller.
        let most = |residual: f64| if residual.is_nan() { f64::INFINITY } else { residual / RESIDUAL };
        let mut failing: Vec<usize> = (0..n_verify).filter(|&j| most(verified.residuals[j]) > 1.0).collect();
        failing.sort_by(|&a, &b| most(verified.residuals[b]).total_cmp(&most(verified.residuals[a])));
        let mut largest = 1.0;
        for j in failing {
            let residual = verified.residuals[j];
            if most(residual) <= largest {
                break;
            }
            let floor = self.k.rounding(ritz.x.col(j)) / scales[j];
            let excess = if residual.is_nan() { f64::INFINITY } else { residual / floor.max(RESIDUAL) };
            if excess > largest {
                largest = excess;
                let lambda = verified.lambda[j];
                verified.worst = Some(EigenError::Residual { pair: j, lambda, residual, floor });
            }
        }
        verified
    }
}

/// Xᵀ M X and its largest deviation from the identity.
fn deviation(x: MatRef<'_, f64>, m_x: MatRef<'_, f64>) -> (Mat<f64>, f64) {
    let unit = symmetric_gram(x, m_x);
    let n = x.ncols();
    let deviation = (&unit - Mat::<f64>::identity(n, n)).norm_max();
    (unit, deviation)
}
