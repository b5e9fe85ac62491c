//! Errors of a reduction.

use carom_fem::{AssemblyError, DiscretisationError};
use carom_linalg::{DenseEigenError, EigenError, FactorError, IterationError};

use crate::comparison::ComparisonError;
use crate::frame::FrameChoiceError;
use crate::given::GivenError;
use crate::interface_error::InterfaceError;
use crate::options::LEAST_FIXED_MODES;
use crate::rigid_part::RIGID_ERROR;
use crate::solver::way_out;
use crate::variant::VariantError;

/// Errors of a reduction.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReduceError {
    /// The body cannot be discretised.
    #[error(transparent)]
    Discretisation(#[from] DiscretisationError),
    /// There is no usable interface.
    #[error(transparent)]
    Interface(#[from] InterfaceError),
    /// Stiffness and mass could not be assembled.
    #[error("body `{body}`: {source}")]
    Assembly {
        /// Name of the body.
        body: String,
        /// The cause.
        source: AssemblyError,
    },
    /// The interior stiffness could not be factorised.
    #[error("body `{body}`, interior: {source}{}", way_out(source))]
    Factor {
        /// Name of the body.
        body: String,
        /// The cause.
        source: FactorError,
    },
    /// The static response of the interior could not be computed.
    #[error("body `{body}`, static response of the interior: {source}")]
    Solution {
        /// Name of the body.
        body: String,
        /// The cause.
        source: IterationError,
    },
    /// The fixed-interface modes could not be found.
    #[error("body `{body}`, fixed-interface modes: {source}")]
    Eigen {
        /// Name of the body.
        body: String,
        /// The cause.
        source: EigenError,
    },
    /// The response of the whole body for its geometric stiffness failed.
    #[error("body `{body}`, stiffening: {source}")]
    Stiffening {
        /// Name of the body.
        body: String,
        /// The cause.
        source: ComparisonError,
    },
    /// Matrices do not tell the stress of a body.
    #[error(
        "body `{body}`: the geometric stiffness (stiffening) follows from the stress in cells, and only \
         matrices are given: leave it out, or reduce a body with a mesh"
    )]
    StiffeningOfMatrices {
        /// Name of the body.
        body: String,
    },
    /// Solutions of another program are wrong.
    #[error("body `{body}`: the given solutions are refused: {source}")]
    Given {
        /// Name of the body.
        body: String,
        /// Why.
        source: GivenError,
    },
    /// An option needs solutions that are not given.
    #[error(
        "body `{body}`: {what} needs further solutions of the body, and only constraint modes and \
         fixed-interface modes are given: leave it out, or reduce the body without given solutions"
    )]
    NotGiven {
        /// Name of the body.
        body: String,
        /// The option.
        what: &'static str,
    },
    /// A frequency is not usable.
    #[error("body `{body}`: the {what} is {hz} Hz; it must be above 0 and finite")]
    Frequency {
        /// Name of the body.
        body: String,
        /// Which one.
        what: &'static str,
        /// The frequency given \[Hz\].
        hz: f64,
    },
    /// Too few fixed-interface modes.
    #[error(
        "body `{body}`: {count} fixed-interface modes are too few: a free body needs at least \
         {LEAST_FIXED_MODES}; in the first six the body moves on its elastic interface, and without them \
         the computed force of an impact is several times too large{hint}"
    )]
    TooFewModes {
        /// Name of the body.
        body: String,
        /// Number of modes.
        count: usize,
        /// The remedy.
        hint: String,
    },
    /// Constraint modes do not reproduce rigid motions.
    #[error(
        "body `{body}`: the error of its constraint modes in rigid motions is {error:.1e} (at most \
         {RIGID_ERROR:.0e}), also after refinement: held at its interface only, the body is so soft, \
         because it is slender or graded, that its stiffness is singular to rounding; tie the set to a \
         marker (--attach SET=rigid or SET=mean) instead of using its points, use a larger interface or a \
         second marker at the other end, or cells with less different edges"
    )]
    RigidMotion {
        /// Name of the body.
        body: String,
        /// Largest deviation, relative to the motion.
        error: f64,
    },
    /// The second eigenproblem failed: the reduced body has rigid content besides its six motions, or is
    /// broken.
    #[error("body `{body}`: the reduced body has no six rigid modes apart from its elastic ones: {source}")]
    Second {
        /// Name of the body.
        body: String,
        /// The cause.
        source: DenseEigenError,
    },
    /// Options exclude each other.
    #[error("body `{body}`: {source}")]
    Variant {
        /// Name of the body.
        body: String,
        /// Why.
        source: VariantError,
    },
    /// Free modes of a body with rigid sets.
    #[error(
        "body `{body}`: modes of the free body (residual, massless boundary) do not keep `{set}` rigid; tie \
         it by its mean, or use fixed-interface modes"
    )]
    ResidualRigid {
        /// Name of the body.
        body: String,
        /// Name of the marker.
        set: String,
    },
    /// The body frame is impossible.
    #[error("body `{body}`: {source}")]
    Frame {
        /// Name of the body.
        body: String,
        /// Why.
        source: FrameChoiceError,
    },
    /// The set of requested interface modes is not an interface set.
    #[error(
        "body `{body}`: interface modes of `{set}` are requested, which is not an interface set; the \
         interface sets are {known}"
    )]
    NoInterfaceSet {
        /// Name of the body.
        body: String,
        /// The requested name.
        set: String,
        /// Names of the interface sets.
        known: String,
    },
    /// Interface modes could not be found.
    #[error("body `{body}`: the interface modes could not be found: {source}")]
    InterfaceModes {
        /// Name of the body.
        body: String,
        /// The cause.
        source: DenseEigenError,
    },
    /// The factorisation for the free modes failed.
    #[error("body `{body}`, free modes: {source}")]
    FreeFactor {
        /// Name of the body.
        body: String,
        /// The cause.
        source: FactorError,
    },
    /// Inertia-relief or residual attachment modes could not be uncoupled.
    #[error("body `{body}`: the further interior modes could not be uncoupled: {source}")]
    Further {
        /// Name of the body.
        body: String,
        /// The cause.
        source: DenseEigenError,
    },
    /// The split makes modes without mass dynamic.
    #[error(
        "body `{body}`: the split of {split} Hz is above the highest free mode that is kept, {highest} Hz, \
         and the modes of a massless boundary above it have no mass: lower the split, or keep modes up to it"
    )]
    MasslessSplit {
        /// Name of the body.
        body: String,
        /// The split \[Hz\].
        split: f64,
        /// The highest free mode \[Hz\].
        highest: f64,
    },
    /// Free modes are combined with rigid sets.
    #[error(
        "body `{body}`: set `{set}` is attached as a rigid body, but the requested free modes (residual, \
         massless boundary) are those of the body without rigid sets: attach it as mean, or use \
         fixed-interface modes"
    )]
    RigidSetOfFreeModes {
        /// Name of the body.
        body: String,
        /// Name of the set.
        set: String,
    },
    /// The basis does not fit into the memory.
    #[error(
        "body `{body}`: with {interface_dofs} interface dofs its reduction needs at least {:.1} GB of \
         memory, but the machine has {:.1} GB: {}",
        *wanted as f64 / 1e9, *limit as f64 / 1e9, crate::size::REMEDY
    )]
    OutOfMemory {
        /// Name of the body.
        body: String,
        /// Number of interface dofs.
        interface_dofs: usize,
        /// Required bytes.
        wanted: u64,
        /// Available bytes.
        limit: u64,
    },
    /// The user stopped the operation.
    #[error("stopped during the reduction")]
    Interrupted,
}

impl ReduceError {
    /// True for failures of the computation rather than of the input: the reduction is dominated by rounding
    /// or does not converge.
    pub fn is_convergence(&self) -> bool {
        match self {
            Self::RigidMotion { .. }
            | Self::Second { .. }
            | Self::InterfaceModes { .. }
            | Self::Further { .. } => true,
            Self::Eigen { source, .. } => source.is_convergence(),
            Self::Solution { source, .. } => source.is_convergence(),
            Self::Factor { source, .. } | Self::FreeFactor { source, .. } => source.is_convergence(),
            _ => false,
        }
    }

    /// The error of an iterative solution.
    pub(crate) fn of_solution(body: &str, source: IterationError) -> Self {
        match source {
            IterationError::Interrupted => Self::Interrupted,
            source => Self::Solution { body: body.to_owned(), source },
        }
    }
}
