//! The chain of computations from shapes to an impact, on bodies coarse enough for a test.

use std::path::Path;

use carom_format::Scenario;
use carom_format::result::RunState;
use carom_simulate::{ErrorKind, RunOptions};
use carom_testing::scenarios::BALL_ON_BLOCK;

use crate::fixtures::{Chain, Impatient, REPLACE, RESUME, parse};

fn scenario(overrides: &[&str]) -> Scenario {
    parse(BALL_ON_BLOCK, overrides)
}

#[test]
fn an_impact_balances_energy_and_momenta_and_is_recorded() {
    let chain = Chain::new();
    let outcome = chain.solve(&scenario(&[])).unwrap();
    let ledger = &outcome.summary.ledger;
    println!("{outcome:?}");
    // The contract: energy below 1e-6 of the initial energy at the default tolerance, momenta to 1e-9.
    assert!(ledger.energy_error < 1e-6, "energy is off by {:.1e}", ledger.energy_error);
    assert!(ledger.momentum_error < 1e-12, "momentum is off by {:.1e}", ledger.momentum_error);
    assert!(
        ledger.ang_momentum_error < 1e-12,
        "angular momentum is off by {:.1e}",
        ledger.ang_momentum_error
    );
    let [event] = &outcome.summary.contacts[..] else {
        panic!("one impact was expected: {:?}", outcome.summary.contacts)
    };
    // Hertz, a steel ball of 15 mm on a rigid steel plane at 20 m/s: 188 kN, 43 µs. The block is eight times
    // as heavy as the ball and the pressure cells are larger than the contact radius: tolerances of 20 and 25
    // %.
    assert!((event.peak_force / 188e3 - 1.0).abs() < 0.2, "peak force {}", event.peak_force);
    assert!((event.duration() / 43e-6 - 1.0).abs() < 0.25, "duration {}", event.duration());
    let result = chain.reader();
    // Frames at every `output_every`, and at least forty within the impact.
    let times = result.times().unwrap();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    let within = times.iter().filter(|&&time| time > event.start && time < event.end).count();
    assert!(within >= 40 && times.len() < 31 + 80, "{within} of {} frames", times.len());
    for k in 0..31 {
        let regular = 2e-6 * f64::from(k);
        assert!(times.iter().any(|time| (time - regular).abs() < 1e-18), "{regular} in {times:?}");
    }
    assert_eq!(result.contact_events().unwrap().len(), 1);
}

#[test]
fn doubtful_modes_of_an_existing_model_are_among_the_warnings() {
    let chain = Chain::new();
    let short = ["simulation.end_time=1e-8", "simulation.output_every=1e-8"];
    let above = ["body.ball.reduce.split=1e6", short[0], short[1]];
    let solve = |overrides: &[&str]| {
        let outcome = chain.solve_with(&scenario(overrides), REPLACE).unwrap();
        outcome
            .warnings
            .into_iter()
            .filter(|warning| warning.contains("not modes of the body"))
            .collect::<Vec<_>>()
    };
    let first = solve(&above);
    assert!(first.len() == 1 && first[0].starts_with("model of body `ball`: "), "{first:?}");
    // The model is up to date now, so that the reduction reports nothing.
    assert_eq!(solve(&above), first);
    assert_eq!(solve(&short), Vec::<String>::new());
}

#[test]
fn bodies_that_start_inside_each_other_are_reported_before_the_reduction() {
    let chain = Chain::new();
    // With the ball's top at z = -0.1 mm there is no contact; a very small overlap is a pressed contact; an
    // overlap of 1 mm or of the whole ball is an error.
    for (z, overlap) in [(-0.0151, None), (-0.01498, None), (-0.014, Some(1e-3)), (0.01, None)] {
        let height = format!("body.ball.position=[0.003, -0.001, {z}]");
        let short = ["simulation.end_time=1e-8", height.as_str()];
        let scenario = scenario(&short);
        let outcome = chain.prepare(&scenario);
        match (z > 0.0, overlap) {
            // The top of the ball is 5 mm below the upper side of the block of 30 mm; the corners of its cap
            // of faces, a little beyond 3.9 mm, are a millimetre deeper.
            (true, _) => {
                let message = outcome.unwrap_err().to_string();
                assert!(message.contains("lie up to 5.9"), "{message}");
            }
            (false, Some(depth)) => {
                let message = outcome.unwrap_err().to_string();
                assert!(
                    message.contains(&format!("{depth:.3e} m")) && message.contains("`position`"),
                    "{message}"
                );
            }
            (false, None) => assert!(outcome.is_ok(), "{z}: {}", outcome.unwrap_err()),
        }
    }
}

/// Peak force and duration of the impact, with the block of splines changed by `replace`.
fn hit(chain: &Chain, replace: &[[&str; 2]]) -> (f64, f64) {
    let text = replace.iter().fold(BALL_ON_BLOCK.to_owned(), |text, [from, to]| text.replace(from, to));
    let outcome = chain.solve_with(&parse(&text, &[]), REPLACE).unwrap();
    let [event] = &outcome.summary.contacts[..] else {
        panic!("{replace:?}: one impact was expected: {:?}", outcome.summary.contacts)
    };
    println!("{replace:?}: {} N, {} s", event.peak_force, event.duration());
    (event.peak_force, event.duration())
}

const HEX8: [&str; 2] = ["elements =", "hex = true, order = 1, elements ="];
const HEX20: [&str; 2] = ["elements =", "hex = true, order = 2, elements ="];
const RIGID: [&str; 2] =
    ["reduce = { interface = [\"bottom\"], modes = 8, split = 2.0e4 }", "rigid = true\nfixed = true"];

/// The impact on a plane side is independent of its faces. Faces larger than the ball's knot spans but
/// smaller than their control polygons once carried the pressure, and the ball flew through the block.
#[test]
fn rigid_blocks_of_hexahedra_and_of_splines_give_the_same_impact() {
    // One folder: the ball is reduced once.
    let chain = Chain::new();
    let splines = hit(&chain, &[RIGID]);
    // Hertz, as in the first test.
    assert!((splines.0 / 188e3 - 1.0).abs() < 0.03, "peak force {}", splines.0);
    for mesh in [HEX8, HEX20] {
        let found = hit(&chain, &[RIGID, mesh]);
        assert!((found.0 / splines.0 - 1.0).abs() < 1e-3, "peak force {} and {}", found.0, splines.0);
        assert!((found.1 / splines.1 - 1.0).abs() < 1e-3, "duration {} and {}", found.1, splines.1);
    }
}

#[test]
fn elastic_blocks_of_hexahedra_and_of_splines_give_similar_impacts() {
    let chain = Chain::new();
    let (splines, hexahedra) = (hit(&chain, &[]), hit(&chain, &[HEX20]));
    // Neither resolves a contact of 2 mm with elements of 10 mm; the hexahedra, with more unknowns, are
    // softer by 6 %.
    assert!((hexahedra.0 / splines.0 - 1.0).abs() < 0.08, "peak force {} and {}", hexahedra.0, splines.0);
    assert!((hexahedra.1 / splines.1 - 1.0).abs() < 0.08, "duration {} and {}", hexahedra.1, splines.1);
}

#[test]
fn files_that_are_up_to_date_are_not_made_again() {
    let chain = Chain::new();
    let short = ["simulation.end_time=1e-6", "simulation.output_every=1e-6"];
    chain.solve(&scenario(&short)).unwrap();
    let scenario = scenario(&short);
    let again = chain.prepare(&scenario).unwrap();
    assert_eq!(again.notes.len(), 4);
    assert!(again.notes.iter().all(|note| note.contains("up to date")), "{:?}", again.notes);
}

#[test]
fn a_result_is_replaced_only_if_asked() {
    let chain = Chain::new();
    let short = ["simulation.end_time=1e-6", "simulation.output_every=1e-6"];
    chain.solve(&scenario(&short)).unwrap();
    let message = chain.solve(&scenario(&short)).unwrap_err().to_string();
    assert!(message.contains("--force"), "{message}");
    chain.solve_with(&scenario(&short), REPLACE).unwrap();
}

#[test]
fn a_missing_interface_and_a_missing_set_are_refused_by_name() {
    let chain = Chain::new();
    let mut without = scenario(&[]);
    without.body[0].reduce = None;
    // Of a body that touches, places and modes are chosen for its contacts.
    without.contact.clear();
    let message = chain.prepare(&without).unwrap_err().to_string();
    assert!(
        message.contains("ball") && message.contains("interface") && message.contains("pole"),
        "{message}"
    );
    let mut wrong = scenario(&[]);
    wrong.body[0].reduce.as_mut().unwrap().interface = vec!["pool".to_owned()];
    let message = chain.prepare(&wrong).unwrap_err().to_string();
    assert!(message.contains("pool") && message.contains("pole"), "{message}");
}

#[test]
fn bodies_that_differ_only_in_name_and_motion_are_made_once() {
    let body = |name: &str, modes: usize, z: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nmake = \
             {{ shape = \"box\", size = [0.02, 0.02, 0.01] }}\nreduce = \
             {{ interface = [\"bottom\"], modes = {modes} }}\nposition = [0.0, 0.0, {z}]\n"
        )
    };
    let bodies = [body("a", 7, 0.0), body("b", 7, 0.1), body("c", 8, 0.2), body("d", 8, 0.3)].concat();
    let text = format!("[simulation]\nend_time = 1.0e-6\noutput_every = 1.0e-6\n{bodies}");
    let scenario = parse(&text, &[]);
    let chain = Chain::new();
    for made in [[1, 2], [0, 0]] {
        let prepared = chain.prepare(&scenario).unwrap();
        assert_eq!([prepared.n_meshed, prepared.n_reduced], made);
        let names = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        let files: Vec<_> =
            prepared.bodies.iter().map(|b| [names(&b.body_path), names(&b.rom_path)].join(" ")).collect();
        assert_eq!(files, ["a.npz a.rom", "a.npz a.rom", "a.npz c.rom", "a.npz c.rom"]);
        assert!(prepared.notes.iter().any(|note| note == "model `d` is that of `c`"), "{:?}", prepared.notes);
    }
    let outcome = chain.solve(&scenario).unwrap();
    assert_eq!(outcome.names, ["a", "b", "c", "d"]);
}

#[test]
fn a_result_is_continued_only_by_its_own_scenario() {
    let chain = Chain::new();
    let bodies = chain.prepare(&scenario(&[])).unwrap();
    let user = Impatient::after(21);
    chain.run_until(&scenario(&[]), &bodies, RunOptions::default(), &user).unwrap_err();
    let reached = chain.reader().checkpoint().unwrap().unwrap().time;
    assert!(reached > 0.0 && reached < 6.0e-5, "stopped at {reached} s");

    for (change, says) in [
        ("body.block.velocity=[0.0,0.0,1.0]", "`velocity = [0.0, 0.0, 1.0]`"),
        ("simulation.relative_tolerance=1e-4", "`relative_tolerance = 0.0001`"),
        ("simulation.end_time=1e-9", "end time"),
    ] {
        let message = chain.solve_with(&scenario(&[change]), RESUME).unwrap_err().to_string();
        assert!(message.contains("result.carom") && message.contains(says), "{change}: {message}");
    }
    chain.solve_with(&scenario(&["simulation.end_time=5e-5"]), RESUME).unwrap();
}

/// A force that grows without bound towards t = 0.50123 ms, which no step can pass.
const SINGULAR: &str = r#"
[simulation]
end_time = 1.0e-3
output_every = 1.0e-5

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.1 }
material = "steel"
rigid = true

[[body.marker]]
name = "middle"
at = [0.0, 0.0, 0.0]

[[force]]
on = "ball:middle"
force = [1.0, 0.0, 0.0]
scale = "abs(t - 5.0123e-4)^(-2)"
"#;

#[test]
fn a_failed_run_keeps_its_steps_and_a_checkpoint() {
    let chain = Chain::new();
    let scenario = parse(SINGULAR, &[]);
    let prepared = chain.prepare(&scenario).unwrap();
    let mut left = Vec::new();
    // The continued run fails again from its checkpoint, and no frame is written twice.
    for resume in [false, true] {
        let options = RunOptions { replace: false, resume };
        let error = chain.run(&scenario, &prepared, options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Convergence, "{error}");
        let reader = chain.reader();
        assert_eq!(reader.state().unwrap(), RunState::Failed);
        let reached = reader.checkpoint().unwrap().unwrap().time;
        assert!((4.9e-4..5.02e-4).contains(&reached), "{reached} s, then {error}");
        left.push((reader.times().unwrap(), reader.notes().unwrap().len()));
    }
    assert_eq!(left[0].0.len(), 51, "{left:?}");
    assert_eq!(left[0], left[1]);
}

/// Frames within a contact follow from the checkpoint: a run stopped in the impact has the frames of an
/// uninterrupted one.
#[test]
fn a_run_stopped_in_an_impact_and_resumed_has_the_same_frames() {
    let scenario = scenario(&["simulation.checkpoint_every=1"]);
    let [whole, parts] = [Chain::new(), Chain::new()];
    let bodies = whole.prepare(&scenario).unwrap();
    whole.run(&scenario, &bodies, RunOptions::default()).unwrap();
    parts.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(21)).unwrap_err();
    let stopped = parts.reader().times().unwrap();
    assert!(stopped.len() > 3, "stopped before the impact: {stopped:?}");
    parts.run(&scenario, &bodies, RESUME).unwrap();
    let [whole, parts] = [whole, parts].map(|chain| chain.reader().times().unwrap());
    assert_eq!(whole, parts);
}

#[test]
fn surfaces_that_miss_each_other_are_reported_with_the_nearest_gap() {
    let chain = Chain::new();
    // The ball's top begins 0.1 mm below the block and falls 10 um towards it.
    let slow = ["body.ball.velocity=[0.0, 0.0, 1.0]", "simulation.end_time=1e-5"];
    let outcome = chain.solve(&scenario(&slow)).unwrap();
    assert!(outcome.summary.contacts.is_empty());
    let [text] = &outcome.remarks[..] else { panic!("{:?}", outcome.remarks) };
    let expected = "contact `ball:pole` / `block:bottom`: no contact; nearest gap ";
    assert!(text.starts_with(expected), "{text}");
    // Pressure cells have mean gaps, and the ball is curved.
    let gap: f64 = text[expected.len()..].split(' ').next().unwrap().parse().unwrap();
    assert!(gap > 0.89e-4 && gap < 3e-4, "{text}");
    let notes = chain.reader().notes().unwrap();
    assert!(notes.iter().any(|note| note.text == *text), "{notes:?}");
}
