//! The kinds of cells and their faces, in VTK's node order, and the reference cells behind them.
//!
//! The reference hexahedron is the unit cube \[0,1\]³, the reference tetrahedron the unit simplex
//! ξ, η, ζ ≥ 0, ξ + η + ζ ≤ 1; reference faces are \[0,1\]² and the unit triangle: VTK's parameters
//! throughout. A cell is *right-handed* if det ∂x/∂ξ > 0 there. Face lists then turn counter-clockwise seen
//! from outside: ∂x/∂ξ₁ × ∂x/∂ξ₂ of a face points out of the cell.

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

/// Edges of a tetrahedron by their corners; mid-edge node of edge k is node 4 + k.
const TET_EDGES: [[u8; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// Edges of a hexahedron by their corners; mid-edge node of edge k is node 8 + k.
const HEX_EDGES: [[u8; 2]; 12] =
    [[0, 1], [1, 2], [2, 3], [3, 0], [4, 5], [5, 6], [6, 7], [7, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

/// Faces of a tetrahedron: η = 0, the slanted one, ξ = 0, ζ = 0. A linear tetrahedron uses the first three of
/// each.
const TET_FACES: [&[u8]; 4] =
    [&[0, 1, 3, 4, 8, 7], &[1, 2, 3, 5, 9, 8], &[2, 0, 3, 6, 7, 9], &[0, 2, 1, 6, 5, 4]];

/// Faces of a hexahedron: x−, x+, y−, y+, z−, z+. Linear ones use the first four nodes of each, serendipity
/// eight.
const HEX_FACES: [&[u8]; 6] = [
    &[0, 4, 7, 3, 16, 15, 19, 11, 20],
    &[1, 2, 6, 5, 9, 18, 13, 17, 21],
    &[0, 1, 5, 4, 8, 17, 12, 16, 22],
    &[2, 3, 7, 6, 10, 19, 14, 18, 23],
    &[0, 3, 2, 1, 11, 10, 9, 8, 24],
    &[4, 5, 6, 7, 12, 13, 14, 15, 25],
];

/// Reference coordinates of the nodes of a tetrahedron.
const TET_NODES: [[f64; 3]; 10] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.0, 0.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.5, 0.0],
    [0.0, 0.0, 0.5],
    [0.5, 0.0, 0.5],
    [0.0, 0.5, 0.5],
];

/// Reference coordinates of the nodes of a hexahedron.
const HEX_NODES: [[f64; 3]; 27] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
    [0.5, 0.0, 0.0],
    [1.0, 0.5, 0.0],
    [0.5, 1.0, 0.0],
    [0.0, 0.5, 0.0],
    [0.5, 0.0, 1.0],
    [1.0, 0.5, 1.0],
    [0.5, 1.0, 1.0],
    [0.0, 0.5, 1.0],
    [0.0, 0.0, 0.5],
    [1.0, 0.0, 0.5],
    [1.0, 1.0, 0.5],
    [0.0, 1.0, 0.5],
    [0.0, 0.5, 0.5],
    [1.0, 0.5, 0.5],
    [0.5, 0.0, 0.5],
    [0.5, 1.0, 0.5],
    [0.5, 0.5, 0.0],
    [0.5, 0.5, 1.0],
    [0.5, 0.5, 0.5],
];

/// Reference coordinates of the nodes of a triangle.
const TRI_NODES: [[f64; 2]; 6] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]];

/// Reference coordinates of the nodes of a quadrilateral.
const QUAD_NODES: [[f64; 2]; 9] = [
    [0.0, 0.0],
    [1.0, 0.0],
    [1.0, 1.0],
    [0.0, 1.0],
    [0.5, 0.0],
    [1.0, 0.5],
    [0.5, 1.0],
    [0.0, 0.5],
    [0.5, 0.5],
];

impl CellShape {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Tet4, Self::Tet10, Self::Hex8, Self::Hex20, Self::Hex27];

    /// Largest number of nodes of any kind: the size of a buffer that holds one cell.
    pub const MAX_NODES: usize = 27;

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

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|shape| shape.name() == name)
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

    /// Whether it is a tetrahedron (otherwise a hexahedron).
    pub fn is_tetrahedron(self) -> bool {
        matches!(self, Self::Tet4 | Self::Tet10)
    }

    /// Polynomial order of an edge: 1 or 2.
    pub fn order(self) -> usize {
        match self {
            Self::Tet4 | Self::Hex8 => 1,
            Self::Tet10 | Self::Hex20 | Self::Hex27 => 2,
        }
    }

    /// Number of corners: the first nodes of a cell are its corners.
    pub fn n_corners(self) -> usize {
        if self.is_tetrahedron() { 4 } else { 8 }
    }

    /// Corners of each edge; in quadratic cells node `n_corners() + k` lies on edge k, except those on faces
    /// and inside.
    pub fn edges(self) -> &'static [[u8; 2]] {
        if self.is_tetrahedron() { &TET_EDGES } else { &HEX_EDGES }
    }

    /// Number of faces: 4 or 6.
    pub fn n_faces(self) -> usize {
        if self.is_tetrahedron() { 4 } else { 6 }
    }

    /// Kind of every face of the cell.
    pub fn face_shape(self) -> FaceShape {
        match self {
            Self::Tet4 => FaceShape::Tri3,
            Self::Tet10 => FaceShape::Tri6,
            Self::Hex8 => FaceShape::Quad4,
            Self::Hex20 => FaceShape::Quad8,
            Self::Hex27 => FaceShape::Quad9,
        }
    }

    /// Local node numbers of face `i_face` in the order of [`Self::face_shape`], counter-clockwise seen from
    /// outside.
    ///
    /// Tetrahedra: η = 0, slanted, ξ = 0, ζ = 0. Hexahedra: x−, x+, y−, y+, z−, z+.
    ///
    /// # Panics
    ///
    /// If `i_face` is not below [`Self::n_faces`].
    pub fn face(self, i_face: usize) -> &'static [u8] {
        let nodes = if self.is_tetrahedron() { TET_FACES[i_face] } else { HEX_FACES[i_face] };
        &nodes[..self.face_shape().n_nodes()]
    }

    /// Coordinates of the nodes in the reference cell: the unit simplex or \[0,1\]³.
    pub fn reference_nodes(self) -> &'static [[f64; 3]] {
        if self.is_tetrahedron() { &TET_NODES[..self.n_nodes()] } else { &HEX_NODES[..self.n_nodes()] }
    }

    /// Volume of the reference cell: 1/6 or 1.
    pub fn reference_volume(self) -> f64 {
        if self.is_tetrahedron() { 1.0 / 6.0 } else { 1.0 }
    }
}

impl FaceShape {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Tri3, Self::Tri6, Self::Quad4, Self::Quad8, Self::Quad9];

    /// Largest number of nodes of any kind.
    pub const MAX_NODES: usize = 9;

    /// Name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tri3 => "tri3",
            Self::Tri6 => "tri6",
            Self::Quad4 => "quad4",
            Self::Quad8 => "quad8",
            Self::Quad9 => "quad9",
        }
    }

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

    /// Whether it is a triangle (otherwise a quadrilateral).
    pub fn is_triangle(self) -> bool {
        matches!(self, Self::Tri3 | Self::Tri6)
    }

    /// Number of corners, which is also the number of edges; edge k runs from corner k to the next one.
    pub fn n_corners(self) -> usize {
        if self.is_triangle() { 3 } else { 4 }
    }

    /// Coordinates of the nodes in the reference face: the unit triangle or \[0,1\]².
    pub fn reference_nodes(self) -> &'static [[f64; 2]] {
        if self.is_triangle() { &TRI_NODES[..self.n_nodes()] } else { &QUAD_NODES[..self.n_nodes()] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
    }

    fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    }

    fn mean(points: impl Iterator<Item = [f64; 3]>) -> [f64; 3] {
        let (mut sum, mut n) = ([0.0; 3], 0.0);
        for p in points {
            for k in 0..3 {
                sum[k] += p[k];
            }
            n += 1.0;
        }
        sum.map(|s| s / n)
    }

    #[test]
    fn mid_edge_nodes_lie_between_the_corners_of_their_edge() {
        for shape in CellShape::ALL.into_iter().filter(|s| s.order() == 2) {
            let x = shape.reference_nodes();
            for (k, [a, b]) in shape.edges().iter().enumerate() {
                assert_eq!(
                    x[shape.n_corners() + k],
                    mean([x[*a as usize], x[*b as usize]].into_iter()),
                    "{} edge {k}",
                    shape.name()
                );
            }
        }
    }

    #[test]
    fn faces_point_outwards_and_their_nodes_follow_the_face_shape() {
        for shape in CellShape::ALL {
            let x = shape.reference_nodes();
            let centre = mean(x[..shape.n_corners()].iter().copied());
            for i_face in 0..shape.n_faces() {
                let face = shape.face(i_face);
                let face_shape = shape.face_shape();
                assert_eq!(face.len(), face_shape.n_nodes());
                let at = |k: usize| x[face[k] as usize];
                let n = face_shape.n_corners();
                let normal = cross(sub(at(1), at(0)), sub(at(n - 1), at(0)));
                let out = sub(mean((0..n).map(at)), centre);
                let flux = normal[0] * out[0] + normal[1] * out[1] + normal[2] * out[2];
                assert!(flux > 0.0, "{} face {i_face}", shape.name());
                // Every face of a reference cell is plane: its nodes are affine in the face parameters.
                for (k, [u, v]) in face_shape.reference_nodes().iter().enumerate() {
                    let (e1, e2) = (sub(at(1), at(0)), sub(at(n - 1), at(0)));
                    for d in 0..3 {
                        assert_eq!(
                            at(k)[d],
                            at(0)[d] + u * e1[d] + v * e2[d],
                            "{} face {i_face} node {k}",
                            shape.name()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn names_lead_back_to_their_kinds() {
        for shape in CellShape::ALL {
            assert_eq!(CellShape::from_name(shape.name()), Some(shape));
        }
        assert_eq!(CellShape::from_name("wedge6"), None);
    }
}
