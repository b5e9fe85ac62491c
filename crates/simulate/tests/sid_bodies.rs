//! Bodies from SID_FEM files with geometric stiffness: forces at nodes and the weight stiffen them.

use std::f64::consts::{PI, TAU};
use std::path::PathBuf;

use carom_format::result::ProbeCourse;
use carom_format::rom_file::CraigBamptonOptions;
use carom_format::sid::{NodeKind, Sid, SidNode, SidNodes, Taylor, read_sid, reduced_of, sid_of, write_sid};
use carom_progress::Silent;
use carom_reduce::ReducedBody;
use faer::Mat;

use crate::fixtures::{Chain, parse};
use crate::own_weight::{LENGTH, RADIUS, YOUNG, greenhill, rod_scenario};
use crate::stiffening::{SPIN_UP, lag, lag_of_beam};

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

/// Adds the node of the clamp, which no mode moves, and returns its number.
fn with_clamp(sid: &mut Sid, at: [f64; 3]) -> u64 {
    let n = sid.n_modes();
    let id = sid.nodes.iter().map(|node| node.id).max().unwrap() + 1;
    let [phi, psi] = [0, 1].map(|_| Taylor::zeros(3, n));
    let origin = Taylor::constant(Mat::from_fn(3, 1, |a, _| at[a]));
    let orientation = Taylor::constant(Mat::identity(3, 3));
    sid.nodes.push(SidNode { id, origin, phi, psi, orientation });
    id
}

/// Course of the position of the node of the end after a push along z.
fn pushed(sid: &Sid, end: u64, keys: &str, rest: &str) -> ProbeCourse {
    let (chain, path, _) = imported(sid);
    let text = format!(
        r#"
[simulation]
end_time = 0.05
scheme = "dynamic"
integrator = "dop853"
relative_tolerance = 1e-8
{keys}[[body]]
name = "rod"
rom = {path:?}
{rest}[[force]]
on = "rod:node{end}"
force = [0.0, 0.0, 1.0]
scale = "exp(-((t-0.01)/0.003)^2)"
[[probe]]
name = "end"
on = "rod:node{end}"
what = ["position"]
every = 1e-3
"#
    );
    chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    chain.reader().probe_courses().unwrap().remove(0)
}

/// The principle of equivalence: a rod whose clamp is accelerated along it vibrates like one that is held
/// under the opposite gravity, here as large as 0.6 of the one under which it buckles.
#[test]
fn an_accelerated_clamp_stiffens_as_gravity_does() {
    let (mut sid, end) = rod(true, Some(6));
    let clamp = with_clamp(&mut sid, [-0.5 * LENGTH, 0.0, 0.0]);
    let a = 0.6 * greenhill();
    let drive = format!(
        "[[joint]]\nkind = \"prismatic\"\nbetween = [\"ground\", \"rod:node{clamp}\"]\naxis = [1.0, 0.0, \
         0.0]\nmotion = \"0.5*{a:?}*t*t\"\n"
    );
    let moved = pushed(&sid, end, "", &drive);
    let held = |a: f64| {
        let gravity = format!("gravity = [{:?}, 0.0, 0.0]\n", -a);
        pushed(&sid, end, &gravity, "fixed = true\n")
    };
    let (under, free) = (held(a), held(0.0));
    let largest = |of: &dyn Fn(usize) -> f64| (0..under.times.len()).map(of).fold(0.0, f64::max);
    let size = largest(&|k| under.values[k][0][2].abs());
    let error = largest(&|k| (under.values[k][0][2] - moved.values[k][0][2]).abs());
    let change = largest(&|k| (under.values[k][0][2] - free.values[k][0][2]).abs());
    println!("{size:e} {error:e} {change:e}");
    assert!(error < 1e-5 * size && change > 0.3 * size, "{size:e} {error:e} {change:e}");
}

/// Energy and both momenta of a body whose frame is tied to one end, with all slopes, as it tumbles.
#[test]
fn a_free_body_of_a_file_with_stiffening_keeps_energy_and_momenta() {
    let (sid, _) = rod(true, Some(6));
    let (chain, path, _) = imported(&sid);
    let text = format!(
        r#"
[simulation]
end_time = 0.05
scheme = "dynamic"
integrator = "dop853"
relative_tolerance = 1e-9
[[body]]
name = "rod"
rom = {path:?}
velocity = [1.0, 2.0, -0.5]
angular_velocity = [30.0, -20.0, 50.0]
"#
    );
    let outcome = chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    let ledger = &outcome.summary.ledger;
    println!("{ledger:?}");
    assert!(ledger.energy_error < 1e-7, "{ledger:?}");
    assert!(ledger.momentum_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
}

/// The model of the beam of `meshes/spin-up`, held at the hub.
fn spin_up_model(native: &str) -> ReducedBody {
    let reduce = "attach = { west = \"rigid\", east = \"rigid\" }";
    assert!(native.contains(reduce));
    let held = native.replace(reduce, "attach = { east = \"rigid\" }, fix = [\"west\"]");
    let held = held[..held.find("[[joint]]").unwrap()].replace("end_time = 8.0", "end_time = 1e-6");
    let chain = Chain::new();
    chain.solve(&parse(&held, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    carom_format::read_rom(&chain.bodies().join("beam.rom")).unwrap().reduced
}

/// The spin-up of this beam from a file with some of its modes, at a rate.
fn spun_up(native: &str, model: &ReducedBody, n_modes: usize, rate: f64) -> (Chain, String) {
    let (mut sid, kinds) = sid_of(model, SidNodes::Sets, Some(n_modes), &Silent).unwrap();
    let end = kinds.iter().find(|(_, kind)| *kind == NodeKind::Set("east".to_owned())).unwrap().0;
    let clamp = with_clamp(&mut sid, [-4.0, 0.0, 0.0]);
    let (chain, path, _) = imported(&sid);
    let made = &native[native.find("make = ").unwrap()..native.find("[[joint]]").unwrap()];
    let text = native
        .replace(made, &format!("rom = {path:?}\nposition = [4.0, 0.0, 0.0]\n\n"))
        .replace("beam:west", &format!("beam:node{clamp}"))
        .replace("beam:east", &format!("beam:node{end}"))
        .replace("motion = \"4*", &format!("motion = \"{rate}*"));
    (chain, text)
}

/// The beam of `meshes/spin-up` from a file in which its frame is tied to the hub: centrifugal stress (Oe),
/// that of the acceleration of the frame in the middle of the beam (Ct), and of its angular acceleration
/// (Cr).
///
/// Few modes: in a frame that is tied to the hub they carry nearly all of the inertia, and displacements of
/// second order must be small beside the rest.
#[test]
fn a_beam_of_a_file_that_a_hub_spins_up_lags_as_its_tension_lets_it() {
    let native = SPIN_UP.replace("end_time = 15.0", "end_time = 8.0");
    let model = spin_up_model(&native);
    for (n_modes, rate) in [(2, 2.0), (2, 4.0), (4, 2.0)] {
        let (chain, text) = spun_up(&native, &model, n_modes, rate);
        chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
        let courses = chain.reader().probe_courses().unwrap();
        let (lag, expected) = (lag(rate, &courses[0], &courses[1]), lag_of_beam(rate, 8.0));
        println!("{n_modes} modes, {rate} rad/s: lag {lag:.4} m, {expected:.4} m");
        assert!((lag / expected - 1.0).abs() < 0.006, "{n_modes} modes, {rate} rad/s: {lag} {expected}");
    }
}

/// The figure in metres after some words of a text.
fn metres(text: &str, after: &str) -> f64 {
    text.split(after).nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap()
}

/// A spin-up bends the beam by 0.280 m at 2 rad/s and by 0.535 m at 4 rad/s, nearly in its first mode: the
/// second run ends at the deflection between them that the note foretells. A file with two modes bears it.
#[test]
fn a_tied_frame_with_many_modes_is_reported_with_the_deflection_that_ends_the_run() {
    let native = SPIN_UP.replace("end_time = 15.0", "end_time = 8.0");
    let model = spin_up_model(&native);
    let run = |n_modes: usize, rate: f64| {
        let (chain, text) = spun_up(&native, &model, n_modes, rate);
        let end = chain.solve(&parse(&text, &[])).map_err(|failed| failed.to_string());
        let notes = chain.reader().notes().unwrap().into_iter().map(|note| note.text);
        let note = notes.into_iter().find(|text| text.contains("loses its positive definiteness")).unwrap();
        let courses = chain.reader().probe_courses().unwrap();
        println!("{note}");
        assert_eq!(n_modes == 4, note.contains("its 2 lowest modes, which bear 7.4e-1 m"), "{note}");
        (end.err(), metres(&note, "at a deflection of "), lag(rate, &courses[0], &courses[1]).abs())
    };
    let (slow, foretold, reached) = run(4, 2.0);
    assert!(slow.is_none() && reached < foretold, "{reached} {foretold}");
    let (fast, _, reached) = run(4, 4.0);
    let why = fast.unwrap();
    assert!(why.contains("the mass matrix of body `beam` loses"), "{why}");
    assert!(!why.contains("singular position"), "{why}");
    assert!((reached / foretold - 1.0).abs() < 0.1, "{reached} {foretold}");
    let (few, foretold, reached) = run(2, 4.0);
    assert!(few.is_none() && reached < foretold, "{reached} {foretold}");
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
    assert!(
        notes
            .iter()
            .any(|note| note.contains("the slopes of Ct and the symmetric slopes of Cr are taken as")),
        "{notes:?}"
    );
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
    for (old, new) in [
        (&sid.coupling_t, &again.coupling_t),
        (&sid.coupling_r, &again.coupling_r),
        (&sid.centrifugal, &again.centrifugal),
    ] {
        assert!(near(old, new));
    }
    drop(chain);
}
