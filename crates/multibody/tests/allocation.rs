//! A time step allocates nothing, in flight and in contact.

use crate::cap;
use crate::lattice::Lattice;
use carom_dynamics::{Formula, Ignore, Loads, Marker, Placement, TimeFunction};
use carom_integrate::{ConstraintForm, IntegratorKind, Method, SpectralRadius};
use carom_multibody::{
    Body, ContactSpec, ContactSurface, Coordinate, Drive, ForceElement, ForceLaw, HertzContact, HertzShape,
    Joint, JointEnd, JointKind, Law, QuasistaticContacts, RimPolicy, Settings, Shape, Simulation, Spring,
    Stops, System,
};
use carom_testing::heap;
use nalgebra::{Matrix3, Vector3};
use std::sync::Arc;

#[test]
fn steps_allocate_nothing() {
    let lattice = Lattice::new(0.01, 0.2, 3e4).body(5);
    let ball = Body::rigid("ball", 0.1, 1e-5 * Matrix3::identity(), Vector3::zeros()).unwrap();
    let contact = HertzContact {
        bodies: [1, 0],
        center_b: Vector3::zeros(),
        radius: 0.01,
        other: HertzShape::Sphere { center_b: Vector3::zeros(), radius: 0.01 },
        modulus: 1e11,
    };
    let system = System::new(
        vec![lattice, ball],
        Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() },
        vec![Box::new(contact)],
    )
    .unwrap();
    let above =
        Placement { origin: [0.0, 0.0, 0.02 + 1e-6], velocity: [0.0, 0.0, -0.5], ..Placement::default() };
    let mut simulation =
        Simulation::new(system, &[Placement::default(), above], Settings::until(1.0)).unwrap();
    // Until the impact is just over: its event is kept in a list that may grow.
    assert_eq!(allocations_until(1.0e-4, &mut simulation), 0);
    assert!(simulation.summary().counters.steps > 15, "{:?}", simulation.summary());
}

/// Two flexible bodies on a hinge in tumbling motion.
fn joined_bodies_allocate_nothing(integrator: IntegratorKind) {
    let bodies: Vec<Body> = (0..2).map(|_| Lattice::new(0.3, 2.0, 60.0).body(6)).collect();
    let marker = |body: &Body, points: &[u32]| body.marker(points).unwrap();
    let markers = [marker(&bodies[0], &[0, 1, 2, 3]), marker(&bodies[1], &[4, 5, 6])];
    let gap: Vec<f64> = (0..3).map(|a| markers[0].position_b[a] - markers[1].position_b[a]).collect();
    let end = |body: usize| JointEnd {
        body: Some(body),
        marker: markers[body].clone(),
        triad_b: Matrix3::identity(),
    };
    let hinge = Joint { name: "hinge".into(), kind: JointKind::Revolute, ends: [end(0), end(1)] };
    let system = System::new(bodies, Loads::default(), Vec::new()).unwrap().with_joints(vec![hinge]).unwrap();
    let places = [
        Placement { angular_velocity: [3.0, -1.0, 2.0], ..Placement::default() },
        Placement { origin: [gap[0], gap[1], gap[2]], ..Placement::default() },
    ];
    let mut simulation = Simulation::new(
        system,
        &places,
        Settings { integrator, relative_tolerance: 1e-4, ..Settings::until(1.0) },
    )
    .unwrap();
    allocations_until(0.05, &mut simulation);
    let steps = simulation.summary().counters.steps;
    assert_eq!(allocations_until(0.5, &mut simulation), 0);
    assert!(simulation.summary().counters.steps > steps + 20);
}

#[test]
fn steps_of_joined_bodies_allocate_nothing() {
    joined_bodies_allocate_nothing(IntegratorKind::RungeKutta(Method::DormandPrince5));
    for form in [ConstraintForm::Index3, ConstraintForm::Stabilised] {
        joined_bodies_allocate_nothing(IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, form));
    }
}

#[test]
fn steps_with_springs_stops_and_drives_allocate_nothing() {
    let body = Lattice::new(0.3, 2.0, 60.0).body(6);
    let marker = body.marker(&[0, 1, 2, 3]).unwrap();
    let triad_b = Matrix3::identity();
    let ground = Marker { position_b: marker.position_b, ..Marker::default() };
    let ends =
        [JointEnd { body: None, marker: ground, triad_b }, JointEnd { body: Some(0), marker, triad_b }];
    let slide = Joint { name: "slide".into(), kind: JointKind::Cylindrical, ends: ends.clone() };
    let coordinate = Coordinate::Shift { zero: 0.0 };
    let course = TimeFunction::Formula(Formula::parse("0.1*sin(20*t)").unwrap());
    let law = ForceLaw::Along {
        coordinate: Coordinate::Angle,
        spring: Spring { stiffness: 5.0, damping: 0.01, free: 0.0, preload: 0.0 },
        stops: Some(Stops { low: -0.1, high: 0.1, stiffness: 50.0, damping: 0.1 }),
    };
    let system = System::new(vec![body], Loads::default(), Vec::new())
        .unwrap()
        .with_joints(vec![slide])
        .unwrap()
        .with_drives(vec![Drive { joint: 0, coordinate, course }])
        .unwrap()
        .with_forces(vec![ForceElement { name: "stop".into(), ends, law, joint: None }])
        .unwrap();
    let start = Placement { angular_velocity: [0.0, 0.0, 5.0], ..Placement::default() };
    let mut simulation = Simulation::new(system, &[start], Settings::until(1.0)).unwrap();
    allocations_until(0.1, &mut simulation);
    let steps = simulation.summary().counters.steps;
    assert_eq!(allocations_until(0.3, &mut simulation), 0);
    let counters = simulation.summary().counters;
    assert!(counters.steps > steps + 20 && counters.cut > 0, "{counters:?}");
}

fn allocations_until(end: f64, simulation: &mut Simulation) -> u64 {
    let steps = || {
        while simulation.time() < end {
            simulation.step(&mut Ignore).unwrap();
        }
    };
    heap::allocations_during(steps).1
}

/// Counts allocations in the steps of an impact at the pole of a ball from its deepest point to its end;
/// there must be none.
fn parts_without_allocation(bodies: Vec<Body>, other: ContactSurface, start: &[Placement], friction: f64) {
    let alpha = IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, ConstraintForm::Stabilised);
    for (integrator, time_step) in
        [(IntegratorKind::RungeKutta(Method::DormandPrince5), None), (alpha, Some(1e-6))]
    {
        let settings = Settings { integrator, time_step, ..Settings::until(1.0) };
        parts_with(settings, bodies.clone(), other.clone(), start, friction);
    }
}

fn parts_with(
    settings: Settings,
    bodies: Vec<Body>,
    other: ContactSurface,
    start: &[Placement],
    friction: f64,
) {
    let spec = ContactSpec {
        bodies: [0, 1],
        surfaces: [ContactSurface::Named("pole".into()), other],
        law: Law::Hard,
        friction,
        modulus: None,
        radius: None,
        rim: RimPolicy::Warning,
        max_depth: None,
    };
    let contacts = QuasistaticContacts::new(&bodies, &[spec]).unwrap();
    let system = System::new(bodies, Loads::default(), vec![Box::new(contacts)]).unwrap();
    let mut simulation = Simulation::new(system, start, settings).unwrap();
    // Hertz: 108 µs, the deepest point half-way; then the contact shrinks.
    while simulation.time() < 7.0e-5 {
        simulation.step(&mut Ignore).unwrap();
    }
    let evaluations = simulation.summary().counters.evaluations;
    assert_eq!(allocations_until(1.2e-4, &mut simulation), 0);
    assert!(simulation.summary().counters.evaluations > evaluations + 50);
}

fn elastic_ball() -> Body {
    Body::reduced(Arc::new(cap::Cap::new(3, 0.5e-3, 1).reduced())).unwrap()
}

#[test]
fn contact_with_a_plane_allocates_nothing_once_it_shrinks() {
    let ground = Body::rigid("ground", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap().fixed();
    let plane = ContactSurface::Of {
        name: "plane".into(),
        shape: Shape::plane(Vector3::zeros(), Vector3::new(0.0, 0.0, -1.0)).unwrap(),
    };
    let start = [
        Placement { velocity: [0.0, 0.0, 0.2], ..Placement::default() },
        Placement { origin: [0.0, 0.0, cap::RADIUS], ..Placement::default() },
    ];
    for friction in [0.0, 0.2] {
        let bodies = vec![elastic_ball(), ground.clone()];
        parts_without_allocation(bodies, plane.clone(), &start, friction);
    }
}

#[test]
fn contact_of_two_elastic_bodies_allocates_nothing_once_it_shrinks() {
    // The paths are offset from each other, so that foot points move and both bodies turn.
    let start = [
        Placement { velocity: [0.0, 0.0, 0.2], ..Placement::default() },
        Placement {
            origin: [5e-5, 3e-5, 2.0 * cap::RADIUS],
            velocity: [0.0, 0.0, -0.2],
            ..Placement::rotated([1.0, 0.0, 0.0], 180.0)
        },
    ];
    let pole = ContactSurface::Named("pole".into());
    for friction in [0.0, 0.2] {
        let bodies = vec![elastic_ball(), elastic_ball()];
        parts_without_allocation(bodies, pole.clone(), &start, friction);
    }
}
