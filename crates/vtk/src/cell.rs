//! Kinds of cells, with VTK's numbers.

/// Kind of a cell; the discriminant is VTK's number (`vtkCellType.h`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CellType {
    /// One point.
    Vertex = 1,
    /// Straight line.
    Line = 3,
    /// Chain of straight lines over any number of points.
    PolyLine = 4,
    /// Linear triangle.
    Triangle = 5,
    /// Bilinear quadrilateral.
    Quad = 9,
    /// Linear tetrahedron.
    Tetra = 10,
    /// Trilinear hexahedron.
    Hexahedron = 12,
    /// Quadratic line, 3 points.
    QuadraticEdge = 21,
    /// Quadratic triangle, 6 points.
    QuadraticTriangle = 22,
    /// Serendipity quadrilateral, 8 points.
    QuadraticQuad = 23,
    /// Quadratic tetrahedron, 10 points.
    QuadraticTetra = 24,
    /// Serendipity hexahedron, 20 points.
    QuadraticHexahedron = 25,
    /// Biquadratic quadrilateral, 9 points.
    BiquadraticQuad = 28,
    /// Triquadratic hexahedron, 27 points.
    TriquadraticHexahedron = 29,
    /// Lagrange quadrilateral of any degrees.
    LagrangeQuadrilateral = 70,
    /// Lagrange hexahedron of any degrees.
    LagrangeHexahedron = 72,
    /// Bezier curve of any degree, rational if the grid has weights.
    BezierCurve = 75,
    /// Bezier quadrilateral of any degrees, rational if the grid has weights.
    BezierQuadrilateral = 77,
    /// Bezier hexahedron of any degrees, rational if the grid has weights.
    BezierHexahedron = 79,
}

impl CellType {
    /// Number of points of a cell of this kind; `None` where it depends on the degrees or is free.
    pub fn n_points(self) -> Option<usize> {
        Some(match self {
            Self::Vertex => 1,
            Self::Line => 2,
            Self::Triangle | Self::QuadraticEdge => 3,
            Self::Quad | Self::Tetra => 4,
            Self::Hexahedron | Self::QuadraticQuad => 8,
            Self::QuadraticTriangle => 6,
            Self::BiquadraticQuad => 9,
            Self::QuadraticTetra => 10,
            Self::QuadraticHexahedron => 20,
            Self::TriquadraticHexahedron => 27,
            Self::PolyLine
            | Self::LagrangeQuadrilateral
            | Self::LagrangeHexahedron
            | Self::BezierCurve
            | Self::BezierQuadrilateral
            | Self::BezierHexahedron => return None,
        })
    }

    /// Number of parametric directions with a degree of their own: 1, 2 or 3 for Lagrange and Bezier cells, else 0.
    pub fn n_degrees(self) -> usize {
        match self {
            Self::BezierCurve => 1,
            Self::LagrangeQuadrilateral | Self::BezierQuadrilateral => 2,
            Self::LagrangeHexahedron | Self::BezierHexahedron => 3,
            _ => 0,
        }
    }
}
