//! Places where a mesher makes small cells.

use std::fmt;
use std::str::FromStr;

/// Small cells near a place.
///
/// As text: `X,Y,Z:R=H` (within R of a point) or `SET=H` (at a named set), lengths in metres.
#[derive(Debug, Clone, PartialEq)]
pub struct SizeNear {
    /// The place.
    pub around: Around,
    /// Size of the cells there \[m\].
    pub size: f64,
}

/// The place of [`SizeNear`].
#[derive(Debug, Clone, PartialEq)]
pub enum Around {
    /// A ball.
    Ball {
        /// Its centre \[m\].
        centre: [f64; 3],
        /// Its radius \[m\].
        radius: f64,
    },
    /// A named set of faces.
    Set(String),
}

/// Error from parsing a [`SizeNear`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "`{text}` names no place with a size of cells: give a point with a radius and a size, X,Y,Z:R=H, or a \
     set with a size, SET=H, all in metres and R and H above 0, such as 0,0,0.01:0.002=5e-4 or face3=5e-4"
)]
pub struct SizeNearError {
    /// The given text.
    pub text: String,
}

impl FromStr for SizeNear {
    type Err = SizeNearError;

    fn from_str(text: &str) -> Result<Self, SizeNearError> {
        parse(text).ok_or_else(|| SizeNearError { text: text.to_owned() })
    }
}

fn parse(text: &str) -> Option<SizeNear> {
    let length = |text: &str| text.trim().parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite());
    let (place, size) = text.rsplit_once('=')?;
    let size = length(size)?;
    if !place.contains(',') {
        let name = place.trim();
        return (!name.is_empty()).then(|| SizeNear { around: Around::Set(name.to_owned()), size });
    }
    let (centre, radius) = place.split_once(':')?;
    let centre: Vec<f64> = centre
        .split(',')
        .map(|part| part.trim().parse().ok().filter(|x: &f64| x.is_finite()))
        .collect::<Option<_>>()?;
    let centre = centre.try_into().ok()?;
    Some(SizeNear { around: Around::Ball { centre, radius: length(radius)? }, size })
}

impl fmt::Display for SizeNear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.around {
            Around::Ball { centre: [x, y, z], radius } => write!(f, "{x},{y},{z}:{radius}={}", self.size),
            Around::Set(name) => write!(f, "{name}={}", self.size),
        }
    }
}

impl SizeNear {
    /// The same with all lengths multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> Self {
        let around = match &self.around {
            Around::Ball { centre, radius } => {
                Around::Ball { centre: centre.map(|x| factor * x), radius: factor * radius }
            }
            Around::Set(name) => Around::Set(name.clone()),
        };
        Self { around, size: factor * self.size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_with_a_size_is_a_ball_or_a_set() {
        let ball = SizeNear { around: Around::Ball { centre: [0.0, -1e-3, 2.0], radius: 0.01 }, size: 5e-4 };
        assert_eq!("0,-1e-3, 2:0.01=5e-4".parse(), Ok(ball.clone()));
        assert_eq!(ball.to_string().parse(), Ok(ball.clone()));
        let set = SizeNear { around: Around::Set("patch2:west".to_owned()), size: 1e-3 };
        assert_eq!("patch2:west=1e-3".parse(), Ok(set.clone()));
        assert_eq!(set.to_string().parse(), Ok(set));
        let in_millimetres = ball.scaled(1e3);
        assert_eq!(in_millimetres.to_string(), "0,-1,2000:10=0.5");
    }

    #[test]
    fn the_error_of_a_wrong_place_shows_both_forms() {
        for wrong in
            ["", "face1", "=1", "face1=0", "face1=-1", "0,0:1=1", "0,0,0=1", "0,0,0:0=1", "0,0,0:1=x"]
        {
            let error = wrong.parse::<SizeNear>().unwrap_err().to_string();
            assert!(error.contains("X,Y,Z:R=H") && error.contains("SET=H"), "{wrong}: {error}");
        }
    }
}
