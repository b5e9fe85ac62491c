//! Motion in a report: velocities, final positions of the bodies, joints, balances.

use carom_report::number::is_round_off;
use carom_report::{Drawing, Report};

use crate::plot::{self, Course, Quantity};
use crate::scales::{size, speeds};
use crate::{Run, RunError, joints, table};

/// Motion of the bodies, and the balances over time.
pub(super) fn of_motion(report: &mut Report, run: &Run) -> Result<(), RunError> {
    velocities(report, run)?;
    report.heading("Bodies at the end");
    report.table(
        table::bodies(run)?,
        "Positions of the body frames, velocities of the centres of mass; values below 10⁻¹² of the largest \
         are round-off and shown as 0.",
    );
    if !run.header().joints.is_empty() {
        report.heading("Joints");
        let means = if run.has_mean_joint_forces() { ": means since the frame before" } else { "" };
        let caption = format!(
            "Largest force on the second body, torque on it about the first end, and power of a motion, in \
             the frames of the result{means}."
        );
        report.table(joints::peaks(run)?, &caption);
    }
    report.heading("Balance");
    report.drawing(plot::draw(run, &Quantity::Energy)?, "Energies, and the residual of their balance.");
    report.drawing(plot::draw(run, &Quantity::Momentum)?, "Momenta, and the residuals of their balances.");
    Ok(())
}

/// Number of bodies up to which each has a plot of its velocity.
const PLOTTED: usize = 6;

/// Velocities of the moving bodies.
fn velocities(report: &mut Report, run: &Run) -> Result<(), RunError> {
    let frames = run.frames()?;
    let [fastest, rate] = speeds(&frames);
    let bodies = &run.header().bodies;
    // The speed at the rim of a rotating body is not known here: every rotation is shown.
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
                "Speeds of the centres of mass of the fastest {} of {} moving bodies; carom-post plot \
                 RESULT --what velocity:BODY draws the velocity of any body.",
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
