//! Files of parameters: values of a scenario for one run of many.
//!
//! A CSV file has keys of the scenario in its first line, as `--set` takes them, and a run in each further
//! line; an empty field leaves the value of the scenario. A TOML file has the values of one run, under their
//! keys or in tables.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml::de::{DeTable, DeValue};

use super::csv;
use super::decode::list_of;
use super::overrides::Override;
use super::problem::Place;

/// Errors of a file of parameters.
#[derive(Debug, Error)]
pub enum ParametersError {
    /// The file cannot be read.
    #[error("cannot read the parameters `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// It is not TOML.
    #[error("{path}:{line}: {message}; a file of parameters that does not end in .toml is read as CSV")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The message of the parser.
        message: String,
    },
    /// A list of tables.
    #[error(
        "{path}:{line}: `[[{key}]]` is a list of tables: name one of its elements, such as `{key}.0.KEY = …`"
    )]
    Tables {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The key.
        key: String,
    },
    /// A file without rows or values.
    #[error("{path}: {why}")]
    Empty {
        /// The file.
        path: PathBuf,
        /// The part that is missing.
        why: &'static str,
    },
    /// The first line of a CSV file has an empty field, or a key twice.
    #[error("{path}:{line}: {why} in the line of keys: it must have one key of the scenario for each column")]
    Keys {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// The problem.
        why: String,
    },
    /// A line with more or fewer fields than keys.
    #[error(
        "{path}:{line}: the line has {found} fields, and the line of keys has {expected}; a list needs \
         quotes, such as \"[0, 0, 0.5]\""
    )]
    Fields {
        /// The file.
        path: PathBuf,
        /// The line.
        line: usize,
        /// Its fields.
        found: usize,
        /// The keys.
        expected: usize,
    },
    /// A row is needed and not given, or does not exist.
    #[error("`{path}` has {rows} rows: choose one with --row, 1 to {rows}")]
    Row {
        /// The file.
        path: PathBuf,
        /// The number of its rows.
        rows: usize,
    },
    /// A row of a file that has none.
    #[error("`{path}` has the parameters of one run: --row belongs to CSV files")]
    NoRows {
        /// The file.
        path: PathBuf,
    },
}

impl ParametersError {
    /// True for errors of the operating system, false for errors in the content.
    pub fn is_io(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() != io::ErrorKind::InvalidData)
    }

    /// True if another `--row` helps.
    pub fn is_about_row(&self) -> bool {
        matches!(self, Self::Row { .. } | Self::NoRows { .. })
    }
}

/// Reads the parameters of one run: a TOML file if the name ends in `.toml`, a CSV file otherwise.
///
/// * `row` — row of a CSV file below its line of keys, counted from 1; not needed if there is only one
///
/// # Errors
///
/// [`ParametersError`] with the line. Unknown keys and wrong values are found by
/// [`Scenario::read`](super::Scenario::read), which reports them at their line of this file.
pub fn read_parameters(path: &Path, row: Option<usize>) -> Result<Vec<Override>, ParametersError> {
    let text = carom_files::input::read_text(path)
        .map_err(|source| ParametersError::Io { path: path.to_owned(), source })?;
    let is_toml = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    match (is_toml, row) {
        (true, None) => of_toml(path, &text),
        (true, Some(_)) => Err(ParametersError::NoRows { path: path.to_owned() }),
        (false, row) => of_row(path, &text, row),
    }
}

fn change(path: &Path, line: usize, key: &str, value: &str) -> Override {
    Override { text: format!("{key}={value}"), place: Place::Line { file: path.to_owned(), line } }
}

fn of_row(path: &Path, text: &str, row: Option<usize>) -> Result<Vec<Override>, ParametersError> {
    let path_buf = || path.to_owned();
    let mut lines = csv::lines(text);
    let Some((line, first)) = lines.next() else {
        let why = "it is empty; the first line has keys of the scenario, such as simulation.end_time";
        return Err(ParametersError::Empty { path: path_buf(), why });
    };
    let separator = csv::separator(first);
    let keys = csv::fields(first, separator);
    let wrong = keys.iter().enumerate().find_map(|(k, key)| match key {
        key if key.is_empty() => Some(format!("column {} has no key", k + 1)),
        key if keys[..k].contains(key) => Some(format!("{} is there twice", list_of(&[key]))),
        _ => None,
    });
    if let Some(why) = wrong {
        return Err(ParametersError::Keys { path: path_buf(), line, why });
    }
    let rows: Vec<(usize, &str)> = lines.collect();
    let chosen = match (rows.len(), row) {
        (0, _) => {
            let why = "it has keys alone; each further line has the values of a run";
            return Err(ParametersError::Empty { path: path_buf(), why });
        }
        (1, None) => Some(&rows[0]),
        (_, row) => row.and_then(|row| rows.get(row.checked_sub(1)?)),
    };
    let Some((line, content)) = chosen else {
        return Err(ParametersError::Row { path: path_buf(), rows: rows.len() });
    };
    let values = csv::fields(content, separator);
    if values.len() != keys.len() {
        let (found, expected) = (values.len(), keys.len());
        return Err(ParametersError::Fields { path: path_buf(), line: *line, found, expected });
    }
    let given = keys.iter().zip(&values).filter(|(_, value)| !value.is_empty());
    Ok(given.map(|(key, value)| change(path, *line, key, value)).collect())
}

fn of_toml(path: &Path, text: &str) -> Result<Vec<Override>, ParametersError> {
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let document = DeTable::parse(text).map_err(|error| ParametersError::Syntax {
        path: path.to_owned(),
        line: line_of(error.span().map_or(0, |span| span.start)),
        message: error.message().to_owned(),
    })?;
    let mut found = Vec::new();
    let mut tables = vec![(String::new(), document.get_ref())];
    while let Some((prefix, table)) = tables.pop() {
        for (key, value) in table {
            let (key, span) = (format!("{prefix}{}", key.get_ref()), value.span());
            let written = &text[span.clone()];
            match value.get_ref() {
                DeValue::Table(inner) => tables.push((format!("{key}."), inner)),
                DeValue::Array(_) if DeTable::parse(&format!("v = {written}")).is_err() => {
                    let (path, line) = (path.to_owned(), line_of(span.start));
                    return Err(ParametersError::Tables { path, line, key });
                }
                _ => found.push((span.start, change(path, line_of(span.start), &key, written))),
            }
        }
    }
    if found.is_empty() {
        let why = "it has no values; it takes keys of the scenario, such as simulation.end_time = 1e-3";
        return Err(ParametersError::Empty { path: path.to_owned(), why });
    }
    // A table of TOML is sorted by name; problems are reported in the order of the file.
    found.sort_by_key(|(start, _)| *start);
    Ok(found.into_iter().map(|(_, change)| change).collect())
}
