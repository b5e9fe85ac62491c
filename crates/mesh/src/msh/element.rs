//! Gmsh's element types and node orders.

use crate::{CellShape, FaceShape};

/// The part of the mesh that an element of a file becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A cell of the mesh.
    Cell(CellShape),
    /// A face, which names a part of the surface.
    Face(FaceShape),
    /// A line or point with this many nodes, which names nodes.
    Wire(usize),
}

impl Kind {
    /// The kind of Gmsh's element type `number`, or the name of the unsupported type.
    pub(super) fn from_gmsh(number: i32) -> Result<Self, String> {
        if let Some(shape) = CellShape::SOLIDS.into_iter().find(|shape| shape.table().gmsh.number == number) {
            return Ok(Self::Cell(shape));
        }
        if let Some(shape) = FaceShape::ALL.into_iter().find(|shape| shape.gmsh().number == number) {
            return Ok(Self::Face(shape));
        }
        match number {
            1 => Ok(Self::Wire(2)),
            8 => Ok(Self::Wire(3)),
            15 => Ok(Self::Wire(1)),
            _ => Err(unsupported(number)),
        }
    }

    /// Gmsh's number of this kind of element.
    pub(super) fn gmsh_number(self) -> i32 {
        match self {
            Self::Wire(2) => 1,
            Self::Wire(3) => 8,
            Self::Wire(_) => 15,
            Self::Face(shape) => shape.gmsh().number,
            Self::Cell(shape) => shape.table().gmsh.number,
        }
    }

    /// Number of nodes.
    pub(super) fn n_nodes(self) -> usize {
        match self {
            Self::Cell(shape) => shape.n_nodes(),
            Self::Face(shape) => shape.n_nodes(),
            Self::Wire(n) => n,
        }
    }

    /// Name of the kind for messages; points count as lines, because both only name nodes.
    pub(super) fn name(self) -> String {
        match self {
            Self::Cell(shape) => shape.name().to_owned(),
            Self::Face(shape) => shape.name().to_owned(),
            Self::Wire(1) => "points".to_owned(),
            Self::Wire(n) => format!("line{n}"),
        }
    }

    /// For each node in VTK's order its place in Gmsh's order.
    pub(super) fn gmsh_places(self) -> &'static [u8] {
        match self {
            Self::Cell(shape) => shape.table().gmsh.places,
            Self::Face(shape) => shape.gmsh().places,
            Self::Wire(n) => &[0, 1, 2][..n],
        }
    }
}

/// Name of an unsupported element type.
fn unsupported(number: i32) -> String {
    let name = match number {
        13 => "wedges (prisms) with nodes on their faces (in Gmsh: Mesh.SecondOrderIncomplete = 1)",
        14 => "pyramids with nodes on their faces (in Gmsh: Mesh.SecondOrderIncomplete = 1)",
        20 | 21 => "triangles of third order",
        22 | 23 => "triangles of fourth order",
        24 | 25 => "triangles of fifth order",
        26 => "lines of third order",
        27 => "lines of fourth order",
        28 => "lines of fifth order",
        29 => "tetrahedra of third order",
        30 => "tetrahedra of fourth order",
        31 => "tetrahedra of fifth order",
        36 => "quadrilaterals of third order",
        37 => "quadrilaterals of fourth order",
        90 => "wedges (prisms) of third order",
        92 => "hexahedra of third order",
        93 => "hexahedra of fourth order",
        _ => "",
    };
    if name.is_empty() { format!("elements of Gmsh's type {number}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gmsh's own corner pairs, as its reference manual lists or draws the edges of these cells.
    const GMSH_HEX_EDGES: [[u8; 2]; 12] =
        [[0, 1], [0, 3], [0, 4], [1, 2], [1, 5], [2, 3], [2, 6], [3, 7], [4, 5], [4, 7], [5, 6], [6, 7]];
    const GMSH_TET_EDGES: [[u8; 2]; 6] = [[0, 1], [1, 2], [2, 0], [3, 0], [2, 3], [1, 3]];
    const GMSH_WEDGE_EDGES: [[u8; 2]; 9] =
        [[0, 1], [0, 2], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [3, 5], [4, 5]];
    const GMSH_PYRAMID_EDGES: [[u8; 2]; 8] = [[0, 1], [0, 3], [0, 4], [1, 2], [1, 4], [2, 3], [2, 4], [3, 4]];

    #[test]
    fn permuted_edge_nodes_lie_on_the_same_edges() {
        for (shape, edges) in [
            (CellShape::Tet10, &GMSH_TET_EDGES[..]),
            (CellShape::Hex20, &GMSH_HEX_EDGES),
            (CellShape::Hex27, &GMSH_HEX_EDGES),
            (CellShape::Wedge15, &GMSH_WEDGE_EDGES),
            (CellShape::Pyramid13, &GMSH_PYRAMID_EDGES),
        ] {
            let places = Kind::Cell(shape).gmsh_places();
            for (k, edge) in shape.edges().iter().enumerate() {
                let mut gmsh = edges[places[shape.n_corners() + k] as usize - shape.n_corners()];
                let mut ours = *edge;
                gmsh.sort_unstable();
                ours.sort_unstable();
                assert_eq!(gmsh, ours, "{} edge {k}", shape.name());
            }
        }
    }

    #[test]
    fn every_kind_keeps_its_number() {
        for number in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 17, 18, 19] {
            assert_eq!(Kind::from_gmsh(number).unwrap().gmsh_number(), number);
        }
        assert!(Kind::from_gmsh(13).unwrap_err().contains("SecondOrderIncomplete"));
        assert_eq!(Kind::from_gmsh(-7).unwrap_err(), "elements of Gmsh's type -7");
    }
}
