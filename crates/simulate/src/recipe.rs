//! What a file was made from: if the recipe is the same, the file need not be made again.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::SimulateError;

/// Checksum of everything that a file is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Recipe(String);

impl Recipe {
    /// The recipe of these ingredients, in this program's version.
    pub(crate) fn of(ingredients: &impl Serialize) -> Self {
        let text = serde_json::to_string(ingredients).expect("ingredients are plain data");
        Self(hexadecimal(Sha256::new().chain_update(carom_format::PROGRAM).chain_update(text)))
    }

    /// True if `file` is there and its note says that it was made so.
    pub(crate) fn made(&self, file: &Path) -> bool {
        file.is_file() && fs::read_to_string(note(file)).is_ok_and(|made| made.trim() == self.0)
    }

    /// Notes that `file` was made so.
    pub(crate) fn keep(&self, file: &Path) -> Result<(), SimulateError> {
        let path = note(file);
        fs::write(&path, &self.0).map_err(|source| SimulateError::Io { path, source })
    }
}

/// The note beside a file.
fn note(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".recipe");
    PathBuf::from(name)
}

/// Checksum of the content of a file.
pub(crate) fn file_checksum(path: &Path) -> Result<String, SimulateError> {
    let bytes = fs::read(path).map_err(|source| SimulateError::Io { path: path.to_owned(), source })?;
    Ok(hexadecimal(Sha256::new().chain_update(bytes)))
}

fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
