//! Bodies from SID_FEM files with geometric stiffness: forces at nodes and the weight stiffen them.

use std::f64::consts::{PI, TAU};
use std::path::PathBuf;

use carom_format::rom_file::CraigBamptonOptions;
use carom_format::sid::{NodeKind, Sid, SidNodes, Taylor, read_sid, reduced_of, sid_of, write_sid};
use carom_progress::Silent;
use faer::Mat;

use crate::fixtures::{Chain, parse};
use crate::own_weight::{LENGTH, RADIUS, YOUNG, greenhill, rod_scenario};

/// The SID_FEM content of a rod that is held at its start, and the number of the node of its end.
fn rod(stiffening: bool, n_modes: Option<usize>) -> (Sid, u64) {
    let chain = Chain::new();
    let reduce = format!("attach = {{ end = \"mean\" }}, fix = [\"start\"], stiffening = {stiffening}");
    chain
        .solve(&parse(&rod_scenario([0.0; 3], &reduce, ""), &[]))
        .unwrap_or_else(|failed| panic!("{failed}"));
    let model = carom_format::read_rom(&chain.bodies().join("rod.rom")).unwrap().reduced;
    let (sid, kinds) = sid_of(&model, SidNodes::Sets, n_modes, &Silent).unwrap();
    let end = kinds.iter().find(|(_, kind)| *kind == NodeKind::Set("end".to_owned())).unwrap().0;
    (sid, end)
}

/// A folder with the model of a SID_FEM file, by way of the file.
fn imported(sid: &Sid) -> (Chain, PathBuf, Vec<String>) {
    let chain = Chain::new();
    let file = chain.folder().join("rod.SID_FEM");
    write_sid(&file, sid, &Silent).unwrap();
    let again = reduced_of(&read_sid(&file, &Silent).unwrap().sid, "rod").unwrap();
    let path = chain.folder().join("again.rom");
    carom_format::write_rom(&path, &again.reduced, &CraigBamptonOptions::default(), &Silent).unwrap();
    (chain, path, again.notes)
}

/// Lowest frequency \[Hz\] of an imported body that is fixed, under gravity along x and a force on a node.
fn lowest(sid: &Sid, gravity: f64, node: u64, force: [f64; 3]) -> f64 {
    let (chain, path, _) = imported(sid);
    let text = format!(
        "[simulation]\nstart = \"equilibrium\"\nend_time = 0.0\nscheme = \"dynamic\"\ngravity = \
         [{gravity:?}, 0.0, 0.0]\n[[body]]\nname = \"rod\"\nfixed = true\nrom = {path:?}\n[[force]]\non = \
         \"rod:node{node}\"\nforce = {force:?}\n"
    );
    chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    chain.reader().modes().unwrap()[0].frequency
}

/// One mode and a slope of phi that a user has written: `ω² = ω₀² + κ P` of a force along the slope, the
/// same of gravity with the slopes of Ct.
#[test]
fn slopes_of_a_file_are_the_stiffness_of_their_loads() {
    let (mut sid, end) = rod(false, Some(1));
    let free = (TAU * lowest(&sid, 0.0, end, [0.0; 3])).powi(2);
    let node = sid.nodes.iter_mut().find(|node| node.id == end).unwrap();
    let (kappa, weight) = (0.3 * free / 50.0, 0.2 * free / 9.81);
    node.phi.linear = vec![Mat::from_fn(3, 1, |a, _| if a == 0 { -kappa } else { 0.0 })];
    let constant = sid.coupling_t.constant.clone();
    sid.coupling_t =
        Taylor { constant, linear: vec![Mat::from_fn(1, 3, |_, a| if a == 0 { -weight } else { 0.0 })] };
    for (gravity, force) in [(0.0, 50.0), (0.0, -120.0), (9.81, 0.0), (-4.0, -50.0)] {
        let expected = free + kappa * force + weight * gravity;
        let found = (TAU * lowest(&sid, gravity, end, [force, 0.0, 0.0])).powi(2);
        assert!((found / expected - 1.0).abs() < 1e-6, "{gravity} {force}: {found} {expected}");
    }
}

/// Warnings of a run about an imported body.
fn warnings(sid: &Sid, keys: &str) -> Vec<String> {
    let (chain, path, _) = imported(sid);
    let text = format!(
        "[simulation]\nend_time = 1e-4\nscheme = \"dynamic\"\ngravity = [0.0, 0.0, -9.81]\n[[body]]\n\
         name = \"rod\"\nrom = {path:?}\n{keys}"
    );
    let outcome = chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    outcome.warnings.into_iter().filter(|text| text.starts_with("body `rod`")).collect()
}

/// With `fixed = true` a file of a free rod has its weight on its mean motion, and the lowest frequency of
/// the free beam, `ω = 22.3733 √(E I/ρA)/L²`; that of a rod whose frame is tied to its clamp is held there.
#[test]
fn a_fixed_body_of_a_file_with_free_modes_is_a_warning() {
    let root = (YOUNG * RADIUS * RADIUS / (4.0 * 7800.0)).sqrt() / (TAU * LENGTH * LENGTH);
    let chain = Chain::new();
    let reduce = "attach = { start = \"mean\", end = \"mean\" }";
    let text = rod_scenario([0.0; 3], reduce, "");
    let text = text.replace("start = \"equilibrium\"\nend_time = 0.0", "end_time = 1e-6");
    chain.solve(&parse(&text, &[])).unwrap();
    let model = carom_format::read_rom(&chain.bodies().join("rod.rom")).unwrap().reduced;
    let (free, _) = sid_of(&model, SidNodes::Sets, None, &Silent).unwrap();
    let found = warnings(&free, "fixed = true\n");
    let warning = found.iter().find(|text| text.contains("`fixed = true`")).unwrap();
    for says in ["holds the mean motion", "tied to the nodes", "`reduce.fix`"] {
        assert!(warning.contains(says), "{warning}");
    }
    let number = |words: &[&str]| {
        let at = words.iter().position(|word| word.starts_with("Hz")).unwrap();
        words[at - 1].parse::<f64>().unwrap()
    };
    let lowest = number(&warning.split_whitespace().collect::<Vec<_>>());
    assert!((lowest / (22.3733 * root) - 1.0).abs() < 2e-3, "{lowest} {}", 22.3733 * root);
    assert_eq!(warnings(&free, ""), Vec::<String>::new());
    let (held, _) = rod(false, None);
    assert_eq!(warnings(&held, "fixed = true\n"), Vec::<String>::new());
}

/// Slopes of Ct that change ω² by a fifth under the weight act on a fixed body alone, and symmetric slopes of
/// Cr nowhere: run and import say so, with figures.
#[test]
fn slopes_that_are_left_out_are_named_with_their_size() {
    let (mut sid, _) = rod(false, Some(1));
    let stiffness = sid.stiffness_modal.constant[(0, 0)];
    let constant = sid.coupling_t.constant.clone();
    let weight = 0.2 * stiffness / 9.81;
    sid.coupling_t =
        Taylor { constant, linear: vec![Mat::from_fn(1, 3, |_, a| if a == 0 { -weight } else { 0.0 })] };
    let found = warnings(&sid, "");
    assert!(found.iter().any(|text| text.contains("9.810 m/s²") && text.contains("20.0 %")), "{found:?}");
    assert_eq!(warnings(&sid, "fixed = true\n"), Vec::<String>::new());
    let turn = 0.1 * stiffness / 300.0;
    let cr = sid.coupling_r.constant.clone();
    sid.coupling_r =
        Taylor { constant: cr, linear: vec![Mat::from_fn(1, 3, |_, a| if a == 2 { turn } else { 0.0 })] };
    let notes = reduced_of(&sid, "rod").unwrap().notes;
    for says in ["above 4.905e-1 m/s²", "above 3.000e1 rad/s²"] {
        assert!(notes.iter().any(|note| note.contains(says)), "{says}: {notes:?}");
    }
}

/// A file of a rod with its stiffening has it after the import: it buckles under π² E I/(4 L²) at its end,
/// and under its weight by Greenhill.
#[test]
fn an_imported_rod_buckles_under_eulers_load_and_its_weight() {
    let (sid, end) = rod(true, None);
    let euler = PI.powi(2) * YOUNG * (PI * RADIUS.powi(4) / 4.0) / (4.0 * LENGTH * LENGTH);
    let under = |weight: f64, load: f64| lowest(&sid, -weight * greenhill(), end, [-load * euler, 0.0, 0.0]);
    for (weight, load) in [(0.0, 0.999), (0.999, 0.0)] {
        assert!(under(weight, load) > 0.0, "{weight} {load}");
    }
    for (weight, load) in [(0.0, 1.001), (1.001, 0.0)] {
        assert!(under(weight, load) < 0.0, "{weight} {load}");
    }
}

/// Slopes, rotations and numbers of nodes are the same after a second way through a file.
#[test]
fn a_file_with_stiffening_comes_back_after_an_import() {
    let (sid, end) = rod(true, None);
    let (chain, path, notes) = imported(&sid);
    assert!(notes.iter().any(|note| note.contains("the slopes of Ct are taken as")), "{notes:?}");
    let model = carom_format::read_rom(&path).unwrap().reduced;
    assert!(model.markers.iter().any(|marker| marker.name == format!("node{end}")));
    let (again, _) = sid_of(&model, SidNodes::Interface, None, &Silent).unwrap();
    let ids = |sid: &Sid| sid.nodes.iter().map(|node| node.id).collect::<Vec<_>>();
    assert_eq!(ids(&again), ids(&sid));
    let near = |a: &Taylor, b: &Taylor| {
        let n = sid.n_modes();
        let (rows, columns) = (a.constant.nrows(), a.constant.ncols());
        let all = (0..n).flat_map(|k| (0..rows).flat_map(move |i| (0..columns).map(move |j| (k, i, j))));
        let off = all.map(|(k, i, j)| (a.slope(k, i, j) - b.slope(k, i, j)).abs()).fold(0.0, f64::max);
        let constant = (&a.constant - &b.constant).norm_max();
        constant.max(off) <= 1e-12 * a.largest()
    };
    for (old, new) in sid.nodes.iter().zip(&again.nodes) {
        assert!(near(&old.phi, &new.phi) && near(&old.psi, &new.psi), "node {}", old.id);
    }
    let node = again.nodes.iter().find(|node| node.id == end).unwrap();
    assert!(node.phi.linear.iter().any(|slope| slope.norm_max() > 0.0));
    assert!(near(&sid.coupling_t, &again.coupling_t) && near(&sid.centrifugal, &again.centrifugal));
    drop(chain);
}
