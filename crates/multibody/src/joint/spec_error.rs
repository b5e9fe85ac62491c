//! Joints, springs and bushings that make no sense.

/// A joint, spring or bushing that makes no sense.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// Its ends are on the same body, or both on the ground.
    #[error("{what} `{joint}`: both of its ends are on {on}; it needs two bodies, or a body and the ground")]
    SameBody {
        /// `joint`, `spring` or `bushing`.
        what: &'static str,
        /// Its name.
        joint: String,
        /// Where.
        on: String,
    },
    /// It names a body that there is not.
    #[error("{what} `{joint}`: it names body {body}, but there are {bodies}")]
    NoSuchBody {
        /// `joint`, `spring` or `bushing`.
        what: &'static str,
        /// Its name.
        joint: String,
        /// Index it names.
        body: usize,
        /// Number of bodies.
        bodies: usize,
    },
    /// The marker of an end was made for another set of modes.
    #[error("{what} `{joint}` on body `{body}`: its marker has {found} modes, the body has {expected}")]
    Marker {
        /// `joint`, `spring` or `bushing`.
        what: &'static str,
        /// Its name.
        joint: String,
        /// Name of the body.
        body: String,
        /// Modes of the marker.
        found: usize,
        /// Dynamic modes of the body.
        expected: usize,
    },
    /// A distance that is not positive: three equations are needed to keep two points together.
    #[error(
        "joint `{joint}`: its length is {length} m; it must be positive (a spherical joint keeps two points \
         together)"
    )]
    Length {
        /// Its name.
        joint: String,
        /// ℓ \[m\].
        length: f64,
    },
}
