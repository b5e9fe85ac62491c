//! The mesh: points, blocks of cells of one kind, named sets.

use std::collections::BTreeMap;

use crate::topology::FaceTable;
use crate::{CellShape, FaceShape};

/// A cell: number of its block, and its number in the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellRef {
    /// Number of the block.
    pub block: u32,
    /// Number of the cell in its block.
    pub cell: u32,
}

/// A face of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaceRef {
    /// Number of the block.
    pub block: u32,
    /// Number of the cell in its block.
    pub cell: u32,
    /// Local number of the face in the cell.
    pub face: u8,
}

impl FaceRef {
    /// The cell that the face belongs to.
    pub fn cell(self) -> CellRef {
        CellRef { block: self.block, cell: self.cell }
    }
}

/// A named set, ascending and without repetitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Set {
    /// Node numbers, zero-based.
    Nodes(Vec<u32>),
    /// Faces of cells.
    Faces(Vec<FaceRef>),
    /// Cells.
    Cells(Vec<CellRef>),
}

/// Cells of one kind, and of one material.
#[derive(Debug, Clone, PartialEq)]
pub struct CellBlock {
    /// Kind of every cell in the block.
    pub shape: CellShape,
    /// Zero-based node numbers, cell after cell, VTK's order within a cell.
    pub connectivity: Vec<u32>,
}

impl CellBlock {
    /// Number of cells.
    pub fn n_cells(&self) -> usize {
        self.connectivity.len() / self.shape.n_nodes()
    }

    /// Node numbers of cell `i_cell`.
    ///
    /// # Panics
    ///
    /// If there is no such cell.
    pub fn cell(&self, i_cell: usize) -> &[u32] {
        let n = self.shape.n_nodes();
        &self.connectivity[i_cell * n..(i_cell + 1) * n]
    }

    /// Node numbers, cell after cell.
    pub fn cells(&self) -> std::slice::ChunksExact<'_, u32> {
        self.connectivity.chunks_exact(self.shape.n_nodes())
    }
}

/// A finite-element mesh. Node `k` is the k-th node of the file from which the mesh was read.
///
/// Nodes that no cell uses are kept, so that node numbers stay those of the file. They must not become
/// degrees of freedom (their rows of K and M would be empty): number the dofs over [`Mesh::used_nodes`], or
/// remove the unused nodes with [`Mesh::compacted`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// Node coordinates \[m\].
    pub points: Vec<[f64; 3]>,
    /// Blocks of cells.
    pub blocks: Vec<CellBlock>,
    /// Named sets.
    pub sets: BTreeMap<String, Set>,
}

impl Mesh {
    /// Number of cells of all blocks.
    pub fn n_cells(&self) -> usize {
        self.blocks.iter().map(CellBlock::n_cells).sum()
    }

    /// Number of cells of each kind that occurs, by name.
    pub fn cell_counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for block in &self.blocks {
            *counts.entry(block.shape.name()).or_insert(0) += block.n_cells();
        }
        counts
    }

    /// Kind and node numbers of a cell.
    ///
    /// # Panics
    ///
    /// If there is no such cell.
    pub fn cell(&self, cell: CellRef) -> (CellShape, &[u32]) {
        let block = &self.blocks[cell.block as usize];
        (block.shape, block.cell(cell.cell as usize))
    }

    /// Every cell in order.
    pub fn cells(&self) -> impl Iterator<Item = (CellRef, CellShape, &[u32])> {
        self.blocks.iter().enumerate().flat_map(|(i_block, block)| {
            block.cells().enumerate().map(move |(i_cell, nodes)| {
                (CellRef { block: i_block as u32, cell: i_cell as u32 }, block.shape, nodes)
            })
        })
    }

    /// Kind of a face and its nodes in the order of that kind, counter-clockwise seen from outside the cell.
    ///
    /// # Panics
    ///
    /// If there is no such face.
    pub fn face(&self, face: FaceRef) -> (FaceShape, impl ExactSizeIterator<Item = u32> + Clone + '_) {
        let (shape, nodes) = self.cell(face.cell());
        let local = shape.face(face.face as usize);
        (shape.face_shape(face.face as usize), local.iter().map(move |&k| nodes[k as usize]))
    }

    /// Faces that only one cell uses, ascending: the surface of the body.
    pub fn boundary_faces(&self) -> Vec<FaceRef> {
        FaceTable::new(self).boundary()
    }

    /// For every node, whether a cell uses it.
    pub fn node_is_used(&self) -> Vec<bool> {
        let mut used = vec![false; self.points.len()];
        for node in self.blocks.iter().flat_map(|block| &block.connectivity) {
            used[*node as usize] = true;
        }
        used
    }

    /// Nodes that some cell uses, ascending.
    pub fn used_nodes(&self) -> Vec<u32> {
        let used = self.node_is_used();
        (0..self.points.len() as u32).filter(|&node| used[node as usize]).collect()
    }

    /// The mesh without its unused nodes, and the old number of each remaining node.
    ///
    /// Node sets lose the unused nodes; a set of unused nodes alone stays as an empty set.
    pub fn compacted(&self) -> (Self, Vec<u32>) {
        let kept = self.used_nodes();
        let mut number = vec![u32::MAX; self.points.len()];
        for (new, &old) in kept.iter().enumerate() {
            number[old as usize] = new as u32;
        }
        let mut mesh = Self {
            points: kept.iter().map(|&old| self.points[old as usize]).collect(),
            blocks: self.blocks.clone(),
            sets: self.sets.clone(),
        };
        for node in mesh.blocks.iter_mut().flat_map(|block| &mut block.connectivity) {
            *node = number[*node as usize];
        }
        for set in mesh.sets.values_mut() {
            if let Set::Nodes(nodes) = set {
                nodes.retain(|&old| number[old as usize] != u32::MAX);
                nodes.iter_mut().for_each(|node| *node = number[*node as usize]);
            }
        }
        (mesh, kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two hexahedra side by side along x, and node 12 far off that no cell uses.
    fn two_hexahedra() -> Mesh {
        let mut points = Vec::new();
        for k in 0..12 {
            points.push([f64::from(k % 3), f64::from(k / 3 % 2), f64::from(k / 6)]);
        }
        points.insert(5, [9.0; 3]);
        let number = |k: u32| if k < 5 { k } else { k + 1 };
        let connectivity =
            [0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10].into_iter().map(number).collect();
        let blocks = vec![CellBlock { shape: CellShape::Hex8, connectivity }];
        Mesh { points, blocks, sets: BTreeMap::new() }
    }

    #[test]
    fn two_cells_share_one_face_and_the_rest_is_boundary() {
        let mesh = two_hexahedra();
        let table = FaceTable::new(&mesh);
        let boundary = table.boundary();
        assert_eq!(boundary.len(), 10);
        let inner = [FaceRef { block: 0, cell: 0, face: 1 }, FaceRef { block: 0, cell: 1, face: 0 }];
        assert!(inner.iter().all(|face| !boundary.contains(face)));
        assert_eq!(table.neighbours(), [(CellRef { block: 0, cell: 0 }, CellRef { block: 0, cell: 1 })]);
        let corners: Vec<u32> = mesh.face(inner[1]).1.collect();
        assert_eq!(table.find(&corners).collect::<Vec<_>>(), inner);
    }

    #[test]
    fn unused_nodes_keep_their_number_until_the_mesh_is_compacted() {
        let mut mesh = two_hexahedra();
        mesh.sets.insert("line".into(), Set::Nodes(vec![4, 5, 6]));
        assert_eq!(mesh.used_nodes().len(), 12);
        assert!(!mesh.used_nodes().contains(&5));
        let (compact, kept) = mesh.compacted();
        assert_eq!(compact.points.len(), 12);
        assert_eq!(kept[5], 6);
        assert_eq!(compact.sets["line"], Set::Nodes(vec![4, 5]));
        for (a, b) in mesh.blocks[0].connectivity.iter().zip(&compact.blocks[0].connectivity) {
            assert_eq!(mesh.points[*a as usize], compact.points[*b as usize]);
        }
    }
}
