//! Static response of a whole body to forces, under inertia relief if it is free (docs/theory/reduction.md,
//! eq. (20)).

use carom_fem::SystemMatrices;
use carom_linalg::{DofSet, FactorError, IterationError};
use carom_progress::Progress;
use faer::{Mat, MatMut, MatRef};

use crate::attachment::Attached;
use crate::correction::{Correction, REFINED, refine};
use crate::motions::RigidMotions;
use crate::solve::solve_free;
use crate::solver::{Interior, Operator, SolverChoice, Space};
use crate::ties::Ties;

/// Number of columns that are solved together.
const CHUNK: usize = 96;

/// Number of columns that are solved together by iteration.
const GROUP: usize = 8;

/// Assumed number of load columns, for the estimate of the memory.
const LOADS: usize = 32;

/// The flexibility of a body with inertia relief of the rigid motions that the supports leave:
///
/// ```text
/// u = A K⁻¹ Aᵀ f,    A = 1 − R (Rᵀ M R)⁻¹ Rᵀ M
/// ```
///
/// K⁻¹ is the inverse for the body held by its supports and by as many further dofs as motions R are left.
/// These dofs have no effect: Aᵀ f is in equilibrium, and A removes the rigid motion that they cause. For
/// loads in equilibrium, Rᵀ f = 0, u is the exact displacement except for a rigid motion.
///
/// Where the inverse has large rounding errors (a long body on a small support), solutions are refined to the
/// accuracy of the stiffness.
///
/// Sets may be tied rigidly; in a body with rigid motions the first of them is held instead of single dofs.
#[derive(Debug)]
pub struct Flexibility {
    /// Stiffness and mass.
    pub system: SystemMatrices,
    inverse: Interior,
    /// R and M R (Rᵀ M R)⁻¹, one column per motion.
    motions: Mat<f64>,
    weighted: Mat<f64>,
    ties: Option<Ties>,
    /// True if solutions are refined.
    is_refined: bool,
}

impl Flexibility {
    /// Computes the inverse.
    ///
    /// * `free` — dofs that supports do not hold, of points with cells
    /// * `points` — positions of all points \[m\]
    /// * `motions` — the rigid motions that the supports leave
    /// * `choice` — by a factor or by iteration
    ///
    /// # Errors
    ///
    /// [`FactorError`], also if the body has motions without strain besides the given ones.
    ///
    /// # Panics
    ///
    /// If the body has no mass.
    pub fn new(
        system: SystemMatrices,
        free: &[[bool; 3]],
        points: &[[f64; 3]],
        motions: &RigidMotions,
        choice: &SolverChoice,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        Self::with_ties(system, free, points, motions, &[], choice, progress)
    }

    /// The same for a body with rigid sets.
    ///
    /// * `rigid` — these sets, without common points, of points that supports do not hold
    ///
    /// # Errors
    ///
    /// As [`Flexibility::new`].
    ///
    /// # Panics
    ///
    /// If the body has no mass.
    pub fn with_ties(
        system: SystemMatrices,
        free: &[[bool; 3]],
        points: &[[f64; 3]],
        motions: &RigidMotions,
        rigid: &[Attached],
        choice: &SolverChoice,
        progress: &dyn Progress,
    ) -> Result<Self, FactorError> {
        let mut flags = free.to_vec();
        if rigid.is_empty() {
            for dof in motions.holding_dofs(points, |i, d| free[i][d]) {
                flags[dof / 3][dof % 3] = false;
            }
        }
        for &point in rigid.iter().flat_map(|set| &set.points) {
            flags[point as usize] = [false; 3];
        }
        let r = Mat::from_fn(3 * points.len(), motions.len(), |dof, k| {
            if free[dof / 3][dof % 3] { motions.at(k, &points[dof / 3])[dof % 3] } else { 0.0 }
        });
        let weighted = weights(&system, &r);
        let operator = Operator { k: &system.stiffness, shifted_mass: None, points };
        let columns = 2 * motions.len() + 12 * rigid.len() + LOADS;
        let beside = 8 * (system.stiffness.n_dofs() * columns) as u64;
        let inverse =
            Interior::new(operator, Space::Free(DofSet::from_flags(flags)), choice, beside, progress)?;
        let ties = (!rigid.is_empty())
            .then(|| Ties::new(&system, &inverse, rigid, !motions.is_empty(), progress))
            .transpose()?;
        let mut own = Self { system, inverse, motions: r, weighted, ties, is_refined: false };
        own.is_refined = own.rounding(progress)? > REFINED;
        Ok(own)
    }

    /// Relative size of the correction of a solution for test loads; an iterative solver reports its own
    /// error.
    fn rounding(&self, progress: &dyn Progress) -> Result<f64, FactorError> {
        if self.is_iterative() {
            return Ok(0.0);
        }
        let varied =
            Mat::from_fn(self.system.stiffness.n_dofs(), 2, |i, j| ((i * (7 + 6 * j)) as f64 * 0.37).sin());
        let mut force = self.system.mass.product(varied.as_ref());
        self.balance(force.as_mut());
        let mut answer = force.clone();
        self.solve(answer.as_mut(), progress)?;
        Ok(self.correction(&force, answer.as_ref(), progress)?.size(answer.as_ref(), force.as_ref()))
    }

    /// True if there is no factor.
    pub fn is_iterative(&self) -> bool {
        self.inverse.is_iterative()
    }

    /// A note about the iterative solutions so far.
    ///
    /// * `choice` — the choice of the user
    pub fn note(&self, choice: &SolverChoice) -> Option<String> {
        self.inverse.note_on_statics(choice)
    }

    /// Computes displacements from forces in place, one column each: \[N\] to \[m\].
    ///
    /// # Errors
    ///
    /// [`IterationError`]; with a factor only [`IterationError::Refinement`], for a body that is singular up
    /// to rounding.
    pub fn respond(&self, mut x: MatMut<'_, f64>, progress: &dyn Progress) -> Result<(), IterationError> {
        self.balance(x.as_mut());
        let force = self.is_refined.then(|| x.to_owned());
        self.solve(x.as_mut(), progress)?;
        if let Some(force) = force {
            refine(x.as_mut(), force.as_ref(), |x| self.correction(&force, x, progress))?;
        }
        if self.motions.ncols() > 0 {
            let parts = self.weighted.transpose() * x.as_ref();
            x -= &self.motions * parts;
        }
        Ok(())
    }

    /// f ← Aᵀ f: subtracts the inertia forces of the acceleration that the forces cause.
    fn balance(&self, mut force: MatMut<'_, f64>) {
        if self.motions.ncols() > 0 {
            let parts = self.motions.transpose() * force.as_ref();
            force -= &self.weighted * parts;
        }
    }

    /// K⁻¹ f of the held body.
    fn solve(&self, x: MatMut<'_, f64>, progress: &dyn Progress) -> Result<(), IterationError> {
        match &self.ties {
            Some(ties) => ties.solve_in_place(&self.inverse, x, progress),
            None => solve_free(&self.inverse, x, progress),
        }
    }

    /// The residual forces of a solution, and its correction.
    fn correction(
        &self,
        force: &Mat<f64>,
        x: MatRef<'_, f64>,
        progress: &dyn Progress,
    ) -> Result<Correction, IterationError> {
        let residual = force - self.system.stiffness.product(x);
        let mut change = residual.clone();
        self.solve(change.as_mut(), progress)?;
        Ok(Correction { residual, change })
    }

    /// Displacements under forces on all points.
    ///
    /// # Errors
    ///
    /// [`IterationError`]; never with a factor.
    pub fn displacement(
        &self,
        force: &[[f64; 3]],
        progress: &dyn Progress,
    ) -> Result<Vec<[f64; 3]>, IterationError> {
        let mut x = column(force);
        self.respond(x.as_mut(), progress)?;
        Ok(vectors(&x))
    }

    /// Displacements of some points under forces on them, one answer for each list of forces.
    ///
    /// * `points` — numbers of the points
    /// * `loads` — for each load the force on each of these points \[N\]
    ///
    /// # Errors
    ///
    /// [`IterationError`]; never with a factor.
    pub fn displacements_at(
        &self,
        points: &[u32],
        loads: &[Vec<[f64; 3]>],
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<[f64; 3]>>, IterationError> {
        let mut x = Mat::zeros(self.system.stiffness.n_dofs(), loads.len());
        for (k, load) in loads.iter().enumerate() {
            for (&point, f) in points.iter().zip(load) {
                (0..3).for_each(|a| x[(3 * point as usize + a, k)] = f[a]);
            }
        }
        self.respond(x.as_mut(), progress)?;
        let at = |k: usize| points.iter().map(|&p| [0, 1, 2].map(|a| x[(3 * p as usize + a, k)])).collect();
        Ok((0..loads.len()).map(at).collect())
    }

    /// K u.
    pub fn forces(&self, displacement: &[[f64; 3]]) -> Vec<[f64; 3]> {
        vectors(&self.system.stiffness.product(column(displacement).as_ref()))
    }

    /// The flexibility among some points, 3n × 3n, symmetric \[m/N\].
    ///
    /// # Errors
    ///
    /// [`IterationError`], also if the user stopped it.
    pub fn compliance(&self, points: &[u32], progress: &dyn Progress) -> Result<Mat<f64>, IterationError> {
        let n = 3 * points.len();
        let dof = |i: usize| 3 * points[i / 3] as usize + i % 3;
        let mut u = Mat::zeros(n, n);
        progress.begin("compliance of the contact zones", n as u64);
        let chunk = if self.is_iterative() { GROUP } else { CHUNK };
        for start in (0..n).step_by(chunk) {
            let width = chunk.min(n - start);
            let mut x = Mat::zeros(self.system.stiffness.n_dofs(), width);
            (0..width).for_each(|k| x[(dof(start + k), k)] = 1.0);
            self.respond(x.as_mut(), progress)?;
            for k in 0..width {
                (0..n).for_each(|i| u[(i, start + k)] = x[(dof(i), k)]);
            }
            progress.set((start + width) as u64);
            if progress.interrupted() {
                return Err(IterationError::Interrupted);
            }
        }
        progress.end();
        Ok(Mat::from_fn(n, n, |i, j| 0.5 * (u[(i, j)] + u[(j, i)])))
    }
}

/// M R (Rᵀ M R)⁻¹ by Gauss' elimination of a small symmetric matrix.
pub(crate) fn weights(system: &SystemMatrices, r: &Mat<f64>) -> Mat<f64> {
    let mr = system.mass.product(r.as_ref());
    let n = r.ncols();
    let gram = r.transpose() * &mr;
    let gram = nalgebra::DMatrix::from_fn(n, n, |i, j| 0.5 * (gram[(i, j)] + gram[(j, i)]));
    let inverse = gram.cholesky().expect("independent rigid motions of a body with mass").inverse();
    &mr * Mat::from_fn(n, n, |i, j| inverse[(i, j)])
}

/// Vectors of all points as one column.
fn column(vectors: &[[f64; 3]]) -> Mat<f64> {
    Mat::from_fn(3 * vectors.len(), 1, |dof, _| vectors[dof / 3][dof % 3])
}

/// The inverse of [`column`].
fn vectors(column: &Mat<f64>) -> Vec<[f64; 3]> {
    (0..column.nrows() / 3).map(|i| [0, 1, 2].map(|d| column[(3 * i + d, 0)])).collect()
}
