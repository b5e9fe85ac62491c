//! Functions that tests and benchmarks of several packages share, as `dev-dependencies` alone.
//!
//! * [`reference()`] — reference files of this project's own making
//! * [`machine`] — further reference data ([`shared_data`]), Python modules; failed requests are recorded
//! * [`json_file`], [`numbers`] — reference values that other programs computed
//! * [`vtu`] — reads our .vtu files with an independent reader
//! * [`clock`] — CPU seconds and seconds on the wall, for benchmarks
//! * [`heap`] — allocations and bytes on the heap
//! * [`program`] — output and exit of a program
//! * [`scenarios`] — scenarios as text
//!
//! No function here uses a type of another package of carom, so that every package can use this one.
//! Functions panic where a test should fail.
//!
//! ```
//! use carom_testing::{numbers, reference};
//!
//! // A reference file of the repository: the first line of a list, as JSON.
//! let list = std::fs::read_to_string(reference("nurbs/expected.jsonl")).unwrap();
//! let ball: serde_json::Value = serde_json::from_str(list.lines().next().unwrap()).unwrap();
//! assert_eq!(ball["patches"], 7);
//! assert!(numbers(&ball["centroid"]).iter().all(|x| x.abs() < 1e-12));
//! ```

use std::path::{Path, PathBuf};

use serde_json::Value;

pub mod clock;
pub mod heap;
pub mod machine;
pub mod program;
pub mod scenarios;
pub mod vtu;

#[cfg(test)]
mod registered;
#[cfg(test)]
mod sources;

pub use machine::shared_data;

/// A file or folder of the reference data that is part of the repository, in `tests/reference`.
///
/// # Panics
///
/// If it is missing.
pub fn reference(path: &str) -> PathBuf {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference").join(path);
    assert!(found.exists(), "{} is part of the repository", found.display());
    found
}

/// The JSON value in a file.
///
/// # Panics
///
/// If the file is missing or invalid.
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
    let number = |v: &Value| v.as_f64().unwrap_or_else(|| panic!("{v} is not a number"));
    value.as_array().unwrap_or_else(|| panic!("{value} is not an array")).iter().map(number).collect()
}
