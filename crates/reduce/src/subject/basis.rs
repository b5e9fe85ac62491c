//! The basis T of a reduction.

use carom_fem::SystemMatrices;
use carom_linalg::{Proof, Wanted};
use carom_progress::Progress;
use faer::Mat;

use super::{Subject, check_interruption};
use crate::attachment::AttachmentKind;
use crate::condensation::{Condensation, ConstraintModes};
use crate::dofs::dofs;
use crate::error::ReduceError;
use crate::further::{self, DEPENDENT, FreeModesError, beyond_constraint_modes, independent, inertia_relief};
use crate::options::CraigBamptonOptions;
use crate::rigid::rigid_modes;
use crate::solver::Interior;
use crate::variant::ModeKind;

/// The inputs of the basis.
pub(super) struct Given<'a> {
    pub(super) system: &'a SystemMatrices,
    pub(super) factor: Interior,
    pub(super) constraint: ConstraintModes,
    pub(super) wanted: Wanted,
}

impl Subject<'_> {
    /// The basis T: constraint modes, fixed-interface modes, further interior fields.
    pub(super) fn condense(
        &self,
        given: Given<'_>,
        options: &CraigBamptonOptions,
        notes: &mut Vec<String>,
        progress: &dyn Progress,
    ) -> Result<Condensation, ReduceError> {
        let variant = &options.variant;
        let Given { system, factor, constraint, wanted } = given;
        let is_residual = variant.modes != ModeKind::FixedInterface;
        let rigid_set = self.boundary.markers.iter().find(|marker| marker.kind == AttachmentKind::Rigid);
        if let Some(marker) = rigid_set.filter(|_| is_residual) {
            let (body, set) = (self.name.to_owned(), marker.name.clone());
            return Err(ReduceError::ResidualRigid { body, set });
        }
        let relief = (variant.inertia_relief || is_residual).then(|| {
            let mut rigid = rigid_modes(self.points, further::middle(self.points, self.is_used));
            for dof in (0..rigid.nrows()).filter(|dof| !self.is_used[dof / 3]) {
                (0..6).for_each(|k| rigid[(dof, k)] = 0.0);
            }
            let at_rest = Mat::zeros(self.boundary.n_constraints(), 6);
            inertia_relief(system, &factor, at_rest.as_ref(), rigid.as_ref(), progress)
                .map_err(|source| ReduceError::of_solution(self.name, source))
        });
        let relief = relief.transpose()?;
        let (mut condensation, fields) = if is_residual {
            drop(factor);
            let (lambda, free, proof) = self.free_modes(system, wanted, options, progress)?;
            let at_boundary = self.boundary.of_fields(free.as_ref());
            let basis = constraint.modes.as_ref();
            let held = dofs(&self.boundary.points);
            let beyond = beyond_constraint_modes(free.as_ref(), basis, at_boundary.as_ref(), &held);
            let plain = Condensation::of_constraint_modes(constraint);
            let condensation = Condensation { free_lambda: lambda, proof: Some(proof), ..plain };
            (condensation, further::joined([relief.as_ref(), Some(&beyond)]))
        } else {
            let condensation = Condensation::new(system, factor, constraint, wanted, progress)
                .map_err(|source| ReduceError::Eigen { body: self.name.to_owned(), source })?;
            (condensation, further::joined([relief.as_ref(), None]))
        };
        check_interruption(progress)?;
        if fields.ncols() > 0 {
            let n_fixed = condensation.fixed_lambda.len();
            let fixed = condensation.basis.subcols(condensation.n_interface, n_fixed);
            let further = independent(system, fields, fixed, &condensation.fixed_lambda)
                .map_err(|source| ReduceError::Further { body: self.name.to_owned(), source })?;
            if further.n_dropped > 0 {
                notes.push(format!(
                    "{} of {} further interior modes are left out: they are linearly dependent up to \
                     {DEPENDENT:.0e} of their strain",
                    further.n_dropped,
                    further.n_dropped + further.lambda.len()
                ));
            }
            condensation.add(&further);
        }
        Ok(condensation)
    }

    /// Modes of the body without supports.
    fn free_modes(
        &self,
        system: &SystemMatrices,
        wanted: Wanted,
        options: &CraigBamptonOptions,
        progress: &dyn Progress,
    ) -> Result<(Vec<f64>, Mat<f64>, Proof), ReduceError> {
        let body = || self.name.to_owned();
        let shift = further::shift(system, self.points, self.is_used);
        let used = self.used().without_dofs(&self.boundary.held);
        let n_rigid = if self.boundary.held.is_empty() { 6 } else { 0 };
        let free =
            further::free_modes(system, used, n_rigid, shift, wanted, self.points, &options.solver, progress);
        free.map_err(|error| match error {
            FreeModesError::Factor(source) => ReduceError::FreeFactor { body: body(), source },
            FreeModesError::Eigen(source) => ReduceError::Eigen { body: body(), source },
        })
    }
}
