//! Joints against closed forms and conserved quantities.

use crate::lattice::Lattice;
use carom_dynamics::{Ignore, Loads, Marker, Placement, rotation};
use carom_integrate::{IntegratorKind, Method};
use carom_multibody::{
    Assembly, Body, Joint, JointEnd, JointKind, RunError, RunSummary, Settings, Simulation, System,
};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

const G: f64 = 9.81;

fn slender(name: &str, mass: f64, length: f64) -> Body {
    // A rod along x around its centre of mass, a tenth as thick as long.
    let across = mass * length * length * (1.0 / 12.0 + 1.0 / 1600.0);
    let along = mass * length * length / 800.0;
    Body::rigid(name, mass, Matrix3::from_diagonal(&Vector3::new(along, across, across)), Vector3::zeros())
        .unwrap()
}

fn at(origin: [f64; 3]) -> Placement {
    Placement { origin, ..Placement::default() }
}

fn marker(body: &Body, position_b: [f64; 3]) -> Marker {
    body.frame_marker(Vector3::from(position_b))
}

/// A joint whose axis z is `axis` for both ends; bodies are placed without rotation.
fn joint(kind: JointKind, axis: Vector3<f64>, ends: [(Option<usize>, Marker); 2]) -> Joint {
    let z = axis.normalize();
    let x = z.cross(&Vector3::ith(z.iamin(), 1.0)).normalize();
    let triad_b = Matrix3::from_columns(&[x, z.cross(&x), z]);
    let ends = ends.map(|(body, marker)| JointEnd { body, marker, triad_b });
    Joint { name: kind.name().to_owned(), kind, ends }
}

fn ground(position_b: [f64; 3]) -> (Option<usize>, Marker) {
    (None, Marker { position_b, ..Marker::default() })
}

fn gravity() -> Loads {
    Loads { gravity: [0.0, 0.0, -G], ..Loads::default() }
}

fn settings(end: f64) -> Settings {
    Settings {
        relative_tolerance: 1e-7,
        integrator: IntegratorKind::RungeKutta(Method::Dop853),
        ..Settings::until(end)
    }
}

fn run(simulation: &mut Simulation) -> RunSummary {
    simulation.run(&mut Ignore, &Silent).unwrap()
}

fn positions(simulation: &mut Simulation) -> Vec<Vector3<f64>> {
    simulation.body_states().unwrap().iter().map(|body| Vector3::from(body.position)).collect()
}

/// A compound pendulum from 90 degrees: its period is 4 K(sin 45°) √(J/(m g s)).
#[test]
fn a_pendulum_has_the_period_of_the_elliptic_integral() {
    let (mass, length) = (2.0, 0.5);
    for kind in [JointKind::Revolute, JointKind::Spherical, JointKind::Universal] {
        let rod = slender("rod", mass, length);
        let moment = rod.frame.inertia_com()[(1, 1)] + mass * 0.25 * length * length;
        let pivot = marker(&rod, [-0.5 * length, 0.0, 0.0]);
        let mut hinge = joint(kind, Vector3::y(), [ground([0.0; 3]), (Some(0), pivot)]);
        if kind == JointKind::Universal {
            // The second axis along the rod: the first one turns.
            hinge.ends[1].triad_b = Matrix3::from_columns(&[Vector3::y(), Vector3::z(), Vector3::x()]);
        }
        let system = System::new(vec![rod], gravity(), Vec::new()).unwrap().with_joints(vec![hinge]).unwrap();
        let k = 1.854_074_677_301_371_9;
        let period = 4.0 * k * (moment / (mass * G * 0.5 * length)).sqrt();
        let mut simulation =
            Simulation::new(system, &[at([0.5 * length, 0.0, 0.0])], settings(period)).unwrap();
        let summary = run(&mut simulation);
        let end = positions(&mut simulation)[0];
        assert!((end - Vector3::new(0.5 * length, 0.0, 0.0)).norm() < 1e-5 * length, "{kind:?} {end}");
        assert!(summary.ledger.energy_error < 1e-7, "{:?}", summary.ledger);
        assert!(summary.ledger.momentum_error < 1e-7 && summary.ledger.ang_momentum_error < 1e-7);
    }
}

/// A double pendulum of rods in a plane against its two equations of motion in angles, integrated separately.
#[test]
fn a_double_pendulum_follows_its_equations_in_angles() {
    let (mass, length) = (1.0, 0.4);
    let rods = [slender("upper", mass, length), slender("lower", mass, length)];
    let j = rods[0].frame.inertia_com()[(1, 1)];
    let half = 0.5 * length;
    let joints = vec![
        joint(
            JointKind::Revolute,
            Vector3::y(),
            [ground([0.0; 3]), (Some(0), marker(&rods[0], [-half, 0.0, 0.0]))],
        ),
        joint(
            JointKind::Revolute,
            Vector3::y(),
            [(Some(0), marker(&rods[0], [half, 0.0, 0.0])), (Some(1), marker(&rods[1], [-half, 0.0, 0.0]))],
        ),
    ];
    let system = System::new(rods.to_vec(), gravity(), Vec::new()).unwrap().with_joints(joints).unwrap();
    let places = [at([half, 0.0, 0.0]), at([length + half, 0.0, 0.0])];
    let mut simulation = Simulation::new(system, &places, settings(1.0)).unwrap();
    let summary = run(&mut simulation);
    // Angles below the horizontal: x = Σ ℓ cos a, z = −Σ ℓ sin a.
    let rate = |s: [f64; 4]| {
        let [a, b, da, db] = s;
        let m11 = j + mass * half * half + mass * length * length;
        let m12 = mass * length * half * (a - b).cos();
        let m22 = j + mass * half * half;
        let s12 = mass * length * half * (a - b).sin();
        let f1 = mass * G * (half + length) * a.cos() - s12 * db * db;
        let f2 = mass * G * half * b.cos() + s12 * da * da;
        let det = m11 * m22 - m12 * m12;
        [da, db, (m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det]
    };
    let steps = 20_000;
    let h = 1.0 / f64::from(steps);
    let mut s = [0.0; 4];
    let add = |s: [f64; 4], k: [f64; 4], h: f64| [0, 1, 2, 3].map(|i| s[i] + h * k[i]);
    for _ in 0..steps {
        let k1 = rate(s);
        let k2 = rate(add(s, k1, 0.5 * h));
        let k3 = rate(add(s, k2, 0.5 * h));
        let k4 = rate(add(s, k3, h));
        let k = [0, 1, 2, 3].map(|i| (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0);
        s = add(s, k, h);
    }
    let [a, b, ..] = s;
    let expected = Vector3::new(length * a.cos() + half * b.cos(), 0.0, -length * a.sin() - half * b.sin());
    let found = positions(&mut simulation)[1];
    assert!((found - expected).norm() < 1e-6, "{found} {expected}");
    assert!(summary.ledger.energy_error < 1e-7, "{:?}", summary.ledger);
}

/// A mass on a slide, on a cylinder, in a plane: it falls freely in free directions and rests in constrained
/// ones.
#[test]
fn free_directions_of_a_joint_are_free() {
    let tilted = Vector3::new(1.0, 0.0, -1.0).normalize();
    let kinds = [
        (JointKind::Prismatic, tilted, 0.25 * G * Vector3::new(1.0, 0.0, -1.0)),
        (JointKind::Cylindrical, tilted, 0.25 * G * Vector3::new(1.0, 0.0, -1.0)),
        (JointKind::Planar, Vector3::new(1.0, 0.0, 1.0).normalize(), 0.25 * G * Vector3::new(1.0, 0.0, -1.0)),
        (JointKind::Fixed, tilted, Vector3::zeros()),
    ];
    for (kind, axis, expected) in kinds {
        let body = slender("body", 1.0, 0.3);
        let held = joint(kind, axis, [ground([0.0; 3]), (Some(0), marker(&body, [0.0; 3]))]);
        let system = System::new(vec![body], gravity(), Vec::new()).unwrap().with_joints(vec![held]).unwrap();
        let mut simulation = Simulation::new(system, &[Placement::default()], settings(1.0)).unwrap();
        run(&mut simulation);
        let found = positions(&mut simulation)[0];
        assert!((found - expected).norm() < 1e-7, "{kind:?}: {found}");
        let omega = Vector3::from(simulation.body_states().unwrap()[0].angular_velocity);
        assert!(omega.norm() < 1e-9, "{kind:?}: {omega}");
    }
}

/// A mass on a massless bar: a spherical pendulum of a point.
#[test]
fn a_distance_keeps_its_length() {
    let body = slender("body", 1.0, 0.02);
    let bar = joint(
        JointKind::Distance { length: 0.5 },
        Vector3::z(),
        [ground([0.0; 3]), (Some(0), marker(&body, [0.0; 3]))],
    );
    let system = System::new(vec![body], gravity(), Vec::new()).unwrap().with_joints(vec![bar]).unwrap();
    let start = Placement { velocity: [0.0, 1.0, 0.0], ..at([0.5, 0.0, 0.0]) };
    let mut simulation = Simulation::new(system, &[start], settings(2.0)).unwrap();
    let summary = run(&mut simulation);
    assert!((positions(&mut simulation)[0].norm() / 0.5 - 1.0).abs() < 1e-9);
    assert!(summary.ledger.energy_error < 1e-7 && summary.ledger.ang_momentum_error < 1e-7);
}

/// Flexible bodies free in space, joined at markers with displacements and rotations: joints do no work and
/// change neither P nor L.
#[test]
fn joined_flexible_bodies_conserve_energy_and_momenta() {
    let lattice = Lattice::new(0.3, 2.0, 60.0);
    for kind in [
        JointKind::Spherical,
        JointKind::Revolute,
        JointKind::Prismatic,
        JointKind::Fixed,
        JointKind::Universal,
    ] {
        let bodies: Vec<Body> = (0..2).map(|_| lattice.body(6)).collect();
        let corner = |body: &Body, points: &[u32]| body.marker(points).unwrap();
        let markers = [corner(&bodies[0], &[0, 1, 2, 3]), corner(&bodies[1], &[4, 5, 6])];
        let gap = Vector3::from(markers[0].position_b) - Vector3::from(markers[1].position_b);
        let mut link = joint(
            kind,
            Vector3::new(0.3, 1.0, -0.2),
            [(Some(0), markers[0].clone()), (Some(1), markers[1].clone())],
        );
        if kind == JointKind::Universal {
            let t = link.ends[1].triad_b;
            link.ends[1].triad_b = Matrix3::from_fn(|i, j| t[(i, (j + 1) % 3)]);
        }
        let system =
            System::new(bodies, Loads::default(), Vec::new()).unwrap().with_joints(vec![link]).unwrap();
        let spin = Placement {
            angular_velocity: [3.0, -1.0, 2.0],
            velocity: [0.1, 0.0, 0.3],
            ..Placement::default()
        };
        let places = [spin, Placement { angular_velocity: [0.5, 4.0, 1.0], ..at(gap.into()) }];
        let mut simulation = Simulation::new(system, &places, settings(1.0)).unwrap();
        let summary = run(&mut simulation);
        let ledger = &summary.ledger;
        assert!(ledger.energy_error < 1e-7, "{kind:?}: {ledger:?}");
        assert!(ledger.momentum_error < 1e-13 && ledger.ang_momentum_error < 1e-13, "{kind:?}: {ledger:?}");
    }
}

/// A planar four-bar linkage of revolute joints: three of its twenty equations are redundant, and it still
/// moves.
#[test]
fn redundant_equations_of_a_four_bar_linkage_are_found_and_named() {
    let half = 0.25;
    let rods: Vec<Body> =
        ["left", "top", "right"].iter().map(|name| slender(name, 1.0, 2.0 * half)).collect();
    let end = |i: usize, x: f64| (Some(i), marker(&rods[i], [x, 0.0, 0.0]));
    let upright = Placement::rotated([0.0, 1.0, 0.0], -90.0);
    let axis = Vector3::y();
    let mut joints = vec![
        joint(JointKind::Revolute, axis, [ground([0.0; 3]), end(0, -half)]),
        joint(JointKind::Revolute, axis, [end(0, half), end(1, -half)]),
        joint(JointKind::Revolute, axis, [end(1, half), end(2, half)]),
        joint(JointKind::Revolute, axis, [ground([2.0 * half, 0.0, 0.0]), end(2, -half)]),
    ];
    for (joint, name) in joints.iter_mut().zip(["a", "b", "c", "d"]) {
        joint.name = name.to_owned();
        // The axes y agree in bodies rotated about y; x and z of the ends need not agree.
    }
    let system = System::new(rods, gravity(), Vec::new()).unwrap().with_joints(joints).unwrap();
    let places = [
        Placement { origin: [0.0, 0.0, half], angular_velocity: [0.0, 1.0, 0.0], ..upright },
        at([half, 0.0, 2.0 * half]),
        Placement { origin: [2.0 * half, 0.0, half], ..upright },
    ];
    let mut simulation = Simulation::new(system, &places, settings(0.5)).unwrap();
    let Assembly { redundant, moved, .. } = simulation.assembly.clone();
    assert_eq!(redundant.iter().map(|(_, n)| n).sum::<usize>(), 3, "{redundant:?}");
    assert!(moved < 1e-12);
    let summary = run(&mut simulation);
    assert!(summary.ledger.energy_error < 1e-7, "{:?}", summary.ledger);
    // A parallelogram: the top bar stays level.
    let omega = Vector3::from(simulation.body_states().unwrap()[1].angular_velocity);
    assert!(omega.norm() < 1e-6, "{omega}");
}

/// Bodies placed off their joints are moved to close them, and velocities are changed to admissible ones;
/// joints that cannot close are reported.
#[test]
fn initial_values_are_made_consistent_or_refused() {
    let rod = slender("rod", 1.0, 1.0);
    let hinge = |rod: &Body| {
        joint(JointKind::Revolute, Vector3::y(), [ground([0.0; 3]), (Some(0), marker(rod, [-0.5, 0.0, 0.0]))])
    };
    let system = |joints: Vec<Joint>| {
        System::new(vec![slender("rod", 1.0, 1.0)], gravity(), Vec::new())
            .unwrap()
            .with_joints(joints)
            .unwrap()
    };
    let start = Placement { velocity: [1.0, 0.0, 2.0], ..at([0.52, 0.01, 0.03]) };
    let mut simulation = Simulation::new(system(vec![hinge(&rod)]), &[start], settings(0.1)).unwrap();
    // The end lay 0.0374 m from the hinge; the other end of the rod swings by less than twice that.
    let Assembly { moved, apart, displaced, .. } = simulation.assembly.clone();
    assert!(apart && displaced.is_empty() && (0.037..0.075).contains(&moved), "{moved}");
    let state = simulation.body_states().unwrap()[0].clone();
    let arm = rotation::matrix(&state.quaternion) * Vector3::new(0.5, 0.0, 0.0);
    let pivot = Vector3::from(state.position) - arm;
    let velocity = Vector3::from(state.velocity) - Vector3::from(state.angular_velocity).cross(&arm);
    assert!(pivot.norm() < 1e-12 && velocity.norm() < 1e-12, "{pivot} {velocity}");
    // A rod of one metre cannot reach both points.
    let far = joint(
        JointKind::Spherical,
        Vector3::y(),
        [ground([2.0, 0.0, 0.0]), (Some(0), marker(&rod, [0.5, 0.0, 0.0]))],
    );
    let error =
        Simulation::new(system(vec![hinge(&rod), far]), &[at([0.5, 0.0, 0.0])], settings(0.1)).unwrap_err();
    assert!(matches!(error, RunError::Assembly(_)), "{error}");
    assert!(error.to_string().contains("joint `"), "{error}");
}

/// Two flexible bodies of a chain with positions and velocities off their joints are moved rigidly, without
/// deformation and vibration. A body that its joints stretch is deformed, which is reported.
#[test]
fn open_joints_deform_bodies_only_where_rigid_motions_do_not_close_them() {
    let lattice = Lattice::new(0.3, 2.0, 60.0);
    let bodies: Vec<Body> = (0..2).map(|_| lattice.body(6)).collect();
    let corners = [&[0, 1, 3][..], &[14, 16, 17]].map(|points| bodies[0].marker(points).unwrap());
    let [near, far] = corners.each_ref().map(|marker| Vector3::from(marker.position_b));
    let hinge = (None, Marker { position_b: near.into(), ..Marker::default() });
    let end = |i: usize, corner: usize| (Some(i), corners[corner].clone());
    let chain = vec![
        joint(JointKind::Revolute, Vector3::new(0.3, 1.0, -0.2), [hinge, end(0, 0)]),
        joint(JointKind::Spherical, Vector3::z(), [end(0, 1), end(1, 0)]),
    ];
    let system =
        System::new(bodies.clone(), gravity(), Vec::new()).unwrap().with_joints(chain.clone()).unwrap();
    let beside = Placement {
        velocity: [0.1, 0.4, 0.0],
        angular_velocity: [1.0, -2.0, 0.5],
        ..at([0.01, -0.02, 0.015])
    };
    let places = [beside, at((far - near + Vector3::new(0.03, 0.0, -0.01)).into())];
    let mut simulation = Simulation::new(system, &places, settings(0.1)).unwrap();
    let assembly = simulation.assembly.clone();
    assert!(assembly.apart && assembly.moved > 0.01 && assembly.strain_energy == 0.0, "{assembly:?}");
    let states = simulation.body_states().unwrap().to_vec();
    for state in &states {
        assert!(state.modal.iter().all(|&q| q == 0.0), "{:?}", state.modal);
    }
    let point = |i: usize, corner: &Vector3<f64>| {
        let arm = rotation::matrix(&states[i].quaternion) * corner;
        let velocity =
            Vector3::from(states[i].velocity) + Vector3::from(states[i].angular_velocity).cross(&arm);
        (Vector3::from(states[i].position) + arm, velocity)
    };
    let (pivot, at_rest) = point(0, &near);
    let (ends, velocities) = (point(0, &far), point(1, &near));
    assert!((pivot - near).norm() < 1e-12 && at_rest.norm() < 1e-12, "{pivot} {at_rest}");
    assert!((ends.0 - velocities.0).norm() < 1e-12 && (ends.1 - velocities.1).norm() < 1e-12);
    assert!(ends.1.norm() > 0.1, "the given motion is lost");

    // A body held at both ends, at a distance of a millimetre more than its length: the strain energy is the
    // same for every initial place.
    let energies = [[0.0, 0.0, 1.0], [1.0, 2.0, -0.5]].map(|axis| {
        let turned = Placement::rotated(axis, if axis[0] > 0.0 { 50.0 } else { 0.0 });
        let a = rotation::matrix(&turned.quaternion);
        let at_ground = |x: Vector3<f64>| (None, Marker { position_b: (a * x).into(), ..Marker::default() });
        let stretched = vec![
            joint(JointKind::Spherical, Vector3::z(), [at_ground(near), end(0, 0)]),
            joint(
                JointKind::Spherical,
                Vector3::z(),
                [at_ground(far + 1e-3 * (far - near).normalize()), end(0, 1)],
            ),
        ];
        let system =
            System::new(bodies[..1].to_vec(), gravity(), Vec::new()).unwrap().with_joints(stretched).unwrap();
        let mut simulation = Simulation::new(system, &[turned], settings(0.1)).unwrap();
        let reported = simulation.assembly.strain_energy;
        let state = simulation.body_states().unwrap()[0].clone();
        let k = &bodies[0].frame.stiffness_modal;
        let energy: f64 = state.modal.iter().enumerate().map(|(i, q)| 0.5 * k[(i, i)] * q * q).sum();
        assert!(reported > 1e-6 && (reported / energy - 1.0).abs() < 1e-12, "{reported} {energy}");
        reported
    });
    // Steps of Newton's method rotate bodies row by row, which is independent of the orientation to first
    // order of the opening.
    assert!((energies[1] / energies[0] - 1.0).abs() < 1e-3, "{energies:?}");
}

/// Two bodies free in space with velocities that violate their joint: only impulses of the joint change
/// them.
#[test]
fn velocities_are_made_consistent_without_changing_the_momenta() {
    let lattice = Lattice::new(0.3, 2.0, 60.0);
    let bodies: Vec<Body> = (0..2).map(|_| lattice.body(6)).collect();
    let [near, far] = [&[0, 1, 3][..], &[14, 16, 17]].map(|points| bodies[0].marker(points).unwrap());
    let gap = Vector3::from(far.position_b) - Vector3::from(near.position_b);
    let link = joint(JointKind::Revolute, Vector3::new(0.3, 1.0, -0.2), [(Some(0), far), (Some(1), near)]);
    let system = || System::new(bodies.clone(), Loads::default(), Vec::new()).unwrap();
    let thrown = Placement { velocity: [0.1, 0.4, 0.0], angular_velocity: [1.0, -2.0, 0.5], ..at([0.0; 3]) };
    let places = [thrown, at(gap.into())];
    let momenta = |system: System| {
        let layout = system.layout().clone();
        let simulation = Simulation::new(system, &places, settings(0.1)).unwrap();
        let y = simulation.state();
        let sum = |start: [usize; 2]| -> Vector3<f64> {
            start.iter().map(|&k| Vector3::new(y[k], y[k + 1], y[k + 2])).sum()
        };
        (sum([0, 1].map(|i| layout.momentum(i))), sum([0, 1].map(|i| layout.ang_momentum(i))))
    };
    let (free, joined) = (momenta(system()), momenta(system().with_joints(vec![link]).unwrap()));
    assert!((free.0 - joined.0).norm() < 1e-13 * free.0.norm(), "{free:?} {joined:?}");
    assert!((free.1 - joined.1).norm() < 1e-13 * free.1.norm(), "{free:?} {joined:?}");
}
