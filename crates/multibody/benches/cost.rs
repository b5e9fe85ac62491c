//! The cost of a step as a function of the numbers of modes, bodies and pressure cells in contact.
//!
//! ```text
//! cargo bench -p carom-multibody --bench cost
//! cargo bench -p carom-multibody --bench cost -- crowd      # the last table alone
//! ```
//!
//! Chains of flexible bodies on spherical joints that swing under gravity, in steps of 1 ms; a body is a
//! lattice of 18 points with the number of modes in the table, up to 48, from some 300 Hz on. The contact is
//! that of two balls at the peak of an impact, with caps as compliant as half-spaces: one right-hand side.
//! The crowd is one of balls in couples that are near each other; every two balls are a pair, or each ball
//! and the next one.
//! One thread, CPU time, the least of three runs.

mod balls;
#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/cap/mod.rs"]
mod cap;
#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/lattice/mod.rs"]
mod lattice;

use std::sync::Arc;

use balls::{couple, poles, system, two_balls};
use cap::{Cap, RADIUS};
use carom_dynamics::{ContactState, Ignore, Loads, Placement};
use carom_integrate::{ConstraintForm, ImplicitMethod, IntegratorKind, Method, Ode, SpectralRadius};
use carom_multibody::{Body, Joint, JointEnd, JointKind, Law, Settings, Simulation, System};
use carom_progress::Silent;
use carom_reduce::ReducedBody;
use carom_testing::clock::timed;
use lattice::Lattice;
use nalgebra::{Matrix3, Vector3};

const REPETITIONS: usize = 3;
/// Steps of a chain.
const STEPS: usize = 400;
const STEP: f64 = 1e-3;
/// Evaluations in contact of one measurement.
const EVALUATIONS: usize = 2000;
/// Contact radius of the balls by Hertz at 0.5 m/s \[m\].
const CONTACT_RADIUS: f64 = 0.36e-3;

fn main() {
    if !std::env::args().any(|word| word == "crowd") {
        chains();
        impacts();
    }
    crowds();
}

/// Steps of chains.
fn chains() {
    let alpha = IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, ConstraintForm::Stabilised);
    let kinds = [
        ("generalised-alpha", alpha),
        ("midpoint", IntegratorKind::Implicit(ImplicitMethod::Midpoint)),
        ("radau5", IntegratorKind::Radau5),
    ];
    println!("Microseconds of a step (evaluations in it):\n");
    println!(
        "| bodies | modes of each | {} | {} | {} |\n|---|---|---|---|---|",
        kinds[0].0, kinds[1].0, kinds[2].0
    );
    let sizes = [(2, 0), (2, 8), (2, 16), (2, 32), (2, 48), (4, 8), (8, 8), (16, 8)];
    for (bodies, modes) in sizes {
        let body = Lattice::new(0.1, 1.0, 2000.0).body(modes);
        let cells = kinds.map(|(_, kind)| {
            let (micros, evaluations) = step_of_chain(&body, bodies, kind);
            format!("{micros:.1} ({evaluations:.1})")
        });
        println!("| {bodies} | {modes} | {} |", cells.join(" | "));
    }
}

/// Right-hand sides of two balls.
fn impacts() {
    println!("\nMicroseconds of a right-hand side at the peak of an impact:\n");
    println!("| pressure cells | cells under pressure | hard | penalty |\n|---|---|---|---|");
    for faces in [4, 6, 8, 10, 14, 20] {
        let ball = Arc::new(Cap::splines(faces, 1.25 * CONTACT_RADIUS, 2).reduced());
        let (hard, cells) = evaluation_in_contact(&ball, Law::Hard);
        let (penalty, _) = evaluation_in_contact(&ball, Law::penalty(100.0));
        println!("| {} | {cells} | {hard:.1} | {penalty:.1} |", faces * faces);
    }
}

/// Steps of crowds.
fn crowds() {
    println!("\nMilliseconds of a right-hand side, and of a step, of a crowd:\n");
    println!("| bodies | pairs | right-hand side | step |\n|---|---|---|---|");
    let ball = Arc::new(Cap::splines(4, 1.25 * CONTACT_RADIUS, 2).reduced());
    for (n, all) in [(10, true), (100, true), (300, true), (10, false), (100, false), (1000, false)] {
        let [rate, step] = step_of_crowd(&ball, n, all);
        let pairs = if all { n * (n - 1) / 2 } else { n - 1 };
        println!("| {n} | {pairs} | {rate:.3} | {step:.3} |");
    }
}

/// n balls in couples 0.2 mm apart that approach slowly; the couples stand in a square. Every two balls are a
/// pair, or each ball and the next one.
fn crowd(ball: &Arc<ReducedBody>, n: usize, all: bool) -> (System, Vec<Placement>) {
    let last = |first: usize| if all { n } else { (first + 2).min(n) };
    let pairs: Vec<_> =
        (0..n).flat_map(|a| (a + 1..last(a)).map(move |b| poles([a, b], Law::Hard))).collect();
    let side = (n as f64 / 2.0).sqrt().ceil() as usize;
    let place = |k: usize| [(k % side) as f64, (k / side) as f64, 0.0].map(|x| 4.0 * RADIUS * x);
    let places = (0..n.div_ceil(2)).flat_map(|k| couple(place(k), 2e-4, [1e-3, -1e-3])).take(n);
    (system(ball, n, &pairs), places.collect())
}

/// Milliseconds of a right-hand side and of a step of 5 µs without contact of a crowd.
fn step_of_crowd(ball: &Arc<carom_reduce::ReducedBody>, n: usize, all: bool) -> [f64; 2] {
    const CROWD_STEPS: usize = 20;
    let (system, places) = crowd(ball, n, all);
    let settings = Settings {
        integrator: IntegratorKind::RungeKutta(Method::DormandPrince5),
        time_step: Some(5e-6),
        ..Settings::until(1.0)
    };
    let mut simulation = Simulation::new(system, &places, settings).expect("balls that approach");
    let mut steps = || (0..CROWD_STEPS).for_each(|_| simulation.step(&mut Ignore).expect("no contact"));
    let step = (0..REPETITIONS).map(|_| timed(&mut steps).1.cpu).fold(f64::INFINITY, f64::min);
    let state = simulation.state().to_vec();
    let mut rate = vec![0.0; state.len()];
    let mut rates = || {
        for _ in 0..6 * CROWD_STEPS {
            simulation.system.rate(0.0, &state, &mut rate).expect("no contact");
        }
    };
    let rate = (0..REPETITIONS).map(|_| timed(&mut rates).1.cpu).fold(f64::INFINITY, f64::min);
    [rate / 6.0, step].map(|seconds| 1e3 * seconds / CROWD_STEPS as f64)
}

/// Microseconds and evaluations of a step of a chain.
fn step_of_chain(body: &Body, bodies: usize, integrator: IntegratorKind) -> (f64, f64) {
    let settings = Settings { integrator, time_step: Some(STEP), ..Settings::until(STEPS as f64 * STEP) };
    // Clocks tick in milliseconds.
    let mut chains: Vec<_> =
        (0..REPETITIONS * (20 / bodies).max(1)).map(|_| chain(body, bodies, settings)).collect();
    let mut evaluations = 0.0;
    let mut seconds = f64::INFINITY;
    let runs = chains.len() / REPETITIONS;
    for part in chains.chunks_mut(runs) {
        let ((), time) = timed(|| {
            for simulation in part {
                let summary = simulation.run(&mut Ignore, &Silent).expect("a chain that swings");
                let counters = summary.counters;
                assert!(counters.steps as usize >= STEPS, "{counters:?}");
                evaluations = counters.evaluations as f64 / counters.steps as f64;
            }
        });
        seconds = seconds.min(time.cpu);
    }
    (1e6 * seconds / (runs * STEPS) as f64, evaluations)
}

/// A chain of bodies that hangs from the ground, initially to one side.
fn chain(body: &Body, bodies: usize, settings: Settings) -> Simulation {
    let marker = |points: &[u32]| body.marker(points).expect("points of the lattice");
    let ends = [marker(&[0, 1, 2, 9, 10, 11]), marker(&[6, 7, 8, 15, 16, 17])];
    let [start, stop] = ends.each_ref().map(|end| Vector3::from(end.position_b));
    let end =
        |body, which: usize| JointEnd { body, marker: ends[which].clone(), triad_b: Matrix3::identity() };
    let joint = |k: usize| {
        let first = if k == 0 { end(None, 0) } else { end(Some(k - 1), 1) };
        Joint { name: format!("{k}"), kind: JointKind::Spherical, ends: [first, end(Some(k), 0)] }
    };
    let places: Vec<_> = (0..bodies)
        .map(|k| Placement { origin: (k as f64 * (stop - start)).into(), ..Placement::default() })
        .collect();
    let loads = Loads { gravity: [0.0, 0.0, -9.81], ..Loads::default() };
    let system = System::new(vec![body.clone(); bodies], loads, Vec::new()).expect("bodies without pairs");
    let system = system.with_joints((0..bodies).map(joint).collect()).expect("joints between neighbours");
    Simulation::new(system, &places, settings).expect("a chain that is closed")
}

/// Microseconds of a right-hand side about the peak of an impact, and the number of pressure cells with a
/// force there.
fn evaluation_in_contact(ball: &Arc<carom_reduce::ReducedBody>, law: Law) -> (f64, usize) {
    let (system, places) = two_balls(ball, law);
    let settings = Settings {
        integrator: IntegratorKind::RungeKutta(Method::DormandPrince5),
        max_step: Some(2e-7),
        ..Settings::until(1e-4)
    };
    let mut simulation = Simulation::new(system, &places, settings).expect("two balls that approach");
    let mut states = Vec::new();
    while states.len() < 24 {
        simulation.step(&mut Ignore).expect("an impact");
        if simulation.time() > 5.2e-5 {
            states.push(simulation.state().to_vec());
        }
    }
    let mut system = simulation.system;
    let mut rate = vec![0.0; states[0].len()];
    system.rate(0.0, &states[0], &mut rate).expect("an impact");
    let mut state = ContactState::default();
    system.contact_models()[0].report(0, &mut state);
    let mut run = || {
        // The states are visited forwards and backwards, so that consecutive states are close to each other.
        let order = (0..states.len()).chain((0..states.len()).rev()).cycle();
        for k in order.take(EVALUATIONS) {
            system.rate(0.0, &states[k], &mut rate).expect("an impact");
        }
    };
    let seconds = (0..REPETITIONS).map(|_| timed(&mut run).1.cpu).fold(f64::INFINITY, f64::min);
    (1e6 * seconds / EVALUATIONS as f64, state.pressure_faces.len())
}
