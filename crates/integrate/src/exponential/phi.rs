//! Functions of a matrix L for steps of one length h, and those for twice the length.
//!
//! ```text
//! φ₀(z) = eᶻ,   φ_k(z) = (φ_{k−1}(z) − 1/(k − 1)!)/z = 1/k! + z/(k + 1)! + …
//! φ_k(2z) = 2⁻ᵏ (φ₀(z) φ_k(z) + Σ_{j=1..k} φ_j(z)/(k − j)!)
//! ```

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};

/// Largest bound of the growth of hL for the series, h max(‖L⁴‖^¼, ‖L⁵‖^⅕).
pub(super) const SMALL: f64 = 0.5;

/// Terms of the series of φ₃ for arguments up to [`SMALL`]: the next one is 1e-16 of the first.
pub(super) const TERMS: usize = 13;

/// φ₀ to φ₃ of hL, each n × n.
#[derive(Debug, Clone)]
pub(super) struct Phi(pub(super) [Mat<f64>; 4]);

impl Phi {
    /// Room for the functions of n × n matrices.
    pub(super) fn new(n: usize) -> Self {
        Self(std::array::from_fn(|_| Mat::zeros(n, n)))
    }

    /// Sets them by the series.
    ///
    /// * `step` — h \[s\]; h ‖L‖ is at most [`SMALL`]
    pub(super) fn set_small(&mut self, matrix: &Mat<f64>, step: f64) {
        let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
        let next = |out: &mut Mat<f64>, of: &Mat<f64>, constant: f64| {
            matmul(out.as_mut(), Accum::Replace, matrix, of, step, Par::Seq);
            (0..matrix.nrows()).for_each(|i| out[(i, i)] += constant);
        };
        let [exponential, first, second, third] = &mut self.0;
        third.fill(0.0);
        // The terms alternate between two matrices.
        for k in (0..TERMS).rev() {
            next(second, third, 1.0 / factorial(k + 3));
            std::mem::swap(second, third);
        }
        next(second, third, 0.5);
        next(first, second, 1.0);
        next(exponential, first, 1.0);
    }

    /// Sets them to those of half the step, doubled.
    pub(super) fn set_doubled(&mut self, half: &Self) {
        let [exponential, first, second, third] = &half.0;
        for (k, (out, of)) in self.0.iter_mut().zip(&half.0).enumerate() {
            let factor = 0.5_f64.powi(k as i32);
            matmul(out.as_mut(), Accum::Replace, exponential, of, factor, Par::Seq);
        }
        let mut add = |k: usize, factor: f64, of: &Mat<f64>| {
            for (out, of) in self.0[k].col_iter_mut().zip(of.col_iter()) {
                out.iter_mut().zip(of.iter()).for_each(|(out, of)| *out += factor * of);
            }
        };
        add(1, 0.5, first);
        add(2, 0.25, first);
        add(2, 0.25, second);
        add(3, 0.0625, first);
        add(3, 0.125, second);
        add(3, 0.125, third);
    }
}

/// out += factor A x.
pub(super) fn add_product(out: &mut [f64], factor: f64, matrix: &Mat<f64>, x: &[f64]) {
    for (column, &x) in matrix.col_iter().zip(x) {
        let scaled = factor * x;
        if scaled != 0.0 {
            let column = column.try_as_col_major().expect("columns of a matrix are contiguous").as_slice();
            out.iter_mut().zip(column).for_each(|(out, entry)| *out += scaled * entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// φ of an oscillator of frequency ω in closed form: its matrix is that of multiplication by iω.
    #[test]
    fn doubling_keeps_the_functions_of_an_oscillator() {
        let omega = 3.0;
        let matrix = Mat::from_fn(2, 2, |i, j| [[0.0, -omega], [omega, 0.0]][i][j]);
        let mut step = 0.1;
        let mut phi = Phi::new(2);
        phi.set_small(&matrix, step);
        for _ in 0..12 {
            let x: f64 = omega * step;
            // Real part and imaginary part of φ_k(ix).
            let exact = [
                [x.cos(), x.sin()],
                [x.sin() / x, (1.0 - x.cos()) / x],
                [(1.0 - x.cos()) / (x * x), (x - x.sin()) / (x * x)],
                [(x - x.sin()) / x.powi(3), (0.5 * x * x - 1.0 + x.cos()) / x.powi(3)],
            ];
            for (k, [real, imaginary]) in exact.into_iter().enumerate() {
                let found = [phi.0[k][(0, 0)], phi.0[k][(1, 0)]];
                // Cancellation in the closed form of φ₃ of small arguments.
                let tolerance = 1e-12 + if k == 3 { 1e-15 / x.powi(3) } else { 0.0 };
                assert!((found[0] - real).abs() < tolerance, "φ{k}({x}i): {found:?} {real}");
                assert!((found[1] - imaginary).abs() < tolerance, "φ{k}({x}i): {found:?} {imaginary}");
            }
            let half = phi.clone();
            phi.set_doubled(&half);
            step *= 2.0;
        }
    }
}
