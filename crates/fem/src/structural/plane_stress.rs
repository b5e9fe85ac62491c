//! Plane stress of any law of solids: the thickness stretch of which the normal stress vanishes.

use crate::constitutive::{
    ElasticLaw, Lanes, Law, SolidLaw, Symmetric, Tensor, ZERO, cauchy_stress, lanes, volume_change,
};

/// Green's strain of a layer but E₃₃, in axes of the surface: E₁₁, E₂₂, 2E₁₂, 2E₁₃, 2E₂₃.
pub(super) type LayerStrain = [Lanes; 5];

/// The second Piola-Kirchhoff stress of a layer: S₁₁, S₂₂, S₁₂, S₁₃, S₂₃ \[Pa\].
pub(super) type LayerStress = [Lanes; 5];

/// Largest number of iterations for the thickness stretch.
const MOST: usize = 30;

/// P₃₃ relative to the other stresses at which the thickness stretch is accepted.
const ACCEPTED: f64 = 1e-11;

/// A state of a batch of points with S₃₃ = 0.
pub(super) struct PlaneState {
    /// F − E₃ of the upper triangular F with FᵀF = E₃ + 2E. The energy and S of an objective law depend on E
    /// alone.
    pub(super) h: Tensor,
    /// P of the same F \[Pa\].
    pk1: Tensor,
}

impl PlaneState {
    /// Solves P₃₃ = 0 for F₃₃ by Newton's method. Row 3 of F has no other entry, hence S₃₃ = P₃₃/F₃₃.
    ///
    /// * `old` — F₃₃ − 1, then the history variables of the law, at the last accepted state
    /// * `new` — receives those of this state
    #[inline(always)]
    pub(super) fn solve(law: &SolidLaw, strain: &LayerStrain, old: &[Lanes], new: &mut [Lanes]) -> Self {
        let mut h = upper_triangle(strain);
        h[8] = guess(law, strain, &h, old[0]);
        let mut pk1 = [ZERO; 9];
        let (thickness, history) = new.split_at_mut(1);
        let (mut dh, mut change) = ([ZERO; 9], [ZERO; 9]);
        dh[8] = [1.0; 4];
        for _ in 0..MOST {
            law.stress(&h, &old[1..], history, &mut pk1);
            let is_accepted = |l: usize| {
                let others: f64 = (0..8).map(|k| pk1[k][l].abs()).sum();
                pk1[8][l].abs() <= ACCEPTED * others
            };
            if (0..4).all(is_accepted) {
                break;
            }
            law.tangent_product(&h, &old[1..], &dh, &mut change);
            let step = lanes(|l| pk1[8][l] / change[8][l]);
            if step.iter().all(|step| step.abs() <= f64::EPSILON) {
                break;
            }
            // Half of the way to a vanishing thickness at most.
            h[8] = lanes(|l| (h[8][l] - step[l]).max(0.5 * (h[8][l] - 1.0)));
        }
        thickness[0] = h[8];
        Self { h, pk1 }
    }

    /// S = F⁻¹ P, from the last row upwards.
    #[inline(always)]
    pub(super) fn pk2(&self) -> LayerStress {
        let (h, p) = (&self.h, &self.pk1);
        let mut s = [ZERO; 5];
        for l in 0..4 {
            let (f11, f22, f33) = (1.0 + h[0][l], 1.0 + h[4][l], 1.0 + h[8][l]);
            let (f12, f13, f23) = (h[1][l], h[2][l], h[5][l]);
            let (s31, s32) = (p[6][l] / f33, p[7][l] / f33);
            let s21 = (p[3][l] - f23 * s31) / f22;
            let s22 = (p[4][l] - f23 * s32) / f22;
            let s11 = (p[0][l] - f12 * s21 - f13 * s31) / f11;
            [s[0][l], s[1][l], s[2][l], s[3][l], s[4][l]] = [s11, s22, s21, s31, s32];
        }
        s
    }

    /// Cauchy's stress in the axes of F \[Pa\].
    pub(super) fn cauchy(&self) -> Symmetric {
        cauchy_stress(&self.h, &self.pk1)
    }

    /// det F − 1.
    #[inline(always)]
    pub(super) fn volume_change(&self) -> Lanes {
        volume_change(&self.h)
    }
}

/// F − E₃ with F₃₃ = 1, without loss of digits of small strains.
#[inline(always)]
fn upper_triangle(strain: &LayerStrain) -> Tensor {
    // √(1 + a) − 1.
    let root = |a: f64| a / (1.0 + (1.0 + a).sqrt());
    let mut h = [ZERO; 9];
    for l in 0..4 {
        let [e11, e22, e12, e13, e23] = strain.map(|e| e[l]);
        let h11 = root(2.0 * e11);
        let f12 = e12 / (1.0 + h11);
        let f13 = e13 / (1.0 + h11);
        let h22 = root(2.0 * e22 - f12 * f12);
        let f23 = (e23 - f12 * f13) / (1.0 + h22);
        [h[0][l], h[1][l], h[2][l], h[4][l], h[5][l]] = [h11, f12, f13, h22, f23];
    }
    h
}

/// F₃₃ − 1 to begin with: exact for St. Venant-Kirchhoff, that of the last state otherwise.
#[inline(always)]
fn guess(law: &SolidLaw, strain: &LayerStrain, h: &Tensor, old: Lanes) -> Lanes {
    let SolidLaw::Elastic(ElasticLaw::SaintVenantKirchhoff(law)) = law else { return old };
    let ratio = law.moduli.lambda / (law.moduli.lambda + 2.0 * law.moduli.mu);
    lanes(|l| {
        let a = -2.0 * ratio * (strain[0][l] + strain[1][l]) - h[2][l] * h[2][l] - h[5][l] * h[5][l];
        a / (1.0 + (1.0 + a).sqrt())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constitutive::{
        ElasticModuli, Hardening, NeoHookean, Plastic, SaintVenantKirchhoff, SmallStrain,
    };

    fn solve(law: &SolidLaw, strain: [f64; 5]) -> (PlaneState, Vec<Lanes>) {
        let old = vec![ZERO; 1 + law.n_history()];
        let mut new = old.clone();
        (PlaneState::solve(law, &strain.map(|e| [e; 4]), &old, &mut new), new)
    }

    /// Hooke's law in plane stress: S₁₁ = E/(1 − ν²) (E₁₁ + ν E₂₂), S₁₂ = 2 μ E₁₂.
    #[test]
    fn saint_venant_kirchhoff_is_hookes_law_of_plane_stress() {
        let (young, poisson) = (210.0e9, 0.3);
        let moduli = ElasticModuli::from_young_poisson(young, poisson).unwrap();
        let law = SolidLaw::Elastic(ElasticLaw::SaintVenantKirchhoff(SaintVenantKirchhoff::new(moduli)));
        let e = [0.02, -0.01, 0.03, 0.005, -0.008];
        let s = solve(&law, e).0.pk2();
        let plane = young / (1.0 - poisson * poisson);
        let expected = [
            plane * (e[0] + poisson * e[1]),
            plane * (e[1] + poisson * e[0]),
            moduli.mu * e[2],
            moduli.mu * e[3],
            moduli.mu * e[4],
        ];
        for (s, expected) in s.iter().zip(expected) {
            assert!((s[0] - expected).abs() < 1e-13 * plane, "{s:?} {expected}");
        }
    }

    /// S is the derivative of the energy of which the thickness has its minimum.
    #[test]
    fn the_stress_of_neo_hookean_layers_is_the_derivative_of_their_energy() {
        let moduli = ElasticModuli::from_young_poisson(1.0, 0.4).unwrap();
        let law = SolidLaw::Elastic(ElasticLaw::NeoHookean(NeoHookean::new(moduli).unwrap()));
        let e = [0.3, -0.2, 0.25, 0.1, -0.15];
        let energy = |e: [f64; 5]| {
            let (state, new) = solve(&law, e);
            law.stored_energy(&state.h, &new[1..])[0]
        };
        let s = solve(&law, e).0.pk2();
        let step = 1e-5;
        for k in 0..5 {
            let at =
                |sign: f64| energy(std::array::from_fn(|i| e[i] + if i == k { sign * step } else { 0.0 }));
            let slope = (at(1.0) - at(-1.0)) / (2.0 * step);
            assert!((s[k][0] - slope).abs() < 1e-9, "{k}: {} {slope}", s[k][0]);
        }
    }

    /// Uniaxial plastic flow in a layer: the stress is that of the hardening curve, and the plastic strain is
    /// the logarithmic strain without its elastic part. In a single step it has an error of order 2 in the
    /// strain.
    #[test]
    fn a_stretched_plastic_layer_has_the_stress_of_its_hardening_curve() {
        let moduli = ElasticModuli::from_young_poisson(200.0e9, 0.3).unwrap();
        let hardening = Hardening::linear(200.0e6, 1.0e9).unwrap();
        let law = SolidLaw::Plastic(Plastic::new(moduli, hardening.clone()).unwrap());
        let error = |strain: f64| {
            // The lateral strain in the plane is found such that S₂₂ = 0.
            let stretch = strain.exp();
            let e11 = 0.5 * (stretch * stretch - 1.0);
            let mut range = [0.5 * ((-1.2 * strain).exp() - 1.0), 0.0];
            for _ in 0..80 {
                let middle = 0.5 * (range[0] + range[1]);
                let s22 = solve(&law, [e11, middle, 0.0, 0.0, 0.0]).0.pk2()[1][0];
                range[usize::from(s22 > 0.0)] = middle;
            }
            let (state, new) = solve(&law, [e11, range[0], 0.0, 0.0, 0.0]);
            // Kirchhoff's stress τ₁₁ = F₁₁² S₁₁.
            let tau = stretch * stretch * state.pk2()[0][0];
            let (yielded, _) = hardening.yield_stress(new[7][0]);
            assert!((tau / yielded - 1.0).abs() < 1e-8, "{tau} {yielded}");
            new[7][0] - (strain - tau / 200.0e9)
        };
        let errors = [0.08, 0.04, 0.02].map(error);
        let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
        assert!(orders.iter().all(|order| (1.8..2.2).contains(order)), "{errors:?} {orders:?}");
        assert!(errors[2].abs() < 0.02 * 0.02, "{errors:?}");
    }

    #[test]
    fn linear_elasticity_has_no_state_of_plane_stress_of_its_own() {
        let moduli = ElasticModuli::from_young_poisson(1.0, 0.3).unwrap();
        assert!(!SolidLaw::Elastic(ElasticLaw::SmallStrain(SmallStrain::new(moduli))).is_objective());
    }
}
