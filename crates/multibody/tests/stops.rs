//! Bodies that come to rest on stops with damping: each contact begins and ends once, and the run continues.

use crate::blocks::{at, balanced, block, ground, joint, on, position, run, settings};
use carom_dynamics::{Ignore, Loads, Placement};
use carom_multibody::{Coordinate, ForceElement, ForceLaw, JointKind, Simulation, Spring, Stops, System};
use nalgebra::Vector3;

const G: f64 = 9.81;
const STIFFNESS: f64 = 1.0e6;

/// A mass of 2 kg on an upright slide, 0.1 m above a stop.
fn drop(damping: f64, start: Placement, end: f64) -> Simulation {
    let body = block("mass", 2.0);
    let ends = [ground([0.0; 3], Vector3::z()), on(0, &body, [0.0; 3], Vector3::z())];
    let stops = Stops { low: -0.1, high: f64::INFINITY, stiffness: STIFFNESS, damping };
    let law = ForceLaw::Along {
        coordinate: Coordinate::Shift { zero: 0.0 },
        spring: Spring::NONE,
        stops: Some(stops),
    };
    let element = ForceElement { name: "stop".to_owned(), ends: ends.clone(), law, joint: None };
    let loads = Loads { gravity: [0.0, 0.0, -G], ..Loads::default() };
    let system = System::new(vec![body], loads, Vec::new())
        .unwrap()
        .with_joints(vec![joint(JointKind::Prismatic, ends)])
        .unwrap()
        .with_forces(vec![element])
        .unwrap();
    Simulation::new(system, &[start], settings(end)).unwrap()
}

#[test]
fn a_body_comes_to_rest_on_a_damped_stop() {
    for damping in [2.0, 10.0] {
        let mut simulation = drop(damping, at([0.0; 3]), 4.0);
        let summary = run(&mut simulation);
        // Some thirty bounces of some twenty steps, and the final oscillation.
        assert!(summary.counters.steps < 4000, "{damping}: {:?}", summary.counters);
        let z = position(&mut simulation, 0).z;
        let expected = -0.1 - 2.0 * G / STIFFNESS;
        assert!((z - expected).abs() < 1e-10, "{damping}: {z} {expected}");
        let velocity = simulation.body_states().unwrap()[0].velocity[2];
        assert!(velocity.abs() < 1e-8, "{damping}: {velocity}");
        balanced(&summary);
        // The energy of the fall is dissipated except for the energy in the stop.
        let lost = -summary.ledger.energy_final;
        let held = 2.0 * G * (0.1 + 2.0 * G / STIFFNESS) - 0.5 * (2.0 * G).powi(2) / STIFFNESS;
        assert!((lost / held - 1.0).abs() < 1e-9, "{lost} {held}");
    }
}

/// A checkpoint may be at a step shortened to the beginning or end of a contact, where rounding determines
/// the sign of the gap.
#[test]
fn a_run_on_a_stop_continues_bit_for_bit_from_any_step() {
    let mut straight = drop(2.0, at([0.0; 3]), 0.5);
    let mut saved = Vec::new();
    while straight.time() < 0.5 {
        straight.step(&mut Ignore).unwrap();
        if straight.time() > 0.14 && saved.len() < 60 {
            saved.push(straight.checkpoint());
        }
    }
    // The first touch, at √(2 h/g) = 0.1428 s, and the first parting lie within.
    assert!(saved[0].time < 0.1427 && saved[59].time > 0.1440, "{} {}", saved[0].time, saved[59].time);
    for checkpoint in &saved {
        let mut resumed = drop(2.0, at([0.0; 3]), 0.5);
        resumed.resume(checkpoint).unwrap();
        run(&mut resumed);
        assert_eq!(resumed.state(), straight.state(), "from t = {}", checkpoint.time);
    }
}
