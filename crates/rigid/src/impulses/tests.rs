//! Solutions by blocks of bodies and contacts beside those of one dense problem, step for step from the same
//! states.

use carom_contact::solver::friction_residual;
use carom_dynamics::Checkpoint;
use nalgebra::Vector3;

use super::MANY;
use crate::contact::Contact;
use crate::law::NormalLaw;
use crate::{Snapshot, System};

#[allow(dead_code, reason = "these tests use a part")]
#[path = "../../tests/problems/mod.rs"]
mod problems;

/// A comparison of all steps.
#[derive(Debug, Default)]
struct Found {
    /// Largest difference of velocities, relative to the largest velocity and that of gravity in a step.
    difference: f64,
    /// Largest residual of the laws of the solution by blocks, and of the dense one, relative to the same.
    residuals: [f64; 2],
    /// Contacts that slip in all steps.
    slips: usize,
    /// Steps with many contacts, and how often blocks did not solve them.
    steps: u64,
    unsolved: u64,
}

fn compare(system: &mut System, steps: u64) -> Found {
    let (mut found, mut before) = (Found::default(), Snapshot::default());
    // Returns that yield are other laws than those of the dense problem.
    system.impulses.laws.friction.path.yielding = 0.0;
    for _ in 0..steps {
        system.snapshot_into(&mut before);
        let lambda = system.impulses.laws.rows.joints.lambda.clone();
        system.step().expect("a step by blocks");
        let (by_blocks, residual) = (velocities(system), residual(system));
        system.go_back(&before);
        system.impulses.laws.rows.joints.lambda = lambda;
        system.impulses.laws.many = usize::MAX;
        system.step().expect("a dense step");
        system.impulses.laws.many = MANY;
        let dense = velocities(system);
        let largest = dense.iter().map(|v| v.norm()).fold(9.81 * system.time_step(), f64::max);
        let differences = by_blocks.iter().zip(&dense).map(|(a, b)| (a - b).norm());
        found.difference = found.difference.max(differences.fold(0.0, f64::max) / largest);
        for (most, own) in found.residuals.iter_mut().zip([residual, self::residual(system)]) {
            *most = most.max(own / largest);
        }
        let slips = |c: &&Contact| c.impulse[0] > 0.0 && c.after[1].hypot(c.after[2]) > 1e-3 * largest;
        found.slips += system.contacts.iter().filter(slips).count();
        found.steps += u64::from(system.touching_pairs().count() >= MANY);
    }
    found.unsolved = system.impulses.laws.unsolved;
    found
}

/// max |r − P_K(r − u − μ |u_T| e_N)| of all contacts, for impulses times a mobility. None is known where a
/// restitution was reduced.
fn residual(system: &System) -> f64 {
    if system.impulses.factor < 1.0 {
        return 0.0;
    }
    let (mut r, mut u, mut friction) = (Vec::new(), Vec::new(), Vec::new());
    for contact in &system.contacts {
        let body = contact.bodies.into_iter().flatten().find(|&body| !system.bodies[body].fixed);
        let mobility = 1.0 / system.bodies[body.expect("one body moves")].mass;
        let law = NormalLaw::at(contact, contact.before[0], contact.after[0], system.dt);
        r.extend(contact.impulse.map(|r| mobility * r));
        u.extend([contact.after[0] + law.offset, contact.after[1], contact.after[2]]);
        friction.push(contact.friction);
    }
    friction_residual(&friction, 3, &r, &u)
}

/// Velocities of the centres, and of points of the bodies at their radii of gyration.
fn velocities(system: &System) -> Vec<Vector3<f64>> {
    let all = system.bodies.iter().zip(&system.states).filter(|(body, _)| !body.fixed);
    let of = all
        .map(|(body, state)| [state.momentum / body.mass, state.spin / (body.mass * body.gyration_radius())]);
    of.flatten().collect()
}

/// At rest on the floor, and as it slides.
#[test]
fn a_chain_on_the_floor_has_the_velocities_of_the_dense_problem() {
    for (friction, speed, tolerance) in [(0.0, 0.0, 1e-11), (0.3, 0.0, 1e-6), (0.3, 1.0, 1e-5)] {
        let mut chain = problems::falling_chain(40, friction, 1e-3);
        for body in (0..chain.bodies.len()).filter(|&body| !chain.bodies[body].fixed).collect::<Vec<_>>() {
            let mut state = chain.states[body];
            state.momentum = chain.bodies[body].mass * Vector3::new(0.6 * speed, 0.8 * speed, 0.0);
            chain.set_state(body, state);
        }
        let found = compare(&mut chain, 115);
        println!("{friction} {speed}: {found:?}");
        assert!(found.steps > 40 && found.unsolved == 0 && found.difference < tolerance, "{found:?}");
        assert!(found.residuals.iter().all(|residual| *residual < tolerance), "{found:?}");
        assert_eq!(found.slips > 0, speed > 0.0, "{found:?}");
    }
}

/// Feet that repeat each other: twelve equations of 48 contacts are those of others.
#[test]
fn a_stack_has_the_velocities_of_the_dense_problem() {
    let mut stack = problems::stack(12, 0.0);
    let found = compare(&mut stack, 50);
    println!("{found:?}");
    assert!(found.steps == 50 && found.unsolved == 0 && found.difference < 1e-11, "{found:?}");
}

#[test]
fn a_heap_of_balls_has_the_velocities_of_the_dense_problem() {
    let mut heap = problems::heap(40, 0.0);
    let found = compare(&mut heap, 400);
    println!("{found:?}");
    assert!(found.steps > 100 && found.unsolved == 0 && found.difference < 1e-11, "{found:?}");
    assert!(found.residuals.iter().all(|residual| *residual < 1e-11), "{found:?}");
}

/// A heap with friction in which contacts hold each other, with returns that yield: the laws of all contacts
/// hold, and nearly all steps have a solution by blocks. A dense problem takes a hundred times longer.
#[test]
fn contacts_of_a_heap_with_friction_obey_their_laws() {
    let mut heap = problems::heap(30, 0.3);
    let (mut worst, mut steps, mut sliding) = (0.0_f64, 0, 0);
    for _ in 0..700 {
        heap.step().expect("a step");
        if heap.touching_pairs().count() < MANY {
            continue;
        }
        let largest = heap.contacts.iter().fold(9.81 * heap.time_step(), |m: f64, c| {
            c.before.iter().chain(&c.after).fold(m, |m, u| m.max(u.abs()))
        });
        worst = worst.max(residual(&heap) / largest);
        sliding += usize::from(
            heap.contacts.iter().any(|c| c.impulse[0] > 0.0 && c.after[1].hypot(c.after[2]) > 0.1 * largest),
        );
        steps += 1;
    }
    let unsolved = heap.impulses.laws.unsolved;
    println!("{worst:.1e} in {steps} steps, {sliding} sliding, {unsolved} unsolved");
    assert!(
        steps > 300 && sliding > 100 && worst < 1e-6 && unsolved * 200 < steps,
        "{worst:e} {steps} {unsolved}"
    );
}

/// Impulses of the step before, where paths begin, are part of a checkpoint, and so are groups that wait.
#[test]
fn a_heap_with_friction_goes_on_from_a_checkpoint_with_the_same_bits() {
    let mut heap = problems::heap(30, 0.3);
    let memory = |system: &System| system.impulses.laws.friction.path.memory.clone();
    let waits = |system: &System| !memory(system).to_lists().2.is_empty();
    while heap.steps() < 800 || (heap.steps() < 1200 && !waits(&heap)) {
        heap.step().expect("a step");
    }
    let mut checkpoint = Checkpoint::default();
    heap.save(&mut checkpoint);
    let mut again = problems::heap(30, 0.3);
    again.restore(&checkpoint, heap.counters()).unwrap();
    let (_, impulses, pauses) = memory(&heap).to_lists();
    assert!(impulses.len() > 3 * MANY && !pauses.is_empty(), "{} {pauses:?}", impulses.len());
    assert_eq!(memory(&again), memory(&heap));
    for step in 0..40 {
        heap.step().expect("a step");
        again.step().expect("a step");
        assert_eq!(velocities(&again), velocities(&heap), "step {step}");
    }
}

/// Paths that end early leave steps without a solution, and their parts too: the nearest points to one are
/// taken, and their errors are reported.
#[test]
fn steps_without_a_solution_report_the_error_of_their_laws() {
    let mut heap = problems::heap(30, 0.3);
    (0..800).for_each(|_| heap.step().expect("a step"));
    assert_eq!(heap.loose().steps, 0);
    let mut worst = 0.0_f64;
    while heap.loose().steps < 3 && heap.steps() < 900 {
        heap.impulses.laws.friction.path.memory = Default::default();
        heap.impulses.laws.friction.path.matrices = 50;
        heap.step().expect("a step");
        let largest = heap.contacts.iter().fold(9.81 * heap.time_step(), |m: f64, c| {
            c.before.iter().chain(&c.after).fold(m, |m, u| m.max(u.abs()))
        });
        worst = worst.max(residual(&heap) / largest);
    }
    let loose = heap.loose();
    println!("{loose:?} {worst:e}");
    assert!(loose.steps > 0 && loose.most > 1e-6 && loose.most <= 1e-2, "{loose:?}");
    assert!(worst > 0.01 * loose.most && worst < 3.0 * loose.most, "{worst:e} {loose:?}");
}
