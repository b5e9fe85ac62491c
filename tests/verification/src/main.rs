//! `carom-verify`: runs the verification cases and writes their report.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use carom_cli::{Category, Failure, RunArgs, Session, main_with};
use carom_files::write_atomically;
use carom_verification::report::{self, Report};
use carom_verification::{Bench, BenchError, Case, Outcome, cases};
use clap::Parser;

/// Runs whole-chain cases against figures that were computed independently of this project, and writes the
/// report of them.
#[derive(Debug, Parser)]
#[command(name = "carom-verify", version)]
struct Arguments {
    /// Cases to run; all if none is named. With names, figures are printed, and their sections are written
    /// only where --output says.
    cases: Vec<String>,

    /// Report whose sections of these cases are written anew, with a folder `pictures` beside it; of all
    /// cases docs/verification.md, if not given.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Folder of bodies, models and results; what is up to date in it is used again.
    #[arg(long, default_value = "target/verification", value_name = "DIR")]
    work: PathBuf,

    #[command(flatten)]
    run: RunArgs,
}

fn main() -> ExitCode {
    main_with(|arguments: &Arguments| -> &RunArgs { &arguments.run }, verify)
}

fn verify(arguments: &Arguments, session: &Session) -> Result<(), Failure> {
    let all = cases();
    let known: Vec<&str> = all.iter().map(|case| case.name).collect();
    if let Some(unknown) = arguments.cases.iter().find(|name| !known.contains(&name.as_str())) {
        let text = format!("there is no case `{unknown}`");
        return Err(Failure::new(Category::Usage, text).hint(format!("known: {}", known.join(", "))));
    }
    let bench = Bench { folder: &arguments.work, progress: session.progress() };
    let everything = arguments.cases.is_empty();
    let output =
        arguments.output.clone().or_else(|| everything.then(|| PathBuf::from("docs/verification.md")));
    let mut missed = 0;
    for case in all.iter().filter(|case| everything || arguments.cases.iter().any(|name| name == case.name)) {
        let outcome = match (case.run)(&bench) {
            Err(error @ BenchError::NoData) => {
                session.print(&format!("{}: skipped, {error}", case.name))?;
                continue;
            }
            found => found.map_err(|error| Failure::from_error(Category::Other, error))?,
        };
        print(case, &outcome, session)?;
        missed += outcome.rows.iter().filter(|row| !row.holds()).count();
        if let Some(output) = &output {
            write_section(output, &all, (case, &outcome))?;
        }
    }
    if missed > 0 {
        return Err(Failure::new(Category::Other, format!("{missed} figures miss their claim")));
    }
    Ok(())
}

fn print(case: &Case, outcome: &Outcome, session: &Session) -> Result<(), Failure> {
    for row in &outcome.rows {
        let expected = row.expected.map_or(String::new(), |x| format!(" (expected {x:.5e})"));
        let mark = if row.holds() { "" } else { "  MISSED" };
        session.print(&format!(
            "{}: {} {:.5e} {}{expected}{mark}",
            case.name, row.what, row.measured, row.unit
        ))?;
    }
    let table = report::table(&outcome.table);
    if !table.is_empty() {
        session.print(&table)?;
    }
    Ok(())
}

/// Writes the section of a case into the report when it is known and keeps the other sections.
fn write_section(path: &Path, all: &[Case], (case, outcome): (&Case, &Outcome)) -> Result<(), Failure> {
    let write = |path: &Path, text: &str| {
        write_atomically(path, |out| out.write_all(text.as_bytes()))
            .map_err(|error| Failure::from_error(Category::Files, error))
    };
    let failure = |doing: &str, path: &Path, error: std::io::Error| {
        Failure::new(Category::Files, format!("cannot {doing} `{}`: {error}", path.display()))
    };
    let pictures = path.with_file_name("pictures");
    fs::create_dir_all(&pictures).map_err(|error| failure("make", &pictures, error))?;
    for (name, drawing, _) in &outcome.pictures {
        write(&pictures.join(format!("{name}.svg")), &drawing.to_svg())?;
    }
    let before = match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        read => read.map_err(|error| failure("read", path, error))?,
    };
    let Some(mut report) = Report::parse(&before) else {
        let text = format!("`{}` is no report of this program", path.display());
        return Err(Failure::new(Category::Usage, text).hint("name another file for --output".to_owned()));
    };
    report.put(case, outcome, &machine(), "pictures");
    write(path, &report.to_markdown(all))
}

/// Processor and number of threads.
fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|pair| pair.1));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{} with {threads} threads", model.unwrap_or("an unknown processor"))
}
