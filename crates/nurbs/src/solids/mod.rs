//! Exact solids: ball, octant, ellipsoid, hollow sphere, rod, capsule, tube, box, plate, torus, each in the
//! lowest degree that is exact.
//!
//! Conics are rational, so nothing here is an approximation: volumes are exact to rounding. Every maker
//! documents its patches and its named regions; in addition, every side has an implicit name such as
//! `patchN:west` ([`Multipatch::region`]).

mod ball;
mod block;
mod capsule;
mod choice;
mod octant;
mod section;

use std::collections::BTreeMap;

use carom_files::coordinates;
use thiserror::Error;

use crate::{GlueError, Multipatch, Patch, PatchError, Region, Side};

pub use ball::{ball, ellipsoid, focused, shell};
pub use block::{block, plate};
pub use capsule::capsule;
pub use choice::Solid;
pub use octant::octant;
pub use section::{rod, torus, tube};

/// Errors of making a solid.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SolidError {
    /// An invalid size.
    #[error("the {what} of the {solid} is {value:?} m: it must be {valid}")]
    Size {
        /// Name of the solid.
        solid: &'static str,
        /// Name of the size.
        what: &'static str,
        /// Its value \[m\].
        value: f64,
        /// The valid range.
        valid: String,
    },
    /// The given degree cannot represent the exact shape.
    #[error("degree {degree} cannot hold this shape exactly: it needs {needed} at least")]
    Degree {
        /// The given degree.
        degree: usize,
        /// The lowest possible degree.
        needed: usize,
    },
    /// A wrong list of numbers of elements.
    #[error(
        "numbers of elements {given:?} do not fit the {solid}: give one for all or {needed}, each at least \
         1, for {directions}"
    )]
    Elements {
        /// Name of the solid.
        solid: &'static str,
        /// The given value.
        given: Vec<usize>,
        /// The needed number.
        needed: usize,
        /// The directions.
        directions: &'static str,
    },
    /// The patches cannot be raised to a degree.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// The patches cannot be glued: only with sizes at the limits of arithmetic.
    #[error(transparent)]
    Glue(#[from] GlueError),
}

impl Multipatch {
    /// The same body with degree p in all directions.
    ///
    /// # Errors
    ///
    /// [`SolidError::Degree`] if a direction has a higher degree already.
    pub fn with_degree(&self, p: usize) -> Result<Self, SolidError> {
        let needed = self.patches.iter().flat_map(Patch::degrees).max().unwrap_or(1);
        if p < needed {
            return Err(SolidError::Degree { degree: p, needed });
        }
        Ok(self.elevate_to(p)?)
    }
}

/// Checks a length.
fn positive(solid: &'static str, what: &'static str, value: f64) -> Result<(), SolidError> {
    if coordinates::is_length(value) {
        return Ok(());
    }
    Err(SolidError::Size { solid, what, value, valid: coordinates::LENGTHS.to_owned() })
}

/// Checks that an inner radius fits into an outer one.
fn inner_radius(solid: &'static str, inner: f64, outer: f64) -> Result<(), SolidError> {
    if inner > 0.0 && inner < outer {
        return Ok(());
    }
    let valid = format!("above 0 and below the outer radius {outer}");
    Err(SolidError::Size { solid, what: "inner radius", value: inner, valid })
}

/// Glues patches and names regions.
fn named(patches: Vec<Patch>, regions: Vec<(&str, Region)>) -> Result<Multipatch, SolidError> {
    let mut body = Multipatch::glue(patches)?;
    body.regions =
        regions.into_iter().map(|(name, region)| (name.to_owned(), region)).collect::<BTreeMap<_, _>>();
    Ok(body)
}

/// The same side of some patches.
fn sides(patches: impl IntoIterator<Item = u32>, side: Side) -> Vec<(u32, Side)> {
    patches.into_iter().map(|patch| (patch, side)).collect()
}

fn whole(sides: Vec<(u32, Side)>) -> Region {
    Region { sides, near: Vec::new() }
}

/// A patch from homogeneous control points.
fn from_homogeneous(
    degrees: [usize; 3],
    points: impl IntoIterator<Item = [f64; 4]>,
) -> Result<Patch, PatchError> {
    let named = |direction: usize| move |source| PatchError::Knots { direction, source };
    let basis = [
        crate::KnotVector::bernstein(degrees[0]).map_err(named(0))?,
        crate::KnotVector::bernstein(degrees[1]).map_err(named(1))?,
        crate::KnotVector::bernstein(degrees[2]).map_err(named(2))?,
    ];
    let (points, weights) = points.into_iter().map(|[x, y, z, w]| ([x / w, y / w, z / w], w)).unzip();
    Patch::new(basis, points, weights)
}
