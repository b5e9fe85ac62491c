//! The report: one HTML file about a run.

use carom_report::{Column, Report, Table, Value};

use crate::plot::{self, Quantity};
use crate::{Run, RunError, joints, patch, table};

/// A phase of the work around a result, and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// "meshing", "reduction", "export", …
    pub name: String,
    /// Wall time \[s\].
    pub seconds: f64,
    /// True if it was up to date, and took this time when it was done.
    pub is_earlier: bool,
}

/// What the caller knows beyond the result.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// Title; the name of the result if empty.
    pub title: String,
    /// All phases from geometry to pictures.
    pub phases: Vec<Phase>,
    /// Figures beside what they should be, with a caption: verification.
    pub tables: Vec<(Table, String)>,
}

/// Writes the report of a run as HTML.
///
/// # Errors
///
/// [`RunError`] if the result cannot be read or has no frame. Pictures that need body files are left out, with a sentence
/// why, if these are gone.
pub fn html(run: &Run, extras: &Extras) -> Result<String, RunError> {
    run.check_frames()?;
    let title = if extras.title.is_empty() { run.name() } else { extras.title.clone() };
    let mut report = Report::new(&title);
    summary(&mut report, run)?;
    let forces = table::forces(run)?;
    let is_static = !forces.rows().is_empty();
    if !run.header().pairs.is_empty() {
        report.heading("Contact");
        if !is_static {
            report.table(
                table::contacts(run)?,
                "Impacts: sums over sub-impacts. Velocities are those of the mean motions, the bending of a body included, along the contact \
                 normal; the slip is across it. A figure without a meaning is left out (-).",
            );
        }
        let caption = if run.is_rigid() {
            "Force of each pair, the mean since the frame before: impulses over the time between frames."
        } else {
            "Normal force of each pair."
        };
        report.drawing(plot::draw(run, &Quantity::ContactForce)?, caption);
        // Points that touch have no pressure.
        for pair in (0..run.header().pairs.len()).filter(|_| !run.is_rigid()) {
            pressure(&mut report, run, pair)?;
        }
    }
    if is_static {
        report.heading("Equilibrium");
        report.table(forces, "Forces on the bodies; in each load step those of a body add up to zero.");
        report.drawing(
            plot::draw(run, &Quantity::Energy)?,
            "Energies, and what Clapeyron's theorem leaves over.",
        );
    } else {
        of_motion(&mut report, run)?;
    }
    for (table, caption) in &extras.tables {
        report.table(table.clone(), caption);
    }
    cost(&mut report, run, extras)?;
    notes(&mut report, run)?;
    report.heading("Scenario");
    report.preformatted(&run.header().scenario);
    Ok(report.to_html())
}

/// Where the bodies are, and the balances of a run in time.
fn of_motion(report: &mut Report, run: &Run) -> Result<(), RunError> {
    report.heading("Bodies at the end");
    report.table(table::bodies(run)?, "Positions of the body frames, velocities of the centres of mass.");
    if !run.header().joints.is_empty() {
        report.heading("Joints");
        report.table(
            joints::peaks(run)?,
            "Largest force on the second body, torque on it about the first end, and power of a motion, in the frames of the result.",
        );
    }
    report.heading("Balance");
    report.drawing(plot::draw(run, &Quantity::Energy)?, "Energies, and what their balance leaves over.");
    report.drawing(plot::draw(run, &Quantity::Momentum)?, "Momenta, and what their balances leave over.");
    Ok(())
}

fn row(table: &mut Table, row: Vec<Value>) {
    table.push(row).expect("the row was made with the columns");
}

fn summary(report: &mut Report, run: &Run) -> Result<(), RunError> {
    let state = run.reader().state()?;
    let end = run.times().last().copied().unwrap_or_default();
    let sentence = format!(
        "bodies: {}, contact pairs: {}; {} frames up to {}; the run is {}.",
        run.header().bodies.len(),
        run.header().pairs.len(),
        run.times().len(),
        carom_report::number::quantity(end, "s", 4),
        state.word(),
    );
    report.paragraph(&sentence);
    let Some(errors) = run.reader().summary()? else { return Ok(()) };
    let mut table = Table::new(vec![
        Column::new("quantity", "quantity", ""),
        Column::new("value", "value", ""),
        Column::new("unit", "unit", ""),
        Column::new("claim", "claim", ""),
    ]);
    let claim = errors.energy_limit.zip(errors.energy_verdict());
    let claim = claim.map_or_else(String::new, |(limit, verdict)| format!("at most {limit:.0e}: {verdict}"));
    let [energy, momentum, ang_momentum] = errors.errors();
    for (name, value, unit, claim) in [
        ("energy at the start", Some(errors.energy_initial), "J", ""),
        ("energy at the end", Some(errors.energy_final), "J", ""),
        ("largest relative error of the energy balance", energy, "", claim.as_str()),
        ("largest relative error of linear momentum", momentum, "", ""),
        ("largest relative error of angular momentum", ang_momentum, "", ""),
    ] {
        let value = value.map_or(Value::Lacking("-"), Value::Number);
        row(&mut table, vec![name.into(), value, unit.into(), claim.into()]);
    }
    report.table(table, "Errors relative to the largest energy and momenta that occurred; - where there were none but for round-off.");
    Ok(())
}

/// The pressure patch of a pair, or why it cannot be shown.
fn pressure(report: &mut Report, run: &Run, pair: usize) -> Result<(), RunError> {
    match patch::draw(run, pair) {
        Ok(drawing) => report.drawing(
            drawing,
            &format!(
                "{}: pressure on the faces at the largest force, beside Hertz' theory for the same force.",
                run.header().pairs[pair].name
            ),
        ),
        Err(RunError::Result(error)) => return Err(error.into()),
        Err(error) => report.paragraph(&format!("No picture of the pressure: {error}.")),
    }
    Ok(())
}

fn cost(report: &mut Report, run: &Run, extras: &Extras) -> Result<(), RunError> {
    report.heading("Cost");
    phases(report, &extras.phases);
    let mut table = Table::new(vec![
        Column::new("phase", "phase", ""),
        Column::new("seconds", "wall time", "s").digits(3),
    ]);
    // What is a phase of the whole is said above.
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
        Column::new("seconds", "wall time", "s").digits(3),
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
        "Phases of the job; what was up to date is listed with the time that it took when it was done.",
    );
}

fn notes(report: &mut Report, run: &Run) -> Result<(), RunError> {
    let notes = run.reader().notes()?;
    if notes.is_empty() {
        return Ok(());
    }
    report.heading("What the run has to say");
    let columns =
        vec![Column::new("time", "time", "s"), Column::new("level", "", ""), Column::new("text", "", "")];
    let mut table = Table::new(columns);
    for note in notes {
        row(&mut table, vec![note.time.into(), note.level.word().into(), Value::Text(note.text)]);
    }
    report.table(table, "");
    Ok(())
}
