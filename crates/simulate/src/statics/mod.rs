//! Static equilibrium of unreduced bodies under supports, loads and frictionless contact (docs/theory.md,
//! statics).
//!
//! Each body is factorised once. Its contact zones see it through the compliance U of their points, so that
//! the contact problem is that of the quasistatic submodel (`carom_contact::submodel`), with the displacement
//! by loads and supports in the place of the low modes. Rigid motions that the supports of a body leave free
//! are found around it, by Newton's method on what their forces leave over.
//!
//! [`run_static`] is the whole run. Path to read: `body` (with `supports`, `loads`), `contact`,
//! `equilibrium` (with `trust_region`), `state`, `run`.

mod body;
mod contact;
mod doubts;
mod equilibrium;
mod error;
mod loads;
mod outcome;
mod run;
mod state;
mod supports;
mod trust_region;

pub use error::StaticError;
pub use outcome::{PairOutcome, StaticOutcome, SupportOutcome};
pub use run::run_static;
pub use state::BodyForcesOutcome;
