//! Errors from setting up a static problem, from solving it, and from a run.

use carom_contact::submodel::{SetupError as ContactSetupError, SolveError};
use carom_dynamics::{CheckpointError, ObserverError};
use carom_fem::{AssemblyError, DiscretisationError, SetError, SurfaceError};
use carom_linalg::{FactorError, IterationError};
use thiserror::Error;

use super::GridError;
use crate::half_space::PlacedModelError;

/// No support or contact resists the loads of a body.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "body `{body}` is not in equilibrium: nothing holds it {motion} against a load of {force:.6e} N; add a \
     [[support]] or a [[contact]] that does"
)]
pub struct NotHeld {
    /// Name of the body.
    pub body: String,
    /// Its free motion.
    pub motion: String,
    /// The load in that direction \[N\].
    pub force: f64,
}

/// Errors from setting up a static problem.
#[derive(Debug, Error)]
pub enum SetupError {
    /// A deformable body has `fixed = true`.
    #[error(
        "body `{body}` is deformable: `fixed` holds rigid bodies; hold a set of it by [[support]] with `on = \
         \"{body}:SET\"` (its sets are {known})"
    )]
    Fixed {
        /// Name of the body.
        body: String,
        /// Its sets.
        known: String,
    },
    /// A body has no discretisation.
    #[error("body `{body}`: {source}")]
    Discretisation {
        /// Name of the body.
        body: String,
        /// The error.
        source: DiscretisationError,
    },
    /// A set cannot be used.
    #[error(transparent)]
    Set(#[from] SetError),
    /// A support holds rotations.
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
    /// Two supports give the same points different displacements.
    #[error(
        "body `{body}`: the supports of `{first}` and `{second}` share points and move them differently \
         along {direction}; let one of them leave that direction free"
    )]
    SupportsDiffer {
        /// Name of the body.
        body: String,
        /// Set of the first.
        first: String,
        /// Set of the second.
        second: String,
        /// x, y or z.
        direction: char,
    },
    /// Supports would strain a rigid body.
    #[error(
        "body `{body}` is rigid, but its supports move parts of it {misfit:.3e} m apart; move them alike"
    )]
    StrainsRigid {
        /// Name of the body.
        body: String,
        /// Largest difference from a rigid motion \[m\].
        misfit: f64,
    },
    /// A force is at a point of a deformable body.
    #[error(
        "body `{body}`: a force acts at the point `{part}`, but under a point force a deformable body has no \
         finite displacement; name a set to spread it over (it has {known})"
    )]
    PointForce {
        /// Name of the body.
        body: String,
        /// Name of the point.
        part: String,
        /// Its sets.
        known: String,
    },
    /// A torque is on points that lie on a line.
    #[error("body `{body}`: the set `{part}` has no lever arm for a torque; name a larger set")]
    NoLever {
        /// Name of the body.
        body: String,
        /// The set.
        part: String,
    },
    /// Stiffness and mass could not be assembled.
    #[error("body `{body}`: {source}")]
    Assembly {
        /// Name of the body.
        body: String,
        /// The error.
        source: AssemblyError,
    },
    /// The stiffness could not be inverted, or a solution without a factor was not found.
    #[error("body `{body}`: {source}")]
    Factor {
        /// Name of the body.
        body: String,
        /// The error.
        source: FactorError,
    },
    /// A contact cannot be set up.
    #[error(transparent)]
    Contact(#[from] ContactSetupError),
    /// A surface of a contact on a grid cannot be evaluated.
    #[error("body `{body}`: {source}")]
    Surface {
        /// Name of the body.
        body: String,
        /// The error.
        source: SurfaceError,
    },
    /// The loads of a contact on a grid cannot be laid.
    #[error(transparent)]
    Places(#[from] PlacedModelError),
    /// A contact cannot have a grid.
    #[error("contact `{first}` / `{second}` on a half-space grid: {source}")]
    Grid {
        /// The first surface.
        first: String,
        /// The second surface.
        second: String,
        /// The error.
        source: GridError,
    },
    /// Contacts of both kinds.
    #[error(
        "contact between {mesh}: the meshes resolve it, and the contact between {grid} has a half-space \
         grid; all contacts of a static problem have one kind: give both `compliance = \"half-space\"`"
    )]
    MixedCompliance {
        /// A contact on a grid.
        grid: String,
        /// A contact of meshes.
        mesh: String,
    },
    /// No support resists the loads of a body without contact.
    #[error(transparent)]
    NotHeld(#[from] NotHeld),
    /// The user stopped the run.
    #[error("interrupted")]
    Interrupted,
}

impl SetupError {
    pub(super) fn factor(body: &str, source: FactorError) -> Self {
        if is_interruption(&source) {
            return Self::Interrupted;
        }
        Self::Factor { body: body.to_owned(), source }
    }

    pub(super) fn grid([first, second]: &[String; 2], source: GridError) -> Self {
        Self::Grid { first: first.clone(), second: second.clone(), source }
    }

    pub(super) fn assembly(body: &str, source: AssemblyError) -> Self {
        if matches!(source, AssemblyError::Interrupted) {
            return Self::Interrupted;
        }
        Self::Assembly { body: body.to_owned(), source }
    }

    /// True if a computation failed, false if the problem itself is invalid.
    pub fn is_convergence(&self) -> bool {
        matches!(self, Self::Factor { source, .. } if stagnates(source))
    }
}

/// Errors from the search for equilibrium under a part of the load.
#[derive(Debug, Error)]
pub enum EquilibriumError {
    /// No support or contact resists the loads of a body.
    #[error(transparent)]
    NotHeld(#[from] NotHeld),
    /// There is pressure at the rim of a contact zone where the surface continues.
    #[error(transparent)]
    Rim(#[from] RimPressure),
    /// The contact problem for given rigid motions was not solved.
    #[error("load step {step}{between}: {source}")]
    Solve {
        /// Number of the load step, from 1.
        step: usize,
        /// The zones; empty if no pair is the cause.
        between: String,
        /// The error.
        source: SolveError,
    },
    /// A contact on a half-space grid was not solved.
    #[error("load step {step}: contact `{first}` / `{second}` on a half-space grid: {source}")]
    Grid {
        /// Number of the load step, from 1.
        step: usize,
        /// The first surface.
        first: String,
        /// The second surface.
        second: String,
        /// The error.
        source: GridError,
    },
    /// The rigid motions were not found.
    #[error(
        "load step {step}: the free motions of the bodies do not come to rest in {iterations} iterations: \
         the largest force left is {residual:.3e} N of {scale:.3e} N, of body `{body}` {motion}; apply the \
         load in more `steps`, or add a [[support]] where the bodies hardly hold each other"
    )]
    NotConverged {
        /// Number of the load step, from 1.
        step: usize,
        /// Iterations made.
        iterations: usize,
        /// Largest unbalanced force \[N\].
        residual: f64,
        /// Size of the forces \[N\].
        scale: f64,
        /// The body on which it acts.
        body: String,
        /// The motion on which it acts.
        motion: String,
    },
    /// The displacements do not balance the forces to rounding.
    #[error(
        "body `{body}`: the forces balance only to {residual:.1e} of their size: the stiffness is too badly \
         conditioned; mend thin or distorted cells, or grade the mesh less"
    )]
    Unbalanced {
        /// Name of the body.
        body: String,
        /// Ratio of the largest unbalanced force to the largest force.
        residual: f64,
    },
    /// A displacement was not found.
    #[error("body `{body}`: {source}")]
    Factor {
        /// Name of the body.
        body: String,
        /// The error.
        source: FactorError,
    },
    /// The user stopped the run.
    #[error("interrupted")]
    Interrupted,
}

impl EquilibriumError {
    pub(super) fn factor(body: &str, source: FactorError) -> Self {
        if is_interruption(&source) {
            return Self::Interrupted;
        }
        Self::Factor { body: body.to_owned(), source }
    }

    pub(super) fn grid(step: usize, [first, second]: &[String; 2], source: GridError) -> Self {
        Self::Grid { step, first: first.clone(), second: second.clone(), source }
    }

    /// True if a computation failed, false if the problem itself is invalid.
    pub fn is_convergence(&self) -> bool {
        match self {
            Self::Solve { .. } | Self::Grid { .. } | Self::NotConverged { .. } | Self::Unbalanced { .. } => {
                true
            }
            Self::Factor { source, .. } => stagnates(source),
            Self::NotHeld(_) | Self::Rim(_) | Self::Interrupted => false,
        }
    }
}

/// Pressure at the rim of a contact zone where the surface continues.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "contact {pair}: the pressure reaches the rim of the zone `{zone}` (pressure cell {cell}, \
     {percent:.1} % of the force of {force:.6e} N), where the surface continues: the force would be too low; \
     make the zone larger (`pole_radius` or `zone`)"
)]
pub struct RimPressure {
    /// The pair.
    pub pair: String,
    /// The zone that is too small.
    pub zone: String,
    /// Pressure cell with the largest force of those at the rim.
    pub cell: usize,
    /// Part of the force of the pair that the cells at the rim carry \[%\].
    pub percent: f64,
    /// Force of the pair \[N\].
    pub force: f64,
}

/// Errors from a run over the load steps. Results that the observer received before remain valid.
#[derive(Debug, Error)]
pub enum RunError {
    /// A load step has no equilibrium.
    #[error(transparent)]
    Equilibrium(EquilibriumError),
    /// The observer failed.
    #[error(transparent)]
    Observer(#[from] ObserverError),
    /// The checkpoint does not belong to this run.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The user stopped the run.
    #[error("interrupted")]
    Interrupted,
}

impl From<EquilibriumError> for RunError {
    fn from(error: EquilibriumError) -> Self {
        match error {
            EquilibriumError::Interrupted => Self::Interrupted,
            error => Self::Equilibrium(error),
        }
    }
}

fn is_interruption(source: &FactorError) -> bool {
    matches!(source, FactorError::Interrupted | FactorError::Iteration(IterationError::Interrupted))
}

fn stagnates(source: &FactorError) -> bool {
    matches!(source, FactorError::Iteration(IterationError::Stagnation { .. }))
}
