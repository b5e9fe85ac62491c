//! Motion in a report: velocities, where the bodies end, joints, balances.

use carom_report::number::is_round_off;
use carom_report::{Drawing, Report};

use crate::plot::{self, Course, Quantity};
use crate::scales::{size, speeds};
use crate::{Run, RunError, joints, table};

/// Where the bodies are, and the balances of a run in time.
pub(super) fn of_motion(report: &mut Report, run: &Run) -> Result<(), RunError> {
    velocities(report, run)?;
    report.heading("Bodies at the end");
    report.table(
        table::bodies(run)?,
        "Positions of the body frames, velocities of the centres of mass; what is below 10⁻¹² of the largest \
         is round-off and shown as 0.",
    );
    if !run.header().joints.is_empty() {
        report.heading("Joints");
        report.table(
            joints::peaks(run)?,
            "Largest force on the second body, torque on it about the first end, and power of a motion, in \
             the frames of the result.",
        );
    }
    report.heading("Balance");
    report.drawing(plot::draw(run, &Quantity::Energy)?, "Energies, and what their balance leaves over.");
    report.drawing(plot::draw(run, &Quantity::Momentum)?, "Momenta, and what their balances leave over.");
    Ok(())
}

/// Bodies whose velocities have a plot each.
const PLOTTED: usize = 6;

/// How fast the bodies that move are.
fn velocities(report: &mut Report, run: &Run) -> Result<(), RunError> {
    let frames = run.frames()?;
    let [fastest, rate] = speeds(&frames);
    let bodies = &run.header().bodies;
    // Of a body that turns, the speed at its rim is not known here: any turn is shown.
    let moves = |n: &usize| {
        let mut states = frames.iter().filter_map(|frame| frame.bodies.get(*n));
        states.any(|b| {
            !is_round_off(size(b.velocity), fastest) || !is_round_off(size(b.angular_velocity), rate)
        })
    };
    let moving: Vec<usize> = (0..bodies.len()).filter(moves).collect();
    report.heading("Velocities");
    if moving.is_empty() {
        report.paragraph("No body moves.");
        return Ok(());
    }
    if moving.len() > PLOTTED {
        let largest = |n: &usize| {
            let speeds = frames.iter().filter_map(|frame| frame.bodies.get(*n)).map(|b| size(b.velocity));
            speeds.fold(0.0, f64::max)
        };
        let mut by_speed = moving.clone();
        by_speed.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
        by_speed.truncate(PLOTTED + 2);
        report.drawing(
            plot::speed_plot(run, &frames, &by_speed)?.draw(),
            &format!(
                "Speeds of the centres of mass of the fastest {} of {} bodies that move; carom-post plot \
                 RESULT --what velocity:BODY draws any.",
                by_speed.len(),
                moving.len()
            ),
        );
        return Ok(());
    }
    for index in moving {
        let of = |what| -> Result<_, RunError> {
            let mut plot = plot::course_plot(run, &frames, index, what)?;
            plot.size[1] = 240.0;
            Ok(plot)
        };
        let mut drawings = vec![of(Course::Velocity)?.draw()];
        let turns = of(Course::AngularVelocity)?;
        if turns.series.iter().flat_map(|series| &series.y).any(|y| !is_round_off(*y, rate)) {
            drawings.push(turns.draw());
        }
        report.drawing(
            Drawing::stacked(drawings),
            &format!("{}: velocity of the centre of mass, inertial axes.", bodies[index].name),
        );
    }
    Ok(())
}
