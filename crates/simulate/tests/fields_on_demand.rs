//! Modes at all points, and mass integrals over pairs of modes, stay in the file of a model until a run needs
//! them, and then they give the same bits.

use std::path::PathBuf;
use std::sync::Arc;

use carom_format::Scenario;
use carom_reduce::{PairIntegrals, ReducedBody};
use carom_simulate::{Prepared, PreparedModel, RunOptions};

use crate::fixtures::{Chain, Failed, parse};

/// A cantilever that its weight bends, with 83 modes, and a block that flies through it or past it: no
/// contact keeps them apart.
fn scenario(height: f64) -> Scenario {
    let text = format!(
        "[simulation]\nscheme = \"dynamic\"\nend_time = 4.0e-4\noutput_every = 2.0e-5\ngravity = [0.0, 0.0, \
         -1.0e4]\nrelative_tolerance = 1.0e-4\n[[body]]\nname = \"bar\"\nmaterial = \"steel\"\nmake = \
         {{ shape = \"box\", size = [0.2, 0.02, 0.02], elements = [4, 4, 4], hex = true, order = 1 }}\n\
         reduce = {{ interface = [\"east\"], fix = [\"west\"], modes = 8, fields = \"surface\" }}\n[[body]]\n\
         name = \"block\"\nmaterial = \"steel\"\nrigid = true\nmake = {{ shape = \"box\", size = [0.02, \
         0.02, 0.02], elements = [2, 2, 2] }}\nposition = [0.1, 0.0, {height}]\nvelocity = [0.0, 0.0, \
         200.0]\n"
    );
    parse(&text, &[])
}

/// Below the bar, within the path of the block; beyond it.
const THROUGH: f64 = -0.03;
const PAST: f64 = 0.5;

fn model(prepared: &Prepared) -> &Arc<ReducedBody> {
    let PreparedModel::Reduced(model) = &prepared.bodies[0].model else { panic!("the bar is reduced") };
    model
}

fn is_read(prepared: &Prepared) -> bool {
    model(prepared).fields.as_ref().unwrap().are_read()
}

fn file(chain: &Chain) -> PathBuf {
    chain.bodies().join("bar.rom")
}

/// Changes a number of an array in a file.
fn change(path: &PathBuf, array: &str) {
    let mut bytes = std::fs::read(path).unwrap();
    let entry = format!("{array}.npy");
    let at = bytes.windows(entry.len()).position(|window| window == entry.as_bytes()).unwrap();
    bytes[at + 1000] ^= 1;
    std::fs::write(path, bytes).unwrap();
}

/// The error of a run with its causes.
fn failure(chain: &Chain, scenario: &Scenario, bodies: &Prepared) -> String {
    let Err(Failed::Run(error)) = chain.run(scenario, bodies, RunOptions::default()) else {
        panic!("the model was changed")
    };
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// All frames and warnings of a run.
fn course(chain: &Chain, scenario: &Scenario, bodies: &Prepared) -> (Vec<String>, String) {
    let outcome =
        chain.run(scenario, bodies, RunOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let reader = chain.reader();
    // Debug output has all digits that distinguish two doubles.
    let frame = |index: usize| format!("{:?}", reader.frame(index).unwrap());
    ((0..reader.times().unwrap().len()).map(frame).collect(), outcome.warnings.join("\n"))
}

#[test]
fn a_run_reads_the_modes_of_a_displaced_surface_when_bodies_meet_and_has_the_same_bits() {
    let scenario = scenario(THROUGH);
    let [before, during, eight, removed] = [(); 4].map(|()| Chain::new());
    let bodies = before.prepare(&scenario).unwrap();
    model(&bodies).fields.as_ref().unwrap().modes().unwrap();
    let expected = course(&before, &scenario, &bodies);
    assert!(expected.0.len() > 20);
    assert!(expected.1.contains("bodies `bar` and `block` lie"), "{}", expected.1);
    for (chain, threads) in [(&during, 1), (&eight, 8)] {
        let bodies = chain.prepare(&scenario).unwrap();
        assert!(!is_read(&bodies));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| course(chain, &scenario, &bodies));
        assert!(is_read(&bodies), "the bar is displaced where the block may be inside");
        assert!(found == expected, "{threads} threads\n{}\n{}", found.1, expected.1);
    }
    let bodies = removed.prepare(&scenario).unwrap();
    if cfg!(unix) {
        std::fs::remove_file(file(&removed)).unwrap();
    }
    assert!(course(&removed, &scenario, &bodies) == expected);
}

#[test]
fn a_run_whose_bodies_stay_apart_reads_no_modes_of_the_surface() {
    let chain = Chain::new();
    let scenario = scenario(PAST);
    let bodies = chain.prepare(&scenario).unwrap();
    // Nothing reads the array: its content has no effect.
    change(&file(&chain), "fields_modes");
    let (frames, warnings) = course(&chain, &scenario, &bodies);
    assert!(frames.len() > 20 && !warnings.contains("inside each other"), "{warnings}");
    assert!(!is_read(&bodies));
}

#[test]
fn a_model_that_was_changed_during_a_run_is_an_error_with_its_name() {
    let chain = Chain::new();
    let scenario = scenario(THROUGH);
    let bodies = chain.prepare(&scenario).unwrap();
    change(&file(&chain), "fields_modes");
    let text = failure(&chain, &scenario, &bodies);
    assert!(text.contains("bar.rom") && text.contains("fields_modes"), "{text}");
    // The next run finds it before it begins, as soon as it needs the array.
    let text = model(&bodies).fields.as_ref().unwrap().modes().unwrap_err().to_string();
    assert!(text.contains("bar.rom"), "{text}");
}

/// A marker at a point of the surface needs the modes at set-up.
#[test]
fn a_changed_model_is_an_error_of_the_set_up_where_a_probe_lies_at_a_point() {
    let chain = Chain::new();
    let probe = "probe=[{ on = \"bar\", at = [0.1, 0.01, 0.02], what = [\"displacement\"] }]";
    let plain = scenario(PAST);
    let probed = parse(&plain.to_toml(), &[probe]);
    let bodies = chain.prepare(&probed).unwrap();
    let expected = course(&chain, &probed, &bodies);
    assert!(is_read(&bodies));
    let again = Chain::new();
    let bodies = again.prepare(&plain).unwrap();
    assert!(course(&again, &plain, &bodies).0 == expected.0, "a probe changes no bit");
    let changed = Chain::new();
    let bodies = changed.prepare(&probed).unwrap();
    change(&file(&changed), "fields_modes");
    let text = failure(&changed, &probed, &bodies);
    assert!(text.contains("bar.rom") && text.contains("fields_modes"), "{text}");
}

/// The cantilever, or a free bar, of whose modes those up to 10 kHz are dynamic.
fn split(is_held: bool) -> Scenario {
    let text = scenario(PAST).to_toml();
    let mut changes = vec!["simulation.scheme=\"quasistatic\"", "body.0.reduce.split=1.0e4"];
    if !is_held {
        changes.extend(["body.0.reduce.fix=[]", "simulation.gravity=[0.0, 0.0, 0.0]"]);
        changes.push("body.0.angular_velocity=[0.0, 300.0, 0.0]");
    }
    parse(&text, &changes)
}

fn pairs(prepared: &Prepared) -> [&PairIntegrals; 2] {
    let invariants = &model(prepared).invariants;
    [&invariants.coupling_r1, &invariants.inertia_2]
}

#[test]
fn a_run_without_static_modes_takes_the_integrals_of_its_dynamic_modes_alone() {
    let scenario = split(false);
    let [whole, intact, left] = [(); 3].map(|()| Chain::new());
    let bodies = whole.prepare(&scenario).unwrap();
    pairs(&bodies).iter().for_each(|of| assert!(of.all().is_ok()));
    let expected = course(&whole, &scenario, &bodies);
    assert!(expected.0.len() > 20);
    // A read that fails leaves no trace: here it would succeed.
    let bodies = intact.prepare(&scenario).unwrap();
    assert!(course(&intact, &scenario, &bodies) == expected);
    assert!(pairs(&bodies).iter().all(|of| !of.are_read()));
    let bodies = left.prepare(&scenario).unwrap();
    let n_low = model(&bodies).n_low;
    assert!(n_low > 0 && 2 * n_low < model(&bodies).omega.len(), "{n_low} dynamic modes");
    // Nothing reads the arrays: their content has no effect.
    ["coupling_r1", "inertia_2"].iter().for_each(|array| change(&file(&left), array));
    assert!(course(&left, &scenario, &bodies) == expected);
    assert!(pairs(&bodies).iter().all(|of| !of.are_read()));
}

#[test]
fn static_modes_read_the_integrals_of_all_modes_and_refuse_changed_ones() {
    let scenario = split(true);
    let [whole, left, changed] = [(); 3].map(|()| Chain::new());
    let bodies = whole.prepare(&scenario).unwrap();
    pairs(&bodies).iter().for_each(|of| assert!(of.all().is_ok()));
    let expected = course(&whole, &scenario, &bodies);
    let bodies = left.prepare(&scenario).unwrap();
    assert!(pairs(&bodies).iter().all(|of| !of.are_read()));
    assert!(course(&left, &scenario, &bodies) == expected);
    assert!(pairs(&bodies).iter().all(|of| of.are_read()));
    for array in ["coupling_r1", "inertia_2"] {
        let bodies = changed.prepare(&scenario).unwrap();
        change(&file(&changed), array);
        let text = failure(&changed, &scenario, &bodies);
        assert!(text.contains("bar.rom") && text.contains(array), "{text}");
        change(&file(&changed), array);
    }
}
