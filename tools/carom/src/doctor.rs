//! `carom doctor`: the optional programs and the resources of this machine, with their purpose.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use carom_cli::{Failure, Session};
use carom_make::cad;
use carom_report::{Column, Table, Value};
use serde::Serialize;

use crate::args::DoctorArgs;

/// The JSON object of `carom doctor`.
#[derive(Serialize)]
struct Examined {
    version: &'static str,
    threads: Threads,
    memory_bytes: Memory,
    programs: Vec<Program>,
    folders: Vec<Folder>,
}

#[derive(Serialize)]
struct Threads {
    /// Cores that the system offers.
    available: usize,
    /// The value of `-j`, all cores by default.
    used: usize,
}

/// Memory in bytes, if the system reports it.
#[derive(Serialize)]
struct Memory {
    total: Option<u64>,
    available: Option<u64>,
}

impl Memory {
    fn of_machine() -> Self {
        let carom_linalg::memory::Memory { total, available } = carom_linalg::memory::memory();
        Self { total, available }
    }
}

#[derive(Serialize)]
struct Program {
    name: &'static str,
    path: Option<PathBuf>,
    version: Option<String>,
    purpose: &'static str,
    how_to_get: &'static str,
}

#[derive(Serialize)]
struct Folder {
    name: &'static str,
    path: PathBuf,
    writable: bool,
    /// The error of the system if it is not writable.
    error: Option<String>,
}

/// Reports available and missing items.
pub(crate) fn doctor(_args: &DoctorArgs, session: &Session) -> Result<(), Failure> {
    let examined = Examined {
        version: env!("CARGO_PKG_VERSION"),
        threads: Threads {
            available: std::thread::available_parallelism().map_or(1, usize::from),
            used: rayon::current_num_threads(),
        },
        memory_bytes: Memory::of_machine(),
        programs: programs(),
        folders: vec![
            folder("working directory", std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))),
            folder("temporary folder", std::env::temp_dir()),
        ],
    };
    session.print(&text(&examined))?;
    session.print_json("carom doctor 1", &examined)
}

/// The programs that are searched, with their purpose.
fn programs() -> Vec<Program> {
    let mut found = vec![Program {
        name: "carom-gmsh",
        path: cad::program(),
        version: None,
        purpose: "meshes CAD files (.step, .iges, .brep, .geo) with Gmsh; not for .msh files and NURBS",
        how_to_get: "apt install libgmsh-dev, then `cargo install --path tools/gmsh`",
    }];
    for (name, purpose, how_to_get) in [
        ("carom-mesh", "makes, imports, refines single bodies", "cargo install --path tools/mesh"),
        (
            "carom-reduce",
            "modal analysis and reduction of single bodies",
            "cargo install --path tools/reduce",
        ),
        ("carom-solve", "solves a scenario whose bodies are ready", "cargo install --path tools/solve"),
        (
            "carom-post",
            "exports, plots, tables of a result; Hertz' impact",
            "cargo install --path tools/post",
        ),
        (
            "paraview",
            "shows paraview/result.pvd",
            "apt install paraview, or https://www.paraview.org/download",
        ),
        ("pvpython", "ParaView in scripts: pictures without a screen", "comes with ParaView"),
        ("gmsh", "shows meshes, writes .msh files", "apt install gmsh, or https://gmsh.info"),
    ] {
        found.push(Program { name, path: find(name), version: None, purpose, how_to_get });
    }
    for program in &mut found {
        // The graphical program needs a screen; pvpython reports the same version.
        program.version = program.path.as_deref().filter(|_| program.name != "paraview").and_then(version);
    }
    found
}

/// A program in the folder of this one, or in the PATH.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join(&name)));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path).map(|folder| folder.join(&name));
    beside.into_iter().chain(in_path).find(|candidate| candidate.is_file())
}

/// The last word with a digit in the output of `--version`.
fn version(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let mut words = text.lines().next()?.split_whitespace().rev();
    words.find(|word| word.chars().any(|c| c.is_ascii_digit())).map(str::to_owned)
}

/// Tests whether a file can be created in a folder; the file is removed at once.
fn folder(name: &'static str, path: PathBuf) -> Folder {
    let tried = tempfile::Builder::new().prefix(".carom-").tempfile_in(&path);
    Folder { name, writable: tried.is_ok(), error: tried.err().map(|error| error.to_string()), path }
}

fn text(examined: &Examined) -> String {
    let mut table = Table::new(vec![
        Column::new("name", "", ""),
        Column::new("state", "", ""),
        Column::new("purpose", "", ""),
    ]);
    let mut push = |name: &str, state: String, purpose: &str| {
        let row = vec![name.into(), Value::Text(state), purpose.into()];
        table.push(row).expect("the row was made with the columns");
    };
    let gigabytes = |bytes: Option<u64>| {
        bytes.map_or_else(|| "unknown".to_owned(), |b| format!("{:.1} GB", b as f64 / 1e9))
    };
    push("carom", examined.version.to_owned(), "this program");
    let threads = format!("{} of {}", examined.threads.used, examined.threads.available);
    push("threads", threads, "all cores by default, see -j; results do not depend on the number");
    let memory = &examined.memory_bytes;
    push(
        "memory",
        format!("{}, {} free", gigabytes(memory.total), gigabytes(memory.available)),
        "the reduction needs most of it: about 4 GB for 100 000 dofs",
    );
    for folder in &examined.folders {
        let state =
            folder.error.as_ref().map_or_else(|| "writable".to_owned(), |e| format!("not writable: {e}"));
        push(folder.name, state, &folder.path.display().to_string());
    }
    for program in &examined.programs {
        let state = match (&program.path, &program.version) {
            (None, _) => "missing".to_owned(),
            (Some(_), None) => "found".to_owned(),
            (Some(_), Some(version)) => version.clone(),
        };
        push(program.name, state, program.purpose);
    }
    let mut out = table.to_text().trim().to_owned();
    for program in examined.programs.iter().filter(|program| program.path.is_none()) {
        out.push_str(&format!(
            "\n\n{} is missing ({}): {}",
            program.name, program.purpose, program.how_to_get
        ));
    }
    out
}
