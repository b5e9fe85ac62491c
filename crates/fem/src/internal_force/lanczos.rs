//! The largest eigenvalue of the matrix of a large cell, from above.
//!
//! Lanczos' method from a fixed vector without a pattern. After k steps the largest Ritz value θ has an
//! eigenvalue of B within its residual β_k |s_k|, s the eigenvector of the tridiagonal matrix. The value is
//! θ plus this residual, which is below a hundredth of θ. It is a bound unless the first vector has hardly a
//! part in the eigenvector of the largest eigenvalue; `certified` proves it by a factorisation.
//!
//! # Source
//!
//! Parlett (1998), *The Symmetric Eigenvalue Problem*, sections 13.2 and 13.8; Zhou & Li (2011), Linear
//! Algebra and its Applications 435, 480–493, for θ + residual as a bound of a spectrum.

use faer::Mat;

use crate::evaluator::dot;

/// Largest number of steps.
const MOST: usize = 60;

/// Accepted residual, relative to θ.
const ACCEPTED: f64 = 0.01;

/// Memory of the method.
#[derive(Debug, Clone, Default)]
pub(super) struct Lanczos {
    /// Three consecutive vectors.
    before: Vec<f64>,
    vector: Vec<f64>,
    next: Vec<f64>,
    /// Diagonal and off-diagonal of the tridiagonal matrix.
    alpha: Vec<f64>,
    beta: Vec<f64>,
}

impl Lanczos {
    /// θ + residual of a symmetric matrix without negative eigenvalues that matter.
    pub(super) fn largest(&mut self, matrix: &Mat<f64>) -> f64 {
        let n = matrix.nrows();
        self.start(n);
        for _ in 0..MOST.min(n) {
            let rest = self.step(matrix);
            let theta = self.ritz_value();
            let residual = rest * self.last_component(theta);
            // A NaN ends the loop and is returned.
            if residual.is_nan() || residual <= ACCEPTED * theta.abs() {
                return theta + residual;
            }
            self.beta.push(rest);
            std::mem::swap(&mut self.before, &mut self.vector);
            std::mem::swap(&mut self.vector, &mut self.next);
            self.vector.iter_mut().for_each(|x| *x /= rest);
        }
        let rest = self.beta.pop().unwrap_or(0.0);
        let theta = self.ritz_value();
        theta + rest * self.last_component(theta)
    }

    /// A unit vector without a pattern, the same for each matrix.
    fn start(&mut self, n: usize) {
        self.alpha.clear();
        self.beta.clear();
        self.before.clear();
        self.before.resize(n, 0.0);
        self.next.clear();
        self.next.resize(n, 0.0);
        self.vector.clear();
        self.vector.extend(start(n));
        let norm = dot(&self.vector, &self.vector).sqrt();
        self.vector.iter_mut().for_each(|x| *x /= norm);
    }

    /// The next vector, not of unit length, and its length.
    fn step(&mut self, matrix: &Mat<f64>) -> f64 {
        for (j, next) in self.next.iter_mut().enumerate() {
            *next = dot(matrix.col_as_slice(j), &self.vector);
        }
        let alpha = dot(&self.next, &self.vector);
        let beta = self.beta.last().copied().unwrap_or(0.0);
        for (next, (vector, before)) in self.next.iter_mut().zip(self.vector.iter().zip(&self.before)) {
            *next -= alpha * vector + beta * before;
        }
        self.alpha.push(alpha);
        dot(&self.next, &self.next).sqrt()
    }

    /// The largest eigenvalue of the tridiagonal matrix, by bisection to round-off.
    fn ritz_value(&self) -> f64 {
        let k = self.alpha.len();
        let beta = |i: usize| self.beta.get(i).copied().unwrap_or(0.0);
        let mut low = self.alpha.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let bound = |i: usize| {
            self.alpha[i] + if i > 0 { beta(i - 1) } else { 0.0 } + if i + 1 < k { beta(i) } else { 0.0 }
        };
        let mut high = (0..k).map(bound).fold(low, f64::max);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            // All pivots of T − θ are negative above the largest eigenvalue.
            let mut pivot = f64::NEG_INFINITY;
            let is_above = (0..k).all(|i| {
                let coupling = if i > 0 { beta(i - 1) } else { 0.0 };
                pivot = self.alpha[i] - middle - coupling * coupling / pivot;
                pivot < 0.0
            });
            if is_above { high = middle } else { low = middle }
        }
        high
    }

    /// |s_k| of the unit eigenvector of θ: the recurrence from the last component to the first is stable.
    fn last_component(&self, theta: f64) -> f64 {
        let k = self.alpha.len();
        let (mut after, mut own, mut sum) = (0.0, 1.0, 1.0);
        for i in (1..k).rev() {
            let coupling = if i + 1 < k { self.beta[i] } else { 0.0 };
            let previous = ((theta - self.alpha[i]) * own - coupling * after) / self.beta[i - 1];
            (after, own) = (own, previous);
            sum += own * own;
        }
        1.0 / f64::sqrt(sum)
    }
}

/// Numbers without a pattern: multiples of the golden ratio, less their integers.
pub(super) fn start(n: usize) -> impl Iterator<Item = f64> {
    (1..=n).map(|k| (0.618_033_988_749_895 * k as f64).fract() - 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The matrix 2, −1 of a chain has the eigenvalues 2 − 2 cos(k π/(n + 1)), dense near the largest one.
    #[test]
    fn the_largest_eigenvalue_of_a_chain_is_bounded_within_two_hundredths() {
        for n in [30, 81, 192] {
            let matrix = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
                0 => 2.0,
                1 => -1.0,
                _ => 0.0,
            });
            let exact = 2.0 + 2.0 * (std::f64::consts::PI / (n + 1) as f64).cos();
            let found = Lanczos::default().largest(&matrix);
            assert!((1.0 - 1e-12..1.02).contains(&(found / exact)), "{n}: {found} {exact}");
        }
    }

    #[test]
    fn matrices_without_stiffness_and_multiples_of_one_are_exact() {
        assert_eq!(Lanczos::default().largest(&Mat::zeros(81, 81)), 0.0);
        let one = Mat::from_fn(81, 81, |i, j| if i == j { 3.0 } else { 0.0 });
        assert!((Lanczos::default().largest(&one) - 3.0).abs() < 1e-12);
        let broken = Mat::from_fn(81, 81, |_, _| f64::NAN);
        assert!(Lanczos::default().largest(&broken).is_nan());
    }
}
