//! Steps in flight that are longer than the periods of the modes: the exponential formula on mechanisms of
//! flexible bodies.

use carom_dynamics::Ignore;
use carom_integrate::{IntegratorKind, Method};
use carom_multibody::{Body, Settings, Simulation};
use carom_progress::Silent;

use crate::lattice::Lattice;

#[allow(dead_code, reason = "the test uses a part")]
#[path = "../benches/mechanisms/mod.rs"]
mod mechanisms;

use mechanisms::{Shape, mechanism};

/// Three bodies with modes of 0.9 to 5 kHz that begin to swing: released from rest, their modes ring.
fn chain(body: &Body, integrator: IntegratorKind, relative_tolerance: f64) -> Simulation {
    let settings = Settings { integrator, relative_tolerance, ..Settings::until(0.1) };
    let mut simulation = mechanism(Shape::Chain, body, 3, settings);
    simulation.run(&mut Ignore, &Silent).unwrap();
    simulation
}

/// Position of the last body, and its modal coordinates.
fn last(simulation: &mut Simulation) -> (Vec<f64>, Vec<f64>) {
    let state = &simulation.body_states().unwrap()[2];
    (state.position.to_vec(), state.modal.clone())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[test]
fn a_chain_swings_in_few_steps_and_rings_on() {
    let body = Lattice::new(0.1, 1.0, 2e4).body(8);
    let explicit = IntegratorKind::RungeKutta(Method::Dop853);
    let mut reference = chain(&body, explicit, 1e-9);
    let mut long = chain(&body, IntegratorKind::Exponential, 1e-4);
    let (place, modes) = last(&mut reference);
    let (found_place, found_modes) = last(&mut long);
    let size = distance(&modes, &vec![0.0; modes.len()]);
    let errors = [distance(&place, &found_place), distance(&modes, &found_modes) / size];
    let few = long.summary();
    // It moves by some centimetres.
    assert!(errors[0] < 1e-7 && errors[1] < 1e-2, "{errors:?}");
    assert!(few.ledger.energy_error < 1e-5, "{:?}", few.ledger);
    // Its steps are a tenth of the shortest period, for any tolerance.
    let resolved = chain(&body, IntegratorKind::RungeKutta(Method::DormandPrince5), 1e-4).summary();
    assert!(10 * few.counters.steps < resolved.counters.steps, "{:?} {:?}", few.counters, resolved.counters);
}
