//! Springs, dampers, stops, bushings and loads by time against closed forms and the ledger.

use std::f64::consts::{PI, TAU};

use crate::blocks::{along, at, balanced, block, formula, ground, joint, on, position, run, settings, triad};
use crate::lattice::Lattice;
use carom_dynamics::{Axes, Ignore, Interpolation, Loads, Placement, PointLoad, Table, TimeFunction};
use carom_multibody::{
    Body, Bushing, Coordinate, ForceElement, ForceLaw, JointEnd, JointKind, Simulation, Spring, Stops, System,
};
use nalgebra::Vector3;

/// A mass on a spring and damper against its damped oscillation; the booked loss equals the decrease
/// of energy.
#[test]
fn a_mass_on_a_spring_and_damper_follows_the_damped_oscillation() {
    let (mass, k, c, amplitude) = (2.0, 50.0, 3.0, 0.1);
    let body = block("mass", mass);
    let spring = Spring { stiffness: k, damping: c, free: 0.5, preload: 0.0 };
    let ends = [ground([0.0; 3], Vector3::z()), on(0, &body, [0.0; 3], Vector3::z())];
    let system = System::new(vec![body], Loads::default(), Vec::new())
        .unwrap()
        .with_forces(vec![along(Coordinate::Length, spring, ends)])
        .unwrap();
    let end = 1.3;
    let mut simulation = Simulation::new(system, &[at([0.5 + amplitude, 0.0, 0.0])], settings(end)).unwrap();
    let summary = run(&mut simulation);
    let decay = 0.5 * c / mass;
    let omega = (k / mass - decay * decay).sqrt();
    let phase = omega * end;
    let expected = 0.5 + amplitude * (-decay * end).exp() * (phase.cos() + decay / omega * phase.sin());
    let found = position(&mut simulation, 0);
    assert!((found - Vector3::new(expected, 0.0, 0.0)).norm() < 1e-7 * amplitude, "{found} {expected}");
    balanced(&summary);
    let lost = summary.ledger.energy_initial - summary.ledger.energy_final;
    assert!((summary.ledger.energy_initial - 0.5 * k * amplitude * amplitude).abs() < 1e-15);
    assert!(lost > 0.2 && lost < 0.25, "{lost}");
}

/// A released stiff spring: the tolerance follows the speed of the mass, not the length of the run.
#[test]
fn a_short_run_on_a_stiff_spring_is_accurate() {
    let (mass, k, amplitude, end) = (1.0, 1.0e8, 1.0e-5, 2.0e-3);
    let body = block("mass", mass);
    let spring = Spring { stiffness: k, damping: 0.0, free: 0.5, preload: 0.0 };
    let ends = [ground([0.0; 3], Vector3::z()), on(0, &body, [0.0; 3], Vector3::z())];
    let system = System::new(vec![body], Loads::default(), Vec::new())
        .unwrap()
        .with_forces(vec![along(Coordinate::Length, spring, ends)])
        .unwrap();
    let mut simulation = Simulation::new(system, &[at([0.5 + amplitude, 0.0, 0.0])], settings(end)).unwrap();
    let summary = run(&mut simulation);
    let expected = amplitude * f64::cos(f64::sqrt(k / mass) * end);
    let found = position(&mut simulation, 0)[0] - 0.5;
    assert!((found - expected).abs() < 1e-6 * amplitude, "{found} {expected}");
    balanced(&summary);
}

/// A wheel on a torsion spring that oscillates by three turns and a half to either side.
#[test]
fn a_torsion_spring_counts_turns() {
    let (k, speed) = (0.01, 11.0);
    let wheel = block("wheel", 1.0);
    let inertia = 0.04;
    let ends = [ground([0.0; 3], Vector3::z()), on(0, &wheel, [0.0; 3], Vector3::z())];
    let spring = Spring { stiffness: k, damping: 0.0, free: 0.0, preload: 0.0 };
    let build = || {
        System::new(vec![wheel.clone()], Loads::default(), Vec::new())
            .unwrap()
            .with_joints(vec![joint(JointKind::Revolute, ends.clone())])
            .unwrap()
            .with_forces(vec![along(Coordinate::Angle, spring, ends.clone())])
            .unwrap()
    };
    let start = Placement { angular_velocity: [0.0, 0.0, speed], ..Placement::default() };
    let omega = f64::sqrt(k / inertia);
    assert!((speed / omega / TAU - 3.5).abs() < 0.01);
    let end = 0.8 * TAU / omega;
    let mut simulation = Simulation::new(build(), &[start], settings(end)).unwrap();
    let summary = run(&mut simulation);
    let found = simulation.body_states().unwrap()[0].angular_velocity[2];
    let expected = speed * (omega * end).cos();
    assert!((found - expected).abs() < 1e-6 * speed, "{found} {expected}");
    balanced(&summary);
    // From a checkpoint in the middle of the turns it continues bit for bit.
    let mut first = Simulation::new(build(), &[start], settings(end)).unwrap();
    while first.time() < 0.4 * end {
        first.step(&mut Ignore).unwrap();
    }
    let checkpoint = first.checkpoint();
    let mut second = Simulation::new(build(), &[start], settings(end)).unwrap();
    second.resume(&checkpoint).unwrap();
    run(&mut second);
    assert_eq!(second.state(), simulation.state());
}

/// Two masses free in space on a slide with a spring between them: the reduced mass oscillates, momenta
/// are conserved.
#[test]
fn a_spring_in_a_slide_conserves_the_momenta_of_free_bodies() {
    let bodies = [block("a", 1.0), block("b", 3.0)];
    let axis = Vector3::new(0.6, 0.0, 0.8);
    let (k, amplitude) = (40.0, 0.05);
    let ends = [on(0, &bodies[0], [0.0; 3], axis), on(1, &bodies[1], [0.0; 3], axis)];
    let spring = Spring { stiffness: k, damping: 0.0, free: 0.0, preload: 2.0 };
    let zero = 0.5;
    let system = System::new(bodies.to_vec(), Loads::default(), Vec::new())
        .unwrap()
        .with_joints(vec![joint(JointKind::Prismatic, ends.clone())])
        .unwrap()
        .with_forces(vec![along(Coordinate::Shift { zero }, spring, ends)])
        .unwrap();
    // The preload moves the middle of the oscillation.
    let rest = -2.0 / k;
    let place = axis * (zero + rest + amplitude);
    let end = 1.0;
    let mut simulation =
        Simulation::new(system, &[Placement::default(), at(place.into())], settings(end)).unwrap();
    let summary = run(&mut simulation);
    let omega = f64::sqrt(k / 0.75);
    let expected = zero + rest + amplitude * (omega * end).cos();
    let found = (position(&mut simulation, 1) - position(&mut simulation, 0)).dot(&axis);
    assert!((found - expected).abs() < 1e-7 * amplitude, "{found} {expected}");
    assert!(summary.ledger.momentum_error < 1e-12, "{:?}", summary.ledger);
    assert!(summary.ledger.energy_error < 1e-7, "{:?}", summary.ledger);
}

/// Springs, bushings and dampers between flexible bodies that tumble: the ledger balances, P and L are
/// conserved.
#[test]
fn elements_between_flexible_bodies_balance_energy_and_momenta() {
    let lattice = Lattice::new(0.3, 2.0, 60.0);
    let bodies: Vec<Body> = (0..2).map(|_| lattice.body(6)).collect();
    let end = |body: usize, points: &[u32]| JointEnd {
        body: Some(body),
        marker: bodies[body].marker(points).unwrap(),
        triad_b: triad(Vector3::new(0.3, 1.0, -0.2)),
    };
    let bushing = Bushing {
        stiffness: [20.0, 40.0, 30.0],
        ang_stiffness: [1.0, 0.5, 0.7],
        damping: [0.1, 0.2, 0.3],
        ang_damping: [0.02, 0.01, 0.03],
        zero: [0.1, 0.0, 0.2],
    };
    let elements = vec![
        along(
            Coordinate::Length,
            Spring { stiffness: 30.0, damping: 0.2, free: 0.4, preload: 0.3 },
            [end(0, &[0, 1, 2, 3]), end(1, &[4, 5, 6])],
        ),
        ForceElement {
            name: "bushing".to_owned(),
            ends: [end(0, &[4, 5, 6]), end(1, &[0, 1, 2, 3])],
            law: ForceLaw::Bushing(bushing),
            joint: None,
        },
    ];
    let system =
        System::new(bodies.clone(), Loads::default(), Vec::new()).unwrap().with_forces(elements).unwrap();
    let spin =
        Placement { angular_velocity: [1.0, -1.0, 0.5], velocity: [0.1, 0.0, 0.3], ..Placement::default() };
    let places = [spin, Placement { angular_velocity: [0.5, 0.4, 1.0], ..at([0.5, 0.2, 0.1]) }];
    let mut simulation = Simulation::new(system, &places, settings(1.0)).unwrap();
    let summary = run(&mut simulation);
    assert!(summary.ledger.energy_error < 1e-7, "{:?}", summary.ledger);
    assert!(summary.ledger.momentum_error < 1e-13 && summary.ledger.ang_momentum_error < 1e-13);
    let change = summary.ledger.energy_initial - summary.ledger.energy_final;
    assert!(change > 1e-3 * summary.ledger.energy_initial, "the dissipated energy is too small: {change}");
    assert!(simulation.body_states().unwrap().iter().all(|body| body.modal.iter().any(|q| q.abs() > 1e-9)));
}

/// A slider flies freely against a stop: the contact lasts half a period of the mass on the stop's spring,
/// and the slider returns with its speed. A step as long as the flight does not miss the stop.
#[test]
fn a_stop_returns_a_slider_after_half_a_period() {
    let (mass, k, speed, high) = (2.0, 3.0e4, 1.5, 0.3);
    let slider = block("slider", mass);
    let ends = [ground([0.0; 3], Vector3::x()), on(0, &slider, [0.0; 3], Vector3::x())];
    let half = PI * f64::sqrt(mass / k);
    let simulate = |damping: f64, end: f64| {
        let stops = Stops { low: f64::NEG_INFINITY, high, stiffness: k, damping };
        let law = ForceLaw::Along {
            coordinate: Coordinate::Shift { zero: 0.0 },
            spring: Spring::NONE,
            stops: Some(stops),
        };
        let element = ForceElement { name: "stop".to_owned(), ends: ends.clone(), law, joint: None };
        let system = System::new(vec![slider.clone()], Loads::default(), Vec::new())
            .unwrap()
            .with_joints(vec![joint(JointKind::Prismatic, ends.clone())])
            .unwrap()
            .with_forces(vec![element])
            .unwrap();
        let start = Placement { velocity: [speed, 0.0, 0.0], ..Placement::default() };
        let mut simulation = Simulation::new(system, &[start], settings(end)).unwrap();
        // The first step that touches the stop ends there.
        while simulation.time() < high / speed * (1.0 - 1e-9) {
            simulation.step(&mut Ignore).unwrap();
        }
        assert!((simulation.time() * speed / high - 1.0).abs() < 1e-9, "{}", simulation.time());
        let summary = run(&mut simulation);
        let state = simulation.body_states().unwrap()[0].clone();
        (summary, state.position[0], state.velocity[0])
    };
    let end = 0.3;
    let (summary, x, v) = simulate(0.0, end);
    let expected = high - speed * (end - high / speed - half);
    assert!((x - expected).abs() < 1e-7, "{x} {expected}");
    assert!((v + speed).abs() < 1e-7 * speed, "{v}");
    balanced(&summary);
    // m v dv/dδ = −k δ (1 + β v): v − ln(1 + β v)/β is the same before and after.
    let beta = 0.2;
    let (summary, _, v) = simulate(beta, end);
    let potential = |rate: f64| rate - (1.0 + beta * rate).ln() / beta;
    assert!((potential(v) - potential(speed)).abs() < 1e-6 * potential(speed), "{v}");
    balanced(&summary);
    let lost = 0.5 * mass * (speed * speed - v * v);
    let booked = summary.ledger.energy_initial - summary.ledger.energy_final;
    assert!((lost - booked).abs() < 1e-12 && lost > 0.1, "{lost} {booked}");
}

/// Loads by time: position and work of a free body under F sin ωt, and under the pulse of a table.
#[test]
fn loads_follow_their_functions_of_time() {
    let (mass, force, omega) = (2.0, 3.0, 7.0);
    let load = |scale: TimeFunction| {
        let body = block("body", mass);
        let marker = body.frame_marker(Vector3::zeros());
        let load = PointLoad {
            body: 0,
            marker,
            force: [0.0, force, 0.0],
            torque: [0.0; 3],
            axes: Axes::Inertial,
            scale,
        };
        let loads = Loads { point_loads: vec![load], ..Loads::default() };
        let system = System::new(vec![body], loads, Vec::new()).unwrap();
        let mut simulation = Simulation::new(system, &[Placement::default()], settings(2.0)).unwrap();
        let summary = run(&mut simulation);
        balanced(&summary);
        let state = simulation.body_states().unwrap()[0].clone();
        (state.position[1], state.velocity[1], summary.ledger.energy_final)
    };
    let (y, v, energy) = load(formula("sin(7*t)"));
    let expected = force / mass / omega * (2.0 - (omega * 2.0).sin() / omega);
    assert!((y - expected).abs() < 1e-8, "{y} {expected}");
    assert!((energy - 0.5 * mass * v * v).abs() < 1e-12);
    // A triangle of 10 ms, a two-hundredth of the run: its impulse is kept to rounding.
    let points = vec![[1.0, 0.0], [1.005, 1.0], [1.01, 0.0]];
    let (_, v, _) = load(TimeFunction::Table(Table::new(points, Interpolation::Linear).unwrap()));
    assert!((v / (0.5 * 0.01 * force / mass) - 1.0).abs() < 1e-12, "{v}");
}
