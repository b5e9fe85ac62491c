//! ParaView files, plots, tables and reports from results: the library of `carom-post`, which `carom run`
//! uses too.
//!
//! [`Run`] opens a result with its bodies; [`export()`] writes ParaView files, [`plot::draw`] plots,
//! [`table::build`] tables, [`report::html`] the report.

mod after_help;
mod args;
pub mod bodies;
pub mod export;
pub mod file;
mod film;
mod frame_fields;
mod hertz;
mod impacts;
mod joints;
pub mod patch;
pub mod plot;
pub mod report;
pub mod run;
mod scales;
mod scene;
mod staging;
pub mod table;
mod time;

pub use args::{PostArgs, run};
pub use export::{ExportOptions, ExportSummary, export};
pub use run::{Run, RunError};
