//! Continuing a result: only the run that began it may do so.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use carom_dynamics::Checkpoint;
use carom_format::result::{ResultBody, RunHeader, RunState};
use carom_format::scenario::model::Scenario;
use carom_format::{ResultError, ResultReader, ResultWriter};
use thiserror::Error;

use crate::error::{ErrorKind, Kind};

/// Errors from continuing a result.
#[derive(Debug, Error)]
pub enum ResumeError {
    /// The result is of another run.
    #[error("`{path}` cannot be resumed: {why}; `--force` runs the scenario from its start")]
    OfAnotherRun {
        /// The result.
        path: PathBuf,
        /// The difference.
        why: String,
    },
    /// The result has reached its end: nothing is left to do.
    #[error("`{path}` is complete; a later end time prolongs it, `--force` begins it again")]
    Complete {
        /// The result.
        path: PathBuf,
    },
    /// The result cannot be read or begun.
    #[error(transparent)]
    Result(#[from] ResultError),
}

impl Kind for ResumeError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Result(error) => error.kind(),
            Self::OfAnotherRun { .. } | Self::Complete { .. } => ErrorKind::Input,
        }
    }
}

/// How to run.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunOptions {
    /// Replace a result that exists.
    pub replace: bool,
    /// Continue a result from its last checkpoint, or begin it if there is none.
    pub resume: bool,
}

/// The scenario of a run that continues a result. If the interval of frames follows from the end time, the
/// frames keep the interval with which they were begun, although the end time may differ now.
///
/// # Errors
///
/// [`ResumeError::Result`] if there is a result that cannot be read.
pub(crate) fn continued<'a>(
    scenario: &'a Scenario,
    path: &Path,
    options: RunOptions,
) -> Result<Cow<'a, Scenario>, ResumeError> {
    if !options.resume || !path.exists() || !scenario.simulation.has_default_frames() {
        return Ok(Cow::Borrowed(scenario));
    }
    let begun = ResultReader::open(path)?.header()?;
    let mut scenario = Cow::Borrowed(scenario);
    if let Some(every) = number(&begun.scenario, "output_every") {
        scenario.to_mut().simulation.output_every = every;
    }
    Ok(scenario)
}

/// Begins a result, or opens one to be continued, with the checkpoint from which the run continues.
///
/// * `header` — the header that the run would write
///
/// # Errors
///
/// [`ResumeError::Complete`] if there is nothing left to do, [`ResumeError::OfAnotherRun`] if the result
/// belongs to another run, and those of the files.
pub(crate) fn begin(
    path: &Path,
    header: &RunHeader,
    scenario: &Scenario,
    options: RunOptions,
) -> Result<(ResultWriter, Option<Checkpoint>), ResumeError> {
    let every = scenario.simulation.checkpoint_every.unwrap_or(0) as u64;
    let replace = if options.resume && path.exists() {
        if same_run(path, header, scenario)? {
            let (writer, checkpoint) = ResultWriter::resume(path, header, every)?;
            return Ok((writer, Some(checkpoint)));
        }
        // The run was killed before its first checkpoint: nothing is lost if it begins again.
        true
    } else {
        options.replace
    };
    Ok((ResultWriter::create(path, header, every, replace)?, None))
}

/// Refuses to continue a result with another scenario or other bodies. The end time may differ, except in
/// statics, and must lie beyond the time that the result has reached.
///
/// Returns whether there is a checkpoint to continue from.
///
/// # Errors
///
/// [`ResumeError::OfAnotherRun`] with the difference, [`ResumeError::Complete`] if the run has reached its
/// end.
fn same_run(path: &Path, header: &RunHeader, scenario: &Scenario) -> Result<bool, ResumeError> {
    let refuse = |why: String| Err(ResumeError::OfAnotherRun { path: path.to_owned(), why });
    let reader = ResultReader::open(path)?;
    let begun = reader.header()?;
    // Loads of statics are parts of their values at the end.
    let may_differ: &[&str] = match scenario.simulation.scheme.row().has_time {
        true => &[EVERY, "end_time"],
        // Earlier versions wrote defaults of keys that the scheme does not have.
        false => &[EVERY, "integrator", "relative_tolerance"],
    };
    if let Some((was, is)) = first_difference(&begun.scenario, &header.scenario, may_differ) {
        return refuse(format!("it was begun with {was}, and the scenario has {is} now"));
    }
    let files = |body: &ResultBody| [body.body_checksum.clone(), body.rom_checksum.clone()];
    let changed = begun.bodies.iter().zip(&header.bodies).find(|(was, is)| files(was) != files(is));
    if let Some((body, _)) = changed {
        return refuse(format!("the body `{}` or its model has changed since it was begun", body.name));
    }
    let end = scenario.simulation.end_time;
    let is_same_end = number(&begun.scenario, "end_time") == Some(end);
    if is_same_end && reader.state()? == RunState::Done {
        drop(reader);
        ResultWriter::fold_log(path)?;
        return Err(ResumeError::Complete { path: path.to_owned() });
    }
    match reader.checkpoint()? {
        Some(checkpoint) if !is_same_end && checkpoint.time >= end => refuse(format!(
            "it has reached {:e} s, and the end time is {end:e} s; a later one prolongs it, `--force` begins \
             it again",
            checkpoint.time
        )),
        found => Ok(found.is_some()),
    }
}

/// The interval of checkpoints does not change a run.
const EVERY: &str = "checkpoint_every";

/// The first lines in which two scenarios differ but for some keys; "nothing there" where one is shorter.
fn first_difference(was: &str, is: &str, may_differ: &[&str]) -> Option<(String, String)> {
    let lines = |text: &str| -> Vec<String> {
        let counts = |line: &&str| may_differ.iter().all(|key| value(line, key).is_none());
        text.lines().filter(counts).map(|line| format!("`{line}`")).collect()
    };
    let (was, is) = (lines(was), lines(is));
    let line = |of: &[String], at: usize| of.get(at).cloned().unwrap_or("nothing there".to_owned());
    let at = (0..was.len().max(is.len())).find(|&at| was.get(at) != is.get(at))?;
    Some((line(&was, at), line(&is, at)))
}

/// The value of a key in a line of a scenario as it is stored.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.strip_prefix(key)?.strip_prefix(" = ")
}

/// The number of a key that `[simulation]` alone has, in a scenario as it is stored.
fn number(scenario: &str, key: &str) -> Option<f64> {
    scenario.lines().find_map(|line| value(line, key))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_time_may_differ() {
        let difference = |was, is| first_difference(was, is, &["end_time"]);
        assert_eq!(difference("end_time = 1.0\na = 1", "end_time = 2.0\na = 1"), None);
        let (was, is) = difference("a = 1\nb = 2", "a = 1\nb = 3").unwrap();
        assert_eq!((was.as_str(), is.as_str()), ("`b = 2`", "`b = 3`"));
        assert_eq!(difference("a = 1", "").unwrap().1, "nothing there");
        assert!(first_difference("end_time = 1.0", "end_time = 2.0", &[]).is_some());
        assert_eq!(number("a = 1\nend_time = 1e-5\n", "end_time"), Some(1e-5));
    }
}
