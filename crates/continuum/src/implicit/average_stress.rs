//! The average stress of a step at a quadrature point, and its derivative with respect to the end.

use carom_fem::constitutive::{
    ElasticLaw, Hyperelastic, LANES, Lanes, Law, PLACE, SolidLaw, Symmetric, Tangent, Tensor, ZERO,
    green_strain, lanes,
};
use carom_fem::internal_force::{PointMap, PointTangent};

use super::Method;

/// Rounding of an energy density, relative to the terms that it is a difference of.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// The stress P̄ of a step from the gradients of u₀ and u₁.
pub(super) struct AverageStress<'l> {
    pub(super) law: &'l SolidLaw,
    pub(super) method: Method,
}

impl PointMap<2> for AverageStress<'_> {
    fn checked_field(&self) -> Option<usize> {
        self.law.is_objective().then_some(1)
    }

    #[inline(always)]
    fn apply(&self, [h0, h1]: &[Tensor; 2], old: &[Lanes], new: &mut [Lanes], pk1: &mut Tensor) -> Lanes {
        match self.method {
            Method::EnergyMomentum => match self.law {
                SolidLaw::Elastic(ElasticLaw::SaintVenantKirchhoff(law)) => discrete_stress(law, h0, h1, pk1),
                SolidLaw::Elastic(ElasticLaw::NeoHookean(law)) => discrete_stress(law, h0, h1, pk1),
                // The energy of a linear law is quadratic: its discrete gradient is the stress at the middle.
                law => law.stress(&mean(h0, h1), old, new, pk1),
            },
            Method::Midpoint => self.law.stress(&mean(h0, h1), old, new, pk1),
            Method::GeneralisedAlpha(radius) => {
                let [_, alpha, ..] = Method::alpha(radius);
                let mut before = [ZERO; 9];
                self.law.stress(h0, old, new, &mut before);
                self.law.stress(h1, old, new, pk1);
                for k in 0..9 {
                    pk1[k] = lanes(|l| (1.0 - alpha) * pk1[k][l] + alpha * before[k][l]);
                }
            }
        }
        ZERO
    }
}

impl PointTangent<2> for AverageStress<'_> {
    fn checked_field(&self) -> Option<usize> {
        self.law.is_objective().then_some(1)
    }

    #[inline(always)]
    fn apply(&self, [h0, h1]: &[Tensor; 2], old: &[Lanes], tangent: &mut Tangent) {
        let factor = match self.method {
            Method::EnergyMomentum => match self.law {
                SolidLaw::Elastic(ElasticLaw::SaintVenantKirchhoff(law)) => {
                    return discrete_tangent(law, h0, h1, tangent);
                }
                SolidLaw::Elastic(ElasticLaw::NeoHookean(law)) => {
                    return discrete_tangent(law, h0, h1, tangent);
                }
                law => {
                    law.tangent(&mean(h0, h1), old, tangent);
                    0.5
                }
            },
            Method::Midpoint => {
                self.law.tangent(&mean(h0, h1), old, tangent);
                0.5
            }
            Method::GeneralisedAlpha(radius) => {
                self.law.tangent(h1, old, tangent);
                1.0 - Method::alpha(radius)[1]
            }
        };
        for entry in tangent.as_flattened_mut() {
            *entry = lanes(|l| factor * entry[l]);
        }
    }
}

/// The average second Piola-Kirchhoff stress of a step.
///
/// ```text
/// S̄ = S(Ē) + c ΔE,   c = (ψ₁ − ψ₀ − S(Ē)·ΔE)/(ΔE·ΔE),   Ē = ½ (E₀ + E₁),   ΔE = E₁ − E₀
/// ```
struct Discrete {
    mean: Symmetric,
    change: Symmetric,
    /// S̄.
    stress: Symmetric,
    /// S(Ē).
    at_mean: Symmetric,
    /// c; zero where the numerator is rounding.
    factor: Lanes,
    /// 1/(ΔE·ΔE), zero where c is.
    inverse: Lanes,
}

impl Discrete {
    #[inline(always)]
    fn new<L: Hyperelastic>(law: &L, h0: &Tensor, h1: &Tensor) -> Self {
        let (before, after) = (green_strain(h0), green_strain(h1));
        let mean: Symmetric = std::array::from_fn(|k| lanes(|l| 0.5 * (before[k][l] + after[k][l])));
        let change: Symmetric = std::array::from_fn(|k| lanes(|l| after[k][l] - before[k][l]));
        let at_mean = law.pk2(&mean);
        let (start, end) = (law.potential(&before), law.potential(&after));
        let (work, square) = (contracted(&at_mean, &change), contracted(&change, &change));
        // A law may be a difference of terms of the first order in the strain.
        let modulus = law.moduli().mu;
        let squares = [contracted(&before, &before), contracted(&after, &after)];
        let missing = lanes(|l| {
            let missing = end[l] - start[l] - work[l];
            let terms = modulus * (squares[0][l].sqrt() + squares[1][l].sqrt());
            let size = end[l].abs() + start[l].abs() + work[l].abs() + terms;
            if missing.abs() <= ROUNDING * size { 0.0 } else { missing }
        });
        let inverse = lanes(|l| if missing[l] != 0.0 && square[l] > 0.0 { 1.0 / square[l] } else { 0.0 });
        let factor = lanes(|l| missing[l] * inverse[l]);
        let stress = std::array::from_fn(|k| lanes(|l| at_mean[k][l] + factor[l] * change[k][l]));
        Self { mean, change, stress, at_mean, factor, inverse }
    }
}

/// A:B of symmetric tensors.
#[inline(always)]
fn contracted(a: &Symmetric, b: &Symmetric) -> Lanes {
    lanes(|l| {
        let normal: f64 = (0..3).map(|k| a[k][l] * b[k][l]).sum();
        let shear: f64 = (3..6).map(|k| a[k][l] * b[k][l]).sum();
        normal + 2.0 * shear
    })
}

#[inline(always)]
fn mean(h0: &Tensor, h1: &Tensor) -> Tensor {
    std::array::from_fn(|k| lanes(|l| 0.5 * (h0[k][l] + h1[k][l])))
}

/// P̄ = F̄ S̄ with F̄ = E₃ + ½ (H₀ + H₁).
#[inline(always)]
fn discrete_stress<L: Hyperelastic>(law: &L, h0: &Tensor, h1: &Tensor, pk1: &mut Tensor) {
    let (middle, average) = (mean(h0, h1), Discrete::new(law, h0, h1));
    *pk1 = times(&middle, &average.stress);
}

/// (E₃ + H) S.
#[inline(always)]
fn times(h: &Tensor, s: &Symmetric) -> Tensor {
    std::array::from_fn(|k| {
        let (a, b) = (k / 3, k % 3);
        lanes(|l| s[PLACE[a][b]][l] + (0..3).map(|i| h[3 * a + i][l] * s[PLACE[i][b]][l]).sum::<f64>())
    })
}

/// ∂P̄_ab/∂F₁_cd = ½ δ_ac S̄_db + F̄_ai ∂S̄_ib/∂E₁ : ∂E₁/∂F₁_cd.
///
/// ```text
/// dS̄ = ½ C dE + dc ΔE + c dE,   dc = [(S(E₁) − S(Ē) − ½ C ΔE) − 2 c ΔE]·dE/(ΔE·ΔE),   C = ∂S/∂E at Ē
/// ```
#[inline(always)]
fn discrete_tangent<L: Hyperelastic>(law: &L, h0: &Tensor, h1: &Tensor, tangent: &mut Tangent) {
    let (middle, average) = (mean(h0, h1), Discrete::new(law, h0, h1));
    let Discrete { mean, change, stress, at_mean, factor, inverse } = &average;
    let (at_end, by_change) = (law.pk2(&green_strain(h1)), law.pk2_product(mean, change));
    let slope: Symmetric = std::array::from_fn(|k| {
        lanes(|l| {
            let first = at_end[k][l] - at_mean[k][l] - 0.5 * by_change[k][l];
            inverse[l] * (first - 2.0 * factor[l] * change[k][l])
        })
    });
    let f1 = |c: usize, a: usize, l: usize| h1[3 * c + a][l] + if a == c { 1.0 } else { 0.0 };
    for c in 0..3 {
        for d in 0..3 {
            // dE₁ = ½ (F₁ᵀ dF + dFᵀ F₁) with dF of component cd alone.
            let mut de = [ZERO; 6];
            for (a, places) in PLACE.iter().enumerate() {
                for l in 0..LANES {
                    de[places[d]][l] += if a == d { f1(c, a, l) } else { 0.5 * f1(c, a, l) };
                }
            }
            let (material, along) = (law.pk2_product(mean, &de), contracted(&slope, &de));
            let ds: Symmetric = std::array::from_fn(|k| {
                lanes(|l| 0.5 * material[k][l] + along[l] * change[k][l] + factor[l] * de[k][l])
            });
            let column = times(&middle, &ds);
            for a in 0..3 {
                for b in 0..3 {
                    let geometric = if a == c { stress[PLACE[d][b]] } else { ZERO };
                    tangent[3 * a + b][3 * c + d] = lanes(|l| column[3 * a + b][l] + 0.5 * geometric[l]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use carom_fem::constitutive::ElasticModuli;

    use super::*;

    /// Gradients of moderate strains and a large rotation.
    fn gradients() -> [Tensor; 2] {
        let mut state = 7_u64;
        let mut number = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut strained = || -> Tensor { std::array::from_fn(|_| lanes(|_| 0.3 * number())) };
        let (first, mut second) = (strained(), strained());
        // A quarter turn about z of the second one: H = Q (E₃ + H) − E₃.
        let f = |k: usize, l: usize| second[k][l] + if k.is_multiple_of(4) { 1.0 } else { 0.0 };
        second = std::array::from_fn(|k| {
            let (a, b) = (k / 3, k % 3);
            lanes(|l| {
                let turned = [-f(3 + b, l), f(b, l), f(6 + b, l)][a];
                turned - if a == b { 1.0 } else { 0.0 }
            })
        });
        [first, second]
    }

    fn laws() -> Vec<SolidLaw> {
        let moduli = ElasticModuli::from_young_poisson(2.0, 0.3).unwrap();
        let law = |name: &&str| SolidLaw::Elastic(ElasticLaw::named(name, moduli).unwrap());
        ElasticLaw::NAMES.iter().map(law).collect()
    }

    fn stress(law: &SolidLaw, method: Method, h: &[Tensor; 2]) -> Tensor {
        let mut pk1 = [ZERO; 9];
        PointMap::apply(&AverageStress { law, method }, h, &[], &mut [], &mut pk1);
        pk1
    }

    /// P̄·(F₁ − F₀) = ψ₁ − ψ₀ for every law; for objective laws P̄ F̄ᵀ is symmetric, so that no moment acts.
    #[test]
    fn the_average_stress_does_the_work_of_the_energy_and_has_no_moment() {
        let h = gradients();
        for law in laws() {
            let pk1 = stress(&law, Method::EnergyMomentum, &h);
            let ends = h.map(|h| law.stored_energy(&h, &[]));
            for l in 0..LANES {
                let work: f64 = (0..9).map(|k| pk1[k][l] * (h[1][k][l] - h[0][k][l])).sum();
                let gained = ends[1][l] - ends[0][l];
                assert!((work - gained).abs() < 1e-14 * (ends[0][l] + ends[1][l]), "{work} {gained}");
                let f = |a: usize, b: usize| {
                    0.5 * (h[0][3 * a + b][l] + h[1][3 * a + b][l]) + if a == b { 1.0 } else { 0.0 }
                };
                let kirchhoff = |a: usize, b: usize| (0..3).map(|c| pk1[3 * a + c][l] * f(b, c)).sum::<f64>();
                for (a, b) in [(0, 1), (1, 2), (0, 2)] {
                    let skew = kirchhoff(a, b) - kirchhoff(b, a);
                    assert!(!law.is_objective() || skew.abs() < 1e-14, "{} {skew}", law.name());
                }
            }
        }
    }

    /// Central differences of step δ have the error δ².
    #[test]
    fn the_tangent_is_the_derivative_of_the_average_stress() {
        let h = gradients();
        for law in laws() {
            for method in [Method::EnergyMomentum, Method::Midpoint, Method::GeneralisedAlpha(0.7)] {
                let mut tangent = [[ZERO; 9]; 9];
                PointTangent::apply(&AverageStress { law: &law, method }, &h, &[], &mut tangent);
                let step = 1e-5;
                for cd in 0..9 {
                    let moved = |sign: f64| {
                        let mut h = h;
                        h[1][cd] = lanes(|l| h[1][cd][l] + sign * step);
                        stress(&law, method, &h)
                    };
                    let (ahead, behind) = (moved(1.0), moved(-1.0));
                    for ab in 0..9 {
                        for l in 0..LANES {
                            let slope = (ahead[ab][l] - behind[ab][l]) / (2.0 * step);
                            let error = (tangent[ab][cd][l] - slope).abs();
                            assert!(error < 1e-8, "{} {method:?} {ab} {cd}: {error}", law.name());
                        }
                    }
                }
            }
        }
    }
}
