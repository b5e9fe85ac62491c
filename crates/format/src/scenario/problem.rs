//! Problems of a scenario, with their places.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::overrides::Override;

/// The place of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of the scenario, or of a file of parameters, counted from 1.
    Line {
        /// The file.
        file: PathBuf,
        /// The line.
        line: usize,
    },
    /// A `--set` of the command line.
    Override(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { file, line } => write!(f, "{}:{line}", file.display()),
            Self::Override(text) => write!(f, "--set {text}"),
        }
    }
}

/// The kind of a problem.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ProblemKind {
    /// A key that has no meaning here.
    #[error("unknown key `{key}`{}; known keys are {known}", hint(.home, .suggestion))]
    UnknownKey {
        /// The key.
        key: String,
        /// The table of a key of this name.
        home: Option<&'static str>,
        /// A known key that looks like it.
        suggestion: Option<String>,
        /// All known keys.
        known: String,
    },
    /// A value of the wrong type.
    #[error("`{key}` must be {expected}, it is {found}")]
    WrongType {
        /// The key.
        key: String,
        /// The required type.
        expected: &'static str,
        /// The type that was found.
        found: String,
    },
    /// A number out of its range.
    #[error("`{key}` = {found} is out of range: it must be {range}")]
    OutOfRange {
        /// The key.
        key: String,
        /// Its value.
        found: f64,
        /// The valid range.
        range: &'static str,
    },
    /// An impossible word.
    #[error("`{key}` = \"{found}\" is not possible{}; choose one of {choices}", did_you_mean(.suggestion))]
    UnknownChoice {
        /// The key.
        key: String,
        /// Its value.
        found: String,
        /// A choice that looks like it.
        suggestion: Option<String>,
        /// The possible words.
        choices: String,
    },
    /// An unknown name.
    #[error("there is no {kind} `{name}`{}; there are {known}", did_you_mean(.suggestion))]
    UnknownName {
        /// The kind of the named thing.
        kind: &'static str,
        /// The name.
        name: String,
        /// A name that looks like it.
        suggestion: Option<String>,
        /// The names that exist.
        known: String,
    },
    /// A key that is needed.
    #[error("`{key}` is missing: {why}")]
    Missing {
        /// The key.
        key: String,
        /// The reason, or the text to write.
        why: &'static str,
    },
    /// Keys that exclude each other or do not fit together.
    #[error("{0}")]
    Conflict(String),
    /// A change whose path does not exist.
    #[error("the path `{path}` leads nowhere: {why}")]
    Path {
        /// The path.
        path: String,
        /// The reason.
        why: String,
    },
}

/// The table of the key if it is known, otherwise a similar key.
fn hint(home: &Option<&'static str>, suggestion: &Option<String>) -> String {
    home.map_or_else(|| did_you_mean(suggestion), |home| format!("; it belongs to {home}"))
}

fn did_you_mean(suggestion: &Option<String>) -> String {
    suggestion.as_ref().map_or(String::new(), |s| format!("; did you mean `{s}`?"))
}

/// One problem of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// Its place.
    pub place: Place,
    /// Its table, `body "ball"` for instance; empty at the top.
    pub context: String,
    /// Its kind.
    pub kind: ProblemKind,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if !self.context.is_empty() {
            write!(f, "{}: ", self.context)?;
        }
        write!(f, "{}", self.kind)
    }
}

/// Errors from reading a scenario.
#[derive(Debug, Error)]
pub enum ScenarioError {
    /// The file cannot be read.
    #[error("cannot read the scenario `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// It is not TOML.
    #[error("{place}: {message}")]
    Syntax {
        /// Its place.
        place: Place,
        /// The message of the parser.
        message: String,
    },
    /// It is TOML, but no valid scenario: all problems, in the order of the file.
    #[error("{}", .0.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))]
    Invalid(Vec<Problem>),
}

impl ScenarioError {
    /// True for errors of the operating system, false for errors in the content.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() != io::ErrorKind::InvalidData)
    }
}

/// The texts in which values have positions: the file, and the overrides behind it.
#[derive(Debug, Clone)]
pub(super) struct Sources {
    file: PathBuf,
    line_starts: Vec<usize>,
    length: usize,
    /// Each override and its start.
    overrides: Vec<(Override, usize)>,
}

impl Sources {
    pub(super) fn new(file: &Path, text: &str) -> Self {
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { file: file.to_owned(), line_starts, length: text.len(), overrides: Vec::new() }
    }

    /// Folder of the scenario file.
    pub(super) fn folder(&self) -> &Path {
        self.file.parent().unwrap_or_else(|| Path::new(""))
    }

    /// Adds an override and returns the offset at which its positions begin.
    pub(super) fn add_override(&mut self, change: &Override) -> usize {
        let end = |(change, start): &(Override, usize)| start + change.text.len();
        let start = self.overrides.last().map_or(self.length, end) + 1;
        self.overrides.push((change.clone(), start));
        start
    }

    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        match self.overrides.iter().rev().find(|(_, start)| span.start >= *start) {
            Some((change, _)) => change.place.clone(),
            None => {
                let line = self.line_starts.partition_point(|&start| start <= span.start).max(1);
                Place::Line { file: self.file.clone(), line }
            }
        }
    }
}
