//! Linear elasticity of small strains.

use super::{ElasticModuli, LANES, Lanes, Law, Tensor, lanes};

/// Linear elasticity of small strains: σ = λ tr(ε) E₃ + 2μ ε, ε = ½ (H + Hᵀ).
///
/// The law is not objective: a rotation of the body strains it. Use it where displacement gradients are small
/// against 1, or to compare with linear theory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmallStrain {
    /// λ and μ.
    pub moduli: ElasticModuli,
}

impl SmallStrain {
    /// The law of these moduli.
    pub fn new(moduli: ElasticModuli) -> Self {
        Self { moduli }
    }

    #[inline(always)]
    fn hooke(&self, h: &Tensor, stress: &mut Tensor) {
        let ElasticModuli { lambda, mu } = self.moduli;
        let pressure = lanes(|l| lambda * (h[0][l] + h[4][l] + h[8][l]));
        for a in 0..3 {
            for b in 0..3 {
                stress[3 * a + b] = lanes(|l| mu * (h[3 * a + b][l] + h[3 * b + a][l]));
            }
            for l in 0..LANES {
                stress[4 * a][l] += pressure[l];
            }
        }
    }
}

impl Law for SmallStrain {
    fn name(&self) -> &'static str {
        "small-strain"
    }

    fn is_objective(&self) -> bool {
        false
    }

    fn elastic_moduli(&self) -> ElasticModuli {
        self.moduli
    }

    #[inline(always)]
    fn stored_energy(&self, h: &Tensor, _: &[Lanes]) -> Lanes {
        let mut stress = [super::ZERO; 9];
        self.hooke(h, &mut stress);
        let mut energy = super::ZERO;
        for k in 0..9 {
            for l in 0..LANES {
                energy[l] += 0.5 * stress[k][l] * h[k][l];
            }
        }
        energy
    }

    #[inline(always)]
    fn stress(&self, h: &Tensor, _: &[Lanes], _: &mut [Lanes], pk1: &mut Tensor) {
        self.hooke(h, pk1);
    }

    #[inline(always)]
    fn tangent_product(&self, _: &Tensor, _: &[Lanes], dh: &Tensor, d_pk1: &mut Tensor) {
        self.hooke(dh, d_pk1);
    }
}
