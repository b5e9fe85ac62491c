//! Linear bodies with contact as a complementarity problem: Wendt's bar, and a bar that turns.

use carom_post::Run;
use carom_post::curves::draw_all;
use carom_post::plot::Quantity;
use carom_report::number::significant;

use crate::{Bench, BenchError, Outcome, Row, Table};

const BAR: &str = include_str!("../../../meshes/wendt-bar/scenario.toml");
const TURNING: &str = include_str!("../../../meshes/wendt-bar/turning.toml");
const REDUCED: &str = include_str!("../../../meshes/wendt-bar/turning-reduced.toml");

/// Cells, impulse and part of the energy that is lost with linear elements along a line, and half of the last
/// digit of the loss relative to it.
const LINE: [(u32, f64, f64, f64); 3] =
    [(50, 1.9839, 0.0052, 0.01), (200, 1.9938, 0.0014, 0.036), (800, 1.9975, 0.000_36, 0.014)];

/// Kinetic energy of the bar \[J\].
const ENERGY: f64 = 0.5;

/// Largest rise of the energy between frames \[J\].
fn rises(run: &Run) -> Result<f64, BenchError> {
    let [kinetic, elastic] = run.ledger_columns(["E_kin", "E_el"])?;
    let energies: Vec<f64> = kinetic.iter().zip(&elastic).map(|(t, u)| t + u).collect();
    Ok(energies.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max))
}

fn last(run: &Run, column: &str) -> Result<f64, BenchError> {
    let [values] = run.ledger_columns([column])?;
    Ok(values.last().copied().unwrap_or(f64::NAN))
}

/// Wendt (2007): impulse and energy of the bar with consistent and redistributed mass.
pub(crate) fn bar(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "cells",
        "mass",
        "steps",
        "contact [s]",
        "impulse [N s]",
        "D_imp [J]",
        "D_num [J]",
        "peak force [N]",
        "CPU [s]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    let mut runs = Vec::new();
    let consistent = LINE.iter().map(|line| (line.0, "consistent", Some(line)));
    for (cells, mass, line) in consistent.chain([(50, "redistributed", None)]) {
        // Half of the time in which a wave of 10 m/s passes a cell.
        let step = 0.05 / f64::from(cells);
        let keys = [
            format!("body.0.make.elements=[{cells}, 1, 1]"),
            format!("simulation.time_step={step:e}"),
            format!("simulation.mass={mass}"),
        ];
        let name = format!("wendt-bar-{cells}-{mass}");
        let found = bench.run_with(&name, BAR, None, &keys)?;
        let [contact] = &found.summary.contacts[..] else {
            return Err(BenchError::Impacts { scenario: name, count: found.summary.contacts.len() });
        };
        let run = bench.open(&name)?;
        let (arrived, missed) = (last(&run, "D_imp")?, last(&run, "D_num")?);
        let title = |what: &str| format!("{cells} cells, {mass}: {what}");
        if let Some((_, impulse, loss, digits)) = line {
            outcome.rows.push(Row::new(title("impulse"), "N s", contact.impulse[0], *impulse, 2.6e-5));
            outcome.rows.push(Row::new(title("energy lost"), "", arrived / ENERGY, *loss, *digits));
            let rise = rises(&run)? / ENERGY;
            outcome.rows.push(Row::new(title("largest rise of the energy"), "", rise, 0.0, 1e-12));
        } else {
            outcome.rows.push(Row::new(title("impulse"), "N s", contact.impulse[0], 2.0, 0.01));
        }
        let end = title("time of the last contact, 2L/c after the first");
        outcome.rows.push(Row::new(end, "s", contact.end, 0.25, 1.2 / f64::from(cells)));
        outcome.table.rows.push(vec![
            cells.to_string(),
            mass.to_owned(),
            found.summary.steps.to_string(),
            format!("{} to {}", significant(contact.start, 4), significant(contact.end, 4)),
            significant(contact.impulse[0], 5),
            significant(arrived, 3),
            significant(missed, 3),
            significant(contact.peak_force, 4),
            significant(found.cpu_seconds, 2),
        ]);
        if cells == 50 {
            runs.push(run);
        }
    }
    let of_one = [
        ("wendt-bar-energy", "Energies of 50 cells, consistent mass."),
        ("wendt-bar-redistributed-energy", "Energies of 50 cells, redistributed mass."),
    ];
    let force = draw_all(&runs, &[Quantity::ContactForce])?;
    let caption = "The force of 50 cells: consistent mass, and dashed redistributed mass.";
    outcome.pictures.push(("wendt-bar-force".to_owned(), force, caption.to_owned()));
    for ((name, caption), run) in of_one.into_iter().zip(&runs) {
        let drawing = draw_all(std::slice::from_ref(run), &[Quantity::Energy])?;
        outcome.pictures.push((name.to_owned(), drawing, caption.to_owned()));
    }
    Ok(outcome)
}

/// A ball of few cells, which steps of large deformation move in seconds.
const COARSE: &str = "body.1.make={ shape = \"ball\", radius = 0.015, elements = [4], hex = true, \
                      order = 1, pole_radius = 8e-3 }";

/// A way to compute the impact.
struct Way {
    name: &'static str,
    text: &'static str,
    keys: &'static [&'static str],
}

/// Floating frames, and linear bodies with the same meshes; large deformation, and linear bodies with the
/// same meshes.
const WAYS: [[Way; 2]; 2] = [
    [
        Way { name: "quasistatic", text: REDUCED, keys: &[] },
        Way { name: "complementarity", text: TURNING, keys: &[] },
    ],
    [
        Way {
            name: "energy-momentum, coarse ball",
            text: TURNING,
            keys: &[
                COARSE,
                "simulation.scheme=\"energy-momentum\"",
                "material.soft.law=\"st-venant-kirchhoff\"",
            ],
        },
        Way { name: "complementarity, coarse ball", text: TURNING, keys: &[COARSE] },
    ],
];

/// Angular velocities of the bar \[rad/s\], and the largest difference of the impulse that is claimed.
const TURNS: [(f64, Option<f64>); 3] = [(0.0, Some(0.01)), (20.0, Some(0.02)), (80.0, None)];

/// Distance of the impact from the middle of the bar \[m\], and the velocity of the approach \[m/s\].
const ARM: f64 = 0.06;
const APPROACH: f64 = 1.0;

/// Angle of a rotation \[rad\].
fn angle([w, x, y, z]: [f64; 4]) -> f64 {
    2.0 * (x * x + y * y + z * z).sqrt().atan2(w.abs())
}

/// A bar that turns is hit by a ball: linear theory against floating frames and large deformation.
pub(crate) fn turning(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let header = vec![
        "turns with [rad/s]",
        "scheme",
        "turned by [rad]",
        "peak force [N]",
        "impulse [mN s]",
        "ball afterwards [m/s]",
        "bar afterwards [rad/s]",
        "error of E",
        "error of L",
        "warns of the turn",
        "CPU [s]",
    ];
    let mut outcome = Outcome { table: Table { header, rows: Vec::new() }, ..Outcome::default() };
    for (turn, claim) in TURNS {
        for [exact, linear] in &WAYS {
            let [expected, _] = impact(bench, turn, exact, &mut outcome.table)?;
            let [measured, warnings] = impact(bench, turn, linear, &mut outcome.table)?;
            let title = |what: &str| format!("{turn} rad/s, {}: {what}", linear.name);
            let warned = f64::from(u8::from(turn > 0.0));
            outcome.rows.push(Row::new(title("warns of the turn"), "", warnings, warned, 0.0));
            outcome.rows.push(match claim {
                Some(tolerance) => Row::new(title("impulse"), "N s", measured, expected, tolerance),
                None => {
                    let what = title("impulse over that of the other scheme");
                    Row::shown(what, "", measured / expected)
                }
            });
        }
    }
    Ok(outcome)
}

/// Impulse on the ball \[N s\], and 1 if there is a warning of the turn, else 0.
fn impact(bench: &Bench<'_>, turn: f64, way: &Way, table: &mut Table) -> Result<[f64; 2], BenchError> {
    let mut keys = vec![
        format!("body.0.angular_velocity=[0.0, {:?}, 0.0]", -turn),
        format!("body.1.velocity=[0.0, 0.0, {:?}]", ARM * turn - APPROACH),
    ];
    keys.extend(way.keys.iter().map(|key| (*key).to_owned()));
    let name = format!("turning-bar-{turn}-{}", way.name.replace(", ", "-").replace(' ', "-"));
    let found = bench.run_with(&name, way.text, None, &keys)?;
    let ([contact], [bar, ball]) = (&found.summary.contacts[..], &found.bodies[..]) else {
        return Err(BenchError::Impacts { scenario: name, count: found.summary.contacts.len() });
    };
    let [energy, _, ang_momentum] = found.summary.ledger.errors().map(|error| error.unwrap_or(0.0));
    let has_warned = found.warnings.iter().any(|text| text.contains("turned by"));
    // Displacements of whole bodies are from a frame that stays.
    let is_reduced = way.name == "quasistatic";
    let of_frame = |value: f64| if is_reduced { significant(value, 3) } else { "–".to_owned() };
    table.rows.push(vec![
        significant(turn, 2),
        way.name.to_owned(),
        of_frame(angle(bar.quaternion)),
        significant(contact.peak_force, 4),
        significant(1e3 * contact.impulse[2], 4),
        significant(ball.velocity[2], 4),
        of_frame(bar.angular_velocity[1]),
        significant(energy, 2),
        significant(ang_momentum, 2),
        if has_warned { "yes" } else { "no" }.to_owned(),
        significant(found.cpu_seconds, 2),
    ]);
    Ok([contact.impulse[2], f64::from(u8::from(has_warned))])
}
