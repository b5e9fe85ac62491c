//! Equal sides, edges and corners of the patches of a body, from the numbers of its points.
//!
//! Gluing uses coordinates once; later only the numbers are used. A refined body is numbered from these
//! relations, so that no tolerance can merge two points of a tiny knot span.

use std::collections::{BTreeMap, BTreeSet};

use crate::Side;
use crate::classes::{Classes, Union, number_classes};

/// Orientation of the grid of a side on that of another: index (i, j) of the first goes to (i', j') of the
/// second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Orientation {
    /// i' follows j and j' follows i.
    pub swapped: bool,
    /// i' and j' run backwards.
    pub reversed: [bool; 2],
}

impl Orientation {
    /// All eight orientations, the natural one first.
    pub const ALL: [Self; 8] = {
        let mut all = [Self { swapped: false, reversed: [false; 2] }; 8];
        let mut o = 0;
        while o < 8 {
            all[o] = Self { swapped: o >= 4, reversed: [o % 2 == 1, (o / 2) % 2 == 1] };
            o += 1;
        }
        all
    };

    /// (i', j') for (i, j).
    ///
    /// * `counts` — points of the second side along its own two directions
    pub fn map(self, ij: [usize; 2], counts: [usize; 2]) -> [usize; 2] {
        let [i, j] = if self.swapped { [ij[1], ij[0]] } else { ij };
        [
            if self.reversed[0] { counts[0] - 1 - i } else { i },
            if self.reversed[1] { counts[1] - 1 - j } else { j },
        ]
    }
}

/// Two sides that are one surface inside the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interface {
    /// Patch and side.
    pub first: (u32, Side),
    /// Patch and side glued to it.
    pub second: (u32, Side),
    /// Orientation of the first on the second.
    pub orientation: Orientation,
}

impl Interface {
    /// For each of the two tangent directions of the first side: direction of the second patch, and whether
    /// reversed.
    pub fn directions(&self) -> [(usize, bool); 2] {
        let tangents = self.second.1.tangents();
        let Orientation { swapped, reversed } = self.orientation;
        if swapped {
            [(tangents[1], reversed[1]), (tangents[0], reversed[0])]
        } else {
            [(tangents[0], reversed[0]), (tangents[1], reversed[1])]
        }
    }
}

/// One of the twelve edges of a patch: the direction it runs in and whether it lies at the ends of the other
/// two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) patch: usize,
    pub(crate) direction: usize,
    ends: [bool; 2],
}

impl Edge {
    pub(crate) fn all(patch: usize) -> impl Iterator<Item = Self> {
        (0..12).map(move |e| Self { patch, direction: e / 4, ends: [e % 2 == 1, e / 2 % 2 == 1] })
    }

    /// The two directions across it.
    fn others(self) -> [usize; 2] {
        [[1, 2], [0, 2], [0, 1]][self.direction]
    }

    /// Parameters of its patch at a place on \[0,1\].
    pub(crate) fn parameters(self, domain: [[f64; 2]; 3], t: f64) -> [f64; 3] {
        let mut u = domain.map(|[a, b]| a + t * (b - a));
        for (other, end) in self.others().into_iter().zip(self.ends) {
            u[other] = domain[other][usize::from(end)];
        }
        u
    }

    /// Control points along it.
    pub(crate) fn indices(self, counts: [usize; 3]) -> Vec<usize> {
        let mut ijk = [0; 3];
        for (other, end) in self.others().into_iter().zip(self.ends) {
            ijk[other] = if end { counts[other] - 1 } else { 0 };
        }
        let along = |i| {
            ijk[self.direction] = i;
            index(counts, ijk)
        };
        (0..counts[self.direction]).map(along).collect()
    }
}

/// The relations between the parts of the patches of a body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Topology {
    pub(crate) interfaces: Vec<Interface>,
    /// Sides shrunk to a line or a point: patch, side, tangent direction along which all points are one.
    collapsed_sides: Vec<(usize, Side, usize)>,
    /// Edges shrunk to a point.
    collapsed_edges: Vec<Edge>,
    /// Equal edges; true if one runs backwards.
    edges: Vec<(Edge, Edge, bool)>,
    /// Equal corners: patch and corner number with bit d set at the end of direction d.
    corners: Vec<[(usize, usize); 2]>,
}

fn index(counts: [usize; 3], ijk: [usize; 3]) -> usize {
    ijk[0] + counts[0] * (ijk[1] + counts[1] * ijk[2])
}

fn corner_index(counts: [usize; 3], corner: usize) -> usize {
    index(counts, [0, 1, 2].map(|d| if corner >> d & 1 == 1 { counts[d] - 1 } else { 0 }))
}

/// Control point (i, j) of a side, i along its first tangent.
pub(crate) fn side_index(counts: [usize; 3], side: Side, ij: [usize; 2]) -> usize {
    let mut ijk = [0; 3];
    let [first, second] = side.tangents();
    ijk[first] = ij[0];
    ijk[second] = ij[1];
    if side.is_end() {
        ijk[side.direction()] = counts[side.direction()] - 1;
    }
    index(counts, ijk)
}

/// Numbers of the control points of a side within its patch.
pub(crate) fn side_points(counts: [usize; 3], side: Side) -> Vec<usize> {
    let [n, m] = side_counts(counts, side);
    (0..n * m).map(|ij| side_index(counts, side, [ij % n, ij / n])).collect()
}

/// Numbers of the four corners of a side in the body.
pub(crate) fn corner_ids(counts: [usize; 3], ids: &[u32], side: Side) -> [u32; 4] {
    let [n, m] = side_counts(counts, side).map(|count| count - 1);
    [[0, 0], [n, 0], [0, m], [n, m]].map(|ij| ids[side_index(counts, side, ij)])
}

/// Points of a side along its two tangents.
pub(crate) fn side_counts(counts: [usize; 3], side: Side) -> [usize; 2] {
    side.tangents().map(|d| counts[d])
}

impl Topology {
    /// Derives the relations from the numbers of the points.
    pub(crate) fn of(counts: &[[usize; 3]], ids: &[Vec<u32>]) -> Self {
        let mut topology = Self {
            interfaces: Vec::new(),
            collapsed_sides: Vec::new(),
            collapsed_edges: Vec::new(),
            edges: Vec::new(),
            corners: Vec::new(),
        };
        topology.find_corners_and_edges(counts, ids);
        topology.find_sides(counts, ids);
        topology
    }

    fn find_corners_and_edges(&mut self, counts: &[[usize; 3]], ids: &[Vec<u32>]) {
        let mut corner_of = BTreeMap::new();
        let mut edge_of: BTreeMap<Vec<u32>, Edge> = BTreeMap::new();
        for patch in 0..counts.len() {
            for corner in 0..8 {
                let id = ids[patch][corner_index(counts[patch], corner)];
                let first = *corner_of.entry(id).or_insert((patch, corner));
                if first != (patch, corner) {
                    self.corners.push([first, (patch, corner)]);
                }
            }
            for edge in Edge::all(patch) {
                let line: Vec<u32> = edge.indices(counts[patch]).into_iter().map(|i| ids[patch][i]).collect();
                if line.iter().all(|&id| id == line[0]) {
                    self.collapsed_edges.push(edge);
                    continue;
                }
                let backwards: Vec<u32> = line.iter().rev().copied().collect();
                if let Some(&first) = edge_of.get(&line) {
                    self.edges.push((first, edge, false));
                } else if let Some(&first) = edge_of.get(&backwards) {
                    self.edges.push((first, edge, true));
                } else {
                    edge_of.insert(line, edge);
                }
            }
        }
    }

    fn find_sides(&mut self, counts: &[[usize; 3]], ids: &[Vec<u32>]) {
        let mut open: BTreeMap<Vec<u32>, Vec<(usize, Side)>> = BTreeMap::new();
        for patch in 0..counts.len() {
            for side in Side::ALL {
                let grid = Grid::of(counts[patch], &ids[patch], side);
                let collapsed = [0, 1].map(|along| grid.is_collapsed(along));
                for along in (0..2).filter(|&along| collapsed[along]) {
                    self.collapsed_sides.push((patch, side, side.tangents()[along]));
                }
                if collapsed[0] || collapsed[1] {
                    continue;
                }
                let candidates = open.entry(grid.sorted()).or_default();
                let found = candidates.iter().enumerate().find_map(|(place, &(p, s))| {
                    let orientation = Grid::of(counts[p], &ids[p], s).lies_on(&grid)?;
                    Some((place, orientation))
                });
                if let Some((place, orientation)) = found {
                    let (p, s) = candidates.swap_remove(place);
                    let (first, second) = ((p as u32, s), (patch as u32, side));
                    self.interfaces.push(Interface { first, second, orientation });
                } else {
                    candidates.push((patch, side));
                }
            }
        }
    }

    /// Sides that are glued to no other and have not collapsed: the outside of the body.
    pub(crate) fn outer_sides(&self, n_patches: usize) -> Vec<(u32, Side)> {
        let mut inner: BTreeSet<(u32, Side)> =
            self.interfaces.iter().flat_map(|i| [i.first, i.second]).collect();
        inner.extend(self.collapsed_sides.iter().map(|&(patch, side, _)| (patch as u32, side)));
        (0..n_patches as u32)
            .flat_map(|patch| Side::ALL.map(|side| (patch, side)))
            .filter(|side| !inner.contains(side))
            .collect()
    }

    /// Numbers the points of patches with these counts: ascending by first occurrence, deterministic.
    ///
    /// Returns the number of each control point of each patch, and how many there are.
    pub(crate) fn number(&self, counts: &[[usize; 3]]) -> (Vec<Vec<u32>>, usize) {
        let mut starts = vec![0];
        for c in counts {
            starts.push(starts[starts.len() - 1] + c[0] * c[1] * c[2]);
        }
        let mut same = Union::new(starts[counts.len()]);
        self.for_each_pair(counts, |(p, i), (q, j)| same.join(starts[p] + i, starts[q] + j));
        number_classes(&mut same, &starts)
    }

    /// Calls `join` with points that are one, each as its patch and its number in a grid with these counts.
    pub(crate) fn for_each_pair(
        &self,
        counts: &[[usize; 3]],
        join: impl FnMut((usize, usize), (usize, usize)),
    ) {
        self.for_each_pair_of(counts, |_| true, join);
    }

    /// The same without the interfaces of patches that do not take part.
    pub(crate) fn for_each_pair_of(
        &self,
        counts: &[[usize; 3]],
        takes_part: impl Fn(usize) -> bool,
        mut join: impl FnMut((usize, usize), (usize, usize)),
    ) {
        for &Interface { first, second, orientation } in &self.interfaces {
            let (p, q) = (first.0 as usize, second.0 as usize);
            if !(takes_part(p) && takes_part(q)) {
                continue;
            }
            let there = side_counts(counts[q], second.1);
            let [n, m] = side_counts(counts[p], first.1);
            for j in 0..m {
                for i in 0..n {
                    let a = side_index(counts[p], first.1, [i, j]);
                    let b = side_index(counts[q], second.1, orientation.map([i, j], there));
                    join((p, a), (q, b));
                }
            }
        }
        for &(patch, side, direction) in &self.collapsed_sides {
            let [n, m] = side_counts(counts[patch], side);
            let first_along = side.tangents()[0] == direction;
            for j in 0..m {
                for i in 0..n {
                    let onto = if first_along { [0, j] } else { [i, 0] };
                    let a = side_index(counts[patch], side, onto);
                    join((patch, a), (patch, side_index(counts[patch], side, [i, j])));
                }
            }
        }
        for &edge in &self.collapsed_edges {
            let line = edge.indices(counts[edge.patch]);
            for &i in &line[1..] {
                join((edge.patch, line[0]), (edge.patch, i));
            }
        }
        for &(a, b, reversed) in &self.edges {
            let mut other = b.indices(counts[b.patch]);
            if reversed {
                other.reverse();
            }
            for (i, j) in a.indices(counts[a.patch]).into_iter().zip(other) {
                join((a.patch, i), (b.patch, j));
            }
        }
        for [(p, a), (q, b)] in &self.corners {
            join((*p, corner_index(counts[*p], *a)), (*q, corner_index(counts[*q], *b)));
        }
    }

    /// Directions of patches that must have the same knots.
    pub(crate) fn classes(&self, n_patches: usize) -> Classes {
        let mut classes = Classes::new(3 * n_patches);
        for (a, b, reversed) in &self.edges {
            classes.join((a.patch, a.direction), (b.patch, b.direction), *reversed);
        }
        for interface in &self.interfaces {
            let tangents = interface.first.1.tangents();
            for (tangent, (direction, reversed)) in tangents.into_iter().zip(interface.directions()) {
                let (p, q) = (interface.first.0 as usize, interface.second.0 as usize);
                classes.join((p, tangent), (q, direction), reversed);
            }
        }
        classes
    }
}

/// The numbers of the points of a side.
struct Grid {
    counts: [usize; 2],
    ids: Vec<u32>,
}

impl Grid {
    fn of(counts: [usize; 3], ids: &[u32], side: Side) -> Self {
        let [n, m] = side_counts(counts, side);
        let at = |ij: usize| ids[side_index(counts, side, [ij % n, ij / n])];
        Self { counts: [n, m], ids: (0..n * m).map(at).collect() }
    }

    fn at(&self, ij: [usize; 2]) -> u32 {
        self.ids[ij[0] + self.counts[0] * ij[1]]
    }

    fn sorted(&self) -> Vec<u32> {
        let mut ids = self.ids.clone();
        ids.sort_unstable();
        ids
    }

    /// True if the points are equal along tangent 0 or 1.
    fn is_collapsed(&self, along: usize) -> bool {
        let [n, m] = self.counts;
        (0..n * m).all(|ij| {
            let mut first = [ij % n, ij / n];
            first[along] = 0;
            self.ids[ij] == self.at(first)
        })
    }

    fn lies_on(&self, other: &Self) -> Option<Orientation> {
        let [n, m] = self.counts;
        Orientation::ALL.into_iter().find(|orientation| {
            other.counts == if orientation.swapped { [m, n] } else { [n, m] }
                && (0..n * m)
                    .all(|ij| self.ids[ij] == other.at(orientation.map([ij % n, ij / n], other.counts)))
        })
    }
}
