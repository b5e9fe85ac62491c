//! One trivariate NURBS patch.

use crate::KnotVector;

/// A trivariate NURBS: x(u,v,w) = Σ N_i w_i P_i / Σ N_i w_i.
///
/// Control points are numbered u fastest, then v, then w.
#[derive(Debug, Clone, PartialEq)]
pub struct Patch {
    /// Knot vectors of the three directions u, v, w.
    pub basis: [KnotVector; 3],
    /// Cartesian control points \[m\].
    pub points: Vec<[f64; 3]>,
    /// Weights, one a control point, positive.
    pub weights: Vec<f64>,
}

/// A side of the parameter box of a patch; the discriminant is the local face number of its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Side {
    /// u at its minimum.
    West = 0,
    /// u at its maximum.
    East = 1,
    /// v at its minimum.
    South = 2,
    /// v at its maximum.
    North = 3,
    /// w at its minimum.
    Bottom = 4,
    /// w at its maximum.
    Top = 5,
}

impl Side {
    /// All sides in the order of their local face numbers.
    pub const ALL: [Self; 6] = [Self::West, Self::East, Self::South, Self::North, Self::Bottom, Self::Top];

    /// Name as it appears in set names: `patch2:west`.
    pub fn name(self) -> &'static str {
        ["west", "east", "south", "north", "bottom", "top"][self as usize]
    }

    /// Direction that is constant on the side: 0 = u, 1 = v, 2 = w.
    pub fn direction(self) -> usize {
        self as usize / 2
    }
}
