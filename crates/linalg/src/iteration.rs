//! Errors of iterative solutions, and the tolerance that they must meet.

/// Error of a solution, relative, in the norm of the strain energy.
pub const TOLERANCE: f64 = 1e-12;

/// Why an iterative solution failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum IterationError {
    /// The error does not fall any more.
    #[error(
        "the iterative solution stands at a relative error of {error:.1e} after {iterations} iterations \
         ({TOLERANCE:.0e} is needed): the mesh has very flat cells or parts that hardly hang together; mend \
         the mesh, or take a machine on which the factor fits"
    )]
    Stagnation {
        /// Relative error in the norm of the strain energy of the worst column.
        error: f64,
        /// Iterations that were done.
        iterations: usize,
    },
    /// Corrections of a solution do not become small.
    #[error(
        "corrections of a static answer stay at {correction:.1e} of it (in the norm of the strain energy): \
         held as it is, the body is so soft, by its slenderness or its grading, that its stiffness is \
         singular to rounding; hold it at a larger part or at both ends, or take cells of less unequal edges"
    )]
    Refinement {
        /// The last correction, relative to the answer, in the norm of the strain energy.
        correction: f64,
    },
    /// The matrix is not positive definite, or a load is not finite.
    #[error(
        "the stiffness is not positive definite (the energy of a direction is {energy:.1e}): some part can \
         move freely or has no stiffness"
    )]
    NotPositiveDefinite {
        /// Energy of a direction, or a pivot of the smallest level relative to its diagonal entry; NaN if
        /// there are entries that are not finite.
        energy: f64,
    },
    /// The user stopped it.
    #[error("stopped during the iterative solution")]
    Interrupted,
}

impl IterationError {
    /// Whether the iteration failed on a problem that may have a solution.
    pub fn is_convergence(&self) -> bool {
        matches!(self, Self::Stagnation { .. } | Self::Refinement { .. })
    }
}
