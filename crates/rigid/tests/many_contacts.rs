//! Many contacts at once: rigid gas, cradle, stack, feet of a block, restitution, friction.

use crate::problems::{
    RADIUS, at, ball, balls_touch, block, crowd, falling_chain, feet, gas, ground, heap, pair, run, stack,
};
use carom_dynamics::Placement;
use carom_rigid::{Ball, Block, Law, PairSpec, RigidBody, Shape, System};
use nalgebra::Vector3;

#[test]
fn a_gas_of_balls_conserves_energy_and_momenta_over_thousands_of_collisions() {
    let mut system = gas(Law::Hard, 2e-3);
    let drift = run(&mut system, 100_000);
    println!("{} collisions, {drift:?}", system.n_impulses());
    assert!(system.n_impulses() > 2000);
    assert!(drift.energy < 1e-11 && drift.momentum < 1e-11 && drift.ang_momentum < 1e-11, "{drift:?}");
}

#[test]
#[ignore = "1 min: 1e5 collisions"]
fn a_gas_of_balls_conserves_its_energy_over_a_hundred_thousand_collisions() {
    let mut system = gas(Law::Hard, 2e-3);
    let initial = system.energy();
    while system.n_impulses() < 100_000 {
        system.step().unwrap();
    }
    let [least, largest] = system.energy_range().map(|e| e / initial - 1.0);
    println!("{least:+.2e} {largest:+.2e} after {} steps", system.steps());
    assert!(least > -1e-11 && largest < 1e-11);
}

/// Five balls with small gaps: the impulse passes through the row, and the last ball leaves with the velocity
/// of the first.
#[test]
fn a_cradle_passes_the_velocity_on() {
    let n = 5;
    let bodies: Vec<RigidBody> = (0..n).map(|_| ball(1.0)).collect();
    let place = |i: usize| {
        let x = 2.001 * RADIUS * i as f64 - if i == 0 { 0.3 } else { 0.0 };
        at([x, 0.0, 0.0], [if i == 0 { 1.0 } else { 0.0 }, 0.0, 0.0])
    };
    let places: Vec<Placement> = (0..n).map(place).collect();
    let pairs: Vec<PairSpec> = (1..n).map(|i| balls_touch(i - 1, i)).collect();
    let mut system = System::new(bodies, &places, &pairs, Vector3::zeros(), 1e-5).unwrap();
    run(&mut system, 60_000);
    let velocities: Vec<f64> = system.states().iter().map(|state| state.momentum.x).collect();
    assert!(velocities[..4].iter().all(|v| v.abs() < 1e-13), "{velocities:?}");
    assert!((velocities[4] - 1.0).abs() < 1e-13, "{velocities:?}");
    // No ball has a spin.
    assert!(system.states().iter().all(|state| state.spin.norm() < 1e-15));
}

/// Two equal balls exchange their normal velocities in one step; with restitution e they keep (1 − e)/2 of
/// them.
#[test]
fn restitution_has_its_prescribed_value_and_its_loss_is_booked() {
    for e in [1.0, 0.6, 0.0] {
        let mut spec = balls_touch(0, 1);
        spec.restitution = e;
        let places = [at([0.0; 3], [1.0, 0.0, 0.0]), at([0.5, 0.0, 0.0], [0.0; 3])];
        let mut system =
            System::new(vec![ball(1.0), ball(1.0)], &places, &[spec], Vector3::zeros(), 1e-3).unwrap();
        let drift = run(&mut system, 1000);
        let [a, b] = [0, 1].map(|i| system.states()[i].momentum.x);
        assert!((a - 0.5 * (1.0 - e)).abs() < 1e-14 && (b - 0.5 * (1.0 + e)).abs() < 1e-14, "{e}: {a} {b}");
        assert!((system.books.d_imp - 0.25 * (1.0 - e * e)).abs() < 1e-14);
        assert!(drift.energy < 1e-14);
    }
}

/// Eight points and four redundant equations for each storey: three blocks, the upper ones smaller, and
/// equal blocks that stand flush, also with corners of the lower on the faces of the upper.
#[test]
fn a_stack_at_rest_stays_at_rest() {
    for widths in [[1.0, 0.8, 0.6], [1.0; 3]] {
        let (floor, plane) = ground();
        let sizes = widths.map(|w| Vector3::new(w, w, 0.5));
        let mut bodies: Vec<RigidBody> = sizes.iter().map(|size| block(2.0, *size)).collect();
        let mut places: Vec<Placement> =
            (0..3).map(|i| at([0.0, 0.0, 0.25 + 0.5 * i as f64], [0.0; 3])).collect();
        bodies.push(floor);
        places.push(at([0.0; 3], [0.0; 3]));
        let faces = |i: usize| Shape::Block(Block::new(Vector3::zeros(), 0.5 * sizes[i]));
        let mut pairs = vec![pair([0, 3], feet(sizes[0]), plane)];
        for i in 1..3 {
            pairs.push(pair([i, i - 1], feet(sizes[i]), faces(i - 1)));
            if widths[i] == widths[i - 1] {
                let corners = Ball::corners(Vector3::zeros(), sizes[i - 1]).to_vec();
                pairs.push(pair([i - 1, i], corners, faces(i)));
            }
        }
        pairs.iter_mut().for_each(|pair| pair.restitution = 0.0);
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        let mut system = System::new(bodies, &places, &pairs, gravity, 1e-3).unwrap();
        for _ in 0..5000 {
            system.step().unwrap();
        }
        for (state, place) in system.states().iter().zip(&places) {
            let moved = (state.position - Vector3::from(place.origin)).norm();
            assert!(moved < 1e-10 && state.momentum.norm() < 1e-10, "{widths:?}: {moved:e} {state:?}");
        }
    }
}

/// A tower with sixty-four contacts, most of them redundant.
#[test]
fn a_tower_of_blocks_stays_at_rest() {
    for (friction, steps) in [(0.0, 200), (0.4, 60)] {
        let mut system = stack(16, friction);
        let places: Vec<_> = system.states().iter().map(|state| state.position).collect();
        (0..steps).for_each(|_| system.step().unwrap());
        for (state, place) in system.states().iter().zip(&places) {
            assert!((state.position - place).norm() < 1e-9 && state.momentum.norm() < 1e-6, "{state:?}");
        }
    }
}

/// Feet with depths of rounding return to the surface, each in its own step.
#[test]
#[ignore = "15 s: 25000 steps of 16 contacts"]
fn a_stack_stays_at_rest_over_many_steps() {
    let mut system = stack(4, 0.0);
    let places: Vec<_> = system.states().iter().map(|state| state.position).collect();
    (0..25_000).for_each(|_| system.step().unwrap());
    for (state, place) in system.states().iter().zip(&places) {
        assert!((state.position - place).norm() < 1e-9 && state.momentum.norm() < 1e-6, "{state:?}");
    }
}

/// A ball that falls on the ground and rebounds: T + U is constant to round-off at any step.
#[test]
fn bouncing_under_gravity_conserves_the_energy() {
    let (floor, plane) = ground();
    let spec = pair([0, 1], vec![Ball::new(Vector3::zeros(), RADIUS)], plane);
    let places = [at([0.0, 0.0, 1.0], [0.3, 0.0, 0.0]), at([0.0; 3], [0.0; 3])];
    let mut system =
        System::new(vec![ball(1.0), floor], &places, &[spec], Vector3::new(0.0, 0.0, -9.81), 3e-3).unwrap();
    let energy = system.energy();
    let mut bounces = 0;
    for _ in 0..10_000 {
        system.step().unwrap();
        bounces += u64::from(system.has_contacts());
        assert!((system.energy() / energy - 1.0).abs() < 1e-12);
    }
    assert!(bounces > 20, "{bounces}");
}

/// A block slides on a plane and stops after the distance v²/(2 μ g) and the time v/(μ g).
#[test]
fn a_sliding_block_stops_by_coulombs_law() {
    let (floor, plane) = ground();
    let size = Vector3::new(1.0, 0.8, 0.1);
    for law in [Law::Hard, Law::per_point(1e6)] {
        let mut spec = pair([0, 1], feet(size), plane.clone());
        (spec.friction, spec.law) = (0.3, law);
        spec.restitution = 0.0;
        let places = [at([0.0, 0.0, 0.05], [2.0, 0.0, 0.0]), at([0.0; 3], [0.0; 3])];
        let gravity = Vector3::new(0.0, 0.0, -9.81);
        let mut system =
            System::new(vec![block(2.0, size), floor.clone()], &places, &[spec], gravity, 1e-3).unwrap();
        let drift = run(&mut system, 1000);
        let state = &system.states()[0];
        let way = 4.0 / (2.0 * 0.3 * 9.81);
        assert!((state.position.x / way - 1.0).abs() < 2e-3, "{law:?}: {} {way}", state.position.x);
        assert!(state.momentum.norm() < 1e-2 && drift.energy < 1e-12, "{law:?}: {drift:?}, {state:?}");
        // The whole kinetic energy was lost in friction.
        assert!((system.books.d_fric / 4.0 - 1.0).abs() < 2e-3, "{law:?}: {}", system.books.d_fric);
    }
}

/// A ball that begins sliding without spin finally rolls with 5/7 of its velocity.
#[test]
fn a_sliding_ball_begins_to_roll() {
    let (floor, plane) = ground();
    let mut spec = pair([0, 1], vec![Ball::new(Vector3::zeros(), RADIUS)], plane);
    (spec.friction, spec.restitution) = (0.2, 0.0);
    let places = [at([0.0, 0.0, RADIUS], [1.0, 0.0, 0.0]), at([0.0; 3], [0.0; 3])];
    let gravity = Vector3::new(0.0, 0.0, -9.81);
    let mut system = System::new(vec![ball(1.0), floor], &places, &[spec], gravity, 1e-3).unwrap();
    let drift = run(&mut system, 1000);
    let state = system.states()[0];
    let omega = system.bodies[0].angular_velocity(&state);
    assert!((state.momentum.x - 5.0 / 7.0).abs() < 1e-6, "{state:?}");
    assert!((omega.y * RADIUS - 5.0 / 7.0).abs() < 1e-6, "{omega:?}");
    assert!(drift.energy < 1e-12, "{drift:?}");
}

/// A hundred balls in a cube have 5050 pairs, and a step considers only the near ones: no ball passes
/// through another.
#[test]
fn no_two_balls_of_a_crowd_pass_through_each_other() {
    let (n, dt) = (100, 1e-3);
    let mut system = crowd(n, dt);
    let mut nearest = f64::INFINITY;
    for _ in 0..400 {
        let drift = run(&mut system, 5);
        assert!(drift.energy < 1e-12, "{drift:?}");
        for (i, a) in system.states()[..n].iter().enumerate() {
            for b in &system.states()[..i] {
                nearest = nearest.min((a.position - b.position).norm());
            }
        }
    }
    assert!(system.n_impulses() > 500, "{}", system.n_impulses());
    // Within a step two balls approach by no more than their speeds allow, some 2 m/s each.
    let depth = 2.0 * RADIUS - nearest;
    assert!(depth < 5.0 * dt, "{depth}");
}

/// Forty rods in hinges that slide on the floor: friction slows them by μ times the impulse that carries
/// them, and this is the impulse of their weight as long as they stay on the floor. Later the rods tilt, and
/// friction throws the chain off the floor.
#[test]
fn a_chain_that_slides_on_the_floor_is_slowed_by_friction_times_what_carries_it() {
    const FRICTION: f64 = 0.3;
    let (dt, mass) = (1e-3, 0.08);
    let mut chain = falling_chain(40, FRICTION, dt);
    for body in 0..40 {
        let mut state = chain.states()[body];
        state.momentum = mass * 2.0 * Vector3::y();
        chain.set_state(body, state);
    }
    let momentum = |chain: &System| -> Vector3<f64> { chain.states()[..40].iter().map(|s| s.momentum).sum() };
    (0..60).for_each(|_| chain.step().unwrap());
    let (before, steps) = (momentum(&chain), 20);
    for _ in 0..steps {
        chain.step().unwrap();
        assert!(chain.touching_pairs().count() >= 24);
    }
    let change = momentum(&chain) - before;
    let weight = 40.0 * mass * 9.81 * dt * f64::from(steps);
    let (carried, slowed) = (weight + change.z, -change.y);
    println!("carried {:.6} of the weight, slowed by {:.9}", carried / weight, slowed / carried);
    assert!((carried / weight - 1.0).abs() < 1e-3, "{change:?}");
    // The rods turn a little: not all of them slip exactly along y.
    let lacking = 1.0 - slowed / carried / FRICTION;
    assert!((-1e-9..1e-3).contains(&lacking) && change.x.abs() < 1e-6 * weight, "{lacking:e} {change:?}");
}

/// What forty balls without friction lose as they fall into a heap is in the ledger, and the tub has the
/// impulses that their momenta have changed by.
#[test]
fn a_heap_of_balls_closes_its_balances() {
    let mut heap = heap(40, 0.0);
    let (energy, mut most) = (heap.energy(), 0);
    for _ in 0..500 {
        heap.step().unwrap();
        most = most.max(heap.touching_pairs().count());
    }
    let error = (heap.kinetic() + heap.gravity_potential() + heap.books.d_imp) / energy - 1.0;
    let momentum = heap.momentum() - heap.books.external_impulse;
    println!("{most} contacts, lost {:.1} J of {energy:.1} J: {error:.1e}, {momentum:?}", heap.books.d_imp);
    assert!(most >= 40 && heap.books.d_imp > 0.1 * energy);
    assert!(error.abs() < 1e-12 && momentum.norm() < 1e-10, "{error:.1e} {momentum:?}");
}
