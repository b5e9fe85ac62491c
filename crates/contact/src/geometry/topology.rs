//! Which faces of a surface meet along an edge or at a corner, and which edges are its rim.

use std::collections::BTreeMap;

use carom_fem::{Face, FaceBasis, Surface};

use super::Domain;
use super::bezier::BezierKind;

/// The face across an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Neighbour {
    /// Number of the face.
    pub face: u32,
    /// Its edge that is shared.
    pub edge: u8,
    /// True if the two edges run in opposite directions (the rule where both faces have the same sense).
    pub reversed: bool,
}

/// Neighbours of the faces of a surface, found from the points and extraction operators alone.
///
/// Two corners are the same where the same points enter with the same factors; two edges are, where both corners are.
/// Edges with one face are the rim; edges with more than two are treated as rim too.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// For each face and edge the neighbour; `None` at the rim and at edges 3 of triangles.
    pub neighbours: Vec<[Option<Neighbour>; 4]>,
    /// True for edges at which the surface of the body turns: where it is the surface that ends and not the zone.
    pub sharp: Vec<[bool; 4]>,
    /// Number of each corner of each face, `u32::MAX` for corner 3 of triangles.
    pub corners: Vec<[u32; 4]>,
    /// Faces with their corner, corner number after corner number.
    around: Vec<(u32, u8)>,
    around_start: Vec<u32>,
}

/// The points whose shape functions do not vanish at a corner, with their factors in units of 2⁻³⁰.
type CornerKey = Vec<(u32, i64)>;

impl Topology {
    /// Finds the neighbours of all faces of a valid surface.
    pub fn new(surface: &Surface) -> Self {
        let (corners, n_corners) = number_corners(surface);
        let mut by_edge: BTreeMap<(u32, u32), Vec<(u32, u8)>> = BTreeMap::new();
        for (f, face) in surface.faces.iter().enumerate() {
            let n = BezierKind::of(&face.basis).domain().n_corners();
            for k in 0..n {
                let (a, b) = (corners[f][k], corners[f][(k + 1) % n]);
                // A collapsed edge (pole of a sphere, axis of a rod) joins nothing.
                if a != b {
                    by_edge.entry((a.min(b), a.max(b))).or_default().push((f as u32, k as u8));
                }
            }
        }
        let mut neighbours = vec![[None; 4]; surface.faces.len()];
        for faces in by_edge.values() {
            if let &[(f, e), (g, d)] = faces.as_slice() {
                let reversed = corners[f as usize][e as usize] != corners[g as usize][d as usize];
                neighbours[f as usize][e as usize] = Some(Neighbour { face: g, edge: d, reversed });
                neighbours[g as usize][d as usize] = Some(Neighbour { face: f, edge: e, reversed });
            }
        }
        let (around, around_start) = group_by_corner(&corners, n_corners);
        let sharp = vec![[false; 4]; surface.faces.len()];
        Self { neighbours, sharp, corners, around, around_start }
    }

    /// All faces around corner `corner` of `face`, itself included, each with the number of its corner there.
    pub fn around(&self, face: u32, corner: u8) -> &[(u32, u8)] {
        let c = self.corners[face as usize][corner as usize] as usize;
        &self.around[self.around_start[c] as usize..self.around_start[c + 1] as usize]
    }

    /// True if edge `edge` of `face` has no neighbour.
    pub fn is_rim(&self, face: u32, edge: u8) -> bool {
        self.neighbours[face as usize][edge as usize].is_none()
    }

    /// True if edge `edge` of `face` has no neighbour although the surface of the body goes on smoothly there.
    pub fn is_cut(&self, face: u32, edge: u8) -> bool {
        self.is_rim(face, edge) && !self.sharp[face as usize][edge as usize]
    }

    /// True if the face has an edge at which the zone was cut out of the surface.
    pub fn at_cut(&self, face: u32, domain: Domain) -> bool {
        (0..domain.n_corners()).any(|k| self.is_cut(face, k as u8))
    }

    /// True if the corner lies on the rim: one of the edges that end in it has no neighbour.
    pub fn corner_on_rim(&self, face: u32, corner: u8, domain_of: impl Fn(u32) -> Domain) -> bool {
        self.any_edge_at(face, corner, domain_of, |f, k| self.is_rim(f, k))
    }

    /// True if one of the edges that end in the corner is one at which the zone was cut.
    pub fn corner_on_cut(&self, face: u32, corner: u8, domain_of: impl Fn(u32) -> Domain) -> bool {
        self.any_edge_at(face, corner, domain_of, |f, k| self.is_cut(f, k))
    }

    fn any_edge_at(
        &self,
        face: u32,
        corner: u8,
        domain_of: impl Fn(u32) -> Domain,
        is: impl Fn(u32, u8) -> bool,
    ) -> bool {
        self.around(face, corner).iter().any(|&(f, c)| {
            let n = domain_of(f).n_corners() as u8;
            is(f, c) || is(f, (c + n - 1) % n)
        })
    }
}

fn number_corners(surface: &Surface) -> (Vec<[u32; 4]>, usize) {
    let mut numbers: BTreeMap<CornerKey, u32> = BTreeMap::new();
    let mut corners = vec![[u32::MAX; 4]; surface.faces.len()];
    for (f, face) in surface.faces.iter().enumerate() {
        for k in 0..BezierKind::of(&face.basis).domain().n_corners() {
            let next = numbers.len() as u32;
            corners[f][k] = *numbers.entry(corner_key(surface, face, k)).or_insert(next);
        }
    }
    (corners, numbers.len())
}

fn corner_key(surface: &Surface, face: &Face, corner: usize) -> CornerKey {
    let FaceBasis::Spline { degrees: [p, q], operators } = &face.basis else {
        return vec![(face.points[corner], 1 << 30)];
    };
    let at_end = [corner == 1 || corner == 2, corner >= 2];
    let factor = |a: usize, degree: usize, i: usize| {
        let column = if at_end[a] { degree } else { 0 };
        surface.operators[operators[a] as usize][i * (degree + 1) + column]
    };
    let mut factors: BTreeMap<u32, f64> = BTreeMap::new();
    for j in 0..=*q {
        for i in 0..=*p {
            let point = face.points[j * (p + 1) + i];
            *factors.entry(point).or_default() += factor(0, *p, i) * factor(1, *q, j);
        }
    }
    let quantised = factors.into_iter().map(|(k, c)| (k, (c * f64::from(1 << 30)).round() as i64));
    // Round-off in an operator must not make two corners differ: factors below 2⁻²⁶ count as zero.
    quantised.filter(|(_, c)| c.abs() > 16).map(|(k, c)| (k, (c + 8) >> 4)).collect()
}

fn group_by_corner(corners: &[[u32; 4]], n_corners: usize) -> (Vec<(u32, u8)>, Vec<u32>) {
    let mut groups: Vec<Vec<(u32, u8)>> = vec![Vec::new(); n_corners];
    for (f, face) in corners.iter().enumerate() {
        for (k, &c) in face.iter().enumerate().filter(|&(_, &c)| c != u32::MAX) {
            groups[c as usize].push((f as u32, k as u8));
        }
    }
    let mut start = vec![0];
    start.extend(groups.iter().scan(0, |sum, g| {
        *sum += g.len() as u32;
        Some(*sum)
    }));
    (groups.concat(), start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_surfaces::{ball, plate};
    use carom_mesh::FaceShape;

    #[test]
    fn a_closed_ball_has_no_rim_and_eulers_number_two() {
        let (surface, _) = ball(0.015, 3);
        let topology = Topology::new(&surface);
        let n_faces = surface.faces.len();
        assert!(topology.neighbours.iter().all(|n| n.iter().all(Option::is_some)));
        let n_corners = topology.corners.iter().flatten().max().unwrap() + 1;
        assert_eq!(n_corners as usize + n_faces, 2 * n_faces + 2);
    }

    #[test]
    fn neighbours_are_mutual_and_a_plate_has_its_sides_as_rim() {
        for shape in [FaceShape::Tri3, FaceShape::Tri6, FaceShape::Quad4, FaceShape::Quad8, FaceShape::Quad9]
        {
            let (surface, _) = plate(shape, 4, 3, |x, y| [x, y, 0.0]);
            let topology = Topology::new(&surface);
            let mut rim = 0;
            for (f, face) in surface.faces.iter().enumerate() {
                for k in 0..BezierKind::of(&face.basis).domain().n_corners() {
                    match topology.neighbours[f][k] {
                        Some(n) => {
                            let back = topology.neighbours[n.face as usize][n.edge as usize].unwrap();
                            assert_eq!((back.face, back.edge), (f as u32, k as u8));
                        }
                        None => rim += 1,
                    }
                }
            }
            assert_eq!(rim, 14, "{shape:?}");
        }
    }
}
