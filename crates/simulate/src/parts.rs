//! Geometries and models of the bodies of a scenario, as far as they are known.

use carom_fem::Body;
use carom_reduce::ReducedBody;

use crate::discretised::Bodies;
use crate::silhouette::Silhouette;

/// The known part of a body whose sets and markers are named.
pub(crate) enum Parts<'a> {
    /// Its geometry.
    Geometry(&'a Body),
    /// Its model.
    Model(&'a ReducedBody),
    /// Nothing yet.
    Unknown,
}

impl<'a> Parts<'a> {
    /// The boundary of a body whose geometry is known.
    pub(crate) fn silhouette(&self, bodies: &Bodies<'a>) -> Option<Silhouette> {
        match self {
            Self::Geometry(body) => Silhouette::of(body, bodies),
            Self::Model(_) | Self::Unknown => None,
        }
    }
}
