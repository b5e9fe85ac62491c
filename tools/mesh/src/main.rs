//! `carom-mesh`: makes body files from shapes, meshes and geometry.

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [m] is a unit")]

use std::process::ExitCode;

mod after_help;
mod args;
mod convert;
mod file;
mod info;
mod material;
mod picture;
mod places;
mod solids;
mod write;

use args::{Arguments, Command};
use carom_cli::{Failure, Session, main_with};

fn main() -> ExitCode {
    main_with(Arguments::run, execute)
}

fn execute(arguments: &Arguments, session: &Session) -> Result<(), Failure> {
    match &arguments.command {
        Command::Make(args) => write::make(args, session),
        Command::Import(args) => write::import(args, session),
        Command::Refine(args) => write::refine(args, session),
        Command::Info(args) => info::info(args, session),
        Command::Convert(args) => convert::convert(args, session),
        Command::Materials(_) => info::materials(session),
    }
}
