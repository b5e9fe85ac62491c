//! Balls that collide, to measure the cost of their contact.

use std::sync::Arc;

use carom_dynamics::{Loads, Placement};
use carom_multibody::{Body, ContactSpec, ContactSurface, Law, QuasistaticContacts, RimPolicy, System};
use carom_reduce::ReducedBody;

use crate::cap::RADIUS;

/// Hard or soft contact of the poles of two bodies.
pub(crate) fn poles(bodies: [usize; 2], law: Law) -> ContactSpec {
    let surface = || ContactSurface::Named("pole".into());
    ContactSpec {
        bodies,
        surfaces: [surface(), surface()],
        law,
        friction: 0.0,
        modulus: None,
        radius: None,
        rim: RimPolicy::Warning,
        max_depth: None,
    }
}

/// Equal balls with contact of these pairs.
pub(crate) fn system(ball: &Arc<ReducedBody>, n: usize, pairs: &[ContactSpec]) -> System {
    let bodies = vec![Body::reduced(ball.clone()).expect("the cap is a body"); n];
    let contacts = QuasistaticContacts::new(&bodies, pairs).expect("the caps have poles");
    System::new(bodies, Loads::default(), vec![Box::new(contacts)]).expect("pairs of bodies")
}

/// Twice the same ball, 2 µm apart and a little off centre, at a relative velocity of 0.5 m/s.
pub(crate) fn two_balls(ball: &Arc<ReducedBody>, law: Law) -> (System, [Placement; 2]) {
    let system = system(ball, 2, &[poles([0, 1], law)]);
    (system, couple([0.0; 3], 2e-6, [0.3, -0.2]))
}

/// Two balls whose poles face each other, a little off centre.
pub(crate) fn couple([x, y, z]: [f64; 3], gap: f64, [first, second]: [f64; 2]) -> [Placement; 2] {
    [
        Placement { origin: [x, y, z], velocity: [0.0, 0.0, first], ..Placement::default() },
        Placement {
            origin: [x + 1e-5, y, z + 2.0 * RADIUS + gap],
            velocity: [0.0, 0.0, second],
            ..Placement::rotated([1.0, 0.0, 0.0], 180.0)
        },
    ]
}
