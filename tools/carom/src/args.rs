//! The command line.

use std::path::PathBuf;

use carom_cli::RunArgs;
use clap::{Parser, Subcommand};

/// From a scenario to pictures: mesh, reduce, solve, export, report. Quantities are SI units.
///
/// Exit codes: 0 done, 1 other failure, 2 usage, 3 invalid input, 4 did not converge (or a warning with --strict), 5 cannot read or write, 130 stopped
/// by Ctrl-C, 143 by SIGTERM.
#[derive(Debug, Parser)]
#[command(name = "carom", version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Mesh, reduce, solve, export, report; what is up to date is not redone.
    Run(ChainArgs),
    /// Say whether a scenario is valid, and what `carom run` would do. Nothing is written.
    Check(ChainArgs),
    /// Write a commented starter scenario that runs as it is.
    New(NewArgs),
    /// Say what this machine has, what each of it is for, and how to get what is missing.
    Doctor(DoctorArgs),
}

/// Makes in DIR: bodies/ (body files and reduced models), result.carom, paraview/result.pvd (open it in ParaView), plots/
/// (SVG and PNG), report.html, and carom-run.json, which remembers what each of them was made from.
///
/// A result of the same scenario that did not reach its end is continued; one of another scenario is replaced. Files that
/// are not carom's own are left alone.
#[derive(Debug, clap::Args)]
pub(crate) struct ChainArgs {
    /// Scenario file (TOML).
    pub(crate) scenario: PathBuf,

    /// Folder for everything that is made [default: a folder in the present one that is called as the scenario, or as the
    /// folder of the scenario if that is called scenario.toml; `out` within it if the scenario itself lies there]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    /// Change a value of the scenario, such as simulation.end_time=1e-3; may be repeated.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    pub(crate) set: Vec<String>,

    /// Export every N-th frame to ParaView (the last one always) [default: as many as give some 60 frames; plots and
    /// report take all]
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..))]
    pub(crate) every: Option<u64>,

    /// Solve again what is up to date, replace a result in DIR that is not of `carom run`, and work in a folder that holds other files.
    #[arg(long)]
    pub(crate) force: bool,

    /// End with exit code 4 if there is a warning. Everything is made all the same.
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// Name of the scenario: NAME.toml is written. A file that exists is not replaced.
    pub(crate) name: PathBuf,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

impl Args {
    /// The flags that all binaries share.
    pub(crate) fn run_args(&self) -> &RunArgs {
        match &self.command {
            Command::Run(args) | Command::Check(args) => &args.run,
            Command::New(args) => &args.run,
            Command::Doctor(args) => &args.run,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }
}
