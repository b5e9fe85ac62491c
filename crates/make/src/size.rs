//! Bodies that no machine could hold are refused before they fill its memory.

use carom_fem::Geometry;
use carom_mesh::CellShape;
use thiserror::Error;

/// Most cells or spans of a body. A body of 300 000 dofs takes 12 GB to reduce; this is some hundred times as
/// much.
pub const MOST_CELLS: f64 = 5.0e6;

/// Most nodes or control points of a body: those of as many cells of the first order.
pub const MOST_NODES: f64 = 5.0e6;

/// A body would have more cells or nodes than can be computed with.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "this would make {count:.1e} {what}, more than can be computed with ({most:.0e}): take fewer elements, \
     or grade towards the place that needs small ones"
)]
pub struct TooMany {
    /// "cells", "nodes" or "control points".
    pub what: &'static str,
    /// How many.
    pub count: f64,
    /// The limit.
    pub most: f64,
}

/// Refuses a number of cells that is out of all proportion.
///
/// # Errors
///
/// [`TooMany`] above [`MOST_CELLS`].
pub(crate) fn affordable(cells: f64) -> Result<(), TooMany> {
    limited("cells", cells, MOST_CELLS)
}

fn limited(what: &'static str, count: f64, most: f64) -> Result<(), TooMany> {
    if count <= most { Ok(()) } else { Err(TooMany { what, count, most }) }
}

/// Refuses more cells or nodes than can be computed with, before any is made.
///
/// * `elevate` — by how much degrees are raised first
/// * `parts` — into how many parts each cell or span is divided then, in each direction
///
/// Nodes of a mesh are counted inside of it, those of its surface left out; control points before gluing.
///
/// # Errors
///
/// [`TooMany`] above [`MOST_CELLS`] or [`MOST_NODES`].
pub(crate) fn affordable_refinement(
    geometry: &Geometry,
    elevate: usize,
    parts: usize,
) -> Result<(), TooMany> {
    let (mut cells, mut nodes) = (0.0, 0.0);
    match geometry {
        Geometry::Mesh(mesh) => {
            for block in &mesh.blocks {
                let n = block.n_cells() as f64 * (parts as f64).powi(3);
                cells += n;
                nodes += n * nodes_of_a_cell(block.shape);
            }
            affordable(cells)?;
            limited("nodes", nodes, MOST_NODES)
        }
        Geometry::Nurbs(multipatch) => {
            for patch in &multipatch.patches {
                let spans = patch.basis.each_ref().map(|knots| knots.spans().len());
                cells += spans.iter().map(|&n| (n * parts) as f64).product::<f64>();
                // A degree more is a function more in each span, and so is a knot more.
                let functions = |d: usize| patch.basis[d].n_functions() + spans[d] * (elevate + parts - 1);
                nodes += (0..3).map(|d| functions(d) as f64).product::<f64>();
            }
            affordable(cells)?;
            limited("control points", nodes, MOST_NODES)
        }
    }
}

/// Nodes for each cell of a large mesh: one for each corner, edge, face and inside that has one, by how many
/// cells share it.
///
/// A tetrahedral mesh has some six tetrahedra and seven edges a corner (as the cube that is cut into six), a
/// hexahedral one one hexahedron, three edges and three faces.
fn nodes_of_a_cell(shape: CellShape) -> f64 {
    match shape {
        CellShape::Tet4 => 1.0 / 6.0,
        CellShape::Tet10 => 8.0 / 6.0,
        CellShape::Hex8 => 1.0,
        CellShape::Hex20 => 4.0,
        CellShape::Hex27 => 8.0,
    }
}

/// Cells of `n_blocks` blocks whose directions are divided as `elements` says: one number for all directions,
/// or one each.
///
/// Where two numbers are given the first stands for two directions.
pub(crate) fn cells_of(n_blocks: usize, elements: &[usize]) -> f64 {
    let n = |i: usize| elements[i] as f64;
    let each = match elements.len() {
        0 => 1.0,
        1 => n(0).powi(3),
        2 => n(0) * n(0) * n(0).max(n(1)),
        _ => elements.iter().map(|&count| count as f64).product(),
    };
    n_blocks as f64 * each
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_elements_multiply() {
        assert_eq!(cells_of(7, &[]), 7.0);
        assert_eq!(cells_of(7, &[3]), 189.0);
        assert_eq!(cells_of(1, &[2, 5]), 20.0);
        assert_eq!(cells_of(5, &[3, 2, 4]), 120.0);
        assert!(affordable(cells_of(7, &[400])).is_err());
        assert!(affordable(cells_of(7, &[10])).is_ok());
    }
}
