//! What the tests and benchmarks of several packages share; only their `dev-dependencies` name this package.
//!
//! * [`machine`] — what tests need of a machine: reference data ([`shared_data`]), Python modules; what is
//!   missing is recorded
//! * [`json_file`], [`numbers`] — reference values that other codes computed
//! * [`vtu`] — reads the .vtu files we write, by an independent reader
//! * [`clock`] — CPU seconds and seconds on the wall, for benchmarks
//! * [`heap`] — allocations and bytes on the heap
//! * [`program`] — what a program printed and how it ended
//!
//! Nothing here knows a type of another package of carom: so any of them may use it. Everything panics where
//! a test should.

use std::path::Path;

use serde_json::Value;

pub mod clock;
pub mod heap;
pub mod machine;
pub mod program;
pub mod vtu;

#[cfg(test)]
mod registered;

pub use machine::shared_data;

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
