//! The law of St. Venant and Kirchhoff.

use super::{ElasticModuli, Hyperelastic, Lanes, Symmetric, each, lanes};

/// St. Venant-Kirchhoff: Hooke's law between Green's strain and the second Piola-Kirchhoff stress.
///
/// ```text
/// ψ = ½ λ tr(E)² + μ E:E,   S = λ tr(E) E₃ + 2μ E
/// ```
///
/// Valid for large rotations and moderate strains. In strong compression the law softens and fails: the
/// stress of a bar decreases below 1/√3 of its length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SaintVenantKirchhoff {
    /// λ and μ.
    pub moduli: ElasticModuli,
}

impl SaintVenantKirchhoff {
    /// The law of these moduli.
    pub fn new(moduli: ElasticModuli) -> Self {
        Self { moduli }
    }
}

impl Hyperelastic for SaintVenantKirchhoff {
    const NAME: &'static str = "saint-venant-kirchhoff";

    fn moduli(&self) -> ElasticModuli {
        self.moduli
    }

    #[inline(always)]
    fn potential(&self, e: &Symmetric) -> Lanes {
        let ElasticModuli { lambda, mu } = self.moduli;
        lanes(|l| {
            let trace = e[0][l] + e[1][l] + e[2][l];
            let normal = e[0][l] * e[0][l] + e[1][l] * e[1][l] + e[2][l] * e[2][l];
            let shear = e[3][l] * e[3][l] + e[4][l] * e[4][l] + e[5][l] * e[5][l];
            0.5 * lambda * trace * trace + mu * (normal + 2.0 * shear)
        })
    }

    #[inline(always)]
    fn pk2(&self, e: &Symmetric) -> Symmetric {
        let ElasticModuli { lambda, mu } = self.moduli;
        let pressure = lanes(|l| lambda * (e[0][l] + e[1][l] + e[2][l]));
        each(|k| lanes(|l| if k < 3 { pressure[l] } else { 0.0 } + 2.0 * mu * e[k][l]))
    }

    #[inline(always)]
    fn pk2_product(&self, _: &Symmetric, de: &Symmetric) -> Symmetric {
        self.pk2(de)
    }
}
