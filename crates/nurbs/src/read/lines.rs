//! A text file whose lines each hold one list of numbers.

use std::str::FromStr;

use super::{Place, ReadError};

/// The lines of a text that are neither blank nor `#` comments.
pub(super) struct Lines<'a> {
    lines: Vec<(&'a str, usize)>,
    next: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let lines = text.lines().enumerate().map(|(number, line)| (line.trim(), number + 1));
        Self {
            lines: lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#')).collect(),
            next: 0,
        }
    }

    /// Place of the next line, or of the last one at the end.
    pub(super) fn place(&self) -> Place {
        let last = self.lines.len().saturating_sub(1);
        Place::Line(self.lines.get(self.next.min(last)).map_or(1, |line| line.1))
    }

    pub(super) fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.next).map(|line| line.0)
    }

    /// The next line; `expected` describes it.
    pub(super) fn line(&mut self, expected: &str) -> Result<&'a str, ReadError> {
        let place = self.place();
        let line = self.peek().ok_or_else(|| ReadError::End { place, expected: expected.to_owned() })?;
        self.next += 1;
        Ok(line)
    }

    /// All numbers of the next line; `one` describes each.
    pub(super) fn numbers<T: FromStr>(&mut self, one: &str) -> Result<Vec<T>, ReadError> {
        let place = self.place();
        let number = |word: &str| {
            word.parse().map_err(|_| ReadError::Syntax {
                place: place.clone(),
                expected: one.to_owned(),
                found: word.to_owned(),
            })
        };
        self.line(one)?.split_whitespace().map(number).collect()
    }

    /// The numbers of the next line, which must have this many.
    pub(super) fn n_numbers<T: FromStr>(
        &mut self,
        n: usize,
        many: &str,
        one: &str,
    ) -> Result<Vec<T>, ReadError> {
        let place = self.place();
        let numbers: Vec<T> = self.numbers(one)?;
        if numbers.len() == n {
            return Ok(numbers);
        }
        Err(ReadError::Count { place, what: many.to_owned(), expected: n.to_string(), found: numbers.len() })
    }

    /// As [`Self::n_numbers`] with their number known to the compiler.
    pub(super) fn array<T: FromStr, const N: usize>(
        &mut self,
        many: &str,
        one: &str,
    ) -> Result<[T; N], ReadError> {
        let numbers = self.n_numbers(N, many, one)?;
        Ok(numbers.try_into().unwrap_or_else(|_| unreachable!("N numbers were counted")))
    }
}
