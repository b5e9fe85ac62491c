//! Joint forces against closed forms, the balance, and the work of drives and springs.

use crate::blocks;
use crate::blocks::{along, at, block, formula, ground, joint, on, settings};
use carom_dynamics::{Ignore, JointState, Loads, Placement};
use carom_multibody::{
    Body, Coordinate, Drive, ForceElement, ForceLaw, JointKind, Simulation, Spring, Stops, System,
};
use nalgebra::{Matrix3, Vector3};

const G: f64 = 9.81;

fn gravity() -> Loads {
    Loads { gravity: [0.0, 0.0, -G], ..Loads::default() }
}

/// A rod along x about its middle with a small thickness.
fn rod(name: &str, mass: f64, length: f64) -> Body {
    let across = mass * length * length / 12.0;
    let inertia = Matrix3::from_diagonal(&Vector3::new(1e-3 * across, across, across));
    Body::rigid(name, mass, inertia, Vector3::zeros()).unwrap()
}

fn force(state: &JointState) -> Vector3<f64> {
    state.force.into()
}

fn torque(state: &JointState) -> Vector3<f64> {
    state.torque.into()
}

/// The hinge force of a rod released level: 5/2 m g sin θ along the rod, 1/4 m g cos θ across it.
#[test]
fn the_hinge_force_of_a_falling_rod_agrees_with_the_closed_form() {
    let (mass, length) = (2.0, 0.8);
    let body = rod("rod", mass, length);
    let ends = [ground([0.0; 3], Vector3::y()), on(0, &body, [-0.5 * length, 0.0, 0.0], Vector3::y())];
    let system = System::new(vec![body], gravity(), Vec::new())
        .unwrap()
        .with_joints(vec![joint(JointKind::Revolute, ends)])
        .unwrap();
    let mut simulation = Simulation::new(system, &[at([0.5 * length, 0.0, 0.0])], settings(1.0)).unwrap();
    let mut lowest = 0.0_f64;
    while simulation.time() < 1.0 {
        simulation.step(&mut Ignore).unwrap();
        let place = Vector3::from(simulation.body_states().unwrap()[0].position) / (0.5 * length);
        let (along, across) = (place, Vector3::new(-place.z, 0.0, place.x));
        let sin = -place.z;
        lowest = lowest.max(sin);
        let state = simulation.joint_states().unwrap()[0];
        let expected = -2.5 * mass * G * sin * along + 0.25 * mass * G * place.x * across;
        assert!((force(&state) - expected).norm() < 1e-5 * mass * G, "{} {expected}", force(&state));
        assert!(torque(&state).norm() < 1e-9 * mass * G * length, "a hinge without load holds no torque");
    }
    assert!(lowest > 0.99, "{lowest}");
}

/// Links of a chain at rest: each joint carries the links below it.
#[test]
fn each_joint_of_a_hanging_chain_carries_the_links_below() {
    let n = 12;
    let bodies: Vec<Body> = (0..n).map(|i| block(&format!("link {i}"), 1.0 + 0.1 * i as f64)).collect();
    let half = 0.1;
    let mut joints = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let above = match i.checked_sub(1) {
            None => ground([0.3, 0.2, 0.0], Vector3::z()),
            Some(k) => on(k, &bodies[k], [0.0, 0.0, -half], Vector3::z()),
        };
        joints.push(joint(JointKind::Spherical, [above, on(i, body, [0.0, 0.0, half], Vector3::z())]));
    }
    let masses: Vec<f64> = bodies.iter().map(|body| body.frame.mass).collect();
    let places: Vec<Placement> = (0..n).map(|i| at([0.3, 0.2, -half * (2 * i + 1) as f64])).collect();
    let system = System::new(bodies, gravity(), Vec::new()).unwrap().with_joints(joints).unwrap();
    let mut simulation = Simulation::new(system, &places, settings(0.5)).unwrap();
    let summary = blocks::run(&mut simulation);
    for (k, state) in simulation.joint_states().unwrap().iter().enumerate() {
        let weight: f64 = masses[k..].iter().sum::<f64>() * G;
        let apart = (force(state) - Vector3::new(0.0, 0.0, weight)).norm();
        assert!(apart < 1e-9 * weight, "joint {k}: {apart}");
    }
    // At rest the momenta are zero: errors are relative to the impulse of gravity, which the joints transmit.
    assert!(summary.ledger.momentum_error < 1e-12, "{:?}", summary.ledger);
    assert!(summary.ledger.ang_momentum_error < 1e-12, "{:?}", summary.ledger);
}

/// Crank, connecting rod and piston.
struct SliderCrank {
    crank: f64,
    rod: f64,
    masses: [f64; 3],
    speed: f64,
}

impl SliderCrank {
    /// Joints: bearing with the drive, crank pin, piston pin, slide.
    fn simulation(&self, end: f64) -> Simulation {
        let (r, l) = (self.crank, self.rod);
        let bodies =
            [rod("crank", self.masses[0], r), rod("rod", self.masses[1], l), block("piston", self.masses[2])];
        let y = Vector3::y();
        let joints = vec![
            joint(JointKind::Revolute, [ground([0.0; 3], y), on(0, &bodies[0], [-0.5 * r, 0.0, 0.0], y)]),
            joint(
                JointKind::Revolute,
                [on(0, &bodies[0], [0.5 * r, 0.0, 0.0], y), on(1, &bodies[1], [-0.5 * l, 0.0, 0.0], y)],
            ),
            joint(
                JointKind::Spherical,
                [on(1, &bodies[1], [0.5 * l, 0.0, 0.0], y), on(2, &bodies[2], [0.0; 3], y)],
            ),
            joint(
                JointKind::Prismatic,
                [ground([0.0; 3], Vector3::x()), on(2, &bodies[2], [0.0; 3], Vector3::x())],
            ),
        ];
        let drive =
            Drive { joint: 0, coordinate: Coordinate::Angle, course: formula(&format!("{}*t", -self.speed)) };
        let system = System::new(bodies.to_vec(), gravity(), Vec::new())
            .unwrap()
            .with_joints(joints)
            .unwrap()
            .with_drives(vec![drive])
            .unwrap();
        let places = [at([0.5 * r, 0.0, 0.0]), at([r + 0.5 * l, 0.0, 0.0]), at([r + l, 0.0, 0.0])];
        Simulation::new(system, &places, settings(end)).unwrap()
    }

    /// E(θ) of all bodies at the speed of the crank, which turns from x to z.
    fn energy(&self, theta: f64) -> f64 {
        let (r, l, w) = (self.crank, self.rod, self.speed);
        let [m1, m2, m3] = self.masses;
        let sin_phi = -r / l * theta.sin();
        let phi = sin_phi.asin();
        let phi_rate = -r / l * theta.cos() / phi.cos() * w;
        let middle_rate = [
            -r * w * theta.sin() - 0.5 * l * phi_rate * phi.sin(),
            r * w * theta.cos() + 0.5 * l * phi_rate * phi.cos(),
        ];
        let piston_rate = -r * w * theta.sin() - l * phi_rate * phi.sin();
        let kinetic = 0.5 * m1 * r * r / 3.0 * w * w
            + 0.5 * m2 * (middle_rate[0].powi(2) + middle_rate[1].powi(2))
            + 0.5 * m2 * l * l / 12.0 * phi_rate * phi_rate
            + 0.5 * m3 * piston_rate * piston_rate;
        let heights = [0.5 * r * theta.sin(), 0.5 * r * theta.sin()];
        kinetic + G * (m1 * heights[0] + m2 * heights[1])
    }

    /// dE/dθ = M of the motion, by central differences of order four.
    fn torque(&self, theta: f64) -> f64 {
        let h = 1e-3;
        let e = |k: f64| self.energy(theta + k * h);
        (8.0 * (e(1.0) - e(-1.0)) - (e(2.0) - e(-2.0))) / (12.0 * h)
    }
}

#[test]
fn the_drive_torque_of_a_slider_crank_is_the_derivative_of_its_energy() {
    let machine = SliderCrank { crank: 0.1, rod: 0.3, masses: [0.5, 0.8, 1.2], speed: 30.0 };
    let mut simulation = machine.simulation(0.25);
    let mut largest = 0.0_f64;
    while simulation.time() < 0.25 {
        simulation.step(&mut Ignore).unwrap();
        let theta = machine.speed * simulation.time();
        let states = simulation.joint_states().unwrap().to_vec();
        let action = states[0].actions[1].unwrap();
        // The angle about +y turns x towards −z.
        assert!(
            (action.value + theta).abs() < 1e-8 && (action.rate + machine.speed).abs() < 1e-7,
            "{action:?}"
        );
        let (found, expected) = (-action.drive.unwrap(), machine.torque(theta));
        assert!((found - expected).abs() < 1e-6 * 11.0, "at {theta}: {found} {expected}");
        assert!((action.power().unwrap() - found * machine.speed).abs() < 1e-4);
        // The torque of the bearing about its axis is the same.
        assert!((torque(&states[0]).y + found).abs() < 1e-9 * 11.0, "{}", torque(&states[0]));
        largest = largest.max(found.abs());
        // The slide has zero force along its axis: only the rod accelerates the piston.
        assert!(force(&states[3]).x.abs() < 1e-9 * 1e3, "{}", force(&states[3]));
    }
    assert!(largest > 11.0 && largest < 12.0, "{largest}");
}

/// The impulse of the forces of bearing, slide and gravity is the change of momentum, their angular impulse
/// that of the angular momentum, and the integral of the power of the drive is its work. Integrals by
/// Simpson's rule over the run are compared with the ledger.
#[test]
fn reactions_of_the_ground_are_the_impulse_of_the_balance() {
    let machine = SliderCrank { crank: 0.1, rod: 0.3, masses: [0.5, 0.8, 1.2], speed: 30.0 };
    let (end, n) = (0.2, 400);
    let samples = Samples { every: end / f64::from(n), rows: Vec::new() };
    let mut simulation = machine.simulation(end);
    simulation.settings.output_every = Some(samples.every);
    let mut samples = samples;
    let summary = simulation.run(&mut samples, &carom_progress::Silent).unwrap();
    assert_eq!(samples.rows.len(), n as usize + 1);
    let [first, last] = [&samples.rows[0], &samples.rows[n as usize]];
    let weight = Vector3::new(0.0, 0.0, -G * machine.masses.iter().sum::<f64>());
    for (name, found, change) in [
        ("impulse", samples.integral(|row| row.force) + weight * end, last.momentum - first.momentum),
        ("booked", samples.integral(|row| row.force) + weight * end, last.impulse - first.impulse),
        ("moment", samples.integral(|row| row.moment), last.ang_impulse - first.ang_impulse),
        ("work", samples.integral(|row| Vector3::x() * row.power), Vector3::x() * (last.work - first.work)),
    ] {
        let size = if name == "work" { 300.0 } else { 10.0 };
        assert!((found - change).norm() < 1e-6 * size, "{name}: {found} {change}");
    }
    assert!(summary.ledger.momentum_error < 1e-10, "{:?}", summary.ledger);
}

/// Forces of the ground on the mechanism and its balance at output times.
struct Samples {
    every: f64,
    rows: Vec<Sample>,
}

struct Sample {
    force: Vector3<f64>,
    moment: Vector3<f64>,
    power: f64,
    momentum: Vector3<f64>,
    impulse: Vector3<f64>,
    ang_impulse: Vector3<f64>,
    work: f64,
}

impl Samples {
    fn integral(&self, of: impl Fn(&Sample) -> Vector3<f64>) -> Vector3<f64> {
        let n = self.rows.len() - 1;
        let weight = |k: usize| if k == 0 || k == n { 1.0 } else { [2.0, 4.0][k % 2] };
        let rows = self.rows.iter().enumerate();
        rows.map(|(k, row)| of(row) * (weight(k) * self.every / 3.0)).sum()
    }
}

impl carom_dynamics::Observer for Samples {
    fn frame(&mut self, frame: &carom_dynamics::Frame<'_>) -> Result<(), carom_dynamics::ObserverError> {
        // Bearing at the origin; the slide, whose first end lies there too. Gravity has the moment Σ x × m g.
        let ground = [&frame.joints[0], &frame.joints[3]];
        let masses = [0.5, 0.8, 1.2];
        let bodies = frame.bodies.iter().zip(masses);
        let weights: Vector3<f64> = bodies
            .map(|(body, mass)| Vector3::from(body.position).cross(&Vector3::new(0.0, 0.0, -mass * G)))
            .sum();
        let balance = &frame.ledger.balance;
        self.rows.push(Sample {
            force: ground.iter().map(|state| force(state)).sum(),
            moment: ground.iter().map(|state| torque(state)).sum::<Vector3<f64>>() + weights,
            power: frame.joints[0].actions[1].and_then(|action| action.power()).unwrap(),
            momentum: balance.momentum.into(),
            impulse: balance.external_impulse.into(),
            ang_impulse: balance.external_ang_impulse.into(),
            work: balance.w_ext,
        });
        Ok(())
    }

    fn contact_event(
        &mut self,
        _: &carom_dynamics::ContactEvent,
    ) -> Result<(), carom_dynamics::ObserverError> {
        Ok(())
    }
}

/// A wheel on an axle with spring, damper and a stop in contact: each has a separate value, and the torque of
/// the joint is their sum. A separate spring is listed after the joints.
#[test]
fn springs_and_stops_of_a_joint_are_reported_separately() {
    let wheel = block("wheel", 1.0);
    let axis = Vector3::new(0.6, 0.0, 0.8);
    let ends = [ground([0.1, 0.2, 0.3], axis), on(0, &wheel, [0.1, 0.2, 0.3], axis)];
    let spring = Spring { stiffness: 2.0, damping: 0.3, free: 0.1, preload: 0.05 };
    let stops = Stops { low: f64::NEG_INFINITY, high: 0.2, stiffness: 40.0, damping: 0.0 };
    let law = ForceLaw::Along { coordinate: Coordinate::Angle, spring, stops: Some(stops) };
    let acting = ForceElement { name: "stop".to_owned(), ends: ends.clone(), law, joint: Some(0) };
    let apart = Spring { stiffness: 0.1, damping: 0.0, free: 0.5, preload: 0.0 };
    let pull = [ground([0.0, 0.0, 2.0], axis), on(0, &wheel, [0.0; 3], axis)];
    let pull = along(Coordinate::Length, apart, pull);
    let system = System::new(vec![wheel], Loads::default(), Vec::new())
        .unwrap()
        .with_joints(vec![joint(JointKind::Revolute, ends)])
        .unwrap()
        .with_forces(vec![pull, acting])
        .unwrap();
    let spin = Placement { angular_velocity: (axis * 20.0).into(), ..Placement::default() };
    let mut simulation = Simulation::new(system, &[spin], settings(20.0)).unwrap();
    let mut beyond = 0;
    while simulation.time() < 1.5 {
        simulation.step(&mut Ignore).unwrap();
        let &[hinge, pull] = simulation.joint_states().unwrap() else { panic!("a joint and a spring") };
        let action = hinge.actions[1].unwrap();
        let expected = -2.0 * (action.value - 0.1) - 0.05 - 0.3 * action.rate;
        assert!((action.spring.unwrap() - expected).abs() < 1e-12, "{action:?}");
        let stop = -40.0 * (action.value - 0.2).max(0.0);
        assert!((action.stop.unwrap() - stop).abs() < 1e-12 && action.drive.is_none(), "{action:?}");
        let about = torque(&hinge).dot(&axis);
        assert!((about - expected - stop).abs() < 1e-10, "{about} {expected} {stop}");
        beyond += usize::from(stop < 0.0);
        // The spring pulls the wheel to the point above it.
        let length = pull.actions[0].unwrap();
        let place = Vector3::from(simulation.body_states().unwrap()[0].position);
        let towards = Vector3::new(0.0, 0.0, 2.0) - place;
        let expected = 0.1 * (towards.norm() - 0.5) * towards.normalize();
        assert!((force(&pull) - expected).norm() < 1e-10, "{} {expected}", force(&pull));
        assert!((length.value - towards.norm()).abs() < 1e-12 && length.spring.unwrap() < 0.0);
    }
    assert!(beyond > 3, "{beyond}");
}
