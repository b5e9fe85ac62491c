//! One impact with a body that is reduced in several ways: an elastic ball on a rigid plane.

use carom_dynamics::{ContactEvent, Ignore, LedgerSummary};
use carom_multibody::{Settings, Simulation};
use carom_progress::Silent;
use carom_simulate::{PreparedModel, system};
use carom_testing::scenarios::BALL_ON_WALL;

use crate::fixtures::{bodies_of, parse};

struct Impact {
    event: ContactEvent,
    ledger: LedgerSummary,
    /// f_c T_c, cut-off frequency times contact duration.
    periods: f64,
    n_low: usize,
}

fn impact(choice: &str) -> Impact {
    let overrides = choice.split_terminator(';');
    let overrides: Vec<&str> = ["body.ball.reduce.modes=24"].into_iter().chain(overrides).collect();
    let scenario = parse(BALL_ON_WALL, &overrides);
    let prepared = bodies_of(&scenario);
    let PreparedModel::Reduced(model) = &prepared.bodies[0].model else { panic!("the ball is reduced") };
    let n_low = model.n_low;
    let assembled = system(&scenario, &prepared).unwrap();
    let settings = Settings { relative_tolerance: 1e-6, ..Settings::until(5e-5) };
    let mut simulation = Simulation::new(assembled.system, &assembled.placements, settings).unwrap();
    let summary = simulation.run(&mut Ignore, &Silent).unwrap();
    let event = summary.contacts[0];
    println!(
        "{choice:40} {n_low} dynamic modes: peak {:.1} N, {:.3} µs, e {:.6}, energy {:.1e}, momentum {:.1e}, \
         {} steps",
        event.peak_force,
        1e6 * event.duration(),
        event.restitution().unwrap_or(f64::NAN),
        summary.ledger.energy_error,
        summary.ledger.momentum_error,
        summary.counters.steps
    );
    Impact { event, ledger: summary.ledger, periods: 1.0e5 * event.duration(), n_low }
}

fn relative(a: f64, b: f64) -> f64 {
    (a / b - 1.0).abs()
}

#[test]
#[ignore = "1 min: reductions and impacts of a ball, several of each"]
fn every_reduction_gives_the_impact_of_the_plain_one() {
    let plain = impact("");
    assert!(plain.n_low > 0 && plain.ledger.energy_error < 1e-4, "{:?}", plain.ledger);
    // docs/theory/reduction.md, eq. (13) estimates the error of the split.
    let estimate = 1.0 / (2.0 * plain.periods).powi(2);
    println!("f_c T_c = {:.1}: estimate {estimate:.1e}", plain.periods);
    let relief = impact("body.0.reduce.inertia_relief=true");
    let residual = impact("body.0.reduce.residual=true");
    let massless = impact("body.0.reduce.massless_boundary=true");
    for other in [&relief, &residual, &massless] {
        assert!(relative(other.event.peak_force, plain.event.peak_force) < estimate);
        assert!(relative(other.event.duration(), plain.event.duration()) < estimate);
        assert!(other.ledger.energy_error < 1e-4 && other.ledger.momentum_error < 1e-9, "{:?}", other.ledger);
    }
    // The quasistatic scheme does not use the mass of static modes.
    assert_eq!(residual.event.peak_force, massless.event.peak_force);
}

#[test]
#[ignore = "1 min: reductions and impacts of a ball, several of each"]
fn the_body_frame_changes_only_second_order_terms() {
    let buckens = impact("");
    let nodes = impact("body.0.reduce.frame=\"nodes=1,40,200\"");
    let marker = impact("body.0.reduce.frame=\"marker=pole\"");
    for other in [&nodes, &marker] {
        assert_eq!(other.n_low, buckens.n_low);
        // Strains are some 1e-3 near the pole, rotations of the frame less.
        assert!(relative(other.event.peak_force, buckens.event.peak_force) < 2e-3);
        assert!(relative(other.event.duration(), buckens.event.duration()) < 2e-3);
        // The rebound velocity does not depend on the motion of the frame in the vibration.
        let rebound = |impact: &Impact| impact.event.restitution().unwrap();
        assert!((rebound(other) - rebound(&buckens)).abs() < 2e-3);
        assert!(other.ledger.energy_error < 1e-4 && other.ledger.momentum_error < 1e-9, "{:?}", other.ledger);
    }
}

#[test]
#[ignore = "1 min: reductions and impacts of a ball, one of them with 150 modes"]
fn a_split_above_the_fixed_interface_modes_spoils_the_force() {
    let plain = impact("");
    let beyond = impact("body.0.reduce.split=2.5e5");
    let complete = impact("body.0.reduce.split=2.5e5;body.0.reduce.modes=150");
    assert!(relative(beyond.event.peak_force, plain.event.peak_force) > 0.05);
    assert!(relative(complete.event.peak_force, plain.event.peak_force) < 0.01);
}
