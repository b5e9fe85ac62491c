//! One block of the space, orthonormal in itself.

use faer::Mat;

use super::square;
use crate::block::NodeMatrix;
use crate::dense::{DenseEigenError, DensePairs, symmetric_pairs, symmetrised};
use crate::lanes::{LANES, Row, ZERO, gram, transform};

/// Directions of a new block whose M-norm is below this part of the largest are dropped.
const SMALLEST_DIRECTION: f64 = 1e-10;

/// A block M-orthonormal in itself: Y = Q R.
pub(super) struct Orthonormal {
    pub(super) q: Vec<Row>,
    pub(super) mass_q: Vec<Row>,
    pub(super) r: Mat<f64>,
}

impl Orthonormal {
    pub(super) fn new(y: Vec<Row>, mass: &NodeMatrix) -> Self {
        let mut mass_q = vec![ZERO; y.len()];
        mass.group_product(&y, &mut mass_q);
        Self { mass_q, q: y, r: Mat::identity(LANES, LANES) }
    }

    /// Makes Q orthonormal within itself; a second turn removes the rounding that the scaling of small
    /// directions leaves.
    pub(super) fn normalise(&mut self) -> Result<(), DenseEigenError> {
        let products = gram(&[&self.q], &self.mass_q);
        let products = Mat::from_fn(LANES, LANES, |i, j| products[0][i][j]);
        let DensePairs { lambda, vectors } = symmetric_pairs(symmetrised(products.as_ref()).as_ref())?;
        let largest = lambda.iter().fold(0.0_f64, |a, b| a.max(*b));
        let is_kept = |i: usize| lambda[i] > SMALLEST_DIRECTION.powi(2) * largest && lambda[i] > 0.0;
        let to =
            Mat::from_fn(
                LANES,
                LANES,
                |i, j| {
                    if is_kept(j) { vectors[(i, j)] / lambda[j].sqrt() } else { 0.0 }
                },
            );
        let from =
            Mat::from_fn(
                LANES,
                LANES,
                |i, j| {
                    if is_kept(i) { vectors[(j, i)] * lambda[i].sqrt() } else { 0.0 }
                },
            );
        let to = square(to.as_ref());
        transform(&mut self.q, &to);
        transform(&mut self.mass_q, &to);
        self.r = &from * &self.r;
        Ok(())
    }

    /// Columns that are not zero.
    pub(super) fn live(&self) -> [bool; LANES] {
        std::array::from_fn(|lane| (0..LANES).any(|j| self.r[(lane, j)] != 0.0))
    }
}
