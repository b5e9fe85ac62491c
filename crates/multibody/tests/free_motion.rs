//! Free rigid and flexible bodies: conserved quantities, closed solutions, order of convergence.

use crate::lattice::Lattice;
use carom_dynamics::{Axes, Balance, Loads, Placement, PointLoad, TimeFunction};
use carom_integrate::{Method, RungeKutta, Tolerances};
use carom_multibody::{Body, System};
use carom_reduce::Damping;
use nalgebra::{Matrix3, Vector3};

/// Integrates to `end` at one tolerance for all components; calls `look` at every accepted step.
fn integrate(
    system: &mut System,
    y: &mut [f64],
    end: f64,
    tolerance: f64,
    mut look: impl FnMut(&mut System, f64, &[f64]),
) -> carom_integrate::Counters {
    let mut absolute = vec![tolerance; y.len()];
    absolute[system.layout().first_integral()..].fill(f64::INFINITY);
    let mut pair = RungeKutta::new(Method::Dop853, Tolerances { relative: 0.0, absolute, newton: None });
    let mut t = 0.0;
    while t < end {
        pair.attempt(system, t, y, end).unwrap();
        t = pair.accept(y);
        look(system, t, y);
    }
    pair.counters()
}

/// Largest departures of energy, P and L from the first balance, relative to energy, momentum scales.
#[derive(Debug, Default)]
struct Drift {
    energy: f64,
    momentum: f64,
    ang_momentum: f64,
}

impl Drift {
    fn look(&mut self, first: &Balance, now: &Balance) {
        let total = |b: &Balance| b.e_kin + b.e_el + b.e_pot - b.w_ext;
        let distance = |a: [f64; 3], b: [f64; 3]| (Vector3::from(a) - Vector3::from(b)).norm();
        self.energy = self.energy.max((total(now) - total(first)).abs() / (first.e_kin + first.e_el));
        self.momentum = self.momentum.max(distance(now.momentum, first.momentum) / first.momentum_scale);
        self.ang_momentum =
            self.ang_momentum.max(distance(now.ang_momentum, first.ang_momentum) / first.ang_momentum_scale);
    }
}

fn tumbling() -> Placement {
    Placement {
        origin: [0.4, -0.3, 0.2],
        velocity: [0.3, -0.1, 0.2],
        angular_velocity: [2.0, 5.0, -1.0],
        ..Placement::rotated([1.0, 1.0, 0.0], 30.0)
    }
}

fn brick() -> Body {
    let inertia = Matrix3::new(0.4, 0.02, 0.0, 0.02, 0.3, -0.01, 0.0, -0.01, 0.15);
    Body::rigid("brick", 3.0, inertia, Vector3::new(0.1, 0.0, 0.0)).unwrap()
}

fn tumble(body: Body, revolutions: f64, tolerance: f64) -> Drift {
    let mut system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let placement = tumbling();
    let mut y = system.initial_state(&[placement]).unwrap();
    system.set_state(&y).unwrap();
    let first = system.balance(0.0, &y);
    let rate = Vector3::from(placement.angular_velocity).norm();
    let mut drift = Drift::default();
    let mut deformation = 0.0_f64;
    let start = std::time::Instant::now();
    let counters = integrate(
        &mut system,
        &mut y,
        revolutions * std::f64::consts::TAU / rate,
        tolerance,
        |system, t, y| {
            system.set_state(y).unwrap();
            drift.look(&first, &system.balance(t, y));
            for (k, amplitude) in system.bodies()[0].amplitudes.iter().enumerate() {
                deformation = deformation.max(amplitude * y[system.layout().modal(0) + k].abs());
            }
        },
    );
    println!(
        "{revolutions} revolutions at {tolerance:.0e}: {drift:?} {deformation:.1e} m {counters:?} {:.1?}",
        start.elapsed()
    );
    drift
}

#[test]
fn rigid_body_tumbles_with_constant_energy_and_momenta() {
    let drift = tumble(brick(), 30.0, 1e-12);
    assert!(drift.energy < 1e-10 && drift.momentum < 1e-14 && drift.ang_momentum < 1e-13, "{drift:?}");
}

#[test]
fn flexible_body_tumbles_with_constant_energy_and_momenta() {
    // A body of 1 m deforms by 1 cm: second-order terms of the inertia matter at this tolerance.
    let drift = tumble(Lattice::new(0.4, 3.0, 25.0).body(6), 10.0, 1e-12);
    assert!(drift.energy < 1e-10 && drift.momentum < 1e-14 && drift.ang_momentum < 1e-13, "{drift:?}");
}

#[test]
fn energy_error_falls_with_the_tolerance() {
    let body = || Lattice::new(0.4, 3.0, 60.0).body(4);
    let errors = [1e-6, 1e-8, 1e-10].map(|tolerance| tumble(body(), 3.0, tolerance).energy);
    assert!(errors[1] < 0.1 * errors[0] && errors[2] < 0.1 * errors[1], "{errors:?}");
}

#[test]
fn rigid_body_tumbles_a_thousand_revolutions() {
    let drift = tumble(brick(), 1000.0, 1e-12);
    assert!(drift.energy < 1e-10 && drift.momentum < 1e-13 && drift.ang_momentum < 1e-12, "{drift:?}");
}

#[test]
#[ignore = "10 s: two million evaluations"]
fn flexible_body_tumbles_a_thousand_revolutions() {
    let drift = tumble(Lattice::new(0.4, 3.0, 25.0).body(6), 1000.0, 1e-12);
    assert!(drift.energy < 1e-10 && drift.momentum < 1e-13 && drift.ang_momentum < 1e-12, "{drift:?}");
}

/// Complete elliptic integral K(m) by the arithmetic-geometric mean.
fn elliptic_k(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

#[test]
fn rotation_about_the_intermediate_axis_has_eulers_period() {
    // Dzhanibekov: rotation about the axis of the middle moment is unstable; the angular velocity in body
    // axes has the period 4 K(m) √(I₁ I₂ I₃ / ((I₃ − I₂)(L² − 2 E I₁))) for L² > 2 E I₂ (Landau & Lifshitz,
    // Mechanics, § 37).
    let (i1, i2, i3) = (1.0_f64, 2.0_f64, 3.0_f64);
    let body =
        Body::rigid("wing nut", 1.0, Matrix3::from_diagonal(&Vector3::new(i1, i2, i3)), Vector3::zeros())
            .unwrap();
    let omega = Vector3::<f64>::new(1e-3, 5.0, 0.02);
    let (energy2, l2) = (
        i1 * omega.x.powi(2) + i2 * omega.y.powi(2) + i3 * omega.z.powi(2),
        (i1 * omega.x).powi(2) + (i2 * omega.y).powi(2) + (i3 * omega.z).powi(2),
    );
    assert!(l2 > energy2 * i2);
    let m = (i2 - i1) * (energy2 * i3 - l2) / ((i3 - i2) * (l2 - energy2 * i1));
    let period = 4.0 * elliptic_k(m) * (i1 * i2 * i3 / ((i3 - i2) * (l2 - energy2 * i1))).sqrt();
    let mut system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let placement = Placement { angular_velocity: omega.into(), ..Placement::default() };
    let mut y = system.initial_state(&[placement]).unwrap();
    let mut lowest: f64 = 5.0;
    let omega_b = |system: &System| {
        // ω follows from ḃ = ½ b ⊗ ω at the last state.
        system.angular_velocity_b(0)
    };
    integrate(&mut system, &mut y, period, 1e-13, |system, _, y| {
        system.set_state(y).unwrap();
        lowest = lowest.min(omega_b(system).y);
    });
    system.set_state(&y).unwrap();
    assert!(lowest < -4.99, "the body flips: {lowest}");
    let error = (omega_b(&system) - omega).norm();
    // The start is near an unstable state: errors grow by about 5000 within a period.
    assert!(error < 1e-7, "{error:.1e}");
}

#[test]
fn flexible_motion_converges_with_order_eight() {
    let body = || Lattice::new(0.4, 3.0, 20.0).body(4);
    let at_end = |steps: u32| {
        let mut system = System::new(vec![body()], Loads::default(), Vec::new()).unwrap();
        let mut y = system.initial_state(&[tumbling()]).unwrap();
        let mut pair = RungeKutta::new(Method::Dop853, Tolerances::none(y.len()));
        let mut t = 0.0;
        for step in 1..=steps {
            pair.set_next_step(1.0);
            pair.attempt(&mut system, t, &y, 0.5 * f64::from(step) / f64::from(steps)).unwrap();
            t = pair.accept(&mut y);
        }
        y
    };
    let reference = at_end(160);
    let errors = [10, 15, 20]
        .map(|steps| at_end(steps).iter().zip(&reference).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max));
    let order = (errors[1] / errors[2]).ln() / (20.0_f64 / 15.0).ln();
    println!("{errors:?} order {order}");
    assert!((order - 8.0).abs() < 0.8, "{errors:?} order {order}");
}

#[test]
fn gravity_moves_the_centre_of_mass_on_a_parabola_without_deformation() {
    let lattice = Lattice::new(0.4, 3.0, 60.0);
    let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
    let mut system = System::new(vec![lattice.body(6), brick()], loads, Vec::new()).unwrap();
    let still = Placement { velocity: [1.0, 0.0, 3.0], ..Placement::default() };
    let mut y = system.initial_state(&[still, tumbling()]).unwrap();
    system.set_state(&y).unwrap();
    let first = system.balance(0.0, &y);
    let mut drift = Drift::default();
    integrate(&mut system, &mut y, 2.0, 1e-10, |_, _, _| {});
    system.set_state(&y).unwrap();
    let last = system.balance(2.0, &y);
    drift.look(&first, &last);
    assert!((y[0] - 2.0).abs() < 1e-13 && (y[2] - (6.0 - 0.5 * 9.81 * 4.0)).abs() < 1e-13, "{:?}", &y[..3]);
    // The error that the tolerance allows; the kinetic energy is some hundred joules.
    assert!(last.e_el < 1e-15, "{:e}", last.e_el);
    assert!(drift.energy < 1e-9, "{drift:?}");
    for a in 0..3 {
        let missing = last.momentum[a] - first.momentum[a] - last.external_impulse[a];
        let missing_l = last.ang_momentum[a] - first.ang_momentum[a] - last.external_ang_impulse[a];
        assert!(missing.abs() < 1e-12 && missing_l.abs() < 1e-12, "{missing:e} {missing_l:e}");
    }
}

#[test]
fn work_of_a_following_force_balances_the_energy() {
    let lattice = Lattice::new(0.4, 3.0, 60.0);
    let body = lattice.body(6);
    let marker = body.marker(&[0, 1, 3, 9]).unwrap();
    let scale = TimeFunction::Constant(1.0);
    let (force, torque) = ([4.0, -2.0, 7.0], [0.3, 0.5, -0.2]);
    let load = PointLoad { body: 0, marker, force, torque, axes: Axes::Body, scale };
    let mut held = load.clone();
    held.axes = Axes::Inertial;
    let loads = Loads { gravity: [0.0, 1.0, 0.0], point_loads: vec![load, held] };
    let body = body.with_damping(&Damping::of_ratio(0.05)).unwrap();
    let mut system = System::new(vec![body], loads, Vec::new()).unwrap();
    let mut y = system.initial_state(&[tumbling()]).unwrap();
    system.set_state(&y).unwrap();
    let first = system.balance(0.0, &y);
    integrate(&mut system, &mut y, 1.0, 1e-12, |_, _, _| {});
    system.set_state(&y).unwrap();
    let last = system.balance(1.0, &y);
    let residual = last.e_kin + last.e_el + last.e_pot - last.w_ext + last.d_mat
        - (first.e_kin + first.e_el + first.e_pot);
    assert!(last.d_mat > 1e-3 && last.w_ext.abs() > 1.0, "{last:?}");
    assert!(residual.abs() < 1e-9 * last.e_kin, "{residual:e} of {:e}", last.e_kin);
    for a in 0..3 {
        let missing = last.momentum[a] - first.momentum[a] - last.external_impulse[a];
        let missing_l = last.ang_momentum[a] - first.ang_momentum[a] - last.external_ang_impulse[a];
        assert!(missing.abs() < 1e-12 && missing_l.abs() < 1e-12, "{missing:e} {missing_l:e}");
    }
}

#[test]
fn a_held_body_vibrates_without_effect_on_the_momenta() {
    let body = Lattice::new(0.4, 3.0, 60.0).body(3).fixed();
    let mut system = System::new(vec![body, brick()], Loads::default(), Vec::new()).unwrap();
    let mut y = system.initial_state(&[Placement::default(), tumbling()]).unwrap();
    let q = system.layout().modal(0);
    y[q] = 0.01;
    let omega = system.bodies()[0].frame.stiffness_modal[(0, 0)].sqrt();
    integrate(&mut system, &mut y, std::f64::consts::TAU / omega, 1e-12, |_, _, _| {});
    assert!((y[q] - 0.01).abs() < 1e-9, "a full period: {}", y[q]);
    assert_eq!(&y[..7], &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn rotated_initial_values_give_the_rotated_motion() {
    let turn = carom_dynamics::rotation::from_vector(&Vector3::new(0.4, -1.1, 0.7));
    let a = carom_dynamics::rotation::matrix(&turn);
    let plain = tumbling();
    let turned = Placement {
        origin: (a * Vector3::from(plain.origin)).into(),
        quaternion: carom_dynamics::rotation::product(&turn, &plain.quaternion),
        velocity: (a * Vector3::from(plain.velocity)).into(),
        angular_velocity: (a * Vector3::from(plain.angular_velocity)).into(),
    };
    let end = |placement: Placement| {
        let mut system =
            System::new(vec![Lattice::new(0.4, 3.0, 60.0).body(4)], Loads::default(), Vec::new()).unwrap();
        let mut y = system.initial_state(&[placement]).unwrap();
        integrate(&mut system, &mut y, 1.0, 1e-12, |_, _, _| {});
        y
    };
    let (first, second) = (end(plain), end(turned));
    let position = |y: &[f64]| Vector3::new(y[0], y[1], y[2]);
    assert!((a * position(&first) - position(&second)).norm() < 1e-10);
    for k in 7..11 {
        assert!((first[k] - second[k]).abs() < 1e-9, "modal coordinates do not see the turn");
    }
}
