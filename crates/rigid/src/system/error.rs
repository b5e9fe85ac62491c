//! Errors of invalid systems.

use thiserror::Error;

use crate::joint::JointError;
use crate::pair::PairError;

/// Invalid bodies, loads and pairs.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SystemError {
    /// The number of placements is not that of the bodies.
    #[error("{bodies} bodies have {placements} placements")]
    Placements {
        /// Number of bodies.
        bodies: usize,
        /// Number of placements.
        placements: usize,
    },
    /// An invalid pair.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// An invalid joint.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// A position, velocity or orientation is not finite.
    #[error("body `{body}`: its initial position, orientation or velocity is not finite")]
    NotFinite {
        /// Name of the body.
        body: String,
    },
    /// A body that is not of the system.
    #[error("body {body} of a crowd must be one of the {bodies} bodies")]
    Member {
        /// Its number.
        body: usize,
        /// Bodies of the system.
        bodies: usize,
    },
    /// A part of a body without points and surface, or with a surface without faces.
    #[error("body `{body}`: contact with all others needs points or a surface")]
    EmptyMember {
        /// Name of the body.
        body: String,
    },
    /// An invalid number of a crowd.
    #[error("contact of all bodies: {what} is {value}; it must be {valid}")]
    Crowd {
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Valid range.
        valid: &'static str,
    },
    /// Two bodies of a crowd overlap at the start.
    #[error(
        "points of `{first}` lie up to {depth:.3e} m behind the surface of `{second}` at the start; move the \
         bodies apart"
    )]
    Overlap {
        /// The body with the points.
        first: String,
        /// The body with the surface.
        second: String,
        /// Largest depth \[m\].
        depth: f64,
    },
    /// Gravity is not finite.
    #[error("gravity is ({x}, {y}, {z}) m/s²; it must be finite")]
    Gravity {
        /// Along x.
        x: f64,
        /// Along y.
        y: f64,
        /// Along z.
        z: f64,
    },
    /// The step is not positive.
    #[error("the time step is {0} s; it must be positive and finite")]
    TimeStep(f64),
}
