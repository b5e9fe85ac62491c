//! Constraint modes and fixed-interface modes that another program computed, checked against the matrices of
//! the body.
//!
//! With C the constraint modes, r the forces of C in the interior less those of averaged sets, and Φ the
//! fixed-interface modes,
//!
//! ```text
//! |r| ≤ 1e-8 |K C|                       each column; or the rounding error of K C
//! |φ_kᵀ r| / ω_k² ≤ 1e-8 |C|_M            error of C along each mode
//! ```
//!
//! The residual alone would accept an error along soft modes, which need little force. Along the modes the
//! error is known exactly: e = C − C* is zero on the interface, so that φᵀ K e = ω² φᵀ M e = φᵀ r.
//!
//! The modes are checked by [`GivenPairs`]: orthonormal in M, with small residuals, and as many below a gap
//! as an inertia count finds. The count is made here if its factor fits into the memory. Otherwise the count
//! of the other program is compared; without one, a search by iteration looks for missing modes.

use carom_fem::SystemMatrices;
use carom_linalg::tall::gram;
use carom_linalg::{
    Bordered, Cholesky, DofSet, EigenError, EigenPairs, FactorError, GivenPairs, Pencil, Proof, Symbolic,
    Wanted,
};
use carom_progress::Progress;
use faer::Mat;

use crate::boundary::Boundary;
use crate::correction::REFINED;
use crate::frequency::hz;
use crate::solve::CHUNK;
use crate::solver::{Interior, Operator, Solver, SolverChoice, Space};

/// Largest residual of a constraint mode relative to its forces, and its largest error along a mode.
pub const SOLVED: f64 = 1e-8;

/// Largest deviation of given constraint modes from the displacements that they prescribe.
pub const PRESCRIBED: f64 = 1e-8;

/// Solutions on the interior of a body.
#[derive(Debug, Clone)]
pub struct InteriorSolutions {
    /// C, 3n × boundary dofs, all rows.
    pub constraint_modes: Mat<f64>,
    /// Fixed-interface modes, 3n × modes, orthonormal in M; at least one more than requested.
    pub fixed_modes: Mat<f64>,
    /// Number of eigenvalues below a shift \[1/s²\], as the other program counted.
    pub count: Option<(usize, f64)>,
    /// How they were computed, for a note.
    pub origin: String,
}

/// Errors of given solutions.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GivenError {
    /// The numbers of rows or columns do not fit.
    #[error(
        "they have {rows} rows and {columns} constraint modes, the body has {n_dofs} dofs and {n_boundary} \
         boundary dofs"
    )]
    Size {
        /// Rows of the constraint modes.
        rows: usize,
        /// Their number.
        columns: usize,
        /// Dofs of the body.
        n_dofs: usize,
        /// Boundary dofs.
        n_boundary: usize,
    },
    /// A constraint mode has other displacements on the boundary.
    #[error(
        "constraint mode {mode} (counted from 1) deviates by {deviation:.1e} from its unit displacement of \
         the interface (at most {PRESCRIBED:.0e})"
    )]
    Prescribed {
        /// Its number, from 1.
        mode: usize,
        /// Largest deviation \[m\].
        deviation: f64,
    },
    /// A constraint mode is not in balance.
    #[error(
        "constraint mode {mode} (counted from 1) leaves forces of {residual:.1e} in the interior, relative \
         to its own forces (at most {limit:.1e})"
    )]
    Residual {
        /// Its number, from 1.
        mode: usize,
        /// |r| over |K C|.
        residual: f64,
        /// The limit.
        limit: f64,
    },
    /// A constraint mode has an error along a fixed-interface mode.
    #[error(
        "constraint mode {mode} (counted from 1) has an error of {error:.1e} along the fixed-interface mode \
         at {hz:.6e} Hz (at most {SOLVED:.0e})"
    )]
    AlongMode {
        /// Its number, from 1.
        mode: usize,
        /// The error, relative to the constraint mode.
        error: f64,
        /// Frequency of the fixed-interface mode \[Hz\].
        hz: f64,
    },
    /// A fixed-interface mode moves the interface.
    #[error(
        "a fixed-interface mode moves the interface by {moved:.1e} of its largest displacement (at most \
         {PRESCRIBED:.0e})"
    )]
    Moves {
        /// Motion over the largest displacement.
        moved: f64,
    },
    /// A pair is not an eigenpair.
    #[error(
        "fixed-interface mode {mode} (counted from 1, {hz:.6e} Hz) has a residual K φ − ω² M φ of \
         {residual:.1e}, relative to ω² M φ (at most {limit:.1e})"
    )]
    Pair {
        /// Its number, from 1.
        mode: usize,
        /// Its frequency \[Hz\].
        hz: f64,
        /// The residual.
        residual: f64,
        /// The limit.
        limit: f64,
    },
    /// Modes are missing.
    #[error("{counted} fixed-interface modes lie below {hz:.6e} Hz, but {found} of them are given")]
    Missing {
        /// Number of given modes.
        found: usize,
        /// Counted modes.
        counted: usize,
        /// The frequency \[Hz\].
        hz: f64,
    },
    /// Too few modes are given.
    #[error(
        "{given} fixed-interface modes are given; {wanted} are requested, and at least one is needed behind \
         them with a gap between both: request fewer modes, or compute more"
    )]
    TooFew {
        /// Given modes.
        given: usize,
        /// Requested modes.
        wanted: usize,
    },
    /// Other errors of the modes.
    #[error("fixed-interface modes: {0}")]
    Eigen(#[from] EigenError),
    /// The user stopped it.
    #[error("stopped during the check of given modes")]
    Interrupted,
}

impl GivenError {
    /// The error of given pairs.
    fn of_pairs(error: EigenError) -> Self {
        match error {
            EigenError::Residual { pair, lambda, residual, floor } => Self::Pair {
                mode: pair + 1,
                hz: hz(lambda),
                residual,
                limit: carom_linalg::eigen::RESIDUAL.max(floor),
            },
            EigenError::Count { found, counted, shift } => Self::Missing { found, counted, hz: hz(shift) },
            EigenError::NoGap { given, wanted } => Self::TooFew { given, wanted },
            error if error.is_interruption() => Self::Interrupted,
            error => Self::Eigen(error),
        }
    }
}

/// The matrices and the boundary against which solutions are checked.
pub(crate) struct Check<'a> {
    pub(crate) system: &'a SystemMatrices,
    pub(crate) boundary: &'a Boundary,
    pub(crate) used: &'a DofSet,
    pub(crate) points: &'a [[f64; 3]],
    pub(crate) choice: &'a SolverChoice,
}

impl Check<'_> {
    /// Checks the sizes, and the displacements that the boundary prescribes; these are then exact.
    pub(crate) fn prescribed(&self, modes: &mut Mat<f64>) -> Result<(), GivenError> {
        let (n_dofs, n_boundary) = (self.system.stiffness.n_dofs(), self.boundary.n_dofs());
        if (modes.nrows(), modes.ncols()) != (n_dofs, n_boundary) {
            let (rows, columns) = (modes.nrows(), modes.ncols());
            return Err(GivenError::Size { rows, columns, n_dofs, n_boundary });
        }
        let mut at_rest = self.boundary.prescribed_dofs();
        at_rest.extend(&self.boundary.held);
        let given = Mat::from_fn(at_rest.len(), n_boundary, |i, j| modes[(at_rest[i], j)]);
        for j in 0..n_boundary {
            at_rest.iter().for_each(|&dof| modes[(dof, j)] = 0.0);
        }
        self.boundary.prescribe(modes.as_mut());
        let lengths = self.boundary.lengths();
        let sums = self.boundary.sums_of(modes.as_ref()) - self.boundary.sums();
        for j in 0..n_boundary {
            let at_points =
                at_rest.iter().enumerate().map(|(i, &dof)| (given[(i, j)] - modes[(dof, j)]).abs());
            let of_means = sums.col(j).iter().zip(self.boundary.mean_lengths()).map(|(s, l)| (s * l).abs());
            let deviation = largest(at_points.chain(of_means)) / lengths[j];
            if deviation.is_nan() || deviation > PRESCRIBED {
                return Err(GivenError::Prescribed { mode: j + 1, deviation });
            }
        }
        Ok(())
    }

    /// Checks the balance of constraint modes; returns the largest relative residual.
    ///
    /// * `pairs` — fixed-interface modes
    pub(crate) fn balance(
        &self,
        modes: &Mat<f64>,
        pairs: &EigenPairs,
        progress: &dyn Progress,
    ) -> Result<f64, GivenError> {
        let (stiffness, n) = (&self.system.stiffness, modes.ncols());
        let interior = self.boundary.interior(self.used);
        progress.begin("check of constraint modes", n as u64);
        let mut worst = 0.0_f64;
        for first in (0..n).step_by(CHUNK) {
            if progress.interrupted() {
                return Err(GivenError::Interrupted);
            }
            let own = modes.subcols(first, CHUNK.min(n - first));
            let mut residual = stiffness.product(own);
            let sizes: Vec<f64> = residual.col_iter().map(|column| column.norm_l2()).collect();
            self.boundary.take_mean_forces(residual.as_mut());
            interior.clear_fixed(residual.as_mut());
            let along = gram(pairs.vectors.as_ref(), residual.as_ref());
            let weighted = self.system.mass.product(own);
            for (j, size) in sizes.into_iter().enumerate() {
                let mode = first + j + 1;
                let left = residual.col(j).norm_l2() / size;
                if left.is_nan() || left > SOLVED {
                    let limit = SOLVED.max(stiffness.rounding(own.col(j)) / size);
                    if left.is_nan() || left > limit {
                        return Err(GivenError::Residual { mode, residual: left, limit });
                    }
                }
                worst = worst.max(left);
                let inertia: f64 = own.col(j).transpose() * weighted.col(j);
                for (k, &lambda) in pairs.lambda.iter().enumerate() {
                    let error = along[(k, j)].abs() / (lambda * inertia.sqrt());
                    if error.is_nan() || error > SOLVED {
                        return Err(GivenError::AlongMode { mode, error, hz: hz(lambda) });
                    }
                }
            }
            progress.set((first + own.ncols()) as u64);
        }
        progress.end();
        Ok(worst)
    }

    /// Checks the fixed-interface modes and counts them; returns the requested ones and the largest residual.
    pub(crate) fn pairs(
        &self,
        mut vectors: Mat<f64>,
        count: Option<(usize, f64)>,
        wanted: Wanted,
        progress: &dyn Progress,
    ) -> Result<(EigenPairs, f64), GivenError> {
        if matches!(wanted, Wanted::Count(0)) {
            vectors.truncate(vectors.nrows(), 0);
            let (lambda, residuals, proof) = (Vec::new(), Vec::new(), Proof::Whole);
            let none = EigenPairs { lambda, vectors, residuals, orthogonality: 0.0, proof, n_solves: 0 };
            return Ok((none, 0.0));
        }
        self.rest(&mut vectors)?;
        let SystemMatrices { stiffness: k, mass: m } = self.system;
        let pencil = Pencil { k, m, shift: 0.0 };
        progress.begin("check of fixed-interface modes", 0);
        let space = self.boundary.space(self.used);
        let given = match &space {
            Space::Free(free) => GivenPairs::new(&pencil, free, vectors, wanted),
            Space::Bordered(border) => GivenPairs::new(&pencil, border, vectors, wanted),
        };
        progress.end();
        let given = given.map_err(GivenError::of_pairs)?;
        let residual = given.residual();
        let proven = self.proven(given, &pencil, space, count, progress).map_err(GivenError::of_pairs)?;
        Ok((proven, residual))
    }

    /// Refuses modes that move the interface, the supports or the means of sets, and removes rounding there.
    fn rest(&self, vectors: &mut Mat<f64>) -> Result<(), GivenError> {
        let interior = self.boundary.interior(self.used);
        let sums = self.boundary.sums_of(vectors.as_ref());
        for j in 0..vectors.ncols() {
            let size = vectors.col(j).norm_max();
            let outside = (0..vectors.nrows()).filter(|&dof| !interior.contains(dof));
            let of_means = sums.col(j).iter().zip(self.boundary.mean_lengths()).map(|(s, l)| (s * l).abs());
            let moved = largest(outside.map(|dof| vectors[(dof, j)].abs()).chain(of_means)) / size;
            if moved.is_nan() || moved > PRESCRIBED {
                return Err(GivenError::Moves { moved });
            }
        }
        interior.clear_fixed(vectors.as_mut());
        Ok(())
    }

    /// Pairs with the proof that none is missing.
    fn proven(
        &self,
        given: GivenPairs,
        pencil: &Pencil<'_>,
        space: Space,
        count: Option<(usize, f64)>,
        progress: &dyn Progress,
    ) -> Result<EigenPairs, EigenError> {
        if self.choice.solver != Solver::Iterative {
            progress.begin("ordering", 0);
            let symbolic = Symbolic::new(&pencil.k.graph, space.definite());
            progress.end();
            match symbolic {
                Ok(symbolic) => match self.choice.missing(symbolic.factor_bytes() as u64) {
                    0 => {
                        return match space {
                            Space::Free(_) => given.count::<Cholesky>(pencil, &symbolic, progress),
                            Space::Bordered(border) => {
                                given.count::<Bordered>(pencil, &(symbolic, border), progress)
                            }
                        };
                    }
                    missing if self.choice.solver == Solver::Direct => {
                        let wanted = symbolic.factor_bytes() as u64;
                        return Err(FactorError::OutOfMemory { wanted, missing }.into());
                    }
                    _ => {}
                },
                Err(error) if self.choice.solver == Solver::Direct => {
                    return Err(FactorError::from(error).into());
                }
                Err(_) => {}
            }
        }
        if let Some((below, shift)) = count {
            return given.counted(below, shift);
        }
        let operator = Operator { k: pencil.k, shifted_mass: None, points: self.points };
        let iterative = SolverChoice { solver: Solver::Iterative, ..*self.choice };
        match Interior::new(operator, space, &iterative, 0, progress)? {
            Interior::Iterative(inverse) => given.search(pencil, &*inverse, progress),
            Interior::IterativeBordered(inverse) => given.search(pencil, &*inverse, progress),
            Interior::Definite(_) | Interior::Bordered(_) => unreachable!("an iterative solver was chosen"),
        }
    }
}

/// A note about the origin of given solutions, their residuals and the proof.
pub(crate) fn note(origin: &str, of_modes: f64, of_pairs: f64, proof: Proof, rigid: f64) -> String {
    let counted = match proof {
        Proof::Counted { shift, below } => {
            format!("; an inertia count finds {below} modes below {:.6e} Hz, as given", hz(shift))
        }
        _ => String::new(),
    };
    let soft = if rigid > REFINED {
        format!(
            "; the constraint modes reproduce rigid motions up to {rigid:.1e}, which is removed: the body is \
             soft on its interface"
        )
    } else {
        String::new()
    };
    format!(
        "interior solved elsewhere ({origin}): residuals of constraint modes up to {of_modes:.1e}, of \
         fixed-interface modes up to {of_pairs:.1e}{counted}{soft}"
    )
}

/// The largest of some numbers; NaN if one is.
fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.fold(0.0, |a: f64, b| if b.is_nan() || a.is_nan() { f64::NAN } else { a.max(b) })
}
