//! The scheme `rigid`: bodies with exact energy and momenta, `carom-rigid`.
//!
//! `setup` makes a system of a scenario, `repeated` finds contacts that are named twice, `run` moves it.

mod repeated;
mod run;
mod setup;

pub use repeated::RepeatedContact;
pub(crate) use run::RigidRun;
pub(crate) use setup::{Role, problem, shape_role};
