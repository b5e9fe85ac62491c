//! A compressible neo-Hookean law.

use super::hyperelastic::PLACE;
use super::{ElasticModuli, Hyperelastic, Lanes, LawError, Symmetric, each, lanes};

/// Compressible neo-Hookean law with J = det F and C = FᵀF:
///
/// ```text
/// ψ = ½ μ (tr C − 3 − 2 ln J) + ¼ λ (J² − 1 − 2 ln J)
/// S = μ (E₃ − C⁻¹) + ½ λ (J² − 1) C⁻¹
/// ```
///
/// The energy is polyconvex and grows without bound as J → 0 or ∞; near C = E₃ it is Hooke's law. The stress
/// needs no logarithm.
///
/// # Source
///
/// Ciarlet (1988), *Mathematical Elasticity I*, section 4.10; Wriggers (2008), *Nonlinear Finite Element
/// Methods*, section 3.3, with the volumetric function ¼ λ (J² − 1) − ½ λ ln J.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeoHookean {
    moduli: ElasticModuli,
}

impl NeoHookean {
    /// The law of these moduli.
    ///
    /// # Errors
    ///
    /// [`LawError::OutOfRange`] if λ < 0, hence ν < 0: the energy would fall without bound in large
    /// expansion.
    pub fn new(moduli: ElasticModuli) -> Result<Self, LawError> {
        if moduli.lambda >= 0.0 && moduli.mu > 0.0 {
            return Ok(Self { moduli });
        }
        Err(LawError::OutOfRange {
            law: Self::NAME,
            quantity: "poisson",
            value: moduli.lambda / (2.0 * (moduli.lambda + moduli.mu)),
            unit: "",
            range: "at least 0 and below 0.5",
        })
    }

    /// λ and μ.
    pub fn moduli(&self) -> ElasticModuli {
        self.moduli
    }
}

/// Largest |j| for which j − ln(1 + j) is summed as a series.
const SMALL_CHANGE: f64 = 0.1;

/// j − ln(1 + j) to all digits: ln(1 + j) = 2 artanh(s) with s = j/(2 + j), and j − 2s = j s.
pub(super) fn excess(j: f64) -> f64 {
    // A NaN takes the direct way too.
    if j.abs() >= SMALL_CHANGE || j.is_nan() {
        return j - j.ln_1p();
    }
    let s = j / (2.0 + j);
    let square = s * s;
    let mut series = 0.0;
    for k in (1..=7).rev() {
        series = series * square + 1.0 / f64::from(2 * k + 1);
    }
    j * s - 2.0 * s * square * series
}

/// Principal minors of 2E (their sum) and its determinant: det C − 1 = tr 2E + minors + det 2E.
#[inline(always)]
fn invariants(e: &Symmetric) -> [Lanes; 3] {
    let trace = lanes(|l| 2.0 * (e[0][l] + e[1][l] + e[2][l]));
    let minors = lanes(|l| {
        let normal = e[0][l] * e[1][l] + e[1][l] * e[2][l] + e[0][l] * e[2][l];
        4.0 * (normal - e[3][l] * e[3][l] - e[4][l] * e[4][l] - e[5][l] * e[5][l])
    });
    let det = lanes(|l| {
        8.0 * (e[0][l] * (e[1][l] * e[2][l] - e[4][l] * e[4][l])
            - e[3][l] * (e[3][l] * e[2][l] - e[4][l] * e[5][l])
            + e[5][l] * (e[3][l] * e[4][l] - e[1][l] * e[5][l]))
    });
    [trace, minors, det]
}

/// C⁻¹ of C = E₃ + 2E with the given determinant.
#[inline(always)]
fn inverse(e: &Symmetric, det: &Lanes) -> Symmetric {
    let c = |k: usize, l: usize| if k < 3 { 1.0 + 2.0 * e[k][l] } else { 2.0 * e[k][l] };
    [
        lanes(|l| (c(1, l) * c(2, l) - c(4, l) * c(4, l)) / det[l]),
        lanes(|l| (c(0, l) * c(2, l) - c(5, l) * c(5, l)) / det[l]),
        lanes(|l| (c(0, l) * c(1, l) - c(3, l) * c(3, l)) / det[l]),
        lanes(|l| (c(5, l) * c(4, l) - c(3, l) * c(2, l)) / det[l]),
        lanes(|l| (c(3, l) * c(5, l) - c(0, l) * c(4, l)) / det[l]),
        lanes(|l| (c(3, l) * c(4, l) - c(1, l) * c(5, l)) / det[l]),
    ]
}

impl Hyperelastic for NeoHookean {
    const NAME: &'static str = "neo-hookean";

    fn moduli(&self) -> ElasticModuli {
        self.moduli
    }

    #[inline(always)]
    fn potential(&self, e: &Symmetric) -> Lanes {
        let ElasticModuli { lambda, mu } = self.moduli;
        let [trace, minors, det] = invariants(e);
        lanes(|l| {
            // tr C − 3 − 2 ln J = (J² − 1 − 2 ln J) − minors − det: the linear terms cancel.
            let excess = excess(trace[l] + minors[l] + det[l]);
            0.5 * mu * (excess - minors[l] - det[l]) + 0.25 * lambda * excess
        })
    }

    #[inline(always)]
    fn pk2(&self, e: &Symmetric) -> Symmetric {
        let ElasticModuli { lambda, mu } = self.moduli;
        let [trace, minors, det] = invariants(e);
        let change = lanes(|l| trace[l] + minors[l] + det[l]);
        let b = inverse(e, &lanes(|l| 1.0 + change[l]));
        let component = |i: usize, j: usize| {
            lanes(|l| {
                // E₃ − C⁻¹ = 2 E C⁻¹.
                let product: f64 = (0..3).map(|k| e[PLACE[i][k]][l] * b[PLACE[k][j]][l]).sum();
                2.0 * mu * product + 0.5 * lambda * change[l] * b[PLACE[i][j]][l]
            })
        };
        [component(0, 0), component(1, 1), component(2, 2), component(0, 1), component(1, 2), component(0, 2)]
    }

    /// dS = λ J² (C⁻¹:dE) C⁻¹ + (2μ − λ (J² − 1)) C⁻¹ dE C⁻¹.
    #[inline(always)]
    fn pk2_product(&self, e: &Symmetric, de: &Symmetric) -> Symmetric {
        let ElasticModuli { lambda, mu } = self.moduli;
        let [trace, minors, det] = invariants(e);
        let change = lanes(|l| trace[l] + minors[l] + det[l]);
        let b = inverse(e, &lanes(|l| 1.0 + change[l]));
        let volumetric = lanes(|l| {
            let normal = b[0][l] * de[0][l] + b[1][l] * de[1][l] + b[2][l] * de[2][l];
            let shear = b[3][l] * de[3][l] + b[4][l] * de[4][l] + b[5][l] * de[5][l];
            lambda * (1.0 + change[l]) * (normal + 2.0 * shear)
        });
        let left: [[Lanes; 3]; 3] =
            each(|i| each(|j| lanes(|l| (0..3).map(|k| b[PLACE[i][k]][l] * de[PLACE[k][j]][l]).sum())));
        let component = |i: usize, j: usize| {
            lanes(|l| {
                let both: f64 = (0..3).map(|k| left[i][k][l] * b[PLACE[k][j]][l]).sum();
                volumetric[l] * b[PLACE[i][j]][l] + (2.0 * mu - lambda * change[l]) * both
            })
        };
        [component(0, 0), component(1, 1), component(2, 2), component(0, 1), component(1, 2), component(0, 2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excess_of_a_volume_change_over_its_logarithm_is_accurate_to_round_off() {
        // j²/2 − j³/3 + …, exact to 1e-16 for the smallest; the direct formula for the largest.
        for j in [-1e-4_f64, 1e-9, 1e-7] {
            let series = j * j / 2.0 - j * j * j / 3.0 + j.powi(4) / 4.0 - j.powi(5) / 5.0;
            assert!((excess(j) / series - 1.0).abs() < 4e-16, "{j}");
        }
        for j in [-0.0999_f64, 0.0999] {
            assert!((excess(j) / (j - j.ln_1p()) - 1.0).abs() < 1e-14, "{j}");
        }
    }

    #[test]
    fn a_negative_poisson_ratio_is_refused_with_its_range() {
        let moduli = ElasticModuli::from_young_poisson(1.0, -0.25).unwrap();
        let message = NeoHookean::new(moduli).unwrap_err().to_string();
        assert!(message.starts_with("neo-hookean: poisson = -0.25"), "{message}");
        assert!(message.ends_with("it must be at least 0 and below 0.5"), "{message}");
    }
}
