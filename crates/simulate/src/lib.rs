//! From a scenario to a result.
//!
//! [`prepare()`] makes or reads the bodies and reduced models that a scenario names; [`run()`] sets them up
//! as its scheme does, runs them and keeps the result. [`survey()`] reports, without writing anything, which
//! files [`prepare()`] would make, and every error of the scenario that can be known by then.
//!
//! Path to read: `prepare`; `scheme`, the table of schemes with the run of each; `run`, the trait of a run,
//! and `solve`, which calls it; then one of the three runs, `reduced` (with [`system()`]), `rigid` and
//! `statics`; and `recorder`, which keeps them all.
//!
//! # Example
//!
//! A rigid steel ball falls for a tenth of a second.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use std::path::Path;
//!
//! use carom_format::Scenario;
//! use carom_progress::Silent;
//! use carom_simulate::{RunOptions, Workshop, prepare, run};
//!
//! let text = r#"
//! [simulation]
//! scheme = "rigid"
//! end_time = 0.1
//! time_step = 1.0e-3
//! gravity = [0.0, 0.0, -9.81]
//!
//! [[body]]
//! name = "ball"
//! make = { shape = "ball", radius = 0.01 }
//! material = "steel"
//! "#;
//! let scenario = Scenario::parse(Path::new("fall.toml"), text, &[], &["steel"])?;
//! let folder = tempfile::tempdir()?;
//! let bodies = folder.path().join("bodies");
//! let workshop = Workshop { scenario_folder: folder.path(), bodies: &bodies };
//! let prepared = prepare(&scenario, workshop, &Silent)?;
//! let result = folder.path().join("fall.carom");
//! let outcome = run(&scenario, folder.path(), &prepared, &result, RunOptions::default(), &Silent)?;
//! assert!((outcome.bodies[0].velocity[2] + 0.981).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```

mod discretised;
pub mod error;
mod forces;
mod joints;
mod material_point;
mod outcome;
mod overlap;
mod plausible;
pub mod prepare;
mod recipe;
mod recorder;
mod reduced;
mod references;
mod resume;
mod rigid;
mod rigid_partner;
mod run;
pub mod scheme;
mod solve;
mod static_modes;
mod statics;
mod stops;
pub mod system;

pub use error::{ErrorKind, SimulateError};
pub use outcome::{RunSummary, StaticOutcome, SupportOutcome};
pub use overlap::Silhouette;
pub use prepare::survey::{Standing, Survey, SurveyedBody, survey};
pub use prepare::{Prepared, PreparedBody, PreparedModel, Workshop, prepare};
pub use resume::RunOptions;
pub use rigid::RepeatedContact;
pub use scheme::SchemeError;
pub use solve::{RunOutcome, cpu_seconds, run};
pub use system::{Assembled, system};
