//! The command line.

use std::path::PathBuf;

use carom_cli::{Failure, RunArgs, Shell};
use carom_format::scenario::Override;
use carom_mesh::SolidChoice;
use carom_solve::ChangeArgs;
use clap::{Parser, Subcommand};

use crate::after_help;

/// Run a scenario from geometry to pictures: mesh, reduce, solve, export, report. Quantities are in SI units.
///
/// Exit codes: 0 done, 1 other failure, 2 usage, 3 invalid input, 4 not converged (or a warning with
/// --strict), 5 cannot read or write, 130 stopped by Ctrl-C, 143 by SIGTERM.
#[derive(Debug, Parser)]
#[command(name = "carom", version, propagate_version = true, after_help = after_help::CAROM)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Mesh, reduce, solve, export, report. Steps that are up to date are skipped.
    #[command(after_help = after_help::RUN)]
    Run(ChainArgs),
    /// Run a scenario, and repeat it with other numbers until the errors that it estimates are below its
    /// accuracy, also with other numbers than the scenario gives.
    #[command(after_help = after_help::REFINE)]
    Refine(ChainArgs),
    /// Check a scenario and report what `carom run` would do. Nothing is written.
    #[command(after_help = after_help::CHECK)]
    Check(CheckArgs),
    /// Write a commented starter scenario that runs as it is.
    #[command(after_help = after_help::NEW)]
    New(NewArgs),
    /// Report the optional programs and libraries on this machine, their purpose, and how to install missing
    /// ones.
    #[command(after_help = after_help::DOCTOR)]
    Doctor(DoctorArgs),
    /// Write shell scripts that complete the command lines of all programs.
    #[command(after_help = after_help::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Write manual pages of all programs and their commands.
    #[command(after_help = after_help::MAN)]
    Man(ManArgs),
}

/// Makes in DIR: bodies/ (body files and reduced models), result.carom, paraview/result.pvd (open it in
/// ParaView), plots/ (SVG and PNG), tables/ (CSV), report.html, and carom-run.json, which records the inputs
/// of each file.
///
/// An unfinished result of the same scenario is continued; a result of another scenario is replaced. Files
/// that were not made by carom are kept.
#[derive(Debug, clap::Args)]
pub(crate) struct ChainArgs {
    /// Scenario file (TOML).
    pub(crate) scenario: PathBuf,

    /// Folder for all files that are made [default: a folder with the name of the scenario in the working
    /// directory; for scenario.toml a folder with the name of its folder; `out` within it if the scenario is
    /// in it]
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) changes: ChangeArgs,

    /// Folder for body files and models that other runs use at the same time; names of files contain the
    /// checksum of their description, and each file is made once [default: DIR/bodies, for this run alone]
    #[arg(long, value_name = "DIR")]
    pub(crate) bodies: Option<PathBuf>,

    /// Cells of the ParaView files: surface, or all (models then keep their modes at all points) [default:
    /// output.cells of the scenario, surface]
    #[arg(long, value_name = "CELLS", value_parser = ["surface", "all"])]
    pub(crate) cells: Option<String>,

    /// Fields of the ParaView files besides displacement: velocity, stress, von_mises, contact_pressure
    /// [default: output.fields of the scenario, von_mises,contact_pressure]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,

    /// Export every N-th frame, and the last one, to ParaView [default: output.every of the scenario; without
    /// it about 60 frames of the run and as many in contact]. Plots and report use all frames
    #[arg(long, value_name = "N",
          value_parser = clap::builder::RangedI64ValueParser::<u64>::new().range(1..))]
    pub(crate) every: Option<u64>,

    /// Compression of the ParaView files: zlib, lz4 or none [default: output.compression of the scenario,
    /// zlib]
    #[arg(long, value_name = "NAME", value_parser = ["zlib", "lz4", "none"])]
    pub(crate) compression: Option<String>,

    /// Format of the ParaView files: vtu, or vtkhdf with one file per body [default: output.format of the
    /// scenario, vtu]
    #[arg(long, value_name = "NAME", value_parser = ["vtu", "vtkhdf"])]
    pub(crate) format: Option<String>,

    /// Repeat steps that are up to date, replace a result in DIR that `carom run` has not made, and accept a
    /// folder that contains other files.
    #[arg(long)]
    pub(crate) force: bool,

    /// Exit with code 4 if there is a warning. All files are written in any case.
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Print the scenario with all values that a run would choose, as TOML to take over and change.
    #[arg(long)]
    pub(crate) explain: bool,

    #[command(flatten)]
    pub(crate) chain: ChainArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct NewArgs {
    /// Name of the scenario: NAME.toml is written. An existing file is not replaced.
    pub(crate) name: PathBuf,

    /// A part: a steel ball hits it from above. Any file that `carom-mesh import` reads; CAD files need Gmsh.
    #[arg(long, value_name = "FILE")]
    pub(crate) part: Option<PathBuf>,

    /// The solid of a CAD file that is the part, by its number or name.
    #[arg(long, value_name = "N|NAME", requires = "part")]
    pub(crate) solid: Option<SolidChoice>,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// The other programs of carom are included if they are in the folder of this program or in the PATH.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,

    /// Folder for one file per program, with the name that the shell looks for; it is created if it does not
    /// exist. Without this flag the scripts are printed one after the other.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// The other programs of carom are included if they are in the folder of this program or in the PATH.
#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Folder for the pages (carom.1, carom-run.1, carom-mesh.1 and so on); it is created if it does not
    /// exist.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

impl ChainArgs {
    /// Changes of the scenario: those of `--params`, of `--set`, and of the flags for keys of `[output]`.
    pub(crate) fn overrides(&self) -> Result<Vec<Override>, Failure> {
        let text = |key: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("output.{key}={}", quoted(value)))
        };
        let list = self.fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(", ");
        let flags = [
            text("cells", &self.cells),
            (!self.fields.is_empty()).then(|| format!("output.fields=[{list}]")),
            self.every.map(|every| format!("output.every={every}")),
            text("compression", &self.compression),
            text("format", &self.format),
        ];
        let mut all = self.changes.overrides()?;
        all.extend(flags.into_iter().flatten().map(Override::from));
        Ok(all)
    }
}

/// A string as TOML writes it.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}

impl Args {
    /// The flags that all programs share.
    pub(crate) fn run_args(&self) -> &RunArgs {
        match &self.command {
            Command::Run(args) | Command::Refine(args) => &args.run,
            Command::Check(args) => &args.chain.run,
            Command::New(args) => &args.run,
            Command::Doctor(args) => &args.run,
            Command::Completions(args) => &args.run,
            Command::Man(args) => &args.run,
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

    #[test]
    fn examples_of_the_help_are_valid_calls() {
        assert_eq!(carom_cli::examples::check(&Args::command()), Ok(()));
    }
}
