//! Surface points of reduced bodies: the map between modal coordinates and points.

use std::sync::Arc;

use carom_contact::points::{PointForce, Response, SurfacePoints, response_of_rows};
use carom_multibody::ModalPoints;

use crate::cap::{Cap, DENSITY, RADIUS};

const LOW: usize = 2;
const Q: [f64; LOW] = [3e-4, -2e-4];
const V: [f64; LOW] = [0.7, 1.3];

/// Three points of a ball with two dynamic modes, and their rows.
fn points() -> (ModalPoints, Cap, Vec<usize>) {
    let cap = Cap::new(2, 1e-3, LOW);
    let rows = vec![3, 12, 20];
    (ModalPoints::reduced(Arc::new(cap.reduced()), rows.clone(), LOW), cap, rows)
}

/// The low modes of the cap by their formula.
fn mode(x: &[f64; 3], k: usize) -> [f64; 3] {
    let amplitude = (DENSITY * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3)).sqrt().recip();
    let [x, y] = [x[0] / RADIUS, x[1] / RADIUS];
    [0.3 * y, -0.2 + 0.4 * x, 1.0 - 0.5 * k as f64].map(|c| amplitude * c)
}

#[test]
fn positions_and_velocities_agree_with_the_modes() {
    let (points, cap, rows) = points();
    let (mut x, mut v) = ([0.0; 9], [7.0; 9]);
    points.positions_into(&Q, &mut x);
    points.velocities_into(&Q, &V, &mut v);
    for (i, &row) in rows.iter().enumerate() {
        let reference = cap.reduced().boundary.positions_b[row];
        for d in 0..3 {
            let along = |c: &[f64; LOW]| (0..LOW).map(|k| c[k] * mode(&reference, k)[d]).sum::<f64>();
            assert!((x[3 * i + d] - reference[d] - along(&Q)).abs() < 1e-16);
            assert!((v[3 * i + d] - along(&V)).abs() < 1e-13);
        }
    }
}

#[test]
fn forces_have_the_same_power_on_points_and_modes() {
    let (points, ..) = points();
    let f = [2.0, -1.0, 0.3, 0.0, 0.0, 0.0, 0.4, 1.5, -0.6];
    let few: &[PointForce] = &[(0, [2.0, -1.0, 0.3]), (2, [0.4, 1.5, -0.6])];
    let (mut v, mut of_all, mut of_few) = ([0.0; 9], [0.0; LOW], [0.0; LOW]);
    points.velocities_into(&Q, &V, &mut v);
    points.add_forces(&Q, &f, &mut of_all);
    points.add_point_forces(&Q, few, &mut of_few);
    let power = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let expected = power(&f, &v);
    for modal in [of_all, of_few] {
        assert!((power(&modal, &V) - expected).abs() < 1e-13 * expected.abs());
    }
}

/// The high modes of the cap are those of a kernel, so that this kernel is the compliance of its points.
#[test]
fn the_compliance_of_rows_is_the_kernel_of_the_body() {
    let (points, cap, rows) = points();
    let positions = rows.iter().map(|&row| cap.reduced().boundary.positions_b[row]).collect::<Vec<_>>();
    let one: &[PointForce] = &[(0, [0.0, 0.6, 0.8])];
    let two: &[PointForce] = &[(1, [0.0, 1.0, 0.0]), (2, [1.0, 0.0, 2.0])];
    let mut room = [0.0; 9];
    let found = response_of_rows(&points, Response::Compliance, &Q, [one, two], &mut room).unwrap();
    let kernel = |i: usize, j: usize| cap.kernel_between(&positions[i], &positions[j]);
    let expected = kernel(0, 1) * 0.6 + kernel(0, 2) * 1.6;
    assert!((found - expected).abs() < 1e-12 * expected, "{found} {expected}");
    let matrix = points.compliance().unwrap();
    assert!(
        (matrix[(1, 4)] - kernel(0, 1)).abs() < 1e-12 * expected && matrix[(0, 4)].abs() < 1e-12 * expected
    );
    // Quasistatic coordinates under the same forces give the same displacements.
    let mut modal = vec![0.0; cap.reduced().omega.len() - LOW];
    points.add_quasistatic(&[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 2.0], &mut modal);
    let body = cap.reduced();
    let moved = |d: usize| -> f64 {
        modal.iter().enumerate().map(|(k, q)| q * body.boundary.values[(3 * rows[0] + d, LOW + k)]).sum()
    };
    assert!((0.6 * moved(1) + 0.8 * moved(2) - expected).abs() < 1e-12 * expected);
}

#[test]
fn points_of_a_rigid_body_are_fixed_in_its_frame_with_zero_compliance() {
    let points = ModalPoints::rigid(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let (mut x, mut v, mut motion) = ([0.0; 6], [7.0; 6], [0.0; 6]);
    points.positions_into(&[], &mut x);
    points.velocities_into(&[], &[], &mut v);
    assert_eq!((x, v), ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0; 6]));
    assert!(points.compliance().is_none());
    assert!(points.add_response(Response::Compliance, &[], &[(0, [1.0; 3])], &mut motion));
    assert_eq!(motion, [0.0; 6]);
    assert!(!points.add_response(Response::InverseMass, &[], &[], &mut motion));
}
