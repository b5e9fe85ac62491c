//! Mechanisms from a scenario to its result: forces of joints, motions that begin off the initial position,
//! keys of errors, warnings.

use carom_simulate::{ErrorKind, RunOutcome};
use nalgebra::Vector3;

use crate::fixtures::{Chain, Failed, parse, read};

/// The outcome, and the forces of each joint in the last frame.
fn solve(text: &str) -> Result<(RunOutcome, Vec<carom_dynamics::JointState>), Failed> {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(text, &[]))?;
    let reader = chain.reader();
    let n = reader.header().unwrap().joints.len();
    let last = (0..n).map(|joint| *reader.joint_course(joint).unwrap().last().unwrap());
    Ok((outcome, last.collect()))
}

fn simulation(end_time: f64) -> String {
    format!("[simulation]\nend_time = {end_time:?}\nintegrator = \"dop853\"\ngravity = [0.0, 0.0, -9.81]\n")
}

/// A mass of 2 kg with a marker in its middle.
fn mass(name: &str, rest: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"plate\", size = [0.1, 0.1, 0.1] }}\nmaterial = \
         \"steel\"\nrigid = true\nmass_properties = {{ mass = 2.0, inertia = [0.01, 0.01, 0.01] }}\n{rest}\n\
         [[body.marker]]\nname = \"c\"\nat = [0.0, 0.0, 0.0]\n"
    )
}

const ROD: &str = "[[body]]\nname = \"rod\"\nmake = \
    { shape = \"rod\", radius = 0.01, length = 0.4 }\nmaterial = \"steel\"\nrigid = true\n";

fn hinge(rest: &str) -> String {
    format!(
        "[[joint]]\nkind = \"revolute\"\nbetween = [\"ground\", \"rod:start\"]\naxis = [0.0, 1.0, 0.0]\n\
         {rest}\n"
    )
}

/// A conical pendulum on a length of 0.5 m from a point of the ground: 0.3 m around, 0.4 m high, a tension of
/// m g 0.5/0.4.
#[test]
fn a_distance_from_the_ground_holds_a_conical_pendulum() {
    let speed = 0.3 * (9.81_f64 / 0.4).sqrt();
    let place = format!("position = [0.3, 0.0, 0.6]\nvelocity = [0.0, {speed:?}, 0.0]");
    let string = "[[joint]]\nname = \"string\"\nkind = \"distance\"\nbetween = [\"ground\", \"m:c\"]\npoint \
        = [0.0, 0.0, 1.0]\n";
    let (outcome, joints) = solve(&[simulation(1.7), mass("m", &place), string.to_owned()].concat()).unwrap();
    let [x, y, z] = outcome.bodies[0].position;
    assert!((x.hypot(y) - 0.3).abs() < 1e-7 && (z - 0.6).abs() < 1e-7, "{x} {y} {z}");
    let to_point = Vector3::new(-x, -y, 1.0 - z) / 0.5;
    let tension = Vector3::from(joints[0].force);
    assert!((tension - to_point * (2.0 * 9.81 * 0.5 / 0.4)).norm() < 1e-4, "{tension}");
    // The torque about the first end, on the line of the force, is zero.
    assert!(Vector3::from(joints[0].torque).norm() < 1e-9, "{:?}", joints[0]);
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
}

#[test]
fn a_motion_that_begins_off_the_initial_position_is_reported() {
    let (outcome, _) = solve(&[&simulation(0.1), ROD, &hinge("motion = \"0.5\"")].concat()).unwrap();
    // The middle of the rod moves by 2·0.2·sin 0.25 m.
    let text = outcome.warnings.join("\n");
    assert!(text.contains("joint `revolute ground rod:start`: its motion begins 5.000e-1 rad"), "{text}");
    assert!(text.contains("by up to 9.896e-2 m") && !text.contains("until their joints closed"), "{text}");
    let (outcome, _) = solve(&[&simulation(0.1), ROD, &hinge("motion = \"0.5*t\"")].concat()).unwrap();
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
}

#[test]
fn a_body_at_rest_under_its_weight_has_no_momentum_error() {
    let (outcome, joints) = solve(&[&simulation(1.0), ROD, &hinge("motion = \"0.0\"")].concat()).unwrap();
    let ledger = &outcome.summary.ledger;
    assert!(ledger.momentum_error < 1e-12 && ledger.ang_momentum_error < 1e-12, "{ledger:?}");
    // The motion holds the level rod: its weight at the hinge, and M = m g L/2, which turns about −y.
    let weight = outcome_mass() * 9.81;
    let action = joints[0].actions[1].unwrap();
    assert!((joints[0].force[2] / weight - 1.0).abs() < 1e-9, "{joints:?}");
    assert!((action.drive.unwrap() / (-0.2 * weight) - 1.0).abs() < 1e-9, "{joints:?}");
    assert!((joints[0].torque[1] / action.drive.unwrap() - 1.0).abs() < 1e-9, "{joints:?}");
}

/// Mass of the rod: density times π r² L.
fn outcome_mass() -> f64 {
    7800.0 * std::f64::consts::PI * 1e-4 * 0.4
}

#[test]
fn errors_of_joints_name_the_keys_of_their_tables() {
    let held = format!(
        "{}[[joint]]\nkind = \"fixed\"\nbetween = [\"ground\", \"rod:end\"]\n",
        hinge("motion = \"0.5*t\"")
    );
    let error = solve(&[&simulation(0.1), ROD, &held].concat()).unwrap_err();
    assert_eq!((error.key(), error.kind()), (Some("joint.0.motion"), ErrorKind::Input), "{error}");
    // A rod of 0.4 m cannot reach a point 1 m away.
    let far = "[[joint]]\nkind = \"distance\"\nlength = 0.1\npoint = [1.0, 0.0, 0.0]\nbetween = [\"ground\", \
        \"rod:end\"]\n";
    let error = solve(&[&simulation(0.1), ROD, &hinge(""), far].concat()).unwrap_err();
    assert!(error.key().is_some_and(|key| key.starts_with("joint.")), "{error}");
    assert_eq!(error.kind(), ErrorKind::Input);
}

/// A distance that is driven through zero cannot be closed there. The error occurs in the run, so it is not
/// one of the input.
#[test]
fn a_joint_that_opens_during_the_run_is_an_error_of_convergence() {
    let text = [
        simulation(0.5),
        mass("m", ""),
        mass("n", "position = [0.3, 0.0, 0.0]"),
        "[[joint]]\nkind = \"distance\"\nbetween = [\"m:c\", \"n:c\"]\nmotion = \"0.3*cos(20*t)\"\n"
            .to_owned(),
    ];
    let error = solve(&text.concat()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Convergence, "{error}");
}

/// A mass that begins to fall on an undamped stop returns to its edge at the top of each oscillation.
#[test]
fn an_energy_error_above_the_tolerance_is_a_warning() {
    let slide = "[[joint]]\nkind = \"prismatic\"\nbetween = [\"ground\", \"m:c\"]\naxis = [0.0, 0.0, 1.0]\n\
                 stops = { low = 0.0, stiffness = 1.0e6 }\n";
    for tolerance in ["1.0e-4", "1.0e-6"] {
        let head = format!(
            "[simulation]\nend_time = 1.0\nrelative_tolerance = {tolerance}\ngravity = [0.0, 0.0, -9.81]\n"
        );
        let (outcome, _) = solve(&[&head, &mass("m", ""), slide].concat()).unwrap();
        let error = outcome.summary.ledger.energy_error;
        let is_warned = outcome.warnings.iter().any(|text| text.contains("more than the tolerance of"));
        assert_eq!(is_warned, error > tolerance.parse().unwrap(), "{error} {:?}", outcome.warnings);
    }
}

#[test]
fn names_of_joints_must_differ_and_distances_to_the_ground_need_a_point() {
    let printed = |text: &str| {
        let text = [&simulation(0.1), ROD, text].concat();
        read(&text, &[]).unwrap_err()
    };
    let twice = format!("{}{}", hinge("name = \"a\""), hinge("name = \"a\""));
    assert!(printed(&twice).contains("is called `a` already"), "{}", printed(&twice));
    let far = "[[joint]]\nkind = \"distance\"\nlength = 2.0\nbetween = [\"ground\", \"rod:start\"]\n";
    assert!(
        printed(far).contains("`point` is missing: where the ground holds the distance"),
        "{}",
        printed(far)
    );
}

/// A body that falls 0.1 m on a stop of default stiffness penetrates by a ten-thousandth of a metre; a
/// rotating body likewise.
#[test]
fn stops_of_default_stiffness_deflect_by_a_thousandth_of_the_fall() {
    let slide = "[[joint]]\nkind = \"prismatic\"\nbetween = [\"ground\", \"m:c\"]\naxis = [0.0, 0.0, 1.0]\n\
                 stops = { low = -0.1 }\n";
    let deepest = |text: &str, end: f64, joint: usize, slot: usize| {
        let chain = Chain::new();
        chain.solve(&parse(text, &[])).unwrap();
        let reader = chain.reader();
        assert!(
            reader.notes().unwrap().iter().any(|note| note.text.contains("its stops have a stiffness of"))
        );
        let course = reader.joint_course(joint).unwrap();
        course.iter().map(|state| state.actions[slot].unwrap().value.abs() - end).fold(0.0, f64::max)
    };
    let fine = |text: String| text.replace("integrator", "output_every = 2.0e-6\nintegrator");
    // √(2 h/g) = 0.1428 s; the weight adds little.
    let fallen = deepest(&fine([simulation(0.1435), mass("m", ""), slide.to_owned()].concat()), 0.1, 0, 0);
    assert!((fallen / 1.0e-4 - 1.0).abs() < 0.02, "{fallen}");
    let turned =
        deepest(&fine([&simulation(0.3), ROD, &hinge("stops = { high = 1.0 }")].concat()), 1.0, 0, 1);
    // Falling rods gain m g L/2 sin 1 and not the whole of m g L/2.
    assert!(turned > 0.85e-3 && turned < 1.0e-3, "{turned}");
    let driven = hinge("stops = { high = 1.0 }\nspring = { stiffness = 1.0 }");
    let error = solve(&[&simulation(0.1), ROD, &driven].concat()).unwrap_err();
    assert!(error.to_string().contains("need a `stiffness`") && error.key() == Some("joint.0"), "{error}");
}

/// The rod shortens by F L/EA, so that the stop carries k (δ − F L/EA) where the crank would move δ beyond
/// it; the force oscillates a little about this value.
#[test]
fn the_press_force_of_the_gallery_follows_from_stop_and_rod_stiffness() {
    let text = include_str!("../../../meshes/slider-crank/scenario.toml")
        .replace("end_time = 0.24", "end_time = 0.06");
    let chain = Chain::new();
    let outcome = chain.solve(&parse(&text, &[])).unwrap();
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    let ledger = &outcome.summary.ledger;
    assert!(ledger.energy_error < 1e-7 && ledger.momentum_error < 1e-10, "{ledger:?}");
    let reader = chain.reader();
    let names: Vec<String> = reader.header().unwrap().joints.into_iter().map(|joint| joint.name).collect();
    assert_eq!(names, ["bearing", "crank pin", "ram pin", "slide"]);
    let stops = reader.joint_course(3).unwrap();
    let press = stops.iter().map(|state| -state.actions[0].unwrap().stop.unwrap()).fold(0.0, f64::max);
    let beyond = 0.25 - (0.2_f64.powi(2) - 0.05_f64.powi(2)).sqrt() - 0.056;
    let compliance = 0.2 / (210e9 * std::f64::consts::PI * 0.006_f64.powi(2));
    let elastic = beyond / (1.0 / 5e6 + compliance);
    assert!(press > 0.99 * elastic && press < 1.02 * elastic, "{press} {elastic}");
}

/// Two links of 0.5 and 0.3 m that a slide pulls straight: the mechanism cannot move beyond that position,
/// and the run reports the reason.
#[test]
fn a_singular_position_is_reported() {
    let distance = |name: &str, between: &str, length: f64| {
        format!("[[joint]]\nname = \"{name}\"\nkind = \"distance\"\nbetween = {between}\nlength = {length}\n")
    };
    let slide = "[[joint]]\nkind = \"prismatic\"\nbetween = [\"ground\", \"d:c\"]\naxis = [1.0, 0.0, \
        0.0]\nmotion = \"0.12*t\"\n";
    let text = [
        "[simulation]\nend_time = 1.0\nintegrator = \"dop853\"\n".to_owned(),
        mass("m", "position = [0.4642857142857143, 0.0, 0.1855767]"),
        mass("d", "position = [0.7, 0.0, 0.0]"),
        distance("long", "[\"ground\", \"m:c\"]", 0.5) + "point = [0.0, 0.0, 0.0]\n",
        distance("short", "[\"m:c\", \"d:c\"]", 0.3),
        slide.to_owned(),
    ];
    let printed = solve(&text.concat()).unwrap_err().to_string();
    assert!(printed.contains("singular position"), "{printed}");
    assert!(!printed.contains("contact"), "{printed}");
}

/// A motor with a pinion on a rack and a screw, from scenario to result: the forces of the couplings are
/// parts of those of the joints.
#[test]
fn gears_racks_and_screws_act_in_their_joints() {
    let pin = |name: &str, body: &str, kind: &str, rest: &str| {
        format!(
            "[[joint]]\nname = \"{name}\"\nkind = \"{kind}\"\nbetween = [\"ground\", \"{body}:c\"]\naxis = \
             [0.0, 0.0, 1.0]\n{rest}\n"
        )
    };
    let text = [
        simulation(1.0),
        mass("m", ""),
        mass("n", "position = [0.5, 0.0, 0.0]"),
        mass("o", "position = [1.0, 0.0, 0.0]"),
        "[[joint]]\nkind = \"rack\"\njoints = [\"motor\", \"slide\"]\nradius = 0.05\n".to_owned(),
        pin("motor", "m", "revolute", "motion = \"10*t^2\""),
        pin("slide", "n", "prismatic", ""),
        pin("nut", "o", "screw", "pitch = 0.1"),
        "[[joint]]\nkind = \"gear\"\njoints = [\"motor\", \"nut\"]\nratio = 3.0\n".to_owned(),
    ];
    let (outcome, joints) = solve(&text.concat()).unwrap();
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    let per_radian = 0.1 / std::f64::consts::TAU;
    let heights = [0.05 * 10.0, 3.0 * 10.0 * per_radian];
    for (body, height) in [1, 2].into_iter().zip(heights) {
        let found = outcome.bodies[body].position[2];
        assert!((found / height - 1.0).abs() < 1e-9, "{body} {found} {height}");
    }
    // m (g + r α) on the rack; the nut has J 3 α and m (g + 3 α p/2π) on its thread.
    let rack = 2.0 * (9.81 + 0.05 * 20.0);
    let thread = 2.0 * (9.81 + 60.0 * per_radian);
    let gear = 0.01 * 60.0 + thread * per_radian;
    let found = [joints[1].force[2], joints[2].force[2], joints[2].torque[2]];
    for (found, expected) in found.into_iter().zip([rack, thread, 0.01 * 60.0]) {
        assert!((found / expected - 1.0).abs() < 1e-8, "{found} {expected}");
    }
    let motor = joints[0].actions[1].unwrap();
    let load = 0.05 * rack + 3.0 * gear;
    assert!((motor.coupling.unwrap() / -load - 1.0).abs() < 1e-8, "{motor:?} {load}");
    assert!((motor.drive.unwrap() / (0.01 * 20.0 + load) - 1.0).abs() < 1e-8, "{motor:?} {load}");
}

#[test]
fn schemes_without_couplings_refuse_them_by_name() {
    let gear = "[[joint]]\nkind = \"gear\"\njoints = [\"1\", \"2\"]\nratio = 2.0\n";
    let other = hinge("").replace("rod:start", "rod:end");
    let screw = hinge("pitch = 0.1").replace("revolute", "screw");
    for (joints, key, kind) in [
        ([hinge(""), other, gear.to_owned()].concat(), "joint.2.kind", "gear"),
        (screw, "joint.0.kind", "screw"),
    ] {
        let text =
            format!("[simulation]\nscheme = \"rigid\"\ntime_step = 1e-3\nend_time = 0.1\n{ROD}{joints}");
        let error = solve(&text).unwrap_err();
        assert_eq!((error.key(), error.kind()), (Some(key), ErrorKind::Input), "{error}");
        assert!(error.to_string().contains(&format!("the scheme `rigid` has no `{kind}`")), "{error}");
    }
}
