//! The same fall in micrometres, metres and kilometres: no tolerance is an absolute length.

use crate::problems::{Random, at, block, ground, pair};
use carom_contact::Stiffness;
use carom_dynamics::Placement;
use carom_rigid::{Ball, Block, Edge, Law, PairSpec, Shape, System};
use nalgebra::Vector3;

const GRAVITY: f64 = 9.81;

/// Two blocks that fall inclined on the ground and on each other, with all lengths multiplied by `size` and
/// times by its root.
fn blocks(size: f64, law: Law, seed: u64) -> System {
    let mut random = Random(seed);
    random.vector();
    let speed = size.sqrt();
    let sides = Vector3::new(0.3, 0.2, 0.1) * size;
    let (floor, plane) = ground();
    let corners = || Ball::corners(Vector3::zeros(), sides).to_vec();
    let faces = Shape::Block(Block::new(Vector3::zeros(), 0.5 * sides));
    // Penalties hold a weight at a depth that is a fixed part of the length.
    let law = match law {
        Law::Hard => Law::Hard,
        Law::Penalty(Stiffness::PerPoint(stiffness)) => Law::per_point(stiffness * size * size),
        Law::Penalty(_) => panic!("points have a stiffness of their own"),
    };
    let with = |spec: PairSpec| {
        let restitution = if law == Law::Hard { 0.4 } else { 1.0 };
        PairSpec { law, restitution, friction: 0.3, ..spec }
    };
    let edges = Edge::of_block(Vector3::zeros(), sides).to_vec();
    let pairs = [
        with(pair([0, 2], corners(), plane.clone())),
        with(pair([1, 2], corners(), plane)),
        with(PairSpec { edges: [edges.clone(), edges], ..pair([0, 1], corners(), faces.clone()) }),
        with(pair([1, 0], corners(), faces)),
    ];
    let mut place = |height: f64| Placement {
        origin: [0.03 * size, 0.0, height * size],
        velocity: (0.3 * speed * random.vector()).into(),
        angular_velocity: (3.0 / speed * random.vector()).into(),
        ..Placement::rotated((random.vector() + Vector3::z()).into(), 40.0 * random.next())
    };
    let places = [place(0.4), place(0.9), at([0.0; 3], [0.0; 3])];
    let mass = 7800.0 * sides.product();
    let bodies = vec![block(mass, sides), block(mass, sides), floor];
    System::new(bodies, &places, &pairs, Vector3::new(0.0, 0.0, -GRAVITY), 1e-3 * speed).unwrap()
}

#[test]
fn a_fall_of_any_size_is_the_same() {
    for law in [Law::Hard, Law::per_point(1e6)] {
        for seed in 0..5 {
            let after = |size: f64| {
                let mut system = blocks(size, law, seed);
                for _ in 0..400 {
                    system.step().unwrap_or_else(|error| panic!("{size:e}, {law:?}, seed {seed}: {error}"));
                }
                let place = |i: usize| system.states()[i].position / size;
                (system.n_impulses(), system.n_divided(), [place(0), place(1)])
            };
            let (impulses, divided, places) = after(1.0);
            assert!(impulses > 0);
            for size in [1e-6, 1e3] {
                let found = after(size);
                let errors = [0, 1].map(|i: usize| (found.2[i] - places[i]).norm());
                let case = format!("{size:e}, {law:?}, seed {seed}");
                assert!(errors.iter().all(|error| *error < 1e-6), "{case}: {errors:?}");
                assert_eq!((found.0, found.1), (impulses, divided), "{case}");
            }
        }
    }
}
