//! Edges between two faces of a sheet, which touch other edges where the sheet is folded at present.
//!
//! Where both faces bend away from the other edge, no node of the sheet is nearer to it than the edge itself.
//! Elsewhere the nodes of one sheet meet the faces of the other one, and an edge adds nothing.

use nalgebra::Vector3;

use super::{EdgeKind, SurfaceEdge, may_cross, place};

/// Sine of the angle by which each face bends away at least. Where a face bends by less, the surface between
/// the nodes, which have rows of their own, is missed by less than half of this part of an edge.
const LEAST: f64 = 1e-3;

/// False for most pairs with a fold that have no row: folds touch between their ends, as nodes meet faces.
pub(super) fn may_touch(pair: [&SurfaceEdge; 2], [a, b]: [&[Vector3<f64>; 2]; 2], farthest: f64) -> bool {
    let has_fold = pair.iter().any(|edge| matches!(edge.kind, EdgeKind::Fold(..)));
    !has_fold || may_cross(a, b, farthest)
}

/// True if the faces of both edges bend away from the other edge at the start or at the end of a step, as far
/// as the edges are folds. A step in which a sheet begins to fold has the row; that the edges do not pass
/// through each other holds for flat sheets too.
///
/// * `times` — positions at the start and at the end
/// * `normal` — out of the second edge, to the first
/// * `at` — weights of the second ends at the crossing
pub(super) fn are_ridges(
    pair: [&SurfaceEdge; 2],
    times: [[&[Vector3<f64>]; 2]; 2],
    normal: &Vector3<f64>,
    at: [f64; 2],
) -> bool {
    let is_ridge = |side: usize, from: &Vector3<f64>| {
        times.iter().any(|positions| bends_away(pair[side], positions[side], from, at[side]))
    };
    is_ridge(0, &-normal) && is_ridge(1, normal)
}

fn bends_away(edge: &SurfaceEdge, positions: &[Vector3<f64>], from: &Vector3<f64>, at: f64) -> bool {
    let EdgeKind::Fold(_, across) = edge.kind else { return true };
    let of = |places: [u32; 2]| places.map(|k| positions[k as usize]);
    let ends = of(edge.ends);
    let along = ends[1] - ends[0];
    across.iter().all(|&face| {
        let inward = place(&of(face), at) - place(&ends, at);
        let beside = inward - along * (along.dot(&inward) / along.norm_squared());
        beside.dot(from) < -LEAST * beside.norm()
    })
}
