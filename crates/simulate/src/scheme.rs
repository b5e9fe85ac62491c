//! The table of schemes, in use: `check` holds a scenario against the row of its scheme, [`set_up`] makes
//! the run.
//!
//! The rows are those of [`carom_format::scenario::model::SCHEMES`]. Other files ask a row for a property
//! (`has_time`, `points_touch`, `high_modes`, ...) and never which scheme it is.

use carom_format::scenario::model::{Scenario, Scheme};
use carom_progress::Progress;

use crate::complementarity::ComplementarityRun;
use crate::error::At;
use crate::explicit::{ExplicitRun, probe_problem};
use crate::implicit::ImplicitRun;
use crate::parts::Parts;
use crate::prepared::Prepared;
use crate::reduced::ReducedRun;
use crate::rigid::{self, RigidRun};
use crate::run::Run;
use crate::statics::StaticRun;

pub(crate) mod check;
pub(crate) mod error;

pub use check::SchemeError;
pub use error::SetUpError;

/// Sets up a scenario to run.
///
/// # Errors
///
/// [`SetUpError`] names the body, pair or table that does not fit.
pub(crate) fn set_up<'a>(
    scenario: &'a Scenario,
    prepared: &'a Prepared,
    progress: &dyn Progress,
) -> Result<Box<dyn Run + 'a>, At<SetUpError>> {
    Ok(match &scenario.simulation.scheme {
        Scheme::Quasistatic(settings) | Scheme::Dynamic(settings) | Scheme::Damped(settings) => {
            Box::new(ReducedRun::new(scenario, prepared, settings, progress).map_err(At::cast)?)
        }
        Scheme::Static { steps } => Box::new(StaticRun::new(scenario, prepared, *steps, progress)?),
        Scheme::Rigid { time_step } => {
            Box::new(RigidRun::new(scenario, prepared, *time_step).map_err(At::cast)?)
        }
        Scheme::Explicit { courant, time_step, contact, .. } => {
            let made = ExplicitRun::new(scenario, prepared, *courant, *time_step, *contact);
            Box::new(made.map_err(At::cast)?)
        }
        Scheme::Implicit { method, time_step, persistency, gradient } => {
            let made = ImplicitRun::new(scenario, prepared, (*method, *persistency, *gradient), *time_step);
            Box::new(made.map_err(At::cast)?)
        }
        Scheme::Complementarity { time_step, mass, method } => {
            let made = ComplementarityRun::new(scenario, prepared, (*mass, *method), *time_step);
            Box::new(made.map_err(At::cast)?)
        }
    })
}

/// An error of the set-up that is known from the geometries alone.
pub(crate) fn problem(scenario: &Scenario, parts: &[Parts<'_>]) -> Option<At<SetUpError>> {
    match &scenario.simulation.scheme {
        Scheme::Rigid { time_step } => rigid::problem(scenario, parts, *time_step).map(At::cast),
        Scheme::Static { .. }
        | Scheme::Explicit { .. }
        | Scheme::Implicit { .. }
        | Scheme::Complementarity { .. } => probe_problem(scenario, parts).map(At::cast),
        _ => None,
    }
}
