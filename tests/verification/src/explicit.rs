//! Whole bodies in explicit steps: the two bars of Zywicz and Puso (1999), with multipliers and with springs.

use carom_post::Run;
use carom_post::curves::{SetMotion, draw_all};
use carom_post::plot::Quantity;
use carom_report::number::significant;

use crate::{Bench, BenchError, Outcome, Row, Table};

const MULTIPLIERS: &str = include_str!("../../../meshes/two-bars/scenario.toml");
const SPRINGS: &str = include_str!("../../../meshes/two-bars/penalty.toml");

/// Cells of a bar of 50 m, mass and stiffness of a cell \[kg, N/m\].
const CELLS: usize = 50;
const MASS: f64 = 0.01;
const STIFFNESS: f64 = 100.0;
/// Distance of the bars, speed of the left one, length and number of steps \[m, m/s, s\].
const GAP: f64 = 0.01;
const SPEED: f64 = 1.0;
const DT: f64 = 0.009;
/// Length of a step with springs \[s\].
const DT_SPRINGS: f64 = 0.0045;
const END: f64 = 1.5;

/// Stiffness of the springs of both sides together \[N/m\].
const SPRING: f64 = 100.0;

/// The bars as two chains of masses and springs.
struct Chain {
    /// Velocities of the centres of mass at the end \[m/s\].
    velocities: [f64; 2],
    /// Largest overlap \[m\].
    overlap: f64,
    /// Energy lost as masses stop at the contact, relative to that at the start.
    loss: f64,
}

/// Central differences of both chains. Contact is an impulse that closes the gap at the end of the step, or
/// a spring.
fn chain(spring: Option<f64>) -> Chain {
    let mass = |i: usize| if i == 0 || i == CELLS { 0.5 * MASS } else { MASS };
    let mut u = [[0.0; CELLS + 1]; 2];
    let mut v = [[SPEED; CELLS + 1], [0.0; CELLS + 1]];
    let (mut overlap, mut loss) = (0.0_f64, 0.0);
    let mut time = 0.0;
    let step = if spring.is_some() { DT_SPRINGS } else { DT };
    while time < END - 1e-9 {
        let dt = step.min(END - time);
        let gap = GAP + u[1][0] - u[0][CELLS];
        overlap = overlap.max(-gap);
        let before = v[0][CELLS] - v[1][0];
        for (u, v) in u.iter().zip(&mut v) {
            for i in 0..=CELLS {
                let right = if i < CELLS { u[i + 1] - u[i] } else { 0.0 };
                let left = if i > 0 { u[i] - u[i - 1] } else { 0.0 };
                v[i] += dt * STIFFNESS * (right - left) / mass(i);
            }
        }
        let approach = v[0][CELLS] - v[1][0];
        let impulse = match spring {
            Some(stiffness) => dt * stiffness * (-gap).max(0.0),
            None => (approach - gap / dt).max(0.0) * 0.5 * mass(0),
        };
        v[0][CELLS] -= impulse / mass(0);
        v[1][0] += impulse / mass(0);
        if spring.is_none() {
            // The impulse acts at the mean of the velocities on both sides of t_n.
            loss += 0.5 * impulse * (before + v[0][CELLS] - v[1][0]);
        }
        for (u, v) in u.iter_mut().zip(&v) {
            u.iter_mut().zip(v).for_each(|(u, v)| *u += dt * v);
        }
        time += dt;
    }
    let total = MASS * CELLS as f64;
    let velocities = v.map(|v| (0..=CELLS).map(|i| mass(i) * v[i]).sum::<f64>() / total);
    Chain { velocities, overlap, loss: loss / (0.5 * total * SPEED * SPEED) }
}

/// Two elastic bars with multipliers, and with springs.
pub(crate) fn two_bars(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let table = Table {
        header: vec![
            "contact",
            "left bar [m/s]",
            "right bar [m/s]",
            "overlap [m]",
            "duration [s]",
            "mean force [N]",
            "loss [%]",
            "CPU [s]",
        ],
        rows: Vec::new(),
    };
    let mut outcome = Outcome { table, ..Outcome::default() };
    let mut runs = Vec::new();
    for (name, file, text, spring) in [
        ("multipliers", "two-bars", MULTIPLIERS, None),
        ("springs", "two-bars-penalty", SPRINGS, Some(SPRING)),
    ] {
        let found = bench.run(file, text, None)?;
        let run = bench.open(file)?;
        let expected = chain(spring);
        let [left, right] = [0, 1].map(|body| found.bodies[body].velocity[0]);
        let events = &found.summary.contacts[..];
        let [first, ..] = events else {
            return Err(BenchError::Impacts { scenario: file.to_owned(), count: 0 });
        };
        let duration = events.last().map_or(0.0, |last| last.end) - first.start;
        let force = mean_force(&run)?;
        let [overlap, lost] = run.ledger_columns(["pen_max", "D_imp"])?;
        let [overlap, lost] = [overlap, lost].map(|column| column.last().copied().unwrap_or(f64::NAN));
        let loss = lost / (0.5 * MASS * CELLS as f64 * SPEED * SPEED);
        let rows = &mut outcome.rows;
        // Velocities at the end are means of both sides of it, the chain has those of the last step: they are
        // equal to the acceleration of the centre of mass, which is zero after the contact.
        rows.push(Row::new(format!("{name}: right bar"), "m/s", right, expected.velocities[1], 1e-9));
        rows.push(Row::new(format!("{name}: left bar"), "m/s", left, expected.velocities[0], 1e-6));
        if spring.is_none() {
            rows.push(Row::new("multipliers: force of the bar waves", "N", force, 0.5, 0.01));
            rows.push(Row::new("multipliers: duration, a wave there and back", "s", duration, 1.0, 2.0 * DT));
            rows.push(Row::new("multipliers: energy lost", "", loss, expected.loss, 1e-6));
            // Ten ulps of the coordinates, of up to 50 m.
            rows.push(Row::new("multipliers: overlap", "m", overlap, 0.0, 7e-14));
        } else {
            rows.push(Row::new("springs: overlap", "m", overlap, expected.overlap, 1e-9));
        }
        rows.push(Row::new(
            format!("{name}: momentum error"),
            "",
            found.summary.ledger.momentum_error,
            0.0,
            1e-13,
        ));
        outcome.table.rows.push(vec![
            name.to_owned(),
            significant(left, 4),
            significant(right, 5),
            significant(overlap, 3),
            significant(duration, 4),
            significant(force, 4),
            significant(100.0 * loss, 3),
            significant(found.cpu_seconds, 2),
        ]);
        runs.push(run);
    }
    let sets = |motion: SetMotion| {
        [("left", "east"), ("right", "west")].map(|(body, set)| Quantity::Set {
            motion,
            body: body.to_owned(),
            set: set.to_owned(),
            axis: Some(0),
        })
    };
    for (name, motion) in
        [("two-bars-velocities", SetMotion::Velocity), ("two-bars-displacements", SetMotion::Displacement)]
    {
        let drawing = draw_all(&runs, &sets(motion))?;
        let caption = "The faces in contact: multipliers, and dashed springs of 100 N/m.".to_owned();
        outcome.pictures.push((name.to_owned(), drawing, caption));
    }
    Ok(outcome)
}

/// Mean normal force from 0.1 to 0.9 s \[N\].
fn mean_force(run: &Run) -> Result<f64, BenchError> {
    let forces = run.reader().normal_forces(0).map_err(carom_post::RunError::from)?;
    let inside = |time: &f64| (0.1..0.9).contains(time);
    let inside: Vec<f64> =
        run.times().iter().zip(forces).filter(|(time, _)| inside(time)).map(|(_, force)| force).collect();
    Ok(inside.iter().sum::<f64>() / inside.len() as f64)
}
