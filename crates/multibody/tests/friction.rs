//! Coulomb friction integrated in time: a block on a plane, and oblique impacts of a ball.

use crate::cap::{Cap, RADIUS};
use carom_dynamics::{Ignore, Loads, Placement};
use carom_fem::Surface;
use carom_fem::surface::{Face, FaceBasis};
use carom_mesh::FaceShape;
use carom_multibody::{
    Body, ContactSpec, ContactSurface, Law, QuasistaticContacts, RimPolicy, RunSummary, Settings, Shape,
    Simulation, System,
};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

pub(crate) const MASS: f64 = 2.0;
/// Area of the foot of the block \[m²\] and stiffness of its contact \[N/m³\].
pub(crate) const AREA: f64 = 0.04;
pub(crate) const STIFFNESS: f64 = 5e7;
pub(crate) const GRAVITY: f64 = 9.81;

pub(crate) fn spec(surfaces: [ContactSurface; 2], law: Law, friction: f64) -> ContactSpec {
    ContactSpec {
        bodies: [0, 1],
        surfaces,
        law,
        friction,
        modulus: Some(1e9),
        radius: Some(0.1),
        rim: RimPolicy::Warning,
        max_depth: None,
    }
}

pub(crate) fn floor() -> ContactSurface {
    ContactSurface::Of {
        name: "plane".into(),
        shape: Shape::plane(Vector3::zeros(), Vector3::new(0.0, 0.0, 1.0)).unwrap(),
    }
}

/// The foot of the block: four bilinear faces in the plane of its centre of mass, facing down.
pub(crate) fn foot() -> ContactSurface {
    let side = AREA.sqrt();
    let place = |k: usize| 0.5 * side * (k as f64 - 1.0);
    let positions: Vec<Vector3<f64>> =
        (0..9).map(|k| Vector3::new(place(k % 3), place(k / 3), 0.0)).collect();
    let face = |k: usize| {
        let at = |i: usize, j: usize| ((k / 2 + j) * 3 + k % 2 + i) as u32;
        let points = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| at(i, j)).to_vec();
        Face { basis: FaceBasis::Lagrange(FaceShape::Quad4), points, orientation: -1.0 }
    };
    let surface = Surface {
        points: (0..9).collect(),
        weights: vec![1.0; 9],
        faces: (0..4).map(face).collect(),
        operators: Vec::new(),
    };
    ContactSurface::Of { name: "foot".into(), shape: Shape::faces(surface, &positions).unwrap() }
}

/// A block on a plane of this slope, with friction, in the frame of the plane: x points up the slope.
fn block(friction: f64, slope: f64, speed: f64, end: f64) -> (Simulation, f64) {
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.01, 0.01, 0.02));
    let block = Body::rigid("block", MASS, inertia, Vector3::zeros()).unwrap();
    let ground = Body::rigid("ground", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap();
    let bodies = vec![block, ground.fixed()];
    let spec = ContactSpec { modulus: None, ..spec([foot(), floor()], Law::per_area(STIFFNESS), friction) };
    let contacts = QuasistaticContacts::new(&bodies, &[spec]).unwrap();
    let gravity = [-GRAVITY * slope.sin(), 0.0, -GRAVITY * slope.cos()];
    let loads = Loads { gravity, ..Loads::default() };
    let system = System::new(bodies, loads, vec![Box::new(contacts)]).unwrap();
    let depth = MASS * GRAVITY * slope.cos() / (STIFFNESS * AREA);
    let placement =
        Placement { origin: [0.0, 0.0, -depth], velocity: [speed, 0.0, 0.0], ..Placement::default() };
    let settings =
        Settings { relative_tolerance: 1e-8, contact_duration: Some(0.02), ..Settings::until(end) };
    let simulation = Simulation::new(system, &[placement, Placement::default()], settings).unwrap();
    (simulation, depth)
}

fn run(simulation: &mut Simulation) -> RunSummary {
    let summary = simulation.run(&mut Ignore, &Silent).unwrap();
    println!("{:?}\n{:?}\n{:?}", summary.contacts, summary.ledger, summary.counters);
    summary
}

#[test]
fn a_sliding_block_stops_by_coulombs_law_and_friction_dissipates_its_energy() {
    let (friction, speed) = (0.3, 1.0);
    let (mut simulation, _) = block(friction, 0.0, speed, 0.5);
    let summary = run(&mut simulation);
    let state = simulation.body_states().unwrap()[0].clone();
    let expected = speed * speed / (2.0 * friction * GRAVITY);
    // The foot moves by the law's own compliance when the block sticks, and oscillates there.
    let elastic = friction * MASS * GRAVITY / (STIFFNESS * AREA);
    assert!((state.position[0] - expected).abs() < 2.0 * elastic, "{:?} {expected}", state.position);
    let kinetic = 0.5 * MASS * speed * speed;
    let loss = summary.ledger.energy_initial - summary.ledger.energy_final;
    assert!((loss / kinetic - 1.0).abs() < 1e-4, "{loss} {kinetic}");
    assert!(summary.ledger.energy_error < 1e-5, "{:?}", summary.ledger);
}

#[test]
fn a_block_sticks_below_the_angle_of_friction_and_slides_above_it() {
    let friction: f64 = 0.4;
    let limit = friction.atan();
    for (part, most) in [(0.45, 2.0), (0.9, 6.0)] {
        let (mut stays, depth) = block(friction, part * limit, 0.0, 0.2);
        run(&mut stays);
        let moved = stays.body_states().unwrap()[0].position[0];
        // The block hangs on tangential springs as stiff as the normal ones and swings to twice the static
        // shift; near the limit it slips a little during the first swing only.
        let shift = depth * (part * limit).tan();
        assert!(moved < 0.0 && moved.abs() <= most * shift * (1.0 + 1e-6), "{part}: {moved} {shift}");
    }
    let slope = 1.5 * limit;
    let (mut slides, _) = block(friction, slope, -0.5, 0.2);
    let summary = run(&mut slides);
    let moved = slides.body_states().unwrap()[0].position[0];
    let acceleration = GRAVITY * (slope.sin() - friction * slope.cos());
    // The block slides from the start; friction reaches its limit within some µm.
    let expected = -0.5 * 0.2 - 0.5 * acceleration * 0.2 * 0.2;
    assert!((moved / expected - 1.0).abs() < 1e-4, "{moved} {expected}");
    assert!(summary.ledger.energy_error < 1e-5, "{:?}", summary.ledger);
}

/// A ball that hits a plane at this angle, and its velocities afterwards.
fn oblique(law: Law, friction: f64, velocity: [f64; 3], tolerance: f64) -> (RunSummary, [Vector3<f64>; 2]) {
    let ball = Body::reduced(std::sync::Arc::new(Cap::new(9, 0.45e-3, 0).reduced())).unwrap();
    let ground = Body::rigid("ground", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap();
    let bodies = vec![ball, ground.fixed()];
    let surfaces = [ContactSurface::Named("pole".into()), floor()];
    let spec = ContactSpec { modulus: None, radius: None, ..spec(surfaces, law, friction) };
    let contacts = QuasistaticContacts::new(&bodies, &[spec]).unwrap();
    let system = System::new(bodies, Loads::default(), vec![Box::new(contacts)]).unwrap();
    // The pole looks down.
    let origin = [0.0, 0.0, RADIUS + 1e-6];
    let placement = Placement { origin, velocity, ..Placement::rotated([1.0, 0.0, 0.0], 180.0) };
    let settings = Settings { relative_tolerance: tolerance, ..Settings::until(1.6e-4) };
    let mut simulation = Simulation::new(system, &[placement, Placement::default()], settings).unwrap();
    let summary = run(&mut simulation);
    let state = &simulation.body_states().unwrap()[0];
    (summary, [state.velocity, state.angular_velocity].map(Vector3::from))
}

#[test]
fn a_ball_that_slips_through_an_impact_has_the_impulse_of_coulomb() {
    let friction = 0.1;
    let (summary, [v, omega]) = oblique(Law::Hard, friction, [0.5, 0.0, -0.3], 1e-7);
    let (slowed, rebound) = (0.5 - v.x, v.z + 0.3);
    println!("{slowed} {rebound} {omega}");
    assert!((slowed / (friction * rebound) - 1.0).abs() < 1e-4, "{slowed} {rebound}");
    assert!((v.z / 0.3 - 1.0).abs() < 1e-3, "{v}");
    assert!(summary.ledger.energy_error < 1e-4, "{:?}", summary.ledger);
    assert!(summary.ledger.energy_final < summary.ledger.energy_initial);
}

#[test]
fn a_sticking_ball_oscillates_tangentially_and_conserves_its_angular_momentum_about_the_contact() {
    // High friction and a steep approach.
    let velocity = [0.03, 0.0, -0.3];
    let (hard, [v, omega]) = oblique(Law::Hard, 0.5, velocity, 1e-7);
    let (soft, [v_soft, _]) = oblique(Law::penalty(400.0), 0.5, velocity, 1e-7);
    // The impulse is far below Coulomb's limit and changes the spin by I Δω = R × J. The contact lies up to
    // the approach of 10 µm nearer to the centre.
    let slowed = velocity[0] - v.x;
    assert!(slowed > 0.0 && slowed < 0.05 * 0.5 * (v.z + 0.3), "{v}");
    assert!((omega.y * RADIUS / (2.5 * slowed) - 1.0).abs() < 1e-3, "{v} {omega}");
    // Only the rim of the contact slips: little of the tangential energy is lost.
    let lost = hard.ledger.energy_initial - hard.ledger.energy_final;
    let mass = 2.0 * hard.ledger.energy_initial / (0.3f64.powi(2) + 0.03f64.powi(2));
    let tangential = 0.5 * mass * 0.03f64.powi(2) * 2.0 / 7.0;
    assert!(lost > 0.0 && lost < tangential, "{lost} {tangential}");
    // The penalty contact is a little softer and gives nearly the same velocities.
    assert!((v.x - v_soft.x).abs() < 1e-3 * velocity[0], "{v} {v_soft}");
    for summary in [&hard, &soft] {
        assert!(summary.ledger.energy_error < 1e-5, "{:?}", summary.ledger);
    }
}
