//! Nodes, transformation and polynomial of a collocation method with three stages.

/// Stages.
pub(crate) const STAGES: usize = 3;

type Matrix = [[f64; STAGES]; STAGES];

/// Radau IIA with three stages.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Collocation {
    /// c_i.
    pub(crate) c: [f64; STAGES],
    /// Eigenvalues γ and α ± iβ of A⁻¹.
    pub(crate) gamma: f64,
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
    /// T with T⁻¹ A⁻¹ T = (γ; α β; −β α).
    pub(crate) transform: Matrix,
    /// T⁻¹.
    pub(crate) inverse: Matrix,
}

impl Collocation {
    /// docs/theory/time.md, eq. (64).
    pub(crate) fn radau() -> Self {
        let w = 6.0_f64.sqrt();
        let c = [0.1 * (4.0 - w), 0.1 * (4.0 + w), 1.0];
        let a = [
            [(88.0 - 7.0 * w) / 360.0, (296.0 - 169.0 * w) / 1800.0, (-2.0 + 3.0 * w) / 225.0],
            [(296.0 + 169.0 * w) / 1800.0, (88.0 + 7.0 * w) / 360.0, (-2.0 - 3.0 * w) / 225.0],
            [(16.0 - w) / 36.0, (16.0 + w) / 36.0, 1.0 / 9.0],
        ];
        let b = inverted(&a);
        // The real root of the characteristic polynomial of A⁻¹, λ³ − 9 λ² + 36 λ − 60, by Newton's method.
        let gamma = (0..60)
            .fold(3.6, |x: f64, _| x - (((x - 9.0) * x + 36.0) * x - 60.0) / ((3.0 * x - 18.0) * x + 36.0));
        let alpha = 0.5 * (9.0 - gamma);
        let beta = (60.0 / gamma - alpha * alpha).sqrt();
        let real = null_vector(&b, gamma, 0.0).0;
        let (re, im) = null_vector(&b, alpha, beta);
        let transform = std::array::from_fn(|i| [real[i], re[i], im[i]]);
        Self { c, gamma, alpha, beta, transform, inverse: inverted(&transform) }
    }

    /// W = T⁻¹ Z of n components.
    pub(crate) fn to_w(self, z: &[f64], w: &mut [f64], n: usize) {
        multiply(&self.inverse, z, w, n);
    }

    /// Z = T W.
    pub(crate) fn to_z(self, w: &[f64], z: &mut [f64], n: usize) {
        multiply(&self.transform, w, z, n);
    }

    /// Weights of Z₁, Z₂, Z₃ in the polynomial through 0 at 0 and Z_i at c_i, at s.
    pub(crate) fn weights(&self, s: f64) -> [f64; STAGES] {
        let c = self.c;
        std::array::from_fn(|i| {
            let others = (0..STAGES).filter(|&j| j != i);
            others.fold(s / c[i], |product, j| product * (s - c[j]) / (c[i] - c[j]))
        })
    }
}

fn multiply(matrix: &Matrix, x: &[f64], y: &mut [f64], n: usize) {
    for (row, y) in matrix.iter().zip(y.chunks_exact_mut(n.max(1))) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = (0..STAGES).map(|j| row[j] * x[j * n + i]).sum();
        }
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn inverted(m: &Matrix) -> Matrix {
    let column = |j: usize| [m[0][j], m[1][j], m[2][j]];
    let rows = [cross(column(1), column(2)), cross(column(2), column(0)), cross(column(0), column(1))];
    let determinant: f64 = column(0).iter().zip(rows[0]).map(|(a, b)| a * b).sum();
    rows.map(|row| row.map(|x| x / determinant))
}

/// v with (B − (α + iβ) E) v = 0, real and imaginary part: the product of two rows, which it is orthogonal
/// to.
fn null_vector(b: &Matrix, alpha: f64, beta: f64) -> ([f64; 3], [f64; 3]) {
    let row = |i: usize| -> [f64; 3] { std::array::from_fn(|j| b[i][j] - if i == j { alpha } else { 0.0 }) };
    let unit = |i: usize| -> [f64; 3] { std::array::from_fn(|j| if i == j { -beta } else { 0.0 }) };
    let ([p, q], [u, v]) = ([row(0), row(1)], [unit(0), unit(1)]);
    let (pq, uv, pv, uq) = (cross(p, q), cross(u, v), cross(p, v), cross(u, q));
    (std::array::from_fn(|i| pq[i] - uv[i]), std::array::from_fn(|i| pv[i] + uq[i]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: &Matrix, b: &Matrix) -> Matrix {
        std::array::from_fn(|i| std::array::from_fn(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
    }

    #[test]
    fn the_transformation_separates_real_and_complex() {
        let m = Collocation::radau();
        assert!((m.gamma - 3.637_834_252_744_496).abs() < 1e-14, "{}", m.gamma);
        let w = 6.0_f64.sqrt();
        let a = [
            [(88.0 - 7.0 * w) / 360.0, (296.0 - 169.0 * w) / 1800.0, (-2.0 + 3.0 * w) / 225.0],
            [(296.0 + 169.0 * w) / 1800.0, (88.0 + 7.0 * w) / 360.0, (-2.0 - 3.0 * w) / 225.0],
            [(16.0 - w) / 36.0, (16.0 + w) / 36.0, 1.0 / 9.0],
        ];
        let found = product(&product(&m.inverse, &inverted(&a)), &m.transform);
        let expected = [[m.gamma, 0.0, 0.0], [0.0, m.alpha, m.beta], [0.0, -m.beta, m.alpha]];
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn the_polynomial_interpolates_its_nodes() {
        let m = Collocation::radau();
        for (i, c) in m.c.iter().enumerate() {
            let weights = m.weights(*c);
            assert!((0..3).all(|j| (weights[j] - f64::from(u8::from(i == j))).abs() < 1e-14));
        }
        assert_eq!(m.weights(0.0), [0.0; 3]);
    }
}
