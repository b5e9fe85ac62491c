//! What the eigensolver asks of a bordered system: solutions, reactions, and counts by the law of Haynsworth.

use carom_progress::Progress;
use faer::{Mat, MatMut, MatRef};

use super::{Border, Bordered, Schur, coupling};
use crate::dense::Reflections;
use crate::dofs::DofSet;
use crate::eigen::{Admissible, Counting, Inverse, Pencil};
use crate::factor::{Cholesky, FactorError, SMALLEST_PIVOT};
use crate::inertia::Inertia;
use crate::iteration::IterationError;
use crate::lanes::LANES;
use crate::symbolic::Symbolic;
use crate::tall::{add_product, gram};

/// n₋(A) + n₋(S) − r of K − σM.
fn count(
    outcome: Result<Inertia, FactorError>,
    factor: Cholesky,
    border: &mut Border,
    &Pencil { k, m, .. }: &Pencil<'_>,
    sigma: f64,
) -> (Result<Inertia, FactorError>, Symbolic) {
    let of_factor = match outcome {
        Ok(of_factor) => of_factor,
        Err(error) => return (Err(error), factor.into_symbolic()),
    };
    let too_close = |pivot| FactorError::ShiftTooClose { shift: sigma, pivot };
    let coupling = coupling(k, Some((m, -sigma)), border);
    let mut response = coupling.clone();
    factor.solve_in_place(response.as_mut());
    let symbolic = factor.into_symbolic();
    let Ok(schur) = Schur::new(border, coupling.as_ref(), response.as_ref()) else {
        return (Err(too_close(0.0)), symbolic);
    };
    let pivot = schur.smallest_pivot();
    if pivot.is_nan() || pivot < SMALLEST_PIVOT {
        return (Err(too_close(pivot)), symbolic);
    }
    let below = (of_factor.below + schur.n_negative()).saturating_sub(border.n_constraints());
    (
        Ok(Inertia {
            below,
            smallest_pivot: pivot.min(of_factor.smallest_pivot),
            in_single_precision: false,
        }),
        symbolic,
    )
}

impl Admissible for Border {
    fn clear_reactions(&self, mut x: MatMut<'_, f64>) {
        self.free.clear_fixed(x.as_mut());
        let along = gram(self.reactions.as_ref(), x.as_ref());
        add_product(x, -1.0, self.reactions.as_ref(), along.as_ref());
    }
}

impl<F: Inverse> Admissible for Bordered<F> {
    fn clear_reactions(&self, x: MatMut<'_, f64>) {
        self.border.clear_reactions(x);
    }
}

impl<F: Inverse> Inverse for Bordered<F> {
    fn dimension(&self) -> usize {
        self.border.free.len() - self.border.n_constraints()
    }

    fn free(&self) -> &DofSet {
        &self.border.free
    }

    fn solve_in_place(&self, x: MatMut<'_, f64>, progress: &dyn Progress) -> Result<(), IterationError> {
        let zero = Mat::zeros(self.border.n_constraints(), x.ncols());
        self.solve_with(x, zero.as_ref(), progress)
    }

    fn solve_correction(
        &self,
        r: MatMut<'_, f64>,
        x: MatRef<'_, f64>,
        progress: &dyn Progress,
    ) -> Result<(), IterationError> {
        let violation = self.sums_of(x);
        self.solve_with(r, violation.as_ref(), progress)
    }

    fn order(&self) -> Option<&[u32]> {
        self.rows.order.as_deref()
    }

    fn solve_group(&self, x: &mut [[f64; 8]], progress: &dyn Progress) -> Result<(), IterationError> {
        let of_pins = self.rows.pins(x);
        let of_border = Mat::from_fn(self.border.scale.len(), LANES, |i, lane| {
            // Admissible displacements have the values 0 of the constraints.
            of_pins.get(i).map_or(0.0, |row| row[lane])
        });
        self.factor.solve_group(self.rows.definite(x), progress)?;
        self.join(x, of_border.as_ref());
        Ok(())
    }

    fn basis(&self) -> Mat<f64> {
        let dofs = self.border.free.to_vec();
        let r = self.border.n_constraints();
        let reactions = Mat::from_fn(dofs.len(), r, |i, j| self.border.reactions[(dofs[i], j)]);
        let complement = Reflections::new(reactions.as_ref()).complement();
        let mut basis = Mat::zeros(3 * self.border.free.n_nodes(), dofs.len() - r);
        for (i, &dof) in dofs.iter().enumerate() {
            for j in 0..basis.ncols() {
                basis[(dof, j)] = complement[(i, j)];
            }
        }
        basis
    }
}

impl Counting for Bordered {
    type Structure = (Symbolic, Border);

    fn into_structure(self) -> Self::Structure {
        (self.factor.into_symbolic(), self.border)
    }

    fn into_inertia(
        self,
        pencil: &Pencil<'_>,
        sigma: f64,
        progress: &dyn Progress,
    ) -> (Result<Inertia, FactorError>, Self::Structure) {
        let Self { mut border, factor, .. } = self;
        let (outcome, factor) = factor.into_indefinite(pencil.k, pencil.m, sigma, progress);
        let (outcome, symbolic) = count(outcome, factor, &mut border, pencil, sigma);
        (outcome, (symbolic, border))
    }

    fn count_below(
        structure: &Self::Structure,
        pencil: &Pencil<'_>,
        sigma: f64,
        progress: &dyn Progress,
    ) -> Result<Inertia, FactorError> {
        let (symbolic, border) = structure;
        let (outcome, factor) = Cholesky::indefinite(symbolic.clone(), pencil.k, pencil.m, sigma, progress);
        count(outcome, factor, &mut border.clone(), pencil, sigma).0
    }

    fn refactor(
        structure: Self::Structure,
        pencil: &Pencil<'_>,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        Self::with_symbolic(structure.0, structure.1, pencil.k, pencil.shifted_mass(), progress)
    }
}
