//! Block inverse iteration with Rayleigh-Ritz: from nearly converged vectors to pairs with small true residuals.

use carom_progress::Progress;
use faer::{Mat, MatRef};

use super::{EigenError, EigenPairs, Inverse, ORTHOGONALITY, Pencil, Proof, RESIDUAL};
use crate::dense::{fix_signs, generalised_pairs, orthonormalising};
use crate::tall::{symmetric_gram, transform};

/// Most steps of inverse iteration.
pub(super) const MAX_INVERSE_STEPS: usize = 8;

impl Pencil<'_> {
    /// Inverse iteration with Rayleigh-Ritz until the residuals of the first `n_verify` pairs are small; returns these.
    ///
    /// With no steps the vectors are only combined by Rayleigh-Ritz and verified. The vectors behind them are guards: a step takes (λ + s)/(λ_g + s) off an error, λ_g the first root behind all.
    pub(super) fn inverse_iteration(
        &self,
        factor: &impl Inverse,
        vectors: Mat<f64>,
        n_verify: usize,
        max_steps: usize,
        progress: &dyn Progress,
    ) -> Result<EigenPairs, EigenError> {
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
                proof: Proof::Whole,
                n_solves,
            });
        }
        for step in 0..=max_steps {
            // Ritz vectors of Lanczos are often good enough as they come.
            let mut y = x;
            if step > 0 {
                y = self.m.product(y.as_ref());
                factor.solve_in_place(y.as_mut(), progress)?;
                n_solves += y.ncols();
            }
            let (mut k_y, mut m_y) = (self.k.product(y.as_ref()), self.m.product(y.as_ref()));
            factor.clear_reactions(k_y.as_mut());
            factor.clear_reactions(m_y.as_mut());
            let mass = symmetric_gram(y.as_ref(), m_y.as_ref());
            let shifted = symmetric_gram(y.as_ref(), k_y.as_ref()) + faer::Scale(self.shift) * &mass;
            let pairs = generalised_pairs(shifted.as_ref(), mass.as_ref())?;
            // K and M are linear: what they make of X needs no further pass through them.
            let combine = |tall: [&mut Mat<f64>; 3], c: MatRef<'_, f64>| {
                for y in tall {
                    transform(y.as_mut(), c);
                }
            };
            combine([&mut y, &mut k_y, &mut m_y], pairs.vectors.as_ref());
            let (mut unit, mut orthogonality) = deviation(y.as_ref(), m_y.as_ref());
            if orthogonality > ORTHOGONALITY
                && let Some(c) = orthonormalising(unit.as_ref())
            {
                combine([&mut y, &mut k_y, &mut m_y], c.as_ref());
                (unit, orthogonality) = deviation(y.as_ref(), m_y.as_ref());
            }
            drop(unit);
            x = y;
            let (k_x, m_x) = (k_y, m_y);
            let n = x.ncols();
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
                x.truncate(x.nrows(), n_verify);
                fix_signs(x.as_mut());
                let pairs = EigenPairs {
                    lambda,
                    vectors: x,
                    residuals,
                    orthogonality,
                    proof: Proof::Whole,
                    n_solves,
                };
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
}

/// Xᵀ M X and its largest deviation from the identity.
fn deviation(x: MatRef<'_, f64>, m_x: MatRef<'_, f64>) -> (Mat<f64>, f64) {
    let unit = symmetric_gram(x, m_x);
    let n = x.ncols();
    let deviation = (&unit - Mat::<f64>::identity(n, n)).norm_max();
    (unit, deviation)
}
