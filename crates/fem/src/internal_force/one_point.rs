//! Hexahedra with one quadrature point: eight displacements as a mean gradient and four hourglass vectors.
//!
//! ```text
//! u(ξ) = c + Σ_α û_α p_α(ξ),   p = ξ, η, ζ, ηζ, ζξ, ξη, ξηζ,   û_α = ⅛ Σ_i p_α(ξ_i) u_i
//! H₀ = Σ_α û_α ⊗ ḡ_α,   ḡ_α = ∫ ∂p_α/∂X dV / ∫ dV
//! ```
//!
//! with ξ, η, ζ from −1 to 1. The mean gradients ḡ pass the patch test on cells of any form.
//!
//! # Source
//!
//! Flanagan & Belytschko (1981), International Journal for Numerical Methods in Engineering 17, 679–706.

use carom_mesh::CellShape;

use super::maps::{Local, PointMaps, inverse};
use super::shape::{Mapped, Shape, Stages};
use crate::constitutive::{LANES, Lanes, PLACE, Symmetric, ZERO, each, lanes};
use crate::evaluator::determinant;

/// Coefficients û of a field: three of ξ, η, ζ, four of their products.
pub(super) const N_COEFFICIENTS: usize = 7;

/// Nodes of the cell.
const N: usize = 8;

/// The axes and arms of a batch of cells, and the metric of the undeformed cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellAxes {
    /// ∂X/∂ξ, ∂X/∂η, ∂X/∂ζ in the centre \[m\].
    pub(super) axes: [[Lanes; 3]; 3],
    /// Coefficients of ηζ, ζξ, ξη and ξηζ of the coordinates \[m\].
    pub(super) arms: [[Lanes; 3]; 4],
    /// The metric of the undeformed cells.
    pub(super) metric: CellMetric,
}

/// Inverses of the metric G_kl of the axes of a batch of cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellMetric {
    /// For each axis m with k, l after it: the inverse of the metric of k and l, entries kk, ll, kl \[1/m²\].
    pub(super) planes: [[Lanes; 3]; 3],
    /// 1/G_kk² of each axis \[1/m⁴\].
    pub(super) squares: [Lanes; 3],
}

impl CellMetric {
    /// * `metric` — G_kl \[m²\]
    #[inline(always)]
    fn new(metric: impl Fn(usize, usize) -> Lanes) -> Self {
        let diagonal: [Lanes; 3] = each(|k| metric(k, k));
        let planes = each(|m| {
            let (k, l) = ((m + 1) % 3, (m + 2) % 3);
            let (kk, ll, kl) = (diagonal[k], diagonal[l], metric(k, l));
            let det = lanes(|i| kk[i] * ll[i] - kl[i] * kl[i]);
            [lanes(|i| ll[i] / det[i]), lanes(|i| kk[i] / det[i]), lanes(|i| -kl[i] / det[i])]
        });
        Self { planes, squares: each(|k| lanes(|i| 1.0 / (diagonal[k][i] * diagonal[k][i]))) }
    }
}

impl CellAxes {
    fn new(coordinates: &Local<N_COEFFICIENTS>) -> Self {
        let axes: [[Lanes; 3]; 3] = each(|k| coordinates[k]);
        let product =
            |k: usize, l: usize| lanes(|i| (0..3).map(|a| axes[k][a][i] * axes[l][a][i]).sum::<f64>());
        Self { axes, arms: each(|k| coordinates[3 + k]), metric: CellMetric::new(product) }
    }

    /// The metric of cells whose plastic deformation is C_p: G_kl = ∂X/∂ξ_k · C_p ∂X/∂ξ_l.
    #[inline(always)]
    pub(super) fn plastic_metric(&self, c: &Symmetric) -> CellMetric {
        let turned: [[Lanes; 3]; 3] = each(|k| {
            each(|a| lanes(|i| (0..3).map(|b| c[PLACE[a][b]][i] * self.axes[k][b][i]).sum::<f64>()))
        });
        CellMetric::new(|k, l| lanes(|i| (0..3).map(|a| self.axes[k][a][i] * turned[l][a][i]).sum::<f64>()))
    }
}

/// The functions of a hexahedron with one quadrature point.
#[derive(Debug, Clone)]
pub(super) struct OnePointShape {
    /// ⅛ p_α(ξ_i).
    functions: [[f64; N]; N_COEFFICIENTS],
}

/// p at a place.
fn products([x, y, z]: [f64; 3]) -> [f64; N_COEFFICIENTS] {
    [x, y, z, y * z, z * x, x * y, x * y * z]
}

/// ∂p/∂ξ at a place.
fn slopes([x, y, z]: [f64; 3]) -> [[f64; 3]; N_COEFFICIENTS] {
    [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [0.0, z, y],
        [z, 0.0, x],
        [y, x, 0.0],
        [y * z, z * x, x * y],
    ]
}

impl OnePointShape {
    pub(super) fn new() -> Self {
        let mut functions = [[0.0; N]; N_COEFFICIENTS];
        for (i, xi) in CellShape::Hex8.reference_nodes().iter().enumerate() {
            // The reference cell has coordinates from 0 to 1.
            for (row, value) in functions.iter_mut().zip(products(xi.map(|t| 2.0 * t - 1.0))) {
                row[i] = value / 8.0;
            }
        }
        Self { functions }
    }
}

impl Shape<N_COEFFICIENTS> for OnePointShape {
    fn n_nodes(&self) -> usize {
        N
    }

    fn n_points(&self) -> usize {
        1
    }

    fn xi(&self, _: usize) -> [f64; 3] {
        [0.5; 3]
    }

    fn stages(&self) -> Stages {
        Stages::default()
    }

    #[inline(always)]
    fn enter(&self, _: &[u32; LANES], _: &mut Stages) {}

    #[inline(always)]
    fn gradients(&self, nodal: &[[Lanes; 3]], local: &mut [Local<N_COEFFICIENTS>], _: &mut Stages) {
        let out = &mut local[0];
        for (row, out) in self.functions.iter().zip(out) {
            let mut sums = [ZERO; 3];
            for (factor, u) in row.iter().zip(nodal) {
                for a in 0..3 {
                    for l in 0..LANES {
                        sums[a][l] += factor * u[a][l];
                    }
                }
            }
            *out = sums;
        }
    }

    #[inline(always)]
    fn forces(&self, local: &[Local<N_COEFFICIENTS>], nodal: &mut [[Lanes; 3]], _: &mut Stages) {
        let stress = &local[0];
        for (i, force) in nodal.iter_mut().enumerate() {
            let mut sums = [ZERO; 3];
            for (row, stress) in self.functions.iter().zip(stress) {
                for a in 0..3 {
                    for l in 0..LANES {
                        sums[a][l] += row[i] * stress[a][l];
                    }
                }
            }
            *force = sums;
        }
    }

    #[inline(always)]
    fn functions(&self, _: usize, maps: &PointMaps<N_COEFFICIENTS>, _: &Stages, out: &mut [[Lanes; 3]]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = each(|b| {
                lanes(|l| (0..N_COEFFICIENTS).map(|k| self.functions[k][i] * maps.slopes[k][b][l]).sum())
            });
        }
    }

    fn axes(&self, coordinates: &Local<N_COEFFICIENTS>) -> Option<CellAxes> {
        Some(CellAxes::new(coordinates))
    }

    /// Mean gradients, and the volume, by two Gauss points in each direction: exact for trilinear cells. The
    /// determinant is the smallest one.
    fn map(
        &self,
        _: usize,
        coordinates: &Local<N_COEFFICIENTS>,
        _: &Local<N_COEFFICIENTS>,
    ) -> Mapped<N_COEFFICIENTS> {
        let gauss = 1.0 / 3.0_f64.sqrt();
        let (mut means, mut volume) = ([[ZERO; 3]; N_COEFFICIENTS], ZERO);
        let mut least = [f64::INFINITY; LANES];
        for point in 0..8 {
            let sign = |d: usize| if point >> d & 1 == 0 { -gauss } else { gauss };
            let slopes = slopes([sign(0), sign(1), sign(2)]);
            for l in 0..LANES {
                let jacobian: [[f64; 3]; 3] = each(|a| {
                    each(|d| (0..N_COEFFICIENTS).map(|k| coordinates[k][a][l] * slopes[k][d]).sum())
                });
                let det = determinant(&jacobian);
                // A NaN is kept.
                if det < least[l] || det.is_nan() {
                    least[l] = det;
                }
                let inverse = inverse(&jacobian, det);
                volume[l] += det;
                for (mean, slope) in means.iter_mut().zip(&slopes) {
                    for (b, mean) in mean.iter_mut().enumerate() {
                        mean[l] += det * (0..3).map(|d| slope[d] * inverse[d][b]).sum::<f64>();
                    }
                }
            }
        }
        let slopes = means.map(|mean| mean.map(|sum| lanes(|l| sum[l] / volume[l])));
        Mapped { maps: PointMaps { slopes, volume }, det: least }
    }
}
