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
//! use carom_simulate::{RunOptions, Users, Workshop, prepare, run};
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
//! let workshop = Workshop { scenario_folder: folder.path(), bodies: &bodies, users: Users::One };
//! let prepared = prepare(&scenario, workshop, &Silent)?;
//! let result = folder.path().join("fall.carom");
//! let outcome = run(&scenario, folder.path(), &prepared, &result, RunOptions::default(), &Silent)?;
//! assert!((outcome.bodies[0].velocity[2] + 0.981).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```

mod begun;
mod complementarity;
mod cost;
mod cpu_limit;
mod discretised;
mod enclosed;
mod equilibrium;
mod error;
mod expected_size;
mod explicit;
mod foresee;
mod geometry;
mod given_stiffness;
mod implicit;
mod imported_models;
mod outcome;
mod overlap;
mod parts;
mod plausible;
mod prepare;
mod prepared;
mod recipe;
mod recorder;
mod reduced;
mod reduction;
mod references;
pub mod refinement;
mod resume;
mod rigid;
mod rigid_partner;
mod run;
mod scheme;
mod silhouette;
mod solve;
mod statics;
mod system;

pub use begun::as_begun;
pub use carom_cost::{cpu_seconds, cpu_seconds_of_children};
pub use complementarity::ComplementaritySetUpError;
pub use cost::{CostOfBody, CostOfRun, Costs};
pub use error::{At, ErrorKind, Kind};
pub use expected_size::ExpectedSize;
pub use explicit::{ExplicitSetUpError, WholeProbeError};
pub use foresee::{Choice, ForesightError, choice_sentences};
pub use geometry::GeometryError;
pub use implicit::ImplicitSetUpError;
pub use outcome::{RunSummary, StaticOutcome, SupportOutcome};
pub use overlap::Overlap;
pub use plausible::Impossible;
pub use prepare::{PrepareError, Problem, Standing, Survey, SurveyedBody, prepare, survey};
pub use prepared::{Prepared, PreparedBody, PreparedModel, Users, Workshop};
pub use references::{GroundedMoves, NoInterface, NoMarker, ReferenceError};
pub use refinement::{Refinement, refinement};
pub use resume::{ResumeError, RunOptions};
pub use rigid::{RepeatedContact, RigidSetUpError, ShapeRole};
pub use run::RunError;
pub use scheme::{SchemeError, SetUpError};
pub use silhouette::Silhouette;
pub use solve::{CPU_BEFORE, CPU_OF_SET_UP, RunOutcome, run};
pub use system::{AssembleError, Assembled, BodyOfModelError, NoStress, system};
