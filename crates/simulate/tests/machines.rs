//! Machines of the gallery (meshes) next to their reduced equations and closed forms.

use std::f64::consts::PI;
use std::path::Path;

use carom_contact::closed_form::{HertzPair, SphereOnRod, hertz_ellipse};
use carom_simulate::RunOutcome;
use nalgebra::{Complex, Vector3};

use crate::fixtures::{Chain, parse, runge_kutta};

const GOVERNOR: &str = include_str!("../../../meshes/governor/scenario.toml");
const DRIVEN_GOVERNOR: &str = include_str!("../../../meshes/governor/driven.toml");

/// Density of the material `steel` \[kg/m³\].
const STEEL: f64 = 7800.0;

fn run(scenario: &str, overrides: &[&str]) -> RunOutcome {
    Chain::new().solve(&parse(scenario, overrides)).unwrap()
}

fn position(outcome: &RunOutcome, body: &str) -> Vector3<f64> {
    let number = outcome.names.iter().position(|name| name == body).unwrap();
    Vector3::from(outcome.bodies[number].position)
}

/// The flyball governor of meshes/governor as a system of two coordinates, the angle φ of the spindle and the
/// angle θ of the arms to the axis.
///
/// ```text
/// T = ½ J(θ) φ̇² + ½ M(θ) θ̇²,   z = −2 a cos θ  of the sleeve
/// M θ̈ = ½ J′ φ̇² − ½ M′ θ̇² − V′
/// ```
struct Governor {
    /// Of an arm, a ball, a link and the sleeve \[kg\].
    masses: [f64; 4],
    /// J − what changes with θ: spindle, sleeve and both balls about their centres \[kg m²\].
    constant: f64,
    /// Inertias of an arm and a link across their axes, and about them \[kg m²\].
    across: [f64; 2],
    about: [f64; 2],
    /// Of a ball about its centre \[kg m²\].
    of_ball: f64,
}

/// Distance of the pins from the axis, length of an arm, of a link \[m\].
const E: f64 = 0.03;
const L: f64 = 0.25;
const A: f64 = 0.15;
const GRAVITY: f64 = 9.81;
const STIFFNESS: f64 = 400.0;
/// cos θ at the start, where the spring has no force.
const COS_START: f64 = 0.8;

impl Governor {
    fn new() -> Self {
        let rod = |radius: f64, length: f64| {
            let mass = STEEL * PI * radius * radius * length;
            [mass, mass * (length * length / 12.0 + radius * radius / 4.0), 0.5 * mass * radius * radius]
        };
        let [arm, link, spindle] = [rod(0.006, L), rod(0.005, A), rod(0.01, 0.5)];
        let ball = STEEL * 4.0 / 3.0 * PI * 0.04_f64.powi(3);
        let of_ball = 0.4 * ball * 0.04 * 0.04;
        let sleeve = STEEL * PI * (0.025_f64.powi(2) - 0.012_f64.powi(2)) * 0.06;
        let of_sleeve = 0.5 * sleeve * (0.025_f64.powi(2) + 0.012_f64.powi(2));
        Self {
            masses: [arm[0], ball, link[0], sleeve],
            constant: spindle[2] + of_sleeve + 2.0 * of_ball,
            across: [arm[1], link[1]],
            about: [arm[2], link[2]],
            of_ball,
        }
    }

    /// J and its derivative.
    fn about_axis(&self, theta: f64) -> [f64; 2] {
        let (sin, cos) = theta.sin_cos();
        let [arm, ball, link, _] = self.masses;
        let points = [(arm, 0.5 * L), (ball, L), (link, 0.5 * A)];
        let [mut inertia, mut slope] = [self.constant, 0.0];
        for (mass, length) in points {
            inertia += 2.0 * mass * (E + length * sin).powi(2);
            slope += 4.0 * mass * (E + length * sin) * length * cos;
        }
        for (across, about) in self.across.iter().zip(self.about) {
            inertia += 2.0 * (across * sin * sin + about * cos * cos);
            slope += 4.0 * (across - about) * sin * cos;
        }
        [inertia, slope]
    }

    /// M and its derivative.
    fn in_plane(&self, theta: f64) -> [f64; 2] {
        let (sin, cos) = theta.sin_cos();
        let [arm, ball, link, sleeve] = self.masses;
        let arms = arm * L * L / 4.0 + ball * L * L + self.of_ball + self.across[0] + self.across[1];
        let links = link * A * A * (0.25 * cos * cos + 2.25 * sin * sin);
        let inertia = 2.0 * (arms + links) + sleeve * (2.0 * A * sin).powi(2);
        [inertia, 8.0 * (link + sleeve) * A * A * sin * cos]
    }

    /// V′ of weight and spring.
    fn moment(&self, theta: f64) -> f64 {
        let (sin, cos) = theta.sin_cos();
        let [arm, ball, link, sleeve] = self.masses;
        let weights = 2.0 * (0.5 * arm * L + ball * L + 1.5 * link * A) + 2.0 * sleeve * A;
        let lift = 2.0 * A * (COS_START - cos);
        GRAVITY * weights * sin + STIFFNESS * lift * 2.0 * A * sin
    }

    /// θ̈ at θ, θ̇ and the speed of the spindle.
    fn acceleration(&self, theta: f64, rate: f64, speed: f64) -> f64 {
        let ([_, of_axis], [inertia, slope]) = (self.about_axis(theta), self.in_plane(theta));
        (0.5 * of_axis * speed * speed - 0.5 * slope * rate * rate - self.moment(theta)) / inertia
    }

    /// [θ, θ̇, φ] of a spindle that turns freely from 10 rad/s, at a time: J φ̇ stays. Steps of 0.1 ms.
    fn free(&self, end: f64) -> [f64; 3] {
        let theta = COS_START.acos();
        let ang_momentum = 10.0 * self.about_axis(theta)[0];
        let rate = |[theta, rate, _]: [f64; 3]| {
            let speed = ang_momentum / self.about_axis(theta)[0];
            [rate, self.acceleration(theta, rate, speed), speed]
        };
        let steps = (end / 1e-4).round() as usize;
        (0..steps).fold([theta, 0.0, 0.0], |y, _| runge_kutta(rate, y, end / steps as f64))
    }

    /// θ at which ½ J′ Ω² = V′, by bisection.
    fn steady(&self, speed: f64) -> f64 {
        let (mut low, mut high) = (0.1, 1.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.acceleration(middle, 0.0, speed) > 0.0 { low = middle } else { high = middle }
        }
        low
    }
}

/// The plane linkages of the governor turn with the spindle, by two turns in this time. The place of a ball
/// is as accurate as the tolerance says, relative to its distance from the axis.
#[test]
fn a_governor_swings_as_its_two_coordinates_do() {
    let [theta, _, phi] = Governor::new().free(1.5);
    let radius = E + L * theta.sin();
    let expected = Vector3::new(radius * phi.cos(), radius * phi.sin(), -L * theta.cos());
    for (integrator, tolerance) in [
        ("dop853", 1e-6),
        ("dormand-prince5", 1e-6),
        ("exponential", 1e-6),
        ("radau5", 1e-6),
        ("generalised-alpha", 1e-4),
        ("bdf2", 1e-4),
        ("midpoint", 1e-4),
    ] {
        let integrator_is = format!("simulation.integrator=\"{integrator}\"");
        let tolerance_is = format!("simulation.relative_tolerance={tolerance:?}");
        let outcome = run(GOVERNOR, &["simulation.end_time=1.5", &integrator_is, &tolerance_is]);
        let offset = (position(&outcome, "right ball") - expected).norm();
        let lift = (position(&outcome, "sleeve").z + 2.0 * A * theta.cos()).abs();
        println!("{integrator}: {offset:.2e} m, sleeve {lift:.2e} m, {:?}", outcome.summary.ledger);
        assert!(offset.max(lift) < tolerance * radius, "{integrator}: {offset:e} {lift:e}");
        assert!(outcome.summary.ledger.energy_error < tolerance, "{:?}", outcome.summary.ledger);
    }
}

/// With a damper, the sleeve of a driven governor settles where the moments of weight, spring and centrifugal
/// forces balance.
#[test]
fn the_sleeve_of_a_driven_governor_settles_at_the_height_of_its_speed() {
    let outcome = run(DRIVEN_GOVERNOR, &[]);
    let expected = -2.0 * A * Governor::new().steady(13.0).cos();
    let found = position(&outcome, "sleeve").z;
    println!("{found} m, expected {expected} m");
    assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
}

const HAMMER: &str = include_str!("../../../meshes/hammer/scenario.toml");

/// Time and speed with which the striker of meshes/hammer meets the bit: a mass on the air spring behind the
/// piston of a crank drive, m x″ = −k (x − x_p(t)), which travels 15 mm. Steps of 1 µs; the last one is cut.
fn first_blow(mass: f64) -> [f64; 2] {
    let (crank, rod, stiffness, gap) = (0.01_f64, 0.06_f64, 6000.0, 0.015);
    let piston = |t: f64| {
        let angle = PI + 2.0 * PI * 20.0 * (t - 0.01 * (t / 0.01).tanh());
        crank * angle.cos() + (rod * rod - (crank * angle.sin()).powi(2)).sqrt() - (rod - crank)
    };
    let rate = |[t, x, v]: [f64; 3]| -> [f64; 3] { [1.0, v, -stiffness / mass * (x - piston(t))] };
    let (mut y, mut next) = ([0.0; 3], [0.0; 3]);
    while next[1] < gap {
        y = next;
        next = runge_kutta(rate, y, 1e-6);
    }
    let [t, _, v] = runge_kutta(rate, y, (gap - y[1]) / y[2]);
    [t, v]
}

/// The blow is that of a round nose on a long rod, Hertz' force with a wave (docs/theory/closed-forms.md,
/// eq. (93)): the contact ends before the wave is back. Force, duration and impulse agree within the run's
/// own estimates of their errors.
#[test]
fn the_striker_of_a_hammer_gives_the_bit_the_energy_of_a_wave() {
    let outcome = run(HAMMER, &["simulation.end_time=0.0294"]);
    let [event] = outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
    let radius = 0.012_f64;
    let mass = STEEL * PI * radius * radius * (0.06 - 2.0 * radius + 4.0 / 3.0 * radius);
    let [start, speed] = first_blow(mass);
    let off = [event.start / start - 1.0, -event.velocity_before / speed - 1.0].map(f64::abs);
    assert!(off.iter().all(|off| *off < 1e-6), "{off:?}");
    let impedance = (210e9 * STEEL).sqrt() * PI * 0.01 * 0.01;
    let contact = HertzPair::new([radius, f64::INFINITY], [210e9; 2], [0.3; 2]);
    let blow = SphereOnRod { contact, sphere_mass: mass, impedance }.impact(speed);
    let impulse = Vector3::from(event.impulse).norm();
    let estimate = outcome.error_estimates[0].unwrap();
    println!("{event:?}\n{blow:?}\n{estimate:?}");
    for (name, found, expected, error) in [
        ("force", event.peak_force, blow.peak_force, estimate.force),
        ("duration", event.end - event.start, blow.duration, estimate.duration),
        ("impulse", impulse, blow.impulse, estimate.impulse),
    ] {
        assert!((found / expected - 1.0).abs() < error, "{name}: {found} {expected} {error}");
    }
    // The energy that the striker loses, I v − I²/2m, changes by v − I/m with the impulse.
    let lost = |after: f64| 0.5 * mass * (speed * speed - after * after);
    let [found, expected] = [event.own_after[0], blow.sphere_velocity].map(lost);
    println!("energy of the blow {found} J, expected {expected} J of {} J", lost(0.0));
    let error = estimate.impulse * impulse * blow.sphere_velocity.abs();
    assert!((found - expected).abs() < error, "{found} {expected} {error}");
}

const VALVE: &str = include_str!("../../../meshes/valve-spring/scenario.toml");

/// Force of the cam on the valve of meshes/valve-spring at a time after the run-up, at n revolutions a
/// second: preload, mean lift, inertia of the valve, and a bar with one end held and the other on the
/// valve.
///
/// ```text
/// k(ω) = k̄ z cot z,   k̄ = k (1 + i ω β),   z = ω √(m/k̄)
/// ```
fn cam_force(n: f64, time: f64) -> f64 {
    let (stiffness, mass, beta, preload) = (2.0e4, 0.06, 2.0e-5, 100.0);
    let valve = STEEL * PI * 0.004 * 0.004 * 0.1;
    let phase = 2.0 * PI * n * (time - 0.05);
    let harmonic = |(order, lift): (f64, f64)| {
        let omega = 2.0 * PI * n * order;
        let complex = Complex::new(stiffness, stiffness * omega * beta);
        let z = (Complex::from(mass) / complex).sqrt() * omega;
        let dynamic = complex * z * z.cos() / z.sin() - valve * omega * omega;
        lift * (stiffness - (dynamic * Complex::new(0.0, order * phase).exp()).re)
    };
    preload + [(1.0, 0.004), (4.0, 0.0002)].map(harmonic).iter().sum::<f64>()
}

/// Near the surge frequency of the spring (the fourth harmonic of the cam has 280 Hz, the spring 288.7 Hz).
/// Of the oscillation of the run-up, of the size of the force, e^(−βω²t/2) = 1e-5 is left at 0.34 s.
#[test]
fn the_spring_of_a_valve_surges_as_a_bar_does() {
    let chain = Chain::new();
    chain.solve(&parse(VALVE, &[])).unwrap();
    let reader = chain.reader();
    let course = reader.joint_course(0).unwrap();
    let frames = reader.times().unwrap().into_iter().zip(&course).filter(|(time, _)| *time > 0.34);
    let [mut off, mut largest, mut least] = [0.0_f64, 0.0_f64, f64::INFINITY];
    for (time, joint) in frames {
        let expected = cam_force(70.0, time);
        let found = joint.actions[0].unwrap().drive.unwrap();
        off = off.max((found - expected).abs());
        [largest, least] = [largest.max(expected), least.min(expected)];
    }
    println!("force of the cam {least} to {largest} N, off by {off:.2e} N");
    assert!(off < 5e-4 * largest, "{off} {largest}");
    // Without mass the spring would press with at least 100 N + k (lift).
    assert!(least < 30.0, "the spring surges: {least}");
}

const BEARING: &str = include_str!("../../../meshes/bearing/scenario.toml");

/// Copies files of a folder of the gallery to the folder of a run.
fn copy(chain: &Chain, folder: &str, files: &[&str]) {
    for file in files {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../meshes").join(folder).join(file);
        std::fs::copy(from, chain.folder().join(file)).unwrap();
    }
}

/// Two linear springs in series, k/2, hold each ball that the load presses: Q = k δ/2 cos ψ, and Σ cos² ψ
/// over the loaded half of eight balls is 2, so that δ = F/k and Q = F/2 cos ψ. A ball that rolls on both
/// rings goes around with ω r_i/(r_i + r_o).
#[test]
fn balls_of_a_bearing_share_the_load_and_roll_in_their_plane() {
    let (load, stiffness, inner, outer, speed) = (500.0, 5e7, 0.020, 0.030, 50.0);
    let chain = Chain::new();
    copy(&chain, "bearing", &["inner.xml", "outer.xml"]);
    let outcome = chain.solve(&parse(BEARING, &[])).unwrap();
    let reader = chain.reader();
    let times = reader.times().unwrap();
    let orbit = speed * inner / (inner + outer);
    let pairs: Vec<(usize, f64)> = (0..outcome.pairs.len())
        .filter(|&pair| outcome.pairs[pair].ends_with("/inner"))
        .map(|pair| (pair, outcome.pairs[pair][5..6].parse().unwrap()))
        .collect();
    assert_eq!(pairs.len(), 8, "{:?}", outcome.pairs);
    let [mut off, mut out_of_plane] = [0.0_f64; 2];
    for (k, time) in times.iter().enumerate() {
        let frame = reader.frame(k).unwrap();
        out_of_plane = frame.bodies.iter().fold(out_of_plane, |z, body| z.max(body.position[2].abs()));
        // The force of a frame is the mean since the frame before. The load is whole from 4 ms on, and the
        // ring is at rest some ms later.
        if *time > 0.008 {
            for &(pair, number) in &pairs {
                let psi = 2.0 * PI * number / 8.0 + orbit * 0.5 * (time + times[k - 1]);
                let expected = 0.5 * load * psi.cos().max(0.0);
                off = off.max((frame.contacts[pair].normal_force - expected).abs());
            }
        }
    }
    let shift = position(&outcome, "inner").x;
    println!("loads off by {off:.2e} N, shift {shift:.6e} m, {out_of_plane:.1e} m out of the plane");
    // The ring is off the middle by δ = F/k, which turns the normals by up to δ/r_i.
    let delta = load / stiffness;
    assert!(off < 0.5 * load * delta / inner, "{off}");
    assert!((shift / delta - 1.0).abs() < delta / inner, "{shift}");
    // Round-off of the coordinates.
    assert!(out_of_plane < 1e-14, "{out_of_plane}");
    // The circles on which a loaded ball rolls change by δ: its orbit by as much of itself.
    for number in 0..8 {
        let place = position(&outcome, &format!("ball {number}"));
        let angle = orbit * 0.03 + 2.0 * PI * f64::from(number) / 8.0;
        let behind = Vector3::new(angle.cos(), angle.sin(), 0.0).cross(&place.normalize()).z;
        assert!(behind.abs() < orbit * 0.03 * delta / inner, "ball {number}: {behind} rad");
    }
}

/// Elastic contacts of each ball in series, `Q = K δ^(3/2) cos^(3/2) ψ` (Stribeck): the balls at 0 and ±45°
/// have `Q₀ = F/(1 + 2 cos^(5/2) 45°)` and `Q₀ cos^(3/2) 45°`, and the ring is shifted by Hertz' approaches
/// of both ellipses under Q₀.
#[test]
fn elastic_balls_of_a_bearing_share_the_load_as_stribeck_says() {
    let chain = Chain::new();
    copy(&chain, "bearing", &["inner.xml", "outer.xml"]);
    let outcome = chain.solve(&parse(include_str!("../../../meshes/bearing/hertz.toml"), &[])).unwrap();
    let reader = chain.reader();
    let n = reader.times().unwrap().len();
    let last: Vec<_> = (n - 5..n).map(|k| reader.frame(k).unwrap()).collect();
    // The ring is damped, and the balls oscillate a little between the rings.
    let mean = |pair: usize| last.iter().map(|frame| frame.contacts[pair].normal_force).sum::<f64>() / 5.0;
    let cos = (0.25 * PI).cos();
    let largest = 500.0 / (1.0 + 2.0 * cos.powf(2.5));
    let expected = |number: usize| match number {
        0 => largest,
        1 | 7 => largest * cos.powf(1.5),
        _ => 0.0,
    };
    for (pair, name) in outcome.pairs.iter().enumerate() {
        let (found, expected) = (mean(pair), expected(name[5..6].parse().unwrap()));
        println!("{name}: {found:.2} N, Stribeck {expected:.2} N");
        assert!((found - expected).abs() < 0.01 * largest, "{name}: {found} {expected}");
    }
    // Curvatures along the path and across it: balls of 5 mm in grooves of 5.6 mm, on 20 and in 30 mm.
    let modulus = 0.5 * 210e9 / (1.0 - 0.3_f64.powi(2));
    let across = 1.0 / 0.005 - 1.0 / 0.0056;
    let approach = |along: f64| hertz_ellipse(modulus, [along, across], largest).unwrap().approach;
    let expected = approach(1.0 / 0.005 + 1.0 / 0.020) + approach(1.0 / 0.005 - 1.0 / 0.030);
    let shift = position(&outcome, "inner").x;
    println!("shift {:.3} um, Hertz {:.3} um", 1e6 * shift, 1e6 * expected);
    assert!((shift / expected - 1.0).abs() < 0.01, "{shift} {expected}");
}

const GENEVA: &str = include_str!("../../../meshes/geneva/scenario.toml");

/// The pin on a circle of radius r about the crank drives the slot along tan β = r sin α/(d − r cos α). It
/// has some play to either side, which turns the wheel by the play over the distance of the pin from its
/// axis.
#[test]
fn the_wheel_of_a_geneva_drive_turns_as_the_pin_and_its_slot_demand() {
    let (distance, play): (f64, f64) = (0.1, 2e-6);
    let crank = distance * (0.25 * PI).sin();
    let chain = Chain::new();
    chain.solve(&parse(GENEVA, &[])).unwrap();
    let reader = chain.reader();
    let n = reader.times().unwrap().len();
    let about_z = |[w, _, _, z]: [f64; 4]| 2.0 * z.atan2(w);
    let (mut worst, mut engaged) = (0.0_f64, 0);
    for k in 0..n {
        let frame = reader.frame(k).unwrap();
        let [alpha, wheel] = [0, 1].map(|body| about_z(frame.bodies[body].quaternion));
        let alpha = (alpha + PI).rem_euclid(2.0 * PI) - PI;
        if alpha.abs() > 0.25 * PI {
            continue;
        }
        let [along, across] = [distance - crank * alpha.cos(), crank * alpha.sin()];
        // Slots are alike: angles of the wheel count within a quarter of a turn.
        let off = wheel + across.atan2(along);
        let off = (off + 0.25 * PI).rem_euclid(0.5 * PI) - 0.25 * PI;
        worst = worst.max(off.abs() * along.hypot(across) / play);
        engaged += 1;
    }
    println!("{engaged} frames with the pin in a slot, the wheel off by up to {worst} of the play");
    assert!(engaged > 60, "two quarters of a turn: {engaged}");
    // A contact closes up to half a step late. At the entry the slot is to accelerate by ω² d cos 45°, and
    // the pin crosses the play with the speed that this gives.
    let acceleration = 100.0 * distance * (0.25 * PI).cos();
    let late = 0.5 * 5e-5 * (2.0 * acceleration * play).sqrt() / play;
    assert!(worst < 1.0 + late, "{worst} {late}");
}

const GEARS: &str = include_str!("../../../meshes/gears/scenario.toml");

/// Involutes keep the ratio of the teeth; all flanks that touch press along one line, with the torque over
/// the base radius. A tooth hands over to the next one within the time of this test.
#[test]
fn involute_gears_keep_their_ratio_and_press_along_one_line() {
    let (module, teeth, torque) = (0.002, [20.0, 30.0], 20.0);
    let pressure = 20.0_f64.to_radians();
    let [base, base_2] = teeth.map(|teeth| 0.5 * module * teeth * pressure.cos());
    let chain = Chain::new();
    copy(&chain, "gears", &["wheel.xml"]);
    chain.solve(&parse(GEARS, &["simulation.end_time=0.035"])).unwrap();
    let reader = chain.reader();
    let n = reader.times().unwrap().len();
    let about_z = |[w, _, _, z]: [f64; 4]| 2.0 * z.atan2(w);
    let within = |angle: f64| (angle + PI).rem_euclid(2.0 * PI) - PI;
    let mut start = [0.0; 2];
    let (mut error, mut forces) = (0.0_f64, Vector3::zeros());
    for k in 0..n {
        let frame = reader.frame(k).unwrap();
        let angles = [0, 1].map(|body| about_z(frame.bodies[body].quaternion));
        if k == 0 {
            start = angles;
            continue;
        }
        let [turned, wheel] = [0, 1].map(|i| within(angles[i] - start[i]));
        error = error.max((wheel + turned * teeth[0] / teeth[1]).abs() * base_2);
        forces += Vector3::from(frame.contacts[0].force) / (n - 1) as f64;
    }
    // On the pinion, against its turning: the line of action, 20° from the common tangent.
    let expected = torque / base_2 * Vector3::new(-pressure.sin(), -pressure.cos(), 0.0);
    let off = (forces - expected).norm() / expected.norm();
    // The flanks of the pinion are 40 spans between points: the touching one changes, and between two
    // points at the distance s the flanks come nearer by s² κ/8. This is largest where the tip of the
    // pinion touches.
    let reach = (base + base_2) * pressure.tan();
    let radius = |teeth: f64, base: f64| ((0.5 * module * teeth + module).powi(2) - base * base).sqrt();
    let (last, first) = (radius(teeth[0], base), reach - radius(teeth[1], base_2));
    let step = last * (last - first) / base / 40.0;
    let nearer = step * step / 8.0 * (1.0 / last + 1.0 / (reach - last));
    println!("error {error:.2e} m, between points up to {nearer:.2e} m; force {forces:?}, off by {off:.1e}");
    assert!(error < nearer, "{error} {nearer}");
    // The rate of the wheel at both ends of the run differs by some mrad/s.
    assert!(off < 1e-3, "{off}");
}

const RATCHET: &str = include_str!("../../../meshes/ratchet/scenario.toml");

/// A pawl of meshes/ratchet in axes in which its pin stands at (R, 0): its hinge, and the direction of the
/// bar when it lies on two pins and its end touches the first one.
struct Pawl {
    hinge: Vector3<f64>,
    tilt: f64,
    /// Of the first pin above the side of the bar, less half of its height \[m\].
    aside: f64,
}

/// Angle between two pins, radius of their circle and of a pin, length and height of a bar.
const PITCH: f64 = 2.0 * PI / 24.0;
const CIRCLE: f64 = 0.04;
const PIN: f64 = 0.002;
const BAR: f64 = 0.04;
const HEIGHT: f64 = 0.008;

fn in_plane(radius: f64, angle: f64) -> Vector3<f64> {
    radius * Vector3::new(angle.cos(), angle.sin(), 0.0)
}

impl Pawl {
    fn new() -> Self {
        let tilt = 20.0_f64.to_radians();
        let (out, along) = (in_plane(1.0, tilt), in_plane(1.0, tilt + 0.5 * PI));
        let [first, second] = [0.0, -PITCH].map(|angle| in_plane(CIRCLE, angle));
        let aside = out.dot(&(first - second)) - PIN - 0.5 * HEIGHT;
        Self { hinge: first - (PIN + BAR) * along - aside * out, tilt, aside }
    }

    /// Distance of the second pin from the hinge, along the bar.
    fn lever(&self) -> f64 {
        (in_plane(CIRCLE, -PITCH) - self.hinge).dot(&in_plane(1.0, self.tilt + 0.5 * PI))
    }

    /// Moment of the spring that presses the bar on the pins, if it is turned by an angle.
    fn moment(&self, turned: f64) -> f64 {
        let half = |tilt: f64| in_plane(0.5 * BAR, tilt + 0.5 * PI);
        let hook = half(self.tilt) - in_plane(0.02, self.tilt);
        let spring = hook - half(self.tilt + turned);
        let force = 1000.0 * (spring.norm() - 0.01) * spring.normalize();
        half(self.tilt + turned).cross(&force).z
    }

    /// Force on a pin at an angle that carries the side of the bar alone, and its moment about the wheel.
    fn resting(&self, angle: f64) -> [f64; 2] {
        let pin = in_plane(CIRCLE, angle);
        let from_hinge = pin - self.hinge;
        let bar = from_hinge.y.atan2(from_hinge.x) - ((0.5 * HEIGHT + PIN) / from_hinge.norm()).asin();
        let tilt = bar - 0.5 * PI;
        let force = self.moment(tilt - self.tilt) / from_hinge.dot(&in_plane(1.0, bar));
        [force, pin.cross(&in_plane(-force, tilt)).z]
    }

    /// Force of the wheel on the pawl that holds it against a moment: at the end of the bar the force N, at
    /// its side the force P of the spring and of N, whose line passes the hinge.
    fn holding(&self, moment: f64) -> f64 {
        let lever = self.lever();
        let back = CIRCLE * (self.tilt + PITCH).sin() / lever;
        let n = (moment + back * self.moment(0.0)) / (CIRCLE * self.tilt.cos() + back * self.aside);
        n.hypot((self.moment(0.0) - n * self.aside) / lever)
    }
}

/// Angle of the arm from the start of its swing, by the angle of the crank from there: the pin of the crank
/// keeps its distance from that of the arm.
fn swing(crank: f64) -> f64 {
    let (arm, rod, stroke) = (0.06_f64, 0.12_f64, 2.5 * PITCH);
    let radius = arm * (0.5 * stroke).sin();
    let distance = (rod * rod + arm * arm - radius * radius).sqrt();
    // From the axis of the crank, with the ends of the swing on the axis x.
    let centre = Vector3::new(rod, arm * (0.5 * stroke).cos(), 0.0);
    let to_pin = in_plane(radius, PI + crank) - centre;
    let far = to_pin.norm();
    let inside = ((arm * arm + far * far - rod * rod) / (2.0 * arm * far)).acos();
    assert!((centre.norm() - distance).abs() < 1e-12, "the axis of the arm");
    to_pin.y.atan2(to_pin.x).rem_euclid(2.0 * PI) + inside - (1.5 * PI - 0.5 * stroke)
}

/// The arm swings by 2.5 pins. Its pawl meets a pin after a quarter of their distance and pushes the wheel
/// 2.25 pins ahead. The wheel comes back by a quarter, until the other pawl holds it.
#[test]
fn a_ratchet_turns_its_wheel_by_two_pins_a_stroke_and_holds_it() {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(RATCHET, &["simulation.end_time=0.2"])).unwrap();
    let reader = chain.reader();
    let times = reader.times().unwrap();
    let about_z = |[w, _, _, z]: [f64; 4]| 2.0 * z.atan2(w);
    let within = |angle: f64| (angle + PI).rem_euclid(2.0 * PI) - PI;
    let angles = |k: usize| {
        let frame = reader.frame(k).unwrap();
        [0, 1, 3].map(|body: usize| about_z(frame.bodies[body].quaternion))
    };
    let start = angles(0);
    let [mut off, mut off_of_arm, mut highest, mut last] = [0.0_f64; 4];
    for k in 0..times.len() {
        let [wheel, crank, arm] = [0, 1, 2].map(|i| within(angles(k)[i] - start[i]));
        let crank = crank.rem_euclid(2.0 * PI);
        off_of_arm = off_of_arm.max((arm - swing(crank)).abs());
        let held = if crank < PI { 0.0 } else { 2.0 * PITCH };
        off = off.max((wheel - (swing(crank) - 0.25 * PITCH).max(held)).abs());
        (highest, last) = (highest.max(wheel), wheel);
    }
    let [highest, last] = [highest, last].map(|angle| angle / PITCH);
    println!(
        "arm off by {off_of_arm:.1e} rad, wheel by {off:.1e} rad; up to {highest:.5} pins, then {last:.5}"
    );
    // The arm has the error of second order of the steps.
    assert!(off_of_arm < 1e-5, "{off_of_arm}");
    // A contact closes up to half a step late; the arm is fastest in the middle of its swing.
    let fastest = (1..1000).map(|i| PI * f64::from(i) / 1000.0);
    let fastest = fastest.map(|a| 20.0 * (swing(a + 1e-4) - swing(a)) / 1e-4).fold(0.0, f64::max);
    assert!(off < 0.5 * 5e-5 * fastest, "{off} {fastest}");
    // While the arm begins its swing the holding pawl has the load and the pressure of the other pawl.
    let pawl = Pawl::new();
    let at = times.iter().position(|time| *time > 0.0039).unwrap();
    let [rests, moment] = pawl.resting(0.25 * PITCH - PITCH);
    let expected = [rests, pawl.holding(5.0 - moment)];
    let frame = reader.frame(at).unwrap();
    let found = [0, 1].map(|pair: usize| Vector3::from(frame.contacts[pair].force).norm());
    println!("forces on the pawls {found:?} N, expected {expected:?} N");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 5e-3, "{found} {expected}");
    }
    // The pawl meets the wheel, which is at rest, with the speed of the arm: ½ J φ̇² is lost, J with the
    // pawls, which a pin turns by its way across the bar over its distance from the hinge. The load acts
    // through the step of the impact, in which the mean speed is a half. The drops of the pawls come later.
    let pick_up =
        (1..10_000).map(|i| PI * f64::from(i) / 10_000.0).find(|a| swing(*a) > 0.25 * PITCH).unwrap();
    let rate = 20.0 * (swing(pick_up + 1e-4) - swing(pick_up)) / 1e-4;
    let ledger = reader.ledger().unwrap();
    let until = |time: f64| ledger.iter().find(|row| row[0] > time - 1e-9).unwrap()[8];
    let lost = until(0.05) - until(0.026);
    let bar = STEEL * BAR * HEIGHT * 0.004 * (BAR * BAR / 3.0 + HEIGHT * HEIGHT / 12.0);
    let turn = CIRCLE * (pawl.tilt + PITCH).sin() / pawl.lever();
    let expected = 0.5 * (2.4e-4 + 2.0 * bar * turn * turn) * rate * rate + 0.5 * 5.0 * rate * 5e-5;
    let energy_error = outcome.summary.ledger.energy_error;
    println!("{lost:.5} J lost, expected {expected:.5} J; error of the balance {energy_error:e}");
    assert!((lost / expected - 1.0).abs() < 0.02, "{lost} {expected}");
    assert!(energy_error < 1e-12, "{energy_error}");
}
