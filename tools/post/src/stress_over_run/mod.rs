//! Stress at the surface of reduced bodies over all frames: the largest value at each place, its error, and
//! histories with their cycles for a fatigue tool.

mod watched;

use std::path::{Path, PathBuf};

use carom_files::create_folder;
use carom_progress::Progress;
use carom_report::number::quantity;
use carom_report::{Column, Table, Value};

use crate::{Run, RunError, below};
use watched::Watched;

/// A place whose history is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Name of the body.
    pub body: String,
    /// Axes of its file; the nearest node of the surface is taken \[m\].
    pub at: [f64; 3],
}

impl std::str::FromStr for Place {
    type Err = String;

    /// `BODY:X,Y,Z`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not BODY:X,Y,Z, such as part:0,0.01,0.002");
        let (body, place) = text.rsplit_once(':').ok_or_else(wrong)?;
        let numbers: Vec<f64> =
            place.split(',').map(|x| x.trim().parse()).collect::<Result<_, _>>().map_err(|_| wrong())?;
        let at: [f64; 3] = numbers.try_into().map_err(|_| wrong())?;
        if !at.iter().all(|x| x.is_finite()) {
            return Err(wrong());
        }
        Ok(Self { body: body.to_owned(), at })
    }
}

/// The largest von Mises stress at the surface of a body over a run.
#[derive(Debug, Clone, PartialEq)]
pub struct LargestOfBody {
    /// Name of the body.
    pub body: String,
    /// Von Mises stress \[Pa\].
    pub von_mises: f64,
    /// Largest difference of the raw stress of the cells there from it \[Pa\].
    pub error: f64,
    /// When \[s\].
    pub time: f64,
    /// Where, axes of the body's file \[m\].
    pub place: [f64; 3],
    /// Largest range of the signed von Mises stress at a place \[Pa\].
    pub range: f64,
}

/// The outcome for all bodies.
#[derive(Debug, Clone, Default)]
pub struct StressOverRun {
    /// The largest stress of each body.
    pub bodies: Vec<LargestOfBody>,
    /// Largest stress below each contact on a half-space grid, a sentence for each elastic body.
    pub contacts: Vec<String>,
    /// Files that were written.
    pub files: Vec<PathBuf>,
    /// Where the figures are not to be trusted, and why.
    pub warnings: Vec<String>,
    /// Places and bodies that are left out.
    pub notes: Vec<String>,
}

impl StressOverRun {
    /// The largest stress of each body as a sentence.
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |of: &LargestOfBody| {
            let [x, y, z] = of.place;
            format!(
                "body `{}`: largest von Mises stress of its modes {}, error {}, after {} at ({x:.4e}, \
                 {y:.4e}, {z:.4e}) m",
                of.body,
                quantity(of.von_mises, "Pa", 4),
                quantity(of.error, "Pa", 2),
                quantity(of.time, "s", 4)
            )
        };
        self.bodies.iter().map(sentence).collect()
    }

    /// One row for each body.
    pub fn table(&self) -> Table {
        let mut table = Table::new(columns());
        for LargestOfBody { body, von_mises, error, time, place: [x, y, z], range } in &self.bodies {
            let mut row: Vec<Value> = vec![body.as_str().into()];
            row.extend([von_mises, error, time, x, y, z, range].map(|&value| Value::from(value)));
            table.push(row).expect("the row was made with the columns");
        }
        table
    }
}

/// Writes the stress over a run of the flexible bodies, or of some and those with a place: `BODY-stress.vtu`,
/// `BODY-history.csv` and `BODY-rainflow.csv` in a folder.
///
/// Places within the loads of a contact on a half-space grid are left out in frames in which it is loaded:
/// their stress is that of smooth loads, and the stress below the contact is that of the half-space.
///
/// * `bodies` — names; all flexible bodies if none
/// * `places` — histories that are wanted beside those of the largest stress and the largest range
///
/// # Errors
///
/// [`RunError`]: no body with a stress, an unknown name, a file that cannot be read or written.
pub fn write(
    run: &Run,
    folder: &Path,
    bodies: &[String],
    places: &[Place],
    progress: &dyn Progress,
) -> Result<StressOverRun, RunError> {
    for name in bodies.iter().chain(places.iter().map(|place| &place.body)) {
        run.body_index(name)?;
    }
    let mut outcome = follow(run, Some(folder), bodies, places, progress)?;
    if outcome.bodies.is_empty() {
        return Err(RunError::Empty {
            what: "no reduced body whose model keeps the modes of its surface",
            hint: "rigid bodies have no stress; of bodies in large deformation `carom-post export` writes it",
        });
    }
    for (pair, names) in run.header().pairs.iter().enumerate() {
        match below::stresses(run, pair) {
            Ok(stresses) => outcome.contacts.extend(
                stresses.iter().map(|of_body| format!("contact {}: {}", names.name, of_body.sentence())),
            ),
            // Pairs that never touch, or not on a grid.
            Err(RunError::NoContact(_) | RunError::Empty { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(outcome)
}

/// The largest stress of each body over a run, as [`write()`] without files; no row for bodies whose modes
/// have no stress.
///
/// # Errors
///
/// [`RunError`]: a file that cannot be read, an interruption.
pub fn largest(run: &Run, progress: &dyn Progress) -> Result<StressOverRun, RunError> {
    follow(run, None, &[], &[], progress)
}

/// The stress of bodies over all frames; files in a folder, if one is given.
fn follow(
    run: &Run,
    folder: Option<&Path>,
    bodies: &[String],
    places: &[Place],
    progress: &dyn Progress,
) -> Result<StressOverRun, RunError> {
    let frames = run.frames()?;
    let mut outcome = StressOverRun::default();
    let mut watched = Vec::new();
    for (number, meta) in run.header().bodies.iter().enumerate() {
        let is_named = bodies.contains(&meta.name) || places.iter().any(|place| place.body == meta.name);
        if bodies.is_empty() || is_named {
            match Watched::of(run, number, &frames) {
                Ok(Ok(body)) => watched.push(body),
                Ok(Err(why)) if is_named => outcome.warnings.push(why),
                Ok(Err(why)) => outcome.notes.push(why),
                // A report is complete without it; its pictures tell the same.
                Err(error @ RunError::Missing { .. }) if folder.is_none() => {
                    outcome.notes.push(error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
    }
    if watched.is_empty() {
        return Ok(outcome);
    }
    if let Some(folder) = folder {
        create_folder(folder)?;
    }
    let n_passes = if folder.is_some() { 2 } else { 1 };
    progress.begin("stress over the run", (n_passes * watched.len() * frames.len()) as u64);
    let mut done = 0;
    for body in &watched {
        let mut step = || {
            done += 1;
            progress.set(done);
            if progress.interrupted() { Err(RunError::Interrupted) } else { Ok(()) }
        };
        let peaks = body.peaks(run, &frames, &mut step)?;
        let wanted: Vec<[f64; 3]> =
            places.iter().filter(|place| place.body == body.name()).map(|place| place.at).collect();
        let points = body.points_of(&peaks, &wanted);
        if let Some(folder) = folder {
            let histories = body.histories(run, &frames, &points, &mut step)?;
            outcome.files.extend(body.write(folder, &peaks, &points, &histories)?);
        }
        outcome.bodies.push(body.largest(&peaks, points[0]));
        outcome.warnings.extend(body.doubts(run, &peaks, points[0]));
        let radius = body.stress.body.load_radius;
        if radius > 0.0 {
            outcome.notes.push(format!(
                "body `{}`: places within {radius:.2e} m of a loaded contact are left out, as the loads \
                 there are smooth ones",
                body.name()
            ));
        }
    }
    progress.end();
    Ok(outcome)
}

fn columns() -> Vec<Column> {
    vec![
        Column::new("body", "body", ""),
        Column::new("von_mises", "von Mises stress", "Pa"),
        Column::new("error", "its error", "Pa"),
        Column::new("time", "at", "s"),
        Column::new("x", "x", "m"),
        Column::new("y", "y", "m"),
        Column::new("z", "z", "m"),
        Column::new("largest_range", "largest range", "Pa"),
    ]
}
