//! IRIT text files (.itd): trivariates among nested `[…]` lists.
//!
//! ```text
//! [OBJECT NAME [TRIVAR BSPLINE n0 n1 n2 order0 order1 order2 P3 [KV …] [KV …] [KV …] [w wx wy wz] …]]
//! [OBJECT NAME [TRIVAR BEZIER n0 n1 n2 E3 [x y z] …]]
//! ```

use std::str::FromStr;

use super::contents::Contents;
use super::solid::{Solid, bases, no_solid};
use super::{Place, ReadError};
use crate::{KnotVector, Patch};

/// Lists that hold a shape, but no trivariate.
const OTHER_SHAPES: [&str; 10] = [
    "CURVE",
    "SURFACE",
    "MULTIVAR",
    "TRISRF",
    "POLYGON",
    "POLYLINE",
    "POINTLIST",
    "TRIMSRF",
    "MODEL",
    "V_MODEL",
];

/// True if the first list of a text is one of IRIT.
pub(super) fn is_irit(text: &str) -> bool {
    let Some((_, list)) = text.split_once('[') else { return false };
    let word = list.split(|c: char| c.is_whitespace() || c == '[' || c == ']').find(|word| !word.is_empty());
    word.is_some_and(|word| word == "OBJECT" || word == "TRIVAR" || OTHER_SHAPES.contains(&word))
}

/// Reads the text of an IRIT file: all its trivariates. Attributes and numbers are skipped.
///
/// # Errors
///
/// [`ReadError`] with the line; curves, surfaces, polygons and trimmed volumes are refused by their name.
pub(super) fn parse(text: &str) -> Result<Contents, ReadError> {
    let mut tokens = Tokens::new(text);
    let mut patches = Vec::new();
    let mut depth = 0_usize;
    while let Some((token, line)) = tokens.next() {
        match token {
            Token::Open => match tokens.peek_word() {
                Some("TRIVAR") => {
                    tokens.next();
                    patches.push(trivariate(&mut tokens, patches.len(), line)?);
                }
                Some("OBJECT") => depth += 1,
                Some(shape) if OTHER_SHAPES.contains(&shape) => {
                    return Err(no_solid(Place::Line(line), format!("`{shape}`")));
                }
                _ => tokens.skip_list()?,
            },
            Token::Close if depth == 0 => return Err(tokens.unexpected("`[`", "]", line)),
            Token::Close => depth -= 1,
            // Text between lists is a comment, and within an object its name.
            Token::Word(_) => {}
        }
    }
    if depth > 0 {
        return Err(tokens.end("`]`"));
    }
    if patches.is_empty() {
        return Err(no_solid(Place::Line(1), "an IRIT file without `TRIVAR`".to_owned()));
    }
    Ok(Contents::of(patches))
}

/// The text after `[TRIVAR`, its closing bracket included.
fn trivariate(tokens: &mut Tokens, number: usize, line: usize) -> Result<Patch, ReadError> {
    let bezier = match tokens.word("`BSPLINE` or `BEZIER`")? {
        ("BSPLINE", _) => false,
        ("BEZIER", _) => true,
        (other, line) => return Err(tokens.unexpected("`BSPLINE` or `BEZIER`", other, line)),
    };
    let mut three =
        |what: &str| Ok::<_, ReadError>([tokens.number(what)?, tokens.number(what)?, tokens.number(what)?]);
    let counts: [usize; 3] = three("a number of control points")?;
    let orders = if bezier { counts } else { three("an order (degree + 1)")? };
    let (kind, kind_line) = tokens.word("`P3` or `E3`")?;
    let rational = match kind {
        "P3" => true,
        "E3" => false,
        other => {
            let what = format!("a trivariate with points of the type `{other}`");
            let way_out = "bodies have three coordinates: `E3`, or `P3` with a weight".to_owned();
            return Err(ReadError::Refused { place: Place::Line(kind_line), what, way_out });
        }
    };
    let mut knots = Vec::new();
    for (n, order) in counts.into_iter().zip(orders) {
        let (degree, place) = (order.saturating_sub(1), tokens.place());
        let list = if bezier { bernstein_knots(degree) } else { knot_list(tokens, n.saturating_add(order))? };
        knots.push((degree, list, place));
    }
    let knots = knots.try_into().unwrap_or_else(|_| unreachable!("three directions were read"));
    let mut solid = Solid::new(Place::Line(line), number, bases(knots)?);
    for _ in 0..solid.n_points().unwrap_or(usize::MAX) {
        tokens.open("a control point")?;
        let weight = if rational { tokens.number("a weight")? } else { 1.0 };
        let mut coordinate = || tokens.number("a coordinate");
        let point = [coordinate()?, coordinate()?, coordinate()?];
        tokens.close("a control point")?;
        if rational { solid.push_homogeneous(point, weight) } else { solid.push_cartesian(point, weight) }
    }
    tokens.close("the trivariate")?;
    solid.patch()
}

/// Knots of one span; none for a degree that is refused anyway.
fn bernstein_knots(degree: usize) -> Vec<f64> {
    KnotVector::bernstein(degree).map(|basis| basis.knots().to_vec()).unwrap_or_default()
}

/// `[KV …]`; a periodic `[KVP …]` is refused.
fn knot_list(tokens: &mut Tokens, n_knots: usize) -> Result<Vec<f64>, ReadError> {
    tokens.open("`[KV`")?;
    match tokens.word("`KV`")? {
        ("KV", _) => {}
        ("KVP", line) => {
            let way_out = "make the trivariate open in IRIT (TOPEN…): bodies have clamped ends".to_owned();
            let what = "a periodic knot vector `KVP`".to_owned();
            return Err(ReadError::Refused { place: Place::Line(line), what, way_out });
        }
        (other, line) => return Err(tokens.unexpected("`KV`", other, line)),
    }
    let mut knots = Vec::new();
    for _ in 0..n_knots {
        knots.push(tokens.number("a knot")?);
    }
    tokens.close("the knot vector")?;
    Ok(knots)
}

#[derive(Clone, Copy, PartialEq)]
enum Token<'a> {
    Open,
    Close,
    Word(&'a str),
}

/// Brackets and words with their lines; a text in double quotes is one word.
struct Tokens<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Tokens<'a> {
    fn new(text: &'a str) -> Self {
        Self { rest: text, line: 1 }
    }

    fn next(&mut self) -> Option<(Token<'a>, usize)> {
        let start = self.rest.find(|c: char| !c.is_whitespace());
        self.advance(start.unwrap_or(self.rest.len()));
        let line = self.line;
        let token = match self.rest.chars().next()? {
            '[' => (Token::Open, 1),
            ']' => (Token::Close, 1),
            '"' => {
                let length = self.rest[1..].find('"').map_or(self.rest.len(), |end| end + 2);
                (Token::Word(&self.rest[..length]), length)
            }
            _ => {
                let is_end = |c: char| c.is_whitespace() || c == '[' || c == ']';
                let length = self.rest.find(is_end).unwrap_or(self.rest.len());
                (Token::Word(&self.rest[..length]), length)
            }
        };
        self.advance(token.1);
        Some((token.0, line))
    }

    fn advance(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length);
        self.line += taken.bytes().filter(|&byte| byte == b'\n').count();
        self.rest = rest;
    }

    fn place(&self) -> Place {
        Place::Line(self.line)
    }

    fn peek_word(&mut self) -> Option<&'a str> {
        let (rest, line) = (self.rest, self.line);
        let token = self.next();
        (self.rest, self.line) = (rest, line);
        match token {
            Some((Token::Word(word), _)) => Some(word),
            _ => None,
        }
    }

    /// Leaves out a list whose bracket was opened, with all lists in it.
    fn skip_list(&mut self) -> Result<(), ReadError> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next() {
                Some((Token::Open, _)) => depth += 1,
                Some((Token::Close, _)) => depth -= 1,
                Some((Token::Word(_), _)) => {}
                None => return Err(self.end("`]`")),
            }
        }
        Ok(())
    }

    fn word(&mut self, expected: &str) -> Result<(&'a str, usize), ReadError> {
        match self.next() {
            Some((Token::Word(word), line)) => Ok((word, line)),
            Some((Token::Open, line)) => Err(self.unexpected(expected, "[", line)),
            Some((Token::Close, line)) => Err(self.unexpected(expected, "]", line)),
            None => Err(self.end(expected)),
        }
    }

    fn number<T: FromStr>(&mut self, expected: &str) -> Result<T, ReadError> {
        let (word, line) = self.word(expected)?;
        word.parse().map_err(|_| self.unexpected(expected, word, line))
    }

    fn open(&mut self, of: &str) -> Result<(), ReadError> {
        self.bracket(Token::Open, &format!("`[` of {of}"))
    }

    fn close(&mut self, of: &str) -> Result<(), ReadError> {
        self.bracket(Token::Close, &format!("`]` at the end of {of}"))
    }

    fn bracket(&mut self, bracket: Token, expected: &str) -> Result<(), ReadError> {
        match self.next() {
            Some((token, _)) if token == bracket => Ok(()),
            Some((Token::Word(word), line)) => Err(self.unexpected(expected, word, line)),
            Some((Token::Open, line)) => Err(self.unexpected(expected, "[", line)),
            Some((Token::Close, line)) => Err(self.unexpected(expected, "]", line)),
            None => Err(self.end(expected)),
        }
    }

    fn unexpected(&self, expected: &str, found: &str, line: usize) -> ReadError {
        let (expected, found) = (expected.to_owned(), found.to_owned());
        ReadError::Syntax { place: Place::Line(line), expected, found }
    }

    fn end(&self, expected: &str) -> ReadError {
        ReadError::End { place: self.place(), expected: expected.to_owned() }
    }
}
