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
        // Counted first: a list that grows takes twice the memory for a moment.
        let mut lines = Vec::with_capacity(content.bytes().filter(|&c| c == b'\n').count() + 1);
        lines.extend(content.lines());
        Self { path, lines }
    }

    /// Line `i`, from 0, is not what belongs there; the end of the file is what lies behind the last line.
    pub(super) fn unexpected(&self, i: usize, expected: impl Into<String>) -> ReadMatrixError {
        let found = self.lines.get(i).copied().unwrap_or("the end of the file");
        ReadMatrixError::Unexpected {
            path: self.path.to_owned(),
            line: i + 1,
            expected: expected.into(),
            found: found.trim().chars().take(60).collect(),
        }
    }

    /// The words of a line that is no comment; blank lines have none.
    pub(super) fn words(&self, i: usize) -> impl Iterator<Item = &'a str> + use<'a> {
        let line = self.lines[i].trim();
        let content = if line.starts_with(['%', '*']) { "" } else { line.split('#').next().unwrap_or("") };
        content.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
    }
}

/// Reads a file.
pub(super) fn load(path: &Path) -> Result<String, ReadMatrixError> {
    /// A zero among so many first bytes: no text.
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
