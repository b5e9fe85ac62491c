//! Joints in the scheme `explicit`, from scenario to result.

use carom_dynamics::JointState;
use carom_simulate::RunOutcome;
use nalgebra::Vector3;

use crate::fixtures::{Chain, is_refused, parse};

/// Two rigid rods on hinges fall from the horizontal.
pub(crate) fn double_pendulum(simulation: &str) -> String {
    let rod = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"steel\"\nrigid = true\nposition = [{x:?}, 0.0, 0.0]\n\
             make = {{ shape = \"rod\", radius = 0.01, length = 0.4 }}\n"
        )
    };
    let joint = |kind: &str, ends: &str| {
        format!("[[joint]]\nkind = \"{kind}\"\nbetween = {ends}\naxis = [0.0, 1.0, 0.0]\n")
    };
    [
        "[simulation]\nend_time = 0.6\noutput_every = 0.1\ngravity = [0.0, 0.0, -9.81]\n".to_owned(),
        format!("{simulation}\n"),
        rod("upper", 0.0),
        rod("lower", 0.4),
        joint("revolute", "[\"ground\", \"upper:start\"]"),
        joint("spherical", "[\"upper:end\", \"lower:start\"]"),
    ]
    .concat()
}

pub(crate) fn run(text: &str) -> (RunOutcome, Vec<JointState>) {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(text, &[])).unwrap_or_else(|error| panic!("{error}"));
    let reader = chain.reader();
    let header = reader.header().unwrap();
    let last = (0..header.joints.len()).map(|joint| *reader.joint_course(joint).unwrap().last().unwrap());
    (outcome, last.collect())
}

/// A run with a frame of each step: forces are means since the frame before.
pub(crate) fn run_in_frames_of_steps(text: &str, dt: f64) -> (RunOutcome, Vec<JointState>) {
    let lines = text.lines().map(|line| {
        if line.starts_with("output_every") { format!("output_every = {dt:?}") } else { line.to_owned() }
    });
    run(&lines.collect::<Vec<_>>().join("\n").replace("DT", &format!("{dt:?}")))
}

/// The same double pendulum in the scheme `quasistatic` at a tight tolerance is the truth: positions have
/// the second order, and the forces of the joints agree.
#[test]
fn a_double_pendulum_moves_as_in_the_scheme_of_reduced_bodies() {
    let (truth, forces) = run(&double_pendulum("relative_tolerance = 1.0e-10\nintegrator = \"dop853\""));
    let steps = [2e-3, 1e-3, 5e-4];
    let errors = steps.map(|dt| {
        let text = double_pendulum("scheme = \"explicit\"\ntime_step = DT");
        let (outcome, own) = run_in_frames_of_steps(&text, dt);
        let ledger = &outcome.summary.ledger;
        let [energy, momentum, ang_momentum] = ledger.errors().map(|error| error.unwrap_or(0.0));
        assert!(energy < 1e-11 && momentum < 1e-12 && ang_momentum < 1e-12, "{ledger:?}");
        for (own, force) in own.iter().zip(&forces) {
            let [own, force] = [own, force].map(|state| Vector3::from(state.force));
            // Forces are means over the halves of two steps, in which forces that alternate from the start
            // cancel. Such a mean is the force half a step before the end.
            assert!((own - force).norm() < 100.0 * dt * force.norm(), "{dt}: {own} {force}");
        }
        let of = |body: usize| {
            let [a, b] = [&outcome, &truth].map(|run| Vector3::from(run.bodies[body].position));
            (a - b).norm()
        };
        of(0).max(of(1))
    });
    println!("{errors:?}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((1.7..2.3).contains(&order), "{order} {errors:?}");
    }
}

/// The rods overlap at their joint as soon as they bend there. Contact of all bodies leaves them out, and
/// says so; a third rod touches both.
#[test]
fn contact_of_all_bodies_leaves_out_those_that_a_joint_connects() {
    let free = double_pendulum("scheme = \"explicit\"\ntime_step = 1.0e-3");
    let all = format!("{free}[[contact]]\nbetween = [\"*\"]\n");
    let ((free, _), (touching, _)) = (run(&free), run(&all));
    assert!(free.bodies == touching.bodies, "{:?} {:?}", free.bodies, touching.bodies);
    let says = "leaves out contact of bodies that a joint connects: `upper` and `lower`";
    assert!(touching.remarks.iter().any(|remark| remark.contains(says)), "{:?}", touching.remarks);
    assert!(!free.remarks.iter().any(|remark| remark.contains("leaves out")), "{:?}", free.remarks);
    let third = "[[body]]\nname = \"ground rod\"\nmaterial = \"steel\"\nrigid = true\nfixed = true\n\
        position = [0.3, 0.0, -0.1]\nmake = { shape = \"rod\", radius = 0.01, length = 0.4 }\n";
    let (held, _) = run(&all.replacen("[[joint]]", &format!("{third}[[joint]]"), 1));
    let heights = [&free, &held].map(|run| run.bodies[1].position[2]);
    assert!(heights[1] > heights[0] + 0.1, "{heights:?}");
    // A distance keeps bodies apart, which may touch.
    let string = all.replace("\"spherical\"", "\"distance\"").replace("[0.4, 0.0, 0.0]", "[0.5, 0.0, 0.0]");
    let string = string.replace("end_time = 0.6\noutput_every = 0.1", "end_time = 0.01");
    let (string, _) = run(&string);
    assert!(!string.remarks.iter().any(|remark| remark.contains("leaves out")), "{:?}", string.remarks);
}

/// Two hinges on one axis say the same five times: the run names the second one.
#[test]
fn joints_that_repeat_others_are_named() {
    let text = double_pendulum("scheme = \"explicit\"\ntime_step = 1.0e-3");
    let first = "between = [\"ground\", \"upper:start\"]\naxis = [0.0, 1.0, 0.0]\n";
    let second = format!("{first}[[joint]]\nname = \"twin\"\nkind = \"revolute\"\n{first}");
    let (twins, _) = run(&text.replacen(first, &second, 1));
    let warning = "joint `twin`: 5 equations repeat those of other joints";
    assert!(twins.warnings.iter().any(|w| w.contains(warning)), "{:?}", twins.warnings);
    let (alone, _) = run(&text);
    assert!(!alone.warnings.iter().any(|w| w.contains("repeat")), "{:?}", alone.warnings);
}

#[test]
fn joints_that_explicit_dynamics_does_not_take_are_refused_by_name() {
    let text = double_pendulum("scheme = \"explicit\"\ntime_step = 1.0e-3");
    let soft = text.replacen("rigid = true\n", "", 1);
    let with = |line: &str, more: &str| text.replacen(line, &format!("{line}{more}\n"), 1);
    let spring = with("axis = [0.0, 1.0, 0.0]\n", "spring = { stiffness = 1.0 }");
    let place = text.replace("lower:start", "lower:nowhere");
    let fast = with("position = [0.4, 0.0, 0.0]\n", "velocity = [1.0, 0.0, 0.0]");
    let apart = text.replace("position = [0.4, 0.0, 0.0]", "position = [0.41, 0.0, 0.0]");
    for (text, key, words) in [
        (soft, "joint.0.between", ["body `upper` is deformable", "rigid = true"]),
        (spring, "joint.0.spring", ["`revolute ground upper:start`", "no `spring` of joints"]),
        (place, "joint.1.between", ["lower", "nowhere"]),
        (fast, "joint.1", ["`spherical upper:end lower:start`", "break it"]),
        (apart, "joint.1", ["`spherical upper:end lower:start`", "open at the start"]),
    ] {
        is_refused(&text, key, &words);
    }
}
