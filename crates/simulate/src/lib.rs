//! From a scenario to a result.
//!
//! [`prepare()`] makes or reads the bodies and reduced models that a scenario names, [`system()`] puts them together,
//! [`run()`] carries the time loop and keeps the result. Read in that order.

pub mod error;
pub mod prepare;
mod recipe;
pub mod run;
pub mod system;

pub use error::{ErrorKind, SimulateError};
pub use prepare::{Prepared, PreparedBody, PreparedModel, Workshop, prepare};
pub use run::{RunOptions, RunOutcome, run};
pub use system::{Assembled, system};
