//! Linkages in space whose equations repeat each other.

use carom_dynamics::{JointKind, Placement, rotation};
use carom_rigid::{JointEnd, JointSpec, RigidBody, System};
use nalgebra::{Matrix3, Vector3};

use crate::problems::falling_chain;

/// Rotation of the plane of the linkages.
const TILT: Vector3<f64> = Vector3::new(0.3, -0.7, 0.4);

/// A rod along x with its middle in the origin of its source coordinates.
fn rod(name: &str, mass: f64, length: f64) -> RigidBody {
    let (thin, long) = (1e-3 * mass * length * length, mass * length * length / 12.0);
    let inertia = Matrix3::from_diagonal(&Vector3::new(thin, long, long));
    RigidBody::new(name, mass, inertia, Vector3::zeros()).unwrap()
}

/// A chain of rods between points of a plane that is tilted in space, on hinges across the plane, from the
/// ground to the ground, under gravity.
///
/// * `off` — by how much the markers are out of the plane, at most \[m\]
fn linkage(points: &[[f64; 2]], off: f64, dt: f64) -> System {
    let tilt = rotation::from_vector(&TILT);
    let plane = rotation::matrix(&tilt);
    let place = |[x, y]: [f64; 2]| plane * Vector3::new(x, y, 0.0);
    let (mut bodies, mut places, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let triad = |own: &Matrix3<f64>| own.transpose() * plane;
    let ground = |point: [f64; 2]| JointEnd { body: None, point: place(point), triad: plane };
    ends.push(ground(points[0]));
    for (k, pair) in points.windows(2).enumerate() {
        let along = Vector3::new(pair[1][0] - pair[0][0], pair[1][1] - pair[0][1], 0.0);
        let angle = along.y.atan2(along.x);
        let own = rotation::product(&tilt, &rotation::from_vector(&Vector3::new(0.0, 0.0, angle)));
        let middle = [0, 1].map(|axis: usize| 0.5 * (pair[0][axis] + pair[1][axis]));
        bodies.push(rod(&format!("rod {k}"), 1.0 + 0.3 * k as f64, along.norm()));
        places.push(Placement { origin: place(middle).into(), quaternion: own, ..Placement::default() });
        let end = |side: f64| JointEnd {
            body: Some(k),
            point: Vector3::new(0.5 * side * along.norm(), 0.0, off * (1.7 * k as f64 + side).sin()),
            triad: triad(&rotation::matrix(&own)),
        };
        ends.extend([end(-1.0), end(1.0)]);
    }
    ends.push(ground(points[points.len() - 1]));
    let joints: Vec<JointSpec> = ends
        .chunks(2)
        .enumerate()
        .map(|(k, pair)| JointSpec {
            name: format!("hinge {k}"),
            kind: JointKind::Revolute,
            ends: [pair[0], pair[1]],
            actions: Vec::new(),
        })
        .collect();
    let mut system = System::new(bodies, &places, &[], Vector3::new(0.0, 0.0, -9.81), dt).unwrap();
    system.join(&joints).unwrap();
    system
}

const FOUR_BAR: [[f64; 2]; 4] = [[0.0, 0.0], [0.1, 0.23], [0.52, 0.31], [0.45, 0.0]];

/// Three rods on four hinges: three equations of 20 repeat others. Markers that are off by rounded figures
/// leave openings across the plane, which no motion closes; steps of any length have a solution all the same.
#[test]
fn a_four_bar_linkage_in_space_moves_in_short_steps() {
    for off in [0.0, 1e-13, 1e-11, 1e-9, 2e-7] {
        for dt in [1e-4, 1e-5, 1e-6, 1e-7] {
            let mut system = linkage(&FOUR_BAR, off, dt);
            let left_out: usize = system.repeated_equations().iter().map(|(_, n)| n).sum();
            assert_eq!(left_out, 3, "{off:e}");
            for _ in 0..3000 {
                system.step().unwrap_or_else(|error| panic!("{off:e} {dt:e}: {error}"));
            }
            // Openings of a few off, in metres and radians over lengths of some decimetres.
            assert!(system.joint_error() < 1e-14 + 30.0 * off, "{off:e} {dt:e}: {}", system.joint_error());
            let swing = system.kinetic();
            assert!(system.books.joint_work.abs() < 1e-4 * swing, "{off:e} {dt:e}: {swing}");
        }
    }
}

/// A parallelogram that lies flat at the start has one more equation that repeats others there: it counts as
/// soon as the linkage rises, and the joints stay closed. Cranks of the speed ω turn by ω t.
#[test]
fn a_linkage_that_starts_flat_keeps_its_joints() {
    let (speed, dt) = (2.0, 1e-4);
    let points = [[0.0, 0.0], [0.2, 0.0], [0.7, 0.0], [0.5, 0.0]];
    let mut system = linkage(&points, 0.0, dt);
    system.gravity = Vector3::zeros();
    let left_out: usize = system.repeated_equations().iter().map(|(_, n)| n).sum();
    assert_eq!(left_out, 4);
    let plane = rotation::matrix(&rotation::from_vector(&TILT));
    let [normal, up]: [Vector3<f64>; 2] = [plane.column(2).into(), plane.column(1).into()];
    for (body, height, turns) in [(0, 0.1, true), (1, 0.2, false), (2, 0.1, true)] {
        let (spec, mut state) = (system.bodies[body].clone(), system.states()[body]);
        state.momentum = spec.mass * speed * height * up;
        // A rod across its axis.
        state.spin = if turns { spec.inertia.max() * speed * normal } else { Vector3::zeros() };
        system.set_state(body, state);
    }
    let energy = system.energy();
    let mut worst = 0.0_f64;
    while system.time() < 0.7 {
        system.step().unwrap();
        worst = worst.max(system.joint_error());
    }
    let left_out: usize = system.repeated_equations().iter().map(|(_, n)| n).sum();
    assert_eq!(left_out, 3);
    assert!(worst < 1e-8, "{worst}");
    assert!(system.joint_error() < 1e-14, "{}", system.joint_error());
    let coupler = plane.tr_mul(&system.states()[1].position) - Vector3::new(0.25, 0.0, 0.0);
    let angle = speed * system.time();
    let expected = 0.2 * Vector3::new(angle.cos(), angle.sin(), 0.0);
    assert!((coupler - expected).norm() < 1e-6, "{coupler} {expected}");
    assert!((system.energy() - energy).abs() < 1e-12 * energy);
}

/// A chain of 60 rods with a ball each falls flat on the floor and lies there: the contacts carry its weight,
/// and every ball touches.
#[test]
fn a_long_chain_comes_to_rest_on_the_floor() {
    let (n, dt) = (60, 1e-3);
    for friction in [0.0, 0.3] {
        let mut system = falling_chain(n, friction, dt);
        (0..400).for_each(|_| system.step().unwrap());
        let before: f64 = system.reports.iter().map(|report| report.impulse.z).sum();
        (0..100).for_each(|_| system.step().unwrap());
        let impulse = system.reports.iter().map(|report| report.impulse.z).sum::<f64>() - before;
        let weight = 0.08 * 9.81 * n as f64;
        assert!((impulse / (100.0 * dt * weight) - 1.0).abs() < 1e-6, "{friction}: {impulse}");
        let heights = system.states()[..n].iter().map(|state| (state.position.z - 0.02).abs());
        assert!(heights.fold(0.0, f64::max) < 1e-8, "{friction}");
        assert!(system.joint_error() < 1e-13, "{friction}: {}", system.joint_error());
        let balance = system.balance();
        let lost = balance.d_imp + balance.d_fric + balance.d_num;
        let fallen = balance.e_pot - 0.08 * 9.81 * n as f64 * 0.02;
        assert!(balance.e_kin < 1e-9 && fallen.abs() < 1e-6 && lost > 0.0, "{friction}: {balance:?}");
    }
}
