//! Reading of numbers and section marks from the bytes of a file, ASCII or binary; errors have their place.

use std::fmt;

use super::error::ParseMshError;

/// Place in a file: a line of text, or a byte of a binary file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Line, from 1.
    Line(usize),
    /// Byte, from 0.
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

/// Encoding of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    /// As text.
    Ascii,
    /// As bytes, least significant first.
    LittleEndian,
    /// As bytes, most significant first.
    BigEndian,
}

/// A position in the bytes of a file.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How the numbers of the data sections are written.
    pub(super) encoding: Encoding,
}

macro_rules! read_number {
    ($name:ident, $type:ty, $wanted:literal, $text:ident, $doc:literal) => {
        #[doc = $doc]
        #[inline]
        pub(super) fn $name(&mut self) -> Result<$type, ParseMshError> {
            if self.encoding == Encoding::Ascii {
                return self.$text($wanted);
            }
            let Some(bytes) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk()) else {
                return Err(self.truncated($wanted));
            };
            self.at += size_of::<$type>();
            Ok(if self.encoding == Encoding::LittleEndian {
                <$type>::from_le_bytes(*bytes)
            } else {
                <$type>::from_be_bytes(*bytes)
            })
        }
    };
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of a file; numbers are text by default.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, encoding: Encoding::Ascii }
    }

    read_number!(int, i32, "an integer", text, "The next `int`: 4 bytes, or a token.");
    read_number!(size, u64, "a count or number", text, "The next `size_t`: 8 bytes, or a token.");
    read_number!(double, f64, "a number", text, "The next `double`: 8 bytes, or a token.");

    /// The next blank-separated token as a number, whatever the encoding of the file.
    pub(super) fn text<T: std::str::FromStr>(&mut self, wanted: &'static str) -> Result<T, ParseMshError> {
        self.skip_blanks();
        let start = self.at;
        let token = self.token();
        if token.is_empty() {
            return Err(self.truncated(wanted));
        }
        let parsed = std::str::from_utf8(token).ok().and_then(|token| token.parse().ok());
        parsed.ok_or_else(|| ParseMshError::Number {
            place: self.place_of(start),
            wanted,
            found: printable(token),
        })
    }

    /// Whether the next item is in quotation marks.
    pub(super) fn is_at_quote(&mut self) -> bool {
        self.skip_blanks();
        self.bytes.get(self.at) == Some(&b'"')
    }

    /// The next line without its end and surrounding blanks; an empty one at the end of the file.
    pub(super) fn line(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.bytes.len());
        rest[..length].trim_ascii()
    }

    /// The rest of the line, which is a text in quotation marks, without them.
    pub(super) fn quoted(&mut self, wanted: &'static str) -> Result<&'a [u8], ParseMshError> {
        let start = self.at;
        let line = self.line();
        let inside = line.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\""));
        inside.ok_or_else(|| ParseMshError::Number {
            place: self.place_of(start),
            wanted,
            found: printable(line),
        })
    }

    /// The name of the section that starts next, or `None` at the end of the file.
    pub(super) fn section(&mut self) -> Result<Option<String>, ParseMshError> {
        self.skip_blanks();
        if self.at == self.bytes.len() {
            return Ok(None);
        }
        let start = self.at;
        let line = self.line();
        match line.strip_prefix(b"$") {
            Some(name) if !name.is_empty() => Ok(Some(printable(name))),
            _ => Err(ParseMshError::NoSection { place: self.place_of(start), found: printable(line) }),
        }
    }

    /// Reads the end mark of section `name`; an error if it is not there.
    pub(super) fn end_section(&mut self, name: &'static str) -> Result<(), ParseMshError> {
        self.skip_blanks();
        let start = self.at;
        let found = self.token();
        if is_end_mark(found) && &found[4..] == name.as_bytes() {
            self.line();
            return Ok(());
        }
        Err(ParseMshError::EndMark { place: self.place_of(start), name, found: printable(found) })
    }

    /// Moves past the end mark of a section that is not needed.
    pub(super) fn skip_section(&mut self, name: &str) -> Result<(), ParseMshError> {
        let start = self.at;
        let mut from = self.at;
        while let Some(dollar) = self.bytes[from..].iter().position(|&b| b == b'$') {
            let at = from + dollar;
            if is_end_mark(&self.bytes[at..]) && self.bytes[at + 4..].starts_with(name.as_bytes()) {
                self.at = at;
                self.line();
                return Ok(());
            }
            from = at + 1;
        }
        Err(ParseMshError::UnendedSection { place: self.place_of(start), name: name.to_owned() })
    }

    /// Checks that `count` items of at least `bytes_each` bytes can still follow, so that no memory is
    /// reserved for a wrong count.
    pub(super) fn expect_room(
        &self,
        count: u64,
        bytes_each: usize,
        what: &'static str,
    ) -> Result<usize, ParseMshError> {
        let left = self.bytes.len() - self.at;
        match usize::try_from(count) {
            Ok(n)
                if n.checked_mul(bytes_each).is_some_and(|needed| needed <= left)
                    && n < u32::MAX as usize =>
            {
                Ok(n)
            }
            _ => Err(ParseMshError::Count { place: self.place(), what, count, left }),
        }
    }

    /// Skips `count` items of `bytes_each` bytes (binary) or as many tokens (text).
    pub(super) fn skip_numbers(
        &mut self,
        count: u64,
        bytes_each: usize,
        what: &'static str,
    ) -> Result<(), ParseMshError> {
        if self.encoding == Encoding::Ascii {
            let n = self.expect_room(count, 1, what)?;
            for _ in 0..n {
                self.skip_blanks();
                if self.token().is_empty() {
                    return Err(self.truncated(what));
                }
            }
        } else {
            self.at += self.expect_room(count, bytes_each, what)? * bytes_each;
        }
        Ok(())
    }

    /// The present place. Lines are counted from the start of the file, which is slow: for errors only.
    pub(super) fn place(&self) -> Place {
        self.place_of(self.at)
    }

    fn place_of(&self, at: usize) -> Place {
        if self.encoding == Encoding::Ascii {
            Place::Line(1 + self.bytes[..at].iter().filter(|&&b| b == b'\n').count())
        } else {
            Place::Byte(at)
        }
    }

    fn truncated(&self, wanted: &'static str) -> ParseMshError {
        ParseMshError::Truncated { place: self.place_of(self.bytes.len()), wanted }
    }

    fn skip_blanks(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }

    fn token(&mut self) -> &'a [u8] {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|b| !b.is_ascii_whitespace()) {
            self.at += 1;
        }
        &self.bytes[start..self.at]
    }
}

/// Whether a text begins with `$End`, or with `$END` as in MSH 1.
fn is_end_mark(text: &[u8]) -> bool {
    text.starts_with(b"$End") || text.starts_with(b"$END")
}

/// A short, printable form of bytes of a file.
pub(super) fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut short: String =
        text.chars().take(40).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}
