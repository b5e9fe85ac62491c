//! Static equilibrium of unreduced bodies under supports, loads and frictionless contact (docs/theory.md,
//! statics).
//!
//! Each body is factorised once. Contact uses the compliance U of the points of its zones, so that the
//! contact problem is that of the quasistatic submodel (`carom_contact::submodel`), with the displacement by
//! loads and supports instead of the low modes. Newton's method on the unbalanced forces finds the rigid
//! motions that the supports of a body leave free, in an outer iteration.
//!
//! A [`Problem`] is plain data; it makes a [`System`] once; a [`Simulation`] applies the load in steps and
//! passes each of them to a [`StaticObserver`]. Path to read: `body` (with `supports`, `loads`), `contacts`
//! (`contact` of zones, `grids` of half-spaces), `equilibrium` (with `trust_region`), `state`, `simulation`.

mod body;
mod contact;
mod contacts;
mod doubts;
mod equilibrium;
mod error;
mod grids;
pub(crate) mod loads;
mod outcome;
mod problem;
mod restart;
mod simulation;
mod state;
mod supports;
mod trust_region;

pub use error::{EquilibriumError, NotHeld, RimPressure, RunError, SetupError};
pub use grids::GridError;
pub use outcome::{BodyForces, ForceFrom, LoadStep, PairOutcome};
pub use problem::{BodySpec, ContactSpec, Force, Place, Pressure, Problem, Support};
pub use simulation::{Settings, Simulation, StaticObserver, System};
