//! The map of the undeformed cells at a batch of quadrature points.

use crate::constitutive::{LANES, Lanes, Tensor, ZERO, lanes};

/// Derivatives at a batch of points with respect to the parameters of the cell: `[α][a]` is component a of a
/// field's derivative α. Mesh cells have the three derivatives; NURBS cells have the value first, of a field
/// times the weights.
pub(super) type Local<const A: usize> = [[Lanes; 3]; A];

/// The map from derivatives by the cell's parameters to derivatives by X.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointMaps<const A: usize> {
    /// ∂u/∂X_b = Σ_α `slopes[α][b]` ∂^α u.
    pub(super) slopes: Local<A>,
    /// Quadrature weight times det J \[m³\]; zero in lanes without a cell.
    pub(super) volume: Lanes,
}

impl<const A: usize> PointMaps<A> {
    /// H_ab = Σ_α ∂^α u_a slopes_αb.
    #[inline(always)]
    pub(super) fn gradient(&self, local: &Local<A>) -> Tensor {
        std::array::from_fn(|k| {
            let (a, b) = (k / 3, k % 3);
            let mut sum = ZERO;
            for alpha in 0..A {
                for l in 0..LANES {
                    sum[l] += local[alpha][a][l] * self.slopes[alpha][b][l];
                }
            }
            sum
        })
    }

    /// The stress transformed to the parameters, times the volume: Q_αa = Σ_b slopes_αb P_ab dV.
    #[inline(always)]
    pub(super) fn stress(&self, pk1: &Tensor) -> Local<A> {
        let scaled: Tensor = std::array::from_fn(|k| lanes(|l| pk1[k][l] * self.volume[l]));
        std::array::from_fn(|alpha| {
            let slope = &self.slopes[alpha];
            std::array::from_fn(|a| {
                lanes(|l| {
                    slope[0][l] * scaled[3 * a][l]
                        + slope[1][l] * scaled[3 * a + 1][l]
                        + slope[2][l] * scaled[3 * a + 2][l]
                })
            })
        })
    }
}

/// ∂ξ_d/∂X_b of a Jacobian ∂X_b/∂ξ_d.
pub(super) fn inverse(j: &[[f64; 3]; 3], det: f64) -> [[f64; 3]; 3] {
    std::array::from_fn(|d| {
        std::array::from_fn(|b| {
            let (a, c, e, f) = ((b + 1) % 3, (b + 2) % 3, (d + 1) % 3, (d + 2) % 3);
            (j[a][e] * j[c][f] - j[a][f] * j[c][e]) / det
        })
    })
}
