//! The cost of a run, in its report.

use carom_report::{Column, Prefix, Report, Table, Value};

use super::{Extras, Phase, row};
use crate::{Run, RunError};

pub(super) fn cost(report: &mut Report, run: &Run, extras: &Extras) -> Result<(), RunError> {
    report.heading("Cost");
    phases(report, &extras.phases);
    let mut table = Table::new(vec![
        Column::new("phase", "phase", ""),
        Column::new("seconds", "wall time", "s").digits(3).prefixed(Prefix::NONE),
    ]);
    // Phases of the whole job are in the table above.
    let is_said = |name: &str| extras.phases.iter().any(|phase| phase.name == name);
    for (phase, seconds) in run.reader().timings()?.into_iter().filter(|(name, _)| !is_said(name)) {
        row(&mut table, vec![Value::Text(phase), seconds.into()]);
    }
    if !table.rows().is_empty() {
        report.table(table, if extras.phases.is_empty() { "" } else { "Parts of these phases." });
    }
    let mut table =
        Table::new(vec![Column::new("counter", "counter", ""), Column::new("count", "count", "")]);
    for (name, count) in run.reader().counters()? {
        row(&mut table, vec![Value::Text(name), Value::Integer(i64::try_from(count).unwrap_or(i64::MAX))]);
    }
    if !table.rows().is_empty() {
        report.table(table, "");
    }
    Ok(())
}

/// The whole job, phase by phase, with its sum.
fn phases(report: &mut Report, phases: &[Phase]) {
    if phases.is_empty() {
        return;
    }
    let mut table = Table::new(vec![
        Column::new("phase", "phase", ""),
        Column::new("seconds", "wall time", "s").digits(3).prefixed(Prefix::NONE),
        Column::new("when", "", ""),
    ]);
    for phase in phases {
        let when = if phase.is_earlier { "in an earlier run" } else { "" };
        row(&mut table, vec![Value::Text(phase.name.clone()), phase.seconds.into(), when.into()]);
    }
    let total: f64 = phases.iter().map(|phase| phase.seconds).sum();
    row(&mut table, vec!["all".into(), total.into(), "".into()]);
    report.table(
        table,
        "Phases of the job; phases that were up to date are listed with the time of the earlier run.",
    );
}
