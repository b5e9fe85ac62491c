//! Runs that start in a static equilibrium, from scenario to result.

use carom_contact::closed_form::HertzPair;
use carom_simulate::{ErrorKind, RunOptions};
use nalgebra::Vector3;

use crate::fixtures::{Chain, Impatient, is_refused, parse, read, solve};

const PENDULUM: &str = "[simulation]\nend_time = 0.0\nstart = \"equilibrium\"\ngravity = [0.0, 0.0, -9.81]\n\
    [[body]]\nname = \"rod\"\nmake = { shape = \"rod\", radius = 0.01, length = 0.4 }\nmaterial = \"steel\"\n\
    rigid = true\n[[joint]]\nkind = \"revolute\"\nbetween = [\"ground\", \"rod:start\"]\n\
    axis = [0.0, 1.0, 0.0]\n";

#[test]
fn a_pendulum_starts_where_it_hangs_and_stays_there() {
    let chain = Chain::new();
    let outcome = chain.solve(&parse(PENDULUM, &[])).unwrap_or_else(|failed| panic!("{failed}"));
    let place = Vector3::from(outcome.bodies[0].position);
    assert!((place - Vector3::new(0.0, 0.0, -0.2)).norm() < 1e-9, "{place}");
    let text = outcome.remarks.join("\n");
    assert!(text.contains("the run starts in an equilibrium") && text.contains("1 motions"), "{text}");
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    // One frame; the hinge carries the weight; a compound pendulum.
    let reader = chain.reader();
    let [mode] = &reader.modes().unwrap()[..] else { panic!("one freedom") };
    let hz = (1.5 * 9.81 / 0.4_f64).sqrt() / std::f64::consts::TAU;
    // The rod of 20 mm has a little more inertia than a slender one.
    assert!((mode.frequency / hz - 1.0).abs() < 1e-3 && mode.damping_ratio == Some(0.0), "{mode:?} {hz}");
    assert_eq!(reader.times().unwrap(), [0.0]);
    let weight = 7800.0 * std::f64::consts::PI * 1e-4 * 0.4 * 9.81;
    let force = reader.joint_course(0).unwrap()[0].force;
    assert!((force[2] / weight - 1.0).abs() < 1e-9 && force[0].abs() < 1e-9 * weight, "{force:?}");
    // A run on from there does not move.
    let outcome = solve(&PENDULUM.replace("end_time = 0.0", "end_time = 0.5")).unwrap();
    let end = Vector3::from(outcome.bodies[0].position);
    assert!((end - place).norm() < 1e-9, "{end}");
    assert_eq!(parse(PENDULUM, &[]), parse(&parse(PENDULUM, &[]).to_toml(), &[]));
}

#[test]
fn what_an_equilibrium_does_not_have_is_refused() {
    let moving = PENDULUM.replace("rigid = true\n", "rigid = true\nangular_velocity = [0.0, 1.0, 0.0]\n");
    is_refused(&moving, "body.0.angular_velocity", &["all bodies are at rest"]);
    let still = PENDULUM.replace("start = \"equilibrium\"\n", "");
    assert!(read(&still, &[]).unwrap_err().contains("end_time"));
    let other = PENDULUM.replace("end_time = 0.0", "end_time = 1.0\nscheme = \"rigid\"\ntime_step = 1.0e-3");
    assert!(read(&other, &[]).unwrap_err().contains("belongs to the schemes `quasistatic`"));
    // Without gravity the hinge turns freely; an input error that names the motion.
    let free = PENDULUM.replace("-9.81", "0.0");
    let error = solve(&free).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    assert!(error.to_string().contains("the equilibrium is not determined: body `rod`"), "{error}");
    let falls = &PENDULUM[..PENDULUM.find("[[joint]]").unwrap()];
    let error = solve(falls).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Convergence, "{error}");
    assert!(error.to_string().contains("body `rod` moves along [0.00, 0.00, 1.00]"), "{error}");
}

#[test]
fn the_search_for_an_equilibrium_can_be_stopped() {
    let (chain, scenario) = (Chain::new(), parse(PENDULUM, &[]));
    let bodies = chain.prepare(&scenario).unwrap();
    let stopped = chain.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(3));
    let error = stopped.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    assert!(error.to_string().contains("while the equilibrium was sought"), "{error}");
}

/// A clamped rod under a force at its end: F L³/(3 E I) + F L/(κ G A), at once and for any split.
#[test]
fn a_clamped_rod_starts_with_its_deflection() {
    let second_moment = std::f64::consts::PI * 1e-8 / 4.0;
    let shear = 0.886 * 210e9 / 2.6 * std::f64::consts::PI * 1e-4;
    let expected = 100.0 * (0.4_f64.powi(3) / (3.0 * 210e9 * second_moment) + 0.4 / shear);
    for split in [1.0, 4e3] {
        let text = format!(
            "[simulation]\nend_time = 0.0\nstart = \"equilibrium\"\n\
             [[body]]\nname = \"rod\"\nmaterial = \"steel\"\n\
             make = {{ shape = \"rod\", radius = 0.01, length = 0.4, elements = [12, 1, 1] }}\n\
             reduce = {{ attach = {{ start = \"rigid\", end = \"rigid\" }}, modes = 12, split = {split} }}\n\
             [[joint]]\nkind = \"fixed\"\nbetween = [\"ground\", \"rod:start\"]\naxis = [1.0, 0.0, 0.0]\n\
             [[force]]\non = \"rod:end\"\nforce = [0.0, 0.0, 100.0]\n\
             [[probe]]\non = \"rod:end\"\nwhat = [\"position\"]\n"
        );
        let chain = Chain::new();
        let outcome = chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
        let courses = chain.reader().probe_courses().unwrap();
        let end = courses[0].values[0][0][2];
        assert!((end / expected - 1.0).abs() < 0.02, "split {split}: {end} {expected}");
        assert!(outcome.remarks.join("\n").contains("equilibrium"), "{:?}", outcome.remarks);
    }
}

/// A coarse elastic ball that is pressed to a plate, guided along the normal: the approach of Hertz, within
/// the parts that its grid and the body below it differ from half-spaces.
#[test]
fn a_ball_rests_on_a_plate_with_the_approach_of_hertz() {
    let text = r#"
[simulation]
end_time = 0.0
start = "equilibrium"
gravity = [0.0, 0.0, 9.81e3]
[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015, elements = [4] }
material = "steel"
reduce = { places = ["0,0,0.015:0.003"], attach = { surface = "mean" }, modes = 6 }
position = [0.0, 0.0, -0.015002]
[[body]]
name = "plate"
make = { shape = "box", size = [0.02, 0.02, 0.01] }
material = "steel"
rigid = true
fixed = true
position = [-0.01, -0.01, 0.0]
[[joint]]
kind = "prismatic"
between = ["ground", "ball:surface"]
axis = [0.0, 0.0, 1.0]
[[contact]]
between = ["ball:0,0,0.015:0.003", "plate:bottom"]
compliance = "half-space"
"#;
    let mass = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.015_f64.powi(3);
    let pair = HertzPair::new([0.015, f64::INFINITY], [210e9; 2], [0.3; 2]);
    let stiffness = 4.0 / 3.0 * pair.modulus * pair.radius.sqrt();
    let approach = (mass * 9.81e3 / stiffness).powf(2.0 / 3.0);
    // The equilibrium of the rigid bodies tells where they meet, if the scenario leaves it open.
    let open = text.replace("places = [\"0,0,0.015:0.003\"], ", "");
    let open = open.replace("ball:0,0,0.015:0.003\", \"plate:bottom", "ball\", \"plate");
    let open = open.replace("compliance = \"half-space\"\n", "");
    assert!(!open.contains("0.003") && !open.contains("compliance"), "{open}");
    for text in [text, &open] {
        let outcome = solve(text).unwrap_or_else(|failed| panic!("{failed}"));
        let found = outcome.bodies[0].position[2] + 0.015;
        println!("{found:e} {approach:e} {:?} {:?}", outcome.remarks, outcome.warnings);
        assert!((found / approach - 1.0).abs() < 0.03, "{found:e} {approach:e}");
    }
}

/// A rod on a fixed joint has the modes of the finite elements whose face is held, and within the error of
/// its twelve cells those of the beam, `ω = β² √(E I/ρ A)/L²`.
#[test]
fn a_rod_on_a_fixed_joint_has_the_frequencies_of_its_held_finite_elements() {
    let modes = |reduce: &str, rest: &str| {
        let text = format!(
            "[simulation]\nscheme = \"dynamic\"\nend_time = 0.0\nstart = \"equilibrium\"\n[[body]]\nname = \
             \"rod\"\nmaterial = \"steel\"\nmake = {{ shape = \"rod\", radius = 0.005, length = 0.4, \
             elements = [12, 1, 1] }}\nreduce = {{ {reduce}, modes = 12 }}\n{rest}"
        );
        let chain = Chain::new();
        chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
        let modes = chain.reader().modes().unwrap();
        modes.iter().map(|mode| mode.frequency).collect::<Vec<_>>()
    };
    let joint =
        "[[joint]]\nkind = \"fixed\"\nbetween = [\"ground\", \"rod:start\"]\naxis = [1.0, 0.0, 0.0]\n";
    let joined = modes("attach = { start = \"rigid\" }", joint);
    let held = modes("attach = { end = \"mean\" }, fix = [\"start\"]", "");
    println!("{joined:?}\n{held:?}");
    assert!((0..6).all(|k| (joined[k] / held[k] - 1.0).abs() < 1e-3), "{joined:?} {held:?}");
    // E I/(ρ A) = E r²/(4 ρ).
    let factor = (210e9 * 0.005_f64.powi(2) / (4.0 * 7800.0)).sqrt() / (std::f64::consts::TAU * 0.16);
    let beam = 1.875_104_069_f64.powi(2) * factor;
    assert!(
        (joined[0] / beam - 1.0).abs() < 0.02 && (joined[1] / beam - 1.0).abs() < 0.02,
        "{joined:?} {beam}"
    );
}

/// A rod on a hinge with a spring of the joint and its damper, excited at its end: the response of one
/// freedom, J θ̈ + c θ̇ + k θ = F L, at the probe on the end.
#[test]
fn a_hinged_rod_responds_to_a_harmonic_force() {
    let (stiffness, damping, length) = (50.0, 0.3, 0.4);
    let text = PENDULUM.replace("gravity = [0.0, 0.0, -9.81]\n", "").replace(
        "axis = [0.0, 1.0, 0.0]\n",
        "axis = [0.0, 1.0, 0.0]\nspring = { stiffness = 50.0, damping = 0.3 }\n[[probe]]\nname = \"end\"\n\
         on = \"rod:end\"\n[response]\non = \"rod:end\"\nforce = [0.0, 0.0, 2.0]\nfrom = 1.0\n\
         to = 16.0\ncount = 5\n",
    );
    let chain = Chain::new();
    let scenario = parse(&text, &[]);
    assert_eq!(scenario, parse(&scenario.to_toml(), &[]));
    chain.solve(&scenario).unwrap_or_else(|failed| panic!("{failed}"));
    let found = chain.reader().responses().unwrap();
    let mass = 7800.0 * std::f64::consts::PI * 1e-4 * length;
    let inertia = mass * (length * length / 3.0 + 1e-4 / 4.0);
    for (k, response) in found.iter().enumerate() {
        let omega = std::f64::consts::TAU * response.frequency;
        assert!((response.frequency / f64::from(1 << k) - 1.0).abs() < 1e-12, "{response:?}");
        let (re, im) = (stiffness - inertia * omega * omega, damping * omega);
        let scale = 2.0 * length * length / (re * re + im * im);
        let off = (response.real[2] - scale * re).hypot(response.imaginary[2] + scale * im);
        assert!(off < 1e-5 * scale * re.hypot(im), "{response:?} {}", scale * re);
    }
    assert_eq!(found.len(), 5);
    let placed = text.replace("start = \"equilibrium\"\n", "").replace("end_time = 0.0", "end_time = 1.0");
    assert!(read(&placed, &[]).unwrap_err().contains("set `start = \"equilibrium\"`"));
    let both = text.replace("force = [0.0, 0.0, 2.0]", "ground = [0.0, 0.0, 2.0]");
    assert!(read(&both, &[]).unwrap_err().contains("`on` and `ground` exclude each other"));
    is_refused(
        &text.replace("[[probe]]\nname = \"end\"\non = \"rod:end\"\n", ""),
        "response",
        &["there is none"],
    );
}

#[test]
fn the_response_about_an_equilibrium_can_be_stopped() {
    let text = format!(
        "{PENDULUM}[[probe]]\non = \"rod:end\"\n[response]\non = \"rod:end\"\nforce = [1.0, 0.0, 0.0]\n\
         from = 0.1\nto = 10.0\ncount = 1000\n"
    );
    let (chain, scenario) = (Chain::new(), parse(&text, &[]));
    let bodies = chain.prepare(&scenario).unwrap();
    let stopped = chain.run_until(&scenario, &bodies, RunOptions::default(), &Impatient::after(200));
    let error = stopped.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    assert!(error.to_string().contains("while the harmonic response was computed"), "{error}");
}

/// A hinged bar lies on a pin that is far thinner than the first steps of the search are long: a pendulum of
/// this size would swing through it. The force of the pin balances the moment of the weight.
#[test]
fn a_bar_on_a_thin_pin_stays_above_it() {
    let text = |law: &str, height: f64| {
        format!(
            "[simulation]\nend_time = 0.0\nstart = \"equilibrium\"\ngravity = [0.0, 0.0, -9.81]\n\
             [[body]]\nname = \"bar\"\nmake = {{ shape = \"box\", size = [0.4, 0.02, 0.02] }}\n\
             material = \"steel\"\nrigid = true\nposition = [0.0, -0.01, {height:?}]\n\
             [[body.marker]]\nname = \"hinge\"\nat = [0.0, 0.01, 0.01]\n\
             [[body]]\nname = \"pin\"\nmake = {{ shape = \"{}\", radius = 0.005{} }}\nmaterial = \"steel\"\n\
             rigid = true\nfixed = true\nposition = [0.3, {}, -0.005]\n\
             rotation = {{ axis = [0.0, 0.0, 1.0], degrees = -90.0 }}\n\
             [[joint]]\nkind = \"revolute\"\nbetween = [\"ground\", \"bar:hinge\"]\naxis = [0.0, 1.0, 0.0]\n\
             [[contact]]\nbetween = [\"bar\", \"pin\"]\n{law}\n",
            if law.is_empty() { "ball" } else { "rod" },
            if law.is_empty() { "" } else { ", length = 0.04, elements = [4, 2, 2]" },
            if law.is_empty() { 0.0 } else { 0.02 },
        )
    };
    let weight = 7800.0 * 0.4 * 0.02 * 0.02 * 9.81;
    let given = "compliance = \"body\"\nlaw = { kind = \"penalty\", stiffness = 1e13 }";
    for law in ["", given] {
        for height in [0.0, 1e-6, 0.02] {
            let chain = Chain::new();
            let text = text(law, height);
            let outcome = chain.solve(&parse(&text, &[])).unwrap_or_else(|failed| panic!("{failed}"));
            let normal = chain.reader().frame(0).unwrap().contacts[0].normal_force;
            // The lower side of the bar is 10 mm from the line of the hinge, and touches a circle of 5 mm.
            let (across, up) = (0.3, height + 0.015_f64);
            let from_hinge = f64::hypot(across, up);
            let along = (from_hinge.powi(2) - 0.015_f64.powi(2)).sqrt();
            let angle = (up / across).atan() - (0.015 / from_hinge).asin();
            let force = weight * 0.2 * angle.cos() / along;
            // The pressure of the coarse pin acts at points up to 2 mm beside its highest line.
            let error = if law.is_empty() { 1e-6 } else { 0.002 / along };
            assert!((normal / force - 1.0).abs() < error, "{law}, {height}: {normal} N for {force} N");
            assert!(outcome.bodies[0].position[2] > 0.0, "{law}, {height}");
        }
    }
}
