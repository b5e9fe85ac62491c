//! What the eigensolver asks of the inverse of K + sM: whether dofs alone are held, or linear constraints
//! besides.

use carom_progress::Progress;
use faer::{Mat, MatMut, MatRef};

use super::pairs::Pencil;
use crate::dofs::DofSet;
use crate::factor::{Cholesky, FactorError};
use crate::inertia::{Inertia, count_below};
use crate::iteration::IterationError;
use crate::lanes::{LANES, group_of, write_columns};
use crate::symbolic::Symbolic;

/// A space of admissible displacements: dofs are held, and linear constraints may hold besides.
pub trait Admissible {
    /// Removes the reactions of supports from forces, so that zero is left where an admissible
    /// displacement is in balance.
    fn clear_reactions(&self, x: MatMut<'_, f64>);
}

/// The inverse of K + sM on a space of admissible displacements, by whatever method.
pub trait Inverse: Admissible {
    /// Dimension of the space.
    fn dimension(&self) -> usize;

    /// The dofs that are not held.
    fn free(&self) -> &DofSet;

    /// Solves (K + sM) x = b in place, b up to reactions, for the x that is admissible.
    ///
    /// * `x` — 3 n_nodes × any number of columns
    ///
    /// # Errors
    ///
    /// [`IterationError`]; never with a factor.
    fn solve_in_place(&self, x: MatMut<'_, f64>, progress: &dyn Progress) -> Result<(), IterationError>;

    /// Solves (K + sM) d = r in place for the correction d with which x − d is admissible.
    ///
    /// Rounding leaves x a little off what holds it; d takes that out too.
    ///
    /// * `r` — residual of x, up to reactions
    ///
    /// # Errors
    ///
    /// As [`Inverse::solve_in_place`].
    fn solve_correction(
        &self,
        r: MatMut<'_, f64>,
        _x: MatRef<'_, f64>,
        progress: &dyn Progress,
    ) -> Result<(), IterationError> {
        // Dofs that are held are zero as they stand.
        self.solve_in_place(r, progress)
    }

    /// The nodes with free dofs in the order in which [`Inverse::solve_group`] wants them; `None` for all
    /// nodes in their own order.
    ///
    /// The order of a factor keeps coupled nodes close together in memory.
    fn order(&self) -> Option<&[u32]> {
        None
    }

    /// As [`Inverse::solve_in_place`] for eight columns that lie side by side, row by row, nodes in the order
    /// of [`Inverse::order`].
    ///
    /// # Errors
    ///
    /// As [`Inverse::solve_in_place`].
    fn solve_group(&self, x: &mut [[f64; 8]], progress: &dyn Progress) -> Result<(), IterationError> {
        let mut columns = Mat::zeros(x.len(), LANES);
        write_columns(x, columns.as_mut());
        self.solve_in_place(columns.as_mut(), progress)?;
        x.copy_from_slice(&group_of(columns.as_ref()));
        Ok(())
    }

    /// A basis of the space, 3 n_nodes × dimension; for small problems.
    fn basis(&self) -> Mat<f64>;
}

/// An inverse by a factor, which can also count eigenvalues.
pub trait Counting: Inverse + Sized {
    /// What stays when the numbers are given up for an inertia count.
    type Structure;

    /// Gives up the numbers.
    fn into_structure(self) -> Self::Structure;

    /// Gives up the numbers and counts the eigenvalues of (K, M) on the space below σ in their memory.
    fn into_inertia(
        self,
        pencil: &Pencil<'_>,
        sigma: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Self::Structure);

    /// Counts the eigenvalues of (K, M) on the space below σ.
    ///
    /// # Errors
    ///
    /// [`FactorError::ShiftTooClose`] if a pivot vanishes, [`FactorError::Interrupted`].
    fn count_below(
        structure: &Self::Structure,
        pencil: &Pencil<'_>,
        sigma: f64,
        progress: &dyn Progress,
    ) -> Result<Inertia, FactorError>;

    /// The inverse of K + sM once more.
    ///
    /// # Errors
    ///
    /// [`FactorError`].
    fn refactor(
        structure: Self::Structure,
        pencil: &Pencil<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError>;
}

impl Admissible for DofSet {
    fn clear_reactions(&self, x: MatMut<'_, f64>) {
        self.clear_fixed(x);
    }
}

impl Admissible for Cholesky {
    fn clear_reactions(&self, x: MatMut<'_, f64>) {
        self.symbolic().free().clear_fixed(x);
    }
}

impl Inverse for Cholesky {
    fn dimension(&self) -> usize {
        self.symbolic().n_free()
    }

    fn free(&self) -> &DofSet {
        self.symbolic().free()
    }

    fn solve_in_place(&self, x: MatMut<'_, f64>, _progress: &dyn Progress) -> Result<(), IterationError> {
        Self::solve_in_place(self, x);
        Ok(())
    }

    fn order(&self) -> Option<&[u32]> {
        Some(self.symbolic().order())
    }

    fn solve_group(&self, x: &mut [[f64; 8]], _progress: &dyn Progress) -> Result<(), IterationError> {
        self.solve_ordered_group(x);
        Ok(())
    }

    fn basis(&self) -> Mat<f64> {
        self.symbolic().free().unit_columns()
    }
}

impl Counting for Cholesky {
    type Structure = Symbolic;

    fn into_structure(self) -> Symbolic {
        self.into_symbolic()
    }

    fn into_inertia(
        self,
        pencil: &Pencil<'_>,
        sigma: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Symbolic) {
        Self::into_inertia(self, pencil.k, pencil.m, sigma, progress)
    }

    fn count_below(
        structure: &Symbolic,
        pencil: &Pencil<'_>,
        sigma: f64,
        progress: &dyn Progress,
    ) -> Result<Inertia, FactorError> {
        count_below(structure, pencil.k, pencil.m, sigma, progress)
    }

    fn refactor(
        structure: Symbolic,
        pencil: &Pencil<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        Self::with_symbolic(structure, pencil.k, pencil.shifted_mass(), progress)
    }
}
