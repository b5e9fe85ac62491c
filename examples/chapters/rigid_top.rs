//! Chapter 4: a rigid top precesses on a smooth floor.
//!
//! ```text
//! cargo run --release -q -p carom-examples --bin rigid_top
//! ```
//!
//! The tip of a symmetric top slides on a plane without friction. In steady precession its centre of mass
//! is at rest, the floor carries its weight, and the axis turns about the vertical at the rate Ω that
//! solves
//!
//! ```text
//! I₁ cos θ Ω² − I₃ ω₃ Ω + m g l = 0
//! ```
//!
//! with the moments of inertia I₁ across and I₃ along the axis about the centre of mass, the spin ω₃ along
//! the axis, the distance l from the tip to the centre of mass and the inclination θ. The contact is hard:
//! multipliers without a penalty, in 10 000 steps of a turn.
//!
//! ```text
//! precession, closed form  1.85050 rad/s
//! precession               1.85049 rad/s
//! inclination              30.000°
//! energy error             2e-15
//! ```
//!
//! Guarded by `a_rigid_top_precesses_at_the_rate_of_the_closed_form` in `tests/chapters.rs`.

use std::error::Error;
use std::f64::consts::TAU;

use carom_dynamics::{Placement, rotation};
use carom_rigid::{Ball, Law, PairSpec, RigidBody, Shape, System};
use nalgebra::{Matrix3, Vector3};

const GRAVITY: f64 = 9.81;

fn main() -> Result<(), Box<dyn Error>> {
    let (mass, across, along) = (0.1_f64, 6e-5_f64, 8e-5_f64);
    let (distance, inclination, spin) = (0.03_f64, 30.0_f64, 200.0_f64);

    // 1. The top with its centre of mass in the origin, and the floor.
    let moments = Matrix3::from_diagonal(&Vector3::new(across, across, along));
    let top = RigidBody::new("top", mass, moments, Vector3::zeros())?;
    let floor = RigidBody::new("floor", 1.0, Matrix3::identity(), Vector3::zeros())?.fixed();

    // 2. The tip on the plane z = 0.
    let pair = PairSpec {
        bodies: [0, 1],
        points: vec![Ball::point(Vector3::new(0.0, 0.0, -distance))],
        moving: None,
        edges: [Vec::new(), Vec::new()],
        shape: Shape::plane(Vector3::zeros(), Vector3::z()).expect("z is a normal"),
        law: Law::Hard,
        restitution: 0.0,
        friction: 0.0,
    };

    // 3. The closed form: the slow root of the equation above.
    let tilt = inclination.to_radians();
    let (a, b, c) = (across * tilt.cos(), along * spin, mass * GRAVITY * distance);
    let rate = (b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a);

    // 4. A start in steady precession: ω = Ω e_z + (ω₃ − Ω cos θ) e₃.
    let tilted = Placement::rotated([1.0, 0.0, 0.0], inclination);
    let axis = rotation::matrix(&tilted.quaternion) * Vector3::z();
    let angular_velocity = rate * Vector3::z() + (spin - rate * tilt.cos()) * axis;
    let start = Placement {
        origin: [0.0, 0.0, distance * tilt.cos()],
        angular_velocity: angular_velocity.into(),
        ..tilted
    };

    // 5. One turn of the axis about the vertical.
    let steps = 10_000;
    let dt = TAU / rate / f64::from(steps);
    let gravity = Vector3::new(0.0, 0.0, -GRAVITY);
    let mut system = System::new(vec![top, floor], &[start, Placement::default()], &[pair], gravity, dt)?;
    let energy = system.energy();
    let (mut turned, mut last) = (0.0, axis);
    for _ in 0..steps {
        system.step()?;
        let now = rotation::matrix(&system.states()[0].quaternion) * Vector3::z();
        turned += (last.x * now.y - last.y * now.x).atan2(last.x * now.x + last.y * now.y);
        last = now;
    }
    println!("precession, closed form  {rate:.5} rad/s");
    println!("precession               {:.5} rad/s", turned / system.time());
    println!("inclination              {:.3}°", last.z.acos().to_degrees());
    println!("energy error             {:.0e}", (system.energy() / energy - 1.0).abs());
    Ok(())
}
