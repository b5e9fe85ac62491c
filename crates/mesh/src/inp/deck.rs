//! The keywords of a file and its data lines, included files in their place.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use carom_files::input;

use super::error::{ParseInpError, ReadInpError};

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file that contains the line: the deck itself, or an included file.
    pub path: PathBuf,
    /// Number of the line, from one.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: line {}", self.path.display(), self.line)
    }
}

/// Position of a line: number of the source file, and line in it from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct At {
    source: u32,
    line: u32,
}

/// A name as the file writes it. Names are compared without regard to case, except those in quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// The written name, without quotation marks.
    pub(super) text: String,
    /// The text that is compared.
    pub(super) key: String,
}

impl Name {
    pub(super) fn new(text: &str) -> Self {
        let text = text.trim();
        match text.strip_prefix('"').and_then(|t| t.strip_suffix('"')) {
            Some(quoted) => Self { text: quoted.to_owned(), key: quoted.to_owned() },
            None => Self { text: text.to_owned(), key: text.to_uppercase() },
        }
    }
}

/// A data line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) at: At,
    start: usize,
    end: usize,
}

/// A keyword with its parameters and data lines.
#[derive(Debug, Clone)]
pub(super) struct Keyword {
    /// Name in capitals, without blanks: `SOLIDSECTION`.
    pub(super) name: String,
    /// Parameters in capitals without blanks, each with its value if it has one.
    parameters: Vec<(String, Option<String>)>,
    pub(super) at: At,
    pub(super) lines: Vec<Line>,
}

impl Keyword {
    /// Value of a parameter, if it has one.
    pub(super) fn value(&self, parameter: &str) -> Option<&str> {
        self.parameters.iter().find(|(name, _)| name == parameter).and_then(|(_, value)| value.as_deref())
    }

    /// Whether the keyword has a parameter, with or without a value.
    pub(super) fn has(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|(name, _)| name == parameter)
    }
}

/// The keywords of a file and of those that it includes, in their order.
#[derive(Debug, Clone, Default)]
pub(super) struct Deck {
    sources: Vec<(PathBuf, String)>,
    /// Bytes of all sources.
    bytes: usize,
    /// Bytes of repeated inclusions: files included more than once count each time.
    repeated: usize,
    /// Files that were read, by their canonical paths.
    known: BTreeSet<PathBuf>,
    pub(super) keywords: Vec<Keyword>,
}

/// Keywords that define the mesh and its sets in their data lines.
const OF_MESH: [&str; 5] = ["NODE", "ELEMENT", "NSET", "ELSET", "SURFACE"];

/// Largest depth of files that include files.
const MAX_DEPTH: usize = 32;
/// Largest number of *INCLUDE keywords in a deck.
const MAX_INCLUDES: usize = 10_000;
/// Bytes that repeated inclusions may add to the size of the files themselves.
const MAX_REPEATED: usize = 4 << 20;

impl Deck {
    pub(super) fn read(path: &Path) -> Result<Self, ReadInpError> {
        let mut deck = Self::default();
        deck.include(path, &mut Vec::new())?;
        let (needed, most) = (deck.memory_needed(), input::memory_limit((deck.bytes + deck.repeated) as u64));
        if needed > most {
            let lines = deck.keywords.iter().map(|keyword| keyword.lines.len()).sum();
            return Err(ParseInpError::TooManyLines { lines, needed, most }.into());
        }
        Ok(deck)
    }

    /// An upper bound of the memory of the mesh in these lines \[byte\]: much more than the file if its lines
    /// are shorter than those of a valid mesh.
    fn memory_needed(&self) -> u64 {
        const A_LINE: usize = 40;
        const A_NODE: usize = 160;
        const A_MEMBER: usize = 100;
        let of = |keyword: &Keyword| {
            let n = keyword.lines.len();
            let members = |line: &Line| 1 + self.text(*line).bytes().filter(|&c| c == b',').count();
            n * A_LINE
                + match keyword.name.as_str() {
                    "NODE" | "ELEMENT" | "SURFACE" => n * A_NODE,
                    "NSET" | "ELSET" => keyword.lines.iter().map(members).sum::<usize>() * A_MEMBER,
                    _ => 0,
                }
        };
        (2 * (self.bytes + self.repeated) + self.keywords.iter().map(of).sum::<usize>()) as u64
    }

    pub(super) fn place(&self, at: At) -> Place {
        Place { path: self.sources[at.source as usize].0.clone(), line: at.line as usize }
    }

    /// The text of a data line.
    pub(super) fn text(&self, line: Line) -> &str {
        &self.sources[line.at.source as usize].1[line.start..line.end]
    }

    /// The entries of a data line: between commas, without blanks around them; the text after the last comma
    /// only if it is not empty.
    pub(super) fn entries(&self, line: Line) -> impl Iterator<Item = &str> {
        let text = self.text(line).trim().trim_end_matches(',');
        text.split(',').map(str::trim)
    }

    /// The numbers of a data line; an empty entry is zero.
    pub(super) fn numbers(&self, line: Line) -> Result<Vec<f64>, ParseInpError> {
        let number = |entry: &str| {
            if entry.is_empty() {
                return Ok(0.0);
            }
            parse_real(entry).ok_or_else(|| ParseInpError::Number {
                place: self.place(line.at),
                wanted: "a number",
                found: self.shown(line.at, entry),
            })
        };
        self.entries(line).map(number).collect()
    }

    /// The keyword of a set with numbers that end at the end of the file, without a line end after them.
    pub(super) fn open_end(&self) -> Option<&str> {
        let keyword = self.keywords.last().filter(|keyword| keyword.name.ends_with("SET"))?;
        let line = keyword.lines.last()?;
        let is_open = line.end == self.sources[line.at.source as usize].1.len();
        is_open.then_some(keyword.name.as_str())
    }

    /// Reads a file and appends its keywords. `open` holds the files that are being read.
    fn include(&mut self, path: &Path, open: &mut Vec<PathBuf>) -> Result<(), ReadInpError> {
        let bytes =
            input::read(path).map_err(|source| ReadInpError::Open { path: path.to_owned(), source })?;
        let identity = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if self.known.insert(identity.clone()) {
            self.bytes += bytes.len();
        } else {
            self.repeated += bytes.len();
        }
        open.push(identity);
        let source = self.sources.len() as u32;
        self.sources.push((path.to_owned(), String::from_utf8_lossy(&bytes).into_owned()));
        self.scan(source, open)?;
        open.pop();
        Ok(())
    }

    /// Appends the keywords in the lines of a source.
    fn scan(&mut self, source: u32, open: &mut Vec<PathBuf>) -> Result<(), ReadInpError> {
        let (mut start, mut number) = (0, 0);
        loop {
            let text = &self.sources[source as usize].1;
            if start >= text.len() {
                return Ok(());
            }
            let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
            number += 1;
            let line = Line { at: At { source, line: number }, start, end };
            let trimmed = text[start..end].trim();
            start = end + 1;
            if trimmed.is_empty() || trimmed.starts_with("**") {
                continue;
            }
            if !trimmed.starts_with('*') {
                let found =
                    if self.keywords.is_empty() { self.shown(line.at, trimmed) } else { String::new() };
                let keyword = self.keywords.last_mut().ok_or(ParseInpError::NotInp { found })?;
                keyword.lines.push(line);
                // Writers put a comma after the last number too (Gmsh, cgx), but all of them write the line
                // end after it.
                let goes_on = end == text.len() && trimmed.ends_with(',');
                if goes_on && OF_MESH.contains(&keyword.name.as_str()) {
                    let keyword = keyword.name.clone();
                    return Err(ParseInpError::Truncated { place: self.place(line.at), keyword }.into());
                }
                continue;
            }
            let mut words = trimmed.to_owned();
            // A comma at the end of a keyword line: its parameters continue on the next line.
            while words.ends_with(',') && start < text.len() {
                let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
                words.push_str(text[start..end].trim());
                start = end + 1;
                number += 1;
            }
            self.keyword(&words, line.at, open)?;
        }
    }

    /// Appends a keyword; included files are read at once.
    fn keyword(&mut self, words: &str, at: At, open: &mut Vec<PathBuf>) -> Result<(), ReadInpError> {
        let keyword = parse_keyword(words, at);
        let input = keyword.value("INPUT").map(str::to_owned);
        let takes_input = ["INCLUDE", "NODE", "ELEMENT", "NSET", "ELSET"].contains(&keyword.name.as_str());
        let is_include = keyword.name == "INCLUDE";
        if !is_include {
            self.keywords.push(keyword);
        } else if input.is_none() {
            return Err(ParseInpError::NoParameter {
                place: self.place(at),
                keyword: "INCLUDE",
                parameter: "INPUT",
            }
            .into());
        }
        let Some(file) = input.filter(|_| takes_input) else { return Ok(()) };
        let path = self.resolve(&file, at);
        let identity = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if open.contains(&identity) || open.len() >= MAX_DEPTH {
            return Err(ParseInpError::IncludeCycle { place: self.place(at), file }.into());
        }
        let Ok(found) = path.metadata().map(|found| (found.is_file(), found.len() as usize)) else {
            return Err(ParseInpError::NoInclude { place: self.place(at), file }.into());
        };
        if !found.0 {
            return Err(ParseInpError::SpecialInclude { place: self.place(at), file }.into());
        }
        let again = if self.known.contains(&identity) { found.1 } else { 0 };
        if self.sources.len() >= MAX_INCLUDES || self.repeated + again > MAX_REPEATED + self.bytes {
            return Err(ParseInpError::TooManyIncludes { place: self.place(at), file }.into());
        }
        self.include(&path, open)
    }

    /// The form of a text of the file in messages. An included file may be any file of this machine, and
    /// messages must not reveal its content: only its numbers are shown.
    pub(super) fn shown(&self, at: At, text: &str) -> String {
        const LONGEST: usize = 40;
        let is_number = text.chars().all(|c| c.is_ascii_digit() || "+-.eEdD, ".contains(c));
        if at.source > 0 && (!is_number || text.len() > LONGEST) {
            return "a text of the included file".to_owned();
        }
        let mut shown: String = text.chars().take(LONGEST).filter(|c| !c.is_control()).collect();
        if text.chars().nth(LONGEST).is_some() {
            shown.push('…');
        }
        shown
    }

    /// Path of an included file: in the folder of the file that names it, or in that of the first file.
    fn resolve(&self, file: &str, at: At) -> PathBuf {
        let file = Path::new(file.trim_matches('"'));
        let beside = |source: usize| self.sources[source].0.parent().unwrap_or(Path::new("")).join(file);
        let candidates = [beside(at.source as usize), beside(0)];
        let found = candidates.iter().find(|path| path.exists());
        found.unwrap_or(&candidates[0]).clone()
    }
}

/// `*SOLID SECTION, elset = E1` and so on.
fn parse_keyword(words: &str, at: At) -> Keyword {
    let mut parts = split_outside_quotes(words.trim_start_matches('*')).into_iter();
    let squeezed =
        |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_uppercase();
    let name = squeezed(parts.next().unwrap_or(""));
    let parameters = parts.filter(|part| !part.trim().is_empty()).map(|part| match part.split_once('=') {
        Some((name, value)) => (squeezed(name), Some(value.trim().to_owned())),
        None => (squeezed(part), None),
    });
    Keyword { name, parameters: parameters.collect(), at, lines: Vec::new() }
}

/// Parts between commas; commas between quotation marks do not separate parts.
fn split_outside_quotes(words: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, c) in words.char_indices() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(&words[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&words[start..]);
    parts
}

/// Parses a real number, with Fortran's exponents too: `1.5D-3`, `1.5-3`.
pub(super) fn parse_real(entry: &str) -> Option<f64> {
    if let Ok(value) = entry.parse::<f64>() {
        return Some(value).filter(|value| value.is_finite());
    }
    let mut text = entry.replace(['d', 'D'], "e");
    if !text.contains(['e', 'E'])
        && let Some(at) = text.rfind(['+', '-']).filter(|&at| at > 0)
    {
        text.insert(at, 'e');
    }
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_read_with_any_blanks_and_case() {
        let at = At { source: 0, line: 1 };
        let keyword = parse_keyword("*Solid  Section, ElSet = \"a, b\" ,MATERIAL=Steel, generate", at);
        assert_eq!(keyword.name, "SOLIDSECTION");
        assert_eq!(keyword.value("ELSET").map(Name::new).unwrap().text, "a, b");
        assert_eq!(keyword.value("MATERIAL"), Some("Steel"));
        assert!(keyword.has("GENERATE") && keyword.value("GENERATE").is_none() && !keyword.has("NAME"));
    }

    #[test]
    fn numbers_in_the_forms_of_fortran_are_read() {
        for (text, value) in
            [("1.", 1.0), ("-2.5D-3", -2.5e-3), ("1.5-3", 1.5e-3), (".5E+01", 5.0), ("-1-2", -1e-2)]
        {
            assert_eq!(parse_real(text), Some(value), "{text}");
        }
        for text in ["", "a", "1e999", "nan", "--1"] {
            assert_eq!(parse_real(text), None, "{text}");
        }
    }
}
