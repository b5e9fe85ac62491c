//! Statics of a body with rigid sets.
//!
//! ```text
//! u = T y + u_i,    T = [R; −K_ii⁻¹ K_iS R],    S y = Tᵀ f,   S = Tᵀ K T,   K_ii u_i = f_i
//! ```
//!
//! with R the rigid motions of the sets and y their six motions each. T and u_i are orthogonal in the strain
//! energy, so that both are computed separately.

use carom_fem::SystemMatrices;
use carom_linalg::tall::{gram, product};
use carom_linalg::{FactorError, IterationError};
use carom_progress::Progress;
use faer::{Mat, MatMut};
use nalgebra::DMatrix;

use crate::attachment::Attached;
use crate::dofs::dofs;
use crate::solve::solve_free;
use crate::solver::Interior;

/// Rigid sets of a body with the static response of the rest to their motions.
#[derive(Debug)]
pub(crate) struct Ties {
    /// T, 3n × six motions of each set.
    motions: Mat<f64>,
    /// S⁻¹; zero for the motions of a set that is held.
    inverse: Mat<f64>,
}

impl Ties {
    /// * `interior` — inverse of the stiffness of all dofs that are neither held nor in a rigid set
    /// * `holds_first` — true to hold the first set, for a body without other supports
    ///
    /// # Errors
    ///
    /// [`FactorError`] if the sets can move without strain, or if an iterative solution fails.
    pub(crate) fn new(
        system: &SystemMatrices,
        interior: &Interior,
        rigid: &[Attached],
        holds_first: bool,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let n = 6 * rigid.len();
        let mut at_sets = Mat::zeros(system.stiffness.n_dofs(), n);
        for (s, set) in rigid.iter().enumerate() {
            for (row, dof) in dofs(&set.points).into_iter().enumerate() {
                (0..6).for_each(|k| at_sets[(dof, 6 * s + k)] = set.rigid[(row, k)]);
            }
        }
        let mut answer = system.stiffness.product(at_sets.as_ref());
        let no_sums = Mat::zeros(0, n);
        interior.solve_refined(&system.stiffness, answer.as_mut(), no_sums.as_ref(), progress)?;
        let motions = at_sets - answer;
        let stiffness = gram(motions.as_ref(), system.stiffness.product(motions.as_ref()).as_ref());
        let first = if holds_first { 6 } else { 0 };
        // Rotations are scaled to the size of translations.
        let scale: Vec<f64> = (0..n).map(|i| 1.0 / stiffness[(i, i)].abs().sqrt()).collect();
        let own = DMatrix::from_fn(n - first, n - first, |i, j| {
            let (i, j) = (i + first, j + first);
            0.5 * scale[i] * (stiffness[(i, j)] + stiffness[(j, i)]) * scale[j]
        });
        let own = own
            .cholesky()
            .ok_or(FactorError::NotPositiveDefinite {
                node: rigid[0].points[0] as usize,
                component: 0,
                pivot: 0.0,
            })?
            .inverse();
        let inverse = Mat::from_fn(n, n, |i, j| match (i.checked_sub(first), j.checked_sub(first)) {
            (Some(a), Some(b)) => scale[i] * own[(a, b)] * scale[j],
            _ => 0.0,
        });
        Ok(Self { motions, inverse })
    }

    /// Computes displacements from forces in place.
    ///
    /// # Errors
    ///
    /// [`IterationError`]; never with a factor.
    pub(crate) fn solve_in_place(
        &self,
        interior: &Interior,
        mut x: MatMut<'_, f64>,
        progress: &dyn Progress,
    ) -> Result<(), IterationError> {
        let at_sets = gram(self.motions.as_ref(), x.as_ref());
        solve_free(interior, x.as_mut(), progress)?;
        x += product(self.motions.as_ref(), product(self.inverse.as_ref(), at_sets.as_ref()).as_ref());
        Ok(())
    }
}
