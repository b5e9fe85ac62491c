//! Markers on points of an interface: their displacement of second order beside that of the points by which
//! contact acts, and the potential of a force on them.

use std::sync::Arc;

use carom_contact::points::SurfacePoints;
use carom_dynamics::{Axes, Loads, Marker, Placement, PointLoad, TimeFunction, rotation};
use carom_integrate::{Method, RungeKutta, Tolerances};
use carom_multibody::{Body, ModalPoints, System, mean_marker};
use carom_reduce::{ReducedBody, Stiffening};
use faer::Mat;
use nalgebra::{Matrix3, Vector3};

use crate::lattice::{Lattice, Numbers};

const MODES: usize = 6;
const MOTIONS: usize = 4;
const POINTS: [u32; 5] = [0, 1, 3, 9, 13];

/// A body with a displacement of second order of its points as large as the linear one at the deformations
/// of these tests. No structure has these numbers; laws of mechanics hold for any.
fn stiffened() -> Arc<ReducedBody> {
    let mut numbers = Numbers(11);
    let mut model = Lattice::new(0.4, 3.0, 60.0).reduced(MODES, MODES);
    let pairs = Stiffening::pairs(MOTIONS).count();
    let basis = Mat::from_fn(MODES, MOTIONS, |_, _| numbers.next());
    let boundary = Mat::from_fn(model.boundary.values.nrows(), pairs, |_, _| 20.0 * numbers.next());
    model.stiffening = Some(Stiffening {
        basis,
        products: vec![Mat::zeros(MOTIONS, MOTIONS); 6],
        weight: Vec::new(),
        turning: Vec::new(),
        markers: Vec::new(),
        boundary: Some(boundary),
    });
    Arc::new(model)
}

/// Places of [`POINTS`] in the body frame at a deformation, by the points of contact.
fn places(model: &Arc<ReducedBody>, q: &[f64]) -> Vec<Vector3<f64>> {
    let points = ModalPoints::reduced(model.clone(), POINTS.map(|point| point as usize).to_vec(), MODES);
    let mut positions = vec![0.0; 3 * POINTS.len()];
    points.positions_into(q, &mut positions);
    positions.as_chunks::<3>().0.iter().map(|&x| Vector3::from(x)).collect()
}

/// Mean of the points, and the rotation θ that fits their displacements u best: the least Σ |u − θ × d|².
fn mean_and_turn(model: &Arc<ReducedBody>, q: &[f64]) -> [Vector3<f64>; 2] {
    let (before, after) = (places(model, &[0.0; MODES]), places(model, q));
    let mean = |points: &[Vector3<f64>]| points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let center = mean(&before);
    let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
    for (x, u) in before.iter().zip(after.iter().zip(&before).map(|(after, before)| after - before)) {
        let cross = (x - center).cross_matrix();
        normal += cross.transpose() * cross;
        right += cross * u;
    }
    [mean(&after), normal.try_inverse().unwrap() * right]
}

/// Place and rotation of a marker at a deformation.
fn of_marker(marker: &Marker, q: &[f64]) -> [Vector3<f64>; 2] {
    let second = marker.second_order.as_ref().unwrap().square(q);
    let sum = |values: &[[f64; 3]]| -> Vector3<f64> {
        values.iter().zip(q).map(|(value, q)| *q * Vector3::from(*value)).sum()
    };
    let place = Vector3::from(marker.position_b) + sum(&marker.displacement) - 0.5 * second[0];
    [place, sum(&marker.rotation) - 0.5 * second[1]]
}

const Q: [f64; MODES] = [0.03, -0.05, 0.02, 0.04, -0.01, 0.06];

#[test]
fn a_mean_marker_moves_with_its_points_to_second_order() {
    let model = stiffened();
    let body = Body::reduced(model.clone()).unwrap();
    // As a marker of the system, and as one over the modes of the file that a system refers to its own modes.
    let given = mean_marker(&model, &POINTS).unwrap();
    assert!(given.second_order.is_none());
    for marker in [body.marker(&POINTS).unwrap(), body.own_marker(&given)] {
        let (found, expected) = (of_marker(&marker, &Q), mean_and_turn(&model, &Q));
        let linear = Marker { second_order: None, ..marker.clone() };
        for k in 0..2 {
            assert!((found[k] - expected[k]).norm() < 1e-14, "{found:?} {expected:?}");
        }
        let without = Vector3::from(linear.position_b) + linear.shape(0, &Q)[0] * Q[0];
        assert!((without - expected[0]).norm() > 1e-3);
    }
}

/// Central differences of a polynomial of the second degree are exact.
#[test]
fn the_shape_of_a_mean_marker_is_the_derivative_of_its_motion() {
    let model = stiffened();
    let marker = Body::reduced(model.clone()).unwrap().marker(&POINTS).unwrap();
    for k in 0..MODES {
        let at = |step: f64| {
            let mut q = Q;
            q[k] += step;
            mean_and_turn(&model, &q)
        };
        let (before, after, shape) = (at(-0.5), at(0.5), marker.shape(k, &Q));
        for part in 0..2 {
            let error = after[part] - before[part] - shape[part];
            assert!(error.norm() < 1e-13, "{k} {part} {error}");
        }
    }
}

/// A force of constant size and direction at the mean of some points of a tumbling body has the potential
/// −f · x with the place x of the mean, which contact sees, too. Without the second order in its power or in
/// its place this fails in the third digit.
#[test]
fn a_force_on_a_mean_marker_has_a_potential() {
    let model = stiffened();
    let body = Body::reduced(model.clone()).unwrap();
    let force = Vector3::new(40.0, -20.0, 70.0);
    let load = PointLoad {
        body: 0,
        marker: body.marker(&POINTS).unwrap(),
        force: force.into(),
        torque: [0.0; 3],
        axes: Axes::Inertial,
        scale: TimeFunction::Constant(1.0),
    };
    let loads = Loads { gravity: [0.0; 3], point_loads: vec![load] };
    let mut system = System::new(vec![body], loads, Vec::new()).unwrap();
    let start = Placement {
        velocity: [0.3, -0.1, 0.2],
        angular_velocity: [2.0, 5.0, -1.0],
        ..Placement::rotated([1.0, 1.0, 0.0], 30.0)
    };
    let mut y = system.initial_state(&[start]).unwrap();
    let mut absolute = vec![1e-12; y.len()];
    absolute[system.layout().first_integral()..].fill(f64::INFINITY);
    let tolerances = Tolerances { relative: 0.0, absolute, newton: None };
    let mut integrator = RungeKutta::new(Method::Dop853, tolerances);
    let energies = |system: &mut System, time: f64, y: &[f64]| {
        system.set_state(y).unwrap();
        let balance = system.balance(time, y);
        let q = &y[system.layout().modal(0)..][..MODES];
        let [mean, _] = mean_and_turn(&model, q);
        let origin = Vector3::from_column_slice(&y[system.layout().position(0)..][..3]);
        let turn = y[system.layout().quaternion(0)..].first_chunk().unwrap();
        let potential = -force.dot(&(origin + rotation::matrix(turn) * mean));
        [balance.e_kin + balance.e_el, potential, balance.w_ext]
    };
    let [first, potential_first, _] = energies(&mut system, 0.0, &y);
    let (mut time, mut worst) = (0.0, [0.0_f64; 2]);
    while time < 0.5 {
        integrator.attempt(&mut system, time, &y, 0.5).unwrap();
        time = integrator.accept(&mut y);
        let [own, potential, work] = energies(&mut system, time, &y);
        let errors = [own + potential - first - potential_first, own - first - work];
        worst = [0, 1].map(|k| worst[k].max(errors[k].abs() / first));
    }
    assert!(worst.iter().all(|worst| *worst < 1e-9), "{worst:?}");
    let last = system.balance(time, &y);
    for a in 0..3 {
        let missing = last.ang_momentum[a] - last.external_ang_impulse[a];
        let given = system.initial_state(&[start]).map(|y| y[system.layout().ang_momentum(0) + a]).unwrap();
        assert!((missing - given).abs() < 1e-9, "{missing} {given}");
    }
}
