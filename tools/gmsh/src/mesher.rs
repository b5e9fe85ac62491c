//! The process started by the user: runs workers, checks their meshes, reports the result.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use carom_cli::{Category, Failure, FailureContext, Session, keep_input};
use carom_files::temporary;
use carom_mesh::quality::{self, Quality};
use carom_mesh::{Mesh, msh};
use carom_progress::{Part, Progress, child};
use serde::Serialize;
use tempfile::NamedTempFile;

use crate::Args;
use crate::job::{Job, Report};
use crate::worker::{FLAG, has_extension};

/// Endings of the geometry files that are read.
const EXTENSIONS: [&str; 6] = ["step", "stp", "iges", "igs", "brep", "geo"];

/// Meshes the file of the command line.
pub(crate) fn mesh(args: &Args, session: &Session) -> Result<(), Failure> {
    let start = Instant::now();
    check_input(&args.file)?;
    keep_input(&args.file, &args.output.output)?;
    let progress = Part::new(session.progress(), &args.file.display().to_string());
    progress.begin("meshing", 0);
    let made = make(args, session);
    progress.end();
    let made = made?;
    print_notes(&made, session);
    check_quality(&made, session)?;
    let Made { file, version, mesh, quality, size, .. } = made;
    file.persist(&args.output.output)
        .map_err(|e| e.error)
        .or_fail_with(Category::Files, || unwritable(&args.output.output))?;
    let summary = Summary {
        size,
        nodes: mesh.points.len(),
        elements: mesh.cell_counts(),
        sets: mesh.sets.keys().collect(),
        min_scaled_jacobian: quality.min_scaled_jacobian,
        worst_element_at: quality.worst_cell.map(|cell| mesh.middle_of_cell(cell)),
        volume: mesh.volume(),
        gmsh_version: &version,
        seconds: start.elapsed().as_secs_f64(),
    };
    session.print_json("carom-gmsh 1", &summary)?;
    let elements: Vec<String> =
        summary.elements.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    session.note(&format!(
        "{}: {} nodes, {}, {:.3e} m3, {:.2} s",
        args.output.output.display(),
        summary.nodes,
        elements.join(", "),
        summary.volume,
        summary.seconds
    ));
    Ok(())
}

/// The object that `--json` prints.
#[derive(Debug, Serialize)]
struct Summary<'a> {
    /// Largest requested size of an element [m]; null if a script defines the size.
    size: Option<f64>,
    nodes: usize,
    elements: std::collections::BTreeMap<&'static str, usize>,
    sets: Vec<&'a String>,
    min_scaled_jacobian: f64,
    /// Middle of the element with that scaled Jacobian [m].
    worst_element_at: Option<[f64; 3]>,
    /// [m³]
    volume: f64,
    gmsh_version: &'a str,
    seconds: f64,
}

fn check_input(path: &Path) -> Result<(), Failure> {
    if !has_extension(path, &EXTENSIONS) {
        let known = EXTENSIONS.map(|e| format!(".{e}")).join(" ");
        return Err(Failure::new(
            Category::Input,
            format!("`{}` has none of the endings that are read: {known}", path.display()),
        )
        .hint("meshes (.msh, .inp, .vtu) go to `carom-mesh import` directly"));
    }
    // Gmsh would report this later, with less detail.
    carom_files::input::open(path)
        .map(drop)
        .or_fail_with(Category::Files, || format!("cannot read `{}`", path.display()))
}

/// A mesh in a temporary file.
struct Made {
    file: NamedTempFile,
    version: String,
    mesh: Mesh,
    quality: Quality,
    notes: Vec<String>,
    size: Option<f64>,
}

/// Makes the mesh; a second time with optimisation if curved elements are folded.
fn make(args: &Args, session: &Session) -> Result<Made, Failure> {
    let first = attempt(args, session, false)?;
    if first.quality.folded.is_empty() || args.order == 1 {
        return Ok(first);
    }
    session.detail(1, "some curved elements are folded: meshing again with optimisation");
    // The optimiser sometimes aborts or brings no improvement: then the first mesh is used.
    match attempt(args, session, true) {
        Ok(second) if second.quality.folded.len() < first.quality.folded.len() => Ok(second),
        _ => {
            session.check_interrupted()?;
            Ok(first)
        }
    }
}

fn attempt(args: &Args, session: &Session, optimise: bool) -> Result<Made, Failure> {
    let folder = args.output.output.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let begin = |ending: &str| {
        temporary::file_in(folder, ending).or_fail_with(Category::Files, || unwritable(&args.output.output))
    };
    let (file, report) = (begin(".msh")?, begin(".json")?);
    let job = Job {
        input: args.file.clone(),
        mesh: file.path().to_owned(),
        report: report.path().to_owned(),
        size: args.size,
        order: args.order,
        hex: args.hex,
        optimise,
    };
    let status = run_worker(&job, args.output.run.verbose > 0, session)?;
    let text = std::fs::read_to_string(report.path()).unwrap_or_default();
    let (version, mut notes, size) = match serde_json::from_str(&text) {
        Ok(Report::Done { version, notes, size }) if status.success() => (version, notes, size),
        Ok(Report::Failed { kind, message, hint }) => return Err(kind.failure(message, hint)),
        _ => {
            return Err(Failure::new(
                Category::Other,
                format!("Gmsh ended its process ({status}) while meshing"),
            )
            .hint("run again with -v to see the log; try another --size, or --order 1"));
        }
    };
    let (mesh, read_notes) = msh::read(file.path()).map_err(|error| {
        Failure::from_error(Category::Other, error)
            .context("the mesh that Gmsh wrote cannot be used")
            .hint("try without --hex, or with another --size")
    })?;
    notes.extend(read_notes.iter().map(ToString::to_string));
    let quality = quality::assess(&mesh);
    Ok(Made { file, version, mesh, quality, notes, size })
}

/// Runs a worker to its end, or ends it if the user requests a stop.
fn run_worker(job: &Job, show_log: bool, session: &Session) -> Result<ExitStatus, Failure> {
    let cannot = || "cannot start the process that runs Gmsh".to_owned();
    let program = std::env::current_exe().or_fail_with(Category::Other, cannot)?;
    let job = serde_json::to_string(job).or_fail_with(Category::Other, cannot)?;
    // OpenCASCADE prints in spite of the options; standard output is for data only.
    let log = || if show_log { Stdio::from(io::stderr()) } else { Stdio::null() };
    let mut child = child::bind(Command::new(program).args([FLAG, &job]))
        .stdout(log())
        .stderr(log())
        .spawn()
        .or_fail_with(Category::Other, cannot)?;
    loop {
        if let Some(status) = child.try_wait().or_fail_with(Category::Other, cannot)? {
            session.check_interrupted()?;
            return Ok(status);
        }
        if let Err(stopped) = session.check_interrupted() {
            end(&mut child);
            return Err(stopped);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn end(child: &mut Child) {
    // An error means that the process has ended already.
    let _ = child.kill();
    let _ = child.wait();
}

fn print_notes(made: &Made, session: &Session) {
    for note in &made.notes {
        session.warn(note);
    }
}

/// Refuses meshes that cannot be used for a computation; warns of poor ones.
fn check_quality(made: &Made, session: &Session) -> Result<(), Failure> {
    let Quality { inverted, folded, min_scaled_jacobian, worst_cell, .. } = &made.quality;
    let place = worst_cell.map(|cell| made.mesh.middle_of_cell(cell)).unwrap_or_default();
    let place =
        format!("worst {min_scaled_jacobian:.2} near ({:.4}, {:.4}, {:.4})", place[0], place[1], place[2]);
    if !inverted.is_empty() {
        return Err(Failure::new(
            Category::Other,
            format!("{} elements of the mesh are inverted, scaled Jacobian {place}", inverted.len()),
        )
        .hint(
            "use a smaller --size (curved elements fold where they are larger than the radius of the face) \
             or --order 1",
        ));
    }
    if !folded.is_empty() {
        session.warn(&format!(
            "{} curved elements are folded at a node (not at integration points): stresses there are \
             meaningless; scaled Jacobian {place}; use a smaller --size",
            folded.len()
        ));
    }
    Ok(())
}

fn unwritable(path: &Path) -> String {
    format!("cannot write `{}`", path.display())
}
