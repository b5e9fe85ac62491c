//! The kinds of cells, one table for each kind.
//!
//! A [`CellTable`] holds the nodes, edges and faces of a kind, its shape functions, quadrature rules and
//! stress samples, and its numbers and node orders in the formats of VTK, Gmsh and Abaqus. The tables are
//! in `tetrahedron.rs`, `hexahedron.rs`, `wedge.rs` and `pyramid.rs`, those of shells and beams in
//! `structural.rs`; no other code of carom distinguishes the kinds of cells. A new kind needs a variant of
//! [`CellShape`] and a table.
//!
//! Nodes are in VTK's order. The reference cells are the unit simplex ξ, η, ζ ≥ 0, ξ + η + ζ ≤ 1, the unit
//! cube \[0,1\]³, the wedge over the unit triangle with 0 ≤ ζ ≤ 1, and the pyramid over \[0,1\]² with the
//! apex (0, 0, 1). These are VTK's parameters, except for the pyramid: VTK uses the collapsed cube (r, s, t)
//! with ξ = r (1−t), η = s (1−t), ζ = t. Reference faces are \[0,1\]² and the unit triangle.
//!
//! A cell is *right-handed* at a point if det ∂x/∂ξ > 0 there. Its face lists then turn counter-clockwise
//! seen from outside: ∂x/∂ξ₁ × ∂x/∂ξ₂ of a face points out of the cell.

mod face;
mod hexahedron;
mod pyramid;
mod structural;
mod tetrahedron;
mod wedge;

use carom_vtk::CellType;

use crate::quadrature::{Integrand, Quadrature, QuadratureRule};

pub use face::FaceShape;

/// Kind of a cell: a solid, a shell or a beam. Nodes are in VTK's order (readers permute from the order of
/// their format).
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
    /// Linear wedge (prism over a triangle): triangle 012, then the opposite triangle 345; seen from 345 the
    /// corners 012 turn counter-clockwise.
    Wedge6,
    /// Serendipity wedge: corners, then edges 01 12 20 34 45 53 03 14 25.
    Wedge15,
    /// Linear pyramid: base 0123, apex 4; seen from the apex the base turns counter-clockwise.
    Pyramid5,
    /// Quadratic pyramid: corners, then edges 01 12 23 30 04 14 24 34.
    Pyramid13,
    /// Shell of three nodes.
    Tri3,
    /// Shell of four nodes.
    Quad4,
    /// Beam of two nodes.
    Line2,
}

/// The table of a kind of cell: nodes, shape functions, quadrature, numbers in file formats.
#[derive(Debug, Clone, Copy)]
pub struct CellTable {
    /// Name in lower case, as in `carom-mesh info` and in body files.
    pub name: &'static str,
    /// 3 for solids, 2 for shells, 1 for beams.
    pub dimension: usize,
    /// Polynomial order of an edge: 1 or 2.
    pub order: usize,
    /// The kind of first order with the same corners.
    pub linear: CellShape,
    /// Number of corners: the first nodes of a cell are its corners.
    pub n_corners: usize,
    /// Coordinates of the nodes in the reference cell.
    pub nodes: &'static [[f64; 3]],
    /// Corners of each edge; in quadratic cells node `n_corners + k` lies on edge k.
    pub edges: &'static [[u8; 2]],
    /// The faces, counter-clockwise seen from outside.
    pub faces: &'static [CellFace],
    /// Centroid of the reference cell.
    pub center: [f64; 3],
    /// Volume of the reference cell.
    pub volume: f64,
    /// The map from the unit cube onto the reference cell, and its Jacobian determinant.
    pub collapse: fn([f64; 3]) -> ([f64; 3], f64),
    /// Values of the shape functions at ξ, see [`crate::lagrange::values_into`].
    pub values: fn([f64; 3], &mut [f64]),
    /// Gradients of the shape functions at ξ, see [`crate::lagrange::gradients_into`].
    pub gradients: fn([f64; 3], &mut [[f64; 3]]),
    /// Scaled Jacobian from the columns of ∂x/∂ξ at a point, see [`crate::quality::ScaledJacobian`].
    pub scaled_jacobian: fn(&[[f64; 3]; 3]) -> f64,
    /// The quadrature rules of the matrices.
    pub rule: fn(Integrand, QuadratureRule) -> Quadrature,
    /// Points at which stress is sampled.
    pub stress: StressSamples,
    /// Nodes per cell in a large mesh, where each node is divided by the number of cells that share it.
    pub nodes_per_cell: f64,
    /// The parts of a cell whose edges are divided into n parts; `None` if such cells cannot be divided into
    /// cells of their kind.
    pub parts: Option<fn(usize) -> Vec<Part>>,
    /// The kind in VTK's files.
    pub vtk: VtkCell,
    /// The kind in Gmsh's files.
    pub gmsh: GmshElement,
    /// The kind in Abaqus' files.
    pub abaqus: AbaqusElement,
}

/// Corners of a part of a cell, in steps of 1/n of the reference cell.
pub type Part = Vec<[u32; 3]>;

/// A face of a kind of cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CellFace {
    /// Kind of the face.
    pub shape: FaceShape,
    /// Local numbers of the face's nodes in the order of its kind.
    pub nodes: &'static [u8],
}

/// Points at which the stress of a kind of cell is sampled, and the interpolation between them.
#[derive(Debug, Clone, Copy)]
pub struct StressSamples {
    /// Parameters of the samples: the points at which stress is most accurate.
    pub points: fn() -> Vec<[f64; 3]>,
    /// Factors of the samples at ξ. Their sum is 1; a stress that is linear in ξ is reproduced.
    pub factors: fn([f64; 3]) -> Vec<f64>,
}

/// A kind of cell in VTK's files. The node order of the first kind is that of carom.
#[derive(Debug, Clone, Copy)]
pub struct VtkCell {
    /// VTK's number of the kind.
    pub kind: CellType,
    /// Other kinds of VTK that are read as this one.
    pub others: &'static [VtkAlias],
    /// The order of the nodes of the mirror image, for kinds that other programs write in both orientations.
    pub mirrored: Option<&'static [u8]>,
}

/// Another kind of VTK for the same cell.
#[derive(Debug, Clone, Copy)]
pub struct VtkAlias {
    /// VTK's number of the kind.
    pub kind: CellType,
    /// Number of nodes that the cell must have.
    pub n_nodes: usize,
    /// For each node in carom's order its place in the file's order; `None` if the orders agree.
    pub places: Option<&'static [u8]>,
}

/// A kind of cell or face in Gmsh's files.
#[derive(Debug, Clone, Copy)]
pub struct GmshElement {
    /// Gmsh's number of the kind.
    pub number: i32,
    /// For each node in the order of carom its place in Gmsh's order.
    pub places: &'static [u8],
}

/// A kind of cell in the files of Abaqus and CalculiX. The node order is that of carom, except for the last
/// nodes of some kinds.
#[derive(Debug, Clone, Copy)]
pub struct AbaqusElement {
    /// The type without letters for variants: `C3D8`.
    pub name: &'static str,
    /// Carom's number of the faces S1, S2, …
    pub faces: &'static [u8],
    /// The last nodes, if Abaqus has them in another order and other programs use orders of their own.
    pub last: Option<AbaqusLast>,
    /// A line with more nodes than the type has is cut, as CalculiX does, if it has fewer nodes than this.
    pub cut_below: usize,
}

/// The last nodes of a kind of cell, which files hold in several orders.
#[derive(Debug, Clone, Copy)]
pub struct AbaqusLast {
    /// Carom's numbers of these nodes in the order of Abaqus.
    pub order: &'static [u8],
    /// The kind without these nodes; its shape functions give their expected positions.
    pub without: CellShape,
}

/// Node numbers from 0 on, for kinds whose orders agree.
const IN_ORDER: [u8; 20] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19];

impl CellShape {
    /// Every kind of solid.
    pub const SOLIDS: [Self; 9] = [
        Self::Tet4,
        Self::Tet10,
        Self::Hex8,
        Self::Hex20,
        Self::Hex27,
        Self::Wedge6,
        Self::Wedge15,
        Self::Pyramid5,
        Self::Pyramid13,
    ];

    /// Every kind of shell and beam. Their points have rotations, and they need a section.
    pub const STRUCTURAL: [Self; 3] = [Self::Tri3, Self::Quad4, Self::Line2];

    /// Largest number of nodes of any kind: the size of a buffer that holds one cell.
    pub const MAX_NODES: usize = 27;

    /// The table of the kind.
    pub fn table(self) -> &'static CellTable {
        match self {
            Self::Tet4 => &tetrahedron::TET4,
            Self::Tet10 => &tetrahedron::TET10,
            Self::Hex8 => &hexahedron::HEX8,
            Self::Hex20 => &hexahedron::HEX20,
            Self::Hex27 => &hexahedron::HEX27,
            Self::Wedge6 => &wedge::WEDGE6,
            Self::Wedge15 => &wedge::WEDGE15,
            Self::Pyramid5 => &pyramid::PYRAMID5,
            Self::Pyramid13 => &pyramid::PYRAMID13,
            Self::Tri3 => &structural::TRI3,
            Self::Quad4 => &structural::QUAD4,
            Self::Line2 => &structural::LINE2,
        }
    }

    /// Name in lower case, as in `carom-mesh info`.
    pub fn name(self) -> &'static str {
        self.table().name
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|shape| shape.name() == name)
    }

    /// The names of all kinds for messages: "tet4, tet10, …".
    pub fn names() -> String {
        Self::all().map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// Every kind: solids, shells, beams.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::SOLIDS.into_iter().chain(Self::STRUCTURAL)
    }

    /// True for solids; false for shells and beams.
    pub fn is_solid(self) -> bool {
        self.table().dimension == 3
    }

    /// Number of nodes.
    pub fn n_nodes(self) -> usize {
        self.table().nodes.len()
    }

    /// Polynomial order of an edge: 1 or 2.
    pub fn order(self) -> usize {
        self.table().order
    }

    /// Number of corners: the first nodes of a cell are its corners.
    pub fn n_corners(self) -> usize {
        self.table().n_corners
    }

    /// Corners of each edge; in quadratic cells node `n_corners() + k` lies on edge k, except those on faces
    /// and inside.
    pub fn edges(self) -> &'static [[u8; 2]] {
        self.table().edges
    }

    /// Number of faces.
    pub fn n_faces(self) -> usize {
        self.table().faces.len()
    }

    /// Kind of face `i_face`.
    ///
    /// # Panics
    ///
    /// If `i_face` is not below [`Self::n_faces`].
    pub fn face_shape(self, i_face: usize) -> FaceShape {
        self.table().faces[i_face].shape
    }

    /// Local node numbers of face `i_face` in the order of [`Self::face_shape`], counter-clockwise seen from
    /// outside.
    ///
    /// Tetrahedra: η = 0, slanted, ξ = 0, ζ = 0. Hexahedra: x−, x+, y−, y+, z−, z+. Wedges: ζ = 0, ζ = 1,
    /// η = 0, slanted, ξ = 0. Pyramids: the base, then the sides over the edges 01, 12, 23, 30.
    ///
    /// # Panics
    ///
    /// If `i_face` is not below [`Self::n_faces`].
    pub fn face(self, i_face: usize) -> &'static [u8] {
        self.table().faces[i_face].nodes
    }

    /// Coordinates of the nodes in the reference cell.
    pub fn reference_nodes(self) -> &'static [[f64; 3]] {
        self.table().nodes
    }

    /// Volume of the reference cell.
    pub fn reference_volume(self) -> f64 {
        self.table().volume
    }
}

/// |v|.
fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|c| c * c).sum::<f64>().sqrt()
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
        for shape in CellShape::SOLIDS.into_iter().filter(|s| s.order() == 2) {
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
        for shape in CellShape::SOLIDS {
            let x = shape.reference_nodes();
            let centre = shape.table().center;
            for i_face in 0..shape.n_faces() {
                let face = shape.face(i_face);
                let face_shape = shape.face_shape(i_face);
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

    /// Edges of a face by their corners, ascending.
    fn edges_of_face(shape: CellShape, i_face: usize) -> Vec<[u8; 2]> {
        let n = shape.face_shape(i_face).n_corners();
        let corner = |k: usize| shape.face(i_face)[k % n];
        (0..n).map(|k| [corner(k).min(corner(k + 1)), corner(k).max(corner(k + 1))]).collect()
    }

    #[test]
    fn faces_close_the_cell_and_their_edges_are_those_of_the_cell() {
        for shape in CellShape::SOLIDS {
            let mut of_faces: Vec<[u8; 2]> =
                (0..shape.n_faces()).flat_map(|face| edges_of_face(shape, face)).collect();
            of_faces.sort_unstable();
            let mut of_cell: Vec<[u8; 2]> =
                shape.edges().iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
            of_cell.sort_unstable();
            // Each edge belongs to two faces.
            let twice: Vec<[u8; 2]> = of_cell.iter().flat_map(|&edge| [edge, edge]).collect();
            assert_eq!(of_faces, twice, "{}", shape.name());
        }
    }

    #[test]
    fn the_unit_cube_is_mapped_onto_the_reference_cell_with_its_volume_and_centroid() {
        for shape in CellShape::SOLIDS {
            let table = shape.table();
            let cube = Quadrature::cube([4; 3]);
            let (mut volume, mut moment) = (0.0, [0.0; 3]);
            for (&u, weight) in cube.points.iter().zip(&cube.weights) {
                let (xi, factor) = (table.collapse)(u);
                volume += weight * factor;
                (0..3).for_each(|d| moment[d] += weight * factor * xi[d]);
            }
            assert!((volume / table.volume - 1.0).abs() < 1e-14, "{}: {volume}", shape.name());
            for d in 0..3 {
                assert!((moment[d] / volume - table.center[d]).abs() < 1e-14, "{}", shape.name());
            }
        }
    }

    #[test]
    fn numberings_of_other_formats_contain_every_node_and_face_once() {
        let is_permutation = |places: &[u8], n: usize| {
            let mut sorted = places.to_vec();
            sorted.sort_unstable();
            sorted.iter().enumerate().all(|(k, &place)| k == place as usize) && sorted.len() == n
        };
        for shape in CellShape::SOLIDS {
            let table = shape.table();
            assert!(is_permutation(table.gmsh.places, shape.n_nodes()), "{}", shape.name());
            assert!(is_permutation(table.abaqus.faces, shape.n_faces()), "{}", shape.name());
            let mirrored = table.vtk.mirrored.into_iter();
            for places in mirrored.chain(table.vtk.others.iter().filter_map(|alias| alias.places)) {
                assert!(is_permutation(places, shape.n_nodes()), "{}", shape.name());
            }
            assert_eq!(table.vtk.kind.n_points(), Some(shape.n_nodes()));
            assert_eq!(table.linear.n_nodes(), shape.n_corners());
        }
    }

    #[test]
    fn a_stress_that_is_linear_in_the_cell_is_reproduced_at_its_nodes() {
        let linear = |x: [f64; 3]| 1.0 + 2.0 * x[0] - 3.0 * x[1] + 0.5 * x[2];
        for shape in CellShape::SOLIDS {
            let StressSamples { points, factors } = shape.table().stress;
            let samples = points();
            if samples.len() == 1 {
                continue;
            }
            for &xi in shape.reference_nodes() {
                let factors = factors(xi);
                let sum: f64 = factors.iter().zip(&samples).map(|(f, &x)| f * linear(x)).sum();
                assert!((sum - linear(xi)).abs() < 1e-13, "{} at {xi:?}: {sum}", shape.name());
            }
        }
    }

    #[test]
    fn kinds_are_found_by_their_names() {
        for shape in CellShape::SOLIDS {
            assert_eq!(CellShape::from_name(shape.name()), Some(shape));
        }
        assert_eq!(CellShape::from_name("wedge18"), None);
    }
}
