//! The process started by the user: runs workers, checks their meshes, reports the result.

use std::fs::File;
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
use crate::ties::Tie;
use crate::worker::{FLAG, has_extension};

/// Endings of the geometry files that are read.
const EXTENSIONS: [&str; 6] = ["step", "stp", "iges", "igs", "brep", "geo"];

/// Meshes the file of the command line.
pub(crate) fn mesh(args: &Args, session: &Session) -> Result<(), Failure> {
    let start = Instant::now();
    check_input(&args.file)?;
    let Some(output) = args.output.output.as_deref() else {
        let what = "a file for the mesh is missing: --output FILE.msh".to_owned();
        return Err(Failure::new(Category::Usage, what).hint("--list lists the solids without a mesh"));
    };
    keep_input(&args.file, output)?;
    let progress = Part::new(session.progress(), &args.file.display().to_string());
    progress.begin("meshing", 0);
    let made = make(args, output, session);
    progress.end();
    let made = made?;
    print_notes(&made, session);
    check_quality(&made, session)?;
    let Made { file, version, mesh, quality, size, ties, .. } = made;
    file.persist(output).map_err(|e| e.error).or_fail_with(Category::Files, || unwritable(output))?;
    let summary = Summary {
        size,
        nodes: mesh.points.len(),
        elements: mesh.cell_counts(),
        sets: mesh.sets.keys().collect(),
        min_scaled_jacobian: quality.min_scaled_jacobian,
        worst_element_at: quality.worst_cell.map(|cell| mesh.middle_of_cell(cell)),
        volume: mesh.volume(),
        ties: &ties,
        gmsh_version: &version,
        seconds: start.elapsed().as_secs_f64(),
    };
    session.print_json("carom-gmsh 1", &summary)?;
    let elements: Vec<String> =
        summary.elements.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    session.note(&format!(
        "{}: {} nodes, {}, {:.3e} m3, {:.2} s",
        output.display(),
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
    /// With --solid: where the solid touches others.
    ties: &'a [Tie],
    gmsh_version: &'a str,
    seconds: f64,
}

/// Checks ending and existence of the geometry file.
pub(crate) fn check_input(path: &Path) -> Result<(), Failure> {
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
    ties: Vec<Tie>,
}

impl Made {
    /// Numbers of inverted and of folded elements.
    fn badness(&self) -> (usize, usize) {
        (self.quality.inverted.len(), self.quality.folded.len())
    }
}

/// A way to mesh the part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Way {
    /// Factor on all sizes.
    factor: f64,
    /// True to optimise second-order elements.
    optimise: bool,
}

impl Way {
    /// The first way.
    pub(crate) const PLAIN: Self = Self { factor: 1.0, optimise: false };
}

/// Ways that are tried while elements are folded.
const OTHER_WAYS: [Way; 3] = [
    Way { factor: 1.0, optimise: true },
    Way { factor: 0.7, optimise: false },
    Way { factor: 0.7, optimise: true },
];

/// Meshes the part; in other ways, and at last with straight edges, if curved elements are folded.
fn make(args: &Args, output: &Path, session: &Session) -> Result<Made, Failure> {
    let deadline = deadline(args);
    let folder = output.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut best = attempt(args, folder, session, Way::PLAIN, deadline)?;
    for way in OTHER_WAYS {
        if best.quality.folded.is_empty() {
            break;
        }
        if way.optimise && args.order == 1 {
            continue;
        }
        let sizes = if way.factor == 1.0 { String::new() } else { format!(" and sizes of {}", way.factor) };
        let how = if way.optimise { "with optimisation" } else { "without optimisation" };
        session.detail(1, &format!("some elements are folded: meshing again {how}{sizes}"));
        // The optimiser sometimes aborts, and meshing may take too long: then the earlier mesh is used.
        match attempt(args, folder, session, way, deadline) {
            Ok(mut next) if next.badness() < best.badness() => {
                if way.factor != 1.0 {
                    next.notes.push(format!(
                        "elements were folded: all sizes were multiplied by {}, which a smaller --size \
                         makes unnecessary",
                        way.factor
                    ));
                }
                best = next;
            }
            _ => session.check_interrupted()?,
        }
    }
    straighten(best)
}

/// Straightens edges of folded and nearly folded elements, and writes the mesh again.
fn straighten(mut made: Made) -> Result<Made, Failure> {
    if made.quality.folded.is_empty() && made.quality.slivers.is_empty() {
        return Ok(made);
    }
    let Some(done) = carom_mesh::straighten::straighten(&mut made.mesh, quality::SLIVER) else {
        return Ok(made);
    };
    made.quality = quality::assess(&made.mesh);
    made.notes.push(format!(
        "{} curved edges were straightened, because elements there were folded or nearly so: their middle \
         nodes moved by at most {:.1e} m, and the surface is less exact there; a smaller --size avoids this",
        done.edges, done.farthest
    ));
    msh::write(made.file.path(), &made.mesh).or_fail(Category::Files)?;
    Ok(made)
}

/// The time at which the worker is ended.
pub(crate) fn deadline(args: &Args) -> Instant {
    Instant::now() + Duration::from_secs_f64(args.time_limit)
}

/// * `folder` — of the temporary files
fn attempt(
    args: &Args,
    folder: &Path,
    session: &Session,
    way: Way,
    deadline: Instant,
) -> Result<Made, Failure> {
    let (file, report) = do_job(args, folder, session, way, deadline)?;
    let Report::Done { version, mut notes, size, ties } = report else {
        return Err(Failure::new(Category::Other, "the process that runs Gmsh has not meshed the part"));
    };
    let (mesh, read_notes) = msh::read(file.path()).map_err(|error| {
        Failure::from_error(Category::Other, error)
            .context("the mesh that Gmsh wrote cannot be used")
            .hint("try without --hex, or with another --size")
    })?;
    notes.extend(read_notes.iter().map(ToString::to_string));
    let quality = quality::assess(&mesh);
    Ok(Made { file, version, mesh, quality, notes, size, ties })
}

/// Runs a worker. Returns its mesh file, empty if it only lists solids, and its report.
pub(crate) fn do_job(
    args: &Args,
    folder: &Path,
    session: &Session,
    way: Way,
    deadline: Instant,
) -> Result<(NamedTempFile, Report), Failure> {
    let begin = |ending: &str| {
        temporary::file_in(folder, ending).or_fail_with(Category::Files, || unwritable(folder))
    };
    let (file, report) = (begin(".msh")?, begin(".json")?);
    let log = begin(".log")?;
    let job = Job {
        input: args.file.clone(),
        mesh: file.path().to_owned(),
        report: report.path().to_owned(),
        log: (args.output.run.verbose == 0).then(|| log.path().to_owned()),
        list: args.list,
        solid: args.solid.as_ref().map(ToString::to_string),
        size: args.size,
        near: args.near.iter().map(ToString::to_string).collect(),
        factor: way.factor,
        order: args.order,
        hex: args.hex,
        optimise: way.optimise,
    };
    let Some(status) = run_worker(&job, session, deadline)? else {
        return Err(too_slow(args, log.path()));
    };
    let text = std::fs::read_to_string(report.path()).unwrap_or_default();
    match serde_json::from_str(&text) {
        Ok(Report::Failed { kind, message, hint }) => Err(kind.failure(message, hint)),
        Ok(report) if status.success() => Ok((file, report)),
        _ => Err(Failure::new(Category::Other, format!("Gmsh ended its process ({status}) while meshing"))
            .hint("run again with -v to see the log; try another --size, or --order 1")),
    }
}

/// Runs a worker to its end, or ends it if the user requests a stop. `None` if it did not end in time.
/// Gmsh's log goes to the file of the job, or to standard error.
fn run_worker(job: &Job, session: &Session, deadline: Instant) -> Result<Option<ExitStatus>, Failure> {
    let cannot = || "cannot start the process that runs Gmsh".to_owned();
    let program = std::env::current_exe().or_fail_with(Category::Other, cannot)?;
    let text = serde_json::to_string(job).or_fail_with(Category::Other, cannot)?;
    // OpenCASCADE prints in spite of the options; standard output is for data only.
    let (out, errors) = match &job.log {
        Some(path) => {
            let file = File::create(path).or_fail_with(Category::Other, cannot)?;
            (Stdio::from(file), Stdio::null())
        }
        None => (Stdio::from(io::stderr()), Stdio::from(io::stderr())),
    };
    let mut child = child::bind(Command::new(program).args([FLAG, &text]))
        .stdout(out)
        .stderr(errors)
        .spawn()
        .or_fail_with(Category::Other, cannot)?;
    loop {
        if let Some(status) = child.try_wait().or_fail_with(Category::Other, cannot)? {
            session.check_interrupted()?;
            return Ok(Some(status));
        }
        if let Err(stopped) = session.check_interrupted() {
            end(&mut child);
            return Err(stopped);
        }
        if Instant::now() > deadline {
            end(&mut child);
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The error of a mesh that takes too long, with the last step in Gmsh's log.
fn too_slow(args: &Args, log: &Path) -> Failure {
    let log = std::fs::read(log).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let step = log.lines().rev().find(|line| line.contains("Meshing") || line.contains("Reading"));
    // A line is `Info    : [ 70%] Meshing surface 38 (Cylinder, Frontal-Delaunay)`.
    let place = step.and_then(|line| line.split_once(": ")).map(|(_, step)| {
        let step = step.trim();
        step.strip_prefix('[').and_then(|rest| rest.split_once("] ")).map_or(step, |(_, step)| step)
    });
    let place = place.map_or(String::new(), |step| format!(", its last step was `{step}`"));
    Failure::new(
        Category::Other,
        format!(
            "meshing `{}` takes more than {} s (--time-limit){place}",
            args.file.display(),
            args.time_limit
        ),
    )
    .hint(
        "use a larger --size or larger sizes in --near, remove small edges and slivers of faces in the CAD \
         program, or raise --time-limit",
    )
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
