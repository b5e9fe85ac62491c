//! Beams against closed forms.

use std::f64::consts::PI;

use carom_fem::structural::BeamSection;
use nalgebra::{Rotation3, Vector3};

use super::model::{Model, line, material};

fn cantilever(n: usize, length: f64, section: BeamSection, model: (f64, f64)) -> Model {
    let points: Vec<[f64; 3]> = (0..=n).map(|k| [length * k as f64 / n as f64, 0.0, 0.0]).collect();
    let mut made = line(&points, section, &material(model.0, model.1));
    made.hold(0, &[0, 1, 2, 3, 4, 5]);
    made
}

/// Timoshenko's cantilever: w = F L³/(3 E I) + F L/(κ G A) along each axis, φ = M L/(G J), exact for any
/// number of elements.
#[test]
fn a_cantilever_has_the_deflections_of_timoshenko_at_its_nodes() {
    let (length, young, poisson) = (2.0, 7.0e6, 0.25);
    let section = BeamSection::rectangle([0.2, 0.3], [0.0, 1.0, 0.0]).unwrap();
    let shear = young / (2.0 * (1.0 + poisson));
    for n in [1, 3] {
        let mut model = cantilever(n, length, section, (young, poisson));
        let tip = 6 * n;
        model.load[tip..tip + 4].copy_from_slice(&[3.0, 5.0, 7.0, 11.0]);
        let found = model.solve_linear(length)[n];
        let bent = |force: f64, inertia: f64, area: f64| {
            force * length.powi(3) / (3.0 * young * inertia) + force * length / (shear * area)
        };
        let expected = [
            3.0 * length / (young * section.area),
            bent(5.0, section.inertia[1], section.shear_area[0]),
            bent(7.0, section.inertia[0], section.shear_area[1]),
            11.0 * length / (shear * section.torsion),
        ];
        for (found, expected) in found.iter().zip(expected) {
            // Differences of step 1e-6 round to 1e-10 of the axial stiffness, 1e-6 of that of bending.
            assert!((found / expected - 1.0).abs() < 1e-5, "{n}: {found} {expected}");
        }
    }
}

/// An end moment 2πEI/L rolls a cantilever into a circle: the nodes are on the polygon of its chords,
/// whatever their number.
#[test]
fn an_end_moment_rolls_a_cantilever_into_a_circle() {
    let (length, n, young) = (12.0, 8, 1.2e6);
    let section = BeamSection::rectangle([0.1, 1.0], [0.0, 0.0, 1.0]).unwrap();
    let mut model = cantilever(n, length, section, (young, 0.0));
    // e₂ is z, hence bending in the plane of x and z is about e₃ = x × z = −y, with I₃ = 1·0.1³/12.
    let moment = 2.0 * PI * young * section.inertia[1] / length;
    for step in 1..=8 {
        model.load[6 * n + 4] = -moment * f64::from(step) / 8.0;
        model.solve(length);
    }
    let tip = model.displacement(n);
    assert!((tip - Vector3::new(-length, 0.0, 0.0)).norm() < 1e-6 * length, "{tip}");
    // Half-way round: chords of L/n, each turned by 2π/n from the last, the first by half of that.
    let chord = length / n as f64;
    let turn = 2.0 * PI / n as f64;
    let place = (0..n / 2).fold(Vector3::zeros(), |sum: Vector3<f64>, k| {
        let angle = turn * (k as f64 + 0.5);
        sum + chord * Vector3::new(angle.cos(), 0.0, angle.sin())
    });
    let found = Vector3::new(length / 2.0, 0.0, 0.0) + model.displacement(n / 2);
    assert!((found - place).norm() < 1e-6 * length, "{found} {place}");
}

/// Euler's elastica with an end load P L²/(E I) = 4: Mattiasson (1981), Int. J. Numer. Meth. Engng 17,
/// 145–153, table I: 0.66996 L down, 0.32894 L back.
#[test]
fn a_cantilever_under_a_large_end_load_has_the_place_of_the_elastica() {
    let length = 10.0;
    let section = BeamSection::rectangle([0.1, 1.0], [0.0, 0.0, 1.0]).unwrap();
    let young = 1.2e6;
    let errors = [8, 16].map(|n| {
        let mut model = cantilever(n, length, section, (young, 0.0));
        for step in 1..=20 {
            model.load[6 * n + 2] = 0.2 * f64::from(step);
            model.solve(length);
        }
        let tip = model.displacement(n) / length;
        ((tip.z - 0.66996).powi(2) + (tip.x + 0.32894).powi(2)).sqrt()
    });
    // The order is two.
    assert!(errors[1] < 1e-3 && errors[1] < 0.3 * errors[0] + 5e-5, "{errors:?}");
}

/// Strains do not depend on the frame: the energy of a bent chain does not change as it turns as a whole.
#[test]
fn the_energy_of_a_beam_does_not_change_under_rotation() {
    let section = BeamSection::rectangle([0.2, 0.3], [0.0, 1.0, 0.3]).unwrap();
    let mut model = cantilever(3, 3.0, section, (1000.0, 0.3));
    for k in 1..4 {
        let angle = 0.4 * k as f64;
        model.turn(k, &[0.1, -0.2 * angle, 0.3 * angle, angle, 0.5 * angle, -0.3 * angle]);
    }
    let energy = |model: &mut Model| {
        let Model { force, history, u, rotations, .. } = model;
        force.stored_energy(u, rotations, history).unwrap()
    };
    let before = energy(&mut model);
    let turn = Rotation3::new(Vector3::new(2.0, -1.0, 0.5)).into_inner();
    for k in 0..4 {
        let place = model.force.points()[k] + model.displacement(k);
        let shift = turn * place - place;
        (0..3).for_each(|d| model.u[3 * k + d] += shift[d]);
        model.rotations[k] = turn * model.rotations[k];
    }
    let after = energy(&mut model);
    assert!(before > 0.1 && (after / before - 1.0).abs() < 1e-13, "{before} {after}");
}
