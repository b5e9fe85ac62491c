//! Successive impacts: a reflected wave, a row of balls.

use carom_contact::closed_form::{
    BarImpact, FarEnd, HertzPair, RowImpact, SphereOnBar, SphereOnRod, Touch, collide_in_a_row,
    elastic_ball_stiffening,
};
use carom_format::result::StoredFrame;
use carom_report::{Axis, Plot, Series, Style};

use crate::{Bench, BenchError, Outcome, Row, Table};

/// A ball on a rod that is held at its far end.
const HELD_ROD: &str = include_str!("../../../meshes/ball-on-held-rod/scenario.toml");

/// Five balls that touch.
const CRADLE: &str = include_str!("../../../meshes/cradle/elastic.toml");

/// Hertz' force and a wave with its reflections, for the rod of the scenario.
fn bar() -> SphereOnBar {
    let (radius, length, density, young) = (0.0355_f64, 1.0, 2710.0_f64, 72e9_f64);
    let near = SphereOnRod {
        contact: HertzPair::new([radius, f64::INFINITY], [210e9, young], [0.3, 0.33]),
        sphere_mass: 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
        impedance: (young * density).sqrt() * std::f64::consts::PI * 0.005_f64.powi(2),
    };
    SphereOnBar { near, round_trip: 2.0 * length / (young / density).sqrt(), far_end: FarEnd::Held }
}

/// Force over time of a pair.
pub(crate) fn history(frames: &[StoredFrame], pair: usize) -> BarImpact {
    let forces: Vec<f64> = frames.iter().map(|frame| frame.contacts[pair].normal_force).collect();
    let step = if frames.len() > 1 { frames[1].time - frames[0].time } else { f64::NAN };
    BarImpact { step, forces, sphere_velocity: f64::NAN }
}

/// The ball on the held rod compared with the wave solution.
pub(crate) fn held_rod(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let (name, v, gap) = ("held-rod", 0.3, 3e-6);
    let run_outcome = bench.run(name, HELD_ROD, None)?;
    let frames = bench.open(name)?.frames()?;
    let found = history(&frames, 0);
    let (flight, bar) = (gap / v, bar());
    let expected = bar.impact(v, 1.99e-3, 4000);
    let mut outcome = Outcome::default();
    let touches = [found.touches(), expected.touches()];
    outcome.rows.push(Row::new("touches", "", touches[0].len() as f64, touches[1].len() as f64, 0.0));
    for (k, which) in ["first", "second", "third", "fourth"].into_iter().enumerate() {
        let [found, expected] =
            [(&found, flight), (&expected, 0.0)].map(|(impact, late)| hump(impact, late, bar.round_trip, k));
        let what = format!("{which} round trip: largest force");
        outcome.rows.push(Row::new(what, "N", found[1], expected[1], 0.05));
        let what = format!("{which} round trip: largest force later than expected by");
        outcome.rows.push(Row::new(what, "s", found[0] - expected[0], 0.0, LATE));
    }
    let pairs = touches[0].iter().zip(&touches[1]).zip([0.01, 0.25]).zip(["first", "second"]);
    for (((found, expected), tolerance), which) in pairs {
        outcome.rows.extend(beside(which, found, expected, flight, tolerance));
    }
    if let ([_, second], [_, expected]) = (touches[0].as_slice(), touches[1].as_slice()) {
        let what = "second touch: largest force";
        outcome.rows.push(Row::new(what, "N", second.peak_force, expected.peak_force, 0.25));
    }
    let after = run_outcome.bodies.first().map_or(f64::NAN, |ball| ball.velocity[0]);
    let what = "velocity of the ball afterwards";
    outcome.rows.push(Row::new(what, "m/s", after, -expected.sphere_velocity, 0.01));
    let impulse: f64 = touches[0].iter().map(|touch| touch.impulse).sum();
    let what = "impulse over the change of the ball's momentum";
    outcome.rows.push(Row::new(what, "", impulse / (bar.near.sphere_mass * (v + after)), 1.0, 1e-3));
    outcome.rows.push(Row::new(
        "error of the energy",
        "",
        run_outcome.summary.ledger.energy_error,
        0.0,
        1e-6,
    ));
    outcome.pictures.push((name.to_owned(), picture(&found, &expected, flight), CAPTION.to_owned()));
    Ok(outcome)
}

/// Tolerance of times \[s\]: a twentieth of a round trip.
const LATE: f64 = 2e-5;

/// Time and size of the largest force in a round trip of the wave, counted from the first touch.
fn hump(impact: &BarImpact, late: f64, round_trip: f64, number: usize) -> [f64; 2] {
    let since = |i: usize| i as f64 * impact.step - late;
    let within = |i: &usize| (since(*i) / round_trip).floor() == number as f64;
    let largest = (0..impact.forces.len())
        .filter(within)
        .max_by(|&i, &j| impact.forces[i].total_cmp(&impact.forces[j]));
    largest.map_or([f64::NAN; 2], |i| [since(i), impact.forces[i]])
}

const CAPTION: &str =
    "Force of the ball on the held rod: elastic bodies, and Hertz' force with a one-dimensional wave.";

/// Times and impulse of a touch.
fn beside(which: &str, found: &Touch, expected: &Touch, flight: f64, of_impulse: f64) -> [Row; 3] {
    let late = |what: &str, found: f64, expected: f64| {
        let what = format!("{which} touch: {what} later than expected by");
        Row::new(what, "s", found - flight - expected, 0.0, LATE)
    };
    [
        Row::new(format!("{which} touch: impulse"), "N s", found.impulse, expected.impulse, of_impulse),
        late("begins", found.start, expected.start),
        late("ends", found.end, expected.end),
    ]
}

fn picture(found: &BarImpact, expected: &BarImpact, flight: f64) -> carom_report::Drawing {
    let times = |impact: &BarImpact, late: f64| -> Vec<f64> {
        (0..impact.forces.len()).map(|i| 1e6 * (i as f64 * impact.step + late)).collect()
    };
    let line =
        |name, impact: &BarImpact, late| Series::line(name, times(impact, late), impact.forces.clone());
    Plot::new("Ball on a held rod", Axis::new("time", "µs"), Axis::new("force", "N"))
        .with(line("elastic bodies", found, 0.0))
        .with(line("Hertz and bar wave", expected, flight).styled(Style::Dashed))
        .draw()
}

/// Five balls in a row compared with a chain of springs.
pub(crate) fn cradle(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let name = "cradle";
    let run_outcome = bench.run(name, CRADLE, None)?;
    let frames = bench.open(name)?.frames()?;
    // Pressure cells close when their mean gap is zero, as if the balls had a small distance.
    let mean_gap = frames.first().map_or(f64::NAN, |frame| frame.contacts[1].free_gap);
    let (whole, half_spaces, apart) = (row(true, 0.0), row(false, 0.0), row(true, mean_gap));
    let mut outcome = Outcome {
        table: Table { header: vec!["velocity, m/s", "here", "chain", "of half-spaces"], rows: Vec::new() },
        ..Outcome::default()
    };
    for (i, body) in run_outcome.bodies.iter().enumerate() {
        let (found, expected) = (body.velocity[2], whole.velocities[i]);
        let what = format!("velocity of ball {} less that of the chain, over the first speed", i + 1);
        let late = (apart.velocities[i] - expected).abs();
        outcome.rows.push(Row::new(what, "", found - expected, 0.0, late + 0.01));
        // The error relative to the speed of this ball, which is larger for the slow middle balls.
        let what = format!("velocity of ball {}, over its own in the chain", i + 1);
        outcome.rows.push(Row::new(what, "", found / expected, 1.0, late / expected.abs() + 0.01));
        let cells = [found, expected, half_spaces.velocities[i]].map(|v| format!("{v:.4}"));
        outcome.table.rows.push([vec![format!("ball {}", i + 1)], cells.to_vec()].concat());
    }
    for (i, expected) in whole.peak_forces.iter().enumerate() {
        let found = history(&frames, i).forces.into_iter().fold(0.0, f64::max);
        let (what, late) =
            (format!("peak force of contact {}", i + 1), apart.peak_forces[i] / expected - 1.0);
        outcome.rows.push(Row::new(what, "N", found, *expected, late.abs() + 0.01));
    }
    outcome.rows.push(Row::shown("mean gap of spans of balls that touch", "m", mean_gap));
    let ledger = &run_outcome.summary.ledger;
    let squares: f64 = run_outcome.bodies.iter().map(|body| body.velocity[2] * body.velocity[2]).sum();
    outcome.rows.push(Row::shown("part of the energy that vibrates afterwards", "", 1.0 - squares));
    outcome.rows.push(Row::new("error of the energy", "", ledger.energy_error, 0.0, 1e-6));
    outcome.rows.push(Row::new("error of the momentum", "", ledger.momentum_error, 0.0, 1e-12));
    Ok(outcome)
}

/// The chain of the cradle at 1 m/s: springs of whole balls, with the approach of their centres, or of
/// Hertz' half-spaces; the balls lie apart by `gap`.
pub(crate) fn row(whole: bool, gap: f64) -> RowImpact {
    let radius = 0.02_f64;
    let mass = 1200.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    let pair = HertzPair::new([radius; 2], [100e6; 2], [0.45; 2]);
    let force = |approach: f64| {
        let state = pair.at_approach(approach);
        let ratio = state.contact_radius / radius;
        state.force * if whole { 1.0 + elastic_ball_stiffening(ratio) * ratio } else { 1.0 }
    };
    collide_in_a_row(force, &[mass; 5], &[1.0, 0.0, 0.0, 0.0, 0.0], &[1e-5 + gap, gap, gap, gap], 4e-3, 8000)
}
