//! Iterative refinement of constraint modes, for bodies that are soft on their interface.
//!
//! A long body held at a small end rotates under a very small force: the rounding of K_ii appears in the
//! solution C as a rotation of the whole body. The error of C is known more exactly than C itself, because C
//! is stored in two parts,
//!
//! ```text
//! C = R a + F,   a ← a + a',   F ← F − R a',   a' = (Rᵀ M R)⁻¹ Rᵀ M F
//! r = −K F in the interior,   g = E − W C in the means of sets
//! F ← F + K_ii⁻¹ (r, g)
//! ```
//!
//! The rigid motions R have no strain, K R = 0, and long lever arms: a unit displacement of a node at the end
//! of a strip rotates it by thousands of its thickness. F does not contain them, so that r is exact up to the
//! rounding of the strain. Each iteration reduces the error by the relative accuracy of the inverse.
//!
//! # Source
//!
//! Higham (2002), *Accuracy and Stability of Numerical Algorithms*, 2nd ed., chapter 12.

use carom_fem::SystemMatrices;
use carom_linalg::IterationError;
use carom_linalg::tall::{add_product, gram, product};
use carom_progress::Progress;
use faer::Mat;

use crate::boundary::Boundary;
use crate::flexibility::weights;
use crate::rigid_part::RigidPart;
use crate::solve::{CHUNK, GROUP};
use crate::solver::Interior;

/// Constraint modes in two parts.
pub(crate) struct Refinement<'a> {
    system: &'a SystemMatrices,
    interior: &'a Interior,
    boundary: &'a Boundary,
    rigid: &'a RigidPart,
    /// M R (Rᵀ M R)⁻¹.
    weighted: Mat<f64>,
    /// a, 6 × boundary dofs.
    motions: Mat<f64>,
}

impl<'a> Refinement<'a> {
    /// Removes the rigid motions from constraint modes, which become F.
    pub(crate) fn new(
        system: &'a SystemMatrices,
        interior: &'a Interior,
        boundary: &'a Boundary,
        rigid: &'a RigidPart,
        modes: &mut Mat<f64>,
    ) -> Self {
        let weighted = weights(system, &rigid.motions);
        let motions = Mat::zeros(6, modes.ncols());
        let mut own = Self { system, interior, boundary, rigid, weighted, motions };
        own.take_motions(modes);
        own
    }

    /// a ← a + a', F ← F − R a'; rows of prescribed dofs are written again.
    fn take_motions(&mut self, strained: &mut Mat<f64>) {
        let more = gram(self.weighted.as_ref(), strained.as_ref());
        add_product(strained.as_mut(), -1.0, self.rigid.motions.as_ref(), more.as_ref());
        self.motions += more;
        self.prescribe(strained, -1.0);
    }

    /// Writes the rows of prescribed dofs: units less R a.
    fn prescribe(&self, fields: &mut Mat<f64>, part: f64) {
        let rows = self.boundary.prescribed_dofs();
        for j in 0..fields.ncols() {
            rows.iter().for_each(|&row| fields[(row, j)] = 0.0);
        }
        self.boundary.prescribe(fields.as_mut());
        let motions = Mat::from_fn(rows.len(), 6, |i, k| self.rigid.motions[(rows[i], k)]);
        let moved = product(motions.as_ref(), self.motions.as_ref());
        for j in 0..fields.ncols() {
            for (i, &row) in rows.iter().enumerate() {
                fields[(row, j)] += part * moved[(i, j)];
            }
        }
    }

    /// One iteration over all constraint modes; returns its largest correction.
    ///
    /// # Errors
    ///
    /// [`IterationError`], also if the user stopped it.
    pub(crate) fn refine(
        &mut self,
        strained: &mut Mat<f64>,
        progress: &dyn Progress,
    ) -> Result<f64, IterationError> {
        let mut largest = 0.0_f64;
        let n = strained.ncols();
        let of_motions = self.boundary.sums_of(self.rigid.motions.as_ref()) * &self.motions;
        let sums = self.boundary.sums() - of_motions;
        progress.begin("refinement of constraint modes", n as u64);
        let chunk = if self.interior.is_iterative() { GROUP } else { CHUNK };
        for first in (0..n).step_by(chunk) {
            let width = chunk.min(n - first);
            let own = strained.subcols(first, width);
            let mut correction = self.system.stiffness.product(own);
            correction *= faer::Scale(-1.0);
            self.interior.correct(correction.as_mut(), own, sums.subcols(first, width), progress)?;
            largest = largest.max(correction.norm_max());
            let mut own = strained.as_mut().subcols_mut(first, width);
            own += correction;
            progress.set((first + width) as u64);
            if progress.interrupted() {
                return Err(IterationError::Interrupted);
            }
        }
        progress.end();
        self.take_motions(strained);
        Ok(largest)
    }

    /// R − C z: the error in the rigid motions.
    pub(crate) fn missing(&self, strained: &Mat<f64>) -> Mat<f64> {
        let at_boundary = self.rigid.at_boundary.as_ref();
        let left = Mat::<f64>::identity(6, 6) - product(self.motions.as_ref(), at_boundary);
        let mut missing = product(self.rigid.motions.as_ref(), left.as_ref());
        add_product(missing.as_mut(), -1.0, strained.as_ref(), at_boundary);
        missing
    }

    /// Adds both parts: F becomes C.
    pub(crate) fn join(self, strained: &mut Mat<f64>) {
        add_product(strained.as_mut(), 1.0, self.rigid.motions.as_ref(), self.motions.as_ref());
        self.prescribe(strained, 0.0);
    }
}
