//! Edges that cross edges, with no node in front of a face.

use carom_contact::Law;
use carom_continuum::explicit::{AutomaticSpec, BodySpec, Load, Problem, Simulation};
use carom_continuum::statics::Place;
use carom_dynamics::{Axes, Placement, TimeFunction};
use carom_fem::Geometry;
use carom_mesh::Set;

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

/// Side of the cells of strips, their thickness, and the distance of their surfaces \[m\].
const STRIP_CELL: f64 = 0.04;
const STRIP_THICKNESS: f64 = 0.002;
const STRIP_GAP: f64 = 4e-3;

/// Strips of two shells each, flat at rest, whose outer ends are pulled apart from the common edges in their
/// middles: these edges become ridges, the lower one along y and the upper one along x, which cross between
/// nodes. The upper strip comes down.
fn folding_strips() -> Problem {
    let (cell, thickness) = (STRIP_CELL, STRIP_THICKNESS);
    let strip = |name: &str| plate(name, [2.0 * cell, cell], [2, 1], 0.0, thickness, [1000.0, 1e7, 0.3]);
    let with_ridge = |mut body: carom_fem::Body| {
        let Geometry::Mesh(mesh) = &mut body.geometry else { unreachable!() };
        mesh.sets.insert("ridge".to_owned(), Set::of_nodes(vec![1, 4]));
        body
    };
    let turned = Placement::rotated([0.0, 0.0, 1.0], 90.0);
    // The upper strip along y, from x = cell/2 to 3 cell/2.
    let origin = [1.4 * cell, -0.45 * cell, thickness + STRIP_GAP];
    let above = Placement { origin, velocity: [0.0, 0.0, -2.0], ..turned };
    let load = |body: usize, set: &str, force: f64| Load {
        body,
        at: Place::Set(set.to_owned()),
        force: [0.0, 0.0, force],
        torque: [0.0; 3],
        axes: Axes::Inertial,
        scale: TimeFunction::Constant(1.0),
    };
    let fold = |body: usize, force: f64| {
        ["west", "east", "ridge"]
            .map(|set| load(body, set, if set == "ridge" { 2.0 * force } else { -force }))
    };
    Problem {
        loads: [fold(0, -0.5), fold(1, 0.5)].concat(),
        ..automatic(
            vec![
                deformable(with_ridge(strip("upper")), SHELL_LAW, above),
                deformable(with_ridge(strip("lower")), SHELL_LAW, Placement::default()),
            ],
            0.0,
        )
    }
}

/// Edges between cells of shells become sharp in a run, where the nodes of neither strip meet the other one.
#[test]
fn edges_of_shells_that_fold_do_not_pass_through_each_other() {
    let (_, kept) = run(&folding_strips(), settings(8e-3, None));
    // The ridges cross at 0.4 of the upper and 0.55 of the lower one.
    let height = |u: &[f64], at: f64| (1.0 - at) * u[3 + 2] + at * u[3 * 4 + 2];
    let start = STRIP_THICKNESS + STRIP_GAP;
    let gap = |u: &Vec<Vec<f64>>| start + height(&u[0], 0.4) - height(&u[1], 0.55) - STRIP_THICKNESS;
    let gaps: Vec<f64> = kept.displacements.iter().map(gap).collect();
    let least = gaps.iter().copied().fold(f64::INFINITY, f64::min);
    // Faces that bend away by less than a thousandth count as flat: half of that over a cell. By their angles
    // at rest, which are zero, the ridges end 2.6 mm behind each other.
    assert!(least > -1e-3 * STRIP_CELL, "{least}: {gaps:?}");
    let deepest = kept.rows.last().unwrap().balance.pen_max;
    assert!(deepest < 1e-3 * STRIP_CELL, "{deepest}");
    let last = kept.displacements.last().unwrap();
    let bend = |u: &[f64]| (u[3 + 2] - 0.5 * (u[2] + u[6 + 2])).abs() / STRIP_CELL;
    assert!(last.iter().all(|u| bend(u) > 0.04), "{} {}", bend(&last[0]), bend(&last[1]));
    let [energy, momentum, ang_momentum] = residuals(&kept);
    let row = &kept.rows[0].balance;
    assert!(energy < 1e-12 * row.e_kin && momentum < 1e-13 * row.momentum_scale, "{energy} {momentum}");
    assert!(ang_momentum < 1e-13 * row.momentum_scale * LENGTH, "{ang_momentum}");
}
