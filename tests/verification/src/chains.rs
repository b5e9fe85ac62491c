//! Impacts that follow each other, as a wave comes back.

use carom_contact::closed_form::{BarImpact, FarEnd, HertzPair, SphereOnBar, SphereOnRod, Touch};
use carom_format::result::StoredFrame;
use carom_report::{Axis, Plot, Series, Style};

use crate::{Bench, BenchError, Outcome, Row};

/// A ball on a rod that is held at its far end.
const HELD_ROD: &str = include_str!("../../../meshes/ball-on-held-rod/scenario.toml");

/// Hertz' force and a wave with its reflections, for the rod of the scenario.
fn bar(v: f64, end: f64) -> (SphereOnBar, BarImpact) {
    let (radius, density, young) = (0.02_f64, 2710.0_f64, 72e9_f64);
    let near = SphereOnRod {
        contact: HertzPair::new([radius, f64::INFINITY], [210e9, young], [0.3, 0.33]),
        sphere_mass: 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3),
        impedance: (young * density).sqrt() * std::f64::consts::PI * 0.005_f64.powi(2),
    };
    let round_trip = 2.0 * 0.8 / (young / density).sqrt();
    let bar = SphereOnBar { near, round_trip, far_end: FarEnd::Held };
    (bar, bar.impact(v, end, 4000))
}

/// Force over time of a pair.
fn history(frames: &[StoredFrame], pair: usize) -> BarImpact {
    let forces: Vec<f64> = frames.iter().map(|frame| frame.contacts[pair].normal_force).collect();
    let step = if frames.len() > 1 { frames[1].time - frames[0].time } else { f64::NAN };
    BarImpact { step, forces, sphere_velocity: f64::NAN }
}

/// The ball on the held rod beside the wave.
pub(crate) fn held_rod(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let (name, v, gap) = ("held-rod", 0.3, 3e-6);
    let run_outcome = bench.run(name, HELD_ROD, None)?;
    let frames = bench.open(name)?.frames()?;
    let found = history(&frames, 0);
    let flight = gap / v;
    let (_, expected) = bar(v, 0.99e-3);
    let mut outcome = Outcome::default();
    let touches = [found.touches(), expected.touches()];
    outcome.rows.push(Row::new("touches", "", touches[0].len() as f64, touches[1].len() as f64, 0.0));
    let tolerances = [(0.05, 0.05), (0.15, 0.15)];
    let pairs = touches[0].iter().zip(&touches[1]).zip(tolerances).zip(["first", "second"]);
    for (((found, expected), (of_force, of_impulse)), which) in pairs {
        outcome.rows.extend(beside(which, found, expected, flight, of_force, of_impulse));
    }
    let after = run_outcome.bodies.first().map_or(f64::NAN, |ball| ball.velocity[0]);
    let what = "velocity of the ball afterwards";
    outcome.rows.push(Row::new(what, "m/s", after, -expected.sphere_velocity, 0.03));
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

const CAPTION: &str =
    "Force of the ball on the held rod: elastic bodies, and Hertz' force with a one-dimensional wave.";

/// Times, force and impulse of a touch.
fn beside(
    which: &str,
    found: &Touch,
    expected: &Touch,
    flight: f64,
    of_force: f64,
    of_impulse: f64,
) -> [Row; 4] {
    let late = |found: f64, expected: f64| found - flight - expected;
    [
        Row::new(format!("{which} touch: peak force"), "N", found.peak_force, expected.peak_force, of_force),
        Row::new(format!("{which} touch: impulse"), "N s", found.impulse, expected.impulse, of_impulse),
        Row::new(
            format!("{which} touch: begins later than expected by"),
            "s",
            late(found.start, expected.start),
            0.0,
            1.2e-5,
        ),
        Row::new(
            format!("{which} touch: ends later than expected by"),
            "s",
            late(found.end, expected.end),
            0.0,
            1.2e-5,
        ),
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
