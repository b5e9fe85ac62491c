//! Corners and faces of a hexahedron in MFEM's order.

use crate::Side;

/// Corner numbers of the local faces.
pub(crate) const FACES: [[usize; 4]; 6] =
    [[3, 2, 1, 0], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]];

/// The sides of a patch that these faces are.
pub(crate) const SIDES: [Side; 6] =
    [Side::Bottom, Side::South, Side::East, Side::North, Side::West, Side::Top];

/// Corners of the parameter box: whether each direction is at its end.
pub(crate) const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
