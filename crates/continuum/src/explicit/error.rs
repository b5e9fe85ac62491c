//! Why explicit dynamics cannot be set up, and why a run ends early.

use carom_contact::node_to_face::NodeToFaceError;
use carom_contact::solver::LcpError;
use carom_dynamics::{CheckpointError, NotFinite, ObserverError};
use carom_fem::assembly::AssemblyError;
use carom_fem::internal_force::SweepError;
use carom_fem::{DiscretisationError, SetError, SurfaceError};
use carom_rigid::step_error::StepError as RigidStepError;
use carom_rigid::{SystemError, TooFast};
use thiserror::Error;

/// Why a problem cannot be set up.
#[derive(Debug, Error)]
pub enum SetupError {
    /// A body without valid cells or points.
    #[error("body `{body}`: {source}")]
    Discretisation {
        /// Name of the body.
        body: String,
        /// The problem.
        source: DiscretisationError,
    },
    /// A cell that cannot be integrated.
    #[error("body `{body}`: {source}")]
    Assembly {
        /// Name of the body.
        body: String,
        /// The problem.
        source: AssemblyError,
    },
    /// The undeformed body has a cell that is turned inside out.
    #[error("body `{body}`: {source}")]
    Sweep {
        /// Name of the body.
        body: String,
        /// The problem.
        source: SweepError,
    },
    /// A set that is missing or of the wrong kind.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A surface whose faces cannot be evaluated.
    #[error("contact {pair}: {source}")]
    Surface {
        /// The pair, `BODY:SET, BODY:SET`.
        pair: String,
        /// The problem.
        source: SurfaceError,
    },
    /// A contact pair without nodes or with a limit that is not positive.
    #[error("contact {pair}: {source}")]
    Rows {
        /// The pair.
        pair: String,
        /// The problem.
        source: NodeToFaceError,
    },
    /// Two rigid bodies, which have pairs of their own, or a body with itself.
    #[error("contact {pair}: at least one of two different bodies must be deformable")]
    NoDeformable {
        /// The pair.
        pair: String,
    },
    /// A penalty whose stiffness has no meaning for nodes.
    #[error(
        "contact {pair}: {problem}; give `point_stiffness` (N/m of a node) or `stiffness` (Pa/m), or take \
         `law = {{ kind = \"lagrange\" }}`, which needs none"
    )]
    Penalty {
        /// The pair.
        pair: String,
        /// The problem.
        problem: String,
    },
    /// Two supports of one point disagree.
    #[error(
        "body `{body}`: supports `{first}` and `{second}` hold the same points at different places along {direction}"
    )]
    SupportsDiffer {
        /// Name of the body.
        body: String,
        /// Set of one support.
        first: String,
        /// Set of the other.
        second: String,
        /// x, y or z.
        direction: char,
    },
    /// A support of a rigid body.
    #[error("body `{body}` is rigid: it takes no support; `fixed = true` holds it in space")]
    RigidSupport {
        /// Name of the body.
        body: String,
    },
    /// A pressure on a rigid body.
    #[error("body `{body}` is rigid: it takes no pressure; put a force on it")]
    RigidPressure {
        /// Name of the body.
        body: String,
    },
    /// A force at a point of a deformable body.
    #[error(
        "body `{body}`: a force at point `{part}` of a deformable body would be a singular load; put it on a set (known: {known})"
    )]
    PointForce {
        /// Name of the body.
        body: String,
        /// The point.
        part: String,
        /// Sets of the body.
        known: String,
    },
    /// A torque on points in a line.
    #[error("body `{body}`: set `{part}` cannot take a torque: its points lie on a line")]
    NoLever {
        /// Name of the body.
        body: String,
        /// The set.
        part: String,
    },
    /// A function of time that is not finite.
    #[error("the scale of a force on body `{body}`: {source}")]
    Scale {
        /// Name of the body.
        body: String,
        /// The problem.
        source: NotFinite,
    },
    /// Rigid bodies that make no system.
    #[error(transparent)]
    Rigid(#[from] SystemError),
    /// A rigid body that turns too far in a step.
    #[error("body `{body}`: {source}; shorten `simulation.time_step`")]
    TooFast {
        /// Name of the body.
        body: String,
        /// The problem.
        source: TooFast,
    },
    /// No step is known.
    #[error(
        "all bodies are rigid: no cell limits the step; give `simulation.time_step`, or take the scheme `rigid`"
    )]
    NoStep,
    /// A setting that is not positive and finite.
    #[error("`{name}` is {value}; it must be positive and finite{more}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// More of its range, after a comma.
        more: &'static str,
    },
}

/// Why a step failed.
#[derive(Debug, Error)]
pub enum StepError {
    /// A cell is turned inside out, or the motion has become infinite.
    #[error("at t = {time:.6e} s, step {step}: body `{body}`: {source}; or a smaller `simulation.courant`")]
    Sweep {
        /// When \[s\].
        time: f64,
        /// Number of the step.
        step: u64,
        /// Name of the body.
        body: String,
        /// The problem.
        source: SweepError,
    },
    /// The multipliers of a step were not found.
    #[error("at t = {time:.6e} s: {n_rows} gaps between {bodies}: {source}")]
    Contact {
        /// When \[s\].
        time: f64,
        /// Gaps of the problem.
        n_rows: usize,
        /// Names of the bodies.
        bodies: String,
        /// The problem.
        source: LcpError,
    },
    /// The rigid bodies.
    #[error(transparent)]
    Rigid(#[from] RigidStepError),
    /// A rigid body that turns too far in a step.
    #[error("at t = {time:.6e} s: body `{body}`: {source}; shorten the step")]
    TooFast {
        /// When \[s\].
        time: f64,
        /// Name of the body.
        body: String,
        /// The problem.
        source: TooFast,
    },
}

/// Why a run ended early. What was handed to the observer before stays valid.
#[derive(Debug, Error)]
pub enum RunError {
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The result could not be kept.
    #[error(transparent)]
    Observer(#[from] ObserverError),
    /// The checkpoint does not belong to this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The user stopped the run.
    #[error("interrupted at t = {time:.9e} s of {end_time:.3e} s")]
    Interrupted {
        /// When \[s\].
        time: f64,
        /// Where the run was going \[s\].
        end_time: f64,
    },
}
