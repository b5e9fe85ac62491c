//! The scheme `complementarity` from scenario to result: Wendt's bar, the wave equation, and its refusals.

use carom_simulate::{ErrorKind, RunOutcome};

use crate::fixtures::{parse, read, solve, solve_with};

const BAR: &str = include_str!("../../../meshes/wendt-bar/scenario.toml");
const SCALAR: &str = include_str!("../../../meshes/wendt-bar/scalar.toml");
const SPHERE: &str = include_str!("../../../meshes/wendt-bar/sphere.toml");

fn solved(text: &str, overrides: &[&str]) -> RunOutcome {
    solve_with(text, overrides).unwrap_or_else(|error| panic!("{error}"))
}

fn assert_closed(outcome: &RunOutcome) {
    let errors = outcome.summary.ledger.errors();
    let worst = errors.iter().flatten().fold(0.0_f64, |most, error| most.max(*error));
    assert!(worst < 1e-12, "{errors:?}");
}

/// The figures agree with docs/theory/whole-bodies.md, section 8.3: the impulse is 1.9839 N s, 0.52 % of the
/// energy is lost, and the contact lasts as long as the wave runs.
#[test]
fn the_bar_leaves_the_wall_with_the_waves() {
    let outcome = solved(BAR, &[]);
    let contact = &outcome.summary.contacts[0];
    assert!((contact.impulse[0] - 1.9839).abs() < 6e-5, "{contact:?}");
    // The last step with a force ends three steps of 1 ms early, as in the chain of masses of the slides.
    assert!((contact.start - 0.05).abs() < 1.1e-3 && (contact.end - 0.247).abs() < 1e-9, "{contact:?}");
    assert!((outcome.bodies[0].velocity[0] - 0.9839).abs() < 6e-5, "{:?}", outcome.bodies[0].velocity);
    assert_closed(&outcome);
    let lemke = solved(BAR, &["simulation.contact_method=lemke"]);
    let difference = lemke.summary.contacts[0].impulse[0] - contact.impulse[0];
    assert!(difference.abs() < 1e-10, "{difference}");
    let turned = BAR.replace("\"bar:west\", \"wall:face\"", "\"wall:face\", \"bar:west\"");
    let back = solved(&turned, &[]).summary.contacts[0].impulse[0];
    assert!((back + contact.impulse[0]).abs() < 1e-10, "{back}: an impulse on the wall");
}

/// The wave returns after 2L/c = 0.2 s with ρ c v A = 10 N, smooth with redistributed mass.
#[test]
fn the_scalar_wave_equation_of_a_nurbs_bar_has_the_force_of_the_wave() {
    let outcome = solved(SCALAR, &[]);
    let contact = &outcome.summary.contacts[0];
    assert!((contact.start - 0.05).abs() < 3e-3 && (contact.end - 0.25).abs() < 8e-3, "{contact:?}");
    assert!((contact.impulse[0] - 2.0).abs() < 0.02, "{contact:?}");
    assert_closed(&outcome);
}

/// A ball falls 0.05 m, rebounds, and stays upright: the impulse is more than the momentum m √(2 g h).
#[test]
fn a_ball_of_the_scalar_wave_equation_rebounds() {
    let outcome = solved(SPHERE, &[]);
    let contact = &outcome.summary.contacts[0];
    let mass = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
    let fallen = (2.0 * 9.81 * 0.05_f64).sqrt();
    // The nodes of a NURBS surface are middles of parts of its faces, the lowest some millimetres above the
    // pole.
    assert!((contact.start - fallen / 9.81).abs() < 0.01, "{contact:?}");
    assert!(contact.impulse[2] > mass * fallen, "{contact:?}");
    let sideways = contact.impulse[0].hypot(contact.impulse[1]);
    assert!(sideways < 1e-9 * contact.impulse[2], "{contact:?}");
    assert!(outcome.warnings.iter().all(|warning| !warning.contains("turned")), "{:?}", outcome.remarks);
}

#[test]
fn refusals_name_a_remedy() {
    let law = BAR.replacen("poisson = 0.0 ", "law = \"neo-hookean\"\npoisson = 0.0 ", 1);
    assert!(read(&law, &[]).unwrap_err().contains("`complementarity` is linear"));
    let other = SCALAR.replace("scheme = \"complementarity\"", "scheme = \"midpoint\"");
    let other = other.replace("mass = \"redistributed\"\n", "");
    assert!(read(&other, &[]).unwrap_err().contains("belongs to the scheme `complementarity`"));
    let form = read(BAR, &["simulation.mass=consistant"]).unwrap_err();
    assert!(form.contains("did you mean `consistent`"), "{form}");
    let damped = |value: &str| BAR.replacen("velocity = [", &format!("damping = {value}\nvelocity = ["), 1);
    let cases = [
        (damped("0.01"), "{ stiffness = β }"),
        (BAR.replace("fixed = true\n", ""), "set `fixed = true`"),
        (
            format!("{BAR}friction = 0.3\n")
                .replace("[simulation]\n", "[simulation]\ncontact_method = \"lemke\"\n"),
            "`lemke` has no friction",
        ),
        (format!("{BAR}law = {{ kind = \"penalty\" }}\n"), "without penetration"),
        (
            BAR.replace("elements = [50", "elements = [2").replace(
                "[simulation]\n",
                "[simulation]\nmass = \
             \"redistributed\"\n",
            ),
            "use a finer mesh",
        ),
    ];
    for (text, words) in cases {
        let error = solve(&text).expect_err(words);
        assert_eq!(error.kind(), ErrorKind::Input);
        assert!(error.to_string().contains(words), "{error}");
    }
    let viscous = solved(&damped("{ stiffness = 1e-4 }"), &[]);
    assert_closed(&viscous);
    let scenario = parse(&damped("{ stiffness = 1e-4 }"), &[]);
    assert_eq!(parse(&scenario.to_toml(), &[]), scenario);
}
