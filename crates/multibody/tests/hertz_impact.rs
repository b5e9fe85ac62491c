//! Spheres with a prescribed force by Hertz' law against the closed solution: the time loop without a contact
//! solver.

use carom_dynamics::{Checkpoint, ContactEvent, Frame, Ignore, Loads, Observer, ObserverError, Placement};
use carom_integrate::{IntegratorKind, Method};
use carom_multibody::{Body, HertzContact, HertzShape, RunSummary, Settings, Simulation, System};
use carom_progress::Silent;
use nalgebra::{Matrix3, Vector3};

const RADIUS: f64 = 0.015;
/// 1/E* = 2 (1 − ν²)/E for steel on steel.
const MODULUS: f64 = 210e9 / (2.0 * (1.0 - 0.09));

fn ball(name: &str, scale: f64) -> Body {
    let mass = 7780.0 * 4.0 / 3.0 * std::f64::consts::PI * (scale * RADIUS).powi(3);
    let inertia = 0.4 * mass * (scale * RADIUS).powi(2) * Matrix3::identity();
    Body::rigid(name, mass, inertia, Vector3::zeros()).unwrap()
}

fn pair(scale: f64) -> HertzContact {
    HertzContact {
        bodies: [0, 1],
        center_b: Vector3::zeros(),
        radius: scale * RADIUS,
        other: HertzShape::Sphere { center_b: Vector3::zeros(), radius: scale * RADIUS },
        modulus: MODULUS,
    }
}

fn two_balls(placements: [Placement; 2], settings: Settings) -> Simulation {
    let system = System::new(
        vec![ball("first", 1.0), ball("second", 1.0)],
        Loads::default(),
        vec![Box::new(pair(1.0))],
    )
    .unwrap();
    Simulation::new(system, &placements, settings).unwrap()
}

fn head_on(speed: f64) -> [Placement; 2] {
    let at =
        |x: f64, v: f64| Placement { origin: [x, 0.0, 0.0], velocity: [v, 0.0, 0.0], ..Placement::default() };
    [at(0.0, 0.7 * speed), at(2.0 * RADIUS + 1e-5, -0.3 * speed)]
}

fn run(mut simulation: Simulation) -> RunSummary {
    simulation.run(&mut Ignore, &Silent).unwrap()
}

#[test]
fn impacts_of_equal_spheres_agree_with_the_hertz_table() {
    // docs/theory/closed-forms.md, section 10.1: relative speed, approach, force, duration.
    for (speed, depth, force, duration) in [
        (0.2, 8.4307e-6, 326.15, 124.07e-6),
        (0.5, 17.548e-6, 979.36, 103.29e-6),
        (1.0, 30.552e-6, 2250.0, 89.923e-6),
    ] {
        let settings = Settings::until(1e-5 / speed + 2.0 * duration);
        let summary = run(two_balls(head_on(speed), settings));
        let [event] = summary.contacts[..] else { panic!("one impact: {:?}", summary.contacts) };
        println!("{speed} m/s: {event:?} {:?} {:?}", summary.ledger, summary.counters);
        let close = |found: f64, expected: f64, by: f64, what: &str| {
            let error = found / expected - 1.0;
            assert!(error.abs() < by, "{what} at {speed} m/s: {found:e} for {expected:e} ({error:.1e})");
        };
        // The table has five digits: half of the last one is up to 5e-5.
        close(event.peak_force, force, 3e-5, "force");
        close(event.max_approach, depth, 3e-5, "approach");
        close(event.duration(), duration, 5e-5, "duration");
        close(event.start, 1e-5 / speed, 1e-9, "first touch");
        close(event.peak_time - event.start, 0.5 * event.duration(), 1e-4, "symmetric pulse");
        let mass = ball("", 1.0).frame.mass;
        close(event.impulse_size(), mass * speed, 1e-6, "impulse");
        close(event.restitution().unwrap(), 1.0, 1e-6, "restitution");
        close(-event.velocity_before, speed, 1e-9, "approach speed");
        assert!(!event.open && event.sub_impacts == 1);
        assert!(summary.ledger.energy_error < 1e-6, "{:?}", summary.ledger);
        assert!(summary.ledger.momentum_error < 1e-14 && summary.ledger.ang_momentum_error < 1e-13);
    }
}

#[test]
fn energy_error_falls_with_the_tolerance() {
    let errors = [1e-4, 1e-5, 1e-6, 1e-7].map(|relative_tolerance| {
        let settings = Settings { relative_tolerance, ..Settings::until(2e-4) };
        let summary = run(two_balls(head_on(0.5), settings));
        println!("{relative_tolerance:.0e}: {:.2e} {:?}", summary.ledger.energy_error, summary.counters);
        summary.ledger.energy_error
    });
    assert!(errors[2] < 1e-6 && errors[0] > 5.0 * errors[2] && errors[1] > 2.0 * errors[3], "{errors:?}");
}

#[test]
fn sphere_on_held_plane_is_balanced_by_the_ground() {
    let contact = HertzContact {
        bodies: [0, 1],
        center_b: Vector3::zeros(),
        radius: RADIUS,
        other: HertzShape::Plane { point_b: Vector3::zeros(), normal_b: Vector3::z() },
        modulus: 2.0 * MODULUS,
    };
    let ground = Body::rigid("ground", 1.0, Matrix3::identity(), Vector3::zeros()).unwrap().fixed();
    let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
    let system = System::new(vec![ball("ball", 1.0), ground], loads, vec![Box::new(contact)]).unwrap();
    let start = Placement {
        origin: [0.3, -0.2, RADIUS + 1e-3],
        velocity: [0.1, 0.0, -0.1],
        angular_velocity: [0.0, 30.0, 0.0],
        ..Placement::default()
    };
    let mut simulation =
        Simulation::new(system, &[start, Placement::default()], Settings::until(0.1)).unwrap();
    let summary = simulation.run(&mut Ignore, &Silent).unwrap();
    // v² = 0.01 + 2 g h at the plane; the sphere bounces repeatedly with e = 1.
    let speed = (0.01_f64 + 2.0 * 9.81 * 1e-3).sqrt();
    println!("{summary:?}");
    assert!(summary.contacts.len() >= 2, "{:?}", summary.contacts);
    for event in &summary.contacts {
        assert!((event.velocity_before + speed).abs() < 1e-6 * speed, "{event:?}");
        assert!((event.restitution().unwrap() - 1.0).abs() < 1e-5);
    }
    let ledger = summary.ledger;
    assert!(ledger.energy_error < 1e-6 && ledger.momentum_error < 1e-12 && ledger.ang_momentum_error < 1e-12);
}

fn oblique() -> [Placement; 2] {
    let [first, second] = head_on(0.5);
    [
        Placement { angular_velocity: [3.0, -8.0, 20.0], ..first },
        Placement { origin: [2.0 * RADIUS + 1e-5, 4e-3, -2e-3], velocity: [-0.2, 0.0, 0.1], ..second },
    ]
}

#[test]
fn oblique_impact_far_from_the_origin_conserves_both_momenta() {
    let shift = Vector3::new(3.0, -2.0, 5.0);
    let placements = oblique().map(|p| Placement { origin: (Vector3::from(p.origin) + shift).into(), ..p });
    let summary = run(two_balls(placements, Settings::until(4e-3)));
    assert_eq!(summary.contacts.len(), 1);
    assert!(summary.ledger.energy_error < 1e-6, "{:?}", summary.ledger);
    assert!(
        summary.ledger.momentum_error < 1e-14 && summary.ledger.ang_momentum_error < 1e-14,
        "{:?}",
        summary.ledger
    );
}

#[test]
fn a_scaled_impact_has_the_same_steps() {
    // Lengths × s at the same speed: times and depths × s, forces × s².
    let scaled = |s: f64| {
        let system =
            System::new(vec![ball("a", s), ball("b", s)], Loads::default(), vec![Box::new(pair(s))]).unwrap();
        let placements = head_on(0.5).map(|p| Placement { origin: p.origin.map(|x| s * x), ..p });
        run(Simulation::new(system, &placements, Settings::until(s * 2e-4)).unwrap())
    };
    // Scaling by a power of two keeps every rounding.
    let (one, big) = (scaled(1.0), scaled(4.0));
    assert_eq!(one.counters, big.counters);
    let (a, b) = (one.contacts[0], big.contacts[0]);
    assert!((b.peak_force / (16.0 * a.peak_force) - 1.0).abs() < 1e-12, "{a:?} {b:?}");
    assert!((b.duration() / (4.0 * a.duration()) - 1.0).abs() < 1e-12);
}

#[test]
fn the_impact_is_the_same_in_a_moving_frame() {
    // Tolerances follow velocities relative to the common centre of mass.
    let boost = |v: f64| {
        let placements =
            oblique().map(|p| Placement { velocity: [p.velocity[0] + v, p.velocity[1], p.velocity[2]], ..p });
        run(two_balls(placements, Settings::until(1e-3))).contacts[0]
    };
    let (rest, moving) = (boost(0.0), boost(1.0));
    assert!((rest.peak_force / moving.peak_force - 1.0).abs() < 1e-8, "{rest:?} {moving:?}");
    assert!((rest.duration() / moving.duration() - 1.0).abs() < 1e-8, "{rest:?} {moving:?}");
}

/// Keeps all outputs of a run.
#[derive(Default)]
struct Keep {
    frames: Vec<(f64, Vec<f64>)>,
    events: Vec<ContactEvent>,
    checkpoints: Vec<Checkpoint>,
    rows: Vec<[f64; carom_dynamics::LedgerRow::N_COLUMNS]>,
}

impl Observer for Keep {
    fn frame(&mut self, frame: &Frame<'_>) -> Result<(), ObserverError> {
        let numbers = frame.bodies.iter().flat_map(|body| [body.position, body.velocity].concat());
        self.frames.push((frame.time, numbers.chain([frame.contacts[0].normal_force]).collect()));
        self.rows.push(frame.ledger.values());
        Ok(())
    }
    fn contact_event(&mut self, event: &ContactEvent) -> Result<(), ObserverError> {
        self.events.push(*event);
        Ok(())
    }
    fn wants_checkpoint(&mut self, steps: u64) -> bool {
        steps.is_multiple_of(7)
    }
    fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), ObserverError> {
        self.checkpoints.push(checkpoint.clone());
        Ok(())
    }
}

#[test]
fn a_resumed_run_continues_bit_for_bit() {
    // Several motions: by chance a last digit is the same.
    for spin in [20.0, 20.1, 20.2, 20.3, 20.4] {
        resumes(spin);
    }
}

fn resumes(spin: f64) {
    let balls = || {
        let [first, second] = oblique();
        let settings = Settings { output_every: Some(3e-6), ..Settings::until(4e-3) };
        two_balls([Placement { angular_velocity: [3.0, -8.0, spin], ..first }, second], settings)
    };
    let mut whole = Keep::default();
    let mut first = balls();
    let summary = first.run(&mut whole, &Silent).unwrap();
    assert!(whole.checkpoints.len() > 6 && whole.events.len() == 1);
    for checkpoint in &whole.checkpoints {
        let mut rest = Keep::default();
        let mut resumed = balls();
        resumed.resume(checkpoint).unwrap();
        let again = resumed.run(&mut rest, &Silent).unwrap();
        assert_eq!(
            first.state().iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            resumed.state().iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
            "from t = {}",
            checkpoint.time
        );
        assert_eq!(summary, again);
        let tail = whole.frames.len() - rest.frames.len();
        assert_eq!(whole.frames[tail..], rest.frames[..]);
        assert_eq!(whole.rows[tail..], rest.rows[..], "{spin}, from t = {}", checkpoint.time);
    }
}

#[test]
fn a_checkpoint_of_another_scenario_is_refused() {
    let mut one = two_balls(oblique(), Settings::until(1e-3));
    let system = System::new(vec![ball("alone", 1.0)], Loads::default(), Vec::new()).unwrap();
    let other = Simulation::new(system, &[Placement::default()], Settings::until(1e-3)).unwrap();
    let message = one.resume(&other.checkpoint()).unwrap_err().to_string();
    assert!(message.contains("`state`"), "{message}");
}

#[test]
fn each_output_occurs_once_at_its_time() {
    let settings = Settings { output_every: Some(1e-5), ..Settings::until(2.05e-4) };
    let mut keep = Keep::default();
    two_balls(head_on(0.5), settings).run(&mut keep, &Silent).unwrap();
    let times: Vec<f64> = keep.frames.iter().map(|frame| frame.0).collect();
    assert_eq!(times.len(), 22, "{times:?}");
    for (i, time) in times[..21].iter().enumerate() {
        assert!((time - 1e-5 * i as f64).abs() < 1e-18);
    }
    assert_eq!(times[21], 2.05e-4);
    // The energy at interpolated states is as accurate as at the ends of steps.
    let worst = keep.rows.iter().map(|row| row[10].abs()).fold(0.0, f64::max);
    assert!(worst < 1e-6 * keep.rows[0][1], "{worst:e} of {:e}", keep.rows[0][1]);
}

#[test]
fn fixed_steps_end_at_the_beginning_of_contact() {
    let settings = Settings { time_step: Some(2e-6), ..Settings::until(2e-4) };
    let summary = run(two_balls(head_on(0.5), settings));
    let event = summary.contacts[0];
    assert!(
        (event.start - 2e-5).abs() < 1e-14 && (event.peak_force / 979.36 - 1.0).abs() < 2e-5,
        "{event:?}"
    );
    assert!(summary.counters.steps < 110 && summary.counters.rejected == 0, "{:?}", summary.counters);
}

#[test]
fn free_flight_needs_few_steps_and_finds_a_late_contact() {
    let at =
        |x: f64, v: f64| Placement { origin: [x, 0.0, 0.0], velocity: [v, 0.0, 0.0], ..Placement::default() };
    // Hertz' law is smooth: the pair of order 8 has the fewest steps.
    let smooth = Settings { integrator: IntegratorKind::RungeKutta(Method::Dop853), ..Settings::until(4.0) };
    let summary = run(two_balls([at(0.0, 0.5), at(1.0 + 2.0 * RADIUS, 0.0)], smooth));
    assert!((summary.contacts[0].start - 2.0).abs() < 1e-9, "{:?}", summary.contacts);
    assert!(summary.counters.steps < 150, "{:?}", summary.counters);
}

#[test]
fn invalid_settings_are_refused() {
    let system = || System::new(vec![ball("alone", 1.0)], Loads::default(), Vec::new()).unwrap();
    for settings in [
        Settings::until(f64::NAN),
        Settings::until(-1.0),
        Settings { relative_tolerance: 0.0, ..Settings::until(1.0) },
        Settings { output_every: Some(-1.0), ..Settings::until(1.0) },
    ] {
        assert!(Simulation::new(system(), &[Placement::default()], settings).is_err());
    }
    assert!(Simulation::new(system(), &[], Settings::until(1.0)).is_err());
}
