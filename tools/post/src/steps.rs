//! Lengths of the steps of a run.

use carom_report::{Axis, Drawing, Plot, Series};

use crate::plot::contact_forces;
use crate::time::time_axis;
use crate::{Run, RunError};

/// Height of the contact forces below the steps.
const FORCES: f64 = 220.0;

/// The axis of steps.
pub(crate) fn axis() -> Axis {
    Axis::new("mean step", "s").logarithmic()
}

/// Mean length of the steps before each frame \[s\]; NaN at the first one.
///
/// A step that reaches over several frames counts for all of them.
///
/// # Errors
///
/// [`RunError::Result`]; [`RunError::Empty`] of a static run.
pub(crate) fn lengths(run: &Run) -> Result<Vec<f64>, RunError> {
    if run.header().scheme() == Some("static") {
        let what = "no steps in time, as it is static";
        return Err(RunError::Empty { what, hint: "plot contact-force" });
    }
    let counts = run.reader().frame_steps()?;
    let mut lengths = vec![f64::NAN; counts.len()];
    let mut from = 0;
    for frame in 1..counts.len() {
        if counts[frame] > counts[from] {
            let mean = (run.times()[frame] - run.times()[from]) / (counts[frame] - counts[from]) as f64;
            lengths[from + 1..=frame].fill(mean);
            from = frame;
        }
    }
    Ok(lengths)
}

/// Steps over time, with the contact forces below them.
pub(crate) fn draw(run: &Run) -> Result<Drawing, RunError> {
    let series = Series::line("", run.times().to_vec(), lengths(run)?);
    let steps = Plot::new("Mean steps between frames", time_axis(run)?, axis()).with(series);
    if run.header().pairs.is_empty() {
        return Ok(steps.draw());
    }
    let mut forces = contact_forces(run)?;
    forces.size[1] = FORCES;
    Ok(Drawing::stacked([steps.draw(), forces.draw()]))
}

#[cfg(test)]
mod tests {
    use carom_dynamics::{Balance, BodyState, Frame, Ledger, LedgerSummary, Observer};
    use carom_format::ResultWriter;
    use carom_format::result::{ResultBody, RunHeader, RunState};

    use super::*;

    /// Ten steps in the first second, and one over the next two, in whose middle a frame lies.
    #[test]
    fn a_step_over_several_frames_counts_for_all_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("steps.carom");
        let body = ResultBody { name: "ball".to_owned(), rigid: true, mass: 1.0, ..ResultBody::default() };
        let header = RunHeader { bodies: vec![body], ..RunHeader::default() };
        let mut writer = ResultWriter::create(&path, &header, 0, false).unwrap();
        let mut ledger = Ledger::default();
        for (time, steps) in [(0.0, 0), (1.0, 10), (2.0, 10), (3.0, 11)] {
            let row = ledger.record(Balance { time, ..Balance::default() });
            let bodies = &[BodyState::default()];
            let frame = Frame { time, steps, bodies, contacts: &[], joints: &[], ledger: &row };
            writer.frame(&frame).unwrap();
        }
        writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
        let run = Run::open(&path).unwrap();
        let found = lengths(&run).unwrap();
        assert!(found[0].is_nan());
        assert_eq!(found[1..], [0.1, 2.0, 2.0]);
        assert!(draw(&run).is_ok());
    }
}
