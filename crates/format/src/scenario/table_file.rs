//! Tables of functions of time as CSV files: two columns of a file with a line of names.
//!
//! [`csv`] has the form of such files. A name may be followed by its unit in brackets, `force [N]`; other
//! units than those of SI are refused.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

use super::csv;
use super::decode::list_of;

/// Units that the numbers of a file may have.
const UNITS: [&str; 13] = ["s", "m", "rad", "N", "N m", "Nm", "Pa", "m/s", "rad/s", "1", "-", "–", ""];

/// Two columns of a file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TableFile {
    /// Names of the columns of time and value, without units.
    pub(super) columns: [String; 2],
    /// Pairs of time \[s\] and value.
    pub(super) points: Vec<[f64; 2]>,
    /// SHA-256 of the file.
    pub(super) checksum: String,
}

/// Errors of a file with a table.
#[derive(Debug, Error)]
pub(super) enum TableFileError {
    #[error("cannot read `{path}`: {source}; a path is relative to the folder of the scenario")]
    Io { path: PathBuf, source: io::Error },
    #[error(
        "`{path}`:{line}: the first line has numbers; it must have the names of the columns, such as `t,x`"
    )]
    NoNames { path: PathBuf, line: usize },
    #[error("`{path}`: it has no line with the names of its columns, such as `t,x`")]
    Empty { path: PathBuf },
    #[error(
        "`{path}`:{line}: there is no column `{name}`; the columns are {known}: name two of them, time \
         first, `columns = [\"t\", \"x\"]`"
    )]
    NoColumn { path: PathBuf, line: usize, name: String, known: String },
    #[error(
        "`{path}`:{line}: the columns are {known}: name those of time and value, `columns = [\"t\", \"x\"]`"
    )]
    WhichColumns { path: PathBuf, line: usize, known: String },
    #[error(
        "`{path}`:{line}: column `{name}` is in {unit}; numbers are in SI units: convert the column, and \
         write its unit as [s], [m], [rad] or [N], or none"
    )]
    Unit { path: PathBuf, line: usize, name: String, unit: String },
    #[error("`{path}`:{line}: the line has {found} fields, and the line of names has {expected}")]
    Fields { path: PathBuf, line: usize, found: usize, expected: usize },
    #[error("`{path}`:{line}: `{text}` in column `{name}` is not a finite number{hint}")]
    Number { path: PathBuf, line: usize, name: String, text: String, hint: &'static str },
    #[error(
        "`{path}`:{line}: times must increase: {time} s comes after {before} s; remove or sort such lines"
    )]
    Order { path: PathBuf, line: usize, time: f64, before: f64 },
    #[error("`{path}`: a table needs at least two lines of numbers, and there are {found}")]
    TooShort { path: PathBuf, found: usize },
}

impl TableFile {
    /// Reads a file.
    ///
    /// * `columns` — names of the columns of time and value; the two columns of the file if none
    ///
    /// # Errors
    ///
    /// [`TableFileError`] with the line.
    pub(super) fn read(path: &Path, columns: Option<&[String; 2]>) -> Result<Self, TableFileError> {
        let text = carom_files::input::read_text(path)
            .map_err(|source| TableFileError::Io { path: path.to_owned(), source })?;
        let digest = Sha256::digest(text.as_bytes());
        let checksum = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let (columns, points) = parse(path, &text, columns)?;
        Ok(Self { columns, points, checksum })
    }
}

/// A line of the file with names of columns.
struct Names<'a> {
    line: usize,
    separator: char,
    all: Vec<Cow<'a, str>>,
}

fn parse(
    path: &Path,
    text: &str,
    columns: Option<&[String; 2]>,
) -> Result<([String; 2], Vec<[f64; 2]>), TableFileError> {
    let path = path.to_owned();
    let mut lines = csv::lines(text);
    let Some((line, first)) = lines.next() else { return Err(TableFileError::Empty { path }) };
    let separator = csv::separator(first);
    let names = Names { line, separator, all: csv::fields(first, separator) };
    let places = names.places(&path, columns)?;
    let mut points: Vec<[f64; 2]> = Vec::new();
    for (line, content) in lines {
        let found = csv::fields(content, separator);
        let expected = names.all.len();
        if found.len() != expected {
            return Err(TableFileError::Fields { path, line, found: found.len(), expected });
        }
        let mut point = [0.0; 2];
        for (number, place) in point.iter_mut().zip(places) {
            *number = names.number(&path, line, place, &found[place])?;
        }
        if let Some(before) = points.last().map(|last| last[0]).filter(|before| point[0] <= *before) {
            return Err(TableFileError::Order { path, line, time: point[0], before });
        }
        points.push(point);
    }
    if points.len() < 2 {
        return Err(TableFileError::TooShort { path, found: points.len() });
    }
    Ok((places.map(|place| without_unit(&names.all[place]).0.to_owned()), points))
}

impl Names<'_> {
    /// Places of the columns of time and value.
    fn places(&self, path: &Path, columns: Option<&[String; 2]>) -> Result<[usize; 2], TableFileError> {
        let (path, line) = (path.to_owned(), self.line);
        if self.all.iter().all(|name| name.parse::<f64>().is_ok()) {
            return Err(TableFileError::NoNames { path, line });
        }
        let known = || list_of(&self.all);
        let places = match columns {
            None if self.all.len() == 2 => [0, 1],
            None => return Err(TableFileError::WhichColumns { path, line, known: known() }),
            Some(columns) => {
                let place = |name: &String| {
                    let is_called =
                        |heading: &Cow<'_, str>| heading == name || without_unit(heading).0 == name;
                    let missing = || (name.clone(), known());
                    self.all.iter().position(is_called).ok_or_else(missing)
                };
                match (place(&columns[0]), place(&columns[1])) {
                    (Ok(time), Ok(value)) => [time, value],
                    (Err((name, known)), _) | (_, Err((name, known))) => {
                        return Err(TableFileError::NoColumn { path, line, name, known });
                    }
                }
            }
        };
        for (k, place) in places.into_iter().enumerate() {
            let (name, unit) = without_unit(&self.all[place]);
            let is_known = if k == 0 { ["s", ""].contains(&unit) } else { UNITS.contains(&unit) };
            if !is_known {
                let (name, unit) = (name.to_owned(), unit.to_owned());
                return Err(TableFileError::Unit { path, line, name, unit });
            }
        }
        Ok(places)
    }

    fn number(&self, path: &Path, line: usize, place: usize, text: &str) -> Result<f64, TableFileError> {
        if let Some(number) = text.parse().ok().filter(|number: &f64| number.is_finite()) {
            return Ok(number);
        }
        let hint = match self.separator {
            ';' | '\t' if text.contains(',') => ": write decimal points instead of commas",
            _ => "",
        };
        let (path, name) = (path.to_owned(), self.all[place].to_string());
        Err(TableFileError::Number { path, line, name, text: text.to_owned(), hint })
    }
}

/// A name of a column and its unit in brackets, empty if it has none.
fn without_unit(heading: &str) -> (&str, &str) {
    let parts = heading.strip_suffix(']').and_then(|rest| rest.rsplit_once('['));
    parts.map_or((heading, ""), |(name, unit)| (name.trim(), unit.trim()))
}
