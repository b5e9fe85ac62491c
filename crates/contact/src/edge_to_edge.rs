//! Edge to edge: rows of gaps of straight edges that cross each other, away from all nodes.
//!
//! A node that meets a face has a row of [`crate::node_to_face`]. Two edges that cross touch with no node in
//! front of a face. The gap of two sharp edges of solids is along the normal of both, out of the second body;
//! the gap of round edges (rims of shells, beams) is the distance of their axes less both radii:
//!
//! ```text
//! a = (1 − s) a_1 + s a_2,   b = (1 − t) b_1 + t b_2,   a − b = g n at the start of the step
//! ```
//!
//! With the places a and b of the start of a step the forces ±λ n have no moment. Sharp edges touch if they
//! cross at its end, where n is computed; then n is normal to both edges there, and the gap at the end does
//! not depend on s and t. For round edges n is the direction between the closest places at the start, so that
//! its sign is that of the side on which they were.
//!
//! # Source
//!
//! The gap of straight edges and the limits of its normal are those of [`crate::shape::touching`].

mod folds;
mod joined;
mod neighbours;
mod places;
mod search;
mod straight;
mod surface_edges;

use nalgebra::Vector3;

use crate::shape::{Crossing, Edge, crossing};
pub use places::Places;
use search::Search;
pub use surface_edges::{EdgesOf, SurfaceEdges};

/// Cosine of the angle between the normals of two faces below which their edge is sharp.
pub const SHARP: f64 = 0.87;

/// Sine of the angle below which edges count as parallel: nodes at their ends then meet faces.
const PARALLEL: f64 = 1e-3;

/// Part of an edge by which a crossing may lie beyond an end from which another edge goes on, so that a bent
/// line has no gaps.
const BEYOND: f64 = 1e-6;

/// A straight edge between two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SurfaceEdge {
    /// Numbers of its ends among the places of its side.
    pub ends: [u32; 2],
    /// True for an end from which another edge goes on: a crossing there has no corner nearby.
    pub goes_on: [bool; 2],
    /// Number of its body.
    pub body: u32,
    /// Sharp or round.
    pub kind: EdgeKind,
}

/// The form of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EdgeKind {
    /// An edge of a solid between two faces: three of their corners each, counter-clockwise from outside.
    Sharp([[u32; 3]; 2]),
    /// A sharp edge of a solid of which one face is known; the other one is taken at a right angle to it.
    /// The first two corners are the ends of the edge.
    Rim([u32; 3]),
    /// An edge with a circular section of this radius \[m\].
    Round(f64),
    /// An edge between two faces of a sheet, round with this radius \[m\]. It touches where both faces bend
    /// away from the other edge: each has a place across from each end.
    Fold(f64, [[u32; 2]; 2]),
}

impl SurfaceEdge {
    /// The radius of its section, 0 for an edge of a solid \[m\].
    pub fn radius(&self) -> f64 {
        match self.kind {
            EdgeKind::Sharp(_) | EdgeKind::Rim(_) => 0.0,
            EdgeKind::Round(radius) | EdgeKind::Fold(radius, _) => radius,
        }
    }

    /// Gives the places other numbers.
    pub fn renumber(&mut self, mut number: impl FnMut(u32) -> u32) {
        self.ends = self.ends.map(&mut number);
        self.kind = match self.kind {
            EdgeKind::Sharp(faces) => EdgeKind::Sharp(faces.map(|face| face.map(&mut number))),
            EdgeKind::Rim(face) => EdgeKind::Rim(face.map(&mut number)),
            round @ EdgeKind::Round(_) => round,
            EdgeKind::Fold(radius, across) => {
                EdgeKind::Fold(radius, across.map(|face| face.map(&mut number)))
            }
        };
    }
}

/// Two edges that may touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeRow {
    /// Numbers of the edges.
    pub edges: [u32; 2],
    /// Normal out of the second body.
    pub normal: Vector3<f64>,
    /// Weights s and t of the second end of each edge.
    pub at: [f64; 2],
    /// Gap at the start and at the end of the step, less both radii \[m\].
    pub gap_now: f64,
    /// The same at the end.
    pub gap: f64,
}

/// Limits of the gaps of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EdgeLimits {
    /// Gap up to which edges have a row \[m\].
    pub reach: f64,
    /// Depth up to which sharp edges have penetrated each other \[m\].
    pub depth: f64,
}

/// Rows of two lists of edges, or of one list against itself, with the state of their search.
#[derive(Debug, Clone)]
pub struct EdgeToEdge {
    /// The second list is empty if the first is tested against itself.
    edges: [Vec<SurfaceEdge>; 2],
    is_within: bool,
    /// Pairs of edges of one body that never touch each other, ascending.
    neighbours: Vec<[u32; 2]>,
    limits: EdgeLimits,
    search: Search,
    rows: Vec<EdgeRow>,
}

impl EdgeToEdge {
    /// Rows between two lists of edges.
    pub fn new(edges: [Vec<SurfaceEdge>; 2], limits: EdgeLimits) -> Self {
        let (neighbours, rows) = (Vec::new(), Vec::new());
        Self { edges, is_within: false, neighbours, limits, search: Search::default(), rows }
    }

    /// Rows between the edges of one list; both sides of a row have its places. Edges of one body touch each
    /// other, except for those that are one part of it at rest.
    ///
    /// * `neighbours` — pairs of edges that never touch, ascending ([`SurfaceEdges::neighbours`])
    /// * `reference` — places at rest; those of each body may be moved \[m\]
    pub fn within(
        edges: Vec<SurfaceEdge>,
        limits: EdgeLimits,
        mut neighbours: Vec<[u32; 2]>,
        reference: &[Vector3<f64>],
    ) -> Self {
        let mut search = Search::default();
        let reach = neighbours::reach(&limits);
        search.update([&edges, &[]], Some(&neighbours), [[reference; 2]; 2], |edge| 0.5 * reach + wall(edge));
        let pair = |&[i, j]: &[u32; 2]| [i, j].map(|k| &edges[k as usize]);
        let is_behind = |ends: &&[u32; 2]| {
            let pair = pair(ends);
            pair[0].body == pair[1].body && neighbours::is_behind(pair, reference, &limits)
        };
        let behind: Vec<[u32; 2]> = search.near().iter().filter(is_behind).copied().collect();
        neighbours.extend(behind);
        neighbours.sort_unstable();
        Self { is_within: true, neighbours, ..Self::new([edges, Vec::new()], limits) }
    }

    /// The edge of a row.
    ///
    /// * `side` — 0 for the first edge, 1 for the second
    pub fn edge(&self, row: &EdgeRow, side: usize) -> &SurfaceEdge {
        &self.list(side)[row.edges[side] as usize]
    }

    /// Number of edges of a side; both sides of one list have all of its edges.
    pub fn n_edges(&self, side: usize) -> usize {
        self.list(side).len()
    }

    /// The rows of the last step.
    pub fn rows(&self) -> &[EdgeRow] {
        &self.rows
    }

    fn list(&self, side: usize) -> &[SurfaceEdge] {
        &self.edges[if self.is_within { 0 } else { side }]
    }

    /// Makes the rows of a step, in the order of their edges.
    ///
    /// * `now`, `ahead` — positions of the places of each side at its start and end; within one list those of
    ///   the first side twice \[m\]
    pub fn update(&mut self, now: [&[Vector3<f64>]; 2], ahead: [&[Vector3<f64>]; 2]) -> &[EdgeRow] {
        self.rows.clear();
        let lists = [0, 1].map(|side| &self.edges[if self.is_within { 0 } else { side }][..]);
        let reach = self.limits.reach.max(self.limits.depth);
        let neighbours = self.is_within.then_some(&self.neighbours[..]);
        self.search.update(lists, neighbours, [now, ahead], |edge| 0.5 * reach + wall(edge));
        for &[i, j] in self.search.near() {
            let pair = [&lists[0][i as usize], &lists[1][j as usize]];
            if let Some(row) = row_of(pair, now, ahead, &self.limits)
                && row.gap <= self.limits.reach
            {
                self.rows.push(EdgeRow { edges: [i, j], ..row });
            }
        }
        &self.rows
    }
}

/// Distance of the surface from the line of an edge \[m\].
fn wall(edge: &SurfaceEdge) -> f64 {
    match edge.kind {
        EdgeKind::Round(radius) | EdgeKind::Fold(radius, _) => radius,
        EdgeKind::Sharp(_) | EdgeKind::Rim(_) => 0.0,
    }
}

/// True for an edge whose normals are those of a circle.
fn is_round(edge: &SurfaceEdge) -> bool {
    matches!(edge.kind, EdgeKind::Round(_) | EdgeKind::Fold(..))
}

/// The row of two edges, if they cross.
fn row_of(
    pair: [&SurfaceEdge; 2],
    now: [&[Vector3<f64>]; 2],
    ahead: [&[Vector3<f64>]; 2],
    limits: &EdgeLimits,
) -> Option<EdgeRow> {
    let ends = |side: usize, at: &[&[Vector3<f64>]; 2]| pair[side].ends.map(|k| at[side][k as usize]);
    let [now_a, now_b] = [0, 1].map(|side| ends(side, &now));
    let [ahead_a, ahead_b] = [0, 1].map(|side| ends(side, &ahead));
    let walls = wall(pair[0]) + wall(pair[1]);
    if pair.iter().all(|edge| is_round(edge)) {
        if !folds::may_touch(pair, [&now_a, &now_b], limits.reach + limits.depth + walls) {
            return None;
        }
        let at = closest(&now_a, &now_b);
        let between = |a: &[Vector3<f64>; 2], b: &[Vector3<f64>; 2]| place(a, at[0]) - place(b, at[1]);
        let apart = between(&now_a, &now_b);
        let normal = apart.try_normalize(0.0)?;
        if !folds::are_ridges(pair, [now, ahead], &normal, at) {
            return None;
        }
        let gap = normal.dot(&between(&ahead_a, &ahead_b)) - walls;
        return Some(EdgeRow { edges: [0; 2], normal, at, gap_now: apart.norm() - walls, gap });
    }
    if !may_cross(&ahead_a, &ahead_b, limits.reach.max(limits.depth) + walls) {
        return None;
    }
    let edge = |side: usize, x: [Vector3<f64>; 2]| straight(pair[side], x, ahead[side]);
    let (first, second) = (edge(0, ahead_a), edge(1, ahead_b));
    let found = crossing_of_kinds(pair, &first, &second)?;
    let gap = found.gap - walls;
    // Crossings near a corner belong to its node.
    let depth = (-gap).max(0.0);
    let is_within = |k: usize, length: f64| {
        let end = usize::from(found.at[k] > 0.0);
        let rest = (1.0 - found.at[k].abs()) * length;
        if pair[k].goes_on[end] { rest >= -BEYOND * length } else { rest > depth }
    };
    if !(is_within(0, first.half.norm()) && is_within(1, second.half.norm()) && depth <= limits.depth) {
        return None;
    }
    if !folds::are_ridges(pair, [now, ahead], &found.normal, found.at.map(|at| 0.5 * (1.0 + at))) {
        return None;
    }
    let at = aligned(&now_a, &now_b, &found.normal)?;
    let gap_now = found.normal.dot(&(place(&now_a, at[0]) - place(&now_b, at[1]))) - walls;
    Some(EdgeRow { edges: [0; 2], normal: found.normal, at, gap_now, gap })
}

fn place([a, b]: &[Vector3<f64>; 2], at: f64) -> Vector3<f64> {
    a + at * (b - a)
}

/// False for segments whose lines do not cross within them, or are farther apart: most of the near ones.
fn may_cross(a: &[Vector3<f64>; 2], b: &[Vector3<f64>; 2], farthest: f64) -> bool {
    let (d, e, w) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let across = d.cross(&e);
    let square = across.norm_squared();
    let is_within = |part: f64| (-BEYOND * square..=(1.0 + BEYOND) * square).contains(&part);
    is_within(w.cross(&e).dot(&across))
        && is_within(w.cross(&d).dot(&across))
        && w.dot(&across).powi(2) <= farthest * farthest * square
}

/// The edge with the normals of its faces; those of a round one are zero.
fn straight(edge: &SurfaceEdge, [a, b]: [Vector3<f64>; 2], positions: &[Vector3<f64>]) -> Edge {
    let normal = |corners: [u32; 3]| {
        let [x, y, z] = corners.map(|k| positions[k as usize]);
        (y - x).cross(&(z - x)).try_normalize(0.0).unwrap_or_else(Vector3::zeros)
    };
    let normals = match edge.kind {
        EdgeKind::Sharp(faces) => faces.map(normal),
        EdgeKind::Rim(face @ [first, second, _]) => {
            let [along, normal] = [positions[second as usize] - positions[first as usize], normal(face)];
            [normal, along.cross(&normal).try_normalize(0.0).unwrap_or_else(Vector3::zeros)]
        }
        EdgeKind::Round(_) | EdgeKind::Fold(..) => [Vector3::zeros(); 2],
    };
    Edge { center: 0.5 * (a + b), half: 0.5 * (b - a), normals }
}

/// The crossing of the lines of two edges of which one at least is sharp, with a normal between the faces of
/// each sharp one.
fn crossing_of_kinds(pair: [&SurfaceEdge; 2], first: &Edge, second: &Edge) -> Option<Crossing> {
    let across = first.half.cross(&second.half).norm();
    if across <= PARALLEL * first.half.norm() * second.half.norm() {
        return None;
    }
    let is_round = |k: usize| is_round(pair[k]);
    // The sign of the normal is that of the faces of the second edge.
    let found = if is_round(1) {
        let Crossing { gap, normal, at: [t, s] } = crossing(second, first);
        Crossing { gap, normal: -normal, at: [s, t] }
    } else {
        crossing(first, second)
    };
    let fits = |k: usize, edge: &Edge, side: f64| is_round(k) || edge.has_between(&(side * found.normal));
    (fits(1, second, 1.0) && fits(0, first, -1.0)).then_some(found)
}

/// Weights s and t of the places of two lines that are apart along a normal alone; none if the lines are
/// parallel as seen along it.
fn aligned(a: &[Vector3<f64>; 2], b: &[Vector3<f64>; 2], normal: &Vector3<f64>) -> Option<[f64; 2]> {
    let (d, e, w) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let det = normal.dot(&d.cross(&e));
    if det.abs() <= PARALLEL * d.norm() * e.norm() {
        return None;
    }
    Some([normal.dot(&w.cross(&e)) / det, normal.dot(&w.cross(&d)) / det])
}

/// Weights s and t of the closest places of two segments, from 0 to 1.
fn closest(a: &[Vector3<f64>; 2], b: &[Vector3<f64>; 2]) -> [f64; 2] {
    let (d, e, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (dd, de, ee) = (d.norm_squared(), d.dot(&e), e.norm_squared());
    let (dw, ew) = (d.dot(&w), e.dot(&w));
    let det = dd * ee - de * de;
    let is_parallel = det <= PARALLEL * PARALLEL * dd * ee;
    let s = if is_parallel { 0.5 } else { ((de * ew - ee * dw) / det).clamp(0.0, 1.0) };
    let t = (de * s + ew) / ee;
    // Where t leaves the segment, its end has the closest place on the other one.
    let end = t.clamp(0.0, 1.0);
    let s = if end == t { s } else { ((de * end - dw) / dd).clamp(0.0, 1.0) };
    [s, end]
}

#[cfg(test)]
mod tests;
