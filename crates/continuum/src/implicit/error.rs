//! Errors of implicit elastodynamics.

use carom_contact::node_to_face::NodeToFaceError;
use carom_fem::assembly::AssemblyError;
use carom_fem::internal_force::SweepError;
use carom_fem::{DiscretisationError, SetError, SurfaceError};
use carom_linalg::FactorError;
use carom_linalg::sparse::SparseError;
use thiserror::Error;

use super::StepsError;

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
    /// The mass of a body has no factor.
    #[error("the mass of body `{body}`: {source}")]
    Mass {
        /// Name of the body.
        body: String,
        /// The problem.
        source: FactorError,
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
    /// A setting without a meaning.
    #[error("{name} is {value} s; it must be a positive number")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// A body that does not deform.
    #[error(
        "body `{body}` is rigid or reduced: implicit steps of unreduced bodies take deformable ones alone; \
         remove `rigid` and `reduce` and give a body that is to rest a [[support]], or choose the scheme \
         `explicit`"
    )]
    NotDeformable {
        /// Name of the body.
        body: String,
    },
    /// A body of shells or beams.
    #[error("body `{body}` has shells or beams, which the scheme `explicit` alone moves")]
    Structural {
        /// Name of the body.
        body: String,
    },
    /// Bulk viscosity, which explicit steps need for shocks.
    #[error("body `{body}`: bulk viscosity is for the scheme `explicit`; remove `bulk_viscosity`")]
    Viscosity {
        /// Name of the body.
        body: String,
    },
    /// Other elements than those with all points.
    #[error(
        "body `{body}`: implicit steps take elements with all quadrature points; remove `elements`, and use \
         quadratic cells for a material that is nearly incompressible"
    )]
    Elements {
        /// Name of the body.
        body: String,
    },
    /// Contact by a penalty without a stiffness.
    #[error(
        "contact between {pair}: {problem}; give `stiffness` (Pa/m) or `factor` in `law`, or remove `law` \
         for contact by multipliers"
    )]
    Penalty {
        /// Names of the bodies.
        pair: String,
        /// The problem.
        problem: String,
    },
    /// Hard contact with friction.
    #[error(
        "contact between {pair}: friction of the conserving schemes is that of springs; set \
         `law = {{ kind = \"penalty\" }}`, or `friction = 0`"
    )]
    Friction {
        /// Names of the bodies.
        pair: String,
    },
    /// The mixed formulation over faces that it does not have.
    #[error(
        "contact between {pair}: the mixed formulation has flat and bilinear faces of meshes, those of the \
         second surface have more points; remove `contact_gradient`, or name a surface of first order second"
    )]
    MixedFaces {
        /// Names of the bodies.
        pair: String,
    },
    /// A body that touches itself.
    #[error("contact between {pair}: a surface that touches its own body is for the scheme `explicit`")]
    SameBody {
        /// Names of the bodies.
        pair: String,
    },
    /// Cells that are inverted at the start.
    #[error(transparent)]
    Start {
        /// The problem.
        source: StepError,
    },
    /// A support or a load.
    #[error(transparent)]
    Problem(#[from] crate::explicit::SetupError),
    /// No rows between two surfaces.
    #[error(transparent)]
    Rows(#[from] NodeToFaceError),
    /// Generalised-α with contact.
    #[error(
        "generalised-alpha takes no contact of unreduced bodies: its forces are those of two times; remove \
         `spectral_radius`, or use the scheme `energy-momentum`"
    )]
    NoContact,
    /// Generalised-α with pressures.
    #[error(
        "body `{body}`: generalised-alpha takes no pressures, which follow the faces in the middle of a \
         step; remove `spectral_radius`, or give the load as a [[force]]"
    )]
    Pressed {
        /// Name of the body.
        body: String,
    },
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
    #[error("body `{body}`: {source}")]
    Sweep {
        /// Name of the body.
        body: String,
        /// The problem.
        source: SweepError,
    },
    /// The tangent is singular.
    #[error("the tangent of a step of {step:e} s: {source}")]
    Tangent {
        /// Length of the step \[s\].
        step: f64,
        /// The problem.
        source: SparseError,
    },
    /// The symmetric part of the tangent has no factor.
    #[error("the tangent of a step: {0}")]
    Factor(#[from] FactorError),
    /// A node in contact has left its face by more than the size of the face.
    #[error(
        "a node of {} slides over more than a face of {} in a step",
        between[0], between[1]
    )]
    Slid {
        /// The two surfaces.
        between: [String; 2],
    },
    /// The caller has stopped the step.
    #[error("the step was interrupted")]
    Interrupted,
    /// Newton's method does not converge.
    #[error(
        "a step of {step:e} s has no solution after {iterations} iterations of Newton's method (residual \
         {residual:.1e} of the forces)"
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

/// Error of a run.
pub type RunError = carom_dynamics::RunError<StepsError>;

impl From<StepsError> for RunError {
    fn from(error: StepsError) -> Self {
        Self::Step(error)
    }
}
