//! Local refinement of tetrahedra by bisection.
//!
//! A tetrahedron is cut at the middle of its refinement edge into two. Each face has a marked edge, at first
//! its longest one; the marks of the children follow from those of the parent, so that repeated cuts give a
//! bounded number of shapes (Arnold, Mukherjee & Pouly 2000, SIAM J. Sci. Comput. 22(2), 431–448,
//! `BisectTet` and `LocalRefine`). Cells with a divided edge are cut until there are no hanging nodes.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::refine::RefineError;
use crate::vectors::{cross, dot, minus};
use crate::{CellBlock, CellRef, CellShape, FaceRef, Mesh, Set, lagrange, sets};

/// Largest number of cells of a refined mesh.
const MAX_CELLS: usize = 5_000_000;

/// Largest number of levels: edges of a millionth.
const MAX_LEVELS: usize = 20;

/// A cell is fine enough with edges of this over 2^levels of the longest edge of its old cell. The halves of
/// a curved edge are not exactly half as long.
const FINE_ENOUGH: f64 = 1.02;

/// Where cells become small.
#[derive(Debug, Clone, PartialEq)]
pub struct NearCells {
    /// Where.
    pub at: NearTarget,
    /// Distance within which cells are refined \[m\]; 0 for the cells that touch the place.
    pub radius: f64,
    /// How often their edges are halved.
    pub levels: usize,
}

/// The place of [`NearCells`].
#[derive(Debug, Clone, PartialEq)]
pub enum NearTarget {
    /// A point \[m\].
    Point([f64; 3]),
    /// Nodes of a set, ascending.
    Nodes(Vec<u32>),
}

/// The mesh with its tetrahedra near some places cut until their edges are halved as often as wanted.
///
/// Old nodes keep their numbers, new ones follow; they lie where the old cells have them: on curved edges and
/// faces of quadratic cells, which keep their shape. Cells near a place are cut until their edges have
/// 1/2^levels of the longest edge of the old cell, and cells around them until all fit together. Sets are
/// inherited as by [`subdivide`](crate::refine::subdivide).
///
/// # Errors
///
/// [`RefineError::NotTetrahedra`] if the mesh has other cells; [`RefineError::NoCell`] if no cell lies near a
/// place; [`RefineError::Near`] if a radius or a number
/// of levels is out of range; [`RefineError::TooManyCells`].
pub fn bisect_near(mesh: &Mesh, places: &[NearCells]) -> Result<Mesh, RefineError> {
    bisect_within(mesh, places, MAX_CELLS)
}

/// * `most` — number of cells
fn bisect_within(mesh: &Mesh, places: &[NearCells], most: usize) -> Result<Mesh, RefineError> {
    if let Some(block) =
        mesh.blocks.iter().find(|block| !matches!(block.shape, CellShape::Tet4 | CellShape::Tet10))
    {
        return Err(RefineError::NotTetrahedra { name: block.shape.name() });
    }
    let is_valid =
        |place: &&NearCells| place.radius >= 0.0 && place.radius.is_finite() && place.levels <= MAX_LEVELS;
    if let Some(wrong) = places.iter().find(|place| !is_valid(place)) {
        return Err(RefineError::Near { radius: wrong.radius, levels: wrong.levels, most: MAX_LEVELS });
    }
    let mut work = Work::new(mesh, most);
    for place in places {
        let mut target = Target::new(mesh, place);
        let part = FINE_ENOUGH * 0.5_f64.powi(place.levels as i32);
        target.extend(&work);
        if !work.cells.iter().any(|cell| target.touches(&work, cell)) {
            return Err(RefineError::NoCell { radius: place.radius });
        }
        loop {
            target.extend(&work);
            let wanted: Vec<usize> = (0..work.cells.len())
                .filter(|&i| {
                    let cell = &work.cells[i];
                    work.length(cell) > part * cell.old_length && target.touches(&work, cell)
                })
                .collect();
            if wanted.is_empty() {
                break;
            }
            work.cut(&wanted)?;
        }
    }
    Ok(work.finish())
}

/// Squared length and ends of an edge: a strict order of edges.
type EdgeOrder = (f64, [u32; 2]);

/// A tetrahedron under construction.
#[derive(Debug, Clone)]
struct Tetrahedron {
    /// The old cell that it is a part of.
    of: CellRef,
    /// Corners; the first two are the ends of the refinement edge.
    corners: [u32; 4],
    /// Barycentric coordinates of the corners in the old cell, multiples of a power of one half.
    places: [[f64; 4]; 4],
    /// Marked edges of the faces without corner 1 and without corner 0.
    marks: [[u32; 2]; 2],
    /// Whether a planar cell is the child of an unflagged planar one.
    flag: bool,
    /// Longest edge of the old cell \[m\].
    old_length: f64,
}

fn edge(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

impl Tetrahedron {
    /// The cell with these corners, whose refinement edge is the first of the marks of its faces.
    fn new(
        parent: &Self,
        corners: [(u32, [f64; 4]); 4],
        refinement: [u32; 2],
        mark: impl Fn([u32; 3]) -> [u32; 2],
    ) -> Self {
        let is_end = |corner: &&(u32, [f64; 4])| refinement.contains(&corner.0);
        let ends: Vec<_> = corners.iter().filter(is_end).copied().collect();
        let others: Vec<_> = corners.iter().filter(|c| !is_end(c)).copied().collect();
        let ordered = [ends[0], ends[1], others[0], others[1]];
        let [a, b, c, d] = ordered.map(|corner| corner.0);
        Self {
            of: parent.of,
            corners: [a, b, c, d],
            places: ordered.map(|corner| corner.1),
            marks: [mark([a, c, d]), mark([b, c, d])],
            flag: false,
            old_length: parent.old_length,
        }
    }

    /// The corner that both marked edges of a planar cell share: the marks and the refinement edge lie in a
    /// plane. `None` for cells of other types.
    fn planar_corner(&self) -> Option<u32> {
        let [a, b, c, d] = self.corners;
        [c, d].into_iter().find(|&x| self.marks[0] == edge(a, x) && self.marks[1] == edge(b, x))
    }
}

/// The mesh under construction.
struct Work<'a> {
    mesh: &'a Mesh,
    points: Vec<[f64; 3]>,
    cells: Vec<Tetrahedron>,
    /// Middle node of each edge that has one: old nodes of quadratic cells, and nodes at which edges are cut.
    middles: HashMap<[u32; 2], u32>,
    /// Edges that are cut.
    divided: HashSet<[u32; 2]>,
    /// Node sets with a mark for each member, by name.
    members: BTreeMap<&'a str, Vec<bool>>,
    /// Largest number of cells.
    most: usize,
}

impl<'a> Work<'a> {
    fn new(mesh: &'a Mesh, most: usize) -> Self {
        let mut members = BTreeMap::new();
        for (name, set) in &mesh.sets {
            if let Set::Nodes(nodes) = set {
                let mut is_member = vec![false; mesh.points.len()];
                nodes.iter().for_each(|&node| is_member[node as usize] = true);
                members.insert(name.as_str(), is_member);
            }
        }
        let mut work = Self {
            mesh,
            points: mesh.points.clone(),
            cells: Vec::with_capacity(mesh.n_cells()),
            middles: HashMap::new(),
            divided: HashSet::new(),
            members,
            most,
        };
        for (of, shape, nodes) in mesh.cells() {
            if shape == CellShape::Tet10 {
                for (&[a, b], &middle) in shape.table().edges.iter().zip(&nodes[4..]) {
                    work.middles.insert(edge(nodes[a as usize], nodes[b as usize]), middle);
                }
            }
            let cell = work.marked(of, [nodes[0], nodes[1], nodes[2], nodes[3]]);
            work.cells.push(cell);
        }
        work
    }

    fn order(&self, ends: [u32; 2]) -> EdgeOrder {
        let [a, b] = ends.map(|node| self.points[node as usize]);
        ((0..3).map(|d| (a[d] - b[d]).powi(2)).sum(), ends)
    }

    /// Longest edge of a cell \[m\].
    fn length(&self, cell: &Tetrahedron) -> f64 {
        self.order(self.longest(&cell.corners)).0.sqrt()
    }

    fn longest(&self, corners: &[u32]) -> [u32; 2] {
        let mut longest: Option<EdgeOrder> = None;
        for (i, &a) in corners.iter().enumerate() {
            for &b in &corners[i + 1..] {
                let order = self.order(edge(a, b));
                let is_longer = |old: &EdgeOrder| old.0.total_cmp(&order.0).then(old.1.cmp(&order.1)).is_lt();
                if longest.as_ref().is_none_or(is_longer) {
                    longest = Some(order);
                }
            }
        }
        longest.expect("a cell has edges").1
    }

    /// An old cell: each face is marked at its longest edge.
    fn marked(&self, of: CellRef, corners: [u32; 4]) -> Tetrahedron {
        let mut places = [[0.0; 4]; 4];
        (0..4).for_each(|k| places[k][k] = 1.0);
        let blank = Tetrahedron { of, corners, places, marks: [[0; 2]; 2], flag: false, old_length: 0.0 };
        let both = [0, 1, 2, 3].map(|k| (corners[k], places[k]));
        let mut cell = Tetrahedron::new(&blank, both, self.longest(&corners), |face| self.longest(&face));
        cell.old_length = self.length(&cell);
        cell
    }

    /// The node in the middle of an edge of a cell, made if there is none.
    fn middle(&mut self, cell: &Tetrahedron, ends: [usize; 2]) -> (u32, [f64; 4]) {
        let [p, q] = ends.map(|k| cell.places[k]);
        let place = [0, 1, 2, 3].map(|k| 0.5 * (p[k] + q[k]));
        let ends = edge(cell.corners[ends[0]], cell.corners[ends[1]]);
        if let Some(&node) = self.middles.get(&ends) {
            return (node, place);
        }
        let (shape, nodes) = self.mesh.cell(cell.of);
        let mut values = [0.0; 10];
        lagrange::values_into(shape, [place[1], place[2], place[3]], &mut values[..nodes.len()]);
        let mut x = [0.0; 3];
        for (value, &old) in values.iter().zip(nodes) {
            for d in 0..3 {
                x[d] += value * self.mesh.points[old as usize][d];
            }
        }
        let node = self.points.len() as u32;
        self.points.push(x);
        self.middles.insert(ends, node);
        // Old nodes on the edge, face or cell that contains the point in its interior.
        let edges = shape.table().edges.iter().map(|edge| edge.to_vec());
        let carriers = (0..4_u8).map(|k| vec![k]).chain(edges);
        let around: Vec<u32> = carriers
            .zip(nodes)
            .filter(|(carrier, _)| carrier.iter().all(|&k| place[k as usize] > 0.0))
            .map(|(_, &old)| old)
            .collect();
        for is_member in self.members.values_mut() {
            let all = around.iter().all(|&old| is_member[old as usize]);
            is_member.push(all);
        }
        (node, place)
    }

    /// Cuts these cells, and others until no node hangs.
    fn cut(&mut self, wanted: &[usize]) -> Result<(), RefineError> {
        wanted.iter().for_each(|&i| self.halve(i));
        loop {
            if self.cells.len() > self.most {
                let count = self.cells.len() as f64;
                return Err(RefineError::TooManyCells { count, most: self.most as f64 });
            }
            let is_hanging = |i: &usize| self.has_divided_edge(&self.cells[*i]);
            let hanging: Vec<usize> = (0..self.cells.len()).filter(is_hanging).collect();
            if hanging.is_empty() {
                return Ok(());
            }
            hanging.iter().for_each(|&i| self.halve(i));
        }
    }

    fn has_divided_edge(&self, cell: &Tetrahedron) -> bool {
        let c = cell.corners;
        let edges = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        edges.iter().any(|&[a, b]| self.divided.contains(&edge(c[a], c[b])))
    }

    /// Replaces a cell by its two halves.
    fn halve(&mut self, i: usize) {
        let parent = self.cells[i].clone();
        let [a, b, c, d] = parent.corners;
        let (middle, place) = self.middle(&parent, [0, 1]);
        self.divided.insert(edge(a, b));
        let planar = parent.planar_corner();
        let new_face = match planar.filter(|_| parent.flag) {
            Some(corner) => edge(middle, corner),
            None => edge(c, d),
        };
        let children = [0, 1].map(|kept| {
            let corners = [kept, 2, 3].map(|k| (parent.corners[k], parent.places[k]));
            let corners = [corners[0], corners[1], corners[2], (middle, place)];
            let mut child = Tetrahedron::new(&parent, corners, parent.marks[kept], |face| {
                // Both faces without an end of the refinement edge contain the new node.
                let others: Vec<u32> = face.into_iter().filter(|&node| node != middle).collect();
                let opposite = edge(others[0], others[1]);
                if opposite == edge(c, d) { new_face } else { opposite }
            });
            child.flag = planar.is_some() && !parent.flag;
            child
        });
        let [first, second] = children;
        self.cells[i] = first;
        self.cells.push(second);
    }

    /// The refined mesh.
    fn finish(mut self) -> Mesh {
        let cells = std::mem::take(&mut self.cells);
        let mut blocks: Vec<CellBlock> = self
            .mesh
            .blocks
            .iter()
            .map(|block| CellBlock { shape: block.shape, connectivity: Vec::new() })
            .collect();
        // Parts in the order of their old cells.
        let mut order: Vec<usize> = (0..cells.len()).collect();
        order.sort_by_key(|&i| (cells[i].of, i));
        let mut parts: HashMap<CellRef, Vec<CellRef>> = HashMap::new();
        let mut faces: HashMap<FaceRef, Vec<FaceRef>> = HashMap::new();
        for i in order {
            let cell = self.upright(&cells[i]);
            let block = &mut blocks[cell.of.block as usize];
            let own = CellRef { block: cell.of.block, cell: block.n_cells() as u32 };
            block.connectivity.extend(cell.corners);
            if block.shape == CellShape::Tet10 {
                for &[a, b] in block.shape.table().edges {
                    let (node, _) = self.middle(&cell, [a as usize, b as usize]);
                    block.connectivity.push(node);
                }
            }
            parts.entry(cell.of).or_default().push(own);
            for (face, old) in faces_on_old_ones(&cell, block.shape) {
                let new = FaceRef { block: own.block, cell: own.cell, face };
                let old = FaceRef { block: cell.of.block, cell: cell.of.cell, face: old };
                faces.entry(old).or_default().push(new);
            }
        }
        let inherited = |(name, set): (&String, &Set)| {
            let set = match set {
                Set::Nodes(_) => {
                    let members = self.members[name.as_str()].iter();
                    Set::Nodes((0..).zip(members).filter(|(_, is)| **is).map(|(node, _)| node).collect())
                }
                Set::Faces(old) => {
                    Set::of_faces(old.iter().filter_map(|face| faces.get(face)).flatten().copied().collect())
                }
                Set::Cells(old) => Set::of_cells(old.iter().flat_map(|cell| parts[cell].clone()).collect()),
            };
            (name.clone(), set)
        };
        let sets = self.mesh.sets.iter().map(inherited).collect();
        Mesh { points: self.points, blocks, sets }
    }

    /// The cell with its corners in the sense of the old cell.
    fn upright(&self, cell: &Tetrahedron) -> Tetrahedron {
        let mut cell = cell.clone();
        let p = cell.places;
        let columns = [1, 2, 3].map(|k| [1, 2, 3].map(|d| p[k][d] - p[0][d]));
        if lagrange::determinant(&columns) < 0.0 {
            cell.corners.swap(2, 3);
            cell.places.swap(2, 3);
        }
        cell
    }
}

/// Faces of a part that lie on faces of its old cell, each with the number of the latter.
fn faces_on_old_ones(cell: &Tetrahedron, shape: CellShape) -> Vec<(u8, u8)> {
    let mut found = Vec::new();
    for face in 0..4 {
        let corners = &shape.face(face)[..3];
        for old in 0..4 {
            let old_corners = &shape.face(old)[..3];
            let opposite = (0..4_u8).find(|k| !old_corners.contains(k)).expect("a face has three corners");
            if corners.iter().all(|&k| cell.places[k as usize][opposite as usize] == 0.0) {
                found.push((face as u8, old as u8));
            }
        }
    }
    found
}

/// A place, with its nodes as far as they exist.
struct Target<'a> {
    place: &'a NearCells,
    /// For the nodes of a set, whether each node of the mesh is one of them.
    is_on: Vec<bool>,
    /// Their positions.
    points: Vec<[f64; 3]>,
    /// Box around the positions.
    bounds: [[f64; 3]; 2],
}

impl<'a> Target<'a> {
    fn new(mesh: &Mesh, place: &'a NearCells) -> Self {
        let mut is_on = Vec::new();
        let mut points = Vec::new();
        match &place.at {
            NearTarget::Point(point) => points.push(*point),
            NearTarget::Nodes(nodes) => {
                is_on = vec![false; mesh.points.len()];
                for &node in nodes {
                    is_on[node as usize] = true;
                    points.push(mesh.points[node as usize]);
                }
            }
        }
        let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for x in &points {
            for d in 0..3 {
                bounds[0][d] = bounds[0][d].min(x[d]);
                bounds[1][d] = bounds[1][d].max(x[d]);
            }
        }
        Self { place, is_on, points, bounds }
    }

    /// Adds the nodes that were made on edges between two nodes of the set.
    fn extend(&mut self, work: &Work<'_>) {
        if self.is_on.is_empty() {
            return;
        }
        self.is_on.resize(work.points.len(), false);
        let mut made: Vec<([u32; 2], u32)> = work
            .divided
            .iter()
            .map(|ends| (*ends, work.middles[ends]))
            .filter(|(_, node)| !self.is_on[*node as usize])
            .collect();
        made.sort_unstable_by_key(|(_, node)| *node);
        for ([a, b], node) in made {
            if self.is_on[a as usize] && self.is_on[b as usize] {
                self.is_on[node as usize] = true;
                self.points.push(work.points[node as usize]);
            }
        }
    }

    /// Whether a cell lies within the radius of the place.
    fn touches(&self, work: &Work<'_>, cell: &Tetrahedron) -> bool {
        if cell.corners.iter().any(|&node| self.is_on.get(node as usize).copied().unwrap_or(false)) {
            return true;
        }
        let x = cell.corners.map(|node| work.points[node as usize]);
        let radius = self.place.radius;
        let apart = (0..3).any(|d| {
            let ends = x
                .iter()
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x[d]), high.max(x[d])]);
            ends[0] > self.bounds[1][d] + radius || ends[1] < self.bounds[0][d] - radius
        });
        if apart || (!self.is_on.is_empty() && radius == 0.0) {
            return false;
        }
        // A point on the border of a cell is at a distance of its rounding.
        let size = (1..4).map(|k| sets::distance(x[0], x[k])).fold(0.0, f64::max);
        self.points.iter().any(|&point| distance_to(&x, point) <= radius + 1e-12 * size)
    }
}

/// Distance of a point from a tetrahedron with straight edges, 0 inside.
fn distance_to(x: &[[f64; 3]; 4], point: [f64; 3]) -> f64 {
    let outside = |[a, b, c, d]: [usize; 4]| {
        let normal = cross(minus(x[b], x[a]), minus(x[c], x[a]));
        let (own, other) = (dot(normal, minus(point, x[a])), dot(normal, minus(x[d], x[a])));
        own * other < 0.0
    };
    let faces = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
    let outer = faces.into_iter().filter(|face| outside(*face));
    outer.map(|[a, b, c, _]| distance_to_triangle([x[a], x[b], x[c]], point)).reduce(f64::min).unwrap_or(0.0)
}

/// Distance of a point from a triangle (Ericson 2004, Real-Time Collision Detection, section 5.1.5).
fn distance_to_triangle([a, b, c]: [[f64; 3]; 3], p: [f64; 3]) -> f64 {
    let (ab, ac, ap) = (minus(b, a), minus(c, a), minus(p, a));
    let normal = cross(ab, ac);
    let area = dot(normal, normal);
    if area > 0.0 {
        let v = dot(normal, cross(ap, ac)) / area;
        let w = dot(normal, cross(ab, ap)) / area;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return dot(normal, ap).abs() / area.sqrt();
        }
    }
    let to_edge = |a: [f64; 3], b: [f64; 3]| {
        let along = minus(b, a);
        let t = (dot(along, minus(p, a)) / dot(along, along).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        sets::distance(p, [0, 1, 2].map(|d| a[d] + t * along[d]))
    };
    to_edge(a, b).min(to_edge(b, c)).min(to_edge(c, a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_counted_before_nodes_hang() {
        // The cuts of a single tetrahedron leave no node hanging.
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut mesh = Mesh { points, ..Mesh::default() };
        mesh.blocks.push(CellBlock { shape: CellShape::Tet4, connectivity: vec![0, 1, 2, 3] });
        let near = |radius, levels| NearCells { at: NearTarget::Point([0.0; 3]), radius, levels };
        let error = bisect_within(&mesh, &[near(2.0, 20)], 1000).unwrap_err();
        assert!(matches!(error, RefineError::TooManyCells { .. }), "{error}");
        assert!(bisect_within(&mesh, &[near(2.0, 2)], 1000).unwrap().n_cells() <= 1000);
        let far = NearCells { at: NearTarget::Point([5.0; 3]), radius: 0.1, levels: 1 };
        assert_eq!(bisect_near(&mesh, &[far]), Err(RefineError::NoCell { radius: 0.1 }));
    }
}
