//! Errors of implicit elastodynamics.

use carom_contact::node_to_face::NodeToFaceError;
use carom_fem::assembly::AssemblyError;
use carom_fem::internal_force::SweepError;
use carom_fem::{DiscretisationError, SetError, SurfaceError};
use carom_linalg::sparse::SparseError;
use thiserror::Error;

/// Errors from preparing a body.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The body has no valid cells or points.
    #[error(transparent)]
    Discretisation(#[from] DiscretisationError),
    /// A cell cannot be integrated.
    #[error(transparent)]
    Assembly(#[from] AssemblyError),
    /// The tangent has no regular pattern.
    #[error(transparent)]
    Pattern(#[from] SparseError),
    /// A law with history.
    #[error(
        "the law `{law}` has a history of deformation: implicit elastodynamics takes elastic laws; use the \
         scheme `explicit` for it"
    )]
    NotElastic {
        /// Name of the law.
        law: String,
    },
    /// A set without faces.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A set whose faces cannot touch.
    #[error("the surface `{body}:{set}`: {source}")]
    Surface {
        /// Name of the body.
        body: String,
        /// Name of the set.
        set: String,
        /// The problem.
        source: SurfaceError,
    },
    /// No rows between two surfaces.
    #[error(transparent)]
    Rows(#[from] NodeToFaceError),
    /// Generalised-α with contact.
    #[error(
        "generalised-alpha takes no contact of unreduced bodies: its forces are those of two times; use \
         `energy-momentum` or `midpoint`"
    )]
    NoContact,
    /// A spectral radius out of range.
    #[error("the spectral radius of generalised-alpha is {radius}, must be from 0 to 1")]
    Radius {
        /// The value.
        radius: f64,
    },
}

/// Errors from a step. The state is still that before it.
#[derive(Debug, Error)]
pub enum StepError {
    /// The end of the step inverts a cell.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// The tangent is singular.
    #[error("the tangent of a step of {step:e} s: {source}")]
    Tangent {
        /// Length of the step \[s\].
        step: f64,
        /// The problem.
        source: SparseError,
    },
    /// A node in contact has left its face by more than the size of the face.
    #[error(
        "a node of {} slides over more than a face of {} in a step; use a smaller step", between[0], between[1]
    )]
    Slid {
        /// The two surfaces.
        between: [String; 2],
    },
    /// Newton's method does not converge.
    #[error(
        "a step of {step:e} s has no solution after {iterations} iterations of Newton's method (residual \
         {residual:.1e} of the forces); use a smaller step"
    )]
    NotConverged {
        /// Length of the step \[s\].
        step: f64,
        /// Iterations.
        iterations: usize,
        /// Last residual relative to the forces.
        residual: f64,
    },
}
