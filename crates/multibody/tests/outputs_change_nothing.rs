//! Frames, samples and tables change no bit of a run with quasistatic contact.

use crate::blocks::{ground, joint, on};
use crate::cap::{Cap, RADIUS};
use carom_dynamics::{
    Axes, BodyState, Checkpoint, ContactEvent, ContactState, Frame, Ignore, Loads, Observer, ObserverError,
    Placement, ProbeQuantity as Quantity, ProbeSample,
};
use carom_integrate::{ConstraintForm, IntegratorKind, Method, SpectralRadius};
use carom_multibody::{
    Body, ContactSpec, ContactSurface, HertzContact, HertzShape, JointKind, Law, Probe, ProbePlace,
    QuasistaticContacts, RimPolicy, Settings, Simulation, System,
};
use carom_progress::Silent;
use carom_testing::heap;
use nalgebra::Vector3;
use std::sync::Arc;

/// A contact with its law and friction, and a hinge of the first body or none.
#[derive(Debug, Clone, Copy)]
struct Case {
    law: Law,
    friction: f64,
    is_hinged: bool,
    /// True for a second contact model, of Hertz, between the same balls.
    has_hertz: bool,
    integrator: IntegratorKind,
}

impl Case {
    /// After the impact, which lasts longer with a held body.
    fn end(self) -> f64 {
        if self.is_hinged { 2.4e-4 } else { 1.4e-4 }
    }
}

const PLAIN: Case = Case {
    law: Law::Hard,
    friction: 0.0,
    is_hinged: false,
    has_hertz: false,
    integrator: IntegratorKind::RungeKutta(Method::DormandPrince5),
};

const DOP853: IntegratorKind = IntegratorKind::RungeKutta(Method::Dop853);
const ALPHA: IntegratorKind =
    IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, ConstraintForm::Stabilised);

/// The outputs of a run: the interval of its frames, frames in a contact, and whether it has probes.
#[derive(Debug, Clone, Copy)]
struct Outputs {
    every: Option<f64>,
    contact_frames: usize,
    probes: &'static [(&'static [Quantity], Option<f64>)],
}

const NONE: Outputs = Outputs { every: None, contact_frames: 0, probes: &[] };
const MOTION: (&[Quantity], Option<f64>) = (&[Quantity::Velocity], None);
const ODD: (&[Quantity], Option<f64>) = (&[Quantity::Position, Quantity::Acceleration], Some(0.73e-6));
const ODD_MOTION: (&[Quantity], Option<f64>) = (&[Quantity::Velocity], Some(1.31e-6));
const FORCES: (&[Quantity], Option<f64>) = (&[Quantity::Displacement, Quantity::Acceleration], None);

/// Two balls that meet aside of their poles and spin.
fn balls(case: Case, outputs: Outputs) -> Simulation {
    let body = Arc::new(Cap::new(4, 0.5e-3, 2).reduced());
    let bodies = vec![Body::reduced(body.clone()).unwrap(), Body::reduced(body).unwrap()];
    let spec = ContactSpec {
        bodies: [0, 1],
        surfaces: [ContactSurface::Named("pole".into()), ContactSurface::Named("pole".into())],
        law: case.law,
        friction: case.friction,
        modulus: None,
        radius: None,
        rim: RimPolicy::Warning,
        max_depth: None,
    };
    let mut models: Vec<Box<dyn carom_multibody::ContactModel>> =
        vec![Box::new(QuasistaticContacts::new(&bodies, &[spec]).unwrap())];
    if case.has_hertz {
        models.push(Box::new(HertzContact {
            bodies: [0, 1],
            center_b: Vector3::zeros(),
            radius: RADIUS,
            other: HertzShape::Sphere { center_b: Vector3::zeros(), radius: RADIUS },
            modulus: 1e9,
        }));
    }
    let hinge = [ground([0.0; 3], Vector3::x()), on(0, &bodies[0], [0.0; 3], Vector3::x())];
    let markers = bodies.iter().map(|body| body.marker(&[0, 1, 2, 3]).unwrap()).collect::<Vec<_>>();
    let mut system = System::new(bodies, Loads::default(), models).unwrap();
    if case.is_hinged {
        system = system.with_joints(vec![joint(JointKind::Revolute, hinge)]).unwrap();
    }
    let speed = if case.is_hinged { 0.0 } else { 0.24 };
    let first = Placement { velocity: [0.0, 0.0, speed], ..Placement::default() };
    let second = Placement {
        origin: [3e-5, 1.2e-5, 2.0 * RADIUS + 2e-6],
        velocity: [0.02, 0.0, speed - 0.4],
        angular_velocity: [5.0, -2.5, 0.0],
        ..Placement::rotated([1.0, 0.0, 0.0], 180.0)
    };
    let time_step = (case.integrator == ALPHA).then_some(1.5e-6);
    let settings = Settings {
        integrator: case.integrator,
        time_step,
        output_every: outputs.every,
        contact_frames: outputs.contact_frames,
        ..Settings::until(case.end())
    };
    let probe = |(number, (quantities, every)): (usize, &(&[Quantity], Option<f64>))| Probe {
        place: ProbePlace::Point {
            body: number % 2,
            marker: markers[number % 2].clone(),
            axes: Axes::Inertial,
        },
        quantities: quantities.to_vec(),
        every: *every,
    };
    let probes = outputs.probes.iter().enumerate().map(probe).collect();
    Simulation::new(system, &[first, second], settings).unwrap().with_probes(probes).unwrap()
}

/// Keeps frames, the number of samples, and checkpoints.
#[derive(Default)]
struct Keeper {
    frames: Vec<(f64, Vec<BodyState>, Vec<ContactState>)>,
    samples: usize,
    checkpoints: Vec<Checkpoint>,
}

impl Observer for Keeper {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        self.frames.push((frame.time, frame.bodies.to_vec(), frame.contacts.to_vec()));
        Ok(())
    }
    fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
        Ok(())
    }
    fn probe(&mut self, _: &ProbeSample<'_>) -> Result<(), ObserverError> {
        self.samples += 1;
        Ok(())
    }
    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        steps.is_multiple_of(13)
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        self.checkpoints.push(checkpoint.clone());
        Ok(())
    }
}

/// Time and bits of the state and of the memory of the contacts after each step.
type Course = Vec<(f64, Vec<u64>)>;

fn course(simulation: &mut Simulation, observer: &mut dyn Observer) -> Course {
    let mut course = Course::new();
    let mut note = |now: &Simulation| {
        let checkpoint = now.checkpoint();
        let memory = checkpoint.reals("contact_0").unwrap();
        let numbers = now.state().iter().chain(memory);
        course.push((now.time(), numbers.map(|number| number.to_bits()).collect()));
        false
    };
    simulation.advance(observer, &Silent, &mut note).unwrap();
    course
}

/// Fails at the first step that differs.
fn assert_same(found: &[(f64, Vec<u64>)], expected: &[(f64, Vec<u64>)], case: &str) {
    assert_eq!(found.len(), expected.len(), "{case}: number of steps");
    for (step, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(found == expected, "{case}: step {step} at {:e} s and {:e} s", found.0, expected.0);
    }
}

/// Steps, states and contacts of a run without any output.
fn plain(case: Case) -> (Course, Simulation) {
    let mut simulation = balls(case, NONE);
    let course = course(&mut simulation, &mut Ignore);
    let events = simulation.impacts();
    assert!(events.iter().any(|event| event.pair == 0 && event.peak_force > 100.0), "{case:?}: {events:?}");
    (course, simulation)
}

/// The run has the same bits with all of these outputs.
fn unchanged(case: Case, all: &[Outputs]) {
    let (expected, plain) = plain(case);
    for outputs in all {
        let (mut simulation, mut kept) = (balls(case, *outputs), Keeper::default());
        let found = course(&mut simulation, &mut kept);
        let name = format!("{case:?} {outputs:?}");
        assert_eq!(kept.frames.len() > 20, outputs.every.is_some(), "{name}");
        assert_eq!(kept.samples > 20, !outputs.probes.is_empty(), "{name}");
        assert_same(&found, &expected, &name);
        assert_eq!(simulation.impacts(), plain.impacts(), "{name}");
        assert_eq!(simulation.summary().ledger, plain.summary().ledger, "{name}");
    }
}

const ALL: [Outputs; 7] = [
    Outputs { every: Some(2e-6), ..NONE },
    Outputs { every: Some(3e-6), contact_frames: 30, ..NONE },
    Outputs { every: Some(5e-7), ..NONE },
    Outputs { probes: &[MOTION], ..NONE },
    Outputs { probes: &[ODD_MOTION], ..NONE },
    Outputs { probes: &[FORCES, ODD], ..NONE },
    Outputs { every: Some(2.3e-6), contact_frames: 20, probes: &[ODD, MOTION, ODD_MOTION] },
];

#[test]
fn hard_contact_has_the_same_bits_with_any_output() {
    unchanged(PLAIN, &ALL);
}

#[test]
fn contact_by_penalty_has_the_same_bits_with_any_output() {
    unchanged(Case { law: Law::penalty(100.0), ..PLAIN }, &ALL);
}

#[test]
fn contact_with_friction_has_the_same_bits_with_any_output() {
    for law in [Law::Hard, Law::penalty(100.0)] {
        unchanged(Case { law, friction: 0.2, ..PLAIN }, &ALL);
    }
}

/// Their last evaluation is that of the end of a step (Dormand-Prince and DOP853, whose dense output costs
/// evaluations of its own, and generalised-alpha, whose equations contain the contact) or not (Radau).
#[test]
fn all_kinds_of_integrators_have_the_same_bits_with_any_output() {
    for integrator in [DOP853, ALPHA, IntegratorKind::Radau5, IntegratorKind::Exponential] {
        unchanged(Case { integrator, friction: 0.1, ..PLAIN }, &ALL[4..]);
    }
}

#[test]
fn contact_of_a_hinged_body_has_the_same_bits_with_any_output() {
    unchanged(Case { is_hinged: true, ..PLAIN }, &ALL);
}

#[test]
fn two_models_of_contact_have_the_same_bits_with_any_output() {
    unchanged(Case { has_hertz: true, ..PLAIN }, &ALL);
}

/// From any checkpoint, with and without the outputs of the run that has left it.
#[test]
fn a_continued_run_has_the_same_bits_with_any_output() {
    for friction in [0.0, 0.2] {
        let case = Case { law: Law::penalty(100.0), friction, ..PLAIN };
        let (expected, _) = plain(case);
        let outputs = ALL[6];
        let mut kept = Keeper::default();
        balls(case, outputs).advance(&mut kept, &Silent, &mut |_| false).unwrap();
        assert!(kept.checkpoints.len() > 4);
        for checkpoint in &kept.checkpoints {
            let done = expected.partition_point(|(time, _)| *time <= checkpoint.time);
            for outputs in [outputs, NONE] {
                let mut rest = balls(case, outputs);
                rest.resume(checkpoint).unwrap();
                let found = course(&mut rest, &mut Keeper::default());
                let name = format!("{friction} {outputs:?} from {:e} s", checkpoint.time);
                assert_same(&found, &expected[done..], &name);
            }
        }
    }
}

/// A frame depends on the run alone, not on probes or on the frames before it.
#[test]
fn frames_have_the_same_bits_with_and_without_probes() {
    let case = Case { law: Law::penalty(100.0), friction: 0.2, ..PLAIN };
    let frames = |every: f64, probes| {
        let mut kept = Keeper::default();
        let outputs = Outputs { every: Some(every), contact_frames: 0, probes };
        course(&mut balls(case, outputs), &mut kept);
        kept.frames
    };
    let expected = frames(2e-6, &[]);
    assert!(expected.iter().any(|(_, _, contacts)| contacts[0].normal_force > 100.0));
    assert!(frames(2e-6, &[ODD, FORCES]) == expected);
    let dense: Vec<_> = frames(1e-6, &[]).into_iter().step_by(2).collect();
    let same = |(a, b): (&(f64, _, _), &(f64, _, _))| (a.0 - b.0).abs() < 1e-18;
    assert!(dense.iter().zip(&expected).all(same));
    assert!(dense.iter().zip(&expected).all(|(a, b)| a.0 != b.0 || (&a.1, &a.2) == (&b.1, &b.2)));
}

#[test]
fn tables_between_steps_change_no_bit() {
    let case = Case { friction: 0.2, ..PLAIN };
    let (expected, _) = plain(case);
    let mut simulation = balls(case, NONE);
    let mut found = Course::new();
    while simulation.time() < case.end() {
        simulation.body_states().unwrap();
        simulation.joint_states().unwrap();
        simulation.step(&mut Ignore).unwrap();
        let checkpoint = simulation.checkpoint();
        let numbers = simulation.state().iter().chain(checkpoint.reals("contact_0").unwrap());
        found.push((simulation.time(), numbers.map(|number| number.to_bits()).collect()));
    }
    assert_same(&found, &expected, "tables");
}

#[test]
fn outputs_in_contact_allocate_nothing() {
    struct Forget;
    impl Observer for Forget {
        fn frame(&mut self, _: &Frame<'_>) -> Result<(), ObserverError> {
            Ok(())
        }
        fn contact_event(&mut self, _: &ContactEvent) -> Result<(), ObserverError> {
            Ok(())
        }
    }
    let case = Case { law: Law::penalty(100.0), friction: 0.2, ..PLAIN };
    let mut simulation = balls(case, Outputs { every: Some(1e-6), ..ALL[6] });
    let mut advance = |end: f64| {
        while simulation.time() < end {
            simulation.step(&mut Forget).unwrap();
        }
    };
    // Beyond the largest contact, until which memory grows with it.
    advance(8e-5);
    assert_eq!(heap::allocations_during(|| advance(9.5e-5)).1, 0);
}
