//! `carom`: runs a scenario from geometry to pictures.
//!
//! [`run`] executes the stages in one process: bodies and models ([`carom_simulate::prepare()`]), the
//! solution ([`solution`]), then ParaView files, plots and report ([`pictures`]). [`stamp`] records the
//! inputs of each stage, [`disk`] measures the size of all files.

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [m] is a unit")]

mod after_help;
mod args;
mod check;
mod command_lines;
mod disk;
mod doctor;
mod folder;
mod phases;
mod pictures;
mod run;
mod solution;
mod stamp;
mod starter;
mod starter_part;

use std::process::ExitCode;

use args::{Args, Command};
use carom_cli::main_with;
use run::Repeat;

fn main() -> ExitCode {
    main_with(Args::run_args, |args: &Args, session| match &args.command {
        Command::Run(args) => run::run(args, Repeat::Chosen, session),
        Command::Refine(args) => run::run(args, Repeat::Given, session),
        Command::Check(args) => check::check(args, session),
        Command::New(args) => starter::new(args, session),
        Command::Doctor(args) => doctor::doctor(args, session),
        Command::Completions(args) => command_lines::completions(args, session),
        Command::Man(args) => command_lines::man(args, session),
    })
}
