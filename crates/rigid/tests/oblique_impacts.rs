//! The event of an oblique impact: velocities along the normal and across it, against the closed form of
//! rigid bodies.

use crate::problems::{RADIUS, at, ball, ground, pair};
use carom_dynamics::{ContactEvent, Ignore, NoRestitution, Placement};
use carom_progress::Silent;
use carom_rigid::{Ball, Law, PairSpec, Settings, Shape, Simulation, System};
use nalgebra::Vector3;

const STEP: f64 = 1e-3;

fn events(system: System, end_time: f64) -> Vec<ContactEvent> {
    let mut simulation = Simulation::new(system, Settings { end_time, output_every: end_time }).unwrap();
    simulation.run(&mut Ignore, &Silent).unwrap();
    simulation.events().to_vec()
}

/// A ball with a velocity along x and a spin about y that falls on the ground, without gravity: at 3 m/s it
/// touches in the middle of a step.
fn falls(velocity: [f64; 3], spin: f64, restitution: f64, friction: f64, law: Law) -> ContactEvent {
    let (floor, plane) = ground();
    let place = Placement { angular_velocity: [0.0, spin, 0.0], ..at([0.0, 0.0, RADIUS + 0.0135], velocity) };
    let centre = vec![Ball::new(Vector3::zeros(), RADIUS)];
    let spec = PairSpec { restitution, friction, law, ..pair([0, 1], centre, plane) };
    let bodies = vec![ball(2.0), floor];
    let system =
        System::new(bodies, &[place, at([0.0; 3], [0.0; 3])], &[spec], Vector3::zeros(), STEP).unwrap();
    let found = events(system, 0.1);
    assert_eq!(found.len(), 1, "{found:?}");
    found[0]
}

/// Closed form: J_n = m (1 + e) v; J_t = −μ J_n, or the impulse that stops the slip of a homogeneous ball,
/// −2/7 m s; the slip falls by 7/2 J_t/m.
#[test]
fn restitution_along_the_normal_is_independent_of_friction() {
    let (mass, v) = (2.0, 3.0);
    for restitution in [1.0, 0.6, 0.2] {
        for friction in [0.0, 0.1, 0.4] {
            for (along, spin) in [(2.0, 0.0), (0.3, 0.0), (-1.5, 40.0), (0.0, -30.0)] {
                let case = format!("e = {restitution}, mu = {friction}, {along} m/s, {spin} rad/s");
                let event = falls([along, 0.0, -v], spin, restitution, friction, Law::Hard);
                // ω × r of the lowest point is −ω_y R along x.
                let slip = along - spin * RADIUS;
                let normal = mass * (1.0 + restitution) * v;
                let tangential = -(friction * normal).min(2.0 / 7.0 * mass * slip.abs()) * slip.signum();
                let after = slip + 3.5 * tangential / mass;
                assert!((event.velocity_before + v).abs() < 1e-12, "{case}: {event:?}");
                assert!((event.restitution().unwrap() - restitution).abs() < 1e-9, "{case}: {event:?}");
                assert!((event.normal_impulse() - normal).abs() < 1e-8, "{case}: {event:?}");
                assert!((Vector3::from(event.normal) - Vector3::z()).norm() < 1e-15, "{case}: {event:?}");
                assert!((event.impulse[0] - tangential).abs() < 1e-6, "{case}: {event:?} {tangential}");
                assert!((event.slip_before[0] - slip).abs() < 1e-12, "{case}: {event:?}");
                assert!((event.slip_after[0] - after).abs() < 1e-6, "{case}: {event:?} {after}");
                assert_eq!(event.own_before[1], 0.0);
                assert!((event.own_after[0] - restitution * v).abs() < 1e-8, "{case}: {event:?}");
                assert!(event.peak().is_none(), "impulses have no force: {event:?}");
            }
        }
    }
}

/// A spring has a force, and friction rotates its impulse by the same angle.
#[test]
fn a_spring_has_a_peak_force() {
    let event = falls([2.0, 0.0, -3.0], 0.0, 1.0, 0.1, Law::per_point(1e4));
    // √(k m) v, within the resolution of steps of a twentieth of the pulse.
    let (force, _) = event.peak().unwrap();
    assert!((force / (2e4_f64.sqrt() * 3.0 * 1.01_f64.sqrt()) - 1.0).abs() < 0.01, "{event:?}");
    assert!((event.restitution().unwrap() - 1.0).abs() < 1e-3, "{event:?}");
}

/// A ball in a groove gets impulses from both sides at once: neither contact alone determines its
/// velocities.
#[test]
fn restitution_of_simultaneous_impacts_is_undefined() {
    let (floor, _) = ground();
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    let side = |sign: f64| {
        let plane = Shape::plane(Vector3::zeros(), Vector3::new(sign * sin, 0.0, cos)).unwrap();
        pair([0, 1], vec![Ball::new(Vector3::zeros(), RADIUS)], plane)
    };
    let place = at([0.0, 0.0, RADIUS / cos + 0.0105], [0.0, 0.0, -1.0]);
    let bodies = vec![ball(1.0), floor];
    let places = [place, at([0.0; 3], [0.0; 3])];
    let system = System::new(bodies, &places, &[side(1.0), side(-1.0)], Vector3::zeros(), STEP).unwrap();
    let found = events(system, 0.05);
    assert_eq!(found.len(), 2, "{found:?}");
    for event in found {
        // J = m v/cos 30°, of which the change of momentum along its normal is 2 cos² 30°.
        let share = (event.other_impulse - 0.5).abs();
        assert!(share < 1e-9 && event.restitution().is_none(), "{event:?}");
        assert!(matches!(event.no_restitution(), Some(NoRestitution::OtherForces { .. })), "{event:?}");
    }
}
