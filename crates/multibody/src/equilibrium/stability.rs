//! Stability of an equilibrium: the stiffness of its motions beside the noise of the differences.

use carom_progress::Progress;
use nalgebra::{DMatrix, DVector};

use super::tangent::Tangent;
use super::{EquilibriumError, Forces};
use crate::system::System;

/// A stiffness counts as zero within this factor of the change of the stiffness with the increments of the
/// differences.
const NOISE: f64 = 20.0;

/// A stiffness relative to the largest one below which it is rounding.
const ROUNDING: f64 = 1e-15;

/// The tangent at an equilibrium with the stiffness of its motions.
pub(super) struct Stability {
    pub(super) tangent: Tangent,
    stiffness: DVector<f64>,
    vectors: DMatrix<f64>,
    noise: Vec<f64>,
}

impl Stability {
    /// At y, whose forces are known.
    ///
    /// # Errors
    ///
    /// [`EquilibriumError`] if the system cannot be evaluated, or the user stops it.
    pub(super) fn at(
        system: &mut System,
        y: &[f64],
        forces: &Forces,
        progress: &dyn Progress,
    ) -> Result<Self, EquilibriumError> {
        let tangent = Tangent::at(system, y, &forces.multipliers, 1.0, progress)?;
        let coarse = Tangent::at(system, y, &forces.multipliers, 3.0, progress)?;
        let change = &tangent.stiffness - &coarse.stiffness;
        let pairs = tangent.stiffness.clone().symmetric_eigen();
        let largest = if tangent.freedoms() > 0 { pairs.eigenvalues.amax() } else { 0.0 };
        let vectors = pairs.eigenvectors.column_iter();
        let noise = vectors.map(|v| NOISE * v.dot(&(&change * v)).abs() + ROUNDING * largest).collect();
        Ok(Self { tangent, stiffness: pairs.eigenvalues, vectors: pairs.eigenvectors, noise })
    }

    /// A motion without stiffness.
    pub(super) fn free(&self) -> Option<DVector<f64>> {
        self.first(|stiffness, noise| stiffness.abs() <= noise)
    }

    /// A motion that leaves the equilibrium.
    pub(super) fn unstable(&self) -> Option<DVector<f64>> {
        self.first(|stiffness, noise| stiffness < -noise)
    }

    fn first(&self, is: impl Fn(f64, f64) -> bool) -> Option<DVector<f64>> {
        let k = self.stiffness.iter().zip(&self.noise).position(|(s, noise)| is(*s, *noise))?;
        Some(&self.tangent.motions * self.vectors.column(k))
    }
}
