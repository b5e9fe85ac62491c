//! From errors of the libraries to exit codes and hints.

use std::error::Error;
use std::fmt;
use std::path::Path;

use carom_cli::{Category, Failure};
use carom_fem::MATERIALS;
use carom_format::Scenario;
use carom_format::scenario::{Override, Place};
use carom_simulate::{At, ErrorKind, Kind};

/// Reads a scenario with the changes of the command line.
///
/// # Errors
///
/// [`Failure`] with every problem and its line.
pub fn read_scenario(path: &Path, overrides: &[Override]) -> Result<Scenario, Failure> {
    let known: Vec<&str> = MATERIALS.iter().map(|row| row.name).collect();
    Scenario::read(path, overrides, &known).map_err(|error| {
        let category = if error.is_io() { Category::Files } else { Category::Input };
        Failure::from_error(category, error)
    })
}

/// A failed run; a problem of the scenario comes with its line.
///
/// * `path`, `overrides` — as for [`read_scenario`]
pub fn failed<E: Kind + Send + Sync>(path: &Path, overrides: &[Override], error: At<E>) -> Failure {
    let category = category(error.kind());
    if category == Category::Interrupted {
        let failure = Failure::from_error(category, error);
        let says_so = failure.to_string().contains("interrupted");
        return if says_so { failure } else { failure.context("interrupted") };
    }
    match error.key().and_then(|key| Scenario::place_of(path, overrides, key)) {
        Some(place) => Failure::from_error(category, Placed { place, source: error }),
        None => Failure::from_error(category, error),
    }
}

/// A problem that showed when bodies were looked at, with the place of the scenario that it is about.
#[derive(Debug)]
struct Placed<E> {
    place: Place,
    source: At<E>,
}

impl<E: Error> fmt::Display for Placed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.source)
    }
}

impl<E: Error> Error for Placed<E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.source()
    }
}

fn category(kind: ErrorKind) -> Category {
    match kind {
        ErrorKind::Input => Category::Input,
        ErrorKind::Files => Category::Files,
        ErrorKind::Convergence => Category::Convergence,
        ErrorKind::Interrupted => Category::Interrupted,
        ErrorKind::Other => Category::Other,
    }
}
