//! Recipes of files: a file is made again only if the recipe beside it differs.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use carom_files::{WriteFileError, write_atomically};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// Checksum of everything that a file is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recipe(String);

impl Recipe {
    /// The recipe of these ingredients, in this program's version.
    pub(crate) fn of(ingredients: &impl Serialize) -> Self {
        let text = serde_json::to_string(ingredients).expect("ingredients are plain data");
        Self(hexadecimal(Sha256::new().chain_update(carom_format::PROGRAM).chain_update(text)))
    }

    /// The seconds that `file` cost, by phase, if it exists and its note has this recipe.
    pub(crate) fn made(&self, file: &Path) -> Option<BTreeMap<String, f64>> {
        let note = carom_files::input::read_text(&note(file)).ok().filter(|_| file.is_file())?;
        let (made, seconds) = note.trim_end().split_once('\n').unwrap_or((note.trim_end(), ""));
        (made == self.0).then(|| serde_json::from_str(seconds).unwrap_or_default())
    }

    /// Writes the note of `file`: this recipe, and the seconds that the file cost.
    pub(crate) fn keep(&self, file: &Path, seconds: &BTreeMap<String, f64>) -> Result<(), WriteFileError> {
        let seconds = serde_json::to_string(seconds).expect("names and numbers are plain data");
        write_atomically(&note(file), |out| writeln!(out, "{}\n{seconds}", self.0))
    }

    /// The first digits of the checksum, for the name of a file.
    pub(crate) fn digits(&self) -> &str {
        &self.0[..12]
    }
}

/// Removes the recipe of `file`, before a new file is written: if the program is stopped then, the file does
/// not count as up to date.
pub(crate) fn forget(file: &Path) {
    // A note that cannot be removed lies in a folder in which the file cannot be replaced either.
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
