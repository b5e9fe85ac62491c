//! The cost that a survey expects of a run: counts, not times.

use carom_progress::Silent;
use carom_simulate::{CostOfRun, survey};

use crate::fixtures::{Chain, REPLACE, parse};
use crate::foresee::BALLS;

/// The expected cost of a run whose bodies are not made.
fn cost(text: &str, overrides: &[&str]) -> CostOfRun {
    let survey = survey(&parse(text, overrides), Chain::new().workshop(), &Silent);
    assert!(survey.problems.is_empty(), "{:?}", survey.problems);
    survey.costs.unwrap().run.unwrap()
}

/// How often a piece of work is expected.
fn count(run: &CostOfRun, of: &str) -> f64 {
    run.pieces.iter().filter(|(name, ..)| *name == of).map(|(_, count, _)| count.expected).sum()
}

#[test]
fn evaluations_of_a_run_in_contact_are_foreseen_by_one_of_rigid_bodies() {
    let expected = cost(BALLS, &[]);
    assert_eq!(expected.unknown, "");
    let in_contact = count(&expected, "evaluations in contact");
    assert_eq!(count(&expected, "closed contacts"), in_contact);
    let chain = Chain::new();
    let scenario = parse(BALLS, &[]);
    let prepared = chain.prepare(&scenario).unwrap();
    let outcome = chain.run(&scenario, &prepared, REPLACE).unwrap();
    let done = outcome.summary.integration.unwrap().evaluations as f64;
    let ratio = (count(&expected, "evaluations") + in_contact) / done;
    // A step in contact counts for contact and for the flight, which is a tenth here.
    assert!((0.7..1.4).contains(&ratio), "{ratio}: {done} evaluations");
}

#[test]
fn bodies_that_do_not_meet_have_no_evaluations_in_contact() {
    let apart = ["body.upper.velocity=[0.0, 0.0, 0.25]"];
    // Places are named, as none can be foreseen.
    let places = [
        "body.lower.reduce={ places = [\"0,0,0.015:0.003\"], modes = 6 }",
        "body.upper.reduce={ places = [\"0,0,-0.015:0.003\"], modes = 6 }",
        "contact.0.between=[\"lower:0,0,0.015:0.003\", \"upper:0,0,-0.015:0.003\"]",
        "contact.0.compliance=half-space",
    ];
    let apart = cost(BALLS, &[&apart[..], &places].concat());
    assert_eq!((apart.unknown.as_str(), count(&apart, "closed contacts")), ("", 0.0));
    let together = cost(BALLS, &places);
    assert!(count(&together, "closed contacts") > 1000.0, "{:?}", together.pieces);
}

/// A rod that swings on a hinge: its steps are chosen by an implicit integrator.
const PENDULUM: &str = r#"
[simulation]
scheme = "dynamic"
integrator = "radau5"
end_time = 2.0
output_every = 0.1
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "rod"
make = { shape = "rod", radius = 0.006, length = 0.2, elements = [4, 1, 1] }
material = "steel"
reduce = { attach = { start = "rigid" }, modes = 6 }
[[joint]]
kind = "revolute"
between = ["ground", "rod:start"]
axis = [0.0, 1.0, 0.0]
"#;

#[test]
fn models_that_cost_little_are_made_for_a_trial_and_not_kept() {
    let chain = Chain::new();
    let found = survey(&parse(PENDULUM, &[]), chain.workshop(), &Silent);
    let run = found.costs.unwrap().run.unwrap();
    assert!(run.is_tried && run.unknown.is_empty(), "{run:?}");
    assert!(count(&run, "time loop") == 1.0 && run.seconds.expected > 0.0);
    assert!(!chain.workshop().bodies.exists(), "a survey keeps nothing");
}

/// `carom run` may repeat a run with finer cells where the scenario leaves them open, and only there.
#[test]
fn a_repeat_with_finer_cells_has_a_cost_of_its_own_where_cells_are_open() {
    let costs = |overrides: &[&str]| {
        let survey = survey(&parse(BALLS, overrides), Chain::new().workshop(), &Silent);
        assert!(survey.problems.is_empty(), "{:?}", survey.problems);
        survey.costs.unwrap()
    };
    let open = costs(&[]);
    let again: Vec<f64> = open.bodies.iter().filter_map(|body| body.of_repeat).collect();
    assert_eq!(again.len(), open.bodies.len());
    // 1.5 times the elements along each direction: 3.4 times the cells.
    for (body, again) in open.bodies.iter().zip(&again) {
        assert!(*again > 1.5 * body.seconds.expected, "{again} {body:?}");
    }
    let all = open.seconds().unwrap();
    let once: f64 = open.bodies.iter().map(|body| body.seconds.high).sum();
    let run = open.run.as_ref().unwrap().seconds.high;
    assert!((all.high - once - 2.0 * run - 2.0 * again.iter().sum::<f64>()).abs() < 1e-9 * all.high);
    assert!(open.text().contains("repeats a run"), "{}", open.text());
    let given = costs(&["body.lower.make.elements=[6]", "body.upper.make.elements=[6]"]);
    assert!(given.bodies.iter().all(|body| body.of_repeat.is_none()), "{:?}", given.bodies);
}

/// Two balls that fly for a few steps: the clock shows no time.
#[test]
fn a_trial_that_is_shorter_than_the_clock_can_tell_gives_numbers() {
    let ball = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmake = {{ shape = \"ball\", radius = 0.01 }}\nmaterial = \
             \"steel\"\nposition = [{x:?}, 0.0, 0.0]\n"
        )
    };
    let flight = cost(
        &format!(
            "[simulation]\nscheme = \"rigid\"\nend_time = 3e-3\ntime_step = 1e-3\n{}{}[[contact]]\nbetween = \
             [\"*\"]\n",
            ball("first", 0.0),
            ball("second", 0.05)
        ),
        &[],
    );
    let carom_cost::Span { low, expected, high } = flight.seconds;
    assert!(flight.is_tried && [low, expected, high].iter().all(|x| x.is_finite()), "{flight:?}");
    assert!(low <= expected && expected <= high, "{flight:?}");
}
