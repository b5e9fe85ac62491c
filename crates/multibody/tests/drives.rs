//! Prescribed motions of joints against closed forms and the ledger.

use crate::blocks::{at, balanced, block, formula, ground, joint, on, position, run, settings};
use carom_dynamics::{Interpolation, Loads, Placement, Table, TimeFunction};
use carom_multibody::{Coordinate, Drive, JointKind, Simulation, System};
use nalgebra::Vector3;

/// A rod driven about its end by θ = sin t in gravity: the reaction torque is J θ̈ + m g s cos θ; the work
/// of the drive is its integral and equals the change of the energy.
#[test]
fn the_work_of_a_drive_equals_the_change_of_energy() {
    let (mass, arm, g) = (2.0, 0.3, 9.81);
    let body = block("rod", mass);
    let axis = Vector3::y();
    let ends = [ground([0.0; 3], axis), on(0, &body, [-arm, 0.0, 0.0], axis)];
    let loads = Loads { gravity: [0.0, 0.0, -g], ..Loads::default() };
    let drive = Drive { joint: 0, coordinate: Coordinate::Angle, course: formula("0.8*sin(3*t)") };
    let system = System::new(vec![body], loads, Vec::new())
        .unwrap()
        .with_joints(vec![joint(JointKind::Revolute, ends)])
        .unwrap()
        .with_drives(vec![drive])
        .unwrap();
    let end = 1.9;
    let mut simulation = Simulation::new(system, &[at([arm, 0.0, 0.0])], settings(end)).unwrap();
    // The start moves as the drive does.
    assert!((simulation.body_states().unwrap()[0].angular_velocity[1] - 2.4).abs() < 1e-12);
    let summary = run(&mut simulation);
    let theta = 0.8 * f64::sin(3.0 * end);
    let rate = 2.4 * f64::cos(3.0 * end);
    let found = position(&mut simulation, 0);
    let expected = arm * Vector3::new(theta.cos(), 0.0, -theta.sin());
    assert!((found - expected).norm() < 1e-9, "{found} {expected}");
    let inertia = 0.03 + mass * arm * arm;
    let balance = simulation.system.balance(end, simulation.state());
    let work = 0.5 * inertia * (rate * rate - 2.4 * 2.4) - mass * g * arm * theta.sin();
    assert!((balance.w_ext - work).abs() < 1e-7 * work.abs(), "{} {work}", balance.w_ext);
    balanced(&summary);
}

/// A slider-crank whose crank turns at a constant speed, against x = r cos φ + √(ℓ² − r² sin² φ).
#[test]
fn a_slider_crank_at_constant_speed_follows_its_geometry() {
    let (r, l, omega) = (0.1_f64, 0.35_f64, 20.0_f64);
    let (crank, rod, slider) = (block("crank", 1.0), block("rod", 0.5), block("slider", 0.8));
    let y = Vector3::y();
    let x = Vector3::x();
    let joints = vec![
        joint(JointKind::Revolute, [ground([0.0; 3], y), on(0, &crank, [-0.5 * r, 0.0, 0.0], y)]),
        joint(
            JointKind::Revolute,
            [on(0, &crank, [0.5 * r, 0.0, 0.0], y), on(1, &rod, [-0.5 * l, 0.0, 0.0], y)],
        ),
        joint(JointKind::Spherical, [on(1, &rod, [0.5 * l, 0.0, 0.0], y), on(2, &slider, [0.0; 3], y)]),
        joint(JointKind::Prismatic, [ground([0.0; 3], x), on(2, &slider, [0.0; 3], x)]),
    ];
    // Positive about +y turns x towards −z; several turns in the run.
    let drive = Drive { joint: 0, coordinate: Coordinate::Angle, course: formula("20*t") };
    let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
    let system = System::new(vec![crank, rod, slider], loads, Vec::new())
        .unwrap()
        .with_joints(joints)
        .unwrap()
        .with_drives(vec![drive])
        .unwrap();
    let end = 1.0;
    let places = [at([0.5 * r, 0.0, 0.0]), at([r + 0.5 * l, 0.0, 0.0]), at([r + l, 0.0, 0.0])];
    let mut simulation = Simulation::new(system, &places, settings(end)).unwrap();
    let summary = run(&mut simulation);
    let phi = omega * end;
    let expected = r * phi.cos() + (l * l - (r * phi.sin()).powi(2)).sqrt();
    let found = position(&mut simulation, 2);
    assert!((found - Vector3::new(expected, 0.0, 0.0)).norm() < 1e-9, "{found} {expected}");
    assert!(summary.ledger.energy_error < 1e-7, "{:?}", summary.ledger);
    assert!(summary.ledger.momentum_error < 1e-7, "{:?}", summary.ledger);
}

/// A load on a hoist of prescribed length, and a slide that follows a smooth table, with gravity across or
/// along their direction.
#[test]
fn driven_lengths_and_shifts_follow_their_function() {
    let (mass, g) = (1.0, 9.81);
    let body = block("load", mass);
    let course: Vec<_> = (0..=20).map(|i| [0.1 * f64::from(i), 0.2 * (0.4 * f64::from(i)).sin()]).collect();
    let table = Table::new(course, Interpolation::Smooth).unwrap();
    let end = 1.57;
    let (target, start) = (table.at(end), table.at(0.0));
    let (x, z) = (Vector3::x(), Vector3::z());
    let cases = [
        (
            JointKind::Distance { length: 0.5 },
            Coordinate::Length,
            formula("0.5 + 0.1*smoothstep(t)"),
            -0.5 * z,
            -0.6 * z,
            -mass * g * 0.1,
        ),
        (
            JointKind::Prismatic,
            Coordinate::Shift { zero: 0.0 },
            TimeFunction::Table(table),
            Vector3::zeros(),
            target.value * x,
            0.5 * mass * (target.rate * target.rate - start.rate * start.rate),
        ),
    ];
    for (kind, coordinate, course, from, to, work) in cases {
        let ends = [ground([0.0; 3], x), on(0, &body, [0.0; 3], x)];
        let loads = Loads { gravity: [0.0, 0.0, -g], ..Loads::default() };
        let system = System::new(vec![body.clone()], loads, Vec::new())
            .unwrap()
            .with_joints(vec![joint(kind, ends)])
            .unwrap()
            .with_drives(vec![Drive { joint: 0, coordinate, course }])
            .unwrap();
        let mut simulation = Simulation::new(system, &[at(from.into())], settings(end)).unwrap();
        let summary = run(&mut simulation);
        let found = position(&mut simulation, 0);
        assert!((found - to).norm() < 1e-9, "{kind:?}: {found} {to}");
        let balance = simulation.system.balance(end, simulation.state());
        assert!((balance.w_ext - work).abs() < 1e-7, "{kind:?}: {} {work}", balance.w_ext);
        // Gravity and the reaction to it give eighty times its momentum.
        let ledger = &summary.ledger;
        assert!(ledger.energy_error < 1e-7 && ledger.momentum_error < 80e-8, "{kind:?}: {ledger:?}");
    }
}

/// A prescribed motion of a coordinate that the joint constrains is refused with a message.
#[test]
fn a_drive_of_a_constrained_coordinate_is_refused() {
    let body = block("body", 1.0);
    let x = Vector3::x();
    let ends = [ground([0.0; 3], x), on(0, &body, [0.0; 3], x)];
    let drive = Drive { joint: 0, coordinate: Coordinate::Angle, course: formula("t") };
    let system = System::new(vec![body], Loads::default(), Vec::new())
        .unwrap()
        .with_joints(vec![joint(JointKind::Fixed, ends)])
        .unwrap()
        .with_drives(vec![drive])
        .unwrap();
    let error = Simulation::new(system, &[Placement::default()], settings(1.0)).unwrap_err().to_string();
    assert!(error.contains("joint `fixed`: its motion drives a coordinate"), "{error}");
}
