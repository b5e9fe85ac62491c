//! Scenarios with `compliance = "half-space"`: an impact of a coarse ball, and refusals by name.

use carom_contact::closed_form::HertzPair;
use carom_format::Scenario;
use carom_simulate::{PreparedModel, RunOutcome};

use crate::fixtures::{Chain, REPLACE, bodies_of, parse, read, solve, solve_with};

/// A ball of few cells falls on a fixed plate of steel that is rigid but for its material.
const BALL: &str = r#"
[simulation]
scheme = "quasistatic"
end_time = 2.0e-4
output_every = 1.0e-5
[material.steel]
density = 7780.0
young = 210e9
poisson = 0.3
[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015, elements = [4] }
material = "steel"
reduce = { places = ["0,0,0.015:0.003"], modes = 6 }
position = [0.0, 0.0, -0.015002]
velocity = [0.0, 0.0, 0.25]
[[body]]
name = "plate"
make = { shape = "box", size = [0.02, 0.02, 0.01] }
material = "steel"
rigid = true
fixed = true
position = [-0.01, -0.01, 0.0]
[[contact]]
between = ["ball:0,0,0.015:0.003", "plate:bottom"]
law = { kind = "lagrange" }
compliance = "half-space"
"#;

fn scenario(overrides: &[&str]) -> Scenario {
    parse(BALL, overrides)
}

#[test]
fn a_coarse_ball_on_a_plate_of_its_material_is_two_balls_at_half_the_speed_of_each() {
    let outcome = solve(BALL).unwrap_or_else(|failed| panic!("{failed}"));
    let [event] = outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
    println!("{event:?} {:?} {:?}", outcome.summary.ledger, outcome.warnings);
    // Hertz on a fixed half-space, 2.868 (m²/(R E*² v))^(1/5): an elastic ball of this contact radius,
    // 0.03 R, is stiffer at a given approach by 0.87 a/R, of which half is the ball's and half the
    // plate's (docs/quasistatic.md, section 3), so that the force is 0.6 of it larger: 0.5 to 1 %.
    let mass = 7780.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.015f64.powi(3);
    let hertz = HertzPair::new([0.015, f64::INFINITY], [210e9; 2], [0.3; 2]).impact(mass, 0.25);
    let [force, duration] =
        [event.peak_force / hertz.peak.force - 1.0, (event.end - event.start) / hertz.duration - 1.0];
    assert!((0.0..0.015).contains(&force) && (-0.015..0.0).contains(&duration), "{force} {duration}");
    assert!(outcome.summary.ledger.energy_error < 1e-5, "{:?}", outcome.summary.ledger);
    assert_eq!(outcome.warnings, Vec::<String>::new());
}

#[test]
fn the_modes_are_a_part_of_the_response_to_the_loads_of_places() {
    let prepared = bodies_of(&scenario(&[]));
    let PreparedModel::Reduced(model) = &prepared.bodies[0].model else { panic!("the ball is reduced") };
    let places = &model.places[0];
    assert_eq!(places.name, "0,0,0.015:0.003");
    assert!(places.places_b.len() > 12 && model.surfaces.is_empty());
    // A is positive semi-definite, and that of the modes a part of it.
    let n = places.response.nrows();
    for i in 0..n {
        let of_modes: f64 =
            (0..model.omega.len()).map(|k| (places.values[(i, k)] / model.omega[k]).powi(2)).sum();
        assert!(of_modes > 0.0 && of_modes < places.response[(i, i)], "{i}");
    }
}

#[test]
fn contacts_that_a_grid_cannot_have_are_refused_by_name() {
    let message = |overrides: &[&str]| read(BALL, overrides).unwrap_err();
    let scheme = message(&["simulation.scheme=\"explicit\""]);
    assert!(scheme.contains("belongs to the schemes quasistatic, dynamic, damped and static"), "{scheme}");
    let prepared = |overrides: &[&str]| solve_with(BALL, overrides).unwrap_err().to_string();
    let missing = prepared(&["body.ball.reduce.places=[\"0,0,-0.015:0.003\"]"]);
    assert!(missing.contains("needs places on `0,0,0.015:0.003`"), "{missing}");
    let text = prepared(&[
        "body.ball.reduce.places=[\"0,0:0.003\"]",
        "contact.0.between=[\"ball:0,0:0.003\", \"plate:bottom\"]",
    ]);
    assert!(text.contains("`X,Y,Z:R`"), "{text}");
    let frame = prepared(&["body.ball.reduce.frame=\"nodes=1,5,9\""]);
    assert!(frame.contains("need the Buckens frame"), "{frame}");
}

/// The plate turns neither the force nor the ball's mass, so that the impulses are those of a point: while
/// all cells slip, the tangential one is μ times the normal one.
#[test]
fn a_ball_that_slips_through_an_impact_on_a_grid_has_the_impulse_of_coulomb() {
    let outcome = solve_with(BALL, &["body.ball.velocity=[3.0, 0.0, 0.25]", "contact.0.friction=0.1"]);
    let outcome = outcome.unwrap_or_else(|failed| panic!("{failed}"));
    let [event] = outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
    let [along, across, normal] = event.impulse;
    assert!((along / normal - 0.1).abs() < 1e-4 && across.abs() < 1e-4 * normal.abs(), "{:?}", event.impulse);
    assert!(outcome.summary.ledger.energy_error < 1e-4, "{:?}", outcome.summary.ledger);
}

/// Two free balls of few cells that meet off centre and spin.
const TWO: &str = r#"
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
make = { shape = "ball", radius = 0.015, elements = [4] }
material = "steel"
reduce = { places = ["0,0,0.015:0.003"], modes = 6 }
position = [0.0, 0.0, -0.015002]
velocity = [0.0, 0.0, 0.25]
angular_velocity = [0.0, 0.0, 40.0]
[[body]]
name = "upper"
make = { shape = "ball", radius = 0.015, elements = [4] }
material = "steel"
reduce = { places = ["0,0,0.015:0.003"], modes = 6 }
position = [2.0e-4, 0.0, 0.015002]
rotation = { axis = [1.0, 0.0, 0.0], degrees = 180.0 }
velocity = [0.0, 0.0, -0.25]
[[contact]]
between = ["lower:0,0,0.015:0.003", "upper:0,0,0.015:0.003"]
law = { kind = "lagrange" }
compliance = "half-space"
"#;

fn impact(outcome: &RunOutcome) -> [f64; 2] {
    let [event] = outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
    [event.peak_force, event.end - event.start]
}

/// The balls have no vibration within the impact, so that the inertia of their modes changes little: the
/// first one, at 0.8 c_s/(2 R) = 90 kHz, has nine periods in the contact, and a half sine excites a mode of
/// n periods by 1/(4 n² − 1) of its static response.
#[test]
fn all_schemes_of_reduced_bodies_have_the_same_impact_and_keep_energy_and_momenta() {
    let chain = Chain::new();
    let prepared = chain.prepare(&parse(TWO, &[])).unwrap();
    let [quasistatic, dynamic, damped] = ["quasistatic", "dynamic", "damped"].map(|scheme| {
        // Hard contact is for `quasistatic` alone.
        let law = "contact.0.law={ kind = \"penalty\" }";
        let scenario = parse(TWO, &[&format!("simulation.scheme=\"{scheme}\""), law]);
        let outcome = chain.run(&scenario, &prepared, REPLACE).unwrap();
        let ledger = &outcome.summary.ledger;
        println!("{scheme}: {:?} {ledger:?} {:?}", outcome.summary.contacts, outcome.summary.integration);
        assert!(ledger.energy_error < 1e-5, "{scheme}: {ledger:?}");
        assert!(ledger.momentum_error < 1e-9 && ledger.ang_momentum_error < 1e-9, "{scheme}: {ledger:?}");
        assert_eq!(ledger.no_reference, [false; 3], "{scheme}");
        assert_eq!(outcome.warnings, Vec::<String>::new(), "{scheme}");
        outcome
    });
    let expected = impact(&quasistatic);
    for (other, tolerance) in [(&dynamic, 0.01), (&damped, 0.03)] {
        let found = impact(other);
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found / expected - 1.0).abs() < tolerance, "{found:?}, quasistatic {expected:?}");
        }
    }
}

/// The force is compared with that of the same bodies without springs.
#[test]
fn springs_of_the_law_that_carry_much_of_the_approach_are_reported_with_the_error_of_the_force() {
    let chain = Chain::new();
    let prepared = chain.prepare(&parse(TWO, &[])).unwrap();
    let run = |law: &str| chain.run(&parse(TWO, &[law]), &prepared, REPLACE).unwrap();
    let [hard, _] = impact(&run("contact.0.law.kind=\"lagrange\""));
    for (stiffness, is_reported) in [(4e14, true), (2e15, true), (1e16, false)] {
        let law = format!("contact.0.law={{ kind = \"penalty\", stiffness = {stiffness:e} }}");
        let outcome = run(&law);
        let loss = 100.0 * (1.0 - impact(&outcome)[0] / hard);
        println!("{stiffness:e}: {loss} % {:?}", outcome.warnings);
        assert_eq!(outcome.warnings.len(), usize::from(is_reported), "{:?}", outcome.warnings);
        let Some(warned) = outcome.warnings.first() else { continue };
        let figure = warned.split("an impact is about ").nth(1).and_then(|text| text.split(" %").next());
        let figure: f64 = figure.unwrap().parse().unwrap();
        assert!((figure / loss - 1.0).abs() < 0.15, "{loss} %: {warned}");
    }
}

/// Faces of the second degree have a curvature that errs by up to (h/R)² (docs/theory/half-space.md, 11.9).
#[test]
fn curved_faces_of_a_mesh_are_reported_with_the_error_of_the_force() {
    let central = ["body.upper.position=[0.0, 0.0, 0.015002]"];
    let hex = "make={ shape = \"ball\", radius = 0.015, elements = [4], hex = true }";
    let meshed = [format!("body.lower.{hex}"), format!("body.upper.{hex}")];
    let exact = solve_with(TWO, &central).unwrap_or_else(|failed| panic!("{failed}"));
    let [meshed_lower, meshed_upper] = meshed.each_ref().map(String::as_str);
    let overrides = [central[0], meshed_lower, meshed_upper];
    let found = solve_with(TWO, &overrides).unwrap_or_else(|failed| panic!("{failed}"));
    let apart = 100.0 * (impact(&found)[0] / impact(&exact)[0] - 1.0);
    println!("{apart} % {:#?}", found.warnings);
    let text = "their curvature at the contact errs by up to";
    assert_eq!(found.warnings.iter().filter(|warning| warning.contains(text)).count(), 2);
    for name in ["lower", "upper"] {
        let warned = found.warnings.iter().find(|warning| {
            warning.contains(&format!("faces of the second degree of `{name}:0,0,0.015:0.003`"))
        });
        let warned = warned.unwrap_or_else(|| panic!("{:?}", found.warnings));
        let figure =
            warned.split("the force of an impact by about ").nth(1).and_then(|t| t.split(" %").next());
        let figure: f64 = figure.unwrap().parse().unwrap();
        // The coarse mesh, the modes and the grid err by some tenths of a per cent beside it.
        assert!((apart.abs() / figure - 1.0).abs() < 0.2, "{apart} %: {warned}");
    }
}

/// The warnings of a rigid ball of steel that hits a free elastic block of 4 × 4 × 1 cells, 30 mm wide, at a
/// place of its upper side.
fn on_a_block(thickness: f64, [x, y]: [f64; 2]) -> Vec<String> {
    let z = thickness + 0.015002;
    let text = format!(
        r#"
[simulation]
scheme = "quasistatic"
end_time = 2.0e-5
output_every = 1.0e-5
[material.steel]
density = 7780.0
young = 210e9
poisson = 0.3
[[body]]
name = "block"
make = {{ shape = "box", size = [0.03, 0.03, {thickness:?}], elements = [4, 4, 1] }}
material = "steel"
reduce = {{ places = ["top"], modes = 6 }}
[[body]]
name = "ball"
make = {{ shape = "ball", radius = 0.015, elements = [2] }}
material = "steel"
rigid = true
position = [{x:?}, {y:?}, {z:?}]
velocity = [0.0, 0.0, -0.25]
[[contact]]
between = ["block:top", "ball:surface"]
law = {{ kind = "lagrange" }}
compliance = "half-space"
"#
    );
    let outcome = solve(&text).unwrap_or_else(|failed| panic!("{failed}"));
    println!("{:?} {:#?}", outcome.summary.contacts, outcome.warnings);
    outcome.warnings
}

#[test]
fn an_edge_near_the_contact_is_reported_with_the_share_of_cut_loads() {
    let warnings = on_a_block(0.01, [0.002, 0.015]);
    // An estimate of 3 % may be a warning beside it.
    let cut = &warnings[0];
    assert!(cut.contains("loads of `block:top` that an edge of the body cuts have"), "{cut}");
}

#[test]
fn faces_longer_than_the_thickness_of_the_body_are_reported() {
    let warnings = on_a_block(0.005, [0.015, 0.015]);
    let long = "faces of `block:top` have edges of 7.500e-3 m on a thickness of 5.000e-3 m";
    assert!(warnings.iter().any(|warning| warning.contains(long)), "{warnings:#?}");
    // A block of twice the thickness has cells that are thicker than wide.
    let fitting = on_a_block(0.01, [0.015, 0.015]);
    assert_eq!(fitting, Vec::<String>::new());
}

/// Six balls in a row, the gaps of which grow: 15 pairs.
#[test]
fn of_many_contacts_that_never_touch_the_nearest_are_named() {
    let (head, _) = BALL.split_once("[[body]]").unwrap();
    let mut text = head.to_owned();
    let mut x = 0.0;
    for number in 0..6 {
        x += 0.0201 + 0.001 * f64::from(number);
        text += &format!(
            "[[body]]\nname = \"ball{number}\"\nmake = {{ shape = \"ball\", radius = 0.01 }}\n\
             material = \"steel\"\nrigid = true\nposition = [{x:?}, 0.0, 0.0]\n"
        );
    }
    text += "[[contact]]\nbetween = [\"ball*:surface\", \"ball*:surface\"]\nlaw = { kind = \"lagrange\" }\n\
             compliance = \"half-space\"\n";
    let outcome = solve(&text).unwrap_or_else(|failed| panic!("{failed}"));
    let named = outcome.remarks.iter().filter(|remark| remark.contains("no contact; "));
    assert_eq!(named.clone().count(), 10, "{:?}", outcome.remarks);
    assert!(named.clone().any(|remark| remark.contains("`ball0:surface` / `ball1:surface`")));
    assert!(!named.clone().any(|remark| remark.contains("`ball0:surface` / `ball5:surface`")));
    let rest = "5 other contacts: none of them touched or came as near";
    assert!(outcome.remarks.iter().any(|remark| remark == rest), "{:?}", outcome.remarks);
}

/// The cells of each level of refinement are a separate block, and the materials belong to the patches.
#[test]
fn a_refined_rigid_body_touches_on_a_grid() {
    let refined = r#"
[simulation]
scheme = "quasistatic"
end_time = 1.0e-5
output_every = 1.0e-5
gravity = [0.0, 0.0, 0.0]
[[body]]
name = "ball"
make = { shape = "ball", radius = 0.005, pole_radius = 1.5e-3, elements = 2 }
refine = { near = { at = "pole", levels = 2 } }
material = "steel"
rigid = true
velocity = [0.0, 0.0, 0.1]
[[body]]
name = "plate"
make = { shape = "box", size = [0.02, 0.02, 0.004], elements = [2, 2, 1] }
material = "steel"
rigid = true
position = [-0.01, -0.01, 0.0050001]
[[contact]]
between = ["ball:pole", "plate:bottom"]
law = { kind = "lagrange" }
compliance = "half-space"
"#;
    let outcome = solve(refined).unwrap_or_else(|failed| panic!("{failed}"));
    let [event] = outcome.summary.contacts[..] else { panic!("{:?}", outcome.summary.contacts) };
    assert!(event.open && event.peak_force > 0.0, "{event:?}");
}
