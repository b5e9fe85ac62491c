//! The cost of a step as a function of the numbers of modes, bodies and pressure cells in contact.
//!
//! ```text
//! cargo bench -p carom-multibody --bench cost
//! cargo bench -p carom-multibody --bench cost -- crowd      # one table alone
//! cargo bench -p carom-multibody --bench cost -- mechanisms chain generalised-alpha modes=0
//! ```
//!
//! Mechanisms are chains, trees and rings of 5 to 200 bodies, in steps of 1 ms;
//! `benches/mechanisms_in_exudyn.py` runs the same ones in Exudyn. Chains of flexible bodies on spherical
//! joints swing under gravity, in steps of 1 ms; a body is a lattice of 18 points with the number of modes
//! in the table, up to 48, from some 300 Hz on. The contact is that of two balls at the peak of an impact,
//! with caps as compliant as half-spaces: one right-hand side. The crowd is one of balls in couples that
//! are near each other; every two balls are a pair, or each ball and the next one. One thread, CPU time,
//! the least of three runs.

mod balls;
#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/cap/mod.rs"]
mod cap;
#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/lattice/mod.rs"]
mod lattice;
mod mechanisms;

use std::sync::Arc;

use balls::{couple, poles, system, two_balls};
use cap::{Cap, RADIUS};
use carom_dynamics::{ContactState, Ignore, Placement};
use carom_integrate::{ConstraintForm, ImplicitMethod, IntegratorKind, Method, Ode, SpectralRadius};
use carom_multibody::{Body, Law, Settings, Simulation, System};
use carom_progress::Silent;
use carom_reduce::ReducedBody;
use carom_testing::clock::timed;
use lattice::Lattice;
use mechanisms::{Shape, mechanism};

const REPETITIONS: usize = 3;
/// Implicit integrators.
const INTEGRATORS: [(&str, IntegratorKind); 4] = [
    (
        "generalised-alpha",
        IntegratorKind::GeneralisedAlpha(SpectralRadius::DEFAULT, ConstraintForm::Stabilised),
    ),
    ("midpoint", IntegratorKind::Implicit(ImplicitMethod::Midpoint)),
    ("bdf2", IntegratorKind::Implicit(ImplicitMethod::Bdf2)),
    ("radau5", IntegratorKind::Radau5),
];
/// Steps of a chain.
const STEPS: usize = 400;
const STEP: f64 = 1e-3;
/// Evaluations in contact of one measurement.
const EVALUATIONS: usize = 2000;
/// Contact radius of the balls by Hertz at 0.5 m/s \[m\].
const CONTACT_RADIUS: f64 = 0.36e-3;

fn main() {
    let tables: [(&str, fn()); 4] =
        [("chains", chains), ("impacts", impacts), ("crowd", crowds), ("mechanisms", mechanisms)];
    let words: Vec<String> = std::env::args().collect();
    let is_named = |name: &str| words.iter().any(|word| word == name);
    let all = !tables.iter().any(|(name, _)| is_named(name));
    for (_, table) in tables.iter().filter(|(name, _)| all || is_named(name)) {
        table();
    }
}

/// Steps of mechanisms of many bodies. Words on the command line choose shapes (`ring`), integrators
/// (`radau5`), modes (`modes=14`) and the largest number of bodies (`bodies=40`).
fn mechanisms() {
    let words: Vec<String> = std::env::args().collect();
    let chosen = |all: &[&'static str]| -> Vec<&'static str> {
        let named = all.iter().copied().filter(|name| words.iter().any(|word| word == name));
        let named: Vec<_> = named.collect();
        if named.is_empty() { all.to_vec() } else { named }
    };
    let number = |key: &str| words.iter().find_map(|word| word.strip_prefix(key)?.parse::<usize>().ok());
    let shapes = chosen(&Shape::ALL.map(Shape::name));
    let integrators = chosen(&INTEGRATORS.map(|(name, _)| name));
    println!("\nMicroseconds of a step of 1 ms (evaluations in it; factorisations, derivatives in 100):\n");
    println!("| mechanism | modes | bodies | {} |", integrators.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(integrators.len()));
    for shape in Shape::ALL.into_iter().filter(|shape| shapes.contains(&shape.name())) {
        for modes in number("modes=").map_or(vec![0, 14], |modes| vec![modes]) {
            let body = Lattice::new(0.1, 1.0, 2000.0).body(modes);
            let most = number("bodies=").unwrap_or(200);
            for bodies in [5, 10, 20, 40, 100, 200].into_iter().filter(|&bodies| bodies <= most) {
                let kinds = INTEGRATORS.iter().filter(|(name, _)| integrators.contains(name));
                let cells = kinds.map(|&(_, kind)| {
                    let of = step_of_mechanism(shape, &body, bodies, kind, 100);
                    let counts =
                        format!("{:.1}; {:.0}, {:.0}", of.evaluations, of.factorisations, of.derivatives);
                    format!("{:.1} ({counts})", of.micros)
                });
                let cells: Vec<_> = cells.collect();
                println!("| {} | {modes} | {bodies} | {} |", shape.name(), cells.join(" | "));
            }
        }
    }
}

/// Steps of chains.
fn chains() {
    let names: Vec<_> = INTEGRATORS.iter().map(|(name, _)| *name).collect();
    println!("Microseconds of a step (evaluations in it):\n");
    println!("| bodies | modes of each | {} |\n|---|---|{}", names.join(" | "), "---|".repeat(names.len()));
    for (bodies, modes) in [(2, 0), (2, 8), (2, 16), (2, 32), (2, 48), (4, 8), (8, 8), (16, 8)] {
        let body = Lattice::new(0.1, 1.0, 2000.0).body(modes);
        let cells = INTEGRATORS.map(|(_, kind)| {
            let of = step_of_mechanism(Shape::Chain, &body, bodies, kind, STEPS);
            format!("{:.1} ({:.1})", of.micros, of.evaluations)
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

/// Cost of a step.
struct StepCost {
    micros: f64,
    /// Evaluations of the rate in a step.
    evaluations: f64,
    /// Factorisations in 100 steps.
    factorisations: f64,
    /// Derivatives by differences in 100 steps.
    derivatives: f64,
}

/// Cost of a step of a mechanism, over this number of steps.
fn step_of_mechanism(
    shape: Shape,
    body: &Body,
    bodies: usize,
    integrator: IntegratorKind,
    steps: usize,
) -> StepCost {
    let settings = Settings { integrator, time_step: Some(STEP), ..Settings::until(steps as f64 * STEP) };
    // Clocks tick in milliseconds.
    let runs = (80_000 / (bodies * steps)).max(1);
    let mut all: Vec<_> = (0..REPETITIONS * runs).map(|_| mechanism(shape, body, bodies, settings)).collect();
    let mut cost =
        StepCost { micros: f64::INFINITY, evaluations: 0.0, factorisations: 0.0, derivatives: 0.0 };
    for part in all.chunks_mut(runs) {
        let ((), time) = timed(|| {
            for simulation in part {
                let summary = simulation.run(&mut Ignore, &Silent).expect("a mechanism that swings");
                let counters = summary.counters;
                assert!(counters.steps as usize >= steps, "{counters:?}");
                cost.evaluations = counters.evaluations as f64 / counters.steps as f64;
                cost.factorisations = 100.0 * counters.factorisations as f64 / counters.steps as f64;
                cost.derivatives = 100.0 * counters.jacobians as f64 / counters.steps as f64;
            }
        });
        cost.micros = cost.micros.min(1e6 * time.cpu / (runs * steps) as f64);
    }
    cost
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
