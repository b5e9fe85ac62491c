//! A reduced body in explicit steps: conserved quantities, order, books, against the adaptive integrator.

use carom_dynamics::{Loads, Placement};
use carom_integrate::{Method, RungeKutta, Tolerances};
use carom_multibody::{Body, Leapfrog, Momenta, System};
use nalgebra::Vector3;

use crate::lattice::Lattice;

const MODES: usize = 6;

fn body() -> Body {
    Lattice::new(0.4, 3.0, 60.0).body(MODES)
}

fn tumbling() -> Placement {
    Placement {
        origin: [0.4, -0.3, 0.2],
        velocity: [0.3, -0.1, 0.2],
        angular_velocity: [2.0, 5.0, -1.0],
        ..Placement::rotated([1.0, 1.0, 0.0], 30.0)
    }
}

/// Position, quaternion and modes at a time, by steps of the same length.
fn at(time: f64, steps: usize, gravity: [f64; 3]) -> Vec<f64> {
    let dt = time / steps as f64;
    let mut body = Leapfrog::new(body(), &tumbling(), gravity.into()).unwrap();
    body.start(dt).unwrap();
    for _ in 0..steps {
        body.predict(dt).unwrap();
        body.advance(dt, dt).unwrap();
    }
    let position = body.pose().position;
    [position.as_slice(), body.quaternion(), body.modal()].concat()
}

/// The same by Dormand and Prince's method of order 8.
fn exact(time: f64, gravity: [f64; 3]) -> Vec<f64> {
    let loads = Loads { gravity, ..Loads::default() };
    let mut system = System::new(vec![body()], loads, Vec::new()).unwrap();
    let mut y = system.initial_state(&[tumbling()]).unwrap();
    let mut absolute = vec![1e-13; y.len()];
    absolute[system.layout().first_integral()..].fill(f64::INFINITY);
    let tolerances = Tolerances { relative: 0.0, absolute, newton: None };
    let mut pair = RungeKutta::new(Method::Dop853, tolerances);
    let mut t = 0.0;
    while t < time {
        pair.attempt(&mut system, t, &y, time).unwrap();
        t = pair.accept(&mut y);
    }
    y[..7 + MODES].to_vec()
}

#[test]
fn a_tumbling_body_follows_the_adaptive_integrator_to_second_order() {
    let gravity = [0.5, 0.0, -9.81];
    let exact = exact(0.8, gravity);
    let error = |steps: usize| {
        let found = at(0.8, steps, gravity);
        found.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    };
    let errors = [400, 800, 1600].map(error);
    let orders = [(errors[0] / errors[1]).log2(), (errors[1] / errors[2]).log2()];
    assert!(orders.iter().all(|order| (1.9..2.1).contains(order)), "{errors:?} {orders:?}");
    assert!(errors[2] < 1e-4, "{errors:?}");
}

/// Momenta are kept to round-off, and the energy oscillates by a part that is of order dt² and does not grow.
#[test]
fn a_free_body_keeps_its_momenta_and_its_energy_does_not_drift() {
    let swings = [2e-3, 1e-3].map(|dt| {
        let mut body = Leapfrog::new(body(), &tumbling(), Vector3::zeros()).unwrap();
        body.start(dt).unwrap();
        let (mut start, mut swings) = (None, [0.0_f64; 2]);
        let n = (8.0 / dt) as usize;
        for step in 0..n {
            body.predict(dt).unwrap();
            let energy = body.kinetic_energy(0.5) + body.elastic_energy();
            let [_, now] = body.momenta();
            let (linear, angular, first) = *start.get_or_insert((now.linear, now.angular, energy));
            let half = usize::from(2 * step > n);
            swings[half] = swings[half].max((energy / first - 1.0).abs());
            assert!((now.linear - linear).norm() < 1e-14 * linear.norm(), "step {step}");
            assert!((now.angular - angular).norm() < 1e-14 * angular.norm(), "step {step}");
            body.advance(dt, dt).unwrap();
        }
        assert!(swings[1] < 1.1 * swings[0], "{swings:?}");
        swings[1]
    });
    let order = (swings[0] / swings[1]).log2();
    assert!((1.8..2.2).contains(&order) && swings[1] < 1e-3, "{swings:?}");
}

/// The kinetic energy changes by the works of all forces and by the change of the mass matrix, to round-off,
/// under loads, gravity, and impulses of contacts.
#[test]
fn works_of_all_forces_are_the_change_of_the_kinetic_energy() {
    let dt = 1e-3;
    let mut body = Leapfrog::new(body(), &tumbling(), Vector3::new(0.0, 0.0, -9.81)).unwrap();
    let rows: Vec<f64> = (0..3 * MODES).map(|k| 0.3 * (k as f64 + 0.5).sin()).collect();
    let place = Vector3::new(0.3, -0.2, 0.4);
    let pulled = Vector3::new(3.0, -2.0, 5.0);
    body.start(dt).unwrap();
    let (mut works, mut first, mut impulse) = (0.0, None, Vector3::zeros());
    for step in 0..500 {
        let mut loads = Momenta::zero(MODES);
        body.add_point_force(&place, &rows, &pulled, &mut loads);
        body.load(&loads);
        body.predict(dt).unwrap();
        let mut contact = Momenta::zero(MODES);
        let push = Vector3::new(0.0, 20.0 * (0.1 * f64::from(step)).sin().max(0.0), 1.0);
        body.add_point_force(&-place, &rows, &push, &mut contact);
        let mut pushed = Momenta::zero(MODES);
        pushed.add(dt, &contact);
        body.push(&pushed);
        body.settle().unwrap();
        let (loads, pushes) = (body.powers(body.forces()), body.powers(&contact));
        let [inner, _] = body.internal_powers();
        let power = |i: usize| loads[i] + pushes[i] - inner[i];
        // The work of a material force is force times velocity.
        let velocities = body.point_velocities(&-place, &rows);
        assert!((velocities[0].dot(&push) - pushes[0]).abs() < 1e-12 * pushes[0].abs().max(1.0));
        let until_now = works + 0.5 * dt * power(0);
        let kinetic = body.kinetic_energy(0.5);
        let (start, before) = *first.get_or_insert((kinetic, until_now));
        let rest = kinetic - start - (until_now - before);
        assert!(rest.abs() < 1e-12 * (kinetic + start), "step {step}: {rest}");
        works += 0.5 * dt * power(1) + body.advance(dt, dt).unwrap();
        impulse += dt * (pulled + push);
    }
    assert!(impulse.norm() > 1.0 && body.elastic_energy() > 0.0);
}

/// A body that does not turn swings in each mode with ω_h = 2/h asin(ω h/2).
#[test]
fn modes_swing_with_the_frequency_of_central_differences() {
    let stiffness: Vec<f64> = (0..MODES).map(|k| body().frame.stiffness_modal[(k, k)]).collect();
    let dt = 1.6 / stiffness[MODES - 1].sqrt();
    let modal: Vec<f64> = (0..MODES).map(|k| 1e-9 * (k + 1) as f64).collect();
    let mut body = Leapfrog::new(body(), &Placement::default(), Vector3::zeros()).unwrap();
    assert!((body.critical_step() / (2.0 * dt / 1.6) - 1.0).abs() < 1e-6);
    body.set_modal(&modal, &[0.0; MODES]).unwrap();
    body.start(dt).unwrap();
    for step in 1..200 {
        body.predict(dt).unwrap();
        body.advance(dt, dt).unwrap();
        for k in 0..MODES {
            let turned = 2.0 * (0.5 * stiffness[k].sqrt() * dt).asin() * f64::from(step);
            // Terms of velocity are of second order in the deformation.
            let error = (body.modal()[k] - modal[k] * turned.cos()).abs();
            assert!(error < 1e-5 * modal[k], "mode {k} step {step}: {error:e}");
        }
    }
}

/// The frame of a held body stays, and its modes move.
#[test]
fn a_held_body_keeps_its_frame() {
    let mut body = Leapfrog::new(body().fixed(), &Placement::default(), Vector3::zeros()).unwrap();
    let rows: Vec<f64> = (0..3 * MODES).map(|k| (k as f64).cos()).collect();
    let dt = 1e-3;
    body.start(dt).unwrap();
    for _ in 0..10 {
        let mut loads = Momenta::zero(MODES);
        body.add_point_force(&Vector3::x(), &rows, &Vector3::y(), &mut loads);
        body.load(&loads);
        body.predict(dt).unwrap();
        body.advance(dt, dt).unwrap();
    }
    assert!(body.modal().iter().any(|q| q.abs() > 1e-9));
    assert_eq!(body.pose().position, Vector3::zeros());
    assert_eq!(body.quaternion(), &[1.0, 0.0, 0.0, 0.0]);
}
