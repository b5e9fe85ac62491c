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
    /// The faces within the distance of the point.
    Near,
    /// The faces of a set. A contact beyond the loads is an error of the run.
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
    /// A region around a point.
    ///
    /// * `digits` — of its numbers in the text, behind the point
    pub fn around(touching: Touching, center: [f64; 3], radius: f64, digits: usize) -> Self {
        let number = |x: f64| {
            let text = format!("{x:.digits$}");
            let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
            if text == "-0" { "0".to_owned() } else { text.to_owned() }
        };
        let of = match &touching {
            Touching::Near => String::new(),
            Touching::Set(set) => format!("{set}@"),
            Touching::Whole => "*@".to_owned(),
        };
        let [x, y, z] = center.map(number);
        let text = format!("{of}{x},{y},{z}:{}", number(radius));
        Self::Ball { touching, center, radius, text }
    }

    /// The set that may touch; none of the whole surface, and of faces near a point.
    pub fn set(&self) -> Option<&str> {
        match self {
            Self::Set(set) | Self::Ball { touching: Touching::Set(set), .. } => Some(set),
            Self::Ball { .. } => None,
        }
    }

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
        let set = || Ok(Self::Set(trimmed.to_owned()));
        let Some((point, radius)) = trimmed.rsplit_once(':') else {
            return if trimmed.contains([',', '@']) { Err(refused()) } else { set() };
        };
        // Sides of NURBS patches have a colon in their names.
        if !trimmed.contains([',', '@']) {
            return if radius.trim().parse::<f64>().is_ok() { Err(refused()) } else { set() };
        }
        let (touching, point) = match point.rsplit_once('@') {
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
        for set in ["pole", "patch0:top"] {
            assert_eq!(set.parse(), Ok(PlaceSpec::Set(set.to_owned())));
        }
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
        for text in ["", "1,2,3", "1,2:3", "1,2,x:3", "1,2,3:0", "a:3", "@1,2,3:4", "top@1:2", "top@1,2,3"] {
            let error = text.parse::<PlaceSpec>().unwrap_err().to_string();
            assert!(error.contains("`X,Y,Z:R`"), "{error}");
        }
    }
}
