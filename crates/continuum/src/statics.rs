//! Static equilibrium of unreduced bodies under supports, loads and frictionless contact (docs/theory.md,
//! statics).
//!
//! Each body is factorised once. Its contact zones see it through the compliance U of their points, so that
//! the contact problem is that of the quasistatic submodel (`carom_contact::submodel`), with the displacement
//! by loads and supports in the place of the low modes. Rigid motions that the supports of a body leave free
//! are found around it, by Newton's method on the forces that they leave unbalanced.
//!
//! A [`Problem`] is plain data; a [`System`] is made of it once; a [`Simulation`] applies the load in steps
//! and hands each of them to a [`StaticObserver`]. Path to read: `body` (with `supports`, `loads`),
//! `contact`, `equilibrium` (with `trust_region`), `state`, `simulation`.

mod body;
mod contact;
mod doubts;
mod equilibrium;
mod error;
pub(crate) mod loads;
mod outcome;
mod problem;
mod restart;
mod simulation;
mod state;
mod supports;
mod trust_region;

pub use error::{EquilibriumError, NotHeld, RimPressure, RunError, SetupError};
pub use outcome::{BodyForces, ForceFrom, LoadStep, PairOutcome};
pub use problem::{BodySpec, ContactSpec, Force, Place, Pressure, Problem, Support};
pub use simulation::{Settings, Simulation, StaticObserver, System};
