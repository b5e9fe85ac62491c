//! Bodies that are held at a set: an impact on a clamped plate and rod, loads at markers, refusals.

use crate::fixtures::{Chain, parse, read, solve};

/// A ball falls on the middle of a bridge of square section whose two ends are clamped.
const BRIDGE: &str = r#"
[simulation]
end_time = 1.2e-4
output_every = 4.0e-6

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015, pole_radius = 3.9e-3, grade = { at = "pole", finest = 3.0e-3 } }
material = "steel"
reduce = { interface = ["pole"], modes = 8, split = 2.0e4 }
position = [0.003, -0.001, -0.0151]
velocity = [0.0, 0.0, 5.0]

[[body]]
name = "bridge"
make = { shape = "box", size = [0.12, 0.06, 0.03], elements = [10, 5, 3] }
material = "steel"
reduce = { interface = ["bottom"], fix = ["top"], modes = 12, split = 3.0e4 }
position = [-0.06, -0.03, 0.0]

[[contact]]
between = ["ball:pole", "bridge:bottom"]
"#;

#[test]
fn an_impact_on_a_clamped_plate_balances_energy_and_momenta() {
    let outcome = solve(BRIDGE).unwrap();
    let ledger = &outcome.summary.ledger;
    println!("{:?}\n{:?}", ledger, outcome.summary.contacts);
    assert!(ledger.energy_error < 1e-6, "energy is off by {:.1e}", ledger.energy_error);
    // The reaction of the ground is booked as an external impulse.
    assert!(ledger.momentum_error < 1e-9, "momentum is off by {:.1e}", ledger.momentum_error);
    assert!(ledger.ang_momentum_error < 1e-9, "angular momentum is off by {:.1e}", ledger.ang_momentum_error);
    let [event] = &outcome.summary.contacts[..] else {
        panic!("one impact was expected: {:?}", outcome.summary.contacts)
    };
    // The ball rebounds: its momentum changes by the impulse, which the ground carries.
    let mass = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.015_f64.powi(3);
    let after = outcome.bodies[0].velocity[2];
    assert!(after < -3.0, "the ball leaves at {after} m/s");
    assert!(
        (event.impulse[2].abs() / (mass * (5.0 - after)) - 1.0).abs() < 2e-3,
        "{:?} {mass}",
        event.impulse
    );
    assert_eq!(outcome.bodies[1].velocity, [0.0; 3]);
}

/// A rod is held at one end and carries a steady force at a marker on the other: it swings to twice the
/// static deflection and back; with damping it comes to rest at F times the compliance L³/(3 E I) + L/(κ G A)
/// of a beam. Without lateral contraction, which a clamped end would hinder: with that of steel the bar is
/// 1.5 % stiffer than the beam.
#[test]
fn a_force_at_a_marker_bends_a_held_bar_by_the_beam_formula() {
    let chain = Chain::new();
    let text = r#"
[simulation]
end_time = 2.0e-2
output_every = 2.0e-3

[material.plain]
density = 7800.0
young = 210e9
poisson = 0.0

[[body]]
name = "bar"
make = { shape = "box", size = [0.2, 0.02, 0.02], nurbs = true, degree = 3, elements = [6, 1, 1] }
material = "plain"
damping = 0.5
reduce = { attach = { east = "rigid" }, fix = ["west"], modes = 6, split = 1.0e6 }

[[force]]
on = "bar:east"
force = [0.0, 0.0, 100.0]
"#;
    let outcome = chain.solve(&parse(text, &[])).unwrap();
    let rom = carom_format::read_rom(&chain.bodies().join("bar.rom")).unwrap().reduced;
    let q = &outcome.bodies[0].modal;
    let marker = &rom.markers[0];
    let tip: f64 = q.iter().enumerate().map(|(k, q)| marker.translation[(2, k)] * q).sum();
    let (length, b, young) = (0.2_f64, 0.02_f64, 210e9);
    let shear = young / 2.0;
    let compliance = length.powi(3) / (3.0 * young * b.powi(4) / 12.0) + length / (5.0 / 6.0 * shear * b * b);
    println!("tip {tip:.6e}, beam {:.6e}", 100.0 * compliance);
    assert!((tip / (100.0 * compliance) - 1.0).abs() < 5e-3, "{tip:e} instead of {:e}", 100.0 * compliance);
    let ledger = &outcome.summary.ledger;
    assert!(ledger.energy_error < 1e-6, "energy is off by {:.1e}", ledger.energy_error);
}

#[test]
fn grounded_bodies_with_a_velocity_are_refused() {
    let moving = BRIDGE.replace("position = [-0.06, -0.03, 0.0]", "velocity = [0.0, 0.0, 1.0]");
    let error = read(&moving, &[]).unwrap_err();
    assert!(error.contains("reduce.fix"), "{error}");
    // A body with a model of its own is refused alike.
    let chain = Chain::new();
    chain.prepare(&parse(BRIDGE, &[])).unwrap();
    let of_rom = "[simulation]\nend_time = 1e-5\n[[body]]\nname = \"bridge\"\nrom = \"bodies/bridge.rom\"\n\
        velocity = [0.0, 0.0, 1.0]\n";
    let error = chain.solve(&parse(of_rom, &[])).unwrap_err().to_string();
    assert!(error.contains("`bridge`") && error.contains("`top`") && error.contains("--fix"), "{error}");
    let loose = BRIDGE.replace("fix = [\"top\"]", "fix = [\"bottom_\"]");
    let error = chain.solve(&parse(&loose, &[])).unwrap_err().to_string();
    assert!(error.contains("bottom_"), "{error}");
}
