//! Uniform subdivision: every cell into n³ cells of its kind.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use crate::{CellBlock, CellRef, CellShape, FaceRef, Mesh, Set, lagrange};

/// Largest number of cells of a refined mesh.
const MAX_CELLS: f64 = 5.0e7;

/// Largest number of parts of an edge in one call.
const MAX_PARTS: usize = 64;

/// Error from subdividing a mesh.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RefineError {
    /// The number of parts is invalid.
    #[error("edges cannot be divided into {parts} parts; give a number from 1 to {MAX_PARTS}")]
    Parts {
        /// The number given.
        parts: usize,
    },
    /// The mesh has cells that cannot be divided.
    #[error(
        "cells of kind {name} cannot be divided into cells of their kind (a pyramid falls into pyramids and \
         tetrahedra): mesh the part again with smaller cells"
    )]
    Kind {
        /// Name of the kind.
        name: &'static str,
    },
    /// The mesh has cells that cannot be bisected.
    #[error(
        "cells of kind {name} cannot be refined near a place: only tetrahedra are bisected; mesh the part \
         again with smaller cells there, or divide all of it"
    )]
    NotTetrahedra {
        /// Name of the kind.
        name: &'static str,
    },
    /// A radius or a number of levels is out of range.
    #[error(
        "cells cannot be refined within {radius} m in {levels} levels: give a radius from 0 and at most \
         {most} levels"
    )]
    Near {
        /// The radius \[m\].
        radius: f64,
        /// The number of levels.
        levels: usize,
        /// The largest number of levels.
        most: usize,
    },
    /// A place without cells.
    #[error(
        "no cell lies within {radius} m of the place: check its coordinates and their unit, or give a larger \
         radius"
    )]
    NoCell {
        /// The radius \[m\].
        radius: f64,
    },
    /// Shells or beams.
    #[error(
        "cells of kind {name} are shells or beams, which `subdivide` does not divide: mesh the part again \
         with smaller cells"
    )]
    Structural {
        /// Name of the kind.
        name: &'static str,
    },
    /// The mesh would have too many cells.
    #[error("{count:.2e} cells would be more than {most:.0e}; divide edges into fewer parts")]
    TooManyCells {
        /// Number of cells.
        count: f64,
        /// The limit.
        most: f64,
    },
}

/// The mesh with every edge divided into `parts`, every cell into `parts`³ of its kind.
///
/// Tetrahedra, hexahedra and wedges can be divided, and fit together afterwards; pyramids cannot.
///
/// Old nodes keep their numbers, new ones follow; they lie where the old cells have them (the geometry of a
/// curved mesh does not improve). Cell `i` becomes cells `i parts³` and following. Sets are inherited: cells
/// and faces by their parts, a new node if all old nodes of the edge, face or cell that it lies on are in the
/// set. Tetrahedra are cut so that every face shows the same pattern from both sides, whatever the order of
/// its nodes.
///
/// # Errors
///
/// [`RefineError`] if `parts` is 0 or absurdly large, or the mesh has pyramids, shells or beams.
pub fn subdivide(mesh: &Mesh, parts: usize) -> Result<Mesh, RefineError> {
    if !(1..=MAX_PARTS).contains(&parts) {
        return Err(RefineError::Parts { parts });
    }
    let count = mesh.n_cells() as f64 * (parts as f64).powi(3);
    if count > MAX_CELLS {
        return Err(RefineError::TooManyCells { count, most: MAX_CELLS });
    }
    let mut patterns = BTreeMap::new();
    for block in &mesh.blocks {
        if let Entry::Vacant(free) = patterns.entry(block.shape) {
            let name = block.shape.name();
            if !block.shape.is_solid() {
                return Err(RefineError::Structural { name });
            }
            let pattern = Pattern::new(block.shape, parts);
            free.insert(pattern.ok_or(RefineError::Kind { name })?);
        }
    }
    let mut nodes = NewNodes::new(mesh);
    let blocks = mesh.blocks.iter().map(|block| {
        let pattern = &patterns[&block.shape];
        let mut connectivity = Vec::with_capacity(block.connectivity.len() * pattern.cells.len());
        let mut lattice = Vec::new();
        for cell in block.cells() {
            nodes.place(pattern, cell, &mut lattice);
            for part in &pattern.cells {
                connectivity.extend(part.iter().map(|&point| lattice[point as usize]));
            }
        }
        CellBlock { shape: block.shape, connectivity }
    });
    let blocks = blocks.collect();
    let NewNodes { points, mut members, .. } = nodes;
    let mut sets = mesh.sets.clone();
    for (name, set) in &mut sets {
        *set = match set {
            Set::Nodes(_) => Set::Nodes(members.remove(name).expect("every node set has its members").nodes),
            Set::Faces(faces) => {
                Set::of_faces(faces.iter().flat_map(|face| parts_of_face(mesh, &patterns, *face)).collect())
            }
            Set::Cells(cells) => {
                Set::of_cells(cells.iter().flat_map(|cell| parts_of_cell(*cell, parts)).collect())
            }
        };
    }
    Ok(Mesh { points, blocks, sets })
}

fn parts_of_cell(cell: CellRef, parts: usize) -> impl Iterator<Item = CellRef> {
    let n = (parts * parts * parts) as u32;
    (0..n).map(move |part| CellRef { block: cell.block, cell: cell.cell * n + part })
}

fn parts_of_face<'a>(
    mesh: &Mesh,
    patterns: &'a BTreeMap<CellShape, Pattern>,
    face: FaceRef,
) -> impl Iterator<Item = FaceRef> + 'a {
    let pattern = &patterns[&mesh.blocks[face.block as usize].shape];
    let n = pattern.cells.len() as u32;
    pattern.faces[face.face as usize].iter().map(move |(part, part_face)| FaceRef {
        block: face.block,
        cell: face.cell * n + part,
        face: *part_face,
    })
}

/// The division of a cell of one kind, the same for all its cells.
struct Pattern {
    shape: CellShape,
    points: Vec<LatticePoint>,
    /// Lattice points of each part, in the order of its nodes.
    cells: Vec<Vec<u32>>,
    /// For each face of the cell the parts and their faces that lie on it.
    faces: Vec<Vec<(u32, u8)>>,
}

/// A point of a cell at which a part has a node.
struct LatticePoint {
    /// The old node at this point, if there is one.
    old: Option<u8>,
    /// Corners with their whole-numbered weights: equal for cells that share the point, whatever their
    /// orientation.
    corners: Vec<(u8, u32)>,
    /// Old nodes on the edge, face or cell that contains the point in its interior.
    around: Vec<u8>,
    /// Shape functions at this point.
    values: Vec<f64>,
}

impl Pattern {
    /// `None` if cells of this kind cannot be divided into cells of their kind.
    fn new(shape: CellShape, parts: usize) -> Option<Self> {
        let vertices = (shape.table().parts?)(parts);
        let n = (parts * shape.order()) as u32;
        let mut number: HashMap<[u32; 3], u32> = HashMap::new();
        let mut points = Vec::new();
        let mut place = |ijk: [u32; 3]| {
            *number.entry(ijk).or_insert_with(|| {
                points.push(LatticePoint::new(shape, ijk, n));
                points.len() as u32 - 1
            })
        };
        let cells = vertices.iter().map(|part| part_nodes(shape, part).into_iter().map(&mut place).collect());
        let cells = cells.collect();
        let mut faces = vec![Vec::new(); shape.n_faces()];
        for (part, corners) in (0..).zip(&vertices) {
            for part_face in 0..shape.n_faces() {
                let n_corners = shape.face_shape(part_face).n_corners();
                let on: Vec<[u32; 3]> =
                    shape.face(part_face)[..n_corners].iter().map(|&k| corners[k as usize]).collect();
                if let Some(face) = face_of(shape, &on, parts as u32) {
                    faces[face].push((part, part_face as u8));
                }
            }
        }
        Some(Self { shape, points, cells, faces })
    }
}

/// Lattice positions of all nodes of a part, in steps of its order, from its corners in steps of one.
fn part_nodes(shape: CellShape, corners: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let order = shape.order() as u32;
    let mut values = vec![0.0; shape.n_corners()];
    let node = |xi: &[f64; 3]| {
        lagrange::values_into(shape.table().linear, *xi, &mut values);
        [0, 1, 2].map(|d| {
            let sum: f64 = corners.iter().zip(&values).map(|(c, v)| v * f64::from(c[d])).sum();
            (f64::from(order) * sum).round() as u32
        })
    };
    shape.reference_nodes().iter().map(node).collect()
}

/// The face of a cell on which all these lattice points lie: all their corners are corners of the face.
fn face_of(shape: CellShape, points: &[[u32; 3]], n: u32) -> Option<usize> {
    (0..shape.n_faces()).find(|&face| {
        let corners = &shape.face(face)[..shape.face_shape(face).n_corners()];
        let is_on = |p: &[u32; 3]| corner_weights(shape, *p, n).iter().all(|(c, _)| corners.contains(c));
        points.iter().all(is_on)
    })
}

impl LatticePoint {
    fn new(shape: CellShape, ijk: [u32; 3], n: u32) -> Self {
        let xi = ijk.map(|i| f64::from(i) / f64::from(n));
        let mut values = vec![0.0; shape.n_nodes()];
        lagrange::values_into(shape, xi, &mut values);
        let corners = corner_weights(shape, ijk, n);
        let is_around = |x: &[f64; 3]| {
            // The node lies on the same edge or face if it needs no other corner.
            let doubled = x.map(|t| (2.0 * t) as u32);
            corner_weights(shape, doubled, 2).iter().all(|(c, _)| corners.iter().any(|(own, _)| own == c))
        };
        let nodes = shape.reference_nodes();
        let around = (0..).zip(nodes).filter(|(_, x)| is_around(x)).map(|(k, _)| k).collect();
        let old = nodes.iter().position(|x| *x == xi).map(|k| k as u8);
        Self { old, corners, around, values }
    }
}

/// The nonzero weights of the corners at a lattice point, times n³. They are integers in every cell that can
/// be divided, and equal in all cells that share the point.
fn corner_weights(shape: CellShape, ijk: [u32; 3], n: u32) -> Vec<(u8, u32)> {
    let mut values = vec![0.0; shape.n_corners()];
    lagrange::values_into(shape.table().linear, ijk.map(|i| f64::from(i) / f64::from(n)), &mut values);
    let whole = |value: f64| (value * f64::from(n).powi(3)).round() as u32;
    (0..).zip(values).map(|(corner, value)| (corner, whole(value))).filter(|(_, w)| *w > 0).collect()
}

/// Members of a node set under construction.
struct Members {
    nodes: Vec<u32>,
    is_old_member: Vec<bool>,
}

/// Nodes of the refined mesh under construction.
struct NewNodes<'a> {
    mesh: &'a Mesh,
    points: Vec<[f64; 3]>,
    /// New nodes on edges and faces, by the corners around them and their weights.
    shared: HashMap<[(u32, u32); 4], u32>,
    members: BTreeMap<String, Members>,
}

impl<'a> NewNodes<'a> {
    fn new(mesh: &'a Mesh) -> Self {
        let mut members = BTreeMap::new();
        for (name, set) in &mesh.sets {
            if let Set::Nodes(nodes) = set {
                let mut is_old_member = vec![false; mesh.points.len()];
                nodes.iter().for_each(|&node| is_old_member[node as usize] = true);
                members.insert(name.clone(), Members { nodes: nodes.clone(), is_old_member });
            }
        }
        Self { mesh, points: mesh.points.clone(), shared: HashMap::new(), members }
    }

    /// Finds or creates the nodes of a cell at all points of the pattern.
    fn place(&mut self, pattern: &Pattern, cell: &[u32], lattice: &mut Vec<u32>) {
        lattice.clear();
        for point in &pattern.points {
            lattice.push(match point.old {
                Some(k) => cell[k as usize],
                None => self.node_at(pattern.shape, point, cell),
            });
        }
    }

    fn node_at(&mut self, shape: CellShape, point: &LatticePoint, cell: &[u32]) -> u32 {
        // Points inside the cell are not shared.
        if point.corners.len() == shape.n_corners() {
            return self.push(point, cell);
        }
        let mut key = [(u32::MAX, 0); 4];
        for (entry, &(corner, weight)) in key.iter_mut().zip(&point.corners) {
            *entry = (cell[corner as usize], weight);
        }
        key.sort_unstable();
        if let Some(&node) = self.shared.get(&key) {
            return node;
        }
        let node = self.push(point, cell);
        self.shared.insert(key, node);
        node
    }

    fn push(&mut self, point: &LatticePoint, cell: &[u32]) -> u32 {
        let mut x = [0.0; 3];
        for (value, &node) in point.values.iter().zip(cell) {
            for d in 0..3 {
                x[d] += value * self.mesh.points[node as usize][d];
            }
        }
        let node = self.points.len() as u32;
        self.points.push(x);
        for members in self.members.values_mut() {
            if point.around.iter().all(|&k| members.is_old_member[cell[k as usize] as usize]) {
                members.nodes.push(node);
            }
        }
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_the_cube_of_the_parts_and_fill_the_cell() {
        for shape in CellShape::SOLIDS {
            for parts in 1..=5 {
                let Some(pattern) = Pattern::new(shape, parts) else { continue };
                assert_eq!(pattern.cells.len(), parts.pow(3), "{}", shape.name());
                for faces in &pattern.faces {
                    assert_eq!(faces.len(), parts.pow(2), "{}", shape.name());
                }
                let connectivity = (0..shape.n_nodes() as u32).collect();
                let mesh = Mesh {
                    points: shape.reference_nodes().to_vec(),
                    blocks: vec![CellBlock { shape, connectivity }],
                    ..Mesh::default()
                };
                let fine = subdivide(&mesh, parts).unwrap();
                let rule = crate::measure::VolumeRule::new(shape);
                let part_volume = shape.reference_volume() / parts.pow(3) as f64;
                for nodes in fine.blocks[0].cells() {
                    let x: Vec<[f64; 3]> = nodes.iter().map(|n| fine.points[*n as usize]).collect();
                    assert!((rule.volume(&x) - part_volume).abs() < 1e-15, "{} {parts}", shape.name());
                }
                assert_eq!(fine.boundary_faces().len(), shape.n_faces() * parts.pow(2));
            }
        }
    }
}
