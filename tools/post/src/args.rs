//! The command line.

use std::path::PathBuf;

use carom_cli::{Category, Failure, FailureContext, OutputArgs, RunArgs, Session, keep_input};
use carom_report::{Drawing, Link};
use clap::{Args, Parser, Subcommand, ValueEnum};
use serde_json::json;

use crate::after_help;
use crate::export::{Cells, ExportOptions, Fields, Format, Frames, export};
use crate::plot::Quantity;
use crate::report::Extras;
use crate::stress_over_run::Place;
use crate::table::What;
use crate::{Run, RunError, curves, file, hertz, report, scene, stress_over_run, table};

/// Make ParaView files, plots, tables and reports from results.
#[derive(Debug, Parser)]
#[command(name = "carom-post", version, about, propagate_version = true, after_help = after_help::POST)]
pub struct PostArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write ParaView files: DIR/NAME.pvd with one .vtu per body and frame, or one .vtkhdf per body.
    #[command(after_help = after_help::EXPORT)]
    Export(ExportArgs),
    /// Draw a plot as SVG or PNG.
    #[command(after_help = after_help::PLOT)]
    Plot(PlotArgs),
    /// Draw the bodies at a time as SVG or PNG.
    #[command(after_help = after_help::PICTURE)]
    Picture(PictureArgs),
    /// Print a table.
    #[command(after_help = after_help::TABLE)]
    Table(TableArgs),
    /// Write a report as one HTML file.
    #[command(after_help = after_help::REPORT)]
    Report(ReportArgs),
    /// Write the stress over the run of reduced bodies into a folder: largest values, histories, cycles.
    #[command(after_help = after_help::STRESS)]
    Stress(StressArgs),
    /// Closed forms of Hertz for the impact of two balls.
    #[command(after_help = after_help::HERTZ)]
    Hertz(hertz::HertzArgs),
}

#[derive(Debug, Args)]
struct ExportArgs {
    /// Result of carom-solve.
    result: PathBuf,

    /// Kind of files: vtu, one per body and frame, or vtkhdf, one per body with its mesh and all frames.
    #[arg(long, value_enum, default_value_t = Format::Vtu)]
    format: Format,

    /// Write every N-th frame, and the last one.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..))]
    every: u64,

    /// Fields: displacement, velocity, von_mises, stress (the tensor, with von Mises), contact_pressure.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_enum,
          default_values_t = [FieldName::Displacement, FieldName::VonMises, FieldName::ContactPressure])]
    fields: Vec<FieldName>,

    /// Cells to write: the volume, or only the surface (the same pictures in much smaller files). `auto` (or
    /// `all`) writes the volume where the model keeps the modes of the whole body.
    #[arg(long, value_enum, default_value_t = Cells::Surface)]
    cells: Cells,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum FieldName {
    Displacement,
    Velocity,
    Stress,
    VonMises,
    ContactPressure,
}

#[derive(Debug, Args)]
struct PlotArgs {
    /// Results of carom-solve. Curves of several results are drawn in one plot.
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,

    /// Quantity to draw: energy, momentum, contact-force, gap, steps, pressure[:PAIR],
    /// contact-stress[:PAIR], position:BODY, velocity:BODY, angular-velocity:BODY, joint:NAME and probe:NAME
    /// (or its number from 1); the mean of the points of a set, displacement:BODY:SET or velocity:BODY:SET,
    /// with :x, :y or :z for one component. Given several times, the curves are drawn in one plot.
    #[arg(long, value_name = "QUANTITY", default_value = "energy")]
    what: Vec<Quantity>,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct PictureArgs {
    /// Result of carom-solve.
    result: PathBuf,

    /// Time [s]: the nearest frame is drawn. The last frame by default. Several times, with commas between
    /// them, are drawn side by side.
    #[arg(long, value_name = "SECONDS", value_delimiter = ',')]
    time: Vec<f64>,

    /// Direction from the bodies to the camera; z is up. By default -1,-1.3,0.8.
    #[arg(long, value_name = "X,Y,Z", value_parser = direction)]
    view: Option<[f64; 3]>,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct TableArgs {
    /// Result of carom-solve.
    result: PathBuf,

    /// Content of the table.
    #[arg(long, value_enum, default_value_t = What::Contacts)]
    what: What,

    /// Print comma-separated values with all digits and all rows, in SI units.
    #[arg(long, conflicts_with = "json")]
    csv: bool,

    /// Write the table to a file instead of printing it. The file appears when it is complete.
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    output: Option<PathBuf>,

    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Args)]
struct StressArgs {
    /// Result of carom-solve.
    result: PathBuf,

    /// Body; several times for several bodies. All reduced bodies by default.
    #[arg(long, value_name = "BODY")]
    body: Vec<String>,

    /// Place [m] in the axes of the body's file, whose history is written too, also of a body that --body
    /// does not name; the nearest node of the surface counts.
    #[arg(long, value_name = "BODY:X,Y,Z", allow_hyphen_values = true)]
    at: Vec<Place>,

    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct ReportArgs {
    /// Result of carom-solve.
    result: PathBuf,

    #[command(flatten)]
    output: OutputArgs,
}

impl PostArgs {
    /// The flags that all programs share.
    pub fn run_args(&self) -> &RunArgs {
        match &self.command {
            Command::Export(args) => &args.output.run,
            Command::Plot(args) => &args.output.run,
            Command::Picture(args) => &args.output.run,
            Command::Table(args) => &args.run,
            Command::Stress(args) => &args.output.run,
            Command::Report(args) => &args.output.run,
            Command::Hertz(args) => &args.run,
        }
    }
}

/// Runs the command that was parsed.
///
/// # Errors
///
/// [`Failure`] with the exit code of the manual.
pub fn run(args: &PostArgs, session: &Session) -> Result<(), Failure> {
    match &args.command {
        Command::Export(args) => run_export(args, session),
        Command::Plot(args) => run_plot(args, session),
        Command::Picture(args) => run_picture(args, session),
        Command::Table(args) => run_table(args, session),
        Command::Stress(args) => run_stress(args, session),
        Command::Report(args) => run_report(args, session),
        Command::Hertz(args) => hertz::run(args, session),
    }
}

impl RunError {
    /// The failure that the command line reports.
    pub fn into_failure(self) -> Failure {
        let category = match &self {
            RunError::Interrupted => return Failure::interrupted(),
            error if error.is_io() => Category::Files,
            RunError::UnknownBody { .. }
            | RunError::UnknownPair { .. }
            | RunError::UnknownJoint { .. }
            | RunError::UnknownProbe { .. } => Category::Usage,
            _ => Category::Input,
        };
        Failure::from_error(category, self)
    }
}

fn run_export(args: &ExportArgs, session: &Session) -> Result<(), Failure> {
    let run = Run::open(&args.result).map_err(RunError::into_failure)?;
    let has = |name: FieldName| args.fields.contains(&name);
    let fields = Fields {
        velocity: has(FieldName::Velocity),
        stress: has(FieldName::Stress),
        von_mises: has(FieldName::Stress) || has(FieldName::VonMises),
        contact_pressure: has(FieldName::ContactPressure),
    };
    let options = ExportOptions {
        frames: Frames::Every(args.every as usize),
        fields,
        cells: args.cells,
        format: args.format,
        ..ExportOptions::default()
    };
    let summary =
        export(&run, &args.output.output, &options, session.progress()).map_err(RunError::into_failure)?;
    for note in &summary.notes {
        session.warn(note);
    }
    session.print_summary(&format!(
        "{} ({} frames, {} files)",
        summary.series.display(),
        summary.frames,
        summary.files
    ))?;
    let object = json!({
        "series": summary.series, "frames": summary.frames, "files": summary.files, "bytes": summary.bytes,
        "paths": summary.paths, "notes": summary.notes,
    });
    session.print_json("carom-post export 1", &object)
}

fn run_plot(args: &PlotArgs, session: &Session) -> Result<(), Failure> {
    let mut runs = Vec::with_capacity(args.results.len());
    for result in &args.results {
        keep_input(result, &args.output.output)?;
        runs.push(Run::open(result).map_err(RunError::into_failure)?);
    }
    let drawing = curves::draw_all(&runs, &args.what).map_err(RunError::into_failure)?;
    write_drawing(&args.output, &drawing, session)?;
    session.print_json("carom-post plot 1", &json!({ "file": args.output.output }))
}

fn run_picture(args: &PictureArgs, session: &Session) -> Result<(), Failure> {
    if args.time.iter().any(|time| !time.is_finite()) {
        return Err(Failure::new(Category::Usage, "--time needs finite numbers"));
    }
    keep_input(&args.result, &args.output.output)?;
    let run = Run::open(&args.result).map_err(RunError::into_failure)?;
    let (drawing, notes) = scene::picture(&run, &args.time, args.view).map_err(RunError::into_failure)?;
    for note in &notes {
        session.warn(note);
    }
    write_drawing(&args.output, &drawing, session)?;
    session.print_json("carom-post picture 1", &json!({ "file": args.output.output, "notes": notes }))
}

/// A direction of any length.
fn direction(text: &str) -> Result<[f64; 3], String> {
    let numbers = text.split(',').map(|part| part.trim().parse::<f64>()).collect::<Result<Vec<f64>, _>>();
    match numbers.map(<[f64; 3]>::try_from) {
        Ok(Ok(view)) if view.iter().all(|x| x.is_finite()) && view != [0.0; 3] => Ok(view),
        _ => Err("needs three numbers that are not all zero, such as 1,-1,0.5".to_owned()),
    }
}

/// Writes a picture in the format of its ending and prints its path.
fn write_drawing(output: &OutputArgs, drawing: &Drawing, session: &Session) -> Result<(), Failure> {
    file::write_drawing(&output.output, drawing)
        .map_err(|error| Failure::from_error(picture_category(&error), error))?;
    session.print_summary(&output.output.display().to_string())
}

/// A wrong ending is a usage error, anything else an error of the disk.
fn picture_category(error: &file::PictureError) -> Category {
    match error {
        file::PictureError::Ending { .. } => Category::Usage,
        file::PictureError::Raster(_) | file::PictureError::File(_) => Category::Files,
    }
}

fn run_table(args: &TableArgs, session: &Session) -> Result<(), Failure> {
    let run = Run::open(&args.result).map_err(RunError::into_failure)?;
    if let Some(path) = &args.output {
        keep_input(&args.result, path)?;
        let text = match args.csv {
            true => table::build(&run, args.what).map(|table| table.to_csv()),
            false => table::text(&run, args.what),
        };
        file::write_text(path, &text.map_err(RunError::into_failure)?).or_fail(Category::Files)?;
        return session.print_summary(&path.display().to_string());
    }
    let table = table::build(&run, args.what).map_err(RunError::into_failure)?;
    if args.csv {
        return session.print_data(&table.to_csv());
    }
    if !session.json() {
        return session.print(&table::text(&run, args.what).map_err(RunError::into_failure)?);
    }
    session.print_json("carom-post table 1", &json!({ "what": args.what.name(), "rows": table.to_json() }))
}

fn run_stress(args: &StressArgs, session: &Session) -> Result<(), Failure> {
    let run = Run::open(&args.result).map_err(RunError::into_failure)?;
    let found = stress_over_run::write(&run, &args.output.output, &args.body, &args.at, session.progress())
        .map_err(RunError::into_failure)?;
    found.notes.iter().for_each(|note| session.note(note));
    found.warnings.iter().for_each(|warning| session.warn(warning));
    let contacts: String = found.contacts.iter().map(|sentence| format!("{sentence}\n")).collect();
    let folder = args.output.output.display();
    session.print_summary(&format!("{}{contacts}{folder}", found.table().to_text()))?;
    let object = json!({
        "rows": found.table().to_json(), "contacts": found.contacts, "files": found.files,
        "notes": found.notes, "warnings": found.warnings,
    });
    session.print_json("carom-post stress 1", &object)
}

fn run_report(args: &ReportArgs, session: &Session) -> Result<(), Failure> {
    keep_input(&args.result, &args.output.output)?;
    let run = Run::open(&args.result).map_err(RunError::into_failure)?;
    let path = report::path_from(&args.output.output, &args.result);
    let links = vec![Link { path, what: "the result, for carom-post".to_owned() }];
    let stress = run.largest_stress(session.progress()).map_err(RunError::into_failure)?.clone();
    let extras = Extras { links, stress: Some(stress), ..Extras::default() };
    let html = report::html(&run, &extras).map_err(RunError::into_failure)?;
    file::write_text(&args.output.output, &html).or_fail(Category::Files)?;
    session.print_summary(&args.output.output.display().to_string())?;
    session.print_json("carom-post report 1", &json!({ "file": args.output.output }))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        PostArgs::command().debug_assert();
    }

    #[test]
    fn examples_of_the_help_are_valid_calls() {
        assert_eq!(carom_cli::examples::check(&PostArgs::command()), Ok(()));
    }

    /// All Markdown files of the gallery and of the documentation.
    fn pages() -> Vec<PathBuf> {
        let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let (mut folders, mut pages) =
            (vec![root.join("docs"), root.join("meshes")], vec![root.join("README.md")]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.extension().is_some_and(|ending| ending == "md") {
                    true => pages.push(path),
                    false if path.is_dir() => folders.push(path),
                    false => {}
                }
            }
        }
        pages
    }

    #[test]
    fn commands_of_the_documentation_are_valid_calls() {
        let mut n_commands = 0;
        for page in pages() {
            let text = std::fs::read_to_string(&page).unwrap();
            for line in text.lines().filter(|line| line.starts_with("carom-post ")) {
                let command =
                    [" #", " >", " |"].iter().fold(line, |left, end| left.split(end).next().unwrap_or(left));
                let words = command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
                let parsed = PostArgs::try_parse_from(words);
                assert!(parsed.is_ok(), "{}: `{line}`: {}", page.display(), parsed.unwrap_err());
                n_commands += 1;
            }
        }
        assert!(n_commands > 20, "{n_commands} commands found");
    }
}
