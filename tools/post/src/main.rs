//! `carom-post`: makes ParaView files, plots, tables and reports from results.

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [m] is a unit")]

use std::process::ExitCode;

fn main() -> ExitCode {
    carom_cli::main_with(carom_post::PostArgs::run_args, carom_post::run)
}
