//! A tippe top: a ball whose centre of mass lies below its centre turns upside down by sliding friction.

use carom_dynamics::{Placement, rotation};
use carom_rigid::{Ball, Law, PairSpec, RigidBody, Shape, System};
use nalgebra::{Matrix3, Vector3};

const RADIUS: f64 = 0.02;
const OFFSET: f64 = 0.3 * RADIUS;
const MASS: f64 = 0.02;

/// The top, a little inclined, spinning about the vertical; moments of Rauch-Wojciechowski & Rutstam (2012),
/// 131/350 and 2/5 m R².
fn top(dt: f64) -> System {
    let unit = MASS * RADIUS * RADIUS;
    let moments = Vector3::new(131.0 / 350.0, 131.0 / 350.0, 0.4) * unit;
    let top = RigidBody::new("top", MASS, Matrix3::from_diagonal(&moments), Vector3::zeros()).unwrap();
    let ground = RigidBody::new("ground", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap().fixed();
    let tilted = Placement::rotated([1.0, 0.0, 0.0], 6.0);
    let axis = rotation::matrix(&tilted.quaternion) * Vector3::z();
    let placement = Placement {
        origin: [0.0, 0.0, RADIUS - OFFSET * axis.z],
        angular_velocity: [0.0, 0.0, 155.0],
        ..tilted
    };
    let pair = PairSpec {
        bodies: [0, 1],
        points: vec![Ball::new(Vector3::new(0.0, 0.0, OFFSET), RADIUS)],
        moving: None,
        edges: [Vec::new(), Vec::new()],
        shape: Shape::plane(Vector3::zeros(), Vector3::z()).unwrap(),
        law: Law::Hard,
        restitution: 0.0,
        friction: 0.1,
    };
    let places = [placement, Placement::default()];
    System::new(vec![top, ground], &places, &[pair], Vector3::new(0.0, 0.0, -9.81), dt).unwrap()
}

fn axis(system: &System) -> Vector3<f64> {
    rotation::matrix(&system.states()[0].quaternion) * Vector3::z()
}

/// Jellett's constant s·a, a from the centre of mass to the point of contact: forces at that point do not
/// change it.
fn jellett(system: &System) -> f64 {
    system.states()[0].spin.dot(&(OFFSET * axis(system) - RADIUS * Vector3::z()))
}

#[test]
fn a_tippe_top_turns_over_and_conserves_the_constant_of_jellett() {
    let mut system = top(1e-4);
    let (initial, constant) = (system.energy(), jellett(&system));
    let mut drift = 0.0_f64;
    for _ in 0..40_000 {
        system.step().unwrap();
        drift = drift.max((jellett(&system) / constant - 1.0).abs());
    }
    println!("axis {:?}, Jellett {drift:.1e}, friction {}", axis(&system), system.books.d_fric);
    assert!(axis(&system).z < -0.95, "{:?}", axis(&system));
    assert!(drift < 1e-2, "{drift:.1e}: of first order in the step");
    assert!((system.energy() / initial - 1.0).abs() < 1e-12);
    // The centre of mass has risen, with energy that friction has transferred from the spin.
    assert!(system.states()[0].position.z > RADIUS + 0.9 * OFFSET);
    assert!(system.books.d_fric > 0.0);
}
