//! Coarser bodies of the same shape.

use carom_fem::{Body, Geometry};
use carom_nurbs::CoarsenError as KnotsError;
use thiserror::Error;

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
    /// The knots cannot be taken out.
    #[error(transparent)]
    Knots(#[from] KnotsError),
}

/// The body without the knots and degrees that its shape does not need ([`carom_nurbs::Multipatch::coarsen`]).
///
/// * `tolerance` — how far points may move \[m\]; `None` for rounding
///
/// # Errors
///
/// [`CoarsenError`] if the body is a mesh or refined locally, or the tolerance none.
pub fn coarsen(body: &Body, tolerance: Option<f64>) -> Result<Coarser, CoarsenError> {
    let Geometry::Nurbs(patches) = &body.geometry else { return Err(CoarsenError::Mesh) };
    let coarse = patches.coarsen(tolerance)?;
    let note = match (coarse.knots, coarse.degrees) {
        (0, 0) => "the shape needs all knots and degrees there are".to_owned(),
        (knots, degrees) => format!(
            "took out {knots} knots and lowered {degrees} degrees (of glued directions counted once); no point moved by \
             more than {:.1e} m",
            coarse.deviation
        ),
    };
    Ok(Coarser { body: Body { geometry: Geometry::Nurbs(coarse.body), ..body.clone() }, note })
}
