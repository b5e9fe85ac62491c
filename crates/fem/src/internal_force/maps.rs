//! The map of the undeformed cells at a batch of quadrature points.

use crate::constitutive::{LANES, Lanes, Tensor, ZERO};

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
        let mut gradient = [ZERO; 9];
        for a in 0..3 {
            for b in 0..3 {
                for alpha in 0..A {
                    for l in 0..LANES {
                        gradient[3 * a + b][l] += local[alpha][a][l] * self.slopes[alpha][b][l];
                    }
                }
            }
        }
        gradient
    }

    /// The stress transformed to the parameters, times the volume: Q_αa = Σ_b slopes_αb P_ab dV.
    #[inline(always)]
    pub(super) fn stress(&self, pk1: &Tensor) -> Local<A> {
        let mut scaled = *pk1;
        for k in 0..9 {
            for l in 0..LANES {
                scaled[k][l] *= self.volume[l];
            }
        }
        let mut stress = [[ZERO; 3]; A];
        for alpha in 0..A {
            let slope = &self.slopes[alpha];
            for a in 0..3 {
                for l in 0..LANES {
                    stress[alpha][a][l] = slope[0][l] * scaled[3 * a][l]
                        + slope[1][l] * scaled[3 * a + 1][l]
                        + slope[2][l] * scaled[3 * a + 2][l];
                }
            }
        }
        stress
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
