//! What may touch in a quasistatic contact, as plain data.

use carom_contact::submodel::SetupError;
use carom_contact::{Law, Shape};

use crate::contact::RimPolicy;

/// A surface that may touch another.
#[derive(Debug, Clone)]
pub enum ContactSurface {
    /// A named surface of a reduced body.
    Named(String),
    /// A shape of a rigid body, in source coordinates.
    Of {
        /// Name, for messages.
        name: String,
        /// The shape.
        shape: Shape,
    },
}

/// Two surfaces that may touch.
#[derive(Debug, Clone)]
pub struct ContactSpec {
    /// Indices of the bodies.
    pub bodies: [usize; 2],
    /// Their surfaces.
    pub surfaces: [ContactSurface; 2],
    /// Normal law.
    pub law: Law,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// E* \[Pa\] if not that of the bodies' materials (two rigid bodies have none).
    pub modulus: Option<f64>,
    /// Effective radius of curvature \[m\] for the estimate of the impact's duration, if not that of the
    /// surfaces.
    pub radius: Option<f64>,
    /// What pressure at the rim of a zone does to the run.
    pub rim: RimPolicy,
    /// Depth beyond which a point counts as behind the other surface \[m\]; otherwise chosen from the size of
    /// the zone.
    pub max_depth: Option<f64>,
}

/// Why a contact pair cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum ContactSetupError {
    /// The pair names a body that is not there.
    #[error("contact {pair} is between bodies {bodies:?}, but there are {count}")]
    NoSuchBody {
        /// Index of the pair.
        pair: usize,
        /// What it names.
        bodies: [usize; 2],
        /// Number of bodies.
        count: usize,
    },
    /// The body has no surface of that name.
    #[error(
        "body `{body}` has no surface `{surface}` to touch with; it has {known}; name it as interface when \
         reducing the body"
    )]
    NoSuchSurface {
        /// Name of the body.
        body: String,
        /// Name asked for.
        surface: String,
        /// Names that it has.
        known: String,
    },
    /// Faces, planes and spheres of the caller belong to rigid bodies.
    #[error("body `{body}` is reduced: contact needs one of its named surfaces, which say how it gives way")]
    NotRigid {
        /// Name of the body.
        body: String,
    },
    /// Two rigid bodies, and nothing says how they give way.
    #[error(
        "contact between `{first}` and `{second}`: neither body is elastic, so nothing says how they give \
         way: give the contact a stiffness in Pa/m, `law = {{ kind = \"penalty\", stiffness = ... }}`, or \
         reduce one of them"
    )]
    NoModulus {
        /// Name of the first body.
        first: String,
        /// Name of the second body.
        second: String,
    },
    /// Neither surface has faces.
    #[error(
        "contact between `{first}` and `{second}`: one of the surfaces must have faces to carry the pressure"
    )]
    NoFaces {
        /// Name of the first body.
        first: String,
        /// Name of the second body.
        second: String,
    },
    /// What the submodel says.
    #[error(transparent)]
    Submodel(#[from] SetupError),
}
