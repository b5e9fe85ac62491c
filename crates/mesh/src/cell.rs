//! The kinds of cells and their faces, in VTK's node order.

/// Kind of a volume cell. Nodes are in VTK's order (readers permute from the order of their format).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellShape {
    /// Linear tetrahedron.
    Tet4,
    /// Quadratic tetrahedron: corners, then edges 01 12 20 03 13 23.
    Tet10,
    /// Trilinear hexahedron.
    Hex8,
    /// Serendipity hexahedron: corners, then edges 01 12 23 30 45 56 67 74 04 15 26 37.
    Hex20,
    /// Triquadratic hexahedron: as `Hex20`, then faces x−, x+, y−, y+, z−, z+, then the centre.
    Hex27,
}

/// Kind of a face of a cell, in VTK's node order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaceShape {
    /// Linear triangle.
    Tri3,
    /// Quadratic triangle: corners, then edges 01 12 20.
    Tri6,
    /// Bilinear quadrilateral.
    Quad4,
    /// Serendipity quadrilateral: corners, then edges 01 12 23 30.
    Quad8,
    /// Biquadratic quadrilateral: as `Quad8`, then the centre.
    Quad9,
}

impl CellShape {
    /// Name in lower case, as in `carom-mesh info`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tet4 => "tet4",
            Self::Tet10 => "tet10",
            Self::Hex8 => "hex8",
            Self::Hex20 => "hex20",
            Self::Hex27 => "hex27",
        }
    }

    /// Number of nodes.
    pub fn n_nodes(self) -> usize {
        match self {
            Self::Tet4 => 4,
            Self::Tet10 => 10,
            Self::Hex8 => 8,
            Self::Hex20 => 20,
            Self::Hex27 => 27,
        }
    }
}

impl FaceShape {
    /// Number of nodes.
    pub fn n_nodes(self) -> usize {
        match self {
            Self::Tri3 => 3,
            Self::Tri6 => 6,
            Self::Quad4 => 4,
            Self::Quad8 => 8,
            Self::Quad9 => 9,
        }
    }
}
