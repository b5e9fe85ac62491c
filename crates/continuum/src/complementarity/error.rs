//! Errors of the midpoint rule with complementarity.

use carom_contact::node_to_face::NodeToFaceError;
use carom_contact::solver::{FrictionError, LcpError, LcpMethod};
use carom_fem::assembly::AssemblyError;
use carom_fem::{DiscretisationError, SetError, SurfaceError};
use carom_linalg::FactorError;
use thiserror::Error;

/// Errors from preparing a run.
#[derive(Debug, Error)]
pub enum SetupError {
    /// A body has no valid cells or points.
    #[error("body `{body}`: {source}")]
    Discretisation {
        /// Name of the body.
        body: String,
        /// The problem.
        source: DiscretisationError,
    },
    /// A cell cannot be integrated.
    #[error("body `{body}`: {source}")]
    Assembly {
        /// Name of the body.
        body: String,
        /// The problem.
        source: AssemblyError,
    },
    /// A law of large deformation, or with history.
    #[error(
        "body `{body}` has the law `{law}`: the scheme `complementarity` has one constant stiffness; give \
         its material `law = \"linear\"`, or choose the scheme `midpoint` or `explicit`"
    )]
    NotLinear {
        /// Name of the body.
        body: String,
        /// Name of the law.
        law: &'static str,
    },
    /// A rigid body that moves, or a reduced one.
    #[error(
        "body `{body}` is rigid or reduced and moves: the scheme `complementarity` moves deformable bodies, \
         and rigid ones are walls; set `fixed = true`, remove `rigid` and `reduce`, or choose the scheme \
         `explicit`"
    )]
    Moves {
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
    #[error(
        "body `{body}`: bulk viscosity is for the scheme `explicit`; remove `bulk_viscosity`, and give the \
         body `damping = {{ stiffness = … }}`"
    )]
    Viscosity {
        /// Name of the body.
        body: String,
    },
    /// The scalar wave equation resists rotations.
    #[error(
        "body `{body}`: the law `scalar-wave` moves each component of the displacement by itself and resists \
         rotations; remove `angular_velocity`, or give its material `law = \"linear\"`"
    )]
    ScalarTurns {
        /// Name of the body.
        body: String,
    },
    /// The points beside the contact surface cannot take its mass.
    #[error(
        "body `{body}`: the mass of its contact surfaces cannot be given to other points with mass, centre \
         and inertia kept, {why}; use a finer mesh or a smaller set, or `mass = \"consistent\"`"
    )]
    NoRedistribution {
        /// Name of the body.
        body: String,
        /// The reason.
        why: &'static str,
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
    /// Contact by a penalty.
    #[error(
        "contact between {pair}: the scheme `complementarity` has contact without penetration; remove `law`, \
         or choose the scheme `explicit`"
    )]
    Penalty {
        /// The surfaces.
        pair: String,
    },
    /// A method without friction.
    #[error(
        "contact between {pair}: the method `{method}` has no friction; remove `contact_method`, set it to \
         `pgs`, or set `friction = 0`"
    )]
    FrictionMethod {
        /// The surfaces.
        pair: String,
        /// The method.
        method: LcpMethod,
    },
    /// A body that touches itself, or two walls.
    #[error(
        "contact between {pair}: one of two different bodies at least must be deformable; remove this \
         [[contact]], or choose the scheme `explicit`"
    )]
    NotTwoBodies {
        /// The surfaces.
        pair: String,
    },
    /// A support or a load.
    #[error(transparent)]
    Problem(#[from] crate::explicit::SetupError),
    /// No rows between two surfaces.
    #[error(transparent)]
    Rows(#[from] NodeToFaceError),
}

/// Errors from a step.
#[derive(Debug, Error)]
pub enum StepError {
    /// The matrix of a step has no factor.
    #[error("t = {time:.9e} s: the matrix of a step of body `{body}`: {source}")]
    Factor {
        /// Name of the body.
        body: String,
        /// Time \[s\].
        time: f64,
        /// The problem.
        source: FactorError,
    },
    /// The complementarity problem has no solution.
    #[error("t = {time:.9e} s, {rows} contact rows: {source}")]
    Complementarity {
        /// Time \[s\].
        time: f64,
        /// Number of rows.
        rows: usize,
        /// The problem.
        source: ContactError,
    },
    /// Rows keep coming while contact is solved.
    #[error(
        "t = {time:.9e} s: nodes keep passing through faces after {rounds} rounds of contact; use a smaller \
         `simulation.time_step`"
    )]
    NotSettled {
        /// Time \[s\].
        time: f64,
        /// Rounds.
        rounds: usize,
    },
    /// A surface that moves beyond the reach of the search in a step.
    #[error(
        "t = {time:.9e} s: {between} move by {moved:.3e} m towards or along each other in a step, more than \
         the {reach:.3e} m in which contact is sought; use a smaller `simulation.time_step`"
    )]
    TooFast {
        /// Time \[s\].
        time: f64,
        /// The surfaces.
        between: String,
        /// Relative motion in the step \[m\].
        moved: f64,
        /// Reach of the search \[m\].
        reach: f64,
    },
    /// A body has turned beyond linear theory.
    #[error(
        "t = {time:.9e} s: body `{body}` has turned by {turn:.2e} rad, which the linear stiffness takes for \
         a strain of {strain:.1e}; choose the scheme `energy-momentum` or `midpoint` with `law = \
         \"st-venant-kirchhoff\"`, or `quasistatic` with a floating frame"
    )]
    Turned {
        /// Name of the body.
        body: String,
        /// Time \[s\].
        time: f64,
        /// Angle \[rad\].
        turn: f64,
        /// ½ turn².
        strain: f64,
    },
}

/// Errors from the forces of contact in a step.
#[derive(Debug, Error)]
pub enum ContactError {
    /// Without friction.
    #[error(transparent)]
    Normal(#[from] LcpError),
    /// With friction.
    #[error(transparent)]
    Friction(#[from] FrictionError),
}

/// Error of a run.
pub type RunError = carom_dynamics::RunError<StepError>;

impl From<StepError> for RunError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}
