//! What all binaries of carom share, so that the same word means the same thing in each of them.
//!
//! A `main` is three lines: the arguments derive [`clap::Parser`] and flatten [`RunArgs`] or [`OutputArgs`],
//! and [`main_with`] parses them, sets up threads and Ctrl-C, runs the body and turns its [`Failure`] into a
//! message and an exit code ([`exit_code`]).
//!
//! Data go to standard output, everything else to standard error. With `--json` exactly one object is
//! printed.

pub mod args;
pub mod command_line;
pub mod examples;
pub mod exit_code;
pub mod failure;
pub mod origin;
pub mod paths;
mod quantity;
pub mod run;
pub mod session;
pub mod signals;
mod terminal;

pub use clap_complete::Shell;

pub use args::{OptionalOutputArgs, OutputArgs, RunArgs};
pub use failure::{Category, Failure, FailureContext};
pub use paths::{check_ending, keep_input};
pub use run::{main_from, main_with};
pub use session::Session;
