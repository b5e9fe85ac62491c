//! The scheme `rigid`: bodies with exact energy and momenta, `carom-rigid`.
//!
//! `setup` makes a system of a scenario, `run` its result.

mod run;
mod setup;

pub(crate) use run::run_rigid;
pub(crate) use setup::{Role, problem, shape_role};
