//! Multipliers and springs in one system: each law is as exact as alone, also on one body at one time.

use crate::problems::{at, ball, balls_touch, block, feet, gas, ground, pair, run};
use carom_dynamics::Placement;
use carom_rigid::{Law, PairSpec, Shape, System};
use nalgebra::Vector3;

/// Balls collide by multipliers and hit walls of springs over some fifteen steps: impulses of both
/// laws act in one step.
#[test]
fn balls_by_multipliers_and_walls_by_springs_conserve_energy_and_momenta() {
    let mut system = gas(Law::per_point(1e4), 2e-3);
    let (energy, momentum, ang_momentum) = (system.energy(), system.momentum(), system.ang_momentum());
    let (mut both, mut balls) = (0, 0);
    let is_wall = |pair: usize| (0..12).any(|i| i * (i + 1) / 2 + i == pair);
    for _ in 0..60_000 {
        system.step().unwrap();
        let touch = |wall: bool| {
            let mut pairs = system.reports.iter().enumerate();
            pairs.any(|(k, report)| report.last == system.steps() && is_wall(k) == wall)
        };
        balls += u32::from(touch(false));
        both += u32::from(touch(false) && touch(true));
    }
    let [least, largest] = system.energy_range().map(|e| e / energy - 1.0);
    println!(
        "{balls} steps with impacts of balls, {both} of them with springs, energy {least:+.1e} {largest:+.1e}"
    );
    assert!(both > 50, "{both} of {balls}");
    assert!(least > -1e-11 && largest < 1e-11, "{least:+.1e} {largest:+.1e}");
    assert!((system.momentum() - momentum).norm() < 1e-11 * momentum.norm());
    assert!((system.ang_momentum() - ang_momentum).norm() < 1e-11 * ang_momentum.norm());
}

/// A ball hits an equal one that rests on a spring. The first one stops; the other oscillates for half a
/// period π √(m/k), and hits the first one with its initial velocity.
#[test]
fn a_ball_is_thrown_back_by_the_spring_behind_another() {
    let (stiffness, dt) = (1e3, 1e-4);
    let (wall, _) = ground();
    let side = Shape::plane(Vector3::new(0.1, 0.0, 0.0), -Vector3::x()).unwrap();
    let pairs = [
        balls_touch(0, 1),
        PairSpec { law: Law::per_point(stiffness), ..pair([1, 2], balls_touch(0, 1).points, side) },
    ];
    let places = [at([-0.3, 0.0, 0.0], [1.0, 0.0, 0.0]), at([0.0; 3], [0.0; 3]), Placement::default()];
    let mut system =
        System::new(vec![ball(1.0), ball(1.0), wall], &places, &pairs, Vector3::zeros(), dt).unwrap();
    let mut hits = Vec::new();
    for _ in 0..4000 {
        system.step().unwrap();
        if system.reports[0].last == system.steps() {
            hits.push(system.time());
        }
    }
    let [first, second] = system.states().first_chunk().map(|s: &[_; 2]| s.map(|s| s.momentum.x)).unwrap();
    assert!((first + 1.0).abs() < 1e-12 && second.abs() < 1e-12, "{first} {second}");
    assert_eq!(hits.len(), 2, "{hits:?}");
    let half_period = std::f64::consts::PI / stiffness.sqrt();
    // Each hit happens at a step.
    assert!((hits[1] - hits[0] - half_period).abs() < 2.0 * dt, "{hits:?} {half_period}");
}

/// A block lies with two feet on rigid ground and with two on springs, free to slide: it tilts about the
/// rigid feet, and the springs oscillate between 0 and m g/2k.
#[test]
fn a_block_on_rigid_and_elastic_ground_tilts_as_a_pendulum() {
    let (mass, stiffness, dt) = (2.0, 2e4, 1e-4);
    let (floor, plane) = ground();
    let size = Vector3::new(1.0, 0.8, 0.1);
    let of = |left: bool, law: Law, friction: f64| {
        let feet = feet(size).into_iter().filter(|foot| (foot.center.x < 0.0) == left).collect();
        PairSpec { law, restitution: 0.0, friction, ..pair([0, 1], feet, plane.clone()) }
    };
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    for friction in [0.0, 0.4] {
        let pairs = [of(true, Law::Hard, friction), of(false, Law::per_point(stiffness), 0.0)];
        let places = [at([0.0, 0.0, 0.05], [0.0; 3]), Placement::default()];
        let bodies = vec![block(mass, size), floor.clone()];
        let mut system = System::new(bodies, &places, &pairs, gravity, dt).unwrap();
        let depth = mass * 9.81 / (2.0 * stiffness);
        // About the rigid edge with friction; otherwise the centre of mass moves along the vertical alone.
        let lever = if friction > 0.0 { size.z * size.z } else { 0.0 };
        let own = (size.x * size.x + size.z * size.z) / 12.0;
        let inertia = mass * (own + 0.25 * (size.x * size.x + lever));
        let omega = (2.0 * stiffness * size.x * size.x / inertia).sqrt();
        let period = std::f64::consts::TAU / omega;
        let steps = (period / dt).round() as u64;
        let mut deepest = (0.0, 0.0_f64);
        for _ in 0..steps {
            system.step().unwrap();
            if system.reports[1].last_depth > deepest.1 {
                deepest = (system.time(), system.reports[1].last_depth);
            }
        }
        assert!((deepest.1 / depth - 1.0).abs() < 2e-3, "{friction}: {deepest:?} {depth}");
        assert!((deepest.0 / (0.5 * period) - 1.0).abs() < 0.01, "{friction}: {deepest:?} {period}");
        // Over a period each end carries half of the weight.
        for report in &system.reports {
            let part = report.impulse.z / (mass * 9.81 * system.time());
            assert!((part - 0.5).abs() < 5e-3, "{friction}: {part}");
        }
        let initial = 0.05 * mass * 9.81;
        let drift = run(&mut system, 20_000).energy;
        println!("friction {friction}: energy {drift:.1e}, lost {:?}", system.books);
        assert!(drift < 1e-12 && (system.energy() / initial - 1.0).abs() < 1e-12, "{friction}: {drift:.1e}");
        let balance = system.momentum() - system.books.external_impulse;
        assert!(balance.norm() < 1e-11, "{friction}: {balance}");
    }
}
