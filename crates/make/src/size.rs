//! Limits on the size of bodies, checked before they fill the memory.

use carom_fem::Geometry;
use thiserror::Error;

/// Largest number of cells or knot spans of a body. The reduction of a body with 300 000 dofs needs 12 GB;
/// this limit is about a hundred times as large.
pub const MOST_CELLS: f64 = 5.0e6;

/// Largest number of nodes or control points of a body: those of this number of first-order cells.
pub const MOST_NODES: f64 = 5.0e6;

/// The error for a body with too many cells or nodes.
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "this would make {count:.1e} {what}, which is too many (at most {most:.0e}): use fewer elements, \
     or grade towards the place that needs small ones"
)]
pub struct TooMany {
    /// "cells", "nodes" or "control points".
    pub what: &'static str,
    /// Their number.
    pub count: f64,
    /// The limit.
    pub most: f64,
}

/// Refuses a too large number of cells.
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

/// Refuses too many cells or nodes before they are made.
///
/// * `elevate` — number by which degrees are raised first
/// * `parts` — number of parts into which each cell or knot span is then divided in each direction
///
/// Only interior nodes of a mesh are counted, without those of its surface; control points are counted before
/// gluing.
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
                nodes += n * block.shape.table().nodes_per_cell;
            }
            affordable(cells)?;
            limited("nodes", nodes, MOST_NODES)
        }
        Geometry::Nurbs(multipatch) => {
            for patch in &multipatch.patches {
                let spans = patch.basis.each_ref().map(|knots| knots.spans().len());
                cells += spans.iter().map(|&n| (n * parts) as f64).product::<f64>();
                // Each additional degree or knot adds a function in each knot span.
                let functions = |d: usize| patch.basis[d].n_functions() + spans[d] * (elevate + parts - 1);
                nodes += (0..3).map(|d| functions(d) as f64).product::<f64>();
            }
            affordable(cells)?;
            limited("control points", nodes, MOST_NODES)
        }
    }
}

/// Number of cells of `n_blocks` blocks with `elements` cells along their directions: one number for all
/// directions, or one for each.
///
/// If two numbers are given, the first one is for two directions.
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
    fn the_size_is_the_product_of_the_numbers_of_elements() {
        assert_eq!(cells_of(7, &[]), 7.0);
        assert_eq!(cells_of(7, &[3]), 189.0);
        assert_eq!(cells_of(1, &[2, 5]), 20.0);
        assert_eq!(cells_of(5, &[3, 2, 4]), 120.0);
        assert!(affordable(cells_of(7, &[400])).is_err());
        assert!(affordable(cells_of(7, &[10])).is_ok());
    }
}
