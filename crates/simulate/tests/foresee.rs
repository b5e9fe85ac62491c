//! Contact that a scenario leaves open: whole bodies without a reduction, and the choice of the compliance.

use std::path::Path;

use carom_format::scenario::model::{BodySource, Compliance, Scenario};
use carom_progress::Silent;
use carom_simulate::{RunOptions, Survey, choice_sentences, survey};

use crate::fixtures::{Chain, REPLACE, parse, solve_with};

/// Two equal steel balls that are described by their shape alone meet at 0.5 m/s.
pub(crate) const BALLS: &str = r#"
[simulation]
scheme = "quasistatic"
end_time = 1.4e-4
output_every = 1.0e-5
[material.steel]
density = 7780.0
young = 210e9
poisson = 0.3
[[body]]
name = "lower"
make = { shape = "ball", radius = 0.015 }
material = "steel"
position = [0.0, 0.0, -0.015002]
velocity = [0.0, 0.0, 0.25]
[[body]]
name = "upper"
make = { shape = "ball", radius = 0.015 }
material = "steel"
position = [0.0, 0.0, 0.015002]
velocity = [0.0, 0.0, -0.25]
[[contact]]
between = ["lower", "upper"]
law = { kind = "lagrange" }
"#;

/// The upper ball is made in another way, so that the balls have a model each.
const OTHER: &str = "body.upper.make.pole_radius=0.002";

fn look(text: &str, overrides: &[&str]) -> Survey {
    survey(&parse(text, overrides), Chain::new().workshop(), &Silent)
}

/// The resolved balls of `carom-verify two-balls` have 989.43 N and 102.51 µs.
#[test]
fn whole_bodies_meet_as_resolved_ones_do() {
    let chain = Chain::new();
    let scenario = parse(BALLS, &[]);
    let prepared = chain.prepare(&scenario).unwrap();
    let completed = prepared.completed.clone().unwrap();
    assert_eq!(completed.contact[0].compliance, Some(Compliance::HalfSpace));
    let BodySource::Make { make } = &completed.body[0].source else { panic!() };
    assert!(!make.elements.is_empty());
    let [reduce, other] = [0, 1].map(|body| completed.body[body].reduce.as_ref().unwrap());
    // Balls that are made alike share a model.
    assert_eq!((reduce, reduce.places.len()), (other, 1));
    assert!(
        prepared.choices[3].reason.contains("36 loads over the whole surface, in one model for 2 bodies,")
    );
    // Five periods within the contact: 5/102 µs.
    assert!((4.5e4..5.5e4).contains(&reduce.up_to.unwrap()), "{reduce:?}");
    let keys: Vec<_> = prepared.choices.iter().map(|choice| choice.key).collect();
    let of_body = ["reduce.places", "reduce.up_to"];
    assert_eq!(keys, [&["make.elements"; 2][..], &["compliance"], &of_body, &of_body].concat());
    let choice = &prepared.choices[2];
    assert!(
        choice.value == "\"half-space\"" && choice.reason.starts_with("it names no interfaces"),
        "{choice}"
    );
    let outcome = chain.run(&scenario, &prepared, REPLACE).unwrap();
    let [event] = outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
    let errors = [event.peak_force / 989.43, (event.end - event.start) / 1.0251e-4].map(|x| x - 1.0);
    // The balls have no cells below 5 mm.
    eprintln!("errors of force and duration: {errors:?}");
    assert!(errors.iter().all(|error| error.abs() < 5e-3), "{errors:?}");
    assert!(outcome.summary.ledger.energy_error < 1e-5, "{:?}", outcome.summary.ledger);
    assert_eq!(outcome.warnings, Vec::<String>::new(), "{:?}", outcome.summary.ledger);
    // The result has the scenario with all choices, so that it is read and continued without them.
    let header = chain.reader().header().unwrap();
    assert!(header.scenario.contains("compliance = \"half-space\"") && header.scenario.contains("*@"));
    assert_eq!(header.pairs[0].name, "lower/upper");
    for sentence in choice_sentences(&prepared.choices) {
        assert!(outcome.remarks.contains(&sentence), "{:?}", outcome.remarks);
        assert!(chain.reader().notes().unwrap().iter().any(|note| note.text == sentence), "no {sentence}");
    }
    let estimate = outcome.error_estimates[0].unwrap();
    assert!(
        errors[0].abs() < estimate.force && errors[1].abs() < estimate.duration,
        "{errors:?} {estimate:?}"
    );
    assert!(estimate.force < 0.01, "{estimate:?}");
    assert_eq!(chain.reader().error_estimates().unwrap(), outcome.error_estimates);
}

#[test]
fn a_contact_finds_its_place_wherever_the_bodies_are_turned() {
    let turned = [
        "body.lower.rotation={ axis = [1.0, 2.0, 3.0], degrees = 77.0 }",
        "body.upper.rotation={ axis = [0.0, 1.0, 1.0], degrees = -140.0 }",
        "simulation.end_time=6e-5",
    ];
    let [plain, turned] = [&turned[2..], &turned[..]].map(|overrides| {
        let outcome = solve_with(BALLS, overrides).unwrap_or_else(|failed| panic!("{failed}"));
        outcome.summary.contacts[0].peak_force
    });
    // Loads of places elsewhere on the mesh: the ripple of a contact that wanders over a ball is 0.05 %, of
    // other numbers of places 0.3 % (docs/theory/half-space.md, sections 11.3 and 11.7).
    assert!((turned / plain - 1.0).abs() < 4e-3, "{turned} {plain}");
}

/// A rod with an interface of fine or coarse faces, hit by a rigid ball.
fn rod(finest: f64) -> String {
    BALLS
        .replace("name = \"upper\"\nmake = { shape = \"ball\", radius = 0.015 }", &format!(
            "name = \"upper\"\nmake = {{ shape = \"rod\", radius = 0.01, length = 0.05, pole_radius = 6e-4, \
             elements = [4, 1, 1], grade = {{ at = \"start_pole\", finest = {finest:e} }} }}\n\
             reduce = {{ interface = [\"start_pole\"], modes = 10 }}\n\
             rotation = {{ axis = [0.0, 1.0, 0.0], degrees = -90.0 }}"
        ))
        .replace("position = [0.0, 0.0, 0.015002]", "position = [0.0, 0.0, 0.000002]")
        .replace("position = [0.0, 0.0, -0.015002]", "rigid = true\nposition = [0.0, 0.0, -0.015002]")
        .replace("[\"lower\", \"upper\"]", "[\"lower:surface\", \"upper:start_pole\"]\ncompliance = \"auto\"")
}

#[test]
fn auto_takes_the_mesh_that_resolves_the_contact_and_the_half_space_elsewhere() {
    for (finest, expected) in [(5e-5, "\"body\""), (2e-4, "\"half-space\"")] {
        let found = look(&rod(finest), &[]);
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        let choice = found.choices.iter().find(|choice| choice.key == "compliance").unwrap();
        assert_eq!(choice.value, expected, "{finest}: {choice}");
        let figures = ["the expected contact radius of ", " edges of `upper:start_pole`"];
        assert!(figures.iter().all(|part| choice.reason.contains(part)), "{choice}");
    }
}

#[test]
fn a_mesh_that_does_not_resolve_a_contact_is_refused_with_the_figures() {
    let text = rod(2e-4).replace("\"auto\"", "\"body\"");
    let [problem] = &look(&text, &[]).problems[..] else { panic!() };
    let message = problem.to_string();
    assert!(
        message.contains("needs a mesh that resolves the contact") && message.contains("at least 3"),
        "{message}"
    );
    assert_eq!(problem.key(), Some("contact.0.between"));
    let fine = look(&text.replace("finest = 2e-4", "finest = 5e-5"), &[]);
    assert!(fine.problems.is_empty(), "{:?}", fine.problems);
}

#[test]
fn contact_that_cannot_be_foreseen_is_refused_with_the_reason() {
    let boxes =
        BALLS.replace("shape = \"ball\", radius = 0.015", "shape = \"box\", size = [0.01, 0.01, 0.01]");
    let flat = boxes.replace("-0.015002", "-0.010002").replace("0.015002", "0.000002");
    let [problem] = &look(&flat, &[]).problems[..] else { panic!() };
    let message = problem.to_string();
    assert!(message.contains("could not be foreseen") && message.contains("flat or conforming"), "{message}");
    assert!(message.contains("reduce.places"), "{message}");
    // Rigid bodies have no places; a stiffness of their own is possible.
    let rigid = flat.replace("material = \"steel\"", "material = \"steel\"\nrigid = true");
    let [problem] = &look(&rigid, &[]).problems[..] else { panic!() };
    let message = problem.to_string();
    assert!(message.contains("stiffness of their own") && !message.contains("reduce.places"), "{message}");
    let missing = look(BALLS, &["contact.0.between=[\"lower:nowhere\", \"upper\"]"]);
    assert!(missing.problems[0].to_string().contains("nowhere"), "{:?}", missing.problems);
}

#[test]
fn bodies_that_pass_each_other_get_loads_where_they_come_near() {
    let found = look(BALLS, &["body.upper.position=[0.0, 0.0303, 0.015002]", OTHER]);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let completed = found.completed.unwrap();
    let place = &completed.contact[0].between[0].part;
    let numbers = place.trim_start_matches("*@").split([',', ':']).map(|x| x.parse::<f64>().unwrap());
    let [x, y, z, _] = numbers.collect::<Vec<_>>()[..] else { panic!("{place}") };
    // At 45° between the axes y and z, as exact as the search is: half a per cent of the radius.
    let wanted = 0.015 * 0.5f64.sqrt();
    assert!(x.abs().max((y - wanted).abs()).max((z - wanted).abs()) < 1.5e-4, "{place}");
    let choice = found.choices.iter().find(|choice| choice.key == "compliance").unwrap();
    assert!(choice.reason.contains("as rigid bodies they do not touch"), "{choice}");
}

/// A ball between two others meets them at opposite places: all three have one model, and the modes of the
/// shortest impact.
#[test]
fn balls_that_meet_at_several_places_share_a_model_over_their_whole_surface() {
    let third = BALLS.split("[[body]]").last().unwrap().split("[[contact]]").next().unwrap();
    let third = third.replace("\"upper\"", "\"third\"").replace("0.015002]", "0.0455]");
    let third = third.replace("-0.25", "-0.5");
    let text = format!(
        "{BALLS}[[contact]]\nbetween = [\"upper\", \"third\"]\nlaw = {{ kind = \"lagrange\" }}\n\
         [[body]]{third}"
    );
    let found = look(&text, &["simulation.end_time=2.4e-3"]);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let completed = found.completed.unwrap();
    let [a, b, c] = [0, 1, 2].map(|i| completed.body[i].reduce.clone().unwrap());
    assert!(a == b && b == c && a.places[0].starts_with("*@0,0,0:"), "{a:?} {b:?} {c:?}");
    let ends = completed.contact.iter().flat_map(|pair| &pair.between);
    ends.for_each(|end| assert_eq!(end.part, a.places[0]));
    // Impacts by Hertz last 2.868 (m²/(R E*² v))^(1/5): that of 0.5 m/s is the shorter one.
    assert!((4.5e4..5.5e4).contains(&a.up_to.unwrap()), "{a:?}");
}

/// The nearest points of both surfaces lie as far apart as the gap, a hundredth of the radius, at the end.
#[test]
fn bodies_that_are_still_apart_at_the_end_get_loads_where_they_would_meet() {
    let found = look(BALLS, &["body.upper.position=[0.0, 0.0, 0.0152]", "simulation.end_time=1e-4", OTHER]);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let completed = found.completed.unwrap();
    for (end, pole) in completed.contact[0].between.iter().zip([0.015, -0.015]) {
        let numbers = end.part.trim_start_matches("*@").split([',', ':']).map(|x| x.parse::<f64>().unwrap());
        let [x, y, z, radius] = numbers.collect::<Vec<_>>()[..] else { panic!("{end}") };
        let apart = x.abs().max(y.abs()).max((z - pole).abs());
        assert!(apart < 3e-4 && apart < radius, "{end}");
    }
}

/// A ball that rolls over a plate without friction slides; the contact wanders over the plate by 3 mm.
#[test]
fn loads_are_laid_along_the_way_of_a_contact() {
    let text = BALLS
        .replace(
            "name = \"upper\"\nmake = { shape = \"ball\", radius = 0.015 }",
            "name = \"upper\"\nmake = { shape = \"box\", size = [0.04, 0.04, 0.01] }\n\
             fixed = true\nrigid = true",
        )
        .replace(
            "position = [0.0, 0.0, 0.015002]\nvelocity = [0.0, 0.0, -0.25]",
            "position = [-0.02, -0.02, 0.0]",
        )
        .replace("velocity = [0.0, 0.0, 0.25]", "velocity = [20.0, 0.0, 0.25]");
    let found = look(&text, &[]);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let part = &found.completed.as_ref().unwrap().contact[0].between[1].part;
    let radius: f64 = part.rsplit(':').next().unwrap().parse().unwrap();
    // Within the contact of about 0.1 ms the ball moves by 2 mm.
    assert!((0.5 * 20.0 * 9e-5..4e-3).contains(&radius), "{part}");
}

/// A heavy ball hits a light bar near its end; the bar turns, and its other end hits the ball much later.
#[test]
fn impacts_after_the_end_of_the_run_lay_no_loads() {
    let text = BALLS
        .replace("end_time = 1.4e-4\noutput_every = 1.0e-5\n", "")
        .replace(
            "shape = \"ball\", radius = 0.015 }\nmaterial = \"steel\"\nposition = [0.0, 0.0, 0.015002]",
            BAR,
        )
        .replace("velocity = [0.0, 0.0, -0.25]", "");
    let found = look(&text, &[]);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let completed = found.completed.as_ref().unwrap();
    let part = &completed.contact[0].between[1].part;
    let radius: f64 = part.rsplit(':').next().unwrap().parse().unwrap();
    assert!(radius < 2e-3, "{part}");
    // As long as the bodies are rigid they touch for some 50 µs.
    assert!(completed.simulation.end_time < 3e-4, "{}", completed.simulation.end_time);
    // A run that goes on needs loads at both ends.
    let long = look(&text, &["simulation.end_time=0.3"]);
    assert!(long.problems.is_empty(), "{:?}", long.problems);
    let part = &long.completed.as_ref().unwrap().contact[0].between[1].part;
    let radius: f64 = part.rsplit(':').next().unwrap().parse().unwrap();
    assert!(radius > 5e-3, "{part}");
}

/// A bar along x whose place x = 36 mm is above the origin.
const BAR: &str = "shape = \"box\", size = [0.04, 0.004, 0.002] }\nmaterial = \"steel\"\n\
                   position = [-0.036, -0.002, 0.0]";

#[test]
fn modes_that_end_too_low_are_reported_with_the_frequency_that_is_needed() {
    let rod = "name = \"upper\"\nmake = { shape = \"rod\", radius = 0.01, length = 0.2, elements = \
               [20, 2, 2] }\n\
               rotation = { axis = [0.0, 1.0, 0.0], degrees = -90.0 }\n\
               reduce = { places = [\"*@0.0,0.0,0.0:0.004\"], up_to = UP_TO }";
    let text = BALLS
        .replace("name = \"upper\"\nmake = { shape = \"ball\", radius = 0.015 }", rod)
        .replace("position = [0.0, 0.0, 0.015002]", "position = [0.0, 0.0, 0.000002]");
    let run = |up_to: &str| {
        let outcome =
            solve_with(&text.replace("UP_TO", up_to), &[]).unwrap_or_else(|failed| panic!("{failed}"));
        (outcome.summary.contacts[0].peak_force, outcome.warnings)
    };
    let ((few, warnings), (enough, none)) = (run("2e3"), run("5e4"));
    let sentence =
        warnings.iter().find(|text| text.contains("`reduce.up_to = ")).expect("the modes end too low");
    assert!(sentence.contains("the modes of `upper"), "{sentence}");
    assert!(!none.iter().any(|text| text.contains("reduce.up_to")), "{none:?}");
    // It is right: the wave in the rod is missing.
    assert!((few / enough - 1.0).abs() > 0.01, "{few} {enough}");
}

#[test]
fn a_prolonged_run_keeps_the_choices_with_which_it_began() {
    let chain = Chain::new();
    // Ends before the rigid bodies would part; the whole impact has a shorter duration than this rest of it.
    let [short, long] = ["4e-5", "1.5e-4"].map(|end| parse(BALLS, &[&format!("simulation.end_time={end}")]));
    let prepared = chain.prepare(&short).unwrap();
    chain.run(&short, &prepared, REPLACE).unwrap();
    let begun =
        carom_simulate::as_begun(&long, &chain.result()).expect("the rest of the scenario is the same");
    assert_eq!(begun.simulation.end_time, 1.5e-4);
    assert_eq!(begun.body[0].reduce, prepared.completed.as_ref().unwrap().body[0].reduce);
    let again = chain.prepare(&begun).unwrap();
    assert_eq!(again.n_reduced, 0, "models were made anew");
    let outcome = chain.run(&begun, &again, RunOptions { replace: false, resume: true }).unwrap();
    assert!((outcome.summary.contacts[0].peak_force / 989.43 - 1.0).abs() < 5e-3);
    // Another scenario is not one that began.
    let other = parse(BALLS, &["body.upper.velocity=[0.0, 0.0, -0.3]", "simulation.end_time=1.5e-4"]);
    assert!(carom_simulate::as_begun(&other, &chain.result()).is_none());
}

#[test]
fn a_misspelled_body_is_the_only_error() {
    let text = BALLS.replace("between = [\"lower\", \"upper\"]", "between = [\"lower\", \"uper\"]");
    let error = Scenario::parse(Path::new("s.toml"), &text, &[], &["steel"]).unwrap_err().to_string();
    assert!(error.contains("uper") && !error.contains("`reduce`"), "{error}");
}

/// Without an end, and without the table that would state it, a run ends two durations after the impact.
#[test]
fn a_run_without_an_end_stops_after_the_rebound() {
    let (_, rest) = BALLS.split_once("[material.steel]").unwrap();
    let text = format!("[material.steel]{rest}");
    let chain = Chain::new();
    let scenario = parse(&text, &[]);
    assert!(scenario.simulation.has_open_end && !scenario.to_toml().contains("end_time"));
    let prepared = chain.prepare(&scenario).unwrap();
    let end = prepared.scenario(&scenario).simulation.end_time;
    // The gap of 4 µm closes in 8 µs, the impact lasts 102 µs.
    assert!((8e-6 + 2.9 * 1.02e-4..8e-6 + 3.3 * 1.02e-4).contains(&end), "{end}");
    assert!(prepared.choices.iter().any(|choice| choice.key == "end_time"), "{:?}", prepared.choices);
    let outcome = chain.run(prepared.scenario(&scenario), &prepared, REPLACE).unwrap();
    assert!((outcome.summary.contacts[0].peak_force / 989.43 - 1.0).abs() < 5e-3);
    assert!((chain.reader().times().unwrap().last().unwrap() / end - 1.0).abs() < 1e-12);
    // Bodies that fly apart have no end.
    let apart = parse(&text, &["body.upper.velocity=[0.0, 0.0, 0.9]"]);
    let error = chain.prepare(&apart).unwrap_err().to_string();
    assert!(error.contains("no `simulation.end_time`") && error.contains("none meet within"), "{error}");
}

/// Coarse linear cells of a thin plate make the force too large by a few per cent: the estimate says so, a
/// warning names the cells, and finer cells have a smaller one.
#[test]
fn meshes_that_are_too_stiff_are_reported_with_the_elements_to_take() {
    let plate = "name = \"lower\"\nmake = { shape = \"plate\", size = [0.04, 0.04, 0.004], hex = true, \
                 order = 1, elements = ELEMENTS }";
    let text = BALLS
        .replace("name = \"lower\"\nmake = { shape = \"ball\", radius = 0.015 }", plate)
        .replace("position = [0.0, 0.0, -0.015002]", "position = [0.0, 0.0, -0.002002]");
    let run = |elements: &str| {
        let text = text.replace("ELEMENTS", elements);
        let outcome = solve_with(&text, &[]).unwrap_or_else(|failed| panic!("{failed}"));
        (outcome.summary.contacts[0].peak_force, outcome.error_estimates[0].unwrap(), outcome.warnings)
    };
    let [coarse, fine] = ["[10, 10, 1]", "[30, 30, 3]"].map(run);
    println!("{coarse:?}\n{fine:?}");
    let error = coarse.0 / fine.0 - 1.0;
    assert!(error > 0.02 && error < coarse.1.force, "{error} {:?}", coarse.1);
    assert!(coarse.1.parts.unwrap().largest().0 == "mesh", "{:?}", coarse.1);
    assert!(fine.1.force < coarse.1.force);
    let warning = coarse.2.iter().find(|text| text.contains("more than the accuracy of 2.0 %"));
    let warning = warning.unwrap_or_else(|| panic!("{:?}", coarse.2));
    assert!(warning.contains("`--set body.lower.make.elements=[15, 15, 2]`"), "{warning}");
}
