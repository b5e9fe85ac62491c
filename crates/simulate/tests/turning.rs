//! Flexible bodies that turn many times before they touch.

use std::f64::consts::{PI, TAU};

use carom_simulate::{Prepared, RunOptions, RunOutcome};

use crate::fixtures::{Chain, bodies_of, parse};

const INTEGRATORS: [&str; 3] = ["dormand-prince5", "radau5", "generalised-alpha"];

fn solve(bodies: &Prepared, text: &str) -> (RunOutcome, Vec<[f64; carom_dynamics::LedgerRow::N_COLUMNS]>) {
    let chain = Chain::new();
    let outcome = chain.run(&parse(text, &[]), bodies, RunOptions::default()).unwrap();
    (outcome, chain.reader().ledger().unwrap())
}

const SPIN: f64 = 500.0;
const SPEED: f64 = 10.0;

/// A ball that hits a wall with its pole after the given number of turns; only contact deforms it.
fn ball(integrator: &str, turns: f64) -> String {
    let flight = turns * TAU / SPIN;
    let (end, z) = (flight + 6e-5, -0.015 - 1e-7 - SPEED * flight);
    format!(
        r#"
[simulation]
integrator = "{integrator}"
end_time = {end}
output_every = {end}
relative_tolerance = 1.0e-6

[[body]]
name = "ball"
make = {{ shape = "ball", radius = 0.015, pole_radius = 3.9e-3, grade = {{ at = "pole", finest = 1.5e-3 }} }}
material = "steel"
reduce = {{ interface = ["pole"], modes = 8, split = 5.0e4 }}
position = [0.0, 0.0, {z}]
velocity = [0.0, 0.0, {SPEED}]
angular_velocity = [0.0, {SPIN}, 0.0]

[[body]]
name = "wall"
make = {{ shape = "box", size = [0.02, 0.02, 0.01] }}
rigid = true
fixed = true
material = "steel"
position = [-0.01, -0.01, 0.0]

[[contact]]
between = ["ball:pole", "wall:bottom"]
law = {{ kind = "complementarity" }}
"#
    )
}

/// Twenty whole turns change only the time of the impact: the points, force, duration and the final spin
/// are the same.
#[test]
fn an_impact_after_twenty_turns_is_the_same_as_without_turns() {
    let prepared = bodies_of(&parse(&ball("radau5", 0.0), &[]));
    let reference = solve(&prepared, &ball("radau5", 0.0)).0;
    let plain = reference.summary.contacts[0];
    for integrator in INTEGRATORS {
        for turns in [0.0, 20.0] {
            let outcome = solve(&prepared, &ball(integrator, turns)).0;
            let (summary, event) = (&outcome.summary, outcome.summary.contacts[0]);
            let spin = |outcome: &RunOutcome| outcome.bodies[0].angular_velocity[1];
            let deviations = [
                (event.start - plain.start - turns * TAU / SPIN) / event.duration(),
                event.duration() / plain.duration() - 1.0,
                event.peak_force / plain.peak_force - 1.0,
                event.impulse[2] / plain.impulse[2] - 1.0,
                spin(&outcome) / spin(&reference) - 1.0,
            ];
            println!("{integrator}, {turns} turns: {deviations:?}, {} steps", summary.steps);
            assert!(deviations.iter().all(|x| x.abs() < 1e-6), "{integrator} {turns}: {deviations:?}");
            // The restitution is that of the centre of mass, although the surface slides along the wall at
            // 7.5 m/s.
            let left = -outcome.bodies[0].velocity[2] / SPEED;
            let restitution = event.restitution().unwrap();
            assert!((restitution - left).abs() < 2e-3, "{restitution} {left}: {event:?}");
            assert!(
                (event.velocity_before + SPEED).abs() < 5e-3 * SPEED && event.place[0].abs() < 4e-4,
                "{event:?}"
            );
            let ledger = &summary.ledger;
            assert!(ledger.energy_error < 1e-6 && ledger.momentum_error < 1e-12, "{ledger:?}");
            assert!(ledger.ang_momentum_error < 1e-12, "{ledger:?}");
        }
    }
}

const LENGTH: f64 = 0.4;
const RATE: f64 = 1000.0;

/// A rod that turns about its middle, all modes of its model dynamic; it begins without the centrifugal
/// stretch and oscillates about it.
fn rod(settings: &str) -> String {
    let half = 0.5 * LENGTH;
    let end = 20.0 * TAU / RATE;
    format!(
        r#"
[simulation]
end_time = {end}
output_every = {}
{settings}

[[body]]
name = "rod"
make = {{ shape = "rod", radius = 0.01, length = {LENGTH}, elements = [4, 1, 1] }}
material = "steel"
reduce = {{ interface = ["start"], modes = 20, split = 8.0e3 }}
position = [{}, 0.0, 0.0]
angular_velocity = [0.0, 0.0, {RATE}]
"#,
        end / 4000.0,
        -half
    )
}

/// The energy of the stretch ε = ρ Ω² (ℓ² − x²)/(2 E) of a rod that turns about its middle is 2 π r² ρ² Ω⁴
/// ℓ⁵/(15 E). Released without the stretch, the rod oscillates about it: as one mode has nearly all of it,
/// the mean energy is 3/2 of that.
#[test]
fn a_turning_rod_stretches_by_centrifugal_forces() {
    let (young, density, radius, half) = (210e9, 7800.0, 0.01_f64, 0.5 * LENGTH);
    let settled =
        2.0 * PI * radius.powi(2) * f64::powi(density, 2) * RATE.powi(4) * half.powi(5) / (15.0 * young);
    let prepared = bodies_of(&parse(&rod(""), &[]));
    for integrator in INTEGRATORS {
        let settings = format!("integrator = \"{integrator}\"\nrelative_tolerance = 1.0e-6");
        let (outcome, frames) = solve(&prepared, &rod(&settings));
        let mean = frames.iter().map(|frame| frame[2]).sum::<f64>() / frames.len() as f64;
        let ratio = mean / (1.5 * settled);
        let ledger = outcome.summary.ledger;
        println!("{integrator}: {ratio}, {} steps, {ledger:?}", outcome.summary.steps);
        assert!((ratio - 1.0).abs() < 0.02, "{integrator}: {ratio}");
        assert!(ledger.energy_error < 1e-6 && ledger.ang_momentum_error < 1e-9, "{integrator}: {ledger:?}");
    }
}
