//! Scenarios with `compliance = "half-space"`: an impact of a coarse ball, and refusals by name.

use carom_contact::closed_form::HertzPair;
use carom_format::Scenario;
use carom_simulate::PreparedModel;

use crate::fixtures::{bodies_of, parse, read, solve, solve_with};

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
    let friction = message(&["contact.0.friction=0.2"]);
    assert!(friction.contains("has no friction"), "{friction}");
    let scheme = message(&["simulation.scheme=\"explicit\""]);
    assert!(scheme.contains("belongs to the schemes of reduced bodies"), "{scheme}");
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
