//! Why a body could not be reduced.

use carom_fem::{AssemblyError, DiscretisationError};
use carom_linalg::{DenseEigenError, EigenError, FactorError, IterationError};

use crate::craig_bampton::{LEAST_FIXED_MODES, RIGID_ERROR};
use crate::frame::FrameChoiceError;
use crate::interface::InterfaceError;
use crate::variant::VariantError;

/// Why a body could not be reduced.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ReduceError {
    /// The body is no discretisation.
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
        /// What went wrong.
        source: AssemblyError,
    },
    /// The interior stiffness could not be factorised.
    #[error("body `{body}`, interior: {source}{}", way_out(source))]
    Factor {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: FactorError,
    },
    /// Static answers of the interior could not be found.
    #[error("body `{body}`, static answers of the interior: {source}")]
    Solution {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: IterationError,
    },
    /// The fixed-interface modes could not be found.
    #[error("body `{body}`, fixed-interface modes: {source}")]
    Eigen {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: EigenError,
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
         {LEAST_FIXED_MODES}; the first six are the body moving on its elastic interface, and without them \
         the force of an impact comes out several times too large{hint}"
    )]
    TooFewModes {
        /// Name of the body.
        body: String,
        /// Number of modes.
        count: usize,
        /// What to do.
        hint: String,
    },
    /// Constraint modes do not reproduce rigid motions.
    #[error(
        "body `{body}`: its constraint modes miss its rigid motions by {error:.1e} (at most \
         {RIGID_ERROR:.0e}) also after refinement: held at its interface alone it is so soft, by its \
         slenderness or its grading, that its stiffness is singular to rounding; hold the set as a whole by \
         a marker (--attach SET=rigid or SET=mean) in place of its points, take a larger interface or a \
         second marker at the other end, or cells of less unequal edges"
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
        /// What went wrong.
        source: DenseEigenError,
    },
    /// Choices do not go together.
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
         it by its mean, or leave residual modes out"
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
    /// A set whose dofs are to be reduced is no interface set.
    #[error(
        "body `{body}`: interface modes of `{set}` are wanted, which is no interface set; these are {known}"
    )]
    NoInterfaceSet {
        /// Name of the body.
        body: String,
        /// Name asked for.
        set: String,
        /// Names of the interface sets.
        known: String,
    },
    /// Interface modes could not be found.
    #[error("body `{body}`: the interface modes could not be found: {source}")]
    InterfaceModes {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: DenseEigenError,
    },
    /// The free modes could not be factorised for.
    #[error("body `{body}`, free modes: {source}")]
    FreeFactor {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: FactorError,
    },
    /// Inertia-relief or residual attachment modes could not be uncoupled.
    #[error("body `{body}`: the further interior modes could not be uncoupled: {source}")]
    Further {
        /// Name of the body.
        body: String,
        /// What went wrong.
        source: DenseEigenError,
    },
    /// Dynamic modes without mass.
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
    /// Free modes beside rigid sets.
    #[error(
        "body `{body}`: set `{set}` is attached as a rigid body, and the free modes that were asked for \
         (residual, massless boundary) are those of the body without such sets: attach it as mean, or take \
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
        "body `{body}`: with {interface_dofs} interface dofs its reduction takes at least {:.1} GB of \
         memory, and there are {:.1} GB: {}",
        *wanted as f64 / 1e9, *limit as f64 / 1e9, crate::size::REMEDY
    )]
    OutOfMemory {
        /// Name of the body.
        body: String,
        /// Number of interface dofs.
        interface_dofs: usize,
        /// Bytes that are needed.
        wanted: u64,
        /// Bytes that there are.
        limit: u64,
    },
    /// The user stopped it.
    #[error("stopped during the reduction")]
    Interrupted,
}

impl ReduceError {
    /// Whether numbers are at fault and not the input: the body is sound, but its reduction ends in rounding
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

    /// Of a solution without a factor.
    pub(crate) fn of_solution(body: &str, source: IterationError) -> Self {
        match source {
            IterationError::Interrupted => Self::Interrupted,
            source => Self::Solution { body: body.to_owned(), source },
        }
    }
}

/// What else there is if a factor does not fit.
pub(crate) fn way_out(source: &FactorError) -> &'static str {
    match source {
        FactorError::OutOfMemory { .. } => {
            "; or leave the solver at `auto`, which then goes on without a factor"
        }
        _ => "",
    }
}
