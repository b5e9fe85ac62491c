//! The edges of a surface that may touch other edges: sharp ones of solids, rims and folds of shells, beams.

use std::collections::BTreeMap;

use carom_fem::Surface;
use carom_fem::surface::FaceBasis;
use nalgebra::Vector3;

use super::joined::Joined;
use super::places::Places;
use super::{EdgeKind, SHARP, SurfaceEdge};

/// Distance from an edge of a spline at which the normal of its face is taken, as a part of the chord: the
/// third corner of a triangle whose first two are the ends of the chord.
const INWARD: f64 = 0.2;

/// Parameters of the corners of triangles and of squares, in the order of their edges.
const TRIANGLE: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

/// The edges of a surface, and the places of their ends and of corners of their faces.
#[derive(Debug, Clone, Default)]
pub struct SurfaceEdges {
    /// The edges; their numbers are those of places.
    pub edges: Vec<SurfaceEdge>,
    /// Places on the surface, over its points.
    pub places: Places,
}

/// A surface whose edges are wanted.
#[derive(Debug, Clone, Copy)]
pub struct EdgesOf<'a> {
    /// The faces, with their neighbours: an edge between two faces is known by both.
    pub surface: &'a Surface,
    /// Positions of its points, in which edges are sharp or not \[m\].
    pub reference: &'a [Vector3<f64>],
    /// Distance of the surface of shells from each point, 0 for solids; empty without shells \[m\].
    pub halves: &'a [f64],
    /// Face and number of sharp edges whose other face is not part of the surface.
    pub rims: &'a [[u32; 2]],
    /// Number of the body.
    pub body: u32,
}

/// A chord of an edge as one of its faces has it: two places, and three corners of a triangle on the face,
/// counter-clockwise from outside, the places first or second.
#[derive(Debug, Clone, Copy)]
struct Chord {
    face: u32,
    /// Number of the edge of the face.
    edge: u32,
    corners: [u32; 3],
    /// Places of the face across from the first two corners.
    across: [u32; 2],
    /// Normal of the face at the middle of the chord, and a vector from it into the face.
    normal: Vector3<f64>,
    inward: Vector3<f64>,
}

impl EdgesOf<'_> {
    /// The edges: those between two faces at an angle that bends outwards, and the rims of shells. Curved
    /// edges are chords: two for each edge of a quadratic face, p for each knot span of degree p.
    ///
    /// * `is_wanted` — whether edges of a face are; one of the faces at an edge decides
    pub fn find(&self, is_wanted: impl Fn(usize) -> bool) -> SurfaceEdges {
        let mut made = SurfaceEdges::default();
        let mut by_ends: BTreeMap<[u32; 2], Vec<Chord>> = BTreeMap::new();
        let mut of_points = BTreeMap::new();
        for face in 0..self.surface.faces.len() as u32 {
            self.mesh_chords(face, |points, chord| {
                let [a, b, c, d] = points.map(|point| {
                    *of_points.entry(point).or_insert_with(|| made.places.add([(point, 1.0)].into_iter()))
                });
                let is_outside = self.surface.faces[face as usize].orientation > 0.0;
                let (corners, across) = if is_outside { ([a, b, c], [c, d]) } else { ([b, a, c], [d, c]) };
                let chord = Chord { corners, across, ..chord };
                by_ends.entry([a.min(b), a.max(b)]).or_default().push(chord);
            });
        }
        self.spline_chords(&mut made.places, &mut by_ends);
        for (&ends, chords) in &by_ends {
            let is_wanted = chords.iter().any(|chord| is_wanted(chord.face as usize));
            if ends[0] == ends[1] || !is_wanted {
                continue;
            }
            let radius = 0.5 * ends.iter().map(|&end| self.half(&made.places, end)).sum::<f64>();
            if let Some(kind) = self.kind(ends, chords, radius) {
                made.edges.push(SurfaceEdge { ends, goes_on: [false; 2], body: self.body, kind });
            }
        }
        let reference = made.places.at(self.reference);
        mark_lines(&mut made.edges, &reference);
        made.drop_unused();
        made
    }

    fn half(&self, places: &Places, end: u32) -> f64 {
        places.of(end).iter().map(|&(k, weight)| weight * self.halves.get(k as usize).unwrap_or(&0.0)).sum()
    }

    /// None for edges of solids that are not sharp.
    fn kind(&self, ends: [u32; 2], chords: &[Chord], radius: f64) -> Option<EdgeKind> {
        let is_sheet = radius > 0.0;
        match chords {
            [_] if is_sheet => Some(EdgeKind::Round(radius)),
            // Neighbours of a sheet may be oriented either way.
            [f, g] if is_sheet && f.normal.dot(&g.normal).abs() < SHARP => Some(EdgeKind::Round(radius)),
            [f, g] if is_sheet => Some(EdgeKind::Fold(radius, [f, g].map(|chord| chord.across_of(ends)))),
            [_, _, _, ..] if is_sheet => Some(EdgeKind::Round(radius)),
            // Nothing reaches an edge between faces that face each other.
            [f, g] if !is_sheet && f.normal.dot(&g.normal) < SHARP && f.normal.dot(&g.inward) < 0.0 => {
                Some(EdgeKind::Sharp([f, g].map(|chord| chord.corners)))
            }
            [f] if self.rims.contains(&[f.face, f.edge]) => Some(EdgeKind::Rim(f.corners)),
            _ => None,
        }
    }

    /// The chords of a face of a mesh, with the points of both ends and those across from them.
    fn mesh_chords(&self, number: u32, mut take: impl FnMut([u32; 4], Chord)) {
        let face = &self.surface.faces[number as usize];
        let FaceBasis::Lagrange(shape) = face.basis else { return };
        let n = shape.n_corners();
        let is_linear = n == shape.n_nodes();
        let corners = if shape.is_triangle() { &TRIANGLE[..] } else { &SQUARE[..] };
        let along = |k: usize, t: f64| {
            let [a, b] = [corners[k], corners[(k + 1) % n]];
            [0, 1].map(|d| (1.0 - t) * a[d] + t * b[d])
        };
        for k in 0..n {
            let (next, before) = ((k + 1) % n, (k + n - 1) % n);
            let mut add = |t: f64, points: [usize; 4]| {
                let chord = Chord { edge: k as u32, ..self.chord(number, along(k, t)) };
                take(points.map(|i| face.points[i]), chord);
            };
            if is_linear {
                add(0.5, [k, next, before, (k + 2) % n]);
            } else {
                add(0.25, [k, n + k, n + before, n + before]);
                add(0.75, [n + k, next, n + next, n + next]);
            }
        }
    }

    /// The chords of all faces of splines. Faces meet in edges whose middles are at one place.
    fn spline_chords(&self, places: &mut Places, by_ends: &mut BTreeMap<[u32; 2], Vec<Chord>>) {
        let is_spline =
            |face: u32| !matches!(self.surface.faces[face as usize].basis, FaceBasis::Lagrange(_));
        if !(0..self.surface.faces.len() as u32).any(is_spline) {
            return;
        }
        let positions: Vec<[f64; 3]> = self.reference.iter().map(|x| (*x).into()).collect();
        let mut known = Joined::new(self.reference);
        for face in (0..self.surface.faces.len() as u32).filter(|&face| is_spline(face)) {
            for edge in 0..4 {
                let n = self.n_chords(face, edge);
                let [start, end] = [SQUARE[edge], SQUARE[(edge + 1) % 4]];
                let inward = [end[1] - start[1], start[0] - end[0]].map(|x| -x);
                let at =
                    |t: f64, into: f64| [0, 1].map(|d| (1.0 - t) * start[d] + t * end[d] + into * inward[d]);
                // Ends of chords are shared by faces, and by the spans of a line.
                let mut shared = |t: f64| {
                    let xi = at(t, 0.0);
                    let x = self.surface.position(face as usize, xi, &positions);
                    known.number(x.into(), || places.add(self.shape(face, xi)))
                };
                let ends: Vec<u32> = (0..=n).map(|i| shared(i as f64 / n as f64)).collect();
                for (i, ends) in ends.windows(2).enumerate() {
                    let middle = (i as f64 + 0.5) / n as f64;
                    let inner = places.add(self.shape(face, at(middle, INWARD / n as f64)));
                    let (a, b) = (ends[0], ends[1]);
                    let is_outside = self.surface.faces[face as usize].orientation > 0.0;
                    let corners = if is_outside { [a, b, inner] } else { [b, a, inner] };
                    let chord = self.chord(face, at(middle, 0.0));
                    let chord = Chord { edge: edge as u32, corners, across: [inner; 2], ..chord };
                    by_ends.entry([a.min(b), a.max(b)]).or_default().push(chord);
                }
            }
        }
    }

    /// Number of chords of an edge of a spline face: its degree.
    fn n_chords(&self, face: u32, edge: usize) -> usize {
        match self.surface.faces[face as usize].basis {
            FaceBasis::Spline { degrees, .. } | FaceBasis::Combined { degrees, .. } => degrees[edge % 2],
            FaceBasis::Lagrange(_) => 1,
        }
    }

    /// The points of a face with their shape values at a place.
    fn shape(&self, face: u32, xi: [f64; 2]) -> impl Iterator<Item = (u32, f64)> + use<> {
        let points = self.surface.faces[face as usize].points.clone();
        let n = points.len();
        let (mut values, mut first, mut second) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
        self.surface.shape_into(face as usize, xi, &mut values, &mut first, &mut second);
        points.into_iter().zip(values).filter(|(_, value)| value.abs() > 1e-14)
    }

    /// A chord with the normal of its face, and without its places.
    fn chord(&self, face: u32, xi: [f64; 2]) -> Chord {
        let of = &self.surface.faces[face as usize];
        let n = of.points.len();
        let (mut values, mut first, mut second) = (vec![0.0; n], vec![[0.0; 2]; n], vec![[0.0; 3]; n]);
        self.surface.shape_into(face as usize, xi, &mut values, &mut first, &mut second);
        let sum = |weight: &dyn Fn(usize) -> f64| -> Vector3<f64> {
            of.points.iter().enumerate().map(|(i, &k)| weight(i) * self.reference[k as usize]).sum()
        };
        let normal = of.orientation * sum(&|i| first[i][0]).cross(&sum(&|i| first[i][1]));
        let inward = sum(&|_| 1.0 / n as f64) - sum(&|i| values[i]);
        let normal = normal.try_normalize(0.0).unwrap_or_else(Vector3::zeros);
        Chord { face, edge: 0, corners: [0; 3], across: [0; 2], normal, inward }
    }
}

impl Chord {
    /// The places across from the ends of the edge.
    fn across_of(&self, ends: [u32; 2]) -> [u32; 2] {
        let [first, second] = self.across;
        if self.corners[0] == ends[0] { [first, second] } else { [second, first] }
    }
}

impl SurfaceEdges {
    /// Adds beams: round edges between points of the surface.
    pub fn add_beams(&mut self, beams: &[([u32; 2], f64)], body: u32) {
        let mut of_points = BTreeMap::new();
        for &(points, radius) in beams {
            let ends = points.map(|point| {
                *of_points.entry(point).or_insert_with(|| self.places.add([(point, 1.0)].into_iter()))
            });
            let kind = EdgeKind::Round(radius);
            self.edges.push(SurfaceEdge { ends, goes_on: [true; 2], body, kind });
        }
    }

    /// Removes places that no edge has.
    fn drop_unused(&mut self) {
        let (mut kept, mut new) = (Places::default(), BTreeMap::new());
        let old = std::mem::take(&mut self.places);
        for edge in &mut self.edges {
            edge.renumber(|place| {
                *new.entry(place).or_insert_with(|| kept.add(old.of(place).iter().copied()))
            });
        }
        self.places = kept;
    }
}

/// Marks the ends from which another edge goes on in nearly the same direction.
fn mark_lines(edges: &mut [SurfaceEdge], reference: &[Vector3<f64>]) {
    let mut at_places: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
    for (number, edge) in edges.iter().enumerate() {
        (0..2).for_each(|end| at_places.entry(edge.ends[end]).or_default().push((number, end)));
    }
    let out = |edges: &[SurfaceEdge], (number, end): (usize, usize)| {
        let [a, b] = [end, 1 - end].map(|k| reference[edges[number].ends[k] as usize]);
        (b - a).try_normalize(0.0).unwrap_or_else(Vector3::zeros)
    };
    for ends in at_places.values() {
        for &own in ends {
            let direction = out(edges, own);
            let goes_on =
                ends.iter().any(|&other| other != own && out(edges, other).dot(&direction) < -SHARP);
            edges[own.0].goes_on[own.1] = goes_on;
        }
    }
}
