//! Systems under each integrator: order with joints, invariants, resuming.

use carom_dynamics::{Ignore, Loads, Placement};
use carom_integrate::{ConstraintForm, ImplicitMethod, IntegratorKind, Method, SpectralRadius};
use carom_multibody::{Body, Joint, JointEnd, JointKind, Settings, Simulation, System};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

const KINDS: [IntegratorKind; 8] = [
    IntegratorKind::RungeKutta(Method::DormandPrince5),
    IntegratorKind::RungeKutta(Method::Dop853),
    IntegratorKind::Radau5,
    IntegratorKind::Implicit(ImplicitMethod::Midpoint),
    IntegratorKind::Implicit(ImplicitMethod::Bdf2),
    IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, ConstraintForm::Index3),
    IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, ConstraintForm::Stabilised),
    IntegratorKind::Exponential,
];

/// Two rods of 0.4 m, hinged to each other and to the ground, level.
fn double_pendulum(settings: Settings) -> Simulation {
    let inertia = Matrix3::from_diagonal(&Vector3::new(2e-4, 1.4e-2, 1.4e-2));
    let rods: Vec<Body> =
        ["upper", "lower"].map(|name| Body::rigid(name, 1.0, inertia, Vector3::zeros()).unwrap()).into();
    let triad_b = Matrix3::from_columns(&[Vector3::z(), Vector3::x(), Vector3::y()]);
    let end = |body: Option<usize>, x: f64| JointEnd {
        body,
        marker: rods[0].frame_marker(Vector3::new(x, 0.0, 0.0)),
        triad_b,
    };
    let hinge = |ends| Joint { name: "hinge".to_owned(), kind: JointKind::Revolute, ends };
    let joints =
        vec![hinge([end(None, 0.0), end(Some(0), -0.2)]), hinge([end(Some(0), 0.2), end(Some(1), -0.2)])];
    let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
    let system = System::new(rods.clone(), loads, Vec::new()).unwrap().with_joints(joints).unwrap();
    let at = |x: f64| Placement { origin: [x, 0.0, 0.0], ..Placement::default() };
    Simulation::new(system, &[at(0.2), at(0.6)], settings).unwrap()
}

fn tip(simulation: &mut Simulation) -> Vector3<f64> {
    Vector3::from(simulation.body_states().unwrap()[1].position)
}

/// Fixed steps against a fine run: order 2 of the implicit formulas, five and more of Radau.
#[test]
fn fixed_steps_keep_their_order_with_joints() {
    let at = |integrator: IntegratorKind, step: f64| {
        let settings =
            Settings { time_step: Some(step), integrator, relative_tolerance: 1e-7, ..Settings::until(0.1) };
        let mut simulation = double_pendulum(settings);
        simulation.run(&mut Ignore, &Silent).unwrap();
        tip(&mut simulation)
    };
    let exact = at(KINDS[1], 5e-4);
    for (kind, step, least) in [(KINDS[2], 0.005, 4.5), (KINDS[3], 0.005, 1.8), (KINDS[4], 0.005, 1.8)] {
        let [coarse, fine] = [step, 0.5 * step].map(|step| (at(kind, step) - exact).norm());
        let order = (coarse / fine).log2();
        assert!(order > least && fine < 1e-2, "{kind:?}: {coarse:e} {fine:e}, order {order}");
    }
}

/// With error control all integrators agree and conserve the energy within the tolerance.
#[test]
fn all_integrators_follow_a_double_pendulum() {
    let run = |integrator: IntegratorKind, relative_tolerance: f64| {
        let settings = Settings { integrator, relative_tolerance, ..Settings::until(0.8) };
        let mut simulation = double_pendulum(settings);
        let summary = simulation.run(&mut Ignore, &Silent).unwrap();
        (tip(&mut simulation), summary)
    };
    let (exact, _) = run(KINDS[1], 1e-9);
    for kind in KINDS {
        let (found, summary) = run(kind, 1e-5);
        println!(
            "{kind:?} {:e} {:?} {:e}",
            (found - exact).norm(),
            summary.counters,
            summary.ledger.energy_error
        );
        assert!((found - exact).norm() < 1e-4, "{kind:?} {}", found - exact);
        assert!(summary.ledger.energy_error < 1e-4, "{kind:?} {:?}", summary.ledger);
    }
}

/// A run from a checkpoint has the steps of the uninterrupted run, bit for bit.
#[test]
fn every_integrator_resumes_bit_for_bit() {
    for integrator in KINDS {
        let settings = Settings { integrator, relative_tolerance: 1e-5, ..Settings::until(0.4) };
        let mut whole = double_pendulum(settings);
        for _ in 0..6 {
            whole.step(&mut Ignore).unwrap();
        }
        let checkpoint = whole.checkpoint();
        whole.run(&mut Ignore, &Silent).unwrap();
        let mut again = double_pendulum(settings);
        again.resume(&checkpoint).unwrap();
        again.run(&mut Ignore, &Silent).unwrap();
        let bits =
            |simulation: &Simulation| simulation.state().iter().map(|y| y.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&whole), bits(&again), "{integrator:?}");
        assert_eq!(whole.summary().counters, again.summary().counters, "{integrator:?}");
    }
}
