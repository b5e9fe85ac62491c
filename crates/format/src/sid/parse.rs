//! Lines, values and blocks of SID_FEM files.

use std::path::{Path, PathBuf};

use carom_progress::Progress;
use faer::Mat;

use super::Taylor;
use super::error::ReadSidError;

/// Number of lines between checks for a stop by the user.
const LOOK_EVERY: usize = 4096;

/// The lines of a file without blank ones, trimmed and numbered.
pub(super) struct Lines<'a> {
    pub(super) path: &'a Path,
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    /// Number of bytes returned so far.
    read: usize,
    progress: &'a dyn Progress,
    /// Number of the last returned line, from 1.
    pub(super) number: usize,
}

/// An entry of a block: `m0( 2, 1) = 0.5D+00`.
struct Entry {
    order: usize,
    /// Row, column and mode, from 0.
    at: [usize; 3],
    value: f64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(path: &'a Path, text: &'a str, progress: &'a dyn Progress) -> Self {
        Self { path, lines: text.lines().enumerate(), read: 0, progress, number: 0 }
    }

    /// The next line; `expected` is named in the message if the file ends.
    pub(super) fn next(&mut self, expected: &str) -> Result<&'a str, ReadSidError> {
        for (i, line) in self.lines.by_ref() {
            self.number = i + 1;
            self.read += line.len() + 1;
            if self.number.is_multiple_of(LOOK_EVERY) {
                self.progress.set(self.read as u64);
                if self.progress.interrupted() {
                    return Err(ReadSidError::Interrupted { path: self.path() });
                }
            }
            if !line.trim().is_empty() {
                return Ok(line.trim());
            }
        }
        Err(ReadSidError::Ends { path: self.path(), line: self.number, expected: expected.to_owned() })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.path.to_owned()
    }

    pub(super) fn unexpected(&self, expected: impl Into<String>, found: &str) -> ReadSidError {
        ReadSidError::Unexpected {
            path: self.path(),
            line: self.number,
            expected: expected.into(),
            found: found.chars().take(60).collect(),
        }
    }

    /// Reads a line that must be this word, such as `part`.
    pub(super) fn word(&mut self, word: &str) -> Result<(), ReadSidError> {
        let line = self.next(word)?;
        if is_words(line, word) { Ok(()) } else { Err(self.unexpected(format!("`{word}`"), line)) }
    }

    /// Reads a line `key = value` and returns its value.
    pub(super) fn value(&mut self, key: &str) -> Result<&'a str, ReadSidError> {
        let line = self.next(key)?;
        match line.split_once('=') {
            Some((found, value)) if is_words(found, key) => Ok(value.trim()),
            _ => Err(self.unexpected(format!("`{key} = …`"), line)),
        }
    }

    pub(super) fn count(&mut self, key: &str) -> Result<usize, ReadSidError> {
        let text = self.value(key)?;
        text.parse().map_err(|_| self.unexpected(format!("a whole number for `{key}`"), text))
    }

    pub(super) fn number_of(&mut self, key: &str) -> Result<f64, ReadSidError> {
        let text = self.value(key)?;
        self.parse_number(text)
    }

    fn parse_number(&self, text: &str) -> Result<f64, ReadSidError> {
        let number = text.trim().replace(['D', 'd'], "e").parse::<f64>().ok().filter(|x| x.is_finite());
        number.ok_or_else(|| self.unexpected("a number such as 1.5D+00", text))
    }

    /// Reads a block after the line with its name.
    ///
    /// * `size` — rows and columns that it must have
    /// * `n` — number of modes
    pub(super) fn block(&mut self, name: &str, size: [usize; 2], n: usize) -> Result<Taylor, ReadSidError> {
        let order = self.count("order")?;
        let [rows, columns] = [self.count("nrow")?, self.count("ncol")?];
        if [rows, columns] != size {
            let expected = format!("{} rows and {} columns of `{name}` for {n} modes", size[0], size[1]);
            return Err(self.unexpected(expected, &format!("{rows} and {columns}")));
        }
        let n_modes = self.count("nq")?;
        if n_modes != n {
            return Err(self.unexpected(format!("`nq = {n}` as `nelastq`"), &n_modes.to_string()));
        }
        let second_order = self.count("nqn")?;
        if order > 1 || second_order > 0 {
            let block = name.to_owned();
            return Err(ReadSidError::SecondOrder { path: self.path(), line: self.number, block });
        }
        let structure = self.count("structure")?;
        if structure > 4 {
            return Err(self.unexpected("a structure from 0 to 4", &structure.to_string()));
        }
        let mut block = Taylor::zeros(rows, columns);
        if structure == 4 {
            block.constant = Mat::identity(rows, columns);
        }
        if order == 1 {
            block.linear = vec![Mat::zeros(rows, columns); n];
        }
        let end = format!("end {name}");
        loop {
            let line = self.next(&end)?;
            if is_words(line, &end) {
                break;
            }
            let entry = self.entry(line, name)?;
            let [i, j, k] = entry.at;
            if i >= rows || j >= columns || (entry.order == 1 && k >= n) || entry.order > order {
                let expected = format!(
                    "an entry of `{name}` of order {order} with {rows} × {columns} entries, {n} modes"
                );
                return Err(self.unexpected(expected, line));
            }
            match entry.order {
                0 => block.constant[(i, j)] = entry.value,
                _ => block.linear[k][(i, j)] = entry.value,
            }
        }
        if structure == 2 {
            self.complete(&mut block.constant, name)?;
            block.linear.iter_mut().try_for_each(|slope| self.complete(slope, name))?;
        }
        Ok(block)
    }

    fn entry(&self, line: &str, name: &str) -> Result<Entry, ReadSidError> {
        let wrong = || self.unexpected(format!("an entry `m0( i, j) = …` or `end {name}`"), line);
        let (left, value) = line.split_once('=').ok_or_else(wrong)?;
        let (kind, indices) = left.trim().trim_end_matches(')').split_once('(').ok_or_else(wrong)?;
        let mut found = [0; 3];
        let mut n_found = 0;
        for index in indices.split(',') {
            let index: usize = index.trim().parse().ok().filter(|&i| i > 0).ok_or_else(wrong)?;
            *found.get_mut(n_found).ok_or_else(wrong)? = index - 1;
            n_found += 1;
        }
        let value = self.parse_number(value)?;
        match (kind.trim(), n_found) {
            ("m0", 2) => Ok(Entry { order: 0, at: [found[0], found[1], 0], value }),
            // The middle index is the mode.
            ("m1", 3) => Ok(Entry { order: 1, at: [found[0], found[2], found[1]], value }),
            _ => Err(wrong()),
        }
    }

    /// Fills the other triangle of a symmetric matrix, of which a file may contain only one.
    fn complete(&self, matrix: &mut Mat<f64>, name: &str) -> Result<(), ReadSidError> {
        let scale = matrix.norm_max();
        for j in 0..matrix.ncols() {
            for i in j + 1..matrix.nrows() {
                let (lower, upper) = (matrix[(i, j)], matrix[(j, i)]);
                let value = if lower == 0.0 { upper } else { lower };
                if upper != 0.0 && (upper - value).abs() > 1e-9 * scale {
                    let expected = format!("a symmetric `{name}`, as its structure 2 says");
                    return Err(
                        self.unexpected(expected, &format!("{lower} and {upper} at {}, {}", i + 1, j + 1))
                    );
                }
                (matrix[(i, j)], matrix[(j, i)]) = (value, value);
            }
        }
        Ok(())
    }

    /// Skips an unused block.
    pub(super) fn skip(&mut self, name: &str) -> Result<(), ReadSidError> {
        let end = format!("end {name}");
        while !is_words(self.next(&end)?, &end) {}
        Ok(())
    }
}

/// True if a text consists of these words, ignoring case and the number of blanks.
pub(super) fn is_words(text: &str, words: &str) -> bool {
    let lower = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    lower(text) == lower(words)
}
