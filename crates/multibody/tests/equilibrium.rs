//! Static equilibria of mechanisms against closed forms and potentials.

use crate::blocks::{along, at, block, formula, ground, joint, on, position, run, settings};
use crate::lattice::Lattice;
use carom_dynamics::{Axes, Loads, Placement, PointLoad, TimeFunction};
use carom_multibody::{
    Body, Coordinate, Drive, Equilibrium, EquilibriumError, HertzContact, HertzShape, Joint, JointKind,
    RunError, Settings, Simulation, Spring, Start, System,
};
use nalgebra::{Matrix3, Vector3};

const G: f64 = 9.81;

fn gravity() -> Loads {
    Loads { gravity: [0.0, 0.0, -G], ..Loads::default() }
}

/// A slender rod along x about its centre of mass.
fn rod(name: &str, mass: f64, length: f64) -> Body {
    let across = mass * length * length / 12.0;
    let inertia = Matrix3::from_diagonal(&Vector3::new(0.01 * across, across, across));
    Body::rigid(name, mass, inertia, Vector3::zeros()).unwrap()
}

fn still(system: System, places: &[Placement]) -> Result<Simulation, RunError> {
    Simulation::new(system, places, Settings { start: Start::Equilibrium, ..settings(0.0) })
}

fn found(system: System, places: &[Placement]) -> (Equilibrium, Simulation) {
    let simulation = still(system, places).unwrap();
    let equilibrium = simulation.equilibrium.clone().unwrap();
    println!("{equilibrium:?}");
    assert!(equilibrium.residual < 1e-7, "{equilibrium:?}");
    (equilibrium, simulation)
}

/// A rod on a hinge at its end, level or at an angle.
fn pendulum(degrees: f64) -> (System, Placement) {
    let (mass, half) = (2.0, 0.25);
    let body = rod("rod", mass, 2.0 * half);
    let y = Vector3::y();
    let hinge = joint(JointKind::Revolute, [ground([0.0; 3], y), on(0, &body, [-half, 0.0, 0.0], y)]);
    let system = System::new(vec![body], gravity(), Vec::new()).unwrap().with_joints(vec![hinge]).unwrap();
    let angle = degrees.to_radians();
    // A rotation about +y turns x towards −z.
    let origin = [half * angle.cos(), 0.0, -half * angle.sin()];
    (system, Placement { origin, ..Placement::rotated([0.0, 1.0, 0.0], degrees) })
}

#[test]
fn a_pendulum_hangs_down_and_oscillates_with_its_frequency() {
    for degrees in [0.0, 40.0, -60.0, 120.0] {
        let (system, place) = pendulum(degrees);
        let (equilibrium, mut simulation) = found(system, &[place]);
        let middle = position(&mut simulation, 0);
        assert!((middle - Vector3::new(0.0, 0.0, -0.25)).norm() < 1e-9, "{degrees}: {middle}");
        // ω² = m g ℓ/2 / (m ℓ²/3).
        let hz = (1.5 * G / 0.5_f64).sqrt() / std::f64::consts::TAU;
        let [mode] = &equilibrium.modes[..] else { panic!("{equilibrium:?}") };
        assert!((mode.frequency / hz - 1.0).abs() < 1e-6, "{equilibrium:?} {hz}");
        assert!(mode.damping_ratio == Some(0.0) && (mode.shares[0] - 1.0).abs() < 1e-9, "{mode:?}");
        assert_eq!((equilibrium.freedoms, &equilibrium.unstable), (1, &None));
    }
}

#[test]
fn an_upright_pendulum_is_an_unstable_equilibrium() {
    let (system, place) = pendulum(-90.0);
    let (equilibrium, _) = found(system, &[place]);
    let unstable = equilibrium.unstable.unwrap();
    assert!(unstable.contains("`rod`") && equilibrium.modes[0].frequency < 0.0, "{unstable}");
}

/// A chain of n rods between two points: with the horizontal force H the slopes of the rods of weight w are
/// tan θ_i = w (2 i − n − 1)/(2 H), and Σ ℓ cos θ_i is the span.
#[test]
fn a_hanging_chain_takes_the_form_of_its_links() {
    let (n, length, mass) = (12_usize, 0.2, 0.3);
    let span = 0.7 * n as f64 * length;
    let y = Vector3::y();
    let rods: Vec<Body> = (0..n).map(|i| rod(&format!("link {i}"), mass, length)).collect();
    let half = 0.5 * length;
    // Placed as a level chain that sags by two straight halves.
    let slope = (span / (n as f64 * length)).acos();
    let mut joints = Vec::new();
    let mut places = Vec::new();
    for i in 0..n {
        let first = match i {
            0 => ground([0.0; 3], y),
            _ => on(i - 1, &rods[i - 1], [half, 0.0, 0.0], y),
        };
        joints.push(joint(JointKind::Revolute, [first, on(i, &rods[i], [-half, 0.0, 0.0], y)]));
        let down = if i < n / 2 { slope } else { -slope };
        let depth = |k: f64| -(k.min(n as f64 - k)) * length * slope.sin();
        let middle = i as f64 + 0.5;
        let origin = [middle * length * slope.cos(), 0.0, depth(middle)];
        places.push(Placement { origin, ..Placement::rotated([0.0, 1.0, 0.0], down.to_degrees()) });
    }
    let last = on(n - 1, &rods[n - 1], [half, 0.0, 0.0], y);
    joints.push(joint(JointKind::Revolute, [ground([span, 0.0, 0.0], y), last]));
    let system = System::new(rods, gravity(), Vec::new()).unwrap().with_joints(joints).unwrap();
    let (equilibrium, mut simulation) = found(system, &places);
    assert_eq!(equilibrium.freedoms, n - 2);
    let tangent = |c: f64, i: usize| c * (2.0 * i as f64 - n as f64 + 1.0);
    let width = |c: f64| (0..n).map(|i| length / tangent(c, i).hypot(1.0)).sum::<f64>();
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if width(middle) > span { low = middle } else { high = middle }
    }
    let (mut x, mut z) = (0.0, 0.0);
    for i in 0..n {
        let t = tangent(low, i);
        let (dx, dz) = (length / t.hypot(1.0), length * t / t.hypot(1.0));
        let expected = Vector3::new(x + 0.5 * dx, 0.0, z + 0.5 * dz);
        let middle = position(&mut simulation, i);
        assert!((middle - expected).norm() < 1e-7, "{i}: {middle} {expected}");
        (x, z) = (x + dx, z + dz);
    }
    let h = 0.5 * mass * G / low;
    println!("horizontal force {h} N");
}

/// Two masses on springs above each other, with a preload, and a force on the lower one.
#[test]
fn springs_in_a_row_share_the_load() {
    let z = Vector3::z();
    let bodies: Vec<Body> = ["upper", "lower"].iter().map(|name| block(name, 3.0)).collect();
    let slide = |i: usize| joint(JointKind::Prismatic, [ground([0.0; 3], z), on(i, &bodies[i], [0.0; 3], z)]);
    let spring = |stiffness, preload, ends| {
        along(Coordinate::Length, Spring { stiffness, preload, free: 0.5, damping: 1.0 }, ends)
    };
    let elements = vec![
        spring(400.0, 2.0, [ground([0.0; 3], z), on(0, &bodies[0], [0.0; 3], z)]),
        spring(300.0, 0.0, [on(0, &bodies[0], [0.0; 3], z), on(1, &bodies[1], [0.0; 3], z)]),
    ];
    let load = PointLoad {
        body: 1,
        marker: bodies[1].frame_marker(Vector3::zeros()),
        force: [0.0, 0.0, -10.0],
        torque: [0.0; 3],
        axes: Axes::Inertial,
        scale: TimeFunction::Constant(1.0),
    };
    let loads = Loads { point_loads: vec![load], ..gravity() };
    let joints = vec![slide(0), slide(1)];
    let system = System::new(bodies, loads, Vec::new())
        .unwrap()
        .with_joints(joints)
        .unwrap()
        .with_forces(elements)
        .unwrap();
    let (equilibrium, mut simulation) = found(system, &[at([0.0, 0.0, -0.4]), at([0.0, 0.0, -1.0])]);
    let upper = 0.5 + (6.0 * G + 10.0 - 2.0) / 400.0;
    let lower = upper + 0.5 + (3.0 * G + 10.0) / 300.0;
    let found = [0, 1].map(|i| -position(&mut simulation, i).z);
    assert!(
        (found[0] - upper).abs() < 1e-10 && (found[1] - lower).abs() < 1e-10,
        "{found:?} {upper} {lower}"
    );
    // (700 − 3 ω²)(300 − 3 ω²) = 300².
    let root = |sign: f64| ((1000.0 + sign * (1000.0_f64.powi(2) - 4.0 * 120e3).sqrt()) / 6.0).sqrt();
    let expected = [root(-1.0), root(1.0)].map(|omega| omega / std::f64::consts::TAU);
    let hz: Vec<f64> = equilibrium.modes.iter().map(|mode| mode.frequency).collect();
    assert!((0..2).all(|k| (hz[k] / expected[k] - 1.0).abs() < 1e-6), "{hz:?} {expected:?}");
}

/// A four-bar linkage in gravity, whose potential over the angle of its crank has its minimum there.
#[test]
fn a_four_bar_linkage_rests_at_the_minimum_of_its_potential() {
    let (a, b, c, d) = (0.2, 0.5, 0.4, 0.45);
    let masses = [1.0, 3.0, 0.5];
    // Places of the two moving pins for the angle of the crank, in the plane x, z.
    let pins = |theta: f64| {
        let p = [a * theta.cos(), a * theta.sin()];
        let (dx, dz) = (d - p[0], -p[1]);
        let along = dx.hypot(dz);
        let s = (b * b - c * c + along * along) / (2.0 * along);
        let h = (b * b - s * s).sqrt();
        [p, [p[0] + (s * dx - h * dz) / along, p[1] + (s * dz + h * dx) / along]]
    };
    let potential = |theta: f64| {
        let [p, q] = pins(theta);
        G * (masses[0] * 0.5 * p[1] + masses[1] * 0.5 * (p[1] + q[1]) + masses[2] * 0.5 * q[1])
    };
    let (mut low, mut high) = (-3.0, -0.2);
    for _ in 0..200 {
        let [left, right] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
        if potential(left) < potential(right) { high = right } else { low = left }
    }
    let expected = pins(0.5 * (low + high));
    let start = pins(-0.6);
    let y = Vector3::y();
    let lengths = [a, b, c];
    let rods: Vec<Body> =
        (0..3).map(|i| rod(["crank", "coupler", "rocker"][i], masses[i], lengths[i])).collect();
    let end = |i: usize, side: f64| on(i, &rods[i], [0.5 * side * lengths[i], 0.0, 0.0], y);
    let named = |name: &str, ends| Joint { name: name.to_owned(), ..joint(JointKind::Revolute, ends) };
    let joints = vec![
        named("a", [ground([0.0; 3], y), end(0, -1.0)]),
        named("b", [end(0, 1.0), end(1, -1.0)]),
        named("c", [end(1, 1.0), end(2, -1.0)]),
        named("d", [ground([d, 0.0, 0.0], y), end(2, 1.0)]),
    ];
    let [p, q] = start;
    let between = |from: [f64; 2], to: [f64; 2]| {
        let angle = -(to[1] - from[1]).atan2(to[0] - from[0]);
        let origin = [0.5 * (from[0] + to[0]), 0.0, 0.5 * (from[1] + to[1])];
        Placement { origin, ..Placement::rotated([0.0, 1.0, 0.0], angle.to_degrees()) }
    };
    let places = [between([0.0; 2], p), between(p, q), between(q, [d, 0.0])];
    let system = System::new(rods, gravity(), Vec::new()).unwrap().with_joints(joints).unwrap();
    let (equilibrium, mut simulation) = found(system, &places);
    assert_eq!((equilibrium.freedoms, &equilibrium.unstable), (1, &None));
    let middle = position(&mut simulation, 1);
    let expected = [0, 1].map(|k| 0.5 * (expected[0][k] + expected[1][k]));
    let off = (middle.x - expected[0]).hypot(middle.z - expected[1]);
    // A minimum of a potential is found to the root of rounding.
    assert!(off < 1e-7, "{middle} {expected:?}");
    // It stays there.
    let place = middle;
    simulation.settings.end_time = 0.5;
    run(&mut simulation);
    assert!((position(&mut simulation, 1) - place).norm() < 1e-6);
}

/// A held elastic body under a force deforms by K̄⁻¹ φᵀ f, in one step.
#[test]
fn an_elastic_body_deforms_by_its_compliance() {
    let body = Lattice::new(0.3, 2.0, 60.0).body(6).fixed();
    let marker = body.marker(&[0, 1, 2, 3]).unwrap();
    let force = Vector3::new(3.0, -1.0, 2.0);
    let load = PointLoad {
        body: 0,
        marker: marker.clone(),
        force: force.into(),
        torque: [0.0; 3],
        axes: Axes::Inertial,
        scale: TimeFunction::Constant(1.0),
    };
    let loads = Loads { point_loads: vec![load], ..Loads::default() };
    let expected: Vec<f64> = (0..6)
        .map(|k| Vector3::from(marker.displacement[k]).dot(&force) / body.frame.stiffness_modal[(k, k)])
        .collect();
    let highest = (0..6).map(|k| body.frame.stiffness_modal[(k, k)]).fold(0.0, f64::max).sqrt();
    let system = System::new(vec![body], loads, Vec::new()).unwrap();
    let (equilibrium, mut simulation) = found(system, &[Placement::default()]);
    let modal = &simulation.body_states().unwrap()[0].modal;
    for (q, expected) in modal.iter().zip(&expected) {
        assert!((q - expected).abs() < 1e-9 * expected.abs().max(1e-6), "{modal:?} {expected:?}");
    }
    let hz = equilibrium.modes[5].frequency;
    assert!((hz * std::f64::consts::TAU / highest - 1.0).abs() < 1e-6, "{hz} {highest}");
}

/// A ball on a plate, guided along the normal: Hertz' approach d with k d^{3/2} = m g, and small oscillations
/// with the stiffness 3/2 k √d.
#[test]
fn a_ball_rests_on_a_plate_with_the_approach_of_hertz() {
    let (mass, radius, modulus) = (0.11, 0.015, 1.15e11);
    for height in [0.0, 1e-3, -1e-6] {
        let inertia = Matrix3::from_diagonal_element(0.4 * mass * radius * radius);
        let ball = Body::rigid("ball", mass, inertia, Vector3::zeros()).unwrap();
        let plate = block("plate", 1.0).fixed();
        let z = Vector3::z();
        let guide = joint(JointKind::Prismatic, [ground([0.0, 0.0, radius], z), on(0, &ball, [0.0; 3], z)]);
        let contact = HertzContact {
            bodies: [0, 1],
            center_b: Vector3::zeros(),
            radius,
            other: HertzShape::Plane { point_b: Vector3::zeros(), normal_b: z },
            modulus,
        };
        let system = System::new(vec![ball, plate], gravity(), vec![Box::new(contact)])
            .unwrap()
            .with_joints(vec![guide])
            .unwrap();
        let places = [at([0.0, 0.0, radius + height]), Placement::default()];
        let (equilibrium, mut simulation) = found(system, &places);
        let k = 4.0 / 3.0 * modulus * radius.sqrt();
        let approach = (mass * G / k).powf(2.0 / 3.0);
        let depth = radius - position(&mut simulation, 0).z;
        assert!((depth / approach - 1.0).abs() < 1e-6, "{height}: {depth:e} {approach:e}");
        let hz = (1.5 * k * approach.sqrt() / mass).sqrt() / std::f64::consts::TAU;
        let lowest = equilibrium.modes[0].frequency;
        assert!((lowest / hz - 1.0).abs() < 1e-4, "{height}: {lowest} {hz}");
    }
}

/// The modes of a double pendulum of two equal rods about its hanging position: with λ = ω² ℓ/g the equation
/// |K − λ M| = 0 of K = diag(3/2, 1/2), M = [4/3, 1/2; 1/2, 1/3] in the angles of the rods.
#[test]
fn a_double_pendulum_has_its_two_frequencies() {
    let (length, mass, y) = (0.4, 1.0, Vector3::y());
    let rods = [rod("upper", mass, length), rod("lower", mass, length)];
    let joints = vec![
        joint(JointKind::Revolute, [ground([0.0; 3], y), on(0, &rods[0], [-0.2, 0.0, 0.0], y)]),
        joint(
            JointKind::Revolute,
            [on(0, &rods[0], [0.2, 0.0, 0.0], y), on(1, &rods[1], [-0.2, 0.0, 0.0], y)],
        ),
    ];
    let system = System::new(rods.to_vec(), gravity(), Vec::new()).unwrap().with_joints(joints).unwrap();
    let (equilibrium, _) = found(system, &[at([0.2, 0.0, 0.0]), at([0.6, 0.0, 0.0])]);
    // 7/36 λ² − 7/6 λ + 3/4 = 0.
    let root = |sign: f64| 3.0 + sign * (9.0 - 27.0 / 7.0_f64).sqrt();
    for (mode, lambda) in equilibrium.modes.iter().zip([root(-1.0), root(1.0)]) {
        let hz = (lambda * G / length).sqrt() / std::f64::consts::TAU;
        assert!((mode.frequency / hz - 1.0).abs() < 1e-6, "{mode:?} {hz}");
        assert!((mode.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{mode:?}");
    }
    // All modes together move the whole mass that can move along x.
    let along_x: f64 = equilibrium.modes.iter().map(|mode| mode.effective_mass[0]).sum();
    let expected = [4.0 / 3.0, 0.5, 0.5, 1.0 / 3.0];
    let (a, b, d) = (expected[0], expected[1], expected[3]);
    // bᵀ M⁻¹ b with the momentum b = m ℓ (3/2, 1/2) along x of the rates of the angles.
    let effective = (1.5 * 1.5 * d - 2.0 * 1.5 * 0.5 * b + 0.5 * 0.5 * a) / (a * d - b * b);
    assert!((along_x / (mass * effective) - 1.0).abs() < 1e-6, "{along_x} {effective}");
}

/// Masses on springs with dampers: damping ratios of single masses, also above 1, and of two masses whose
/// dampers couple them, from the characteristic equation.
#[test]
fn dampers_give_their_damping_ratios() {
    let z = Vector3::z();
    let oscillator = |stiffnesses: [f64; 2], dampings: [f64; 2]| {
        let bodies: Vec<Body> = ["upper", "lower"].iter().map(|name| block(name, 3.0)).collect();
        let slide =
            |i: usize| joint(JointKind::Prismatic, [ground([0.0; 3], z), on(i, &bodies[i], [0.0; 3], z)]);
        let spring = |k: usize, ends| {
            let [stiffness, damping] = [stiffnesses[k], dampings[k]];
            along(Coordinate::Length, Spring { stiffness, damping, free: 0.5, preload: 0.0 }, ends)
        };
        let elements = vec![
            spring(0, [ground([0.0; 3], z), on(0, &bodies[0], [0.0; 3], z)]),
            spring(1, [on(0, &bodies[0], [0.0; 3], z), on(1, &bodies[1], [0.0; 3], z)]),
        ];
        let joints = vec![slide(0), slide(1)];
        let system = System::new(bodies, gravity(), Vec::new()).unwrap().with_joints(joints).unwrap();
        found(system.with_forces(elements).unwrap(), &[at([0.0, 0.0, -0.6]), at([0.0, 0.0, -1.2])]).0
    };
    // In proportion to the stiffness: ζ = β ω/2 of each mode, some above 1.
    for beta in [1e-3, 0.2] {
        let modes = oscillator([400.0, 300.0], [400.0 * beta, 300.0 * beta]).modes;
        for mode in &modes {
            let ratio = 0.5 * beta * std::f64::consts::TAU * mode.frequency;
            assert!((mode.damping_ratio.unwrap() / ratio - 1.0).abs() < 1e-5, "{mode:?} {ratio}");
        }
    }
    // One damper alone: the roots μ of |μ² M + μ D + K| for M = 3 E, K = [700, −300; −300, 300] and D = [c,
    // 0; 0, 0].
    let c = 6.0;
    let modes = oscillator([400.0, 300.0], [c, 0.0]).modes;
    for mode in &modes {
        let ratio = mode.damping_ratio.unwrap();
        // Newton's method from the undamped root.
        let mut mu = nalgebra::Complex::new(0.0, std::f64::consts::TAU * mode.frequency);
        for _ in 0..50 {
            let a = mu * mu * 3.0 + mu * c + 700.0;
            let b = mu * mu * 3.0 + 300.0;
            let slope = (mu * 6.0 + c) * b + a * mu * 6.0;
            mu -= (a * b - 9e4) / slope;
        }
        assert!((ratio / (-mu.re / mu.norm()) - 1.0).abs() < 1e-5, "{mode:?} {mu}");
    }
}

/// A free motion is refused with its name: a pendulum without gravity, a body that nothing holds.
#[test]
fn a_motion_without_stiffness_is_named() {
    let y = Vector3::y();
    let body = block("flap", 1.0);
    let hinge = joint(JointKind::Revolute, [ground([0.0; 3], y), on(0, &body, [-0.2, 0.0, 0.0], y)]);
    let system = System::new(vec![body], Loads::default(), Vec::new()).unwrap();
    let error = still(system.with_joints(vec![hinge]).unwrap(), &[at([0.2, 0.0, 0.0])]).unwrap_err();
    assert!(matches!(error, RunError::Equilibrium(EquilibriumError::Free { .. })), "{error}");
    assert!(error.to_string().contains("body `flap` "), "{error}");
    let body = block("stone", 1.0);
    let system = System::new(vec![body], gravity(), Vec::new()).unwrap();
    let error = still(system, &[Placement::default()]).unwrap_err();
    assert!(matches!(error, RunError::Equilibrium(EquilibriumError::NotFound { .. })), "{error}");
    assert!(error.to_string().contains("body `stone` moves along [0.00, 0.00, 1.00]"), "{error}");
}

/// A crank that a motion turns begins with its speed, with the rest of the mechanism in the equilibrium of
/// the crank's first position.
#[test]
fn motions_are_held_in_the_equilibrium_and_begin_with_their_speed() {
    let y = Vector3::y();
    let (crank, bob) = (rod("crank", 1.0, 0.4), rod("bob", 1.0, 0.4));
    let joints = vec![
        joint(JointKind::Revolute, [ground([0.0; 3], y), on(0, &crank, [-0.2, 0.0, 0.0], y)]),
        joint(JointKind::Revolute, [on(0, &crank, [0.2, 0.0, 0.0], y), on(1, &bob, [-0.2, 0.0, 0.0], y)]),
    ];
    let drive = Drive { joint: 0, coordinate: Coordinate::Angle, course: formula("3*t + 5*t^2") };
    let system = System::new(vec![crank, bob], gravity(), Vec::new())
        .unwrap()
        .with_joints(joints)
        .unwrap()
        .with_drives(vec![drive])
        .unwrap();
    let (equilibrium, mut simulation) = found(system, &[at([0.2, 0.0, 0.0]), at([0.6, 0.0, 0.0])]);
    assert_eq!(equilibrium.freedoms, 1);
    assert!((position(&mut simulation, 1) - Vector3::new(0.4, 0.0, -0.2)).norm() < 1e-9);
    let states = simulation.body_states().unwrap();
    assert!((states[0].angular_velocity[1] - 3.0).abs() < 1e-9, "{:?}", states[0]);
}
