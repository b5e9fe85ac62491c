//! The parts that all programs of carom share: flags, exit codes, messages, progress, signals.
//!
//! A `main` is three lines: the arguments derive [`clap::Parser`] and flatten [`RunArgs`] or [`OutputArgs`];
//! [`main_with`] parses them, sets up threads and Ctrl-C, runs the body and turns its [`Failure`] into a
//! message and an exit code ([`exit_code`]).
//!
//! ```
//! use carom_cli::{Category, Failure, RunArgs, Session, main_from};
//! use clap::Parser;
//!
//! /// Print the volume of a cube.
//! #[derive(Parser)]
//! struct Args {
//!     /// Edge [m].
//!     #[arg(long)]
//!     edge: f64,
//!     #[command(flatten)]
//!     run: RunArgs,
//! }
//!
//! fn volume(args: &Args, session: &Session) -> Result<(), Failure> {
//!     if args.edge <= 0.0 {
//!         return Err(Failure::new(Category::Usage, "the edge must be above 0").hint("give --edge 0.1"));
//!     }
//!     session.print(&format!("{} m³", args.edge.powi(3)))
//! }
//!
//! let words = ["cube", "--edge", "0.5"].map(Into::into).to_vec();
//! assert_eq!(main_from(words, |args: &Args| &args.run, volume), std::process::ExitCode::SUCCESS);
//! ```
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
