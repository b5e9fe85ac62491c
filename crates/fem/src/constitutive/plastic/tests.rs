use super::*;
use crate::constitutive::{LANES, ZERO, verify};

fn steel() -> ElasticModuli {
    ElasticModuli::from_young_poisson(210e9, 0.3).unwrap()
}

fn law(yield_stress: f64, modulus: f64) -> Plastic {
    Plastic::new(steel(), Hardening::linear(yield_stress, modulus).unwrap()).unwrap()
}

/// A path of deformation gradients, the same in all lanes.
struct Path<'l> {
    law: &'l Plastic,
    state: [Lanes; N_HISTORY],
    h: [f64; 9],
    stress: [f64; 9],
    work: f64,
}

impl<'l> Path<'l> {
    fn new(law: &'l Plastic) -> Self {
        Self { law, state: [ZERO; N_HISTORY], h: [0.0; 9], stress: [0.0; 9], work: 0.0 }
    }

    fn go(&mut self, h: [f64; 9]) {
        let (old, mut stress) = (self.state, [ZERO; 9]);
        self.law.stress(&h.map(|x| [x; LANES]), &old, &mut self.state, &mut stress);
        let stress = stress.map(|lane| lane[0]);
        self.work += (0..9).map(|k| 0.5 * (stress[k] + self.stress[k]) * (h[k] - self.h[k])).sum::<f64>();
        (self.h, self.stress) = (h, stress);
    }

    fn energies(&self) -> [f64; 2] {
        let h = self.h.map(|x| [x; LANES]);
        [self.law.stored_energy(&h, &self.state)[0], self.law.dissipated_energy(&self.state)[0]]
    }

    /// Deformation gradient of the present state.
    fn f(&self) -> [f64; 9] {
        std::array::from_fn(|k| self.h[k] + if k % 4 == 0 { 1.0 } else { 0.0 })
    }
}

fn rotation(angle: f64) -> [f64; 9] {
    let (s, c) = angle.sin_cos();
    [c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0]
}

/// Displacement gradient of F rotated by Q.
fn turned(q: &[f64; 9], f: &[f64; 9]) -> [f64; 9] {
    let qf = product(q, f);
    std::array::from_fn(|k| qf[k] - if k % 4 == 0 { 1.0 } else { 0.0 })
}

#[test]
fn below_the_yield_stress_the_law_is_hyperelastic() {
    let report = verify(&law(1e15, 0.0), &steel());
    assert!(report.tangent_error < 1e-8 && report.product_error < 1e-13, "{report:?}");
    assert!(report.rotated_stress_error < 1e-14 && report.rotated_energy_error < 1e-13, "{report:?}");
    assert!(
        report.torque < 1e-14 && report.stress_at_rest < 1e-15 && report.hooke_error < 1e-13,
        "{report:?}"
    );
    assert!(report.asymmetry < 1e-13, "{report:?}");
    // Elastic range: the stress is the derivative of the energy.
    let law = law(1e15, 0.0);
    let mut path = Path::new(&law);
    for k in 1..=2000 {
        let x = f64::from(k) / 2000.0;
        path.go([0.1 * x, 0.3 * x * x, 0.0, -0.1 * x, 0.2 * x, 0.05 * x, 0.0, 0.0, -0.1 * x]);
    }
    let [stored, lost] = path.energies();
    assert!((path.work / stored - 1.0).abs() < 1e-7, "{} {stored}", path.work);
    assert_eq!(lost, 0.0);
}

#[test]
fn the_tangent_of_a_yielding_state_is_the_derivative_of_its_stress() {
    for modulus in [0.0, 5e9] {
        let report = verify(&law(2e8, modulus), &steel());
        assert!(report.tangent_error < 1e-7 && report.product_error < 1e-13, "{report:?}");
        assert!(report.rotated_stress_error < 1e-12 && report.torque < 1e-12, "{report:?}");
    }
}

/// τ (1 + H/3G) = σ_y/√3 + H γ/3 beyond yield, in small strains.
#[test]
fn simple_shear_hardens_by_the_small_strain_formula() {
    let (stress, modulus, shear) = (2e8, 2e10, steel().mu);
    let law = law(stress, modulus);
    let mut path = Path::new(&law);
    for k in 1..=400 {
        path.go([0.0, 1e-5 * f64::from(k), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    }
    let gamma = 4e-3;
    let expected = (stress / 3.0_f64.sqrt() + modulus * gamma / 3.0) / (1.0 + modulus / (3.0 * shear));
    let found = path.stress[1];
    assert!((found / expected - 1.0).abs() < 2e-5, "{found:e} {expected:e}");
    let strain = (gamma - expected / shear) / 3.0_f64.sqrt();
    assert!((path.state[6][0] / strain - 1.0).abs() < 2e-5);
}

/// Uniaxial stress in large strain: σ = σ_y(α) with α = ln λ − σ/E up to the elastic compressibility.
#[test]
fn a_bar_in_tension_follows_its_yield_curve_to_large_strains() {
    let curve = [[0.0, 3e8], [0.1, 4e8], [0.5, 6e8]];
    let law = Plastic::new(steel(), Hardening::table(&curve).unwrap()).unwrap();
    let mut path = Path::new(&law);
    let mut side = 0.0;
    for k in 1..=3000 {
        let stretch = (0.6 * f64::from(k) / 3000.0_f64).exp();
        // The lateral stretch without lateral stress, by the secant method from the last one.
        let across = |side: f64, path: &Path<'_>| {
            let mut trial =
                Path { law: path.law, state: path.state, h: path.h, stress: path.stress, work: 0.0 };
            trial.go([stretch - 1.0, 0.0, 0.0, 0.0, side, 0.0, 0.0, 0.0, side]);
            trial.stress[4]
        };
        let (mut a, mut b) = (side, side - 1e-4);
        for _ in 0..60 {
            let (at_a, at_b) = (across(a, &path), across(b, &path));
            if at_b.abs() < 1.0 || at_a == at_b {
                break;
            }
            (a, b) = (b, b - at_b * (b - a) / (at_b - at_a));
        }
        side = b;
        path.go([stretch - 1.0, 0.0, 0.0, 0.0, side, 0.0, 0.0, 0.0, side]);
    }
    // σ = P F/J.
    let f = path.f();
    let area = f[4] * f[8];
    let sigma = path.stress[0] / area;
    let alpha = path.state[6][0];
    let (yields, _) = law.hardening().yield_stress(alpha);
    assert!((sigma / yields - 1.0).abs() < 6e-3, "{sigma:e} {yields:e}");
    assert!((alpha - (0.6 - sigma / 210e9)).abs() < 2e-3, "{alpha}");
    // The dissipated energy is the plastic work, and the rest is stored.
    let [stored, lost] = path.energies();
    assert!((path.work / (stored + lost) - 1.0).abs() < 5e-3, "{} {stored} {lost}", path.work);
    assert!((lost - law.hardening().work(alpha)).abs() < 1e-3 * lost);
}

#[test]
fn a_body_rotated_a_hundred_times_under_load_keeps_its_stress() {
    let law = law(2e8, 1e9);
    let mut path = Path::new(&law);
    for k in 1..=100 {
        let x = f64::from(k) / 100.0;
        path.go([0.02 * x, 0.01 * x, 0.0, 0.0, -0.01 * x, 0.004 * x, 0.0, 0.0, -0.009 * x]);
    }
    let (f, stress, alpha) = (path.f(), path.stress, path.state[6][0]);
    assert!(alpha > 0.01);
    for k in 1..=3600 {
        path.go(turned(&rotation(100.0 * std::f64::consts::TAU * f64::from(k) / 3600.0), &f));
    }
    let scale = stress.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
    for k in 0..9 {
        assert!(
            (path.stress[k] - stress[k]).abs() < 1e-9 * scale,
            "{k}: {:e} {:e}",
            path.stress[k],
            stress[k]
        );
    }
    assert!((path.state[6][0] - alpha).abs() < 1e-12);
}

#[test]
fn impossible_yield_curves_are_refused_with_their_place() {
    for (found, expected) in [
        (Hardening::linear(0.0, 1.0), "yield stress = 0 Pa"),
        (Hardening::linear(1.0, -1.0), "hardening = -1 Pa"),
        (Hardening::table(&[]), "first plastic strain = NaN"),
        (Hardening::table(&[[0.1, 1.0]]), "first plastic strain = 0.1"),
        (Hardening::table(&[[0.0, 2.0], [0.0, 3.0]]), "plastic strain = 0 "),
        (Hardening::table(&[[0.0, 2.0], [0.1, 1.0]]), "yield stress = 1 Pa"),
    ] {
        let message = found.unwrap_err().to_string();
        assert!(message.starts_with("plastic: ") && message.contains(expected), "{message}");
    }
}
