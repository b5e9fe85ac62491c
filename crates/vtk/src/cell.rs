//! Kinds of cells, with VTK's numbers.

/// Declares the kinds of cells with their numbers, dimensions and names.
macro_rules! cell_types {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $dimension:literal, $name:literal;)*) => {
        /// Kind of a cell; the discriminant is VTK's number (`vtkCellType.h`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum CellType {
            $($(#[$doc])* $variant = $number,)*
        }

        impl CellType {
            /// The kind that VTK gives this number; `None` for numbers that it does not use in files.
            pub fn from_number(number: u8) -> Option<Self> {
                Some(match number {
                    $($number => Self::$variant,)*
                    _ => return None,
                })
            }

            /// Dimension of the cell in its own parameters: 0 to 3.
            pub fn dimension(self) -> usize {
                match self {
                    $(Self::$variant => $dimension,)*
                }
            }

            /// The name of this kind, in the plural.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

cell_types! {
    /// One point.
    Vertex = 1, 0, "points";
    /// Any number of points.
    PolyVertex = 2, 0, "clouds of points";
    /// Straight line.
    Line = 3, 1, "lines";
    /// Polyline over any number of points.
    PolyLine = 4, 1, "chains of lines";
    /// Linear triangle.
    Triangle = 5, 2, "triangles";
    /// Strip of triangles.
    TriangleStrip = 6, 2, "strips of triangles";
    /// Polygon of any number of points.
    Polygon = 7, 2, "polygons";
    /// Rectangle along the axes; its last two points are in the opposite order of a quadrilateral.
    Pixel = 8, 2, "pixels";
    /// Bilinear quadrilateral.
    Quad = 9, 2, "quadrilaterals";
    /// Linear tetrahedron.
    Tetra = 10, 3, "tetrahedra";
    /// Box along the axes; its points run x fastest, then y, then z.
    Voxel = 11, 3, "voxels";
    /// Trilinear hexahedron.
    Hexahedron = 12, 3, "hexahedra";
    /// Linear wedge.
    Wedge = 13, 3, "wedges (prisms)";
    /// Linear pyramid.
    Pyramid = 14, 3, "pyramids";
    /// Prism over a pentagon.
    PentagonalPrism = 15, 3, "pentagonal prisms";
    /// Prism over a hexagon.
    HexagonalPrism = 16, 3, "hexagonal prisms";
    /// Quadratic line, 3 points.
    QuadraticEdge = 21, 1, "quadratic lines";
    /// Quadratic triangle, 6 points.
    QuadraticTriangle = 22, 2, "quadratic triangles";
    /// Serendipity quadrilateral, 8 points.
    QuadraticQuad = 23, 2, "quadratic quadrilaterals";
    /// Quadratic tetrahedron, 10 points.
    QuadraticTetra = 24, 3, "quadratic tetrahedra";
    /// Serendipity hexahedron, 20 points.
    QuadraticHexahedron = 25, 3, "quadratic hexahedra";
    /// Quadratic wedge, 15 points.
    QuadraticWedge = 26, 3, "quadratic wedges (prisms)";
    /// Quadratic pyramid, 13 points.
    QuadraticPyramid = 27, 3, "quadratic pyramids";
    /// Biquadratic quadrilateral, 9 points.
    BiquadraticQuad = 28, 2, "biquadratic quadrilaterals";
    /// Triquadratic hexahedron, 27 points.
    TriquadraticHexahedron = 29, 3, "triquadratic hexahedra";
    /// Quadrilateral, quadratic in one direction, 6 points.
    QuadraticLinearQuad = 30, 2, "quadratic-linear quadrilaterals";
    /// Wedge with linear edges along it, 12 points.
    QuadraticLinearWedge = 31, 3, "quadratic-linear wedges";
    /// Quadratic wedge with points on its faces, 18 points.
    BiquadraticQuadraticWedge = 32, 3, "biquadratic wedges (prisms)";
    /// Hexahedron with points on four of its faces, 24 points.
    BiquadraticQuadraticHexahedron = 33, 3, "biquadratic-quadratic hexahedra";
    /// Quadratic triangle with a point in its middle, 7 points.
    BiquadraticTriangle = 34, 2, "biquadratic triangles";
    /// Cubic line, 4 points.
    CubicLine = 35, 1, "cubic lines";
    /// Polygon of curved edges.
    QuadraticPolygon = 36, 2, "quadratic polygons";
    /// Pyramid with points on its faces, 19 points.
    TriquadraticPyramid = 37, 3, "triquadratic pyramids";
    /// Body of any faces.
    Polyhedron = 42, 3, "polyhedra";
    /// Lagrange line of any degree.
    LagrangeCurve = 68, 1, "Lagrange curves";
    /// Lagrange triangle of any degree.
    LagrangeTriangle = 69, 2, "Lagrange triangles";
    /// Lagrange quadrilateral of any degrees.
    LagrangeQuadrilateral = 70, 2, "Lagrange quadrilaterals";
    /// Lagrange tetrahedron of any degree.
    LagrangeTetrahedron = 71, 3, "Lagrange tetrahedra";
    /// Lagrange hexahedron of any degrees.
    LagrangeHexahedron = 72, 3, "Lagrange hexahedra";
    /// Lagrange wedge of any degrees.
    LagrangeWedge = 73, 3, "Lagrange wedges";
    /// Lagrange pyramid of any degree.
    LagrangePyramid = 74, 3, "Lagrange pyramids";
    /// Bezier curve of any degree, rational if the grid has weights.
    BezierCurve = 75, 1, "Bezier curves";
    /// Bezier triangle of any degree.
    BezierTriangle = 76, 2, "Bezier triangles";
    /// Bezier quadrilateral of any degrees, rational if the grid has weights.
    BezierQuadrilateral = 77, 2, "Bezier quadrilaterals";
    /// Bezier tetrahedron of any degree.
    BezierTetrahedron = 78, 3, "Bezier tetrahedra";
    /// Bezier hexahedron of any degrees, rational if the grid has weights.
    BezierHexahedron = 79, 3, "Bezier hexahedra";
    /// Bezier wedge of any degrees.
    BezierWedge = 80, 3, "Bezier wedges";
    /// Bezier pyramid of any degree.
    BezierPyramid = 81, 3, "Bezier pyramids";
}

impl CellType {
    /// Number of points of a cell of this kind; `None` if it depends on the degrees or is arbitrary.
    pub fn n_points(self) -> Option<usize> {
        Some(match self {
            Self::Vertex => 1,
            Self::Line => 2,
            Self::Triangle | Self::QuadraticEdge => 3,
            Self::Quad | Self::Pixel | Self::Tetra | Self::CubicLine => 4,
            Self::Pyramid => 5,
            Self::QuadraticTriangle | Self::Wedge | Self::QuadraticLinearQuad => 6,
            Self::BiquadraticTriangle => 7,
            Self::Hexahedron | Self::Voxel | Self::QuadraticQuad => 8,
            Self::BiquadraticQuad => 9,
            Self::QuadraticTetra | Self::PentagonalPrism => 10,
            Self::HexagonalPrism | Self::QuadraticLinearWedge => 12,
            Self::QuadraticPyramid => 13,
            Self::QuadraticWedge => 15,
            Self::BiquadraticQuadraticWedge => 18,
            Self::TriquadraticPyramid => 19,
            Self::QuadraticHexahedron => 20,
            Self::BiquadraticQuadraticHexahedron => 24,
            Self::TriquadraticHexahedron => 27,
            _ => return None,
        })
    }

    /// Number of parametric directions with a separate degree: 1, 2 or 3 for Lagrange and Bezier cells,
    /// otherwise 0.
    pub fn n_degrees(self) -> usize {
        match self {
            Self::BezierCurve => 1,
            Self::LagrangeQuadrilateral | Self::BezierQuadrilateral => 2,
            Self::LagrangeHexahedron | Self::BezierHexahedron => 3,
            _ => 0,
        }
    }
}
