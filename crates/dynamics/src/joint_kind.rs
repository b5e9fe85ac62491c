//! Kinds of joints, and their equations.

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

/// An equation g = 0 of a joint, with the distance d of the first end from the second, and axes e of the
/// first end and h of the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointEquation {
    /// The ends do not part along an inertial axis: g = d_a.
    Apart(usize),
    /// The ends do not part along an axis of the first end: g = e·d.
    Along(usize),
    /// An axis of the first end stays perpendicular to one of the second: g = e·h.
    Across(usize, usize),
    /// The ends keep a distance ℓ: g = (d·d − ℓ²)/2ℓ.
    Length(f64),
}

impl JointEquation {
    /// True if its value is a length, false if it is the cosine of an angle.
    pub fn is_length(self) -> bool {
        !matches!(self, Self::Across(..))
    }
}

impl JointKind {
    /// Its equations.
    pub fn equations(self) -> Vec<JointEquation> {
        use JointEquation::{Across, Along, Apart, Length};
        let together = [Apart(0), Apart(1), Apart(2)];
        let parallel = [Across(0, 2), Across(1, 2)];
        let equations = |parts: &[&[JointEquation]]| parts.concat();
        match self {
            Self::Spherical => equations(&[&together]),
            Self::Revolute => equations(&[&together, &parallel]),
            Self::Prismatic => equations(&[&[Along(0), Along(1)], &parallel, &[Across(0, 1)]]),
            Self::Cylindrical => equations(&[&[Along(0), Along(1)], &parallel]),
            Self::Universal => equations(&[&together, &[Across(2, 2)]]),
            Self::Fixed => equations(&[&together, &parallel, &[Across(0, 1)]]),
            Self::Planar => equations(&[&[Along(2)], &parallel]),
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

/// The sentence about a joint of which equations are left out at the start.
pub fn repeated_equations(joint: &str, count: usize) -> String {
    let [equations, are] = match count {
        1 => ["equation repeats", "is"],
        _ => ["equations repeat", "are"],
    };
    format!(
        "joint `{joint}`: {count} {equations} those of other joints at the start and {are} left out; how the \
         joints share these reactions is not determined"
    )
}
