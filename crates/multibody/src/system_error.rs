//! Why bodies, loads and pairs make no system, or a system no rate.

use crate::contact::ContactFailure;
use crate::kinetics::MassError;

/// Why the rate of a system cannot be computed.
#[derive(Debug, thiserror::Error)]
pub enum RateError {
    /// The mass matrix of a body is not positive definite.
    #[error("body `{body}`: {source}")]
    Mass {
        /// Name of the body.
        body: String,
        /// Why.
        source: MassError,
    },
    /// The equations of the joints depend on each other here.
    #[error(
        "joint `{joint}`: its equations depend on those of the other joints here: the mechanism is in a \
         singular position, where it locks or branches"
    )]
    Locked {
        /// Name of the joint.
        joint: String,
    },
    /// Contact could not be evaluated.
    #[error("contact: {source}")]
    Contact {
        /// Why.
        source: ContactFailure,
    },
}

/// Why bodies and loads make no system.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SystemError {
    /// A load names a body that is not there.
    #[error("load {load} acts on body {body}, but there are {bodies} bodies")]
    NoSuchBody {
        /// Index of the load.
        load: usize,
        /// Index it names.
        body: usize,
        /// Number of bodies.
        bodies: usize,
    },
    /// The marker of a load was made for another set of modes.
    #[error(
        "load {load} on body `{body}`: its marker has {found} modes, the body has {expected}; make it with \
         `Body::marker`"
    )]
    Marker {
        /// Index of the load.
        load: usize,
        /// Name of the body.
        body: String,
        /// Modes of the marker.
        found: usize,
        /// Dynamic modes of the body.
        expected: usize,
    },
    /// A contact pair names bodies that are not there, or twice the same.
    #[error("contact pair {pair} is between bodies {bodies:?}; two different ones of {count} are needed")]
    Pair {
        /// Index of the pair.
        pair: usize,
        /// The bodies that it names.
        bodies: [usize; 2],
        /// Number of bodies.
        count: usize,
    },
    /// Another number of placements than of bodies.
    #[error("{placements} placements for {bodies} bodies")]
    Placements {
        /// Number of placements.
        placements: usize,
        /// Number of bodies.
        bodies: usize,
    },
}
