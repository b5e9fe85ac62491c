//! Generalised-α in the time loop: chains, momenta, damping of stiff bodies, mechanisms near singular
//! positions, errors.

use crate::blocks::{at, block, formula, ground, joint, on};
use crate::lattice::Lattice;
use carom_dynamics::{Ignore, Loads, Marker, Placement, rotation};
use carom_integrate::{ConstraintForm, IntegrateError, IntegratorKind, Method, SpectralRadius};
use carom_multibody::{
    Body, Coordinate, Drive, ForceElement, ForceLaw, Joint, JointEnd, JointKind, RunError, Settings,
    Simulation, Spring, Stops, System,
};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

const FORMS: [ConstraintForm; 2] = [ConstraintForm::Index3, ConstraintForm::Stabilised];

fn alpha(rho: f64, form: ConstraintForm) -> IntegratorKind {
    IntegratorKind::GeneralisedAlpha(SpectralRadius::new(rho).unwrap(), form)
}

fn end(body: Option<usize>, of: &Body, place: [f64; 3]) -> JointEnd {
    JointEnd { body, marker: of.frame_marker(Vector3::from(place)), triad_b: Matrix3::identity() }
}

/// Two unequal rods in a chain of spherical joints, in spatial motion.
fn chain(settings: Settings) -> Simulation {
    chain_from(0.0, settings)
}

/// The chain with its first joint at `x` on the axis.
fn chain_from(x: f64, settings: Settings) -> Simulation {
    let rod = |name: &str, mass: f64| {
        let inertia = mass * Matrix3::from_diagonal(&Vector3::new(4e-3, 1.4e-2, 1.1e-2));
        Body::rigid(name, mass, inertia, Vector3::zeros()).unwrap()
    };
    let rods = [rod("upper", 1.0), rod("lower", 0.6)];
    let joint = |name: &str, ends| Joint { name: name.to_owned(), kind: JointKind::Spherical, ends };
    let joints = vec![
        joint("first", [end(None, &rods[0], [x, 0.0, 0.0]), end(Some(0), &rods[0], [-0.2, 0.0, 0.0])]),
        joint("second", [end(Some(0), &rods[0], [0.2, 0.0, 0.0]), end(Some(1), &rods[1], [-0.2, 0.03, 0.0])]),
    ];
    let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
    let system = System::new(rods.into(), loads, Vec::new()).unwrap().with_joints(joints).unwrap();
    let turn = rotation::from_vector(&Vector3::new(0.2, 0.9, 0.4));
    let arm = rotation::matrix(&turn) * Vector3::new(-0.2, 0.03, 0.0);
    let places = [
        Placement { origin: [x + 0.2, 0.0, 0.0], angular_velocity: [3.0, 4.0, -5.0], ..Placement::default() },
        Placement {
            origin: (Vector3::new(x + 0.4, 0.0, 0.0) - arm).into(),
            quaternion: turn,
            angular_velocity: [8.0, -2.0, 6.0],
            ..Placement::default()
        },
    ];
    Simulation::new(system, &places, settings).unwrap()
}

/// Positions, velocities and angular velocities of all bodies.
fn motion(simulation: &mut Simulation) -> [Vec<f64>; 3] {
    let bodies = simulation.body_states().unwrap();
    [
        bodies.iter().flat_map(|body| body.position).collect(),
        bodies.iter().flat_map(|body| body.velocity).collect(),
        bodies.iter().flat_map(|body| body.angular_velocity).collect(),
    ]
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn a_chain_in_space_converges_with_order_two() {
    let run = |integrator: IntegratorKind, time_step: Option<f64>, relative_tolerance: f64| {
        let settings = Settings { time_step, integrator, relative_tolerance, ..Settings::until(0.5) };
        let mut simulation = chain(settings);
        simulation.run(&mut Ignore, &Silent).unwrap();
        motion(&mut simulation)
    };
    let exact = run(IntegratorKind::Radau5, None, 1e-8);
    for form in FORMS {
        for rho in [0.0, 0.5, 0.8] {
            let [coarse, fine] = [0.005, 0.0025].map(|h| {
                let found = run(alpha(rho, form), Some(h), 1e-7);
                [0, 1, 2].map(|k| distance(&found[k], &exact[k]))
            });
            for k in 0..3 {
                let order = (coarse[k] / fine[k]).log2();
                assert!((1.8..2.3).contains(&order), "{form:?} {rho}: {coarse:?} {fine:?}, {k}: {order}");
            }
        }
    }
}

/// Places far from the origin have fewer digits than arms: their rounding is not a violation of joints, and
/// the shortest steps are solved.
#[test]
fn short_steps_are_solved_far_from_the_origin() {
    for form in FORMS {
        for h in [1e-7, 1e-9, 1e-12] {
            let settings =
                Settings { time_step: Some(h), integrator: alpha(0.8, form), ..Settings::until(0.5) };
            let [near, far] = [0.0, 1000.0].map(|x| {
                let mut simulation = chain_from(x, settings);
                for _ in 0..10 {
                    simulation.step(&mut Ignore).unwrap();
                }
                assert_eq!(simulation.summary().counters.rejected, 0, "{form:?} {h:e} {x}");
                motion(&mut simulation)
            });
            for k in [1, 2] {
                assert!(distance(&near[k], &far[k]) < 1e-7, "{form:?} {h:e}: {near:?} {far:?}");
            }
        }
    }
}

/// Rods in a line, hinged to each other and to the ground, fall from rest. Rounding of their places moves all
/// hinges along the line alike; the last rod falls freely, as the reactions decay along the chain.
#[test]
fn long_chains_start_from_rest_in_a_line() {
    const LENGTH: f64 = 0.1;
    let (end_time, gravity) = (0.02, 9.81);
    for (n, form) in [(20, FORMS[0]), (20, FORMS[1]), (80, FORMS[1])] {
        let inertia = 0.06 * Matrix3::from_diagonal(&Vector3::new(1e-6, 8e-4, 8e-4));
        let rods: Vec<Body> = (0..n)
            .map(|k| Body::rigid(format!("rod{k}"), 0.06, inertia, Vector3::zeros()).unwrap())
            .collect();
        let axis = Vector3::y();
        let half = 0.5 * LENGTH;
        let joints = (0..n)
            .map(|k: usize| {
                let before = match k.checked_sub(1) {
                    Some(last) => on(last, &rods[last], [half, 0.0, 0.0], axis),
                    None => ground([0.0; 3], axis),
                };
                joint(JointKind::Revolute, [before, on(k, &rods[k], [-half, 0.0, 0.0], axis)])
            })
            .collect();
        let places: Vec<Placement> = (0..n).map(|k| at([half + LENGTH * k as f64, 0.0, 0.0])).collect();
        let loads = Loads { gravity: [0.0, 0.0, -gravity], ..Loads::default() };
        let system = System::new(rods, loads, Vec::new()).unwrap().with_joints(joints).unwrap();
        let settings = Settings { integrator: alpha(0.8, form), ..Settings::until(end_time) };
        let mut simulation = Simulation::new(system, &places, settings).unwrap();
        let summary = simulation.run(&mut Ignore, &Silent).unwrap();
        let fallen = -simulation.body_states().unwrap()[n - 1].position[2];
        let free = 0.5 * gravity * end_time.powi(2);
        assert!((fallen / free - 1.0).abs() < 1e-5, "{n} {form:?}: {fallen:e} {free:e}");
        // Velocities that follow from positions alone have fewer digits in the first steps.
        let most = if form == ConstraintForm::Stabilised { 3 } else { summary.counters.steps / 4 };
        assert!(summary.counters.rejected <= most, "{n} {form:?} {:?}", summary.counters);
    }
}

/// Two flexible bodies on a hinge, free in space; one has an initial velocity and spin.
fn hinged_flexible_bodies(settings: Settings) -> Simulation {
    let bodies: Vec<Body> = (0..2).map(|_| Lattice::new(0.3, 2.0, 60.0).body(6)).collect();
    let markers = [bodies[0].marker(&[0, 1, 2, 3]).unwrap(), bodies[1].marker(&[4, 5, 6]).unwrap()];
    let gap = Vector3::from(markers[0].position_b) - Vector3::from(markers[1].position_b);
    let ends = [0, 1].map(|k: usize| JointEnd {
        body: Some(k),
        marker: markers[k].clone(),
        triad_b: Matrix3::identity(),
    });
    let hinge = Joint { name: "hinge".into(), kind: JointKind::Revolute, ends };
    let system = System::new(bodies, Loads::default(), Vec::new()).unwrap().with_joints(vec![hinge]).unwrap();
    let places = [
        Placement { angular_velocity: [3.0, -1.0, 2.0], velocity: [0.4, 0.0, 0.2], ..Placement::default() },
        at(gap.into()),
    ];
    Simulation::new(system, &places, settings).unwrap()
}

/// Impulses of joints are pairs of opposite ones: both momenta are conserved to rounding, also in coarse
/// steps.
#[test]
fn joined_flexible_bodies_conserve_their_momenta_to_rounding() {
    for form in FORMS {
        let settings =
            Settings { time_step: Some(0.01), integrator: alpha(0.8, form), ..Settings::until(1.0) };
        let summary = hinged_flexible_bodies(settings).run(&mut Ignore, &Silent).unwrap();
        assert!(summary.ledger.momentum_error < 1e-13, "{form:?} {:?}", summary.ledger);
        assert!(summary.ledger.ang_momentum_error < 1e-13, "{form:?} {:?}", summary.ledger);
        assert!(summary.counters.rejected == 0 && summary.counters.steps < 120, "{:?}", summary.counters);
    }
}

/// A chain of two flexible bodies that hangs from the ground, initially to one side.
fn stiff_pendulum(omega: f64, settings: Settings) -> Simulation {
    let body = Lattice::new(0.1, 1.0, omega).body(40);
    let [start, stop] =
        [&[0, 1, 2, 9, 10, 11], &[6, 7, 8, 15, 16, 17]].map(|points| body.marker(points).unwrap());
    let along = Vector3::from(stop.position_b) - Vector3::from(start.position_b);
    let end = |body, marker: &Marker| JointEnd { body, marker: marker.clone(), triad_b: Matrix3::identity() };
    let hinge = |name: &str, ends| Joint { name: name.into(), kind: JointKind::Revolute, ends };
    let joints = vec![
        hinge("upper", [end(None, &start), end(Some(0), &start)]),
        hinge("lower", [end(Some(0), &stop), end(Some(1), &start)]),
    ];
    let loads = Loads { gravity: [9.0, 0.0, -3.0], ..Loads::default() };
    let system =
        System::new(vec![body.clone(), body], loads, Vec::new()).unwrap().with_joints(joints).unwrap();
    Simulation::new(system, &[Placement::default(), at(along.into())], settings).unwrap()
}

/// A checkpoint contains M, G, derivatives and factors of earlier steps: the run continues bit for bit with
/// the same number of factorisations.
#[test]
fn kept_factors_are_resumed() {
    for form in FORMS {
        let settings =
            Settings { time_step: Some(1e-3), integrator: alpha(0.8, form), ..Settings::until(0.15) };
        let mut whole = stiff_pendulum(1e5, settings);
        for _ in 0..50 {
            whole.step(&mut Ignore).unwrap();
        }
        let before = whole.summary().counters.factorisations;
        assert!(before < 25, "{form:?}: step 50 computes its own factors");
        let checkpoint = whole.checkpoint();
        whole.run(&mut Ignore, &Silent).unwrap();
        let mut again = stiff_pendulum(1e5, settings);
        again.resume(&checkpoint).unwrap();
        again.run(&mut Ignore, &Silent).unwrap();
        let bits =
            |simulation: &Simulation| simulation.state().iter().map(|y| y.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&whole), bits(&again), "{form:?}");
        assert_eq!(whole.summary().counters, again.summary().counters, "{form:?}");
    }
}

/// The steps do not resolve the vibration. M and G rotate with the bodies, but their factors are used for
/// many steps.
#[test]
fn factors_of_hinged_stiff_bodies_serve_many_steps() {
    for form in FORMS {
        for omega in [1e5, 1e6] {
            let settings =
                Settings { time_step: Some(1e-3), integrator: alpha(0.8, form), ..Settings::until(0.5) };
            let counters = stiff_pendulum(omega, settings).run(&mut Ignore, &Silent).unwrap().counters;
            let many = counters.steps >= 500 && 5 * counters.factorisations < counters.steps;
            assert!(many && counters.rejected <= 3, "{form:?} {omega:e} {counters:?}");
        }
    }
}

/// Comparison under error control, vibration included.
#[test]
fn joined_flexible_bodies_agree_with_radau() {
    let run = |integrator: IntegratorKind, relative_tolerance: f64| {
        let settings = Settings { integrator, relative_tolerance, ..Settings::until(0.3) };
        let mut simulation = hinged_flexible_bodies(settings);
        let summary = simulation.run(&mut Ignore, &Silent).unwrap();
        (motion(&mut simulation), summary)
    };
    let (exact, _) = run(IntegratorKind::Radau5, 1e-7);
    for form in FORMS {
        let (found, summary) = run(alpha(0.8, form), 1e-4);
        let [position, velocity, omega] = [0, 1, 2].map(|k| distance(&found[k], &exact[k]));
        assert!(
            position < 1e-5 && velocity < 1e-4 && omega < 1e-4,
            "{form:?}: {position:e} {velocity:e} {omega:e}"
        );
        assert!(summary.ledger.energy_error < 1e-4, "{form:?} {:?}", summary.ledger);
    }
}

/// A body with a sudden spin vibrates; steps of some of its periods damp the vibration by the spectral
/// radius, and not for ρ = 1.
#[test]
fn stiff_vibration_is_damped_only_for_a_spectral_radius_below_one() {
    let energies = |rho: f64| {
        let body = Lattice::new(0.3, 2.0, 500.0).body(6);
        let system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
        let spin = Placement { angular_velocity: [4.0, -6.0, 9.0], ..Placement::default() };
        let integrator = alpha(rho, ConstraintForm::Stabilised);
        let settings = Settings { time_step: Some(0.01), integrator, ..Settings::until(4.0) };
        let mut simulation = Simulation::new(system, &[spin], settings).unwrap();
        let mut energies = Vec::new();
        while simulation.time() < 4.0 {
            simulation.step(&mut Ignore).unwrap();
            let bodies = simulation.body_states().unwrap();
            let rates = bodies[0].modal_rate.iter().map(|rate| 0.5 * rate * rate).sum::<f64>();
            energies.push(rates);
        }
        energies
    };
    let mean = |energies: &[f64]| energies.iter().sum::<f64>() / energies.len() as f64;
    let kept = energies(1.0);
    let (early, late) = (mean(&kept[20..120]), mean(&kept[300..]));
    assert!(late > 0.5 * early && late < 2.0 * early, "{early:e} {late:e}");
    let mut soon = mean(&kept[10..30]);
    for rho in [0.8, 0.3] {
        let damped = energies(rho);
        let rest = mean(&damped[300..]);
        assert!(rest < 1e-3 * late, "{rho}: {rest:e} {late:e}");
        let next = mean(&damped[10..30]);
        assert!(next < 0.5 * soon, "{rho}: {next:e} {soon:e}");
        soon = next;
    }
}

/// A rod that falls on a stop at its hinge and rebounds: the multistep formula restarts at each contact.
#[test]
fn a_rod_that_rebounds_from_a_stop_agrees_with_an_explicit_pair() {
    let run = |integrator: IntegratorKind, relative_tolerance: f64| {
        let rod = block("rod", 2.0);
        let y = Vector3::y();
        let ends = [ground([0.0; 3], y), on(0, &rod, [-0.3, 0.0, 0.0], y)];
        let law = ForceLaw::Along {
            coordinate: Coordinate::Angle,
            spring: Spring::NONE,
            stops: Some(Stops { low: -1.0, high: 0.4, stiffness: 4e4, damping: 0.02 }),
        };
        let stop = ForceElement { name: "stop".into(), ends: ends.clone(), law, joint: None };
        let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
        let system = System::new(vec![rod], loads, Vec::new())
            .unwrap()
            .with_joints(vec![joint(JointKind::Revolute, ends)])
            .unwrap()
            .with_forces(vec![stop])
            .unwrap();
        let settings = Settings { integrator, relative_tolerance, ..Settings::until(1.0) };
        let mut simulation = Simulation::new(system, &[at([0.3, 0.0, 0.0])], settings).unwrap();
        let summary = simulation.run(&mut Ignore, &Silent).unwrap();
        (motion(&mut simulation), summary)
    };
    let (exact, reference) = run(IntegratorKind::RungeKutta(Method::Dop853), 1e-8);
    assert!(reference.counters.cut > 4, "{:?}", reference.counters);
    for form in FORMS {
        let (found, summary) = run(alpha(0.8, form), 1e-5);
        let [position, velocity, _] = [0, 1, 2].map(|k| distance(&found[k], &exact[k]));
        assert!(position < 1e-5 && velocity < 1e-4, "{form:?}: {position:e} {velocity:e}");
        assert!(summary.counters.cut > 4, "{:?}", summary.counters);
        assert!(summary.ledger.energy_error < 1e-5, "{form:?} {:?}", summary.ledger);
    }
}

/// A slider-crank, driven at a constant speed, whose rod is hardly longer than its crank.
fn slider_crank(r: f64, l: f64, settings: Settings) -> Simulation {
    let (crank, rod, slider) = (block("crank", 1.0), block("rod", 0.5), block("slider", 0.8));
    let (x, y) = (Vector3::x(), Vector3::y());
    let joints = vec![
        joint(JointKind::Revolute, [ground([0.0; 3], y), on(0, &crank, [-0.5 * r, 0.0, 0.0], y)]),
        joint(
            JointKind::Revolute,
            [on(0, &crank, [0.5 * r, 0.0, 0.0], y), on(1, &rod, [-0.5 * l, 0.0, 0.0], y)],
        ),
        joint(JointKind::Spherical, [on(1, &rod, [0.5 * l, 0.0, 0.0], y), on(2, &slider, [0.0; 3], y)]),
        joint(JointKind::Prismatic, [ground([0.0; 3], x), on(2, &slider, [0.0; 3], x)]),
    ];
    let drive = Drive { joint: 0, coordinate: Coordinate::Angle, course: formula("20*t") };
    let system = System::new(vec![crank, rod, slider], Loads::default(), Vec::new())
        .unwrap()
        .with_joints(joints)
        .unwrap()
        .with_drives(vec![drive])
        .unwrap();
    let places = [at([0.5 * r, 0.0, 0.0]), at([r + 0.5 * l, 0.0, 0.0]), at([r + l, 0.0, 0.0])];
    Simulation::new(system, &places, settings).unwrap()
}

/// The slider follows x = r cos φ + √(ℓ² − r² sin² φ); at φ = 90° it passes the axis of the crank at high
/// speed.
#[test]
fn a_slider_crank_passes_a_nearly_singular_position() {
    let (r, l, end) = (0.1_f64, 0.101_f64, 0.2_f64);
    for form in FORMS {
        let settings =
            Settings { integrator: alpha(0.8, form), relative_tolerance: 1e-4, ..Settings::until(end) };
        let mut simulation = slider_crank(r, l, settings);
        let summary = simulation.run(&mut Ignore, &Silent).unwrap();
        let phi = 20.0 * end;
        let expected = r * phi.cos() + (l * l - (r * phi.sin()).powi(2)).sqrt();
        let found = simulation.body_states().unwrap()[2].position;
        assert!((found[0] - expected).abs() < 1e-6, "{form:?} {found:?} {expected} {:?}", summary.counters);
    }
}

/// A rod shorter than its crank: the drive prescribes an impossible position, and the run reports it.
#[test]
fn a_mechanism_that_locks_is_reported() {
    for form in FORMS {
        let settings =
            Settings { integrator: alpha(0.8, form), relative_tolerance: 1e-4, ..Settings::until(0.2) };
        let error = slider_crank(0.1, 0.08, settings).run(&mut Ignore, &Silent).unwrap_err();
        let text = error.to_string();
        // Its equations have no solution, or one of rounding alone.
        let time = match error {
            RunError::Step { source: IntegrateError::NotSolved { time, .. }, .. } => time,
            RunError::Step { source: IntegrateError::StepTooSmall { time, .. }, .. } => time,
            _ => panic!("{text}"),
        };
        // The limit is sin φ = 0.8. Velocities grow as 1/√(t₀ − t) before it, so that the end of the last
        // step depends on rounding, to some parts in 10⁴.
        let locks = 0.8_f64.asin() / 20.0;
        assert!(time < locks && time > 0.999 * locks, "{text}");
        assert!(text.contains("the equations of joint `") && text.contains("of body `"), "{text}");
    }
}
