//! The cost of an impact: one right-hand side in contact, and a whole run of flight, impact, flight.
//!
//! Two balls whose caps are as compliant as half-spaces, 10 × 10 biquadratic faces and 144 interface points
//! each, 2 dynamic modes; the zone reaches 1.25 contact radii, so that some 60 pressure cells have a force at
//! the peak.

mod balls;
#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/cap/mod.rs"]
mod cap;
#[allow(dead_code, reason = "the benchmark uses a part")]
#[path = "../tests/lattice/mod.rs"]
mod lattice;

use std::hint::black_box;
use std::sync::Arc;

use balls::two_balls;
use cap::Cap;
use carom_dynamics::Ignore;
use carom_integrate::Ode;
use carom_multibody::{Law, Settings, Simulation, System};
use carom_reduce::ReducedBody;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

/// Contact radius by Hertz at 0.5 m/s: 0.36 mm.
const HALF_WIDTH: f64 = 0.45e-3;
const END: f64 = 1.4e-4;

fn simulation(ball: &Arc<ReducedBody>, law: Law) -> Simulation {
    let (system, placements) = two_balls(ball, law);
    Simulation::new(system, &placements, Settings::until(END))
        .expect("two balls at rest but for their approach")
}

/// States at 48 times within a twentieth of the pulse about its middle, as close as the stages of a step.
fn states_at_peak(ball: &Arc<ReducedBody>) -> (System, Vec<Vec<f64>>) {
    let mut simulation = simulation(ball, Law::Hard);
    simulation.settings.max_step = Some(1e-7);
    let mut states = Vec::new();
    while states.len() < 48 {
        simulation.step(&mut Ignore).expect("an impact");
        if simulation.time() > 5.2e-5 {
            states.push(simulation.state().to_vec());
        }
    }
    (simulation.system, states)
}

fn right_hand_side(c: &mut Criterion) {
    let ball = Arc::new(Cap::splines(10, HALF_WIDTH, 2).reduced());
    let (mut system, states) = states_at_peak(&ball);
    let mut rate = vec![0.0; states[0].len()];
    // The states are visited forwards and backwards, so that consecutive states are close to each other.
    let mut order = (0..48).chain((0..48).rev()).cycle();
    c.bench_function("right-hand side at the peak", |b| {
        b.iter(|| {
            let k = order.next().expect("a cycle has no end");
            system.rate(0.0, black_box(&states[k]), &mut rate).expect("an impact");
        });
    });
}

fn whole_run(c: &mut Criterion) {
    let ball = Arc::new(Cap::splines(10, HALF_WIDTH, 2).reduced());
    let mut group = c.benchmark_group("impact");
    group.sample_size(10);
    for (name, law) in [("hard", Law::Hard), ("penalty", Law::penalty(100.0))] {
        let run = |mut simulation: Simulation| {
            while simulation.time() < END {
                simulation.step(&mut Ignore).expect("an impact");
            }
            simulation
        };
        let done = run(simulation(&ball, law)).summary();
        println!("{name}: {:?}, energy {:.1e}, {:?}", done.counters, done.ledger.energy_error, done.contacts);
        group.bench_function(name, |b| b.iter_batched(|| simulation(&ball, law), run, BatchSize::LargeInput));
    }
    group.finish();
}

criterion_group!(benches, right_hand_side, whole_run);
criterion_main!(benches);
