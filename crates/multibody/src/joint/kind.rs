//! Kinds of joints and their rows.

use super::row::Row;

/// The motion that a joint leaves free. The axes are those of its ends: columns x, y, z of their triads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// All rotations.
    Spherical,
    /// The rotation about z.
    Revolute,
    /// The shift along z.
    Prismatic,
    /// Rotation about and shift along z.
    Cylindrical,
    /// Rotations about z of the first end and about z of the second, which stay perpendicular.
    Universal,
    /// Nothing.
    Fixed,
    /// Shifts across z and the rotation about it.
    Planar,
    /// All but the distance of the ends.
    Distance {
        /// ℓ > 0 \[m\].
        length: f64,
    },
}

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

impl JointKind {
    /// Its rows.
    pub(crate) fn rows(&self) -> Vec<Row> {
        use Row::{Across, Along, Apart, Length};
        let together = [Apart(0), Apart(1), Apart(2)];
        let parallel = [Across(0, 2), Across(1, 2)];
        let rows = |parts: &[&[Row]]| parts.concat();
        match *self {
            Self::Spherical => rows(&[&together]),
            Self::Revolute => rows(&[&together, &parallel]),
            Self::Prismatic => rows(&[&[Along(0), Along(1)], &parallel, &[Across(0, 1)]]),
            Self::Cylindrical => rows(&[&[Along(0), Along(1)], &parallel]),
            Self::Universal => rows(&[&together, &[Across(2, 2)]]),
            Self::Fixed => rows(&[&together, &parallel, &[Across(0, 1)]]),
            Self::Planar => rows(&[&[Along(2)], &parallel]),
            Self::Distance { length } => vec![Length(length)],
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Spherical => "spherical",
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Cylindrical => "cylindrical",
            Self::Universal => "universal",
            Self::Fixed => "fixed",
            Self::Planar => "planar",
            Self::Distance { .. } => "distance",
        }
    }
}
