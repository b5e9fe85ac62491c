//! The record of `carom run` about a folder: inputs, wall time and files of each stage.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Component, Path};
use std::time::UNIX_EPOCH;

use carom_cli::{Category, Failure, FailureContext};
use carom_files::write_atomically;
use carom_format::scenario::Override;
use carom_format::scenario::model::{BodySource, BodySpec};
use carom_format::{PROGRAM, Scenario};
use serde::{Deserialize, Serialize};

use crate::folder::scenario_folder;

const FORMAT: &str = "carom-run";
const VERSION: u32 = 1;

/// The file `carom-run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stamp {
    format: String,
    version: u32,
    program: String,
    /// True once this program has begun a result, which it may then replace.
    #[serde(default)]
    pub(crate) owns_result: bool,
    /// Wall time of the solution, over all runs that it needed \[s\].
    #[serde(default)]
    pub(crate) solution_seconds: f64,
    /// Changes with which the run was repeated.
    #[serde(default)]
    pub(crate) repeated: Repeated,
    /// Stages after the solution.
    #[serde(default)]
    pub(crate) stages: BTreeMap<String, Made>,
}

/// Changes of a scenario with which its run was repeated, as its estimated errors were too large.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Repeated {
    /// The scenario without the changes and the files of its bodies, see [`origin`].
    pub(crate) of: String,
    /// The changes, as `--set` takes them.
    pub(crate) overrides: Vec<String>,
    /// How often.
    pub(crate) times: usize,
}

/// The record of a stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Made {
    /// Its inputs, see [`identity`].
    pub(crate) from: String,
    /// Wall time \[s\].
    pub(crate) seconds: f64,
    /// Its files, relative to the folder.
    pub(crate) files: Vec<String>,
    /// Notes for the user.
    #[serde(default)]
    pub(crate) notes: Vec<String>,
}

impl Default for Stamp {
    fn default() -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: PROGRAM.to_owned(),
            owns_result: false,
            solution_seconds: 0.0,
            repeated: Repeated::default(),
            stages: BTreeMap::new(),
        }
    }
}

impl Repeated {
    /// The changes of a scenario.
    pub(crate) fn changes(&self) -> Vec<Override> {
        self.overrides.iter().cloned().map(Override::from).collect()
    }

    /// Takes in other changes; a change of the same key replaces an earlier one.
    pub(crate) fn take(&mut self, overrides: Vec<String>) {
        let key = |text: &String| text.split_once('=').map(|(key, _)| key.to_owned());
        self.overrides.retain(|old| overrides.iter().all(|new| key(new) != key(old)));
        self.overrides.extend(overrides);
        self.times += 1;
    }
}

impl Stamp {
    /// Reads a record; an empty one if the file is missing or invalid: then everything after the bodies is
    /// made again, and no file counts as made by carom.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let text = match carom_files::input::read_text(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => {
                return Err(Failure::from_error(Category::Files, error)
                    .context(format!("cannot read `{}`", path.display())));
            }
        };
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
            program: String,
        }
        let head: Option<Head> = serde_json::from_str(&text).ok().filter(|head: &Head| head.format == FORMAT);
        match head {
            Some(head) if head.version > VERSION => Err(Failure::new(
                Category::Input,
                format!(
                    "`{}` has version {} of the format `{FORMAT}`; this program reads versions up to \
                     {VERSION}; use the release of carom that wrote the file ({}) or a newer one",
                    path.display(),
                    head.version,
                    head.program
                ),
            )
            .hint("or give this run another folder with -o")),
            _ => Ok(serde_json::from_str(&text).unwrap_or_default()),
        }
    }

    /// The changes with which a run was repeated; none if it is another one.
    ///
    /// * `origin` — of the run, see [`origin`]
    pub(crate) fn repeated_of(&self, origin: &str) -> Repeated {
        match self.repeated.of == origin {
            true => self.repeated.clone(),
            false => Repeated { of: origin.to_owned(), ..Repeated::default() },
        }
    }

    /// Writes it.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(self).expect("a stamp is plain data");
        write_atomically(path, |out| writeln!(out, "{text}")).or_fail(Category::Files)
    }

    /// The record of a stage, if its inputs are unchanged and all of its files exist.
    pub(crate) fn up_to_date(&self, stage: &str, from: &str, root: &Path) -> Option<&Made> {
        let made = self.stages.get(stage)?;
        let is_there = |file: &String| is_inside(file) && root.join(file).is_file();
        (made.from == from && made.files.iter().all(is_there)).then_some(made)
    }

    /// Removes the files of a stage, which will be replaced, and its record.
    pub(crate) fn clear(&mut self, stage: &str, root: &Path) {
        let Some(made) = self.stages.remove(stage) else { return };
        for file in made.files.iter().filter(|file| is_inside(file)) {
            // A file may be missing already. A file that cannot be removed cannot be replaced either; that
            // error is reported later.
            let _ = std::fs::remove_file(root.join(file));
        }
    }
}

/// The scenario of a run and the files of its bodies, as a text: what changes with them.
pub(crate) fn origin(given: &Scenario, path: &Path) -> String {
    let folder = scenario_folder(path);
    let file = |spec: &BodySpec| match &spec.source {
        BodySource::Import(import) => Some(import.file.clone()),
        BodySource::Body { body } => Some(body.clone()),
        BodySource::Rom { rom } => Some(rom.clone()),
        BodySource::Make { .. } => None,
    };
    let files = given.body.iter().filter_map(file);
    let identities = files.map(|file| identity(&folder.join(file)).unwrap_or_default());
    let identities: Vec<String> = identities.collect();
    format!("{}\n{PROGRAM}\n{}", given.without_pictures().to_toml(), identities.join("\n"))
}

/// False for a path out of the folder, which only an edited record can contain.
fn is_inside(file: &str) -> bool {
    Path::new(file).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Identity of a file without reading it: size and time of the last change.
pub(crate) fn identity(path: &Path) -> Result<String, Failure> {
    let meta =
        path.metadata().or_fail_with(Category::Files, || format!("cannot read `{}`", path.display()))?;
    let changed = meta.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(format!("{PROGRAM}, {} bytes, {} ns", meta.len(), changed.map_or(0, |time| time.as_nanos())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_is_up_to_date_while_its_files_are_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("carom-run.json");
        let mut stamp = Stamp::read(&path).unwrap();
        assert_eq!(stamp, Stamp::default());
        std::fs::write(folder.path().join("a"), "a").unwrap();
        let made = Made { from: "x".to_owned(), files: vec!["a".to_owned()], ..Made::default() };
        stamp.stages.insert("plots".to_owned(), made);
        stamp.write(&path).unwrap();
        let mut stamp = Stamp::read(&path).unwrap();
        assert!(stamp.up_to_date("plots", "x", folder.path()).is_some());
        assert!(stamp.up_to_date("plots", "y", folder.path()).is_none());
        stamp.clear("plots", folder.path());
        assert!(!folder.path().join("a").exists());
        assert!(stamp.up_to_date("plots", "x", folder.path()).is_none());
    }

    #[test]
    fn nothing_outside_the_folder_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        let precious = folder.path().join("precious");
        std::fs::write(&precious, "x").unwrap();
        let mut stamp = Stamp::default();
        let files = vec!["../precious".to_owned(), precious.display().to_string()];
        stamp.stages.insert("plots".to_owned(), Made { files, ..Made::default() });
        stamp.clear("plots", &inner);
        assert!(precious.exists());
    }

    #[test]
    fn a_stamp_of_a_newer_release_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("carom-run.json");
        std::fs::write(&path, r#"{"format": "carom-run", "version": 2, "program": "carom 9"}"#).unwrap();
        let failure = Stamp::read(&path).unwrap_err();
        assert!(failure.to_string().contains("carom 9"), "{failure}");
        std::fs::write(&path, "{ broken").unwrap();
        assert_eq!(Stamp::read(&path).unwrap(), Stamp::default());
    }
}
