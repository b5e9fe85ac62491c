//! Files as lines of words.

use std::path::Path;

use super::ReadMatrixError;

/// Names of the three directions.
pub(super) const DIRECTIONS: [&str; 3] = ["x", "y", "z"];

/// A file as lines.
pub(super) struct Text<'a> {
    pub path: &'a Path,
    pub lines: Vec<&'a str>,
}

impl<'a> Text<'a> {
    pub(super) fn new(path: &'a Path, content: &'a str) -> Self {
        // Lines are counted first: a growing list would need twice the memory for a moment.
        let mut lines = Vec::with_capacity(content.bytes().filter(|&c| c == b'\n').count() + 1);
        lines.extend(content.lines());
        Self { path, lines }
    }

    /// The error for unexpected content in line `i`, from 0; beyond the last line this is the end of the
    /// file.
    pub(super) fn unexpected(&self, i: usize, expected: impl Into<String>) -> ReadMatrixError {
        let found = self.lines.get(i).copied().unwrap_or("the end of the file");
        ReadMatrixError::Unexpected {
            path: self.path.to_owned(),
            line: i + 1,
            expected: expected.into(),
            found: found.trim().chars().take(60).collect(),
        }
    }

    /// The words of a line; none for comments and blank lines.
    pub(super) fn words(&self, i: usize) -> impl Iterator<Item = &'a str> + use<'a> {
        let line = self.lines[i].trim();
        let content = if line.starts_with(['%', '*']) { "" } else { line.split('#').next().unwrap_or("") };
        content.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
    }
}

/// Reads a file.
pub(super) fn load(path: &Path) -> Result<String, ReadMatrixError> {
    /// Number of first bytes among which a zero byte marks a binary file.
    const HEAD: usize = 4096;
    let bytes = carom_files::input::read(path)
        .map_err(|source| ReadMatrixError::Io { path: path.to_owned(), source })?;
    if bytes[..bytes.len().min(HEAD)].contains(&0) {
        return Err(ReadMatrixError::Binary { path: path.to_owned() });
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

/// A number, also with Fortran's exponent.
pub(super) fn number(word: &str) -> Option<f64> {
    let parsed = if word.contains(['D', 'd']) { word.replace(['D', 'd'], "e").parse() } else { word.parse() };
    parsed.ok().filter(|x: &f64| x.is_finite())
}
