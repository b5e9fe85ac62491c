//! Corners that meet planes and corners, and blocks that meet in any way.

use crate::problems::{Random, block, ground, pair};
use carom_contact::Parting;
use carom_dynamics::{Placement, rotation};
use carom_rigid::{Ball, Block, Edge, PairSpec, Shape, System};
use nalgebra::{Matrix3, Vector3};

/// Rotation of a cube on its corner: the diagonal from its lower left corner points upwards.
fn on_its_corner() -> Placement {
    let angle = (1.0 / 3.0_f64.sqrt()).acos().to_degrees();
    Placement::rotated([1.0, -1.0, 0.0], -angle)
}

/// The impulse of a corner is −(1 + e) u₋/(1/m + (c × n)·J⁻¹ (c × n)) without friction and −W⁻¹ (u₋ + e u_N
/// n) if it sticks.
#[test]
fn a_corner_on_a_plane_has_the_impulse_of_one_point() {
    let size = Vector3::new(0.1, 0.15, 0.2);
    let body = block(2.0, size);
    let dt = 1e-9;
    let mut n = 0;
    for friction in [0.0, 50.0] {
        for e in [0.0, 0.5] {
            for k in 0..12 {
                let turned = Placement::rotated([1.0, 0.3 * f64::from(k), -0.4], 20.0 + 27.0 * f64::from(k));
                let turn = rotation::matrix(&turned.quaternion);
                let corners = Ball::corners(Vector3::zeros(), size);
                let heights = corners.map(|corner| (turn * corner.center).z);
                let lowest = (0..8).min_by(|&a, &b| heights[a].total_cmp(&heights[b])).unwrap();
                let arm = turn * corners[lowest].center;
                let (velocity, omega) = (Vector3::new(0.3, -0.1, -1.0), Vector3::new(1.0, 2.0, -0.5));
                let place = Placement {
                    origin: [0.0, 0.0, -arm.z + 1e-10],
                    velocity: velocity.into(),
                    angular_velocity: omega.into(),
                    ..turned
                };
                let before = velocity + omega.cross(&arm);
                if before.z > -0.2 {
                    continue;
                }
                let (floor, plane) = ground();
                let spec = PairSpec { restitution: e, friction, ..pair([0, 1], corners.to_vec(), plane) };
                let places = [place, Placement::default()];
                let mut system =
                    System::new(vec![body.clone(), floor], &places, &[spec], Vector3::zeros(), dt).unwrap();
                system.step().unwrap();
                n += 1;
                let inertia = turn * Matrix3::from_diagonal(&body.inertia) * turn.transpose();
                let inverse = inertia.try_inverse().unwrap();
                let cross = arm.cross_matrix();
                let mobility = Matrix3::identity() / body.mass - cross * inverse * cross;
                let impulse = if friction == 0.0 {
                    Vector3::new(0.0, 0.0, -(1.0 + e) * before.z / mobility[(2, 2)])
                } else {
                    -(mobility.try_inverse().unwrap()
                        * Vector3::new(before.x, before.y, (1.0 + e) * before.z))
                };
                let found = system.reports[0].impulse;
                let case = format!("e {e}, mu {friction}, {k}: {found:?} {impulse:?}");
                assert_eq!(system.limited().steps, 0, "{case}");
                assert!((found - impulse).norm() < 1e-6 * impulse.norm(), "{case}");
                let state = system.states()[0];
                assert!((state.momentum - 2.0 * velocity - impulse).norm() < 1e-6, "{case}");
                assert!((state.spin - inertia * omega - arm.cross(&impulse)).norm() < 1e-6, "{case}");
            }
        }
    }
    assert!(n > 20, "{n} impacts");
}

/// Two cubes approach each other corner to corner, in line or with a small offset: they overlap by no more
/// than the path of one step, and keep energy and momenta.
#[test]
fn corner_on_corner_conserves_energy_and_momenta() {
    let size = Vector3::new(0.1, 0.1, 0.1);
    let half = 0.5 * 0.1 * 3.0_f64.sqrt();
    for [x, y] in [[0.0, 0.0], [1e-6, 0.0], [1e-3, -2e-3], [0.0, 5e-3]] {
        let bodies = vec![block(1.0, size), block(1.0, size)];
        let upper = Placement { velocity: [0.0, 0.0, -1.0], origin: [x, y, half + 1e-3], ..on_its_corner() };
        let lower = Placement {
            origin: [0.0, 0.0, -half - 1e-3],
            velocity: [0.0, 0.0, 1.0],
            quaternion: rotation::product(
                &Placement::rotated([0.0, 1.0, 0.0], 180.0).quaternion,
                &on_its_corner().quaternion,
            ),
            ..Placement::default()
        };
        let corners = || Ball::corners(Vector3::zeros(), size).to_vec();
        let faces = || Shape::Block(Block::new(Vector3::zeros(), 0.5 * size));
        let edges = Edge::of_block(Vector3::zeros(), size).to_vec();
        let pairs = [
            PairSpec { edges: [edges.clone(), edges], ..pair([0, 1], corners(), faces()) },
            pair([1, 0], corners(), faces()),
        ];
        let mut system = System::new(bodies, &[upper, lower], &pairs, Vector3::zeros(), 1e-4).unwrap();
        let (energy, momentum, ang_momentum) = (system.energy(), system.momentum(), system.ang_momentum());
        let mut depth = 0.0_f64;
        for _ in 0..2000 {
            system.step().unwrap();
            depth = system.reports.iter().fold(depth, |depth, report| depth.max(report.depth));
        }
        let case = format!("{x} {y}");
        assert!(system.n_impulses() > 0 && depth < 2e-4, "{case}: {depth}");
        assert!((system.energy() / energy - 1.0).abs() < 1e-12, "{case}");
        assert!((system.momentum() - momentum).norm() < 1e-12, "{case}");
        assert!((system.ang_momentum() - ang_momentum).norm() < 1e-12, "{case}");
        // They have separated, or passed each other.
        let apart = (system.states()[0].position - system.states()[1].position).norm();
        assert!(apart > 0.1, "{case}: {apart}");
    }
}

/// Overlap of two blocks \[m\], and a bound of the speed with which their points approach \[m/s\].
fn overlap_and_speed(system: &System, size: Vector3<f64>) -> [f64; 2] {
    let placed = |i: usize| {
        let (state, body) = (&system.states()[i], &system.bodies[i]);
        let axes = rotation::matrix(&state.quaternion) * rotation::matrix(&body.axes).transpose();
        Block { center: state.position, half: 0.5 * size, axes }
    };
    let velocity = |i: usize| system.states()[i].momentum / system.bodies[i].mass;
    let turning = |i: usize| system.states()[i].spin.norm() / system.bodies[i].inertia.min();
    let speed = (velocity(0) - velocity(1)).norm() + 0.5 * size.norm() * (turning(0) + turning(1));
    [-Parting::new(&placed(0), &placed(1)).largest().0, speed]
}

/// Two blocks that fly at each other in any orientation overlap in no step by more than they approach in one,
/// and are apart again in the end.
#[test]
fn blocks_that_meet_overlap_by_less_than_the_path_of_a_step() {
    let size = Vector3::new(0.2, 0.1, 0.06);
    let dt = 1e-3;
    let mut n_met = 0;
    for case in 0..300 {
        let mut random = Random(case);
        random.vector();
        let mut place = |side: f64| {
            let aside = 0.08 * random.vector();
            Placement {
                origin: [side * 0.15 + aside.x, aside.y, aside.z],
                velocity: [-2.0 * side, 0.3 * random.next(), 0.3 * random.next()],
                angular_velocity: (3.0 * random.vector()).into(),
                ..Placement::rotated((random.vector() + Vector3::z()).into(), 360.0 * random.next())
            }
        };
        let places = [place(-1.0), place(1.0)];
        let corners = || Ball::corners(Vector3::zeros(), size).to_vec();
        let faces = || Shape::Block(Block::new(Vector3::zeros(), 0.5 * size));
        let edges = Edge::of_block(Vector3::zeros(), size).to_vec();
        let mut pairs = [
            PairSpec { edges: [edges.clone(), edges], ..pair([0, 1], corners(), faces()) },
            pair([1, 0], corners(), faces()),
        ];
        let restitution = 0.5 * f64::from(case as u32 % 2);
        pairs.iter_mut().for_each(|pair| (pair.restitution, pair.friction) = (restitution, 0.3));
        let bodies = vec![block(1.0, size), block(2.0, size)];
        let Ok(mut system) = System::new(bodies, &places, &pairs, Vector3::zeros(), dt) else { continue };
        let (energy, mut fastest, mut deepest) = (system.energy(), 0.0_f64, 0.0_f64);
        for step in 0..250 {
            system.step().unwrap_or_else(|error| panic!("case {case}, step {step}: {error}"));
            let [overlap, speed] = overlap_and_speed(&system, size);
            (fastest, deepest) = (fastest.max(speed), deepest.max(overlap));
        }
        assert!(deepest < fastest * dt, "case {case}: {deepest:.1e} m at {fastest} m/s");
        assert!(system.energy() <= energy * (1.0 + 1e-12), "case {case}");
        n_met += usize::from(system.n_impulses() > 0);
    }
    assert!(n_met > 150, "{n_met}");
}
