//! Points and cells from meshes, glued patches, and patches that are refined locally.

use carom_mesh::{Mesh, Section};
use carom_nurbs::basis::MAX_DEGREE;
use carom_nurbs::hierarchy::LevelGrid;
use carom_nurbs::{KnotVector, Multipatch, Patch};

use super::{Cells, DiscretisationError};
use crate::basis::{LineSpan, SplineCells, Window};

/// The parts of a discretisation.
pub(super) struct Parts {
    pub(super) points: Vec<[f64; 3]>,
    pub(super) weights: Vec<f64>,
    pub(super) hanging: Vec<Vec<(u32, f64)>>,
    /// Cells with the block or patch that they come from.
    pub(super) cells: Vec<(usize, Cells)>,
    /// Blocks or patches.
    pub(super) n_sources: usize,
}

/// Cells of a mesh.
pub(super) fn mesh_cells(body: &str, mesh: &Mesh) -> Result<Parts, DiscretisationError> {
    let n_points = mesh.points.len();
    let mut blocks = Vec::with_capacity(mesh.blocks.len());
    for (i_block, block) in mesh.blocks.iter().enumerate() {
        check_points(body, i_block, &block.connectivity, n_points)?;
        if block.connectivity.len() % block.shape.n_nodes() != 0 {
            return Err(DiscretisationError::Length {
                body: body.to_owned(),
                block: i_block,
                list: "the connectivity",
                found: block.connectivity.len(),
                expected: block.shape.n_nodes(),
            });
        }
        blocks.push(Cells::Lagrange { shape: block.shape, connectivity: block.connectivity.clone() });
    }
    Ok(Parts {
        points: mesh.points.clone(),
        weights: vec![1.0; n_points],
        hanging: Vec::new(),
        n_sources: blocks.len(),
        cells: blocks.into_iter().enumerate().collect(),
    })
}

/// Checks that shells and beams have sections of their kind, and solids none.
pub(super) fn check_section(
    body: &str,
    block: usize,
    cells: &Cells,
    section: Option<Section>,
) -> Result<(), DiscretisationError> {
    let (dimension, shape) = match cells {
        Cells::Lagrange { shape, .. } => (shape.table().dimension, shape.name()),
        Cells::Spline(_) => (3, "nurbs"),
    };
    let fits = match section {
        None => dimension == 3,
        Some(Section::Shell(_)) => dimension == 2,
        Some(Section::Beam(_)) => dimension == 1,
    };
    if !fits {
        return Err(DiscretisationError::Section { body: body.to_owned(), block, shape });
    }
    let Some(section) = section else { return Ok(()) };
    section.check().map_err(|source| DiscretisationError::ImpossibleSection {
        body: body.to_owned(),
        block,
        source,
    })
}

fn check_points(body: &str, block: usize, ids: &[u32], n_points: usize) -> Result<(), DiscretisationError> {
    match ids.iter().find(|&&id| id as usize >= n_points) {
        Some(&point) => {
            Err(DiscretisationError::NoSuchPoint { body: body.to_owned(), block, point, n_points })
        }
        None => Ok(()),
    }
}

/// Cells of glued patches.
pub(super) fn patch_cells(body: &str, multipatch: &Multipatch) -> Result<Parts, DiscretisationError> {
    let n_points = multipatch.n_points();
    let mut points = vec![[0.0; 3]; n_points];
    let mut weights = vec![1.0; n_points];
    let mut blocks = Vec::with_capacity(multipatch.patches.len());
    for (i_patch, patch) in multipatch.patches.iter().enumerate() {
        let ids = multipatch.point_ids().get(i_patch).map_or(&[][..], Vec::as_slice);
        let n_functions = patch.basis.each_ref().map(KnotVector::n_functions);
        let expected = n_functions.iter().product();
        for (list, found) in [
            ("the list of control points", patch.points.len()),
            ("the list of weights", patch.weights.len()),
            ("the list of glued points", ids.len()),
        ] {
            if found != expected {
                let body = body.to_owned();
                return Err(DiscretisationError::Length { body, block: i_patch, list, found, expected });
            }
        }
        check_points(body, i_patch, ids, n_points)?;
        let degrees = patch.basis.each_ref().map(KnotVector::degree);
        if let Some(direction) = degrees.iter().position(|p| !(1..=MAX_DEGREE).contains(p)) {
            let degree = degrees[direction];
            return Err(DiscretisationError::Degree {
                body: body.to_owned(),
                patch: i_patch,
                direction,
                degree,
            });
        }
        if let Some(point) = patch.weights.iter().position(|&w| !(w > 0.0 && w.is_finite())) {
            let weight = patch.weights[point];
            return Err(DiscretisationError::Weight { body: body.to_owned(), patch: i_patch, point, weight });
        }
        for ((&id, point), &weight) in ids.iter().zip(&patch.points).zip(&patch.weights) {
            points[id as usize] = *point;
            weights[id as usize] = weight;
        }
        let lines: [Vec<LineSpan>; 3] = std::array::from_fn(|d| line_spans(patch, d));
        let n_spans = lines.each_ref().map(Vec::len);
        let cells = SplineCells {
            degrees,
            n_functions,
            lines,
            point_ids: ids.to_vec(),
            weights: patch.weights.clone(),
            window: Box::new(Window { first: [0; 3], n_spans, cells: None }),
        };
        blocks.push((i_patch, Cells::Spline(cells)));
    }
    Ok(Parts { points, weights, hanging: Vec::new(), cells: blocks, n_sources: multipatch.patches.len() })
}

/// Cells of a body that is refined locally: a block for each level of each patch.
pub(super) fn leaf_cells(body: &str, multipatch: &Multipatch) -> Result<Parts, DiscretisationError> {
    let invalid = |source| DiscretisationError::Hierarchy { body: body.to_owned(), source };
    let Some(space) = multipatch.space().map_err(invalid)? else { return patch_cells(body, multipatch) };
    let mut cells = Vec::new();
    for (i_patch, levels) in space.patches.iter().enumerate() {
        cells.extend(levels.iter().map(|grid| (i_patch, Cells::Spline(level_cells(grid)))));
    }
    let n_sources = multipatch.patches.len();
    Ok(Parts { points: space.points, weights: space.weights, hanging: space.hanging, cells, n_sources })
}

fn level_cells(grid: &LevelGrid) -> SplineCells {
    let range = |d: usize| {
        let spans = || grid.cells.iter().map(|cell| cell[d]);
        spans().min().unwrap_or(0) as usize..spans().max().map_or(0, |last| last as usize + 1)
    };
    let ranges = [0, 1, 2].map(range);
    let line = |d: usize| -> Vec<LineSpan> {
        let basis = &grid.basis[d];
        let span = |&k: &usize| LineSpan {
            first: basis.first_function(k) - grid.first[d],
            interval: [basis.knots()[k], basis.knots()[k + 1]],
            operator: basis.extraction_of(k),
        };
        grid.spans[d][ranges[d].clone()].iter().map(span).collect()
    };
    let first = ranges.each_ref().map(|range| range.start);
    let in_window = |cell: &[u32; 3]| [0, 1, 2].map(|d| cell[d] - first[d] as u32);
    SplineCells {
        degrees: grid.basis.each_ref().map(KnotVector::degree),
        n_functions: grid.counts,
        lines: [0, 1, 2].map(line),
        point_ids: grid.points.clone(),
        weights: grid.weights.clone(),
        window: Box::new(Window {
            first,
            n_spans: grid.spans.each_ref().map(Vec::len),
            cells: Some(grid.cells.iter().map(in_window).collect()),
        }),
    }
}

fn line_spans(patch: &Patch, direction: usize) -> Vec<LineSpan> {
    let basis = &patch.basis[direction];
    let knots = basis.knots();
    let spans = basis.spans().into_iter().zip(basis.extraction());
    spans
        .map(|(span, operator)| LineSpan {
            first: basis.first_function(span),
            interval: [knots[span], knots[span + 1]],
            operator,
        })
        .collect()
}
