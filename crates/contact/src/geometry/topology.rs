//! Neighbours of the faces of a surface along edges and at corners, and its rim.

use std::collections::BTreeMap;

use carom_fem::surface::bernstein;
use carom_fem::{Face, FaceBasis, Surface};

use super::Domain;
use super::bezier::BezierKind;

/// The face across an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour {
    /// Number of the face.
    pub face: u32,
    /// Edge of this face that is shared.
    pub edge: u8,
    /// Positions on that edge of begin and end of the own edge: 0 and 1, or 1 and 0 if the edges run in
    /// opposite directions (the usual case of equal orientation). If the face across has a coarser level, the
    /// range is a part of its edge.
    pub range: [f64; 2],
}

impl Neighbour {
    /// Position on the shared edge for a position on the own edge.
    fn at(&self, t: f64) -> f64 {
        self.range[0] + t * (self.range[1] - self.range[0])
    }
}

/// A part of an edge that borders a face of a finer level.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Part {
    /// Begin and end of the part.
    range: [f64; 2],
    face: u32,
    edge: u8,
}

/// Neighbours of the faces of a surface, found from the points and extraction operators alone.
///
/// Two corners are equal if the same points enter with the same factors; two edges are equal if both corners
/// are. Edges with one face are the rim; edges with more than two are treated as rim too.
#[derive(Debug, Clone, PartialEq)]
pub struct Topology {
    /// For each face and edge the neighbour; `None` at the rim, at edges with several neighbours, and at
    /// edges 3 of triangles.
    neighbours: Vec<[Option<Neighbour>; 4]>,
    /// Edges with several neighbours, of finer levels.
    divided: BTreeMap<(u32, u8), Vec<Part>>,
    /// Corners on an edge of a face of a coarser level, with their positions on it.
    hanging_corners: BTreeMap<u32, Vec<(u32, u8, f64)>>,
    /// True for edges at which the surface of the body has a kink: there the surface ends, not only the zone.
    pub sharp: Vec<[bool; 4]>,
    /// Number of each corner of each face, `u32::MAX` for corner 3 of triangles.
    pub corners: Vec<[u32; 4]>,
    /// Faces with their corner, corner number after corner number.
    around: Vec<(u32, u8)>,
    around_start: Vec<u32>,
}

/// The points with nonzero shape functions at a corner, with their factors in units of 2⁻³⁰.
type CornerKey = Vec<(u32, i64)>;

impl Topology {
    /// Finds the neighbours of all faces of a valid surface.
    pub fn new(surface: &Surface) -> Self {
        let (corners, numbers) = number_corners(surface);
        let mut by_edge: BTreeMap<(u32, u32), Vec<(u32, u8)>> = BTreeMap::new();
        for (f, face) in surface.faces.iter().enumerate() {
            let n = BezierKind::of(&face.basis).domain().n_corners();
            for k in 0..n {
                let (a, b) = (corners[f][k], corners[f][(k + 1) % n]);
                // A collapsed edge (pole of a sphere, axis of a rod) has no neighbour.
                if a != b {
                    by_edge.entry((a.min(b), a.max(b))).or_default().push((f as u32, k as u8));
                }
            }
        }
        let mut neighbours = vec![[None; 4]; surface.faces.len()];
        for faces in by_edge.values() {
            if let &[(f, e), (g, d)] = faces.as_slice() {
                let reversed = corners[f as usize][e as usize] != corners[g as usize][d as usize];
                let range = if reversed { [1.0, 0.0] } else { [0.0, 1.0] };
                neighbours[f as usize][e as usize] = Some(Neighbour { face: g, edge: d, range });
                neighbours[g as usize][d as usize] = Some(Neighbour { face: f, edge: e, range });
            }
        }
        let (around, around_start) = group_by_corner(&corners, numbers.len());
        let sharp = vec![[false; 4]; surface.faces.len()];
        let (divided, hanging_corners) = (BTreeMap::new(), BTreeMap::new());
        let mut topology =
            Self { neighbours, divided, hanging_corners, sharp, corners, around, around_start };
        topology.join_levels(surface, &numbers, &by_edge);
        topology
    }

    /// Finds the edges along which faces of different levels of a local refinement meet.
    fn join_levels(
        &mut self,
        surface: &Surface,
        numbers: &BTreeMap<CornerKey, u32>,
        by_edge: &BTreeMap<(u32, u32), Vec<(u32, u8)>>,
    ) {
        for (&(a, _), faces) in by_edge {
            let &[(f, e)] = faces.as_slice() else { continue };
            let face = &surface.faces[f as usize];
            if matches!(face.basis, FaceBasis::Lagrange(_)) {
                continue;
            }
            let corner_at = |t: f64| {
                let xi = Domain::Square.on_edge(e as usize, t);
                numbers.get(&place_key(surface, face, xi)).copied()
            };
            let runs_up = self.corners[f as usize][e as usize] == a;
            let (start, end) =
                (self.corners[f as usize][e as usize], self.corners[f as usize][(e as usize + 1) % 4]);
            debug_assert!(runs_up || end == a);
            let mut parts = Vec::new();
            if !find_parts(&corner_at, by_edge, (f, e), [(0.0, start), (1.0, end)], MAX_HALVINGS, &mut parts)
            {
                continue;
            }
            for part in &parts {
                let [from, to] = part.range;
                // The finer edge has the direction of this one, or the opposite one.
                let begin = self.corners[part.face as usize][part.edge as usize];
                let with = corner_at(from) == Some(begin) || (from == 0.0 && begin == start);
                let range = if with { [from, to] } else { [to, from] };
                self.neighbours[part.face as usize][part.edge as usize] =
                    Some(Neighbour { face: f, edge: e, range });
                for t in part.range.into_iter().filter(|t| *t > 0.0 && *t < 1.0) {
                    if let Some(corner) = corner_at(t) {
                        let places = self.hanging_corners.entry(corner).or_default();
                        if !places.contains(&(f, e, t)) {
                            places.push((f, e, t));
                        }
                    }
                }
            }
            self.divided.insert((f, e), parts);
        }
    }

    /// The face across position t of an edge: the face, its edge and the position there. `None` at the rim.
    pub fn across(&self, face: u32, edge: u8, t: f64) -> Option<(u32, u8, f64)> {
        if let Some(n) = self.neighbours[face as usize][edge as usize] {
            return Some((n.face, n.edge, n.at(t)));
        }
        let parts = self.divided.get(&(face, edge))?;
        let part = parts.iter().find(|part| t <= part.range[1]).or(parts.last())?;
        let [from, to] = part.range;
        let s = ((t - from) / (to - from)).clamp(0.0, 1.0);
        // The finer edge stores its range on this one.
        let back = self.neighbours[part.face as usize][part.edge as usize]?;
        let runs_with = back.range[0] < back.range[1];
        Some((part.face, part.edge, if runs_with { s } else { 1.0 - s }))
    }

    /// Faces of coarser levels with an edge that contains a corner: the face, its edge and the position on
    /// it.
    pub fn beside_corner(&self, face: u32, corner: u8) -> &[(u32, u8, f64)] {
        let corner = self.corners[face as usize][corner as usize];
        self.hanging_corners.get(&corner).map_or(&[], Vec::as_slice)
    }

    /// All faces around corner `corner` of `face`, itself included, each with the number of the corner in it.
    pub fn around(&self, face: u32, corner: u8) -> &[(u32, u8)] {
        let c = self.corners[face as usize][corner as usize] as usize;
        &self.around[self.around_start[c] as usize..self.around_start[c + 1] as usize]
    }

    /// True if edge `edge` of `face` has no neighbour.
    pub fn is_rim(&self, face: u32, edge: u8) -> bool {
        self.neighbours[face as usize][edge as usize].is_none() && !self.divided.contains_key(&(face, edge))
    }

    /// True if edge `edge` of `face` has no neighbour although the surface of the body continues smoothly
    /// there.
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

    /// True if the zone was cut out of the surface at one of the edges that end in the corner.
    pub fn corner_on_cut(&self, face: u32, corner: u8, domain_of: impl Fn(u32) -> Domain) -> bool {
        self.any_edge_at(face, corner, domain_of, |f, k| self.is_cut(f, k))
    }

    /// True if the zone ends at a kink of the body's surface along one of the edges that end in the corner.
    pub fn corner_on_sharp(&self, face: u32, corner: u8, domain_of: impl Fn(u32) -> Domain) -> bool {
        self.any_edge_at(face, corner, domain_of, |f, k| {
            self.is_rim(f, k) && self.sharp[f as usize][k as usize]
        })
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

/// Largest number of halvings of an edge to match the edges of finer faces.
const MAX_HALVINGS: usize = 6;

/// Finds the finer edges that form a part of an edge between two corners. False if there are none.
fn find_parts(
    corner_at: &impl Fn(f64) -> Option<u32>,
    by_edge: &BTreeMap<(u32, u32), Vec<(u32, u8)>>,
    whole: (u32, u8),
    [(from, a), (to, b)]: [(f64, u32); 2],
    halvings: usize,
    parts: &mut Vec<Part>,
) -> bool {
    if (from, to) != (0.0, 1.0)
        && let Some(&[(face, edge)]) = by_edge.get(&(a.min(b), a.max(b))).map(Vec::as_slice)
        && (face, edge) != whole
    {
        parts.push(Part { range: [from, to], face, edge });
        return true;
    }
    let middle = 0.5 * (from + to);
    match corner_at(middle) {
        Some(c) if halvings > 0 && c != a && c != b => {
            let mut half = |ends| find_parts(corner_at, by_edge, whole, ends, halvings - 1, parts);
            half([(from, a), (middle, c)]) && half([(middle, c), (to, b)])
        }
        _ => false,
    }
}

fn number_corners(surface: &Surface) -> (Vec<[u32; 4]>, BTreeMap<CornerKey, u32>) {
    let mut numbers: BTreeMap<CornerKey, u32> = BTreeMap::new();
    let mut corners = vec![[u32::MAX; 4]; surface.faces.len()];
    for (f, face) in surface.faces.iter().enumerate() {
        for k in 0..BezierKind::of(&face.basis).domain().n_corners() {
            let next = numbers.len() as u32;
            corners[f][k] = *numbers.entry(corner_key(surface, face, k)).or_insert(next);
        }
    }
    (corners, numbers)
}

fn corner_key(surface: &Surface, face: &Face, corner: usize) -> CornerKey {
    match face.basis {
        FaceBasis::Lagrange(_) => vec![(face.points[corner], 1 << 30)],
        _ => place_key(surface, face, Domain::Square.corner(corner)),
    }
}

/// The points with nonzero shape functions at a place of a spline face, see [`CornerKey`].
fn place_key(surface: &Surface, face: &Face, xi: [f64; 2]) -> CornerKey {
    let mut factors: Vec<(u32, f64)> = Vec::with_capacity(face.points.len());
    let sum = |row: &[f64], b: &[f64]| row.iter().zip(b).map(|(c, b)| c * b).sum::<f64>();
    match &face.basis {
        FaceBasis::Lagrange(_) => return Vec::new(),
        FaceBasis::Spline { degrees: [p, q], operators } => {
            let (u, v) = (bernstein(*p, xi[0])[0], bernstein(*q, xi[1])[0]);
            let operator = operators.map(|k| surface.operators[k as usize].as_slice());
            for (j, row_v) in operator[1].chunks_exact(q + 1).enumerate() {
                for (i, row_u) in operator[0].chunks_exact(p + 1).enumerate() {
                    let point = face.points[j * (p + 1) + i];
                    factors.push((point, sum(row_u, &u) * sum(row_v, &v)));
                }
            }
        }
        FaceBasis::Combined { degrees: [p, q], operator, .. } => {
            let (u, v) = (bernstein(*p, xi[0])[0], bernstein(*q, xi[1])[0]);
            let rows = surface.operators[*operator as usize].chunks_exact((p + 1) * (q + 1));
            for (&point, row) in face.points.iter().zip(rows) {
                let value = row.chunks_exact(p + 1).zip(&v).map(|(line, b)| b * sum(line, &u)).sum::<f64>();
                factors.push((point, value));
            }
        }
    }
    // Points that coincide count once, with the sum of their factors in the order of the face.
    factors.sort_by_key(|(point, _)| *point);
    factors.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            kept.1 += next.1;
        }
        is_same
    });
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
    fn a_closed_ball_has_no_rim_and_euler_characteristic_two() {
        let (surface, _) = ball(0.015, 3);
        let topology = Topology::new(&surface);
        let n_faces = surface.faces.len();
        assert!(topology.neighbours.iter().all(|n| n.iter().all(Option::is_some)));
        let n_corners = topology.corners.iter().flatten().max().unwrap() + 1;
        assert_eq!(n_corners as usize + n_faces, 2 * n_faces + 2);
    }

    #[test]
    fn neighbours_are_mutual_and_the_rim_of_a_plate_is_its_sides() {
        for shape in [FaceShape::Tri3, FaceShape::Tri6, FaceShape::Quad4, FaceShape::Quad8, FaceShape::Quad9]
        {
            let (surface, _) = plate(shape, 4, 3, |x, y| [x, y, 0.0]);
            let topology = Topology::new(&surface);
            let mut rim = 0;
            for (f, face) in surface.faces.iter().enumerate() {
                for k in 0..BezierKind::of(&face.basis).domain().n_corners() {
                    match topology.neighbours[f][k] {
                        Some(n) => {
                            assert_eq!(n.range, [1.0, 0.0]);
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
