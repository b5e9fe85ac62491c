//! The time of a run in its unit of time, as an axis of plots and as a column of tables.

use carom_report::{Axis, Column};

use crate::run::{Run, RunError};

/// The axis of time, in the unit of time of the run.
pub(crate) fn time_axis(run: &Run) -> Result<Axis, RunError> {
    Ok(Axis::new("time", "s").prefixed(run.unit_of_time()?))
}

/// The column of times, in the unit of time of the run.
pub(crate) fn time_column(run: &Run) -> Result<Column, RunError> {
    Ok(Column::new("time", "time", "s").digits(6).prefixed(run.unit_of_time()?))
}
