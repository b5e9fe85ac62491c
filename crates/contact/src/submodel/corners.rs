//! Corners of spans at edges of a surface: they reach into the other body before the average over their span
//! tells of it.

use std::collections::BTreeMap;

use carom_fem::surface::MAX_FACE_POINTS;
use nalgebra::Vector3;

use super::model::PairModel;
use super::workspace::Workspace;
use super::{Overlap, QuasistaticContact, WarmState};
use crate::geometry::Faces;
use crate::pressure::{Cell, Spans};
use crate::shape::Shape;

/// Cosine of the angle between two faces from which on they meet in an edge.
const EDGE: f64 = 0.9;

/// A corner of a span at an edge of the body, where the zone ends or goes on.
#[derive(Debug, Clone)]
pub(super) struct Corner {
    span: usize,
    /// Reference position in the frame of the body \[m\].
    place: Vector3<f64>,
    /// Distance from the farthest integration point of the span \[m\]: the gap here is not lower than the
    /// average by more.
    reach: f64,
    /// Shape values of the points of the span.
    values: Vec<f64>,
    /// The integration point of the span next to it.
    nearest: usize,
}

/// The corners of the spans of a zone in its reference position.
pub(super) fn corners(faces: &Faces, spans: &Spans, reference: &[Vector3<f64>]) -> Vec<Corner> {
    let mut of_cells: Vec<(usize, u32, usize)> = Vec::new();
    let of_points = corners_of_points(faces);
    for (span, cell) in spans.cell.iter().enumerate().filter(|(span, _)| spans.area[*span] > 0.0) {
        match *cell {
            Cell::Face(face) => {
                of_cells.extend((0..faces.domain(face).n_corners()).map(|corner| (span, face, corner)));
            }
            Cell::Point(point) => {
                of_cells.extend(of_points.get(&point).map(|&(face, corner)| (span, face, corner)));
            }
        }
    }
    let exposed =
        |(_, face, corner): &(usize, u32, usize)| is_exposed(faces, reference, *face, *corner as u8);
    of_cells.into_iter().filter(exposed).map(|at| corner_of(faces, spans, reference, at)).collect()
}

/// For the points that lie at corners of faces one of these corners, of the first such face.
fn corners_of_points(faces: &Faces) -> BTreeMap<u32, (u32, usize)> {
    let mut of_points = BTreeMap::new();
    for face in 0..faces.n_faces() as u32 {
        let domain = faces.domain(face);
        for corner in 0..domain.n_corners() {
            let values = shape(faces, face, domain.corner(corner)).0;
            let own = faces.surface.faces[face as usize].points.iter();
            let there = own.zip(&values).find(|(_, value)| (*value - 1.0).abs() < 1e-12);
            if let Some((&point, _)) = there {
                of_points.entry(point).or_insert((face, corner));
            }
        }
    }
    of_points
}

fn corner_of(
    faces: &Faces,
    spans: &Spans,
    reference: &[Vector3<f64>],
    (span, face, corner): (usize, u32, usize),
) -> Corner {
    let xi = faces.domain(face).corner(corner);
    let (own, shape) = (&faces.surface.faces[face as usize].points, shape(faces, face, xi).0);
    let points = spans.points(span);
    let value = |k: &u32| own.iter().position(|o| o == k).map_or(0.0, |i| shape[i]);
    let place = position(faces, reference, face, xi);
    let distance = |values: &[f64]| {
        let x: Vector3<f64> = points.iter().zip(values).map(|(&k, r)| reference[k as usize] * *r).sum();
        (x - place).norm()
    };
    let all = || spans.values(span).chunks_exact(points.len()).map(distance);
    let nearest = all().enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(g, _)| g);
    let values = points.iter().map(value).collect();
    Corner { span, place, reach: all().fold(0.0, f64::max), values, nearest }
}

/// True where the zone ends as the surface of the body turns, and where the faces around a corner have
/// different normals. Where the zone was cut out of a smooth surface pressure is an error in any case.
fn is_exposed(faces: &Faces, reference: &[Vector3<f64>], face: u32, corner: u8) -> bool {
    let domain = |face: u32| faces.domain(face);
    if faces.topology.corner_on_sharp(face, corner, domain) {
        return true;
    }
    let normal = |face: u32, corner: u8| {
        let slopes = shape(faces, face, domain(face).corner(usize::from(corner))).1;
        let points = &faces.surface.faces[face as usize].points;
        let tangent = |a: usize| -> Vector3<f64> {
            points.iter().zip(&slopes).map(|(&k, d)| reference[k as usize] * d[a]).sum()
        };
        // At the pole of a collapsed face there is none.
        (tangent(0).cross(&tangent(1)) * faces.orientation(face)).try_normalize(0.0)
    };
    let Some(own) = normal(face, corner) else { return false };
    let mut around = faces.topology.around(face, corner).iter();
    around.any(|&(f, c)| normal(f, c).is_some_and(|other| own.dot(&other) < EDGE))
}

type ValuesAndSlopes = ([f64; MAX_FACE_POINTS], [[f64; 2]; MAX_FACE_POINTS]);

/// Shape values and slopes of a face.
fn shape(faces: &Faces, face: u32, xi: [f64; 2]) -> ValuesAndSlopes {
    let (mut r, mut r_a, mut r_ab) =
        ([0.0; MAX_FACE_POINTS], [[0.0; 2]; MAX_FACE_POINTS], [[0.0; 3]; MAX_FACE_POINTS]);
    faces.surface.shape_into(face as usize, xi, &mut r, &mut r_a, &mut r_ab);
    (r, r_a)
}

fn position(faces: &Faces, reference: &[Vector3<f64>], face: u32, xi: [f64; 2]) -> Vector3<f64> {
    let points = &faces.surface.faces[face as usize].points;
    points.iter().zip(&shape(faces, face, xi).0).map(|(&k, r)| reference[k as usize] * *r).sum()
}

impl QuasistaticContact {
    /// The largest overlap, as part of its span, among those of spans without force.
    pub(super) fn overlap(&self, pair: &PairModel, warm: &WarmState, work: &Workspace) -> Option<Overlap> {
        let of_span = |span: usize| {
            let s = pair.span_offset + span;
            let depth = if work.solution.lambda[s] == 0.0 { warm.spans[s].overlap } else { 0.0 };
            let size = pair.spans.area[span].sqrt();
            let (place, is_corner) = (Vector3::zeros(), false);
            (depth > 0.0 && size > 0.0).then_some(Overlap { span, depth, size, place, is_corner })
        };
        let all = (0..pair.spans.len()).filter_map(of_span);
        let mut worst = all.max_by(|a, b| a.ratio().total_cmp(&b.ratio()))?;
        let reference = &self.first(pair).faces.reference;
        worst.place = pair.spans.center(worst.span, |k| reference[k as usize]);
        Some(worst)
    }

    /// The corner at an edge of the first zone that lies deepest inside the other body, in sizes of its span,
    /// at the positions of the last solve, of the spans that have no force as they are open on the average.
    ///
    /// Corners of a pair that are far from the other body cost a comparison each.
    pub fn corner_overlap(&self, pair: usize, warm: &WarmState, work: &mut Workspace) -> Option<Overlap> {
        let model = &self.pairs[pair];
        let mut worst: Option<Overlap> = None;
        for corner in &model.corners {
            let s = model.span_offset + corner.span;
            if work.solution.lambda[s] > 0.0 || warm.spans[s].slack > corner.reach {
                continue;
            }
            let depth = self.corner_depth(pair, corner, warm, work);
            let size = model.spans.area[corner.span].sqrt();
            let found = Overlap { span: corner.span, depth, size, place: corner.place, is_corner: true };
            if depth > worst.map_or(0.0, |worst| worst.ratio() * size) {
                worst = Some(found);
            }
        }
        worst
    }

    /// How deep a corner lies inside the other body \[m\]; negative outside, and where it turns its back on
    /// it.
    fn corner_depth(&self, pair: usize, corner: &Corner, warm: &WarmState, work: &mut Workspace) -> f64 {
        let model: &PairModel = &self.pairs[pair];
        let at = &mut work.pairs[pair];
        let points = model.spans.points(corner.span).iter().zip(&corner.values);
        let x: Vector3<f64> = points.map(|(&k, r)| at.first_in_2[k as usize] * *r).sum();
        let foot = match &self.zones[model.pair.second].shape {
            Shape::Faces(faces) => at.second.as_mut().and_then(|now| {
                if warm.spans[model.span_offset + corner.span].has_feet {
                    let first = model.foot_offset + model.spans.start[corner.span] as usize;
                    Some(faces.project(now, &x, warm.feet[first + corner.nearest]))
                } else {
                    faces.closest(now, &x)
                }
            }),
            shape => shape.closest(0, &x),
        };
        let Some(foot) = foot.filter(|foot| !foot.beyond_rim && -foot.gap <= model.max_depth) else {
            return f64::NEG_INFINITY;
        };
        let outward = model.spans.normal(corner.span, &at.first_in_2);
        if outward.dot(&foot.normal) < 0.0 { -foot.gap } else { f64::NEG_INFINITY }
    }
}
