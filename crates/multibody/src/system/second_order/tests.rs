//! Generalised-α on a heavy top.

use super::*;
use crate::body::Body;
use crate::joint::{Joint, JointEnd, JointKind};
use carom_dynamics::{Loads, Placement, rotation};
use carom_integrate::{ConstraintForm, Integrator, IntegratorKind, Ode, SpectralRadius, Tolerances};
use nalgebra::{Matrix3, Vector3};

const FORMS: [ConstraintForm; 2] = [ConstraintForm::Index3, ConstraintForm::Stabilised];

/// A heavy top of 1.5 kg with a fixed point, tilted, spinning and with a lateral velocity.
fn top() -> (System, Vec<f64>) {
    let inertia = Matrix3::from_diagonal(&Vector3::new(6e-3, 7e-3, 4e-3));
    let body = Body::rigid("top", 1.5, inertia, Vector3::zeros()).unwrap();
    let point = Vector3::new(0.0, 0.0, -0.15);
    let end = |body_index, place: Vector3<f64>| JointEnd {
        body: body_index,
        marker: body.frame_marker(place),
        triad_b: Matrix3::identity(),
    };
    let joint = Joint {
        name: "point".into(),
        kind: JointKind::Spherical,
        ends: [end(None, Vector3::zeros()), end(Some(0), point)],
    };
    let turn = rotation::from_vector(&Vector3::new(0.5, 0.3, 0.0));
    let place = Placement {
        origin: (-(rotation::matrix(&turn) * point)).into(),
        quaternion: turn,
        angular_velocity: [2.0, 3.0, 25.0],
        ..Placement::default()
    };
    let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
    let mut system = System::new(vec![body], loads, Vec::new()).unwrap().with_joints(vec![joint]).unwrap();
    let mut y = system.initial_state(&[place]).unwrap();
    system.assemble(&mut y).unwrap();
    (system, y)
}

/// State and multipliers after steps of constant length.
fn spin(kind: IntegratorKind, tolerances: Tolerances, h: f64, end: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut system, mut y) = top();
    let mut integrator = Integrator::new(kind, tolerances);
    let mut time = 0.0;
    while time < end {
        let latest = if time + 1.5 * h > end { end } else { time + h };
        integrator.attempt(&mut system, time, &y, latest).unwrap();
        time = integrator.accept(&mut y);
    }
    (y, system.joints.multipliers().to_vec())
}

fn largest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Against Radau IIA, whose multipliers are those of the accelerations.
#[test]
fn a_heavy_top_converges_with_order_two_in_its_multipliers() {
    let n = top().1.len();
    let (y, _) = spin(IntegratorKind::Radau5, Tolerances::uniform(0.0, 1e-12, n), 1e-2, 0.3);
    let (mut system, _) = top();
    system.rate(0.3, &y, &mut vec![0.0; n]).unwrap();
    let multipliers = system.joints.multipliers().to_vec();
    for form in FORMS {
        for rho in [0.0, 0.6, 0.9] {
            let kind = IntegratorKind::GeneralisedAlpha(SpectralRadius::new(rho).unwrap(), form);
            let [coarse, fine] = [2e-3, 1e-3].map(|h| {
                let exactly = Tolerances { newton: Some(vec![1e-12; n]), ..Tolerances::none(n) };
                let found = spin(kind, exactly, h, 0.3);
                let momenta = system.layout().momentum(0)..system.layout().momentum(0) + 6;
                let position = largest(&found.0[..7], &y[..7]);
                [position, largest(&found.0[momenta.clone()], &y[momenta]), largest(&found.1, &multipliers)]
            });
            for k in 0..3 {
                let order = (coarse[k] / fine[k]).log2();
                assert!((1.85..2.25).contains(&order), "{form:?} {rho}: {coarse:?} {fine:?}, {k}: {order}");
            }
        }
    }
}

/// Positions keep to joints to rounding, velocities to rounding or to second order of the step.
#[test]
fn joints_are_closed_to_the_order_of_the_constraint_form() {
    let drift = |form: ConstraintForm, h: f64| {
        let (mut system, mut y) = top();
        let exactly = Tolerances { newton: Some(vec![1e-10; y.len()]), ..Tolerances::none(y.len()) };
        let kind = IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, form);
        let mut integrator = Integrator::new(kind, exactly);
        let (mut gap, mut speed) = (0.0_f64, 0.0_f64);
        let mut time = 0.0;
        for _ in 0..300 {
            integrator.attempt(&mut system, time, &y, time + h).unwrap();
            time = integrator.accept(&mut y);
            system.joints.evaluate(&mut system.bodies, time, &y).unwrap();
            let (mut values, mut rates) = ([0.0; 3], [0.0; 3]);
            system.joints.read(&mut values, &mut rates);
            gap = gap.max(largest(&values, &[0.0; 3]));
            speed = speed.max(largest(&rates, &[0.0; 3]));
        }
        (gap, speed)
    };
    let (gap, speed) = drift(ConstraintForm::Stabilised, 2e-3);
    assert!(gap < 1e-14 && speed < 1e-11, "{gap:e} {speed:e}");
    let [coarse, fine] = [2e-3, 1e-3].map(|h| drift(ConstraintForm::Index3, h));
    let order = (coarse.1 / fine.1).log2();
    assert!(coarse.0 < 1e-14 && (1.7..2.3).contains(&order), "{coarse:?} {fine:?} {order}");
}
