//! The verification cases as tests: `cargo test --release -p carom-verification -- --ignored`.

use std::path::Path;

use carom_progress::Silent;
use carom_verification::{Bench, BenchError, cases};

/// Runs a case in the folder of `carom-verify`.
fn verify(name: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verification");
    let bench = Bench { folder: &folder, progress: &Silent };
    let case = cases().into_iter().find(|case| case.name == name).expect("the case is listed");
    let outcome = match (case.run)(&bench) {
        Err(error @ BenchError::NoData) => return println!("skipped: {error}"),
        found => found.unwrap(),
    };
    for row in &outcome.rows {
        println!("{}: {} {}, expected {:?}", row.what, row.measured, row.unit, row.expected);
    }
    let missed: Vec<_> = outcome.rows.iter().filter(|row| !row.holds()).collect();
    assert!(!outcome.rows.is_empty() && missed.is_empty(), "{missed:#?}");
}

#[test]
#[ignore = "4 minutes: reduces balls for three speeds"]
fn two_balls() {
    verify("two-balls");
}

#[test]
#[ignore = "6 minutes: reduces two gears and moves them over a pitch and a half"]
fn elastic_gears() {
    verify("gears");
}

#[test]
#[ignore = "2 minutes: reduces a ball and a rod"]
fn short_rod() {
    verify("short-rod");
}

#[test]
#[ignore = "10 minutes: reduces balls and rods for three speeds, one with fine spans"]
fn long_rod() {
    verify("long-rod");
}

#[test]
#[ignore = "2 minutes: reduces balls of three sizes of spans"]
fn mesh() {
    verify("mesh");
}

#[test]
#[ignore = "3 minutes: reduces balls of three sizes of zones"]
fn interface() {
    verify("interface");
}

#[test]
#[ignore = "3 minutes: reduces balls with four numbers of modes"]
fn modes() {
    verify("modes");
}

#[test]
#[ignore = "1 minute: reduces balls for one speed"]
fn penalty() {
    verify("penalty");
}

#[test]
#[ignore = "2 minutes: reduces a ball and a rod with four times as many modes"]
fn split() {
    verify("split");
}

#[test]
#[ignore = "6 minutes: presses balls of up to 20 000 dofs that are refined locally"]
fn local() {
    verify("local");
}

#[test]
#[ignore = "3 minutes: reduces a ball and a rod"]
fn held_rod() {
    verify("held-rod");
}

#[test]
#[ignore = "20 minutes: all modes of two balls move"]
fn double_pendulums() {
    verify("double-pendulums");
}

#[test]
#[ignore = "3 minutes: reduces a ball with two contact zones"]
fn cradle() {
    verify("cradle");
}

#[test]
#[ignore = "3 minutes: reduces a ball, and runs a cam twice"]
fn cam() {
    verify("cam");
}

#[test]
#[ignore = "5 minutes: reduces a cam with a flank of 400 points, and runs five cams"]
fn cam_part() {
    verify("cam-part");
}

#[test]
#[ignore = "1 minute: reduces a ball and a bracket"]
fn bracket() {
    verify("bracket");
}

#[test]
#[ignore = "1 minute: reduces rods and balls, runs them for four splits"]
fn held_rods() {
    verify("held-rods");
}

#[test]
fn two_bars() {
    verify("two-bars");
}

#[test]
fn rigid_bars() {
    verify("rigid-bars");
}

#[test]
fn rod_in_cube() {
    verify("rod-in-cube");
}

#[test]
#[ignore = "10 minutes: four runs of 1337 cells over 10 ms"]
fn bumper() {
    verify("bumper");
}

#[test]
#[ignore = "8 minutes: reduces a ball and a rod, and moves 20 000 cells by 7600 steps"]
fn soft_rod() {
    verify("soft-rod");
}

#[test]
#[ignore = "1 second"]
fn volumes() {
    verify("volumes");
}

#[test]
#[ignore = "1 minute: modes of balls of five meshes"]
fn lamb() {
    verify("lamb");
}

#[test]
#[ignore = "1 minute: modes of a plate, statics of another"]
fn nafems() {
    verify("nafems");
}

#[test]
#[ignore = "1 minute: modes of all small meshes of the reference data"]
fn reference_modes() {
    verify("reference-modes");
}

#[test]
#[ignore = "1 second: problems of the reference data"]
fn complementarity() {
    verify("complementarity");
}

#[test]
#[ignore = "1 minute: 5600 steps of 800 cells"]
fn wendt_bar() {
    verify("wendt-bar");
}

#[test]
#[ignore = "1 minute: whole and reduced bodies, three velocities"]
fn turning_bar() {
    verify("turning-bar");
}

#[test]
#[ignore = "10 seconds: 3e5 steps of two rigid bodies"]
fn ball_in_shell() {
    verify("ball-in-shell");
}

#[test]
#[ignore = "5 minutes: implicit steps of 532 cells in two schemes"]
fn hollow_ball() {
    verify("hollow-ball");
}

#[test]
#[ignore = "5 minutes: one impact in seven schemes"]
fn six_ways() {
    verify("six-ways");
}

#[test]
#[ignore = "2 minutes: impacts that are described by shapes alone"]
fn open_contact() {
    verify("open-contact");
}

#[test]
#[ignore = "15 minutes: impacts over parts, cells and sizes; needs carom-gmsh"]
fn trials() {
    verify("trials");
}

#[test]
#[ignore = "10 minutes: impacts on parts with cells that resolve the contact"]
fn trials_resolved() {
    verify("trials-resolved");
}

#[test]
#[ignore = "10 minutes: four impacts with and without cells that resolve the contact"]
fn beside() {
    verify("beside");
}

#[test]
#[ignore = "1 minute: a ball on two thin plates"]
fn zener_plates() {
    verify("zener-plates");
}

#[test]
#[ignore = "35 minutes: a ball on twenty parts at three places each; needs carom and carom-gmsh"]
fn own_parts() {
    verify("own-parts");
}

#[test]
#[ignore = "20 minutes: the same with cells that resolve the contact; needs carom-gmsh"]
fn own_parts_resolved() {
    verify("own-parts-resolved");
}
