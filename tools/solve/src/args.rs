//! The command line: a scenario, or `lcp` with a problem.

use std::path::PathBuf;

use carom_cli::{Category, Failure, OutputArgs, RunArgs};
use carom_format::scenario::{Override, ParametersError, read_parameters};
use clap::{Args, CommandFactory, Parser, Subcommand};

use crate::LcpArgs;

/// The end of the help text.
const AFTER_HELP: &str = "\
`carom-solve lcp PROBLEM.json` solves a single complementarity problem: see `carom-solve lcp --help`.

Examples:
  carom-solve tap.toml -o tap.carom
  carom-solve tap.toml -o tap.carom --resume --end-time 4e-4
  carom-solve tap.toml -o 3.carom --params speeds.csv --row 3";

/// The end of the help text of `lcp`.
const AFTER_HELP_LCP: &str = "\
Examples:
  carom-solve lcp problem.json
  carom-solve lcp problem.json --method lemke --json";

/// Runs a scenario and keeps the result. Quantities are SI units.
///
/// Bodies and models that the scenario describes are made in the folder RESULT.bodies next to the result.
/// They are used again as long as they are up to date.
#[derive(Debug, Parser)]
#[command(name = "carom-solve", version, propagate_version = true, after_help = AFTER_HELP)]
pub struct Arguments {
    /// Scenario file (TOML).
    pub scenario: PathBuf,

    /// Changes of the scenario.
    #[command(flatten)]
    pub changes: ChangeArgs,

    /// Continue the run from its last checkpoint, or from the start if there is none yet. A complete run is
    /// unchanged, or prolonged by a later --end-time.
    #[arg(long, conflicts_with = "force")]
    pub resume: bool,

    /// Folder for body files and models that other runs use at the same time; names of files contain the
    /// checksum of their description, and each file is made once [default: RESULT.bodies, for this run alone]
    #[arg(long, value_name = "DIR")]
    pub bodies: Option<PathBuf>,

    /// End of the run [s], instead of `end_time` in the scenario. With --resume it prolongs a complete run.
    #[arg(long, value_name = "T")]
    pub end_time: Option<f64>,

    /// Exit with code 4 if there is a warning. The result is kept.
    #[arg(long)]
    pub strict: bool,

    /// The path of the result.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Changes of a scenario.
#[derive(Debug, Clone, Args)]
pub struct ChangeArgs {
    /// File with values of the scenario: CSV with keys such as body.ball.velocity.2 in the first line and a
    /// run in each further line, or TOML for one run. An empty field changes nothing; --set comes after it.
    #[arg(long, value_name = "FILE")]
    pub params: Option<PathBuf>,

    /// Row of the CSV file of --params, from 1 below the line of keys. A file of one row does not need it.
    #[arg(long, value_name = "N", requires = "params")]
    pub row: Option<usize>,

    /// Change a value of the scenario, such as simulation.end_time=1e-3; may be repeated.
    #[arg(long = "set", value_name = "KEY.PATH=VALUE")]
    pub set: Vec<String>,
}

impl ChangeArgs {
    /// All changes, those of the file first.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the file of parameters cannot be read.
    pub fn overrides(&self) -> Result<Vec<Override>, Failure> {
        let file = self.params.as_ref().map(|path| read_parameters(path, self.row));
        let of_file = file.transpose().map_err(|error| Failure::from_error(category(&error), error))?;
        Ok(of_file
            .unwrap_or_default()
            .into_iter()
            .chain(self.set.iter().cloned().map(Override::from))
            .collect())
    }
}

fn category(error: &ParametersError) -> Category {
    match error {
        error if error.is_io() => Category::Files,
        error if error.is_about_row() => Category::Usage,
        _ => Category::Input,
    }
}

/// The command line of `lcp`: a scenario needs a result, a problem does not.
#[derive(Debug, Parser)]
#[command(name = "carom-solve", version, propagate_version = true)]
pub struct LcpArguments {
    /// `lcp`.
    #[command(subcommand)]
    pub command: LcpCommand,
}

impl LcpArguments {
    /// The flags that all binaries share.
    pub fn run_args(&self) -> &RunArgs {
        let LcpCommand::Lcp(lcp) = &self.command;
        &lcp.run
    }
}

/// The one command.
#[derive(Debug, Subcommand)]
pub enum LcpCommand {
    /// Solves a single complementarity problem.
    ///
    /// Finds z >= 0 with w = M z + q >= 0 and z.w = 0, or the reactions of contacts with Coulomb friction.
    /// Exits with code 4 if the residual exceeds 1e-10 max|q|, whatever the units.
    #[command(after_help = AFTER_HELP_LCP)]
    Lcp(LcpArgs),
}

/// Both command lines as one, for completions, the manual and the check of the examples.
pub fn command() -> clap::Command {
    let lcp = LcpArguments::command().get_subcommands().cloned().collect::<Vec<_>>();
    Arguments::command().subcommands(lcp).subcommand_negates_reqs(true).args_conflicts_with_subcommands(true)
}
