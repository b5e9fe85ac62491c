//! Flags that mean the same in every binary.

use std::path::PathBuf;

use clap::Args;

/// Flags of every command.
#[derive(Debug, Clone, Default, Args)]
pub struct RunArgs {
    /// Print one JSON object on standard output and nothing else there.
    #[arg(long, help_heading = "Running")]
    pub json: bool,

    /// Threads to use; all cores if not given. The results do not depend on it.
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024),
          help_heading = "Running")]
    pub threads: Option<u16>,

    /// Print details on standard error; given twice, all of them.
    #[arg(short, long, action = clap::ArgAction::Count, help_heading = "Running")]
    pub verbose: u8,

    /// Print errors only: no notes, warnings, summaries or progress.
    #[arg(short, long, conflicts_with = "verbose", help_heading = "Running")]
    pub quiet: bool,
}

/// Flags of a command that writes a file, with the flags of [`RunArgs`].
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// File to write.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Replace a simulation result that exists. Bodies, models and pictures are replaced without it.
    #[arg(long)]
    pub force: bool,

    /// Flags of every command.
    #[command(flatten)]
    pub run: RunArgs,
}

/// Flags of a command that may write a file, with the flags of [`RunArgs`].
#[derive(Debug, Clone, Default, Args)]
pub struct OptionalOutputArgs {
    /// File to write.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Replace a simulation result that exists. Bodies, models and pictures are replaced without it.
    #[arg(long)]
    pub force: bool,

    /// Flags of every command.
    #[command(flatten)]
    pub run: RunArgs,
}
