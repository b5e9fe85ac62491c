//! Damping of modes: logarithmic decrement, balances, and undamped motions.

use crate::lattice::Lattice;
use carom_dynamics::{Loads, Placement};
use carom_integrate::{Method, RungeKutta, Tolerances};
use carom_multibody::{BodyError, System};
use carom_reduce::{Damping, DampingRatio};
use nalgebra::Vector3;

fn advance(system: &mut System, y: &mut [f64], end: f64) {
    let mut absolute = vec![1e-13; y.len()];
    absolute[system.layout().first_integral()..].fill(f64::INFINITY);
    let mut pair = RungeKutta::new(Method::Dop853, Tolerances { relative: 0.0, absolute, newton: None });
    let mut t = 0.0;
    while t < end {
        pair.attempt(system, t, y, end).unwrap();
        t = pair.accept(y);
    }
}

/// A free body that drifts and vibrates in its lowest mode under a damping.
fn vibrating(damping: &Damping) -> (System, Vec<f64>, f64) {
    let body = Lattice::new(0.4, 3.0, 60.0).body(1).with_damping(damping).unwrap();
    let omega = body.frame.stiffness_modal[(0, 0)].sqrt();
    let system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let drifting = Placement { velocity: [0.3, -0.2, 0.1], ..Placement::default() };
    let mut y = system.initial_state(&[drifting]).unwrap();
    y[system.layout().modal(0)] = 0.02;
    (system, y, omega)
}

#[test]
fn one_mode_decays_by_its_logarithmic_decrement() {
    let lowest = vibrating(&Damping::default()).2;
    let hz = lowest / std::f64::consts::TAU;
    let table = DampingRatio::Table(vec![[0.5 * hz, 0.01], [1.5 * hz, 0.05]]);
    let cases = [
        ("ratio", Damping::of_ratio(0.02), 0.02),
        ("mass", Damping { mass: 3.0, ..Damping::default() }, 3.0 / (2.0 * lowest)),
        ("stiffness", Damping { stiffness: 2e-3, ..Damping::default() }, 1e-3 * lowest),
        ("table", Damping { ratio: table, ..Damping::default() }, 0.03),
        (
            "all",
            Damping { mass: 1.0, stiffness: 1e-3, ratio: DampingRatio::Constant(0.01) },
            0.01 + 0.5 / lowest + 5e-4 * lowest,
        ),
    ];
    for (name, damping, zeta) in cases {
        let (mut system, mut y, omega) = vibrating(&damping);
        let q = system.layout().modal(0);
        let damped = omega * (1.0 - zeta * zeta).sqrt();
        // Five periods of the damped vibration: the amplitude falls by exp(−5 Λ), Λ = 2π ζ/√(1 − ζ²).
        advance(&mut system, &mut y, 5.0 * std::f64::consts::TAU / damped);
        let decrement = (0.02 / y[q]).ln() / 5.0;
        let exact = std::f64::consts::TAU * zeta / (1.0 - zeta * zeta).sqrt();
        println!("{name}: decrement {decrement:.12}, closed form {exact:.12}");
        assert!((decrement / exact - 1.0).abs() < 1e-8, "{name}: {decrement} {exact}");
    }
}

#[test]
fn the_loss_by_damping_is_balanced_and_no_momentum_is_lost() {
    let body = Lattice::new(0.4, 3.0, 60.0)
        .body(6)
        .with_damping(&Damping { mass: 0.5, stiffness: 1e-4, ratio: DampingRatio::Constant(0.01) })
        .unwrap();
    let mut system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let placement = Placement {
        velocity: [0.3, -0.1, 0.2],
        angular_velocity: [2.0, 5.0, -1.0],
        ..Placement::rotated([1.0, 1.0, 0.0], 30.0)
    };
    let mut y = system.initial_state(&[placement]).unwrap();
    y[system.layout().modal(0)] = 0.05;
    system.set_state(&y).unwrap();
    let first = system.balance(0.0, &y);
    advance(&mut system, &mut y, 2.0);
    system.set_state(&y).unwrap();
    let last = system.balance(2.0, &y);
    let residual = last.e_kin + last.e_el + last.d_mat - first.e_kin - first.e_el;
    println!("dissipated {:.3e} J of {:.3e} J, residual {residual:.1e} J", last.d_mat, first.e_kin);
    assert!(last.d_mat > 1e-2 * first.e_kin, "{last:?}");
    assert!(residual.abs() < 1e-9 * first.e_kin, "{residual:e}");
    let apart = |a: [f64; 3], b: [f64; 3]| (Vector3::from(a) - Vector3::from(b)).norm();
    assert!(apart(first.momentum, last.momentum) < 1e-13);
    assert!(apart(first.ang_momentum, last.ang_momentum) < 1e-11 * first.ang_momentum_scale);
}

#[test]
fn rigid_motion_is_not_damped() {
    let body = Lattice::new(0.4, 3.0, 60.0)
        .body(4)
        .with_damping(&Damping { mass: 1e3, ..Damping::default() })
        .unwrap();
    let mut system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let drifting = Placement { velocity: [0.3, -0.2, 0.1], ..Placement::default() };
    let mut y = system.initial_state(&[drifting]).unwrap();
    advance(&mut system, &mut y, 1.0);
    assert!((Vector3::new(y[0], y[1], y[2]) - Vector3::new(0.3, -0.2, 0.1)).norm() < 1e-12);
}

#[test]
fn the_error_of_a_negative_damping_names_the_body() {
    let message = |damping: &Damping| -> String {
        let error: BodyError = Lattice::new(0.4, 3.0, 60.0).body(2).with_damping(damping).unwrap_err();
        error.to_string()
    };
    let text = message(&Damping::of_ratio(-0.5));
    assert!(text.contains("lattice") && text.contains("-0.5"), "{text}");
}
