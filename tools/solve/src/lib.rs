//! Scenarios to results: the commands of `carom-solve`, which `carom run` uses too.
//!
//! [`read_scenario`] reads a scenario with the changes of the command line. [`Solved`] is the summary of a
//! run, as text and as JSON. [`Arguments`] is the command line. [`solve_lcp`] is `carom-solve lcp`: it solves
//! one complementarity problem, which [`read_lcp`] reads.
//!
//! # Example
//!
//! A rigid ball falls for a tenth of a second; the summary is what `carom-solve` prints.
//!
//! ```
//! use carom_progress::Silent;
//! use carom_simulate::{RunOptions, Users, Workshop, prepare, run};
//! use carom_solve::{Solved, failed, read_scenario};
//!
//! # fn main() -> Result<(), carom_cli::Failure> {
//! let text = r#"
//! [simulation]
//! scheme = "rigid"
//! end_time = 1.0
//! time_step = 1.0e-3
//! gravity = [0.0, 0.0, -9.81]
//!
//! [[body]]
//! name = "ball"
//! make = { shape = "ball", radius = 0.01 }
//! material = "steel"
//! "#;
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("fall.toml");
//! std::fs::write(&path, text).unwrap();
//!
//! let set = ["simulation.end_time=0.1".into()];
//! let scenario = read_scenario(&path, &set)?;
//! let bodies = folder.path().join("bodies");
//! let workshop = Workshop { scenario_folder: folder.path(), bodies: &bodies, users: Users::One };
//! let prepared = prepare(&scenario, workshop, &Silent).map_err(|error| failed(&path, &set, error))?;
//! let result = folder.path().join("fall.carom");
//! let outcome = run(&scenario, folder.path(), &prepared, &result, RunOptions::default(), &Silent)
//!     .map_err(|error| failed(&path, &set, error))?;
//! let summary = Solved::of(&outcome).text();
//! assert!(summary.contains("in 100 steps"), "{summary}");
//! # Ok(())
//! # }
//! ```

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [..] is a list")]

mod args;
mod failure;
mod lcp;
mod origin;
mod size;
mod solved;
mod statics;
mod text;

pub use args::{Arguments, ChangeArgs, LcpArguments, LcpCommand, command};
pub use failure::{failed, read_scenario};
pub use lcp::{LcpArgs, LcpProblem, read_lcp, solve_lcp};
pub use origin::{keep, keeps_result, origin_of};
pub use size::announce;
pub use solved::Solved;
