//! The process that calls Gmsh.

use std::path::Path;
use std::process::ExitCode;

use carom_mesh::SolidChoice;

use crate::gmsh::{Entity, Gmsh, GmshError};
use crate::job::{FailureKind, Job, Report};
use crate::ties::{Imprinted, Tie};
use crate::{groups, sizes, solids, ties};

/// First argument of a worker; the second is the job.
pub(crate) const FLAG: &str = "--worker";

/// Gmsh's type numbers of hexahedra of first and second order.
const HEXAHEDRA: [i32; 3] = [5, 12, 17];

/// The job, if this process was started as a worker.
pub(crate) fn job_of_this_process() -> Option<Job> {
    let mut args = std::env::args_os().skip(1);
    if args.next()? != FLAG {
        return None;
    }
    serde_json::from_str(args.next()?.to_str()?).ok()
}

/// Does the job and writes the report. The exit code only says whether the report was written.
pub(crate) fn run(job: &Job) -> ExitCode {
    // Gmsh cannot be interrupted, and the process that should end this one may have been killed.
    let files: Vec<_> = [&job.mesh, &job.report].into_iter().chain(&job.log).cloned().collect();
    carom_progress::child::watch_parent(move || {
        for file in files {
            let _ = std::fs::remove_file(file);
        }
        std::process::abort();
    });
    let report = match work(job) {
        Ok(done) => done,
        Err(Failed { kind, message, hint }) => Report::Failed { kind, message, hint },
    };
    let written = serde_json::to_string(&report).ok().map(|text| std::fs::write(&job.report, text));
    if matches!(written, Some(Ok(()))) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// An error with a hint how to proceed.
pub(crate) struct Failed {
    kind: FailureKind,
    message: String,
    hint: String,
}

pub(crate) fn failed(kind: FailureKind, message: impl ToString, hint: &str) -> Failed {
    Failed { kind, message: message.to_string(), hint: hint.to_owned() }
}

impl From<GmshError> for Failed {
    fn from(error: GmshError) -> Self {
        let hint = match error {
            GmshError::Version { .. } => {
                "install one of these (on Debian and Ubuntu the package libgmsh-dev) and build carom-gmsh \
                 again"
            }
            _ => "run again with -v to see Gmsh's log",
        };
        failed(FailureKind::Other, error, hint)
    }
}

/// Makes the mesh, or the list of solids, and returns the report.
fn work(job: &Job) -> Result<Report, Failed> {
    let gmsh = Gmsh::start()?;
    set_up(&gmsh)?;
    let is_script = has_extension(&job.input, &["geo"]);
    if is_script && (job.list || job.solid.is_some()) {
        return Err(failed(
            FailureKind::Input,
            format!("`{}` is a script, of whose solids none can be chosen", job.input.display()),
            "delete the other solids at the end of the script: Recursive Delete { Volume{1}; }",
        ));
    }
    let (volumes, mut notes) = solids_of(&gmsh, job, is_script)?;
    if job.list {
        let solids = solids::list(&gmsh, &volumes)?;
        let (ties, more) = ties::find(&gmsh, &volumes, &solids, None)?;
        notes.extend(more);
        return Ok(Report::Listed { solids, ties, notes });
    }
    let choice = job.solid.as_ref().and_then(|text| text.parse::<SolidChoice>().ok());
    let (one, ties) = match choice {
        Some(choice) => {
            let (one, ties) = take(&gmsh, job, &choice, &volumes, &mut notes)?;
            (Some(one), ties)
        }
        None => (None, Vec::new()),
    };
    // Comments may have letters of other encodings; Gmsh has read the file.
    let text = is_script.then(|| std::fs::read(&job.input).unwrap_or_default());
    let script = text.map(|text| sizes::defined_in(&String::from_utf8_lossy(&text)));
    let size = sizes::set(&gmsh, job, script)?;
    let faces = match &one {
        Some(one) => {
            groups::name_solid(&gmsh, one)?;
            one.faces.clone()
        }
        None => {
            notes.extend(groups::name_groups(&gmsh, &volumes, is_script)?);
            gmsh.boundary(&volumes)?.into_iter().map(|(_, tag)| vec![tag]).collect()
        }
    };
    if has_extension(&job.input, &["step", "stp"]) {
        let text = std::fs::read(&job.input).unwrap_or_default();
        notes.extend(groups::name_faces(&gmsh, volumes.len(), &faces, &String::from_utf8_lossy(&text))?);
    }
    notes.extend(sizes::set_near(&gmsh, job, script)?);
    generate(&gmsh, job)?;
    gmsh.write(utf8(&job.mesh)?)?;
    Ok(Report::Done { version: gmsh.version.clone(), notes, size, ties })
}

/// Loads the file. Returns its solids, and notes.
fn solids_of(gmsh: &Gmsh, job: &Job, is_script: bool) -> Result<(Vec<Entity>, Vec<String>), Failed> {
    load(gmsh, &job.input, is_script)?;
    let mut volumes = gmsh.entities(3)?;
    let mut notes = Vec::new();
    if volumes.is_empty() && !is_script {
        volumes = sew(gmsh, &job.input)?;
        if !volumes.is_empty() {
            notes.push(format!("the file contains only faces: they were sewn to {} solid(s)", volumes.len()));
        }
    }
    if volumes.is_empty() {
        return Err(failed(
            FailureKind::Input,
            format!("`{}` contains no solid, only faces, edges or points", job.input.display()),
            "close the faces to a solid in the CAD program (export as solid, not as surface)",
        ));
    }
    Ok((volumes, notes))
}

/// Reduces the model to one solid with its ties.
fn take(
    gmsh: &Gmsh,
    job: &Job,
    choice: &SolidChoice,
    volumes: &[Entity],
    notes: &mut Vec<String>,
) -> Result<(Imprinted, Vec<Tie>), Failed> {
    let solids = solids::list(gmsh, volumes)?;
    let chosen = solids::chosen(choice, &solids)?;
    let (ties, more) = ties::find(gmsh, volumes, &solids, Some(chosen))?;
    notes.extend(more);
    notes.extend(ties.iter().map(|tie| tie.sentence(&solids)));
    if let Some(one) = ties::imprint(gmsh, volumes, chosen, &ties)? {
        return Ok((one, ties));
    }
    notes.push(format!(
        "the faces of solid {} could not be cut along the outlines of its ties: the sets of the ties are \
         whole faces",
        solids[chosen].title()
    ));
    let (volumes, _) = solids_of(gmsh, job, false)?;
    Ok((ties::alone(gmsh, &volumes, chosen, &ties)?, ties))
}

/// Sets the options that do not depend on the input. A script may change them.
fn set_up(gmsh: &Gmsh) -> Result<(), GmshError> {
    gmsh.set_option(c"General.Terminal", 1.0)?;
    gmsh.set_option(c"Mesh.MshFileVersion", 4.1)?;
    gmsh.set_option(c"Mesh.Binary", 1.0)
}

/// Sets the unit of lengths. OpenCASCADE converts from the unit of a STEP file to the requested one. It also
/// knows the unit of an IGES file, but always converts to millimetres.
fn set_units(gmsh: &Gmsh, path: &Path) -> Result<(), GmshError> {
    if has_extension(path, &["iges", "igs"]) {
        gmsh.set_option(c"Geometry.OCCScaling", 1e-3)
    } else {
        gmsh.set_text_option(c"Geometry.OCCTargetUnit", c"M")
    }
}

/// Sews closed faces to solids, since many IGES files contain no solids. Returns the solids.
fn sew(gmsh: &Gmsh, path: &Path) -> Result<Vec<Entity>, Failed> {
    gmsh.set_option(c"Geometry.OCCSewFaces", 1.0)?;
    gmsh.set_option(c"Geometry.OCCMakeSolids", 1.0)?;
    load(gmsh, path, false)?;
    Ok(gmsh.entities(3)?)
}

fn load(gmsh: &Gmsh, path: &Path, is_script: bool) -> Result<(), Failed> {
    let name = utf8(path)?;
    set_units(gmsh, path)?;
    let loaded = if is_script { gmsh.open(name) } else { gmsh.import_shapes(name) };
    loaded.map_err(|error| {
        let hint = if is_script {
            "run the script in Gmsh to see where it fails"
        } else {
            "open it in a CAD program and export it again as STEP AP214"
        };
        failed(FailureKind::Input, format!("`{}`: {error}", path.display()), hint)
    })
}

fn generate(gmsh: &Gmsh, job: &Job) -> Result<(), Failed> {
    let hint = "try another --size; small edges and slivers of faces are best removed in the CAD program";
    let explain = |error: GmshError| failed(FailureKind::Other, error, hint);
    if job.order == 2 && job.optimise {
        // The elastic analogy bends edges only as far as the elements remain valid. It is the only optimiser
        // of Gmsh that neither aborts nor needs minutes. It runs only if the mesh is generated at its final
        // order.
        gmsh.set_option(c"Mesh.ElementOrder", 2.0)?;
        gmsh.set_option(c"Mesh.HighOrderOptimize", 3.0)?;
    }
    gmsh.generate().map_err(explain)?;
    if job.hex && !only_hexahedra(gmsh)? {
        // Each tetrahedron becomes four hexahedra with edges of half its size; the requested size is that
        // of the hexahedra.
        gmsh.set_option(c"Mesh.SubdivisionAlgorithm", 2.0)?;
        gmsh.set_option(c"Mesh.MeshSizeFactor", 2.0)?;
        gmsh.generate().map_err(explain)?;
    }
    if gmsh.volume_element_types()?.is_empty() {
        return Err(failed(
            FailureKind::Other,
            format!("Gmsh meshed no volume: {}", gmsh.last_error()),
            hint,
        ));
    }
    if job.order == 2 {
        gmsh.set_order(2).map_err(explain)?;
    }
    Ok(())
}

fn only_hexahedra(gmsh: &Gmsh) -> Result<bool, GmshError> {
    let types = gmsh.volume_element_types()?;
    Ok(!types.is_empty() && types.iter().all(|kind| HEXAHEDRA.contains(kind)))
}

/// True if a file name has one of these endings, in upper or lower case.
pub(crate) fn has_extension(path: &Path, wanted: &[&str]) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    wanted.iter().any(|e| extension.eq_ignore_ascii_case(e))
}

fn utf8(path: &Path) -> Result<&str, Failed> {
    path.to_str().ok_or_else(|| {
        failed(
            FailureKind::Files,
            format!("Gmsh cannot open the path `{}`", path.display()),
            "rename it: Gmsh accepts only UTF-8",
        )
    })
}
