//! A bar that is pulled, pushed and pulled again beyond yield: isotropic hardening against its closed form.

use carom_continuum::explicit::{Load, Problem, Support};
use carom_continuum::statics::Place;
use carom_dynamics::{Axes, Formula, TimeFunction};
use carom_fem::QuadratureRule;
use carom_fem::constitutive::{ElasticModuli, Hardening, Plastic, SolidLaw};
use carom_fem::internal_force::PointRule;

use crate::setup::{at, block, residuals, run, settings, solid};

/// Density, Young's modulus, Poisson's ratio of a cube of 1 m; yield stress and hardening modulus. Waves of
/// 1 m/s.
const MATERIAL: [f64; 3] = [1.0, 1.0, 0.3];
const YIELD: f64 = 1e-3;
const HARDENING: f64 = 0.02;

/// Duration \[s\], and the largest force \[N\].
const END: f64 = 1e5;
const LARGEST: f64 = 1.4e-3;

/// The force: peaks of 0.76, −0.88 and 1 times the largest one at 0.2, 0.6 and 1 of the duration, all beyond
/// the yield stress.
fn force(time: f64) -> f64 {
    let share = time / END;
    LARGEST * (0.7 + 0.3 * share) * (2.5 * std::f64::consts::PI * share).sin().powi(3)
}

/// A uniaxial state under slow loads.
#[derive(Default)]
struct State {
    /// Logarithmic plastic strain along the bar, and the equivalent plastic strain.
    plastic: f64,
    alpha: f64,
    /// Kirchhoff's stress \[Pa\] and logarithmic strain.
    tau: f64,
    strain: f64,
}

impl State {
    /// Equilibrium with a force on 1 m², which is P = τ/λ. Isotropic hardening: the bar yields at
    /// |τ| = σ_y + H α in both directions, by the strain (|τ| − σ_y)/H − α.
    fn load(&mut self, force: f64) {
        let [_, young, _] = MATERIAL;
        let (plastic, alpha) = (self.plastic, self.alpha);
        for _ in 0..50 {
            self.tau = force * self.strain.exp();
            let flow = ((self.tau.abs() - YIELD) / HARDENING - alpha).max(0.0);
            (self.plastic, self.alpha) = (plastic + flow * self.tau.signum(), alpha + flow);
            self.strain = self.plastic + self.tau / young;
        }
    }

    /// Plastic work of 1 m³, ∫ σ_y dα.
    fn work(&self) -> f64 {
        YIELD * self.alpha + 0.5 * HARDENING * self.alpha * self.alpha
    }
}

/// Strains at the three peaks and at both passages through zero, and the plastic work, are those of the
/// closed form: yielding in reverse begins at the stress that the loading before has reached.
///
/// Inertia is the only difference. As the bar begins to yield, its rate of strain jumps by at most that of
/// plastic flow, v = Ḟ/H, and the strain swings about its mean by v/ω with ω² = 2 H/(ρ L²), as a
/// cell has half of its mass at its free end. A swing at the end of flow stays.
#[test]
fn a_bar_loaded_in_cycles_hardens_isotropically() {
    let [density, young, poisson] = MATERIAL;
    let moduli = ElasticModuli::from_young_poisson(young, poisson).unwrap();
    let hardening = Hardening::linear(YIELD, HARDENING).unwrap();
    let law = SolidLaw::Plastic(Plastic::new(moduli, hardening).unwrap());
    let rate = 2.5 * std::f64::consts::PI / END;
    let formula = format!("{LARGEST} * (0.7 + 0.3 * t / {END}) * sin({rate} * t)^3");
    for rule in [PointRule::Cell(QuadratureRule::Default), PointRule::MeanDilatation, PointRule::OnePoint] {
        let cube = block("bar", [1.0; 3], [1; 3], [density, young, poisson]);
        let problem = Problem {
            bodies: vec![solid(cube, law.clone(), (rule, [0.0; 2]), at([0.0; 3], [0.0; 3]))],
            supports: vec![Support {
                body: 0,
                set: "west".to_owned(),
                directions: [true, false, false],
                rotations: [false; 3],
                displacement: [0.0; 3],
            }],
            loads: vec![Load {
                body: 0,
                at: Place::Set("east".to_owned()),
                force: [1.0, 0.0, 0.0],
                torque: [0.0; 3],
                axes: Axes::Inertial,
                scale: TimeFunction::Formula(Formula::parse(&formula).unwrap()),
            }],
            ..Problem::default()
        };
        let (simulation, kept) = run(&problem, settings(END, None));

        // The largest rate of the force, and the smallest frequency, of a mass of ½ on a spring H.
        let swing = 3.0 * rate * LARGEST / HARDENING / (2.0 * HARDENING / density).sqrt();
        let mut state = State::default();
        let mut frame = 0;
        for k in 0..=100_000 {
            let time = END * f64::from(k) / 100_000.0;
            state.load(force(time));
            if k % 20_000 != 0 {
                continue;
            }
            // Frames are at the nearest steps.
            let row = &kept.rows[frame];
            assert!((row.balance.time - time).abs() < 1.0);
            let found = kept.displacements[frame][0]
                .iter()
                .step_by(3)
                .fold(0.0_f64, |far, u| if u.abs() > far.abs() { *u } else { far });
            let found = (1.0 + found).ln();
            assert!((found - state.strain).abs() < swing, "{rule:?} {time}: {found} {}", state.strain);
            let work = row.balance.d_pl;
            assert!((work - state.work()).abs() <= 1.5 * YIELD * swing, "{rule:?} {time}: {work}");
            frame += 20;
        }
        let alpha = &simulation.body_states()[0].plastic_strain;
        assert!(alpha.iter().all(|alpha| (alpha - state.alpha).abs() < swing), "{rule:?}: {alpha:?}");
        // 0.32, 0.84 and 0.84 % in the three branches.
        assert!((state.alpha - 0.02).abs() < 1e-3 && state.work() > 0.0, "{}", state.alpha);
        let [energy, momentum, _] = residuals(&kept);
        assert!(energy < 1e-12 * state.work() && momentum < 1e-9 * LARGEST * END, "{energy} {momentum}");
    }
}
