//! Tables of single figures of a run: its summary, its costs.

use carom_report::{Column, Table};

use crate::{Run, RunError};

/// Rows of a name, a number and its unit.
struct Figures(Table);

impl Figures {
    fn new() -> Self {
        let columns = [("name", "quantity"), ("value", "value"), ("unit", "unit")];
        Self(Table::new(columns.map(|(key, heading)| Column::new(key, heading, "")).to_vec()))
    }

    fn push(&mut self, name: &str, value: Option<f64>, unit: &str) {
        let row = vec![name.into(), value.into(), unit.into()];
        self.0.push(row).expect("the row was made with the columns");
    }
}

/// End of the run, energies at both ends, errors of the balances relative to the largest energy and momenta.
pub(crate) fn summary(run: &Run) -> Result<Table, RunError> {
    let mut figures = Figures::new();
    let steps = run.reader().counters()?.into_iter().find(|(name, _)| name == "steps");
    let events = run.reader().contact_events()?;
    figures.push("end_time", run.times().last().copied(), "s");
    figures.push("frames", Some(run.times().len() as f64), "");
    figures.push("steps", steps.map(|(_, count)| count as f64), "");
    figures.push("bodies", Some(run.header().bodies.len() as f64), "");
    figures.push("contact_pairs", Some(run.header().pairs.len() as f64), "");
    figures.push("impacts", Some(events.len() as f64), "");
    let Some(summary) = run.reader().summary()? else { return Ok(figures.0) };
    let [energy, momentum, ang_momentum] = summary.errors();
    figures.push("energy_initial", Some(summary.energy_initial), "J");
    figures.push("energy_final", Some(summary.energy_final), "J");
    figures.push("energy_error", energy, "");
    figures.push("energy_limit", summary.energy_limit, "");
    figures.push("momentum_error", momentum, "");
    figures.push("ang_momentum_error", ang_momentum, "");
    Ok(figures.0)
}

/// Seconds of all phases, and counters; of contact by multipliers also the mean number of multipliers in a
/// step, and iterations for each of them; of unreduced bodies also the share of contact in the time loop.
pub(crate) fn timing(run: &Run) -> Result<Table, RunError> {
    let mut figures = Figures::new();
    for (phase, seconds) in run.reader().timings()? {
        figures.push(&phase, Some(seconds), "s");
    }
    let counters = run.reader().counters()?;
    for (name, count) in &counters {
        figures.push(name, Some(*count as f64), "");
    }
    let count = |name: &str| counters.iter().find(|(known, _)| known == name).map(|(_, count)| *count as f64);
    for (name, of, by) in [
        ("multipliers_per_contact_step", "multipliers", "contact_steps"),
        ("iterations_per_multiplier", "multiplier_iterations", "multipliers"),
    ] {
        if let (Some(of), Some(by)) = (count(of), count(by)) {
            figures.push(name, (by > 0.0).then(|| of / by), "");
        }
    }
    let timings = run.reader().timings()?;
    let seconds = |name: &str| timings.iter().find(|(phase, _)| phase == name).map(|(_, seconds)| *seconds);
    if let (Some(seconds), Some(steps)) = (seconds("time loop, cpu"), count("steps").filter(|n| *n > 0.0)) {
        figures.push("cpu_seconds_per_step", Some(seconds / steps), "s");
    }
    if let (Some(contact), Some(all)) =
        (seconds("time loop, contact"), seconds("time loop").filter(|s| *s > 0.0))
    {
        figures.push("contact_share", Some(contact / all), "");
    }
    Ok(figures.0)
}
