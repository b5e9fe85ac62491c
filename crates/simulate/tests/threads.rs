//! What a run gives does not depend on the number of threads.

use std::path::Path;

use carom_format::{ResultReader, Scenario};
use carom_progress::Silent;
use carom_simulate::{RunOptions, Workshop, prepare, run};

/// A ball that hits a block on a hinge; both are flexible, and made and reduced on the way.
const SCENARIO: &str = r#"
[simulation]
end_time = 6.0e-5
output_every = 5.0e-6

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015, pole_radius = 3.9e-3, grade = { at = "pole", finest = 3.0e-3 } }
material = "steel"
reduce = { interface = ["pole"], modes = 8, split = 2.0e4 }
position = [0.003, -0.001, -0.0151]
velocity = [0.0, 0.0, 20.0]

[[body]]
name = "block"
make = { shape = "box", size = [0.06, 0.06, 0.03], elements = [6, 6, 3] }
material = "steel"
reduce = { interface = ["bottom"], attach = { top = "rigid" }, modes = 8, split = 2.0e4 }
position = [-0.03, -0.03, 0.0]

[[joint]]
kind = "revolute"
between = ["ground", "block:top"]
axis = [0.0, 1.0, 0.0]

[[contact]]
between = ["ball:pole", "block:bottom"]
"#;

/// Positions, modal coordinates and forces of the frames, and the ledger.
fn bits(threads: usize, integrator: &str) -> Vec<u64> {
    let overrides = [format!("simulation.integrator=\"{integrator}\"")];
    let scenario = Scenario::parse(Path::new("threads.toml"), SCENARIO, &overrides, &["steel"]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let workshop = Workshop { scenario_folder: folder.path(), bodies: &folder.path().join("bodies") };
    let path = folder.path().join("result.carom");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let outcome = pool.install(|| {
        let prepared = prepare(&scenario, workshop, &Silent).unwrap();
        run(&scenario, folder.path(), &prepared, &path, RunOptions::default(), &Silent).unwrap()
    });
    let [event] = &outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
    assert!(event.peak_force > 1e4, "{event:?}");
    let result = ResultReader::open(&path).unwrap();
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
