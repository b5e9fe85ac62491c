//! Coarsening of bodies without change of shape.

use carom_fem::{Body, Geometry};
use carom_nurbs::{CoarsenError as KnotsError, Multipatch};
use carom_progress::Progress;
use thiserror::Error;

/// Largest accepted tolerance, relative to the diameter of the body.
const LARGEST_SHARE: f64 = 1e-2;

/// A coarsened body.
#[derive(Debug, Clone)]
pub struct Coarser {
    /// The body.
    pub body: Body,
    /// A sentence about the removed knots and degrees.
    pub note: String,
}

/// Errors of coarsening.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CoarsenError {
    /// The body is a mesh, which has no knots.
    #[error("the cells of a mesh cannot be made coarser: mesh the part again with larger cells")]
    Mesh,
    /// The tolerance is too large.
    #[error(
        "the tolerance {tolerance:?} m is more than a hundredth of the body's diameter, {diameter:.3e} m, \
         and would make another body of it: give at most {:.1e}", LARGEST_SHARE * diameter
    )]
    Large {
        /// The given value \[m\].
        tolerance: f64,
        /// The diagonal of the box around the body \[m\].
        diameter: f64,
    },
    /// A set would have no faces left.
    #[error(
        "with the tolerance {tolerance:?} m the surface would move away from the set `{set}`, and no face be \
         left in it: take a smaller one"
    )]
    Emptied {
        /// Name of the set.
        set: String,
        /// The given value \[m\].
        tolerance: f64,
    },
    /// The knots cannot be removed.
    #[error(transparent)]
    Knots(#[from] KnotsError),
}

/// Removes the knots and degrees that the shape of a body does not need
/// ([`carom_nurbs::Multipatch::coarsen`]).
///
/// * `tolerance` — largest motion of points \[m\]; `None` for rounding
/// * `progress` — receives the number of checked knots
///
/// # Errors
///
/// [`CoarsenError`] if the body is a mesh or refined locally, the tolerance is invalid or too large, a set
/// would lose all its faces, or the user stops it.
pub fn coarsen(
    body: &Body,
    tolerance: Option<f64>,
    progress: &dyn Progress,
) -> Result<Coarser, CoarsenError> {
    let Geometry::Nurbs(patches) = &body.geometry else { return Err(CoarsenError::Mesh) };
    let diameter = diameter(patches);
    if let Some(tolerance) = tolerance.filter(|&tolerance| tolerance > LARGEST_SHARE * diameter) {
        return Err(CoarsenError::Large { tolerance, diameter });
    }
    let coarse = patches.coarsen_reporting(tolerance, progress)?;
    let emptied = patches
        .regions
        .iter()
        .find(|(_, region)| coarse.body.faces(region).is_empty() && !patches.faces(region).is_empty());
    if let Some((set, _)) = emptied {
        return Err(CoarsenError::Emptied { set: set.clone(), tolerance: tolerance.unwrap_or(0.0) });
    }
    let note = match (coarse.knots, coarse.degrees) {
        (0, 0) => "the shape needs all knots and degrees there are".to_owned(),
        (knots, degrees) => format!(
            "removed {knots} knots and lowered {degrees} degrees (of glued directions counted once); no \
             point moved by more than {:.1e} m",
            coarse.deviation
        ),
    };
    Ok(Coarser { body: Body { geometry: Geometry::Nurbs(coarse.body), ..body.clone() }, note })
}

/// Diagonal of the box around all control points \[m\].
fn diameter(patches: &Multipatch) -> f64 {
    let extent = |d: usize| {
        let along = || patches.patches.iter().flat_map(|patch| &patch.points).map(|point| point[d]);
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    (0..3).map(|d| extent(d).powi(2)).sum::<f64>().sqrt()
}
