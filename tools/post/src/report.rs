//! The report: one HTML file about a run.

mod cost;
mod motion;
mod summary;

use std::path::Path;

use carom_format::result::NoteLevel;
use carom_report::{Column, Link, Report, Table, Value};

use crate::impacts::{self, IMPACTS};
use crate::plot::{self, Quantity};
use crate::{Run, RunError, patch, scene, table};
use cost::cost;
use motion::of_motion;
use summary::summary;

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
    /// Files of the run, as they are seen from the report.
    pub links: Vec<Link>,
}

/// Path of a file as it is seen from a report, for a [`Link`]: relative within the folder of the report,
/// absolute elsewhere.
pub fn path_from(report: &Path, file: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (folder, file) = (absolute(report), absolute(file));
    let inside = folder.parent().and_then(|folder| file.strip_prefix(folder).ok());
    let parts = |path: &Path| {
        let parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        parts.join("/")
    };
    inside.map_or_else(|| file.display().to_string(), parts)
}

/// Writes the report of a run as HTML.
///
/// # Errors
///
/// [`RunError`] if the result cannot be read or has no frame. Pictures that need body files are left out,
/// with a sentence why, if these are gone.
pub fn html(run: &Run, extras: &Extras) -> Result<String, RunError> {
    run.check_frames()?;
    let title = if extras.title.is_empty() { run.name() } else { extras.title.clone() };
    let mut report = Report::new(&title);
    summary(&mut report, run)?;
    if !extras.links.is_empty() {
        report.heading("Files");
        report.links(extras.links.clone());
    }
    bodies_in_pictures(&mut report, run)?;
    let forces = table::forces(run)?;
    let is_static = !forces.rows().is_empty();
    if !run.header().pairs.is_empty() {
        report.heading("Contact");
        if !is_static {
            impacts(&mut report, run)?;
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
    scenario(&mut report, run)?;
    Ok(report.to_html())
}

/// What its author wrote, and what was made of it.
fn scenario(report: &mut Report, run: &Run) -> Result<(), RunError> {
    report.heading("Scenario");
    let whole = &run.header().scenario;
    match run.reader().origin()?.filter(|origin| !origin.scenario.is_empty()) {
        Some(origin) => {
            report.preformatted(&origin.scenario);
            report.folded("With all defaults, as it was run", whole);
        }
        None => report.preformatted(whole),
    }
    Ok(())
}

/// Where the bodies are at the start and when the largest force acts, or why that is not to be seen.
fn bodies_in_pictures(report: &mut Report, run: &Run) -> Result<(), RunError> {
    report.heading("Bodies");
    match scene::draw(run) {
        Ok((drawing, notes)) => {
            let notes = if notes.is_empty() { String::new() } else { format!(" {}.", notes.join("; ")) };
            report.drawing(drawing, &format!("Bodies at true scale, displaced as they are.{notes}"));
        }
        Err(RunError::Result(error)) => return Err(error.into()),
        Err(error) => report.paragraph(&format!("No picture of the bodies: {error}.")),
    }
    Ok(())
}

/// A line for each impact, of many for the first, the largest and the last.
fn impacts(report: &mut Report, run: &Run) -> Result<(), RunError> {
    let (table, notes) = impacts::table(run, IMPACTS)?;
    if table.rows().is_empty() {
        report.paragraph("No surfaces touched.");
        return Ok(());
    }
    for note in &notes {
        report.paragraph(&format!("{note}; carom-post table RESULT --csv lists all."));
    }
    report.table(
        table,
        "Impacts: sums over sub-impacts. Velocities are those of the mean motions, the bending of a body \
         included, along the contact normal; the slip is across it. A figure without a meaning is left out \
         (-).",
    );
    Ok(())
}

fn row(table: &mut Table, row: Vec<Value>) {
    table.push(row).expect("the row was made with the columns");
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

/// What there is to say besides warnings, which stand at the top.
fn notes(report: &mut Report, run: &Run) -> Result<(), RunError> {
    let mut notes = run.reader().notes()?;
    notes.retain(|note| note.level == NoteLevel::Note);
    if notes.is_empty() {
        return Ok(());
    }
    report.heading("Remarks");
    let mut table = Table::new(vec![table::time_column(run)?, Column::new("text", "", "")]);
    for note in notes {
        row(&mut table, vec![note.time.into(), Value::Text(note.text)]);
    }
    report.table(table, "");
    Ok(())
}
