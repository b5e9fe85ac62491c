//! Chapter 2: two elastic balls hit each other.
//!
//! ```text
//! cargo run --release -q -p carom-examples --bin impact_of_two_bodies
//! ```
//!
//! Both balls (radius 15 mm, a plastic of 3 GPa) are reduced with the zone around a pole as interface and
//! meet at 5 m/s. All of their modes are quasistatic, as an impact lasts much longer than a period of the
//! lowest one. Balls are stiffer than the half-spaces of Hertz' theory, by a tenth where the contact radius
//! is a tenth of their radius (docs/quasistatic.md, section 3); the test integrates that stiffness.
//!
//! ```text
//! dofs            11160
//! modes           302
//! peak force      967 N
//! duration        155.81 µs
//! restitution     1.00000
//! energy error    9e-8
//! momentum error  8e-17
//! ```
//!
//! Guarded by `two_elastic_balls_meet_the_stiffness_of_balls` in `tests/chapters.rs`.

use std::error::Error;
use std::sync::Arc;

use carom_dynamics::{Ignore, Loads, Placement};
use carom_fem::Material;
use carom_make::shape::Grade;
use carom_make::{Place, Shape, ShapeOptions, make};
use carom_multibody::{
    Body, ContactSpec, ContactSurface, Law, QuasistaticContacts, RimPolicy, Settings, Simulation, System,
};
use carom_progress::Silent;
use carom_reduce::{CraigBamptonOptions, FixedModes, craig_bampton};

const RADIUS: f64 = 0.015;
const SPEED: f64 = 5.0;

fn main() -> Result<(), Box<dyn Error>> {
    // 1. A ball with small knot spans around its pole. Hertz' contact radius is 1.47 mm; the zone has 1.3
    // times that, its knot spans are half of it. The patches are concentrated at the pole.
    let options = ShapeOptions {
        radius: Some(RADIUS),
        pole_radius: Some(1.9e-3),
        focus: Some(2.5),
        grade: vec![Grade { at: Place::Set("pole".to_owned()), radius: None, finest: 7e-4 }],
        ..ShapeOptions::of(Shape::Ball)
    };
    let plastic = Material { name: "plastic".to_owned(), density: 1200.0, young: 3e9, poisson: 0.3 };
    let ball = make(&options, "ball", plastic, &Silent)?;

    // 2. Its reduction. A split below all frequencies makes all modes quasistatic.
    let options = CraigBamptonOptions {
        interface_sets: vec!["pole".to_owned()],
        modes: FixedModes::Count(8),
        split: Some(1.0),
        ..CraigBamptonOptions::default()
    };
    let reduced = Arc::new(craig_bampton(&ball, &options, &Silent)?.reduced);
    println!("dofs            {}", reduced.n_dofs);
    println!("modes           {}", reduced.omega.len());

    // 3. Two of these balls: the pole of the first points up, the second comes from above, upside down.
    let bodies = vec![Body::reduced(reduced.clone())?, Body::reduced(reduced)?];
    let below = Placement { velocity: [0.0, 0.0, 0.5 * SPEED], ..Placement::default() };
    let above = Placement {
        origin: [0.0, 0.0, 2.0 * RADIUS + 1e-5],
        velocity: [0.0, 0.0, -0.5 * SPEED],
        ..Placement::rotated([1.0, 0.0, 0.0], 180.0)
    };

    // 4. Hard contact without friction between both poles.
    let contact = ContactSpec {
        bodies: [0, 1],
        surfaces: [ContactSurface::Named("pole".into()), ContactSurface::Named("pole".into())],
        law: Law::Hard,
        friction: 0.0,
        modulus: None,
        radius: None,
        rim: RimPolicy::Error,
        max_depth: None,
    };
    let contacts = QuasistaticContacts::new(&bodies, &[contact])?;
    let system = System::new(bodies, Loads::default(), vec![Box::new(contacts)])?;

    // 5. The run: error-controlled steps until some time after the impact.
    let mut simulation = Simulation::new(system, &[below, above], Settings::until(2.5e-4))?;
    let summary = simulation.run(&mut Ignore, &Silent)?;
    let event = summary.contacts[0];
    println!("peak force      {:.0} N", event.peak_force);
    println!("duration        {:.2} µs", 1e6 * event.duration());
    println!("restitution     {:.5}", event.restitution().expect("the balls part"));
    println!("energy error    {:.0e}", summary.ledger.energy_error);
    println!("momentum error  {:.0e}", summary.ledger.momentum_error);
    Ok(())
}
