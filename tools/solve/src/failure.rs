//! From errors of the libraries to exit codes and hints.

use std::path::Path;

use carom_cli::{Category, Failure};
use carom_fem::MATERIALS;
use carom_format::Scenario;
use carom_simulate::{ErrorKind, SimulateError};

/// Reads a scenario with the changes of the command line.
///
/// # Errors
///
/// [`Failure`] with every problem and its line.
pub fn read_scenario(path: &Path, overrides: &[String]) -> Result<Scenario, Failure> {
    let known: Vec<&str> = MATERIALS.iter().map(|row| row.name).collect();
    Scenario::read(path, overrides, &known).map_err(|error| {
        let category = if error.is_io() { Category::Files } else { Category::Input };
        Failure::from_error(category, error)
    })
}

/// A failed run.
pub fn failed(error: SimulateError) -> Failure {
    Failure::from_error(category(&error), error)
}

fn category(error: &SimulateError) -> Category {
    match error.kind() {
        ErrorKind::Input => Category::Input,
        ErrorKind::Files => Category::Files,
        ErrorKind::Convergence => Category::Convergence,
        ErrorKind::Interrupted | ErrorKind::Other => Category::Other,
    }
}
