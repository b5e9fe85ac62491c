//! The folder of a run: its layout, and its lock.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use carom_cli::{Category, Failure, FailureContext};
use carom_files::{create_folder, temporary};
use carom_simulate::{Users, Workshop};

use crate::args::ChainArgs;

/// The paths of all files of `carom run`.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The folder.
    pub(crate) root: PathBuf,
    /// Body files and models.
    pub(crate) bodies: PathBuf,
    /// The runs that use the folder of these files.
    users: Users,
    /// The result.
    pub(crate) result: PathBuf,
    /// ParaView files.
    pub(crate) paraview: PathBuf,
    /// Plots.
    pub(crate) plots: PathBuf,
    /// Tables of the report with all rows.
    pub(crate) tables: PathBuf,
    /// The report.
    pub(crate) report: PathBuf,
    /// The record of all inputs.
    pub(crate) stamp: PathBuf,
}

impl Layout {
    /// The layout of a command.
    pub(crate) fn of(args: &ChainArgs) -> Self {
        let own = Self::new(args.output.as_deref(), &args.scenario);
        match &args.bodies {
            Some(shared) => Self { bodies: shared.clone(), users: Users::Many, ..own },
            None => own,
        }
    }

    /// The folders in which the bodies of a scenario are made.
    pub(crate) fn workshop<'a>(&'a self, scenario: &'a Path) -> Workshop<'a> {
        Workshop { scenario_folder: scenario_folder(scenario), bodies: &self.bodies, users: self.users }
    }

    /// The folder of bodies and models of this run alone.
    pub(crate) fn own_bodies(&self) -> PathBuf {
        self.root.join("bodies")
    }

    /// The layout in the folder `given`, or in the default folder of the scenario.
    fn new(given: Option<&Path>, scenario: &Path) -> Self {
        let root = given.map_or_else(|| default_folder(scenario), Path::to_owned);
        Self {
            bodies: root.join("bodies"),
            users: Users::One,
            result: root.join("result.carom"),
            paraview: root.join("paraview"),
            plots: root.join("plots"),
            tables: root.join("tables"),
            report: root.join("report.html"),
            stamp: root.join("carom-run.json"),
            root,
        }
    }

    /// Creates the folder and locks it for the lifetime of the returned handle. Unfinished files of killed
    /// runs are removed.
    pub(crate) fn claim(&self, force: bool) -> Result<Option<File>, Failure> {
        if !force {
            self.refuse_foreign()?;
        }
        create_folder(&self.root).or_fail(Category::Files)?;
        // Systems that cannot lock folders run without the lock: SQLite still protects the result.
        let handle = File::open(&self.root).ok();
        if handle.as_ref().is_some_and(|handle| matches!(handle.try_lock(), Err(TryLockError::WouldBlock))) {
            let what = format!("another carom works in `{}`", self.root.display());
            let failure = Failure::new(Category::Files, what);
            return Err(failure.hint("wait until it ends, or give this run another folder with -o"));
        }
        for folder in [&self.root, &self.bodies, &self.paraview, &self.plots, &self.tables] {
            temporary::clear_left_over(folder);
        }
        Ok(handle)
    }

    /// Refuses a folder that `carom run` has not made and that contains other files: files with the same
    /// names would be overwritten. A folder with only a result is checked later. Empty folders, which
    /// workflow engines make for their outputs, are accepted.
    fn refuse_foreign(&self) -> Result<(), Failure> {
        if self.stamp.exists() {
            return Ok(());
        }
        let of_result = |name: &str| name.starts_with("result.carom") || name.starts_with(".carom-");
        let endings = [".npz", ".rom", ".recipe", ".lock"];
        let of_bodies = |name: &str| endings.iter().any(|ending| name.ends_with(ending));
        let is_bodies = |name: &str| {
            let foreign =
                || foreign(&self.own_bodies(), |name| of_bodies(name) || name.starts_with(".carom-"));
            name == "bodies" && foreign().is_none()
        };
        match foreign(&self.root, |name| of_result(name) || is_bodies(name)) {
            Some(found) => {
                let what = format!(
                    "the folder `{}` contains files that carom run has not made, such as `{found}`",
                    self.root.display()
                );
                Err(Failure::new(Category::Usage, what).hint(
                    "give an empty or new folder with -o; --force uses this folder in spite of its files",
                ))
            }
            None => Ok(()),
        }
    }
}

/// The first entry of a folder, by name, that carom does not make; none if the folder does not exist.
fn foreign(folder: &Path, is_ours: impl Fn(&str) -> bool) -> Option<String> {
    let is_empty = |path: &Path| std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let filled = entries.filter(|entry| !is_empty(&entry.path()));
    let names = filled.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| !is_ours(name)).min()
}

/// Folder of a scenario, to which its paths are relative.
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

/// The folder with the name of the scenario; `out` within it if the scenario is in it.
fn default_folder(scenario: &Path) -> PathBuf {
    let folder = PathBuf::from(scenario_name(scenario));
    let is_its_own = match (folder.canonicalize(), scenario_folder(scenario).canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if is_its_own {
        return folder.join("out");
    }
    // A scenario file without an ending has the name of the default folder.
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
