//! What a run comes to, or why it ended early.

use crate::contact::Rim;
use crate::system_error::{RateError, SystemError};
use carom_dynamics::{CheckpointError, ContactEvent, LedgerSummary, ObserverError};
use carom_integrate::{Counters, IntegrateError};

/// Why a run ended early. What was handed to the observer before stays valid.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No step could be taken.
    #[error(transparent)]
    Step(#[from] IntegrateError<RateError>),
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
    /// A setting is not positive and finite.
    #[error("`{name}` is {value}; it must be positive and finite")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// The result could not be kept.
    #[error(transparent)]
    Observer(#[from] ObserverError),
    /// The checkpoint does not belong to this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The user stopped the run.
    #[error("interrupted at t = {time:.9e} s of {end_time:.3e} s; continue with --resume")]
    Interrupted {
        /// When \[s\].
        time: f64,
        /// Where the run was going \[s\].
        end_time: f64,
    },
}

/// What a run comes to.
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
    /// Largest change of a quaternion's length that was taken out after a step.
    pub quaternion_drift: f64,
    /// For each pair, the largest share of its force that a rim of a contact zone carried, and when \[s\]: where there is
    /// one, the zone is too small and the force too low.
    pub rims: Vec<Option<(f64, Rim)>>,
    /// Evaluations of contact that needed the fallback of the solver.
    pub fallbacks: u64,
}
