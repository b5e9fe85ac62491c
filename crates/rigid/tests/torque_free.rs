//! Free rotation: exact energy and angular momentum at any step, second order, closed forms.

use crate::problems::{run, turned_body};
use carom_dynamics::{Placement, rotation};
use carom_rigid::{RigidBody, System};
use nalgebra::{Matrix3, Vector3};

fn free(body: RigidBody, omega: [f64; 3], dt: f64) -> System {
    let placement = Placement { angular_velocity: omega, velocity: [0.3, -0.2, 0.1], ..Placement::default() };
    System::new(vec![body], &[placement], &[], Vector3::zeros(), dt).unwrap()
}

/// Number of the principal axis with neither the least nor the largest moment.
fn middle_axis(body: &RigidBody) -> usize {
    3 - body.inertia.imin() - body.inertia.imax()
}

/// Rotation about the middle axis: the body flips periodically (Dzhanibekov).
fn dzhanibekov(dt: f64) -> System {
    let body = turned_body([1.0, 2.0, 2.5]);
    let (axes, middle) = (rotation::matrix(&body.axes), middle_axis(&body));
    let mut omega = Vector3::repeat(1e-3);
    omega[middle] = 2.0;
    free(body, (axes * omega).into(), dt)
}

#[test]
fn a_top_about_its_middle_axis_conserves_energy_and_momenta_over_a_million_steps() {
    let mut top = dzhanibekov(0.01);
    let axis = middle_axis(&top.bodies[0]);
    let middle = |top: &System| {
        let state = &top.states()[0];
        rotation::matrix(&state.quaternion).tr_mul(&state.spin)[axis].signum()
    };
    let (mut turns, mut last) = (0, middle(&top));
    let initial = top.energy();
    let (spin, momentum) = (top.states()[0].spin, top.momentum());
    for _ in 0..1_000_000 {
        top.step().unwrap();
        let now = middle(&top);
        turns += u32::from(now != last);
        last = now;
    }
    let [least, largest] = top.energy_range();
    let error = (largest / initial - 1.0).max(1.0 - least / initial);
    assert!(error < 2e-12, "energy is off by {error:.1e}: a walk of 1e6 roundings makes 1e-13 to 1e-12");
    // Without loads these do not change by one bit.
    assert_eq!((top.states()[0].spin, top.momentum()), (spin, momentum));
    // About two flips in each hundred of the ten thousand seconds.
    assert!(turns > 100, "{turns} turns");
}

#[test]
fn a_slender_rod_conserves_its_energy_over_a_million_steps() {
    // The moment about its axis is a millionth of the others, and the axis tumbles.
    let body = turned_body([1e-6, 1.0, 1.0]);
    let (axes, along) = (rotation::matrix(&body.axes), body.inertia.imin());
    let mut omega = Vector3::new(0.5, 1.0, -0.8);
    omega[along] = 3.0;
    let mut rod = free(body, (axes * omega).into(), 0.02);
    let drift = run(&mut rod, 1_000_000);
    assert!(drift.energy < 2e-11, "{drift:?}");
}

#[test]
fn steps_of_a_radian_conserve_the_energy() {
    let mut top = free(turned_body([1.0, 1.7, 2.4]), [0.6, -0.7, 0.4], 1.0);
    let drift = run(&mut top, 20_000);
    assert!(drift.energy < 1e-12 && drift.ang_momentum < 1e-12, "{drift:?}");
}

#[test]
fn rotation_converges_with_the_square_of_the_step() {
    let at = |dt: f64| {
        let mut top = free(turned_body([1.0, 1.7, 2.4]), [0.6, -0.7, 0.4], dt);
        run(&mut top, (4.0 / dt).round() as u64);
        rotation::matrix(&top.states()[0].quaternion)
    };
    let exact = at(4.0 / 4096.0);
    let errors: Vec<f64> = [64.0, 128.0, 256.0].iter().map(|n| (at(4.0 / n) - exact).norm()).collect();
    let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    assert!((orders[1] - 2.0).abs() < 0.03, "{errors:?} {orders:?}");
}

/// A symmetric top: its axis circles the angular momentum with |s|/J_t.
#[test]
fn a_symmetric_top_precesses_by_the_closed_form() {
    let (axial, transverse) = (0.4, 1.0);
    let body = RigidBody::new(
        "top",
        1.0,
        Matrix3::from_diagonal(&Vector3::new(transverse, transverse, axial)),
        Vector3::zeros(),
    )
    .unwrap();
    let mut errors = Vec::new();
    for n in [2000_u32, 4000] {
        let t = 3.0;
        let mut top = free(body.clone(), [0.5, 0.0, 2.0], t / f64::from(n));
        run(&mut top, n.into());
        let spin = Vector3::new(0.5 * transverse, 0.0, 2.0 * axial);
        let precession = rotation::matrix(&rotation::from_vector(&(spin * (t / transverse))));
        let axis = rotation::matrix(&top.states()[0].quaternion) * Vector3::z();
        errors.push((axis - precession * Vector3::z()).norm());
    }
    // The phase error of a step is |Θ|²/12 of the angle: 6 rad × (0.0031)²/12 × sin of the opening angle.
    assert!(errors[0] < 2e-6 && (errors[0] / errors[1] - 4.0).abs() < 0.1, "{errors:?}");
}

#[test]
fn rotated_input_gives_the_rotated_motion() {
    let body = turned_body([1.0, 1.7, 2.4]);
    let turn = Placement::rotated([0.3, 1.0, -0.4], 75.0).quaternion;
    let omega = Vector3::new(0.6, -0.7, 0.4);
    let of = |quaternion: [f64; 4], omega: Vector3<f64>| {
        let placement = Placement { quaternion, angular_velocity: omega.into(), ..Placement::default() };
        let mut system = System::new(vec![body.clone()], &[placement], &[], Vector3::zeros(), 0.05).unwrap();
        run(&mut system, 1000);
        rotation::matrix(&system.states()[0].quaternion)
    };
    let a = rotation::matrix(&turn);
    let straight = of(rotation::IDENTITY, omega);
    assert!((of(turn, a * omega) - a * straight).norm() < 1e-11);
}
