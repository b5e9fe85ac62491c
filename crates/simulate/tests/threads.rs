//! The result of a run does not depend on the number of threads.

use carom_testing::scenarios::BALL_ON_BLOCK;

use crate::fixtures::{Chain, parse};

/// A hinge for the block, attached to its top.
const HINGE: &str = r#"
[[joint]]
kind = "revolute"
between = ["ground", "block:top"]
axis = [0.0, 1.0, 0.0]
"#;

/// Positions, modal coordinates and forces of the frames, and the ledger.
fn bits(threads: usize, integrator: &str) -> Vec<u64> {
    let integrator = format!("simulation.integrator=\"{integrator}\"");
    let overrides = [
        integrator.as_str(),
        "simulation.output_every=5.0e-6",
        "body.block.reduce.attach={ top = \"rigid\" }",
    ];
    let scenario = parse(&format!("{BALL_ON_BLOCK}{HINGE}"), &overrides);
    let chain = Chain::new();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let outcome = pool.install(|| chain.solve(&scenario).unwrap());
    let [event] = &outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
    assert!(event.peak_force > 1e4, "{event:?}");
    let result = chain.reader();
    let mut numbers: Vec<f64> = result.ledger().unwrap().into_flattened();
    for frame in 0..result.times().unwrap().len() {
        let frame = result.frame(frame).unwrap();
        for body in &frame.bodies {
            numbers.extend(body.position.iter().chain(&body.quaternion).chain(&body.velocity));
            numbers.extend(body.modal.iter().chain(&body.modal_rate));
        }
        for contact in &frame.contacts {
            numbers.extend(contact.force.iter().chain(&contact.pressures));
        }
    }
    assert!(numbers.len() > 1000, "{}", numbers.len());
    numbers.into_iter().map(f64::to_bits).collect()
}

#[test]
fn the_same_bits_for_1_2_and_8_threads() {
    for integrator in ["dormand-prince5", "generalised-alpha"] {
        let one = bits(1, integrator);
        for threads in [2, 8] {
            assert!(bits(threads, integrator) == one, "{threads} threads, {integrator}");
        }
    }
}
