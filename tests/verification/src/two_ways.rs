//! The same impact by reduced bodies and by whole ones in explicit steps.

use carom_post::Run;
use carom_post::curves::{SetMotion, draw_all, motion_of_set};
use carom_post::plot::Quantity;
use carom_report::number::significant;

use crate::{Bench, BenchError, Outcome, Row, Table};

const REDUCED: &str = include_str!("../../../meshes/sphere-on-rod/soft.toml");
const WHOLE: &str = include_str!("../../../meshes/sphere-on-rod/soft-whole.toml");

/// Largest velocity of the far end of the rod in the first wave \[m/s\], and its time \[s\].
fn wave(run: &Run) -> Result<[f64; 2], BenchError> {
    let velocities = motion_of_set(run, SetMotion::Velocity, ["rod", "start"])?;
    let along = run.times().iter().zip(velocities).map(|(time, v)| [v[0], *time]);
    Ok(along.fold([0.0; 2], |most, now| if now[0].abs() > most[0].abs() { now } else { most }))
}

/// A ball of soft plastic on the end of a rod of the same material.
pub(crate) fn soft_rod(bench: &Bench<'_>) -> Result<Outcome, BenchError> {
    let table = Table {
        header: vec![
            "bodies",
            "dofs",
            "steps",
            "peak force [N]",
            "duration [ms]",
            "ball afterwards [m/s]",
            "rod afterwards [m/s]",
            "far end, largest [m/s]",
            "at [ms]",
            "CPU of the run [s]",
        ],
        rows: Vec::new(),
    };
    let mut outcome = Outcome { table, ..Outcome::default() };
    let mut figures = Vec::new();
    let mut runs = Vec::new();
    for (bodies, name, text) in [("reduced", "soft", REDUCED), ("whole", "soft-whole", WHOLE)] {
        let found = bench.impact(name, text, None)?;
        let run = bench.open(name)?;
        let [speed, time] = wave(&run)?;
        let [ball, rod] = [0, 1].map(|body| found.velocities[body][0]);
        figures.push([found.peak_force, found.duration, ball, rod, speed.abs(), time]);
        let steps = found.steps;
        outcome.table.rows.push(vec![
            bodies.to_owned(),
            Bench::dofs(&run)?.to_string(),
            steps.to_string(),
            significant(found.peak_force, 4),
            significant(1e3 * found.duration, 4),
            significant(ball, 4),
            significant(rod, 4),
            significant(speed, 4),
            significant(1e3 * time, 4),
            significant(found.cpu_seconds, 3),
        ]);
        let title = format!("{bodies}: error of the momentum");
        outcome.rows.push(Row::new(title, "", found.momentum_error, 0.0, 1e-12));
        runs.push(run);
    }
    let [reduced, whole] = [figures[0], figures[1]];
    let rows = [
        ("peak force", "N", 0.03),
        ("duration", "s", 0.03),
        ("ball afterwards", "m/s", 0.03),
        ("rod afterwards", "m/s", 0.03),
        ("far end, largest velocity", "m/s", 0.03),
        ("far end, time of it", "s", 0.03),
    ];
    for (k, (what, unit, tolerance)) in rows.into_iter().enumerate() {
        outcome.rows.push(Row::new(what, unit, whole[k], reduced[k], tolerance));
    }
    let end = Quantity::Set {
        motion: SetMotion::Velocity,
        body: "rod".to_owned(),
        set: "start".to_owned(),
        axis: Some(0),
    };
    for (name, quantity, caption) in [
        (
            "soft-rod-force",
            Quantity::ContactForce,
            "The force of reduced bodies, and dashed that of whole ones.",
        ),
        ("soft-rod-wave", end, "The velocity of the far end of the rod: reduced, and dashed whole."),
    ] {
        outcome.pictures.push((name.to_owned(), draw_all(&runs, &[quantity])?, caption.to_owned()));
    }
    Ok(outcome)
}
