//! What the tests and benchmarks of several packages share; only their `dev-dependencies` name this package.
//!
//! * [`shared_data`], [`json_file`], [`numbers`] — reference values that other codes computed
//! * [`vtu`] — reads the .vtu files we write, by an independent reader
//! * [`clock`] — CPU seconds and seconds on the wall, for benchmarks
//! * [`heap`] — allocations and bytes on the heap
//! * [`program`] — what a program printed and how it ended
//!
//! Nothing here knows a type of another package of carom: so any of them may use it. Everything panics where a test should.

use std::path::{Path, PathBuf};

use serde_json::Value;

pub mod clock;
pub mod heap;
pub mod program;
pub mod vtu;

#[cfg(test)]
mod registered;

/// A file or folder of the reference data, or `None` where this machine has none.
///
/// The data lies in the folder that the environment variable `CAROM_SHARED_DATA` names, or in `../shared/data` beside the
/// workspace; it is no part of the project. A test that gets `None` passes over what it would compare: that is printed here.
pub fn shared_data(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("CAROM_SHARED_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let found = folder.join(path);
    if found.exists() {
        return Some(found);
    }
    eprintln!("skipped: no reference data at {} (set CAROM_SHARED_DATA)", found.display());
    None
}

/// The JSON value in a file.
///
/// # Panics
///
/// If the file is missing or is no JSON.
pub fn json_file(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The numbers of a JSON array.
///
/// # Panics
///
/// If the value is anything else.
pub fn numbers(value: &Value) -> Vec<f64> {
    let number = |v: &Value| v.as_f64().unwrap_or_else(|| panic!("{v} is no number"));
    value.as_array().unwrap_or_else(|| panic!("{value} is no array")).iter().map(number).collect()
}
