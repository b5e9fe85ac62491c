//! One patch from the values that a file gives for it.

use super::{Place, ReadError};
use crate::{KnotVector, Patch};

/// A patch under construction: its place in the file, and its knot vectors.
pub(super) struct Solid {
    place: Place,
    number: usize,
    basis: [KnotVector; 3],
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
}

impl Solid {
    /// * `place` — where the patch begins, for messages
    /// * `number` — zero-based number of the patch, for messages
    pub(super) fn new(place: Place, number: usize, basis: [KnotVector; 3]) -> Self {
        Self { place, number, basis, points: Vec::new(), weights: Vec::new() }
    }

    /// Number of control points by the knot vectors; `None` if it overflows.
    pub(super) fn n_points(&self) -> Option<usize> {
        self.basis.iter().try_fold(1_usize, |product, basis| product.checked_mul(basis.n_functions()))
    }

    /// Number of control points of each direction.
    pub(super) fn counts(&self) -> [usize; 3] {
        [0, 1, 2].map(|d: usize| self.basis[d].n_functions())
    }

    /// Adds a Cartesian control point.
    pub(super) fn push_cartesian(&mut self, point: [f64; 3], weight: f64) {
        self.points.push(point);
        self.weights.push(weight);
    }

    /// Adds a control point given as (w x, w y, w z) and w.
    ///
    /// An invalid weight is kept, so that [`Patch::new`] refuses it, instead of an infinite coordinate.
    pub(super) fn push_homogeneous(&mut self, point: [f64; 3], weight: f64) {
        let divisible = weight > 0.0 && weight.is_finite();
        self.push_cartesian(if divisible { point.map(|x| x / weight) } else { point }, weight);
    }

    /// The patch, if the number of points fits its knot vectors and all numbers are valid.
    pub(super) fn patch(self) -> Result<Patch, ReadError> {
        let Self { place, number, basis, points, weights } = self;
        Patch::new(basis, points, weights).map_err(|source| ReadError::Patch { place, patch: number, source })
    }
}

/// Checks three knot vectors.
///
/// * `knots` — degree, knots and place of each direction
pub(super) fn bases(knots: [(usize, Vec<f64>, Place); 3]) -> Result<[KnotVector; 3], ReadError> {
    let [u, v, w] = knots.map(|(degree, knots, place)| {
        KnotVector::new(degree, knots).map_err(|source| ReadError::Knots { place, source })
    });
    Ok([u?, v?, w?])
}

/// The error for a curve, a surface, or a spline in the plane.
pub(super) fn no_solid(place: Place, what: String) -> ReadError {
    let way_out = "bodies are solids: three parameters and three coordinates".to_owned();
    ReadError::Refused { place, what, way_out }
}
