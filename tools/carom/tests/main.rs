//! The integration tests of `carom`: one program with one module in each file.

mod accuracy;
mod chain;
mod command_lines;
mod cost;
mod inputs;
mod kills;
mod many_contacts;
mod program;
mod progress;
mod python;
mod studies;
#[path = "../../solve/tests/tables.rs"]
mod tables;
