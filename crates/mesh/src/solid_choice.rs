//! The choice of one solid of a CAD file.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// One solid of a CAD file.
///
/// As text: a whole number, counted from one in the order of the file, or the name of the solid in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SolidChoice {
    /// The number of the solid, from one.
    Number(usize),
    /// Its name in the file.
    Name(String),
}

impl FromStr for SolidChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let text = text.trim();
        Ok(text.parse().map_or_else(|_| Self::Name(text.to_owned()), Self::Number))
    }
}

impl fmt::Display for SolidChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_a_number_and_everything_else_a_name() {
        for (text, choice) in [
            ("2", SolidChoice::Number(2)),
            ("bolt", SolidChoice::Name("bolt".to_owned())),
            ("2 x bolt", SolidChoice::Name("2 x bolt".to_owned())),
        ] {
            assert_eq!(text.parse(), Ok(choice.clone()));
            assert_eq!(choice.to_string(), text);
        }
    }
}
