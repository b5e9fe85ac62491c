//! Places with small cells: around a point, or at a set.

use std::fmt;
use std::str::FromStr;

use carom_fem::{Body, Geometry};
use carom_nurbs::Multipatch;
use thiserror::Error;

/// A point, or the name of a set of faces.
///
/// As text: three numbers separated by commas, or a name. In a scenario: an array of three numbers, or a
/// name.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// Coordinates \[m\].
    Point([f64; 3]),
    /// Name of a set of faces.
    Set(String),
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        if !text.contains(',') {
            return Ok(Self::Set(text.trim().to_owned()));
        }
        parse_point(text).map(Self::Point)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Point([x, y, z]) => write!(f, "{x},{y},{z}"),
            Self::Set(name) => f.write_str(name),
        }
    }
}

/// Three numbers separated by commas.
pub(crate) fn parse_point(text: &str) -> Result<[f64; 3], PlaceError> {
    let numbers: Vec<f64> = text
        .split(',')
        .map(|part| part.trim().parse().ok().filter(|x: &f64| x.is_finite()))
        .collect::<Option<_>>()
        .ok_or_else(|| PlaceError::NoPoint { text: text.to_owned() })?;
    numbers.try_into().map_err(|_| PlaceError::NoPoint { text: text.to_owned() })
}

/// Errors of a place.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum PlaceError {
    /// The text is not a point.
    #[error("`{text}` is not a point: give three numbers in metres, such as 0,0,0.015, or the name of a set")]
    NoPoint {
        /// The given text.
        text: String,
    },
    /// The body has no such set.
    #[error("{0}")]
    UnknownSet(String),
    /// The set has no faces.
    #[error("the set `{name}` has no faces, so that cells cannot be graded towards it")]
    NoFaces {
        /// Name of the set.
        name: String,
    },
}

/// A ball around a place \[m\]: its centre, and the radius of the set; `None` for a point.
pub(crate) struct Spot {
    pub(crate) centre: [f64; 3],
    pub(crate) radius: Option<f64>,
}

impl Place {
    /// The middle and the extent of the place on a body.
    pub(crate) fn on(&self, body: &Body) -> Result<Spot, PlaceError> {
        match self {
            Self::Point(centre) => Ok(Spot { centre: *centre, radius: None }),
            Self::Set(name) => match &body.geometry {
                Geometry::Nurbs(patches) => spot_of_region(patches, name),
                Geometry::Mesh(mesh) => {
                    let nodes = mesh.nodes_of_set(name).map_err(|e| PlaceError::UnknownSet(e.to_string()))?;
                    let points: Vec<[f64; 3]> = nodes.iter().map(|&i| mesh.points[i as usize]).collect();
                    around(&points).ok_or_else(|| PlaceError::NoFaces { name: name.clone() })
                }
            },
        }
    }
}

/// The ball of a set: that of its definition if it is a region around a point, otherwise measured by the
/// points of its faces.
fn spot_of_region(patches: &Multipatch, name: &str) -> Result<Spot, PlaceError> {
    let region = patches.region(name).map_err(|e| PlaceError::UnknownSet(e.to_string()))?;
    if let Some((centre, radius)) = region.spot() {
        return Ok(Spot { centre, radius: Some(radius) });
    }
    let mut points = Vec::new();
    for face in patches.faces(&region) {
        points.extend(patches.face_places(face));
    }
    around(&points).ok_or_else(|| PlaceError::NoFaces { name: name.to_owned() })
}

/// Mean of the points and the largest distance from it.
fn around(points: &[[f64; 3]]) -> Option<Spot> {
    if points.is_empty() {
        return None;
    }
    let mut centre = [0.0; 3];
    for point in points {
        for a in 0..3 {
            centre[a] += point[a] / points.len() as f64;
        }
    }
    let distance = |p: &[f64; 3]| (0..3).map(|a| (p[a] - centre[a]).powi(2)).sum::<f64>().sqrt();
    let radius = points.iter().map(distance).fold(0.0, f64::max);
    Some(Spot { centre, radius: Some(radius) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_name_or_three_numbers() {
        assert_eq!("pole".parse(), Ok(Place::Set("pole".to_owned())));
        assert_eq!("0, 1e-3,2".parse(), Ok(Place::Point([0.0, 1e-3, 2.0])));
        for wrong in ["0,1", "0,1,2,3", "a,b,c", "0,inf,1", ",,"] {
            assert!(wrong.parse::<Place>().is_err(), "{wrong}");
        }
    }
}
