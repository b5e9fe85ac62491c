//! Gears, racks, screws and couplers against closed forms, momenta and the ledger.

use crate::blocks::{at, balanced, block, ground, joint, on, position, run, settings};
use carom_dynamics::{
    Axes, ContactEvent, Frame, Ignore, JointState, Loads, Observer, ObserverError, Placement, PointLoad,
    TimeFunction,
};
use carom_integrate::{ConstraintForm, ImplicitMethod, IntegratorKind, Method, SpectralRadius};
use carom_multibody::{
    Assembly, Body, Coordinate, Coupling, CouplingError, CouplingTerm, Drive, Joint, JointKind, RunError,
    Settings, Simulation, System,
};
use carom_progress::Silent;
use nalgebra::Vector3;

/// Moments of inertia of `block` about z and its mass below.
const INERTIA: f64 = 0.04;
const MASS: f64 = 2.0;
const TORQUE: f64 = 3.0;

const SHIFT: Coordinate = Coordinate::Shift { zero: 0.0 };

fn coupling(name: &str, terms: &[(usize, Coordinate, f64)]) -> Coupling {
    let term = |&(joint, coordinate, factor): &_| CouplingTerm { joint, coordinate, factor };
    Coupling { name: name.to_owned(), terms: terms.iter().map(term).collect() }
}

/// Angle of the second joint = ratio times that of the first.
fn gear([first, second]: [usize; 2], ratio: f64) -> Coupling {
    let name = format!("gear {first} {second}");
    coupling(&name, &[(first, Coordinate::Angle, ratio), (second, Coordinate::Angle, -1.0)])
}

/// A torque about z on the first body, in inertial axes, and gravity.
fn loads(body: &Body, gravity: [f64; 3]) -> Loads {
    let load = PointLoad {
        body: 0,
        marker: body.frame_marker(Vector3::zeros()),
        force: [0.0; 3],
        torque: [0.0, 0.0, TORQUE],
        axes: Axes::Inertial,
        scale: TimeFunction::Constant(1.0),
    };
    Loads { gravity, point_loads: vec![load] }
}

/// Bodies on upright axes of the ground at x = 0, 1, 2 …, each on a joint of the kind.
fn on_axes(kinds: &[JointKind]) -> (Vec<Body>, Vec<Joint>, Vec<Placement>) {
    let bodies: Vec<Body> = (0..kinds.len()).map(|i| block(&format!("body {i}"), MASS)).collect();
    let of = |(i, kind): (usize, &JointKind)| {
        let place = [i as f64, 0.0, 0.0];
        let ends = [ground(place, Vector3::z()), on(i, &bodies[i], [0.0; 3], Vector3::z())];
        Joint { name: format!("joint {i}"), ..joint(*kind, ends) }
    };
    let joints = kinds.iter().enumerate().map(of).collect();
    let places = (0..kinds.len()).map(|i| at([i as f64, 0.0, 0.0])).collect();
    (bodies, joints, places)
}

/// A run of coupled bodies with the torque on the first.
fn coupled(
    kinds: &[JointKind],
    couplings: Vec<Coupling>,
    gravity: [f64; 3],
    settings: Settings,
) -> Simulation {
    let (bodies, joints, places) = on_axes(kinds);
    let loads = loads(&bodies[0], gravity);
    let system = System::new(bodies, loads, Vec::new())
        .unwrap()
        .with_joints(joints)
        .unwrap()
        .with_couplings(couplings)
        .unwrap();
    Simulation::new(system, &places, settings).unwrap()
}

/// Keeps the joints of the last frame.
#[derive(Default)]
struct LastJoints(Vec<JointState>);

impl Observer for LastJoints {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        self.0 = frame.joints.to_vec();
        Ok(())
    }
    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }
}

/// Two gears under a torque turn as one inertia J₁ + n² J₂, for all integrators, over many turns; the tooth
/// torques are those of the inertia of the second gear.
#[test]
fn gears_have_their_equivalent_inertia_with_every_integrator() {
    let ratio = -2.5;
    let alpha = TORQUE / (INERTIA * (1.0 + ratio * ratio));
    let radius = SpectralRadius::DEFAULT;
    for (integrator, tolerance) in [
        (IntegratorKind::RungeKutta(Method::DormandPrince5), 1e-7),
        (IntegratorKind::RungeKutta(Method::Dop853), 1e-7),
        (IntegratorKind::Radau5, 1e-7),
        (IntegratorKind::Implicit(ImplicitMethod::Midpoint), 1e-5),
        (IntegratorKind::Implicit(ImplicitMethod::Bdf2), 1e-5),
        (IntegratorKind::GeneralisedAlpha(radius, ConstraintForm::Index3), 1e-5),
        (IntegratorKind::GeneralisedAlpha(radius, ConstraintForm::Stabilised), 1e-5),
        (IntegratorKind::Exponential, 1e-7),
    ] {
        let end = 3.0;
        let settings = Settings { integrator, relative_tolerance: tolerance, ..settings(end) };
        let kinds = [JointKind::Revolute; 2];
        let mut simulation = coupled(&kinds, vec![gear([0, 1], ratio)], [0.0; 3], settings);
        let mut last = LastJoints::default();
        let summary = simulation.run(&mut last, &Silent).unwrap();
        let states = simulation.body_states().unwrap();
        let speeds = [0, 1].map(|i| states[i].angular_velocity[2]);
        let within = 100.0 * tolerance;
        assert!((speeds[0] / (alpha * end) - 1.0).abs() < within, "{integrator:?} {speeds:?}");
        assert!((speeds[1] / (ratio * speeds[0]) - 1.0).abs() < 1e-9, "{integrator:?} {speeds:?}");
        let actions = [0, 1].map(|i| last.0[i].actions[1].unwrap());
        // Seven and seventeen turns.
        let angle = 0.5 * alpha * end * end;
        assert!((actions[0].value / angle - 1.0).abs() < within, "{integrator:?} {actions:?}");
        assert!((actions[1].value / (ratio * actions[0].value) - 1.0).abs() < 1e-9, "{integrator:?}");
        let tooth = INERTIA * ratio * alpha;
        let found = actions.map(|action| action.coupling.unwrap());
        assert!((found[1] / tooth - 1.0).abs() < 1e-6, "{integrator:?} {found:?} {tooth}");
        assert!((found[0] / (-ratio * tooth) - 1.0).abs() < 1e-6, "{integrator:?} {found:?}");
        assert!((last.0[1].torque[2] / tooth - 1.0).abs() < 1e-6, "{integrator:?} {:?}", last.0);
        let ledger = &summary.ledger;
        assert!(ledger.energy_error < within && ledger.momentum_error < 1e-9, "{integrator:?} {ledger:?}");
    }
}

/// A pinion drives a rack upwards: (J/r + m r) α = T/r − m g, with x = r θ.
#[test]
fn a_pinion_lifts_a_rack() {
    let (radius, g, end) = (0.08, 9.81, 1.3);
    let kinds = [JointKind::Revolute, JointKind::Prismatic];
    let rack = coupling("rack", &[(0, Coordinate::Angle, radius), (1, SHIFT, -1.0)]);
    let mut simulation = coupled(&kinds, vec![rack], [0.0, 0.0, -g], settings(end));
    let mut last = LastJoints::default();
    let summary = simulation.run(&mut last, &Silent).unwrap();
    let alpha = (TORQUE - MASS * g * radius) / (INERTIA + MASS * radius * radius);
    let height = position(&mut simulation, 1).z;
    let expected = 0.5 * radius * alpha * end * end;
    assert!((height / expected - 1.0).abs() < 1e-7, "{height} {expected}");
    let force = last.0[1].actions[0].unwrap().coupling.unwrap();
    assert!((force / (MASS * (g + radius * alpha)) - 1.0).abs() < 1e-9, "{force}");
    let torque = last.0[0].actions[1].unwrap().coupling.unwrap();
    assert!((torque / (-radius * force) - 1.0).abs() < 1e-12, "{torque} {force}");
    balanced(&summary);
}

/// A nut on an upright screw of pitch p falls with g/(1 + 4π² J/(m p²)), and turns to the left on a
/// right-handed thread.
#[test]
fn a_nut_runs_down_its_screw() {
    let (pitch, g, end) = (0.5, 9.81, 2.0);
    for pitch in [pitch, -pitch] {
        let (bodies, joints, places) = on_axes(&[JointKind::Cylindrical]);
        let per_radian = pitch / std::f64::consts::TAU;
        let screw = coupling("screw", &[(0, SHIFT, 1.0), (0, Coordinate::Angle, -per_radian)]);
        let loads = Loads { gravity: [0.0, 0.0, -g], ..Loads::default() };
        let system = System::new(bodies, loads, Vec::new())
            .unwrap()
            .with_joints(joints)
            .unwrap()
            .with_couplings(vec![screw])
            .unwrap();
        let mut simulation = Simulation::new(system, &places, settings(end)).unwrap();
        let summary = run(&mut simulation);
        let a = g / (1.0 + INERTIA / (MASS * per_radian * per_radian));
        let z = position(&mut simulation, 0).z;
        assert!((z / (-0.5 * a * end * end) - 1.0).abs() < 1e-8, "{z} {a}");
        let omega = simulation.body_states().unwrap()[0].angular_velocity[2];
        assert!((omega / (-a * end / per_radian) - 1.0).abs() < 1e-8, "{omega}");
        balanced(&summary);
    }
}

/// A differential, θ₀ = ½ (θ₁ + θ₂), with one wheel on a load of four times its inertia through a gear: the
/// torque is shared equally, so that the wheels accelerate in the ratio of their inertias.
#[test]
fn a_differential_shares_the_torque_equally() {
    let kinds = [JointKind::Revolute; 4];
    let angle = Coordinate::Angle;
    let differential = coupling("differential", &[(0, angle, 2.0), (1, angle, -1.0), (2, angle, -1.0)]);
    let end = 1.5;
    let couplings = vec![differential, gear([2, 3], 2.0)];
    let mut simulation = coupled(&kinds, couplings, [0.0; 3], settings(end));
    let summary = run(&mut simulation);
    // Wheels of J and 5 J get half of the torque on the cage, T − J α₀, each.
    let share = 0.5 * TORQUE / (1.0 + 0.25 * (1.0 + 0.2));
    let states = simulation.body_states().unwrap();
    for (wheel, inertia) in [(1, INERTIA), (2, 5.0 * INERTIA)] {
        let omega = states[wheel].angular_velocity[2];
        assert!((omega / (share / inertia * end) - 1.0).abs() < 1e-7, "{wheel} {omega}");
    }
    balanced(&summary);
}

/// A carrier with a sun and a planet, free in space and turning about all axes. The reactions of a coupling
/// are internal and do no work: energy and momenta of the system are constant.
#[test]
fn gears_on_a_free_carrier_keep_energy_and_momenta() {
    let [carrier, sun, planet] = ["carrier", "sun", "planet"].map(|name| block(name, MASS));
    let axis = Vector3::new(0.3, -0.4, 1.0);
    let hinge = |k: usize, body: &Body, place: [f64; 3]| {
        let ends = [on(0, &carrier, place, axis), on(k, body, [0.0; 3], axis)];
        Joint { name: format!("pin {k}"), ..joint(JointKind::Revolute, ends) }
    };
    let joints = vec![hinge(1, &sun, [0.0, 0.0, 0.2]), hinge(2, &planet, [0.5, 0.1, 0.0])];
    let places = [
        Placement { angular_velocity: [1.0, 0.4, -0.6], velocity: [0.2, 0.1, 0.0], ..at([0.0; 3]) },
        Placement { angular_velocity: [1.3, 0.0, 9.0], velocity: [0.2, 0.0, 0.3], ..at([0.0, 0.0, 0.2]) },
        at([0.5, 0.1, 0.0]),
    ];
    let radius = SpectralRadius::DEFAULT;
    for integrator in [
        IntegratorKind::RungeKutta(Method::Dop853),
        IntegratorKind::GeneralisedAlpha(radius, ConstraintForm::Stabilised),
    ] {
        let bodies = vec![carrier.clone(), sun.clone(), planet.clone()];
        let system = System::new(bodies, Loads::default(), Vec::new())
            .unwrap()
            .with_joints(joints.clone())
            .unwrap()
            .with_couplings(vec![gear([0, 1], -1.7)])
            .unwrap();
        let settings = Settings { integrator, relative_tolerance: 1e-6, ..settings(1.0) };
        let mut simulation = Simulation::new(system, &places, settings).unwrap();
        let ledger = run(&mut simulation).ledger;
        assert!(ledger.energy_error < 1e-5, "{integrator:?} {ledger:?}");
        assert!(ledger.momentum_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
    }
}

/// Gears that turn by more than half a turn in a step keep their ratio: turns follow from the rates.
#[test]
fn turns_are_counted_in_steps_of_more_than_half_a_turn() {
    let (speed, ratio, end) = (100.0, 1.5, 2.0);
    let (bodies, joints, mut places) = on_axes(&[JointKind::Revolute; 2]);
    places[0].angular_velocity[2] = speed;
    places[1].angular_velocity[2] = ratio * speed;
    let system = System::new(bodies, Loads::default(), Vec::new())
        .unwrap()
        .with_joints(joints)
        .unwrap()
        .with_couplings(vec![gear([0, 1], ratio)])
        .unwrap();
    // The second gear turns by 4.5 rad in a step.
    let settings = Settings { time_step: Some(0.03), ..settings(end) };
    let mut simulation = Simulation::new(system, &places, settings).unwrap();
    let mut last = LastJoints::default();
    simulation.run(&mut last, &Silent).unwrap();
    let values = [0, 1].map(|i| last.0[i].actions[1].unwrap().value);
    assert!((values[1] / values[0] - ratio).abs() < 1e-9, "{values:?}");
    // The order 8 leaves a small error of the angle, not one of whole turns.
    assert!((values[0] - speed * end).abs() < 0.1, "{values:?}");
}

/// A run from a checkpoint after several turns has the steps of the uninterrupted run, bit for bit.
#[test]
fn runs_with_gears_continue_bit_for_bit() {
    let start = || {
        let kinds = [JointKind::Revolute; 2];
        coupled(&kinds, vec![gear([0, 1], -2.5)], [0.0; 3], settings(3.0))
    };
    let mut whole = start();
    whole.advance(&mut Ignore, &Silent, &mut |at| at.time() > 1.5).unwrap();
    let checkpoint = whole.checkpoint();
    whole.run(&mut Ignore, &Silent).unwrap();
    let mut again = start();
    again.resume(&checkpoint).unwrap();
    again.run(&mut Ignore, &Silent).unwrap();
    let bits = |simulation: &Simulation| simulation.state().iter().map(|y| y.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&whole), bits(&again));
}

/// Three gears in a ring whose ratios fit: one equation repeats the others and is named; the bodies turn.
#[test]
fn a_ring_of_gears_that_fit_repeats_an_equation() {
    let kinds = [JointKind::Revolute; 3];
    let ring = vec![gear([0, 1], 2.0), gear([1, 2], 3.0), gear([0, 2], 6.0)];
    let mut simulation = coupled(&kinds, ring, [0.0; 3], settings(1.0));
    let Assembly { redundant, .. } = simulation.assembly.clone();
    assert_eq!(redundant, [("gear 0 2".to_owned(), 1)]);
    let summary = run(&mut simulation);
    let omega = simulation.body_states().unwrap()[0].angular_velocity[2];
    let expected = TORQUE / (INERTIA * (1.0 + 4.0 + 36.0));
    assert!((omega / expected - 1.0).abs() < 1e-9, "{omega} {expected}");
    balanced(&summary);
}

/// A motion of a gear that another motion drives already is refused at the motion, and couplings of
/// coordinates that joints hold at the coupling.
#[test]
fn couplings_that_make_no_sense_are_refused() {
    let (bodies, joints, places) = on_axes(&[JointKind::Revolute, JointKind::Revolute, JointKind::Prismatic]);
    let system = || {
        System::new(bodies.clone(), Loads::default(), Vec::new())
            .unwrap()
            .with_joints(joints.clone())
            .unwrap()
    };
    let drive =
        |joint: usize| Drive { joint, coordinate: Coordinate::Angle, course: crate::blocks::formula("t") };
    let driven = system()
        .with_couplings(vec![gear([0, 1], 1.0)])
        .unwrap()
        .with_drives(vec![drive(0), drive(1)])
        .unwrap();
    let error = Simulation::new(driven, &places, settings(1.0)).unwrap_err();
    assert!(matches!(error, RunError::Assembly(_)), "{error}");
    assert!(error.to_string().contains("joint `joint 1`: its motion drives a coordinate"), "{error}");
    let refused =
        |terms: &[(usize, Coordinate, f64)]| system().with_couplings(vec![coupling("c", terms)]).unwrap_err();
    let angle = Coordinate::Angle;
    assert!(matches!(refused(&[(0, angle, 1.0), (2, angle, 1.0)]), CouplingError::Held { .. }));
    assert!(matches!(refused(&[(0, SHIFT, 1.0), (2, SHIFT, 1.0)]), CouplingError::Held { .. }));
    assert!(matches!(refused(&[(0, angle, 1.0), (0, angle, 1.0)]), CouplingError::Twice { .. }));
    assert!(matches!(refused(&[(0, angle, 1.0), (7, angle, 1.0)]), CouplingError::NoSuchJoint { .. }));
    assert!(matches!(refused(&[(0, angle, 0.0)]), CouplingError::Factors { .. }));
    assert!(matches!(refused(&[]), CouplingError::Factors { .. }));
}
