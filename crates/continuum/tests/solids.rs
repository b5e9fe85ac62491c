//! Elements, plasticity and viscosity in explicit steps: books, waves, rotations, orders of convergence.

use carom_continuum::explicit::{BodySpec, Pressure, Problem, Support};
use carom_dynamics::Placement;
use carom_fem::QuadratureRule;
use carom_fem::constitutive::{ElasticLaw, ElasticModuli, Hardening, Plastic, SolidLaw};
use carom_fem::internal_force::PointRule;

use crate::setup::{Kept, at, block, residuals, run, settings, solid};

const RULES: [PointRule; 3] =
    [PointRule::Cell(QuadratureRule::Default), PointRule::MeanDilatation, PointRule::OnePoint];

fn plastic(moduli: [f64; 2], yield_stress: f64, hardening: f64) -> SolidLaw {
    let moduli = ElasticModuli::from_young_poisson(moduli[0], moduli[1]).unwrap();
    SolidLaw::Plastic(Plastic::new(moduli, Hardening::linear(yield_stress, hardening).unwrap()).unwrap())
}

fn elastic(name: &str, moduli: [f64; 2]) -> SolidLaw {
    let moduli = ElasticModuli::from_young_poisson(moduli[0], moduli[1]).unwrap();
    SolidLaw::Elastic(ElasticLaw::named(name, moduli).unwrap())
}

/// A spinning brick whose faces are suddenly pulled.
fn pulled(law: SolidLaw, rule: PointRule, viscosity: [f64; 2]) -> Problem {
    let placement = Placement {
        velocity: [1.0, 2.0, 3.0],
        angular_velocity: [40.0, -30.0, 20.0],
        ..Placement::rotated([1.0, 2.0, 0.5], 40.0)
    };
    let brick = block("brick", [0.1, 0.06, 0.04], [5, 3, 2], [1000.0, 1e5, 0.4]);
    let pull = |set: &str| Pressure { body: 0, set: set.to_owned(), value: -2e3 };
    Problem {
        bodies: vec![solid(brick, law, (rule, viscosity), placement)],
        pressures: vec![pull("east"), pull("west")],
        ..Problem::default()
    }
}

/// The ledger of every element, law and viscosity closes to round-off, with momenta; each loss is positive
/// and never decreases, and the error of the time integration is a small part of the energy.
#[test]
fn books_close_with_every_element_law_and_viscosity() {
    for rule in RULES {
        for law in [elastic("neo-hookean", [1e5, 0.4]), plastic([1e5, 0.4], 1e3, 1e4)] {
            for viscosity in [[0.0; 2], [0.06, 1.2]] {
                let is_plastic = matches!(law, SolidLaw::Plastic(_));
                let title = format!("{rule:?}, plastic {is_plastic}, viscosity {viscosity:?}");
                let (_, kept) = run(&pulled(law.clone(), rule, viscosity), settings(0.05, None));
                let [energy, momentum, ang_momentum] = residuals(&kept);
                let size = kept.rows[0].balance.e_kin;
                assert!(energy < 1e-12 * size, "{title}: {energy} {size}");
                let scale = &kept.rows[0].balance;
                assert!(momentum < 1e-12 * scale.momentum_scale, "{title}: {momentum}");
                assert!(ang_momentum < 1e-12 * scale.ang_momentum_scale, "{title}: {ang_momentum}");
                let last = kept.rows.last().unwrap().balance;
                assert_eq!(last.d_pl > 0.0, is_plastic, "{title}: {last:?}");
                assert_eq!(last.d_visc > 0.0, viscosity[0] > 0.0, "{title}: {last:?}");
                assert_eq!(last.e_hg > 0.0, rule == PointRule::OnePoint, "{title}: {last:?}");
                assert!(last.d_num.abs() < 2e-2 * size, "{title}: {} of {size}", last.d_num);
                // Viscosity is evaluated with the velocity of half a step before: its work may fall by
                // rounding.
                for pair in kept.rows.windows(2) {
                    let [a, b] = [pair[0].balance, pair[1].balance];
                    assert!(b.d_pl >= a.d_pl && b.d_visc >= a.d_visc - 1e-5 * size, "{title}: {a:?} {b:?}");
                }
            }
        }
    }
}

/// A bar along x whose west end is pulled or pushed at constant velocity, free to contract.
fn driven_bar(length: f64, cells: usize, law: SolidLaw, rule: PointRule, velocity: f64, end: f64) -> Problem {
    let width = length / cells as f64;
    let bar = block("bar", [length, width, width], [cells, 1, 1], [1000.0, 1.0, 0.0]);
    Problem {
        bodies: vec![solid(bar, law, (rule, [0.06, 0.0]), at([0.0; 3], [0.0; 3]))],
        supports: vec![Support {
            body: 0,
            set: "west".to_owned(),
            directions: [true, false, false],
            rotations: [false; 3],
            displacement: [velocity * end, 0.0, 0.0],
        }],
        ..Problem::default()
    }
}

/// Mean displacement of the points of a section over time.
fn section(kept: &Kept, n_points: usize, of_section: impl Fn(usize) -> bool) -> Vec<f64> {
    let mean = |frame: &Vec<Vec<f64>>| {
        let points = (0..n_points).filter(|&p| of_section(p));
        let values: Vec<f64> = points.map(|p| frame[0][3 * p]).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    kept.displacements.iter().map(mean).collect()
}

/// An elastic-plastic wave in a rod (von Karman and Taylor): the elastic precursor of the yield stress runs
/// with √(E/ρ), the plastic wave with √(E_t/ρ); the stress behind it is σ_y + ρ c_p (v − σ_y/(ρ c_e)). One
/// cell across, so that lateral inertia spreads the fronts over a few cells of 200.
#[test]
fn the_plastic_wave_in_a_rod_has_the_speed_of_the_tangent_modulus() {
    let (young, yield_stress, hardening) = (1e9, 1e6, 1e9 / 9.0);
    let tangent = young * hardening / (young + hardening);
    let (c_e, c_p) = ((young / 1000.0_f64).sqrt(), (tangent / 1000.0_f64).sqrt());
    let (length, cells, velocity) = (1.0, 200, 3.0);
    let end = 0.44 * length / c_p;
    for rule in [PointRule::MeanDilatation, PointRule::OnePoint] {
        let problem =
            driven_bar(length, cells, plastic([young, 0.3], yield_stress, hardening), rule, -velocity, end);
        // The precursor that the free end reflects meets the plastic front later, at 0.48 of the length.
        let (_, kept) = run(&problem, settings(end, None));
        let points = &problem.bodies[0].geometry;
        let carom_fem::Geometry::Mesh(mesh) = &points.geometry else { unreachable!() };
        let times: Vec<f64> = kept.rows.iter().map(|row| row.balance.time).collect();
        // The time at which a section moves with the mean of the velocities before and behind the plastic
        // front.
        let ahead = yield_stress / (1000.0 * c_e);
        let arrival = |x: f64| {
            let u = section(&kept, mesh.points.len(), |p| (mesh.points[p][0] - x).abs() < 1e-9);
            let level = 0.5 * (ahead + velocity);
            let k = (1..u.len()).find(|&k| (u[k - 1] - u[k]) / (times[k] - times[k - 1]) > level);
            times[k.unwrap()]
        };
        let [a, b] = [0.1, 0.35].map(arrival);
        let speed = 0.25 / (b - a);
        assert!((speed / c_p - 1.0).abs() < 0.04, "{rule:?}: {speed}, {c_p}");
        // Strain behind the front from the displacements of two sections at the end of the run.
        let at_end = |x: f64| {
            *section(&kept, mesh.points.len(), |p| (mesh.points[p][0] - x).abs() < 1e-9).last().unwrap()
        };
        let strain = (at_end(0.25) - at_end(0.05)) / 0.2;
        let stress = yield_stress + tangent * (strain - yield_stress / young);
        let expected = yield_stress + 1000.0 * c_p * (velocity - ahead);
        assert!((stress / expected - 1.0).abs() < 0.03, "{rule:?}: {stress}, {expected}");
    }
}

/// A brick of elastic-plastic material that its own rotation stretches until it yields, and that then turns
/// 100 times: no plastic work is added, and its stress keeps the virial, ∫ tr σ dV = 2 E_kin.
#[test]
fn a_brick_that_turns_a_hundred_times_under_load_keeps_its_stress() {
    for rule in RULES {
        let placement = Placement { angular_velocity: [0.0, 0.0, 25.0], ..Placement::default() };
        let brick = block("brick", [1.0, 0.5, 0.5], [2, 1, 1], [1000.0, 1e7, 0.3]);
        let spec: BodySpec = solid(brick, plastic([1e7, 0.3], 3e4, 1e6), (rule, [0.5, 0.0]), placement);
        let problem = Problem { bodies: vec![spec], ..Problem::default() };
        let (simulation, kept) = run(&problem, settings(34.0, None));
        let balance = kept.rows.last().unwrap().balance;
        let omega = 2.0 * balance.e_kin / balance.ang_momentum[2];
        assert!(34.0 * omega > 100.0 * std::f64::consts::TAU, "{rule:?}: {omega} rad/s");
        let stress = &simulation.body_states()[0].point_stress;
        let points = stress.as_chunks::<6>().0;
        let trace: f64 = points.iter().map(|s| s[0] + s[1] + s[2]).sum::<f64>() / points.len() as f64;
        // The volume changes by tr σ/3κ, below 1 %.
        assert!((0.25 * trace / (2.0 * balance.e_kin) - 1.0).abs() < 0.01, "{rule:?}: {trace}");
        let works: Vec<f64> = kept.rows.iter().map(|row| row.balance.d_pl).collect();
        let added = works[100] - works[20];
        assert!(works[20] > 0.0 && added < 1e-6 * works[20], "{rule:?}: {} {added}", works[20]);
    }
}
