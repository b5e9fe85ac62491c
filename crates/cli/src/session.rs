//! One run of a command: where it prints, and how much.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

use carom_progress::Progress;
use serde::Serialize;
use serde_json::Value;

use crate::terminal::Bars;
use crate::{Category, Failure, RunArgs};

/// Printing and progress of one command.
pub struct Session {
    json: bool,
    quiet: bool,
    verbosity: u8,
    bars: Bars,
    /// Warnings so far, printed or not.
    n_warnings: AtomicUsize,
}

impl Session {
    /// A session with these flags. Progress is shown unless `-q` is given: as bars if standard error is a
    /// terminal and `--json` is not given, otherwise as one line every ten seconds.
    pub fn new(args: &RunArgs) -> Self {
        let visible = io::stderr().is_terminal() && !args.json && !args.quiet;
        Self {
            json: args.json,
            quiet: args.quiet,
            verbosity: args.verbose,
            bars: Bars::new(visible, !visible && !args.quiet),
            n_warnings: AtomicUsize::new(0),
        }
    }

    /// True if the caller wants JSON.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Number of threads that compute.
    pub fn threads(&self) -> usize {
        rayon::current_num_threads()
    }

    /// Where computations report their progress, and learn that the user stopped them.
    pub fn progress(&self) -> &dyn Progress {
        &self.bars
    }

    /// Fails if the user stopped the command.
    ///
    /// # Errors
    ///
    /// [`Failure::interrupted`].
    pub fn check_interrupted(&self) -> Result<(), Failure> {
        if self.bars.interrupted() { Err(Failure::interrupted()) } else { Ok(()) }
    }

    /// Prints text for people on standard output, with a line end; prints nothing with `--json`.
    ///
    /// # Errors
    ///
    /// [`Category::Files`] if standard output cannot be written. A closed pipe is not a failure.
    pub fn print(&self, text: &str) -> Result<(), Failure> {
        if self.json { Ok(()) } else { self.print_data(text) }
    }

    /// Prints a summary of the command on standard output, with a line end; prints nothing with `--json` or
    /// `-q`. Text that the user requested is printed by [`Session::print`].
    ///
    /// # Errors
    ///
    /// As [`Session::print`].
    pub fn print_summary(&self, text: &str) -> Result<(), Failure> {
        if self.quiet { Ok(()) } else { self.print(text) }
    }

    /// Prints data on standard output, with a line end, whether or not `--json` is given: a table as CSV, a
    /// text file.
    ///
    /// # Errors
    ///
    /// As [`Session::print`].
    pub fn print_data(&self, text: &str) -> Result<(), Failure> {
        let mut written = Ok(());
        self.bars.suspend(|| {
            let mut out = io::stdout().lock();
            written = writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush());
        });
        ignore_closed_pipe(written)
    }

    /// Prints the JSON object of the command with its `schema`, for instance `carom-mesh info 1`, if `--json`
    /// is given.
    ///
    /// The schema names program, command and version. Keys are added without a new version and never renamed.
    ///
    /// # Errors
    ///
    /// As [`Session::print`].
    pub fn print_json(&self, schema: &str, object: &impl Serialize) -> Result<(), Failure> {
        if !self.json {
            return Ok(());
        }
        let mut value = serde_json::to_value(object).map_err(|e| {
            Failure::from_error(Category::Other, e).context("cannot express the result as JSON")
        })?;
        if let Value::Object(map) = &mut value {
            map.insert("schema".to_owned(), Value::from(schema));
        }
        self.print_data(&format!("{value:#}"))
    }

    /// Prints a note on standard error, unless `-q` is given.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            self.say(text);
        }
    }

    /// Warns on standard error, also with `--json`, unless `-q` is given.
    pub fn warn(&self, text: &str) {
        self.n_warnings.fetch_add(1, Ordering::Relaxed);
        if !self.quiet {
            let (yellow, plain) = if colour() { ("\x1b[33m", "\x1b[0m") } else { ("", "") };
            self.say(&format!("{yellow}warning{plain}: {text}"));
        }
    }

    /// Fails if there was a warning: called at the end of a command with `--strict`.
    ///
    /// # Errors
    ///
    /// [`Category::Convergence`], with the number of warnings.
    pub fn refuse_warnings(&self) -> Result<(), Failure> {
        let what = match self.n_warnings.load(Ordering::Relaxed) {
            0 => return Ok(()),
            1 => "1 warning".to_owned(),
            n => format!("{n} warnings"),
        };
        Err(Failure::new(Category::Convergence, format!("{what}, and --strict treats warnings as failures"))
            .hint("the result is whole; the warnings say what to change"))
    }

    /// Prints a detail on standard error if `-v` is given at least `level` times.
    pub fn detail(&self, level: u8, text: &str) {
        if self.verbosity >= level {
            self.say(text);
        }
    }

    fn say(&self, text: &str) {
        self.bars.suspend(|| {
            // A message is lost if standard error is closed.
            let _ = writeln!(io::stderr().lock(), "{text}");
        });
    }

    /// Removes the bars.
    pub(crate) fn clear(&self) {
        self.bars.clear();
    }
}

/// True if standard error is printed in colours: on a terminal, and with `NO_COLOR` unset or empty.
pub(crate) fn colour() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
}

fn ignore_closed_pipe(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => Err(Failure::from_error(Category::Files, e).context("cannot write to standard output")),
        Ok(()) => Ok(()),
    }
}
