//! What a file was made from: if the recipe is the same, the file need not be made again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use thiserror::Error;

/// Checksum of everything that a file is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recipe(String);

impl Recipe {
    /// The recipe of these ingredients, in this program's version.
    pub(crate) fn of(ingredients: &impl Serialize) -> Self {
        let text = serde_json::to_string(ingredients).expect("ingredients are plain data");
        Self(hexadecimal(Sha256::new().chain_update(carom_format::PROGRAM).chain_update(text)))
    }

    /// If `file` is there and its note says that it was made so: the seconds that it took, by phase.
    pub(crate) fn made(&self, file: &Path) -> Option<BTreeMap<String, f64>> {
        let note = carom_files::input::read_text(&note(file)).ok().filter(|_| file.is_file())?;
        let (made, seconds) = note.trim_end().split_once('\n').unwrap_or((note.trim_end(), ""));
        (made == self.0).then(|| serde_json::from_str(seconds).unwrap_or_default())
    }

    /// Notes that `file` was made so, and the seconds that it took.
    pub(crate) fn keep(&self, file: &Path, seconds: &BTreeMap<String, f64>) -> Result<(), RecipeError> {
        let seconds = serde_json::to_string(seconds).expect("names and numbers are plain data");
        let path = note(file);
        fs::write(&path, format!("{}\n{seconds}\n", self.0)).map_err(|source| RecipeError { path, source })
    }
}

/// The note beside a file cannot be written.
#[derive(Debug, Error)]
#[error("cannot use `{path}`: {source}")]
pub struct RecipeError {
    /// Path of the note.
    pub path: PathBuf,
    /// The error of the operating system.
    pub source: io::Error,
}

/// Forgets what `file` was made from: what will be there next is made otherwise, even if nobody gets to say
/// so.
pub(crate) fn forget(file: &Path) {
    // If there is no note there is nothing to forget; if it cannot be removed, neither can the file be
    // replaced.
    let _ = fs::remove_file(note(file));
}

/// The note beside a file.
fn note(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".recipe");
    PathBuf::from(name)
}

/// Checksum of the content of a file.
pub(crate) fn file_checksum(path: &Path) -> io::Result<String> {
    let bytes = carom_files::input::read(path)?;
    Ok(hexadecimal(Sha256::new().chain_update(bytes)))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
