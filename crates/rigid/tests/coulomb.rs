//! Coulomb's law of multipliers and of springs against closed forms that contain μ: every test fails for a
//! coefficient with an error of 1 %.

use crate::problems::{RADIUS, at, ball, block, feet, ground, pair};
use carom_rigid::{Ball, Law, PairSpec, RigidBody, System};
use nalgebra::Vector3;

const GRAVITY: f64 = 9.81;
const DT: f64 = 1e-4;
const LAWS: [Law; 2] = [Law::Hard, Law::per_point(1e6)];

/// A body that touches the ground at these points; multipliers without restitution.
fn on_ground(body: RigidBody, points: Vec<Ball>, height: f64, law: Law, friction: f64) -> PairOnGround {
    let (floor, plane) = ground();
    let spec = PairSpec { law, restitution: 0.0, friction, ..pair([0, 1], points, plane) };
    PairOnGround { bodies: vec![body, floor], height, spec }
}

struct PairOnGround {
    bodies: Vec<RigidBody>,
    height: f64,
    spec: PairSpec,
}

impl PairOnGround {
    fn with(self, velocity: [f64; 3], gravity: Vector3<f64>) -> System {
        let places = [at([0.0, 0.0, self.height], velocity), at([0.0; 3], [0.0; 3])];
        System::new(self.bodies, &places, &[self.spec], gravity, DT).unwrap()
    }
}

fn down() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -GRAVITY)
}

fn flat_block(law: Law, friction: f64) -> PairOnGround {
    let size = Vector3::new(0.2, 0.2, 0.1);
    on_ground(block(31.2, size), feet(size), 0.05, law, friction)
}

/// The block stops after s = v²/(2 μ g) in every direction; its whole kinetic energy is booked as friction
/// loss.
#[test]
fn a_block_thrown_along_the_ground_stops_by_coulombs_law() {
    for law in LAWS {
        for (friction, direction) in [(0.2, [1.0, 0.0]), (0.5, [0.6, -0.8])] {
            let mut system = flat_block(law, friction).with([direction[0], direction[1], 0.0], down());
            let steps = (1.2 / (friction * GRAVITY) / DT) as u32;
            (0..steps).for_each(|_| system.step().unwrap());
            let (way, place) = (0.5 / (friction * GRAVITY), system.states()[0].position);
            let along = place.x * direction[0] + place.y * direction[1];
            println!("{law:?}, μ = {friction}: {along:.6} of {way:.6} m, lost {:.6} J", system.books.d_fric);
            // The slip begins and ends up to a step late: v DT/2 of a tenth of a metre. Springs oscillate
            // about the weight.
            assert!((along / way - 1.0).abs() < 2e-3, "{law:?}, μ = {friction}: {along} {way}");
            assert!((system.books.d_fric / (0.5 * 31.2) - 1.0).abs() < 2e-3, "{}", system.books.d_fric);
        }
    }
}

/// A ball without spin rolls after 2 v/(7 μ g), then with 5 v/7.
#[test]
fn a_sliding_ball_begins_to_roll_at_the_time_of_coulombs_law() {
    // The weight of 10 N on springs of 1e6 N/m: the ball is 1e-5 m deep and oscillates with 1000 rad/s.
    for (law, swing) in [(LAWS[0], 0.0), (LAWS[1], 1e-3)] {
        for friction in [0.1, 0.2] {
            let points = vec![Ball::new(Vector3::zeros(), RADIUS)];
            let mut system =
                on_ground(ball(1.0), points, RADIUS, law, friction).with([1.0, 0.0, 0.0], down());
            let slip = |system: &System| {
                let state = system.states()[0];
                state.momentum.x - state.spin.y / (0.4 * RADIUS)
            };
            let expected = 2.0 / (7.0 * friction * GRAVITY);
            while slip(&system) > 1e-3 {
                system.step().unwrap();
                assert!(system.time() < 2.0 * expected, "{law:?}, μ = {friction}: the ball still slides");
            }
            let (time, speed) = (system.time(), system.states()[0].momentum.x);
            println!("{law:?}, μ = {friction}: {time:.5} of {expected:.5} s, {speed:.9} m/s");
            // The remaining slip ends within three steps; the impulse of the weight on springs has an error
            // of at most 2 m g/ω.
            assert!(
                (time - expected).abs() < 2.0 * swing + 5.0 * DT,
                "{law:?}, μ = {friction}: {time} {expected}"
            );
            assert!((speed - 5.0 / 7.0).abs() < 5e-4, "{law:?}, μ = {friction}: {speed}");
        }
    }
}

/// 1 % below the angle of friction nothing moves, 1 % above it the block slides with g (sin α − μ cos α).
#[test]
fn a_block_on_an_incline_holds_up_to_the_angle_of_friction() {
    for friction in [0.2_f64, 0.5] {
        for (part, slides) in [(0.99, false), (1.01, true)] {
            let slope = (part * friction).atan();
            let gravity = GRAVITY * Vector3::new(slope.sin(), 0.0, -slope.cos());
            let mut system = flat_block(Law::Hard, friction).with([0.0; 3], gravity);
            (0..10_000).for_each(|_| system.step().unwrap());
            let expected = if slides { 0.5 * GRAVITY * (slope.sin() - friction * slope.cos()) } else { 0.0 };
            let found = system.states()[0].position.x;
            println!("μ = {friction}, {part} of it: {found:.3e} of {expected:.3e} m");
            assert!((found - expected).abs() < 1e-3 * expected + 1e-9, "μ = {friction}: {found} {expected}");
        }
    }
}

/// A ball at a flat angle slips throughout its impact: Δv_T = μ (1 + e) v_N against the slip, and a spin of
/// 5 Δv_T/(2 R).
#[test]
fn an_impact_in_full_slip_has_mu_times_its_normal_impulse() {
    for (law, restitution) in [(Law::Hard, 0.5), (Law::Hard, 1.0), (LAWS[1], 1.0)] {
        for friction in [0.1, 0.3] {
            let points = vec![Ball::new(Vector3::zeros(), RADIUS)];
            let mut on_ground = on_ground(ball(1.0), points, RADIUS + 1e-3, law, friction);
            on_ground.spec.restitution = restitution;
            let mut system = on_ground.with([3.0, -4.0, -1.0], Vector3::zeros());
            (0..200).for_each(|_| system.step().unwrap());
            let state = system.states()[0];
            let normal = state.momentum.z + 1.0;
            let change = Vector3::new(state.momentum.x - 3.0, state.momentum.y + 4.0, 0.0);
            let expected = -friction * normal * Vector3::new(0.6, -0.8, 0.0);
            println!("{law:?}, e = {restitution}, μ = {friction}: {change:?} of {expected:?}");
            assert!((normal - (1.0 + restitution)).abs() < 1e-3, "{law:?}: {normal}");
            // The cone problem ends at 1e-7 of its largest velocity.
            assert!(
                (change - expected).norm() < 1e-6 * normal,
                "{law:?}, μ = {friction}: {change} {expected}"
            );
            let spin = Vector3::new(0.0, 0.0, -RADIUS).cross(&expected);
            // The centre is nearer to the ground by half a step, or by the deflection of the springs: v
            // √(m/k).
            let nearer = if law == Law::Hard { DT } else { 1e-3 };
            assert!(
                (state.spin - spin).norm() < nearer / RADIUS * spin.norm(),
                "{law:?}: {} {spin}",
                state.spin
            );
        }
    }
}
