//! Flags that have the same meaning in every program.

use std::path::PathBuf;

use clap::Args;

/// Flags of every command.
#[derive(Debug, Clone, Default, Args)]
pub struct RunArgs {
    /// Print one JSON object, and nothing else, on standard output
    #[arg(long, help_heading = "Running")]
    pub json: bool,

    /// Number of threads; all cores if not given. The results do not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024),
          help_heading = "Running")]
    pub threads: Option<u16>,

    /// Print details on standard error; given twice, print all details
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Running")]
    pub verbose: u8,

    /// Print errors only: no notes, warnings, summaries or progress
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Running")]
    pub quiet: bool,
}

/// Flags of a command that writes a file, with the flags of [`RunArgs`].
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Replace an existing simulation result. Bodies, models and pictures are replaced without this flag
    #[arg(long)]
    pub force: bool,

    /// Flags of every command.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Flags of a command that may write a file, with the flags of [`RunArgs`].
#[derive(Debug, Clone, Default, Args)]
pub struct OptionalOutputArgs {
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace an existing simulation result. Bodies, models and pictures are replaced without this flag
    #[arg(long)]
    pub force: bool,

    /// Flags of every command.
    #[command(flatten)]
    pub run: RunArgs,
}
