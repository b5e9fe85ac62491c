//! The points with which a surface of splines touches other bodies by springs, which do not move.
//!
//! They are the corners and middles of the knot spans. On curved spans there are more, so close to each other
//! that the surface stands out between them by a small part of the size of the body. Along the straight lines
//! of such a span, as those of a cylinder, the points are as close: another rod may lie across these lines.

use std::collections::BTreeSet;

use carom_fem::Surface;
use nalgebra::Vector3;

use crate::silhouette::{bounds, samples};

/// Part of the longest side of the box around a surface by which it may stand out between its points.
const STANDS_OUT: f64 = 2e-3;

/// Height of a line of a flat span over its chord, as a part of that side.
const ROUNDING: f64 = 1e-9;

/// Most parts of a knot span between its points, along each of its sides.
const MOST_PARTS: f64 = 64.0;

/// Where a line over a span is compared with its chord.
const ALONG: [f64; 3] = [0.25, 0.5, 0.75];

/// Points on the spans of a surface \[m\].
///
/// * `positions` — of the points of the surface \[m\]
pub(super) fn spline_points(surface: &Surface, positions: &[[f64; 3]]) -> Vec<Vector3<f64>> {
    let corners_and_middles = samples(surface, positions);
    let [low, high] = bounds(&corners_and_middles);
    let depth = STANDS_OUT * (high - low).max();
    let spans = (0..surface.faces.len()).filter(|&face| !surface.faces[face].basis.is_triangle());
    let between = spans.flat_map(|face| Span { surface, positions, face }.points(depth));
    corners_and_middles.iter().copied().chain(between).collect()
}

/// True if a span of a surface is curved: a body rolls on its points there as a prism does.
pub(super) fn is_curved(surface: &Surface, positions: &[[f64; 3]]) -> bool {
    let [low, high] = bounds(&samples(surface, positions));
    let mut spans = (0..surface.faces.len()).map(|face| Span { surface, positions, face });
    spans.any(|span| span.is_curved((high - low).max()))
}

/// A knot span of a surface.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    pub(super) surface: &'a Surface,
    pub(super) positions: &'a [[f64; 3]],
    pub(super) face: usize,
}

impl Span<'_> {
    fn at(&self, xi: [f64; 2]) -> Vector3<f64> {
        self.surface.position(self.face, xi, self.positions).into()
    }

    /// The line along a parameter d at the value `other` of the other one.
    fn line(&self, d: usize, other: f64) -> impl Fn(f64) -> Vector3<f64> {
        move |t| self.at(if d == 0 { [t, other] } else { [other, t] })
    }

    /// Points between which the span stands out by a depth at most: a grid where its surface is curved, and
    /// rows along its edges where these are.
    fn points(&self, depth: f64) -> Vec<Vector3<f64>> {
        let parts = self.parts(depth);
        let mut points = grid(parts).map(|xi| self.at(xi)).collect::<Vec<_>>();
        for (d, other) in [(0, 0.0), (0, 1.0), (1, 0.0), (1, 1.0)] {
            let edge = self.line(d, other);
            let of_edge = parts_of(self.edge(d, other).0, depth);
            if of_edge > parts[d] {
                points.extend((0..=of_edge).map(|k| edge(k as f64 / of_edge as f64)));
            }
        }
        points
    }

    /// True if it is not flat, for a surface of this size \[m\].
    pub(super) fn is_curved(&self, size: f64) -> bool {
        self.heights().as_flattened().iter().any(|height| height.abs() > ROUNDING * size)
    }

    /// Heights of an edge over its chord, and its length \[m\].
    pub(super) fn edge(&self, d: usize, other: f64) -> ([f64; 3], f64) {
        let edge = self.line(d, other);
        (from_chord(&edge).map(|x| x.norm()), length(edge))
    }

    /// Parts of the span along both parameters.
    pub(super) fn parts(&self, depth: f64) -> [usize; 2] {
        let curved = self.heights().map(|heights| parts_of(heights, depth));
        let lengths = [0, 1].map(|d| length(self.line(d, 0.5)));
        let spacings = (0..2).filter(|&d| curved[d] > 1).map(|d| lengths[d] / curved[d] as f64);
        let spacing = spacings.fold(f64::INFINITY, f64::min);
        [0, 1].map(|d| curved[d].max((lengths[d] / spacing).ceil().min(MOST_PARTS) as usize))
    }

    /// Heights of the lines through the middle over their chords, along the normal \[m\]. Lines of a flat
    /// span that are curved in its plane have none.
    fn heights(&self) -> [[f64; 3]; 2] {
        let (_, [u, v]) = self.surface.tangents(self.face, [0.5; 2], self.positions);
        let normal = Vector3::from(u).cross(&Vector3::from(v)).try_normalize(0.0).unwrap_or_default();
        [0, 1].map(|d| from_chord(self.line(d, 0.5)).map(|x| x.dot(&normal)))
    }
}

/// Parameters of the nodes of a grid; none for a single part, whose corners are known.
fn grid([m, n]: [usize; 2]) -> impl Iterator<Item = [f64; 2]> {
    let n_rows = if m.max(n) > 1 { n + 1 } else { 0 };
    (0..n_rows).flat_map(move |j| (0..=m).map(move |i| [i as f64 / m as f64, j as f64 / n as f64]))
}

/// From the chord of a line to some of its points, across the chord \[m\].
fn from_chord(line: impl Fn(f64) -> Vector3<f64>) -> [Vector3<f64>; 3] {
    let (start, chord) = (line(0.0), line(1.0) - line(0.0));
    let along = chord.try_normalize(0.0).unwrap_or_default();
    ALONG.map(|t| {
        let x = line(t) - start;
        x - along * along.dot(&x)
    })
}

/// Parts of a line between whose ends it stands out by a depth at most: as a parabola does, by 1/n² of what
/// the whole line stands out.
pub(super) fn parts_of(heights: [f64; 3], depth: f64) -> usize {
    let height = heights.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    (height / depth).sqrt().ceil().clamp(1.0, MOST_PARTS) as usize
}

/// Length of a line by four chords \[m\].
fn length(line: impl Fn(f64) -> Vector3<f64>) -> f64 {
    let places = [0.0, 0.25, 0.5, 0.75, 1.0].map(line);
    places.windows(2).map(|ends| (ends[1] - ends[0]).norm()).sum()
}

/// Points that differ by more than 1e-9 of their largest coordinate, in their order.
pub(super) fn distinct(points: Vec<Vector3<f64>>) -> Vec<Vector3<f64>> {
    let size = points.iter().fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.amax()));
    let mut seen = BTreeSet::new();
    let key = |x: &Vector3<f64>| x.map(|x| (x / size * 1e9).round() as i64);
    points.into_iter().filter(|x| seen.insert(<[i64; 3]>::from(key(x)))).collect()
}

#[cfg(test)]
mod tests {
    use carom_fem::{Discretisation, Material};
    use carom_make::{Shape, ShapeOptions, make};
    use carom_progress::Silent;

    use super::*;

    /// The points of a shape, and the corners and middles of its spans; whether it is curved is compared.
    fn points_of(options: &ShapeOptions, curved: bool) -> [Vec<Vector3<f64>>; 2] {
        let body = make(options, "body", Material::named("steel").unwrap(), &Silent).unwrap();
        let discretisation = Discretisation::new(&body).unwrap();
        let surface = discretisation.surface(&body.boundary_faces());
        let positions: Vec<[f64; 3]> =
            surface.points.iter().map(|&k| discretisation.points[k as usize]).collect();
        assert_eq!(is_curved(&surface, &positions), curved);
        [spline_points(&surface, &positions), samples(&surface, &positions)]
    }

    /// Directions spread over a sphere, by the golden angle.
    fn directions() -> impl Iterator<Item = Vector3<f64>> {
        const N: usize = 2000;
        (0..N).map(|k| {
            let (z, angle) = (1.0 - (2 * k + 1) as f64 / N as f64, 2.4 * k as f64);
            let r = (1.0 - z * z).sqrt();
            Vector3::new(r * angle.cos(), r * angle.sin(), z)
        })
    }

    /// How far a body stands out of its points in some direction: a plane from there touches it so much
    /// earlier.
    fn stands_out(points: &[Vector3<f64>], support: impl Fn(&Vector3<f64>) -> f64) -> f64 {
        let reach = |n: &Vector3<f64>| points.iter().map(|x| x.dot(n)).fold(f64::NEG_INFINITY, f64::max);
        directions().map(|n| support(&n) - reach(&n)).fold(0.0, f64::max)
    }

    #[test]
    fn a_plane_touches_a_rod_and_an_ellipsoid_as_if_they_had_all_points() {
        let (radius, length) = (0.03, 0.12);
        let rod = ShapeOptions { radius: Some(radius), length: Some(length), ..ShapeOptions::of(Shape::Rod) };
        let [rod, few] = points_of(&rod, true);
        let support = |n: &Vector3<f64>| length * n.x.max(0.0) + radius * n.y.hypot(n.z);
        let (out, without) = (stands_out(&rod, support), stands_out(&few, support));
        println!("rod: {} points, {out:.2e} m; corners and middles of its spans: {without:.2e} m", rod.len());
        // Parameters of a circle are not its angles: parts in its middle are a sixth longer.
        assert!(out < 1.4 * STANDS_OUT * length, "{out}");
        assert!(without > 10.0 * out, "{without}");

        // Knot spans so short that no points are added are curved too.
        let fine = ShapeOptions {
            elements: vec![16],
            radius: Some(radius),
            length: Some(length),
            ..ShapeOptions::of(Shape::Rod)
        };
        let [fine, few] = points_of(&fine, true);
        assert_eq!(fine.len(), few.len());

        let axes = [0.03, 0.02, 0.05];
        let ellipsoid = ShapeOptions { semi_axes: Some(axes), ..ShapeOptions::of(Shape::Ellipsoid) };
        let [ellipsoid, _] = points_of(&ellipsoid, true);
        let out = stands_out(&ellipsoid, |n| n.component_mul(&Vector3::from(axes)).norm());
        println!("ellipsoid: {} points, {:.2e} m", ellipsoid.len(), out);
        assert!(out < 2.0 * STANDS_OUT * 2.0 * axes[2], "{out}");
    }

    #[test]
    fn flat_spans_have_their_corners_and_middles_alone() {
        let block = ShapeOptions { size: Some([0.1, 0.2, 0.3]), ..ShapeOptions::of(Shape::Box) };
        let [mut points, _] = points_of(&block, false);
        points.sort_by(|a, b| a.as_slice().partial_cmp(b.as_slice()).unwrap());
        points.dedup();
        assert_eq!(points.len(), 8 + 6);
    }
}
