//! The folder of a run: where what lies, and who works in it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use carom_cli::{Category, Failure, FailureContext};
use carom_files::create_folder;

/// Where `carom run` puts things.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The folder.
    pub(crate) root: PathBuf,
    /// Body files and models.
    pub(crate) bodies: PathBuf,
    /// The result.
    pub(crate) result: PathBuf,
    /// ParaView files.
    pub(crate) paraview: PathBuf,
    /// Plots.
    pub(crate) plots: PathBuf,
    /// The report.
    pub(crate) report: PathBuf,
    /// What everything was made from.
    pub(crate) stamp: PathBuf,
}

impl Layout {
    /// The layout in `given`, or in the folder that belongs to the scenario.
    pub(crate) fn new(given: Option<&Path>, scenario: &Path) -> Self {
        let root = given.map_or_else(|| default_folder(scenario), Path::to_owned);
        Self {
            bodies: root.join("bodies"),
            result: root.join("result.carom"),
            paraview: root.join("paraview"),
            plots: root.join("plots"),
            report: root.join("report.html"),
            stamp: root.join("carom-run.json"),
            root,
        }
    }

    /// Makes the folder and keeps others from working in it as long as the returned handle lives.
    pub(crate) fn claim(&self) -> Result<Option<File>, Failure> {
        create_folder(&self.root).or_fail(Category::Files)?;
        // A system that cannot open or lock folders goes without: SQLite still guards the result.
        let Ok(handle) = File::open(&self.root) else { return Ok(None) };
        match handle.try_lock() {
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                Category::Files,
                format!("another carom works in `{}`", self.root.display()),
            )
            .hint("wait for it, or give this run a folder of its own with -o")),
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(handle)),
        }
    }
}

/// Folder of a scenario: where its paths begin.
pub(crate) fn scenario_folder(scenario: &Path) -> &Path {
    scenario.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Name of a scenario: its file without ending, or its folder if the file is called `scenario.toml`.
pub(crate) fn scenario_name(scenario: &Path) -> String {
    let stem =
        scenario.file_stem().map_or_else(|| "scenario".to_owned(), |s| s.to_string_lossy().into_owned());
    if stem != "scenario" {
        return stem;
    }
    let folder = scenario_folder(scenario).canonicalize().ok();
    folder.and_then(|folder| Some(folder.file_name()?.to_string_lossy().into_owned())).unwrap_or(stem)
}

/// The folder called as the scenario; `out` within it if the scenario itself lies there.
fn default_folder(scenario: &Path) -> PathBuf {
    let folder = PathBuf::from(scenario_name(scenario));
    let is_its_own = match (folder.canonicalize(), scenario_folder(scenario).canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if is_its_own {
        return folder.join("out");
    }
    // A scenario without an ending bears the name that its folder would have.
    if folder.is_file() { folder.with_extension("out") } else { folder }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_gives_its_folder_a_name() {
        let place = tempfile::tempdir().unwrap();
        let case = place.path().join("ball-on-rod");
        std::fs::create_dir(&case).unwrap();
        assert_eq!(scenario_name(&case.join("scenario.toml")), "ball-on-rod");
        assert_eq!(scenario_name(&case.join("fast.toml")), "fast");
        assert_eq!(scenario_name(Path::new("drop.toml")), "drop");
        assert_eq!(Layout::new(None, Path::new("drop.toml")).result, Path::new("drop/result.carom"));
    }
}
