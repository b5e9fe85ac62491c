//! Errors from putting a scenario together as a system that moves.

use carom_continuum::half_space::PlacedModelError;
use carom_format::ReadArchiveError;
use carom_format::scenario::model::FunctionError;
use carom_integrate::SpectralRadiusError;
use carom_linalg::DenseEigenError;
use carom_multibody::{
    BodyError, ContactSetupError, CouplingError, DriveError, HalfSpaceSetupError, ProbeError, RunError,
    SpecError, SystemError,
};
use carom_reduce::unread::UnreadArrayError;
use thiserror::Error;

use super::stresses::NoStress;
use crate::error::{ErrorKind, Kind};
use crate::geometry::GeometryError;
use crate::references::{GroundedMoves, NoInterface, NoMarker};

/// Errors from putting a scenario together as a system that moves.
#[derive(Debug, Error)]
pub enum AssembleError {
    /// A flexible body without a model.
    #[error(transparent)]
    NoInterface(#[from] NoInterface),
    /// The geometry of a rigid body cannot be evaluated.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A grounded body has a velocity.
    #[error(transparent)]
    GroundedMoves(#[from] GroundedMoves),
    /// Impossible constants of a body.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// Arrays of the modes cannot be read from the file of a model.
    #[error(transparent)]
    Unread(#[from] UnreadArrayError),
    /// A joint, spring or load acts at a place that the body does not have.
    #[error(transparent)]
    NoMarker(#[from] NoMarker),
    /// A marker at a point of a reduced body whose motion its model does not contain.
    #[error(
        "body `{body}`: the marker `{part}` is a point of a reduced body, and {why}; attach a set there \
         (`reduce.attach`) or make it an interface, and name that set"
    )]
    PointOfReduced {
        /// Name of the body.
        body: String,
        /// Name of the marker.
        part: String,
        /// The missing part.
        why: String,
    },
    /// A probe at a point of a reduced body whose motion its model does not contain.
    #[error(
        "body `{body}`: the probe is at a point of a reduced body, and {why}; or give a point of the \
         surface, or attach a set there (`reduce.attach`) and name it, `on = \"{body}:SET\"`"
    )]
    ProbeOfReduced {
        /// Name of the body.
        body: String,
        /// The missing part.
        why: String,
    },
    /// A probe of a stress that is not known.
    #[error("probe `{probe}`: body `{body}`: {source}")]
    Stress {
        /// Name of the probe.
        probe: String,
        /// Name of the body.
        body: String,
        /// The reason.
        source: Box<NoStress>,
    },
    /// A response without a point at which it is wanted.
    #[error(
        "`[response]` is that of the points of probes, and there is none: add a `[[probe]]` with `on = \
         \"BODY:MARKER\"`"
    )]
    NoResponsePoint,
    /// A probe that does not fit the system.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The body file of a reduced model cannot be read.
    #[error(transparent)]
    Read(#[from] ReadArchiveError),
    /// Stops without a stiffness where it does not follow from the bodies that meet them.
    #[error(
        "the stops of joint `{joint}` need a `stiffness`, as the speed at which they are met is unknown; \
         with m (v/d)² a mass m (or an inertia) of speed v goes d beyond the stop"
    )]
    StopStiffness {
        /// Name of the joint.
        joint: String,
    },
    /// A joint that does not fit the bodies.
    #[error(transparent)]
    Joint(#[from] SpecError),
    /// A coupling does not fit its joints.
    #[error(transparent)]
    Coupling(#[from] CouplingError),
    /// A drive does not fit its joint.
    #[error(transparent)]
    Drive(#[from] DriveError),
    /// A function of time cannot be read.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// The static modes of the loads on a body cannot be found.
    #[error(
        "body `{body}`: the static modes of its joints and loads cannot be found: {source}; reduce it again"
    )]
    StaticModes {
        /// Name of the body.
        body: String,
        /// The error of the eigenvalue problem.
        source: DenseEigenError,
    },
    /// A contact cannot be set up.
    #[error(transparent)]
    Contact(#[from] ContactSetupError),
    /// A region of a rigid body cannot touch.
    #[error(transparent)]
    Region(#[from] PlacedModelError),
    /// A contact on a half-space grid cannot be set up.
    #[error(transparent)]
    HalfSpace(#[from] HalfSpaceSetupError),
    /// Contacts of both kinds.
    #[error(
        "contact between {}, {}: it has `compliance = \"body\"`, and others have \"half-space\"; all \
         contacts of a scenario need the same compliance, as pairs share that of their bodies, but for two \
         rigid bodies whose `law` has a `stiffness`",
        .between[0], .between[1]
    )]
    MixedCompliance {
        /// Its surfaces.
        between: [String; 2],
    },
    /// Bodies and loads do not fit together.
    #[error(transparent)]
    System(#[from] SystemError),
    /// The spectral radius of the integrator is outside of its range.
    #[error(transparent)]
    SpectralRadius(#[from] SpectralRadiusError),
    /// The run cannot start: its joints do not close, or a setting is impossible.
    #[error(transparent)]
    Start(#[from] RunError),
}

impl Kind for AssembleError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Read(error) => error.kind(),
            Self::Start(error) => error.kind(),
            Self::Stress { source, .. } => source.kind(),
            _ => ErrorKind::Input,
        }
    }
}
