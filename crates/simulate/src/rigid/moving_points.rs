//! The points that move over the curved faces of a body of splines, and those that stay where they are.
//!
//! A curved knot span is divided into parts with a point each, so that a body may lie on several places of
//! it at once: a rod in a groove, or across two rails. Where the surface has an edge, a point moves along
//! each part of the edge that is curved or borders on a curved span. Flat spans keep their corners and
//! middles, but for corners on such edges, on which a body would roll as on the corners of a prism.

use carom_contact::geometry::{Domain, Faces};
use carom_fem::Surface;
use carom_rigid::{Ball, MovingPoint, MovingPoints};
use nalgebra::Vector3;

use super::spline_points::{Span, distinct, parts_of};
use crate::silhouette::{bounds, samples, samples_of_face};

/// Part of the longest side of the box around a surface by which the part of a moving point may stand out.
const STANDS_OUT: f64 = 1e-2;

/// Sine of the angle between two faces from which on their common edge is one of the surface.
const KINK: f64 = 1e-4;

/// Distance of places that are the same, over the size of the surface.
const SAME: f64 = 1e-9;

/// The points with which faces of splines touch by multipliers.
pub(super) fn moving_points(faces: &Faces) -> (Vec<Ball>, Option<MovingPoints>) {
    let surface = &faces.surface;
    let positions: &Vec<[f64; 3]> = &faces.reference.iter().map(|&x| x.into()).collect();
    let [low, high] = bounds(&samples(surface, positions));
    let size = (high - low).max();
    let spans = Spans { surface, positions, faces, depth: STANDS_OUT * size, size };
    let is_curved: Vec<bool> = (0..surface.faces.len()).map(|face| spans.is_curved(face)).collect();
    let lines = spans.lines(&is_curved);
    let on_faces = (0..is_curved.len()).filter(|&face| is_curved[face]).flat_map(|face| spans.parts(face));
    let points: Vec<MovingPoint> = on_faces.chain(spans.parts_of_lines(&lines)).collect();
    let is_on_line = |x: &Vector3<f64>| {
        lines.iter().flat_map(|line| line.ends).any(|[end, _]| (x - end).norm() <= SAME * size)
    };
    let flat = (0..is_curved.len()).filter(|&face| !is_curved[face]);
    let fixed = flat.flat_map(|face| samples_of_face(surface, face, positions)).filter(|x| !is_on_line(x));
    let fixed = distinct(fixed.collect()).into_iter().map(Ball::point).collect();
    let moving = (!points.is_empty()).then(|| MovingPoints { faces: faces.clone(), points });
    (fixed, moving)
}

/// The knot spans of a surface.
struct Spans<'a> {
    surface: &'a Surface,
    positions: &'a [[f64; 3]],
    faces: &'a Faces,
    /// Height by which a part may stand out \[m\].
    depth: f64,
    size: f64,
}

/// An edge of a span that is an edge of the surface.
#[derive(Debug, Clone, Copy)]
struct Line {
    face: usize,
    /// The parameter along it, and the value of the other one.
    along: usize,
    other: f64,
    parts: usize,
    /// Place and direction into the line of both ends \[m\].
    ends: [[Vector3<f64>; 2]; 2],
}

/// The edges of a span: the parameter along it, the value of the other one, and the number of the edge.
const EDGES: [(usize, f64, u8); 4] = [(0, 0.0, 0), (1, 1.0, 1), (0, 1.0, 2), (1, 0.0, 3)];

impl Spans<'_> {
    fn span(&self, face: usize) -> Span<'_> {
        Span { surface: self.surface, positions: self.positions, face }
    }

    fn is_curved(&self, face: usize) -> bool {
        self.faces.domain(face as u32) == Domain::Square && self.span(face).is_curved(self.size)
    }

    /// The parts of a curved span.
    fn parts(&self, face: usize) -> impl Iterator<Item = MovingPoint> {
        let [m, n] = self.span(face).parts(self.depth);
        let range = |k: usize, n: usize| [k as f64 / n as f64, (k + 1) as f64 / n as f64];
        (0..n).flat_map(move |j| {
            (0..m).map(move |i| MovingPoint {
                face: face as u32,
                range: [range(i, m), range(j, n)],
                ends: [[false; 2]; 2],
            })
        })
    }

    /// Edges of the surface that are curved or border on a curved span, each once.
    fn lines(&self, is_curved: &[bool]) -> Vec<Line> {
        let squares = (0..is_curved.len()).filter(|&face| self.faces.domain(face as u32) == Domain::Square);
        let edges = squares.flat_map(|face| EDGES.map(|edge| (face, edge)));
        edges.filter_map(|(face, edge)| self.line(face, edge, is_curved)).collect()
    }

    fn line(&self, face: usize, (along, other, edge): (usize, f64, u8), is_curved: &[bool]) -> Option<Line> {
        let span = self.span(face);
        let (heights, length) = span.edge(along, other);
        let xi = Domain::Square.on_edge(usize::from(edge), 0.5);
        let across = self.faces.topology.across(face as u32, edge, 0.5);
        let is_of_other = across.is_some_and(|(beside, ..)| (beside as usize) < face);
        if is_of_other || length <= SAME * self.size {
            return None;
        }
        if let Some((beside, edge, t)) = across {
            let there = self.faces.domain(beside).on_edge(usize::from(edge), t);
            let normals = [self.normal(face as u32, xi), self.normal(beside, there)];
            let [Some(a), Some(b)] = normals else { return None };
            if a.cross(&b).norm() < KINK && a.dot(&b) > 0.0 {
                return None;
            }
        }
        let beside = across.is_some_and(|(beside, ..)| is_curved[beside as usize]);
        let is_straight = heights.iter().all(|height| *height <= SAME * self.size);
        if is_straight && !is_curved[face] && !beside {
            return None;
        }
        let curved = parts_of(heights, self.depth);
        let parts = if is_curved[face] { span.parts(self.depth)[along].max(curved) } else { curved };
        let end = |t: f64| {
            let jet = self.faces.jet_at_rest(face as u32, if along == 0 { [t, other] } else { [other, t] });
            let direction = jet.d[along].try_normalize(0.0).unwrap_or_default();
            [jet.y, (1.0 - 2.0 * t) * direction]
        };
        Some(Line { face, along, other, parts, ends: [end(0.0), end(1.0)] })
    }

    fn normal(&self, face: u32, xi: [f64; 2]) -> Option<Vector3<f64>> {
        let [u, v] = self.faces.jet_at_rest(face, xi).d;
        Some(self.faces.orientation(face) * u.cross(&v).try_normalize(0.0)?)
    }

    /// The parts of lines. A point touches at the end of a line unless another line goes on smoothly there.
    fn parts_of_lines<'a>(&'a self, lines: &'a [Line]) -> impl Iterator<Item = MovingPoint> + 'a {
        lines.iter().enumerate().flat_map(move |(number, line)| {
            let ends = line.ends.map(|[place, into]| {
                let others = lines.iter().enumerate().filter(|(k, _)| *k != number);
                let all = others.flat_map(|(_, other)| other.ends);
                !all.into_iter().any(|[there, other]| {
                    (there - place).norm() <= SAME * self.size && (other + into).norm() < KINK
                })
            });
            let n = line.parts;
            (0..n).map(move |k| {
                let mut range = [[line.other; 2]; 2];
                range[line.along] = [k as f64 / n as f64, (k + 1) as f64 / n as f64];
                let mut touches = [[false; 2]; 2];
                touches[line.along] = [k == 0 && ends[0], k + 1 == n && ends[1]];
                MovingPoint { face: line.face as u32, range, ends: touches }
            })
        })
    }
}
