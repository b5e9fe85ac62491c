//! Newton's restitution with Coulomb friction creates no energy.

use crate::problems::{Random, at, block, block_in_the_air, ground, pair, walls};
use carom_dynamics::Placement;
use carom_rigid::{Ball, Law, PairSpec, RigidBody, System};
use nalgebra::{Matrix3, Vector3};

const GRAVITY: f64 = 9.81;

/// T + U.
fn energy(system: &System) -> f64 {
    system.kinetic() + system.gravity_potential() + system.contact_potential()
}

/// Largest change of T + U in a step, in J.
fn largest_rise(system: &mut System, steps: u32, case: &str) -> f64 {
    let (mut last, mut rise) = (energy(system), f64::NEG_INFINITY);
    for _ in 0..steps {
        system.step().unwrap_or_else(|error| panic!("{case}: {error}"));
        let now = energy(system);
        (last, rise) = (now, rise.max(now - last));
    }
    rise
}

/// A rod with two tips that touch the ground.
fn rod_in_the_air(seed: u64, restitution: f64, friction: f64, dt: f64) -> System {
    let mut random = Random(seed);
    random.vector();
    let (floor, plane) = ground();
    let tips = [0.15, -0.15].map(|z| Ball::point(Vector3::new(0.0, 0.0, z))).to_vec();
    let spec = PairSpec { restitution, friction, ..pair([0, 1], tips, plane) };
    let axis = random.vector() + Vector3::new(0.0, 0.0, 1e-3);
    let place = Placement {
        origin: [0.0, 0.0, 0.3],
        velocity: (1.5 * random.vector()).into(),
        angular_velocity: (10.0 * random.vector()).into(),
        ..Placement::rotated(axis.into(), 360.0 * random.next())
    };
    let bodies = vec![block(1.0, Vector3::new(0.02, 0.02, 0.3)), floor];
    let places = [place, at([0.0; 3], [0.0; 3])];
    System::new(bodies, &places, &[spec], Vector3::new(0.0, 0.0, -GRAVITY), dt).unwrap()
}

/// The energy of a drop does not rise, except where the body may rest: a body below the surface is lifted,
/// and slip ends within a step. There the rise is below the work of gravity in a step.
fn drops(seeds: u64) {
    let dt = 1e-3;
    let mut reduced = 0;
    for restitution in [0.5, 0.8, 1.0] {
        for friction in [0.1, 0.3, 1.0] {
            for seed in 0..seeds {
                for make in [block_in_the_air, rod_in_the_air] {
                    let case = format!("e = {restitution}, mu = {friction}, seed {seed}");
                    let mut system = make(seed, restitution, friction, dt);
                    let (initial, mass) = (energy(&system), system.bodies[0].mass);
                    let rise = largest_rise(&mut system, 1000, &case);
                    let allowed = if restitution < 1.0 { mass * (GRAVITY * dt).powi(2) } else { 0.0 };
                    assert!(rise <= allowed + 1e-12 * initial, "{case}: {rise:.1e} J of {initial:.1e} J");
                    let [least, largest] = system.energy_range().map(|e| e / initial - 1.0);
                    assert!(least > -1e-11 && largest < 1e-11, "{case}: {least:+.1e} {largest:+.1e}");
                    reduced += system.limited().steps;
                }
            }
        }
    }
    println!("{reduced} steps reduced");
    assert!(reduced > 5 * seeds, "{reduced}");
}

#[test]
fn drops_with_friction_create_no_energy() {
    drops(4);
}

#[test]
#[ignore = "1 min: 3600 drops of 1000 steps"]
fn many_drops_with_friction_create_no_energy() {
    drops(200);
}

/// In a closed box without gravity no body rests or is lifted: T never rises, for any restitution.
#[test]
fn blocks_in_a_closed_box_create_no_energy() {
    let mut impulses = 0;
    for restitution in [0.3, 0.7, 1.0] {
        for friction in [0.1, 0.5, 1.0] {
            for seed in 0..4 {
                let case = format!("e = {restitution}, mu = {friction}, seed {seed}");
                let mut random = Random(seed);
                let size = Vector3::new(0.4, 0.7, 0.9);
                let room = RigidBody::new("room", 5.0, 4.0 * Matrix3::identity(), Vector3::zeros()).unwrap();
                let corners = Ball::corners(Vector3::zeros(), size).to_vec();
                let spec = PairSpec { restitution, friction, ..pair([0, 1], corners, walls()) };
                let place = Placement {
                    velocity: (3.0 * random.vector()).into(),
                    angular_velocity: (4.0 * random.vector()).into(),
                    ..Placement::default()
                };
                let bodies = vec![block(1.0, size), room];
                let mut system =
                    System::new(bodies, &[place, Placement::default()], &[spec], Vector3::zeros(), 1e-3)
                        .unwrap();
                let initial = [system.momentum(), system.ang_momentum()];
                let kinetic = energy(&system);
                let rise = largest_rise(&mut system, 4000, &case);
                assert!(rise <= 1e-12 * kinetic, "{case}: {rise:.1e} of {kinetic}");
                impulses += system.n_impulses();
                // Impulses between both bodies keep the momenta, reduced or not.
                for (now, before) in [system.momentum(), system.ang_momentum()].iter().zip(initial) {
                    assert!((now - before).norm() < 1e-12 * (1.0 + before.norm()), "{case}");
                }
            }
        }
    }
    assert!(impulses > 300, "{impulses}");
}

/// T after Newton's law for a tip that sticks, over T before, and the impulse, for unit mass and radius of
/// gyration k.
///
/// * `arm` — velocity of the tip along x and z for ω = 1: (h, a)
fn newton(k: f64, [h, a]: [f64; 2], v: [f64; 2], omega: f64, e: f64) -> (f64, [f64; 2]) {
    // u₊ − u₋ = W r with u = (v_x + ω h, v_z + ω a), where ω grows by (h r_x + a r_z)/k².
    let w = [[1.0 + h * h / k / k, a * h / k / k], [a * h / k / k, 1.0 + a * a / k / k]];
    let u = [v[0] + omega * h, v[1] + omega * a];
    let wanted = [-u[0], -(1.0 + e) * u[1]];
    let det = w[0][0] * w[1][1] - w[0][1] * w[1][0];
    let r = [
        (wanted[0] * w[1][1] - wanted[1] * w[0][1]) / det,
        (wanted[1] * w[0][0] - wanted[0] * w[1][0]) / det,
    ];
    let kinetic = |v: [f64; 2], omega: f64| 0.5 * (v[0] * v[0] + v[1] * v[1] + k * k * omega * omega);
    let after = kinetic([v[0] + r[0], v[1] + r[1]], omega + (r[0] * h + r[1] * a) / (k * k));
    (after / kinetic(v, omega), r)
}

/// The paradox of Kane and Levinson with one contact: a rod strikes the ground with its tip, friction stops
/// the slip, and Newton's law would create energy. In such a case the energy is kept exactly; otherwise
/// Newton's law holds unchanged.
#[test]
fn a_rod_that_strikes_the_ground_gains_no_energy() {
    let (half, mass, dt) = (0.5_f64, 1.0, 1e-9);
    let size = Vector3::new(0.02, 0.02, 2.0 * half);
    let body = block(mass, size);
    let k = (body.inertia.max() / mass).sqrt();
    let (mut gains, mut losses) = (0, 0);
    for degrees in [10.0_f64, 30.0, 45.0, 60.0, 80.0] {
        for slip in [-2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0] {
            for e in [0.5, 0.9, 1.0] {
                // The rod leans to +x: its lower tip lies at (−sin, −cos) half.
                let (sin, cos) = degrees.to_radians().sin_cos();
                let place = Placement {
                    origin: [0.0, 0.0, half * cos + 0.4e-9],
                    velocity: [slip, 0.0, -1.0],
                    ..Placement::rotated([0.0, 1.0, 0.0], degrees)
                };
                let (floor, plane) = ground();
                let tip = vec![Ball::point(Vector3::new(0.0, 0.0, -half))];
                let spec = PairSpec { restitution: e, friction: 20.0, ..pair([0, 1], tip, plane) };
                let places = [place, Placement::default()];
                let mut system =
                    System::new(vec![body.clone(), floor], &places, &[spec], Vector3::zeros(), dt).unwrap();
                let before = system.kinetic();
                system.step().unwrap();
                let ratio = system.kinetic() / before;
                // ω about y: the tip at (x, z) moves by ω (z, −x), here (−cos, sin) half.
                let (expected, r) = newton(k, [-cos * half, sin * half], [slip, -1.0], 0.0, e);
                let case = format!("{degrees}°, slip {slip}, e {e}: {ratio} {expected}");
                if r[1] <= 0.0 || r[0].abs() >= 20.0 * r[1] {
                    // The tip slips throughout the impact.
                    assert!(ratio < 1.0 + 1e-12, "{case}");
                    continue;
                }
                if expected > 1.0 + 1e-12 {
                    gains += 1;
                    assert!((ratio - 1.0).abs() < 1e-9, "{case}");
                    assert!(system.limited().least_factor < 1.0, "{case}");
                } else {
                    losses += 1;
                    assert!((ratio - expected).abs() < 1e-6, "{case}");
                    assert_eq!(system.limited().steps, 0, "{case}");
                }
            }
        }
    }
    println!("{gains} of {} would gain", gains + losses);
    assert!(gains > 8 && losses > 50, "{gains} {losses}");
}

/// Springs and multipliers: springs keep their laws while restitution is reduced.
#[test]
fn springs_conserve_their_energy_where_restitution_is_reduced() {
    let mut reduced = 0;
    for seed in 0..12 {
        let mut random = Random(seed);
        random.vector();
        let size = Vector3::new(0.2, 0.3, 0.4);
        let (floor, plane) = ground();
        let corners = Ball::corners(Vector3::zeros(), size);
        let spec = |points: &[Ball], law| PairSpec {
            friction: 0.6,
            law,
            ..pair([0, 1], points.to_vec(), plane.clone())
        };
        let pairs = [spec(&corners[..4], Law::Hard), spec(&corners[4..], Law::per_point(1e6))];
        let axis = random.vector();
        let place = Placement {
            origin: [0.0, 0.0, 0.5],
            angular_velocity: (8.0 * random.vector()).into(),
            ..Placement::rotated(axis.into(), 360.0 * random.next())
        };
        let gravity = Vector3::new(0.0, 0.0, -GRAVITY);
        let bodies = vec![block(20.0, size), floor];
        let mut system = System::new(bodies, &[place, Placement::default()], &pairs, gravity, 5e-4).unwrap();
        let initial = system.energy();
        largest_rise(&mut system, 4000, &format!("seed {seed}"));
        let [least, largest] = system.energy_range().map(|e| e / initial - 1.0);
        assert!(least > -1e-11 && largest < 1e-11, "seed {seed}: {least:+.1e} {largest:+.1e}");
        reduced += system.limited().steps;
    }
    println!("{reduced} steps reduced");
    assert!(reduced > 0);
}
