//! The report: one HTML file about a run.

mod cost;
mod motion;
mod summary;

use std::path::Path;

use carom_format::result::NoteLevel;
use carom_report::{Column, Link, Report, Table, Value};

use crate::below::{Below, StressBelow};
use crate::impacts::{self, IMPACTS};
use crate::plot::{self, Quantity};
use crate::stress_over_run::StressOverRun;
use crate::time::time_column;
use crate::{Run, RunError, patch, scene, table};
use cost::cost;
use motion::of_motion;
use summary::summary;

/// A phase of `carom run` with its wall time.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// "meshing", "reduction", "export", …
    pub name: String,
    /// Wall time \[s\].
    pub seconds: f64,
    /// True if it was up to date; the time is that of the earlier run.
    pub is_earlier: bool,
}

/// Content of a report that is not in the result.
#[derive(Debug, Clone, Default)]
pub struct Extras {
    /// Title; the name of the result if empty.
    pub title: String,
    /// All phases from geometry to pictures.
    pub phases: Vec<Phase>,
    /// Tables of computed and expected values, with a caption.
    pub tables: Vec<(Table, String)>,
    /// The largest stress of the bodies over the run.
    pub stress: Option<StressOverRun>,
    /// Files of the run, with paths relative to the report.
    pub links: Vec<Link>,
}

/// Path of a file for a [`Link`] in a report: relative within the folder of the report, absolute elsewhere.
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
/// [`RunError`] if the result cannot be read or has no frame. Pictures of bodies whose files are missing are
/// left out, with a sentence that gives the reason.
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
        // Contact points of rigid bodies have no pressure.
        for pair in (0..run.header().pairs.len()).filter(|_| !run.is_rigid()) {
            pressure(&mut report, run, pair)?;
        }
    }
    if let Some(found) = extras.stress.as_ref().filter(|found| !found.bodies.is_empty()) {
        largest_stress(&mut report, found);
    }
    if is_static {
        report.heading("Equilibrium");
        report.table(forces, "Forces on the bodies; in each load step those of a body add up to zero.");
        report.drawing(
            plot::draw(run, &Quantity::Energy)?,
            "Energies, and the residual of Clapeyron's theorem.",
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

/// The scenario as written by the user, and with all defaults.
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

/// Pictures of the bodies at the start and at the largest force, or the reason why there are none.
fn bodies_in_pictures(report: &mut Report, run: &Run) -> Result<(), RunError> {
    report.heading("Bodies");
    match scene::draw(run) {
        Ok((drawing, notes)) => {
            let notes = if notes.is_empty() { String::new() } else { format!(" {}.", notes.join("; ")) };
            report.drawing(
                drawing,
                &format!(
                    "Bodies at true scale, without magnification of \
                                              displacements.{notes}"
                ),
            );
        }
        Err(RunError::Result(error)) => return Err(error.into()),
        Err(error) => report.paragraph(&format!("No picture of the bodies: {error}.")),
    }
    Ok(())
}

/// The largest stress of each body with modes over the run, and where it may be wrong.
fn largest_stress(report: &mut Report, found: &StressOverRun) {
    report.heading("Stress");
    let notes: Vec<String> =
        found.warnings.iter().chain(&found.notes).map(|note| format!(" {note}.")).collect();
    let caption = format!(
        "Largest von Mises stress at the surface of each body by its modes over all frames, where and when, \
         and by how much the raw stress of the cells there differs from the recovered one; coordinates of \
         the body's file.{} `carom-post stress` writes it at all points, with histories and cycles.",
        notes.concat()
    );
    report.table(found.table(), &caption);
}

/// A line for each impact; of many impacts only the first, the largest and the last.
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
         included, along the contact normal; the slip is tangential. Undefined values are shown as -.",
    );
    Ok(())
}

fn row(table: &mut Table, row: Vec<Value>) {
    table.push(row).expect("the row was made with the columns");
}

/// The pressure over the contact patch of a pair, or the reason why it cannot be shown.
fn pressure(report: &mut Report, run: &Run, pair: usize) -> Result<(), RunError> {
    match patch::picture(run, pair) {
        Ok(picture) => {
            let name = &run.header().pairs[pair].name;
            let hertz =
                if picture.has_hertz { ", compared with Hertz' theory for the same force" } else { "" };
            let caption = format!("{name}: pressure on the {} at the largest force{hertz}.", picture.on);
            report.drawing(picture.drawing, &caption);
            if picture.on == "cells" {
                stress_below(report, run, pair)?;
            }
        }
        Err(RunError::Result(error)) => return Err(error.into()),
        Err(error) => report.paragraph(&format!("No picture of the pressure: {error}.")),
    }
    Ok(())
}

/// The stress below a contact on a half-space grid.
fn stress_below(report: &mut Report, run: &Run, pair: usize) -> Result<(), RunError> {
    let below = Below::of(run, pair)?;
    let stresses = below.stresses();
    if stresses.is_empty() {
        return Ok(());
    }
    let sentences: Vec<String> = stresses.iter().map(StressBelow::sentence).collect();
    let caption = format!(
        "{}: stress at the largest force, of half-spaces under the pressures and tractions of the contact \
         (Love, Cerruti), with that of the modes of the bodies at the surface. {}.",
        run.header().pairs[pair].name,
        sentences.join("; ")
    );
    report.drawing(below.draw(), &caption);
    Ok(())
}

/// Notes other than warnings, which are at the top of the report.
fn notes(report: &mut Report, run: &Run) -> Result<(), RunError> {
    let mut notes = run.reader().notes()?;
    notes.retain(|note| note.level == NoteLevel::Note);
    if notes.is_empty() {
        return Ok(());
    }
    report.heading("Remarks");
    let mut table = Table::new(vec![time_column(run)?, Column::new("text", "", "")]);
    for note in notes {
        row(&mut table, vec![note.time.into(), Value::Text(note.text)]);
    }
    report.table(table, "");
    Ok(())
}
