//! Probes against closed forms, balances, and the frames of the same run.

use crate::blocks::{at, block, ground, joint, on, settings};
use crate::cap::{self, Cap};
use crate::lattice::Lattice;
use carom_dynamics::{
    Axes, BodyState, Checkpoint, ContactEvent, Frame, Ignore, Loads, Marker, Observer, ObserverError,
    Placement, ProbeQuantity as Quantity, ProbeSample,
};
use carom_integrate::{ConstraintForm, ImplicitMethod, IntegratorKind, Method, SpectralRadius};
use carom_multibody::{
    Body, ContactSpec, ContactSurface, HertzContact, HertzShape, Joint, JointEnd, JointKind, Law,
    PlaceStress, Probe, ProbePlace, QuasistaticContacts, RimPolicy, Settings, Simulation, System,
    mean_marker,
};
use carom_progress::Silent;
use carom_testing::heap;
use nalgebra::{Matrix3, Vector3};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A sample that was kept: probe, time, values.
type Kept = (usize, f64, Vec<[f64; 3]>);

/// Keeps samples, states of frames, and checkpoints.
#[derive(Default)]
struct Samples {
    all: Vec<Kept>,
    frames: Vec<(f64, Vec<BodyState>)>,
    checkpoints: Vec<Checkpoint>,
    /// Number of samples at each checkpoint.
    marks: Vec<usize>,
}

impl Samples {
    fn of(&self, probe: usize) -> impl Iterator<Item = (f64, &[[f64; 3]])> {
        self.all.iter().filter(move |kept| kept.0 == probe).map(|(_, time, values)| (*time, &values[..]))
    }
}

impl Observer for Samples {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        self.frames.push((frame.time, frame.bodies.to_vec()));
        Ok(())
    }
    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }
    fn probe(&mut self, sample: &ProbeSample<'_>) -> Result<(), ObserverError> {
        self.all.push((sample.probe, sample.time, sample.values.to_vec()));
        Ok(())
    }
    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        steps.is_multiple_of(7)
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        self.checkpoints.push(checkpoint.clone());
        self.marks.push(self.all.len());
        Ok(())
    }
}

fn run(simulation: &mut Simulation) -> Samples {
    let mut samples = Samples::default();
    simulation.run(&mut samples, &Silent).unwrap();
    samples
}

fn point(body: usize, marker: Marker, quantities: &[Quantity], every: Option<f64>) -> Probe {
    let place = ProbePlace::Point { body, marker, axes: Axes::Inertial };
    Probe { place, quantities: quantities.to_vec(), every }
}

/// sn, cn, dn of modulus k by descending means (Abramowitz & Stegun, 16.4).
fn jacobi(u: f64, k: f64) -> [f64; 3] {
    let (mut a, mut b) = (vec![1.0_f64], (1.0 - k * k).sqrt());
    let mut c = vec![k];
    while c[c.len() - 1].abs() > 1e-16 {
        let last = a[a.len() - 1];
        c.push(0.5 * (last - b));
        a.push(0.5 * (last + b));
        b = (last * b).sqrt();
    }
    let n = a.len() - 1;
    let mut phi = 2f64.powi(n as i32) * a[n] * u;
    for i in (1..=n).rev() {
        phi = 0.5 * (phi + (c[i] / a[i] * phi.sin()).asin());
    }
    [phi.sin(), phi.cos(), (1.0 - k * k * phi.sin().powi(2)).sqrt()]
}

/// A pendulum released at 2 rad: sin θ/2 = k cd(ω₀ t), θ̇² = 2 ω₀² (cos θ − cos θ₀), θ̈ = −ω₀² sin θ, at a
/// point away from the centre of mass.
#[test]
fn a_pendulum_moves_at_a_probe_as_elliptic_functions_say() {
    let (mass, arm, g, length, theta_0) = (2.0, 0.3, 9.81, 0.7, 2.0_f64);
    let body = block("rod", mass);
    let axis = Vector3::y();
    let ends = [ground([0.0; 3], axis), on(0, &body, [0.0, 0.0, arm], axis)];
    let probe_at = body.frame_marker(Vector3::new(0.0, 0.0, arm - length));
    let loads = Loads { gravity: [0.0, 0.0, -g], ..Loads::default() };
    let system = System::new(vec![body], loads, Vec::new())
        .unwrap()
        .with_joints(vec![joint(JointKind::Revolute, ends)])
        .unwrap();
    // Hanging down, turned about −y by θ₀: the point is at length (sin θ, 0, −cos θ).
    let (sin, cos) = theta_0.sin_cos();
    let start = Placement {
        origin: [arm * sin, 0.0, -arm * cos],
        ..Placement::rotated([0.0, -1.0, 0.0], theta_0.to_degrees())
    };
    let end = 0.75;
    let quantities = [
        Quantity::Position,
        Quantity::Displacement,
        Quantity::Velocity,
        Quantity::Acceleration,
        Quantity::AngularVelocity,
        Quantity::AngularAcceleration,
    ];
    let probes = vec![
        point(0, probe_at.clone(), &quantities, Some(0.01)),
        point(0, probe_at.clone(), &quantities, None),
        Probe {
            place: ProbePlace::Point { body: 0, marker: probe_at, axes: Axes::Body },
            quantities: vec![Quantity::Acceleration],
            every: Some(0.01),
        },
    ];
    let simulation = Simulation::new(system, &[start], settings(end)).unwrap();
    let samples = run(&mut simulation.with_probes(probes).unwrap());

    let w2 = mass * g * arm / (0.03 + mass * arm * arm);
    let k = (0.5 * theta_0).sin();
    let along = |angle: f64| Vector3::new(angle.sin(), 0.0, -angle.cos());
    let turning = |angle: f64| Vector3::new(angle.cos(), 0.0, angle.sin());
    assert_eq!(samples.of(0).count(), 76, "from 0 to the end, both included");
    assert!(samples.of(1).count() > 10);
    for (time, values) in samples.of(0).chain(samples.of(1)) {
        let [_, cn, dn] = jacobi(w2.sqrt() * time, k);
        let theta = 2.0 * (k * cn / dn).asin();
        let rate = -(2.0 * w2 * (theta.cos() - theta_0.cos()).max(0.0)).sqrt();
        let second = -w2 * theta.sin();
        let expected = [
            length * along(theta),
            length * (along(theta) - along(theta_0)),
            length * rate * turning(theta),
            length * (second * turning(theta) - rate * rate * along(theta)),
            Vector3::new(0.0, -rate, 0.0),
            Vector3::new(0.0, -second, 0.0),
        ];
        for (found, (expected, quantity)) in values.iter().zip(expected.iter().zip(quantities)) {
            let error = (Vector3::from(*found) - expected).norm();
            // The errors of the integrator; the dense output has order 7.
            assert!(error < 2e-8 * (1.0 + expected.norm()), "{quantity:?} at {time}: {found:?} {expected}");
        }
    }
    // In body axes a point of a pendulum accelerates along its arm (z) and across it (x).
    for ((time, values), (_, inertial)) in samples.of(2).zip(samples.of(0)) {
        let theta = 2.0 * (k * jacobi(w2.sqrt() * time, k)[1] / jacobi(w2.sqrt() * time, k)[2]).asin();
        let inertial = Vector3::from(inertial[3]);
        let expected = Vector3::new(inertial.dot(&turning(theta)), 0.0, -inertial.dot(&along(theta)));
        assert!((Vector3::from(values[0]) - expected).norm() < 1e-6, "{time} {values:?} {expected}");
    }
}

/// A mass m that turns at ω about a pin at a distance r: the pin carries m ω² r, towards itself.
#[test]
fn the_force_of_a_joint_is_that_of_the_rotating_mass() {
    let (mass, arm, omega) = (2.0, 0.3, 12.0);
    let body = block("rotor", mass);
    let axis = Vector3::z();
    let ends = [ground([0.0; 3], axis), on(0, &body, [-arm, 0.0, 0.0], axis)];
    let system = System::new(vec![body], Loads::default(), Vec::new())
        .unwrap()
        .with_joints(vec![joint(JointKind::Revolute, ends)])
        .unwrap();
    let start = Placement {
        origin: [arm, 0.0, 0.0],
        velocity: [0.0, arm * omega, 0.0],
        angular_velocity: [0.0, 0.0, omega],
        ..Placement::default()
    };
    let place = ProbePlace::Joint(0);
    let probe = Probe { place, quantities: vec![Quantity::Force, Quantity::Torque], every: Some(0.013) };
    let simulation = Simulation::new(system, &[start], settings(1.0)).unwrap();
    let samples = run(&mut simulation.with_probes(vec![probe]).unwrap());
    assert_eq!(samples.all.len(), 77);
    for (time, values) in samples.of(0) {
        let (sin, cos) = (omega * time).sin_cos();
        let expected = -mass * omega * omega * arm * Vector3::new(cos, sin, 0.0);
        assert!((Vector3::from(values[0]) - expected).norm() < 1e-6, "{time} {values:?} {expected}");
        assert!(Vector3::from(values[1]).norm() < 1e-7, "{time} {values:?}");
    }
}

const BALL: f64 = 0.015;

/// Two rigid balls with Hertz' law of force.
fn two_balls(settings: Settings) -> (Simulation, f64) {
    let mass = 7780.0 * 4.0 / 3.0 * std::f64::consts::PI * BALL.powi(3);
    let ball = |name: &str| {
        Body::rigid(name, mass, 0.4 * mass * BALL * BALL * Matrix3::identity(), Vector3::zeros()).unwrap()
    };
    let contact = HertzContact {
        bodies: [0, 1],
        center_b: Vector3::zeros(),
        radius: BALL,
        other: HertzShape::Sphere { center_b: Vector3::zeros(), radius: BALL },
        modulus: 210e9 / (2.0 * (1.0 - 0.09)),
    };
    let bodies = vec![ball("first"), ball("second")];
    let system = System::new(bodies, Loads::default(), vec![Box::new(contact)]).unwrap();
    let placed =
        |x: f64, v: f64| Placement { origin: [x, 0.0, 0.0], velocity: [v, 0.0, 0.0], ..Placement::default() };
    let starts = [placed(0.0, 0.35), placed(2.0 * BALL + 1e-5, -0.15)];
    (Simulation::new(system, &starts, settings).unwrap(), mass)
}

/// The integral of the force over time by trapezoids.
fn impulse<'a>(samples: impl Iterator<Item = (f64, &'a [[f64; 3]])>) -> f64 {
    let all: Vec<(f64, f64)> = samples.map(|(time, values)| (time, values[0][0])).collect();
    all.windows(2).map(|pair| 0.5 * (pair[1].1 + pair[0].1) * (pair[1].0 - pair[0].0)).sum()
}

/// Equal balls exchange their velocities: the impulse is the mass times the speed of approach, and the
/// momentum that a probe of the velocity reports is that of the integral of the force.
#[test]
fn the_impulse_of_a_contact_probe_is_the_change_of_momentum() {
    let force = |every| {
        let quantities = vec![Quantity::Force, Quantity::NormalForce, Quantity::Gap];
        Probe { place: ProbePlace::Contact(0), quantities, every }
    };
    let velocity = point(0, Marker::default(), &[Quantity::Velocity], Some(1e-7));
    let (simulation, mass) = two_balls(Settings::until(1.8e-4));
    // The force of all contacts on a body is that of its only one.
    let whole = |body: usize| {
        let quantities = vec![Quantity::ContactForce];
        Probe { place: ProbePlace::Body(body), quantities, every: Some(1e-7) }
    };
    let probes = vec![force(Some(1e-7)), force(None), velocity, whole(0), whole(1)];
    let samples = run(&mut simulation.with_probes(probes).unwrap());
    assert_eq!(samples.of(0).count(), 1801);
    let expected = -mass * 0.5;
    let found = impulse(samples.of(0));
    // The force has kinks of power 3/2 at both ends; trapezoids of 1e-7 s are good to 1e-7 of it.
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    let by_steps = impulse(samples.of(1));
    assert!((by_steps / expected - 1.0).abs() < 0.02, "{by_steps} {expected}: steps are long");
    let speeds: Vec<f64> = samples.of(2).map(|(_, values)| values[0][0]).collect();
    let momentum = mass * (speeds[speeds.len() - 1] - speeds[0]);
    assert!((found / momentum - 1.0).abs() < 1e-6, "{found} {momentum}");
    for (time, values) in samples.of(0) {
        let [force, normal, gap] = [values[0], [values[1][0]; 3], [values[2][0]; 3]];
        assert!((normal[0] + force[0]).abs() < 1e-9, "{time}: {values:?}");
        assert_eq!(normal[0] > 0.0, gap[0] < 0.0, "{time}: {values:?}");
    }
    for ((time, pair), (first, second)) in samples.of(0).zip(samples.of(3).zip(samples.of(4))) {
        let opposite = second.1[0].map(|x| -x);
        assert!(first.1[0] == pair[0] && opposite == pair[0], "{time}: {pair:?} {first:?} {second:?}");
    }
}

const METHODS: [IntegratorKind; 4] = [
    IntegratorKind::RungeKutta(Method::DormandPrince5),
    IntegratorKind::Radau5,
    IntegratorKind::Implicit(ImplicitMethod::Bdf2),
    IntegratorKind::Implicit(ImplicitMethod::Midpoint),
];

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// All kinds of probes of two flexible bodies on a hinge.
pub(crate) fn hinged(integrator: IntegratorKind) -> (Simulation, Vec<Probe>) {
    let bodies: Vec<Body> = (0..2).map(|_| Lattice::new(0.3, 2.0, 60.0).body(6)).collect();
    let markers = [bodies[0].marker(&[0, 1, 2, 3]).unwrap(), bodies[1].marker(&[4, 5, 6]).unwrap()];
    let gap = [0, 1, 2].map(|a| markers[0].position_b[a] - markers[1].position_b[a]);
    let end = |body: usize| JointEnd {
        body: Some(body),
        marker: markers[body].clone(),
        triad_b: Matrix3::identity(),
    };
    let hinge = Joint { name: "hinge".into(), kind: JointKind::Revolute, ends: [end(0), end(1)] };
    let tip = bodies[1].marker(&[12, 13, 14, 16]).unwrap();
    let system = System::new(bodies, Loads::default(), Vec::new()).unwrap().with_joints(vec![hinge]).unwrap();
    let places = [
        Placement { angular_velocity: [3.0, -1.0, 2.0], ..Placement::default() },
        at([gap[0], gap[1], gap[2]]),
    ];
    let settings = Settings { integrator, relative_tolerance: 1e-5, ..Settings::until(0.2) };
    let motion = [
        Quantity::Position,
        Quantity::Velocity,
        Quantity::Acceleration,
        Quantity::AngularVelocity,
        Quantity::AngularAcceleration,
    ];
    let force = vec![Quantity::Force, Quantity::Torque];
    let probes = vec![
        point(1, tip.clone(), &motion, Some(1e-4)),
        point(1, tip, &[Quantity::Displacement, Quantity::Acceleration], None),
        Probe { place: ProbePlace::Joint(0), quantities: force, every: Some(7e-4) },
    ];
    (Simulation::new(system, &places, settings).unwrap(), probes)
}

/// Central differences of positions are velocities, those of velocities accelerations, at a point of a body
/// that vibrates in a joint.
#[test]
fn velocities_and_accelerations_of_a_flexible_body_are_derivatives() {
    let alpha = IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, ConstraintForm::Stabilised);
    for integrator in [IntegratorKind::RungeKutta(Method::Dop853), METHODS[1], alpha] {
        let (simulation, mut probes) = hinged(integrator);
        probes.truncate(1);
        let samples = run(&mut simulation.with_probes(probes).unwrap());
        let all: Vec<Vec<Vector3<f64>>> =
            samples.of(0).map(|(_, values)| values.iter().map(|v| Vector3::from(*v)).collect()).collect();
        let (mut worst, mut largest) = ([0.0_f64; 2], [0.0_f64; 2]);
        for three in all.windows(3) {
            for (k, [of, rate]) in [[0, 1], [1, 2]].into_iter().enumerate() {
                let difference = (three[2][of] - three[0][of]) / 2e-4;
                worst[k] = worst[k].max((difference - three[1][rate]).norm());
                largest[k] = largest[k].max(three[1][rate].norm());
            }
        }
        // Differences have the error (h ω)²/6 of the fastest mode; generalised-alpha is of second order.
        let relative = [worst[0] / largest[0], worst[1] / largest[1]];
        assert!(relative[0] < 1e-4 && relative[1] < 5e-3, "{integrator:?}: {relative:?}");
    }
}

/// States, counters of steps and contact events are the same with probes as without them.
#[test]
fn probes_leave_a_run_unchanged() {
    for integrator in METHODS {
        let (mut plain, probes) = hinged(integrator);
        let (observed, _) = hinged(integrator);
        let mut observed = observed.with_probes(probes).unwrap();
        plain.run(&mut Ignore, &Silent).unwrap();
        assert!(!run(&mut observed).all.is_empty());
        assert_eq!(bits(plain.state()), bits(observed.state()), "{integrator:?}");
        assert_eq!(plain.summary().counters.steps, observed.summary().counters.steps);
    }
    let probe = Probe { place: ProbePlace::Contact(0), quantities: vec![Quantity::Gap], every: Some(3e-7) };
    let mut plain = two_balls(Settings::until(1.8e-4)).0;
    let mut observed = two_balls(Settings::until(1.8e-4)).0.with_probes(vec![probe]).unwrap();
    plain.run(&mut Ignore, &Silent).unwrap();
    run(&mut observed);
    assert_eq!(bits(plain.state()), bits(observed.state()));
    assert_eq!(plain.summary().contacts, observed.summary().contacts);
}

#[test]
fn a_resumed_run_has_the_samples_of_the_whole_one() {
    for integrator in [METHODS[0], METHODS[1]] {
        let (simulation, probes) = hinged(integrator);
        let whole = run(&mut simulation.with_probes(probes).unwrap());
        assert!(whole.checkpoints.len() > 3);
        for (checkpoint, mark) in whole.checkpoints.iter().zip(&whole.marks) {
            let (simulation, probes) = hinged(integrator);
            let mut rest = simulation.with_probes(probes).unwrap();
            rest.resume(checkpoint).unwrap();
            assert_eq!(run(&mut rest).all, whole.all[*mark..], "from t = {}", checkpoint.time);
        }
        let (simulation, probes) = hinged(integrator);
        let mut other = simulation.with_probes(probes[..1].to_vec()).unwrap();
        let error = other.resume(&whole.checkpoints[0]).unwrap_err().to_string();
        assert!(error.contains("`probes`") && error.contains("3 numbers"), "{error}");
    }
}

/// Multiples of the interval are rounded: 3 × 0.1 s is behind 0.3 s, and belongs to a run of 0.3 s.
#[test]
fn samples_lie_at_multiples_of_the_interval_up_to_the_end() {
    let body = block("free", 1.0);
    let system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let simulation = Simulation::new(system, &[at([0.0; 3])], settings(0.3)).unwrap();
    let probes = vec![
        point(0, Marker::default(), &[Quantity::Position], Some(0.1)),
        point(0, Marker::default(), &[Quantity::Position], Some(0.07)),
    ];
    let samples = run(&mut simulation.with_probes(probes).unwrap());
    let times = |probe| samples.of(probe).map(|(time, _)| time).collect::<Vec<_>>();
    assert_eq!(times(0), [0.0, 0.1, 0.2, 0.3]);
    let expected = [0.0, 0.07, 0.14, 0.21, 0.28];
    assert_eq!(times(1).len(), 5);
    assert!(times(1).iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
}

/// A probe at the pole of an elastic ball in contact has the displacement that the frames of the run have,
/// and a stress that is the sum of the modes in its place: by all modes, those included that respond without
/// inertia.
#[test]
fn displacements_and_stresses_contain_the_quasistatic_response() {
    let reduced = Arc::new(Cap::new(3, 0.5e-3, 1).reduced());
    let marker = mean_marker(&reduced, &[24]).unwrap();
    let body = Body::reduced(Arc::clone(&reduced)).unwrap();
    let floor = Body::rigid("ground", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap().fixed();
    let shape = carom_multibody::Shape::plane(Vector3::zeros(), Vector3::new(0.0, 0.0, -1.0)).unwrap();
    let spec = ContactSpec {
        bodies: [0, 1],
        surfaces: [ContactSurface::Named("pole".into()), ContactSurface::Of { name: "plane".into(), shape }],
        law: Law::Hard,
        friction: 0.0,
        modulus: None,
        radius: None,
        rim: RimPolicy::Warning,
        max_depth: None,
    };
    let bodies = vec![body, floor];
    let contacts = QuasistaticContacts::new(&bodies, &[spec]).unwrap();
    let system = System::new(bodies, Loads::default(), vec![Box::new(contacts)]).unwrap();
    let start =
        [Placement { velocity: [0.0, 0.0, 0.2], ..Placement::default() }, at([0.0, 0.0, cap::RADIUS])];
    let settings = Settings { output_every: Some(5e-6), ..Settings::until(7e-5) };
    let simulation = Simulation::new(system, &start, settings).unwrap();
    let place = ProbePlace::Point { body: 0, marker: marker.clone(), axes: Axes::Body };
    let quantities = Quantity::OF_STRESS.to_vec();
    let probes = vec![
        point(0, marker.clone(), &[Quantity::Position, Quantity::Displacement], Some(5e-6)),
        Probe { place, quantities, every: Some(5e-6) },
    ];
    // Each mode has its displacement at the pole as normal stress, and twice that as shear stress.
    let of_mode = |[x, y, z]: &[f64; 3]| [*x, *y, *z, 2.0 * x, 2.0 * y, 2.0 * z];
    let modes = marker.displacement.iter().map(of_mode).collect();
    let stresses = BTreeMap::from([(1, PlaceStress { modes, ..PlaceStress::default() })]);
    let samples = run(&mut simulation.with_probes_of_stress(probes, stresses).unwrap());
    let mut response = 0.0_f64;
    let both = samples.of(0).zip(samples.of(1));
    for (((time, values), (_, stress)), (of_frame, bodies)) in both.zip(&samples.frames) {
        assert!((time - of_frame).abs() < 1e-15);
        let state = &bodies[0];
        let elastic = |n: usize| -> Vector3<f64> {
            let modes = marker.displacement.iter().zip(&state.modal).skip(n);
            modes.map(|(phi, q)| *q * Vector3::from(*phi)).sum()
        };
        let place = state.pose().point(&(Vector3::from(marker.position_b) + elastic(0)));
        let error = (Vector3::from(values[0]) - place).norm();
        assert!(error < 1e-12, "{time}: {values:?} {place}");
        let sum = elastic(0);
        assert!((Vector3::from(stress[0]) - sum).norm() < 1e-14, "{time}: {stress:?} {sum}");
        assert!((Vector3::from(stress[1]) - 2.0 * sum).norm() < 1e-14, "{time}: {stress:?} {sum}");
        response = response.max(elastic(1).norm());
    }
    assert_eq!(samples.of(0).next().unwrap().1[1], [0.0; 3]);
    assert!(response > 1e-6, "the ball is pressed in by {response} m");
}

#[test]
fn samples_allocate_nothing() {
    struct Forget;
    impl Observer for Forget {
        fn frame(&mut self, _: &Frame<'_>) -> Result<(), ObserverError> {
            Ok(())
        }
        fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
            Ok(())
        }
    }
    let alpha = IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, ConstraintForm::Stabilised);
    for integrator in [METHODS[0], alpha] {
        let (simulation, mut probes) = hinged(integrator);
        let stressed = point(0, Marker::default(), &Quantity::OF_STRESS, None);
        let stresses = BTreeMap::from([(probes.len(), PlaceStress::default())]);
        probes.push(stressed);
        let mut simulation = simulation.with_probes_of_stress(probes, stresses).unwrap();
        let mut advance = |end: f64| {
            while simulation.time() < end {
                simulation.step(&mut Forget).unwrap();
            }
        };
        advance(0.05);
        assert_eq!(heap::allocations_during(|| advance(0.2)).1, 0);
    }
}

#[test]
fn probes_that_do_not_fit_are_refused() {
    let refused = |place: ProbePlace, quantity: Quantity, every: Option<f64>| {
        let probe = Probe { place, quantities: vec![quantity], every };
        two_balls(Settings::until(1.0)).0.with_probes(vec![probe]).unwrap_err().to_string()
    };
    let at_point = |body| ProbePlace::Point { body, marker: Marker::default(), axes: Axes::Inertial };
    assert_eq!(
        refused(ProbePlace::Joint(0), Quantity::Force, None),
        "probe 0: the system has 0 joints, but the probe is on number 0 from 0"
    );
    assert!(refused(at_point(2), Quantity::Position, None).contains("2 bodies"));
    assert!(refused(ProbePlace::Contact(0), Quantity::Torque, None).contains("a contact has no `torque`"));
    assert!(refused(at_point(0), Quantity::Gap, None).contains("a point has no `gap`"));
    assert!(refused(at_point(0), Quantity::VonMises, None).contains("no stress is known at its place"));
    assert!(refused(at_point(0), Quantity::Position, Some(0.0)).contains("must be positive"));
}
