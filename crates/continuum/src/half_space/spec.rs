//! Where loads are laid on a body: over a set of faces, or around a point, and which faces may touch.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A region of a body's surface that may touch: `SET`, `X,Y,Z:R` in source coordinates, or `SET@X,Y,Z:R`,
/// with `*` for the set of all outer faces.
#[derive(Debug, Clone, PartialEq)]
pub enum PlaceSpec {
    /// The faces of a set.
    Set(String),
    /// Loads within a distance of a point.
    Ball {
        /// The faces that may touch.
        touching: Touching,
        /// The point \[m\].
        center: [f64; 3],
        /// The distance \[m\].
        radius: f64,
        /// The text that was read, the name of the region.
        text: String,
    },
}

/// The faces that may touch, of a region around a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touching {
    /// Those within the distance of the point.
    Near,
    /// Those of a set. A contact beyond the loads is an error of the run.
    Set(String),
    /// The whole surface of the body. A contact beyond the loads is an error of the run.
    Whole,
}

/// The text is not a region.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{text}` is not a region for places: give the name of a set of faces, a point and a radius in m, \
     `X,Y,Z:R`, or both, `SET@X,Y,Z:R` (`*@X,Y,Z:R` for the whole surface)"
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
        let (touching, point) = match point.split_once('@') {
            None => (Touching::Near, point),
            Some(("*", point)) => (Touching::Whole, point),
            Some(("", _)) => return Err(refused()),
            Some((set, point)) => (Touching::Set(set.to_owned()), point),
        };
        let number = |word: &str| word.trim().parse::<f64>().ok().filter(|x| x.is_finite());
        let point: Option<Vec<f64>> = point.split(',').map(number).collect();
        let center = point.and_then(|point| <[f64; 3]>::try_from(point).ok()).ok_or_else(refused)?;
        let radius = number(radius).filter(|radius| *radius > 0.0).ok_or_else(refused)?;
        Ok(Self::Ball { touching, center, radius, text: trimmed.to_owned() })
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
        let ball = |touching, text: &str| PlaceSpec::Ball {
            touching,
            center: [0.0, -1e-3, 0.015],
            radius: 2e-3,
            text: text.to_owned(),
        };
        assert_eq!(found, ball(Touching::Near, &text));
        for (of, touching) in [("*", Touching::Whole), ("top", Touching::Set("top".to_owned()))] {
            let text = format!("{of}@{text}");
            assert_eq!(text.parse(), Ok(ball(touching, &text)));
        }
        for text in ["", "1,2,3", "1,2:3", "1,2,x:3", "1,2,3:0", "a:b", "@1,2,3:4", "top@1:2", "top@1,2,3"] {
            let error = text.parse::<PlaceSpec>().unwrap_err().to_string();
            assert!(error.contains("`X,Y,Z:R`"), "{error}");
        }
    }
}
