//! Errors from setting up the scheme `rigid`.

use carom_dynamics::ProbeError;
use carom_rigid::{BodyError, JointError, RunError, SpringError, SystemError};
use thiserror::Error;

use super::joined::EndError;
use super::repeated::RepeatedContact;
use super::shapes::ShapeRole;
use crate::error::{ErrorKind, Kind};
use crate::geometry::GeometryError;
use crate::overlap::Overlap;

/// Errors from setting up the scheme `rigid`.
#[derive(Debug, Error)]
pub enum RigidSetUpError {
    /// A rigid body from a reduced model.
    #[error("body `{body}` is rigid: give it a shape, a file or a body, not a reduced model")]
    Rom {
        /// Name of the body.
        body: String,
    },
    /// The geometry of a body cannot be evaluated.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// Impossible mass or inertia.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A shape that cannot stand at its end of a pair.
    #[error(transparent)]
    ShapeRole(#[from] ShapeRole),
    /// Two contacts of the same surfaces.
    #[error(transparent)]
    Repeated(#[from] RepeatedContact),
    /// Bodies lie inside each other at the start.
    #[error(transparent)]
    Overlap(#[from] Overlap),
    /// Bodies and pairs do not fit together.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A joint that is open, or contradicts others.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// A spring that cannot act.
    #[error(transparent)]
    Spring(#[from] SpringError),
    /// A place of a joint, spring or force.
    #[error(transparent)]
    End(#[from] EndError),
    /// A probe that the system does not have, or whose samples are too many.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The run cannot start: a setting is impossible.
    #[error(transparent)]
    Start(#[from] RunError),
}

impl Kind for RigidSetUpError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Start(error) => error.kind(),
            _ => ErrorKind::Input,
        }
    }
}
