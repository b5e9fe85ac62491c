//! Constitutive laws against differences, rotations and closed forms.

use carom_fem::constitutive::{
    ElasticModuli, LANES, Law, NeoHookean, SaintVenantKirchhoff, SmallStrain, Tensor, Verification, ZERO,
    verify,
};

use crate::deformed::{every_law, soft};

/// Checks that energy, stress and tangent of a law are consistent and that it is Hooke's law at rest.
fn assert_consistent(name: &str, report: &Verification) {
    println!("{name}: {report:?}");
    // Differences with steps of 1e-5 have errors of 1e-10, times third derivatives.
    assert!(
        report.stress_error.unwrap() < 1e-7,
        "{name}: P is not ∂ψ/∂F: {:e}",
        report.stress_error.unwrap()
    );
    assert!(report.tangent_error < 1e-6, "{name}: A is not ∂P/∂F: {:e}", report.tangent_error);
    assert!(report.product_error < 1e-13, "{name}: A:dF differs: {:e}", report.product_error);
    assert!(report.asymmetry < 1e-13, "{name}: A is not symmetric: {:e}", report.asymmetry);
    assert!(report.stress_at_rest == 0.0, "{name}: P(E₃) = {:e}", report.stress_at_rest);
    assert!(report.hooke_error < 1e-15, "{name}: A(E₃) is not Hooke's: {:e}", report.hooke_error);
}

#[test]
fn energy_stress_and_tangent_of_every_law_are_consistent() {
    for law in every_law() {
        assert_consistent(law.name(), &verify(&law, &soft()));
    }
}

#[test]
fn laws_of_large_deformation_follow_rotations_and_balance_torques() {
    for law in every_law().into_iter().filter(Law::is_objective) {
        let report = verify(&law, &soft());
        for (what, error) in [
            ("ψ(QF) ≠ ψ(F)", report.rotated_energy_error),
            ("P(QF) ≠ Q P(F)", report.rotated_stress_error),
            ("P Fᵀ is not symmetric", report.torque),
        ] {
            assert!(error < 1e-12, "{}: {what}: {error:e}", law.name());
        }
    }
}

#[test]
fn the_law_of_small_strains_is_not_invariant_under_rotations() {
    let report = verify(&SmallStrain::new(soft()), &soft());
    assert!(!SmallStrain::new(soft()).is_objective());
    assert!(report.rotated_energy_error > 0.1 && report.rotated_stress_error > 0.1, "{report:?}");
    assert!(report.torque > 0.1, "{report:?}");
}

#[test]
fn a_law_with_a_wrong_factor_is_detected() {
    /// Twice the energy of a neo-Hookean law.
    struct Wrong(NeoHookean);
    impl Law for Wrong {
        fn name(&self) -> &'static str {
            "wrong"
        }
        fn elastic_moduli(&self) -> ElasticModuli {
            self.0.moduli()
        }
        fn stored_energy(&self, h: &Tensor, history: &[[f64; LANES]]) -> [f64; LANES] {
            self.0.stored_energy(h, history).map(|x| 2.0 * x)
        }
        fn stress(&self, h: &Tensor, old: &[[f64; LANES]], new: &mut [[f64; LANES]], pk1: &mut Tensor) {
            self.0.stress(h, old, new, pk1);
        }
        fn tangent_product(&self, h: &Tensor, old: &[[f64; LANES]], dh: &Tensor, d_pk1: &mut Tensor) {
            self.0.tangent_product(h, old, dh, d_pk1);
        }
    }
    let report = verify(&Wrong(NeoHookean::new(soft()).unwrap()), &soft());
    assert!(report.stress_error.unwrap() > 0.1 && report.tangent_error < 1e-6, "{report:?}");
}

/// P of one displacement gradient.
fn stress(law: &impl Law, h: [f64; 9]) -> [f64; 9] {
    let mut pk1 = [ZERO; 9];
    law.stress(&h.map(|x| [x; LANES]), &[], &mut [], &mut pk1);
    pk1.map(|x| x[0])
}

#[test]
fn neo_hookean_shear_and_dilation_have_their_closed_forms() {
    let moduli = soft();
    let law = NeoHookean::new(moduli).unwrap();
    // F = E₃ + γ e₁ ⊗ e₂: J = 1, P = μ (F − F⁻ᵀ).
    let gamma = 0.8;
    let found = stress(&law, [0.0, gamma, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let shear = moduli.mu * gamma;
    for (k, (found, expected)) in
        found.iter().zip([0.0, shear, 0.0, shear, 0.0, 0.0, 0.0, 0.0, 0.0]).enumerate()
    {
        assert!((found - expected).abs() < 1e-15, "component {k}: {found} and {expected}");
    }
    // F = s E₃: P = μ (s − 1/s) + ½ λ (s⁶ − 1)/s.
    for s in [0.5_f64, 0.9, 1.4] {
        let h = s - 1.0;
        let found = stress(&law, [h, 0.0, 0.0, 0.0, h, 0.0, 0.0, 0.0, h]);
        let expected = moduli.mu * (s - 1.0 / s) + 0.5 * moduli.lambda * (s.powi(6) - 1.0) / s;
        for k in [0, 4, 8] {
            assert!((found[k] / expected - 1.0).abs() < 1e-13, "s = {s}: {} and {expected}", found[k]);
        }
    }
}

#[test]
fn energies_of_tiny_strains_are_accurate() {
    let moduli = ElasticModuli::from_young_poisson(210e9, 0.3).unwrap();
    let h: Tensor = [2e-9, -1e-9, 3e-9, 1e-9, 1e-9, 0.5e-9, -2e-9, 1.5e-9, -1e-9].map(|x: f64| [x; LANES]);
    let linear = SmallStrain::new(moduli).stored_energy(&h, &[])[0];
    let laws = [
        NeoHookean::new(moduli).unwrap().stored_energy(&h, &[])[0],
        SaintVenantKirchhoff::new(moduli).stored_energy(&h, &[])[0],
    ];
    for energy in laws {
        // The energies differ by terms of third order.
        assert!((energy / linear - 1.0).abs() < 3e-8, "{energy:e} and {linear:e}");
    }
}

#[test]
fn saint_venant_kirchhoff_softens_in_compression_by_its_formula() {
    // Uniaxial strain: P = (λ + 2μ) ½ (s³ − s), smallest at s = 1/√3.
    let law = SaintVenantKirchhoff::new(soft());
    let at = |s: f64| stress(&law, [s - 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])[0];
    for s in [0.3_f64, 0.577, 0.8, 1.5] {
        let expected = soft().p_wave() * 0.5 * (s.powi(3) - s);
        assert!((at(s) / expected - 1.0).abs() < 1e-14, "{s}");
    }
    let limit = 3.0_f64.sqrt().recip();
    assert!(at(limit) < at(limit + 0.01) && at(limit) < at(limit - 0.01));
}
