//! Coarser bodies of the same shape.

use carom_fem::{Body, Geometry};
use carom_nurbs::{CoarsenError as KnotsError, Multipatch};
use carom_progress::Progress;
use thiserror::Error;

/// Most of a body's diameter that its points may move by: more is no tolerance.
const LARGEST_SHARE: f64 = 1e-2;

/// A body without the knots and degrees that its shape does not need.
#[derive(Debug, Clone)]
pub struct Coarser {
    /// The body.
    pub body: Body,
    /// What was taken out, a sentence.
    pub note: String,
}

/// Why a body cannot be made coarser.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CoarsenError {
    /// Only NURBS bodies have knots.
    #[error("the cells of a mesh cannot be made coarser: mesh the part again with larger cells")]
    Mesh,
    /// A tolerance that leaves nothing of the shape.
    #[error(
        "the tolerance {tolerance:?} m is more than a hundredth of the body's diameter, {diameter:.3e} m, \
         and would make another body of it: give at most {:.1e}", LARGEST_SHARE * diameter
    )]
    Large {
        /// What was given \[m\].
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
        /// What was given \[m\].
        tolerance: f64,
    },
    /// The knots cannot be taken out.
    #[error(transparent)]
    Knots(#[from] KnotsError),
}

/// The body without the knots and degrees that its shape does not need
/// ([`carom_nurbs::Multipatch::coarsen`]).
///
/// * `tolerance` — how far points may move \[m\]; `None` for rounding
/// * `progress` — is told how many knots have been looked at
///
/// # Errors
///
/// [`CoarsenError`] if the body is a mesh or refined locally, the tolerance none or too large, a set would
/// lose all its faces, or the user wants to stop.
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
            "took out {knots} knots and lowered {degrees} degrees (of glued directions counted once); no \
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
