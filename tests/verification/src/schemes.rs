//! One impact with the high modes quasistatic, dynamic and damped, by several integrators.

use carom_contact::closed_form::HertzPair;
use carom_dynamics::ContactEvent;
use carom_format::result::StoredFrame;

use carom_report::number::significant;
use carom_simulate::RunSummary;

use crate::impacts::RADIUS;
use crate::{Bench, BenchError, Outcome, Row, Table};

/// Two double pendulums shortly before they meet.
const SCENARIO: &str = include_str!("../../../meshes/double-pendulums/impact.toml");

/// Speed at which the balls meet \[m/s\].
const SPEED: f64 = 0.1405;

/// The ball of that scenario with four knot spans in contact, and one whose contact is resolved, as in
/// meshes/double-pendulums/scenario.toml.
const COARSE: &str = "pole_radius = 3.0e-4, focus = 2.5, grade = { at = \"pole\", finest = 1.6e-4 }";
const FINE: &str = "pole_radius = 3.6e-4, focus = 2.5, grade = { at = \"pole\", finest = 6.0e-5 }";

/// A method to compute the impact.
struct Way {
    name: &'static str,
    /// True for balls whose contact is resolved.
    is_fine: bool,
    overrides: &'static [&'static str],
    /// Largest CPU time of the third method relative to this one: the claim about quasistatic high modes.
    gain: Option<f64>,
}

const DYNAMIC: &str = "simulation.scheme=\"dynamic\"";
const DAMPED: &str = "simulation.scheme=\"damped\"";
const NO_PENALTY: &str = "contact.0.law={ kind = \"lagrange\" }";
const ALPHA: &str = "simulation.integrator=\"generalised-alpha\"";
/// A two-hundredth of the contact.
const STEP: &str = "simulation.time_step=6.4e-7";
/// Tolerance at which five digits of the force of the other schemes are converged.
const LOOSE: &str = "simulation.relative_tolerance=1.0e-4";

/// Tolerance at which generalised-α gives the force with all modes.
const LOOSEST: &str = "simulation.relative_tolerance=0.1";
/// The tolerance on fine balls, where a larger one gives a force with an error of 15 % in a step in contact.
const LOOSEST_FINE: &str = "simulation.relative_tolerance=0.03";

/// A method on coarse balls.
const fn coarse(name: &'static str, overrides: &'static [&'static str], gain: Option<f64>) -> Way {
    Way { name, is_fine: false, overrides, gain }
}

/// A method on fine balls.
const fn fine(name: &'static str, overrides: &'static [&'static str], gain: Option<f64>) -> Way {
    Way { name, is_fine: true, overrides, gain }
}

/// The first method of each pair of balls is the reference of the others.
const WAYS: [Way; 16] = [
    coarse("(c) quasistatic, penalty", &[LOOSE], None),
    coarse("(c), 0.37 ms beyond the contact", &[LOOSE, "simulation.end_time=6.0e-4"], None),
    coarse("(d) quasistatic, no penalty", &[LOOSE, NO_PENALTY], None),
    coarse("(c), tolerance 1e-6", &[], None),
    coarse("(c), generalised-α, steps of T/200", &[ALPHA, STEP], None),
    coarse(
        "(a) all dynamic, Dormand and Prince, tolerance 1e-3",
        &[DYNAMIC, "simulation.integrator=\"dormand-prince5\"", "simulation.relative_tolerance=1.0e-3"],
        Some(0.1),
    ),
    coarse(
        "(a), Radau IIA, tolerance 0.01",
        &[DYNAMIC, "simulation.integrator=\"radau5\"", "simulation.relative_tolerance=0.01"],
        Some(0.1),
    ),
    coarse("(a), generalised-α, steps of T/200", &[DYNAMIC, ALPHA, STEP], Some(1.0)),
    coarse("(a), generalised-α, own steps, tolerance 0.1", &[DYNAMIC, ALPHA, LOOSEST], Some(1.0)),
    coarse("(b) high modes damped, the same steps", &[DAMPED, ALPHA, STEP], Some(1.0)),
    coarse(
        "(b), generalised-α, own steps, tolerance 0.01",
        &[DAMPED, ALPHA, "simulation.relative_tolerance=0.01"],
        Some(1.0),
    ),
    fine("fine balls: (c)", &[LOOSE], None),
    fine("fine balls: (d)", &[LOOSE, NO_PENALTY], None),
    fine("fine balls: (a), generalised-α, steps of T/200", &[DYNAMIC, ALPHA, STEP], Some(1.0)),
    fine(
        "fine balls: (a), generalised-α, own steps, tolerance 0.03",
        &[DYNAMIC, ALPHA, LOOSEST_FINE],
        Some(1.0),
    ),
    fine("fine balls: (b), the same steps", &[DAMPED, ALPHA, STEP], Some(1.0)),
];

/// The method whose steps after the contact are those of flight, except for a few.
const LONGER: usize = 1;

/// Outcome of a method.
struct Found {
    peak_force: f64,
    duration: f64,
    restitution: f64,
    cpu_seconds: f64,
    summary: RunSummary,
    /// Mean steps before, in and after contact \[s\].
    steps: [f64; 3],
}

/// All contacts of the two balls combined.
fn whole(contacts: &[ContactEvent]) -> Option<[f64; 4]> {
    let (first, last) = (contacts.first()?, contacts.last()?);
    let peak = contacts.iter().map(|contact| contact.peak_force).fold(0.0, f64::max);
    Some([peak, first.start, last.end, -last.velocity_after / first.velocity_before])
}

/// Mean step between frames that lie within two times; not a number if fewer than two do.
fn mean_step(frames: &[StoredFrame], within: [f64; 2]) -> f64 {
    let mut inside = frames.iter().filter(|frame| (within[0]..=within[1]).contains(&frame.time));
    let (Some(first), Some(last)) = (inside.next(), inside.next_back()) else { return f64::NAN };
    (last.time - first.time) / last.steps.saturating_sub(first.steps) as f64
}

fn run(bench: &Bench<'_>, way: &Way) -> Result<Found, BenchError> {
    let (name, ball) =
        if way.is_fine { ("double-pendulums-fine", FINE) } else { ("double-pendulums", COARSE) };
    let scenario = SCENARIO.replace(COARSE, ball);
    let overrides: Vec<String> = way.overrides.iter().map(|text| (*text).to_owned()).collect();
    let outcome = bench.run_with(name, &scenario, None, &overrides)?;
    let Some([peak_force, start, end, restitution]) = whole(&outcome.summary.contacts) else {
        return Err(BenchError::Impacts { scenario: way.name.to_owned(), count: 0 });
    };
    let frames = bench.open(name)?.frames()?;
    let steps = [[0.0, start], [start, end], [end, f64::INFINITY]].map(|within| mean_step(&frames, within));
    let (duration, cpu_seconds) = (end - start, outcome.cpu_seconds);
    Ok(Found { peak_force, duration, restitution, cpu_seconds, summary: outcome.summary, steps })
}

/// All methods with their cost relative to the first.
pub(crate) fn double_pendulums(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let mut outcome = Outcome {
        table: Table {
            header: vec![
                "",
                "peak force, N",
                "duration, µs",
                "restitution",
                "touches",
                "steps (rejected)",
                "step before, in, after contact, µs",
                "right-hand sides",
                "derivatives, factors",
                "CPU, s",
                "energy lost",
                "error of the balance",
            ],
            rows: Vec::new(),
        },
        ..Outcome::default()
    };
    let mut found = Vec::new();
    for way in &WAYS {
        found.push(run(bench, way)?);
    }
    for (way, found_by) in WAYS.iter().zip(&found) {
        outcome.table.rows.push(cells(way.name, found_by));
        let name = |what: &str| format!("{}: {what}", way.name);
        let first = WAYS.iter().position(|other| other.is_fine == way.is_fine);
        let Some((gain, basis)) = way.gain.zip(first.map(|first| &found[first])) else { continue };
        let force = found_by.peak_force / basis.peak_force;
        outcome.rows.push(Row::new(name("peak force over that of (c)"), "", force, 1.0, 0.01));
        let time = basis.cpu_seconds / found_by.cpu_seconds;
        outcome.rows.push(Row::new(name("part of its CPU time that (c) takes"), "", time, 0.0, gain));
    }
    let [before, _, after] = found[LONGER].steps;
    outcome.rows.push(Row::new("(c): steps after contact over those before", "", after / before, 1.0, 0.2));
    outcome.table.rows.push(hertz());
    Ok(outcome)
}

fn cells(name: &str, found: &Found) -> Vec<String> {
    let Found { summary, steps, .. } = found;
    let counters = summary.integration.unwrap_or_default();
    let touches: u32 = summary.contacts.iter().map(|contact| contact.sub_impacts).sum();
    let ledger = &summary.ledger;
    vec![
        name.to_owned(),
        significant(found.peak_force, 5),
        significant(1e6 * found.duration, 5),
        significant(found.restitution, 4),
        touches.to_string(),
        format!("{} ({})", counters.steps, counters.rejected),
        steps.map(|step| significant(1e6 * step, 2)).join(", "),
        counters.evaluations.to_string(),
        format!("{}, {}", counters.jacobians, counters.factorisations),
        significant(found.cpu_seconds, 3),
        format!("{} µJ", significant(1e6 * (ledger.energy_initial - ledger.energy_final), 3)),
        significant(ledger.energy_error, 2),
    ]
}

/// Two free balls of half-spaces, without rods.
fn hertz() -> Vec<String> {
    let mass = 7800.0 * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
    let pair = HertzPair::new([RADIUS; 2], [210e9; 2], [0.3; 2]);
    let impact = pair.impact(0.5 * mass, SPEED);
    let mut row = vec!["Hertz, free balls".to_owned(), significant(impact.peak.force, 5)];
    row.extend([significant(1e6 * impact.duration, 5), "1".to_owned()]);
    row.resize(12, String::new());
    row
}
