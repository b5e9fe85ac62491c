//! Why no equilibrium was found.

use carom_contact::submodel::{SetupError, SolveError};
use carom_fem::AssemblyError;
use carom_linalg::{FactorError, IterationError};
use thiserror::Error;

/// Why no equilibrium was found.
#[derive(Debug, Error)]
pub enum StaticError {
    /// A deformable body with `fixed = true`.
    #[error(
        "body `{body}` is deformable: `fixed` holds rigid bodies; name what holds it by [[support]] with `on \
         = \"{body}:SET\"` (its sets are {known})"
    )]
    Fixed {
        /// Name of the body.
        body: String,
        /// Its sets.
        known: String,
    },
    /// Two supports want different displacements of the same points.
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
    /// Supports that would strain a rigid body.
    #[error(
        "body `{body}` is rigid, but its supports move parts of it {misfit:.3e} m apart; move them alike"
    )]
    StrainsRigid {
        /// Name of the body.
        body: String,
        /// Largest difference from a rigid motion \[m\].
        misfit: f64,
    },
    /// A force at a place where a deformable body cannot take it.
    #[error(
        "body `{body}`: a force acts at the point `{part}`, but under a point force a deformable body has no \
         finite displacement; name a set to spread it over (it has {known})"
    )]
    PointForce {
        /// Name of the body.
        body: String,
        /// The marker.
        part: String,
        /// Its sets.
        known: String,
    },
    /// A torque on points that lie on a line.
    #[error("body `{body}`: the set `{part}` has no lever arm to take up a torque; name a larger set")]
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
        /// What is wrong.
        source: AssemblyError,
    },
    /// The stiffness could not be inverted, or an answer was not found without a factor.
    #[error("body `{body}`: {source}")]
    Factor {
        /// Name of the body.
        body: String,
        /// What is wrong.
        source: FactorError,
    },
    /// A contact cannot be set up.
    #[error(transparent)]
    Contact(#[from] SetupError),
    /// Nothing resists the loads of a body.
    #[error(
        "body `{body}` is not in equilibrium: nothing holds it {motion} against a load of {force:.6e} N; add \
         a [[support]] or a [[contact]] that does"
    )]
    NotHeld {
        /// Name of the body.
        body: String,
        /// How it can move.
        motion: String,
        /// The load in that direction \[N\].
        force: f64,
    },
    /// Pressure where a contact zone ends but the surface goes on.
    #[error(
        "contact {pair}: the pressure reaches the rim of the zone `{zone}` (span {span}, {percent:.1} % of \
         the force of {force:.6e} N), where the surface goes on: the force would be too low; make the zone \
         larger (`pole_radius` or `zone`)"
    )]
    Rim {
        /// The pair.
        pair: String,
        /// The zone that is too small.
        zone: String,
        /// Span with the largest force of those at the rim.
        span: usize,
        /// Part of the force of the pair that they carry \[%\].
        percent: f64,
        /// Force of the pair \[N\].
        force: f64,
    },
    /// The contact problem for given rigid motions was not solved.
    #[error("load step {step}{between}: {source}")]
    Solve {
        /// Number of the load step, from 1.
        step: usize,
        /// The zones, or nothing if no pair is to blame.
        between: String,
        /// Why.
        source: SolveError,
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
        /// Largest force that is left \[N\].
        residual: f64,
        /// Size of the forces \[N\].
        scale: f64,
        /// The body that it acts on.
        body: String,
        /// How.
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
        /// Largest force left over the largest force.
        residual: f64,
    },
}

impl StaticError {
    /// True if the computation failed, false if what the user gave is wrong.
    pub(crate) fn is_convergence(&self) -> bool {
        matches!(
            self,
            Self::Solve { .. }
                | Self::NotConverged { .. }
                | Self::Unbalanced { .. }
                | Self::Factor { source: FactorError::Iteration(IterationError::Stagnation { .. }), .. }
        )
    }

    /// True if the user stopped it.
    pub(crate) fn is_interruption(&self) -> bool {
        matches!(
            self,
            Self::Factor {
                source: FactorError::Interrupted | FactorError::Iteration(IterationError::Interrupted),
                ..
            } | Self::Assembly { source: AssemblyError::Interrupted, .. }
        )
    }
}
