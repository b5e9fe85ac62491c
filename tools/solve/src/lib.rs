//! Scenarios to results: what `carom-solve` does, for it and for `carom run`.
//!
//! [`read_scenario`] reads a scenario as the command line gives it, [`Solved`] is what a run came to, as text and as JSON.

mod failure;
mod solved;
mod statics;

pub use failure::{failed, read_scenario};
pub use solved::Solved;
