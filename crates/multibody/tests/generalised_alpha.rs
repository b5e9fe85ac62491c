//! Generalised-α with joints: order, drift, damping, flexible bodies.

use carom_dynamics::{Ignore, Loads, Placement, rotation};
use carom_integrate::{ConstraintForm, IntegratorKind, Method, SpectralRadius};
use carom_multibody::{Body, Joint, JointEnd, JointKind, Settings, Simulation, System};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

const FORMS: [ConstraintForm; 2] = [ConstraintForm::Index3, ConstraintForm::Stabilised];

fn alpha(rho: f64, form: ConstraintForm) -> IntegratorKind {
    IntegratorKind::GeneralisedAlpha(SpectralRadius::new(rho).unwrap(), form)
}

fn end(body: Option<usize>, of: &Body, place: [f64; 3], triad_b: Matrix3<f64>) -> JointEnd {
    JointEnd { body, marker: of.frame_marker(Vector3::from(place)), triad_b }
}

/// Two unlike rods on spherical joints, one behind the other, thrown about in space.
fn chain(settings: Settings) -> Simulation {
    let rod = |name: &str, mass: f64| {
        let inertia = mass * Matrix3::from_diagonal(&Vector3::new(4e-3, 1.4e-2, 1.1e-2));
        Body::rigid(name, mass, inertia, Vector3::zeros()).unwrap()
    };
    let rods = [rod("upper", 1.0), rod("lower", 0.6)];
    let one = Matrix3::identity();
    let joint = |name: &str, ends| Joint { name: name.to_owned(), kind: JointKind::Spherical, ends };
    let joints = vec![
        joint("first", [end(None, &rods[0], [0.0; 3], one), end(Some(0), &rods[0], [-0.2, 0.0, 0.0], one)]),
        joint(
            "second",
            [end(Some(0), &rods[0], [0.2, 0.0, 0.0], one), end(Some(1), &rods[1], [-0.2, 0.03, 0.0], one)],
        ),
    ];
    let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
    let system = System::new(rods.into(), loads, Vec::new()).unwrap().with_joints(joints).unwrap();
    let turn = rotation::from_vector(&Vector3::new(0.2, 0.9, 0.4));
    let arm = rotation::matrix(&turn) * Vector3::new(-0.2, 0.03, 0.0);
    let places = [
        Placement { origin: [0.2, 0.0, 0.0], angular_velocity: [3.0, 4.0, -5.0], ..Placement::default() },
        Placement {
            origin: (Vector3::new(0.4, 0.0, 0.0) - arm).into(),
            quaternion: turn,
            angular_velocity: [8.0, -2.0, 6.0],
            ..Placement::default()
        },
    ];
    Simulation::new(system, &places, settings).unwrap()
}

fn positions_and_speeds(simulation: &mut Simulation) -> Vec<[f64; 3]> {
    let bodies = simulation.body_states().unwrap();
    bodies.iter().flat_map(|body| [body.position, body.velocity, body.angular_velocity]).collect()
}

#[test]
fn probe() {
    let run = |integrator: IntegratorKind, step: f64| {
        let settings =
            Settings { time_step: Some(step), integrator, relative_tolerance: 1e-7, ..Settings::until(0.5) };
        let mut simulation = chain(settings);
        let summary = simulation.run(&mut Ignore, &Silent).unwrap();
        (positions_and_speeds(&mut simulation), summary)
    };
    let (exact, _) = run(IntegratorKind::RungeKutta(Method::Dop853), 1e-3);
    for form in FORMS {
        for rho in [0.0, 0.5, 0.8, 1.0] {
            for h in [0.01, 0.005, 0.0025] {
                let (found, summary) = run(alpha(rho, form), h);
                let error = |k: usize| {
                    [k, k + 3]
                        .map(|k| (Vector3::from(found[k]) - Vector3::from(exact[k])).norm())
                        .iter()
                        .sum::<f64>()
                };
                println!(
                    "{form:?} {rho} {h}: {:.2e} {:.2e} {:.2e} {:?} energy {:.1e}",
                    error(0),
                    error(1),
                    error(2),
                    summary.counters,
                    summary.ledger.energy_error
                );
            }
        }
    }
}
