//! Springs, bushings, stops, motions and loads by time from a scenario to its result.

use carom_simulate::RunOutcome;

use crate::fixtures::solve;

fn simulation(end: f64) -> String {
    format!("[simulation]\nend_time = {end}\nintegrator = \"dop853\"\nrelative_tolerance = 1.0e-7\n")
}

/// A block of 1 kg whose west side is at x.
fn block(name: &str, x: f64) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"box\", size = [0.1, 0.1, 0.1] }}\nmaterial = \
         \"light\"\nrigid = true\nposition = [{x}, 0.0, 0.0]\n"
    )
}

const LIGHT: &str = "[material.light]\ndensity = 1000\nyoung = 1e9\npoisson = 0.3\n";

/// Keys of a joint whose axis lies along x.
const SLIDE: &str =
    "[[joint]]\nkind = \"prismatic\"\nbetween = [\"ground\", \"a:west\"]\naxis = [1.0, 0.0, 0.0]\n";

fn x_of(outcome: &RunOutcome, body: usize) -> f64 {
    outcome.bodies[body].position[0]
}

#[test]
fn a_slide_follows_its_motion_and_a_spring_pulls_the_next_body() {
    // Block b hangs on a driven one by a spring: x_b = rest + s(t) in the limit of slow motion, exactly
    // x = Ω s₀/(ω² − Ω²)·(ω² /Ω sin Ωt − ω sin ωt) for s = s₀ sin Ωt.
    let (k, drive, amplitude, end) = (400.0_f64, 11.0_f64, 0.01_f64, 0.9_f64);
    let text = [
        simulation(end),
        LIGHT.to_owned(),
        block("a", 0.0),
        block("b", 0.5),
        SLIDE.to_owned(),
        "motion = \"0.01*sin(11*t)\"\n".to_owned(),
        format!("[[spring]]\nbetween = [\"a:east\", \"b:west\"]\nstiffness = {k}\n"),
    ]
    .concat();
    let outcome = solve(&text).unwrap();
    let omega = k.sqrt();
    let expected = amplitude * omega / (omega * omega - drive * drive)
        * (omega * (drive * end).sin() - drive * (omega * end).sin());
    let start = x_of(&outcome, 1);
    // The frame of a box lies in its centre.
    let moved = start - x_of_centre(&text, 1);
    assert!((moved - expected).abs() < 1e-7, "{moved} {expected}");
    let followed = x_of(&outcome, 0) - x_of_centre(&text, 0);
    assert!((followed - amplitude * (drive * end).sin()).abs() < 1e-10, "{followed}");
    assert!(outcome.summary.ledger.energy_error < 1e-6, "{:?}", outcome.summary.ledger);
}

/// The end position of a body without forces.
fn x_of_centre(text: &str, body: usize) -> f64 {
    let still = text.replace("0.01*sin", "0.0*sin");
    solve(&still).unwrap().bodies[body].position[0]
}

#[test]
fn a_force_by_time_changes_the_momentum_by_its_impulse() {
    let text = [
        simulation(1.0),
        LIGHT.to_owned(),
        block("a", 0.0),
        "[[force]]\non = \"a:west\"\nforce = [3.0, 0.0, 0.0]\nscale = \
         { table = [[0.5, 0.0], [0.501, 1.0], [0.502, 0.0]] }\n"
            .to_owned(),
    ]
    .concat();
    let outcome = solve(&text).unwrap();
    assert!((outcome.bodies[0].velocity[0] / 3.0e-3 - 1.0).abs() < 1e-10, "{:?}", outcome.bodies[0].velocity);
    assert!(outcome.summary.ledger.momentum_error < 1e-10, "{:?}", outcome.summary.ledger);
}

/// A flexible rod on bushings at both ends, between stops of its slide, falls and oscillates: the energy
/// balance includes the dissipation.
#[test]
fn a_flexible_rod_on_bushings_balances_its_energy() {
    let text = [
        simulation(0.02),
        "gravity = [0.0, 0.0, -9.81]\n".to_owned(),
        "[[body]]\nname = \"rod\"\nmaterial = \"steel\"\n\
         make = { shape = \"rod\", radius = 0.01, length = 0.4, degree = 2, elements = [1, 1, 4] }\n\
         reduce = { attach = { start = \"rigid\", end = \"rigid\" }, modes = 8, split = 4.0e3 }\n"
            .to_owned(),
        "[[bushing]]\nbetween = [\"ground\", \"rod:start\"]\nstiffness = [1e5, 1e5, 1e5]\n\
         rotational_stiffness = [100, 100, 100]\ndamping = [20, 20, 20]\n"
            .to_owned(),
        "[[bushing]]\nbetween = [\"rod:end\", \"ground\"]\naxes = \"body\"\nstiffness = [1e4, 2e4, \
         1e5]\n"
            .to_owned(),
        "[[spring]]\nbetween = [\"ground\", \"rod:end\"]\npoint = [0.4, 0.0, 0.2]\nstiffness = 1e4\ndamping \
         = 5\npreload = 10\n"
            .to_owned(),
    ]
    .concat();
    let outcome = solve(&text).unwrap();
    let ledger = &outcome.summary.ledger;
    assert!(ledger.energy_error < 1e-6 && ledger.momentum_error < 1e-6, "{ledger:?}");
    assert!(ledger.energy_initial - ledger.energy_final > 1e-6, "{ledger:?}");
    assert!(outcome.bodies[0].modal.iter().any(|q| *q != 0.0));
}

#[test]
fn a_stop_reverses_the_velocity_of_a_slider() {
    let text = [
        simulation(0.5),
        LIGHT.to_owned(),
        block("a", 0.0),
        "velocity = [1.0, 0.0, 0.0]\n".to_owned(),
        SLIDE.to_owned(),
        "stops = { high = 0.2, stiffness = 1.0e4 }\n".to_owned(),
    ]
    .concat();
    let outcome = solve(&text).unwrap();
    assert!((outcome.bodies[0].velocity[0] + 1.0).abs() < 1e-6, "{:?}", outcome.bodies[0].velocity);
    assert!(outcome.summary.ledger.energy_error < 1e-7, "{:?}", outcome.summary.ledger);
}

#[test]
fn invalid_motions_and_springs_are_refused() {
    let base = [simulation(0.5), LIGHT.to_owned(), block("a", 0.0), SLIDE.to_owned()].concat();
    let driven = format!("{base}motion = \"t\"\n{}", SLIDE.replace("prismatic", "fixed"));
    let error = solve(&driven).unwrap_err().to_string();
    assert!(error.contains("its motion drives a coordinate"), "{error}");
    let spring =
        "[[spring]]\nbetween = [\"ground\", \"a:nowhere\"]\npoint = [0.0, 0.0, 1.0]\nstiffness = 1.0\n";
    let error = solve(&format!("{base}{spring}")).unwrap_err();
    assert!(error.to_string().contains("`nowhere`"), "{error}");
    let keys = "integrator = \"dop853\"\nrelative_tolerance = 1.0e-7";
    let statics = base.replace(SLIDE, "").replace(keys, "scheme = \"static\"");
    let error = solve(&format!("{statics}{}", spring.replace("nowhere", "west"))).unwrap_err().to_string();
    assert!(error.contains("the scheme `static` takes no [[spring]]"), "{error}");
}
