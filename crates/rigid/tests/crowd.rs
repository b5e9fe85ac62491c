//! Bodies of which any two may touch: pairs exist while their bodies are near each other.

use carom_dynamics::{Checkpoint, Placement};
use carom_rigid::{Ball, Block, CrowdSpec, Edge, MemberSpec, PairSpec, RigidBody, Shape, System};
use nalgebra::{Matrix3, Vector3};

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
        edges: Edge::of_block(Vector3::zeros(), size).to_vec(),
        shape: Shape::Block(Block { center: Vector3::zeros(), half: 0.5 * size, axes: Matrix3::identity() }),
    };
    ((0..n).map(|_| block(1.0, size)).collect(), placements, (0..n).map(member).collect())
}

fn crowd(n: usize, restitution: f64, friction: f64) -> System {
    let (bodies, placements, members) = cubes(n);
    let spec = CrowdSpec { members, restitution, friction, apart: Vec::new() };
    System::with_crowds(bodies, &placements, (&[], &[spec]), Vector3::zeros(), STEP).unwrap()
}

/// The crowd has the motion of all its pairs given one by one, to the bit.
#[test]
fn a_crowd_moves_like_all_its_pairs() {
    for (n, restitution, friction) in [(27, 1.0, 0.0), (12, 0.5, 0.3), (8, 1.0, 0.0)] {
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
                    edges,
                    shape: b.shape.clone(),
                    law: carom_rigid::Law::Hard,
                    restitution,
                    friction,
                });
            }
        }
        let mut all = System::new(bodies, &placements, &pairs, Vector3::zeros(), STEP).unwrap();
        let mut some = crowd(n, restitution, friction);
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

/// Bodies that rest in the checkpoint's crowd have the pairs that had touched, and continue with the same
/// bits.
#[test]
fn a_restored_crowd_continues_with_the_same_bits() {
    let mut system = crowd(27, 0.8, 0.2);
    for _ in 0..400 {
        system.step().unwrap();
    }
    let mut checkpoint = Checkpoint::default();
    system.save(&mut checkpoint);
    assert!(checkpoint.integers("crowd_pairs").unwrap().len() > 30);
    let mut again = crowd(27, 0.8, 0.2);
    again.restore(&checkpoint, system.counters()).unwrap();
    for _ in 0..600 {
        system.step().unwrap();
        again.step().unwrap();
    }
    let mut ends = [Checkpoint::default(), Checkpoint::default()];
    system.save(&mut ends[0]);
    again.save(&mut ends[1]);
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn invalid_crowds_are_refused() {
    let error = |change: &dyn Fn(&mut CrowdSpec, &mut Vec<Placement>)| {
        let (bodies, mut placements, members) = cubes(3);
        let mut spec = CrowdSpec { members, restitution: 1.0, friction: 0.0, apart: Vec::new() };
        change(&mut spec, &mut placements);
        let made = System::with_crowds(bodies, &placements, (&[], &[spec]), Vector3::zeros(), STEP);
        made.map(|_| ()).unwrap_err().to_string()
    };
    assert!(error(&|spec, _| spec.restitution = 1.5).contains("restitution is 1.5; it must be from 0 to 1"));
    assert!(error(&|spec, _| spec.friction = -0.5).contains("friction is -0.5"));
    assert!(error(&|spec, _| spec.members[0].body = 3).contains("body 3 of a crowd"));
    assert!(error(&|spec, _| spec.members[0].body = 1).contains("body 1 of a crowd"));
    assert!(error(&|spec, _| spec.members[2].points.clear()).contains("at least one point"));
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
        let crowds = [CrowdSpec { members, restitution: 1.0, friction: 0.0, apart }];
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
