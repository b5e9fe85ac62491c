//! Tables of single figures of a run: its summary, its costs.

use carom_dynamics::{ContactEvent, condensed};
use carom_format::result::{NoteLevel, RunState};
use carom_progress::Silent;
use carom_report::{Column, Table};

use crate::impacts::{event_name, pair_name};
use crate::{Run, RunError, below};

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

/// End of the run, the largest impact of each pair, the largest stress of each reduced body, cost, energies
/// at both ends, errors of the balances relative to the largest energy and momenta.
pub(crate) fn summary(run: &Run) -> Result<Table, RunError> {
    let mut figures = Figures::new();
    let steps = run.reader().counters()?.into_iter().find(|(name, _)| name == "steps");
    let events = run.reader().contact_events()?;
    figures.push("complete", Some(f64::from(run.reader().state()? == RunState::Done)), "");
    figures.push("end_time", run.times().last().copied(), "s");
    figures.push("frames", Some(run.times().len() as f64), "");
    figures.push("steps", steps.map(|(_, count)| count as f64), "");
    figures.push("bodies", Some(run.header().bodies.len() as f64), "");
    figures.push("contact_pairs", Some(run.header().pairs.len() as f64), "");
    figures.push("impacts", Some(events.len() as f64), "");
    let notes = run.reader().notes()?;
    let warnings = notes.iter().filter(|note| note.level == NoteLevel::Warning).count();
    figures.push("warnings", Some(warnings as f64), "");
    cost(run, &mut figures)?;
    // Forces of a static run are in equilibrium and last: its table is `forces`.
    if run.reader().static_forces()?.is_empty() {
        impacts(run, &events, &mut figures)?;
    }
    stresses(run, &mut figures)?;
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

/// Wall time of the run, and CPU time of its program until the result was closed; that of the run alone.
fn cost(run: &Run, figures: &mut Figures) -> Result<(), RunError> {
    let timings = run.reader().timings()?;
    let sum = |names: &[&str]| {
        let of = timings.iter().filter(|(phase, _)| names.contains(&&**phase));
        of.map(|(_, seconds)| *seconds).reduce(|a, b| a + b)
    };
    let wall = ["time loop", "statics: stiffness and compliance", "statics: load steps"];
    figures.push("seconds", sum(&wall), "s");
    let of_run = ["time loop, cpu", "statics, cpu"];
    figures.push("cpu_seconds", sum(&[&of_run[..], &["before the run, cpu", "set-up, cpu"]].concat()), "s");
    figures.push("cpu_seconds_of_run", sum(&of_run), "s");
    Ok(())
}

/// The largest impact of each pair, with the errors that are to be expected of it and the stress below it.
/// The name of a figure ends with that of the pair, and of a stress also with the body.
fn impacts(run: &Run, events: &[ContactEvent], figures: &mut Figures) -> Result<(), RunError> {
    let estimates = run.reader().error_estimates()?;
    for pair in condensed(events, 1) {
        let Some(event) = pair.largest().map(|largest| &events[largest]) else { continue };
        let name = event_name(run, event);
        let mut push = |key: &str, value, unit| figures.push(&format!("{key}.{name}"), value, unit);
        push("impacts", Some(pair.count as f64), "");
        push("start", Some(event.start), "s");
        push("duration", Some(event.duration()), "s");
        push("peak_force", event.peak().map(|(force, _)| force), "N");
        push("mean_force", event.mean_force(), "N");
        push("impulse", Some(event.impulse_size()), "N s");
        push("max_approach", Some(event.max_approach), "m");
        push("velocity_before", Some(event.velocity_before), "m/s");
        push("velocity_after", Some(event.velocity_after), "m/s");
        push("restitution", event.restitution(), "");
        push("vibration_energy", Some(event.vibration_energy), "J");
        if let Some(estimate) = estimates.get(pair.pair).copied().flatten() {
            push("peak_force_error", Some(estimate.force), "");
            push("impulse_error", Some(estimate.impulse), "");
            push("duration_error", Some(estimate.duration), "");
            push("restitution_error", event.restitution().map(|e| estimate.of_restitution(e)), "");
        }
    }
    for pair in 0..run.header().pairs.len() {
        // The files of the bodies are not needed: they may lie elsewhere.
        if run.reader().grid_course(pair)?.is_empty() {
            continue;
        }
        for stress in below::stresses(run, pair)? {
            let name = format!("contact_von_mises.{}.{}", pair_name(run, pair), stress.body);
            figures.push(&name, Some(stress.largest.von_mises), "Pa");
        }
    }
    Ok(())
}

/// The largest stress of each reduced body at its surface, with its error, time and place. Bodies whose files
/// lie elsewhere have no rows: the other figures do not need them.
fn stresses(run: &Run, figures: &mut Figures) -> Result<(), RunError> {
    if run.times().is_empty() {
        return Ok(());
    }
    for of in &run.largest_stress(&Silent)?.bodies {
        let mut push =
            |key: &str, value, unit| figures.push(&format!("{key}.{}", of.body), Some(value), unit);
        push("von_mises", of.von_mises, "Pa");
        push("von_mises_error", of.error, "Pa");
        push("von_mises_time", of.time, "s");
        for (key, x) in ["von_mises_x", "von_mises_y", "von_mises_z"].into_iter().zip(of.place) {
            push(key, x, "m");
        }
    }
    Ok(())
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
