//! Parsing of formulas: from text to operations.
//!
//! ```text
//! sum     = product { (+|-) product }          power  = atom [ ^ sign ]
//! product = sign { (*|/) sign }                atom   = number | t | pi | name ( sum [, sum] ) | ( sum )
//! sign    = (-|+) sign | power
//! ```

use super::operation::{Function, Operation, STACK};

/// Largest depth of nested parentheses, signs and exponents.
const DEPTH: usize = 100;

/// The functions by their names.
const TABLE: [(&str, Function); 15] = [
    ("sin", Function::Sin),
    ("cos", Function::Cos),
    ("tan", Function::Tan),
    ("atan", Function::Atan),
    ("sinh", Function::Sinh),
    ("cosh", Function::Cosh),
    ("tanh", Function::Tanh),
    ("exp", Function::Exp),
    ("log", Function::Log),
    ("sqrt", Function::Sqrt),
    ("abs", Function::Abs),
    ("step", Function::Step),
    ("smoothstep", Function::Smoothstep),
    ("min", Function::Min),
    ("max", Function::Max),
];

/// Errors from parsing a formula. Columns count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormulaError {
    /// Unexpected content.
    #[error("column {column}: expected {expected}, found {found}")]
    Expected {
        /// The column.
        column: usize,
        /// The expected content.
        expected: &'static str,
        /// The content that was found.
        found: String,
    },
    /// An unknown name.
    #[error("column {column}: `{name}` is not known; valid names are `t`, `pi` and the functions {known}")]
    UnknownName {
        /// The column.
        column: usize,
        /// The name.
        name: String,
        /// The functions.
        known: String,
    },
    /// Too many or too few arguments.
    #[error("column {column}: `{name}` takes {expected} argument{}, not \
        {found}", if *expected == 1 { "" } else { "s" })]
    Arguments {
        /// The column.
        column: usize,
        /// The function.
        name: &'static str,
        /// Its number of arguments.
        expected: usize,
        /// The given number of arguments.
        found: usize,
    },
    /// The nesting is too deep.
    #[error("column {column}: too many parts are nested; write a shorter formula, or a table")]
    TooDeep {
        /// The column.
        column: usize,
    },
}

pub(super) fn parse(text: &str) -> Result<Vec<Operation>, FormulaError> {
    let mut parser = Parser { text, at: 0, operations: Vec::new(), height: 0, depth: 0 };
    parser.sum()?;
    parser.skip_blanks();
    if parser.at < text.len() {
        return Err(parser.expected("an operator or the end"));
    }
    Ok(parser.operations)
}

struct Parser<'a> {
    text: &'a str,
    /// The next byte.
    at: usize,
    operations: Vec<Operation>,
    /// Number of values on the stack.
    height: usize,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<(), FormulaError> {
        self.deeper()?;
        self.product()?;
        loop {
            let operation = match self.next() {
                Some('+') => Operation::Add,
                Some('-') => Operation::Subtract,
                _ => break,
            };
            self.at += 1;
            self.product()?;
            self.push(operation)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn product(&mut self) -> Result<(), FormulaError> {
        self.sign()?;
        loop {
            let operation = match self.next() {
                Some('*') => Operation::Multiply,
                Some('/') => Operation::Divide,
                _ => return Ok(()),
            };
            self.at += 1;
            self.sign()?;
            self.push(operation)?;
        }
    }

    fn sign(&mut self) -> Result<(), FormulaError> {
        self.deeper()?;
        match self.next() {
            Some('-') => {
                self.at += 1;
                self.sign()?;
                self.push(Operation::Negate)?;
            }
            Some('+') => {
                self.at += 1;
                self.sign()?;
            }
            _ => self.power()?,
        }
        self.depth -= 1;
        Ok(())
    }

    fn power(&mut self) -> Result<(), FormulaError> {
        self.atom()?;
        if self.next() == Some('^') {
            self.at += 1;
            self.sign()?;
            self.push(Operation::Power)?;
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), FormulaError> {
        match self.next() {
            Some('(') => {
                self.at += 1;
                self.sum()?;
                self.take(')', "`)`")
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_alphabetic() => self.name(),
            _ => Err(self.expected("a number, `t`, a function or `(`")),
        }
    }

    fn number(&mut self) -> Result<(), FormulaError> {
        let rest = &self.text[self.at..];
        let digits = |from: usize| {
            rest[from..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |length| from + length)
        };
        let mut end = digits(0);
        if rest[end..].starts_with('.') {
            end = digits(end + 1);
        }
        if rest[end..].starts_with(['e', 'E']) {
            let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
            let last = digits(end + 1 + sign);
            if last > end + 1 + sign {
                end = last;
            }
        }
        let value: f64 = rest[..end].parse().map_err(|_| self.expected("a number"))?;
        self.at += end;
        self.push(Operation::Number(value))
    }

    fn name(&mut self) -> Result<(), FormulaError> {
        let (start, rest) = (self.at, &self.text[self.at..]);
        let name = &rest[..rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())];
        self.at += name.len();
        match name {
            "t" => return self.push(Operation::Time),
            "pi" => return self.push(Operation::Number(std::f64::consts::PI)),
            _ => {}
        }
        let column = self.column(start);
        let Some(&(name, function)) = TABLE.iter().find(|(known, _)| *known == name) else {
            let known = TABLE.map(|(name, _)| format!("`{name}`")).join(", ");
            return Err(FormulaError::UnknownName { column, name: name.to_owned(), known });
        };
        self.take('(', "`(`")?;
        let mut found = 1;
        self.sum()?;
        while self.next() == Some(',') {
            self.at += 1;
            self.sum()?;
            found += 1;
        }
        self.take(')', "`)`")?;
        let expected = function.arguments();
        if found != expected {
            return Err(FormulaError::Arguments { column, name, expected, found });
        }
        self.push(Operation::Of(function))
    }

    fn push(&mut self, operation: Operation) -> Result<(), FormulaError> {
        self.operations.push(operation);
        self.height = self.height.saturating_add_signed(operation.grows());
        if self.height > STACK { Err(self.too_deep()) } else { Ok(()) }
    }

    fn deeper(&mut self) -> Result<(), FormulaError> {
        self.depth += 1;
        if self.depth > DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    fn too_deep(&self) -> FormulaError {
        FormulaError::TooDeep { column: self.column(self.at) }
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The next character that is not blank.
    fn next(&mut self) -> Option<char> {
        self.skip_blanks();
        self.text[self.at..].chars().next()
    }

    fn take(&mut self, wanted: char, name: &'static str) -> Result<(), FormulaError> {
        if self.next() != Some(wanted) {
            return Err(self.expected(name));
        }
        self.at += wanted.len_utf8();
        Ok(())
    }

    fn column(&self, at: usize) -> usize {
        self.text[..at].chars().count() + 1
    }

    fn expected(&self, expected: &'static str) -> FormulaError {
        let found =
            self.text[self.at..].chars().next().map_or("the end".to_owned(), |found| format!("`{found}`"));
        FormulaError::Expected { column: self.column(self.at), expected, found }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn errors_name_their_column() {
        assert_eq!(error("2 * (t + 1"), "column 11: expected `)`, found the end");
        assert_eq!(error("2 t"), "column 3: expected an operator or the end, found `t`");
        assert_eq!(error(""), "column 1: expected a number, `t`, a function or `(`, found the end");
        assert!(error("3*sinn(t)").starts_with("column 3: `sinn` is not known"));
        assert_eq!(error("1 + max(t)"), "column 5: `max` takes 2 arguments, not 1");
        assert_eq!(error("sin(t, 2)"), "column 1: `sin` takes 1 argument, not 2");
        assert_eq!(error("sin t"), "column 5: expected `(`, found `t`");
        assert_eq!(
            error("t + ω²"),
            "column 5: `ω²` is not known; valid names are `t`, `pi` and the functions `sin`, `cos`, `tan`, \
             `atan`, \
             `sinh`, `cosh`, `tanh`, `exp`, `log`, `sqrt`, `abs`, `step`, `smoothstep`, `min`, `max`"
        );
        assert!(error(".").contains("column 1: expected a number"));
        assert!(error("1e").contains("column 2"));
    }

    #[test]
    fn endless_nesting_is_refused() {
        assert!(error(&"(".repeat(100_000)).contains("too many parts"));
        assert!(error(&"-".repeat(100_000)).contains("too many parts"));
        let right = "1+(".repeat(40) + "t" + &")".repeat(40);
        assert!(error(&right).contains("too many parts"));
        assert!(error(&"2^".repeat(90)).contains("too many parts"));
    }
}
