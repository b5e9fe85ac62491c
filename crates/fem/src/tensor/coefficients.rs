//! From homogeneous coordinates at a point to the coefficients of products of B-splines.
//!
//! With B-splines N, weights w and W = Σ w_i N_i a rational function is R_i = w_i N_i / W, and its gradient
//!
//! ```text
//! ∂R_i/∂x_a = w_i/W Σ_α u_a^α N_i^α,   α = 0, ξ, η, ζ,   N^0 = N, N^ξ = ∂N/∂ξ …
//! u_a^ξ = ∂ξ/∂x_a,   u_a^0 = −Σ_ξ ∂ξ/∂x_a (∂W/∂ξ)/W
//! ```
//!
//! so that stiffness and mass are sums of products of one-dimensional functions with coefficients at the
//! points:
//!
//! ```text
//! K_ab,ij = w_i w_j Σ_αβ ∫ D_ab^αβ N_i^α N_j^β
//! D_ab^αβ = (λ u_a^α u_b^β + μ u_b^α u_a^β + μ δ_ab Σ_c u_c^α u_c^β) det J / W²
//! M_ij    = w_i w_j ∫ ρ det J / W² N_i N_j
//! ```
//!
//! D_ab^αβ = D_ba^βα. For α ≠ β it is split into its symmetric part σ_ab, which goes with N_i^α N_j^β + N_i^β
//! N_j^α, and its antisymmetric part τ_ab, which goes with N_i^α N_j^β − N_i^β N_j^α.

use super::LANES;
use crate::evaluator::determinant;

/// One number at each of some points or for each of some pairs of functions, side by side.
pub(super) type Lanes = [f64; LANES];

/// Length of a row of coefficients: groups of whole vectors, see [`place`].
pub(super) const ROW: usize = 112;

/// The places of the coefficients in a row, ordered by the product in ξ that multiplies them.
pub(super) mod place {
    /// With N_i N_j: σ^ηη, σ^ζζ, σ^ηζ, τ^ηζ, ρ.
    pub(crate) const VALUE_ONLY: usize = 0;
    /// With N_i N_j: σ^0η, σ^0ζ, −τ^0η, −τ^0ζ.
    pub(crate) const VALUE: usize = 24;
    /// With N_i′ N_j + N_i N_j′, added to the row before: σ^ξη, σ^ξζ, −τ^ξη, −τ^ξζ.
    pub(crate) const SUM: usize = 44;
    /// With N_i N_j: σ^00.
    pub(crate) const VALUE_INNER: usize = 64;
    /// With N_i′ N_j′, added to the row before: σ^ξξ.
    pub(crate) const SLOPE_INNER: usize = 72;
    /// With N_i′ N_j + N_i N_j′, added to the row before: σ^0ξ.
    pub(crate) const SUM_INNER: usize = 80;
    /// With N_i′ N_j − N_i N_j′: −σ^ξη, −σ^ξζ, −τ^0ξ, τ^ξη, τ^ξζ.
    pub(crate) const DIFFERENCE: usize = 88;
}

/// The material constants in the coefficients.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moduli {
    /// λ + μ \[Pa\].
    pub(super) sum: f64,
    /// λ − μ \[Pa\].
    pub(super) difference: f64,
    /// μ \[Pa\].
    pub(super) shear: f64,
    /// ρ \[kg/m³\].
    pub(super) density: f64,
}

#[inline(always)]
fn lanes(f: impl Fn(usize) -> f64) -> Lanes {
    std::array::from_fn(f)
}

/// The map of the cell at some points.
pub(super) struct Map {
    /// x \[m\].
    pub(super) position: [Lanes; 3],
    /// det J \[m³\].
    pub(super) det: Lanes,
    /// u_a^α det J in entry `[α][a]`.
    factors: [[Lanes; 3]; 4],
    /// 1/W.
    inverse_weight: Lanes,
}

impl Map {
    /// The map from homogeneous coordinates (w x, w y, w z, w): their value and derivatives along ξ, η, ζ.
    #[inline(always)]
    pub(super) fn new(homogeneous: &[[Lanes; 4]; 4]) -> Self {
        let h = homogeneous;
        let inverse_weight = lanes(|l| 1.0 / h[0][3][l]);
        let position: [Lanes; 3] = std::array::from_fn(|a| lanes(|l| h[0][a][l] * inverse_weight[l]));
        let mut det = [0.0; LANES];
        let mut factors = [[[0.0; LANES]; 3]; 4];
        for l in 0..LANES {
            let jacobian: [[f64; 3]; 3] = std::array::from_fn(|a| {
                std::array::from_fn(|d| {
                    (h[d + 1][a][l] - position[a][l] * h[d + 1][3][l]) * inverse_weight[l]
                })
            });
            det[l] = determinant(&jacobian);
            for a in 0..3 {
                let (j, b, c) = (&jacobian, (a + 1) % 3, (a + 2) % 3);
                for d in 0..3 {
                    let (e, f) = ((d + 1) % 3, (d + 2) % 3);
                    factors[d + 1][a][l] = j[b][e] * j[c][f] - j[b][f] * j[c][e];
                }
                let slope = |d: usize| factors[d][a][l] * h[d][3][l];
                factors[0][a][l] = -(slope(1) + slope(2) + slope(3)) * inverse_weight[l];
            }
        }
        Self { position, det, factors, inverse_weight }
    }

    /// The rows of coefficients at the points.
    ///
    /// * `weight` — quadrature weights
    #[inline(always)]
    pub(super) fn coefficients(&self, weight: Lanes, moduli: &Moduli, row: &mut [Lanes; ROW]) {
        let per_square = lanes(|l| weight[l] * self.inverse_weight[l] * self.inverse_weight[l]);
        let scale = lanes(|l| per_square[l] / self.det[l]);
        let sym = |row: &mut [Lanes; ROW], at: usize, values: &[Lanes; 6], sign: f64| {
            for k in 0..6 {
                row[at + k] = lanes(|l| sign * values[k][l]);
            }
        };
        let anti = |row: &mut [Lanes; ROW], at: usize, values: &[Lanes; 3], sign: f64| {
            for k in 0..3 {
                row[at + k] = lanes(|l| sign * values[k][l]);
            }
        };
        use place::{DIFFERENCE, SLOPE_INNER, SUM, SUM_INNER, VALUE, VALUE_INNER, VALUE_ONLY};
        sym(row, VALUE_INNER, &self.square(0, &scale, moduli), 1.0);
        sym(row, SLOPE_INNER, &self.square(1, &scale, moduli), 1.0);
        sym(row, VALUE_ONLY, &self.square(2, &scale, moduli), 1.0);
        sym(row, VALUE_ONLY + 6, &self.square(3, &scale, moduli), 1.0);
        let (sigma, tau) = self.mixed(2, 3, &scale, moduli);
        sym(row, VALUE_ONLY + 12, &sigma, 1.0);
        anti(row, VALUE_ONLY + 18, &tau, 1.0);
        row[VALUE_ONLY + 21] = lanes(|l| moduli.density * per_square[l] * self.det[l]);
        let (sigma, tau) = self.mixed(0, 1, &scale, moduli);
        sym(row, SUM_INNER, &sigma, 1.0);
        anti(row, DIFFERENCE + 12, &tau, -1.0);
        for (k, beta) in [2, 3].into_iter().enumerate() {
            let (sigma, tau) = self.mixed(0, beta, &scale, moduli);
            sym(row, VALUE + 6 * k, &sigma, 1.0);
            anti(row, VALUE + 12 + 3 * k, &tau, -1.0);
            let (sigma, tau) = self.mixed(1, beta, &scale, moduli);
            sym(row, SUM + 6 * k, &sigma, 1.0);
            anti(row, SUM + 12 + 3 * k, &tau, -1.0);
            sym(row, DIFFERENCE + 6 * k, &sigma, -1.0);
            anti(row, DIFFERENCE + 15 + 3 * k, &tau, 1.0);
        }
    }

    /// D^αα by components xx, yy, zz, yz, xz, xy.
    #[inline(always)]
    fn square(&self, alpha: usize, scale: &Lanes, moduli: &Moduli) -> [Lanes; 6] {
        let u = &self.factors[alpha];
        let mut out = [[0.0; LANES]; 6];
        for l in 0..LANES {
            let (c, mu) = (scale[l] * moduli.sum, scale[l] * moduli.shear);
            let [x, y, z] = [u[0][l], u[1][l], u[2][l]];
            let trace = mu * (x * x + y * y + z * z);
            out[0][l] = c * x * x + trace;
            out[1][l] = c * y * y + trace;
            out[2][l] = c * z * z + trace;
            out[3][l] = c * y * z;
            out[4][l] = c * x * z;
            out[5][l] = c * x * y;
        }
        out
    }

    /// σ by components xx, yy, zz, yz, xz, xy and τ by yz, xz, xy for α ≠ β.
    ///
    /// Products in two directions, (N_i′ N_j)(ξ) (N_i N_j′)(η) ± the other, are half of the products of sums
    /// and differences of slopes; the coefficients contain this half.
    #[inline(always)]
    fn mixed(&self, alpha: usize, beta: usize, scale: &Lanes, moduli: &Moduli) -> ([Lanes; 6], [Lanes; 3]) {
        let (u, v) = (&self.factors[alpha], &self.factors[beta]);
        let half = if alpha == 0 { 1.0 } else { 0.5 };
        let (mut sigma, mut tau) = ([[0.0; LANES]; 6], [[0.0; LANES]; 3]);
        for l in 0..LANES {
            let c = half * scale[l];
            let (plus, minus) = (0.5 * c * moduli.sum, 0.5 * c * moduli.difference);
            let square: [f64; 3] = std::array::from_fn(|a| u[a][l] * v[a][l]);
            let trace = c * moduli.shear * (square[0] + square[1] + square[2]);
            for a in 0..3 {
                sigma[a][l] = c * moduli.sum * square[a] + trace;
            }
            for (k, (a, b)) in [(1, 2), (0, 2), (0, 1)].into_iter().enumerate() {
                let (left, right) = (u[a][l] * v[b][l], u[b][l] * v[a][l]);
                sigma[3 + k][l] = plus * (left + right);
                tau[k][l] = minus * (left - right);
            }
        }
        (sigma, tau)
    }
}
