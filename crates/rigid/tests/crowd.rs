//! Bodies of which any two may touch: pairs exist while their bodies are near each other.

use carom_dynamics::{Checkpoint, Placement};
use carom_rigid::{
    Ball, Block, CrowdSpec, Edge, Law, MemberSpec, PairSpec, Plane, RigidBody, Shape, Sphere, System,
};
use nalgebra::{Matrix3, Unit, Vector3};

use crate::problems::{Random, at, block};

const SIDE: f64 = 0.1;
const STEP: f64 = 1e-4;

/// Cubes in a lattice, a tenth of an edge apart, with velocities and rotations of all directions.
fn cubes(n: usize) -> (Vec<RigidBody>, Vec<Placement>, Vec<MemberSpec>) {
    let (size, mut random) = (Vector3::repeat(SIDE), Random(7));
    let side = (n as f64).cbrt().ceil() as usize;
    let place = |k: usize| {
        let origin = [k % side, k / side % side, k / side / side].map(|i| 1.1 * SIDE * i as f64);
        let mut vector = |scale: f64| [0; 3].map(|_| scale * (random.next() - 0.5));
        Placement { angular_velocity: vector(2.0), ..at(origin, vector(2.0)) }
    };
    let placements = (0..n).map(place).collect();
    let member = |body: usize| MemberSpec {
        body,
        points: Ball::corners(Vector3::zeros(), size).to_vec(),
        moving: None,
        edges: Edge::of_block(Vector3::zeros(), size).to_vec(),
        shape: Some(Shape::Block(Block {
            center: Vector3::zeros(),
            half: 0.5 * size,
            axes: Matrix3::identity(),
        })),
    };
    ((0..n).map(|_| block(1.0, size)).collect(), placements, (0..n).map(member).collect())
}

fn crowd(n: usize, restitution: f64, friction: f64) -> System {
    crowd_by(Law::Hard, n, restitution, friction)
}

fn crowd_by(law: Law, n: usize, restitution: f64, friction: f64) -> System {
    let (bodies, placements, members) = cubes(n);
    let spec = CrowdSpec { members, law, restitution, friction, apart: Vec::new() };
    System::with_crowds(bodies, &placements, (&[], &[spec]), Vector3::zeros(), STEP).unwrap()
}

/// The crowd has the motion of all its pairs given one by one, to the bit.
#[test]
fn a_crowd_moves_like_all_its_pairs() {
    let spring = Law::per_point(1e5);
    for (law, n, restitution, friction) in [
        (Law::Hard, 27, 1.0, 0.0),
        (Law::Hard, 12, 0.5, 0.3),
        (Law::Hard, 8, 1.0, 0.0),
        (spring, 27, 1.0, 0.0),
        (spring, 12, 1.0, 0.3),
    ] {
        let (bodies, placements, members) = cubes(n);
        let mut pairs = Vec::new();
        for a in &members {
            for b in members.iter().filter(|b| a.body != b.body) {
                // One of both orders has the edges.
                let edges =
                    if a.body < b.body { [a.edges.clone(), b.edges.clone()] } else { Default::default() };
                pairs.push(PairSpec {
                    bodies: [a.body, b.body],
                    points: a.points.clone(),
                    moving: None,
                    edges,
                    shape: b.shape.clone().unwrap(),
                    law,
                    restitution,
                    friction,
                });
            }
        }
        let mut all = System::new(bodies, &placements, &pairs, Vector3::zeros(), STEP).unwrap();
        let mut some = crowd_by(law, n, restitution, friction);
        for _ in 0..1000 {
            all.step().unwrap();
            some.step().unwrap();
        }
        assert!(all.n_impulses() > 2, "{n}: {}", all.n_impulses());
        assert_eq!(all.n_impulses(), some.n_impulses());
        assert_eq!(all.states(), some.states(), "{n} cubes");
        let sums = |system: &System| system.reports.iter().map(|report| report.impulse.norm()).sum::<f64>();
        assert!((sums(&all) - sums(&some)).abs() < 1e-12 * sums(&all));
    }
}

/// The places for pairs grow with the bodies, not with their pairs, also while the crowd spreads.
#[test]
fn the_memory_of_a_crowd_grows_with_its_bodies() {
    let places = [64, 512].map(|n| {
        let mut system = crowd(n, 1.0, 0.0);
        for _ in 0..300 {
            system.step().unwrap();
        }
        assert!(system.n_impulses() > n as u64, "{}", system.n_impulses());
        system.reports.len() as f64 / n as f64
    });
    // 26 neighbours of a cube within the lattice, in both directions of the pair.
    assert!(places[0] < 52.0 && places[1] < 52.0, "{places:?}");
}

/// Springs of a crowd lose no energy and no momentum, while pairs come into being and are dropped.
#[test]
fn springs_of_a_crowd_conserve_energy_and_momenta() {
    let mut system = crowd_by(Law::per_point(1e5), 64, 1.0, 0.0);
    let (energy, momentum, ang_momentum) = (system.energy(), system.momentum(), system.ang_momentum());
    let mut together = 0.0_f64;
    for _ in 0..4000 {
        system.step().unwrap();
        together = together.max(system.contact_potential());
    }
    let [least, largest] = system.energy_range().map(|e| e / energy - 1.0);
    assert!(least > -1e-12 && largest < 1e-12, "{least:+.1e} {largest:+.1e}");
    assert!(together > 0.01 * energy && system.n_impulses() > 1000, "{together} {}", system.n_impulses());
    assert!((system.momentum() - momentum).norm() < 1e-12 * momentum.norm());
    assert!((system.ang_momentum() - ang_momentum).norm() < 1e-12 * ang_momentum.norm());
}

/// Bodies that rest in the checkpoint's crowd have the pairs that had touched, and continue with the same
/// bits.
#[test]
fn a_restored_crowd_continues_with_the_same_bits() {
    for law in [Law::Hard, Law::per_point(1e5)] {
        continues(|| crowd_by(law, 27, 0.8, 0.2));
    }
}

fn continues(made: impl Fn() -> System) {
    let mut system = made();
    for _ in 0..400 {
        system.step().unwrap();
    }
    let mut checkpoint = Checkpoint::default();
    system.save(&mut checkpoint);
    assert!(checkpoint.integers("crowd_pairs").unwrap().len() > 30);
    let mut again = made();
    again.restore(&checkpoint, system.counters()).unwrap();
    for _ in 0..600 {
        system.step().unwrap();
        again.step().unwrap();
    }
    let mut ends = [Checkpoint::default(), Checkpoint::default()];
    system.save(&mut ends[0]);
    again.save(&mut ends[1]);
    // Reports of pairs that have not touched contain NaN, which equals nothing.
    let [first, second] = ends.map(|end| format!("{end:?}"));
    assert!(first == second);
}

#[test]
fn invalid_crowds_are_refused() {
    let error = |change: &dyn Fn(&mut CrowdSpec, &mut Vec<Placement>)| {
        let (bodies, mut placements, members) = cubes(3);
        let mut spec =
            CrowdSpec { members, law: Law::Hard, restitution: 1.0, friction: 0.0, apart: Vec::new() };
        change(&mut spec, &mut placements);
        let made = System::with_crowds(bodies, &placements, (&[], &[spec]), Vector3::zeros(), STEP);
        made.map(|_| ()).unwrap_err().to_string()
    };
    assert!(error(&|spec, _| spec.restitution = 1.5).contains("restitution is 1.5; it must be from 0 to 1"));
    assert!(error(&|spec, _| spec.friction = -0.5).contains("friction is -0.5"));
    assert!(error(&|spec, _| spec.law = Law::per_point(0.0)).contains("stiffness of a point is 0"));
    assert!(error(&|spec, _| spec.members[0].body = 3).contains("body 3 of a crowd"));
    let empty = error(&|spec, _| {
        spec.members[2].points.clear();
        spec.members[2].shape = None;
    });
    assert!(empty.contains("points or a surface"), "{empty}");
    let overlap = error(&|_, placements| placements[1].origin = [0.3 * SIDE, 0.2 * SIDE, 0.0]);
    assert!(overlap.contains("behind the surface of"), "{overlap}");
}

/// The first two cubes meet, and the third follows: it hits the second one, which has passed through the
/// first one, if those are apart; else the first one, which has come back.
#[test]
fn members_that_are_apart_do_not_touch() {
    let touched = |apart: Vec<[usize; 2]>| {
        let (bodies, _, members) = cubes(3);
        let places = [
            at([0.0; 3], [1.0, 0.0, 0.0]),
            at([1.5 * SIDE, 0.0, 0.0], [-1.0, 0.0, 0.0]),
            at([-4.0 * SIDE, 0.0, 0.0], [3.0, 0.0, 0.0]),
        ];
        let crowds = [CrowdSpec { members, law: Law::Hard, restitution: 1.0, friction: 0.0, apart }];
        let mut system =
            System::with_crowds(bodies, &places, (&[], &crowds), Vector3::zeros(), STEP).unwrap();
        let mut touched = std::collections::BTreeSet::new();
        while system.time() < 0.2 {
            system.step().unwrap();
            let pairs = system.touching_pairs().filter_map(|pair| system.crowd(pair));
            touched.extend(pairs.map(|(_, [a, b])| [a.min(b), a.max(b)]));
        }
        touched.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(touched(vec![[1, 0]]), [[1, 2]]);
    assert_eq!(touched(Vec::new()), [[0, 1], [0, 2]]);
}

/// Balls in a room: each two balls and each ball and the walls touch once, though a ball has a point and a
/// surface; two shapes of one body do not touch each other.
#[test]
fn balls_of_a_crowd_touch_each_other_once() {
    const RADIUS: f64 = 0.05;
    const N_BALLS: usize = 12;
    let ball = || Ball::new(Vector3::zeros(), RADIUS);
    let sphere = || Shape::Sphere(Sphere { center: Vector3::zeros(), radius: RADIUS });
    let wall = |axis: usize, side: f64| Plane {
        origin: 0.3 * side * Vector3::ith(axis, 1.0),
        normal: Unit::new_normalize(-side * Vector3::ith(axis, 1.0)),
    };
    let walls = Shape::Planes((0..3).flat_map(|axis| [wall(axis, 1.0), wall(axis, -1.0)]).collect());
    let member = |body: usize, points: Vec<Ball>, shape: Shape| MemberSpec {
        body,
        points,
        moving: None,
        edges: Vec::new(),
        shape: Some(shape),
    };
    let mut members = vec![member(0, Vec::new(), walls.clone())];
    let mut pairs = Vec::new();
    for a in 1..=N_BALLS {
        members.push(member(a, vec![ball()], sphere()));
        let with = |other: usize, shape: Shape| PairSpec {
            bodies: [a, other],
            points: vec![ball()],
            moving: None,
            edges: Default::default(),
            shape,
            law: carom_rigid::Law::Hard,
            restitution: 0.9,
            friction: 0.2,
        };
        pairs.push(with(0, walls.clone()));
        pairs.extend((a + 1..=N_BALLS).map(|b| with(b, sphere())));
    }
    // A second ball in the middle of the first one touches nothing that the first does not.
    members.push(MemberSpec {
        shape: None,
        ..member(1, vec![Ball::new(Vector3::zeros(), 0.5 * RADIUS)], sphere())
    });
    let mut random = Random(3);
    let room = RigidBody::new("room", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap().fixed();
    let inertia = Matrix3::identity() * (0.4 * RADIUS * RADIUS);
    let of_ball = |_| RigidBody::new("ball", 1.0, inertia, Vector3::zeros()).unwrap();
    let bodies: Vec<RigidBody> = std::iter::once(room).chain((0..N_BALLS).map(of_ball)).collect();
    let place = |k: usize| {
        let origin = [k % 3, k / 3 % 3, k / 9].map(|i| 0.15 * (i as f64 - 1.0));
        at(origin, [0; 3].map(|_| 4.0 * (random.next() - 0.5)))
    };
    let placements: Vec<Placement> =
        std::iter::once(at([0.0; 3], [0.0; 3])).chain((0..N_BALLS).map(place)).collect();
    let spec = CrowdSpec { members, law: Law::Hard, restitution: 0.9, friction: 0.2, apart: Vec::new() };
    let made = |pairs: &[PairSpec], crowds: &[CrowdSpec]| {
        System::with_crowds(bodies.clone(), &placements, (pairs, crowds), Vector3::zeros(), STEP).unwrap()
    };
    let (mut one_by_one, mut crowd) = (made(&pairs, &[]), made(&[], &[spec]));
    for _ in 0..6000 {
        one_by_one.step().unwrap();
        crowd.step().unwrap();
    }
    assert!(crowd.n_impulses() > 30, "{}", crowd.n_impulses());
    assert_eq!(one_by_one.n_impulses(), crowd.n_impulses());
    for (a, b) in one_by_one.states().iter().zip(crowd.states()) {
        // Contacts of one step stand in another order.
        assert!((a.position - b.position).norm() < 1e-9, "{a:?} {b:?}");
    }
}
