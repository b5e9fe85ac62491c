//! Errors from setting up explicit dynamics, and from a run.

use carom_contact::node_to_face::NodeToFaceError;
use carom_contact::solver::LcpError;
use carom_dynamics::NotFinite;
use carom_fem::assembly::AssemblyError;
use carom_fem::internal_force::SweepError;
use carom_fem::structural::StructuralError;
use carom_fem::{DiscretisationError, SetError, SurfaceError};
use carom_multibody::kinetics::MassError;
use carom_rigid::step_error::StepError as RigidStepError;
use carom_rigid::{JointError, SystemError, TooFast};
use thiserror::Error;

/// Error from setting up a problem.
#[derive(Debug, Error)]
pub enum SetupError {
    /// A joint on a body that is not rigid.
    #[error(
        "joint `{joint}`: body `{body}` is not rigid; the scheme `explicit` joins rigid bodies with each \
         other and with the ground. Make the body `rigid = true`, or reduce it and choose the scheme \
         `dynamic`"
    )]
    JointOnDeformable {
        /// Name of the joint.
        joint: String,
        /// Name of the body.
        body: String,
    },
    /// An invalid joint.
    #[error(transparent)]
    Joint(#[from] JointError),
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
    /// Shells or beams that are not possible.
    #[error("body `{body}`: {source}")]
    Structural {
        /// Name of the body.
        body: String,
        /// The problem.
        source: StructuralError,
    },
    /// Mass scaling of shells or beams.
    #[error(
        "body `{body}` has shells or beams, to which no mass is added; leave the smallest step out, or give \
         its short cells more density"
    )]
    MassOfShells {
        /// Name of the body.
        body: String,
    },
    /// A support holds rotations of a solid.
    #[error(
        "body `{body}`: the points of set `{set}` are of solid cells, which have no rotations; hold \
         displacements x, y, z of more points"
    )]
    RotationOfSolid {
        /// Name of the body.
        body: String,
        /// The set.
        set: String,
    },
    /// The undeformed body has an inverted cell.
    #[error("body `{body}`: {source}")]
    Sweep {
        /// Name of the body.
        body: String,
        /// The problem.
        source: SweepError,
    },
    /// A reduced body without its model.
    #[error("body `{body}` has no reduced model")]
    NoModel {
        /// Name of the body.
        body: String,
    },
    /// A load or support on a reduced body.
    #[error(
        "body `{body}` is reduced: the scheme `explicit` puts gravity and contact on it, and no support, \
         force or pressure; leave it unreduced for these"
    )]
    ReducedLoad {
        /// Name of the body.
        body: String,
    },
    /// A reduced body that is held.
    #[error(
        "body `{body}` is reduced and held in space: the scheme `explicit` moves free reduced bodies alone"
    )]
    HeldReduced {
        /// Name of the body.
        body: String,
    },
    /// The model has no such surface.
    #[error(
        "body `{body}` has no surface `{set}` to touch with (it has: {known}); name it as interface when \
         reducing the body"
    )]
    NoSurface {
        /// Name of the body.
        body: String,
        /// Set asked for.
        set: String,
        /// Surfaces of the model.
        known: String,
    },
    /// A reduced body in automatic contact.
    #[error(
        "body `{body}` is reduced: contact between all surfaces, `between = [\"*\"]`, is that of unreduced \
         and rigid bodies; name the surfaces of each pair"
    )]
    ReducedAutomatic {
        /// Name of the body.
        body: String,
    },
    /// A surface of a model with points that have no modes.
    #[error("body `{body}`: its model has no modes at points of its surfaces; reduce it again")]
    NoModes {
        /// Name of the body.
        body: String,
    },
    /// The mass matrix of a reduced body.
    #[error("body `{body}`: {source}")]
    Mass {
        /// Name of the body.
        body: String,
        /// The problem.
        source: MassError,
    },
    /// A set is missing or of the wrong kind.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The faces of a surface cannot be evaluated.
    #[error("contact {pair}: {source}")]
    Surface {
        /// The pair, `BODY:SET, BODY:SET`.
        pair: String,
        /// The problem.
        source: SurfaceError,
    },
    /// A contact pair has no nodes, or a limit that is not positive.
    #[error("contact {pair}: {source}")]
    Rows {
        /// The pair.
        pair: String,
        /// The problem.
        source: NodeToFaceError,
    },
    /// Both bodies of a pair are rigid; rigid bodies have pairs of their own.
    #[error("contact {pair}: at least one of the two bodies must be deformable")]
    NoDeformable {
        /// The pair.
        pair: String,
    },
    /// Both sides of a pair are on one body.
    #[error(
        "contact {pair}: both sides are on one body; a body touches itself, and all others, by \
         `between = [\"*\"]`"
    )]
    OneBody {
        /// The pair.
        pair: String,
    },
    /// A set of faces and beams in a contact.
    #[error(
        "body `{body}`: set `{set}` has faces and beams, which have different distances from their surface; \
         name a set of each, in contacts of their own"
    )]
    MixedSet {
        /// Name of the body.
        body: String,
        /// The set.
        set: String,
    },
    /// A body of shells and beams under automatic contact.
    #[error(
        "body `{body}` has shells and beams: `between = [\"*\"]` takes beams in a body of their own; divide \
         the body, or name the pairs that touch, sets of shells and sets of beams in contacts of their own"
    )]
    AutomaticBeam {
        /// Name of the body.
        body: String,
    },
    /// The stiffness of a penalty is not valid for nodes.
    #[error(
        "contact {pair}: {problem}; give `point_stiffness` (N/m of a node) or `stiffness` (Pa/m), or use \
         `law = {{ kind = \"lagrange\" }}`, which needs none"
    )]
    Penalty {
        /// The pair.
        pair: String,
        /// The problem.
        problem: String,
    },
    /// Two supports of one point contradict each other.
    #[error(
        "body `{body}`: supports `{first}` and `{second}` hold the same points at different places along \
         {direction}"
    )]
    SupportsDiffer {
        /// Name of the body.
        body: String,
        /// Set of one support.
        first: String,
        /// Set of the other.
        second: String,
        /// Direction: x, y or z.
        direction: char,
    },
    /// A support is on a rigid body.
    #[error("body `{body}` is rigid: it takes no support; `fixed = true` holds it in space")]
    RigidSupport {
        /// Name of the body.
        body: String,
    },
    /// A pressure is on a rigid body.
    #[error("body `{body}` is rigid: it takes no pressure; put a force on it")]
    RigidPressure {
        /// Name of the body.
        body: String,
    },
    /// A force is at a point of a deformable body.
    #[error(
        "body `{body}`: a force at point `{part}` of a deformable body would be a singular load; put it \
         on a set (known: {known})"
    )]
    PointForce {
        /// Name of the body.
        body: String,
        /// The point.
        part: String,
        /// Sets of the body.
        known: String,
    },
    /// A torque is on points in a line.
    #[error("body `{body}`: set `{part}` has no lever arm for a torque: its points lie on a line")]
    NoLever {
        /// Name of the body.
        body: String,
        /// The set.
        part: String,
    },
    /// A function of time is not finite.
    #[error("the scale of a force on body `{body}`: {source}")]
    Scale {
        /// Name of the body.
        body: String,
        /// The problem.
        source: NotFinite,
    },
    /// The rigid bodies do not form a valid system.
    #[error(transparent)]
    Rigid(#[from] SystemError),
    /// A rigid body rotates too far in a step.
    #[error("body `{body}`: {source}; shorten `simulation.time_step`")]
    TooFast {
        /// Name of the body.
        body: String,
        /// The problem.
        source: TooFast,
    },
    /// No step length is known.
    #[error(
        "all bodies are rigid: no cell limits the step; give `simulation.time_step`, or use the scheme \
         `rigid`"
    )]
    NoStep,
    /// A setting is not positive and finite.
    #[error("`{name}` is {value}; it must be positive and finite{more}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Further limits of its range, after a comma.
        more: &'static str,
    },
}

/// Error of a step.
#[derive(Debug, Error)]
pub enum StepError {
    /// A cell is inverted, or the motion has become infinite.
    #[error(
        "at t = {time:.6e} s, step {step}: body `{body}`: {source}; use a finer mesh there, or a \
         smaller `simulation.courant`"
    )]
    Sweep {
        /// Time \[s\].
        time: f64,
        /// Number of the step.
        step: u64,
        /// Name of the body.
        body: String,
        /// The problem.
        source: SweepError,
    },
    /// The mass matrix of a reduced body.
    #[error("at t = {time:.6e} s: body `{body}`: {source}")]
    Mass {
        /// Time \[s\].
        time: f64,
        /// Name of the body.
        body: String,
        /// The problem.
        source: MassError,
    },
    /// The time integration makes energy.
    #[error(
        "at t = {time:.6e} s: the time integration has made {made:.2e} J of energy, more than all that was \
         there: steps of {dt:.3e} s are unstable (the critical step is about {critical:.3e} s); shorten \
         `simulation.time_step`, lower `simulation.courant`, or lower the stiffness of a penalty"
    )]
    Unstable {
        /// When \[s\].
        time: f64,
        /// Energy that came from nowhere \[J\].
        made: f64,
        /// The step \[s\].
        dt: f64,
        /// The critical step \[s\].
        critical: f64,
    },
    /// The multipliers of a step do not converge.
    #[error("at t = {time:.6e} s: {n_rows} gaps between {bodies}: {source}")]
    Contact {
        /// Time \[s\].
        time: f64,
        /// Number of gaps of the problem.
        n_rows: usize,
        /// Names of the bodies.
        bodies: String,
        /// The problem.
        source: LcpError,
    },
    /// A rigid body has an error.
    #[error(transparent)]
    Rigid(#[from] RigidStepError),
    /// A rigid body rotates too far in a step.
    #[error("at t = {time:.6e} s: body `{body}`: {source}; shorten the step")]
    TooFast {
        /// Time \[s\].
        time: f64,
        /// Name of the body.
        body: String,
        /// The problem.
        source: TooFast,
    },
}

/// Error of a run.
pub type RunError = carom_dynamics::RunError<StepError>;

impl From<StepError> for RunError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}
