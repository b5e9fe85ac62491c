//! Laws with a potential that depends on Green's strain.

use super::{ElasticModuli, LANES, Lanes, Law, Tensor, ZERO, each, lanes, product};

/// A symmetric tensor at each point of a batch, components xx, yy, zz, xy, yz, xz.
pub type Symmetric = [Lanes; 6];

/// Place of component ab of a [`Symmetric`] tensor.
pub const PLACE: [[usize; 3]; 3] = [[0, 3, 5], [3, 1, 4], [5, 4, 2]];

/// A law whose stress is the derivative of an energy ψ(E) of Green's strain E = ½ (FᵀF − E₃).
///
/// ```text
/// S = ∂ψ/∂E,   P = F S,   dP = dF S + F (∂S/∂E : dE),   dE = ½ (dFᵀ F + Fᵀ dF)
/// ```
///
/// Such a law is objective by its form, and a [`Law`] without history. Schemes that conserve energy evaluate
/// it at strains that belong to no F, such as the mean of the strains at both ends of a step.
pub trait Hyperelastic: Sync {
    /// The name in scenarios and messages.
    const NAME: &'static str;

    /// The moduli at E = 0.
    fn moduli(&self) -> ElasticModuli;

    /// ψ(E) \[J/m³\].
    fn potential(&self, strain: &Symmetric) -> Lanes;

    /// The second Piola-Kirchhoff stress S(E) \[Pa\].
    fn pk2(&self, strain: &Symmetric) -> Symmetric;

    /// The directional derivative ∂S/∂E : dE \[Pa\].
    fn pk2_product(&self, strain: &Symmetric, d_strain: &Symmetric) -> Symmetric;
}

/// Green's strain E = ½ (H + Hᵀ + HᵀH).
#[inline(always)]
pub fn green_strain(h: &Tensor) -> Symmetric {
    let component = |a: usize, b: usize| {
        lanes(|l| {
            let square = h[a][l] * h[b][l] + h[3 + a][l] * h[3 + b][l] + h[6 + a][l] * h[6 + b][l];
            0.5 * (h[3 * a + b][l] + h[3 * b + a][l] + square)
        })
    };
    [component(0, 0), component(1, 1), component(2, 2), component(0, 1), component(1, 2), component(0, 2)]
}

/// The change of Green's strain, ½ (dH + dHᵀ + dHᵀH + HᵀdH).
#[inline(always)]
fn d_green_strain(h: &Tensor, dh: &Tensor) -> Symmetric {
    let component = |a: usize, b: usize| {
        lanes(|l| {
            let mut sum = dh[3 * a + b][l] + dh[3 * b + a][l];
            for c in 0..3 {
                sum += dh[3 * c + a][l] * h[3 * c + b][l] + h[3 * c + a][l] * dh[3 * c + b][l];
            }
            0.5 * sum
        })
    };
    [component(0, 0), component(1, 1), component(2, 2), component(0, 1), component(1, 2), component(0, 2)]
}

#[inline(always)]
fn full(s: &Symmetric) -> Tensor {
    each(|k| s[PLACE[k / 3][k % 3]])
}

impl<T: Hyperelastic> Law for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn elastic_moduli(&self) -> ElasticModuli {
        self.moduli()
    }

    #[inline(always)]
    fn stored_energy(&self, h: &Tensor, _: &[Lanes]) -> Lanes {
        self.potential(&green_strain(h))
    }

    #[inline(always)]
    fn stress(&self, h: &Tensor, _: &[Lanes], _: &mut [Lanes], pk1: &mut Tensor) {
        let pk2 = full(&self.pk2(&green_strain(h)));
        *pk1 = product(h, &pk2);
        for k in 0..9 {
            for l in 0..LANES {
                pk1[k][l] += pk2[k][l];
            }
        }
    }

    #[inline(always)]
    fn tangent_product(&self, h: &Tensor, _: &[Lanes], dh: &Tensor, d_pk1: &mut Tensor) {
        let strain = green_strain(h);
        let pk2 = full(&self.pk2(&strain));
        let d_pk2 = full(&self.pk2_product(&strain, &d_green_strain(h, dh)));
        let (geometric, material) = (product(dh, &pk2), product(h, &d_pk2));
        for k in 0..9 {
            d_pk1[k] = lanes(|l| geometric[k][l] + (material[k][l] + d_pk2[k][l]));
        }
    }

    /// A_abcd = δ_ac S_bd + F_ai F_cj ∂S_ib/∂E_jd.
    #[inline(always)]
    fn tangent(&self, h: &Tensor, _: &[Lanes], tangent: &mut super::Tangent) {
        let strain = green_strain(h);
        let pk2 = self.pk2(&strain);
        // ∂S/∂E by columns: a unit change of E_jd and E_dj together, halved off the diagonal.
        let columns: [Symmetric; 6] = each(|k| {
            let mut unit = [ZERO; 6];
            unit[k] = [if k < 3 { 1.0 } else { 0.5 }; LANES];
            self.pk2_product(&strain, &unit)
        });
        let mut f = *h;
        for a in 0..3 {
            for l in 0..LANES {
                f[4 * a][l] += 1.0;
            }
        }
        for b in 0..3 {
            for d in 0..3 {
                // F_cj ∂S_ib/∂E_jd, then F_ai times that.
                let right: [[Lanes; 3]; 3] = each(|i| {
                    each(|c| {
                        lanes(|l| {
                            (0..3).map(|j| columns[PLACE[j][d]][PLACE[i][b]][l] * f[3 * c + j][l]).sum()
                        })
                    })
                });
                for a in 0..3 {
                    for c in 0..3 {
                        let initial = if a == c { pk2[PLACE[b][d]] } else { ZERO };
                        tangent[3 * a + b][3 * c + d] = lanes(|l| {
                            initial[l]
                                + f[3 * a][l] * right[0][c][l]
                                + f[3 * a + 1][l] * right[1][c][l]
                                + f[3 * a + 2][l] * right[2][c][l]
                        });
                    }
                }
            }
        }
    }
}
