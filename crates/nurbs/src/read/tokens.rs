//! Words of a free-format text file with their lines.

use std::str::FromStr;

use super::{Place, ReadError};

/// The words of a text, `#` comments left out.
pub(super) struct Tokens<'a> {
    words: Vec<(&'a str, usize)>,
    next: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let words = text.lines().enumerate().flat_map(|(number, line)| {
            let content = line.split('#').next().unwrap_or_default();
            content.split_whitespace().map(move |word| (word, number + 1))
        });
        Self { words: words.collect(), next: 0 }
    }

    /// Line of the next word, or of the last one at the end.
    pub(super) fn place(&self) -> Place {
        let last = self.words.len().saturating_sub(1);
        Place::Line(self.words.get(self.next.min(last)).map_or(1, |word| word.1))
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.words.get(self.next).map(|word| word.0)
    }

    /// The next word; `expected` describes it.
    pub(super) fn word(&mut self, expected: &str) -> Result<&'a str, ReadError> {
        let Some(&(word, _)) = self.words.get(self.next) else {
            return Err(ReadError::End { place: self.place(), expected: expected.to_owned() });
        };
        self.next += 1;
        Ok(word)
    }

    /// The next word must be this one.
    pub(super) fn keyword(&mut self, keyword: &str) -> Result<(), ReadError> {
        let expected = format!("`{keyword}`");
        let found = self.word(&expected)?;
        if found == keyword {
            return Ok(());
        }
        Err(self.unexpected(&expected))
    }

    /// The next word as a number.
    pub(super) fn number<T: FromStr>(&mut self, expected: &str) -> Result<T, ReadError> {
        let word = self.word(expected)?;
        word.parse().map_err(|_| self.unexpected(expected))
    }

    /// The file must end here.
    pub(super) fn end(&mut self, behind: &str) -> Result<(), ReadError> {
        if self.peek().is_none() {
            return Ok(());
        }
        self.next += 1;
        Err(self.unexpected(&format!("the end of the file behind {behind}")))
    }

    /// The error for the last word, which is not the expected one.
    pub(super) fn unexpected(&self, expected: &str) -> ReadError {
        let (found, line) = self.words[self.next - 1];
        ReadError::Syntax { place: Place::Line(line), expected: expected.to_owned(), found: found.to_owned() }
    }
}
