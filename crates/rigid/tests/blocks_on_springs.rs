//! Blocks that stand, slide and come to rest on springs with friction.

use crate::problems::{at, block, ground, pair};
use carom_dynamics::Placement;
use carom_rigid::{Ball, Law, PairSpec, System};
use nalgebra::Vector3;

const SIZE: [f64; 3] = [0.2, 0.2, 0.1];
const GRAVITY: f64 = 9.81;

/// A block on a plane inclined by an angle; gravity is inclined instead of the plane.
fn on_incline(degrees: f64, friction: f64, stiffness: f64, dt: f64) -> System {
    let (floor, plane) = ground();
    let size = Vector3::from(SIZE);
    let corners = Ball::corners(Vector3::zeros(), size).to_vec();
    let spec = PairSpec { law: Law::per_point(stiffness), friction, ..pair([0, 1], corners, plane) };
    let (sin, cos) = degrees.to_radians().sin_cos();
    let gravity = GRAVITY * Vector3::new(sin, 0.0, -cos);
    let bodies = vec![block(31.2, size), floor];
    System::new(bodies, &[at([0.0, 0.0, 0.05], [0.0; 3]), at([0.0; 3], [0.0; 3])], &[spec], gravity, dt)
        .unwrap()
}

/// The feet stick where tan α < μ. The springs oscillate at first and lift the feet off, so that they slip
/// a little.
#[test]
fn a_block_sticks_on_an_incline() {
    for (stiffness, dt) in [(1e6, 1e-4), (1e7, 1e-4), (1e6, 1e-3)] {
        let mut system = on_incline(20.0, 0.5, stiffness, dt);
        let initial = system.energy();
        (0..(1.0 / dt) as u32).for_each(|_| system.step().unwrap());
        let slipped = system.states()[0].position.x;
        println!("k = {stiffness:.0e}: {slipped:.1e} m");
        // Without friction it slides 1.7 m. An oscillation lasts at most 11 ms and allows a slip of 0.2 mm,
        // all oscillations 6 mm.
        assert!(slipped > 0.0 && slipped < 6e-3, "{stiffness}: {slipped}");
        assert!((system.energy() - initial).abs() < 1e-12 * initial.abs());
    }
}

/// The block slides x = ½ g (sin α − μ cos α) t² where tan α > μ.
#[test]
fn a_block_slides_down_an_incline_by_coulombs_law() {
    for (degrees, friction) in [(20.0_f64, 0.3), (30.0, 0.5)] {
        for stiffness in [1e6, 1e7] {
            let mut system = on_incline(degrees, friction, stiffness, 1e-4);
            (0..10_000).for_each(|_| system.step().unwrap());
            let (sin, cos) = degrees.to_radians().sin_cos();
            let way = 0.5 * GRAVITY * (sin - friction * cos);
            let found = system.states()[0].position.x;
            assert!((found / way - 1.0).abs() < 1e-3, "{degrees} {friction} {stiffness}: {found} {way}");
        }
    }
}

fn drops(n: u32) {
    for drop in 0..n {
        for friction in [0.2, 0.5, 1.0] {
            let (floor, plane) = ground();
            let size = Vector3::from(SIZE);
            let corners = Ball::corners(Vector3::zeros(), size).to_vec();
            let law = Law::per_point(1e6);
            let spec = PairSpec { law, friction, ..pair([0, 1], corners, plane) };
            let place = Placement {
                origin: [0.0, 0.0, 0.3],
                angular_velocity: [3.0, 1.0, 2.0],
                ..Placement::rotated([1.0, 2.0, 3.0], 30.0 * f64::from(drop) + 10.0)
            };
            let gravity = Vector3::new(0.0, 0.0, -GRAVITY);
            let bodies = vec![block(31.2, size), floor];
            let mut system =
                System::new(bodies, &[place, at([0.0; 3], [0.0; 3])], &[spec], gravity, 1e-4).unwrap();
            let initial = system.energy();
            for _ in 0..12_000 {
                system.step().unwrap_or_else(|error| panic!("drop {drop}, mu = {friction}: {error}"));
            }
            let [least, largest] = system.energy_range().map(|e| e / initial - 1.0);
            assert!(least > -1e-11 && largest < 1e-11, "drop {drop}, mu = {friction}: {least} {largest}");
        }
    }
}

#[test]
fn every_step_of_blocks_that_tumble_on_springs_has_a_solution() {
    drops(4);
}

#[test]
#[ignore = "1 min: 180 drops of 12000 steps"]
fn every_step_of_many_blocks_that_tumble_on_springs_has_a_solution() {
    drops(60);
}
