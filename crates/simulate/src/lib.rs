//! From a scenario to a result.
//!
//! [`prepare()`] makes or reads the bodies and reduced models that a scenario names, [`system()`] puts them
//! together, [`run()`] carries the time loop and keeps the result. Read in that order. The scheme `static`
//! has no time loop: `statics`. [`survey()`] says what [`prepare()`] would do, and what is wrong, without
//! writing anything.

mod discretised;
pub mod error;
mod forces;
mod joints;
mod material_point;
mod overlap;
mod plausible;
pub mod prepare;
mod recipe;
mod references;
mod resume;
mod rigid;
mod rigid_partner;
pub mod run;
mod static_modes;
mod statics;
mod stops;
pub mod system;

pub use error::{ErrorKind, SimulateError};
pub use overlap::Silhouette;
pub use prepare::survey::{Standing, Survey, SurveyedBody, survey};
pub use prepare::{Prepared, PreparedBody, PreparedModel, Workshop, prepare};
pub use rigid::RepeatedContact;
pub use run::{RunOptions, RunOutcome, cpu_seconds, run};
pub use statics::{StaticOutcome, SupportOutcome};
pub use system::{Assembled, system};
