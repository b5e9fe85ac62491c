//! Two balls that collide, to measure the cost of their contact.

use std::sync::Arc;

use carom_dynamics::{Loads, Placement};
use carom_multibody::{Body, ContactSpec, ContactSurface, Law, QuasistaticContacts, RimPolicy, System};
use carom_reduce::ReducedBody;

use crate::cap::RADIUS;

/// Twice the same ball, 2 µm apart and a little off centre, at a relative velocity of 0.5 m/s.
pub(crate) fn two_balls(ball: &Arc<ReducedBody>, law: Law) -> (System, [Placement; 2]) {
    let bodies = vec![Body::reduced(ball.clone()).expect("the cap is a body"); 2];
    let surface = || ContactSurface::Named("pole".into());
    let spec = ContactSpec {
        bodies: [0, 1],
        surfaces: [surface(), surface()],
        law,
        friction: 0.0,
        modulus: None,
        radius: None,
        rim: RimPolicy::Warning,
        max_depth: None,
    };
    let contacts = QuasistaticContacts::new(&bodies, &[spec]).expect("the caps have poles");
    let system = System::new(bodies, Loads::default(), vec![Box::new(contacts)]).expect("a pair of bodies");
    let placements = [
        Placement { velocity: [0.0, 0.0, 0.3], ..Placement::default() },
        Placement {
            origin: [1e-5, 0.0, 2.0 * RADIUS + 2e-6],
            velocity: [0.0, 0.0, -0.2],
            ..Placement::rotated([1.0, 0.0, 0.0], 180.0)
        },
    ];
    (system, placements)
}
