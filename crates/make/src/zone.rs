//! Zones: named parts of sets around a point, for instance where contact is expected.

use std::str::FromStr;

use carom_fem::{Body, Geometry, SetError};
use carom_mesh::{FaceRef, Set};
use carom_nurbs::Region;
use thiserror::Error;

use crate::place::parse_point;

/// The part of a set of faces around a point, as a new set.
///
/// As text: `NAME=SET@X,Y,Z:RADIUS`.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone {
    /// Name of the new set.
    pub name: String,
    /// The set of which it is a part.
    pub of: String,
    /// Its middle \[m\].
    pub centre: [f64; 3],
    /// Its radius \[m\].
    pub radius: f64,
}

/// Errors of a zone.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ZoneError {
    /// The text is invalid.
    #[error(
        "`{text}` is not a zone: write NAME=SET@X,Y,Z:RADIUS, NAME without commas, such as \
         hit=top@0.02,0,0.01:0.001"
    )]
    Text {
        /// The given text.
        text: String,
    },
    /// The radius is invalid.
    #[error("the radius of the zone `{name}` is {radius}: it must be a positive length in metres")]
    Radius {
        /// Name of the zone.
        name: String,
        /// Its radius.
        radius: f64,
    },
    /// The body has a set of that name.
    #[error("the body has a set `{name}` already: give the zone another name")]
    Taken {
        /// Name of the zone.
        name: String,
    },
    /// The body has no such set, or no face of it is near.
    #[error("zone `{name}`: {reason}")]
    Set {
        /// Name of the zone.
        name: String,
        /// The error.
        reason: String,
    },
}

impl FromStr for Zone {
    type Err = ZoneError;

    fn from_str(text: &str) -> Result<Self, ZoneError> {
        let wrong = || ZoneError::Text { text: text.to_owned() };
        let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
        let (of, place) = rest.split_once('@').ok_or_else(wrong)?;
        let (centre, radius) = place.rsplit_once(':').ok_or_else(wrong)?;
        let centre = parse_point(centre).map_err(|_| wrong())?;
        let radius = radius.trim().parse().map_err(|_| wrong())?;
        // A name with commas could be read as a point, and a name of blanks as empty.
        if name.trim() != name || name.is_empty() || name.contains(',') || of.is_empty() {
            return Err(wrong());
        }
        Ok(Self { name: name.to_owned(), of: of.to_owned(), centre, radius })
    }
}

impl Zone {
    /// The surface of a set of cells: a mesh often has only a volume group.
    fn surface_of_cells(&self, body: &Body) -> Result<Option<Vec<FaceRef>>, SetError> {
        match &body.geometry {
            Geometry::Mesh(mesh) if matches!(mesh.sets.get(&self.of), Some(Set::Cells(_))) => {
                body.faces_of_set(&self.of).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Adds the zone to a body.
    ///
    /// # Errors
    ///
    /// [`ZoneError`] if the radius is invalid, the name is in use, the set is unknown, or no face of it is
    /// near.
    pub fn add_to(&self, body: &mut Body) -> Result<(), ZoneError> {
        if !(self.radius > 0.0 && self.radius.is_finite()) {
            return Err(ZoneError::Radius { name: self.name.clone(), radius: self.radius });
        }
        let is_taken = match &body.geometry {
            Geometry::Mesh(mesh) => mesh.sets.contains_key(&self.name),
            Geometry::Nurbs(patches) => patches.region(&self.name).is_ok(),
        };
        if is_taken {
            return Err(ZoneError::Taken { name: self.name.clone() });
        }
        let wrong = |reason: String| ZoneError::Set { name: self.name.clone(), reason };
        let of_cells = self.surface_of_cells(body).map_err(|e| wrong(e.to_string()))?;
        match &mut body.geometry {
            Geometry::Mesh(mesh) => {
                let mut of = self.of.clone();
                if let Some(faces) = of_cells {
                    of = format!("{} (its surface)", self.of);
                    mesh.sets.insert(of.clone(), Set::Faces(faces));
                }
                let added = mesh.add_zone(&self.name, &of, self.centre, self.radius);
                if of != self.of {
                    mesh.sets.remove(&of);
                }
                added.map_err(|e| wrong(e.to_string()))?;
            }
            Geometry::Nurbs(patches) => {
                let mut zone: Region = patches.region(&self.of).map_err(|e| wrong(e.to_string()))?;
                zone.near.push((self.centre, self.radius));
                if patches.faces(&zone).is_empty() {
                    let [x, y, z] = self.centre;
                    return Err(wrong(format!(
                        "no face of `{}` lies within {} m of ({x}, {y}, {z})",
                        self.of, self.radius
                    )));
                }
                patches.regions.insert(self.name.clone(), zone);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_read_from_text() {
        let zone: Zone = "hit=top@0.02,0,1e-2:1e-3".parse().unwrap();
        assert_eq!((zone.name.as_str(), zone.of.as_str()), ("hit", "top"));
        assert_eq!((zone.centre, zone.radius), ([0.02, 0.0, 0.01], 1e-3));
        for wrong in [
            "hit",
            "hit=top",
            "hit=top@0,0:1",
            "=top@0,0,0:1",
            "hit=top@0,0,0:x",
            " =top@0,0,0:1",
            "1,2,3=top@0,0,0:1",
        ] {
            assert!(wrong.parse::<Zone>().is_err(), "{wrong}");
        }
    }
}
