//! Blocks that fall, tumble and come to rest with friction: every step has a solution.

use crate::problems::{Random, at, block, block_in_the_air, ground, pair};
use carom_dynamics::Placement;
use carom_rigid::{Ball, Block, PairSpec, Shape, System};
use nalgebra::Vector3;

/// Drops of every restitution and friction for 1.5 s.
fn drops(seeds: u64) {
    let dt = 1e-3;
    for restitution in [0.0, 0.3, 0.7, 1.0] {
        for friction in [0.0, 0.2, 0.4, 1.0] {
            for seed in 0..seeds {
                let case = format!("e = {restitution}, mu = {friction}, seed {seed}");
                let mut system = block_in_the_air(seed, restitution, friction, dt);
                let initial = system.energy();
                for _ in 0..1500 {
                    system.step().unwrap_or_else(|error| panic!("{case}: {error}"));
                }
                let [least, largest] = system.energy_range().map(|e| e / initial - 1.0);
                assert!(least > -1e-11 && largest < 1e-11, "{case}: {least:+.1e} {largest:+.1e}");
                // Corners arrive up to half a step late, at a few m/s.
                let depth = system.reports[0].depth;
                assert!(depth < 0.5 * dt * 4.0, "{case}: {depth:.1e} m deep");
                let energy = system.kinetic() + system.gravity_potential();
                assert!(restitution == 1.0 || energy < initial, "{case}: {energy} of {initial}");
            }
        }
    }
}

#[test]
fn every_step_of_a_tumbling_block_has_a_solution() {
    drops(3);
}

#[test]
#[ignore = "1 min: 800 drops of 1500 steps"]
fn every_step_of_many_tumbling_blocks_has_a_solution() {
    drops(50);
}

/// Twelve drops that once ended early: a block of 0.1 × 0.15 × 0.2 from 0.4 m, with another orientation
/// in each drop.
#[test]
fn twelve_drops_come_to_rest() {
    let size = Vector3::new(0.1, 0.15, 0.2);
    for drop in 0..12 {
        let (floor, plane) = ground();
        let corners = Ball::corners(Vector3::zeros(), size).to_vec();
        let spec = PairSpec { restitution: 0.3, friction: 0.4, ..pair([0, 1], corners, plane) };
        let place = Placement {
            origin: [0.0, 0.0, 0.4],
            angular_velocity: [3.0, 1.0, 2.0],
            ..Placement::rotated([1.0, 2.0, 3.0], 30.0 * f64::from(drop) + 10.0)
        };
        let bodies = vec![block(7800.0 * size.product(), size), floor];
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        let mut system =
            System::new(bodies, &[place, at([0.0; 3], [0.0; 3])], &[spec], gravity, 1e-3).unwrap();
        (0..2500).for_each(|_| system.step().unwrap_or_else(|error| panic!("drop {drop}: {error}")));
        let state = system.states()[0];
        let height = state.position.z;
        let lies = [0.05, 0.075, 0.1].iter().any(|h| (height - h).abs() < 1e-6);
        assert!(lies && state.momentum.norm() < 1e-4, "drop {drop}: {height} {state:?}");
    }
}

/// Three blocks fall on each other and on the ground, corners of each on the faces of the other: up to some
/// twenty contacts at once.
fn towers(seeds: u64, steps: u32) {
    let size = Vector3::new(0.2, 0.2, 0.1);
    let mut divided = 0;
    for restitution in [0.0, 0.3, 0.7] {
        for friction in [0.0, 0.3, 0.8] {
            for seed in 0..seeds {
                let case = format!("e = {restitution}, mu = {friction}, seed {seed}");
                let mut random = Random(seed);
                random.vector();
                let (floor, plane) = ground();
                let mut bodies: Vec<_> = (0..3).map(|_| block(30.0, size)).collect();
                bodies.push(floor);
                let mut places: Vec<Placement> = (0..3)
                    .map(|i| {
                        let [x, y, z] = (0.02 * random.vector()).into();
                        Placement {
                            origin: [x, y, 0.12 + 0.16 * f64::from(i) + z],
                            angular_velocity: random.vector().into(),
                            ..Placement::rotated([x, y, 0.001], 8.0 * random.next())
                        }
                    })
                    .collect();
                places.push(Placement::default());
                let corners = || Ball::corners(Vector3::zeros(), size).to_vec();
                let faces = || Shape::Block(Block::new(Vector3::zeros(), 0.5 * size));
                let mut pairs: Vec<PairSpec> =
                    (0..3).map(|i| pair([i, 3], corners(), plane.clone())).collect();
                for (a, b) in [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)] {
                    pairs.push(pair([a, b], corners(), faces()));
                }
                pairs.iter_mut().for_each(|pair| {
                    (pair.restitution, pair.friction) = (restitution, friction);
                });
                let gravity = Vector3::new(0.0, 0.0, -9.81);
                let mut system = System::new(bodies, &places, &pairs, gravity, 1e-3).unwrap();
                let initial = system.energy();
                for _ in 0..steps {
                    system.step().unwrap_or_else(|error| panic!("{case}: {error}"));
                }
                let [least, largest] = system.energy_range().map(|e| e / initial - 1.0);
                assert!(least > -1e-11 && largest < 1e-11, "{case}: {least:+.1e} {largest:+.1e}");
                divided += system.n_divided();
            }
        }
    }
    println!("{divided} steps in parts");
}

#[test]
fn every_step_of_falling_towers_has_a_solution() {
    towers(1, 300);
}
