//! Steps that are too long: missed contacts and rotations that are too large are reported.

use crate::problems::{RADIUS, at, ball, balls_touch, block, ground, pair};
use carom_dynamics::Placement;
use carom_rigid::{Ball, Block, Law, Missed, PairSpec, Shape, System, SystemError};
use nalgebra::Vector3;

/// A ball at 1000 m/s and another at rest, 0.55 m apart: it is behind the surface on 0.4 m of its path, for
/// 0.4 ms.
#[test]
fn a_ball_that_passes_through_another_within_a_step_is_reported() {
    let fly = |dt: f64, side: f64| {
        let places = [at([-0.55, side, 0.0], [1000.0, 0.0, 0.0]), at([0.0; 3], [0.0; 3])];
        let bodies = vec![ball(1.0), ball(1.0)];
        let mut system = System::new(bodies, &places, &[balls_touch(0, 1)], Vector3::zeros(), dt).unwrap();
        (0..(0.01 / dt) as u32).for_each(|_| system.step().unwrap());
        (system.missed().collect::<Vec<_>>(), system.n_impulses())
    };
    let (missed, impulses) = fly(1e-3, 0.0);
    assert_eq!(impulses, 0);
    let [(0, Missed { step, behind, depth })] = missed[..] else { panic!("{missed:?}") };
    assert!(step == 1 && (behind - 4.0 * RADIUS / 1000.0).abs() < 4e-6, "{step} {behind}");
    // In the middle of the other one by both radii; the search goes forward by the depth at a time.
    assert!(depth > RADIUS && depth <= 2.0 * RADIUS, "{depth}");
    // A step of that length detects the contact; with an offset of half a chord a shorter step is needed.
    assert_eq!(fly(behind, 0.0), (vec![], 1));
    let (missed, _) = fly(1e-3, 0.16);
    let chord = 2.0 * (0.04_f64 - 0.16 * 0.16).sqrt() / 1000.0;
    assert!((missed[0].1.behind - chord).abs() < 4e-6, "{missed:?} {chord}");
    // A body that passes by is not reported.
    assert_eq!(fly(1e-3, 0.21), (vec![], 0));
}

/// A rotating point passes through a rotating thin plate.
#[test]
fn a_point_that_passes_through_a_plate_is_reported() {
    let size = Vector3::new(1.0, 1.0, 0.01);
    let shape = Shape::Block(Block::new(Vector3::zeros(), 0.5 * size));
    let specs = [pair([0, 1], vec![Ball::point(Vector3::zeros())], shape)];
    let spinning = |place: Placement| Placement { angular_velocity: [3.0, 2.0, 1.0], ..place };
    let places = [spinning(at([0.1, 0.2, 0.55], [0.0, 0.0, -100.0])), spinning(at([0.0; 3], [0.0; 3]))];
    let mut system =
        System::new(vec![ball(1.0), block(5.0, size)], &places, &specs, Vector3::zeros(), 1e-3).unwrap();
    (0..20).for_each(|_| system.step().unwrap());
    let missed: Vec<_> = system.missed().collect();
    assert_eq!((missed.len(), system.n_impulses()), (1, 0));
    let (_, Missed { step, behind, depth }) = missed[0];
    assert!((5..8).contains(&step) && (behind - 1e-4).abs() < 2e-5, "{missed:?}");
    assert!(depth > 2.5e-3 && depth <= 5e-3, "{missed:?}");
}

#[test]
fn a_body_that_turns_too_far_in_a_step_is_named() {
    let turning = |omega: f64| {
        let place = Placement { angular_velocity: [0.0, 0.0, omega], ..Placement::default() };
        System::new(vec![ball(1.0)], &[place], &[], Vector3::zeros(), 1e-3).unwrap()
    };
    // Four radians are divided into parts.
    let mut system = turning(4000.0);
    let energy = system.energy();
    (0..100).for_each(|_| system.step().unwrap());
    assert_eq!((system.n_divided(), system.steps()), (100, 100));
    let [w, _, _, z] = system.states()[0].quaternion;
    let angle = 2.0 * z.atan2(w);
    let off = (angle - 400.0).rem_euclid(std::f64::consts::TAU);
    assert!(off.min(std::f64::consts::TAU - off) < 1e-9, "{angle}");
    assert!((system.energy() / energy - 1.0).abs() < 1e-12);
    let mut system = turning(40_000.0);
    let error = system.step().unwrap_err().to_string();
    assert!(error.starts_with("at t = 0.000000000e0 s: `ball`: the body turns by"), "{error}");
    assert!(error.ends_with("shorten the step (`simulation.time_step`)"), "{error}");
}

#[test]
fn initial_values_that_are_not_finite_are_refused_by_name() {
    let new = |place: Placement, gravity: Vector3<f64>| {
        System::new(vec![ball(1.0)], &[place], &[], gravity, 1e-3).err().unwrap()
    };
    let place = at([0.0; 3], [f64::NAN, 0.0, 0.0]);
    assert_eq!(new(place, Vector3::zeros()), SystemError::NotFinite { body: "ball".to_owned() });
    let error = new(Placement::default(), Vector3::new(0.0, 0.0, f64::INFINITY));
    assert!(error.to_string().contains("gravity is (0, 0, inf)"), "{error}");
    let (floor, plane) = ground();
    let spec = PairSpec { law: Law::Hard, ..pair([0, 1], vec![Ball::point(Vector3::zeros())], plane) };
    let places = [Placement::default(), Placement::default()];
    let bodies = vec![floor.clone(), floor];
    let error = System::new(bodies, &places, &[spec], Vector3::zeros(), 1e-3).err().unwrap();
    assert_eq!(error.to_string(), "contact 1: `ground` and `ground` are both fixed");
}
