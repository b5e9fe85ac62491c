//! Where loads are laid on a body: over a set of faces, or around a point.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A region of a body's surface that may touch: `SET`, or `X,Y,Z:R` in source coordinates.
#[derive(Debug, Clone, PartialEq)]
pub enum PlaceSpec {
    /// The faces of a set.
    Set(String),
    /// The faces within a distance of a point.
    Ball {
        /// The point \[m\].
        center: [f64; 3],
        /// The distance \[m\].
        radius: f64,
        /// The text that was read, the name of the region.
        text: String,
    },
}

/// The text is not a region.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` is not a region for places: give the name of a set of faces, or a point and a \
     radius in m, `X,Y,Z:R`"
)]
pub struct PlaceTextError {
    /// The text.
    pub text: String,
}

impl PlaceSpec {
    /// The name by which a contact refers to the region.
    pub fn name(&self) -> &str {
        match self {
            Self::Set(name) => name,
            Self::Ball { text, .. } => text,
        }
    }
}

impl FromStr for PlaceSpec {
    type Err = PlaceTextError;

    fn from_str(text: &str) -> Result<Self, PlaceTextError> {
        let refused = || PlaceTextError { text: text.to_owned() };
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(refused());
        }
        let Some((point, radius)) = trimmed.split_once(':') else {
            return if trimmed.contains(',') { Err(refused()) } else { Ok(Self::Set(trimmed.to_owned())) };
        };
        let number = |word: &str| word.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let point: Option<Vec<f64>> = point.split(',').map(number).collect();
        let center = point.and_then(|point| <[f64; 3]>::try_from(point).ok()).ok_or_else(refused)?;
        let radius = number(radius).filter(|radius| *radius > 0.0).ok_or_else(refused)?;
        Ok(Self::Ball { center, radius, text: trimmed.to_owned() })
    }
}

impl fmt::Display for PlaceSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_points_are_told_apart() {
        assert_eq!("pole".parse(), Ok(PlaceSpec::Set("pole".to_owned())));
        let found: PlaceSpec = " 0, -1e-3,0.015:2e-3".parse().unwrap();
        let text = "0, -1e-3,0.015:2e-3".to_owned();
        assert_eq!(found, PlaceSpec::Ball { center: [0.0, -1e-3, 0.015], radius: 2e-3, text });
        for text in ["", "1,2,3", "1,2:3", "1,2,x:3", "1,2,3:0", "a:b"] {
            let error = text.parse::<PlaceSpec>().unwrap_err().to_string();
            assert!(error.contains("`X,Y,Z:R`"), "{error}");
        }
    }
}
