//! The edges of a surface that may touch other edges: sharp ones of solids, rims and folds of shells.

use std::collections::BTreeMap;

use carom_fem::surface::FaceBasis;
use carom_fem::{Face, Surface};
use nalgebra::Vector3;

use super::{EdgeKind, SHARP, SurfaceEdge};

/// The edges of a surface whose faces have straight edges: those between two faces at an angle, and the rims
/// of shells. Faces with curved edges have none.
///
/// * `reference` — positions of the points of the surface, in which edges are sharp or not \[m\]
/// * `halves` — distance of the surface of shells from each point, 0 for solids; empty without shells \[m\]
/// * `is_wanted` — whether edges of a face are; one of the faces at an edge decides
pub fn surface_edges(
    surface: &Surface,
    reference: &[Vector3<f64>],
    halves: &[f64],
    body: u32,
    is_wanted: impl Fn(usize) -> bool,
) -> Vec<SurfaceEdge> {
    let mut by_ends: BTreeMap<[u32; 2], Vec<usize>> = BTreeMap::new();
    for (number, face) in surface.faces.iter().enumerate() {
        let Some(corners) = corners(face) else { continue };
        for k in 0..corners.len() {
            let (a, b) = (corners[k], corners[(k + 1) % corners.len()]);
            by_ends.entry([a.min(b), a.max(b)]).or_default().push(number);
        }
    }
    let normal = |face: usize| {
        let [x, y, z] = seen_from_outside(&surface.faces[face]).map(|k| reference[k as usize]);
        (y - x).cross(&(z - x)).try_normalize(0.0).unwrap_or_else(Vector3::zeros)
    };
    let half = |k: u32| halves.get(k as usize).copied().unwrap_or(0.0);
    let edge = |(ends, faces): (&[u32; 2], &Vec<usize>)| {
        if ends[0] == ends[1] || !faces.iter().any(|&face| is_wanted(face)) {
            return None;
        }
        let radius = 0.5 * (half(ends[0]) + half(ends[1]));
        let is_sheet = radius > 0.0;
        let kind = match faces[..] {
            [_] if is_sheet => EdgeKind::Round(radius),
            // Neighbours of a sheet may be oriented either way.
            [f, g] if is_sheet && normal(f).dot(&normal(g)).abs() < SHARP => EdgeKind::Round(radius),
            [_, _, _, ..] if is_sheet => EdgeKind::Round(radius),
            [f, g] if !is_sheet && normal(f).dot(&normal(g)) < SHARP => {
                EdgeKind::Sharp([f, g].map(|face| seen_from_outside(&surface.faces[face])))
            }
            _ => return None,
        };
        Some(SurfaceEdge { ends: *ends, goes_on: [false; 2], body, kind })
    };
    let mut edges: Vec<SurfaceEdge> = by_ends.iter().filter_map(edge).collect();
    mark_lines(&mut edges, reference);
    edges
}

/// Marks the ends from which another edge goes on in nearly the same direction.
fn mark_lines(edges: &mut [SurfaceEdge], reference: &[Vector3<f64>]) {
    let mut at_points: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, edge) in edges.iter().enumerate() {
        (0..2).for_each(|end| at_points.entry(edge.ends[end]).or_default().push((number, end)));
    }
    let out = |edges: &[SurfaceEdge], (number, end): (usize, usize)| {
        let [a, b] = [end, 1 - end].map(|k| reference[edges[number].ends[k] as usize]);
        (b - a).try_normalize(0.0).unwrap_or_else(Vector3::zeros)
    };
    for ends in at_points.values() {
        for &own in ends {
            let direction = out(edges, own);
            let goes_on =
                ends.iter().any(|&other| other != own && out(edges, other).dot(&direction) < -SHARP);
            edges[own.0].goes_on[own.1] = goes_on;
        }
    }
}

/// The corners of a face with straight edges.
fn corners(face: &Face) -> Option<&[u32]> {
    match face.basis {
        FaceBasis::Lagrange(shape) if shape.n_corners() == shape.n_nodes() => Some(&face.points),
        _ => None,
    }
}

/// Three corners of a face, counter-clockwise from outside.
fn seen_from_outside(face: &Face) -> [u32; 3] {
    let n = face.points.len();
    let [a, b, c] = [face.points[0], face.points[1], face.points[n - 1]];
    if face.orientation > 0.0 { [a, b, c] } else { [a, c, b] }
}
