//! Two bodies with quasistatic, dynamic and damped high modes, and with every integrator.

use std::sync::OnceLock;

use carom_format::Scenario;
use carom_simulate::{Prepared, RunOptions, RunSummary};
use carom_testing::scenarios::BALL_ON_WALL;

use crate::fixtures::{self, Chain, Failed, bodies_of, parse};

fn scenario(overrides: &[&str]) -> Scenario {
    let own =
        ["simulation.relative_tolerance=1.0e-6", "contact.0.law={ kind = \"penalty\", factor = 100.0 }"];
    parse(BALL_ON_WALL, &[&own, overrides].concat())
}

/// The bodies, made once for all tests.
fn bodies() -> &'static Prepared {
    static BODIES: OnceLock<Prepared> = OnceLock::new();
    BODIES.get_or_init(|| bodies_of(&scenario(&[])))
}

fn solve(overrides: &[&str]) -> Result<RunSummary, Failed> {
    solve_with(bodies(), overrides)
}

fn solve_with(bodies: &Prepared, overrides: &[&str]) -> Result<RunSummary, Failed> {
    let outcome = Chain::new().run(&scenario(overrides), bodies, RunOptions::default())?;
    println!("{overrides:?}: {:?} {:?}", outcome.summary.contacts, outcome.summary.integration);
    Ok(outcome.summary)
}

fn counters(summary: &RunSummary) -> carom_integrate::Counters {
    summary.integration.unwrap()
}

fn impact(overrides: &[&str]) -> RunSummary {
    let summary = solve(overrides).unwrap();
    assert_eq!(summary.contacts.len(), 1, "{overrides:?}");
    assert!(summary.ledger.energy_error < 1e-5, "{overrides:?} {:?}", summary.ledger);
    assert!(summary.ledger.momentum_error < 1e-9, "{overrides:?} {:?}", summary.ledger);
    summary
}

/// One integrator for all schemes, so that only the schemes differ.
const EXPLICIT: &str = "simulation.integrator=\"dormand-prince5\"";

/// High modes without inertia, with inertia, and with inertia and critical damping give nearly the same
/// impulse and peak, except for the damping loss, at different cost. The loss is booked. A soft penalty on
/// two pressure cells keeps the modes few and slow.
#[test]
fn high_modes_may_be_quasistatic_dynamic_or_damped() {
    let soft = [
        "body.0.make={ shape = \"ball\", radius = 0.015, pole_radius = 3.9e-3, \
         grade = { at = \"pole\", finest = 3.0e-3 } }",
        "contact.0.law={ kind = \"penalty\", factor = 1.0 }",
        "contact.0.rim=\"warning\"",
        "simulation.relative_tolerance=1.0e-4",
    ];
    let bodies = bodies_of(&scenario(&soft));
    let [quasistatic, dynamic, damped] = ["quasistatic", "dynamic", "damped"].map(|scheme| {
        let scheme = format!("simulation.scheme=\"{scheme}\"");
        let summary = solve_with(&bodies, &[&soft[..], &[&scheme, EXPLICIT]].concat()).unwrap();
        assert!(summary.ledger.energy_error < 1e-3, "{scheme} {:?}", summary.ledger);
        assert!(summary.ledger.momentum_error < 1e-9, "{scheme} {:?}", summary.ledger);
        summary
    });
    // Implicit steps with error control give the result of explicit ones.
    let implicit = [
        "simulation.scheme=\"dynamic\"",
        "simulation.integrator=\"generalised-alpha\"",
        "simulation.relative_tolerance=0.03",
    ];
    let own_steps = solve_with(&bodies, &[&soft[..3], &implicit].concat()).unwrap();
    assert!(own_steps.ledger.energy_error < 1e-5, "{:?}", own_steps.ledger);
    let impulse =
        |summary: &RunSummary| summary.contacts.iter().map(|contact| contact.impulse[2]).sum::<f64>();
    let peak =
        |summary: &RunSummary| summary.contacts.iter().map(|contact| contact.peak_force).fold(0.0, f64::max);
    for (other, tolerance) in [(&dynamic, 0.02), (&damped, 0.1)] {
        assert!((impulse(other) / impulse(&quasistatic) - 1.0).abs() < tolerance, "{}", impulse(other));
        assert!((peak(other) / peak(&quasistatic) - 1.0).abs() < tolerance, "{}", peak(other));
        assert!(other.steps > 3 * quasistatic.steps, "{:?}", other.integration);
    }
    for of in [impulse, peak] {
        assert!((of(&own_steps) / of(&dynamic) - 1.0).abs() < 1e-3, "{own_steps:?} {dynamic:?}");
    }
    assert!(2 * counters(&own_steps).iterations < counters(&dynamic).evaluations, "{own_steps:?}");
    // Damping of unresolved modes still dissipates energy.
    assert!(impulse(&damped).abs() < 0.98 * impulse(&dynamic).abs());
    let lost = |summary: &RunSummary| 1.0 - summary.ledger.energy_final / summary.ledger.energy_initial;
    assert!(lost(&damped) > 1e-3 && lost(&dynamic).abs() < 1e-3, "{} {}", lost(&damped), lost(&dynamic));
}

/// A ball at a flat angle slips during its whole impact: in every scheme the friction impulse is μ times the
/// normal one, and the friction loss is booked.
#[test]
fn the_friction_impulse_is_mu_times_the_normal_one_in_every_scheme() {
    let oblique = [
        "body.0.make={ shape = \"ball\", radius = 0.015, pole_radius = 3.9e-3, \
         grade = { at = \"pole\", finest = 3.0e-3 } }",
        "body.0.velocity=[30.0, 0.0, 40.0]",
        "contact.0.friction=0.1",
        "contact.0.rim=\"warning\"",
        "simulation.relative_tolerance=1.0e-5",
    ];
    let soft = "contact.0.law={ kind = \"penalty\", factor = 1.0 }";
    let bodies = bodies_of(&scenario(&oblique));
    let cases = [
        ("quasistatic", soft),
        ("quasistatic", "contact.0.law={ kind = \"lagrange\" }"),
        ("dynamic", soft),
        ("damped", soft),
    ];
    for (scheme, law) in cases {
        let chosen = format!("simulation.scheme=\"{scheme}\"");
        let summary = solve_with(&bodies, &[&oblique[..], &[&chosen, law, EXPLICIT]].concat()).unwrap();
        let sum = |axis: usize| summary.contacts.iter().map(|contact| contact.impulse[axis]).sum::<f64>();
        let ratio = sum(0).hypot(sum(1)) / sum(2).abs();
        println!("{scheme} {law}: {ratio} {:?}", summary.ledger);
        // Pressure cells that come into contact stick until their shear reaches Coulomb's limit: the ratio is
        // a little below the limit and never above.
        assert!(ratio < 0.1 * (1.0 + 1e-9) && ratio > 0.0995, "{scheme} {law}: {ratio}");
        assert!(summary.ledger.energy_error < 1e-3, "{scheme} {:?}", summary.ledger);
        assert!(summary.ledger.momentum_error < 1e-9 && summary.ledger.ang_momentum_error < 1e-9);
        assert!(summary.ledger.energy_final < 0.99 * summary.ledger.energy_initial);
    }
}

/// A contact force without a penalty requires quasistatic modes.
#[test]
fn dynamic_modes_alone_need_a_penalty() {
    for scheme in ["dynamic", "damped"] {
        let scheme = format!("simulation.scheme=\"{scheme}\"");
        let error = solve(&[&scheme, "contact.0.law={ kind = \"lagrange\" }"]).unwrap_err().to_string();
        assert!(error.contains("penalty"), "{error}");
    }
}

/// All integrators give the same impact.
#[test]
fn every_integrator_gives_the_same_impact() {
    let explicit = impact(&[]);
    let cases = [
        ("radau5", "simulation.relative_tolerance=1.0e-6", 1e-4),
        ("dop853", "simulation.relative_tolerance=1.0e-6", 1e-4),
        ("exponential", "simulation.relative_tolerance=1.0e-6", 1e-4),
        ("bdf2", "simulation.relative_tolerance=1.0e-4", 2e-3),
        ("midpoint", "simulation.relative_tolerance=1.0e-4", 2e-3),
        ("generalised-alpha", "simulation.relative_tolerance=1.0e-4", 2e-3),
    ];
    for (integrator, accuracy, tolerance) in cases {
        let summary = solve(&[&format!("simulation.integrator=\"{integrator}\""), accuracy]).unwrap();
        let (found, expected) = (&summary.contacts[0], &explicit.contacts[0]);
        assert!((found.peak_force / expected.peak_force - 1.0).abs() < tolerance, "{integrator} {found:?}");
        assert!((found.end - expected.end).abs() < tolerance * expected.end, "{integrator} {found:?}");
        assert!(summary.ledger.momentum_error < 1e-9, "{integrator} {:?}", summary.ledger);
        let implicit = !matches!(integrator, "dop853");
        assert_eq!(counters(&summary).factorisations > 0, implicit, "{:?}", summary.integration);
    }
}

/// A ball hangs from a point of its surface and has light modes at its fine pole. They move far more at the
/// pole than at the hinge, so that rounding of the joint is amplified in them. Steps under error control,
/// very small at first, converge nevertheless.
#[test]
fn light_modes_far_from_a_joint_do_not_stop_generalised_alpha() {
    let text = r#"
[simulation]
scheme = "dynamic"
integrator = "generalised-alpha"
relative_tolerance = 1.0e-4
end_time = 2.0e-7
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "ball"
make = { shape = "ball", radius = 0.015, pole_radius = 3e-4, focus = 2.5, grade = {at="pole", finest=1.6e-4}}
material = "steel"
reduce = { interface = ["pole"], modes = 8, split = 1.6e4 }
position = [0.0, 0.0, -0.215]
rotation = { axis = [0.0, 1.0, 0.0], degrees = 90.0 }
[[body.marker]]
name = "hinge"
at = [-0.015, 0.0, 0.0]

[[joint]]
kind = "spherical"
between = ["ground", "ball:hinge"]
"#;
    let outcome = fixtures::solve(text).unwrap();
    println!("{:?}", outcome.summary);
    assert!(outcome.summary.ledger.energy_error < 1e-9, "{:?}", outcome.summary.ledger);
    // Steps that fail by rounding are repeated with a smaller size and new derivatives.
    assert!(counters(&outcome.summary).rejected < 8, "{:?}", outcome.summary.integration);
}
