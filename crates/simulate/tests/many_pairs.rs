//! Contacts of so many bodies that an evaluation looks at neighbours alone.

use carom_simulate::RunOptions;

use crate::fixtures::{Chain, Impatient, RESUME, parse};

const RADIUS: f64 = 0.005;
const SPEED: f64 = 10.0;
const BALLS: usize = 37;

/// Rigid balls of steel in a row, 0.3 mm apart. The first one comes from far away and meets the second one.
fn row(end_time: f64) -> String {
    let mut text = format!(
        "[simulation]\nscheme = \"quasistatic\"\nend_time = {end_time:?}\noutput_every = {end_time:?}\n\
         [[contact]]\nbetween = [\"*\"]\ncompliance = \"half-space\"\n"
    );
    for k in 0..BALLS {
        let (x, speed) = if k == 0 { (-0.03, SPEED) } else { (0.0103 * k as f64, 0.0) };
        text += &format!(
            "[[body]]\nname = \"ball{k}\"\nmake = {{ shape = \"ball\", radius = {RADIUS:?} }}\n\
             material = \"steel\"\nrigid = true\nposition = [{x:?}, 0.0, 0.0]\n\
             velocity = [{speed:?}, 0.0, 0.0]\n"
        );
    }
    text
}

/// Equal balls hand their velocity on, one after the other: each impact has the impulse m v, and the last
/// ball leaves with v. The first ball moves by six radii before it is anybody's neighbour.
#[test]
fn a_row_of_many_balls_hands_the_velocity_on() {
    let scenario =
        parse(&row(0.006), &["simulation.checkpoint_every=100", "simulation.relative_tolerance=1e-5"]);
    let chain = Chain::new();
    let bodies = chain.prepare(&scenario).unwrap();
    let outcome = chain.run(&scenario, &bodies, RunOptions::default()).unwrap();
    assert_eq!(outcome.pairs.len(), BALLS * (BALLS - 1) / 2);
    let mass = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
    for (k, body) in outcome.bodies.iter().enumerate() {
        let expected = if k == BALLS - 1 { SPEED } else { 0.0 };
        assert!((body.velocity[0] - expected).abs() < 1e-3 * SPEED, "{k}: {:?}", body.velocity);
    }
    let impacts = &outcome.summary.contacts;
    assert_eq!(impacts.len(), BALLS - 1);
    for impact in impacts {
        let impulse = impact.impulse[0].abs();
        assert!((impulse / (mass * SPEED) - 1.0).abs() < 2e-3, "{}: {impulse}", outcome.pairs[impact.pair]);
    }
    assert!(outcome.summary.ledger.energy_error < 1e-5, "{:?}", outcome.summary.ledger);
    // A run that is stopped on the way goes on with the same neighbours.
    let parts = Chain::new();
    parts.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(700)).unwrap_err();
    let resumed = parts.run(&scenario, &bodies, RESUME).unwrap();
    assert_eq!(resumed.bodies, outcome.bodies);
    let [whole, parts] = [chain, parts].map(|chain| chain.reader().contact_events().unwrap());
    assert_eq!(whole, parts);
}
