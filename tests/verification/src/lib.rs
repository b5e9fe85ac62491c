//! Whole-chain runs against figures that were computed independently of this project.
//!
//! A [`Case`] makes bodies, reduces them, runs them and compares: [`cases`] lists all. `carom-verify` runs
//! them and writes the verification report; the tests of this package run them one by one.

pub mod bench;
mod beside;
mod bracket;
mod cam;
mod cam_part;
pub mod case;
mod chains;
mod conserving;
mod elements;
mod explicit;
mod gears;
mod held_rods;
pub mod impacts;
mod local;
mod open_contact;
mod reference;
pub mod report;
mod schemes;
pub mod settings;
mod six_ways;
mod trials;
mod two_ways;
mod wendt;
mod zener;
mod zywicz_puso;

pub use bench::{Bench, BenchError, Impact};
pub use case::{Case, Outcome, Row, Table, cases};
