//! The outcome of a run, and errors that end it early.

use crate::contact::Rim;
use crate::equilibrium::EquilibriumError;
use crate::joint::{AssemblyError, ProjectError};
use crate::stall::likely_cause;
use crate::system_error::{RateError, SystemError};
use carom_dynamics::{CheckpointError, ContactEvent, LedgerSummary, ObserverError};
use carom_integrate::{Counters, IntegrateError};

/// Errors that end a run early. Results that the observer got before stay valid.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No step succeeded.
    #[error("{source}{place}")]
    Step {
        /// Why.
        source: IntegrateError<RateError>,
        /// The body of the component of the state, and the contact with the largest force, as text after the
        /// reason.
        place: String,
    },
    /// Bodies, loads and placements do not fit together.
    #[error(transparent)]
    System(#[from] SystemError),
    /// The state could not be evaluated.
    #[error("at t = {time:.9e} s: {source}")]
    State {
        /// When \[s\].
        time: f64,
        /// Why.
        source: RateError,
    },
    /// The mechanism has no static equilibrium that can be found.
    #[error(transparent)]
    Equilibrium(#[from] EquilibriumError),
    /// The joints cannot be closed at the start.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// A step violated the joints, and the projection failed.
    #[error("at t = {time:.9e} s: {source}")]
    Joint {
        /// When \[s\].
        time: f64,
        /// Why.
        source: ProjectError,
    },
    /// A setting is not positive and finite.
    #[error("`{name}` is {value}; it must be positive and finite")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// Pressure reached the rim of a contact zone.
    #[error("at t = {time:.9e} s: {place}; or continue regardless with `rim = \"warning\"` in [[contact]]")]
    Rim {
        /// When \[s\].
        time: f64,
        /// Where.
        place: RimPlace,
    },
    /// The result could not be written.
    #[error(transparent)]
    Observer(#[from] ObserverError),
    /// The checkpoint does not belong to this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// Steps succeed, but time hardly advances.
    #[error(
        "the run no longer advances at t = {time:.9e} s: {steps} steps advanced it by {advance:.1e} s; {}",
        likely_cause(singular.as_deref(), *at_events)
    )]
    Stalled {
        /// When \[s\].
        time: f64,
        /// Steps that were watched.
        steps: u64,
        /// Time by which they advanced \[s\].
        advance: f64,
        /// Whether most of them ended at an event.
        at_events: bool,
        /// The joint whose equations depend on those of the others there, if the position is singular.
        singular: Option<String>,
    },
    /// The user stopped the run.
    #[error("interrupted at t = {time:.9e} s of {end_time:.3e} s")]
    Interrupted {
        /// When \[s\].
        time: f64,
        /// End of the run \[s\].
        end_time: f64,
    },
}

impl From<IntegrateError<RateError>> for RunError {
    fn from(source: IntegrateError<RateError>) -> Self {
        Self::Step { source, place: String::new() }
    }
}

/// Where pressure reached the rim of a contact zone.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "contact `{first}` / `{second}`: {:.2} % of the force lies at the rim of `{zone}` \
     ({}pressure cell {cell} of `{carrier}`): the zone is too small and the force too low; make the set \
     reach 1.25 contact radii (`pole_radius`, or a larger zone) and reduce the body again",
    100.0 * share,
    if zone == carrier { "" } else { "met there by " }
)]
pub struct RimPlace {
    /// First surface of the pair, as `BODY:SET`.
    pub first: String,
    /// Second surface of the pair.
    pub second: String,
    /// The one whose rim is reached.
    pub zone: String,
    /// The surface that carries the pressure, whose pressure cells are numbered.
    pub carrier: String,
    /// The pressure cell with the largest force of those at the rim.
    pub cell: usize,
    /// Part of the force at the rim, 0 to 1.
    pub share: f64,
}

/// Outcome of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSummary {
    /// Time reached \[s\].
    pub time: f64,
    /// Steps, rejected steps, evaluations.
    pub counters: Counters,
    /// Errors of the balance.
    pub ledger: LedgerSummary,
    /// All impacts, in the order in which they ended.
    pub contacts: Vec<ContactEvent>,
    /// Largest error of the length of a quaternion that was corrected after a step.
    pub quaternion_drift: f64,
    /// For each pair, the largest share of its force that a rim of a contact zone carried, and when \[s\]:
    /// where there is one, the zone is too small and the force too low.
    pub rims: Vec<Option<(f64, Rim)>>,
    /// Evaluations of contact that needed the fallback of the solver.
    pub fallbacks: u64,
}
