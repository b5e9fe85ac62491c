//! Requirements of tests beyond Rust: reference data, Python with a module, another program.
//!
//! A test with a missing requirement returns early; each failed request is recorded with its reason. `cargo
//! run -q -p carom-tests` runs all tests and ends with the list of these records. The environment variable
//! [`RECORDS`] names the file of the records; without it they are printed, which `cargo test` shows with
//! `--nocapture`.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

/// Environment variable that names the file of the records, with one line for each request: `reason TAB
/// package TAB test`.
pub const RECORDS: &str = "CAROM_SKIPPED";

/// A file or folder of the reference data; `None` if this machine has no reference data.
///
/// The data is in the folder of the environment variable `CAROM_SHARED_DATA`, or in `../shared/data` next
/// to the workspace; it is not part of the project.
///
/// # Panics
///
/// If the variable names a folder without the file: who sets it requires all of these tests.
pub fn shared_data(path: &str) -> Option<PathBuf> {
    let named = std::env::var_os("CAROM_SHARED_DATA").filter(|folder| !folder.is_empty());
    let is_named = named.is_some();
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
    let folder = named.map_or_else(beside, PathBuf::from);
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    assert!(!is_named, "reference data: no `{path}` in {}, which CAROM_SHARED_DATA names", folder.display());
    skip(&if folder.exists() {
        format!("reference data: no `{path}` in {}", folder.display())
    } else {
        "reference data: none beside the project; CAROM_SHARED_DATA names its folder".to_owned()
    });
    None
}

/// The Python that imports `module`: that of `CAROM_PYTHON`, or `python3`; for `vtk` also ParaView's
/// `pvpython`.
pub fn python(module: &str) -> Option<String> {
    let named = std::env::var("CAROM_PYTHON").ok();
    let mut candidates = vec![named.unwrap_or_else(|| "python3".to_owned())];
    if module == "vtk" {
        candidates.push("pvpython".to_owned());
    }
    let imports = |python: &String| {
        let output = Command::new(python).args(["-c", &format!("import {module}")]).output();
        output.is_ok_and(|output| output.status.success())
    };
    if let Some(found) = candidates.iter().find(|python| imports(python)) {
        return Some(found.clone());
    }
    skip(&format!(
        "Python: `{}` cannot import {module}: pip install {module}, or set CAROM_PYTHON to a Python that has \
         it",
        candidates.join("` and `")
    ));
    None
}

/// True if a Python has the plugin by which Snakemake submits jobs to Slurm.
pub fn has_slurm_plugin(python: &str) -> bool {
    let output = Command::new(python).args(["-c", "import snakemake_executor_plugin_slurm"]).output();
    let found = output.is_ok_and(|output| output.status.success());
    if !found {
        skip(&format!("Slurm: `{python}` has no plugin: pip install snakemake-executor-plugin-slurm"));
    }
    found
}

/// The Python with PETSc, SLEPc and MPI: that of `CAROM_PETSC_PYTHON`, or `python3`, or that of the system;
/// none without `mpirun`.
pub fn petsc_python() -> Option<String> {
    let works = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let named = std::env::var("CAROM_PETSC_PYTHON").ok();
    let candidates =
        named.map_or_else(|| vec!["python3".to_owned(), "/usr/bin/python3".to_owned()], |name| vec![name]);
    let imports = "import mpi4py, petsc4py, slepc4py";
    let found = candidates.iter().find(|python| works(python, &["-c", imports]));
    if let Some(found) = found.filter(|_| works("mpirun", &["--version"])) {
        return Some(found.clone());
    }
    skip(&format!(
        "PETSc: `{}` cannot {imports}, or there is no mpirun: apt-get install python3-petsc4py \
         python3-slepc4py python3-mpi4py, or set CAROM_PETSC_PYTHON to a Python that has them",
        candidates.join("` and `")
    ));
    None
}

/// Records that a test is skipped, completely or in part, because this machine lacks a requirement.
///
/// The reason names the missing requirement and the remedy; it begins with a category and a colon.
///
/// # Panics
///
/// If the file of the records cannot be written.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("?");
    let package = std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "?".to_owned());
    eprintln!("skipped: {package} {test}: {reason}");
    if let Some(path) = std::env::var_os(RECORDS) {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&path).unwrap();
        // One write, so that lines of several programs do not mix.
        file.write_all(format!("{reason}\t{package}\t{test}\n").as_bytes()).unwrap();
    }
}
