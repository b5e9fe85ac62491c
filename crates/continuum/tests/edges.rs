//! Edges that cross edges, with no node in front of a face.

use carom_contact::Law;
use carom_continuum::explicit::{AutomaticSpec, BodySpec, Problem, Simulation};
use carom_dynamics::Placement;

use crate::automatic::Saved;
use crate::setup::{Kept, at, block, deformable, pair, residuals, rigid, run, settings};
use crate::shells::{SHELL_LAW, plate};

pub(crate) const RUBBER: [f64; 3] = [1000.0, 1e6, 0.3];
pub(crate) const LENGTH: f64 = 0.1;
pub(crate) const SIDE: f64 = 0.02;

/// Two bars on their edges that cross in the middle of cells, the upper one on its way down.
///
/// * `velocity` — of the upper bar \[m/s\]
pub(crate) fn bars(velocity: [f64; 3], is_rigid: [bool; 2]) -> Vec<BodySpec> {
    let half = SIDE * 0.5_f64.sqrt();
    let lower = block("lower", [LENGTH, SIDE, SIDE], [5, 1, 1], RUBBER);
    let upper = block("upper", [SIDE, LENGTH, SIDE], [1, 5, 1], RUBBER);
    let top = 2.0 * half;
    // The lowest edge of the upper bar is at x = SIDE, z = 0 of its own axes.
    let origin = [0.5 * LENGTH - half + 0.003, -0.5 * LENGTH + 0.002, top + half + 2e-4];
    let places = [
        Placement { origin, velocity, ..Placement::rotated([0.0, 1.0, 0.0], 45.0) },
        Placement::rotated([1.0, 0.0, 0.0], 45.0),
    ];
    let made = [upper, lower].into_iter().zip(places).zip(is_rigid);
    made.map(|((body, place), is_rigid)| match is_rigid {
        true => rigid(body, place),
        false => deformable(body, "neo-hookean", place),
    })
    .collect()
}

/// Velocity of both bodies along z at the end, and the deepest penetration.
pub(crate) fn end(kept: &Kept) -> ([f64; 2], f64) {
    let last = kept.velocities.last().unwrap();
    ([last[0][2], last[1][2]], kept.rows.last().unwrap().balance.pen_max)
}

pub(crate) fn automatic(bodies: Vec<BodySpec>, friction: f64) -> Problem {
    let all = AutomaticSpec { number: 0, law: Law::Hard, friction };
    Problem { bodies, automatic: vec![all], ..Problem::default() }
}

pub(crate) fn assert_books(name: &str, kept: &Kept) {
    let [energy, momentum, ang_momentum] = residuals(kept);
    let row = &kept.rows[0].balance;
    let all = format!("{name}: {energy} {momentum} {ang_momentum}, {} {}", row.e_kin, row.momentum_scale);
    assert!(energy < 1e-12 * row.e_kin, "{all}");
    assert!(momentum < 1e-13 * row.momentum_scale, "{all}");
    assert!(ang_momentum < 1e-13 * row.momentum_scale * LENGTH, "{all}");
}

/// The bars meet edge on edge and fly apart; without contact the upper one goes on.
#[test]
fn crossed_bars_do_not_pass_through_each_other() {
    for (is_rigid, friction, across) in [
        ([false, false], 0.0, 0.0),
        ([false, false], 0.3, 0.4),
        ([true, false], 0.3, 0.4),
        ([false, true], 0.0, 0.0),
    ] {
        let bodies = bars([across, 0.5 * across, -1.0], is_rigid);
        let (simulation, kept) = run(&automatic(bodies, friction), settings(6e-3, None));
        let ([upper, lower], deepest) = end(&kept);
        assert!(upper > lower && lower < -0.3, "{is_rigid:?}: {upper} {lower}");
        assert!(deepest < 1e-4, "{deepest}");
        assert!(simulation.events().iter().any(|event| event.bodies == Some([0, 1])));
        assert_books(&format!("{is_rigid:?} {friction}"), &kept);
        let last = kept.rows.last().unwrap().balance;
        assert!(friction == 0.0 || last.d_fric > 1e-5 * kept.rows[0].balance.e_kin, "{}", last.d_fric);
    }
    let free = Problem { bodies: bars([0.0, 0.0, -1.0], [false; 2]), ..Problem::default() };
    let (_, kept) = run(&free, settings(6e-3, None));
    assert_eq!(end(&kept).0.map(|v| (v * 1e6).round()), [-1e6, 0.0]);
}

/// Surfaces that the scenario names have the edges at their rims, and move like all surfaces.
#[test]
fn edges_of_named_surfaces_touch_like_those_of_all_surfaces() {
    let bodies = || bars([0.0, 0.0, -1.0], [false; 2]);
    let contacts = vec![pair(0, [0, 1], ["bottom", "top"], Law::Hard, 0.0)];
    let named = Problem { bodies: bodies(), contacts, ..Problem::default() };
    let ends = [named, automatic(bodies(), 0.0)].map(|problem| run(&problem, settings(4e-3, None)).1);
    assert!(end(&ends[0]).0[0] > end(&ends[0]).0[1], "{:?}", end(&ends[0]));
    let last = ends.each_ref().map(|kept| kept.displacements.last().unwrap());
    for (a, b) in last[0].iter().flatten().zip(last[1].iter().flatten()) {
        assert!((a - b).abs() < 1e-8, "{a} {b}");
    }
}

/// A penalty holds edges too.
#[test]
fn a_penalty_holds_edges() {
    let contacts = vec![pair(0, [0, 1], ["bottom", "top"], Law::per_point(5e3), 0.0)];
    let problem = Problem { bodies: bars([0.0, 0.0, -1.0], [false; 2]), contacts, ..Problem::default() };
    let (_, kept) = run(&problem, settings(8e-3, None));
    let ([upper, lower], deepest) = end(&kept);
    assert!(upper > lower && deepest > 0.0 && deepest < 0.2 * SIDE, "{upper} {lower} {deepest}");
    let [_, momentum, ang_momentum] = residuals(&kept);
    let scale = kept.rows[0].balance.momentum_scale;
    assert!(momentum < 1e-13 * scale && ang_momentum < 1e-13 * scale * LENGTH, "{momentum} {ang_momentum}");
}

/// Plates that stand on their rims, across each other.
fn plates() -> Vec<BodySpec> {
    let thickness = 0.002;
    let plate = |name: &str| plate(name, [LENGTH, 0.04], [5, 2], 0.0, thickness, [1000.0, 1e7, 0.3]);
    let upright = Placement::rotated([1.0, 0.0, 0.0], 90.0);
    let turned = Placement::rotated([1.0, 1.0, 1.0], 120.0);
    // Along x and up, and along y and up.
    let lower = Placement { origin: [-0.047, 0.0, -0.04], ..upright };
    let above = Placement { origin: [0.0, -0.052, thickness + 2e-4], velocity: [0.0, 0.0, -1.0], ..turned };
    vec![deformable(plate("upper"), SHELL_LAW, above), deformable(plate("lower"), SHELL_LAW, lower)]
}

#[test]
fn rims_of_shells_that_cross_do_not_pass_through_each_other() {
    let (_, kept) = run(&automatic(plates(), 0.0), settings(4e-3, None));
    let ([upper, lower], deepest) = end(&kept);
    assert!(upper > lower && deepest < 1e-4, "{upper} {lower} {deepest}");
    assert_books("", &kept);
}

/// A run that is continued while edges touch has the same bits.
#[test]
fn continued_contact_of_edges_has_the_same_bits() {
    let problem = automatic(bars([0.3, 0.1, -1.0], [false; 2]), 0.3);
    let length = settings(5e-3, None);
    let mut whole = Simulation::new(&problem, length).unwrap();
    let mut saved = Saved(12, None);
    whole.run(&mut saved, &carom_progress::Silent).unwrap();
    let mut again = Simulation::new(&problem, length).unwrap();
    let checkpoint = saved.1.unwrap();
    assert!(checkpoint.integers("edges0").unwrap().len() >= 3, "the bars touch at the checkpoint");
    again.resume(&checkpoint).unwrap();
    again.run(&mut carom_dynamics::Ignore, &carom_progress::Silent).unwrap();
    assert!(whole.checkpoint() == again.checkpoint() && whole.events() == again.events());
    // Edges had other numbers in earlier versions; numbers of no edge are refused too.
    let refused = |changed: carom_dynamics::Checkpoint| {
        Simulation::new(&problem, length).unwrap().resume(&changed).unwrap_err().to_string()
    };
    let version = checkpoint.version;
    let older = carom_dynamics::Checkpoint { version: version - 1, ..checkpoint.clone() };
    let error = refused(older);
    assert!(error.contains(&format!("needs `explicit` version {version}")), "{error}");
    let mut unknown = checkpoint.clone();
    let mut keys = unknown.integers("edges0").unwrap().to_vec();
    keys[1] = 100_000;
    unknown.put_integers("edges0", &keys);
    let error = refused(unknown);
    assert!(error.contains("`edges0`"), "{error}");
}

/// Blocks that lie on each other turned by 45° touch at crossing rims too, which adds nothing: the upper one
/// rests with the pressure of its nodes.
#[test]
fn crossing_rims_of_blocks_on_each_other_hold_like_their_nodes() {
    let block = |name: &str| block(name, [0.04, 0.04, 0.02], [2, 2, 1], RUBBER);
    let turned = Placement { origin: [0.02, -0.0083, 0.0201], ..Placement::rotated([0.0, 0.0, 1.0], 45.0) };
    let upper = Placement { velocity: [0.0, 0.0, -0.5], ..turned };
    let bodies = vec![
        deformable(block("upper"), "neo-hookean", upper),
        deformable(block("lower"), "neo-hookean", at([0.0; 3], [0.0; 3])),
    ];
    let (_, kept) = run(&automatic(bodies, 0.0), settings(6e-3, None));
    let ([upper, lower], deepest) = end(&kept);
    assert!(upper > lower && deepest < 1e-4, "{upper} {lower} {deepest}");
    assert_books("", &kept);
}
