//! The `main` of every binary.

use std::any::Any;
use std::ffi::OsString;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::Mutex;

use clap::Parser;

use crate::quantity::takes_negative_numbers;
use crate::session::colour;
use crate::signals::{listen_for_stop, stop, stop_requested};
use crate::{Category, Failure, RunArgs, Session, command_line, exit_code, quantity};

/// Where the last panic happened.
static PANIC_PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Parses the command line, sets up the process, runs `body` and reports its result.
///
/// * `run_args` — returns the shared flags among the parsed arguments
/// * `body` — the command. Libraries are not expected to panic; if one does, the user gets a message that
///   says how to report the bug, never a backtrace
///
/// The first Ctrl-C, SIGTERM or SIGHUP stops the computation at its next safe point, a second one ends the
/// process at once (see [`signals`](crate::signals)). In both cases output files are complete or absent,
/// because they are written under a temporary name, and temporary files are removed. The exit code is then
/// [`exit_code::SIGNAL`] plus the number of the signal. A run under `nohup` continues after the user has
/// logged out.
pub fn main_with<A: Parser>(
    run_args: fn(&A) -> &RunArgs,
    body: impl FnOnce(&A, &Session) -> Result<(), Failure>,
) -> ExitCode {
    main_from(std::env::args_os().collect(), run_args, body)
}

/// [`main_with`] for a given command line, whose first word is the name of the program.
pub fn main_from<A: Parser>(
    words: Vec<OsString>,
    run_args: fn(&A) -> &RunArgs,
    body: impl FnOnce(&A, &Session) -> Result<(), Failure>,
) -> ExitCode {
    if let Some(code) = command_line::answer(&words, A::command) {
        return code;
    }
    let parsed = takes_negative_numbers(A::command())
        .try_get_matches_from(words)
        .and_then(|matches| A::from_arg_matches(&matches).map_err(|error| error.format(&mut A::command())));
    let args = match parsed {
        Ok(args) => args,
        Err(mut error) => {
            quantity::explain(&mut error);
            // `--help` and `--version` are reported as errors too, with exit code 0.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(exit_code::USAGE));
        }
    };
    ExitCode::from(execute(run_args(&args), |session| body(&args, session)))
}

/// Runs `body` in a process that is set up by `flags`, and returns the exit code.
fn execute(flags: &RunArgs, body: impl FnOnce(&Session) -> Result<(), Failure>) -> u8 {
    listen_for_stop();
    carom_progress::child::watch_parent(|| stop(0, None));
    set_threads(flags);
    panic::set_hook(Box::new(|panicked| {
        if let (Some(place), Ok(mut last)) = (panicked.location(), PANIC_PLACE.lock()) {
            *last = Some(place.to_string());
        }
    }));
    let session = Session::new(flags);
    let ended = panic::catch_unwind(AssertUnwindSafe(|| body(&session)));
    session.clear();
    let failure = match ended {
        Ok(Ok(())) => return exit_code::DONE,
        // The user knows why the computation stopped: its message is reduced to how far it came.
        Ok(Err(failure)) if stop_requested() && failure.category() != Category::Interrupted => {
            Failure::interrupted()
        }
        Ok(Err(failure)) => failure,
        Err(payload) => bug(payload.as_ref()),
    };
    let _ = failure.write(&mut io::stderr().lock(), colour());
    failure.category().exit_code()
}

/// Makes this thread one of the computing threads: handing each piece of work to other threads would cost two
/// switches of thread.
fn set_threads(flags: &RunArgs) {
    let n = flags.threads.map_or(0, usize::from);
    // This fails only if the pool exists already, which is never the case in a program.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(n).use_current_thread().build_global();
}

fn bug(payload: &(dyn Any + Send)) -> Failure {
    let text = payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned());
    let place = PANIC_PLACE.lock().ok().and_then(|place| place.clone());
    let place = place.unwrap_or_else(|| "an unknown place".to_owned());
    Failure::new(Category::Other, format!("this is a bug in carom, not in your input: {text} (at {place})"))
        .hint(format!(
            "please report the command, its input and this message at {}; version {}",
            env!("CARGO_PKG_REPOSITORY"),
            env!("CARGO_PKG_VERSION")
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_exit_code_1() {
        let quiet = RunArgs { quiet: true, ..RunArgs::default() };
        assert_eq!(execute(&quiet, |_| panic!("index out of bounds")), exit_code::OTHER);
        assert_eq!(execute(&quiet, |_| Ok(())), exit_code::DONE);
        let failed =
            execute(&quiet, |_| Err(Failure::new(Category::Convergence, "the residual stays at 1e-3")));
        assert_eq!(failed, exit_code::NOT_CONVERGED);
    }
}
