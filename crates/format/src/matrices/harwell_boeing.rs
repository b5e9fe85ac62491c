//! Assembled matrices in Harwell-Boeing format, as Ansys writes them by `HBMAT`.
//!
//! The header has four lines (five with right-hand sides). The column pointers, the rows and the values
//! follow, in fields whose widths are given by Fortran formats in the header; indices count from 1.
//! Right-hand sides at the end are ignored.
//!
//! Source: Duff, Grimes & Lewis (1989), Sparse matrix test problems, ACM Trans. Math. Softw. 15(1), 1–14, and
//! their User's Guide for the Harwell-Boeing Sparse Matrix Collection (1992), section 3.

use carom_progress::Progress;

use super::ReadMatrixError;
use super::found::{Found, look_up};
use super::text::{Text, number};

/// True for a file whose third line begins with the type of a matrix, after a line of counts.
pub(super) fn is_harwell_boeing(text: &Text<'_>) -> bool {
    let (Some(counts), Some(kind)) = (text.lines.get(1), text.lines.get(2)) else { return false };
    let kind: Vec<char> = kind.chars().take(3).map(|c| c.to_ascii_uppercase()).collect();
    let of_matrix = matches!(kind[..], ['R' | 'C' | 'P', 'S' | 'U' | 'H' | 'Z' | 'R', 'A' | 'E']);
    of_matrix && integers(counts).is_some_and(|counts| counts.len() >= 4)
}

/// Reads the matrix: both triangles or one, depending on its type.
pub(super) fn read(text: &Text<'_>, progress: &dyn Progress) -> Result<Found, ReadMatrixError> {
    let header = Header::read(text)?;
    let (n, n_entries) = (header.size, header.n_entries);
    let mut pointers = Fields::new(text, header.first_line, header.formats[0]);
    let mut starts = Vec::new();
    for j in 0..=n {
        let last = starts.last().copied().unwrap_or(0);
        let field = pointers.next();
        let start = field.1.and_then(|word| word.parse::<usize>().ok()).and_then(|k| k.checked_sub(1));
        let range = if j == 0 { 0..=0 } else { last..=n_entries };
        match start.filter(|start| range.contains(start) && (j < n || *start == n_entries)) {
            Some(start) => starts.push(start),
            None => {
                let expected = format!("pointers to columns that ascend from 1 to {}", n_entries + 1);
                return Err(text.unexpected(field.0, expected));
            }
        }
    }
    let rows_line = header.first_line.saturating_add(header.lines[0]);
    let mut rows = Fields::new(text, rows_line, header.formats[1]);
    let mut values = Fields::new(text, rows_line.saturating_add(header.lines[1]), header.formats[2]);
    let mut entries = Vec::new();
    for j in 0..n {
        for k in starts[j]..starts[j + 1] {
            look_up(text, rows.line, k, progress)?;
            let (row, value) = (rows.next(), values.next());
            let (Some(row_word), Some(word)) = (row.1, value.1) else {
                return Err(ReadMatrixError::Count { path: text.path.to_owned(), said: n_entries, found: k });
            };
            let row = row_word
                .parse::<u32>()
                .ok()
                .filter(|&i| i > 0 && i as usize <= n)
                .ok_or_else(|| text.unexpected(row.0, format!("a row from 1 to {n}")))?;
            let value = number(word).ok_or_else(|| text.unexpected(value.0, "a value"))?;
            entries.push((row - 1, j as u32, value));
        }
    }
    Ok(Found { size: n, entries, is_symmetric: Some(header.is_symmetric) })
}

/// The header.
struct Header {
    size: usize,
    n_entries: usize,
    is_symmetric: bool,
    /// Number of lines of pointers and rows.
    lines: [usize; 2],
    /// Fields of pointers, rows and values.
    formats: [Format; 3],
    /// Line of the first pointer, from 0.
    first_line: usize,
}

impl Header {
    fn read(text: &Text<'_>) -> Result<Self, ReadMatrixError> {
        let kind: String = text.lines[2].chars().take(3).collect::<String>().to_uppercase();
        if kind != "RSA" && kind != "RUA" {
            return Err(ReadMatrixError::HarwellBoeing { path: text.path.to_owned(), kind });
        }
        let counts = integers(text.lines[1]).unwrap_or_default();
        let [_, pointers, rows, _, ref rest @ ..] = counts[..] else {
            return Err(text.unexpected(1, "the numbers of lines"));
        };
        let sizes = text.lines[2].get(3..).and_then(integers).unwrap_or_default();
        let size = match sizes[..] {
            [rows, columns, n_entries, ..] if rows == columns && u32::try_from(rows).is_ok() => {
                (rows, n_entries)
            }
            _ => return Err(text.unexpected(2, "as many columns as rows, and the number of entries")),
        };
        let line = text.lines.get(3).copied().unwrap_or("");
        let format = |from: usize, to: usize| {
            let field = line.get(from.min(line.len())..to.min(line.len()));
            field.and_then(Format::parse).ok_or_else(|| text.unexpected(3, "Fortran formats, such as (I14)"))
        };
        Ok(Self {
            size: size.0,
            n_entries: size.1,
            is_symmetric: kind == "RSA",
            lines: [pointers, rows],
            formats: [format(0, 16)?, format(16, 32)?, format(32, 52)?],
            first_line: 4 + usize::from(rest.first().is_some_and(|&lines| lines > 0)),
        })
    }
}

/// The integers of a line; `None` if anything else is there.
fn integers(line: &str) -> Option<Vec<usize>> {
    line.split_whitespace().map(|word| word.parse().ok()).collect()
}

/// The width of a field and the number of fields per line.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Format {
    per_line: usize,
    width: usize,
}

impl Format {
    /// `(10I8)`, `(d25.15)`, `(1P,4E20.12)`.
    fn parse(text: &str) -> Option<Self> {
        let text: String = text.to_uppercase().split_whitespace().collect();
        let inner = text.strip_prefix('(')?.strip_suffix(')')?;
        // A scale factor such as 1P does not change the fields.
        let inner = inner.split_once('P').map_or(inner, |(_, rest)| rest).trim_start_matches(',');
        let letter = inner.find(['I', 'E', 'D', 'F', 'G'])?;
        let (count, width) = (&inner[..letter], &inner[letter + 1..]);
        let width = width.split(['.', 'E']).next()?.parse().ok().filter(|width| (1..=256).contains(width))?;
        let per_line = if count.is_empty() { 1 } else { count.parse().ok()? };
        (per_line > 0).then_some(Self { per_line, width })
    }
}

/// The fields of some lines one after the other.
struct Fields<'t, 'a> {
    text: &'t Text<'a>,
    format: Format,
    /// Line of the next field, from 0.
    line: usize,
    /// Field in the line.
    at: usize,
}

impl<'t, 'a> Fields<'t, 'a> {
    fn new(text: &'t Text<'a>, line: usize, format: Format) -> Self {
        Self { text, format, line, at: 0 }
    }

    /// Line and content of the next field; nothing at the end of the file.
    fn next(&mut self) -> (usize, Option<&'a str>) {
        while let Some(line) = self.text.lines.get(self.line) {
            let from = self.at.saturating_mul(self.format.width);
            if self.at < self.format.per_line && from < line.len() {
                self.at += 1;
                let field = line.get(from..line.len().min(from + self.format.width)).unwrap_or("?").trim();
                if !field.is_empty() {
                    return (self.line, Some(field));
                }
            } else {
                (self.line, self.at) = (self.line + 1, 0);
            }
        }
        (self.line, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_determine_the_width_of_fields() {
        let format = |text: &str| Format::parse(text).map(|format| (format.per_line, format.width));
        assert_eq!(format("(I14)           "), Some((1, 14)));
        assert_eq!(format("(10I8)"), Some((10, 8)));
        assert_eq!(format("(d25.15)"), Some((1, 25)));
        assert_eq!(format("(1P,4E20.12)"), Some((4, 20)));
        assert_eq!(format("(1P5D16.8)"), Some((5, 16)));
        assert_eq!(format("(3E26.16E3)"), Some((3, 26)));
        for wrong in ["", "(14)", "I14", "(0I8)", "(I0)", "(I)", "(xI8)"] {
            assert_eq!(format(wrong), None, "{wrong}");
        }
    }
}
