//! `carom-solve`: scenarios to results.

#![allow(rustdoc::broken_intra_doc_links, reason = "doc comments are help texts, in which [m] is a unit")]

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::SystemTime;

use carom_cli::{
    Category, Failure, FailureContext, RunArgs, Session, command_line, keep_input, main_from, main_with,
};
use carom_format::ResultReader;
use carom_format::result::ResultLock;
use carom_simulate::{At, ExpectedSize, ResumeError, RunError, RunOptions, Users, Workshop};
use carom_solve::{
    Arguments, LcpArguments, LcpCommand, Solved, failed, keeps_result, read_scenario, solve_lcp,
};

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(code) = command_line::answer(&words, carom_solve::command) {
        return code;
    }
    if let Some(words) = lcp_words(words) {
        return main_from(words, LcpArguments::run_args, |arguments: &LcpArguments, session| {
            let LcpCommand::Lcp(lcp) = &arguments.command;
            solve_lcp(lcp, session)
        });
    }
    main_with(|arguments: &Arguments| -> &RunArgs { &arguments.output.run }, solve)
}

/// The command line with `lcp` as the first word after the program, if only flags of every command precede
/// it.
fn lcp_words(mut words: Vec<OsString>) -> Option<Vec<OsString>> {
    let mut at = 1;
    loop {
        match words.get(at)?.to_str()? {
            "lcp" => {
                let lcp = words.remove(at);
                words.insert(1, lcp);
                return Some(words);
            }
            "-j" | "--threads" => at += 2,
            word if is_shared_flag(word) => at += 1,
            _ => return None,
        }
    }
}

/// True for a flag of [`RunArgs`] that takes no further word.
fn is_shared_flag(word: &str) -> bool {
    let short =
        |flags: &str| !flags.is_empty() && flags.chars().all(|c| "qvj".contains(c) || c.is_ascii_digit());
    ["--json", "--verbose", "--quiet"].contains(&word)
        || word.starts_with("--threads=")
        || word.strip_prefix('-').is_some_and(short)
}

fn solve(arguments: &Arguments, session: &Session) -> Result<(), Failure> {
    let mut overrides = arguments.changes.overrides()?;
    overrides.extend(arguments.end_time.map(|t| format!("simulation.end_time={t:e}").into()));
    let scenario = read_scenario(&arguments.scenario, &overrides)?;
    let folder = arguments.scenario.parent().unwrap_or(Path::new("")).to_owned();
    let result = &arguments.output.output;
    let mut own = result.as_os_str().to_owned();
    own.push(".bodies");
    let workshop = Workshop {
        scenario_folder: &folder,
        bodies: arguments.bodies.as_deref().unwrap_or(Path::new(&own)),
        users: if arguments.bodies.is_some() { Users::Many } else { Users::One },
    };
    let progress = session.progress();
    keep_input(&arguments.scenario, result)?;
    if let Some(parent) = result.parent().filter(|parent| !parent.as_os_str().is_empty() && !parent.is_dir())
    {
        let (result, parent) = (result.display(), parent.display());
        let what = format!("cannot write `{result}`: there is no folder `{parent}`; make it first");
        return Err(Failure::new(Category::Files, what));
    }
    // Checked before bodies are made; the writer takes the lock again.
    drop(ResultLock::take(result).or_fail(Category::Files)?);
    if result.exists() && !arguments.output.force && !arguments.resume {
        return Err(exists(result));
    }
    let scenario = match arguments.resume {
        true => carom_simulate::as_begun(&scenario, result).unwrap_or(scenario),
        false => scenario,
    };
    let prepared = carom_simulate::prepare(&scenario, workshop, progress)
        .map_err(|error| stopped(failed(&arguments.scenario, &overrides, error)))?;
    for note in &prepared.notes {
        session.detail(1, note);
    }
    prepared.warnings.iter().for_each(|warning| session.warn(warning));
    if let Some(size) = ExpectedSize::of_prepared(prepared.scenario(&scenario), &prepared) {
        carom_solve::announce(&size, session);
    }
    let options = RunOptions { replace: arguments.output.force, resume: arguments.resume };
    let begun = SystemTime::now();
    let ended = carom_simulate::run(&scenario, &folder, &prepared, result, options, progress);
    if keeps_result(&ended, result, begun) {
        carom_solve::keep(result, &arguments.scenario, session);
    }
    let solved = match ended {
        Ok(outcome) => Solved::of(&outcome),
        Err(error) if is_complete(&error) => {
            session.note(&error.to_string());
            let read = ResultReader::open(result).and_then(|reader| Solved::read(&reader));
            read.or_fail(Category::Input)?.ok_or_else(|| incomplete(result))?
        }
        Err(error) => return Err(stopped(failed(&arguments.scenario, &overrides, error))),
    };
    // Warnings of the start were printed before the run.
    for warning in solved.warnings().iter().filter(|warning| !prepared.warnings.contains(warning)) {
        session.warn(warning);
    }
    session.print_summary(&solved.text())?;
    session.print_json("carom-solve 1", &solved)?;
    if arguments.strict { session.refuse_warnings() } else { Ok(()) }
}

/// True if the result that was to be continued has reached its end.
fn is_complete(error: &At<RunError>) -> bool {
    matches!(error.error(), RunError::Resume(ResumeError::Complete { .. }))
}

/// A run that did not reach its end.
fn stopped(failure: Failure) -> Failure {
    if failure.category() != Category::Interrupted {
        return failure;
    }
    failure.hint("the computed steps are kept: the same command with --resume continues from there")
}

/// A result that calls itself complete and is not.
fn incomplete(path: &Path) -> Failure {
    let what = format!("`{}` lacks tables of a complete run: it is damaged", path.display());
    Failure::new(Category::Input, what).hint("--force runs the scenario again")
}

/// A result that is there already.
fn exists(path: &Path) -> Failure {
    Failure::new(Category::Usage, format!("`{}` exists", path.display()))
        .hint("--force replaces it, --resume continues it")
}
