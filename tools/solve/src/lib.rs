//! Scenarios to results: what `carom-solve` does, for it and for `carom run`.
//!
//! [`read_scenario`] reads a scenario as the command line gives it, [`Solved`] is what a run came to, as text
//! and as JSON. [`Arguments`] is the command line. [`solve_lcp`] is `carom-solve lcp`, a single
//! complementarity problem, which [`read_lcp`] reads.

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [..] is a list")]

mod args;
mod failure;
mod lcp;
mod origin;
mod solved;
mod statics;
mod text;

pub use args::{Arguments, LcpArguments, LcpCommand, command};
pub use failure::{failed, read_scenario};
pub use lcp::{LcpArgs, LcpProblem, read_lcp, solve_lcp};
pub use origin::{keep, keeps_result, origin_of};
pub use solved::Solved;
