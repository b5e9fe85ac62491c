//! `carom-post`: from results to ParaView files, plots, tables and reports.

use std::process::ExitCode;

fn main() -> ExitCode {
    carom_cli::main_with(carom_post::PostArgs::run_args, carom_post::run)
}
