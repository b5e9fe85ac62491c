//! The sections of a legacy file: a pass over its headers and numbers that keeps only counts.

use std::fmt;

use super::ParseLegacyError;
use crate::Grid;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Line of a text file, from 1.
    Line(usize),
    /// Byte of a binary file, from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// Counts of the contents of a file's sections.
#[derive(Debug, Default)]
pub(super) struct Outline {
    points: Option<usize>,
    cells: Option<usize>,
    types: Option<usize>,
    point_arrays: usize,
    cell_arrays: usize,
}

impl Outline {
    /// Counts the contents of a file.
    pub(super) fn of(content: &[u8]) -> Result<Self, ParseLegacyError> {
        let mut walk = Walk { content, at: 0, is_binary: false };
        let first = walk.line().unwrap_or_default();
        if !first.to_lowercase().starts_with("# vtk datafile version") {
            let found = first.chars().take(30).collect();
            return Err(ParseLegacyError::NotLegacy { found });
        }
        walk.line();
        let start = walk.at;
        walk.is_binary = match walk.words().unwrap_or_default().first().map(String::as_str) {
            Some("ASCII") => false,
            Some("BINARY") => true,
            found => return Err(walk.unexpected(start, "ASCII or BINARY", found.unwrap_or("the end"))),
        };
        let mut outline = Self::default();
        let mut section = Section { n: 0, is_of_cells: None };
        let mut has_data_set = false;
        loop {
            let start = walk.at;
            let Some(words) = walk.words() else { break };
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if words[0] == "DATASET" {
                if words.get(1) != Some(&"UNSTRUCTURED_GRID") {
                    let found = words.get(1).unwrap_or(&"nothing").to_string();
                    return Err(ParseLegacyError::DataSet { place: walk.place(start), found });
                }
                has_data_set = true;
            } else if !has_data_set && words[0] != "FIELD" {
                return Err(walk.unexpected(start, "DATASET UNSTRUCTURED_GRID", words[0]));
            } else {
                outline.section(&mut walk, start, &words, &mut section)?;
            }
        }
        for (section, count) in
            [("POINTS", outline.points), ("CELLS", outline.cells), ("CELL_TYPES", outline.types)]
        {
            if count.is_none() {
                return Err(ParseLegacyError::Missing { section });
            }
        }
        Ok(outline)
    }

    /// Reads one section.
    ///
    /// * `start` — place of its header, `words` the words of the header
    fn section(
        &mut self,
        walk: &mut Walk<'_>,
        start: usize,
        words: &[&str],
        section: &mut Section,
    ) -> Result<(), ParseLegacyError> {
        let count = |k: usize| walk.count(start, words, k);
        match words[0] {
            "POINTS" => {
                let (n, kind) = (count(1)?, walk.kind(start, words, 2)?);
                walk.numbers(n.saturating_mul(3), kind)?;
                self.points = Some(n);
            }
            "CELLS" => {
                let (n, size) = (count(1)?, count(2)?);
                self.cells = Some(walk.cells(n, size)?);
            }
            "CELL_TYPES" => {
                let n = count(1)?;
                walk.numbers(n, Kind::INT)?;
                self.types = Some(n);
            }
            "POINT_DATA" => *section = Section { n: count(1)?, is_of_cells: Some(false) },
            "CELL_DATA" => *section = Section { n: count(1)?, is_of_cells: Some(true) },
            "METADATA" => walk.skip_paragraph(),
            "FIELD" => {
                let n_arrays = count(2)?;
                for _ in 0..n_arrays {
                    self.field_array(walk, section)?;
                }
            }
            _ => {
                let n = section.attribute(walk, start, words)?;
                walk.numbers(n.0, n.1)?;
                self.add_array(section, words[0]);
            }
        }
        Ok(())
    }

    fn field_array(&mut self, walk: &mut Walk<'_>, section: &Section) -> Result<(), ParseLegacyError> {
        loop {
            let start = walk.at;
            let Some(words) = walk.words() else {
                return Err(walk.unexpected(start, "an array of a FIELD", "the end of the file"));
            };
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            if words[0] == "METADATA" {
                walk.skip_paragraph();
                continue;
            }
            let (width, n) = (walk.count(start, &words, 1)?, walk.count(start, &words, 2)?);
            let kind = walk.kind(start, &words, 3)?;
            walk.numbers(width.saturating_mul(n), kind)?;
            self.add_array(section, "FIELD");
            return Ok(());
        }
    }

    fn add_array(&mut self, section: &Section, keyword: &str) {
        match section.is_of_cells {
            _ if keyword == "LOOKUP_TABLE" => {}
            Some(true) => self.cell_arrays += 1,
            Some(false) => self.point_arrays += 1,
            None => {}
        }
    }

    /// Compares the counts with those of a grid.
    pub(super) fn compare(&self, grid: &Grid) -> Result<(), ParseLegacyError> {
        for (what, expected, found) in [
            ("points", self.points.unwrap_or(0), grid.points.len()),
            ("cells", self.cells.unwrap_or(0), grid.offsets.len()),
            ("cell types", self.types.unwrap_or(0), grid.types.len()),
            ("fields over points", self.point_arrays, grid.point_fields.len()),
            ("fields over cells", self.cell_arrays, grid.cell_fields.len()),
        ] {
            if expected != found {
                return Err(ParseLegacyError::Differs { what, expected, found });
            }
        }
        Ok(())
    }
}

/// Section to which attributes belong.
struct Section {
    /// Number of tuples.
    n: usize,
    is_of_cells: Option<bool>,
}

impl Section {
    /// Number and kind of the numbers of an attribute.
    fn attribute(
        &self,
        walk: &mut Walk<'_>,
        start: usize,
        words: &[&str],
    ) -> Result<(usize, Kind), ParseLegacyError> {
        let of = |width: usize| self.n.saturating_mul(width);
        Ok(match words[0] {
            "SCALARS" => {
                let kind = walk.kind(start, words, 2)?;
                let width = if words.len() > 3 { walk.count(start, words, 3)? } else { 1 };
                let table = walk.at;
                if walk.words().and_then(|words| words.first().cloned()).as_deref() != Some("LOOKUP_TABLE") {
                    walk.at = table;
                }
                (of(width), kind)
            }
            "VECTORS" | "NORMALS" => (of(3), walk.kind(start, words, 2)?),
            "TENSORS" => (of(9), walk.kind(start, words, 2)?),
            "TEXTURE_COORDINATES" => (of(walk.count(start, words, 2)?), walk.kind(start, words, 3)?),
            "COLOR_SCALARS" => {
                let kind = if walk.is_binary { Kind { width: 1 } } else { Kind { width: 4 } };
                (of(walk.count(start, words, 2)?), kind)
            }
            "LOOKUP_TABLE" => (walk.count(start, words, 2)?.saturating_mul(4), Kind { width: 1 }),
            other => return Err(walk.unexpected(start, "a section of an unstructured grid", other)),
        })
    }
}

/// A type of numbers.
#[derive(Debug, Clone, Copy)]
struct Kind {
    /// Bytes of a number.
    width: usize,
}

impl Kind {
    const INT: Self = Self { width: 4 };
    const LONG: Self = Self { width: 8 };
}

/// A position in a file that only advances.
struct Walk<'a> {
    content: &'a [u8],
    at: usize,
    is_binary: bool,
}

impl Walk<'_> {
    /// The next line without its end; `None` at the end of the file.
    fn line(&mut self) -> Option<String> {
        let rest = self.content.get(self.at..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        Some(String::from_utf8_lossy(&rest[..end.min(1024)]).trim_end().to_owned())
    }

    /// The words of the next line that is not blank.
    fn words(&mut self) -> Option<Vec<String>> {
        loop {
            let line = self.line()?;
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            if !words.is_empty() {
                return Some(words);
            }
        }
    }

    fn skip_paragraph(&mut self) {
        while self.line().is_some_and(|line| !line.trim().is_empty()) {}
    }

    fn place(&self, at: usize) -> Place {
        if self.is_binary {
            return Place::Byte(at);
        }
        let before = &self.content[..at.min(self.content.len())];
        Place::Line(1 + before.iter().filter(|&&byte| byte == b'\n').count())
    }

    fn unexpected(&self, at: usize, expected: &str, found: &str) -> ParseLegacyError {
        let found = match found.chars().take(30).collect::<String>() {
            found if found.is_empty() => "the end of the file".to_owned(),
            found => format!("`{found}`"),
        };
        // Blank lines before a header are skipped.
        let blank = self.content[at.min(self.content.len())..].iter();
        let at = at + blank.take_while(|byte| byte.is_ascii_whitespace()).count();
        ParseLegacyError::Unexpected { place: self.place(at), expected: expected.to_owned(), found }
    }

    /// The number in word `k` of a header.
    fn count(&self, start: usize, words: &[&str], k: usize) -> Result<usize, ParseLegacyError> {
        // The library counts in 32 bits.
        let count = words.get(k).and_then(|word| word.parse::<u32>().ok());
        count.map(|count| count as usize).ok_or_else(|| {
            let expected = format!("a count as word {} of {}", k + 1, words[0]);
            self.unexpected(start, &expected, &words.join(" "))
        })
    }

    fn kind(&self, start: usize, words: &[&str], k: usize) -> Result<Kind, ParseLegacyError> {
        let width = match words.get(k).copied().unwrap_or_default().to_lowercase().as_str() {
            "unsigned_char" | "char" => 1,
            "unsigned_short" | "short" => 2,
            "unsigned_int" | "int" | "float" => 4,
            "unsigned_long" | "long" | "double" | "vtktypeint64" | "vtkidtype" => 8,
            _ => {
                let expected = format!("a type of numbers as word {} of {}", k + 1, words[0]);
                return Err(self.unexpected(start, &expected, &words.join(" ")));
            }
        };
        Ok(Kind { width })
    }

    /// Cells in the old form (`n p_1 … p_n` each) or in that of version 5 (ends, then points); their number.
    fn cells(&mut self, n: usize, size: usize) -> Result<usize, ParseLegacyError> {
        let start = self.at;
        let words = self.words().unwrap_or_default();
        if words.first().map(String::as_str) != Some("OFFSETS") {
            self.at = start;
            self.numbers(size, Kind::INT)?;
            return Ok(n);
        }
        self.numbers(n, Kind::LONG)?;
        let start = self.at;
        let words = self.words().unwrap_or_default();
        match words.first().map(String::as_str) {
            Some("CONNECTIVITY") => self.numbers(size, Kind::LONG)?,
            found => return Err(self.unexpected(start, "CONNECTIVITY", found.unwrap_or_default())),
        }
        Ok(n.saturating_sub(1))
    }

    /// Skips numbers, after checking them.
    fn numbers(&mut self, n: usize, kind: Kind) -> Result<(), ParseLegacyError> {
        if self.is_binary {
            let left = self.content.len() - self.at;
            let needed = n.saturating_mul(kind.width);
            if needed > left {
                let expected = format!("{needed} bytes of numbers");
                return Err(self.unexpected(self.at, &expected, &format!("{left} bytes")));
            }
            self.at += needed;
            return Ok(());
        }
        for k in 0..n {
            let rest = &self.content[self.at..];
            let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let word = rest[blank..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            let text = &rest[blank..blank + word];
            // The library does not read `nan` and `inf`.
            let is_number =
                std::str::from_utf8(text).is_ok_and(|word| word.parse::<f64>().is_ok_and(f64::is_finite));
            if !is_number {
                let expected = format!("number {} of {n}", k + 1);
                return Err(self.unexpected(self.at, &expected, &String::from_utf8_lossy(text)));
            }
            self.at += blank + word;
        }
        Ok(())
    }
}
