//! ParaView files, plots, tables and reports from results: the library of `carom-post`, which `carom run`
//! uses too.
//!
//! [`Run`] opens a result with its bodies; [`export()`] writes ParaView files, [`plot::draw`] plots,
//! [`table::build`] tables, [`scene::picture`] pictures of the bodies, [`report::html`] the report.
//!
//! # Example
//!
//! A result with three frames of one body, and the plot and the table of its energies.
//!
//! ```
//! use carom_dynamics::{Balance, BodyState, Frame, Ledger, LedgerSummary, Observer};
//! use carom_format::ResultWriter;
//! use carom_format::result::{ResultBody, RunHeader, RunState};
//! use carom_post::plot::{self, Quantity};
//! use carom_post::{Run, table};
//!
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("fall.carom");
//! let body = ResultBody { name: "ball".to_owned(), rigid: true, mass: 2.0, ..ResultBody::default() };
//! let header = RunHeader { bodies: vec![body], ..RunHeader::default() };
//! let mut writer = ResultWriter::create(&path, &header, 0, false).unwrap();
//! let mut ledger = Ledger::default();
//! for (steps, time) in [0.0, 0.1, 0.2].into_iter().enumerate() {
//!     let speed = 9.81 * time;
//!     let ball = BodyState { velocity: [0.0, 0.0, -speed], ..BodyState::default() };
//!     let row = ledger.record(Balance { time, e_kin: speed * speed, ..Balance::default() });
//!     let (bodies, steps) = (&[ball], steps as u64);
//!     let frame = Frame { time, steps, bodies, contacts: &[], joints: &[], ledger: &row };
//!     writer.frame(&frame).unwrap();
//! }
//! writer.finish(RunState::Done, &LedgerSummary::default(), &[], &[]).unwrap();
//!
//! let run = Run::open(&path).unwrap();
//! let velocity: Quantity = "velocity:ball".parse().unwrap();
//! assert!(plot::draw(&run, &velocity).is_ok());
//! let energies = table::build(&run, table::What::Energy).unwrap();
//! assert_eq!(energies.rows().len(), 3);
//! ```

mod after_help;
mod args;
pub mod below;
pub mod bodies;
mod body_stress;
pub mod curves;
pub mod export;
pub mod file;
mod film;
mod frame_fields;
mod grid_files;
mod grids;
mod hertz;
mod impacts;
mod joints;
pub mod patch;
pub mod plot;
mod probes;
pub mod rainflow;
pub mod report;
mod response;
pub mod run;
mod scales;
pub mod scene;
mod staging;
mod steps;
pub mod stress_over_run;
pub mod table;
mod time;
mod totals;

pub use args::{PostArgs, run};
pub use export::{ExportOptions, ExportSummary, export};
pub use run::{Run, RunError};
